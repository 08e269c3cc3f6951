"""Slot accuracy (SA): the share of all the data's slots whose value is right, absent ones included.

Wu et al., "Transferable Multi-Domain State Generator for Task-Oriented Dialogue Systems" (2019);
equation 2 of Kim et al. (2022), equation 1 of Dey, Kummara & Desarkar (2022). Most of a data set's
slots are absent from any one dialogue, and leaving them out earns a system most of its score.
"""

from __future__ import annotations

from . import TrackingMetric, mean_of_turns
from .choices import MULTIWOZ_SLOTS, PLAIN, Choices
from .dialogue_states import StatePair


def turn_slot_accuracy(
    turn: StatePair, slots: int = MULTIWOZ_SLOTS, dashes: str = PLAIN.dashes
) -> float:
    """Return (T - M - W) / T of one turn.

    M counts the gold triples that are not predicted. W counts the predicted triples that are not
    gold and whose slot is not already among the missed ones, so a wrong value counts once, but for
    values that dashes make another slot's.

    Args:
        turn: The turn's states.
        slots: T, the number of slots the data set defines; no fewer than are wrong.
        dashes: What a dash in a value is (`Choices`).
    """
    return (slots - wrong_slots(turn, dashes)) / slots


def wrong_slots(turn: StatePair, dashes: str = PLAIN.dashes) -> int:
    """Return M + W of one turn, as `turn_slot_accuracy` counts them."""
    return turn.agreement.failed + (turn.split_by_dashes if dashes == "last" else 0)


def _score(turn: StatePair, choices: Choices) -> float:
    return turn_slot_accuracy(turn, choices.slots, choices.dashes)


def _reason(turn: StatePair, choices: Choices) -> str:
    return f"{wrong_slots(turn, choices.dashes)} of {choices.slots} slots wrong"


METRIC = TrackingMetric(
    name="SA",
    title="slot accuracy",
    question="Are all slots that the data set defines right, absent ones included?",
    unit="percent of the slots, averaged over turns",
    source="Wu et al. (2019)",
    **mean_of_turns("SA", _score, _reason),
    parameters=lambda choices: {"slots": str(choices.slots)},
    per_domain=("SA",),
    rank=20,
)
