"""A figure with its interval, as plain data: whoever only reads intervals needs no NumPy."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


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
