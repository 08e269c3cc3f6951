"""Several seeds of one system: how much its scores vary with the training.

That is another question than how much they would vary with other dialogues, which intervals answer;
the two are kept apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

from ..errors import InputError


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

    def to_dict(self) -> dict[str, Any]:
        """Return the spread as JSON types."""
        return asdict(self)


def spread_of(scores: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Return figure -> its spread over seeds.

    Args:
        scores: Figure -> value, of each seed; figures that some seeds lack are left out.

    Raises:
        InputError: There are fewer than two seeds.
    """
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
