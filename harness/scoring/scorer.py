"""From a submission to a report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, overload

from mwz import database
from mwz.normalization import RuleSet, package_versions, sha256

from .. import comparison, data, diagnosis
from ..benchmark import CANONICAL_STYLE, Benchmark
from ..errors import InputError, counted, warn_of
from ..io import kept_part
from ..metrics import (
    BOTH,
    RANKED,
    SETUPS,
    Played,
    References,
    chosen_setups,
    metric_results,
    response_metrics,
)
from ..rooms import import_room
from ..signature import SHOWN_HASH, Signature, current_versions
from ..submission import (
    ACTIVE_DOMAINS,
    HUMAN,
    RESPONSE,
    STATE,
    NormalizedSubmission,
    Standard,
    Submission,
    checked_submission,
    delexicalise_submission,
    dialogue_id,
    human_submission,
    made_submission,
    normalize_submission,
    plain_form,
    read_standard,
    standard_form,
)
from .options import (
    LEXICALISED,
    Options,
    lexicalised_parameter,
    parameters,
    played_remarks,
    sources_of,
)
from .report import Coverage, Report

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

    from ..comparison import Evidence
    from ..metrics import DialogueResult


@dataclass(frozen=True)
class Reward:
    """The reward of a rollout.

    Attributes:
        value: The reward; 0 for a rollout that cannot be scored.
        reason: Why it cannot be scored; None if it can.
    """

    value: float
    reason: str | None = None


def rewarded(value: Callable[..., float], *rollout: object) -> Reward:
    """Return what a rollout is worth; 0 and a reason if it cannot be scored."""
    try:
        return Reward(value(*rollout))
    except InputError as error:
        return Reward(0.0, str(error))


@dataclass(frozen=True)
class Scorer:
    """Scores any number of submissions on one benchmark; what a training loop keeps.

    What is derived of the benchmark is made when it is first needed, and shared by all scorers of
    it. Threads may share a scorer; a copy for another process derives it anew.

    Attributes:
        benchmark: The benchmark to score on.
        options: How to score.

    >>> scorer = Scorer(load_benchmark("sample"), Options(metrics=["inform"]))
    >>> scorer.score({"town001": [{"response": "[restaurant_name] is nice"}]}).success
    0.0
    """

    benchmark: Benchmark
    options: Options = field(default_factory=Options)

    def with_options(self, **changes: Any) -> Scorer:
        """Return a scorer with some options changed.

        Raises:
            InputError: An option's value is unknown.
        """
        # A copy for another process has no file that options name.
        resolved = self.options.resolved
        read = {"placeholders": resolved.aliases, "goals": resolved.goals or self.options.goals}
        return Scorer(self.benchmark, replace(self.options, **{**read, **changes}))

    @property
    def rules(self) -> RuleSet:
        """The rule set, with the aliases of the options."""
        return self.options.resolved.rules

    def score(self, predictions: Mapping[str, Sequence[Mapping[str, object]]]) -> Report:
        """Score predictions: dialogue id -> turns, one per system turn.

        Args:
            predictions: Each turn an object with `response` and optionally `state` and
                `active_domains`, as in a predictions file. It is left as it was. With the option
                `free_running`, dialogues of any length.

        Returns:
            The report. What is likely wrong with the predictions is in its `remarks`, and is warned
            of by a `ReadingWarning`.

        Raises:
            InputError: The predictions are not in the expected form, do not fit the benchmark, or
                lack what an option asks for.
        """
        standard = standard_form(predictions, "predictions")
        if self.options.free_running:
            scorer, free = free_run(self, standard, "predictions")
            report: Report = free.report(scorer)
            remarks = tuple(free.remarks)
        else:
            submission = check_predictions(self, standard, "predictions")
            played = self.played(normalize(self, submission))
            report = self.report(played)
            remarks = tuple(played_remarks(played, self.options))
        warn_of(remarks)
        return replace(report, remarks=remarks)

    def evidence(
        self, name: str, predictions: Mapping[str, Sequence[Mapping[str, object]]]
    ) -> Evidence:
        """Return the evidence of a system's predictions, to compare it with others.

        Args:
            name: What to call the system.
            predictions: As `score` takes them.

        Raises:
            InputError: As for `score`.
        """
        return evidence_of(self, self.played(_normalized(self, predictions, name)), name)

    def report(self, played: Played) -> Report:
        """Return the report of what was played, as `played` gave it."""
        submission, benchmark = played.submission, played.benchmark
        results: dict[str, object] = {}
        # In the order in which people read them.
        for name in response_metrics():
            if name in played.metrics:
                results |= metric_results(played.metrics[name], played)
        return Report(
            signature=self.signature(played),
            coverage=Coverage(
                dialogues=len(submission.dialogues),
                of=len(benchmark.dialogues),
                turns=submission.turns,
                of_turns=benchmark.turns,
            ),
            unknown_placeholders=submission.unknown_placeholders,
            metrics=results,
        )

    def dialogue(self, id_: str, turns: Sequence[Mapping[str, object]]) -> DialogueResult:
        """Score one dialogue by itself, in the strict set-up, and say what was lost: a reward.

        Sentence-level BLEU is computed if `bleu` is among the metrics of the options. The sources
        of states and active domains, where the options say "auto", are what these turns allow;
        name them in the options if all dialogues shall have the same.

        Args:
            id_: The dialogue's id in the benchmark.
            turns: Its turns from the first, as in a predictions file. They are left as they were.

        Raises:
            InputError: The turns are not in the expected form, do not fit the benchmark, or lack
                what an option asks for.
        """
        return self._result(self.played(_normalized(self, {id_: turns})))

    def _result(self, played: Played, turns: slice = slice(None)) -> DialogueResult:
        """Return what came out of the only dialogue that was played, with BLEU of some turns."""
        explained = diagnosis.diagnose(played)
        [dialogue], [result] = explained.dialogues, explained.results
        if "bleu" not in played.metrics:
            return result
        references = dialogue.gold.references[CANONICAL_STYLE][turns]
        scores = sentence_bleu(dialogue.responses[turns], references)
        return replace(result, sentence_bleu=scores)

    def dialogues(
        self,
        batch: Mapping[str, Sequence[Mapping[str, object]]]
        | Iterable[tuple[str, Sequence[Mapping[str, object]]]],
    ) -> list[DialogueResult]:
        """Score each of many dialogues by itself: `dialogue` of each, in their order.

        Args:
            batch: Dialogue id -> turns, or pairs of the two; in pairs, a dialogue may come more
                than once, as it does if a policy plays it several times.

        Raises:
            InputError: As for `dialogue`.
        """
        pairs = batch.items() if isinstance(batch, Mapping) else batch
        return [self.dialogue(id_, turns) for id_, turns in pairs]

    def turn(self, id_: str, number: int, turn: Mapping[str, object]) -> DialogueResult:
        """Score a dialogue of the benchmark in which one turn is given: a reward of the turn.

        The other turns are the benchmark's own: the canonical references, or with the option
        `lexicalised` the human responses, with gold states and active domains where the turn has
        such. `sentence_bleu` is of the turn alone.

        Args:
            id_: The dialogue's id in the benchmark.
            number: The place of the turn among the system's, from 0.
            turn: The turn, as in a predictions file. It is left as it was.

        Raises:
            InputError: As for `dialogue`, or the dialogue has no such turn.
        """
        gold = self.benchmark.dialogues.get(dialogue_id(id_))
        if gold is None or number not in range(gold.turns):
            raise InputError("predictions", f"dialogue {id_}, turn {number}: not in the benchmark")
        is_plain = self.options.resolved.lexicalised
        fields = turn if isinstance(turn, Mapping) else {}
        turns: list[Mapping[str, object]] = []
        for place in range(gold.turns):
            own: dict[str, object] = {RESPONSE: gold.responses[place] if is_plain else ""}
            if STATE in fields:
                own[STATE] = gold.states[place]
            if ACTIVE_DOMAINS in fields:
                own[ACTIVE_DOMAINS] = gold.gold_domains[place]
            turns.append(own)
        turns[number] = turn
        submission = _normalized(self, {id_: turns})
        if not is_plain:
            [(key, dialogue)] = submission.dialogues.items()
            responses = [*gold.references[CANONICAL_STYLE]]
            responses[number] = dialogue.responses[number]
            changed = replace(dialogue, responses=tuple(responses))
            # References do not say whose their placeholders are.
            submission = replace(submission, dialogues={key: changed}, names_domains=False)
        return self._result(self.played(submission), slice(number, number + 1))

    def turn_rewards(
        self,
        batch: Iterable[tuple[str, int, Mapping[str, object]]],
        value: Callable[[DialogueResult], float] = lambda result: result.success,
    ) -> list[Reward]:
        """Return the reward of each of many turns, in their order.

        A turn that cannot be scored gets 0 and a reason, and the others are scored.

        Args:
            batch: Dialogue id, number and turn, as `turn` takes them.
            value: What the result of the dialogue with this turn is worth.
        """

        def worth(id_: str, number: int, turn: Mapping[str, object]) -> float:
            return value(self.turn(id_, number, turn))

        return [rewarded(worth, *rollout) for rollout in batch]

    def rewards(
        self,
        batch: Iterable[tuple[str, Sequence[Mapping[str, object]]]],
        value: Callable[[DialogueResult], float] = lambda result: result.success,
    ) -> list[Reward]:
        """Return the reward of each of many rollouts, in their order.

        A rollout that cannot be scored, or has another number of turns than the dialogue, gets 0
        and a reason, and the others are scored.

        Args:
            batch: Pairs of dialogue id and turns.
            value: What the result of a dialogue is worth.
        """

        def worth(rollout: object) -> float:
            if not isinstance(rollout, Sequence) or len(rollout) != 2:
                raise InputError("rollout", "expected a pair of dialogue id and turns")
            id_, turns = rollout
            gold = self.benchmark.dialogues.get(dialogue_id(id_))
            if gold is not None and isinstance(turns, Sequence) and len(turns) != gold.turns:
                has = counted(gold.turns, "system turn")
                raise InputError(f"dialogue {id_}", f"{counted(len(turns), 'turn')}; it has {has}")
            return value(self.dialogue(id_, turns))

        return [rewarded(worth, rollout) for rollout in batch]

    def played(self, submission: NormalizedSubmission) -> Played:
        """Return what metrics compute from, of a submission normalised by the rules chosen.

        Raises:
            InputError: The submission lacks what an option asks for.
        """
        if submission.lexicalised and not self.options.resolved.lexicalised:
            raise InputError("option lexicalised", "the submission was delexicalised; set it")
        # The sources are those of the whole submission, so that its parts are scored alike.
        states, domains = sources_of(self.options, submission)
        metrics = {}
        unfit = []
        needs_references = False
        for name in self.options.resolved.metrics:
            metric = metrics[name] = response_metrics()[name]
            reason = metric.unfit(submission)
            if reason is not None:
                unfit.append(reason)
            if "references" in metric.needs:
                needs_references = True
        if unfit:
            raise InputError("option metrics", unfit)
        goals = self.options.resolved.part
        benchmark = _scored_part(self.benchmark, self.rules, goals)
        if goals != "all":
            dialogues = dict(submission.dialogues)
            for id_ in dialogues.keys() - benchmark.dialogues.keys():
                del dialogues[id_]
            if not dialogues:
                problem = f"the predictions play no dialogue with {goals} goal"
                raise InputError("option goals", problem)
            submission = replace(submission, dialogues=dialogues)
        return Played(
            submission=submission,
            benchmark=benchmark,
            rules=self.rules,
            setup=self.options.setup,
            states=states,
            domains=domains,
            database=venue_database(self.benchmark, self.rules),
            metrics=metrics,
            prepared_references=bleu_references(benchmark) if needs_references else None,
            delexicalise=delexicaliser_of(self) if self.options.resolved.lexicalised else None,
        )

    def signature(self, played: Played | None = None) -> Signature:
        """Return the signature of scores.

        Args:
            played: What was scored, as `played` gave it. Without it coverage is left out, and the
                sources of domains and states are as the options have them, "auto" or another.
        """
        options, rules = self.options, self.rules
        states: str = options.states
        domains: str = options.domains
        coverage = None
        goals = options.resolved.part
        sources = {SETUPS[name].domains for name in chosen_setups(options.setup)}
        gold_domains = None
        if "gold" in {options.domains, *sources}:
            # Where gold active domains come from: DAMD's labels, or states and acts.
            dialogues = self.benchmark.dialogues.values()
            is_labelled = any(dialogue.damd_domains is not None for dialogue in dialogues)
            gold_domains = "damd" if is_labelled else "rule"
        metrics = [response_metrics()[name] for name in options.resolved.metrics]
        versions = dict(current_versions())
        versions |= package_versions(metrics=metrics, setups=[options.setup], rules=[rules.name])
        if played is not None:
            states, domains = played.states, played.domains
            if played.setup not in (*RANKED, BOTH):
                named = SETUPS[played.setup]
                states, domains = named.states or states, named.domains or domains
            submission = played.submission
            versions |= submission.packages
            if submission.turns != played.benchmark.turns:
                turns = sorted((id_, len(turns)) for id_, turns in submission.dialogues.items())
                digest = sha256(repr(turns))[:SHOWN_HASH]
                coverage = f"{submission.turns}/{played.benchmark.turns}-{digest}"
        return Signature(
            benchmark=self.benchmark.name,
            data=_content_hash(_scored_part(self.benchmark, rules, goals), rules),
            rules=rules.name,
            rules_digest=rules.digest,
            setup=options.setup,
            domains=domains,
            states=states,
            goals=goals,
            coverage=coverage,
            gold_domains=gold_domains,
            parameters=parameters(options),
            versions=versions,
        )


def score(
    predictions: Mapping[str, Sequence[Mapping[str, object]]],
    benchmark: Benchmark,
    options: Options = Options(),
) -> Report:
    """Score predictions once: `Scorer(benchmark, options).score(predictions)`.

    Raises:
        InputError: The predictions are not in the expected form, do not fit the benchmark, or
            lack what an option asks for.

    >>> turns = [{"response": "[restaurant_name] is nice"}]
    >>> score({"town001": turns}, load_benchmark("sample"), Options(metrics=["inform"])).inform
    100.0
    """
    return Scorer(benchmark, options).score(predictions)


def with_all_metrics(
    scorer: Scorer, submission: NormalizedSubmission, apart_from: Collection[str] = ()
) -> Scorer:
    """Return a scorer with all metrics that can be computed of a submission, apart from some."""
    names = [name for name in fit_metrics(submission) if name not in apart_from]
    return scorer.with_options(metrics=names)


def free_run(scorer: Scorer, dialogues: Standard, source: str) -> tuple[Scorer, Any]:
    """Compare free-running dialogues with their goals.

    Returns:
        The scorer that did, and `PlainDialogues` of `grounding`. If instructions tell which goals
        dialogues are on, it is a scorer of the installed benchmark that has the most of these
        goals.

    Raises:
        InputError: They are malformed, or one has no goal.
    """
    free_running = import_room("harness.grounding.plain_dialogues", "--free-running")
    if dialogues.instructions:
        texts = dialogues.instructions.values()
        counts: dict[str, int] = {}
        for name in dict.fromkeys([scorer.benchmark.name, *data.installed_benchmarks()]):
            goals = data.instructed_goals(name)
            counts[name] = sum(text in goals for text in texts)
        # The first of those that have the most.
        best = max(counts, key=counts.__getitem__)
        if best != scorer.benchmark.name:
            scorer = Scorer(data.loaded_once(best), scorer.options)
    plain = plain_form(dialogues, source)
    return scorer, free_running.play_free_running(plain, source, scorer)


@overload
def check_predictions(
    scorer: Scorer, predictions: bytes | Standard, source: str, likely_mistakes: bool = True
) -> Submission: ...


@overload
def check_predictions(
    scorer: Scorer,
    predictions: bytes | Standard | Submission | str,
    source: str,
    likely_mistakes: bool = True,
) -> Submission | str: ...


def check_predictions(
    scorer: Scorer,
    predictions: bytes | Standard | Submission | str,
    source: str,
    likely_mistakes: bool = True,
) -> Submission | str:
    """Return an (unpacked) predictions file, or the same parsed, as a submission.

    A submission, and the name of one that the harness makes, are returned as they are.

    Args:
        scorer: How to score.
        predictions: The predictions.
        source: What messages call them.
        likely_mistakes: Whether to remark on what is likely wrong with them.

    Raises:
        InputError: It is no submission to the benchmark.
    """
    if isinstance(predictions, Submission | str):
        return predictions
    if isinstance(predictions, bytes):
        predictions = read_standard(predictions, source)
    resolved = scorer.options.resolved
    if resolved.lexicalised:
        # Turns may hold two responses, delexicalised and in plain English.
        predictions = plain_form(predictions, source)
    rules = resolved.rules if likely_mistakes else None
    return checked_submission(predictions, scorer.benchmark, source, rules, resolved.checks)


def normalize(scorer: Scorer, submission: Submission | str) -> NormalizedSubmission:
    """Return a submission normalised by the rule set; delexicalised first, if so chosen.

    Args:
        scorer: How to score.
        submission: A submission; or the name of one that the harness makes: one of
            `made_submissions`, or `HUMAN`, for the human responses as they were written, where
            responses are delexicalised.

    Raises:
        InputError: The benchmark does not hold the human responses.
    """
    if submission == HUMAN:
        submission = human_submission(_scored_part(scorer.benchmark, scorer.rules, "all"))
    if isinstance(submission, str):
        return made_submission(scorer.benchmark, submission)
    if scorer.options.resolved.lexicalised:
        submission = delexicalise_submission(submission, delexicaliser_of(scorer))
        checks = import_room("harness.grounding.facts", "plain English")
        checks.refuse_delexicalised(submission, scorer.rules, "--lexicalised")
    return normalize_submission(submission, scorer.rules)


def report_on(scorer: Scorer, submission: NormalizedSubmission) -> Report:
    """Return the report on a submission that is normalised by the rule set of the options.

    Raises:
        InputError: The submission lacks what an option asks for.
    """
    return scorer.report(scorer.played(submission))


def evidence_of(scorer: Scorer, played: Played, name: str) -> Evidence:
    """Return the evidence of a submission that `Scorer.played` gave."""
    return comparison.Evidence.from_played(played, scorer.signature(played), name)


def _normalized(
    scorer: Scorer, predictions: object, source: str = "predictions"
) -> NormalizedSubmission:
    """Normalise predictions without a look at what is likely wrong with them."""
    standard = standard_form(predictions, source)
    submission = check_predictions(scorer, standard, source, likely_mistakes=False)
    return normalize(scorer, submission)


def plain_signature(scorer: Scorer) -> Signature:
    """Return what scores of plain English against goals and venues depend on in any case."""
    # They use no metric of a package, whatever is installed.
    return replace(
        scorer.with_options(metrics=()).signature(),
        setup=None,
        domains=None,
        states=None,
        goals=None,
        gold_domains=None,
        parameters={LEXICALISED: lexicalised_parameter()},
    )


def database_of(scorer: Scorer) -> VenueDatabase:
    """Return the venue database under the rule set."""
    return venue_database(scorer.benchmark, scorer.rules)


def delexicaliser_of(scorer: Scorer) -> Any:
    """Return the delexicaliser of the benchmark's venues under the rule set.

    Raises:
        InputError: The benchmark is not in English, or the room is not there.
    """
    if scorer.benchmark.language != "en":
        problem = f"the delexicaliser knows English only, and {scorer.benchmark.name} is in "
        remedy = "; give responses with placeholders, without --lexicalised"
        raise InputError("--lexicalised", problem + f"`{scorer.benchmark.language}`" + remedy)
    grounded = import_room("harness.grounding.grounded", "plain English")
    return grounded.delexicaliser(scorer.benchmark, scorer.rules)


def fit_metrics(submission: NormalizedSubmission) -> list[str]:
    """Return the names of all metrics that can be computed of a submission."""
    metrics = response_metrics().items()
    return [name for name, metric in metrics if metric.unfit(submission) is None]


def sentence_bleu(responses: Sequence[str], references: Sequence[str]) -> tuple[float, ...]:
    """Return sentence-level BLEU of each response, in percent.

    As `sacrebleu.sentence_bleu` but with the effective order: n-grams longer than the response are
    left out. The mean over turns is not corpus BLEU.
    """
    # Imports NumPy late, with sacreBLEU: it takes 0.1 s.
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(effective_order=True)
    pairs = zip(responses, references, strict=False)
    return tuple(metric.sentence_score(text, [reference]).score for text, reference in pairs)


# What is derived of a benchmark once, for all scorers of it, and kept where it is installed.
# Benchmarks are told apart by identity: they are large, and never changed in place.


_scored_part = lru_cache(maxsize=16)(Benchmark.scored_part)


@lru_cache(maxsize=64)
def _content_hash(benchmark: Benchmark, rules: RuleSet) -> str:
    # That of one version of the venues is the same under all rule sets.
    name = f"hash-{rules.venues}"
    return str(kept_part(benchmark.prepared, name, lambda: benchmark.content_hash(rules)))


@lru_cache(maxsize=8)
def bleu_references(benchmark: Benchmark) -> References:
    """Return the references of a benchmark, prepared for BLEU."""
    texts = {id_: dialogue.references for id_, dialogue in benchmark.dialogues.items()}
    if benchmark.prepared is None:
        return References.of_texts(texts)
    packed = kept_part(
        benchmark.prepared, "references", lambda: References.of_texts(texts).packed()
    )
    return References.unpacked(packed)


@lru_cache(maxsize=32)
def venue_database(benchmark: Benchmark, rules: RuleSet) -> VenueDatabase:
    """Return the venue database of a benchmark under a rule set."""
    records = benchmark.venue_records(rules)
    if benchmark.prepared is None:
        return database.VenueDatabase(records, rules)
    folder, made_of = benchmark.prepared
    file = folder / f"venues-{rules.digest[:16]}-{rules.venues}.sqlite"
    return database.VenueDatabase(records, rules, file, made_of)
