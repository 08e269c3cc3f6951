"""BLEU under resampling: n-gram matches and lengths per dialogue, and sacreBLEU's formula of sums.

The canonical style is the figure `bleu`, the others are `bleu.STYLE`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..benchmark import CANONICAL_STYLE
from ..playing import Played
from ..references import MAX_ORDER
from .statistics import Figure, Floats, LinearStatistics, Statistics, Values, python_sums

COLUMNS = 2 + 2 * MAX_ORDER
"""What BLEU is computed of: the columns of `ReferenceIndex.statistics`."""

_LOG_OF_NOTHING = -9999999999.0
"""What sacreBLEU takes for the logarithm of a precision of 0."""


def statistics(played: Played, others: Mapping[str, Statistics]) -> LinearStatistics:
    """Return the statistics of BLEU against every reference style."""
    counts = played.references().statistics(played.responses)
    # The canonical style comes first: the combined score takes its columns from there.
    styles = sorted(counts, key=lambda style: style != CANONICAL_STYLE)
    return LinearStatistics(
        figures=[
            Figure("bleu", "BLEU", main=True)
            if style == CANONICAL_STYLE
            else Figure(f"bleu.{style}", f"BLEU {style}")
            for style in styles
        ],
        rows=np.hstack([counts[style] for style in styles]).astype(np.float64),
        formula=_Formula(
            tuple("bleu" if style == CANONICAL_STYLE else f"bleu.{style}" for style in styles)
        ),
    )


@dataclass(frozen=True)
class _Formula:
    """Makes BLEU of the sums of several styles, side by side."""

    names: tuple[str, ...]

    def __call__(self, sums: Floats) -> Values:
        return {
            name: bleu_of_sums(sums[:, at * COLUMNS : (at + 1) * COLUMNS])
            for at, name in enumerate(self.names)
        }


def bleu_of_sums(sums: Floats) -> Floats:
    """Return BLEU in percent, a value per row, each to the last digit what sacreBLEU gives.

    Logarithms and exponentials are those of `math`: NumPy's may differ in the last digit.

    Args:
        sums: A row per sample, with the columns of `ReferenceIndex.statistics` added up.
    """
    length, reference_length = sums[:, 0], sums[:, 1]
    matches, totals = sums[:, 2 : 2 + MAX_ORDER], sums[:, 2 + MAX_ORDER :]
    logs = []
    smoothing = np.ones(len(sums))
    for correct, total in zip(matches.T, totals.T, strict=True):
        smoothing = np.where((correct == 0) & (total > 0), 2 * smoothing, smoothing)
        whole = np.maximum(total, 1)
        precision = np.where(correct == 0, 100.0 / (smoothing * whole), 100.0 * correct / whole)
        known = np.array(list(map(math.log, precision.tolist())))
        logs.append(np.where(total > 0, known, _LOG_OF_NOTHING))
    mean_log = python_sums(logs) / MAX_ORDER
    excess = np.minimum(1 - reference_length / np.maximum(length, 1), 0.0)
    penalty = _exponentials(excess)
    return np.where(matches.any(axis=1), penalty * _exponentials(mean_log), 0.0)


def _exponentials(values: Floats) -> Floats:
    return np.array(list(map(math.exp, values.tolist())))
