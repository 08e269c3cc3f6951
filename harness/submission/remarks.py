"""Remarks on a file that can be used, and placeholders that a rule set does not know.

Inform and Success look for placeholders in square brackets and for nothing else. A file without
them gets a score all the same, and a low one. What is typical is measured on the benchmark's own
responses; thresholds are those of the flags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from mwz.normalization import (
    DEFAULT_RULES,
    NAME,
    Aliases,
    BeliefState,
    RuleSet,
    alias_tables,
    normalize_slot_name,
    normalize_value,
    placeholder_names,
    rule_set,
)

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..errors import InputError, Remark, cut_repr, refuse, unknown, unquoted
from ..io import kind_of, parse_toml, read_bytes
from .notations import STATE_DOMAINS, TRACKED_SLOTS

LEXICALISED = "--lexicalised"
"""The option that scores responses in plain words."""

PLACEHOLDERS = "--placeholders"
"""The option that adds placeholders to those that the rule set knows."""

FEW = 0.1
"""Times the placeholders about venues that the benchmark's own responses have: below is few."""

MANY_UNKNOWN = 0.01
"""The share of placeholders from which unknown ones are remarked."""

_NAMED = 0.01
"""The share of responses from which venues count as named."""

_SEARCHED = 2000
"""Characters of a response in which venues are looked for."""

SHORTEST_NAME = 5
"""Characters. Shorter names of venues are ordinary words."""

KIND = "placeholders"

_TAG = re.compile(r"</?\|?(?!unk\b)[A-Za-z_]\w{0,29}\|?>")
"""A token such as <sos_r>, </s>, <|endoftext|>; not <unk>, which stands for a word."""

_TAGGED = 0.03
"""The share of responses with a tag from which it is remarked: published ones have up to .019."""

# <name> and {name}, and names with an underscore that stand bare. Longer ones are no placeholders.
_OTHERWISE = re.compile(
    r"<([a-z][\w ]{1,30})>|\{([a-z][\w ]{1,30})\}|(?<![\[\w/])([a-z]+_[a-z]+)(?![\]\w/])"
)


def text_remarks(
    responses: Sequence[str], benchmark: Benchmark, rules: RuleSet
) -> tuple[Remark, ...]:
    """Return the remarks on the placeholders of a submission's responses.

    Args:
        responses: All responses, as they were given.
        benchmark: The benchmark they are for.
        rules: The rule set whose placeholders are known.
    """
    if not any(responses):
        return (Remark("responses", "every response is empty; `mwz dst` scores states alone"),)
    names = counted_names(responses)
    messages = (
        _written_otherwise(responses, names, rules),
        _unknown(names, rules),
        _hardly_any(responses, benchmark, rules),
    )
    return tuple(Remark(KIND, message) for message in messages if message)


def counted_names(responses: Sequence[str]) -> Counter[str]:
    """Return the names of all placeholders, in lower case, counted."""
    # None goes beyond a bar.
    return Counter(placeholder_names("|".join(responses)))


_FEWEST = 100
"""Of how many at least a share says something."""

_KEPT = 0.4
"""The share of slots that the next turn has as well; published outputs have .97 or more, trackers
.63 or more, new slots alone .03 to .34."""

_LATE = 0.5
"""The share of new slots that are a turn late; published states have up to .24, those that are put
off by a turn .69 or more."""

_FOREIGN = 0.02
"""The share of slots that their domain does not have; published states have up to .002."""

_FRUITLESS = 0.05
"""The share of values that no venue has; published states have up to .01."""


def state_remarks(
    states: Mapping[str, Sequence[BeliefState | None]], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    """Yield the remarks on belief states that are likely meant otherwise.

    Args:
        states: Dialogue id -> the belief state of each turn, as it was given; None where there is
            none.
        benchmark: The benchmark they are for.
        rules: The rule set by which values are compared.
    """
    given = {id_: [one for one in turns if one is not None] for id_, turns in states.items()}
    if not any(any(state.values()) for turns in given.values() for state in turns):
        if sum(map(len, given.values())) >= _FEWEST:
            yield Remark(
                "states",
                "every belief state is empty, so that any venue fits; write what the user has "
                "asked for, or leave `state` out to be scored with gold states",
            )
        return
    yield from _remarks_on_turns(given, benchmark, rules)
    yield from _remarks_on_last_states(given, benchmark, rules)


def _remarks_on_turns(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    """Yield the remarks on how the slots of a turn go with those of the turns around it."""
    slots = kept = new = late = 0
    named = cache(lambda domain, slot: (domain, normalize_slot_name(slot, rules)))

    def names(state: BeliefState) -> set[tuple[str, str]]:
        return {named(domain, slot) for domain, slots in state.items() for slot in slots}

    for id_, turns in states.items():
        written = [names(state) for state in turns]
        gold = [set(), *map(names, benchmark.dialogues[id_].states)]
        for before, now, here, following in zip(gold, gold[1:], written, written[1:], strict=False):
            late_here = len(now & following - here - before)
            slots += len(here)
            kept += len(here & following)
            late += late_here
            new += len(now & here - before) + late_here
    if slots >= _FEWEST and kept < _KEPT * slots:
        yield Remark(
            "states",
            f"belief states are those of single turns: only {kept} of {slots} slots are there in "
            "the next turn as well; write all that the user has asked for since the dialogue began",
        )
    if new >= _FEWEST and late > _LATE * new:
        yield Remark(
            "states",
            f"belief states are a turn late: {late} of {new} slots are there one turn after they "
            "are new in gold states; a turn's state includes what the user has just said, also in "
            "the first turn",
        )


def _remarks_on_last_states(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    """Yield the remarks on slots that their domain does not have, and on values no venue has."""
    written = Counter(
        (domain, slot, value)
        for turns in states.values()
        for domain, slots in (turns[-1].items() if turns else ())
        if domain in rules.venue_rules or domain not in STATE_DOMAINS
        for slot, value in slots.items()
    )
    records = benchmark.venue_records(rules)

    @cache
    def values_of_venues(domain: str, slot: str) -> set[str]:
        values = {str(one.get(slot)) for one in records.get(domain, ())}
        return {normalize_value(slot, one, rules) for one in values}

    values = 0
    foreign, fruitless = Counter[str](), Counter[str]()
    for (domain, name, raw), count in written.items():
        slot = normalize_slot_name(name, rules)
        value = normalize_value(slot, raw, rules)
        booking = f"book{slot.removeprefix('book').lstrip('_')}"
        venues = rules.venue_rules.get(domain)
        slots = {*(venues.columns if venues else ()), *TRACKED_SLOTS.get(domain, ())}
        if slots.isdisjoint({slot, booking}):
            foreign[f"{domain}-{slot}"] += count
        # Times, and what is compared by similarity, such as names, may have other values.
        literal = {*venues.columns} - venues.loose if venues else {*()}
        if slot in literal and not rules.asks_for_nothing(value):
            values += count
            if value not in values_of_venues(domain, slot):
                fruitless[repr(unquoted(value))] += count
    if written.total() >= _FEWEST and foreign.total() > _FOREIGN * written.total():
        yield Remark(
            "states",
            f"{foreign.total()} of {written.total()} slots in the dialogues' last states are none "
            f"of their domain and constrain nothing: {_most_common(foreign)}; name slots as "
            "MultiWOZ does",
        )
    if values >= _FEWEST and fruitless.total() > _FRUITLESS * values:
        yield Remark(
            "states",
            f"{fruitless.total()} of {values} values in the dialogues' last states match no "
            f"venue: {_most_common(fruitless)}; write values as MultiWOZ "
            "does, in lower case, and leave out slots without one",
        )


def _most_common(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}×" for name, count in counts.most_common(3))


def venue_rate(responses: Sequence[str], rules: RuleSet) -> float:
    """Return the placeholders that tell about a venue, per response.

    That is the share of responses with a name, with a telephone number and so on, added up.
    """
    slots = sum(
        len({rules.ontology.get(name) for name in placeholder_names(text)} & rules.about_venues)
        for text in responses
    )
    return slots / max(len(responses), 1)


def counted_placeholders(
    responses: Sequence[str], rules: RuleSet
) -> tuple[Counter[str], Counter[str], float]:
    """Return how often responses have each slot of a rule set, and each name it does not know.

    The third is how many placeholders tell about a venue, per response.
    """
    names = counted_names(responses)
    slots: Counter[str] = Counter()
    for name, count in names.items():
        if name in rules.ontology:
            slots[rules.ontology[name]] += count
    return slots, unknown_names(names, rules), venue_rate(responses, rules)


def unknown_names(names: Mapping[str, int], rules: RuleSet) -> Counter[str]:
    """Return those of counted placeholder names that a rule set does not know."""
    return Counter({name: n for name, n in names.items() if name not in rules.ontology})


def _written_otherwise(responses: Sequence[str], names: Counter[str], rules: RuleSet) -> str:
    text = "|".join(responses)
    names_found: Counter[str] = Counter()
    # Nearly all files have none of these characters outside of placeholders: that is quick.
    in_brackets = sum(n * name.count("_") for name, n in names.items())
    if "<" in text or "{" in text or text.count("_") > in_brackets:
        names_found.update(
            match[0]
            for match in _OTHERWISE.finditer(text.lower())
            if (match[1] or match[2] or match[3]) in rules.ontology
        )
    # Normalised responses, such as references: lower-casing them loses what they say.
    if text != text.lower() and any(name in text for name in rules.about_venues):
        names_found.update(re.findall(rf"\b(?:{'|'.join(sorted(rules.about_venues))})\b", text))
    if not names_found:
        return ""
    ((first, n),) = names_found.most_common(1)
    return (
        f"placeholders count in square brackets only: {first} ({n}×) is read as plain text; write "
        f"[{first.strip('<>{}').lower()}]"
    )


def frequent_tags(responses: Sequence[str], rules: RuleSet) -> Counter[str]:
    """Return tags such as <eos_r>, which models put around what they say -> responses with them.

    Nothing if few responses have one.
    """
    tags = (tag for one in responses if "<" in one for tag in dict.fromkeys(_TAG.findall(one)))
    unlisted = Counter(tag for tag in tags if tag.strip("<>/|").lower() not in rules.ontology)
    most = max(unlisted.values(), default=0)
    return unlisted if most > _TAGGED * len(responses) else Counter()


def _unknown(names: Counter[str], rules: RuleSet) -> str:
    unknown = unknown_names(names, rules)
    if unknown.total() <= MANY_UNKNOWN * names.total():
        return ""
    listed = ", ".join(f"[{unquoted(name)}] {n}×" for name, n in unknown.most_common(5))
    return (
        f"{unknown.total()} of {names.total()} placeholders are unknown and are removed: "
        f"{listed}; the known ones are in docs/predictions-format.md, and {PLACEHOLDERS} "
        "adds others"
    )


@lru_cache(maxsize=8)
def _typical_rate(benchmark: Benchmark, rules: RuleSet) -> float:
    """Return how many placeholders about venues the canonical references have a turn."""
    dialogues = benchmark.dialogues.values()
    texts = [text for one in dialogues for text in one.references.get(CANONICAL_STYLE, ())]
    named = sum(slot in text for text in texts for slot in rules.about_venues)
    return named / max(len(texts), 1)


def _hardly_any(responses: Sequence[str], benchmark: Benchmark, rules: RuleSet) -> str:
    typical = _typical_rate(benchmark, rules)
    rate = venue_rate(responses, rules)
    if rate >= FEW * typical:
        return ""
    matches = (_venue_names(benchmark).search(text[:_SEARCHED].lower()) for text in responses)
    named = Counter(match[0] for match in matches if match is not None)
    if named.total() < max(_NAMED * len(responses), 1):
        return ""
    ((first, _),) = named.most_common(1)
    return (
        f"hardly any placeholders: {rate:.2f} a turn that tell about a venue (the benchmark's own "
        f"responses: {typical:.2f}), while {named.total()} responses name one in plain words "
        f"({first}); Inform and Success need [value_name] and the like: delexicalise the "
        f"responses, or score them by {LEXICALISED}"
    )


@lru_cache(maxsize=4)
def _venue_names(benchmark: Benchmark) -> re.Pattern[str]:
    """Return what finds names of venues, in lower case, that are no ordinary words."""
    records = [record for one in benchmark.venues.values() for record in one]
    names = {str(record.get("name") or "").lower() for record in records}
    long = (name for name in names if len(name) >= SHORTEST_NAME)
    longest_first = sorted(sorted(long), key=len, reverse=True)
    # Without names there is nothing to be found.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})\b")


def plain_remarks(responses: Sequence[str], remarks: Iterable[Remark]) -> tuple[Remark, ...]:
    """Return the remarks on a submission whose responses are meant to be plain English.

    Args:
        responses: All responses, as they were given.
        remarks: The remarks on them as delexicalised ones.
    """
    ontology = rule_set(DEFAULT_RULES).ontology
    placeholders = [{n for n in placeholder_names(text) if n in ontology} for text in responses]
    names = Counter(name for one in placeholders for name in sorted(one))
    others = tuple(remark for remark in remarks if remark.kind != KIND)
    if not names:
        return others
    examples = ", ".join(f"[{name}]" for name, _ in names.most_common(3))
    message = (
        f"{sum(map(bool, placeholders))} of {len(responses)} responses hold placeholders "
        f"({examples}), which name and tell nothing in grounded scores; if they are all "
        "delexicalised, score them without --lexicalised"
    )
    return (*others, Remark(KIND, message))


# Placeholders that a rule set does not know: what users say they mean, and what they may mean.

SECTION = "placeholders"
"""The table of a TOML file that holds aliases."""


def chosen_aliases(chosen: object, rules: RuleSet) -> Aliases | None:
    """Return the aliases that an option means.

    A table that somebody writes must fit the rule set. One that is known by name, or was read
    before, is used with every rule set; what that knows itself means there what it says.

    Args:
        chosen: The name of a named table, the path of a TOML file, a mapping of placeholder name
            -> ontology name, aliases, or None.
        rules: The rule set.

    Raises:
        InputError: It is none of these, the file cannot be read, or an alias names what the rule
            set knows or has no ontology name for target.
    """
    if chosen is None or isinstance(chosen, Aliases):
        return chosen
    if isinstance(chosen, str) and chosen in alias_tables():
        return alias_tables()[chosen]
    source, table = SECTION, chosen
    if isinstance(chosen, str | Path):
        source = str(chosen)
        table = parse_toml(read_bytes(chosen), source).get(SECTION)
    if not isinstance(table, Mapping):
        expected = f"expected a table [{SECTION}] of placeholder name -> ontology name"
        raise InputError(source, f"{expected}, found {kind_of(table)}")
    refuse(source, alias_problems(table, rules))
    return Aliases.of(table)


def alias_problems(table: Mapping[Any, object], rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with a table of aliases, a sentence each."""
    slots = sorted(set(rules.ontology.values()))
    if not table:
        yield "names no placeholder"
    seen: set[str] = set()
    for name, slot in table.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield (
                f"{cut_repr(name)}: not the name of a placeholder; write letters, digits, blanks "
                "and underscores, without the brackets"
            )
            continue
        lowered = name.lower()
        if lowered in seen:
            yield f"{cut_repr(name)} is there twice, whatever its case; keep one"
        elif lowered in rules.ontology:
            yield (
                f"{cut_repr(name)}: rule set {rules.name} knows it, as {rules.ontology[lowered]}; "
                "an alias may only name what it does not know"
            )
        elif slot not in slots:
            yield f"{cut_repr(name)}: {unknown('slot', slot, slots)}"
        seen.add(lowered)
