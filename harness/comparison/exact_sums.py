"""Sums that come out the same in whatever order they are added up.

A turn's score, such as a share of slots, is no whole number, and the sum of many depends in its
last digits on the order of adding. Here each score is kept as two whole numbers, in units of 2^-26
and 2^-60. Sums of whole numbers below 2^53 are exact in floating point, by matrix products too. So
the sum of all turns' scores is the one that `math.fsum` gives, to the last digit. That holds of
scores that are multiples of 2^-60, as all numbers from 1/128 on are; of smaller ones 2^-61 at most
is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]

_HIGH = 2.0**26
_LOW = 2.0**34


def split(scores: Sequence[float] | Floats) -> Floats:
    """Return scores as two columns of whole numbers, to be added up as they are.

    Args:
        scores: Numbers from 0 to 1.
    """
    scaled = np.asarray(scores, np.float64) * _HIGH
    high = np.floor(scaled)
    return np.stack([high, np.round((scaled - high) * _LOW)], axis=-1)


def joined(sums: Floats) -> Floats:
    """Return what sums of two such columns stand for.

    Args:
        sums: Of any shape; the last axis holds the two sums.
    """
    return sums[..., 0] / _HIGH + sums[..., 1] / (_HIGH * _LOW)
