"""Slot precision, recall and F1 over the (domain, slot, value) triples of all turns.

Reported beside joint goal accuracy by Kim et al. (2022), table 1. Triples are counted over all
turns first, so a turn weighs as many times as it has triples.
"""

from __future__ import annotations

from . import Sums, TrackingMetric, only, share
from .choices import Choices
from .dialogue_states import DialogueStates


def precision_recall_f1(found: float, predicted: float, gold: float) -> dict[str, float]:
    """Return precision, recall and their harmonic mean, by the names that reports use.

    Args:
        found: Predictions that are right.
        predicted: All predictions.
        gold: All that was to be predicted.
    """
    of_nothing = 1.0 * (predicted + gold == 0)
    return {
        "precision": share(found, predicted, of_nothing),
        "recall": share(found, gold, of_nothing),
        "F1": share(found, (predicted + gold) / 2, of_nothing),
    }


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    agreements = [turn.agreement for turn in dialogue.turns]
    return {
        "found": sum(agreement.correct for agreement in agreements),
        "predicted": sum(agreement.predicted for agreement in agreements),
        "gold": sum(agreement.gold for agreement in agreements),
    }


METRIC = TrackingMetric(
    name="F1",
    title="slot F1, with precision and recall",
    question="Which share of the predicted, of the gold values is right?",
    unit="percent of the values of all turns",
    source="Kim et al. (2022), table 1",
    statistics=_statistics,
    formula=lambda sums, _: precision_recall_f1(**sums),
    titles={name: name for name in ("precision", "recall", "F1")},
    headlines=only("F1"),
    per_domain=("F1",),
    rank=70,
)
