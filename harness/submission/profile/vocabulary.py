"""What files are compared with: the values, slots and words of a benchmark.

`ValueReader` says what a value of a belief state was meant for, where it is not the benchmark's.
"""

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
    clock_of,
    is_absent,
    is_dontcare,
    normalize_slot_name,
    normalize_value,
    plain_characters,
    read_toml,
)

from ...benchmark import CANONICAL_STYLE, Benchmark
from ..notations import TRACKED_SLOTS
from ..repairs import plain_value

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

    @cached_property
    def references(self) -> int:
        """The number of canonical references."""
        return self.texts.total()

    @property
    def is_large(self) -> bool:
        """Whether there are enough references to show which words are usual."""
        return self.references >= FEWEST_REFERENCES

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


TIMES = frozenset({"arrive", "leave", "time"})

_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")
_CLOCK_LENGTH = len("HH:MM")
_SHORT = 3
"""Characters. The end of shorter words is no plural."""
_SEVERAL = re.compile(r"[/|]|\bor\b|\band\b", re.IGNORECASE)
"""What stands between several values."""
_SEPARATOR = re.compile(r"[,(/|]| or | and ")
"""What stands between several values, or between a venue's name and its place."""


def fold(text: str) -> str:
    """Return a text without what does not tell values apart: case, blanks, hyphens, plural.

    >>> fold("Guest Houses")
    'guesthouse'
    """
    plain = plain_characters(text).casefold().strip()
    plain = plain.replace("&", "and")
    bare = re.sub(r"[\W_]", "", re.sub(r"^(?:the|a) ", "", plain))
    if len(bare) > _SHORT:
        bare = bare.removesuffix("s")
    return bare or plain


@dataclass(frozen=True)
class _Words:
    """The words of `words.toml` that say what values mean.

    Attributes:
        dropped: A pattern of the words that do not tell values apart.
        nothing: What says that there is no value, folded.
        dontcare: What says that the user does not mind, folded.
        synonyms: Folded word -> folded word with the same meaning.
    """

    dropped: re.Pattern[str]
    nothing: frozenset[str]
    dontcare: frozenset[str]
    synonyms: Mapping[str, str]


@lru_cache(maxsize=1)
def _words() -> _Words:
    tables = word_tables()
    return _Words(
        dropped=re.compile(rf"\b(?:{'|'.join(tables['dropped'])})\b"),
        nothing=frozenset(map(fold, tables["nothing"])),
        dontcare=frozenset(map(fold, tables["dontcare"])),
        synonyms=tables["same"],
    )


def _without_dropped(text: str) -> str:
    """Return a text folded, without the words that do not tell values apart."""
    spaced = re.sub(r"[-_:]", " ", plain_characters(text).casefold())
    return fold(_words().dropped.sub(" ", spaced))


@dataclass(frozen=True)
class Reading:
    """What is odd about a value.

    Attributes:
        feature: The feature that counts it as odd; None for a value in order.
        example: How remarks show it.
        meant: The value that was meant; "" for no value; None if that is not known, or may be
            several values.
    """

    feature: str | None = None
    example: str = ""
    meant: str | None = None


IN_ORDER = Reading()


@dataclass(frozen=True)
class _KnownValues:
    """The values of a slot by what tells them apart.

    Attributes:
        values: Folded value, also without dropped words -> value.
        certain: The folded values that stand for one value alone.
    """

    values: Mapping[str, str]
    certain: frozenset[str]


def _known_values(values: Sequence[str]) -> _KnownValues:
    """Return the values of a slot by what tells them apart; of like ones the last counts."""
    by_bare: dict[str, str] = {}
    by_fold: dict[str, str] = {}
    occurrences: Counter[str] = Counter()
    for value in values:
        bare = _without_dropped(value)
        by_bare[bare] = value
        by_fold[fold(value)] = value
        occurrences[bare] += 1
    certain = set(by_fold)
    certain.update(bare for bare, number in occurrences.items() if number == 1)
    # A value of dropped words alone, such as "hotel", is known by these words.
    known = by_bare | by_fold
    known.pop("", None)
    certain.discard("")
    return _KnownValues(known, frozenset(certain))


class ValueReader:
    """Reads the values of one file.

    Args:
        vocabulary: What the values are compared with.
        states_only: Whether the file is a tracker's; it may write an absent value in any way.
    """

    def __init__(self, vocabulary: Vocabulary, states_only: bool = False) -> None:
        self._vocabulary = vocabulary
        self._states_only = states_only
        self._known: dict[tuple[str, str], _KnownValues] = {}
        self.reading = lru_cache(maxsize=1 << 15)(self._reading)

    def _reading(self, domain: str, raw_slot: str, raw: str) -> Reading:
        """Return what is odd about a value.

        Args:
            domain: The domain.
            raw_slot: The slot's name as it is written.
            raw: The value as it is written.
        """
        vocabulary, words = self._vocabulary, _words()
        slot = slot_name(raw_slot, vocabulary.rules)
        plain = raw if vocabulary.as_written else plain_value(domain, slot, raw)
        if plain is None or self._says_nothing(plain):
            return IN_ORDER
        value = vocabulary.value_of(raw_slot, plain)
        if value in vocabulary.values.get((domain, slot), frozenset()):
            return IN_ORDER
        folded = fold(raw)
        if folded in words.nothing or not raw.strip():
            return Reading("value_empty", repr(raw), "")
        if folded in words.dontcare or _without_dropped(raw) in words.dontcare:
            return Reading("value_dontcare", repr(raw), "dontcare")
        # A tracker's own gold states may have times in any notation.
        if slot in TIMES and not vocabulary.as_written:
            return _time_reading(raw, plain, value)
        return self._unknown_reading(domain, slot, raw)

    def _says_nothing(self, value: str) -> bool:
        """Return whether a value is absent, or is a known spelling of `dontcare`."""
        if self._states_only:
            return is_absent(value) or is_dontcare(value)
        return self._vocabulary.rules.asks_for_nothing(value)

    def _unknown_reading(self, domain: str, slot: str, raw: str) -> Reading:
        """Return what is odd about a value that no venue and no gold state has."""
        near, is_certain = self._nearest(domain, slot, raw)
        if near is None and slot in TIMES:
            clock = clock_of(raw)
            if clock in self._vocabulary.values.get((domain, slot), frozenset()):
                near, is_certain = clock, True
        if near is not None and near != raw:
            meant = near if is_certain else None
            return Reading("value_spelling", f"{raw!r} for {near!r}", meant)
        # A tracker's own gold states may be few, so that a value they lack may be right.
        if self._vocabulary.as_written:
            return IN_ORDER
        return Reading("value_unknown", repr(raw))

    def _nearest(self, domain: str, slot: str, raw: str) -> tuple[str | None, bool]:
        """Return the benchmark's value that a value means, if any, and whether only that."""
        known = self._known_values_of(domain, slot)
        synonyms = _words().synonyms
        text = plain_characters(raw).casefold()
        whole, bare = fold(text), _without_dropped(text)
        for meaning in (whole, synonyms.get(whole, whole), bare, synonyms.get(bare, bare)):
            if meaning in known.values:
                return known.values[meaning], meaning in known.certain
        for meaning in map(fold, _SEPARATOR.split(text)):
            if meaning in known.values:
                # Any of several values may be meant.
                is_certain = meaning in known.certain and not _SEVERAL.search(raw)
                return known.values[meaning], is_certain
        return None, False

    def _known_values_of(self, domain: str, slot: str) -> _KnownValues:
        """Return the benchmark's values of a slot by what tells them apart."""
        known = self._known.get((domain, slot))
        if known is None:
            counts = self._vocabulary.counts.get((domain, slot), Counter())
            values = self._vocabulary.values.get((domain, slot), frozenset())
            # The most frequent one of several like values comes last, and counts.
            known = _known_values(sorted(values, key=lambda value: (counts[value], value)))
            self._known[domain, slot] = known
        return known


def _time_reading(raw: str, plain: str, value: str) -> Reading:
    """Return what is odd about a time that no gold state has.

    Args:
        raw: The time as it is written.
        plain: The same in plain spelling.
        value: The time that scores compare.
    """
    clock = clock_of(plain_characters(raw))
    is_read = _CLOCK.fullmatch(value) and clock in (None, value.zfill(_CLOCK_LENGTH))
    # The rules write times past midnight as 24:MM, and gold states do so as well.
    is_past_midnight = value.startswith("24:") and plain.startswith("24")
    if is_read or is_past_midnight:
        return IN_ORDER
    read_as = "" if value == raw else f", read as {value!r}"
    if clock is None:
        return Reading("value_time", f"{raw!r}{read_as}")
    return Reading("value_spelling", f"{raw!r} for {clock!r}{read_as}", clock)
