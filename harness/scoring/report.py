"""A report: everything a score consists of, as plain data, and how people read it.

The schema, in Python and in JSON under the same names: what was scored on (`signature`,
`benchmark`, `rules`, `domains`, `states`, `goals`, `coverage`), the headline figures that are no
result of their own, in the main set-up (`inform`, `success`, `combined`), and the result of every
metric under a key of its own (`bleu`, `strict`, `optimistic`, `diversity`, `dst`, and whatever else
metrics give). In Python the results are also together, in `metrics`. `Report.from_dict` reads back
what `Report.to_dict` wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cache
from html import escape
from itertools import chain
from typing import Any

from ..errors import InputError, Remark, counted
from ..io import figure, html_table, text_table, validated
from ..metrics import (
    MAIN_SETUP,
    SETUPS,
    headlines,
    response_metrics,
)
from ..signature import Signature, harness_version

FORMAT = 2
"""The version of the schema. It changes when a reader of the old one would be misled."""


RANKED_COVERAGE = 90.0
"""Turns played, in percent, below which an entry is listed without a rank."""


@dataclass(frozen=True)
class Coverage:
    """How much of the benchmark a submission plays.

    Attributes:
        dialogues: Dialogues played.
        of: Dialogues of the benchmark.
        turns: System turns played.
        of_turns: System turns of the benchmark.
    """

    dialogues: int
    of: int
    turns: int
    of_turns: int

    @property
    def complete(self) -> bool:
        """Whether every dialogue and every turn is played; free-running ones have any turns."""
        return not self.missing

    @property
    def percent(self) -> float:
        """Turns played, in percent."""
        return 100 * self.turns / self.of_turns

    @property
    def missing(self) -> int:
        """How many dialogues are not played; if all are, how many turns."""
        return (self.of - self.dialogues) or (self.of_turns - self.turns)


@dataclass(frozen=True)
class Report:
    """All scores of a submission at full precision; rates and scores in percent.

    Attributes:
        signature: Everything the numbers depend on besides the system.
        coverage: How much of the benchmark the submission plays.
        unknown_placeholders: Placeholders that the ontology lacks -> how often they occurred.
        metrics: Key -> result, of every metric that was asked for.
        remarks: What there is to say of how the predictions were read. They are no part of the
            scores: `from_dict` leaves them out.

    What the signature says of `benchmark`, `rules`, `domains`, `states` and `goals` are attributes,
    too, empty if it says nothing. So are results and headline figures, None if not asked for:
    `bleu` (reference style -> corpus BLEU), `strict` and `optimistic` (Inform and Success, in total
    and by domain), `diversity`, `dst` and those of further metrics; strict total `inform`,
    `success`, `combined`.
    """

    signature: Signature
    coverage: Coverage
    unknown_placeholders: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[Remark] = field(default=(), compare=False)

    def __getattr__(self, name: str) -> Any:
        # A copy that is being made has none of them.
        if not name.startswith("_") and "metrics" in self.__dict__:
            if name in _SIGNED:
                return getattr(self.signature, name) or ""
            if name in self.metrics or name in _result_keys():
                return self.metrics.get(name)
            if name in headlines():
                return headlines()[name].value(self.metrics, MAIN_SETUP)
        raise AttributeError(f"the report has no {name}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_SIGNED, *self.metrics, *self._headline_values()})

    def __repr__(self) -> str:
        values = self._headline_values().items()
        figures = [
            f"{(of := headlines()[name]).title} {figure(v, of.digits)}" for name, v in values
        ]
        dialogues = f"{self.coverage.dialogues} of {counted(self.coverage.of, 'dialogue')}"
        gold = ", gold states" if self.has_gold_states else ""
        scores = ", ".join(figures or self.metrics)
        return f"<Report on {self.benchmark}, {dialogues}{gold}: {scores}>"

    def _headline_values(self) -> dict[str, float]:
        """Return name -> headline figure in the main set-up, of those that were asked for."""
        values = {name: of.value(self.metrics, MAIN_SETUP) for name, of in headlines().items()}
        return {name: value for name, value in values.items() if value is not None}

    def _repr_html_(self) -> str:
        """Return what notebooks show: the table of totals, and all else folded below it."""
        headers, *rows = _totals_rows(self)
        table, unfolded = (html_table(headers, rows), "") if rows else ("", " open")
        text = f"<summary>{escape(repr(self))}</summary><pre>{escape(report_text(self))}</pre>"
        return f"{table}<details{unfolded}>{text}</details>"

    def setup(self, name: str) -> Any:
        """Return `SetupScores`, Inform and Success, under a set-up; None if not asked for."""
        return self.metrics.get(name)

    @property
    def has_gold_states(self) -> bool:
        """Whether Inform and Success were computed with gold belief states, or with the goal."""
        return self.signature.states in ("gold", "goal") and any(map(self.setup, SETUPS))

    def whole(self, name: str, setup: str = MAIN_SETUP) -> float | None:
        """Return a headline figure over the whole benchmark, by which systems are ranked.

        It is the lower bound where turns are missing; None if that is not known.

        Args:
            name: A key of `headlines()`.
            setup: A key of `SETUPS`.
        """
        if self.coverage.complete:
            return headlines()[name].value(self.metrics, setup)
        has_bound = setup == MAIN_SETUP or name == "bleu"
        return getattr(self.metrics.get("lower_bound"), name, None) if has_bound else None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        results = _result_keys()
        document = {
            "format": FORMAT,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            **{name: getattr(self, name) for name in _SIGNED},
            "coverage": asdict(self.coverage),
            **{name: v for name, v in self._headline_values().items() if name not in results},
            **{name: _plain(result) for name, result in self.metrics.items()},
            "unknown_placeholders": dict(self.unknown_placeholders),
        }
        if self.remarks:
            document["remarks"] = [str(remark) for remark in self.remarks]
        return document

    @staticmethod
    def from_dict(content: object, source: str) -> Report:
        """Return the report that `to_dict` wrote.

        Args:
            content: A report as JSON types. Metrics that this version does not know are kept as
                they are.
            source: What messages call it.

        Raises:
            InputError: The content is no report of this version; with every place.
        """
        if not isinstance(content, Mapping):
            raise InputError(source, "expected a report, an object")
        if content.get("format") != FORMAT:
            raise InputError(
                source,
                f"format: a report of version {FORMAT} is expected, and this is "
                f"{content.get('format', 'older')}; score again",
            )
        metrics = response_metrics().values()
        types = {**dict(chain.from_iterable(one.types.items() for one in metrics)), **_PARTS}
        follows = {
            "format",
            "signature",
            "remarks",
            *_SIGNED,
            *(headlines().keys() - _result_keys()),
            *_PARTS,
        }
        read = {
            name: validated(types[name], content.get(name), source, name)
            if name in types
            else content[name]
            for name in (*(name for name in content if name not in follows), *_PARTS)
        }
        signature, coverage, unknown_placeholders = (read.pop(name) for name in _PARTS)
        return Report(signature, coverage, unknown_placeholders, read)


_SIGNED = ("benchmark", "rules", "domains", "states", "goals")
_PARTS = {
    "signature_fields": Signature,
    "coverage": Coverage,
    "unknown_placeholders": dict[str, int],
}
"""What a report has besides results of metrics, and what follows from both: key -> type."""


@cache
def _result_keys() -> frozenset[str]:
    """Return the keys of the results of all metrics."""
    return frozenset(key for metric in response_metrics().values() for key in metric.results)


def _plain(result: Any) -> Any:
    """Return a result as JSON types."""
    if is_dataclass(result) and not isinstance(result, type):
        result = asdict(result)
    if isinstance(result, Mapping):
        return {key: _plain(value) for key, value in result.items()}
    return [_plain(one) for one in result] if isinstance(result, list | tuple) else result


# As text.


def report_text(report: Report, more: str = "", signature: Signature | None = None) -> str:
    """Return the report as text: totals first, then what they are made of.

    Last comes what to put under a table of the scores: a sentence, and a signature for each set-up,
    whose figures have the same wherever they are printed. Gold belief states are told before
    anything else: a score made with them is another score.

    Args:
        report: The report.
        more: What else is to be shown.
        signature: The signature of all of it, where it is not the report's.
    """
    gold = f"Inform and Success with {report.states} belief states, not with predicted ones"
    headers, *totals = _totals_rows(report)
    signature = report.signature if signature is None else signature
    signatures = signature.parts if totals else (signature,)
    parts = [
        gold if report.has_gold_states else "",
        text_table(headers, totals) if totals else "",
        *_metrics(report),
        "\n".join(_notes(report)),
        more,
        "\n".join([f"{reporting_words(report)} Signature:", *map(str, signatures)]),
    ]
    return "\n\n".join(part for part in parts if part)


_DOMAINS = {
    "predicted": "predicted active domains",
    "slots": "active domains from placeholders",
    "states": "active domains from belief-state changes",
    "gold": "gold active domains",
}


def reporting_words(
    report: Report,
    setups: Sequence[str] = tuple(SETUPS),
    domains: bool = True,
    cited: Callable[[str], str] = lambda subject: "",
    escape: Callable[[str], str] = str,
) -> str:
    """Return the sentence to put under a table: what was scored, by what, and how.

    Args:
        report: The scores.
        setups: The set-ups that the table has, of those that the report has.
        domains: Whether to say where active domains come from.
        cited: Cites what is cited for a subject: "harness", "bleu", "inform", or a benchmark.
        escape: Escapes text for the format of the table.
    """
    parts = []
    if report.bleu is not None:
        parts.append(
            f"BLEU{cited('bleu')} against the references of {escape(report.benchmark)}"
            f"{cited(report.benchmark)}"
        )
    names = [name for name in SETUPS if name in setups and report.setup(name) is not None]
    if names:
        several = "s" if len(names) > 1 else ""
        sources = [f"{report.states} belief states"]
        sources += [_DOMAINS[report.domains]] if domains and report.domains in _DOMAINS else []
        parts.append(
            f"Inform and Success{cited('inform')} in the {' and '.join(names)} set-up{several}, by "
            f"rule set {report.rules}, with {' and '.join(sources)}"
        )
    by = f"Scores by {escape('multiwoz-harness')} {harness_version()}{cited('harness')}"
    return f"{': '.join([by, *filter(None, ['; '.join(parts)])])}."


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals_rows(report: Report) -> list[list[str]]:
    """Return the headers and the rows of the table of totals; no rows without a set-up."""
    setups = [name for name in SETUPS if report.setup(name) is not None]
    columns = [headlines()[name] for name in _TOTALS]
    rows = [
        [name, *(figure(c.value(report.metrics, name), c.digits) for c in columns)]
        for name in setups
    ]
    if rows and "lower_bound" in report.metrics:
        bound = (figure(report.whole(column.name), column.digits) for column in columns)
        rows.insert(0, ["at least, of the whole benchmark", *bound])
    return [["total", *(column.title for column in columns)], *rows]


def _metrics(report: Report) -> Iterator[str]:
    """Yield each metric's own table."""
    for metric in response_metrics().values():
        results = {key: report.metrics[key] for key in metric.results if key in report.metrics}
        # What ranks an incomplete submission heads the totals.
        if results and (metric.name != "lower_bound" or not any(map(report.setup, SETUPS))):
            yield metric.text(metric, results if metric.keys else results[metric.name])


def _notes(report: Report) -> Iterator[str]:
    coverage = report.coverage
    if not coverage.complete:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = ", ".join(f"[{name}] {n}×" for name, n in report.unknown_placeholders.items())
        yield f"unknown placeholders, removed: {counts}"
    if report.goals != "all":
        yield f"{report.goals} goals only: {coverage.of} of the benchmark's dialogues"
    named = {name: scores for name in SETUPS if (scores := report.setup(name)) is not None}
    domains = "".join(
        f"active domains ({name}): {scores.domains}; "
        for name, scores in named.items()
        if name != "optimistic"
    )
    if report.states:
        yield f"{domains}belief states: {report.states}"
