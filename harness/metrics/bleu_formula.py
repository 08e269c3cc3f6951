"""The formula of corpus BLEU, from its counts: what scores, intervals and tests share.

BLEU is defined by sacreBLEU with its default settings: n-grams up to 4, exponential smoothing.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_ORDER = 4
COLUMNS = 2 + 2 * MAX_ORDER
"""How many counts BLEU is computed from: the lengths of responses and references, then per order
the matches, then per order the n-grams of the responses."""

_LOG_OF_ZERO = -9999999999.0
"""What sacreBLEU takes for the logarithm of a precision of 0."""


def bleu_of_counts(counts: Sequence[float]) -> float:
    """Return BLEU in percent of `COLUMNS` counts, to the last digit as sacreBLEU computes it.

    Ten tokens against a reference of ten, with 9 unigrams, 7 bigrams, 5 trigrams and 3 four-grams
    in common:

    >>> round(bleu_of_counts([10, 10, 9, 7, 5, 3, 10, 9, 8, 7]), 2)
    65.8
    """
    length, reference_length = counts[0], counts[1]
    matches = counts[2 : 2 + MAX_ORDER]
    totals = counts[2 + MAX_ORDER : COLUMNS]
    if not any(matches):
        return 0.0
    smoothing = 1.0
    log_precisions = []
    for matched, total in zip(matches, totals, strict=True):
        if not total:
            log_precisions.append(_LOG_OF_ZERO)
        elif matched:
            log_precisions.append(math.log(100.0 * matched / total))
        else:
            # 1/2 of a match for the first order without any, then 1/4, …
            smoothing *= 2
            log_precisions.append(math.log(100.0 / (smoothing * total)))
    brevity_penalty = math.exp(min(1 - reference_length / length, 0.0))
    return brevity_penalty * math.exp(sum(log_precisions) / MAX_ORDER)


def bleu_of_samples(counts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return BLEU in percent of many samples, by the formula of `bleu_of_counts`.

    Args:
        counts: `COLUMNS` arrays, each with a number per sample.
    """
    # Imports NumPy late: it takes 0.1 s, and most scores do without arrays.
    import numpy as np

    length = np.maximum(counts[0], 1)
    log_precisions = np.zeros_like(length, dtype=np.float64)
    smoothing = np.ones_like(log_precisions)
    has_match = np.zeros_like(length, dtype=bool)
    for order in range(MAX_ORDER):
        matched, total = counts[2 + order], counts[2 + MAX_ORDER + order]
        smoothing = np.where((total > 0) & (matched == 0), 2 * smoothing, smoothing)
        counted = np.where(matched > 0, matched, 1 / smoothing)
        precision = 100.0 * counted / np.maximum(total, 1)
        log_precisions += np.where(total > 0, np.log(precision), _LOG_OF_ZERO)
        has_match |= matched > 0
    brevity_penalty = np.exp(np.minimum(1 - counts[1] / length, 0.0))
    bleu = brevity_penalty * np.exp(log_precisions / MAX_ORDER)
    return np.where(has_match, bleu, 0.0)
