"""Measuring entries: what their `dialogues.json` holds, and the evidence that is made of it."""

from __future__ import annotations

from dataclasses import replace

from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import CANONICAL_STYLE
from ..comparison.bleu_statistics import counted_statistics
from ..comparison.evidence import Evidence
from ..comparison.inform_statistics import outcome_statistics
from ..comparison.intervals import intervals_of
from ..comparison.settings import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED
from ..diagnosis.diagnosing import diagnose
from ..diagnosis.losses import domain_losses, points
from ..report import STRICT
from ..scoring import Scorer
from ..signature import Signature
from ..submission import NormalizedSubmission
from .dialogues import (
    FIGURES,
    BleuCounts,
    Causes,
    DialogueScores,
    Intervals,
    KeptInterval,
    Outcomes,
)

MEASURED = ("bleu", "inform")
"""The metrics that it takes."""


def dialogue_scores(scorer: Scorer, submission: NormalizedSubmission) -> DialogueScores:
    """Return what a submission scores dialogue by dialogue.

    Args:
        scorer: How to score; the rule set is the default one, whatever its options say.
        submission: What the system put out, normalised by the default rule set.

    Raises:
        InputError: The submission plays nothing.
    """
    scorer = scorer.with_options(rules=DEFAULT_RULES, metrics=MEASURED)
    played = scorer.played(submission)
    dialogues = played.submission.dialogues
    order = [id_ for id_ in played.benchmark.dialogues if id_ in dialogues]
    found = {outcome.id: outcome for outcome in diagnose(played).outcomes}
    outcomes = [found[id_] for id_ in order]
    responses = {id_: played.responses[id_] for id_ in order}
    columns = played.references().statistics(responses)[CANONICAL_STYLE].T.tolist()
    length, references, *ngrams = (tuple(column) for column in columns)
    signature = scorer.signature_of(played)
    known = Outcomes(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played="".join("01"[id_ in dialogues] for id_ in played.benchmark.dialogues),
        turns=tuple(len(dialogues[id_]) for id_ in order),
        inform="".join(str(outcome.inform) for outcome in outcomes),
        success="".join(str(outcome.success) for outcome in outcomes),
        bleu=BleuCounts(
            length, references, tuple(ngrams[: len(ngrams) // 2]), tuple(ngrams[len(ngrams) // 2 :])
        ),
    )
    intervals = intervals_of(evidence_of_outcomes("", signature, known))
    return DialogueScores(
        outcomes=known,
        intervals=Intervals(
            level=INTERVAL_LEVEL,
            samples=INTERVAL_SAMPLES,
            seed=SEED,
            scores={name: KeptInterval(**intervals[name].to_dict()) for name in FIGURES},
        ),
        causes=Causes(domain_losses(outcomes), points(outcomes)),
    )


def evidence_of_outcomes(name: str, signature: Signature, outcomes: Outcomes) -> Evidence:
    """Return what is known of an entry, to compare it with others on the same benchmark.

    Dialogues are called by their numbers.
    """
    bleu = counted_statistics({CANONICAL_STYLE: list(zip(*outcomes.bleu.columns, strict=True))})
    marks = {STRICT: (list(map(int, outcomes.inform)), list(map(int, outcomes.success)))}
    statistics = {"bleu": bleu, "inform": outcome_statistics(marks, bleu)}
    return Evidence(
        name=name,
        signature=replace(signature),
        dialogues=tuple(map(str, outcomes.places)),
        statistics=statistics,
    )
