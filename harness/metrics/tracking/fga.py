"""Flexible goal accuracy (FGA): joint goal accuracy that forgives old errors with time.

Dey, Kummara & Desarkar, "Towards Fair Evaluation of Dialogue State Tracking by Flexible
Incorporation of Turn-level Performances" (2022), algorithm 1. A turn that is wrong only because an
earlier one was scores 1 - exp(-λ x), x turns after the error. λ = 0 is joint goal accuracy; as λ
grows FGA nears the share of turn-level matches.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence

from . import Sums, TrackingMetric, Verdict, exact_sum, share, sum_of
from .choices import DEFAULT_LAMBDAS, HEADLINE_LAMBDA, PLAIN, Choices, lambda_label
from .dialogue_states import DialogueStates, StatePair
from .jga import is_exact

EXACT = -1
ERROR = 0


def error_distances(
    turns: Sequence[StatePair], numbers: Sequence[int], version: str = PLAIN.fga
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
            such a turn is infinitely far from any error.
    """
    distances: list[float] = []
    last_error = -1 if version == "code" else -math.inf
    for at, turn in enumerate(turns):
        if is_exact(turn):
            distances.append(EXACT)
        elif (
            at == 0 or (version == "code" and is_exact(turns[at - 1])) or _errs(turns[at - 1], turn)
        ):
            distances.append(ERROR)
            last_error = numbers[at]
        else:
            distances.append(numbers[at] - last_error)
    return distances


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


def _errs(before: StatePair, turn: StatePair) -> bool:
    gold_added = turn.gold.items() - before.gold.items()
    predicted_added = turn.predicted.items() - before.predicted.items()
    return not (gold_added <= turn.predicted.items() and predicted_added <= turn.gold.items())


def _distances(dialogue: DialogueStates, choices: Choices) -> list[float]:
    return error_distances(dialogue.turns, dialogue.numbers, choices.fga)


def _statistics(dialogue: DialogueStates, choices: Choices) -> Sums:
    distances = _distances(dialogue, choices)
    sums: dict[str, float] = {
        "turns": len(distances),
        # M2 of the paper's table 1: turns that make no error of their own.
        "turn_matches": sum(distance != ERROR for distance in distances),
    }
    for decay in choices.lambdas:
        scores = (turn_score(distance, decay) for distance in distances)
        sums |= exact_sum(f"λ={lambda_label(decay)}", scores)
    return sums


def domain_decay(domain: str, choices: Choices) -> float:
    """Return the λ of a domain's FGA: its own, or the one shown where there is room for one."""
    common = (
        HEADLINE_LAMBDA
        if HEADLINE_LAMBDA in choices.lambdas
        else next(iter(choices.lambdas), HEADLINE_LAMBDA)
    )
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


def _parameters(choices: Choices) -> dict[str, str]:
    own = [f"{name}={lambda_label(x)}" for name, x in sorted(choices.domain_lambdas.items())]
    common = {"lambda": ",".join(map(lambda_label, choices.lambdas))}
    return {**common, "domain-lambda": ",".join(own)} if own else common


def _formula(sums: Sums, choices: Choices) -> dict[str, float]:
    labels = map(lambda_label, choices.lambdas)
    return {f"FGA.{label}": share(sum_of(sums, f"λ={label}"), sums["turns"]) for label in labels}


def _verdicts(dialogue: DialogueStates, choices: Choices) -> list[list[Verdict]]:
    return [
        [
            Verdict(f"FGA λ={lambda_label(decay)}", turn_score(distance, decay), _reason(distance))
            for decay in choices.lambdas
        ]
        for distance in _distances(dialogue, choices)
    ]


def _reason(distance: float) -> str:
    if distance == EXACT:
        return "the states are equal"
    if distance == ERROR:
        return "the error is made in this turn"
    if distance == math.inf:
        return "right in itself, before any error"
    return f"right in itself, {distance:g} after the turn of the latest error"


def _headlines(keys: Collection[str]) -> Collection[str]:
    """Return all values of λ that were asked for, but one of the default ones."""
    if list(keys) == [f"FGA.{lambda_label(decay)}" for decay in DEFAULT_LAMBDAS]:
        return [f"FGA.{lambda_label(HEADLINE_LAMBDA)}"]
    return keys


METRIC = TrackingMetric(
    name="FGA",
    title="flexible goal accuracy",
    question="Is the state right, forgiving old errors with time?",
    unit="percent of the turns",
    source="Dey, Kummara & Desarkar (2022)",
    statistics=_statistics,
    formula=_formula,
    titles={"FGA": "FGA λ="},
    counts=("turn_matches",),
    verdicts=_verdicts,
    parameters=_parameters,
    headlines=_headlines,
    correlated=("FGA",),
    rank=50,
)
