"""What a value of a belief state was meant for, where it is not the benchmark's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mwz.normalization import clock_of, is_absent, is_dontcare, plain_characters, read_toml

from ..repairs import plain_value
from .vocabulary import Vocabulary, slot_name

TIMES = frozenset({"arrive", "leave", "time"})

_WORDS: Mapping[str, Any] = read_toml("words.toml", __package__)
_DROPPED = re.compile(rf"\b(?:{'|'.join(_WORDS['dropped'])})\b")
_CLOCK = re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d")
_CLOCK_LENGTH = len("HH:MM")
_SHORT = 3
"""Characters. The end of shorter words is no plural."""


def fold(text: str) -> str:
    """Return a text without what does not tell values apart: case, blanks, hyphens, plural."""
    plain = plain_characters(text).casefold().strip()
    plain = plain.replace("&", "and")
    bare = re.sub(r"[\W_]", "", re.sub(r"^(?:the|a) ", "", plain))
    if len(bare) > _SHORT:
        bare = bare.removesuffix("s")
    return bare or plain


_NOTHING = frozenset(map(fold, _WORDS["nothing"]))
_DONTCARE = frozenset(map(fold, _WORDS["dontcare"]))


@dataclass(frozen=True)
class Reading:
    """What is odd about a value.

    Attributes:
        feature: The feature that it is an odd item of; None where it is in order.
        example: How remarks show it.
        meant: What it was meant for; "" for no value, None where that is not known, or where it may
            be several things.
    """

    feature: str | None = None
    example: str | None = None
    meant: str | None = None


IN_ORDER = Reading()


class ValueReader:
    """Reads the values of one file.

    Args:
        vocabulary: What they are compared with.
        states_only: Whether the file is a tracker's, to which all absent values are alike.
    """

    def __init__(self, vocabulary: Vocabulary, states_only: bool = False) -> None:
        self._vocabulary = vocabulary
        self._states_only = states_only
        self._known: dict[tuple[str, str], _Known] = {}
        self.reading = lru_cache(maxsize=1 << 15)(self._reading)

    def _reading(self, domain: str, raw_slot: str, raw: str) -> Reading:
        """Return what is odd about a value.

        Args:
            domain: The domain.
            raw_slot: The slot's name as it is written.
            raw: The value as it is written.
        """
        vocabulary = self._vocabulary
        slot = slot_name(raw_slot, vocabulary.rules)
        plain = raw if vocabulary.as_written else plain_value(domain, slot, raw)
        if plain is None or self._says_nothing(plain):
            return IN_ORDER
        value = vocabulary.value_of(raw_slot, plain)
        if value in vocabulary.values.get((domain, slot), frozenset()):
            return IN_ORDER
        folded = fold(raw)
        if folded in _NOTHING or not raw.strip():
            return Reading("value_empty", repr(raw), "")
        if folded in _DONTCARE or _bare(raw) in _DONTCARE:
            return Reading("value_dontcare", repr(raw), "dontcare")
        # A tracker's own gold states may have times in any notation.
        if slot in TIMES and not vocabulary.as_written:
            return self._time(raw, plain, value)
        return self._other(domain, slot, raw)

    def _other(self, domain: str, slot: str, raw: str) -> Reading:
        """Return what is odd about a value that no venue and no gold state has."""
        near, is_certain = self._meant(domain, slot, raw)
        clock = clock_of(raw) if slot in TIMES else None
        if near is None and clock in self._vocabulary.values.get((domain, slot), frozenset()):
            near, is_certain = clock, True
        if near is not None and near != raw:
            meant = near if is_certain else None
            return Reading("value_spelling", f"{raw!r} for {near!r}", meant)
        # A tracker's own gold states may be few: another time is in order, for example.
        if self._vocabulary.as_written:
            return IN_ORDER
        return Reading("value_unknown", repr(raw))

    def _says_nothing(self, value: str) -> bool:
        """Return whether a value is absent, or is a known spelling of `dontcare`."""
        if self._states_only:
            return is_absent(value) or is_dontcare(value)
        return self._vocabulary.rules.asks_for_nothing(value)

    def _time(self, raw: str, plain: str, value: str) -> Reading:
        """Return what is odd about a time that no gold state has."""
        clock = clock_of(plain_characters(raw))
        # What is past midnight by the rules, gold states have as well.
        is_late = value.startswith("24:") and plain.startswith("24")
        is_read = _CLOCK.fullmatch(value) and clock in (None, value.zfill(_CLOCK_LENGTH))
        if is_read or is_late:
            return IN_ORDER
        read = "" if value == raw else f", read as {value!r}"
        if clock is None:
            return Reading("value_time", f"{raw!r}{read}")
        return Reading("value_spelling", f"{raw!r} for {clock!r}{read}", clock)

    def _meant(self, domain: str, slot: str, raw: str) -> tuple[str | None, bool]:
        """Return the benchmark's value that a value means, if any, and whether only that."""
        if (domain, slot) not in self._known:
            counts = self._vocabulary.counts.get((domain, slot), Counter())
            values = self._vocabulary.values.get((domain, slot), frozenset())
            # Of two spellings of a value the more frequent one counts.
            ordered = sorted(values, key=lambda value: (counts[value], value))
            self._known[domain, slot] = _Known.of(ordered)
        known = self._known[domain, slot]
        meanings, parts = _meanings(raw)
        for meaning in meanings:
            if meaning in known.values:
                return known.values[meaning], meaning in known.certain
        for part in parts:
            if part in known.values:
                # Of several values any may be meant.
                return known.values[part], part in known.certain and not _SEVERAL.search(raw)
        return None, False


@dataclass(frozen=True)
class _Known:
    """The values of a slot by what tells them apart.

    Attributes:
        values: Folded value -> value; also without words that tell nothing apart.
        certain: The folded values that stand for one value alone.
    """

    values: Mapping[str, str]
    certain: frozenset[str]

    @classmethod
    def of(cls, ordered: Sequence[str]) -> _Known:
        by_bare = {_bare(value): value for value in ordered}
        by_fold = {fold(value): value for value in ordered}
        number = Counter(map(_bare, ordered))
        alone = {bare for bare, count in number.items() if count == 1}
        values = {**by_bare, **by_fold}
        # Values of words that tell nothing apart, such as "hotel", are told apart by these.
        values.pop("", None)
        return cls(values, frozenset({*alone, *by_fold} - {""}))


_SEVERAL = re.compile(r"[/|]|\bor\b|\band\b", re.IGNORECASE)
"""What stands between several values."""


def _bare(text: str) -> str:
    """Return a text folded, without the words that tell nothing apart."""
    spaced = re.sub(r"[-_:]", " ", plain_characters(text).casefold())
    return fold(_DROPPED.sub(" ", spaced))


def _meanings(raw: str) -> tuple[Sequence[str], Sequence[str]]:
    """Return what a value may mean, folded: itself, a synonym; and what its parts may."""
    text = plain_characters(raw).casefold()
    same: Mapping[str, str] = _WORDS["same"]
    whole, bare = fold(text), _bare(text)
    # A venue's name has its place beside it, or several values are joined.
    parts = re.split(r"[,(/|]| or | and ", text)
    return (whole, same.get(whole, whole), bare, same.get(bare, bare)), [*map(fold, parts)]
