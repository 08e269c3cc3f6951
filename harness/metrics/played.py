"""What was played, and what a system did in each dialogue.

`Played` is a submission beside everything that metrics of responses compare it with. A
`DialogueResult` is what `Scorer.dialogue` and per-dialogue lines give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import RuleSet, blamed

from ..benchmark import Benchmark
from ..submission import NormalizedSubmission
from .metric import Metric, Rows
from .setups import MAIN_SETUP

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

    from .counts import References

    ResponseMetric: TypeAlias = Metric["Played"]


@dataclass(frozen=True)
class WrongSlot:
    """A slot of a belief state that keeps a domain from being matched.

    Attributes:
        slot: The slot.
        wanted: The value that the goal has; None if the goal leaves it open.
        found: The value that the state has; None if it lacks the slot.
    """

    slot: str
    wanted: str | None
    found: str | None

    def __str__(self) -> str:
        if self.wanted is None:
            return f"{self.slot} is {self.found!r}, which the goal leaves open"
        if self.found is None:
            return f"{self.slot} is missing, wanted is {self.wanted!r}"
        return f"{self.slot} is {self.found!r}, wanted is {self.wanted!r}"


@dataclass(frozen=True)
class DomainResult:
    """How a domain of the goal came out; why, only where that was asked for (`diagnosis/`).

    Attributes:
        matched: The probability that it is matched: 0 or 1 unless venues are drawn at random.
        provided: Requested slot -> whether it was provided.
        cause: Why it is not matched.
        turn: Where that was decided: the last turn that set the offered venues, from 0; if the
            domain was only named while another is active, the last turn that did so. None where no
            turn is to blame.
        faults: If the state is to blame, what was wrong with it in that turn, the cause's own slot
            first. With these slots as wanted the query would find what the goal finds.
        slot_causes: Requested slot that was not provided -> why.
    """

    matched: float
    provided: Mapping[str, bool]
    cause: str | None = None
    turn: int | None = None
    faults: tuple[WrongSlot, ...] = ()
    slot_causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_provided(self) -> bool:
        """Whether every requested slot was provided."""
        return all(self.provided.values())


def inform_chance(domains: Mapping[str, DomainResult]) -> float:
    """Return the probability that every goal domain of a dialogue is matched."""
    return math.prod([outcome.matched for outcome in domains.values()])


def success_chance(domains: Mapping[str, DomainResult]) -> float:
    """Return the probability that, besides, every requested slot is provided."""
    if all(outcome.all_provided for outcome in domains.values()):
        return inform_chance(domains)
    return 0.0


@dataclass(frozen=True)
class DialogueResult:
    """What a system did in a dialogue. What was not asked for is empty.

    Attributes:
        id: The dialogue's id.
        turns: The system turns played.
        sources: "states" and "domains" -> where they come from, in set-ups without own sources.
        goals: Set-up -> goal domain -> how it came out.
        bleu: Reference style -> the counts that BLEU is computed from (`counts.py`).
        responses: The normalised responses, where diversity was asked for.
        further: Metric -> its details of the dialogue, of all other metrics.
        sentence_bleu: Of each turn, BLEU against the canonical reference, in percent; of single
            dialogues only.

    >>> scorer = Scorer(load_benchmark("sample"), Options(metrics=["inform"]))
    >>> result = scorer.dialogue("town001", [{"response": "[restaurant_name] is nice"}])
    >>> result.inform, result.success, result.causes
    (1, 0, {'restaurant ADDRESS': 'never said', 'restaurant PHONE': 'never said'})
    """

    id: str
    turns: int
    sources: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, Mapping[str, DomainResult]] = field(default_factory=dict)
    bleu: Mapping[str, Sequence[int]] = field(default_factory=dict)
    responses: Sequence[str] = ()
    further: Mapping[str, object] = field(default_factory=dict)
    sentence_bleu: tuple[float, ...] = ()

    @property
    def inform(self) -> int:
        """1 if every goal domain is matched in the strict set-up, else 0."""
        return int(inform_chance(self.domains))

    @property
    def success(self) -> int:
        """1 if, besides, every requested slot is provided, else 0."""
        return int(success_chance(self.domains))

    @property
    def domains(self) -> Mapping[str, DomainResult]:
        """Goal domain -> how it came out in the strict set-up."""
        return self.goals[MAIN_SETUP]

    @property
    def causes(self) -> dict[str, str]:
        """Goal domain, or domain and requested slot ("hotel PHONE") -> cause, of all there are."""
        causes = {}
        for name, outcome in self.domains.items():
            if outcome.cause is not None:
                causes[name] = outcome.cause
        for name, outcome in self.domains.items():
            for slot, cause in outcome.slot_causes.items():
                causes[f"{name} {slot}"] = cause
        return causes


_RESULT_FIELDS = {"inform": "goals", "bleu": "bleu", "diversity": "responses"}
"""Metric -> the field of `DialogueResult` that has its details; `further` has those of others."""


@dataclass(frozen=True, eq=False)
class Played:
    """Everything that a metric of responses computes from.

    Attributes:
        submission: The submission, cut to the dialogues scored.
        benchmark: The benchmark, cut to the same dialogues.
        rules: The rule set.
        setup: The set-up of Inform and Success, a key of `SETUPS`, or "both".
        states: The source of belief states where the set-up has none of its own.
        domains: The source of active domains where the set-up has none of its own.
        database: The venues.
        metrics: Name -> metric, of those asked for.
        prepared_references: The references, prepared for BLEU; None if no metric needs them.
        delexicalise: Delexicalises a response in plain English; None if responses are not.
    """

    submission: NormalizedSubmission
    benchmark: Benchmark
    rules: RuleSet
    setup: str
    states: str
    domains: str
    database: VenueDatabase
    metrics: Mapping[str, ResponseMetric]
    prepared_references: References | None = None
    delexicalise: Any = None

    @property
    def responses(self) -> Mapping[str, Sequence[str]]:
        """Dialogue id -> normalised responses, one per system turn played."""
        return self.submission.responses

    @property
    def references(self) -> References:
        """The references, prepared for BLEU.

        Raises:
            ValueError: No metric that was asked for needs them.
        """
        if self.prepared_references is None:
            raise ValueError('a metric that reads `references` needs needs=("references",)')
        return self.prepared_references

    @cached_property
    def rows(self) -> Mapping[str, Rows]:
        """Metric -> its rows, in the benchmark's order, of the metrics that have a formula.

        What chance draws must not hang on the order of dialogues in a file.

        Raises:
            DeclarationError: A metric of a package fails, or has no row of a dialogue.
        """
        order = [dialogue for dialogue in self.benchmark.dialogues if dialogue in self.responses]
        tables: dict[str, Rows] = {}
        for name, metric in self.metrics.items():
            if metric.rows is None:
                continue
            with blamed("metrics", metric):
                rows = metric.rows(self)
                lacking = [dialogue for dialogue in order if dialogue not in rows]
                if lacking:
                    raise ValueError(f"`rows` lacks dialogue {lacking[0]}, which was played")
                tables[name] = {dialogue: rows[dialogue] for dialogue in order}
        return tables

    @cached_property
    def results(self) -> Sequence[DialogueResult]:
        """What the metrics asked for say of each dialogue, in the submission's order."""
        details = {}
        for name, metric in self.metrics.items():
            if metric.details is not None:
                with blamed("metrics", metric):
                    details[name] = metric.details(self)
        results = []
        for dialogue, texts in self.responses.items():
            fields: dict[str, Any] = {"further": {}}
            for name, by_dialogue in details.items():
                if name in _RESULT_FIELDS:
                    fields[_RESULT_FIELDS[name]] = by_dialogue[dialogue]
                else:
                    fields["further"][name] = by_dialogue[dialogue]
            sources = {"states": self.states, "domains": self.domains}
            results.append(DialogueResult(dialogue, len(texts), sources, **fields))
        return results
