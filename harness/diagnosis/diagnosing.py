"""A diagnosis: why a submission loses Inform and Success, dialogue by dialogue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..benchmark import CANONICAL_STYLE
from ..metrics.inform_success import TOTAL, inform_success
from ..metrics.played import Played, PlayedDialogue, play
from ..metrics.setups import STRICT
from .causes import DialogueOutcome, explain


@dataclass(frozen=True)
class Diagnosis:
    """Why a submission loses what it loses, in the strict set-up.

    Attributes:
        played: What was scored.
        dialogues: The dialogues as they were played, in the submission's order.
        outcomes: How each of them came out, and why.
    """

    played: Played
    dialogues: tuple[PlayedDialogue, ...]
    outcomes: tuple[DialogueOutcome, ...]


def diagnose(played: Played) -> Diagnosis:
    """Follow every dialogue played and say what was lost."""
    dialogues = tuple(played.dialogues(played.domains))
    database = played.database()
    outcomes = tuple(explain(dialogue, database, played.rules) for dialogue in dialogues)
    return Diagnosis(played, dialogues, outcomes)


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


AS_IT_IS = "as it is"


def what_if(played: Played) -> list[WhatIf]:
    """Score what was played as it is, with gold states, with gold active domains, with both."""
    ways = {
        AS_IT_IS: (played.states, played.domains),
        "with gold states": ("gold", played.domains),
        "with gold active domains": (played.states, "gold"),
        "with both": ("gold", "gold"),
    }
    rates = {
        sources: inform_success(
            play(played.submission, played.benchmark, *sources),
            played.database(),
            STRICT,
            played.rules,
        )
        for sources in dict.fromkeys(ways.values())
    }
    return [
        WhatIf(name, *sources, rates[sources].inform[TOTAL], rates[sources].success[TOTAL])
        for name, sources in ways.items()
    ]


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
