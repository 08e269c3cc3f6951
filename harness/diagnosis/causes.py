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
    Played,
    PlayedDialogue,
    Step,
    WrongSlot,
    domain_result,
    flat_state,
    play,
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
"""Causes of a domain that is not matched -> what happened; the first that applies counts.

Those after "named while another domain is active" blame the state of the deciding turn."""

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
        walked = list(steps(dialogue, domain, database, strict, rules))
        result = domain_result(walked, dialogue, domain, database, strict, rules)
        slot_causes = {}
        for slot, provided in result.provided.items():
            mentions = [step for step in walked if slot in step.slots]
            if provided:
                continue
            if not mentions:
                slot_causes[slot] = "never said"
            elif any(step.active for step in mentions):
                slot_causes[slot] = "said before booked"
            else:
                slot_causes[slot] = "said while another domain is active"
        result = replace(result, slot_causes=slot_causes)
        if not result.matched:
            result = _with_cause(result, walked, dialogue, domain, database)
        results[domain] = result
    return results


def _with_cause(
    result: DomainResult,
    walked: Sequence[Step],
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
) -> DomainResult:
    """Return the result of a domain that is not matched with its cause."""
    deciding = [step for step in walked if step.replaced]
    if not deciding:
        # In the strict set-up, naming a venue of an active domain sets the offer.
        naming = [step.turn for step in walked if step.named]
        if not naming:
            return replace(result, cause="never named")
        return replace(result, cause="named while another domain is active", turn=naming[-1])
    decided = deciding[-1]
    wanted = dialogue.gold.goal[domain].informable
    if decided.query is None:
        cause = "domain not in the state"
        faults = [WrongSlot(slot, value, None) for slot, value in wanted.items()]
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
) -> tuple[str, list[WrongSlot]]:
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

    all_venues = venues({})
    # Slot with another value -> whether it only excludes more than the goal does.
    excludes_more: dict[str, bool] = {}
    missing: list[str] = []
    for slot, value in wanted.items():
        fitting = venues({slot: value})
        if slot in query:
            selected = venues({slot: query[slot]})
            if selected != fitting:
                excludes_more[slot] = selected <= fitting
        elif fitting != all_venues:
            missing.append(slot)
    # First those that let in what the goal excludes.
    other = sorted(excludes_more, key=lambda slot: excludes_more[slot])
    missing_then = [slot for slot in missing if slot in last]
    if not decided.venues:
        cause = "no venue"
    elif other:
        cause = "other value"
    elif missing_then:
        cause = "missing then"
        missing.sort(key=lambda slot: slot not in last)
    else:
        cause = "missing"
    changed = {slot: wanted[slot] for slot in other + missing}
    faults = [WrongSlot(slot, value, query.get(slot)) for slot, value in changed.items()]
    if not venues({**query, **changed}):
        # What the goal leaves open keeps the goal's venues out.
        goal_venues = venues(wanted)
        left_open = {slot: value for slot, value in query.items() if slot not in wanted}
        faults += [
            WrongSlot(slot, None, value)
            for slot, value in left_open.items()
            if not goal_venues <= venues({slot: value})
        ]
    return cause, faults


def cause_words(domain: str, result: DomainResult) -> str:
    """Return why a domain is not matched, in words.

    Args:
        domain: The domain.
        result: Of a domain that is not matched, explained.
    """
    assert result.cause is not None
    faults = ""
    if result.faults:
        faults = f": {'; '.join(map(str, result.faults))}"
    return CAUSES[result.cause].format(domain=domain, turn=result.turn, faults=faults)


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
    # The strict set-up has no sources of its own.
    dialogues = tuple(play(played.submission, played.benchmark, played.states, played.domains))
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
    if indent is None:
        indent = len(label) + 2
    spaces = " " * indent
    return textwrap.fill(
        text, WIDTH, initial_indent=label, subsequent_indent=spaces, break_on_hyphens=False
    )


def labelled(label: str, text: str, width: int = _LABEL) -> str:
    """Return a text behind a label of fixed width, in as many lines as it takes."""
    return wrapped(f"  {label:<{width}}", text, indent=width + 2)


def joined(
    head: str, goals: Mapping[str, Goal], turns: Sequence[Sequence[str]], outcome: Sequence[str]
) -> str:
    """Return a dialogue's head, goal, turns and outcome as one text."""
    goal_lines = ["goal"]
    for domain, goal in goals.items():
        goal_lines.append(labelled(domain, goal_text(goal)))
    paragraphs = [head, "\n".join(goal_lines)]
    for number, lines in enumerate(turns):
        paragraphs.append("\n".join([f"turn {number}", *lines]))
    paragraphs.append("\n".join(["outcome", *outcome]))
    return "\n\n".join(paragraphs)


_ASKED = {
    "ADDRESS": "address",
    "PHONE": "telephone number",
    "POST": "postcode",
    "REFERENCE": "reference number",
    "TRAINID": "train id",
}


def goal_text(goal: Goal) -> str:
    """Return what a user wants of a domain: constraints, what is asked for, what is booked."""
    text = _slots_text(goal.informable) or "anything"
    if goal.requestable:
        requests = [f"the {_ASKED.get(slot, slot)}" for slot in sorted(goal.requestable)]
        text += f"; asks for {', '.join(requests)}"
    if goal.booking:
        text += f"; books {_slots_text(goal.booking)}"
    return text


def _slots_text(slots: Mapping[str, str]) -> str:
    return ", ".join(f"{slot} {value}" for slot, value in slots.items())


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
    walks = {}
    for domain in gold.goal:
        walks[domain] = [*steps(dialogue, domain, played.database, strict, played.rules)]
    turns = []
    before: BeliefState = {}
    for turn, response in enumerate(dialogue.responses):
        state = dialogue.states[turn]
        changes = _differences(before, state, _CHANGES)
        before = state
        # The prefix `book` of booking slots is dropped on both sides, as in state tracking.
        gold_state = without_booking_prefix(gold.states[turn])
        not_gold = _differences(gold_state, without_booking_prefix(state), _NOT_GOLD)
        active_domains = dialogue.active_domains[turn]
        active = ", ".join(active_domains) or "none"
        if list(active_domains) != list(gold.gold_domains[turn]):
            active += f" (gold: {', '.join(gold.gold_domains[turn]) or 'none'})"
        effects = []
        for domain, walked in walks.items():
            requested = gold.goal[domain].requestable
            for text in _effects(walked[turn], domain, requested, called):
                effects.append((domain, text))
        user = gold.users[turn] if turn < len(gold.users) else None
        reference = gold.references[CANONICAL_STYLE][turn]
        turns.append(FollowedTurn(user, response, reference, active, changes, not_gold, effects))
    return turns


def dialogue_text(diagnosis: Diagnosis, id_: str) -> str:
    """Return one of the dialogues played turn by turn."""
    place = [dialogue.id for dialogue in diagnosis.dialogues].index(id_)
    dialogue, result = diagnosis.dialogues[place], diagnosis.results[place]
    played, gold = diagnosis.played, dialogue.gold
    turns = []
    for turn in followed(diagnosis, dialogue):
        lines = []
        if turn.user is not None:
            lines.append(labelled("user", turn.user))
        lines.append(labelled("response", turn.response or "(nothing)"))
        lines.append(labelled("reference", turn.reference))
        lines.append(labelled("active", turn.active))
        lines.append(labelled("state", "; ".join(turn.changes) or "as before"))
        if turn.not_gold:
            lines.append(labelled("not as gold", "; ".join(turn.not_gold)))
        for domain, effect in turn.steps:
            lines.append(labelled(domain, effect))
        turns.append(lines)
    number_of_turns = f"{len(turns)}"
    if len(turns) != gold.turns:
        number_of_turns += f" of {gold.turns}"
    head = (
        f"dialogue {id_}, {number_of_turns} turns: "
        f"Inform {result.inform}, Success {result.success}\n"
        f"active domains: {played.domains}; belief states: {played.states}"
    )
    outcome: list[str] = []
    for domain in gold.goal:
        outcome += _outcome(domain, result.domains[domain])
    outcome += played.benchmark.errata_of(id_)
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
    width = max(_LABEL, 2 + max(map(len, diagnoses)))
    before, responses = ["before"], ["responses"]
    for name, diagnosis in diagnoses.items():
        dialogues = {dialogue.id: dialogue for dialogue in diagnosis.dialogues}
        turns = len(dialogues[id_].responses) if id_ in dialogues else 0
        if turn >= turns:
            numbers = f"; its turns are 0 to {turns - 1}" if turns else ""
            raise InputError(name, f"dialogue {id_}, turn {turn} is not played{numbers}")
        dialogue = dialogues[id_]
        gold = dialogue.gold
        references = gold.references[CANONICAL_STYLE]
        if len(responses) == 1:
            for earlier in range(turn + 1):
                if earlier < len(gold.users):
                    before.append(labelled("user", gold.users[earlier], width))
                if earlier < turn:
                    before.append(labelled("reference", references[earlier], width))
            responses.append(labelled("reference", references[turn], width))
        responses.append(labelled(name, dialogue.responses[turn] or "(nothing)", width))
        for domain, effect in followed(diagnosis, dialogue)[turn].steps:
            responses.append(labelled("", f"{domain}: {effect}", width))
    return "\n\n".join([f"dialogue {id_}, turn {turn}", "\n".join(before), "\n".join(responses)])


_CHANGES = ("- {slot} {old}", "+ {slot} {new}", "{slot} {old} -> {new}")
_NOT_GOLD = ("{slot} {old} is missing", "{slot} {new} is not in gold", "{slot} {new}, gold {old}")
"""The words for a slot that the second of two states lacks, that it alone has, and of two values.
"""


def _differences(before: BeliefState, now: BeliefState, words: tuple[str, str, str]) -> list[str]:
    """Return in words which slots differ between two states."""
    removed, added, changed = words
    old_slots, new_slots = flat_state(before), flat_state(now)
    texts = []
    for slot in dict.fromkeys((*old_slots, *new_slots)):
        old, new = old_slots.get(slot), new_slots.get(slot)
        if old != new:
            form = removed if new is None else changed
            if old is None:
                form = added
            texts.append(form.format(slot=slot_name(slot), old=old, new=new))
    return texts


def _effects(step: Step, domain: str, requested: Collection[str], called: Called) -> Iterator[str]:
    """Yield what a turn does for a goal domain, if anything."""
    if step.venues is not None:
        if step.query is None:
            lookup = f"the state holds nothing about {domain}: 0 venues"
        else:
            query = _slots_text(step.query) or "without constraints"
            lookup = f"query {query}: {counted(len(step.venues), 'venue')}"
        effect = "offered" if step.replaced else f"the {len(step.offered)} offered before are kept"
        names = called(domain, step.offered) if step.offered else ""
        if names:
            effect += f": {names}"
        yield f"named; {lookup}, {effect}"
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
