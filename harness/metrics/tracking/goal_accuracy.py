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
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from mwz.database import reaches

from ..results import share
from .choices import DEFAULT_LAMBDAS, HEADLINE_LAMBDA, Choices, lambda_label
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
from .slot_accuracy import precision_recall_f1
from .states import DialogueStates, StatePair


def is_exact(turn: StatePair) -> bool:
    """Return whether a turn's gold and predicted states are the same set of triples."""
    return turn.gold == turn.predicted


def _exact_turns(dialogue: DialogueStates, _: Choices) -> Sums:
    return {"turns": len(dialogue.turns), "exact_turns": sum(map(is_exact, dialogue.turns))}


def _exact_reason(turn: StatePair, _: Choices) -> str:
    if is_exact(turn):
        return "the states are equal"
    return f"{turn.missed} missed, {turn.wrong} wrong, {turn.overshot} overshot"


EXACT = -1
ERROR = 0


def error_distances(
    turns: Sequence[StatePair], numbers: Sequence[int], version: str = Choices.fga
) -> list[float]:
    """Return for each turn of a dialogue how many turns ago its latest error was made.

    A turn that is exact is `EXACT`. A turn that errs itself is `ERROR`: an inexact turn that is the
    first, or follows an exact one, or adds a gold triple that is not predicted or a predicted one
    that is not gold.

    Args:
        turns: The dialogue's turns, in order.
        numbers: The turns' numbers, which distances are measured in.
        version: To the authors' "code" an inexact turn also errs because it follows an exact one,
            and before the first error distances are from turn -1. In their "paper" neither is so:
            such a turn is infinitely far from any error. By "slots", as in their script for TripPy,
            whose file has no values, it errs if other slots are wrong than in the turn before.
    """
    distances: list[float] = []
    last_error = -math.inf if version == "paper" else -1
    errs = _errs_in_other_slots if version == "slots" else _errs
    for at, turn in enumerate(turns):
        if is_exact(turn):
            distances.append(EXACT)
        elif (
            at == 0 or (version != "paper" and is_exact(turns[at - 1])) or errs(turns[at - 1], turn)
        ):
            distances.append(ERROR)
            last_error = numbers[at]
        else:
            distances.append(numbers[at] - last_error)
    return distances


def _errs(before: StatePair, turn: StatePair) -> bool:
    gold_added = turn.gold.items() - before.gold.items()
    predicted_added = turn.predicted.items() - before.predicted.items()
    return not (gold_added <= turn.predicted.items() and predicted_added <= turn.gold.items())


def _errs_in_other_slots(before: StatePair, turn: StatePair) -> bool:
    failed = (
        {slot for slot, _ in one.gold.items() ^ one.predicted.items()} for one in (before, turn)
    )
    return next(failed) != next(failed)


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
        distances = _distances(states, choices)
        scores += [turn_score(distances[at], decay) for at in positions]
    return float(share(sum(scores), len(scores)))


def _distances(dialogue: DialogueStates, choices: Choices) -> list[float]:
    return error_distances(dialogue.turns, dialogue.numbers, choices.fga)


def _flexible_statistics(dialogue: DialogueStates, choices: Choices) -> Sums:
    distances = _distances(dialogue, choices)
    sums: dict[str, float] = {
        "turns": len(distances),
        # M2 of the paper's table 1: turns that make no error of their own.
        "turn_matches": sum(distance != ERROR for distance in distances),
    }
    for decay in choices.lambdas:
        scores = (turn_score(distance, decay) for distance in distances)
        sums |= exact_sum(lambda_label(decay), scores)
    return sums


def _flexible_formula(sums: Sums, choices: Choices) -> dict[str, float]:
    labels = map(lambda_label, choices.lambdas)
    return {f"FGA.{label}": share(sum_of(sums, label), sums["turns"]) for label in labels}


def _flexible_verdicts(dialogue: DialogueStates, choices: Choices) -> list[Verdicts]:
    headings = {f"FGA λ={lambda_label(decay)}": decay for decay in choices.lambdas}
    return [
        {
            heading: (turn_score(distance, decay), _flexible_reason(distance))
            for heading, decay in headings.items()
        }
        for distance in _distances(dialogue, choices)
    ]


def _flexible_reason(distance: float) -> str:
    reasons = {
        EXACT: "the states are equal",
        ERROR: "the error is made in this turn",
        math.inf: "right in itself, before any error",
    }
    later = f"right in itself, {distance:g} after the turn of the latest error"
    return reasons.get(distance, later)


def _lambdas(choices: Choices) -> dict[str, str]:
    by_domain = [f"{name}={lambda_label(x)}" for name, x in sorted(choices.domain_lambdas.items())]
    common = {"lambda": ",".join(map(lambda_label, choices.lambdas))}
    return {**common, "domain-lambda": ",".join(by_domain)} if by_domain else common


def _flexible_headlines(keys: Collection[str]) -> Collection[str]:
    """Return all values of λ that were asked for, but one of the default ones."""
    if list(keys) == [f"FGA.{lambda_label(decay)}" for decay in DEFAULT_LAMBDAS]:
        return [f"FGA.{lambda_label(HEADLINE_LAMBDA)}"]
    return keys


FUZZY_RATIO = 95
"""Two values match if their partial ratio is over this."""


def matching_slots(turn: StatePair) -> int:
    """Return how many slots both states have with matching values."""
    return sum(
        _match(turn.predicted[slot], value)
        for slot, value in turn.gold.items()
        if slot in turn.predicted
    )


# A state is cumulative: turn after turn brings the same pairs of values.
@lru_cache(maxsize=2**16)
def _match(predicted: str, gold: str) -> bool:
    return predicted == gold or reaches(predicted, gold, FUZZY_RATIO + 1)


def is_fuzzily_exact(turn: StatePair) -> bool:
    """Return whether both states have the same slots, with matching values."""
    if turn.gold.keys() != turn.predicted.keys():
        return False
    return matching_slots(turn) == len(turn.gold)


def _fuzzy_statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    turns = dialogue.turns
    return {
        "turns": len(turns),
        "exact_turns": sum(map(is_fuzzily_exact, turns)),
        "as_written": sum(map(is_fuzzily_exact, dialogue.written or dialogue.turns)),
        "correct": sum(map(matching_slots, turns)),
        "predicted": sum(len(turn.predicted) for turn in turns),
        "gold": sum(len(turn.gold) for turn in turns),
    }


def _fuzzy_formula(sums: Sums, _: Choices) -> dict[str, float]:
    shares = {
        "joint_accuracy": share(sums["exact_turns"], sums["turns"]),
        "joint_accuracy_as_written": share(sums["as_written"], sums["turns"]),
        **precision_recall_f1(sums["correct"], sums["predicted"], sums["gold"]),
    }
    return {f"fuzzy.{name}": value for name, value in shares.items()}


METRICS = (
    TrackingMetric(
        name="JGA",
        question="Is the whole state right?",
        unit="percent of the turns",
        source="Henderson, Thomson & Williams (2014)",
        statistics=_exact_turns,
        formula=lambda sums, _: {"JGA": share(sums["exact_turns"], sums["turns"])},
        counts=("exact_turns",),
        verdicts=turn_by_turn("JGA", lambda turn, _: float(is_exact(turn)), _exact_reason),
        headlines=only("JGA"),
        per_domain=("JGA",),
        main=True,
        rank=10,
    ),
    TrackingMetric(
        name="joint recall",
        question="Are all gold values predicted (extra values ignored)?",
        unit="percent of the turns",
        source="reported as joint accuracy by papers that ignore extra slots",
        **mean_of_turns(
            "joint recall",
            lambda turn, _: float(turn.correct == len(turn.gold)),
            lambda turn, _: f"{turn.correct} of {len(turn.gold)} gold values found",
        ),
        rank=15,
    ),
    TrackingMetric(
        name="FGA",
        question="Is the state right, forgiving old errors with time?",
        unit="percent of the turns",
        source="Dey, Kummara & Desarkar (2022)",
        statistics=_flexible_statistics,
        formula=_flexible_formula,
        titles={"FGA": "FGA λ="},
        counts=("turn_matches",),
        verdicts=_flexible_verdicts,
        parameters=_lambdas,
        headlines=_flexible_headlines,
        correlated=True,
        rank=50,
    ),
    TrackingMetric(
        name="fuzzy joint accuracy",
        question="Is the whole state right, where values may differ in their spelling?",
        unit="percent of the turns",
        source="the evaluator of Nekvinda & Dušek (2021)",
        statistics=_fuzzy_statistics,
        formula=_fuzzy_formula,
        titles={"fuzzy": "fuzzy "},
        headlines=only("fuzzy.joint_accuracy"),
        rank=80,
    ),
)
