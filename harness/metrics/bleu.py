"""Corpus BLEU of normalised responses against every reference style of the benchmark.

Conventions: in percent; one reference per segment, a segment being a system turn; segments are
compared by position. Everything that decides the number is sacreBLEU's with its default settings:
the 13a tokeniser, n-grams up to 4, exponential smoothing.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..benchmark import CANONICAL_STYLE
from ..playing import Played
from ..rendering import figure, text_table
from .registry import Headline, Metric

if TYPE_CHECKING:
    from ..report import Report


def bleu(played: Played) -> dict[str, float]:
    """Return reference style -> corpus BLEU in percent; turns not played are left out."""
    return played.references().scores(played.responses)


def _text(metric: Metric, scores: Mapping[str, float]) -> str:
    rows = [
        [
            f"{style} (canonical)" if style == CANONICAL_STYLE else style,
            figure(score, metric.digits),
        ]
        for style, score in scores.items()
    ]
    return text_table(["reference style", "BLEU"], rows)


def _canonical(report: Report, setup: str) -> float | None:
    return None if report.bleu is None else report.bleu.get(CANONICAL_STYLE)


METRIC = Metric(
    name="bleu",
    title="BLEU",
    description="How close responses come to the references, in six styles of delexicalisation.",
    unit="percent",
    source="Papineni et al. (2002), as sacreBLEU computes it (Post, 2018)",
    compute=bleu,
    result=Mapping[str, float],
    text=_text,
    headlines=(Headline("bleu", "BLEU", _canonical),),
    rank=2,
)
