"""What a submission that plays only part of the benchmark scores at least.

What is missing counts as failed in Inform and Success, and in BLEU as an empty response. The
leaderboard ranks incomplete submissions by it. Complete ones have none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..benchmark import CANONICAL_STYLE
from ..io import figure, text_table
from .counts import bleu_of_counts
from .inform import TOTAL, combined, outcomes, rates
from .metric import Metric, Presentation, Results
from .played import Played
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


def padded_bleu(played: Played) -> float:
    """Return BLEU in percent if every missing turn is played with an empty response."""
    padded = {}
    for dialogue, gold in played.benchmark.dialogues.items():
        responses = list(played.responses.get(dialogue, ()))
        missing = gold.turns - len(responses)
        padded[dialogue] = responses + missing * [""]
    references = played.references
    style = references.styles.index(CANONICAL_STYLE)
    counts = references.counts_of(padded)[:, style]
    return bleu_of_counts(counts.sum(axis=0).tolist())


def lower_bound(played: Played) -> Results:
    """Return the lower bound of a submission's scores; nothing if it plays every turn."""
    if played.submission.turns == played.benchmark.turns:
        return {}
    bleu = padded_bleu(played) if "bleu" in played.metrics else None
    if "inform" not in played.metrics or MAIN_SETUP not in chosen_setups(played.setup):
        return {"lower_bound": LowerBound(bleu, None, None, None)}
    strict = rates(outcomes(played, MAIN_SETUP).values())
    share = len(played.responses) / len(played.benchmark.dialogues)
    inform, success = share * strict["inform"][TOTAL], share * strict["success"][TOTAL]
    total = None if bleu is None else combined(inform, success, bleu)
    return {"lower_bound": LowerBound(bleu, inform, success, total)}


def bound_table(_: Presentation, results: Results) -> str:
    """Return the lower bound as a table."""
    bound = results["lower_bound"]
    values = [bound.bleu, bound.inform, bound.success, bound.combined]
    headers = ["of the whole benchmark", "BLEU", "Inform", "Success", "Combined"]
    return text_table(headers, [["at least", *map(figure, values)]])


METRIC = Metric(
    name="lower_bound",
    presentation=Presentation(
        title="Lower bound",
        text=bound_table,
    ),
    value=lower_bound,
    result={"lower_bound": LowerBound},
)
