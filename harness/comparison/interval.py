"""A figure with its interval, as plain data: whoever only reads intervals needs no NumPy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

SEED = 12345
"""The seed, that of sacreBLEU."""

INTERVAL_SAMPLES = 1000
"""Bootstrap samples of an interval."""

INTERVAL_LEVEL = 95
"""The level of every interval, in percent."""

SIGNIFICANCE = 0.05
"""Below this p, systems are said to differ."""

TEST_SAMPLES: Mapping[str, int] = {"randomisation": 10_000, "bootstrap": 1000}
"""Paired test by resampling -> the samples it takes."""

DEFAULT_TEST = "randomisation"


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

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as JSON types."""
        return asdict(self)

    @property
    def half(self) -> float:
        """Half of its width: what follows a ±."""
        return (self.high - self.low) / 2
