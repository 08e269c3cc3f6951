"""Inform and Success, turn by turn: did the system offer fitting venues, and say what was asked?

One loop follows a goal domain through a dialogue (`steps`). A turn that names a venue while its
domain is active offers what the domain's belief state finds in the database, unless all venues
offered so far are still among them. A domain is matched if what is offered last fits its goal, and
provided if all that was requested was said in its turns. The ways to decide this that differ
between papers make up a `Setup` (`setups.py`).

Source: Budzianowski et al. (2018); "Shades of BLEU, Flavours of Success" (2021), sections 3.2,
4.4 and 5.1, and its published evaluator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mwz.normalization.rules import RuleSet

from ..benchmark import REFERENCE, REQUESTABLE_SLOTS
from .played import PlayedDialogue
from .results import DomainResult
from .setups import COMPARISONS, REFERENCES, UPDATES, Setup

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


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


@lru_cache(maxsize=1 << 14)
def slots_said(response: str) -> tuple[str, ...]:
    """Return the requestable slots that a normalised response holds."""
    return tuple(slot for slot in REQUESTABLE_SLOTS if slot in response)


def steps(
    dialogue: PlayedDialogue, domain: str, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> Iterator[Step]:
    """Follow a goal domain through a dialogue, in the turns that the set-up counts."""
    venue = rules.venue_rules.get(domain)
    due, offer = UPDATES[setup.updates].due, COMPARISONS[setup.comparison].offer
    booked = REFERENCES[setup.references].booked
    last = len(dialogue.responses) - 1
    offered = None
    for turn, response in enumerate(dialogue.responses):
        if turn == 0 and not setup.first_turn:
            continue
        active = domain in dialogue.active_domains[turn] or not setup.active_only
        said = slots_said(response)
        provided = said if active else ()
        if REFERENCE in provided and not booked(dialogue.gold, domain, turn):
            provided = tuple(slot for slot in said if slot != REFERENCE)
        named = venue is not None and venue.mention in response
        query, found, replaced = None, None, False
        if venue is not None and due(active, named, REFERENCE in said, turn == last):
            query = dialogue.states[turn].get(domain)
            if query is not None and setup.reduced_search:
                query = reduced(query, venue.named_by)
            # A state that lacks the domain finds nothing.
            found = frozenset() if query is None else database.query(domain, query)
            now = offer(offered, found)
            replaced = not (offered and now is offered)
            offered = now
        yield Step(turn, active, named, query, found, offered, replaced, said, provided)


def reduced(query: Mapping[str, str], slot: str) -> Mapping[str, str]:
    """Return a query by a venue's name alone, where the state has one."""
    return {slot: query[slot]} if query.get(slot, "dontcare") != "dontcare" else query


def goal_results(
    dialogue: PlayedDialogue, database: VenueDatabase, setup: Setup, rules: RuleSet
) -> dict[str, DomainResult]:
    """Return goal domain -> how it came out in a dialogue."""
    results = {}
    for domain in dialogue.gold.goal:
        walked = [*steps(dialogue, domain, database, setup, rules)]
        results[domain] = domain_result(walked, dialogue, domain, database, setup, rules)
    return results


def domain_result(
    walked: Sequence[Step],
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> DomainResult:
    """Return how a goal domain came out, by its steps."""
    provided = {slot for step in walked for slot in step.provided}
    offered = walked[-1].offered if walked else None
    return DomainResult(
        matched(offered, dialogue, domain, database, setup, rules),
        # In the order of their names: a set has none that lasts.
        {slot: slot in provided for slot in sorted(dialogue.gold.goal[domain].requestable)},
    )


def matched(
    offered: Any,
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
    setup: Setup,
    rules: RuleSet,
) -> float:
    """Return the probability that what is offered last fits the goal."""
    goal, venue = dialogue.gold.goal[domain], rules.venue_rules.get(domain)
    if venue is None or "name" in goal.informable:
        return 1.0
    if offered:
        wanted = database.query(domain, goal.informable)
        return COMPARISONS[setup.comparison].match(offered, wanted)
    # A train need not be named if nobody asked for its id.
    return float(venue.mention in {*REQUESTABLE_SLOTS} - goal.requestable)
