"""Remarks on a file that can be used, above all on its placeholders.

Inform and Success look for placeholders in square brackets and for nothing else. A file without
them gets a score all the same, and a low one. What is typical is measured on the benchmark's own
responses; thresholds are those of the signs that a score is not what it seems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

from mwz.normalization.responses import placeholder_names
from mwz.normalization.rules import RuleSet, alias_table, alias_tables
from mwz.normalization.states import (
    BeliefState,
    normalize_slot,
    normalize_slot_name,
    normalize_value,
)

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..errors import Findings, cut, in_one_line, printable, unquoted
from .notations import TRACKED_SLOTS

_LONGEST = 1000


@dataclass(frozen=True)
class Remark:
    """Something to know about a file. Equal remarks are one.

    Attributes:
        kind: What it is about, in a word or two.
        message: What was found, and what to do.
        count: In how many places.
        places: The first of them.
        warning: Whether something is likely wrong; other remarks only inform.
    """

    kind: str
    message: str
    count: int = 1
    places: tuple[str, ...] = ()
    warning: bool = True

    def __str__(self) -> str:
        return cut(printable(in_one_line(self.message, self.count, self.places)), _LONGEST)


class Remarks(Findings[tuple[str, str, bool]]):
    """Remarks as they are found, equal ones together."""

    def __init__(self) -> None:
        super().__init__(("more", "further remarks of other kinds", True))

    def add(self, kind: str, message: str, place: str = "", warning: bool = True) -> None:
        """Add a remark; the arguments are those of `Remark`."""
        self.count((kind, message, warning), place)

    def listed(self) -> tuple[Remark, ...]:
        """Return what was found."""
        return tuple(
            Remark(kind, message, count, tuple(places), warning)
            for (kind, message, warning), (count, places) in self.found.items()
        )


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

TAG = re.compile(r"</?\|?(?!unk\b)[A-Za-z_]\w{0,29}\|?>")
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
        _hardly_any(names, responses, benchmark, rules),
    )
    return tuple(Remark(KIND, message) for message in messages if message)


def counted_names(responses: Sequence[str]) -> Counter[str]:
    """Return the names of all placeholders, in lower case, counted."""
    # None goes beyond a bar.
    return Counter(placeholder_names("|".join(responses)))


_FEWEST = 100
"""Of how many at least a share says something."""


@dataclass(frozen=True)
class _StateRule:
    """What is remarked of states if a share of what they hold is out of bounds.

    Attributes:
        part: What is counted, a key of `_state_counts`.
        whole: Of what.
        at_most: The share above which it is remarked, or
        at_least: below which it is.
        message: What is said of `{part}` of `{whole}`, with the most frequent `{examples}`.
    """

    part: str
    whole: str
    message: str
    at_most: float = 1.0
    at_least: float = 0.0


_STATE_RULES = (
    # Published outputs keep .97 or more, trackers .63 or more; new slots alone .03 to .34.
    _StateRule(
        "kept",
        "slots",
        "belief states are those of single turns: only {part} of {whole} slots are there in the "
        "next turn as well; write all that the user has asked for since the dialogue began",
        at_least=0.4,
    ),
    # Of published states up to .24 are late, of those that are put off by a turn .69 or more.
    _StateRule(
        "late",
        "new",
        "belief states are a turn late: {part} of {whole} slots are there one turn after they are "
        "new in gold states; a turn's state includes what the user has just said, also in the "
        "first turn",
        at_most=0.5,
    ),
    # Published states have up to .002.
    _StateRule(
        "foreign",
        "last slots",
        "{part} of {whole} slots in the dialogues' last states are none of their domain and "
        "constrain nothing: {examples}; name slots as MultiWOZ does",
        at_most=0.02,
    ),
    # Published states have up to 0.01.
    _StateRule(
        "fruitless",
        "values",
        "{part} of {whole} values in the dialogues' last states are those of no venue, so that "
        "nothing is found: {examples}; write values as MultiWOZ does, in lower case, and leave out "
        "slots without one",
        at_most=0.05,
    ),
)


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
    counts = {
        **_counts_by_turn(given, benchmark, rules),
        **_counts_of_last_states(given, benchmark, rules),
    }
    for rule in _STATE_RULES:
        part, whole = counts[rule.part].total(), counts[rule.whole].total()
        fits = rule.at_least * whole <= part <= rule.at_most * whole
        if whole >= _FEWEST and not fits:
            examples = ", ".join(f"{one} {n}×" for one, n in counts[rule.part].most_common(3))
            message = rule.message.format(part=part, whole=whole, examples=examples)
            yield Remark("states", message)


def _counts_by_turn(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, rules: RuleSet
) -> dict[str, Counter[str]]:
    """Count the slots of all turns but the last, and how they go with the turns around them."""
    counts = {name: Counter[str]() for name in ("slots", "kept", "new", "late")}
    name = cache(partial(normalize_slot_name, rules=rules))

    def names(state: BeliefState) -> set[tuple[str, str]]:
        return {(domain, name(slot)) for domain, slots in state.items() for slot in slots}

    for id_, turns in states.items():
        written = [names(state) for state in turns]
        gold = [set(), *map(names, benchmark.dialogues[id_].states)]
        for before, now, here, following in zip(gold, gold[1:], written, written[1:], strict=False):
            late = len(now & following - here - before)
            counts["slots"][""] += len(here)
            counts["kept"][""] += len(here & following)
            counts["late"][""] += late
            counts["new"][""] += len(now & here - before) + late
    return counts


def _counts_of_last_states(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, rules: RuleSet
) -> dict[str, Counter[str]]:
    """Count the slots of last states, those that their domain lacks, and values no venue has."""
    counts = {name: Counter[str]() for name in ("last slots", "foreign", "values", "fruitless")}
    written = Counter(
        (domain, slot, value)
        for turns in states.values()
        for domain, slots in (turns[-1].items() if turns else ())
        if domain in rules.venue_rules
        for slot, value in slots.items()
    )
    records = benchmark.venue_records(rules)

    @cache
    def values_of_venues(domain: str, slot: str) -> set[str]:
        values = {str(one.get(slot)) for one in records.get(domain, ())}
        return {normalize_value(slot, one, rules) for one in values}

    for (domain, name, raw), count in written.items():
        slot, value = normalize_slot(name, raw, rules)
        booking = f"book{slot.removeprefix('book').lstrip('_')}"
        known = {*rules.venue_rules[domain].columns, *TRACKED_SLOTS.get(domain, ())}
        counts["last slots"][""] += count
        if known.isdisjoint({slot, booking}):
            counts["foreign"][f"{domain}-{slot}"] += count
        # Times, and what is compared by similarity, such as names, may have other values.
        if slot in rules.venue_rules[domain].literal and value not in rules.no_constraint:
            counts["values"][""] += count
            if value not in values_of_venues(domain, slot):
                counts["fruitless"][repr(unquoted(value))] += count
    return counts


def venue_rate(responses: Sequence[str], rules: RuleSet) -> float:
    """Return the placeholders that tell about a venue, per response.

    That is the share of responses with a name, with a telephone number and so on, added up.
    """
    slots = sum(
        len({rules.ontology.get(name) for name in placeholder_names(text)} & rules.about_venues)
        for text in responses
    )
    return slots / max(len(responses), 1)


def unknown_names(names: Mapping[str, int], rules: RuleSet) -> Counter[str]:
    """Return those of counted placeholder names that a rule set does not know."""
    return Counter({name: n for name, n in names.items() if name not in rules.ontology})


def _written_otherwise(responses: Sequence[str], names: Counter[str], rules: RuleSet) -> str:
    text = "|".join(responses)
    found: Counter[str] = Counter()
    # Nearly all files have none of these characters outside of placeholders: that is quick.
    in_brackets = sum(n * name.count("_") for name, n in names.items())
    if "<" in text or "{" in text or text.count("_") > in_brackets:
        found.update(
            match[0]
            for match in _OTHERWISE.finditer(text.lower())
            if (match[1] or match[2] or match[3]) in rules.ontology
        )
    # Normalised responses, such as references: lower-casing them loses what they say.
    if text != text.lower() and any(name in text for name in rules.about_venues):
        found.update(re.findall(rf"\b(?:{'|'.join(sorted(rules.about_venues))})\b", text))
    if not found:
        return ""
    (first, n), *others = found.most_common(5)
    also = ", ".join(f"{name} {count}×" for name, count in others)
    return (
        f"placeholders count in square brackets only: {first} ({n}×) is read as plain text; write "
        f"[{first.strip('<>{}').lower()}]{f' (also {also})' if also else ''}"
    )


def frequent_tags(responses: Sequence[str], rules: RuleSet) -> Counter[str]:
    """Return tags such as <eos_r>, which models put around what they say -> responses with them.

    Nothing if few responses have one.
    """
    tags = (tag for one in responses if "<" in one for tag in dict.fromkeys(TAG.findall(one)))
    found = Counter(tag for tag in tags if tag.strip("<>/|").lower() not in rules.ontology)
    most = max(found.values(), default=0)
    return found if most > _TAGGED * len(responses) else Counter()


def _unknown(names: Counter[str], rules: RuleSet) -> str:
    unknown = unknown_names(names, rules)
    if unknown.total() <= MANY_UNKNOWN * names.total():
        return ""
    listed = ", ".join(f"[{unquoted(name)}] {n}×" for name, n in unknown.most_common(5))
    return (
        f"{unknown.total()} of {names.total()} placeholders are unknown and are replaced by "
        f"nothing: {listed}; the known ones are in docs/predictions-format.md, and {PLACEHOLDERS} "
        f"adds others{_known_by(unknown)}"
    )


def _known_by(unknown: Counter[str]) -> str:
    """Say which named table knows most of some placeholders, if one knows half of them."""
    known = {
        table: sum(n for name, n in unknown.items() if name in alias_table(table).names)
        for table in alias_tables()
    }
    best = max(known, key=lambda table: known[table], default="")
    if not best or 2 * known[best] < unknown.total():
        return ""
    return f"; `{PLACEHOLDERS} {best}` knows {known[best]} of these"


@lru_cache(maxsize=8)
def _typical_rate(benchmark: Benchmark, rules: RuleSet) -> float:
    """Return how many placeholders about venues the canonical references have a turn."""
    dialogues = benchmark.dialogues.values()
    texts = [text for one in dialogues for text in one.references.get(CANONICAL_STYLE, ())]
    named = sum(slot in text for text in texts for slot in rules.about_venues)
    return named / max(len(texts), 1)


def _hardly_any(
    names: Counter[str], responses: Sequence[str], benchmark: Benchmark, rules: RuleSet
) -> str:
    typical = _typical_rate(benchmark, rules)
    # The rate is no lower than what this gives.
    placeholders = sum(
        n for name, n in names.items() if rules.ontology.get(name) in rules.about_venues
    )
    if placeholders >= FEW * typical * len(responses) * len(rules.about_venues):
        return ""
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
    longest_first = sorted(sorted(filter(_is_long, names)), key=len, reverse=True)
    # Without names there is nothing to be found.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})\b")


def _is_long(name: str) -> bool:
    return len(name) >= SHORTEST_NAME
