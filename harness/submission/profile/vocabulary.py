"""What files are compared with: the values, slots and words of a benchmark.

`Content` is a file, which says what its states are compared with;
`read_value` says what a value of a belief state was meant for, where it is not the benchmark's.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from mwz.normalization import (
    BeliefState,
    RuleSet,
    clock_of,
    is_absent,
    is_dontcare,
    is_public_constraint,
    normalize_slot_name,
    normalize_value,
    plain_characters,
    plain_slot_name,
    plain_spelling,
    read_toml,
)

from ...benchmark import CANONICAL_STYLE, Benchmark
from ...io import kept_part
from ..formats import STATE_CHECKS, StateChecks
from ..model import Turn
from ..notations import TRACKED_SLOTS, Slot

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


_HOTEL_TYPES = {
    "guest-house": "guesthouse",
    "guest-houses": "guesthouse",
    "guest houses": "guesthouse",
    "guesthouses": "guesthouse",
    "hotels": "hotel",
}


@lru_cache(maxsize=1 << 15)
def plain_value(domain: str, slot: str, value: str) -> str | None:
    """Return a value in lower case, plain characters and single blanks; None if it says nothing.

    Published figures depend on `none`, on an empty text and on `dontcare` in capitals: these stay
    as they are.

    >>> plain_value("hotel", "type", "Guest  Houses")
    'guesthouse'
    """
    if is_absent(value):
        return value if is_public_constraint(value) else None
    if is_dontcare(value):
        is_lower_case = value == value.lower()
        return plain_spelling(value) if is_lower_case else value
    plain = " ".join(plain_characters(value).lower().split())
    if domain == "hotel" and plain_slot_name(slot) == "type":
        plain = _HOTEL_TYPES.get(plain, plain)
    return plain


@lru_cache(maxsize=1)
def tracked_slots() -> frozenset[Slot]:
    """Return the slots that state tracking is scored on."""
    slots: set[Slot] = set()
    for domain, names in TRACKED_SLOTS.items():
        slots.update((domain, name.removeprefix("book")) for name in names)
    return frozenset(slots)


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The values and slots that states are compared with.

    Two vocabularies are never equal, so that readings of values can be remembered by vocabulary.

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


@dataclass(frozen=True)
class Content:
    """A predictions file as it was read, to be measured.

    Attributes:
        dialogues: Dialogue id -> turns.
        benchmark: The benchmark that has the dialogues; None for a tracker's file with gold states
            of its own.
        rules: The rule set by which values and responses are compared.
        checks: How it was checked: whether it is a tracker's, whether scores depend on its states,
            and whether its responses are meant to be plain English.
    """

    dialogues: Mapping[str, Sequence[Turn]]
    benchmark: Benchmark | None
    rules: RuleSet
    checks: StateChecks = STATE_CHECKS

    def vocabulary(self) -> Vocabulary:
        """Return the values and slots that the states are compared with."""
        if self.benchmark is not None:
            return vocabulary_of(self.benchmark, self.rules)
        gold: list[list[BeliefState]] = []
        for turns in self.dialogues.values():
            gold.append([turn.gold or {} for turn in turns])
        return vocabulary_of_states(gold, self.rules, as_written=True)


@dataclass(frozen=True)
class Wording:
    """The words of the reference responses.

    Attributes:
        tokens: Every token of the references of all styles.
        pairs: Every two tokens in a row, with a blank between them.
        references: The number of canonical references.
        frequency: Token -> the number of canonical references that have it.
        inner: The common tokens that hardly any canonical reference begins with.
    """

    tokens: frozenset[str]
    pairs: frozenset[str]
    references: int
    frequency: Counter[str]
    inner: frozenset[str]


@lru_cache(maxsize=8)
def wording_of(benchmark: Benchmark) -> Wording:
    """Return the wording of a benchmark's references.

    The tokens and their pairs are stored with an installed benchmark.
    """
    words, pairs = kept_part(benchmark.prepared, "wording", lambda: _words_and_pairs(benchmark))
    canonical: Counter[str] = Counter()
    for dialogue in benchmark.dialogues.values():
        canonical.update(dialogue.references.get(CANONICAL_STYLE, ()))
    frequency: Counter[str] = Counter()
    openings: Counter[str] = Counter()
    for text, number in canonical.items():
        words_of_text = tokens(text)
        for token in set(words_of_text):
            frequency[token] += number
        for token in words_of_text[:1]:
            openings[token] += number
    references = canonical.total()
    inner: set[str] = set()
    for token, number in frequency.items():
        is_common = number >= COMMON * references
        if is_common and openings[token] < RARE_OPENING * references:
            inner.add(token)
    return Wording(frozenset(words), frozenset(pairs), references, frequency, frozenset(inner))


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


@lru_cache(maxsize=2)
def _folded_words(table: str) -> frozenset[str]:
    """Return the words of a table of words.toml, folded."""
    return frozenset(map(fold, word_tables()[table]))


@lru_cache(maxsize=1)
def _dropped_words() -> re.Pattern[str]:
    """Return a pattern of the words that do not tell values apart."""
    return re.compile(rf"\b(?:{'|'.join(word_tables()['dropped'])})\b")


def _without_dropped(text: str) -> str:
    """Return a text folded, without the words that do not tell values apart."""
    spaced = re.sub(r"[-_:]", " ", plain_characters(text).casefold())
    return fold(_dropped_words().sub(" ", spaced))


@dataclass(frozen=True)
class Reading:
    """What a value says, and what is odd about it.

    Attributes:
        slot: The slot's name as gold states have it.
        value: The value that scores compare; None if it says that there is none.
        feature: The feature that counts it as odd; None for a value in order.
        example: How remarks show it.
        meant: The value that was meant; "" for no value; None if that is not known, or may be
            several values.
    """

    slot: str
    value: str | None
    feature: str | None = None
    example: str = ""
    meant: str | None = None


@lru_cache(maxsize=1 << 15)
def read_value(
    vocabulary: Vocabulary, domain: str, written_slot: str, raw: str, states_only: bool = False
) -> Reading:
    """Read a value of a belief state.

    Args:
        vocabulary: What values are compared with.
        domain: The domain.
        written_slot: The slot's name as it is written.
        raw: The value as it is written.
        states_only: Whether it is a tracker's, which may write an absent value in any way.
    """
    rules = vocabulary.rules
    slot = slot_name(written_slot, rules)
    plain = plain_value(domain, slot, raw) or raw
    if vocabulary.as_written:
        text = value = raw
        compared = plain
    else:
        text = plain
        # Keeps `book`, as scores do: the rule for `time` does not apply to `booktime`.
        name = normalize_slot_name(written_slot, rules)
        value = compared = normalize_value(name, plain, rules)
    if states_only:
        says_nothing = is_absent(text) or is_dontcare(text)
    else:
        says_nothing = rules.asks_for_nothing(text)
    reading = Reading(slot, None if is_absent(raw) else compared)
    if says_nothing or value in vocabulary.values.get((domain, slot), frozenset()):
        return reading
    folded = fold(raw)
    if folded in _folded_words("nothing") or not raw.strip():
        return Reading(slot, None, "value_empty", repr(raw), "")
    if not _folded_words("dontcare").isdisjoint((folded, _without_dropped(raw))):
        return replace(reading, feature="value_dontcare", example=repr(raw), meant="dontcare")
    # A tracker's own gold states may have times in any notation.
    if slot in TIMES and not vocabulary.as_written:
        return _read_time(reading, raw, text, value)
    return _read_unknown(reading, vocabulary, domain, raw)


def _read_time(reading: Reading, raw: str, plain: str, value: str) -> Reading:
    """Read a time that no gold state has.

    Args:
        reading: Its reading if it is in order.
        raw: The time as it is written.
        plain: The same in plain spelling.
        value: The time that scores compare.
    """
    clock = clock_of(plain_characters(raw))
    is_read = _CLOCK.fullmatch(value) and clock in (None, value.zfill(_CLOCK_LENGTH))
    # The rules write times past midnight as 24:MM, and gold states do so as well.
    is_past_midnight = value.startswith("24:") and plain.startswith("24")
    if is_read or is_past_midnight:
        return reading
    read_as = "" if value == raw else f", read as {value!r}"
    if clock is None:
        return replace(reading, feature="value_time", example=f"{raw!r}{read_as}")
    example = f"{raw!r} for {clock!r}{read_as}"
    return replace(reading, feature="value_spelling", example=example, meant=clock)


def _read_unknown(reading: Reading, vocabulary: Vocabulary, domain: str, raw: str) -> Reading:
    """Read a value that no venue and no gold state has.

    Args:
        reading: Its reading if it is in order.
        vocabulary: What values are compared with.
        domain: The domain.
        raw: The value as it is written.
    """
    slot = reading.slot
    known = _known_values(vocabulary, domain, slot)
    synonyms = word_tables()["same"]
    text = plain_characters(raw).casefold()
    whole, bare = fold(text), _without_dropped(text)
    meanings = [whole, synonyms.get(whole, whole), bare, synonyms.get(bare, bare)]
    near = next((known[meaning] for meaning in meanings if meaning in known), None)
    is_one_value = True
    if near is None:
        parts = map(fold, _SEPARATOR.split(text))
        near = next((known[part] for part in parts if part in known), None)
        # Any of several values may be meant.
        is_one_value = not _SEVERAL.search(raw)
    if near is None and slot in TIMES:
        clock = clock_of(raw)
        if clock in vocabulary.values.get((domain, slot), frozenset()):
            near = clock, True
            is_one_value = True
    if near is not None and near[0] != raw:
        value, is_certain = near
        meant = value if is_certain and is_one_value else None
        example = f"{raw!r} for {value!r}"
        return replace(reading, feature="value_spelling", example=example, meant=meant)
    # A tracker's own gold states may be few, so that a value they lack may be right.
    if vocabulary.as_written:
        return reading
    return replace(reading, feature="value_unknown", example=repr(raw))


@lru_cache(maxsize=1 << 8)
def _known_values(vocabulary: Vocabulary, domain: str, slot: str) -> Mapping[str, tuple[str, bool]]:
    """Return what tells values of a slot apart -> the value, and whether no other is meant.

    Of like values the most frequent one counts.
    """
    counts = vocabulary.counts.get((domain, slot), Counter())
    values = vocabulary.values.get((domain, slot), frozenset())
    by_frequency = sorted(values, key=lambda value: (counts[value], value))
    occurrences = Counter(map(_without_dropped, values))
    known: dict[str, tuple[str, bool]] = {}
    for value in by_frequency:
        bare = _without_dropped(value)
        known[bare] = value, occurrences[bare] == 1
    # A value of dropped words alone, such as "hotel", is known by these words.
    for value in by_frequency:
        known[fold(value)] = value, True
    known.pop("", None)
    return known
