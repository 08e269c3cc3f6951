"""Causes of lost points, and one dialogue followed turn by turn.

There is one cause for every domain not matched, and every requested slot not provided. Causes are
read off the steps that score (`metrics/inform.py`), in the strict set-up; the *deciding turn* is
the last one that set the offered venues instead of keeping them. The first cause that applies
counts. Domain by domain the causes add up to what the rates lose.

That one always applies follows from the rule: an offer that exceeds the goal holds a venue that
some slot of the goal excludes, and of this slot the deciding state has either another value or
none.

`followed` follows belief states and placeholders, as Inform and Success do: `dialogue_text` shows
it in 100 columns, `turn_text` shows one turn of several systems, and web pages show systems side by
side.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from mwz.normalization import BeliefState, RuleSet

from ..benchmark import CANONICAL_STYLE, Goal
from ..errors import InputError, counted
from ..metrics import (
    MAIN_SETUP,
    SETUPS,
    DialogueResult,
    DomainResult,
    Fault,
    Played,
    PlayedDialogue,
    Step,
    domain_result,
    flat_state,
    slot_name,
    steps,
    without_booking_prefix,
)

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

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
            slot: _slot_cause([step for step in walked if slot in step.slots])
            for slot, provided in result.provided.items()
            if not provided
        }
        result = replace(result, slot_causes=causes)
        if not result.matched:
            result = _with_cause(result, walked, dialogue, domain, database)
        results[domain] = result
    return results


def _slot_cause(mentions: Sequence[Step]) -> str:
    """Return why a slot is not provided, by the steps that say it."""
    never, elsewhere, unbooked = SLOT_CAUSES
    if not mentions:
        return never
    return unbooked if any(step.active for step in mentions) else elsewhere


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
    if not decided.venues:
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
    results = []
    for dialogue in dialogues:
        domains = explain(dialogue, played.database, played.rules)
        turns = len(dialogue.responses)
        results.append(DialogueResult(dialogue.id, turns, goals={MAIN_SETUP: domains}))
    return Diagnosis(played, dialogues, tuple(results))


# One dialogue, turn by turn.

WIDTH = 100
_LABEL = 12


def wrapped(label: str, text: str, indent: int | None = None) -> str:
    """Return a text behind its label, in as many lines as it takes."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=label,
        subsequent_indent=" " * (len(label) + 2 if indent is None else indent),
        break_on_hyphens=False,
    )


def labelled(label: str, text: str, width: int = _LABEL) -> str:
    """Return a text behind a label of fixed width, in as many lines as it takes."""
    return wrapped(f"  {label:<{width}}", text, indent=width + 2)


def joined(
    head: str,
    goals: Mapping[str, Goal],
    turns: Sequence[Sequence[str]],
    outcome: Sequence[str],
) -> str:
    """Return a dialogue's head, goal, turns and outcome as one text."""
    parts = [
        ["goal", *(labelled(domain, goal_text(goal)) for domain, goal in goals.items())],
        *([f"turn {number}", *lines] for number, lines in enumerate(turns)),
        ["outcome", *outcome],
    ]
    return "\n\n".join([head, *("\n".join(lines) for lines in parts)])


_ASKED = {
    "ADDRESS": "address",
    "PHONE": "telephone number",
    "POST": "postcode",
    "REFERENCE": "reference number",
    "TRAINID": "train id",
}


def goal_text(goal: Goal) -> str:
    """Return what a user wants of a domain: constraints, what is asked for, what is booked."""
    wishes = [f"{slot} {value}" for slot, value in goal.informable.items()] or ["anything"]
    requests = ", ".join(f"the {_ASKED.get(slot, slot)}" for slot in sorted(goal.requestable))
    requested = f"; asks for {requests}" if requests else ""
    booking = [f"{slot} {value}" for slot, value in goal.booking.items()]
    booked = f"; books {', '.join(booking)}" if booking else ""
    return f"{', '.join(wishes)}{requested}{booked}"


Called: TypeAlias = Callable[[str, Collection[str]], str]
"""Given a domain and the ids of venues that are offered: what they are called, or nothing."""


@dataclass(frozen=True)
class FollowedTurn:
    """A turn of a dialogue as a system played it.

    Attributes:
        user: What the user said before; None where it is not known.
        response: The normalised response.
        reference: The canonical reference.
        active: The active domains, and the gold ones where they are others.
        changes: What changed in the belief state, a slot each.
        not_gold: The slots of the state that are not as in the gold state.
        steps: Goal domain and what the turn does for it, a sentence each.
    """

    user: str | None
    response: str
    reference: str
    active: str
    changes: Sequence[str]
    not_gold: Sequence[str]
    steps: Sequence[tuple[str, str]]


def followed(
    diagnosis: Diagnosis, dialogue: PlayedDialogue, called: Called = lambda domain, venues: ""
) -> list[FollowedTurn]:
    """Follow a dialogue turn by turn.

    Args:
        diagnosis: The diagnosis that it is of.
        dialogue: The dialogue.
        called: What offered venues are called; by default they are only counted.
    """
    gold, played = dialogue.gold, diagnosis.played
    strict = SETUPS[MAIN_SETUP].setup
    walks = {
        domain: list(steps(dialogue, domain, played.database, strict, played.rules))
        for domain in gold.goal
    }
    turns = []
    for turn, (response, state) in enumerate(
        zip(dialogue.responses, dialogue.states, strict=False)
    ):
        changes = _differing(dialogue.states[turn - 1] if turn else {}, state)
        # The prefix `book` of booking slots is dropped on both sides, as in state tracking.
        wrong = _differing(without_booking_prefix(gold.states[turn]), without_booking_prefix(state))
        turns.append(
            FollowedTurn(
                gold.users[turn] if turn < len(gold.users) else None,
                response,
                gold.references[CANONICAL_STYLE][turn],
                _active(dialogue.active_domains[turn], gold.gold_domains[turn]),
                [_changed(*change) for change in changes],
                [_not_gold(*difference) for difference in wrong],
                [
                    (domain, text)
                    for domain, walked in walks.items()
                    for text in _of_step(
                        walked[turn], domain, gold.goal[domain].requestable, called
                    )
                ],
            )
        )
    return turns


def dialogue_text(diagnosis: Diagnosis, id_: str) -> str:
    """Return one of the dialogues played turn by turn."""
    pairs = zip(diagnosis.dialogues, diagnosis.results, strict=True)
    dialogue, result = next(pair for pair in pairs if pair[0].id == id_)
    played, gold = diagnosis.played, dialogue.gold
    turns = [_turn_lines(turn) for turn in followed(diagnosis, dialogue)]
    of_turns = "" if len(turns) == gold.turns else f" of {gold.turns}"
    head = (
        f"dialogue {id_}, {len(turns)}{of_turns} turns: "
        f"Inform {result.inform}, Success {result.success}\n"
        f"active domains: {played.domains}; belief states: {played.states}"
    )
    outcome = [line for domain in gold.goal for line in _outcome(domain, result.domains[domain])]
    return joined(head, gold.goal, turns, [*outcome, *played.benchmark.errata_of(id_)])


def turn_text(diagnoses: Mapping[str, Diagnosis], id_: str, turn: int) -> str:
    """Return one turn of several systems: what was said before, and what each responds and offers.

    Args:
        diagnoses: What to call each system -> its diagnosis.
        id_: The dialogue's id.
        turn: The turn's number, from 0.

    Raises:
        InputError: A system does not play the turn.
    """
    width = max(_LABEL, *(len(name) + 2 for name in diagnoses))
    before, responses = ["before"], ["responses"]
    for name, diagnosis in diagnoses.items():
        dialogue = next((played for played in diagnosis.dialogues if played.id == id_), None)
        turns = 0 if dialogue is None else len(dialogue.responses)
        if dialogue is None or turn >= turns:
            numbers = f"; its turns are 0 to {turns - 1}" if turns else ""
            raise InputError(name, f"dialogue {id_}, turn {turn} is not played{numbers}")
        gold = dialogue.gold
        if len(responses) == 1:
            references = gold.references[CANONICAL_STYLE]
            for earlier in range(turn + 1):
                if earlier < len(gold.users):
                    before.append(labelled("user", gold.users[earlier], width))
                if earlier < turn:
                    before.append(labelled("reference", references[earlier], width))
            responses.append(labelled("reference", references[turn], width))
        responses.append(labelled(name, dialogue.responses[turn] or "(nothing)", width))
        effects = followed(diagnosis, dialogue)[turn].steps
        responses += [labelled("", f"{domain}: {text}", width) for domain, text in effects]
    return "\n\n".join([f"dialogue {id_}, turn {turn}", *map("\n".join, (before, responses))])


def _turn_lines(turn: FollowedTurn) -> list[str]:
    lines = [] if turn.user is None else [labelled("user", turn.user)]
    return [
        *lines,
        labelled("response", turn.response or "(nothing)"),
        labelled("reference", turn.reference),
        labelled("active", turn.active),
        labelled("state", "; ".join(turn.changes) or "as before"),
        *([labelled("not as gold", "; ".join(turn.not_gold))] if turn.not_gold else []),
        *(labelled(*step) for step in turn.steps),
    ]


def _differing(
    before: BeliefState, now: BeliefState
) -> Iterator[tuple[str, str | None, str | None]]:
    """Yield the slots that differ, each with its two values; None for a state that lacks it."""
    old, new = flat_state(before), flat_state(now)
    for slot in dict.fromkeys((*old, *new)):
        if old.get(slot) != new.get(slot):
            yield slot_name(slot), old.get(slot), new.get(slot)


def _changed(slot: str, before: str | None, now: str | None) -> str:
    if now is None:
        return f"- {slot} {before}"
    return f"+ {slot} {now}" if before is None else f"{slot} {before} -> {now}"


def _not_gold(slot: str, gold: str | None, predicted: str | None) -> str:
    if predicted is None:
        return f"{slot} {gold} is missing"
    return f"{slot} {predicted}" + (" is not in gold" if gold is None else f", gold {gold}")


def _active(active: Collection[str], gold: Collection[str]) -> str:
    listed = ", ".join(active) or "none"
    return listed if list(active) == list(gold) else f"{listed} (gold: {', '.join(gold) or 'none'})"


def _of_step(step: Step, domain: str, requested: Collection[str], called: Called) -> Iterator[str]:
    """Yield what a turn does for a goal domain, if anything."""
    if step.venues is not None:
        if step.query is None:
            lookup = f"the state holds nothing about {domain}: 0 venues"
        else:
            query = ", ".join(f"{slot} {value}" for slot, value in step.query.items())
            lookup = f"query {query or 'without constraints'}: {counted(len(step.venues), 'venue')}"
        effect = "offered" if step.replaced else f"the {len(step.offered)} offered before are kept"
        venues = called(domain, step.offered) if step.offered else ""
        yield f"named; {lookup}, {effect}{venues and ': ' + venues}"
    elif step.named and not step.active:
        yield "named, but the domain is not active: nothing is looked up"
    provided = [slot for slot in step.provided if slot in requested]
    in_vain = [slot for slot in step.slots if slot in requested and slot not in step.provided]
    if provided:
        yield f"provides {', '.join(provided)}"
    if in_vain:
        reason = "the domain is not booked yet" if step.active else "the domain is not active"
        yield f"{', '.join(in_vain)} said, but {reason}"


def _outcome(domain: str, result: DomainResult) -> Iterator[str]:
    if result.cause is None:
        yield labelled(domain, "matched")
    else:
        words = cause_words(domain, result)
        yield labelled(domain, f"not matched, {result.cause}: {words}")
    for slot in result.provided:
        cause = result.slot_causes.get(slot)
        if cause is None:
            yield labelled("", f"{slot} provided")
        else:
            words = SLOT_CAUSES[cause].format(domain=domain)
            yield labelled("", f"{slot} not provided, {cause}: {words}")
