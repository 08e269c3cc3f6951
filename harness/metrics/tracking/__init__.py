"""The state-tracking metrics, one per file: statistics of a dialogue, and a formula of their sums.

Scores, intervals and tests are all the formula of different sums. Conventions of all metrics:

- Formulae return shares, from 0 to 1; reports have them in percent.
- Averages are over all turns, whichever dialogue they are of.
- Where a denominator is 0 the score is 1 if nothing was predicted either (there was nothing to do,
  and nothing was done) and otherwise 0, unless the metric's own definition says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from mwz.normalization.rules.registry import declared

from ..results import joined, split
from .choices import Choices
from .dialogue_states import DialogueStates, StatePair

Sums: TypeAlias = Mapping[str, float]
"""Statistic -> whole number: of a dialogue, or added up over dialogues."""


@dataclass(frozen=True)
class Verdict:
    """What a metric gives a turn.

    Attributes:
        metric: The metric's name.
        score: The share, from 0 to 1; None where the metric leaves the turn out.
        reason: Why.
    """

    metric: str
    score: float | None
    reason: str


@dataclass(frozen=True)
class TrackingMetric:
    """A metric of state tracking.

    A figure's key in reports is a name of its own, or `map.name` in a map of figures: `JGA`,
    `FGA.0.5`, `fuzzy.F1`.

    Attributes:
        name: What reports call it.
        title: Its full name.
        question: What it asks, in one sentence.
        unit: Of its figures.
        source: The publication that defines it.
        statistics: The statistics of a dialogue: whole numbers, which are added up over dialogues.
        formula: Its figures, of the sums: key -> share. Of sums of nothing, too, and of arrays of
            one sum per sample: `share` divides both.
        titles: What tables call its figures: key -> title, or key of a map -> what stands before
            the names in it. By default it has one figure, its name.
        counts: The statistics whose sums reports show.
        verdicts: What it gives each turn of a dialogue and why, a sequence for each turn; None if
            it says nothing of a single turn.
        parameters: What its figures depend on besides the states, for the signature.
        headlines: Of the keys of its figures, those that compact tables and pictures show.
        per_domain: The keys of its figures that are also reported for each domain.
        correlated: The keys, or maps, of which reports say how far they go with where mistakes lie
            (section 5.2 of Aksu & Chen, 2024).
        main: Whether it is what papers compare systems by.
        rank: Its place among the metrics.
    """

    name: str
    title: str
    question: str
    unit: str
    source: str
    statistics: Callable[[DialogueStates, Choices], Sums]
    formula: Callable[[Sums, Choices], Mapping[str, float]]
    titles: Mapping[str, str] = field(default_factory=dict)
    counts: Sequence[str] = ()
    verdicts: Callable[[DialogueStates, Choices], Sequence[Sequence[Verdict]]] | None = None
    parameters: Callable[[Choices], Mapping[str, str]] = lambda choices: {}
    headlines: Callable[[Collection[str]], Collection[str]] = lambda keys: ()
    per_domain: Sequence[str] = ()
    correlated: Sequence[str] = ()
    main: bool = False
    rank: int = 100

    def __post_init__(self) -> None:
        if not self.titles:
            object.__setattr__(self, "titles", {self.name: self.name})

    def percentages(self, sums: Sums, choices: Choices) -> dict[str, float]:
        """Return its figures of the sums: key -> percent."""
        shares = self.formula(sums, choices)
        for key in shares:
            if not self.owns(key):
                raise RuntimeError(f"{self.name} gives {key}, which `titles` does not name")
        return {key: 100 * share for key, share in shares.items()}

    def owns(self, key: str) -> bool:
        """Return whether a figure of reports is its own."""
        return key.partition(".")[0] in self.titles

    def heading(self, key: str) -> str:
        """Return what tables call a figure: `FGA λ=0.5`, `fuzzy F1`, `GCA value precision`."""
        group, _, name = key.partition(".")
        return self.titles[group] + name.replace("_", " ")

    def headings(self, figures: Mapping[str, float], main_only: bool = False) -> dict[str, float]:
        """Return those of a report's figures that are its own: heading of tables -> percent."""
        own = [key for key in figures if self.owns(key)]
        return {
            self.heading(key): figures[key] for key in (self.headlines(own) if main_only else own)
        }


def turn_by_turn(
    verdict: Callable[[StatePair, Choices], Verdict],
) -> Callable[[DialogueStates, Choices], Sequence[Sequence[Verdict]]]:
    """Return the verdicts of a metric that looks at one turn at a time."""
    return lambda dialogue, choices: [[verdict(turn, choices)] for turn in dialogue.turns]


def mean_of_turns(
    name: str,
    score: Callable[[StatePair, Choices], float],
    reason: Callable[[StatePair, Choices], str],
) -> dict[str, Any]:
    """Return what defines a metric that is the mean of the scores that it gives turns.

    Args:
        name: The metric's name.
        score: The score of a turn; no turn is left out.
        reason: Why a turn has it.

    Returns:
        Its `statistics`, `formula` and `verdicts`.
    """

    def statistics(dialogue: DialogueStates, choices: Choices) -> Sums:
        scores = [score(turn, choices) for turn in dialogue.turns]
        return {"turns": len(scores), **exact_sum(name, scores)}

    def formula(sums: Sums, _: Choices) -> dict[str, float]:
        return {name: share(sum_of(sums, name), sums["turns"])}

    def verdict(turn: StatePair, choices: Choices) -> Verdict:
        return Verdict(name, score(turn, choices), reason(turn, choices))

    return {"statistics": statistics, "formula": formula, "verdicts": turn_by_turn(verdict)}


def only(*keys: str) -> Callable[[Collection[str]], Collection[str]]:
    """Return the headlines of a metric of which tables show these figures."""
    return lambda _: keys


def share(part: Any, whole: Any, of_nothing: Any = 0.0) -> Any:
    """Return a part of a whole, and another share where the whole is 0; of arrays, an array."""
    if isinstance(whole, float | int):
        return part / whole if whole else of_nothing
    import numpy as np

    return np.where(whole == 0, of_nothing, part / np.where(whole == 0, 1, whole))


def exact_sum(name: str, scores: Iterable[float]) -> dict[str, float]:
    """Return the statistics of a sum of turns' scores, from 0 to 1; `sum_of` makes it of them."""
    parts = [*zip(*map(split, scores), strict=True)] or [(), ()]
    return {f"{name} {half}": sum(part) for half, part in enumerate(parts)}


def sum_of(sums: Sums, name: str) -> Any:
    """Return a sum of turns' scores, exact to the last digit."""
    return joined(sums[f"{name} 0"], sums[f"{name} 1"])


@cache
def tracking_metrics() -> Mapping[str, TrackingMetric]:
    """Return name -> metric, of all metrics of state tracking."""
    found = declared(__package__, "METRIC", TrackingMetric)
    found.sort(key=lambda metric: (metric.rank, metric.name))
    taken: dict[str, str] = {}
    for metric in found:
        for key in {metric.name, *metric.titles}:
            if taken.setdefault(key, metric.name) != metric.name:
                raise RuntimeError(f"two state-tracking metrics are called {key}")
    return {metric.name: metric for metric in found}
