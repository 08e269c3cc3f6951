"""State-tracking reports as a person reads them: systems side by side, or one dialogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..rendering import Cell, figure, text_table
from .tracking_report import TrackingReport
from .turn_view import TurnView


def side_by_side_text(names: Sequence[str], reports: Sequence[TrackingReport]) -> str:
    """Return reports as tables with one column for each system.

    Args:
        names: What to call the systems.
        reports: Their reports, all with the same values of λ.
    """
    tables = [
        _side_by_side("metric (%)", names, [_metrics(report) for report in reports]),
        _side_by_side("count", names, [_counts(report) for report in reports]),
        _side_by_side("along the dialogue", names, [_patterns(report) for report in reports]),
    ]
    return "\n\n".join(tables)


def breakdown_text(report: TrackingReport) -> str:
    """Return a report's scores per domain and outcomes per slot."""
    domains = _table("domain (%)", report.per_domain) if report.per_domain else ""
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


def _metrics(report: TrackingReport) -> dict[str, str]:
    rows: dict[str, float] = {}
    for name, value in report.metrics.items():
        if isinstance(value, Mapping):
            rows |= {f"{name} λ={decay}": score for decay, score in value.items()}
        else:
            rows[name] = value
    rows |= {f"GCA {name.replace('_', ' ')}": share for name, share in report.changes.items()}
    rows |= {f"fuzzy {name.replace('_', ' ')}": share for name, share in report.fuzzy.items()}
    return {name: figure(value, 2) for name, value in rows.items()}


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


def _side_by_side(title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]]) -> str:
    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    return text_table([title, *names], rows)


def _table(title: str, table: Mapping[str, Mapping[str, float]]) -> str:
    columns = list(next(iter(table.values())))
    rows: list[list[Cell]] = [
        [name, *(_cell(values[column]) for column in columns)] for name, values in table.items()
    ]
    return text_table([title, *columns], rows)


def _cell(value: float) -> str:
    return figure(value, 2) if isinstance(value, float) else str(value)
