"""Which metrics of state tracking there are, and what reports make of each.

To add one: a function from `Choices` to a metric in a module of this package, and a line in
`METRICS`. The tables below say what else reports show of a metric: list it where that is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mwz.normalization import DEFAULT_RULES, digest_of_json, rule_set

from ...benchmark import Benchmark
from ...signature import SHOWN_HASH, Signature
from .choices import DEFAULT_LAMBDAS, HEADLINE_LAMBDA, Choices, lambda_label
from .goal_accuracy import (
    flexible_goal_accuracy,
    flexible_verdicts,
    fuzzy_joint_accuracy,
    joint_goal_accuracy,
    joint_recall,
    joint_verdicts,
    recall_verdicts,
)
from .metric import TrackingMetric, TurnVerdicts, heading
from .slot_accuracy import (
    OUTCOMES,
    average_goal_accuracy,
    average_verdicts,
    change_verdicts,
    granular_change_accuracy,
    relative_slot_accuracy,
    relative_verdicts,
    slot_accuracy,
    slot_f1,
    slot_verdicts,
)
from .states import DialogueStates, GoldStates, TrackedDialogue

METRICS: Sequence[Callable[[Choices], TrackingMetric]] = (
    joint_goal_accuracy,
    joint_recall,
    slot_accuracy,
    average_goal_accuracy,
    relative_slot_accuracy,
    flexible_goal_accuracy,
    granular_change_accuracy,
    slot_f1,
    fuzzy_joint_accuracy,
)
"""The metrics, in the order of reports."""

VerdictsOf: TypeAlias = Callable[[DialogueStates, Choices], TurnVerdicts]

VERDICTS: Mapping[str, VerdictsOf] = {
    "JGA": joint_verdicts,
    "joint recall": recall_verdicts,
    "SA": slot_verdicts,
    "AGA": average_verdicts,
    "RSA": relative_verdicts,
    "FGA": flexible_verdicts,
    "GCA": change_verdicts,
}
"""Metric -> what it gives each turn of a dialogue and why, if it says something of single turns."""

COUNTS: Mapping[str, Sequence[str]] = {
    "JGA": ("exact_turns",),
    "FGA": ("turn_matches",),
    "GCA": OUTCOMES,
}
"""Metric -> the columns of its rows whose sums reports show."""

PER_DOMAIN = ("JGA", "SA", "RSA", "F1")
"""The figures that are also reported of each domain, of the turns that count for it."""

CORRELATED = ("FGA", "GCA")
"""The metrics of which reports say how far they go with where mistakes lie (section 5.2 of Aksu &
Chen, 2024): figures whose key, or the first part of it, is the metric's name."""

COMPACT = ("JGA", "RSA", "FGA", "GCA", "F1", "fuzzy.joint_accuracy")
"""The figures that compact tables and pictures show, in the order of reports."""

MAIN = ("JGA", "F1", f"FGA.{lambda_label(HEADLINE_LAMBDA)}", "GCA")
"""The figures that papers compare trackers by; systems that respond, by the first alone."""


def tracking_metrics(choices: Choices = Choices()) -> Mapping[str, TrackingMetric]:
    """Return name -> metric, of those that the choices name, or of all."""
    metrics = {}
    for make in METRICS:
        metric = make(choices)
        if metric.name in (choices.metrics or (metric.name,)):
            metrics[metric.name] = metric
    return metrics


def compact_keys(metric: TrackingMetric, keys: Sequence[str]) -> list[str]:
    """Return those of a metric's keys that compact tables show.

    Of FGA, these are all values of λ that were asked for, but one of the default ones.
    """
    if list(keys) == [f"FGA.{lambda_label(decay)}" for decay in DEFAULT_LAMBDAS]:
        return [f"FGA.{lambda_label(HEADLINE_LAMBDA)}"]
    return [key for key in keys if key in COMPACT or metric.name == "FGA"]


def verdicts_of(metric: TrackingMetric, dialogue: DialogueStates, choices: Choices) -> TurnVerdicts:
    """Return what a metric gives each turn, and why.

    If it says nothing of single turns, that is what it gives a dialogue of the turn alone.
    """
    if metric.name in VERDICTS:
        return VERDICTS[metric.name](dialogue, choices)
    assert metric.rows is not None
    assert metric.formula is not None
    verdicts = []
    for turn in dialogue:
        figures = metric.formula(metric.rows({"": [turn]})[""])
        verdicts.append({heading(key): (value / 100, "") for key, value in figures.items()})
    return verdicts


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    choices: Choices = Choices(),
    gold: GoldStates | None = None,
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the dialogues are of; None if the file has gold states of its
            own.
        choices: What the metrics leave open, and which variant of joint accuracy is meant.
        gold: The gold states that took the place of the benchmark's, if any did.
    """
    parameters: dict[str, str] = {}
    for metric in tracking_metrics(choices).values():
        parameters |= metric.parameters
    parameters |= choices.variants
    # What says which turns scores per domain average over, if gold states do not.
    annotation: dict[str, object] = {}
    for dialogue in dialogues:
        if choices.per_domain == "active":
            annotation[dialogue.id] = dialogue.active_domains
        elif choices.per_domain == "dialogues":
            annotation[dialogue.id] = sorted(dialogue.goal_domains)
    if annotation:
        digest = digest_of_json(annotation)[:SHOWN_HASH]
        parameters["per-domain"] = f"{choices.per_domain}-{digest}"
    if benchmark is None:
        states = {}
        for dialogue in dialogues:
            states[dialogue.id] = list(enumerate(dialogue.gold))
        return Signature(gold=digest_of_json(states), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    if gold is None:
        benchmark_states = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        gold = GoldStates("", benchmark.name, benchmark_states)
    # The turns scored of all, and a digest of which; None if all are.
    coverage = None
    turns = sum(len(dialogue.gold) for dialogue in dialogues)
    if turns != benchmark.turns:
        played = sorted((tracked.id, list(range(len(tracked.gold)))) for tracked in dialogues)
        coverage = f"{turns}/{benchmark.turns}-{digest_of_json(played)[:SHOWN_HASH]}"
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=coverage,
        gold=gold.digest,
        parameters=parameters,
    )
