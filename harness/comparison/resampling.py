"""Resampling dialogues: intervals of scores, and paired tests of two systems.

Intervals are at 95 %, and say how much a score would vary with other dialogues of the same kind:
Inform and Success, rates of dialogues, have Wilson's score interval; everything else has the
percentiles of bootstrap samples of dialogues. Tests are two-sided. Inform and Success: McNemar's
exact test. Everything else: approximate randomisation, or the paired bootstrap as sacreBLEU
computes it. Several systems against one baseline: Holm's correction.

Source: Wilson (1927); Efron and Tibshirani (1993), chapter 13; McNemar (1947); Riezler and Maxwell
(2005); Koehn (2004); Holm (1979).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import SEED
from .evidence import Evidence
from .interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, Interval

if TYPE_CHECKING:
    from ..metrics.statistics import Floats

_BLOCK = 2**22
"""About how many numbers a block of samples holds."""


def bootstrap_samples(dialogues: int, samples: int, seed: int) -> Iterator[npt.NDArray[Any]]:
    """Yield bootstrap samples: as many dialogues as there are, drawn with replacement.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.
    """
    generator = np.random.default_rng(seed)
    for size in _block_sizes(dialogues, samples):
        drawn = generator.choice(dialogues, size=(size, dialogues), replace=True)
        places = drawn + dialogues * np.arange(size)[:, np.newaxis]
        counts = np.bincount(places.ravel(), minlength=size * dialogues)
        yield counts.reshape(size, dialogues)


def swaps(dialogues: int, samples: int, seed: int) -> Iterator[npt.NDArray[Any]]:
    """Yield which dialogues two systems swap, each with probability 1/2.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.
    """
    generator = np.random.default_rng(seed)
    for size in _block_sizes(dialogues, samples):
        yield generator.integers(2, size=(size, dialogues), dtype=bool)


def _block_sizes(dialogues: int, samples: int) -> Iterator[int]:
    # A multiple of 32 samples takes whole words from the generator, so that what is drawn does
    # not depend on where blocks end.
    largest = max(1, _BLOCK // dialogues // 32) * 32
    for start in range(0, samples, largest):
        yield min(largest, samples - start)


WILSON = "wilson"
BOOTSTRAP = "bootstrap"


def intervals_of(
    evidence: Evidence, samples: int = INTERVAL_SAMPLES, seed: int = SEED
) -> dict[str, Interval]:
    """Return figure -> its interval.

    Args:
        evidence: What is known of the system.
        samples: The number of bootstrap samples.
        seed: Their seed.
    """
    scores = evidence.scores
    ends = {
        name: (*wilson(int(won.sum()), len(won)), WILSON) for name, won in evidence.won().items()
    }
    ends |= {
        name: (low, high, BOOTSTRAP)
        for name, (low, high) in _percentiles(evidence, samples, seed).items()
        if name not in ends
    }
    return {name: Interval(value, *ends[name]) for name, value in scores.items()}


_QUANTILE = 1.959963984540054
"""Of the normal distribution, at 97.5 %: that of `INTERVAL_LEVEL`."""


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


def interval_parameters(seed: int = SEED) -> Mapping[str, str]:
    """Return what intervals of the usual number of samples depend on, for signatures."""
    return {"interval": str(INTERVAL_LEVEL), "resamples": str(INTERVAL_SAMPLES), "seed": str(seed)}


def intervals_document(evidence: Evidence, intervals: Mapping[str, Interval]) -> dict[str, Any]:
    """Return a system's intervals as JSON types, with all that they depend on besides it.

    Args:
        evidence: What is known of the system.
        intervals: Its intervals, as `intervals_of` gives them with the usual samples and seed.
    """
    parameters = {**evidence.signature.parameters, **interval_parameters()}
    return {
        "signature": str(replace(evidence.signature, parameters=parameters)),
        "level": INTERVAL_LEVEL,
        "samples": INTERVAL_SAMPLES,
        "seed": SEED,
        "dialogues": len(evidence.dialogues),
        "scores": {name: asdict(interval) for name, interval in intervals.items()},
    }


def _percentiles(evidence: Evidence, samples: int, seed: int) -> dict[str, tuple[float, float]]:
    drawn: dict[str, list[Any]] = {}
    for block in bootstrap_samples(len(evidence.dialogues), samples, seed):
        for name, values in evidence.weighted(block).items():
            drawn.setdefault(name, []).append(values)
    return {name: interval_ends(np.concatenate(values)) for name, values in drawn.items()}


def interval_ends(values: Floats) -> tuple[float, float]:
    """Return the ends of the interval that a figure's values in bootstrap samples have."""
    outside = (100 - INTERVAL_LEVEL) / 2
    low, high = np.percentile(values, [outside, 100 - outside])
    return float(low), float(high)


# --------------------------------------------------------------------------------------- tests

MCNEMAR = "mcnemar"

_ROUNDING = 1e-10
"""Differences that differ by less than this share of the figures are the same: the entropies are
not exact, and whether a sample reaches the observed difference must not hang on that."""


def mcnemar(only_a: int, only_b: int) -> float:
    """Return p of McNemar's exact test: min(1, 2 P(X <= min(b, c))), X binomial(b + c, 1/2).

    Args:
        only_a: The dialogues that only the first system wins.
        only_b: Those that only the second one wins.
    """
    tosses = only_a + only_b
    as_few = sum(math.comb(tosses, heads) for heads in range(min(only_a, only_b) + 1))
    # Whole numbers: nothing is rounded before they are divided.
    return float(min(1.0, 2 * as_few / 2**tosses))


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values after Holm's correction, in the order given.

    The k-th smallest of m (from 0) is multiplied by m - k; none may be below a smaller one's.
    """
    corrected = [0.0] * len(ps)
    highest = 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - rank) * ps[at]))
        corrected[at] = highest
    return corrected


def randomisation(a: Evidence, b: Evidence, samples: int, seed: int) -> dict[str, float]:
    """Return figure -> p of approximate randomisation.

    Two systems that are the same would differ as much if any dialogue were swapped between them.
    Every sample swaps each with probability 1/2; p = (c + 1) / (n + 1), with c the number of
    samples whose absolute difference is at least the observed one.

    Args:
        a: A system.
        b: Another one, with the same dialogues and metrics.
        samples: n.
        seed: The seed.
    """
    return randomisations([(a, b)], samples, seed)[0]


def randomisations(
    pairs: Sequence[tuple[Evidence, Evidence]], samples: int, seed: int
) -> list[dict[str, float]]:
    """Return figure -> p of approximate randomisation, of many pairs of systems.

    What is swapped is drawn once for all pairs with as many dialogues; p is what `randomisation`
    gives.

    Args:
        pairs: Systems with the same metrics; the two of a pair have the same dialogues.
        samples: n.
        seed: The seed.
    """
    observed = [_observed(a, b) for a, b in pairs]
    reached = [dict.fromkeys(differences, 0) for differences, _ in observed]
    for size in sorted({len(a.dialogues) for a, _ in pairs}):
        alike = [at for at, (a, _) in enumerate(pairs) if len(a.dialogues) == size]
        for block in swaps(size, samples, seed):
            for at in alike:
                first, second = pairs[at][0].swapped(pairs[at][1], block)
                for name, difference in observed[at][0].items():
                    least = difference - _ROUNDING * observed[at][1][name]
                    reached[at][name] += int((np.abs(first[name] - second[name]) >= least).sum())
    return [
        {name: (count + 1) / (samples + 1) for name, count in counts.items()} for counts in reached
    ]


def paired_bootstrap(a: Evidence, b: Evidence, samples: int, seed: int) -> dict[str, float]:
    """Return figure -> p of the paired bootstrap, as sacreBLEU computes it.

    p = (c + 1) / (n + 1), with c the number of samples in which the absolute difference exceeds the
    mean of all samples by more than the observed one. Systems that do not differ in any sample
    have p = 1, and so have any two on one dialogue, which resampling says nothing of; sacreBLEU's
    formula gives 1 / (n + 1) for both.

    Args:
        a: A system.
        b: Another one, with the same dialogues and metrics.
        samples: n.
        seed: The seed.
    """
    observed, scale = _observed(a, b)
    differences: dict[str, list[Floats]] = {name: [] for name in observed}
    for block in bootstrap_samples(len(a.dialogues), samples, seed):
        first, second = a.weighted(block), b.weighted(block)
        for name, parts in differences.items():
            parts.append(np.abs(first[name] - second[name]))
    ps = {}
    for name, difference in observed.items():
        found = np.concatenate(differences[name])
        reached = found - found.mean() > difference + _ROUNDING * scale[name]
        nothing = len(a.dialogues) == 1 or found.max() <= _ROUNDING * scale[name]
        ps[name] = 1.0 if nothing else (int(reached.sum()) + 1) / (samples + 1)
    return ps


Test: TypeAlias = Callable[[Evidence, Evidence, int, int], Mapping[str, float]]
"""Figure -> p, of two systems, a number of samples and a seed."""

TESTS: Mapping[str, Test] = {"randomisation": randomisation, "bootstrap": paired_bootstrap}
"""Name -> paired test by resampling; `TEST_SAMPLES` says how many samples each takes."""


def _observed(a: Evidence, b: Evidence) -> tuple[dict[str, float], dict[str, float]]:
    """Return figure -> the absolute difference, and how large the figures are."""
    first, second = a.scores, b.scores
    return (
        {name: abs(value - second[name]) for name, value in first.items()},
        {name: max(abs(value), abs(second[name]), 1.0) for name, value in first.items()},
    )
