"""One dialogue followed turn by turn: what was said and believed, asked and offered, and lost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mwz.normalization.states import BeliefState

from ..benchmark import CANONICAL_STYLE, Goal
from ..metrics.inform_success import Step, walk
from ..metrics.played import PlayedDialogue
from ..metrics.setups import STRICT
from ..metrics.tracking.dialogue_states import Slot, flat_state
from ..metrics.tracking.tracked_dialogues import without_booking_prefix
from .causes import DialogueOutcome
from .diagnosing import Diagnosis


@dataclass(frozen=True)
class Change:
    """A slot whose value is not what it is held against.

    Attributes:
        slot: The domain and the slot.
        before: The value it is held against; None if there is none.
        now: The value of the state; None if it lacks the slot.
    """

    slot: Slot
    before: str | None
    now: str | None


@dataclass(frozen=True)
class TurnView:
    """One system turn.

    Attributes:
        number: From 0.
        user: What the user said; None if the benchmark does not tell.
        response: The normalised response.
        reference: The canonical reference.
        active_domains: The active domains.
        gold_domains: The gold ones.
        changes: What changed in the state since the turn before.
        differences: What differs from the gold state, held against it; the prefix `book` of
            booking slots is dropped on both sides, as in state tracking.
        steps: Goal domain -> what the turn does for it.
    """

    number: int
    user: str | None
    response: str
    reference: str
    active_domains: Sequence[str]
    gold_domains: Sequence[str]
    changes: Sequence[Change]
    differences: Sequence[Change]
    steps: Mapping[str, Step]


@dataclass(frozen=True)
class DialogueView:
    """One dialogue.

    Attributes:
        outcome: How it came out.
        goal: Domain -> goal.
        states: The source of belief states.
        domains: The source of active domains.
        of_turns: The dialogue's system turns, of which all or the first are played.
        turns: The turns played.
    """

    outcome: DialogueOutcome
    goal: Mapping[str, Goal]
    states: str
    domains: str
    of_turns: int
    turns: Sequence[TurnView]


def view_dialogue(diagnosis: Diagnosis, id_: str) -> DialogueView | None:
    """Follow one dialogue of a diagnosed submission; None if it is not among those played."""
    pairs = zip(diagnosis.dialogues, diagnosis.outcomes, strict=True)
    found = next((pair for pair in pairs if pair[0].id == id_), None)
    if found is None:
        return None
    dialogue, outcome = found
    played = diagnosis.played
    return DialogueView(
        outcome=outcome,
        goal=dialogue.gold.goal,
        states=played.states,
        domains=played.domains,
        of_turns=dialogue.gold.turns,
        turns=_turns(dialogue, diagnosis),
    )


def _turns(dialogue: PlayedDialogue, diagnosis: Diagnosis) -> list[TurnView]:
    played, gold = diagnosis.played, dialogue.gold
    walks = {
        domain: list(walk(dialogue, domain, played.database(), STRICT, played.rules))
        for domain in gold.goal
    }
    views = []
    before: BeliefState = {}
    for turn, (response, state) in enumerate(
        zip(dialogue.responses, dialogue.states, strict=False)
    ):
        views.append(
            TurnView(
                number=turn,
                user=gold.users[turn] if turn < len(gold.users) else None,
                response=response,
                reference=gold.references[CANONICAL_STYLE][turn],
                active_domains=list(dialogue.active_domains[turn]),
                gold_domains=gold.gold_domains[turn],
                changes=_changes(before, state),
                differences=_changes(
                    without_booking_prefix(gold.states[turn]), without_booking_prefix(state)
                ),
                steps={domain: steps[turn] for domain, steps in walks.items()},
            )
        )
        before = state
    return views


def _changes(before: BeliefState, now: BeliefState) -> list[Change]:
    old, new = flat_state(before), flat_state(now)
    return [
        Change(slot, old.get(slot), new.get(slot))
        for slot in dict.fromkeys((*old, *new))
        if old.get(slot) != new.get(slot)
    ]
