"""What metrics of state tracking share: how they are made, exact sums, and turns' verdicts.

A metric of state tracking is a `Metric` of the states of dialogues, made for the `Choices` that its
definition leaves open. Conventions of all of them:

- Figures are in percent.
- Averages are over all turns, whichever dialogue they are of.
- Where a denominator is 0 the score is 1 if nothing was predicted either (there was nothing to do,
  and nothing was done) and otherwise 0, unless the metric's own definition says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from ..metric import Figure, Figures, Metric, Number, Presentation, Row, Rows, Sums, share
from .states import DialogueStates, StatePair

TrackedStates: TypeAlias = Mapping[str, DialogueStates]
"""Dialogue id -> its states, as the metrics take them."""

TrackingMetric: TypeAlias = Metric[TrackedStates]

Verdict: TypeAlias = tuple[float | None, str]
"""What a metric gives a turn, from 0 to 1 or None if the turn is left out, and why."""

TurnVerdicts: TypeAlias = Sequence[Mapping[str, Verdict]]
"""Of each turn of a dialogue, heading -> what a metric gives the turn."""

_GROUP_TITLES = {"FGA": "FGA λ=", "changes": "GCA ", "fuzzy": "fuzzy "}
"""The first part of a figure's key, if it has two -> what the title begins with."""


def heading(key: str) -> str:
    """Return what tables call a figure.

    >>> heading("JGA"), heading("FGA.0.5"), heading("changes.value_precision")
    ('JGA', 'FGA λ=0.5', 'GCA value precision')
    """
    group, _, name = key.partition(".")
    return _GROUP_TITLES.get(group, group) + name.replace("_", " ")


def tracking_metric(
    name: str,
    keys: Sequence[str],
    count: Callable[[DialogueStates], Row],
    shares: Callable[[Sums], Figures],
    parameters: Mapping[str, str] | None = None,
) -> TrackingMetric:
    """Return a metric of state tracking.

    Args:
        name: What reports and the glossary call it.
        keys: Its figures' keys in reports: a name of its own, `JGA`, or one in a map, `FGA.0.5`.
        count: Makes the row of a dialogue.
        shares: Makes its figures of sums: key -> share, from 0 to 1. Of sums of nothing, too.
        parameters: What its figures depend on besides the states, for the signature.
    """

    def rows(states: TrackedStates) -> Rows:
        return {dialogue: count(turns) for dialogue, turns in states.items()}

    def formula(sums: Sums) -> Figures:
        return {key: 100 * value for key, value in shares(sums).items()}

    figures = [Figure(key, heading(key), use="detail") for key in keys]
    return Metric(
        name,
        Presentation(name, figures=figures),
        rows=rows,
        formula=formula,
        parameters=parameters or {},
        takes_samples=True,
    )


def turn_scores(name: str, score: Callable[[StatePair], float]) -> Callable[[DialogueStates], Row]:
    """Return what counts the turns of a dialogue and the sum of the scores that they get.

    Args:
        name: What the sum is called.
        score: The score of a turn, from 0 to 1; no turn is left out.
    """

    def count(dialogue: DialogueStates) -> Row:
        scores = list(map(score, dialogue))
        return {"turns": len(scores), **exact_sum(name, scores)}

    return count


def mean_of_turns(name: str) -> Callable[[Sums], Figures]:
    """Return the formula of the mean over turns of the scores that `turn_scores` sums."""
    return lambda sums: {name: share(sum_of(sums, name), sums["turns"])}


_HIGH = 2.0**26
_LOW = 2.0**34


@lru_cache(maxsize=1 << 12)
def _halves(score: float) -> tuple[float, float]:
    """Return a score from 0 to 1 as two whole numbers, in units of 2^-26 and of 2^-60."""
    scaled = score * _HIGH
    high = math.floor(scaled)
    return float(high), float(round((scaled - high) * _LOW))


def exact_sum(name: str, scores: Iterable[float]) -> dict[str, float]:
    """Return two columns for a sum of turns' scores, from 0 to 1; `sum_of` joins them.

    Scores are split into two whole numbers each, because sums of whole numbers below 2^53 are exact
    in floating point, in whatever order, by matrix products too. `sum_of` then gives what
    `math.fsum` does, to the last digit: of scores that are multiples of 2^-60, as all numbers from
    1/128 on are; of smaller ones 2^-61 at most is lost.

    >>> exact_sum("SA", [0.5, 1.0])
    {'SA high': 100663296.0, 'SA low': 0.0}
    """
    high_sum = low_sum = 0.0
    for score in scores:
        high, low = _halves(score)
        high_sum += high
        low_sum += low
    return {f"{name} high": high_sum, f"{name} low": low_sum}


def sum_of(sums: Sums, name: str) -> Number:
    """Return a sum of turns' scores; of arrays of sums, an array.

    >>> sum_of(exact_sum("SA", [0.5, 1.0]), "SA")
    1.5
    """
    return sums[f"{name} high"] / _HIGH + sums[f"{name} low"] / (_HIGH * _LOW)
