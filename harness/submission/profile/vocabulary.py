"""What files are compared with: the values, slots and words of a benchmark."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

from mwz.normalization import (
    BeliefState,
    RuleSet,
    normalize_slot_name,
    normalize_value,
    read_toml,
)

from ...benchmark import CANONICAL_STYLE, Benchmark
from ..notations import TRACKED_SLOTS

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

FEWEST_REFERENCES = 100
"""Fewer canonical references do not show which words are usual."""

COMMON = 0.01
"""A token is common if at least this share of references has it."""

RARE_OPENING = 0.0005
"""A token is a rare opening if less than this share of references begins with it."""


@lru_cache(maxsize=1)
def word_tables() -> Mapping[str, Any]:
    """Return the tables of words.toml, which describes them."""
    return read_toml("words.toml", __package__)


_TOKEN = re.compile(r"\w+|[^\w\s]")


@lru_cache(maxsize=1 << 16)
def tokens(text: str) -> tuple[str, ...]:
    """Return the words and signs of a normalised text."""
    return tuple(_TOKEN.findall(text))


@lru_cache(maxsize=1 << 10)
def slot_name(slot: str, rules: RuleSet) -> str:
    """Return a slot's name as gold states have it: `day` for `bookday`."""
    name = normalize_slot_name(slot.replace("_", " "), rules)
    return name.removeprefix("book").lstrip("-") or name


@lru_cache(maxsize=1)
def tracked_slots() -> frozenset[Slot]:
    """Return the slots that state tracking is scored on."""
    slots: set[Slot] = set()
    for domain, names in TRACKED_SLOTS.items():
        slots.update((domain, name.removeprefix("book")) for name in names)
    return frozenset(slots)


@dataclass(frozen=True)
class Vocabulary:
    """The values and slots that states are compared with.

    Attributes:
        rules: The rule set by which values are compared.
        values: (Domain, slot) -> the values of venues and gold states, normalised.
        gold: The slots that gold states have.
        counts: (Domain, slot) -> value in lower case -> the dialogues whose last gold state has it.
        as_written: Whether values are compared as they are written, as those of a tracker's file
            with gold states of its own.
    """

    rules: RuleSet
    values: Mapping[Slot, frozenset[str]]
    gold: frozenset[Slot]
    counts: Mapping[Slot, Counter[str]]
    as_written: bool = False

    def value_of(self, raw_slot: str, raw: str) -> str:
        """Return the value that scores compare.

        Args:
            raw_slot: The slot's name as a file has it.
            raw: The value as a file has it.
        """
        if self.as_written:
            return raw
        # Keeps `book`, as scores do: the rule for `time` does not apply to `booktime`.
        return normalize_value(normalize_slot_name(raw_slot, self.rules), raw, self.rules)


@dataclass(frozen=True)
class Wording:
    """The words of the reference responses.

    Attributes:
        tokens: Every token of the references of all styles.
        pairs: Every two tokens in a row.
        texts: Canonical reference -> how many turns have it.
    """

    tokens: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    texts: Counter[str]

    @property
    def is_large(self) -> bool:
        """Whether there are enough references to show which words are usual."""
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
        """The common tokens that hardly any reference begins with."""
        openings: Counter[str] = Counter()
        for text, number in self.texts.items():
            words = tokens(text)
            if words:
                openings[words[0]] += number
        references = self.texts.total()
        inner: set[str] = set()
        for token, number in self.frequency.items():
            is_common = number >= COMMON * references
            if is_common and openings[token] < RARE_OPENING * references:
                inner.add(token)
        return frozenset(inner)


def vocabulary_of_states(
    states: Iterable[Sequence[BeliefState]], rules: RuleSet, as_written: bool = False
) -> Vocabulary:
    """Return the vocabulary of gold states.

    Args:
        states: The states of each dialogue, one per turn.
        rules: The rule set by which values are compared.
        as_written: Whether values are compared as they are written.
    """
    counts: dict[Slot, Counter[str]] = {}
    values: dict[Slot, set[str]] = {}
    for turns in states:
        for turn, state in enumerate(turns, start=1):
            for domain, slots in state.items():
                for raw_slot, raw in slots.items():
                    slot = domain, slot_name(raw_slot, rules)
                    value = raw if as_written else normalize_value(slot[1], raw, rules)
                    values.setdefault(slot, set()).add(value)
                    if turn == len(turns):
                        counts.setdefault(slot, Counter())[value.strip().lower()] += 1
    frozen = {slot: frozenset(values_of_slot) for slot, values_of_slot in values.items()}
    gold = frozenset(frozen)
    if as_written:
        gold |= tracked_slots()
    return Vocabulary(rules, frozen, gold, counts, as_written)


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
    return replace(gold, values=values)


@lru_cache(maxsize=8)
def wording_of(benchmark: Benchmark) -> Wording:
    """Return the wording of a benchmark's references.

    The tokens and their pairs are stored with an installed benchmark.
    """
    words, joined_pairs = benchmark.kept("wording", lambda: _words_and_pairs(benchmark))
    canonical: Counter[str] = Counter()
    for dialogue in benchmark.dialogues.values():
        canonical.update(dialogue.references.get(CANONICAL_STYLE, ()))
    pairs: set[tuple[str, str]] = set()
    for pair in joined_pairs:
        first, second = pair.split(" ")
        pairs.add((first, second))
    return Wording(frozenset(words), frozenset(pairs), canonical)


def _words_and_pairs(benchmark: Benchmark) -> list[list[str]]:
    """Return the tokens of all references, and their pairs joined by a blank, as plain data."""
    texts: set[str] = set()
    for dialogue in benchmark.dialogues.values():
        for references in dialogue.references.values():
            texts.update(references)
    words: set[str] = set()
    pairs: set[str] = set()
    for text in texts:
        tokens_of_text = tokens(text)
        words.update(tokens_of_text)
        pairs.update(map(" ".join, itertools.pairwise(tokens_of_text)))
    return [sorted(words), sorted(pairs)]
