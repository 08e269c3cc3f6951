"""The signature of state-tracking scores."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.states import BeliefState

from ..benchmark import Benchmark
from ..signature import SHOWN_HASH, Signature
from .dialogues import TrackedDialogue


def tracking_signature(
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark | None,
    slots: int,
    lambdas: Iterable[str],
) -> Signature:
    """Return the signature of scores of tracked dialogues.

    Args:
        dialogues: What was scored.
        benchmark: The benchmark that the gold states are of; None if the file has its own.
        slots: T of slot accuracy.
        lambdas: The values of λ that FGA is reported with.
    """
    parameters = {"slots": str(slots), "lambda": ",".join(lambdas)}
    if benchmark is None:
        gold = {d.id: [[turn.number, turn.gold] for turn in d.turns] for d in dialogues}
        return Signature(gold=_digest(gold), parameters=parameters)
    rules = rule_set(DEFAULT_RULES)
    return Signature(
        benchmark=benchmark.name,
        rules=rules.name,
        rules_digest=rules.digest,
        coverage=_coverage(dialogues, benchmark),
        gold=gold_states_digest({id_: d.states for id_, d in benchmark.dialogues.items()}),
        parameters=parameters,
    )


def gold_states_digest(states: Mapping[str, Sequence[BeliefState]]) -> str:
    """Return the SHA-256, in hexadecimal, of gold states: dialogue id -> one state per turn."""
    return _digest({id_: list(enumerate(turns)) for id_, turns in states.items()})


def _coverage(dialogues: Sequence[TrackedDialogue], benchmark: Benchmark) -> str | None:
    """Return the turns scored of all and a digest of which; None if all are."""
    played = sorted((d.id, [turn.number for turn in d.turns]) for d in dialogues)
    turns = sum(len(numbers) for _, numbers in played)
    if turns == benchmark.turns:
        return None
    return f"{turns}/{benchmark.turns}-{_digest(played)[:SHOWN_HASH]}"


def _digest(content: object) -> str:
    """Return the SHA-256 of content; the order of an object's keys does not matter."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
