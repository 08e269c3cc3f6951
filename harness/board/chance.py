"""How much it says that some combination of set-ups comes near a reported figure.

Of hundreds of combinations some come near by chance. Two numbers tell how easily: the share of the
combinations that come as near as the nearest, and the share of all figures between the least and
the greatest of the combinations that would have had one as near.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from .attainable import digits_of
from .claims import RATES, Claim
from .grid import Grid

_STEPS = 101
"""Figures tried between the least and the greatest, per metric."""


@dataclass(frozen=True)
class Nearness:
    """How near the combinations come to what is reported.

    Attributes:
        figures: The metrics.
        tried: How many combinations there are.
        off_by: How far the nearest is off, in points; of two metrics, in all.
        as_near: How many are no further off than the nearest by half a printed digit per metric.
        share: The same in percent of those tried.
        by_chance: Of all figures between the least and the greatest of the combinations, evenly
            spaced, the percentage to which some combination comes as near as the nearest does.
    """

    figures: tuple[str, ...]
    tried: int
    off_by: float
    as_near: int
    share: float
    by_chance: float


def nearness(grid: Grid, claim: Claim) -> list[Nearness]:
    """Return how near a grid comes to a reported BLEU, and to the reported rates together."""
    found = []
    figures = claim.figures
    if "bleu" in figures and grid.bleu:
        found.append(_nearness(("bleu",), [[p.bleu] for p in grid.bleu], figures))
    names = tuple(name for name in RATES if name in figures)
    if names and grid.rates:
        points = [[float(getattr(point, name)) for name in names] for point in grid.rates]
        found.append(_nearness(names, points, figures))
    return found


def _nearness(
    names: tuple[str, ...], points: Sequence[Sequence[float]], figures: Mapping[str, Decimal]
) -> Nearness:
    import numpy as np

    tried = np.array(points)
    distances = np.abs(tried - np.array([float(figures[name]) for name in names])).sum(axis=1)
    off_by = float(distances.min())
    digit = sum(0.5 * 10.0 ** -digits_of(figures[name]) for name in names)
    as_near = int((distances <= off_by + digit + 1e-9).sum())
    ends = (tried.min(axis=0), tried.max(axis=0))
    axes = [np.linspace(low, high, _STEPS) for low, high in zip(*ends, strict=True)]
    places = np.stack([axis.ravel() for axis in np.meshgrid(*axes)], axis=1)
    reached = np.zeros(len(places), dtype=bool)
    for point in tried:
        reached |= np.abs(places - point).sum(axis=1) <= off_by + 1e-9
    return Nearness(
        figures=names,
        tried=len(tried),
        off_by=off_by,
        as_near=as_near,
        share=100 * as_near / len(tried),
        by_chance=100 * float(reached.mean()),
    )
