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
    Here it is so only where `none` is chosen to be a value, and of gold states as `matching.py`
    says; otherwise such a slot is not there;
  - the parts of the mean are weighed by the changes that they are shares of (`change_scores`),
    unless the paper's weights are chosen;
  - a predicted change that equals gold and was already counted correct in the turn is tested on.
    Therefore a slot dropped on both sides at once counts as correct and as missed, and a perfect
    prediction scores below 1 where the gold state drops slots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Literal, TypeAlias

from ..metric import Figures, Number, Row, Sums, share
from .choices import MULTIWOZ_SLOTS, Choices
from .matching import DROPPED
from .metric import (
    TrackingMetric,
    TurnVerdicts,
    Verdict,
    exact_sum,
    mean_of_turns,
    sum_of,
    tracking_metric,
    turn_scores,
)
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


def slot_accuracy(choices: Choices) -> TrackingMetric:
    """Return SA, the mean share of all slots that are right."""
    return tracking_metric(
        name="SA",
        keys=["SA"],
        count=turn_scores(
            "SA", lambda turn: turn_slot_accuracy(turn, choices.slots, choices.dashes)
        ),
        shares=mean_of_turns("SA"),
        parameters={"slots": str(choices.slots)},
    )


def slot_verdicts(dialogue: DialogueStates, choices: Choices) -> TurnVerdicts:
    """Return the SA of each turn, and how many of its slots are wrong."""
    verdicts = []
    for turn in dialogue:
        score = turn_slot_accuracy(turn, choices.slots, choices.dashes)
        reason = f"{wrong_slots(turn, choices.dashes)} of {choices.slots} slots wrong"
        verdicts.append({"SA": (score, reason)})
    return verdicts


def relative_slot_accuracy(choices: Choices) -> TrackingMetric:
    """Return RSA, the mean share of the slots of either state that are right."""
    return tracking_metric(
        name="RSA",
        keys=["RSA"],
        count=turn_scores("RSA", lambda turn: turn_relative_slot_accuracy(turn, choices.dashes)),
        shares=mean_of_turns("RSA"),
    )


def relative_verdicts(dialogue: DialogueStates, choices: Choices) -> TurnVerdicts:
    """Return the RSA of each turn, and how many slots of either state are right."""
    verdicts = []
    for turn in dialogue:
        reason = "no slots in either state"
        if turn.slots:
            slots = _slots_in_play(turn, choices.dashes)
            reason = f"{turn.correct} of the {slots} slots in either state right"
        verdicts.append({"RSA": (turn_relative_slot_accuracy(turn, choices.dashes), reason)})
    return verdicts


def count_averages(dialogue: DialogueStates) -> Row:
    """Count the turns of a dialogue that have a state, and sums of AGA and IAGA."""
    average, of_union = [], []
    turns_with_prediction = 0
    for turn in dialogue:
        turns_with_prediction += bool(turn.predicted)
        if turn.gold:
            average.append(turn.correct / len(turn.gold))
            # Of |gold or predicted|: a wrong slot has a pair of its own in each state.
            of_union.append(turn.correct / (turn.slots + turn.wrong))
    return {
        "turns_with_gold": len(average),
        "turns_with_prediction": turns_with_prediction,
        **exact_sum("AGA", average),
        **exact_sum("IAGA", of_union),
    }


def average_shares(sums: Sums) -> Figures:
    """Return AGA and IAGA as shares."""
    of_nothing = 1.0 * (sums["turns_with_prediction"] == 0)
    turns = sums["turns_with_gold"]
    return {name: share(sum_of(sums, name), turns, of_nothing) for name in ("AGA", "IAGA")}


def average_goal_accuracy(choices: Choices) -> TrackingMetric:
    """Return AGA, the mean share of gold values that are predicted, and IAGA."""
    return tracking_metric(
        name="AGA",
        keys=["AGA", "IAGA"],
        count=count_averages,
        shares=average_shares,
    )


def average_verdicts(dialogue: DialogueStates, _: Choices) -> TurnVerdicts:
    """Return the share of each turn's gold values that are predicted; None without gold values."""
    verdicts: list[dict[str, Verdict]] = []
    for turn in dialogue:
        if turn.gold:
            reason = f"{turn.correct} of {len(turn.gold)} gold values found"
            verdicts.append({"AGA": (turn.correct / len(turn.gold), reason)})
        else:
            verdicts.append({"AGA": (None, "left out: the gold state is empty")})
    return verdicts


def precision_recall_f1(correct: Number, predicted: Number, gold: Number) -> dict[str, Number]:
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


def count_triples(dialogue: DialogueStates) -> Row:
    """Count the slots with a value of all turns of a dialogue: right, predicted, and gold ones."""
    row = {"correct": 0, "predicted": 0, "gold": 0}
    for turn in dialogue:
        row["correct"] += turn.correct
        row["predicted"] += len(turn.predicted)
        row["gold"] += len(turn.gold)
    return row


def slot_f1(choices: Choices) -> TrackingMetric:
    """Return precision, recall and F1 of slots with their values."""
    return tracking_metric(
        name="F1",
        keys=["precision", "recall", "F1"],
        count=count_triples,
        shares=lambda sums: precision_recall_f1(sums["correct"], sums["predicted"], sums["gold"]),
    )


Outcome: TypeAlias = Literal["missed", "wrong", "overshot", "correct"]
OUTCOMES: tuple[Outcome, ...] = ("missed", "wrong", "overshot", "correct")
"""What becomes of changes: M, W, O and C of the paper."""

VALUE_WEIGHT = {"code": 10 / 11, "paper": 0.9}
"""Whose the weights are -> that of the value scores; the label scores have the rest."""

Change: TypeAlias = tuple[Slot, Outcome]
"""A slot, and the outcome of one change of it."""


def change_scores(
    missed: Number, wrong: Number, overshot: Number, correct: Number, weighing: str = Choices.gca
) -> dict[str, Number]:
    """Return the four part scores and their weighted harmonic mean, "gca", of counts of changes.

    The weights are (10/11, 10/11, 1/11, 1/11) x (P, G) in the code, with P = C + W + O, the
    predicted changes, and G = C + W + M, those of gold; (.9, .9, .1, .1) in the paper. To label
    scores a wrong value is as good as the right one. The mean is 0 if any part is 0. Without any
    change on either side there was nothing to do and nothing was done: 1.
    """
    predictions = correct + wrong + overshot
    golds = correct + wrong + missed
    of_nothing = 1.0 * (predictions + golds == 0)
    parts = {
        "value_precision": share(correct, predictions, of_nothing),
        "value_recall": share(correct, golds, of_nothing),
        "label_precision": share(correct + wrong, predictions, of_nothing),
        "label_recall": share(correct + wrong, golds, of_nothing),
    }
    value_weight = VALUE_WEIGHT[weighing]
    label_weight = 1 - value_weight
    precision_size, recall_size = (predictions, golds) if weighing == "code" else (1, 1)
    weights = {
        "value_precision": value_weight * precision_size,
        "value_recall": value_weight * recall_size,
        "label_precision": label_weight * precision_size,
        "label_recall": label_weight * recall_size,
    }
    inverse = sum(share(weights[name], part) for name, part in parts.items())
    mean = share(sum(weights.values()), inverse)
    return {"gca": mean * (correct > 0) + of_nothing * (correct == 0), **parts}


def judge_changes(dialogue: DialogueStates) -> list[list[Change]]:
    """Return what became of every change of a dialogue's states, turn by turn."""
    judged: list[list[Change]] = []
    gold_before: State = {}
    predicted_before: State = {}
    for turn in dialogue:
        gold = _carry(gold_before, {**turn.dropped, **turn.gold})
        predicted = _carry(predicted_before, turn.predicted)
        outcomes: dict[Slot, Outcome] = {}
        for slot, value in _changed(gold_before, gold):
            outcomes[slot] = _judge_gold(slot, value, predicted)
        changes = list(outcomes.items())
        for slot, value in _changed(predicted_before, predicted):
            outcome = _judge_predicted(slot, value, gold, outcomes.get(slot))
            if outcome is not None:
                changes.append((slot, outcome))
        judged.append(changes)
        gold_before, predicted_before = gold, predicted
    return judged


def count_changes(changes: Iterable[Change]) -> dict[str, int]:
    """Return outcome -> number of changes."""
    counts = Counter(outcome for _, outcome in changes)
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def count_by_slot(changes: Iterable[Change]) -> dict[Slot, dict[str, int]]:
    """Return slot -> outcome -> number of changes; slots are in alphabetical order."""
    changes_of: dict[Slot, list[Change]] = {}
    for change in changes:
        changes_of.setdefault(change[0], []).append(change)
    return {slot: count_changes(changes_of[slot]) for slot in sorted(changes_of)}


def _carry(before: State, now: State) -> State:
    """Return a state in which the slots that were there before and are gone have the value none."""
    return now if before.keys() <= now.keys() else {**dict.fromkeys(before, DROPPED), **now}


def _changed(before: State, now: State) -> list[tuple[Slot, str]]:
    """Return the pairs that were not there before."""
    return [(slot, value) for slot, value in now.items() if before.get(slot) != value]


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


def granular_change_accuracy(choices: Choices) -> TrackingMetric:
    """Return GCA and its four part scores."""

    def count(dialogue: DialogueStates) -> Row:
        return count_changes(chain.from_iterable(judge_changes(dialogue)))

    def shares(sums: Sums) -> Figures:
        scores = change_scores(**sums, weighing=choices.gca)
        figures = {"GCA": scores.pop("gca")}
        for name, score in scores.items():
            figures[f"changes.{name}"] = score
        return figures

    parts = ("value_precision", "value_recall", "label_precision", "label_recall")
    return tracking_metric(
        name="GCA",
        keys=["GCA", *(f"changes.{part}" for part in parts)],
        count=count,
        shares=shares,
    )


def change_verdicts(dialogue: DialogueStates, _: Choices) -> TurnVerdicts:
    """Return what became of the changes of each turn; GCA gives a single turn no score."""
    verdicts = []
    for changes in judge_changes(dialogue):
        counted = []
        for outcome in OUTCOMES:
            slots = sorted(slot_name(slot) for slot, judged in changes if judged == outcome)
            if slots:
                counted.append(f"{outcome} {', '.join(slots)}")
        reason = f"counts {'; '.join(counted)}" if counted else "no changes"
        verdicts.append({"GCA": (None, reason)})
    return verdicts
