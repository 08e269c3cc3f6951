"""Numbers of n-grams, so that equal ones are found and counted by arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt


def numbered_ngrams(
    tokens: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], orders: int
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Yield, per order from 1, where n-grams begin, and their numbers: equal n-grams have one.

    Numbers are the places among the distinct n-grams of an order, in that of their tokens.

    Args:
        tokens: The numbers of the tokens of all texts, one text after another: from 0, and every
            one up to the greatest.
        lengths: How many tokens each text has: no n-gram goes beyond its own.
        orders: Up to which order.
    """
    size = 1 + tokens.max(initial=0)
    ends = np.repeat(np.cumsum(lengths), lengths)
    starts, numbers = np.arange(len(tokens)), tokens
    for order in range(1, orders + 1):
        yield starts, numbers
        # Those that have a token after them are one longer.
        longer = starts + order < ends[starts]
        starts = starts[longer]
        numbers = _places(numbers[longer] * size + tokens[starts + order])


_ROOMY = 32
"""Times as many keys as there are: so many places a table may have."""


def _places(keys: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the place of each key among the distinct ones, in their order."""
    most = 1 + int(keys.max(initial=-1))
    if most > _ROOMY * len(keys):
        return np.unique(keys, return_inverse=True)[1]
    # Few enough to be looked up in a table of all that there could be.
    found = distinct(keys, most)
    places = np.empty(most, np.int64)
    places[found] = np.arange(len(found))
    return places[keys]


def distinct(numbers: npt.NDArray[Any], most: int) -> npt.NDArray[np.int64]:
    """Return numbers below `most` in order, each once.

    `np.unique` imports masked arrays, which takes its time.
    """
    there = np.zeros(most, np.bool_)
    there[numbers] = True
    return np.flatnonzero(there)
