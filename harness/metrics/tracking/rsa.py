"""Relative slot accuracy (RSA): slot accuracy over the slots that the turn is about.

Kim et al., "Mismatch between Multi-turn Dialogue and its Evaluation Metric in Dialogue State
Tracking" (2022), equation 3. It does not depend on how many slots a data set defines. A turn
without any slot scores 0 even when that is right, which lowers every system's score.
"""

from __future__ import annotations

from . import TrackingMetric, mean_of_turns, only, share
from .choices import PLAIN, Choices
from .dialogue_states import StatePair


def turn_relative_slot_accuracy(turn: StatePair, dashes: str = PLAIN.dashes) -> float:
    """Return (T* - M - W) / T* of one turn, and 0 if T* is 0.

    T* counts the slots in the gold or the predicted state, M the gold slots that are not predicted
    at all, W the predicted triples that are not gold (so a wrong value counts once, but for values
    that dashes make another slot's).

    Args:
        turn: The turn's states.
        dashes: What a dash in a value is (`Choices`).
    """
    return float(share(turn.agreement.correct, slots_in_play(turn, dashes)))


def slots_in_play(turn: StatePair, dashes: str = PLAIN.dashes) -> int:
    """Return T*: the slots in the gold or the predicted state."""
    return turn.agreement.slots + (turn.split_by_dashes if dashes == "last" else 0)


def _reason(turn: StatePair, choices: Choices) -> str:
    if not turn.agreement.slots:
        return "no slots in either state"
    slots = slots_in_play(turn, choices.dashes)
    return f"{turn.agreement.correct} of the {slots} slots in either state right"


METRIC = TrackingMetric(
    name="RSA",
    title="relative slot accuracy",
    question="Which share of the slots in play is right?",
    unit="percent of the slots, averaged over turns",
    source="Kim et al. (2022)",
    **mean_of_turns(
        "RSA", lambda turn, choices: turn_relative_slot_accuracy(turn, choices.dashes), _reason
    ),
    headlines=only("RSA"),
    per_domain=("RSA",),
    rank=40,
)
