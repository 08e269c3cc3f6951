"""The ways to compute Inform and Success: how venues are compared, and when an offer is made anew.

They differ between papers (table 3 of "Shades of BLEU, Flavours of Success", 2021). An entry of
`COMPARISONS` or `UPDATES` is all that a further way takes: set-ups, audits and what entries state
of themselves follow from these tables.
"""

from __future__ import annotations

import math
from collections.abc import Callable, KeysView, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

_Offer: TypeAlias = Any
"""The venues offered last, in the form that the comparison at hand keeps them in."""


@dataclass(frozen=True)
class Comparison:
    """How the venues offered last are kept and held against those of the goal.

    Attributes:
        description: What it does, in a few words.
        offer: Next offer of the last one (None: nothing yet) and new query results.
        match: The probability (0 to 1) that an offer of at least one venue fits the goal's.
        random: Whether it draws at random, so that its rates are expectations.
    """

    description: str
    offer: Callable[[_Offer, KeysView[str]], _Offer]
    match: Callable[[_Offer, KeysView[str]], float]
    random: bool = False


def _all_results(offered: _Offer, results: KeysView[str]) -> _Offer:
    return offered if offered and offered <= results else results


def _first_result(offered: _Offer, results: KeysView[str]) -> _Offer:
    if offered and offered <= results:
        return offered
    return dict.fromkeys(list(results)[:1]).keys()


def _drawn_result(offered: _Offer, results: KeysView[str]) -> _Offer:
    """Return venue -> probability of being the one drawn, redrawn where it is no result."""
    kept = {venue: p for venue, p in (offered or {}).items() if venue in results}
    redrawn = 1 - math.fsum(kept.values())
    return {venue: kept.get(venue, 0.0) + redrawn / len(results) for venue in results}


COMPARISONS: Mapping[str, Comparison] = {
    "subset": Comparison(
        "every venue offered fits the goal",
        _all_results,
        lambda offered, goal: float(offered <= goal),
    ),
    "intersection": Comparison(
        "some venue offered fits the goal",
        _all_results,
        lambda offered, goal: float(not offered.isdisjoint(goal)),
    ),
    "first": Comparison(
        "the first venue found fits the goal",
        _first_result,
        lambda offered, goal: float(offered <= goal),
    ),
    "sampling": Comparison(
        "a venue drawn from those found fits the goal",
        _drawn_result,
        lambda offered, goal: min(1.0, math.fsum(p for v, p in offered.items() if v in goal)),
        random=True,
    ),
}
"""Ways to compare offered with goal venues."""


@dataclass(frozen=True)
class Update:
    """When the offered venues are looked up anew.

    Attributes:
        description: When, in a few words.
        due: Whether it is in a turn, by four facts: whether the domain is active, whether the
            response speaks of one of its venues (a train's id), whether it has a reference
            number, and whether it is the last turn played.
    """

    description: str
    due: Callable[[bool, bool, bool, bool], bool]


UPDATES: Mapping[str, Update] = {
    "name": Update(
        "where a venue is named in an active domain",
        lambda active, named, reference, last: active and named,
    ),
    "reference": Update(
        "there, and where a reference number is told",
        lambda active, named, reference, last: active and (named or reference),
    ),
    "end": Update(
        "at the end, from the last state, named or not",
        lambda active, named, reference, last: last,
    ),
}
"""When the offered venues are looked up anew."""


@dataclass(frozen=True)
class Setup:
    """A way to compute Inform and Success.

    Attributes:
        comparison: A key of `COMPARISONS`.
        updates: A key of `UPDATES`.
        reduced_search: Whether a state with a venue's name (train: id) queries by that alone.
    """

    comparison: str = "subset"
    updates: str = "name"
    reduced_search: bool = False


STRICT = Setup()
OPTIMISTIC = Setup(comparison="intersection", reduced_search=True)

ALL_SETUPS = tuple(
    Setup(comparison, updates, reduced)
    for comparison, updates, reduced in product(COMPARISONS, UPDATES, (False, True))
)
"""Every combination."""
