"""What a submission that plays only part of the benchmark scores at least.

What is missing counts as failed in Inform and Success, and in BLEU as an empty response. The
leaderboard ranks incomplete submissions by it. Of complete ones there is none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..benchmark import CANONICAL_STYLE
from ..io import figure, text_table
from .bleu import bleu_of_sums
from .inform import TOTAL, combined, rates
from .metric import Metric, Played
from .setups import MAIN_SETUP, chosen_setups


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


def _lower_bound(played: Played) -> LowerBound | None:
    """Return the lower bound of a submission's scores; None if it plays every turn."""
    dialogues = played.benchmark.dialogues
    if played.submission.turns == played.benchmark.turns:
        return None
    bleu = None
    if "bleu" in played.metrics:
        padded = {
            id_: [*texts, *[""] * (dialogue.turns - len(texts))]
            for id_, dialogue in dialogues.items()
            for texts in [played.responses.get(id_, ())]
        }
        references = played.references()
        canonical = references.statistics(padded)[:, references.styles.index(CANONICAL_STYLE)]
        bleu = bleu_of_sums(canonical.sum(axis=0).tolist())
    if "inform" not in played.metrics or MAIN_SETUP not in chosen_setups(played.setup):
        return LowerBound(bleu, None, None, None)
    share, strict = len(played.responses) / len(dialogues), rates(played.results)
    inform, success = share * strict["inform"][TOTAL], share * strict["success"][TOTAL]
    return LowerBound(
        bleu, inform, success, None if bleu is None else combined(inform, success, bleu)
    )


def _text(_: Metric, bound: LowerBound) -> str:
    rows = [["at least", *map(figure, (bound.bleu, bound.inform, bound.success, bound.combined))]]
    return text_table(["of the whole benchmark", "BLEU", "Inform", "Success", "Combined"], rows)


METRIC = Metric(
    name="lower_bound",
    title="Lower bound",
    description="Scores of incomplete submissions; missing dialogues count as failures.",
    unit="percent",
    source="docs/metrics.md",
    overall=_lower_bound,
    result=LowerBound,
    text=_text,
    rank=5,
)
