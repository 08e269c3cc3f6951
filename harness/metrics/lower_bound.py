"""What a submission that plays only part of the benchmark scores at least.

What is missing counts as failed in Inform and Success, and in BLEU as an empty response. The
leaderboard ranks incomplete submissions by it. Of complete ones there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..benchmark import CANONICAL_STYLE
from ..io.rendering import figure, text_table
from . import Metric
from .bleu import bleu_of_counts
from .inform import SetupScores, combined
from .inform_success import TOTAL
from .played import Played


@dataclass(frozen=True)
class LowerBound:
    """Totals over the whole benchmark, in the strict set-up; None where not asked for.

    Attributes:
        bleu: BLEU against the canonical references, in percent.
        inform: Inform, in percent.
        success: Success, in percent.
        combined: (Inform + Success) / 2 + BLEU.
    """

    bleu: float | None
    inform: float | None
    success: float | None
    combined: float | None


def lower_bound(played: Played) -> LowerBound | None:
    """Return the lower bound of a submission's scores; None if it plays every turn."""
    dialogues = played.benchmark.dialogues
    if played.submission.turns == played.benchmark.turns:
        return None
    bleu = None
    if played.result("bleu") is not None:
        padded = {
            id_: [*texts, *[""] * (dialogue.turns - len(texts))]
            for id_, dialogue in dialogues.items()
            for texts in [played.responses.get(id_, ())]
        }
        references = played.references()
        bleu = bleu_of_counts(references.statistics(references.said(padded)))[CANONICAL_STYLE]
    strict: SetupScores | None = played.result("strict")
    if strict is None:
        return LowerBound(bleu, None, None, None)
    share = len(played.responses) / len(dialogues)
    inform, success = share * strict.inform[TOTAL], share * strict.success[TOTAL]
    return LowerBound(
        bleu, inform, success, None if bleu is None else combined(inform, success, bleu)
    )


def _text(_: Metric, bound: LowerBound) -> str:
    rows = [["at least", *map(figure, (bound.bleu, bound.inform, bound.success, bound.combined))]]
    return text_table(["of the whole benchmark", "BLEU", "Inform", "Success", "Combined"], rows)


METRIC = Metric(
    name="lower_bound",
    title="Lower bound",
    description="Of incomplete submissions: the scores with what is missing counted as failed.",
    unit="percent",
    source="docs/metrics.md",
    compute=lower_bound,
    result=LowerBound,
    text=_text,
    headlines=(),
    rank=5,
)
