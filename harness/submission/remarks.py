"""Remarks on a file that can be used, above all on its placeholders.

Inform and Success look for placeholders in square brackets and for nothing else. A file without
them gets a score all the same, and a low one. What is typical is measured on the benchmark's own
responses; thresholds are those of the signs that a score is not what it seems.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    # Nothing that is looked for goes beyond a bar.
    text = "|".join(responses)
    if not text.strip("|"):
        return (Remark("responses", "every response is empty; `mwz dst` scores states alone"),)
    names = Counter(placeholder_names(text))
    return (
        *_written_otherwise(text, names, rules),
        *_unknown(names, rules),
        *_hardly_any(names, responses, benchmark, rules),
    )


_FEWEST = 100
"""Of how many at least a share says something."""

_FRUITLESS = 0.05
"""The share of constraints from which it is remarked that no venue meets them: outputs of published
systems have up to 0.01."""

_KEPT = 0.4
"""The share of a turn's slots that the next turn has as well, below which states are not those of
the whole dialogue: published outputs have .97 or more, trackers .63 or more, and what is new in
their turns alone .03 to .34."""

_LATE = 0.5
"""Of the slots that are new in gold states and in those of the same or the next turn, the share of
the next turn from which states are late: published ones have up to .24, and .69 or more if they
are put off by a turn."""

_FOREIGN = 0.02
"""The share of slots from which those that their domain lacks are remarked: published states have
up to .002."""


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
    if any(any(state.values()) for turns in given.values() for state in turns):
        yield from _by_turn(given, benchmark, rules)
        last = [turns[-1] for turns in given.values() if turns]
        yield from _of_last_states(last, benchmark, rules)
    elif sum(map(len, given.values())) >= _FEWEST:
        yield Remark(
            "states",
            "every belief state is empty, so that any venue fits; write what the user has asked "
            "for, or leave `state` out to be scored with gold states",
        )


def _by_turn(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    """Yield the remarks on states of single turns, and on those of the turn before."""
    slots = kept = at_once = late = 0
    name = cache(partial(normalize_slot_name, rules=rules))

    def names(state: BeliefState) -> set[tuple[str, str]]:
        return {(domain, name(slot)) for domain, slots in state.items() for slot in slots}

    for id_, turns in states.items():
        written = [names(state) for state in turns]
        gold = [set(), *map(names, benchmark.dialogues[id_].states)]
        for before, now, here, following in zip(gold, gold[1:], written, written[1:], strict=False):
            slots += len(here)
            kept += len(here & following)
            at_once += len(now & here - before)
            late += len(now & following - here - before)
    if slots >= _FEWEST and kept < _KEPT * slots:
        yield Remark(
            "states",
            f"belief states are those of single turns: only {kept} of {slots} slots are there in "
            "the next turn as well; write all that the user has asked for since the dialogue began",
        )
    if at_once + late >= _FEWEST and late > _LATE * (at_once + late):
        yield Remark(
            "states",
            f"belief states are a turn late: {late} of {at_once + late} slots are there one turn "
            "after they are new in gold states; a turn's state includes what the user has just "
            "said, also in the first turn",
        )


def _of_last_states(
    states: Iterable[BeliefState], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    """Yield the remarks on slots that their domain lacks, and on values that no venue has."""
    written = Counter(
        (domain, *slot)
        for state in states
        for domain, slots in state.items()
        for slot in slots.items()
    )
    asked: Counter[tuple[str, str, str]] = Counter()
    for (domain, name, given), count in written.items():
        if domain in rules.venue_rules:
            asked[(domain, *normalize_slot(name, given, rules))] += count
    yield from _foreign(asked, rules)
    yield from _fruitless(asked, benchmark, rules)


def _foreign(asked: Counter[tuple[str, str, str]], rules: RuleSet) -> Iterator[Remark]:
    foreign: Counter[str] = Counter()
    for (domain, slot, _), count in asked.items():
        booking = f"book{slot.removeprefix('book').lstrip('_')}"
        known = {*rules.venue_rules[domain].columns, *TRACKED_SLOTS.get(domain, ())}
        foreign[f"{domain}-{slot}"] += count * known.isdisjoint({slot, booking})
    total = asked.total()
    if total >= _FEWEST and foreign.total() > _FOREIGN * total:
        shown = ", ".join(f"{slot} {n}×" for slot, n in foreign.most_common(3))
        yield Remark(
            "states",
            f"{foreign.total()} of {total} slots in the dialogues' last states are none of their "
            f"domain and constrain nothing: {shown}; name slots as MultiWOZ does",
        )


def _fruitless(
    asked: Counter[tuple[str, str, str]], benchmark: Benchmark, rules: RuleSet
) -> Iterator[Remark]:
    # Times, and what is compared by similarity, such as names, may have other values.
    of_venues = {
        (domain, slot, value): count
        for (domain, slot, value), count in asked.items()
        if slot in rules.venue_rules[domain].literal and value not in rules.no_constraint
    }
    total = sum(of_venues.values())
    if total < _FEWEST:
        return
    records = benchmark.venue_records(rules)
    known: dict[tuple[str, str], set[str]] = {}
    fruitless: Counter[str] = Counter()
    for (domain, slot, value), count in of_venues.items():
        if (domain, slot) not in known:
            raw = {str(one.get(slot)) for one in records.get(domain, ())}
            known[domain, slot] = {normalize_value(slot, one, rules) for one in raw}
        if value not in known[domain, slot]:
            fruitless[value] += count
    if fruitless.total() > _FRUITLESS * total:
        shown = ", ".join(f"{unquoted(value)!r} {n}×" for value, n in fruitless.most_common(3))
        yield Remark(
            "states",
            f"{fruitless.total()} of {total} values in the dialogues' last states are those of no "
            f"venue, so that nothing is found: {shown}; write values as MultiWOZ does, in lower "
            "case, and leave out slots without one",
        )


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


def naming(responses: Sequence[str], benchmark: Benchmark) -> list[str]:
    """Return, for each response that names a venue in plain words, the first name in it."""
    looked_for = _any_of(venue_names(benchmark))
    return [
        found[0]
        for text in responses
        if (found := looked_for.search(text[:_SEARCHED].lower())) is not None
    ]


def _written_otherwise(text: str, names: Counter[str], rules: RuleSet) -> Iterator[Remark]:
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
    if found:
        first, n = next(iter(found.most_common(1)))
        meant = first.strip("<>{}").lower()
        yield Remark(
            KIND,
            f"placeholders count in square brackets only: {first} ({n}×) is read as plain text; "
            f"write [{meant}]{_more(found)}",
        )


def _more(found: Counter[str]) -> str:
    others = [f"{name} {n}×" for name, n in found.most_common(5)[1:]]
    return f" (also {', '.join(others)})" if others else ""


def frequent_tags(responses: Sequence[str], rules: RuleSet) -> Counter[str]:
    """Return tags such as <eos_r>, which models put around what they say -> responses with them.

    Nothing if few responses have one.
    """
    tags = (tag for one in responses if "<" in one for tag in dict.fromkeys(TAG.findall(one)))
    found = Counter(tag for tag in tags if tag.strip("<>/|").lower() not in rules.ontology)
    most = max(found.values(), default=0)
    return found if most > _TAGGED * len(responses) else Counter()


def _unknown(names: Counter[str], rules: RuleSet) -> Iterator[Remark]:
    unknown = unknown_names(names, rules)
    if unknown.total() > MANY_UNKNOWN * names.total():
        listed = ", ".join(f"[{unquoted(name)}] {n}×" for name, n in unknown.most_common(5))
        yield Remark(
            KIND,
            f"{unknown.total()} of {names.total()} placeholders are unknown and are replaced by "
            f"nothing: {listed}; the known ones are in docs/predictions-format.md, and "
            f"{PLACEHOLDERS} adds others{_known_by(unknown)}",
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
) -> Iterator[Remark]:
    typical = _typical_rate(benchmark, rules)
    # The rate is no lower than what this gives.
    placeholders = sum(
        n for name, n in names.items() if rules.ontology.get(name) in rules.about_venues
    )
    if placeholders >= FEW * typical * len(responses) * len(rules.about_venues):
        return
    rate = venue_rate(responses, rules)
    if rate >= FEW * typical:
        return
    named = naming(responses, benchmark)
    if len(named) < max(_NAMED * len(responses), 1):
        return
    (first, _), *_ = Counter(named).most_common(1)
    yield Remark(
        KIND,
        f"hardly any placeholders: {rate:.2f} a turn that tell about a venue (the benchmark's own "
        f"responses: {typical:.2f}), while {len(named)} responses name one in plain words "
        f"({first}); Inform and Success need [value_name] and the like: delexicalise the "
        f"responses, or score them by {LEXICALISED}",
    )


def venue_names(benchmark: Benchmark) -> tuple[str, ...]:
    """Return the names of a benchmark's venues, in lower case, that are no ordinary words."""
    names = {
        str(record.get("name") or "").lower()
        for records in benchmark.venues.values()
        for record in records
    }
    return tuple(sorted(name for name in names if len(name) >= SHORTEST_NAME))


@lru_cache(maxsize=4)
def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    # Without names there is nothing to be found.
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first)) or '(?!)'})\b")
