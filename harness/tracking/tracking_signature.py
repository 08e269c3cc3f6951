"""The signature of state-tracking scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.rules.registry import digest_of_json

from ..benchmark import Benchmark
from ..metrics.tracking import Choices, tracking_metrics
from ..metrics.tracking.gold import GoldStates, gold_states_digest
from ..metrics.tracking.pairing import TrackedDialogue
from ..metrics.tracking.variants import PLAIN, Variants
from ..signature import SHOWN_HASH, Signature


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    choices: Choices,
    variants: Variants = PLAIN,
    gold: GoldStates | None = None,
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the dialogues are of; None if the file has gold states of its
            own.
        choices: What the metrics leave open.
        variants: Which variant of joint accuracy is meant.
        gold: The gold states that took the place of the benchmark's, if any did.
    """
    parameters = {
        name: value
        for metric in tracking_metrics().values()
        for name, value in metric.parameters(choices).items()
    }
    parameters |= {**variants.parameters(), "per-domain": _per_domain(dialogues, variants)}
    if benchmark is None:
        own = {d.id: [[turn.number, turn.gold] for turn in d.turns] for d in dialogues}
        return Signature(gold=digest_of_json(own), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    benchmarks = {id_: d.states for id_, d in benchmark.dialogues.items()}
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=_coverage(dialogues, benchmark),
        gold=gold_states_digest(benchmarks) if gold is None else gold.digest,
        parameters=parameters,
    )


def _per_domain(dialogues: Sequence[TrackedDialogue], variants: Variants) -> str:
    """Return which turns scores per domain average over, with a digest of what says so."""
    annotation: Mapping[str, object]
    if variants.per_domain_over == "active":
        annotation = {d.id: [turn.active_domains for turn in d.turns] for d in dialogues}
    elif variants.per_domain_over == "dialogues":
        annotation = {d.id: sorted(d.goal_domains or ()) for d in dialogues}
    else:
        return variants.per_domain_over
    return f"{variants.per_domain_over}-{digest_of_json(annotation)[:SHOWN_HASH]}"


def _coverage(dialogues: Sequence[TrackedDialogue], benchmark: Benchmark) -> str | None:
    """Return the turns scored of all and a digest of which; None if all are."""
    played = sorted((d.id, [turn.number for turn in d.turns]) for d in dialogues)
    turns = sum(len(numbers) for _, numbers in played)
    if turns == benchmark.turns:
        return None
    return f"{turns}/{benchmark.turns}-{digest_of_json(played)[:SHOWN_HASH]}"
