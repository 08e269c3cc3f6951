"""BLEU, Inform, Success and the combined score of a system, from a few numbers per dialogue.

The numbers are what the leaderboard stores of a dialogue: whether it has strict Inform and Success,
and the counts of BLEU against the canonical references.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from ..benchmark import CANONICAL_STYLE
from ..signature import MAIN_SETUP
from .bleu import METRIC as BLEU, style_bleu, style_columns
from .inform import DIALOGUES, METRIC as INFORM, setup_formula
from .metric import Figures, Metric, Presentation, Sums

TOTALS_COLUMNS = (DIALOGUES, "inform", "success", *style_columns(CANONICAL_STYLE))
"""The columns of a dialogue's row."""


def totals_formula(sums: Sums) -> Figures:
    """Return `bleu`, `inform`, `success` and `combined`, given the sums of `TOTALS_COLUMNS`."""
    bleu = style_bleu(sums, CANONICAL_STYLE)
    return {"bleu": bleu, **setup_formula(sums, MAIN_SETUP, bleu)}


def totals_of(rows: Iterable[Sequence[float]]) -> Figures:
    """Return `bleu`, `inform`, `success` and `combined` of dialogues.

    Args:
        rows: Of each dialogue, the numbers of `TOTALS_COLUMNS`.
    """
    sums = [sum(numbers) for numbers in zip(*rows, strict=True)]
    return totals_formula(dict(zip(TOTALS_COLUMNS, sums, strict=True)))


TOTALS: Metric[object] = Metric(
    name="responses",
    presentation=Presentation(
        title="Totals",
        figures=[
            figure
            for figure in chain(BLEU.presentation.figures, INFORM.presentation.figures)
            if figure.main
        ],
    ),
    formula=totals_formula,
    value=lambda _: {},
    takes_samples=True,
)
"""The metric whose rows the leaderboard stores; it has no rows of its own."""
