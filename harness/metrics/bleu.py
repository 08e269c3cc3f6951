"""Corpus BLEU of normalised responses against every reference style of the benchmark.

Conventions: in percent; one reference per segment, a segment being a system turn; segments are
compared by position. BLEU is defined by sacreBLEU with its default settings: the 13a tokeniser,
n-grams up to 4, exponential smoothing. The counts come from `counts.py`; the formula of their sums,
which scores, intervals, tests and the board share, is `bleu_of_sums`. Tests compare both with
sacreBLEU.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from ..benchmark import CANONICAL_STYLE
from ..io import figure, text_table
from .metric import Headline, Metric, Played, Results
from .results import COLUMNS, MAX_ORDER, DialogueResult, Figure, Statistics

_LOG_OF_NOTHING = -9999999999.0
"""What sacreBLEU takes for the logarithm of a precision of 0."""


def bleu_of_sums(sums: Sequence[float]) -> float:
    """Return BLEU in percent, by sacreBLEU's formula: to the last digit what it gives.

    Args:
        sums: The columns of `References.statistics`, added up.
    """
    length, reference_length = sums[:2]
    matches, totals = sums[2 : 2 + MAX_ORDER], sums[2 + MAX_ORDER : COLUMNS]
    if not any(matches):
        return 0.0
    smoothing = 1.0
    logs = []
    for correct, total in zip(matches, totals, strict=True):
        if not total:
            logs.append(_LOG_OF_NOTHING)
        elif correct:
            logs.append(math.log(100.0 * correct / total))
        else:
            smoothing *= 2
            logs.append(math.log(100.0 / (smoothing * total)))
    penalty = math.exp(min(1 - reference_length / length, 0.0))
    return penalty * math.exp(sum(logs) / MAX_ORDER)


def _counts(played: Played) -> list[dict[str, list[int]]]:
    """Return, of each dialogue, reference style -> what BLEU is computed of."""
    references = played.references()
    rows = references.statistics(played.responses).tolist()
    return [dict(zip(references.styles, row, strict=True)) for row in rows]


def corpus_bleu(results: Sequence[DialogueResult]) -> dict[str, float]:
    """Return reference style -> corpus BLEU in percent; turns not played are left out."""
    return {
        style: bleu_of_sums([*map(sum, zip(*(one.bleu[style] for one in results), strict=True))])
        for style in results[0].bleu
    }


def _statistics(results: Sequence[DialogueResult]) -> Statistics:
    """Return the statistics of BLEU: the canonical style is `bleu`, the others `bleu.STYLE`."""
    styles = sorted(results[0].bleu, key=lambda style: style != CANONICAL_STYLE)
    figures = [
        Figure("bleu", "BLEU", main=True)
        if style == CANONICAL_STYLE
        else Figure(f"bleu.{style}", f"BLEU {style}")
        for style in styles
    ]
    return Statistics.of_rows(
        figures=figures,
        rows=[[count for style in styles for count in one.bleu[style]] for one in results],
        formula=partial(_by_figure, names=[one.name for one in figures]),
    )


def _by_figure(sums: Sequence[float], names: Sequence[str]) -> dict[str, float]:
    """Return figure -> BLEU in percent, of the sums of several styles, side by side."""
    return {
        name: bleu_of_sums(sums[at * COLUMNS : (at + 1) * COLUMNS]) for at, name in enumerate(names)
    }


def _text(metric: Metric, scores: Mapping[str, float]) -> str:
    rows = [
        [
            f"{style} (canonical)" if style == CANONICAL_STYLE else style,
            figure(score, metric.digits),
        ]
        for style, score in scores.items()
    ]
    return text_table(["reference style", "BLEU"], rows)


def _canonical(results: Results, setup: str) -> float | None:
    scores: Mapping[str, float] = results.get("bleu") or {}
    return scores.get(CANONICAL_STYLE)


METRIC = Metric(
    name="bleu",
    title="BLEU",
    states=False,
    description="How close responses come to the references, in six styles of delexicalisation.",
    unit="percent",
    source="Papineni et al. (2002), as sacreBLEU defines it (Post, 2018)",
    per_dialogue=_counts,
    fills="bleu",
    compute=corpus_bleu,
    statistics=_statistics,
    result=Mapping[str, float],
    text=_text,
    headlines=(Headline("bleu", "BLEU", _canonical),),
    rank=2,
)
