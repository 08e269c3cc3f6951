"""How people read a report: as text in a terminal, and as HTML in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape as escape_html

from ..io import figure, html_table, text_table
from ..metrics import SETUPS, reported_figures, response_metrics, result_types
from ..signature import Signature, harness_version
from .report import Report, has_gold_states, setup_figure, whole_figure


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
    headers, *totals = _totals_rows(report)
    if totals:
        texts.append(text_table(headers, totals))
    texts += _metric_tables(report)
    texts.append("\n".join(_notes(report)))
    texts.append(more)
    signature = report.signature if signature is None else signature
    signatures = signature.parts if totals else [signature]
    lines = [f"{reporting_words(report)} Signature:", *map(str, signatures)]
    texts.append("\n".join(lines))
    return "\n\n".join(text for text in texts if text)


def report_html(report: Report) -> str:
    """Return what notebooks show: the table of totals, and all else folded below it."""
    headers, *rows = _totals_rows(report)
    text = escape_html(report_text(report))
    folded = f"<summary>{escape_html(repr(report))}</summary><pre>{text}</pre>"
    if rows:
        return f"{html_table(headers, rows)}<details>{folded}</details>"
    return f"<details open>{folded}</details>"


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
    if report.bleu is not None:
        benchmark = signature.benchmark or ""
        parts.append(
            f"BLEU{cited('bleu')} against the references of {escape(benchmark)}{cited(benchmark)}"
        )
    names = [name for name in SETUPS if name in setups and report.setup(name) is not None]
    if names:
        sources = [f"{signature.states} belief states"]
        if domains and signature.domains in _DOMAINS:
            sources.append(_DOMAINS[signature.domains])
        plural = "s" if len(names) > 1 else ""
        parts.append(
            f"Inform and Success{cited('inform')} in the {' and '.join(names)} set-up{plural}, by "
            f"rule set {signature.rules}, with {' and '.join(sources)}"
        )
    maker = f"Scores by {escape('multiwoz-harness')} {harness_version()}{cited('harness')}"
    return f"{maker}: {'; '.join(parts)}." if parts else f"{maker}."


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals_rows(report: Report) -> list[list[str]]:
    """Return the headers and the rows of the table of totals; no rows without a set-up."""
    columns = [reported_figures()[name] for name in _TOTALS]
    rows = []
    for setup in SETUPS:
        if report.setup(setup) is not None:
            values = [setup_figure(report, column.name, setup) for column in columns]
            rows.append([setup, *map(figure, values)])
    if rows and "lower_bound" in report.metrics:
        bounds = [whole_figure(report, column.name) for column in columns]
        rows.insert(0, ["at least, of the whole benchmark", *map(figure, bounds)])
    return [["total", *(column.title for column in columns)], *rows]


def _metric_tables(report: Report) -> Iterator[str]:
    """Yield each metric's own table."""
    has_setup = any(report.setup(name) is not None for name in SETUPS)
    for metric in response_metrics().values():
        keys = [key for key in result_types(metric) if key in report.metrics]
        # The lower bound of Inform and Success heads the totals.
        if keys and (metric.name != "lower_bound" or not has_setup):
            results = {key: report.metrics[key] for key in keys}
            yield metric.presentation.text(metric.presentation, results)


def _notes(report: Report) -> Iterator[str]:
    coverage, signature = report.coverage, report.signature
    if not coverage.complete:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = [f"[{name}] {count}×" for name, count in report.unknown_placeholders.items()]
        yield f"unknown placeholders, removed: {', '.join(counts)}"
    if signature.goals and signature.goals != "all":
        yield f"{signature.goals} goals only: {coverage.of} of the benchmark's dialogues"
    if signature.states:
        sources = []
        for name in SETUPS:
            scores = report.setup(name)
            if scores is not None and name != "optimistic":
                sources.append(f"active domains ({name}): {scores.domains}")
        yield "; ".join([*sources, f"belief states: {signature.states}"])
