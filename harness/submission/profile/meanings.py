"""What a value of a belief state was meant for, where it is not the benchmark's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from mwz.normalization import clock_of, is_absent, is_dontcare, plain_characters

from ..repairs import plain_value
from .vocabulary import Vocabulary, slot_name, word_tables

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
