"""Slot accuracy (SA): the share of all the data's slots whose value is right, absent ones included.

Wu et al., "Transferable Multi-Domain State Generator for Task-Oriented Dialogue Systems" (2019);
equation 2 of Kim et al. (2022), equation 1 of Dey, Kummara & Desarkar (2022). Most of a data set's
slots are absent from any one dialogue, and leaving them out earns a system most of its score.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from . import Choices, TrackingMetric, Verdict, turn_by_turn
from .dialogue_states import StatePair, all_turns

MULTIWOZ_SLOTS = 30
"""The slots of MultiWOZ's five domains, as every published slot accuracy counts them."""


def wrong_slots(turn: StatePair) -> int:
    """Return M + W: missed gold slots, and slots wrongly predicted beside those.

    M counts the gold triples that are not predicted. W counts the predicted triples that are not
    gold and whose slot is not already among the missed ones, so a wrong value counts once.
    """
    return turn.agreement.failed


def turn_slot_accuracy(turn: StatePair, slots: int = MULTIWOZ_SLOTS) -> float:
    """Return (T - M - W) / T of one turn.

    Args:
        turn: The turn's states.
        slots: T, the number of slots the data set defines.

    Raises:
        ValueError: The turn has more wrong slots than the data set has slots.
    """
    wrong = wrong_slots(turn)
    if wrong > slots:
        raise ValueError(f"{wrong} slots are wrong in one turn, of {slots} slots in all")
    return (slots - wrong) / slots


def slot_accuracy(turns: Sequence[StatePair], slots: int = MULTIWOZ_SLOTS) -> float:
    """Return the mean of `turn_slot_accuracy` over all turns.

    Raises:
        ValueError: There are no turns, or a turn has more wrong slots than there are slots.
    """
    return fmean([turn_slot_accuracy(turn, slots) for turn in turns])


def _verdict(turn: StatePair, choices: Choices) -> Verdict:
    reason = f"{wrong_slots(turn)} of {choices.slots} slots wrong"
    return Verdict("SA", turn_slot_accuracy(turn, choices.slots), reason)


METRIC = TrackingMetric(
    name="SA",
    title="slot accuracy",
    question="Are all slots that the data set defines right, absent ones included?",
    unit="percent of the slots, averaged over turns",
    source="Wu et al. (2019)",
    compute=lambda dialogues, choices: {
        "metrics": {"SA": 100 * slot_accuracy(all_turns(dialogues), choices.slots)}
    },
    verdicts=turn_by_turn(_verdict),
    parameters=lambda choices: {"slots": str(choices.slots)},
    of_domain=lambda turns, choices: {"SA": 100 * slot_accuracy(turns, choices.slots)},
    rank=20,
)
