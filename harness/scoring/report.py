"""A report: everything a score consists of, as plain data, and how people read it.

The schema, in Python and in JSON under the same names: what was scored on (`signature`,
`coverage`), the totals in the strict set-up (`inform`, `success`, `combined`), and the result of
every metric under a key of its own (`bleu`, `strict`, `optimistic`, `diversity`, `dst`, and
whatever else metrics give). In Python the results are in `metrics`. `read_report` reads back what
`Report.to_dict` wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from functools import cached_property
from html import escape as escape_html
from typing import TYPE_CHECKING, Any

from ..errors import InputError, Remark, counted, listed_counts
from ..io import figure, html_table, text_table, validated
from ..metrics import (
    MAIN_SETUP,
    SETUPS,
    TOTAL,
    SetupScores,
    bleu_figure,
    reported_figures,
    response_metrics,
    result_keys,
    result_types,
    setup_figure_name,
)
from ..signature import HARNESS, Signature, chosen_setups, current_versions

if TYPE_CHECKING:
    from ..metrics import Diversity, TrackingResult

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
        return self.dialogues == self.of and self.turns == self.of_turns

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
            scores: `read_report` leaves them out.

    >>> turns = [{"response": "[restaurant_name] is nice"}]
    >>> report = score({"town001": turns}, load_benchmark("sample"), Options(metrics=["inform"]))
    >>> report.inform, report.coverage.turns, report.bleu
    (100.0, 1, None)
    """

    signature: Signature
    coverage: Coverage
    unknown_placeholders: Mapping[str, int] = field(default_factory=dict)
    metrics: Mapping[str, Any] = field(default_factory=dict)
    remarks: Sequence[Remark] = field(default=(), compare=False)

    @property
    def bleu(self) -> Mapping[str, float] | None:
        """Reference style -> corpus BLEU in percent; None if not asked for."""
        return self.metrics.get("bleu")

    @property
    def strict(self) -> SetupScores | None:
        """Inform and Success in the strict set-up; None if not asked for."""
        return self.metrics.get(MAIN_SETUP)

    @property
    def optimistic(self) -> SetupScores | None:
        """Inform and Success in the optimistic set-up; None if not asked for."""
        return self.metrics.get("optimistic")

    @property
    def inform(self) -> float | None:
        """Strict Inform in percent; None if not asked for."""
        return self.figures.get("inform")

    @property
    def success(self) -> float | None:
        """Strict Success in percent; None if not asked for."""
        return self.figures.get("success")

    @property
    def combined(self) -> float | None:
        """The strict combined score; None if not asked for."""
        return self.figures.get("combined")

    @property
    def diversity(self) -> Diversity | None:
        """How varied the responses are; None if not asked for."""
        return self.metrics.get("diversity")

    @property
    def dst(self) -> TrackingResult | None:
        """What every metric of state tracking gives; None if not asked for."""
        return self.metrics.get("dst")

    @cached_property
    def figures(self) -> Mapping[str, float]:
        """Figure -> value, of all that metrics name: `bleu`, `optimistic.inform` and so on."""
        figures: dict[str, float] = {}
        for style, score in self.metrics.get("bleu", {}).items():
            figures[bleu_figure(style)] = score
        for key, result in self.metrics.items():
            if isinstance(result, SetupScores):
                figures[setup_figure_name(key, "inform")] = result.inform[TOTAL]
                figures[setup_figure_name(key, "success")] = result.success[TOTAL]
                if result.combined is not None:
                    figures[setup_figure_name(key, "combined")] = result.combined
            elif isinstance(result, int | float):
                figures[key] = result
            else:
                # The results of larger metrics know their figures.
                for name, value in getattr(result, "figures", {}).items():
                    figures[f"{key}.{name}"] = value
        return figures

    def __repr__(self) -> str:
        scores = []
        for name, shown in reported_figures().items():
            if name in self.figures:
                scores.append(f"{shown.title} {figure(self.figures[name], shown.digits)}")
        dialogues = f"{self.coverage.dialogues} of {counted(self.coverage.of, 'dialogue')}"
        gold = ", gold states" if has_gold_states(self) else ""
        listed = ", ".join(scores or self.metrics)
        return f"<Report on {self.signature.benchmark}, {dialogues}{gold}: {listed}>"

    def _repr_html_(self) -> str:
        """Return what notebooks show: the table of totals, and all else folded below it."""
        headers, rows = _totals(self)
        folded = f"<summary>{escape_html(repr(self))}</summary>"
        folded += f"<pre>{escape_html(report_text(self))}</pre>"
        if rows:
            return f"{html_table(headers, rows)}<details>{folded}</details>"
        return f"<details open>{folded}</details>"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON types."""
        document: dict[str, object] = {
            "format": FORMAT,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
        }
        for name in _SIGNED:
            document[name] = getattr(self.signature, name) or ""
        document["coverage"] = asdict(self.coverage)
        for name in reported_figures():
            if name in self.figures and name not in self.metrics:
                document[name] = self.figures[name]
        for key, result in self.metrics.items():
            document[key] = _plain(result)
        document["unknown_placeholders"] = dict(self.unknown_placeholders)
        if self.remarks:
            document["remarks"] = [str(remark) for remark in self.remarks]
        return document


def read_report(content: object, source: str) -> Report:
    """Return the report that `Report.to_dict` wrote.

    Args:
        content: A report as JSON types. Results of metrics that this version does not know are left
            as they are.
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
    types: dict[str, Any] = {}
    for metric in response_metrics().values():
        types |= result_types(metric)
    derived = {"format", "signature", "remarks"}.union(_SIGNED, _PARTS)
    derived |= reported_figures().keys() - types.keys()
    results = {}
    for key, value in content.items():
        if key in types:
            results[key] = validated(types[key], value, source, key)
        elif key not in derived:
            results[key] = value
    parts = {}
    for key, type_ in _PARTS.items():
        parts[key] = validated(type_, content.get(key), source, key)
    return Report(
        parts["signature_fields"], parts["coverage"], parts["unknown_placeholders"], results
    )


def has_gold_states(report: Report) -> bool:
    """Return whether Inform and Success were computed with gold belief states, or with the goal."""
    has_setup = any(name in report.metrics for name in SETUPS)
    return has_setup and report.signature.states in ("gold", "goal")


def setup_figure(report: Report, name: str, setup: str) -> float | None:
    """Return a figure under a set-up; None if it was not asked for.

    Args:
        report: The scores.
        name: A key of `reported_figures()`.
        setup: A key of `SETUPS`; figures other than Inform and Success have one value for all.
    """
    if name in ("inform", "success", "combined"):
        return report.figures.get(setup_figure_name(setup, name))
    return report.figures.get(name)


def whole_figure(report: Report, name: str, setup: str = MAIN_SETUP) -> float | None:
    """Return a figure over the whole benchmark, by which systems are ranked.

    It is the lower bound if turns are missing; None if that is not known.

    Args:
        report: The scores.
        name: A key of `reported_figures()`.
        setup: A key of `SETUPS`.
    """
    if report.coverage.complete:
        return setup_figure(report, name, setup)
    has_bound = setup == MAIN_SETUP or name == "bleu"
    return getattr(report.metrics.get("lower_bound"), name, None) if has_bound else None


_SIGNED = ("benchmark", "rules", "domains", "states", "goals")
"""What JSON repeats of the signature."""

_PARTS: Mapping[str, Any] = {
    "signature_fields": Signature,
    "coverage": Coverage,
    "unknown_placeholders": dict[str, int],
}
"""What a report has besides results of metrics: key -> type."""


def _plain(result: object) -> object:
    """Return a result as JSON types."""
    if is_dataclass(result) and not isinstance(result, type):
        result = asdict(result)
    if isinstance(result, Mapping):
        return {key: _plain(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [_plain(item) for item in result]
    return result


# As text.


def report_text(report: Report, more: str = "", signature: Signature | None = None) -> str:
    """Return the report as text: totals first, then what they are made of.

    Last comes what to put under a table of the scores: a sentence, and a signature for each set-up,
    whose figures have the same wherever they are printed. Gold belief states are named before
    anything else: a score made with them is another score.

    Args:
        report: The report.
        more: What else is to be shown.
        signature: The signature of all of it, if it is not the report's.
    """
    texts = []
    if has_gold_states(report):
        source = report.signature.states
        texts.append(f"Inform and Success with {source} belief states, not with predicted ones")
    headers, totals = _totals(report)
    if totals:
        texts.append(text_table(headers, totals))
    for metric in response_metrics().values():
        results = {}
        for key in result_keys(metric):
            if key in report.metrics:
                results[key] = report.metrics[key]
        # The lower bound of Inform and Success heads the totals.
        if results and (metric.name != "lower_bound" or not totals):
            texts.append(metric.presentation.text(metric.presentation, results))
    texts.append("\n".join(_notes(report)))
    texts.append(more)
    signature = report.signature if signature is None else signature
    signatures = [signature]
    if totals and signature.setup is not None:
        signatures = [signature.part(setup) for setup in chosen_setups(signature.setup)]
    lines = [f"{reporting_words(report)} Signature:", *map(str, signatures)]
    texts.append("\n".join(lines))
    return "\n\n".join(text for text in texts if text)


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
    signature = report.signature
    parts = []
    if "bleu" in report.metrics:
        benchmark = signature.benchmark or ""
        parts.append(
            f"BLEU{cited('bleu')} against the references of {escape(benchmark)}{cited(benchmark)}"
        )
    names = [name for name in SETUPS if name in setups and name in report.metrics]
    if names:
        sources = [f"{signature.states} belief states"]
        if domains and signature.domains in _DOMAINS:
            sources.append(_DOMAINS[signature.domains])
        plural = "s" if len(names) > 1 else ""
        parts.append(
            f"Inform and Success{cited('inform')} in the {' and '.join(names)} set-up{plural}, by "
            f"rule set {signature.rules}, with {' and '.join(sources)}"
        )
    version = current_versions()[HARNESS]
    maker = f"Scores by {escape('multiwoz-harness')} {version}{cited('harness')}"
    return f"{maker}: {'; '.join(parts)}." if parts else f"{maker}."


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals(report: Report) -> tuple[list[str], list[list[str]]]:
    """Return the headers and the rows of the table of totals; no rows without a set-up."""
    columns = [reported_figures()[name] for name in _TOTALS]
    headers = ["total"]
    headers += [column.title for column in columns]
    rows = []
    for setup in SETUPS:
        if setup in report.metrics:
            row = [setup]
            row += [figure(setup_figure(report, column.name, setup)) for column in columns]
            rows.append(row)
    if rows and "lower_bound" in report.metrics:
        bound = ["at least, of the whole benchmark"]
        bound += [figure(whole_figure(report, column.name)) for column in columns]
        rows.insert(0, bound)
    return headers, rows


def _notes(report: Report) -> Iterator[str]:
    coverage, signature = report.coverage, report.signature
    if not coverage.complete:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = [(f"[{name}]", count) for name, count in report.unknown_placeholders.items()]
        yield f"unknown placeholders, removed: {listed_counts(counts)}"
    if signature.goals and signature.goals != "all":
        yield f"{signature.goals} goals only: {coverage.of} of the benchmark's dialogues"
    if signature.states:
        sources = []
        for name in SETUPS:
            if name in report.metrics and name != "optimistic":
                sources.append(f"active domains ({name}): {report.metrics[name].domains}")
        sources.append(f"belief states: {signature.states}")
        yield "; ".join(sources)
