"""One dialogue followed turn by turn, and at the end what came of its goal and why.

`followed` follows belief states and placeholders, as Inform and Success do: `dialogue_text` shows
it in 100 columns, `turn_text` shows one turn of several systems, and web pages show systems side by
side.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mwz.normalization.states import BeliefState

from ..benchmark import CANONICAL_STYLE, Goal
from ..errors import InputError, counted
from ..metrics.inform import Step, steps
from ..metrics.results import DomainResult
from ..metrics.setups import MAIN_SETUP, SETUPS, PlayedDialogue
from ..metrics.tracking.states import without_booking_prefix
from .causes import SLOT_CAUSES, Diagnosis, cause_words

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
    asked = f"; asks for {requests}" if requests else ""
    booking = [f"{slot} {value}" for slot, value in goal.booking.items()]
    booked = f"; books {', '.join(booking)}" if booking else ""
    return f"{', '.join(wishes)}{asked}{booked}"


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
        domain: [*steps(dialogue, domain, played.database(), strict, played.rules)]
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
                [_changed(*one) for one in changes],
                [_not_gold(*one) for one in wrong],
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


def dialogue_text(diagnosis: Diagnosis, id_: str) -> str | None:
    """Return one dialogue turn by turn, or None if it is not among those played."""
    pairs = zip(diagnosis.dialogues, diagnosis.results, strict=True)
    pair = next((pair for pair in pairs if pair[0].id == id_), None)
    if pair is None:
        return None
    dialogue, result = pair
    played, gold = diagnosis.played, dialogue.gold
    turns = [_turn_lines(turn) for turn in followed(diagnosis, dialogue)]
    of_turns = "" if len(turns) == gold.turns else f" of {gold.turns}"
    head = (
        f"dialogue {id_}, {len(turns)}{of_turns} turns: "
        f"Inform {result.inform}, Success {result.success}\n"
        f"active domains: {played.domains}; belief states: {played.states}"
    )
    outcome = [line for domain in gold.goal for line in _outcome(domain, result.domains[domain])]
    return joined(head, gold.goal, turns, outcome)


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
        dialogue = next((one for one in diagnosis.dialogues if one.id == id_), None)
        turns = 0 if dialogue is None else len(dialogue.responses)
        if dialogue is None or turn >= turns:
            played = f"; its turns are 0 to {turns - 1}" if turns else ""
            raise InputError(name, f"dialogue {id_}, turn {turn} is not played{played}")
        gold = dialogue.gold
        if len(responses) == 1:
            references = gold.references[CANONICAL_STYLE]
            for at in range(turn + 1):
                before += [labelled("user", text, width) for text in gold.users[at : at + 1]]
                before += [labelled("reference", references[at], width)] if at < turn else []
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
    old, new = (
        {
            f"{domain}-{slot}": value
            for domain, slots in state.items()
            for slot, value in slots.items()
        }
        for state in (before, now)
    )
    for slot in dict.fromkeys((*old, *new)):
        if old.get(slot) != new.get(slot):
            yield slot, old.get(slot), new.get(slot)


def _changed(slot: str, before: str | None, now: str | None) -> str:
    if now is None:
        return f"- {slot} {before}"
    return f"+ {slot} {now}" if before is None else f"{slot} {before} -> {now}"


def _not_gold(slot: str, gold: str | None, predicted: str | None) -> str:
    if predicted is None:
        return f"{slot} {gold} is missing"
    return f"{slot} {predicted}" + (" is not in gold" if gold is None else f", gold {gold}")


def _active(active: Collection[str], gold: Collection[str]) -> str:
    shown = ", ".join(active) or "none"
    return shown if list(active) == list(gold) else f"{shown} (gold: {', '.join(gold) or 'none'})"


def _of_step(step: Step, domain: str, requested: Collection[str], called: Called) -> Iterator[str]:
    """Yield what a turn does for a goal domain, if anything."""
    if step.found is not None:
        if step.query is None:
            asked = f"the state holds nothing about {domain}: 0 venues"
        else:
            query = ", ".join(f"{slot} {value}" for slot, value in step.query.items())
            asked = f"query {query or 'without constraints'}: {counted(len(step.found), 'venue')}"
        kept = "offered" if step.replaced else f"the {len(step.offered)} offered before are kept"
        venues = called(domain, step.offered) if step.offered else ""
        yield f"named; {asked}, {kept}{venues and ': ' + venues}"
    elif step.named and not step.active:
        yield "named, but the domain is not active: nothing is looked up"
    provided = [slot for slot in step.provided if slot in requested]
    in_vain = [slot for slot in step.said if slot in requested and slot not in step.provided]
    if provided:
        yield f"provides {', '.join(provided)}"
    if in_vain:
        why = "the domain is not booked yet" if step.active else "the domain is not active"
        yield f"{', '.join(in_vain)} said, but {why}"


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
