"""What files are compared with: the values, slots and words of a benchmark."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from mwz.normalization import (
    BeliefState,
    RuleSet,
    normalize_slot_name,
    normalize_value,
)

from ...benchmark import CANONICAL_STYLE, Benchmark
from ..notations import TRACKED_SLOTS

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

FEWEST_REFERENCES = 100
"""Fewer canonical references do not tell which words are usual."""

COMMON = 0.01
"""The share of references that have a common token, at the least."""

RARE_OPENING = 0.0005
"""The share of references below which hardly any begins with a token."""

TRACKED = frozenset(
    (domain, name.removeprefix("book")) for domain, names in TRACKED_SLOTS.items() for name in names
)
"""The slots that state tracking is scored on."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


@lru_cache(maxsize=1 << 16)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words and signs of a normalised text."""
    return tuple(_TOKEN.findall(text))


@lru_cache(maxsize=1 << 10)
def slot_name(slot: str, rules: RuleSet) -> str:
    """Return a slot's name as gold states have it: of bookings without `book`."""
    name = normalize_slot_name(slot.replace("_", " "), rules)
    return name.removeprefix("book").lstrip("-") or name


@dataclass(frozen=True)
class Vocabulary:
    """The values and slots that states are compared with.

    Attributes:
        rules: The rule set by which values are compared.
        values: (Domain, slot) -> the values of venues and gold states, normalised.
        gold: The slots that gold states have.
        counts: (Domain, slot) -> how often the last gold states of dialogues have each value, in
            lower case.
        as_written: Whether values are compared as they are written, as those of a tracker's file
            with gold states of its own.
    """

    rules: RuleSet
    values: Mapping[Slot, frozenset[str]]
    gold: frozenset[Slot]
    counts: Mapping[Slot, Counter[str]]
    as_written: bool = False

    def value_of(self, raw_slot: str, raw: str) -> str:
        """Return the value that scores compare, of a slot's name and value as a file has them.

        The rules know `time`, and not `booktime`.
        """
        if self.as_written:
            return raw
        return normalize_value(normalize_slot_name(raw_slot, self.rules), raw, self.rules)


@dataclass(frozen=True)
class Wording:
    """The words of the reference responses.

    Attributes:
        tokens: Every token of the references of all styles.
        pairs: Every two tokens in a row.
        texts: The canonical references, and how often each is there.
        frequency: Token -> the canonical references that have it.
    """

    tokens: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    texts: Counter[str]

    @property
    def is_large(self) -> bool:
        """Whether there are so many references that they tell which words are usual."""
        return self.texts.total() >= FEWEST_REFERENCES

    @cached_property
    def frequency(self) -> Counter[str]:
        """Token -> the number of canonical references that have it."""
        frequency: Counter[str] = Counter()
        for text, number in self.texts.items():
            for token in set(tokens(text)):
                frequency[token] += number
        return frequency

    @cached_property
    def inner(self) -> frozenset[str]:
        """The tokens that many references have, and hardly any begins with."""
        openings: Counter[str] = Counter()
        for text, number in self.texts.items():
            words = tokens(text)
            if words:
                openings[words[0]] += number
        references = self.texts.total()
        inner = set()
        for token, number in self.frequency.items():
            is_common = number >= COMMON * references
            if is_common and openings[token] < RARE_OPENING * references:
                inner.add(token)
        return frozenset(inner)


def vocabulary_of_states(
    states: Iterable[Sequence[BeliefState]], rules: RuleSet, as_written: bool = False
) -> Vocabulary:
    """Return the vocabulary of gold states, a sequence per dialogue."""
    counts: dict[Slot, Counter[str]] = {}
    values: dict[Slot, set[str]] = {}
    for turns in states:
        last = len(turns) - 1
        for turn, state in enumerate(turns):
            for domain, slots in state.items():
                for raw_slot, value in slots.items():
                    slot = domain, slot_name(raw_slot, rules)
                    shown = value if as_written else normalize_value(slot[1], value, rules)
                    values.setdefault(slot, set()).add(shown)
                    if turn == last:
                        counts.setdefault(slot, Counter())[shown.strip().lower()] += 1
    frozen = {slot: frozenset(of_slot) for slot, of_slot in values.items()}
    known = frozenset(frozen) | TRACKED if as_written else frozenset(frozen)
    return Vocabulary(rules, frozen, known, counts, as_written)


@lru_cache(maxsize=8)
def vocabulary_of(benchmark: Benchmark, rules: RuleSet) -> Vocabulary:
    """Return the vocabulary of a benchmark's gold states and venues under a rule set."""
    dialogues = benchmark.dialogues.values()
    gold = vocabulary_of_states([dialogue.states for dialogue in dialogues], rules)
    values = dict(gold.values)
    for domain, records in benchmark.venue_records(rules).items():
        for record in records:
            for slot, value in record.items():
                normal = normalize_value(slot, str(value), rules)
                values[domain, slot] = values.get((domain, slot), frozenset()) | {normal}
    return Vocabulary(rules, values, gold.gold, gold.counts)


@lru_cache(maxsize=8)
def wording_of(benchmark: Benchmark) -> Wording:
    """Return the wording of a benchmark's references, which is kept with an installed one."""
    words, pairs = benchmark.kept("wording", lambda: _wording(benchmark))
    canonical: Counter[str] = Counter()
    for dialogue in benchmark.dialogues.values():
        canonical.update(dialogue.references.get(CANONICAL_STYLE, ()))
    split = [pair.split(" ") for pair in pairs]
    return Wording(
        frozenset(words),
        frozenset((first, second) for first, second in split),
        canonical,
    )


def _wording(benchmark: Benchmark) -> Any:
    """Return the tokens and the pairs of tokens of all references, as plain data."""
    texts: set[str] = set()
    for dialogue in benchmark.dialogues.values():
        for references in dialogue.references.values():
            texts.update(references)
    words: set[str] = set()
    pairs: set[str] = set()
    for text in texts:
        of_text = tokens(text)
        words.update(of_text)
        pairs.update(map(" ".join, itertools.pairwise(of_text)))
    return [sorted(words), sorted(pairs)]
