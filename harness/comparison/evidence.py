"""What is known of a system, dialogue by dialogue, and the intervals of its scores.

Intervals are at 95 %, and say how much a score would vary with other dialogues of the same kind:
Inform and Success, rates of dialogues, have Wilson's score interval; everything else has the
percentiles of bootstrap samples of dialogues.

Source: Wilson (1927); Efron and Tibshirani (1993), chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from mwz.normalization import blamed

from ..metrics import Figure, Figures, Formula, Metric, Number, Played, Rows
from ..signature import Signature
from .interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, Interval

Floats: TypeAlias = npt.NDArray[np.float64]
Values: TypeAlias = Mapping[str, Floats]
"""Figure -> its value in each sample."""

Counts: TypeAlias = npt.NDArray[np.int64]
"""Sample x dialogue, or other unit, -> how often it is drawn."""

Input = TypeVar("Input")
"""What a metric's rows are made of."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """A metric's rows of the dialogues that a system plays, as an array.

    Attributes:
        figures: What can be computed; the formula may give more.
        columns: The names of the columns.
        numbers: Dialogue x column, whole numbers, so that sums are exact.
        formula: Makes figures of the sums of columns.
        takes_samples: Whether the formula takes sums of many samples at once.
    """

    figures: Sequence[Figure]
    columns: Sequence[str]
    numbers: Floats
    formula: Formula
    takes_samples: bool = False

    def part(self, places: npt.NDArray[np.int64]) -> Statistics:
        """Return the statistics of some dialogues.

        Args:
            places: Their places in the order here; the result has them in this order.
        """
        return replace(self, numbers=self.numbers[places])

    def scores(self) -> Mapping[str, float]:
        """Return figure -> value, of all dialogues."""
        return self._figures_of(self._sums.tolist())

    @cached_property
    def _sums(self) -> Floats:
        sums: Floats = self.numbers.sum(axis=0)
        return sums

    def weighted(self, counts: Counts) -> Values:
        """Return every figure in samples.

        Args:
            counts: Sample x dialogue -> how often it counts.
        """
        return self.values(counts.astype(np.float64) @ self.numbers)

    def won(self) -> Mapping[str, npt.NDArray[np.bool_]]:
        """Return figure -> whether each dialogue is won, of figures that are rates of dialogues."""
        won = {}
        for figure in self.figures:
            if figure.won is not None:
                won[figure.name] = self.numbers[:, self.columns.index(figure.won)] > 0
        return won

    def _figures_of(self, sums: Iterable[Number]) -> dict[str, Number]:
        """Return figure -> value, given the sum of each column; of arrays of sums, an array."""
        values = self.formula(dict(zip(self.columns, sums, strict=True)))
        return {figure.name: values[figure.name] for figure in self.figures}

    def values(self, sums: Floats) -> Values:
        """Return figure -> its value in each sample, given sample x column."""
        if self.takes_samples:
            return self._figures_of(sums.T)
        samples: dict[str, list[float]] = {}
        for sample in sums.tolist():
            for name, value in self._figures_of(sample).items():
                samples.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in samples.items()}


def statistics_of(metric: Metric[Input], rows: Rows) -> Statistics:
    """Return the statistics of a metric's rows, in their order.

    Args:
        metric: A metric with a formula.
        rows: The rows of at least one dialogue.

    Raises:
        ValueError: The formula gives no figure of the metric's presentation.
    """
    assert metric.formula is not None, f"{metric.name} has no formula"
    first = next(iter(rows.values()))
    columns = list(first)
    table = []
    for row in rows.values():
        table.append([row[column] for column in columns])
    numbers = np.array(table, np.float64)
    sums = dict(zip(columns, numbers.sum(axis=0).tolist(), strict=True))
    with blamed("metrics", metric):
        values = metric.formula(sums)
        figures = [figure for figure in metric.presentation.all_figures() if figure.name in values]
        if not figures:
            raise ValueError("`formula` gives no figure that `presentation.figures` has")
    return Statistics(figures, columns, numbers, metric.formula, metric.takes_samples)


@dataclass(frozen=True)
class Evidence:
    """What is known of a system, dialogue by dialogue. Plain data, for other processes as well.

    Attributes:
        name: What the system is called.
        signature: The signature of its scores.
        dialogues: The ids of the dialogues it plays.
        statistics: Metric -> statistics of these dialogues, in this order: one, or of a system with
            several training seeds one for each. A figure is the mean of theirs.
    """

    name: str
    signature: Signature
    dialogues: tuple[str, ...]
    statistics: Mapping[str, Sequence[Statistics]]

    @classmethod
    def from_rows(
        cls, name: str, signature: Signature, metric: Metric[Input], rows: Rows
    ) -> Evidence:
        """Return the evidence of a system from the rows of one metric."""
        statistics = {metric.name: [statistics_of(metric, rows)]}
        return cls(name, signature, tuple(rows), statistics)

    @classmethod
    def from_played(cls, played: Played, signature: Signature, name: str) -> Evidence:
        """Return the evidence of a system from a played submission of at least one dialogue.

        Metrics that cannot be resampled are left out.
        """
        statistics = {}
        dialogues: tuple[str, ...] = ()
        for metric, rows in played.rows.items():
            statistics[metric] = [statistics_of(played.metrics[metric], rows)]
            dialogues = tuple(rows)
        return cls(name, signature, dialogues, statistics)

    @property
    def figures(self) -> dict[str, Figure]:
        """Name -> figure, of all that can be computed."""
        figures = {}
        for outputs in self.statistics.values():
            for figure in outputs[0].figures:
                figures[figure.name] = figure
        return figures

    def part(self, dialogues: Collection[str]) -> Evidence:
        """Return the evidence of some of the dialogues, in the order given."""
        places = {id_: place for place, id_ in enumerate(self.dialogues)}
        chosen = np.array([places[id_] for id_ in dialogues], np.int64)
        changed = self._with_each(lambda statistics: statistics.part(chosen))
        return replace(changed, dialogues=tuple(dialogues))

    def of_figures(self, names: Collection[str]) -> Evidence:
        """Return the evidence of some of the figures."""
        statistics = {}
        for metric, outputs in self.statistics.items():
            figures = [figure for figure in outputs[0].figures if figure.name in names]
            if figures:
                statistics[metric] = [replace(output, figures=figures) for output in outputs]
        return replace(self, statistics=statistics)

    def without_formulas(self) -> Evidence:
        """Return what is known for another process: a package's formula may not be sent there."""
        return self._with_each(lambda statistics: replace(statistics, formula=dict))

    def _with_each(self, change: Callable[[Statistics], Statistics]) -> Evidence:
        statistics = {}
        for metric, outputs in self.statistics.items():
            statistics[metric] = [change(output) for output in outputs]
        return replace(self, statistics=statistics)

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Figure -> value, of all dialogues: what the report says."""
        scores: dict[str, float] = {}
        for outputs in self.statistics.values():
            scores |= _mean([output.scores() for output in outputs])
        return scores

    def weighted(self, counts: Counts) -> Values:
        """Return figure -> values, in samples that count each dialogue so many times."""
        values: dict[str, Floats] = {}
        for outputs in self.statistics.values():
            values |= _mean([output.weighted(counts) for output in outputs])
        return values

    def bootstrapped(self, samples: int, seed: int) -> Values:
        """Return figure -> values, in bootstrap samples of the dialogues."""
        drawn: dict[str, list[Floats]] = {}
        for block in bootstrap_samples(len(self.dialogues), samples, seed):
            for name, values in self.weighted(block).items():
                drawn.setdefault(name, []).append(values)
        return {name: np.concatenate(blocks) for name, blocks in drawn.items()}

    def table(self) -> Floats:
        """Return dialogue x column, of all metrics and outputs."""
        return np.hstack([output.numbers for output in chain(*self.statistics.values())])

    def swapped(self, rest_sums: Floats, other: Evidence, swapped_sums: Floats) -> Values:
        """Return figure -> values after this and another system swapped dialogues.

        Of systems with seeds, every output of this one swaps with every output of the other one.

        Args:
            rest_sums: Sample x column of `table` -> its sum over the dialogues not swapped.
            other: The other system, with the same dialogues and metrics.
            swapped_sums: Sample x column of its table -> its sum over the dialogues swapped.
        """
        values: dict[str, Floats] = {}
        our_start = their_start = 0
        for metric, outputs in self.statistics.items():
            width = len(outputs[0].columns)
            our_end = our_start + width * len(outputs)
            their_end = their_start + width * len(other.statistics[metric])
            of_outputs = []
            for number, output in enumerate(outputs):
                start = our_start + number * width
                rest = rest_sums[:, start : start + width]
                for other_start in range(their_start, their_end, width):
                    sums = rest + swapped_sums[:, other_start : other_start + width]
                    of_outputs.append(output.values(sums))
            values |= _mean(of_outputs)
            our_start, their_start = our_end, their_end
        return values

    @cached_property
    def won(self) -> Mapping[str, npt.NDArray[np.bool_]]:
        """Return figure -> whether each dialogue is won, of figures that are rates of dialogues.

        Of a system with seeds no dialogue is won or lost.
        """
        won: dict[str, npt.NDArray[np.bool_]] = {}
        for outputs in self.statistics.values():
            if len(outputs) == 1:
                won |= outputs[0].won()
        return won


def _mean(outputs: Sequence[Figures]) -> dict[str, Number]:
    """Return figure -> mean over outputs."""
    if len(outputs) == 1:
        return dict(outputs[0])
    means: dict[str, Number] = {}
    for name in outputs[0]:
        means[name] = np.mean([output[name] for output in outputs], axis=0)
    return means


# -------------------------------------------------------------------------------- intervals

WILSON = "wilson"
BOOTSTRAP = "bootstrap"

BLOCK = 4096
"""How many samples are drawn at once. A multiple of 32 takes whole words from the generator, so
that what is drawn does not depend on where blocks end."""

_QUANTILE = 1.959963984540054
"""Of the normal distribution, at 97.5 %: that of `INTERVAL_LEVEL`."""


def bootstrap_samples(dialogues: int, samples: int, seed: int) -> Iterator[Counts]:
    """Yield bootstrap samples: as many dialogues as there are, drawn with replacement.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.

    Yields:
        Blocks of sample x dialogue -> how often it is drawn.
    """
    generator = np.random.default_rng(seed)
    for start in range(0, samples, BLOCK):
        size = min(BLOCK, samples - start)
        drawn = generator.choice(dialogues, size=(size, dialogues), replace=True)
        places = drawn + dialogues * np.arange(size)[:, np.newaxis]
        counts = np.bincount(places.ravel(), minlength=size * dialogues)
        yield counts.reshape(size, dialogues)


def intervals_of(
    evidence: Evidence, samples: int = INTERVAL_SAMPLES, seed: int = SEED
) -> dict[str, Interval]:
    """Return figure -> its interval.

    Args:
        evidence: What is known of the system.
        samples: The number of bootstrap samples.
        seed: Their seed.
    """
    intervals = {}
    for name, values in evidence.bootstrapped(samples, seed).items():
        low, high = interval_ends(values)
        intervals[name] = Interval(evidence.scores[name], low, high, BOOTSTRAP)
    for name, won in evidence.won.items():
        low, high = wilson(int(won.sum()), len(won))
        intervals[name] = Interval(evidence.scores[name], low, high, WILSON)
    return intervals


def wilson(won: int, dialogues: int) -> tuple[float, float]:
    """Return Wilson's score interval of a rate, in percent.

    Args:
        won: The dialogues won.
        dialogues: All dialogues, at least 1.
    """
    share = won / dialogues
    scale = 2 * (dialogues + _QUANTILE**2)
    middle = (2 * dialogues * share + _QUANTILE**2) / scale
    half = _QUANTILE / scale * math.sqrt(4 * dialogues * share * (1 - share) + _QUANTILE**2)
    low = 100 * (middle - half) if won else 0.0
    high = 100 * (middle + half) if won < dialogues else 100.0
    return low, high


def interval_ends(values: Floats | Sequence[float]) -> tuple[float, float]:
    """Return the ends of the interval that a figure's values in bootstrap samples have."""
    outside = (100 - INTERVAL_LEVEL) / 2
    low, high = np.percentile(values, [outside, 100 - outside])
    return float(low), float(high)


def resampled_signature(signature: Signature, seed: int = SEED, **parameters: str) -> Signature:
    """Return a signature with all that intervals depend on, after other parameters."""
    resampling = {
        "interval": str(INTERVAL_LEVEL),
        "resamples": str(INTERVAL_SAMPLES),
        "seed": str(seed),
    }
    return replace(signature, parameters={**signature.parameters, **parameters, **resampling})


def intervals_document(evidence: Evidence, intervals: Mapping[str, Interval]) -> dict[str, object]:
    """Return a system's intervals as JSON types, with all that they depend on besides it.

    Args:
        evidence: What is known of the system.
        intervals: Its intervals, as `intervals_of` gives them with the usual samples and seed.
    """
    return {
        "signature": str(resampled_signature(evidence.signature)),
        "level": INTERVAL_LEVEL,
        "samples": INTERVAL_SAMPLES,
        "seed": SEED,
        "dialogues": len(evidence.dialogues),
        "scores": {name: asdict(interval) for name, interval in intervals.items()},
    }


def bootstrap_interval(
    value: float, of_sample: Callable[[Counts], float | None], units: int
) -> Interval:
    """Return a figure with the percentiles that it has in bootstrap samples.

    Args:
        value: The figure.
        of_sample: The same of a sample, given how often each dialogue, or other unit, is drawn;
            None of a sample that says nothing.
        units: The number of units.
    """
    values = []
    for block in bootstrap_samples(units, INTERVAL_SAMPLES, SEED):
        for counts in block:
            sampled = of_sample(counts)
            if sampled is not None:
                values.append(sampled)
    low, high = interval_ends(values)
    return Interval(value, low, high, BOOTSTRAP)
