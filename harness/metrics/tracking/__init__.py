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

from ..statistics import joined, split
from .dialogue_states import DialogueStates, StatePair
from .tracking_report import TrackingReport

Sums: TypeAlias = Mapping[str, float]
"""Statistic -> whole number: of a dialogue, or added up over dialogues."""

DEFAULT_LAMBDAS = (0.25, 0.5, 0.75, 1.0)
"""The values of λ that table 1 of Dey, Kummara & Desarkar (2022) reports."""

MULTIWOZ_SLOTS = 30
"""The slots of MultiWOZ's five domains, as every published slot accuracy counts them."""

PER_DOMAIN_CHOICES = ("gold-slots", "active", "dialogues")
DONTCARE_CHOICES = ("keep", "drop")
NONE_CHOICES = ("absent", "value")
CODE_CHOICES = ("code", "paper")
DASHES_CHOICES = ("last", "kept")


@dataclass(frozen=True)
class Choices:
    """What the definitions of metrics leave open, and which variant of joint accuracy is meant.

    Papers report variants under one name. Recall only is a metric of its own (`joint_recall.py`),
    and so is the response evaluator's fuzzy joint accuracy.

    Attributes:
        lambdas: The values of λ of FGA, each at least 0.
        slots: T of slot accuracy, the number of slots the data set defines.
        per_domain_over: Which turns scores per domain average over: those whose gold state has the
            domain ("gold-slots"), those in which it is "active", or all turns of the "dialogues"
            that have it in their goal. In one system's case the mean over domains differs by
            twelve points.
        dontcare: "keep", or "drop": slots with the value `dontcare` are left out on both sides.
        none: "absent": a slot with the value `none` is no slot (GCA: it is dropped), as in the
            authors' code of most metrics; or "value", as in the public response evaluator's states.
        gca: Whether GCA weighs its parts as the authors' "code" does, or as equation 6 of their
            "paper".
        fga: Whether a turn that follows an exact one and is not exact errs, as in the authors'
            "code", or only if it adds what is wrong or lacks what is new, as in their "paper".
        domain_lambdas: Domain -> λ of its FGA, where it has one of its own.
        dashes: What a dash in a value is to SA and RSA. "last": the slot is what stands before the
            last dash of `domain-slot-value`, as in the published code of Dey et al. (2022) and of
            Aksu & Chen (2024), so that a wrong value with a dash of its own ("sixty-two") is of
            another slot; "kept": it belongs to the value.
    """

    lambdas: Sequence[float] = DEFAULT_LAMBDAS
    slots: int = MULTIWOZ_SLOTS
    per_domain_over: str = "gold-slots"
    dontcare: str = "keep"
    none: str = "absent"
    gca: str = "code"
    fga: str = "code"
    dashes: str = "last"
    domain_lambdas: Mapping[str, float] = field(default_factory=dict)

    @property
    def variants(self) -> dict[str, str]:
        """The variants of metrics, as signatures name them; those of papers only if chosen."""
        always = {"per-domain": self.per_domain_over, "dontcare": self.dontcare, "none": self.none}
        return always | {
            name: chosen
            for name in ("gca", "fga", "dashes")
            if (chosen := getattr(self, name)) != getattr(PLAIN, name)
        }


PLAIN = Choices()
"""What is meant where nothing is said."""


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

    def headings(self, report: TrackingReport, main_only: bool = False) -> dict[str, float]:
        """Return its figures in a report as tables show them: heading -> percent."""
        own = {key: value for key, value in report.figures.items() if self.owns(key)}
        shown = self.headlines(own) if main_only else own
        return {self.heading(key): own[key] for key in shown}


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


def headline_figures(report: TrackingReport) -> dict[str, float]:
    """Return the figures that compact tables and pictures show: heading -> percent."""
    return {
        heading: value
        for metric in tracking_metrics().values()
        for heading, value in metric.headings(report, main_only=True).items()
    }
