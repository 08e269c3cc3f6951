"""Corpus BLEU of normalised responses against every reference style of the benchmark.

Conventions: in percent; one reference per segment, a segment being a system turn; segments are
compared by position; turns not played are left out. Tokens are those of sacreBLEU's 13a tokeniser.
`counts.py` counts n-grams and makes BLEU of the counts.

Source: Papineni et al. (2002); Post (2018), "A Call for Clarity in Reporting BLEU Scores".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from ..benchmark import CANONICAL_STYLE, STYLES
from ..io import figure, text_table
from .counts import COLUMNS, bleu_of_counts, bleu_of_samples
from .metric import Figure, Figures, Metric, Number, Presentation, Results, Rows, Sums
from .played import Played

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@cache
def style_columns(style: str) -> tuple[str, ...]:
    """Return the columns of a style's counts, in the order of `bleu_of_counts`."""
    return tuple(f"{style} {number}" for number in range(COLUMNS))


def style_bleu(sums: Sums, style: str) -> Number:
    """Return BLEU in percent of a style's counts; of many samples at once, an array."""
    counts = [sums[column] for column in style_columns(style)]
    if isinstance(counts[0], float | int):
        return bleu_of_counts(counts)
    return bleu_of_samples(counts)


@lru_cache(maxsize=4)
def bleu_counts(played: Played) -> NDArray[np.int64]:
    """Return what BLEU is computed from: dialogues x styles x `COLUMNS`."""
    return played.references.counts_of(played.responses)


def counts_by_style(played: Played) -> dict[str, dict[str, list[int]]]:
    """Return dialogue id -> reference style -> the counts that BLEU is computed from."""
    counts = {}
    for dialogue, numbers in zip(played.responses, bleu_counts(played).tolist(), strict=True):
        counts[dialogue] = dict(zip(played.references.styles, numbers, strict=True))
    return counts


def bleu_rows(played: Played) -> Rows:
    """Return the row of every dialogue: the counts of every style."""
    rows = {}
    for dialogue, by_style in counts_by_style(played).items():
        row: dict[str, float] = {}
        for style, counts in by_style.items():
            row.update(zip(style_columns(style), counts, strict=True))
        rows[dialogue] = row
    return rows


def bleu_figure(style: str) -> str:
    """Return the name of a style's figure: `bleu` of the canonical one, or `bleu.STYLE`."""
    return "bleu" if style == CANONICAL_STYLE else f"bleu.{style}"


def formula(sums: Sums) -> Figures:
    """Return figure -> BLEU in percent, of the styles that there are counts of."""
    figures = {}
    for style in STYLES:
        if style_columns(style)[0] in sums:
            figures[bleu_figure(style)] = style_bleu(sums, style)
    return figures


def bleu_by_style(played: Played) -> Results:
    """Return the result: reference style -> corpus BLEU in percent."""
    sums = bleu_counts(played).sum(axis=0).tolist()
    scores = map(bleu_of_counts, sums)
    return {"bleu": dict(zip(played.references.styles, scores, strict=True))}


def bleu_table(presentation: Presentation, results: Results) -> str:
    """Return the scores by style as a table."""
    rows = []
    for style, score in results["bleu"].items():
        name = f"{style} (canonical)" if style == CANONICAL_STYLE else style
        rows.append([name, figure(score, presentation.digits)])
    return text_table(["reference style", "BLEU"], rows)


METRIC = Metric(
    name="bleu",
    presentation=Presentation(
        title="BLEU",
        figures=[
            Figure("bleu", "BLEU", digits=1, main=True),
            *(
                Figure(bleu_figure(style), f"BLEU {style}", use="detail")
                for style in STYLES
                if style != CANONICAL_STYLE
            ),
        ],
        text=bleu_table,
    ),
    rows=bleu_rows,
    formula=formula,
    value=bleu_by_style,
    result={"bleu": Mapping[str, float]},
    details=counts_by_style,
    needs=("references",),
    takes_samples=True,
)
