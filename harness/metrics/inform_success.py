"""Inform and Success: did the system offer fitting venues, and say what it was asked?

Conventions: rates are in percent, over the dialogues with the domain in their goal ("total": over
all). A domain's Success counts only where every domain of the dialogue is matched.

The rule, for each domain of a dialogue's goal, is read off `walk` and `domain_outcome`: a turn that
names a venue in an active domain offers the venues that the belief state of that domain finds in
the database, unless all venues offered so far are still among them. A domain is matched if what is
offered last fits its goal, and provided if all that was requested was said in its turns. The ways
to decide this that differ between papers make up a `Setup` (`setups.py`).

Source: Budzianowski et al. (2018); "Shades of BLEU, Flavours of Success" (2021), sections 3.2,
4.4 and 5.1, and its published evaluator.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.normalization.rules import RuleSet

from ..benchmark import REFERENCE, REQUESTABLE_SLOTS
from .played import PlayedDialogue
from .setups import COMPARISONS, REFERENCES, UPDATES, Setup
from .statistics import percent

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

TOTAL = "total"

_NOTHING: Set[str] = frozenset()


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
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
    decisive: bool = False,
) -> Iterator[Step]:
    """Follow one goal domain through a dialogue, turn by turn: the rule itself.

    A turn that the set-up does not count is left out.

    Args:
        dialogue: The dialogue.
        domain: The domain.
        database: Finds the venues.
        setup: How Inform and Success are computed.
        rules: The rule set.
        decisive: Whether turns that neither offer nor provide anything are left out as well; the
            outcome is the same without them.
    """
    venue = rules.venue_rules.get(domain)
    mention = None if venue is None else venue.mention
    offer, due = COMPARISONS[setup.comparison].offer, UPDATES[setup.updates].due
    booked = REFERENCES[setup.references].booked(dialogue.gold, domain)
    responses, all_said, domains = dialogue.responses, dialogue.said, dialogue.active_domains
    last = len(responses) - 1
    offered: Any = None
    for turn in range(0 if setup.first_turn else 1, last + 1):
        active = not setup.active_only or domain in domains[turn]
        if decisive and not active and turn != last:
            continue
        said = all_said[turn]
        named = mention is not None and mention in responses[turn]
        if decisive and not (named or said or turn == last):
            continue
        query = found = None
        replaced = False
        looks_up = venue is not None and due(active, named, REFERENCE in said, turn == last)
        if decisive and not looks_up and not (active and said):
            continue
        if venue is not None and looks_up:
            query = dialogue.states[turn].get(domain)
            if query is not None and setup.reduced_search:
                query = reduced(query, venue.named_by)
            # A state that lacks the domain finds nothing.
            found = _NOTHING if query is None else database.query(domain, query)
            before, offered = offered, offer(offered, found)
            replaced = not (before and offered is before)
        provided = provided_slots(said, active, domain in booked[turn])
        yield Step(turn, active, named, query, found, offered, replaced, said, provided)


def provided_slots(said: tuple[str, ...], active: bool, booked: bool) -> tuple[str, ...]:
    """Return those of the slots said that count as provided for a domain.

    Args:
        said: The slots that the response holds.
        active: Whether the domain is active in the turn.
        booked: Whether a reference number counts (`REFERENCES`).
    """
    if not active or not said:
        return ()
    return said if booked else tuple(slot for slot in said if slot != REFERENCE)


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


def domain_outcome(
    dialogue: PlayedDialogue,
    domain: str,
    steps: Sequence[Step],
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> DomainOutcome:
    """Hold what the steps of a domain's walk offered and provided against its goal."""
    offered = steps[-1].offered if steps else None
    goal = dialogue.gold.goal[domain]
    venue = rules.venue_rules.get(domain)
    if venue is None or "name" in goal.informable:
        matched = 1.0
    elif offered:
        goal_venues = database.query(domain, goal.informable)
        matched = COMPARISONS[setup.comparison].match(offered, goal_venues)
    else:
        # A train need not be named if nobody asked for its id.
        requestable = venue.mention in REQUESTABLE_SLOTS
        matched = float(requestable and venue.mention not in goal.requestable)
    return DomainOutcome(matched, goal.requestable <= {s for step in steps for s in step.provided})


@dataclass(frozen=True)
class Outcome:
    """How a dialogue went. Probabilities are 0 or 1 unless venues are drawn at random.

    Attributes:
        domains: Goal domain -> how it came out.
    """

    domains: Mapping[str, DomainOutcome]

    @property
    def inform(self) -> float:
        """The probability that every goal domain is matched."""
        return math.prod([domain.matched for domain in self.domains.values()])

    @property
    def success(self) -> float:
        """The probability that the dialogue matches and provides every requested slot."""
        return self.inform if all(domain.provided for domain in self.domains.values()) else 0.0


def decisive_steps(
    dialogue: PlayedDialogue, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> dict[str, list[Step]]:
    """Follow every goal domain through a dialogue: domain -> the turns that decide how it goes."""
    return {
        domain: [*walk(dialogue, domain, database, setup, rules, decisive=True)]
        for domain in dialogue.gold.goal
    }


def outcome_of_steps(
    dialogue: PlayedDialogue,
    steps: Mapping[str, Sequence[Step]],
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> Outcome:
    """Return how a dialogue went, of the steps of its goal domains."""
    return Outcome(
        {
            domain: domain_outcome(dialogue, domain, own, database, setup, rules)
            for domain, own in steps.items()
        }
    )


def dialogue_outcome(
    dialogue: PlayedDialogue, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> Outcome:
    """Return how a dialogue went."""
    steps = decisive_steps(dialogue, database, setup, rules)
    return outcome_of_steps(dialogue, steps, database, setup, rules)


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
    return rates([dialogue_outcome(dialogue, database, setup, rules) for dialogue in dialogues])


def rates(outcomes: Sequence[Outcome]) -> Rates:
    """Return the rates that the outcomes of dialogues add up to."""
    inform: dict[str, list[float]] = {TOTAL: []}
    success: dict[str, list[float]] = {TOTAL: []}
    for outcome in outcomes:
        dialogue_matched = outcome.inform
        inform[TOTAL].append(dialogue_matched)
        success[TOTAL].append(dialogue_matched and outcome.success)
        for domain, (matched, provided) in outcome.domains.items():
            inform.setdefault(domain, []).append(matched)
            success.setdefault(domain, []).append(provided * dialogue_matched)
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
