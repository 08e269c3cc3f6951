"""Intervals of scores, at 95 %: how much they would vary with other dialogues of the same kind.

Inform and Success, rates of dialogues, have Wilson's score interval; everything else has the
percentiles of bootstrap samples of dialogues.

Source: Wilson (1927); Efron and Tibshirani (1993), chapter 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from ..metrics.statistics import Block
from .evidence import Evidence
from .interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, Interval

_BLOCK = 2**22
"""About how many numbers a block of samples holds."""


def bootstrap_samples(dialogues: int, samples: int, seed: int) -> Iterator[Block]:
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
        yield Block(counts.reshape(size, dialogues))


def swaps(dialogues: int, samples: int, seed: int) -> Iterator[Block]:
    """Yield which dialogues two systems swap, each with probability 1/2.

    Args:
        dialogues: The number of dialogues, at least 1.
        samples: The number of samples.
        seed: The seed.
    """
    generator = np.random.default_rng(seed)
    for size in _block_sizes(dialogues, samples):
        yield Block(generator.integers(2, size=(size, dialogues), dtype=bool))


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
    scores = evidence.scores()
    ends = {
        name: (*wilson(int(won.sum()), len(won)), WILSON) for name, won in evidence.won().items()
    }
    ends |= {
        name: (low, high, BOOTSTRAP)
        for name, (low, high) in _percentiles(evidence, samples, seed).items()
        if name not in ends
    }
    return {name: Interval(value, *ends[name]) for name, value in scores.items()}


def wilson(won: int, of: int) -> tuple[float, float]:
    """Return Wilson's score interval of a rate, in percent.

    Args:
        won: The dialogues won.
        of: The dialogues, at least 1.
    """
    from scipy.stats import binomtest

    interval = binomtest(won, of).proportion_ci(INTERVAL_LEVEL / 100, method="wilson")
    return 100 * float(interval.low), 100 * float(interval.high)


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
    outside = (100 - INTERVAL_LEVEL) / 2
    return {
        name: (float(low), float(high))
        for name, values in drawn.items()
        for low, high in [np.percentile(np.concatenate(values), [outside, 100 - outside])]
    }
