"""BLEU, Inform, Success and the combined score of a system, from a few numbers per dialogue.

The numbers are what the leaderboard stores of a dialogue: whether it has strict Inform and Success,
and the counts of BLEU against the canonical references.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..benchmark import CANONICAL_STYLE
from .bleu import METRIC as BLEU, style_bleu, style_columns
from .inform import DIALOGUES, METRIC as INFORM, combined
from .metric import Figure, Figures, Metric, Presentation, Sums, percent

TOTALS_COLUMNS = (DIALOGUES, "inform", "success", *style_columns(CANONICAL_STYLE))
"""The columns of a dialogue's row."""


def totals_formula(sums: Sums) -> Figures:
    """Return `bleu`, `inform`, `success` and `combined`, given the sums of `TOTALS_COLUMNS`."""
    bleu = style_bleu(sums, CANONICAL_STYLE)
    inform = percent(sums["inform"], sums[DIALOGUES])
    success = percent(sums["success"], sums[DIALOGUES])
    total = combined(inform, success, bleu)
    return {"bleu": bleu, "inform": inform, "success": success, "combined": total}


def totals_of(rows: Iterable[Sequence[float]]) -> Figures:
    """Return `bleu`, `inform`, `success` and `combined` of dialogues.

    Args:
        rows: Of each dialogue, the numbers of `TOTALS_COLUMNS`.
    """
    sums = [sum(numbers) for numbers in zip(*rows, strict=True)]
    return totals_formula(dict(zip(TOTALS_COLUMNS, sums, strict=True)))


def _main_figures() -> list[Figure]:
    figures = [*BLEU.presentation.table_figures(), *INFORM.presentation.table_figures()]
    return [figure for figure in figures if figure.main]


TOTALS: Metric[object] = Metric(
    name="responses",
    presentation=Presentation(
        title="Totals",
        figures=_main_figures(),
    ),
    formula=totals_formula,
    value=lambda _: {},
    takes_samples=True,
)
"""The metric whose rows the leaderboard stores; it has no rows of its own."""
