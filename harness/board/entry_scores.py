"""Scoring a system's outputs: `score_entry` returns the scores that are stored, in every track."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mwz.normalization import DEFAULT_RULES, published_rule_sets

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..comparison import INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, intervals_of, spread_of
from ..diagnosis import Causes
from ..errors import InputError, Remark
from ..metrics import DialogueResult, GoldStates, Played, measured_knowledge, totals_of
from ..scoring import (
    Scorer,
    explained_results,
    normalize,
    played_remarks,
    report_on,
    with_all_metrics,
)
from ..signature import Signature
from ..submission import (
    NormalizedSubmission,
    Submission,
    checked_submission,
    plain_form,
    read_standard,
)
from .copied import fingerprints_of
from .pairs import evidence_of_rows
from .scores import FIGURES, DialogueScores, Hashes, Intervals, Scores, Seed, SeedScores, hashes_of
from .systems import PREDICTIONS_FILE, Predictions
from .tracked import submission_against

DIALOGUE_METRICS = ("bleu", "inform")
"""The metrics that `FIGURES` take."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a system's outputs are read, to be scored.

    Attributes:
        scorer: Scores responses; it has the benchmark, and the placeholders that they hold besides
            those of the rule sets.
        gold: The version of the gold states that predicted states are compared with, whatever gold
            states the file has; None for the file's, or the benchmark's.
        gold_states: Those of that version, where they are loaded already.
        free_running: As of `Predictions`.
        without: The metrics that are not computed.
    """

    scorer: Scorer
    gold: str | None = None
    gold_states: GoldStates | None = None
    free_running: bool = False
    without: Collection[str] = ()


@dataclass(frozen=True)
class Responses:
    """A system's responses, checked, to be scored.

    Attributes:
        submission: The submission; or the name of one that the harness makes.
        scorer: How to score: whether they are plain English, and the placeholders that they hold
            besides those of the rule sets.
        without: As of `Reading`.
    """

    submission: Submission | str
    scorer: Scorer
    without: Collection[str] = ()

    @cached_property
    def main(self) -> NormalizedSubmission:
        """The submission normalised by the default rule set."""
        return normalize(self.scorer.with_options(rules=DEFAULT_RULES), self.submission)

    @cached_property
    def unaliased(self) -> NormalizedSubmission:
        """The same with placeholders of its own read as unknown ones."""
        if self.scorer.options.resolved.aliases is None:
            return self.main
        scorer = self.scorer.with_options(rules=DEFAULT_RULES, placeholders=None)
        return normalize(scorer, self.submission)

    @cached_property
    def played(self) -> Played:
        """What is played under the default rule set, of which `FIGURES` are computed."""
        return self._scorer_of_figures.played(self.main)

    @property
    def signature(self) -> Signature:
        """What `FIGURES` depend on under the default rule set."""
        return self._scorer_of_figures.signature(self.played)

    @property
    def _scorer_of_figures(self) -> Scorer:
        return self.scorer.with_options(rules=DEFAULT_RULES, metrics=DIALOGUE_METRICS)

    @cached_property
    def whole(self) -> Played:
        """What is played under the default rule set, with every metric that they allow."""
        return self._scorer(DEFAULT_RULES, self.main).played(self.main)

    def _scorer(self, rules: str, submission: NormalizedSubmission) -> Scorer:
        """Return a scorer by a rule set, with every metric that its submission allows."""
        scorer = self.scorer.with_options(rules=rules)
        return with_all_metrics(scorer, submission, self.without)

    @property
    def remarks(self) -> Sequence[Remark | str]:
        """The remarks of reading and playing them."""
        if isinstance(self.submission, str):
            return ()
        return tuple(played_remarks(self.whole, self.scorer.options))

    def scores(self, golds: Sequence[GoldStates]) -> Scores:
        """Score them with every metric that they allow, under every published rule set."""
        reports, without, dialogues = {}, {}, None
        for rules in published_rule_sets():
            if rules == DEFAULT_RULES:
                scorer, played = self._scorer(rules, self.main), self.whole
            else:
                submission = normalize(self.scorer.with_options(rules=rules), self.submission)
                scorer = self._scorer(rules, submission)
                played = scorer.played(submission)
            reports[rules] = scorer.report(played)
            if rules == DEFAULT_RULES and set(DIALOGUE_METRICS) <= set(played.metrics):
                dialogues = dialogue_scores(played, reports[rules].signature)
            if scorer.options.resolved.aliases is not None:
                # The strict figures with placeholders of its own read as unknown ones.
                figures_scorer = self.scorer.with_options(
                    rules=rules, placeholders=None, metrics=DIALOGUE_METRICS, setup="strict"
                )
                unaliased = self.unaliased
                if rules != DEFAULT_RULES:
                    unaliased = normalize(figures_scorer, self.submission)
                figures = report_on(figures_scorer, unaliased).figures
                without[rules] = {name: figures.get(name, 0.0) for name in FIGURES}
        benchmark = self.scorer.benchmark
        states = self.main.states if self.main.predicts_states else None
        return Scores(
            reports,
            dialogues=dialogues,
            without_placeholders=without or None,
            flags=measured_knowledge(self.whole, benchmark),
            fingerprints=fingerprints_of(benchmark, self.main.responses, states),
            further_gold=submission_against(self.main, benchmark, golds),
        )


_KEPT = Predictions(file=PREDICTIONS_FILE)


@dataclass(frozen=True, kw_only=True)
class Outputs:
    """The outputs of a system, read and checked.

    Attributes:
        source: What messages call them.
        score: Scores them with every metric, and against further gold states; returns all but
            `predictions`.
        content: The (unpacked) file that is kept with the entry; None where none is.
        predictions: What identifies the predictions; None where the harness makes them.
        place: Where the predictions of an entry of them are.
        benchmark: The benchmark whose further gold states they are scored against; None for none.
        remarks: The remarks on them; of responses `responses` has these, since they take a score.
        responses: The responses; None of other outputs.
    """

    source: str
    score: Callable[[Sequence[GoldStates]], Scores]
    content: bytes | None
    predictions: Hashes | None
    place: Predictions = _KEPT
    benchmark: Benchmark | None = None
    remarks: Sequence[Remark | str] = ()
    responses: Responses | None = None


def read_responses(
    content: bytes | str, source: str, reading: Reading, english: bool = False
) -> Outputs:
    """Read and check a system's responses.

    Args:
        content: The (unpacked) file; or the name of a submission that the harness makes.
        source: What messages call it.
        reading: How it is read.
        english: Whether they are plain English.

    Raises:
        InputError: They are no submission to the benchmark.
    """
    scorer = reading.scorer.with_options(lexicalised=english)
    file, predictions = None, None
    if isinstance(content, str):
        responses = Responses(content, scorer, reading.without)
        source = responses.main.source
    else:
        standard = read_standard(content, source)
        if english:
            standard = plain_form(standard, source)
        submission = checked_submission(standard, scorer.benchmark, source, scorer.rules)
        responses = Responses(submission, scorer, reading.without)
        # The same with and without the placeholders of its own.
        file, predictions = content, hashes_of(content, responses.unaliased.to_dict())
    return Outputs(
        source=source,
        score=responses.scores,
        content=file,
        predictions=predictions,
        benchmark=scorer.benchmark if responses.main.predicts_states else None,
        responses=responses,
    )


def check_seeds(system: Outputs, seeds: Sequence[Outputs]) -> None:
    """Make sure that outputs are responses of further seeds of a system.

    Raises:
        InputError: Some are there twice, or do not compare with the system's.
    """
    contents = {system.predictions and system.predictions.content}
    for seed in seeds:
        content = seed.predictions and seed.predictions.content
        if content in contents:
            raise InputError(seed.source, "is there twice; give the outputs of each seed once")
        contents.add(content)
        assert system.responses is not None
        assert seed.responses is not None
        signature = seed.responses.signature
        verdict = system.responses.signature.comparable_with(signature, ("coverage",))
        if not verdict:
            reasons = [f"cannot be a seed of the system: {reason}" for reason in verdict.reasons]
            raise InputError(seed.source, reasons)


def score_entry(
    outputs: Outputs,
    golds: Sequence[GoldStates] = (),
    seeds: Mapping[str, Outputs] | None = None,
) -> Scores:
    """Score all that is stored of a system.

    Args:
        outputs: Its outputs.
        golds: Further gold states to compare predicted states with.
        seeds: File in the entry's folder -> outputs of a further seed of the system.

    Raises:
        InputError: The outputs play nothing, or lack what the scores of seeds are compared by.
    """
    scores = replace(outputs.score(golds), predictions=outputs.predictions)
    if not seeds:
        return scores
    if scores.dialogues is None:
        raise InputError("--seeds", "BLEU, Inform and Success of the system are not known")
    totals = [totals_of(zip(*scores.dialogues.columns, strict=True))]
    scored_seeds = []
    for file, seed in seeds.items():
        assert seed.predictions is not None
        assert seed.responses is not None
        seed_totals = totals_of(list(map(_row, seed.responses.played.results)))
        totals.append(seed_totals)
        signature = seed.responses.signature
        scored_seeds.append(Seed(file, seed.predictions, signature, seed_totals))
    return replace(scores, seeds=SeedScores(tuple(scored_seeds), spread_of(totals)))


# ------------------------------------------------------------------------ dialogue by dialogue


def _row(result: DialogueResult) -> list[int]:
    """Return the numbers of `TOTALS_COLUMNS`."""
    return [1, result.inform, result.success, *result.bleu[CANONICAL_STYLE]]


def dialogue_scores(played: Played, signature: Signature) -> DialogueScores:
    """Return what was played scores dialogue by dialogue.

    Args:
        played: What was played under the default rule set, with at least `DIALOGUE_METRICS`.
        signature: The signature of its scores.
    """
    by_id = {result.id: result for result in explained_results(played)}
    # The files store dialogues without their names, in the order of the benchmark.
    results = [by_id[id_] for id_ in played.benchmark.dialogues if id_ in by_id]
    rows = list(map(_row, results))
    evidence = evidence_of_rows("", signature, [result.id for result in results], rows)
    intervals = intervals_of(evidence)
    return DialogueScores(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played="".join("01"[id_ in played.responses] for id_ in played.benchmark.dialogues),
        turns=tuple(result.turns for result in results),
        inform="".join(str(result.inform) for result in results),
        success="".join(str(result.success) for result in results),
        bleu=tuple(zip(*(result.bleu[CANONICAL_STYLE] for result in results), strict=True)),
        intervals=Intervals(
            INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, {name: intervals[name] for name in FIGURES}
        ),
        causes=Causes.from_results(results),
    )
