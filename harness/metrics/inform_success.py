"""Inform and Success: did the system offer fitting venues, and say what it was asked?

Conventions: rates are in percent, over the dialogues with the domain in their goal ("total": over
all). A domain's Success counts only where every domain of the dialogue is matched.

Walking a dialogue's turns, a turn that mentions a venue in an active domain offers the venues that
the belief state of that domain finds in the database, unless all venues offered so far are still
among them. A domain is matched if what is offered last fits its goal. The ways to decide this
differ between papers (table 3 of the source) and make up a `Setup`.

Source: Budzianowski et al. (2018); "Shades of BLEU, Flavours of Success" (2021), sections 3.2,
4.4 and 5.1, and its published evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mwz.database import VenueDatabase
from mwz.normalization.states import BeliefState

from ..benchmark import REQUESTABLE_SLOTS, Dialogue

TOTAL = "total"

# What a response must contain to mention a venue of the domain.
_MENTIONS = {"restaurant": "NAME", "hotel": "NAME", "attraction": "NAME", "train": "TRAINID"}
# The slot that identifies a venue: in a reduced search it is the only constraint.
_IDENTIFYING_SLOTS = {
    "restaurant": "name",
    "hotel": "name",
    "attraction": "name",
    "train": "trainid",
}
_ALWAYS_MATCHED = frozenset({"taxi", "police", "hospital"})
_REFERENCE = "REFERENCE"
_PROVIDED_BY_MENTION = frozenset(REQUESTABLE_SLOTS) - {_REFERENCE}

_Offer: TypeAlias = Any
"""The venues offered last, in the form that the comparison at hand keeps them in."""


@dataclass(frozen=True)
class Comparison:
    """How the venues offered last are kept and held against those of the goal.

    Attributes:
        offer: Next offer of the last one (None: nothing yet) and new query results.
        match: The probability (0 to 1) that an offer of at least one venue fits the goal's.
    """

    offer: Callable[[_Offer, KeysView[str]], _Offer]
    match: Callable[[_Offer, KeysView[str]], float]


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
    "subset": Comparison(_all_results, lambda offered, goal: float(offered <= goal)),
    "intersection": Comparison(
        _all_results, lambda offered, goal: float(not offered.isdisjoint(goal))
    ),
    "first": Comparison(_first_result, lambda offered, goal: float(offered <= goal)),
    "sampling": Comparison(
        _drawn_result,
        lambda offered, goal: min(1.0, math.fsum(p for v, p in offered.items() if v in goal)),
    ),
}
"""Ways to compare offered with goal venues: all offered fit, any fits, the first result fits, or
(in expectation) one drawn at random fits."""

UPDATES: Mapping[str, Callable[[str, str], bool]] = {
    "name": lambda domain, response: _MENTIONS[domain] in response,
    "reference": lambda domain, response: _MENTIONS[domain] in response or _REFERENCE in response,
}
"""When the offered venues are updated: where the response has a venue's name or train's id, or a
reference number as well."""

AT_THE_END = "end"
"""The third way: the offered venues are those of the last turn's state, mentioned or not."""


@dataclass(frozen=True)
class Setup:
    """A way to compute Inform and Success.

    Attributes:
        comparison: A key of `COMPARISONS`.
        updates: A key of `UPDATES`, or `AT_THE_END`.
        reduced_search: Whether a state with a venue's name (train: id) queries by that alone.
    """

    comparison: str = "subset"
    updates: str = "name"
    reduced_search: bool = False


STRICT = Setup()
OPTIMISTIC = Setup(comparison="intersection", reduced_search=True)


@dataclass(frozen=True)
class PlayedDialogue:
    """A dialogue as a system played it. Per-turn fields have one entry per system turn played.

    Attributes:
        gold: The benchmark's dialogue.
        responses: Normalised responses.
        states: The belief states that query the database, normalised.
        active_domains: Active domains.
    """

    gold: Dialogue
    responses: Sequence[str]
    states: Sequence[BeliefState]
    active_domains: Sequence[Collection[str]]


@dataclass(frozen=True)
class Outcome:
    """How a dialogue went. Probabilities are 0 or 1 unless venues are drawn at random.

    Attributes:
        matched: Goal domain -> probability that it is matched.
        provided: Goal domain -> whether every requested slot was provided.
    """

    matched: Mapping[str, float]
    provided: Mapping[str, bool]

    @property
    def inform(self) -> float:
        """The probability that every goal domain is matched."""
        return math.prod(self.matched.values())

    @property
    def success(self) -> float:
        """The probability that the dialogue matches and provides every requested slot."""
        return self.inform if all(self.provided.values()) else 0.0


@dataclass(frozen=True)
class Rates:
    """Inform and Success over dialogues, each "total" or domain -> percent.

    Attributes:
        inform: Inform rates.
        success: Success rates.
        inform_deviation: Standard deviation of the total Inform, in points; 0 without sampling.
        success_deviation: The same of the total Success.
    """

    inform: Mapping[str, float]
    success: Mapping[str, float]
    inform_deviation: float
    success_deviation: float


def inform_success(
    dialogues: Iterable[PlayedDialogue], database: VenueDatabase, setup: Setup
) -> Rates:
    """Compute Inform and Success of played dialogues.

    Of no dialogue at all the rates are 0.
    """
    outcomes = [dialogue_outcome(dialogue, database, setup) for dialogue in dialogues]
    inform: dict[str, list[float]] = {TOTAL: [outcome.inform for outcome in outcomes]}
    success: dict[str, list[float]] = {TOTAL: [outcome.success for outcome in outcomes]}
    for outcome in outcomes:
        for domain, matched in outcome.matched.items():
            inform.setdefault(domain, []).append(matched)
            success.setdefault(domain, []).append(outcome.provided[domain] * outcome.inform)
    return Rates(
        inform={domain: _percent(chances) for domain, chances in inform.items()},
        success={domain: _percent(chances) for domain, chances in success.items()},
        inform_deviation=_deviation(inform[TOTAL]),
        success_deviation=_deviation(success[TOTAL]),
    )


def _percent(chances: Sequence[float]) -> float:
    return 100 * math.fsum(chances) / len(chances) if chances else 0.0


def _deviation(chances: Sequence[float]) -> float:
    """Return the standard deviation, in points, of the share of independent chances that come."""
    variance = math.fsum(chance * (1 - chance) for chance in chances)
    return 100 * math.sqrt(max(variance, 0.0)) / len(chances) if chances else 0.0


def dialogue_outcome(dialogue: PlayedDialogue, database: VenueDatabase, setup: Setup) -> Outcome:
    """Follow one dialogue and hold what was offered and provided against its goal."""
    matched = {}
    provided = {}
    for domain, goal in dialogue.gold.goal.items():
        matched[domain] = _match(dialogue, domain, database, setup)
        provided[domain] = goal.requestable <= _provided_slots(dialogue, domain)
    return Outcome(matched, provided)


def _match(dialogue: PlayedDialogue, domain: str, database: VenueDatabase, setup: Setup) -> float:
    goal = dialogue.gold.goal[domain]
    if domain in _ALWAYS_MATCHED or "name" in goal.informable:
        return 1.0
    comparison = COMPARISONS[setup.comparison]
    offered = None
    for state in _querying_states(dialogue, domain, setup):
        offered = comparison.offer(offered, _results(state, domain, database, setup))
    if offered:
        return comparison.match(offered, database.query(domain, goal.informable))
    return float(domain == "train" and "TRAINID" not in goal.requestable)


def _querying_states(dialogue: PlayedDialogue, domain: str, setup: Setup) -> Iterable[BeliefState]:
    """Return the states of the turns at which the offered venues of a domain are updated."""
    if setup.updates == AT_THE_END:
        return dialogue.states[-1:]
    updates = UPDATES[setup.updates]
    return (
        state
        for response, state, active in zip(
            dialogue.responses, dialogue.states, dialogue.active_domains, strict=True
        )
        if domain in active and updates(domain, response)
    )


def _results(
    state: BeliefState, domain: str, database: VenueDatabase, setup: Setup
) -> KeysView[str]:
    constraints = state.get(domain)
    if constraints is None:
        return _NOTHING
    slot = _IDENTIFYING_SLOTS[domain]
    if setup.reduced_search and constraints.get(slot, "dontcare") != "dontcare":
        constraints = {slot: constraints[slot]}
    return database.query(domain, constraints)


def _provided_slots(dialogue: PlayedDialogue, domain: str) -> set[str]:
    """Return the requestable slots that the turns about a domain provide."""
    provided: set[str] = set()
    for response, active, booked in zip(
        dialogue.responses, dialogue.active_domains, dialogue.gold.booked_domains, strict=False
    ):
        if domain in active:
            provided.update(slot for slot in _PROVIDED_BY_MENTION if slot in response)
            # A reference number is only known once the annotation says so: how a booking
            # ends is not the system's to decide.
            if domain in booked and _REFERENCE in response:
                provided.add(_REFERENCE)
    return provided


_NOTHING: KeysView[str] = dict[str, None]().keys()
