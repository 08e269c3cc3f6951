"""How a dialogue's mistakes lie in it: tail orientation, non-uniformity, and what they go with.

Aksu & Chen, "Granular Change Accuracy" (2024), section 5.2. A mistake is a change of the state that
was missed, wrong or overshot (see `gca.py`). A good metric should correlate with neither measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import StatisticsError, fmean
from statistics import correlation as pearson


def tail_orientation(mistakes: Sequence[int]) -> float | None:
    """Return TO, equations 7 and 8: how far after its middle a dialogue's mistakes lie.

    It is (E_t - (n - 1) / 2) / n, with E_t the mean turn (from 0) of a mistake and n the number of
    turns: between -1/2 (all at the start) and 1/2 (all at the end).

    Args:
        mistakes: The number of mistakes in each turn.

    Returns:
        TO, or None if there are no mistakes.
    """
    total, turns = sum(mistakes), len(mistakes)
    if not total:
        return None
    mean_turn = sum(turn * count for turn, count in enumerate(mistakes)) / total
    return (mean_turn - (turns - 1) / 2) / turns


def non_uniformity(mistakes: Sequence[int]) -> float | None:
    """Return NU, equations 9 and 10: how unevenly mistakes are spread over a dialogue's turns.

    It is the sum over turns of |m_t - E_m| / E_m, with m_t the mistakes of a turn and E_m their
    mean: 0 if spread evenly, 2 (n - 1) if all are in one of n turns.

    Args:
        mistakes: The number of mistakes in each turn.

    Returns:
        NU, or None if there are no mistakes.
    """
    if not any(mistakes):
        return None
    expected = fmean(mistakes)
    return sum(abs(count - expected) for count in mistakes) / expected


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Return Pearson's correlation; None for fewer than two points or if one side is constant."""
    try:
        return pearson(first, second)
    except StatisticsError:
        return None
