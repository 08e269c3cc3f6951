"""Which share of the slots, or of their changes, is right: SA, RSA, AGA, slot F1 and GCA.

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
- Granular change accuracy (GCA): how well the changes of the state are predicted, each once. Aksu &
  Chen, "Granular Change Accuracy: A More Accurate Performance Metric for Dialogue State Tracking"
  (2024), algorithm 1 and equation 6, as the authors' code has it. The paper's algorithm has two
  slips (its line 21 tests the predicted state where the gold one is meant, and slots that a state
  drops are not treated); here as there:

  - a slot that a side's state had and no longer has is given the value `none`, a change like
    others. In the code a `none` that a state writes out is the same, even of a slot that was never
    there, so that a tracker that writes it in every slot is right each time that gold has none.
    Here it is so only where `none` is chosen to be a value, and of gold states as `own_gold.py`
    says; otherwise such a slot is not there;
  - the parts of the mean are weighed by the changes that they are shares of (`change_scores`),
    unless the paper's weights are chosen;
  - a predicted change that equals gold and was already counted correct in the turn is tested on.
    Therefore a slot dropped on both sides at once counts as correct and as missed, and a perfect
    prediction scores below 1 where the gold state drops slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, groupby
from operator import itemgetter
from typing import Literal, TypeAlias

from ..results import share
from .choices import MULTIWOZ_SLOTS, Choices
from .metric import (
    Sums,
    TrackingMetric,
    Verdicts,
    exact_sum,
    mean_of_turns,
    only,
    sum_of,
    turn_by_turn,
)
from .own_gold import DROPPED
from .states import DialogueStates, Slot, State, StatePair, slot_name


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


def _average_statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    scored = [turn for turn in dialogue.turns if turn.gold]
    return {
        "turns_with_gold": len(scored),
        "turns_with_prediction": sum(bool(turn.predicted) for turn in dialogue.turns),
        **exact_sum("AGA", (turn.correct / len(turn.gold) for turn in scored)),
        # Of |gold or predicted|: a wrong slot has a pair of its own in each state.
        **exact_sum("IAGA", (turn.correct / (turn.slots + turn.wrong) for turn in scored)),
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


def precision_recall_f1(correct: float, predicted: float, gold: float) -> dict[str, float]:
    """Return precision, recall and their harmonic mean, by the names that reports use.

    Args:
        correct: Predictions that are right.
        predicted: All predictions.
        gold: All that was to be predicted.
    """
    of_nothing = 1.0 * (predicted + gold == 0)
    return {
        "precision": share(correct, predicted, of_nothing),
        "recall": share(correct, gold, of_nothing),
        "F1": share(correct, (predicted + gold) / 2, of_nothing),
    }


def _triples(dialogue: DialogueStates, _: Choices) -> Sums:
    return {
        "correct": sum(turn.correct for turn in dialogue.turns),
        "predicted": sum(len(turn.predicted) for turn in dialogue.turns),
        "gold": sum(len(turn.gold) for turn in dialogue.turns),
    }


Outcome: TypeAlias = Literal["missed", "wrong", "overshot", "correct"]
OUTCOMES: tuple[Outcome, ...] = ("missed", "wrong", "overshot", "correct")
"""What becomes of changes: M, W, O and C of the paper."""

VALUE_WEIGHT = {"code": 10 / 11, "paper": 0.9}
"""Whose the weights are -> that of the value scores; the label scores have the rest."""

Change: TypeAlias = tuple[Slot, Outcome]
"""A slot, and the outcome of one change of it."""


def change_scores(
    missed: float, wrong: float, overshot: float, correct: float, weighing: str = Choices.gca
) -> dict[str, float]:
    """Return the four part scores and their weighted harmonic mean, "gca", of counts of changes.

    The weights are (10/11, 10/11, 1/11, 1/11) x (P, G) in the code, with P = C + W + O, the
    predicted changes, and G = C + W + M, those of gold; (.9, .9, .1, .1) in the paper. To label
    scores a wrong value is as good as the right one. The mean is 0 if any part is 0. Without any
    change on either side there was nothing to do and nothing was done: 1.
    """
    predictions, golds = correct + wrong + overshot, correct + wrong + missed
    of_nothing = 1.0 * (predictions + golds == 0)
    parts = {
        "value_precision": share(correct, predictions, of_nothing),
        "value_recall": share(correct, golds, of_nothing),
        "label_precision": share(correct + wrong, predictions, of_nothing),
        "label_recall": share(correct + wrong, golds, of_nothing),
    }
    value, wholes = VALUE_WEIGHT[weighing], (predictions, golds)
    weights = [
        part * whole
        for part in (value, 1 - value)
        for whole in (wholes if weighing == "code" else (1, 1))
    ]
    inverse = sum(map(share, weights, parts.values()))
    mean = share(sum(weights), inverse)
    return {"gca": mean * (correct > 0) + of_nothing * (correct == 0), **parts}


def judge_changes(turns: Sequence[StatePair]) -> list[list[Change]]:
    """Return what became of every change of a dialogue's states, turn by turn.

    Args:
        turns: The dialogue's turns in order.
    """
    judged: list[list[Change]] = []
    before = StatePair({}, {})
    for turn in turns:
        now = StatePair(_carry(before.gold, turn.gold), _carry(before.predicted, turn.predicted))
        judged.append(_judge_turn(before, now))
        before = now
    return judged


def count_changes(changes: Iterable[Change]) -> dict[str, int]:
    """Return outcome -> number of changes."""
    counts = Counter(outcome for _, outcome in changes)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def count_by_slot(changes: Iterable[Change]) -> dict[Slot, dict[str, int]]:
    """Return slot -> outcome -> number of changes; slots are in alphabetical order."""
    ordered = groupby(sorted(changes, key=itemgetter(0)), key=itemgetter(0))
    return {slot: count_changes(of_slot) for slot, of_slot in ordered}


def _carry(before: State, now: State) -> State:
    """Return a state in which the slots that were there before and are gone have the value none."""
    return now if before.keys() <= now.keys() else {**dict.fromkeys(before, DROPPED), **now}


def _changed(before: State, now: State) -> list[tuple[Slot, str]]:
    """Return the pairs that were not there before."""
    return [(slot, value) for slot, value in now.items() if before.get(slot) != value]


def _judge_turn(before: StatePair, now: StatePair) -> list[Change]:
    gold_changes = [
        (slot, _judge_gold(slot, value, now.predicted))
        for slot, value in _changed(before.gold, now.gold)
    ]
    settled = dict(gold_changes)
    predicted_changes = [
        (slot, outcome)
        for slot, value in _changed(before.predicted, now.predicted)
        if (outcome := _judge_predicted(slot, value, now.gold, settled.get(slot))) is not None
    ]
    return gold_changes + predicted_changes


def _judge_gold(slot: Slot, value: str, predicted: State) -> Outcome:
    if slot not in predicted:
        return "correct" if value == DROPPED else "missed"
    if predicted[slot] == value:
        return "correct"
    return "overshot" if value == DROPPED else "wrong"


def _judge_predicted(
    slot: Slot, value: str, gold: State, settled: Outcome | None
) -> Outcome | None:
    """Judge a predicted change; `settled` is what its slot's gold change was judged, if any."""
    if slot not in gold:
        return "correct" if value == DROPPED else "overshot"
    if value == gold[slot] and settled != "correct":
        return "correct"
    if value == DROPPED:
        return "missed"
    if value != gold[slot] and settled != "wrong":
        return "wrong"
    return None


def _change_statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    return count_changes(chain.from_iterable(judge_changes(dialogue.changing)))


def _change_formula(sums: Sums, choices: Choices) -> dict[str, float]:
    scores = change_scores(**sums, weighing=choices.gca)
    return {"GCA": scores.pop("gca"), **{f"changes.{name}": part for name, part in scores.items()}}


def _change_verdicts(dialogue: DialogueStates, _: Choices) -> list[Verdicts]:
    return [
        {"GCA": (None, _change_reason(changes))} for changes in judge_changes(dialogue.changing)
    ]


def _change_reason(changes: Sequence[Change]) -> str:
    by_outcome = {
        outcome: sorted(slot_name(slot) for slot, each in changes if each == outcome)
        for outcome in OUTCOMES
    }
    parts = [f"{outcome} {', '.join(slots)}" for outcome, slots in by_outcome.items() if slots]
    return f"counts {'; '.join(parts)}" if parts else "no changes"


METRICS = (
    TrackingMetric(
        name="SA",
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
        question="What share of the gold values is predicted?",
        unit="percent of the values, averaged over turns with a gold state",
        source="Rastogi et al. (2020); Dey, Kummara & Desarkar (2022)",
        statistics=_average_statistics,
        formula=_average_formula,
        titles={"AGA": "AGA", "IAGA": "IAGA"},
        verdicts=turn_by_turn(
            "AGA",
            lambda turn, _: turn.correct / len(turn.gold) if turn.gold else None,
            _average_reason,
        ),
        rank=30,
    ),
    TrackingMetric(
        name="RSA",
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
    TrackingMetric(
        name="GCA",
        question="Is every change of the state predicted, each counted once?",
        unit="percent, of the changes of all dialogues",
        source="Aksu & Chen (2024)",
        statistics=_change_statistics,
        formula=_change_formula,
        titles={"GCA": "GCA", "changes": "GCA "},
        counts=OUTCOMES,
        verdicts=_change_verdicts,
        headlines=only("GCA"),
        correlated=True,
        rank=60,
    ),
)
