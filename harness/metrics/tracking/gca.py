"""Granular change accuracy (GCA): how well the changes of the state are predicted, each once.

Aksu & Chen, "Granular Change Accuracy: A More Accurate Performance Metric for Dialogue State
Tracking" (2024), algorithm 1 and equation 6, as the authors' code has it. The paper's algorithm
has two slips (its line 21 tests the predicted state where the gold one is meant, and slots that a
state drops are not treated); here as there:

- a slot that a side's state had and no longer has is given the value `none`, a change like others;
- the parts of the mean are weighed by the changes that they are shares of (`change_scores`), unless
  the paper's weights are chosen;
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
from .choices import Choices
from .metric import Sums, TrackingMetric, Verdicts, only
from .states import ABSENT, DialogueStates, Slot, State, StatePair, slot_name

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
        turns: The dialogue's turns in order, slots with the value `none` included.
    """
    judged: list[list[Change]] = []
    before = StatePair({}, {})
    for turn in turns:
        if turn == before:
            judged.append([])
            continue
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
    return now if before.keys() <= now.keys() else {**dict.fromkeys(before, ABSENT), **now}


def _changed(before: State, now: State) -> list[tuple[Slot, str]]:
    """Return the pairs that were not there before."""
    if before == now:
        return []
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
        return "correct" if value == ABSENT else "missed"
    if predicted[slot] == value:
        return "correct"
    return "overshot" if value == ABSENT else "wrong"


def _judge_predicted(
    slot: Slot, value: str, gold: State, settled: Outcome | None
) -> Outcome | None:
    """Judge a predicted change; `settled` is what its slot's gold change was judged, if any."""
    if slot not in gold:
        return "correct" if value == ABSENT else "overshot"
    if value == gold[slot] and settled != "correct":
        return "correct"
    if value == ABSENT:
        return "missed"
    if value != gold[slot] and settled != "wrong":
        return "wrong"
    return None


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    return count_changes(chain.from_iterable(judge_changes(dialogue.pairs)))


def _formula(sums: Sums, choices: Choices) -> dict[str, float]:
    scores = change_scores(**sums, weighing=choices.gca)
    return {"GCA": scores.pop("gca"), **{f"changes.{name}": part for name, part in scores.items()}}


def _verdicts(dialogue: DialogueStates, _: Choices) -> list[Verdicts]:
    return [{"GCA": (None, _reason(changes))} for changes in judge_changes(dialogue.pairs)]


def _reason(changes: Sequence[Change]) -> str:
    by_outcome = {
        outcome: sorted(slot_name(slot) for slot, each in changes if each == outcome)
        for outcome in OUTCOMES
    }
    parts = [f"{outcome} {', '.join(slots)}" for outcome, slots in by_outcome.items() if slots]
    return f"counts {'; '.join(parts)}" if parts else "no changes"


METRIC = TrackingMetric(
    name="GCA",
    title="granular change accuracy",
    question="Is every change of the state predicted, each counted once?",
    unit="percent, of the changes of all dialogues",
    source="Aksu & Chen (2024)",
    statistics=_statistics,
    formula=_formula,
    titles={"GCA": "GCA", "changes": "GCA "},
    counts=OUTCOMES,
    verdicts=_verdicts,
    headlines=only("GCA"),
    correlated=True,
    rank=60,
)
