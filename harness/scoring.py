"""From a submission to a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mwz.database import EMBEDDED
from mwz.normalization.states import RULE_SET_NAMES, BeliefState, rule_set

from .benchmark import CANONICAL_STYLE, GOALS, Benchmark
from .domains import domains_from_states
from .errors import InputError
from .metrics.diversity import Diversity, diversity
from .metrics.inform_success import (
    OPTIMISTIC,
    STRICT,
    TOTAL,
    PlayedDialogue,
    Rates,
    Setup,
    inform_success,
)
from .report import Coverage, Report, SetupScores
from .signature import signature
from .submission import NormalizedSubmission, normalize_submission, parse_submission

if TYPE_CHECKING:
    from .tracking.evaluation import TrackingReport

METRICS = ("bleu", "inform", "diversity", "dst")
DEFAULT_METRICS = ("bleu", "inform", "diversity")
SETUPS = ("strict", "optimistic", "both")
DOMAIN_SOURCES = ("auto", "predicted", "slots", "states", "gold")
STATE_SOURCES = ("auto", "predicted", "gold")


@dataclass(frozen=True)
class Options:
    """How to score.

    Attributes:
        rules: Rule set, "2021" or "2023".
        setup: "strict", "optimistic" or "both".
        domains: Source of active domains in the strict set-up: "predicted"; "slots", the domains
            that placeholders name; "states", changes of the belief states; "gold"; or "auto", the
            first of these that the submission allows, never gold.
        states: Source of belief states: "predicted", "gold", or "auto", predicted if every turn
            has a state.
        metrics: Some of `METRICS`.
        database_url: SQLAlchemy URL of the venue database.
        goals: Which dialogues to score: "all", or those whose goal is "seen" or "unseen" in the
            train or dev split.
    """

    rules: str = "2021"
    setup: str = "both"
    domains: str = "auto"
    states: str = "auto"
    metrics: Collection[str] = DEFAULT_METRICS
    database_url: str = EMBEDDED
    goals: str = "all"

    def __post_init__(self) -> None:
        allowed = {
            "rules": RULE_SET_NAMES,
            "setup": SETUPS,
            "domains": DOMAIN_SOURCES,
            "states": STATE_SOURCES,
            "goals": GOALS,
        }
        problems = [
            f"{name}: {getattr(self, name)!r}; use one of {', '.join(values)}"
            for name, values in allowed.items()
            if getattr(self, name) not in values
        ]
        problems += [
            f"metrics: {metric!r}; use some of {', '.join(METRICS)}"
            for metric in self.metrics
            if metric not in METRICS
        ]
        if problems:
            raise InputError("options", problems)


def score(
    predictions: Mapping[str, Sequence[Mapping[str, object]]],
    benchmark: Benchmark,
    options: Options = Options(),
) -> Report:
    """Score predictions: dialogue id -> turns, one per system turn.

    Args:
        predictions: Each turn an object with `response` and optionally `state` and
            `active_domains`, as in a predictions file. It is left as it was.
        benchmark: The benchmark to score on; load it once and reuse it.
        options: How to score.

    Raises:
        InputError: The predictions are not in the expected form, do not fit the benchmark, or
            lack what an option asks for.
    """
    submission = parse_submission(predictions, benchmark, "predictions")
    normalized = normalize_submission(submission, rule_set(options.rules))
    return score_normalized(normalized, benchmark, options)


def score_normalized(
    submission: NormalizedSubmission, benchmark: Benchmark, options: Options
) -> Report:
    """Score a normalised submission.

    Raises:
        InputError: The submission lacks what an option asks for.
    """
    states_source = _chosen_states(submission, options)
    domains_source = _chosen_domains(submission, options)
    # The sources are those of the whole submission, so that its parts are scored alike.
    benchmark = benchmark.part(options.goals)
    submission = _played_part(submission, benchmark, options.goals)
    bleu = None
    if "bleu" in options.metrics:
        bleu = benchmark.reference_index.scores(submission.responses())
    setups = {}
    if "inform" in options.metrics:
        states = belief_states(submission, benchmark, states_source)
        for name, (setup, source) in _asked_setups(options, domains_source).items():
            domains = active_domains(submission, benchmark, source, states)
            played = play(submission, benchmark, states, domains)
            rates = inform_success(
                played, benchmark.database(options.rules, options.database_url), setup
            )
            setups[name] = SetupScores(rates, _combined(rates, bleu), source)
    return Report(
        signature=_signature(benchmark, options, domains_source, states_source),
        rules=options.rules,
        benchmark=benchmark.name,
        coverage=Coverage(
            dialogues=len(submission.dialogues),
            of=len(benchmark.dialogues),
            turns=submission.turns,
            of_turns=benchmark.turns,
        ),
        bleu=bleu,
        setups=setups,
        diversity=_diversity(submission) if "diversity" in options.metrics else None,
        unknown_placeholders=_unknown_placeholders(submission),
        domains=domains_source,
        states=states_source,
        goals=options.goals,
        tracking=_tracking(submission, benchmark) if "dst" in options.metrics else None,
    )


def belief_states(
    submission: NormalizedSubmission, benchmark: Benchmark, source: str
) -> dict[str, Sequence[BeliefState]]:
    """Return dialogue id -> the belief states that query the database, one per turn played.

    Args:
        submission: What the system put out.
        benchmark: Where gold states are.
        source: "predicted" or "gold".
    """
    if source == "gold":
        return {
            id_: benchmark.dialogues[id_].states[: len(turns)]
            for id_, turns in submission.dialogues.items()
        }
    return {
        id_: [turn.state or {} for turn in turns] for id_, turns in submission.dialogues.items()
    }


def active_domains(
    submission: NormalizedSubmission,
    benchmark: Benchmark,
    source: str,
    states: Mapping[str, Sequence[BeliefState]],
) -> dict[str, Sequence[Collection[str]]]:
    """Return dialogue id -> the active domains, one collection per turn played.

    Args:
        submission: What the system put out.
        benchmark: Where gold active domains are.
        source: "predicted", "slots", "states" or "gold".
        states: Dialogue id -> the belief states used, whose changes "states" looks at.
    """
    domains: dict[str, Sequence[Collection[str]]] = {}
    for id_, turns in submission.dialogues.items():
        if source == "predicted":
            domains[id_] = [turn.active_domains or () for turn in turns]
        elif source == "slots":
            domains[id_] = [turn.placeholder_domains for turn in turns]
        elif source == "gold":
            domains[id_] = benchmark.dialogues[id_].active_domains[: len(turns)]
        else:
            domains[id_] = domains_from_states(states[id_])
    return domains


def play(
    submission: NormalizedSubmission,
    benchmark: Benchmark,
    states: Mapping[str, Sequence[BeliefState]],
    domains: Mapping[str, Sequence[Collection[str]]],
) -> list[PlayedDialogue]:
    """Return the submission's dialogues as Inform and Success look at them."""
    return [
        PlayedDialogue(
            gold=benchmark.dialogues[id_],
            responses=[turn.response for turn in turns],
            states=states[id_],
            active_domains=domains[id_],
        )
        for id_, turns in submission.dialogues.items()
    ]


def _played_part(
    submission: NormalizedSubmission, benchmark: Benchmark, goals: str
) -> NormalizedSubmission:
    """Return a submission cut to the dialogues of a part of the benchmark."""
    if goals == "all":
        return submission
    played = {id_: d for id_, d in submission.dialogues.items() if id_ in benchmark.dialogues}
    if not played:
        raise InputError("option goals", f"the predictions play no dialogue with {goals} goal")
    return replace(submission, dialogues=played)


def _asked_setups(options: Options, domains_source: str) -> dict[str, tuple[Setup, str]]:
    """Return the asked-for set-ups by name, each with its source of active domains."""
    setups = {"strict": (STRICT, domains_source), "optimistic": (OPTIMISTIC, "gold")}
    return {name: setup for name, setup in setups.items() if options.setup in (name, "both")}


def _chosen_states(submission: NormalizedSubmission, options: Options) -> str:
    if options.states == "predicted" and not submission.predicts_states:
        raise InputError("option states", "`predicted` needs a `state` in every turn; use `gold`")
    if options.states != "auto":
        return options.states
    return "predicted" if submission.predicts_states else "gold"


def _chosen_domains(submission: NormalizedSubmission, options: Options) -> str:
    if options.domains == "predicted" and not submission.predicts_domains:
        raise InputError(
            "option domains", "`predicted` needs `active_domains` in every turn; use `auto`"
        )
    if options.domains != "auto":
        return options.domains
    if submission.predicts_domains:
        return "predicted"
    return "slots" if submission.names_domains else "states"


def _combined(rates: Rates, bleu: Mapping[str, float] | None) -> float | None:
    if bleu is None:
        return None
    return (rates.inform[TOTAL] + rates.success[TOTAL]) / 2 + bleu[CANONICAL_STYLE]


def _tracking(submission: NormalizedSubmission, benchmark: Benchmark) -> TrackingReport:
    if not submission.predicts_states:
        raise InputError("option metrics", "`dst` needs a `state` in every turn")
    # Imported here: most scores do without, and start the sooner.
    from .tracking.evaluation import score_tracking
    from .tracking.formats import track_states

    states = belief_states(submission, benchmark, "predicted")
    return score_tracking(track_states(states, benchmark))


def _diversity(submission: NormalizedSubmission) -> Diversity:
    return diversity(text for texts in submission.responses().values() for text in texts)


def _unknown_placeholders(submission: NormalizedSubmission) -> dict[str, int]:
    """Return unknown placeholder -> occurrences, the most frequent first."""
    unknown = Counter(
        name
        for turns in submission.dialogues.values()
        for turn in turns
        for name in turn.unknown_placeholders
    )
    return dict(unknown.most_common())


def _signature(
    benchmark: Benchmark, options: Options, domains_source: str, states_source: str
) -> str:
    choices = {
        "rules": options.rules,
        "setup": options.setup,
        "domains": domains_source,
        "states": states_source,
        "goals": options.goals,
    }
    return signature(benchmark.name, benchmark.content_hashes[options.rules], choices)
