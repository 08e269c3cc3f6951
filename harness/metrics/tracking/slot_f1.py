"""Slot precision, recall and F1 over the (domain, slot, value) triples of all turns.

Reported beside joint goal accuracy by Kim et al. (2022), table 1. Triples are counted over all
turns first, so a turn weighs as many times as it has triples.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from . import TrackingMetric, own_headline
from .dialogue_states import StatePair, all_turns


@dataclass(frozen=True)
class PrecisionRecall:
    """What was found of what was sought.

    Attributes:
        found: Predictions that are right.
        predicted: All predictions.
        gold: All that was to be predicted.
    """

    found: int
    predicted: int
    gold: int

    @property
    def precision(self) -> float:
        """The share of predictions that are right."""
        return self._share_of(self.predicted)

    @property
    def recall(self) -> float:
        """The share that was predicted of what was to be."""
        return self._share_of(self.gold)

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall: 2 found / (predicted + gold)."""
        return self._share_of((self.predicted + self.gold) / 2)

    def _share_of(self, whole: float) -> float:
        if whole:
            return self.found / whole
        return float(self.predicted == self.gold == 0)


def slot_f1(turns: Iterable[StatePair]) -> PrecisionRecall:
    """Return precision, recall and F1 of the predicted triples of all turns."""
    agreements = [turn.agreement for turn in turns]
    return PrecisionRecall(
        found=sum(agreement.correct for agreement in agreements),
        predicted=sum(agreement.predicted for agreement in agreements),
        gold=sum(agreement.gold for agreement in agreements),
    )


def percentages(found: PrecisionRecall) -> dict[str, float]:
    """Return precision, recall and F1 in percent, by the names that reports use."""
    return {
        "precision": 100 * found.precision,
        "recall": 100 * found.recall,
        "F1": 100 * found.f1,
    }


METRIC = TrackingMetric(
    name="F1",
    title="slot F1, with precision and recall",
    question="Which share of the predicted, of the gold values is right?",
    unit="percent of the values of all turns",
    source="Kim et al. (2022), table 1",
    compute=lambda dialogues, _: {"metrics": percentages(slot_f1(all_turns(dialogues)))},
    keys=("precision", "recall", "F1"),
    headlines=own_headline("F1"),
    of_domain=lambda turns, _: {"F1": percentages(slot_f1(turns))["F1"]},
    rank=70,
)
