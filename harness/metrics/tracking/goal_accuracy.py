"""Whether the whole state is right: joint goal accuracy (JGA) and what forgives more than it.

- JGA: the share of turns whose state is predicted exactly. Henderson, Thomson & Williams, "The
  second dialog state tracking challenge" (2014); equation 1 of Kim et al., "Mismatch between
  Multi-turn Dialogue and its Evaluation Metric in Dialogue State Tracking" (2022). An error stays
  in every later state, so one early slip can cost a dialogue.
- Joint recall ignores what is predicted in excess. Some papers call it joint accuracy: they ask of
  each gold slot whether it is predicted right, and of no other slot whether it is predicted.
- Flexible goal accuracy (FGA) forgives old errors with time. Dey, Kummara & Desarkar, "Towards Fair
  Evaluation of Dialogue State Tracking by Flexible Incorporation of Turn-level Performances"
  (2022), algorithm 1. A turn that is wrong only because an earlier one was scores 1 - exp(-λ x), x
  turns after the error. λ = 0 is JGA; as λ grows FGA nears the share of turn-level matches.
- Fuzzy joint accuracy forgives small differences in how a value is written. It is the measure of
  the public response evaluator that goes with Nekvinda & Dušek, "Shades of BLEU, Flavours of
  Success" (2021). Two values match if their partial ratio is over 95. As all metrics, it takes
  `bookday` for `day`, and absent values for none. The evaluator does neither: its own figure is the
  one "as written". Since the gold states of MultiWOZ 2.2 have `bookday`, a system that writes `day`
  is never right there once something is booked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache, partial

from mwz.database import reaches

from ..metric import Figures, Row, Sums, share
from .choices import HEADLINE_LAMBDA, Choices, lambda_label
from .metric import (
    TrackingMetric,
    TurnVerdicts,
    exact_sum,
    mean_of_turns,
    sum_of,
    tracking_metric,
    turn_scores,
)
from .slot_accuracy import precision_recall_f1
from .states import DialogueStates, Slot, StatePair


def is_exact(turn: StatePair) -> bool:
    """Return whether a turn's gold and predicted states are the same set of triples."""
    return turn.gold == turn.predicted


def count_exact_turns(dialogue: DialogueStates) -> Row:
    """Count the turns of a dialogue, and the exact ones."""
    return {"turns": len(dialogue), "exact_turns": sum(map(is_exact, dialogue))}


def joint_goal_accuracy(choices: Choices) -> TrackingMetric:
    """Return JGA, the share of exact turns."""
    return tracking_metric(
        name="JGA",
        keys=["JGA"],
        count=count_exact_turns,
        shares=lambda sums: {"JGA": share(sums["exact_turns"], sums["turns"])},
    )


def joint_verdicts(dialogue: DialogueStates, _: Choices) -> TurnVerdicts:
    """Return 1 for each exact turn and 0 for the others, with the slots that differ."""
    verdicts = []
    for turn in dialogue:
        reason = "the states are equal"
        if not is_exact(turn):
            reason = f"{turn.missed} missed, {turn.wrong} wrong, {turn.overshot} overshot"
        verdicts.append({"JGA": (float(is_exact(turn)), reason)})
    return verdicts


def has_all_gold(turn: StatePair) -> bool:
    """Return whether every gold slot of a turn is predicted right."""
    return turn.correct == len(turn.gold)


def joint_recall(choices: Choices) -> TrackingMetric:
    """Return joint recall, the share of turns that have all gold values."""
    return tracking_metric(
        name="joint recall",
        keys=["joint recall"],
        count=turn_scores("joint recall", has_all_gold),
        shares=mean_of_turns("joint recall"),
    )


def recall_verdicts(dialogue: DialogueStates, _: Choices) -> TurnVerdicts:
    """Return 1 for each turn with all gold values and 0 for the others, with how many it has."""
    verdicts = []
    for turn in dialogue:
        reason = f"{turn.correct} of {len(turn.gold)} gold values found"
        verdicts.append({"joint recall": (float(has_all_gold(turn)), reason)})
    return verdicts


EXACT = -1
ERROR = 0


def error_distances(dialogue: DialogueStates, version: str = Choices.fga) -> list[float]:
    """Return for each turn of a dialogue how many turns ago its latest error was made.

    A turn that is exact is `EXACT`. A turn that errs itself is `ERROR`: an inexact turn that is the
    first, or follows an exact one, or adds a gold triple that is not predicted or a predicted one
    that is not gold.

    Args:
        dialogue: The dialogue's states.
        version: To the authors' "code" an inexact turn also errs because it follows an exact one,
            and before the first error distances are from turn -1. In their "paper" neither is so:
            such a turn is infinitely far from any error. By "slots", as in their script for TripPy,
            whose file has no values, it errs if other slots are wrong than in the turn before.
    """
    distances: list[float] = []
    last_error = -math.inf if version == "paper" else -1
    before = None
    for number, turn in enumerate(dialogue):
        if is_exact(turn):
            distances.append(EXACT)
        elif before is None or _errs(before, turn, version):
            distances.append(ERROR)
            last_error = number
        else:
            distances.append(number - last_error)
        before = turn
    return distances


def _errs(before: StatePair, turn: StatePair, version: str) -> bool:
    """Return whether an inexact turn errs itself, given the turn before it."""
    if version != "paper" and is_exact(before):
        return True
    if version == "slots":
        return _wrong_slots(before) != _wrong_slots(turn)
    gold_added = turn.gold.items() - before.gold.items()
    predicted_added = turn.predicted.items() - before.predicted.items()
    return not (gold_added <= turn.predicted.items() and predicted_added <= turn.gold.items())


def _wrong_slots(turn: StatePair) -> set[Slot]:
    return {slot for slot, _ in turn.gold.items() ^ turn.predicted.items()}


def turn_score(distance: float, decay: float) -> float:
    """Return a turn's FGA, given its distance from the latest error.

    Args:
        distance: As `error_distances` gives it.
        decay: λ, at least 0; infinity gives turn-level matches.
    """
    if distance == EXACT:
        return 1.0
    if distance == ERROR or decay == 0:
        return 0.0
    return -math.expm1(-decay * distance)


def domain_decay(domain: str, choices: Choices) -> float:
    """Return the λ of a domain's FGA: its own, or the one shown where there is room for one."""
    common = HEADLINE_LAMBDA
    if HEADLINE_LAMBDA not in choices.lambdas:
        common = next(iter(choices.lambdas), HEADLINE_LAMBDA)
    return choices.domain_lambdas.get(domain, common)


def domain_score(
    parts: Iterable[tuple[DialogueStates, Sequence[int]]], decay: float, choices: Choices
) -> float:
    """Return FGA of a domain, from 0 to 1: of the turns that count, each within its dialogue.

    Args:
        parts: The domain's slots of dialogues, and the positions of the turns that count.
        decay: λ.
        choices: What the metrics leave open.
    """
    scores = []
    for states, positions in parts:
        distances = error_distances(states, choices.fga)
        scores += [turn_score(distances[position], decay) for position in positions]
    return float(share(sum(scores), len(scores)))


def count_flexibly(dialogue: DialogueStates, choices: Choices) -> Row:
    """Count the turns of a dialogue, those without an error of their own, and sums of FGA."""
    distances = error_distances(dialogue, choices.fga)
    row: dict[str, float] = {
        "turns": len(distances),
        # M2 of the paper's table 1: turns that make no error of their own.
        "turn_matches": sum(distance != ERROR for distance in distances),
    }
    for decay in choices.lambdas:
        scores = [turn_score(distance, decay) for distance in distances]
        row |= exact_sum(lambda_label(decay), scores)
    return row


def flexible_goal_accuracy(choices: Choices) -> TrackingMetric:
    """Return FGA, with every λ that is asked for."""
    labels = [lambda_label(decay) for decay in choices.lambdas]

    def shares(sums: Sums) -> Figures:
        return {f"FGA.{label}": share(sum_of(sums, label), sums["turns"]) for label in labels}

    parameters = {"lambda": ",".join(labels)}
    by_domain = []
    for domain, decay in sorted(choices.domain_lambdas.items()):
        by_domain.append(f"{domain}={lambda_label(decay)}")
    if by_domain:
        parameters["domain-lambda"] = ",".join(by_domain)
    return tracking_metric(
        name="FGA",
        keys=[f"FGA.{label}" for label in labels],
        count=partial(count_flexibly, choices=choices),
        shares=shares,
        parameters=parameters,
    )


def flexible_verdicts(dialogue: DialogueStates, choices: Choices) -> TurnVerdicts:
    """Return what FGA gives each turn, with every λ."""
    turns = []
    reasons = {
        EXACT: "the states are equal",
        ERROR: "the error is made in this turn",
        math.inf: "right in itself, before any error",
    }
    for distance in error_distances(dialogue, choices.fga):
        later = f"right in itself, {distance:g} after the turn of the latest error"
        reason = reasons.get(distance, later)
        verdicts = {}
        for decay in choices.lambdas:
            verdicts[f"FGA λ={lambda_label(decay)}"] = turn_score(distance, decay), reason
        turns.append(verdicts)
    return turns


FUZZY_RATIO = 95
"""Two values match if their partial ratio is over this."""


def matching_slots(turn: StatePair) -> int:
    """Return how many slots both states have with matching values."""
    matching = 0
    for slot, value in turn.gold.items():
        matching += slot in turn.predicted and _match(turn.predicted[slot], value)
    return matching


# A state is cumulative: turn after turn brings the same pairs of values.
@lru_cache(maxsize=2**16)
def _match(predicted: str, gold: str) -> bool:
    return predicted == gold or reaches(predicted, gold, FUZZY_RATIO + 1)


def is_fuzzily_exact(turn: StatePair) -> bool:
    """Return whether both states have the same slots, with matching values."""
    if turn.gold.keys() != turn.predicted.keys():
        return False
    return matching_slots(turn) == len(turn.gold)


def count_fuzzily(dialogue: DialogueStates) -> Row:
    """Count the turns of a dialogue, those that are fuzzily exact, and slots."""
    row = dict.fromkeys(("exact_turns", "as_written", "correct", "predicted", "gold"), 0)
    for turn in dialogue:
        row["exact_turns"] += is_fuzzily_exact(turn)
        row["as_written"] += is_fuzzily_exact(turn.written or turn)
        row["correct"] += matching_slots(turn)
        row["predicted"] += len(turn.predicted)
        row["gold"] += len(turn.gold)
    return {"turns": len(dialogue), **row}


def fuzzy_shares(sums: Sums) -> Figures:
    """Return the figures of fuzzy matching, as shares."""
    shares = {
        "fuzzy.joint_accuracy": share(sums["exact_turns"], sums["turns"]),
        "fuzzy.joint_accuracy_as_written": share(sums["as_written"], sums["turns"]),
    }
    slots = precision_recall_f1(sums["correct"], sums["predicted"], sums["gold"])
    for name, value in slots.items():
        shares[f"fuzzy.{name}"] = value
    return shares


def fuzzy_joint_accuracy(choices: Choices) -> TrackingMetric:
    """Return fuzzy joint accuracy, and precision, recall and F1 of slots that match fuzzily."""
    names = ("joint_accuracy", "joint_accuracy_as_written", "precision", "recall", "F1")
    return tracking_metric(
        name="fuzzy joint accuracy",
        keys=[f"fuzzy.{name}" for name in names],
        count=count_fuzzily,
        shares=fuzzy_shares,
    )
