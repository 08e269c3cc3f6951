"""How responses tell what users request besides numbers, addresses and ids: a table of patterns.

`requested.toml` says of each slot (area, price range, entrance fee, stars, …) how it is told: in
which words a value of the venue records may be spoken. Values are compared, not copied: "79
minutes" is "1 hour 19 minutes", "£10.10" is "10.10 pounds".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any

from mwz.normalization.registry import read_toml

_DAY = 24 * 60
_WORDS = {"an": 1, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_NUMBER = re.compile(r"\d+(?:\.\d+)?|\b(?:an|zero|one|two|three|four|five)\b")


def _numbers(text: str) -> list[float]:
    """Return the numbers of a text, in order."""
    bare = text.lower().replace(" .", ".").replace(". ", ".")
    return [float(_WORDS.get(one, one)) for one in _NUMBER.findall(bare)]


def _minutes(text: str) -> float:
    """Return how long a duration lasts: "1 hour and 19 minutes"."""
    numbers = _numbers(text)
    hours = "h" in text.lower()
    return numbers[0] * 60 + sum(numbers[1:]) if hours else numbers[0]


def _time(text: str) -> float:
    """Return a time of the day in minutes: "5:45 pm", "17:45", "1745"; 24:35 is 0:35."""
    digits = re.findall(r"\d+", text)
    if len(digits) == 1 and len(digits[0]) > 2:
        digits = [digits[0][:-2], digits[0][-2:]]
    hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
    if re.search(r"[ap]\.?m", text.lower()):
        hour = hour % 12 + 12 * ("p" in text.lower())
    return (hour * 60 + minute) % _DAY


_MEASURES: Mapping[str, Callable[[str], float]] = {
    "number": lambda text: _numbers(text)[0],
    "minutes": _minutes,
    "time": _time,
}


@dataclass(frozen=True)
class Request:
    """How a slot is told.

    Attributes:
        record: What venue records call it; None of what no record has.
        names: Whether a venue's name may tell it.
        own: What tells it, where no record has it.
        values: Value of the records -> what tells it.
        measure: What two values have in common that mean the same; None of words.
        patterns: What finds such a value.
        feature: The words whose clause says yes or no.
    """

    record: str | None
    names: bool = False
    own: re.Pattern[str] | None = None
    values: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    measure: Callable[[str], float] | None = None
    patterns: tuple[re.Pattern[str], ...] = ()
    feature: re.Pattern[str] | None = None

    def is_told(self, text: str, value: str | None = None) -> bool:
        """Return whether a text tells a value of the venue records; of none of them, any value."""
        told = _said(text)
        if value is None:
            return self.own is not None and bool(self.own.search(told))
        value = value.strip().lower()
        if self.feature is not None:
            return value in set(self._answers(told))
        if value in self.values or self.measure is None:
            return bool((self.values.get(value) or _whole(re.escape(value))).search(told))
        # Of opening hours, those of one day are enough.
        wanted = self._meant(value)[:2]
        if not wanted and value.isdecimal():
            wanted = [self.measure(value)]
        return set(wanted).issubset(self._meant(told)) if wanted else value in told.lower()

    @cached_property
    def _meant(self) -> Callable[[str], list[float]]:
        """Returns the measures of all values of a text, in order; remembered, to be read only."""
        measure = self.measure or float

        @lru_cache(maxsize=1 << 14)
        def meant(text: str) -> list[float]:
            return [measure(m["value"]) for p in self.patterns for m in p.finditer(text)]

        return meant

    def _answers(self, text: str) -> Iterator[str]:
        clause, no = _clauses()
        for part in clause.split(text):
            if self.feature is not None and self.feature.search(part):
                yield "no" if no.search(part) else "yes"


@lru_cache(maxsize=1 << 14)
def _said(text: str) -> str:
    """Return a text without what only asks."""
    return _asking().sub(" ", text.replace("’", "'"))


@lru_cache(maxsize=1)
def requests() -> Mapping[str, Request]:
    """Return how each slot is told, by its normalised name."""
    return {name: _request(name, slot) for name, slot in _tables()["slots"].items()}


def _request(name: str, slot: Mapping[str, Any]) -> Request:
    return Request(
        record=None if "own" in slot else slot.get("record", name),
        names=slot.get("names", False),
        own=_whole(slot["own"]) if "own" in slot else None,
        values={value: _whole(pattern) for value, pattern in slot.get("values", {}).items()},
        measure=_MEASURES.get(slot.get("measure", "")),
        patterns=tuple(map(_whole, slot.get("patterns", ()))),
        feature=_whole(slot["feature"]) if "feature" in slot else None,
    )


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Any]:
    return read_toml("requested.toml", __package__)


@cache
def _whole(pattern: str) -> re.Pattern[str]:
    """Compile a pattern that matches whole words."""
    for name, part in _tables()["parts"].items():
        pattern = pattern.replace(f"%{name}%", f"(?: {part} )")
    return re.compile(rf"(?<! \w ) (?: {pattern} ) (?! \w )", re.VERBOSE | re.IGNORECASE)


@lru_cache(maxsize=1)
def _asking() -> re.Pattern[str]:
    return _whole(rf"{_tables()['sentences']['asking']} [^?\n]* [?]?")


@lru_cache(maxsize=1)
def _clauses() -> tuple[re.Pattern[str], re.Pattern[str]]:
    sentences = _tables()["sentences"]
    return re.compile(sentences["clause"], re.VERBOSE | re.IGNORECASE), _whole(sentences["no"])
