"""Causes of lost points: one for every domain not matched, and every requested slot not provided.

They are read off the steps that score (`metrics/inform.py`), in the strict set-up; the *deciding
turn* is the last one that set the offered venues instead of keeping them. The first cause that
applies counts. Domain by domain the causes add up to what the rates lose.

That one always applies follows from the rule: an offer that exceeds the goal holds a venue that
some slot of the goal excludes, and of this slot the deciding state has either another value or
none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mwz.normalization.rules import RuleSet

from ..metrics.inform import Step, domain_result, steps
from ..metrics.metric import Played
from ..metrics.results import DialogueResult, DomainResult, Fault
from ..metrics.setups import MAIN_SETUP, SETUPS, PlayedDialogue

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

CAUSES: Mapping[str, str] = {
    "never named": "no response names a venue of the domain",
    "named while another domain is active": (
        "a venue is named, last in turn {turn}, but never while {domain} is the active domain"
    ),
    "domain not in the state": (
        "a venue is named in turn {turn}, where the state holds nothing about {domain}"
    ),
    "no venue": "a venue is named in turn {turn}, where the state finds none{faults}",
    "other value": "the venues offered in turn {turn} are not the goal's{faults}",
    "missing then": (
        "the venues offered in turn {turn} exceed the goal's{faults} (the state has it at the end)"
    ),
    "missing": "the venues offered in turn {turn} exceed the goal's{faults}",
}
"""Causes of a domain that is not matched -> what happened; the first that applies counts. From the
third on, the state of the deciding turn is to blame."""

SLOT_CAUSES: Mapping[str, str] = {
    "never said": "no response says it",
    "said while another domain is active": (
        "it is said, but never while {domain} is the active domain"
    ),
    "said before booked": "it is said, but not where the annotation has {domain} booked",
}
"""Causes of a requested slot that is not provided -> what happened; the first that applies counts.
"""


def explain(
    dialogue: PlayedDialogue, database: VenueDatabase, rules: RuleSet
) -> dict[str, DomainResult]:
    """Return goal domain -> how it came out in the strict set-up, with what was lost and why."""
    strict = SETUPS[MAIN_SETUP].setup
    results = {}
    for domain in dialogue.gold.goal:
        walked = [*steps(dialogue, domain, database, strict, rules)]
        result = domain_result(walked, dialogue, domain, database, strict, rules)
        causes = {
            slot: _slot_cause([step for step in walked if slot in step.said])
            for slot, provided in result.provided.items()
            if not provided
        }
        result = replace(result, slot_causes=causes)
        if not result.matched:
            result = _with_cause(result, walked, dialogue, domain, database)
        results[domain] = result
    return results


def _slot_cause(said: Sequence[Step]) -> str:
    """Return why a slot is not provided, by the steps that say it."""
    never, elsewhere, unbooked = SLOT_CAUSES
    if not said:
        return never
    return unbooked if any(step.active for step in said) else elsewhere


def _with_cause(
    result: DomainResult,
    walked: Sequence[Step],
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
) -> DomainResult:
    """Return the result of a domain that is not matched with its cause."""
    decided = next((step for step in reversed(walked) if step.replaced), None)
    if decided is None:
        # In the strict set-up, naming a venue of an active domain sets the offer.
        named = max((step.turn for step in walked if step.named), default=None)
        cause = "never named" if named is None else "named while another domain is active"
        return replace(result, cause=cause, turn=named)
    wanted = dialogue.gold.goal[domain].informable
    if decided.query is None:
        cause = "domain not in the state"
        faults = [Fault(slot, value, None) for slot, value in wanted.items()]
    else:
        last = dialogue.states[-1].get(domain, {})
        cause, faults = _state_faults(decided, decided.query, wanted, last, domain, database)
    return replace(result, cause=cause, turn=decided.turn, faults=tuple(faults))


def _state_faults(
    decided: Step,
    query: Mapping[str, str],
    wanted: Mapping[str, str],
    last: Mapping[str, str],
    domain: str,
    database: VenueDatabase,
) -> tuple[str, list[Fault]]:
    """Return the cause that the deciding state is, and what would have to change in it.

    Args:
        decided: The deciding turn's step.
        query: Its constraints.
        wanted: The constraints of the goal.
        last: The domain's part of the last turn's state.
        domain: The domain.
        database: The venue database.

    Returns:
        The cause, and the faults, the cause's own slot first. Without them the query would find
        the goal's venues.
    """

    def venues(constraints: Mapping[str, str]) -> frozenset[str]:
        return frozenset(database.query(domain, constraints))

    fitting = {slot: venues({slot: value}) for slot, value in wanted.items()}
    selected = {slot: venues({slot: query[slot]}) for slot in wanted if slot in query}
    other = [slot for slot in selected if selected[slot] != fitting[slot]]
    # First those that let in what the goal excludes: the others only exclude more.
    other.sort(key=lambda slot: selected[slot] <= fitting[slot])
    every = venues({})
    missing = [slot for slot in wanted if slot not in query and fitting[slot] != every]
    missing_then = [slot for slot in missing if slot in last]
    first: Sequence[str] = ()
    if not decided.found:
        cause = "no venue"
    elif other:
        cause = "other value"
    elif missing_then:
        cause, first = "missing then", missing_then
    else:
        cause = "missing"
    changed = {slot: wanted[slot] for slot in (*first, *other, *missing)}
    faults = [Fault(slot, value, query.get(slot)) for slot, value in changed.items()]
    if not venues({**query, **changed}):
        # What the goal leaves open keeps the goal's venues out.
        goal_venues = venues(wanted)
        faults += [
            Fault(slot, None, value)
            for slot, value in query.items()
            if slot not in wanted and not goal_venues <= venues({slot: value})
        ]
    return cause, faults


def cause_words(domain: str, result: DomainResult) -> str:
    """Return why a domain is not matched, in words.

    Args:
        domain: The domain.
        result: Of a domain that is not matched, explained.
    """
    assert result.cause is not None
    faults = "; ".join(map(str, result.faults))
    return CAUSES[result.cause].format(
        domain=domain, turn=result.turn, faults=f": {faults}" if faults else ""
    )


@dataclass(frozen=True)
class Diagnosis:
    """Why a submission loses what it loses, in the strict set-up.

    Attributes:
        played: What was scored.
        dialogues: The dialogues as they were played, in the submission's order.
        results: How each of them came out, and why.
    """

    played: Played
    dialogues: tuple[PlayedDialogue, ...]
    results: tuple[DialogueResult, ...]


def diagnose(played: Played) -> Diagnosis:
    """Follow every dialogue played and say what was lost."""
    dialogues = tuple(played.under(MAIN_SETUP))
    database = played.database()
    results = tuple(
        DialogueResult(
            one.id, len(one.responses), goals={MAIN_SETUP: explain(one, database, played.rules)}
        )
        for one in dialogues
    )
    return Diagnosis(played, dialogues, results)
