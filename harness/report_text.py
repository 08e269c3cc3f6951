"""A report as a person reads it at a glance."""

from __future__ import annotations

from collections.abc import Iterator

from .metrics.registry import headlines, response_metrics
from .metrics.setups import SETUPS
from .rendering import figure, text_table
from .report import Report


def report_text(report: Report) -> str:
    """Return the report as text: totals first, then what they are made of, last the signature.

    Gold belief states are told before anything else: a score made with them is another score.
    """
    parts = [
        _head(report),
        _totals(report),
        *_metrics(report),
        "\n".join(_notes(report)),
        str(report.signature),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(report: Report) -> str:
    gold = report.states == "gold" and any(map(report.setup, SETUPS))
    return "Inform and Success with gold belief states, not with predicted ones" if gold else ""


_TOTALS = ("bleu", "inform", "success", "combined")


def _totals(report: Report) -> str:
    setups = [name for name in SETUPS if report.setup(name) is not None]
    if not setups:
        return ""
    columns = [headlines()[name] for name in _TOTALS]
    rows = [[name, *(figure(c.value(report, name), c.digits) for c in columns)] for name in setups]
    return text_table(["total", *(column.title for column in columns)], rows)


def _metrics(report: Report) -> Iterator[str]:
    """Yield each metric's own table."""
    for metric in response_metrics().values():
        results = {key: report.metrics[key] for key in metric.results if key in report.metrics}
        if results:
            yield metric.text(metric, results if metric.keys else results[metric.name])


def _notes(report: Report) -> Iterator[str]:
    coverage = report.coverage
    if not coverage.complete or coverage.dialogues < coverage.of:
        yield (
            f"coverage: {coverage.dialogues} of {coverage.of} dialogues, {coverage.turns} of "
            f"{coverage.of_turns} turns ({figure(coverage.percent, 2)} %)"
        )
    if report.unknown_placeholders:
        counts = ", ".join(f"[{name}] {n}×" for name, n in report.unknown_placeholders.items())
        yield f"unknown placeholders, replaced by nothing: {counts}"
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
