"""Scoring what a system put out: `score_entry` gives all that is stored of it, in every track."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeAlias

from mwz.normalization.rules import DEFAULT_RULES, Aliases, published_rule_sets, rule_set
from mwz.normalization.states import BeliefState, normalize_state, without_empty_domains

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..comparison import SEED
from ..comparison.evidence import Evidence, intervals_of
from ..comparison.interval import INTERVAL_LEVEL, INTERVAL_SAMPLES, spread_of
from ..data.declared import gold_versions
from ..diagnosis.losses import domain_losses, lost_dialogues, points
from ..errors import InputError, unknown
from ..metrics import headlines
from ..metrics.played import Played
from ..metrics.results import DialogueResult, Figure, Statistics
from ..metrics.tracking.choices import VARIANTS, Choices
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.states import (
    GoldStates,
    TrackedDialogue,
    track_states,
    without_booking_prefix,
)
from ..scoring import Scorer, allowed_metrics
from ..scoring.dialogue_lines import explained_results
from ..scoring.options import chosen_states
from ..scoring.report import Coverage
from ..signature import Signature
from ..submission import (
    NormalizedSubmission,
    Submission,
    checked_submission,
    dialogue_id,
    made_submission,
)
from ..submission.formats import parse_predictions, read_standard
from ..tracking.formats import TrackedFile, parse_tracking_file
from ..tracking.scored_files import tracking_signature
from . import LEXICALISED, STATE_TRACKING
from .copied import Fingerprints, fingerprints_of
from .scores import (
    FIGURES,
    KNOWN_GOLD,
    BleuCounts,
    Causes,
    DialogueScores,
    FurtherGold,
    GoldOf,
    Hashes,
    Intervals,
    Outcomes,
    Scores,
    Seed,
    SeedScores,
    TrackingScores,
    hashes_of,
    totals_of_sums,
)
from .tracking_figures import TrackingFigures, gold_share_of, tracking_figures

_RATES = ("inform", "success")

DIALOGUE_METRICS = ("bleu", "inform")
"""The metrics that `FIGURES` take."""

BenchmarkLoader: TypeAlias = Callable[[Iterable[str]], Benchmark]


@dataclass(frozen=True, eq=False)
class Responses:
    """A system's responses, checked, to be scored.

    Attributes:
        submission: The submission; or the name of one that the harness makes.
        scorer: How to score: whether they are plain English, and the placeholders that they hold
            besides those of the rule sets.
        content: The (unpacked) predictions file; None where there is none.
        known: The submission normalised by the default rule set, where that was done before.
    """

    submission: Submission | str
    scorer: Scorer
    content: bytes | None = None
    known: NormalizedSubmission | None = None

    def normalized(self, scorer: Scorer) -> NormalizedSubmission:
        """Return the submission normalised by a scorer's rules."""
        if isinstance(self.submission, str):
            return scorer.made(self.submission)
        return scorer.normalized(self.submission)

    @property
    def source(self) -> str:
        """What messages call them."""
        return self.main.source

    @cached_property
    def main(self) -> NormalizedSubmission:
        """The submission normalised by the default rule set."""
        return self.known or self.normalized(self.scorer.with_options(rules=DEFAULT_RULES))

    @cached_property
    def unaliased(self) -> NormalizedSubmission:
        """The same with placeholders of its own read as unknown ones."""
        if self.scorer.options.aliases is None:
            return self.main
        return self.normalized(self.scorer.with_options(rules=DEFAULT_RULES, placeholders=None))

    @cached_property
    def predictions(self) -> Hashes | None:
        """What identifies the predictions: the same whatever their placeholders are read as."""
        return None if self.content is None else hashes_of(self.content, self.unaliased.said())

    @property
    def states(self) -> str:
        """The source of belief states that they are scored with."""
        return chosen_states(self.main, self.scorer.options)

    @cached_property
    def played(self) -> Played:
        """What is played under the default rule set, of which `FIGURES` are computed."""
        return self._scorer_of_figures.played(self.main)

    @property
    def signature(self) -> Signature:
        """What `FIGURES` depend on under the default rule set."""
        return self._scorer_of_figures.signature_of(self.played)

    @property
    def _scorer_of_figures(self) -> Scorer:
        return self.scorer.with_options(rules=DEFAULT_RULES, metrics=DIALOGUE_METRICS)

    def scores(self, golds: Sequence[GoldStates]) -> Scores:
        """Score them with every metric that they allow, under every published rule set."""
        reports, without, dialogues = {}, {}, None
        for rules in published_rule_sets():
            scorer = self.scorer.with_options(rules=rules)
            submission = self.main if rules == DEFAULT_RULES else self.normalized(scorer)
            metrics = allowed_metrics(submission)
            scorer = scorer.with_options(metrics=metrics)
            played = scorer.played(submission)
            reports[rules] = scorer.report(played)
            if rules == DEFAULT_RULES and set(DIALOGUE_METRICS) <= set(metrics):
                dialogues = dialogue_scores(played, reports[rules].signature)
            if scorer.options.aliases is not None:
                without[rules] = self._without_placeholders(rules)
        return Scores(
            reports,
            self.predictions,
            dialogues=dialogues,
            without_placeholders=without or None,
            fingerprints=self._fingerprints,
            further_gold=submission_against(self.main, self.scorer.benchmark, golds),
        )

    @property
    def _fingerprints(self) -> Fingerprints:
        states = self.main.states if self.main.predicts_states else None
        return fingerprints_of(self.scorer.benchmark, self.main.responses, states)

    def _without_placeholders(self, rules: str) -> dict[str, float]:
        """Return the strict figures with placeholders of its own read as unknown ones."""
        scorer = self.scorer.with_options(
            rules=rules, placeholders=None, metrics=DIALOGUE_METRICS, setup="strict"
        )
        submission = self.unaliased if rules == DEFAULT_RULES else self.normalized(scorer)
        report = scorer.score_normalized(submission)
        return {name: headlines()[name].value(report, "strict") or 0.0 for name in FIGURES}


@dataclass(frozen=True)
class States:
    """A tracker's states, read, to be scored.

    Attributes:
        read: What the file holds.
        file: Its dialogues, paired with gold states.
        load_benchmark: As for `read_states`.
        content: The (unpacked) file; None where the harness makes the states.
        own_gold: What version of the annotation the file's own gold states are; None where nobody
            says.
    """

    read: object
    file: TrackedFile
    load_benchmark: BenchmarkLoader
    content: bytes | None = None
    own_gold: str | None = None

    @property
    def predictions(self) -> Hashes | None:
        """What identifies the predictions."""
        return None if self.content is None else hashes_of(self.content, self.read)

    @property
    def states(self) -> None:
        """No source of belief states is chosen."""

    def scores(self, golds: Sequence[GoldStates]) -> Scores:
        """Score them with every metric."""
        file = self.file
        signature = tracking_signature(file.dialogues, file.benchmark, gold=file.gold)
        report = score_tracking(file.dialogues)
        coverage, of = None, self._own_gold(golds)
        if file.benchmark is not None:
            whole = file.benchmark
            coverage = Coverage(report.dialogues, len(whole.dialogues), report.turns, whole.turns)
            of = GoldOf("benchmark", None)
            if file.gold is not None:
                of = GoldOf("version", file.gold.version)
            else:
                data = whole.content_hash(rule_set(DEFAULT_RULES))
                signature = replace(signature, data=data)
        return Scores(
            predictions=self.predictions,
            tracking=TrackingScores(signature, of, coverage, report, gold_share_of(file.dialogues)),
            fingerprints=self._fingerprints,
            further_gold=tracker_against(self.read, file.source, self.load_benchmark, golds),
        )

    def _own_gold(self, golds: Sequence[GoldStates]) -> GoldOf:
        """Return whose the file's own gold states are: those of the version that is stated.

        Raises:
            InputError: They are not, or nobody can tell.
        """
        if self.own_gold is None or self.file.benchmark is not None:
            return GoldOf("file", None)
        dialogues = self.file.dialogues
        benchmark = self.load_benchmark(dialogue.id for dialogue in dialogues)
        known = {gold.version: gold.states for gold in golds}
        own = gold_versions(benchmark.name).own
        if own is not None:
            known[own] = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        if self.own_gold not in known:
            told = unknown("version", self.own_gold, known) if known else "no version is known"
            other = "`mwz data import --states` installs others, or leave it out"
            raise InputError("--own-gold", f"{told}; {other}")
        agrees = agreement(dialogues, known[self.own_gold])
        if agrees < KNOWN_GOLD:
            told = f"{100 * agrees:.1f} % of the file's gold states are those of {self.own_gold}"
            other = f"leave it out, or compare with these by --gold {self.own_gold}"
            raise InputError("--own-gold", f"{told}; {other}")
        return GoldOf("file", self.own_gold, agrees)

    @property
    def _fingerprints(self) -> Fingerprints | None:
        file = self.file
        try:
            benchmark = self.load_benchmark(dialogue.id for dialogue in file.dialogues)
        except InputError:
            return None
        rules = rule_set(DEFAULT_RULES)
        states: dict[str, list[BeliefState]] = {}
        for dialogue in file.dialogues:
            id_ = dialogue_id(dialogue.id)
            if id_ in benchmark.dialogues:
                by_number = {turn.number: turn.predicted for turn in dialogue.turns}
                turns = range(benchmark.dialogues[id_].turns)
                states[id_] = [normalize_state(by_number.get(n, {}), rules) for n in turns]
        return fingerprints_of(benchmark, None, states) if states else None


def agreement(
    dialogues: Iterable[TrackedDialogue], gold: Mapping[str, Sequence[BeliefState]]
) -> float:
    """Return the share of turns whose gold state is that of a version; what it lacks is not."""
    rules = rule_set(DEFAULT_RULES)

    def compared(state: BeliefState) -> BeliefState:
        return without_empty_domains(without_booking_prefix(state))

    equal = []
    for dialogue in dialogues:
        known = gold.get(dialogue_id(dialogue.id), ())
        for turn in dialogue.turns:
            own = compared(normalize_state(turn.gold, rules))
            equal.append(turn.number < len(known) and own == compared(known[turn.number]))
    return sum(equal) / max(len(equal), 1)


Outputs: TypeAlias = Responses | States


def read_outputs(
    content: bytes | str,
    source: str,
    scorer: Scorer,
    track: str,
    aliases: Aliases | None = None,
    gold: GoldStates | None = None,
    own_gold: str | None = None,
) -> Outputs:
    """Read and check a system's predictions.

    Args:
        content: The (unpacked) file; or the name of a submission that the harness makes.
        source: What messages call it.
        scorer: Has the benchmark.
        track: The system's track.
        aliases: The placeholders that the responses hold besides those of the rule sets.
        gold: As for `read_states`.
        own_gold: As for `read_states`.

    Raises:
        InputError: The predictions are not what is scored in the track.
    """
    benchmark = scorer.benchmark
    if track == STATE_TRACKING:
        return read_states(content, source, lambda ids: benchmark, gold, own_gold)
    own = scorer.with_options(lexicalised=track == LEXICALISED, placeholders=aliases)
    if isinstance(content, str):
        return Responses(content, own)
    return read_responses(content, source, own)


def read_responses(content: bytes, source: str, scorer: Scorer) -> Responses:
    """Read and check a system's responses.

    Args:
        content: The (unpacked) file.
        source: What messages call it.
        scorer: As for `Responses`.

    Raises:
        InputError: They are no submission to the benchmark.
    """
    standard = read_standard(content, source)
    submission = checked_submission(standard, scorer.benchmark, source, scorer.rules)
    return Responses(submission, scorer, content)


def read_states(
    content: bytes | str,
    source: str,
    load_benchmark: BenchmarkLoader,
    gold: GoldStates | None = None,
    own_gold: str | None = None,
) -> States:
    """Read a tracker's file.

    Args:
        content: The (unpacked) file: gold and predicted states, or predicted ones only; or the name
            of a submission that the harness makes.
        source: What messages call it.
        load_benchmark: Gives the benchmark to compare with for the dialogues' ids; called only if
            the file has no gold states of its own, or there are others to compare with.
        gold: Gold states of another version to compare with instead.
        own_gold: What version of the annotation the file's own gold states are, as the submitter
            says.

    Raises:
        InputError: The content is no file of states, or a version is stated of gold states that
            the file does not have.
    """
    if isinstance(content, bytes):
        read = parse_predictions(content, source)
    else:
        read = made_submission(load_benchmark(()), content).states
    file = parse_tracking_file(read, source, load_benchmark, gold)
    if own_gold is not None and file.benchmark is not None:
        told = f"{source} is compared with a benchmark's gold states; leave it out"
        raise InputError("--own-gold", told)
    stored = content if isinstance(content, bytes) else None
    return States(read, file, load_benchmark, stored, own_gold)


def check_seeds(own: Responses, seeds: Sequence[Responses]) -> None:
    """Make sure that outputs are those of further seeds of a system.

    Raises:
        InputError: Some are there twice, or do not compare with the system's.
    """
    known = {own.predictions and own.predictions.content}
    for seed in seeds:
        content = seed.predictions and seed.predictions.content
        if content in known:
            raise InputError(seed.source, "is there twice; give the outputs of each seed once")
        known.add(content)
        verdict = own.signature.comparable_with(seed.signature, apart_from=("coverage",))
        if not verdict:
            reasons = [f"cannot be a seed of the system: {reason}" for reason in verdict.reasons]
            raise InputError(seed.source, reasons)


def score_entry(
    outputs: Outputs,
    golds: Sequence[GoldStates] = (),
    seeds: Mapping[str, Responses | Seed] | None = None,
) -> Scores:
    """Score all that is stored of a system.

    Args:
        outputs: What it put out.
        golds: Further gold states to compare predicted states with.
        seeds: File in the entry's folder -> outputs of a further seed of the system, or what they
            were found to score.

    Raises:
        InputError: The outputs play nothing, or lack what the scores of seeds are compared by.
    """
    scores = outputs.scores(golds)
    if not seeds:
        return scores
    if scores.dialogues is None:
        raise InputError("--seeds", "BLEU, Inform and Success of the system are not known")
    found = tuple(one if isinstance(one, Seed) else _seed(file, one) for file, one in seeds.items())
    spread = spread_of([scores.dialogues.outcomes.totals, *(seed.scores for seed in found)])
    return replace(scores, seeds=SeedScores(found, spread))


def _seed(file: str, outputs: Responses) -> Seed:
    assert outputs.predictions is not None
    played = outputs.played
    by_id = {one.id: one for one in played.results}
    results = [by_id[id_] for id_ in played.benchmark.dialogues if id_ in by_id]
    outcomes = stored_outcomes(played, results, outputs.signature)
    return Seed(file, outputs.predictions, outputs.signature, outcomes.totals)


# ------------------------------------------------------------------------ dialogue by dialogue


def dialogue_scores(played: Played, signature: Signature) -> DialogueScores:
    """Return what was played scores dialogue by dialogue.

    Args:
        played: What was played under the default rule set, with at least `DIALOGUE_METRICS`.
        signature: The signature of its scores.
    """
    by_id = {one.id: one for one in explained_results(played)}
    results = [by_id[id_] for id_ in played.benchmark.dialogues if id_ in by_id]
    outcomes = stored_outcomes(played, results, signature)
    found = intervals_of(evidence_of_outcomes("", signature, outcomes))
    scores = {name: found[name] for name in FIGURES}
    intervals = Intervals(INTERVAL_LEVEL, INTERVAL_SAMPLES, SEED, scores)
    causes = Causes(domain_losses(results), points(results), lost_dialogues(results))
    return DialogueScores(outcomes, intervals, causes)


def stored_outcomes(
    played: Played, results: Sequence[DialogueResult], signature: Signature
) -> Outcomes:
    """Return what is stored of each dialogue played.

    Args:
        played: As for `dialogue_scores`.
        results: The results of the dialogues, in the order of the benchmark.
        signature: As for `dialogue_scores`.
    """
    counts = [one.bleu[CANONICAL_STYLE] for one in results]
    length, references, *ngrams = map(tuple, zip(*counts, strict=True))
    half = len(ngrams) // 2
    return Outcomes(
        data=signature.data or "",
        rules=signature.rules_digest or "",
        played="".join("01"[id_ in played.responses] for id_ in played.benchmark.dialogues),
        turns=tuple(one.turns for one in results),
        inform="".join(str(one.inform) for one in results),
        success="".join(str(one.success) for one in results),
        bleu=BleuCounts(length, references, tuple(ngrams[:half]), tuple(ngrams[half:])),
    )


def evidence_of_outcomes(name: str, signature: Signature, outcomes: Outcomes) -> Evidence:
    """Return what is known of an entry, to compare it with others on the same benchmark.

    Dialogues are called by their numbers.
    """
    statistics = responses_statistics([*zip(*outcomes.columns, strict=True)])
    return Evidence(name, signature, tuple(map(str, outcomes.places)), {"responses": [statistics]})


def responses_statistics(rows: Any) -> Statistics:
    """Return the statistics of `FIGURES`, of rows of what `Outcomes.columns` has."""
    titles = {name: headlines()[name].title for name in FIGURES}
    figures = [Figure(n, title, 1 if n in _RATES else 2, True) for n, title in titles.items()]
    wins = {name: column for column, name in enumerate(_RATES, start=1)}
    return Statistics.of_rows(figures, rows, totals_of_sums, wins=wins, of_samples=True)


# ---------------------------------------------------------------------- against further gold states


def submission_against(
    submission: NormalizedSubmission, benchmark: Benchmark, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a submission's predicted states; nothing if it has none.

    Args:
        submission: What the system put out, normalised by the default rule set.
        benchmark: The benchmark that it plays.
        golds: The gold states.
    """
    if not submission.predicts_states:
        return {}
    states = submission.states
    return {
        gold.version: _further_figures(dialogues, benchmark, gold)
        for gold in golds
        if (dialogues := track_states(states, benchmark, gold))
    }


def tracker_against(
    read: object, source: str, load_benchmark: BenchmarkLoader, golds: Sequence[GoldStates]
) -> FurtherGold:
    """Score a tracker's file; nothing if its dialogues and turns are not the benchmark's.

    Args:
        read: What the file holds, whatever gold states it has itself.
        source: What messages call it.
        load_benchmark: Gives the benchmark that the gold states are of.
        golds: The gold states.
    """

    def against(gold: GoldStates) -> dict[str, TrackingFigures]:
        file = parse_tracking_file(read, source, load_benchmark, gold)
        assert file.benchmark is not None
        return _further_figures(file.dialogues, file.benchmark, gold)

    found = {}
    for gold in golds:
        with suppress(InputError):
            found[gold.version] = against(gold)
    return found


def _further_figures(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, gold: GoldStates
) -> dict[str, TrackingFigures]:
    """Return choice of `--dontcare` -> figures of dialogues tracked with these gold states."""
    score = partial(
        tracking_figures, dialogues, benchmark, gold, gold_share=gold_share_of(dialogues)
    )
    return {choice: score(choices=Choices(dontcare=choice)) for choice in VARIANTS["dontcare"]}
