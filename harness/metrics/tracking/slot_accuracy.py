"""Which share of the slots is right: slot accuracy (SA), its variants RSA and AGA, and slot F1.

- SA: the share of all the data's slots whose value is right, absent ones included. Wu et al.,
  "Transferable Multi-Domain State Generator for Task-Oriented Dialogue Systems" (2019); equation 2
  of Kim et al. (2022), equation 1 of Dey, Kummara & Desarkar (2022). Most of a data set's slots are
  absent from any one dialogue, and leaving them out earns a system most of its score.
- Relative slot accuracy (RSA): over the slots that the turn is about. Kim et al., "Mismatch between
  Multi-turn Dialogue and its Evaluation Metric in Dialogue State Tracking" (2022), equation 3. It
  does not depend on how many slots a data set defines. A turn without any slot scores 0 even when
  that is right, which lowers every system's score.
- Average goal accuracy (AGA): over the gold slots. Rastogi et al., "Towards Scalable Multi-Domain
  Conversational Agents: The Schema-Guided Dialogue Dataset" (2020); section 2.3 of Dey, Kummara &
  Desarkar (2022). It is a recall: triples predicted in excess cost nothing. IAGA divides by the
  union instead, as the latter paper suggests. Both are means over the turns with a gold state. The
  published code of Aksu & Chen, "Granular Change Accuracy" (2024), divides by the number of AGA's
  turns for IAGA, too, as here: what is predicted while the gold state is empty goes unpunished.
- Slot precision, recall and F1 over the (domain, slot, value) triples of all turns; reported beside
  joint goal accuracy by Kim et al. (2022), table 1. Triples are counted over all turns first, so a
  turn weighs as many times as it has triples.
"""

from __future__ import annotations

from ..results import share
from .choices import MULTIWOZ_SLOTS, Choices
from .metric import (
    Sums,
    TrackingMetric,
    exact_sum,
    mean_of_turns,
    only,
    sum_of,
    turn_by_turn,
)
from .states import DialogueStates, StatePair


def turn_slot_accuracy(
    turn: StatePair, slots: int = MULTIWOZ_SLOTS, dashes: str = Choices.dashes
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


def wrong_slots(turn: StatePair, dashes: str = Choices.dashes) -> int:
    """Return M + W of one turn, as `turn_slot_accuracy` counts them."""
    return turn.failed + (turn.split_by_dashes if dashes == "last" else 0)


def turn_relative_slot_accuracy(turn: StatePair, dashes: str = Choices.dashes) -> float:
    """Return (T* - M - W) / T* of one turn, and 0 if T* is 0.

    T* counts the slots in the gold or the predicted state, M the gold slots that are not predicted
    at all, W the predicted triples that are not gold (so a wrong value counts once, but for values
    that dashes make another slot's).

    Args:
        turn: The turn's states.
        dashes: What a dash in a value is (`Choices`).
    """
    return float(share(turn.correct, _slots_in_play(turn, dashes)))


def _slots_in_play(turn: StatePair, dashes: str) -> int:
    return turn.correct + wrong_slots(turn, dashes)


def _relative_reason(turn: StatePair, choices: Choices) -> str:
    if not turn.slots:
        return "no slots in either state"
    slots = _slots_in_play(turn, choices.dashes)
    return f"{turn.correct} of the {slots} slots in either state right"


def turn_average_goal_accuracy(turn: StatePair) -> float:
    """Return |gold and predicted| / |gold| of one turn, whose gold state is not empty."""
    return turn.correct / len(turn.gold)


def turn_improved_average_goal_accuracy(turn: StatePair) -> float:
    """Return |gold and predicted| / |gold or predicted| of one turn, if gold is not empty."""
    # A slot with two different values has two triples in the union.
    return turn.correct / (turn.slots + turn.wrong)


def _average_statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    scored = [turn for turn in dialogue.turns if turn.gold]
    return {
        "turns_with_gold": len(scored),
        "turns_with_prediction": sum(bool(turn.predicted) for turn in dialogue.turns),
        **exact_sum("AGA", map(turn_average_goal_accuracy, scored)),
        **exact_sum("IAGA", map(turn_improved_average_goal_accuracy, scored)),
    }


def _average_formula(sums: Sums, _: Choices) -> dict[str, float]:
    of_nothing = 1.0 * (sums["turns_with_prediction"] == 0)
    return {
        name: share(sum_of(sums, name), sums["turns_with_gold"], of_nothing)
        for name in ("AGA", "IAGA")
    }


def _average_reason(turn: StatePair, _: Choices) -> str:
    if not turn.gold:
        return "left out: the gold state is empty"
    return f"{turn.correct} of {len(turn.gold)} gold values found"


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


def _triples(dialogue: DialogueStates, _: Choices) -> Sums:
    return {
        "found": sum(turn.correct for turn in dialogue.turns),
        "predicted": sum(len(turn.predicted) for turn in dialogue.turns),
        "gold": sum(len(turn.gold) for turn in dialogue.turns),
    }


METRICS = (
    TrackingMetric(
        name="SA",
        title="slot accuracy",
        question="Are all slots that the data set defines right, absent ones included?",
        unit="percent of the slots, averaged over turns",
        source="Wu et al. (2019)",
        **mean_of_turns(
            "SA",
            lambda turn, choices: turn_slot_accuracy(turn, choices.slots, choices.dashes),
            lambda turn, choices: (
                f"{wrong_slots(turn, choices.dashes)} of {choices.slots} slots wrong"
            ),
        ),
        parameters=lambda choices: {"slots": str(choices.slots)},
        per_domain=("SA",),
        rank=20,
    ),
    TrackingMetric(
        name="AGA",
        title="average goal accuracy (IAGA: over the union of gold and predicted values)",
        question="What share of the gold values is predicted?",
        unit="percent of the values, averaged over turns with a gold state",
        source="Rastogi et al. (2020); Dey, Kummara & Desarkar (2022)",
        statistics=_average_statistics,
        formula=_average_formula,
        titles={"AGA": "AGA", "IAGA": "IAGA"},
        verdicts=turn_by_turn(
            "AGA",
            lambda turn, _: turn_average_goal_accuracy(turn) if turn.gold else None,
            _average_reason,
        ),
        rank=30,
    ),
    TrackingMetric(
        name="RSA",
        title="relative slot accuracy",
        question="What share of the slots of either state is right?",
        unit="percent of the slots, averaged over turns",
        source="Kim et al. (2022)",
        **mean_of_turns(
            "RSA",
            lambda turn, choices: turn_relative_slot_accuracy(turn, choices.dashes),
            _relative_reason,
        ),
        headlines=only("RSA"),
        per_domain=("RSA",),
        rank=40,
    ),
    TrackingMetric(
        name="F1",
        title="slot F1, with precision and recall",
        question="What share of predicted (precision) and gold (recall) values is right?",
        unit="percent of the values of all turns",
        source="Kim et al. (2022), table 1",
        statistics=_triples,
        formula=lambda sums, _: precision_recall_f1(**sums),
        titles={name: name for name in ("precision", "recall", "F1")},
        headlines=only("F1"),
        per_domain=("F1",),
        rank=70,
    ),
)
