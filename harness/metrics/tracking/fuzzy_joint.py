"""Fuzzy joint accuracy: exact matching that forgives small differences in how a value is written.

The measure of the public response evaluator that goes with Nekvinda & Dušek, "Shades of BLEU,
Flavours of Success" (2021). Two values match if their partial ratio is over 95.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import fmean

from mwz.database.fuzzy import partial_ratio

from . import TrackingMetric
from .dialogue_states import StatePair, all_turns
from .slot_f1 import PrecisionRecall, percentages

FUZZY_RATIO = 95
"""Two values match if their partial ratio is over this."""


def matching_slots(turn: StatePair) -> int:
    """Return how many slots both states have with matching values."""
    return sum(
        _match(turn.predicted[slot], value)
        for slot, value in turn.gold.items()
        if slot in turn.predicted
    )


def is_fuzzily_exact(turn: StatePair) -> bool:
    """Return whether both states have the same slots, with matching values."""
    if turn.gold.keys() != turn.predicted.keys():
        return False
    return matching_slots(turn) == len(turn.gold)


def fuzzy_joint_accuracy(turns: Sequence[StatePair]) -> float:
    """Return the share of turns that `is_fuzzily_exact` holds of.

    Raises:
        ValueError: There are no turns.
    """
    return fmean([is_fuzzily_exact(turn) for turn in turns])


def fuzzy_slot_f1(turns: Iterable[StatePair]) -> PrecisionRecall:
    """Return precision, recall and F1 of the predicted slots, fuzzily matched, of all turns."""
    found = predicted = gold = 0
    for turn in turns:
        found += matching_slots(turn)
        predicted += len(turn.predicted)
        gold += len(turn.gold)
    return PrecisionRecall(found, predicted, gold)


# A state is cumulative: turn after turn brings the same pairs of values.
@lru_cache(maxsize=2**16)
def _match(predicted: str, gold: str) -> bool:
    return predicted == gold or partial_ratio(predicted, gold) > FUZZY_RATIO


METRIC = TrackingMetric(
    name="fuzzy joint accuracy",
    title="fuzzy joint accuracy, with precision, recall and F1",
    question="Is the whole state right, where values may differ in their spelling?",
    unit="percent of the turns",
    source="the evaluator of Nekvinda & Dušek (2021)",
    compute=lambda dialogues, _: {
        "fuzzy": {
            "joint_accuracy": 100 * fuzzy_joint_accuracy(all_turns(dialogues)),
            **percentages(fuzzy_slot_f1(all_turns(dialogues))),
        }
    },
    keys=(),
    headlines=lambda report: {"fuzzy joint accuracy": report.fuzzy["joint_accuracy"]},
    further=lambda report: {
        f"fuzzy {name.replace('_', ' ')}": share for name, share in report.fuzzy.items()
    },
    rank=80,
)
