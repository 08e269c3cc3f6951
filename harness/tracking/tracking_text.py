"""State-tracking reports as a person reads them: systems side by side, or one dialogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..metrics.tracking.tracking_registry import tracking_metrics
from ..rendering import Cell, figure, text_table
from .fitting import fitted_table
from .tracking_report import TrackingReport
from .turn_view import TurnView

MEAN_OVER_DOMAINS = "mean"


def headlines_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return the figures that are reported most as one table, or several if it is too wide.

    Args:
        names: What to call the systems; all different.
        reports: Their reports, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    return fitted_table("metric (%)", names, [_headlines(report) for report in reports], width)


def side_by_side_text(
    names: Sequence[str], reports: Sequence[TrackingReport], width: int | None = None
) -> str:
    """Return all figures of reports as tables.

    Args:
        names: What to call the systems; all different.
        reports: Their reports, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    tables = [
        fitted_table("metric (%)", names, [_metrics(report) for report in reports], width),
        fitted_table("count", names, [_counts(report) for report in reports], width),
        fitted_table("along the dialogue", names, [_patterns(r) for r in reports], width),
    ]
    return "\n\n".join(tables)


def metrics_help() -> dict[str, str]:
    """Return name -> what it asks, its unit and its source, of every metric there is."""
    return {
        metric.name: " ".join(
            [
                *([f"{_capital(metric.title)}."] if metric.title != metric.name else []),
                metric.question,
                f"{_capital(metric.unit)}. Source: {metric.source}.",
            ]
        )
        for metric in tracking_metrics().values()
    }


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def breakdown_text(report: TrackingReport) -> str:
    """Return a report's scores per domain and outcomes per slot."""
    domains = ""
    if report.per_domain:
        over = report.variants.get("per-domain", "gold-slots")
        mean = {MEAN_OVER_DOMAINS: {"turns": None, **report.per_domain_mean}}
        domains = _table(f"domain (%, over {over})", {**report.per_domain, **mean})
    slots = _table("slot", report.per_slot) if report.per_slot else ""
    return "\n\n".join(filter(None, [domains, slots])) or "no slot has a value"


def dialogue_text(view: Sequence[TurnView]) -> str:
    """Return a dialogue turn by turn: states, and what each metric gives the turn and why."""
    return "\n\n".join(part for turn in view for part in _turn_parts(turn))


def _turn_parts(turn: TurnView) -> Sequence[str]:
    states = [
        (slot, gold, predicted, "" if gold == predicted else "differs")
        for slot in sorted({*turn.gold, *turn.predicted})
        for gold, predicted in [(turn.gold.get(slot, ""), turn.predicted.get(slot, ""))]
    ]
    verdicts = [
        (f"{verdict.metric}: {verdict.reason}", "" if verdict.score is None else verdict.score)
        for verdict in turn.verdicts
    ]
    rows = [(why, score if isinstance(score, str) else figure(score, 4)) for why, score in verdicts]
    table = text_table(["slot", "gold", "predicted", ""], states) if states else "empty states"
    return [f"turn {turn.number}", table, text_table(["metric", "score"], rows)]


def _headlines(report: TrackingReport) -> dict[str, str]:
    rows = {
        title: value
        for metric in tracking_metrics().values()
        for title, value in metric.headlines(report).items()
    }
    return {title: figure(value, 2) for title, value in rows.items()}


def _metrics(report: TrackingReport) -> dict[str, str]:
    rows: dict[str, float] = {}
    for metric in tracking_metrics().values():
        # A report that was kept may lack a metric that has come since.
        for key in (key for key in metric.own_keys if key in report.metrics):
            value = report.metrics[key]
            if isinstance(value, Mapping):
                rows |= {f"{key} λ={label}": score for label, score in value.items()}
            else:
                rows[key] = value
        rows |= metric.further(report)
    return {title: figure(value, 2) for title, value in rows.items()}


def _counts(report: TrackingReport) -> dict[str, str]:
    counts = {"dialogues": report.dialogues, "turns": report.turns, **report.counts}
    return {name.replace("_", " "): str(count) for name, count in counts.items()}


def _patterns(report: TrackingReport) -> dict[str, str]:
    losses, mistakes = report.losses, report.mistakes
    return {
        "dialogues that end inexact": str(losses.dialogues),
        "of them exact again after a loss": str(losses.recovered),
        "mean position of their first inexact turn": figure(losses.mean_position, 2),
        "dialogues with mistakes": str(mistakes.dialogues),
        "tail orientation (TO)": figure(mistakes.tail_orientation, 2),
        "non-uniformity (NU)": figure(mistakes.non_uniformity, 2),
        **{
            f"correlation of {measure} and {metric}": figure(value, 2)
            for measure, values in mistakes.correlations.items()
            for metric, value in values.items()
        },
    }


def _table(title: str, table: Mapping[str, Mapping[str, float | None]]) -> str:
    columns = list(next(iter(table.values())))
    rows: list[list[Cell]] = [
        [name, *(_cell(values[column]) for column in columns)] for name, values in table.items()
    ]
    return text_table([title, *columns], rows)


def _cell(value: float | None) -> str:
    return str(value) if isinstance(value, int) else figure(value, 2)
