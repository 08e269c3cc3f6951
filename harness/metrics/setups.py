"""The ways to compute Inform and Success, and the set-ups that have a name.

They differ between papers (table 3 of "Shades of BLEU, Flavours of Success", 2021). An entry of
`COMPARISONS`, `UPDATES` or `REFERENCES` is all that a further way takes, and a table of
`setups.toml` all that a further set-up does: options, reports, audits and documentation follow.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

from mwz.normalization import outside_tables, read_toml

from ..benchmark import CANONICAL_STYLE, REFERENCE, Dialogue

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
    offer: Callable[[_Offer, Set[str]], _Offer]
    match: Callable[[_Offer, Set[str]], float]
    random: bool = False


def _all_results(offered: _Offer, results: Set[str]) -> _Offer:
    return offered if offered and offered <= results else results


def _new_results(offered: _Offer, results: Set[str]) -> _Offer:
    return results if offered is None or not results <= offered else offered


def _first_result(offered: _Offer, results: Set[str]) -> _Offer:
    if offered and offered <= results:
        return offered
    return dict.fromkeys(list(results)[:1]).keys()


def _drawn_result(offered: _Offer, results: Set[str]) -> _Offer:
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
    "lasting": Comparison(
        "some venue offered fits the goal; results without a new venue leave the offer as it is",
        _new_results,
        lambda offered, goal: float(not offered.isdisjoint(goal)),
    ),
}
"""Ways to compare offered with goal venues."""


UPDATES: Mapping[str, Callable[[bool, bool, bool, bool], bool]] = {
    # Where a venue is named in an active domain.
    "name": lambda active, named, reference, last: active and named,
    # There, and where a reference number is given.
    "reference": lambda active, named, reference, last: active and (named or reference),
    # At the end, from the last state, named or not.
    "end": lambda active, named, reference, last: last,
    # In every turn; part of no combination.
    "always": lambda active, named, reference, last: True,
}
"""Whether the offered venues are looked up anew in a turn, by four facts: whether the domain is
active, whether the response speaks of one of its venues (a train's id), whether it has a reference
number, and whether it is the last turn played."""


@dataclass(frozen=True)
class ReferenceRule:
    """In which turns a reference number counts as provided.

    Attributes:
        description: In which, in a few words.
        booked: Whether it counts, of the gold dialogue, the domain asked about and the turn.
    """

    description: str
    booked: Callable[[Dialogue, str, int], bool]


def _booked(gold: Dialogue, domain: str, turn: int) -> bool:
    return domain in gold.booked_domains[turn]


REFERENCES: Mapping[str, ReferenceRule] = {
    "booked": ReferenceRule("once the annotation has the domain booked", _booked),
    "told": ReferenceRule(
        "also where the gold response of the turn tells a reference number",
        lambda gold, domain, turn: (
            REFERENCE in gold.references[CANONICAL_STYLE][turn] or _booked(gold, domain, turn)
        ),
    ),
    "always": ReferenceRule("booked or not", lambda gold, domain, turn: True),
}
"""When a reference number counts. It is only known once the annotation says so: how a booking ends
is not the system's to decide. Not every script cares."""


@dataclass(frozen=True)
class Setup:
    """A way to compute Inform and Success.

    Attributes:
        comparison: A key of `COMPARISONS`.
        updates: A key of `UPDATES`.
        reduced_search: Whether a state with a venue's name (train: id) queries by that alone.
        references: A key of `REFERENCES`.
        first_turn: Whether a dialogue's first turn counts.
        active_only: Whether a turn counts only for the domains that are active in it, and not for
            every domain of the goal.
    """

    comparison: str = "subset"
    updates: str = "name"
    reduced_search: bool = False
    references: str = "booked"
    first_turn: bool = True
    active_only: bool = True


STRICT = Setup()
OPTIMISTIC = Setup(comparison="intersection", reduced_search=True)

ALL_SETUPS = tuple(
    Setup(comparison, updates, reduced)
    for comparison, updates, reduced in product(COMPARISONS, UPDATES, (False, True))
    if comparison != "lasting" and updates != "always"
)
"""Every combination of the ways that table 3 tells apart."""


@dataclass(frozen=True)
class NamedSetup:
    """A set-up that options, reports and audits know by its name.

    Attributes:
        setup: How Inform and Success are computed.
        domains: The source of active domains; None for the submission's own.
        states: The source of belief states; None for the submission's own.
        description: What is particular about it, in a sentence.
        source: Where it is from.
    """

    setup: Setup
    domains: str | None
    states: str | None
    description: str
    source: str


def _of_table(content: Mapping[str, Any]) -> NamedSetup:
    """Return the set-up that a table of these fields declares."""
    setup = Setup(**content.get("setup", {}))
    sources = content.get("domains"), content.get("states")
    return NamedSetup(setup, *sources, content["description"], content["source"])


SETUPS: Mapping[str, NamedSetup] = {
    name: _of_table(content)
    for name, content in (
        *read_toml("setups.toml", __package__).items(),
        *outside_tables("setups").items(),
    )
}
"""Name -> set-up: the two of the re-evaluation, and those of other published scripts."""

MAIN_SETUP = "strict"
"""The default set-up, whose figures carry no prefix."""

RANKED = (MAIN_SETUP, "optimistic")
"""The set-ups that the leaderboard has, and that are computed where none is named."""

BOTH = "both"
"""The name of the two together."""


def chosen_setups(name: str) -> tuple[str, ...]:
    """Return the names of the set-ups that the option `setup` asks for."""
    return RANKED if name == BOTH else (name,)
