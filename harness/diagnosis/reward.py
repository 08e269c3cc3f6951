"""One dialogue scored by itself: what a training loop takes as a reward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..benchmark import CANONICAL_STYLE
from ..playing import Played
from .causes import DialogueOutcome, explain


def outcome_of(played: Played, bleu: bool) -> DialogueOutcome:
    """Return how the only dialogue that was played came out, in the strict set-up, and why.

    Args:
        played: What was played: one dialogue.
        bleu: Whether to compute sentence-level BLEU of each turn.
    """
    [dialogue] = played.dialogues(played.domains)
    outcome = explain(dialogue, played.database(), played.rules)
    if not bleu:
        return outcome
    references = dialogue.gold.references[CANONICAL_STYLE]
    return replace(outcome, bleu=sentence_bleu(dialogue.responses, references))


def sentence_bleu(responses: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
    """Return BLEU of each response by itself, in percent, as `sacrebleu.sentence_bleu` defines it.

    That is sacreBLEU's default but for the effective order: n-grams longer than the response are
    left out. The mean over turns is not corpus BLEU.

    Args:
        responses: Normalised responses, one per turn.
        references: Their references, of at least as many turns.
    """
    from sacrebleu.metrics.bleu import BLEU  # NumPy and sacreBLEU take their time

    metric = BLEU(effective_order=True)
    return tuple(
        metric.sentence_score(response, [reference]).score
        for response, reference in zip(responses, references, strict=False)
    )
