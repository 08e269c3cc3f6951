"""pass^k of repeated trials: the probability that k trials of a task are all solved.

The unbiased estimate is C(c, k) / C(n, k) of c solved in n trials, averaged over tasks. Source: Yao
et al. (2024), tau-bench, section 4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from ..metrics.results import SEED
from .interval import INTERVAL_SAMPLES, Interval

TALKER_NAME = r"^[!-~]([ -~]{0,198}[!-~])?$"
TalkerName: TypeAlias = Annotated[str, Field(pattern=TALKER_NAME)]
"""What records call an agent or a user, with a digest: printable ASCII."""

Costs: TypeAlias = Mapping[
    Literal["agent", "user"],
    Mapping[
        Literal["calls", "prompt_tokens", "completion_tokens"],
        Annotated[int, Field(strict=True, ge=0, le=10**12)],
    ],
]
"""Who -> calls and tokens of its model."""


def pass_hat(solved: Sequence[int], trials: int, k: int) -> float:
    """Return pass^k in percent: the mean of C(c, k) / C(n, k) over tasks.

    Args:
        solved: The number of solved trials of each task, at least one task.
        trials: n, the trials of each task.
        k: At least 1 and at most n.
    """
    return 100 * sum(comb(c, k) for c in solved) / (comb(trials, k) * len(solved))


def pass_interval(solved: Sequence[int], trials: int, k: int, seed: int = SEED) -> Interval:
    """Return pass^k in percent with its interval.

    Where each task counts whole or not at all, as with one trial, it is a rate with Wilson's
    interval, as others are; else the interval is of percentiles over resampled tasks.

    Args:
        solved: The number of solved trials of each task.
        trials: The trials of each task.
        k: At most the number of trials.
        seed: The seed of the samples.
    """
    from .evidence import (  # NumPy takes its time, and pass^k itself does without
        BOOTSTRAP,
        WILSON,
        bootstrap_samples,
        interval_ends,
        wilson,
    )

    each, whole = [comb(c, k) for c in solved], comb(trials, k)
    value = pass_hat(solved, trials, k)
    if {*each} <= {0, whole}:
        return Interval(value, *wilson(each.count(whole), len(each)), WILSON)
    blocks = bootstrap_samples(len(each), INTERVAL_SAMPLES, seed)
    sums = [total for block in blocks for total in (block @ each).tolist()]
    shares = [100 * total / (whole * len(each)) for total in sums]
    return Interval(value, *interval_ends(shares), BOOTSTRAP)
