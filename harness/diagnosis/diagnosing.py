"""Diagnoses: why a submission loses Inform and Success, or the grounded ones, by dialogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..benchmark import CANONICAL_STYLE
from ..grounding.grounded import GroundedDomain
from ..grounding.rating import GroundedFigures, PlainDialogue, RatedDialogue, grounded_figures
from ..metrics.grounded_scores import plain_dialogues, played_ceiling, rated_dialogues
from ..metrics.inform import TOTAL, rates
from ..metrics.played import Played, PlayedDialogue, play
from ..metrics.results import DialogueResult, DomainResult
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
class GroundedDiagnosis:
    """Why responses in plain English lose grounded Inform and Success.

    Attributes:
        dialogues: Dialogue id -> the dialogue.
        rated: Dialogue id -> how it went.
        users: Dialogue id -> what the user said before each turn, None where it is not known.
        human: What the human responses get; None where the benchmark does not hold them.
    """

    dialogues: Mapping[str, PlainDialogue]
    rated: Mapping[str, RatedDialogue]
    users: Mapping[str, Sequence[str | None]]
    human: GroundedFigures | None

    @property
    def figures(self) -> GroundedFigures:
        """Its grounded scores."""
        return grounded_figures(one.rating for one in self.rated.values())

    @property
    def results(self) -> list[DialogueResult]:
        """How each dialogue came out and why; causes are those of `grounding/grounded.py`."""
        return self._results("provided")

    @property
    def further(self) -> list[DialogueResult]:
        """The same, of the further slots that goals request."""
        return self._results("further")

    def _results(self, slots: str) -> list[DialogueResult]:
        return [
            DialogueResult(
                id_,
                len(self.dialogues[id_].responses),
                goals={
                    MAIN_SETUP: {
                        name: _grounded_result(domain, getattr(domain, slots) or {})
                        for name, domain in one.grounded.domains.items()
                    }
                },
            )
            for id_, one in self.rated.items()
        ]


def _grounded_result(domain: GroundedDomain, slots: Mapping[str, bool]) -> DomainResult:
    causes = {slot: domain.causes[slot] for slot in slots if domain.causes.get(slot)}
    provided = {slot: slot not in causes for slot in slots}
    return DomainResult(float(domain.matched), provided, domain.cause, slot_causes=causes)


def diagnose_grounded(played: Played) -> GroundedDiagnosis:
    """Rate every dialogue played in plain English, and the human responses of the same turns."""
    dialogues = plain_dialogues(played)
    return GroundedDiagnosis(
        dialogues,
        dict(zip(dialogues, rated_dialogues(played), strict=True)),
        {id_: played.benchmark.dialogues[id_].users for id_ in dialogues},
        played_ceiling(played),
    )


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
