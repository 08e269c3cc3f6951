"""Diagnoses: why a submission loses Inform and Success, by dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..benchmark import CANONICAL_STYLE
from ..metrics.inform import TOTAL, rates
from ..metrics.played import Played, PlayedDialogue, play
from ..metrics.results import DialogueResult
from ..metrics.setups import MAIN_SETUP, SETUPS
from ..metrics.steps import goal_results
from .causes import explain


@dataclass(frozen=True)
class Diagnosis:
    """Why a submission loses what it loses, in the strict set-up.

    Attributes:
        played: What was scored.
        dialogues: The dialogues as they were played, in the submission's order.
        results: How each of them came out, and why.
    """

    played: Played
    dialogues: tuple[PlayedDialogue, ...]
    results: tuple[DialogueResult, ...]


def diagnose(played: Played) -> Diagnosis:
    """Follow every dialogue played and say what was lost."""
    dialogues = tuple(played.under(MAIN_SETUP))
    database = played.database()
    results = tuple(
        DialogueResult(
            one.id,
            len(one.responses),
            goals={MAIN_SETUP: explain(one, database, played.rules)},
        )
        for one in dialogues
    )
    return Diagnosis(played, dialogues, results)


@dataclass(frozen=True)
class WhatIf:
    """Strict Inform and Success with some of what a system put out replaced.

    Attributes:
        name: What is replaced.
        states: The source of belief states.
        domains: The source of active domains.
        inform: Total Inform, in percent.
        success: Total Success, in percent.
    """

    name: str
    states: str
    domains: str
    inform: float
    success: float


def what_if(played: Played) -> list[WhatIf]:
    """Score what was played as it is, with gold states, with gold active domains, with both."""
    ways = {
        "as it is": (played.states, played.domains),
        "with gold states": ("gold", played.domains),
        "with gold active domains": (played.states, "gold"),
        "with both": ("gold", "gold"),
    }
    database, setup = played.database(), SETUPS[MAIN_SETUP].setup
    totals: dict[tuple[str, str], tuple[float, float]] = {}
    for sources in dict.fromkeys(ways.values()):
        results = [
            DialogueResult(
                one.id,
                len(one.responses),
                goals={MAIN_SETUP: goal_results(one, database, setup, played.rules)},
            )
            for one in play(played.submission, played.benchmark, *sources)
        ]
        scores = rates(results)
        totals[sources] = scores.inform[TOTAL], scores.success[TOTAL]
    return [WhatIf(name, *sources, *totals[sources]) for name, sources in ways.items()]


def single_result(played: Played, bleu: bool) -> DialogueResult:
    """Return how the only dialogue that was played came out, in the strict set-up, and why.

    Args:
        played: What was played: one dialogue.
        bleu: Whether to compute sentence-level BLEU of each turn.
    """
    diagnosis = diagnose(played)
    [dialogue], [result] = diagnosis.dialogues, diagnosis.results
    if not bleu:
        return result
    references = dialogue.gold.references[CANONICAL_STYLE]
    return replace(result, sentence_bleu=sentence_bleu(dialogue.responses, references))


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
