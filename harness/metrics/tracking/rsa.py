"""Relative slot accuracy (RSA): slot accuracy over the slots that the turn is about.

Kim et al., "Mismatch between Multi-turn Dialogue and its Evaluation Metric in Dialogue State
Tracking" (2022), equation 3. It does not depend on how many slots a data set defines. A turn
without any slot scores 0 even when that is right, which lowers every system's score.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from .dialogue_states import StatePair


def turn_relative_slot_accuracy(turn: StatePair) -> float:
    """Return (T* - M - W) / T* of one turn, and 0 if T* is 0.

    T* counts the slots in the gold or the predicted state, M the gold slots that are not predicted
    at all, W the predicted triples that are not gold (so a wrong value counts once).
    """
    agreement = turn.agreement
    missed, wrong = agreement.missed, agreement.wrong + agreement.overshot
    slots = agreement.slots
    return (slots - missed - wrong) / slots if slots else 0.0


def relative_slot_accuracy(turns: Sequence[StatePair]) -> float:
    """Return the mean of `turn_relative_slot_accuracy` over all turns.

    Raises:
        ValueError: There are no turns.
    """
    return fmean([turn_relative_slot_accuracy(turn) for turn in turns])
