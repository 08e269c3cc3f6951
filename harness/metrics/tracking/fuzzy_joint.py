"""Fuzzy joint accuracy: exact matching that forgives small differences in how a value is written.

The measure of the public response evaluator that goes with Nekvinda & Dušek, "Shades of BLEU,
Flavours of Success" (2021). Two values match if their partial ratio is over 95. As all metrics, it
takes `bookday` for `day`, and `none` for no value. The evaluator does neither: its own figure is
the one "as written". Since the gold states of MultiWOZ 2.2 have `bookday`, a system that writes
`day` is never right there once something is booked.
"""

from __future__ import annotations

from functools import lru_cache

from mwz.database.venues import partial_ratio

from . import Sums, TrackingMetric, only, share
from .choices import Choices
from .dialogue_states import DialogueStates, StatePair
from .slot_f1 import precision_recall_f1

FUZZY_RATIO = 95
"""Two values match if their partial ratio is over this."""


def matching_slots(turn: StatePair) -> int:
    """Return how many slots both states have with matching values."""
    if not turn.agreement.wrong:
        return turn.agreement.correct
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


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    turns = dialogue.turns
    return {
        "turns": len(turns),
        "exact_turns": sum(map(is_fuzzily_exact, turns)),
        "as_written": sum(map(is_fuzzily_exact, dialogue.written or dialogue.pairs)),
        "found": sum(map(matching_slots, turns)),
        "predicted": sum(len(turn.predicted) for turn in turns),
        "gold": sum(len(turn.gold) for turn in turns),
    }


def _formula(sums: Sums, _: Choices) -> dict[str, float]:
    shares = {
        "joint_accuracy": share(sums["exact_turns"], sums["turns"]),
        "joint_accuracy_as_written": share(sums["as_written"], sums["turns"]),
        **precision_recall_f1(sums["found"], sums["predicted"], sums["gold"]),
    }
    return {f"fuzzy.{name}": value for name, value in shares.items()}


# A state is cumulative: turn after turn brings the same pairs of values.
@lru_cache(maxsize=2**16)
def _match(predicted: str, gold: str) -> bool:
    return predicted == gold or partial_ratio(predicted, gold) > FUZZY_RATIO


METRIC = TrackingMetric(
    name="fuzzy joint accuracy",
    title="fuzzy joint accuracy, also with slots as written, and precision, recall and F1",
    question="Is the whole state right, where values may differ in their spelling?",
    unit="percent of the turns",
    source="the evaluator of Nekvinda & Dušek (2021)",
    statistics=_statistics,
    formula=_formula,
    titles={"fuzzy": "fuzzy "},
    headlines=only("fuzzy.joint_accuracy"),
    rank=80,
)
