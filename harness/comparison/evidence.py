"""What is known of a system, dialogue by dialogue, and the intervals of its scores.

Intervals are at 95 %, and say how much a score would vary with other dialogues of the same kind:
Inform and Success, rates of dialogues, have Wilson's score interval; everything else has the
percentiles of bootstrap samples of dialogues.

Source: Wilson (1927); Efron and Tibshirani (1993), chapter 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ..metrics import Figure, Played, Statistics, response_metrics
from ..signature import Signature
from .interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, Interval

if TYPE_CHECKING:
    import numpy.typing as npt

    Values: TypeAlias = Mapping[str, npt.NDArray[Any]]
    """Figure -> its value in each sample."""

_OF_BLEU = ("bleu", "combined")
"""What the names of figures that BLEU is a part of begin with."""


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
    def of(cls, played: Played, signature: Signature, name: str) -> Evidence:
        """Return the evidence of a system from a played submission of at least one dialogue.

        Metrics that cannot be resampled are left out.
        """
        # What chance draws must not hang on the order of dialogues in a file.
        by_id = {one.id: one for one in played.results}
        results = [by_id[id_] for id_ in played.benchmark.dialogues if id_ in by_id]
        statistics = {
            name: [metric.counts(results)]
            for name, metric in response_metrics().items()
            if name in played.metrics and metric.statistics is not None
        }
        return cls(name, signature, tuple(one.id for one in results), statistics)

    @property
    def figures(self) -> dict[str, Figure]:
        """Name -> figure, of all that can be computed."""
        return {one.name: one for outputs in self.statistics.values() for one in outputs[0].figures}

    def part(self, dialogues: Collection[str]) -> Evidence:
        """Return the evidence of some of the dialogues, in the order given."""
        places = {id_: place for place, id_ in enumerate(self.dialogues)}
        rows = np.array([places[id_] for id_ in dialogues], np.int64)
        return self._with_each(lambda one: one.part(rows), dialogues=tuple(dialogues))

    def without_bleu(self) -> Evidence:
        """Return the evidence without BLEU and the combined score, of which BLEU is a part."""
        statistics = {
            metric: [replace(one, figures=figures) for one in outputs]
            for metric, outputs in self.statistics.items()
            if (figures := [f for f in outputs[0].figures if not f.name.startswith(_OF_BLEU)])
        }
        return replace(self, statistics=statistics)

    def without_formulas(self) -> Evidence:
        """Return what is known for another process: a package's formula may not be sent there."""
        return self._with_each(lambda one: replace(one, formula=dict))

    def _with_each(self, change: Callable[[Statistics], Statistics], **more: Any) -> Evidence:
        statistics = {name: [*map(change, outputs)] for name, outputs in self.statistics.items()}
        return replace(self, statistics=statistics, **more)

    @cached_property
    def scores(self) -> Mapping[str, float]:
        """Figure -> value, of all dialogues: what the report says."""
        return self._mean(lambda one: one.scores())

    def weighted(self, counts: npt.NDArray[Any]) -> Values:
        """Return figure -> values, in samples that count each dialogue so many times."""
        return self._mean(lambda one: one.weighted(counts))

    def bootstrapped(self, samples: int, seed: int) -> Values:
        """Return figure -> values, in bootstrap samples of the dialogues."""
        blocks = bootstrap_samples(len(self.dialogues), samples, seed)
        drawn = [self.weighted(block) for block in blocks]
        return {name: np.concatenate([values[name] for values in drawn]) for name in drawn[0]}

    def swapped(self, other: Evidence, swaps: npt.NDArray[Any]) -> tuple[Values, Values]:
        """Return figure -> values of this and of another system after they swapped dialogues.

        Of systems with seeds each two outputs swap.

        Args:
            other: The other system, with the same dialogues and metrics.
            swaps: Sample x dialogue -> whether they swap it.
        """
        ours: dict[str, Any] = {}
        theirs: dict[str, Any] = {}
        for metric, outputs in self.statistics.items():
            both = [one.swapped(its, swaps) for one in outputs for its in other.statistics[metric]]
            ours |= _mean([values for values, _ in both])
            theirs |= _mean([values for _, values in both])
        return ours, theirs

    def won(self) -> dict[str, npt.NDArray[np.bool_]]:
        """Return figure -> whether each dialogue is won, of figures that are rates of dialogues.

        Of a system with seeds no dialogue is won or lost.
        """
        alone = [outputs[0] for outputs in self.statistics.values() if len(outputs) == 1]
        return {name: values for one in alone for name, values in one.won().items()}

    def _mean(self, values: Callable[[Statistics], Mapping[str, Any]]) -> dict[str, Any]:
        return {
            name: value
            for outputs in self.statistics.values()
            for name, value in _mean([values(one) for one in outputs]).items()
        }


def _mean(outputs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return figure -> mean over outputs."""
    if len(outputs) == 1:
        return {**outputs[0]}
    return {name: np.mean([one[name] for one in outputs], axis=0) for name in outputs[0]}


# -------------------------------------------------------------------------------- intervals

WILSON = "wilson"
BOOTSTRAP = "bootstrap"

BLOCK = 4096
"""How many samples are drawn at once. A multiple of 32 takes whole words from the generator, so
that what is drawn does not depend on where blocks end."""

_QUANTILE = 1.959963984540054
"""Of the normal distribution, at 97.5 %: that of `INTERVAL_LEVEL`."""


def bootstrap_samples(dialogues: int, samples: int, seed: int) -> Iterator[npt.NDArray[Any]]:
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
    intervals = {
        name: Interval(evidence.scores[name], *interval_ends(values), BOOTSTRAP)
        for name, values in evidence.bootstrapped(samples, seed).items()
    }
    for name, won in evidence.won().items():
        ends = wilson(int(won.sum()), len(won))
        intervals[name] = Interval(evidence.scores[name], *ends, WILSON)
    return intervals


def wilson(won: int, of: int) -> tuple[float, float]:
    """Return Wilson's score interval of a rate, in percent.

    Args:
        won: The dialogues won.
        of: The dialogues, at least 1.
    """
    share, scale = won / of, 2 * (of + _QUANTILE**2)
    middle = (2 * of * share + _QUANTILE**2) / scale
    half = _QUANTILE / scale * math.sqrt(4 * of * share * (1 - share) + _QUANTILE**2)
    return (
        100 * (middle - half) if won else 0.0,
        100 * (middle + half) if won < of else 100.0,
    )


def interval_ends(values: npt.NDArray[Any] | Sequence[float]) -> tuple[float, float]:
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


def intervals_document(evidence: Evidence, intervals: Mapping[str, Interval]) -> dict[str, Any]:
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
    value: float,
    of_sample: Callable[[npt.NDArray[Any]], float | None],
    units: int,
    seed: int = SEED,
) -> Interval:
    """Return a figure with the percentiles that it has in bootstrap samples.

    Args:
        value: The figure.
        of_sample: The same of a sample, given how often each dialogue, or other unit, is drawn;
            None of a sample that says nothing.
        units: The number of units.
        seed: The seed of the samples.
    """
    samples = (
        counts for block in bootstrap_samples(units, INTERVAL_SAMPLES, seed) for counts in block
    )
    values = [one for one in map(of_sample, samples) if one is not None]
    return Interval(value, *interval_ends(values), BOOTSTRAP)
