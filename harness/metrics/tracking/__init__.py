"""The state-tracking metrics, one per file, and the pairs of states they compare."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization.rules.registry import declared

from .dialogue_states import DialogueStates, StatePair

if TYPE_CHECKING:
    from .tracking_report import TrackingReport


Figures: TypeAlias = Mapping[str, Mapping[str, Any]]
"""Part of a report -> key -> figure, or a map of figures: what a metric gives."""

PARTS = ("metrics", "counts", "changes", "fuzzy", "per_slot")
"""The parts of a report that metrics fill. `metrics` and `fuzzy` and `changes` are in percent."""


@dataclass(frozen=True)
class Choices:
    """What the definitions of some metrics leave open.

    Attributes:
        lambdas: The values of λ of FGA, each at least 0.
        slots: T of slot accuracy, the number of slots the data set defines.
    """

    lambdas: Sequence[float]
    slots: int


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


def _no_parameters(choices: Choices) -> Mapping[str, str]:
    return {}


def _no_headlines(report: TrackingReport) -> Mapping[str, float]:
    return {}


@dataclass(frozen=True)
class TrackingMetric:
    """A metric of state tracking.

    Attributes:
        name: What reports call it.
        title: Its full name.
        question: What it asks, in one sentence.
        unit: Of its figures.
        source: The publication that defines it.
        compute: Its figures, of the dialogues that are scored.
        keys: The keys of its figures in the part `metrics` of reports; by default its name.
        verdicts: What it gives each turn of a dialogue and why, a sequence for each turn; None if
            it says nothing of a single turn.
        parameters: What its figures depend on besides the states, for the signature.
        headlines: Its figures that the compact table and the picture show: title -> percent.
        further: Its figures besides those of `metrics`: title -> percent, for the full table.
        of_domain: Its figures for the turns' part that belongs to one domain: key -> percent; None
            if it is not reported per domain.
        correlated: Whether reports say how far it goes with where mistakes lie (section 5.2 of Aksu
            & Chen, 2024).
        rank: Its place among the metrics.
    """

    name: str
    title: str
    question: str
    unit: str
    source: str
    compute: Callable[[Sequence[DialogueStates], Choices], Figures]
    keys: Sequence[str] | None = None
    verdicts: Callable[[DialogueStates, Choices], Sequence[Sequence[Verdict]]] | None = None
    parameters: Callable[[Choices], Mapping[str, str]] = _no_parameters
    headlines: Callable[[TrackingReport], Mapping[str, float]] = _no_headlines
    further: Callable[[TrackingReport], Mapping[str, float]] = _no_headlines
    of_domain: Callable[[Sequence[StatePair], Choices], Mapping[str, float]] | None = None
    correlated: bool = False
    rank: int = 100

    @property
    def own_keys(self) -> Sequence[str]:
        """The keys of its figures in the part `metrics` of reports."""
        return (self.name,) if self.keys is None else self.keys


def turn_by_turn(
    verdict: Callable[[StatePair, Choices], Verdict],
) -> Callable[[DialogueStates, Choices], Sequence[Sequence[Verdict]]]:
    """Return the verdicts of a metric that looks at one turn at a time."""
    return lambda dialogue, choices: [[verdict(turn, choices)] for turn in dialogue.turns]


def own_headline(key: str) -> Callable[[TrackingReport], Mapping[str, float]]:
    """Return the headlines of a metric that is one number of the part `metrics`."""

    def headlines(report: TrackingReport) -> Mapping[str, float]:
        value = report.metrics[key]
        assert isinstance(value, float)
        return {key: value}

    return headlines


@cache
def tracking_metrics() -> Mapping[str, TrackingMetric]:
    """Return name -> metric, of all metrics of state tracking."""
    found = declared(__package__, "METRIC", TrackingMetric)
    found.sort(key=lambda metric: (metric.rank, metric.name))
    taken: dict[str, str] = {}
    for metric in found:
        for key in {metric.name, *metric.own_keys}:
            if taken.setdefault(key, metric.name) != metric.name:
                raise RuntimeError(f"two state-tracking metrics are called {key}")
    return {metric.name: metric for metric in found}


def compute_all(dialogues: Sequence[DialogueStates], choices: Choices) -> dict[str, dict[str, Any]]:
    """Return part of a report -> key -> figure, of every metric, each part in order of rank.

    Args:
        dialogues: At least one dialogue, each of at least one turn.
        choices: What the metrics leave open.
    """
    parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for metric in tracking_metrics().values():
        for part, figures in metric.compute(dialogues, choices).items():
            if part not in parts:
                raise RuntimeError(f"{metric.name} fills {part}, which no report has")
            if parts[part].keys() & figures.keys():
                raise RuntimeError(f"{metric.name} gives a figure that another metric gives")
            parts[part] |= figures
    return parts
