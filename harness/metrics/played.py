"""What was played: a submission beside everything that metrics of responses compare it with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from mwz.normalization import RuleSet, blamed

from ..benchmark import Benchmark
from ..submission import NormalizedSubmission
from .metric import Metric, Rows
from .results import DialogueResult
from .setups import SETUPS, PlayedDialogue, play

if TYPE_CHECKING:
    from mwz.database import VenueDatabase

    from .counts import References

    ResponseMetric: TypeAlias = Metric["Played"]


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
    def texts(self) -> Sequence[str]:
        """All normalised responses, one after another."""
        return [text for texts in self.responses.values() for text in texts]

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

    def under(self, setup: str) -> list[PlayedDialogue]:
        """Return the dialogues as a set-up looks at them, in the submission's order.

        Args:
            setup: A key of `SETUPS`.
        """
        named = SETUPS[setup]
        states, domains = named.states or self.states, named.domains or self.domains
        return play(self.submission, self.benchmark, states, domains)

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
