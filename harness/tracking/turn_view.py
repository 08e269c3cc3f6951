"""One dialogue, turn by turn: its states, what each metric gives the turn, and why.

This is what the sample tables of the papers on state-tracking metrics show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ..metrics.tracking.aga import turn_average_goal_accuracy
from ..metrics.tracking.dialogue_states import StatePair, slot_name, without_absent
from ..metrics.tracking.fga import DEFAULT_LAMBDAS, ERROR, EXACT, error_distances, turn_score
from ..metrics.tracking.gca import OUTCOMES, Change, judge_changes
from ..metrics.tracking.jga import is_exact
from ..metrics.tracking.rsa import turn_relative_slot_accuracy
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS, turn_slot_accuracy, wrong_slots
from .dialogues import TrackedDialogue
from .evaluation import lambda_label, state_pairs


@dataclass(frozen=True)
class Verdict:
    """What a metric gives a turn.

    Attributes:
        metric: The metric's name.
        score: The share, from 0 to 1; None where the metric leaves the turn out.
        reason: Why.
    """

    metric: str
    score: float | None
    reason: str


@dataclass(frozen=True)
class TurnView:
    """One turn.

    Attributes:
        number: The turn's number.
        gold: `domain-slot` -> gold value.
        predicted: `domain-slot` -> predicted value.
        verdicts: One for each metric.
    """

    number: int
    gold: Mapping[str, str]
    predicted: Mapping[str, str]
    verdicts: Sequence[Verdict]

    def to_dict(self) -> dict[str, Any]:
        """Return the view as JSON types."""
        return asdict(self)


def view_turns(
    dialogue: TrackedDialogue,
    lambdas: Sequence[float] = DEFAULT_LAMBDAS,
    slots: int = MULTIWOZ_SLOTS,
) -> list[TurnView]:
    """Explain what every metric gives each turn of a dialogue.

    Args:
        dialogue: The dialogue.
        lambdas: The values of λ to show FGA with.
        slots: T of slot accuracy, at least the number of wrong slots in any turn.
    """
    pairs = state_pairs(dialogue)
    turns = [without_absent(pair) for pair in pairs]
    distances = error_distances(turns, [turn.number for turn in dialogue.turns])
    return [
        TurnView(
            turn.number,
            {slot_name(slot): value for slot, value in pair.gold.items()},
            {slot_name(slot): value for slot, value in pair.predicted.items()},
            [
                _jga(states),
                _slot_accuracy(states, slots),
                _aga(states),
                _rsa(states),
                *(_fga(distance, decay) for decay in lambdas),
                _gca(changes),
            ],
        )
        for turn, pair, states, distance, changes in zip(
            dialogue.turns, pairs, turns, distances, judge_changes(pairs), strict=True
        )
    ]


def _jga(turn: StatePair) -> Verdict:
    if is_exact(turn):
        return Verdict("JGA", 1.0, "the states are equal")
    agreement = turn.agreement
    reason = f"{agreement.missed} missed, {agreement.wrong} wrong, {agreement.overshot} overshot"
    return Verdict("JGA", 0.0, reason)


def _slot_accuracy(turn: StatePair, slots: int) -> Verdict:
    wrong = wrong_slots(turn)
    return Verdict("SA", turn_slot_accuracy(turn, slots), f"{wrong} of {slots} slots wrong")


def _aga(turn: StatePair) -> Verdict:
    if not turn.gold:
        return Verdict("AGA", None, "left out: the gold state is empty")
    reason = f"{turn.agreement.correct} of {turn.agreement.gold} gold values found"
    return Verdict("AGA", turn_average_goal_accuracy(turn), reason)


def _rsa(turn: StatePair) -> Verdict:
    agreement = turn.agreement
    reason = f"{agreement.correct} of the {agreement.slots} slots in either state right"
    score = turn_relative_slot_accuracy(turn)
    return Verdict("RSA", score, reason if agreement.slots else "no slots in either state")


def _fga(distance: float, decay: float) -> Verdict:
    if distance == EXACT:
        reason = "the states are equal"
    elif distance == ERROR:
        reason = "the error is made in this turn"
    else:
        reason = f"right in itself, {distance:g} after the turn of the latest error"
    return Verdict(f"FGA λ={lambda_label(decay)}", turn_score(distance, decay), reason)


def _gca(changes: Sequence[Change]) -> Verdict:
    by_outcome = {
        outcome: sorted(slot_name(change.slot) for change in changes if change.outcome == outcome)
        for outcome in OUTCOMES
    }
    told = [f"{outcome} {', '.join(slots)}" for outcome, slots in by_outcome.items() if slots]
    return Verdict("GCA", None, f"counts {'; '.join(told)}" if told else "no changes")
