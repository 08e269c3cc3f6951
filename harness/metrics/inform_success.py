"""Inform and Success: did the system offer fitting venues, and say what it was asked?

Conventions: rates are in percent, over the dialogues with the domain in their goal ("total": over
all). A domain's Success counts only where every domain of the dialogue is matched.

The rule, for each domain of a dialogue's goal, is in `domain_turns`, `offers` and `matched`: a turn
that names a venue in an active domain offers the venues that the belief state of that domain finds
in the database, unless all venues offered so far are still among them. A domain is matched if what
is offered last fits its goal, and provided if all that was requested was said in its turns. The
ways to decide this that differ between papers make up a `Setup` (`setups.py`).

Source: Budzianowski et al. (2018); "Shades of BLEU, Flavours of Success" (2021), sections 3.2,
4.4 and 5.1, and its published evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.database.bits import bits_at, places_in
from mwz.normalization.rules import RuleSet

from ..benchmark import REFERENCE, REQUESTABLE_SLOTS, Goal
from .played import PlayedDialogue
from .played_turns import PlayedTurns, Turns, turns_of
from .setups import COMPARISONS, REFERENCES, UPDATES, Setup
from .statistics import percent

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

TOTAL = "total"

_NOTHING: Set[str] = frozenset()


class DomainTurns(NamedTuple):
    """What a set-up sees of a domain, in the dialogues that have it in their goal.

    Attributes:
        counted: The turns that the set-up counts.
        active: Those of them in which the domain is active.
        named: The turns whose response speaks of one of its venues (a train's id).
        due: The turns in which the venues offered are looked up.
        provided: Requestable slot -> the turns in which it counts as provided.
    """

    counted: Turns
    active: Turns
    named: Turns
    due: Turns
    provided: Mapping[str, Turns]


def domain_turns(played: PlayedTurns, domain: str, setup: Setup, rules: RuleSet) -> DomainTurns:
    """Look at a goal domain as a set-up does, at all turns at once."""
    said = played.said
    of_goals, slots = said.of_goals[domain], said.slots
    counted = of_goals if setup.first_turn else of_goals & ~said.first
    active = counted & played.active.get(domain, 0) if setup.active_only else counted
    provided = {slot: slots[slot] & active for slot in REQUESTABLE_SLOTS}
    booked = REFERENCES[setup.references].booked
    provided[REFERENCE] = bits_at(
        [
            place
            for place in places_in(provided[REFERENCE])
            for number in [said.dialogue_of[place]]
            if booked(said.dialogues[number].gold, domain, place - said.starts[number])
        ]
    )
    named = due = 0
    venue = rules.venue_rules.get(domain)
    if venue is not None:
        named = of_goals & slots[venue.mention]
        due = UPDATES[setup.updates].due(active, named, slots[REFERENCE], said.last) & counted
    return DomainTurns(counted, active, named, due, provided)


class Offer(NamedTuple):
    """What a turn offers for a goal domain.

    Attributes:
        dialogue: The number of the dialogue.
        turn: The turn's number in its dialogue, from 0.
        query: The constraints that the database was asked with; None if the state lacks the domain.
        found: The venues found.
        venues: What is offered after the turn, in the form that the comparison keeps it in.
    """

    dialogue: int
    turn: int
    query: Mapping[str, str] | None
    found: Set[str]
    venues: Any


def offers(
    played: PlayedTurns,
    domain: str,
    due: Turns,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> Iterator[Offer]:
    """Yield what is offered for a goal domain with venues, in the turns that are due, in order."""
    offer = COMPARISONS[setup.comparison].offer
    named_by = rules.venue_rules[domain].named_by if due else ""
    dialogue_of, starts, states = played.said.dialogue_of, played.said.starts, played.states
    last, venues = -1, None
    for place in places_in(due):
        dialogue = dialogue_of[place]
        if dialogue != last:
            last, venues = dialogue, None
        query = states[place].get(domain)
        if query is not None and setup.reduced_search:
            query = reduced(query, named_by)
        # A state that lacks the domain finds nothing.
        found = _NOTHING if query is None else database.query(domain, query)
        venues = offer(venues, found)
        # This is quicker than to call the class.
        yield tuple.__new__(Offer, (dialogue, place - starts[dialogue], query, found, venues))


class Step(NamedTuple):
    """What a system turn does for one goal domain.

    Attributes:
        turn: The turn's number in its dialogue, from 0.
        active: Whether the domain is active.
        named: Whether the response speaks of one of its venues (a train's id).
        query: The constraints that the database was asked with; None if no offer was due, or the
            state lacks the domain.
        found: The venues found; None if no offer was due.
        offered: What is offered after the turn; None if nothing has been yet.
        replaced: Whether the turn set what is offered, and did not keep what was.
        said: The requestable slots that the response holds.
        provided: Those of them that count as provided.
    """

    turn: int
    active: bool
    named: bool
    query: Mapping[str, str] | None
    found: Set[str] | None
    offered: Any
    replaced: bool
    said: tuple[str, ...]
    provided: tuple[str, ...]


def walk(
    dialogue: PlayedDialogue, domain: str, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> Iterator[Step]:
    """Follow one goal domain through a dialogue, turn by turn, to tell how it came out.

    A turn that the set-up does not count is left out.
    """
    played = turns_of([dialogue])
    seen = domain_turns(played, domain, setup, rules)
    looked_up = {one.turn: one for one in offers(played, domain, seen.due, database, setup, rules)}
    offered: Any = None
    for turn in range(len(dialogue.responses)):
        bit = 1 << turn
        if not seen.counted & bit:
            continue
        before, offer = offered, looked_up.get(turn)
        offered = offer.venues if offer else before
        yield Step(
            turn=turn,
            active=bool(seen.active & bit),
            named=bool(seen.named & bit),
            query=offer and offer.query,
            found=offer and offer.found,
            offered=offered,
            replaced=offer is not None and not (before and offered is before),
            said=tuple(slot for slot in REQUESTABLE_SLOTS if played.said.slots[slot] & bit),
            provided=tuple(slot for slot, turns in seen.provided.items() if turns & bit),
        )


def reduced(query: Mapping[str, str], slot: str) -> Mapping[str, str]:
    """Return a query by a venue's name alone, where the state has one."""
    return {slot: query[slot]} if query.get(slot, "dontcare") != "dontcare" else query


class DomainOutcome(NamedTuple):
    """How a domain of the goal came out.

    Attributes:
        matched: The probability that it is matched: 0 or 1 unless venues are drawn at random.
        provided: Whether every requested slot was provided.
    """

    matched: float
    provided: bool


def matched(
    goals: Mapping[int, Goal],
    domain: str,
    offered: Mapping[int, Any],
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> dict[int, float]:
    """Return dialogue -> the probability that what is offered last fits the goal.

    Args:
        goals: Dialogue -> the domain's goal.
        domain: The domain.
        offered: Dialogue -> the venues offered last, as in `Offer`, if any were.
        database: Finds the goals' venues.
        setup: How Inform and Success are computed.
        rules: The rule set.
    """
    venue, match = rules.venue_rules.get(domain), COMPARISONS[setup.comparison].match
    mention = None if venue is None else venue.mention
    chances: dict[int, float] = {}
    for number, goal in goals.items():
        if mention is None or "name" in goal.informable:
            chances[number] = 1.0
        elif venues := offered.get(number):
            chances[number] = match(venues, database.query(domain, goal.informable))
        else:
            # A train need not be named if nobody asked for its id.
            needless = mention in REQUESTABLE_SLOTS and mention not in goal.requestable
            chances[number] = float(needless)
    return chances


@dataclass(frozen=True)
class Outcomes:
    """How dialogues went. Probabilities are 0 or 1 unless venues are drawn at random.

    Attributes:
        goals: The domains of each dialogue's goal.
        matched: Goal domain -> dialogue -> the probability that it is matched there.
        lacking: Goal domain -> the dialogues in which some requested slot is not provided.
    """

    goals: Sequence[Collection[str]]
    matched: Mapping[str, Mapping[int, float]]
    lacking: Mapping[str, Set[int]]

    @cached_property
    def inform(self) -> Sequence[float]:
        """The probability that a dialogue matches every goal domain, per dialogue."""
        matched = self.matched
        return [
            math.prod([matched[domain][number] for domain in goal])
            for number, goal in enumerate(self.goals)
        ]

    @cached_property
    def success(self) -> Sequence[float]:
        """The probability that it matches and provides every requested slot, per dialogue."""
        lacking = set[int]().union(*self.lacking.values())
        return [0.0 if n in lacking else inform for n, inform in enumerate(self.inform)]

    def of(self, number: int) -> dict[str, DomainOutcome]:
        """Return goal domain -> how it came out in a dialogue."""
        return {
            domain: DomainOutcome(
                self.matched[domain][number], number not in self.lacking.get(domain, ())
            )
            for domain in self.goals[number]
        }


def outcomes_of(dialogues: Sequence[Mapping[str, DomainOutcome]]) -> Outcomes:
    """Return the outcomes of dialogues, given goal domain -> how it came out of each."""
    matched: dict[str, dict[int, float]] = {}
    lacking: dict[str, set[int]] = {}
    for number, domains in enumerate(dialogues):
        for domain, outcome in domains.items():
            matched.setdefault(domain, {})[number] = outcome.matched
            if not outcome.provided:
                lacking.setdefault(domain, set()).add(number)
    return Outcomes(dialogues, matched, lacking)


def goal_turns(played: PlayedTurns, setup: Setup, rules: RuleSet) -> dict[str, DomainTurns]:
    """Return goal domain -> what a set-up sees of it."""
    return {domain: domain_turns(played, domain, setup, rules) for domain in played.said.goals}


def dialogue_outcomes(
    played: PlayedTurns,
    seen: Mapping[str, DomainTurns],
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> Outcomes:
    """Return how the dialogues went, of what `goal_turns` returned."""
    chances, lacking = {}, {}
    said = played.said
    for domain, own in seen.items():
        due = offers(played, domain, own.due, database, setup, rules)
        last = {offer.dialogue: offer.venues for offer in due}
        chances[domain] = matched(said.goals[domain], domain, last, database, setup, rules)
        lacking[domain] = set[int]().union(
            *(
                asking - said.dialogues_with(own.provided.get(slot, 0))
                for slot, asking in said.requested[domain].items()
            )
        )
    return Outcomes([one.gold.goal for one in played.dialogues], chances, lacking)


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
    dialogues: Iterable[PlayedDialogue], database: VenueDatabase, setup: Setup, rules: RuleSet
) -> Rates:
    """Compute Inform and Success of played dialogues.

    Of no dialogue at all the rates are 0.
    """
    played = turns_of([*dialogues])
    seen = goal_turns(played, setup, rules)
    return rates(dialogue_outcomes(played, seen, database, setup, rules))


def rates(outcomes: Outcomes) -> Rates:
    """Return the rates that the outcomes of dialogues add up to."""
    inform = {TOTAL: outcomes.inform}
    success = {TOTAL: outcomes.success}
    for domain, chances in outcomes.matched.items():
        lacking = outcomes.lacking.get(domain, ())
        inform[domain] = [*chances.values()]
        success[domain] = [0.0 if n in lacking else outcomes.inform[n] for n in chances]
    return rates_of(inform, success)


def rates_of(
    inform: Mapping[str, Sequence[float]], success: Mapping[str, Sequence[float]]
) -> Rates:
    """Return the rates of dialogues, of total or domain -> the probability of each that it wins."""
    return Rates(
        inform={domain: _percent(chances) for domain, chances in inform.items()},
        success={domain: _percent(chances) for domain, chances in success.items()},
        inform_deviation=_deviation(inform[TOTAL]),
        success_deviation=_deviation(success[TOTAL]),
    )


def _percent(chances: Sequence[float]) -> float:
    return float(percent(math.fsum(chances), len(chances)))


def _deviation(chances: Sequence[float]) -> float:
    """Return the standard deviation, in points, of the share of independent chances that come."""
    variance = math.fsum(chance * (1 - chance) for chance in chances)
    return 100 * math.sqrt(max(variance, 0.0)) / len(chances) if chances else 0.0
