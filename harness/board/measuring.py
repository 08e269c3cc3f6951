"""Measuring entries: what their `dialogues.json` holds, and the evidence that is made of it."""

from __future__ import annotations

from mwz.normalization.rules import DEFAULT_RULES
from mwz.normalization.rules.aliases import Aliases

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..comparison.evidence import Evidence
from ..comparison.interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED
from ..comparison.intervals import intervals_of
from ..diagnosis.diagnosing import diagnose
from ..diagnosis.losses import domain_losses, points
from ..metrics.bleu import counts as bleu_counts
from ..metrics.statistics import Figure, LinearStatistics
from ..scoring import Options, Scorer
from ..signature import Signature
from ..submission import NormalizedSubmission, normalized_by_rules
from .dialogue_scores import (
    FIGURES,
    BleuCounts,
    Causes,
    DialogueScores,
    Intervals,
    Outcomes,
    columns_of,
    totals_of,
    totals_of_sums,
)
from .scores import Seed, hashes_of

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
    counts = dict(zip(dialogues, played.once(bleu_counts)[CANONICAL_STYLE].tolist(), strict=True))
    length, references, *ngrams = zip(*(counts[id_] for id_ in order), strict=True)
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
            scores={name: intervals[name] for name in FIGURES},
        ),
        causes=Causes(domain_losses(outcomes), points(outcomes)),
    )


def measured_seed(
    content: bytes,
    benchmark: Benchmark,
    source: str,
    file: str,
    aliases: Aliases | None = None,
) -> Seed:
    """Return what a further seed of a system scores.

    Args:
        content: Its (unpacked) predictions file.
        benchmark: The benchmark to score on.
        source: What error messages call the predictions.
        file: The name of the file in the entry's folder.
        aliases: The placeholders that the responses hold besides those of the rule set.

    Raises:
        InputError: The predictions are no submission to the benchmark.
    """
    plain = submission = normalized_by_rules(content, benchmark, source)[DEFAULT_RULES]
    if aliases is not None:
        submission = normalized_by_rules(content, benchmark, source, aliases)[DEFAULT_RULES]
    scorer = Scorer(benchmark, Options(DEFAULT_RULES, metrics=MEASURED, placeholders=aliases))
    return Seed(
        file=file,
        predictions=hashes_of(content, plain.said()),
        signature=scorer.signature_of(scorer.played(submission)),
        scores=totals_of(dialogue_scores(scorer, submission).outcomes),
    )


def evidence_of_outcomes(name: str, signature: Signature, outcomes: Outcomes) -> Evidence:
    """Return what is known of an entry, to compare it with others on the same benchmark.

    Dialogues are called by their numbers.
    """
    statistics = LinearStatistics.of_rows(
        figures=[Figure(name, name.capitalize()) for name in FIGURES],
        rows=[*zip(*columns_of(outcomes), strict=True)],
        formula=totals_of_sums,
        wins={"inform": 1, "success": 2},
    )
    return Evidence(name, signature, tuple(map(str, outcomes.places)), {"responses": statistics})
