"""A figure with its interval, or with its spread over seeds, as plain data.

An interval says how much a figure would vary with other dialogues, a spread how much it varies with
the training; the two are kept apart. Whoever only reads them needs no NumPy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import InputError
from ..io.tables import figure

INTERVAL_SAMPLES = 1000
"""Bootstrap samples of an interval."""

INTERVAL_LEVEL = 95
"""The level of every interval, in percent."""

SIGNIFICANCE = 0.05
"""Below this p, systems are said to differ."""

TEST_SAMPLES: Mapping[str, int] = {"randomisation": 10_000, "bootstrap": 1000}
"""Paired test by resampling -> the samples it takes."""

DEFAULT_TEST = "randomisation"


def p_text(p: float) -> str:
    """Return a p-value as all tables print it: `.84`, `.013`, `< .001`.

    Two digits that count; more where two would put it on `SIGNIFICANCE`, or on its other side.
    """
    if p < 0.001:
        return "< .001"
    if p > 0.995:
        return "1"
    if p >= 0.0995:
        return f"{p:.2f}"[1:]
    shown = (f"{p:.{digits}g}" for digits in range(2, 18))
    return next(one for one in shown if _side(float(one)) == _side(p))[1:]


def _side(p: float) -> tuple[bool, bool]:
    """Return whether a p-value is below `SIGNIFICANCE`, and whether it is above."""
    return p < SIGNIFICANCE, p > SIGNIFICANCE


def p_words(p: float) -> str:
    """Return a p-value in a sentence: `p = .84`, `p < .001`."""
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


@dataclass(frozen=True)
class Interval:
    """A figure of a system and its interval, in the figure's own unit.

    Attributes:
        value: The figure.
        low: The interval's lower end.
        high: Its upper end.
        interval: How it was computed, "wilson" or "bootstrap".
    """

    value: float
    low: float
    high: float
    interval: str

    @property
    def half(self) -> float:
        """Half of its width: what follows a ±."""
        return (self.high - self.low) / 2

    def moved(self, by: float) -> Interval:
        """Return an interval as wide around another figure."""
        return replace(self, value=self.value + by, low=self.low + by, high=self.high + by)

    def text(self, digits: int) -> str:
        """Return the figure with its interval: `88.9 [86.8, 90.7]`."""
        value, low, high = (figure(one, digits) for one in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


@dataclass(frozen=True)
class Spread:
    """A figure over several seeds, in the figure's own unit.

    Attributes:
        mean: Its mean.
        deviation: Its standard deviation, with n - 1 in the denominator.
        lowest: The lowest of its values.
        highest: The highest of them.
        seeds: n, the number of seeds.
    """

    mean: float
    deviation: float
    lowest: float
    highest: float
    seeds: int


def spread_of(scores: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Return figure -> its spread over seeds.

    Args:
        scores: Figure -> value, of each seed; figures that some seeds lack are left out.

    Raises:
        InputError: There are fewer than two seeds.
    """
    from statistics import fmean, stdev

    if len(scores) < 2:
        raise InputError("--seeds", "give the outputs of at least two seeds of one system")
    values = {
        name: [one[name] for one in scores]
        for name in scores[0]
        if all(name in one for one in scores)
    }
    return {
        name: Spread(fmean(each), stdev(each), min(each), max(each), len(each))
        for name, each in values.items()
    }
