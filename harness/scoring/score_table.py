"""The scores of several files in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..errors import counted
from ..io import Table, best_cells, figure
from ..metrics import HUMAN, MAIN_SETUP, SETUPS, Figure, reported_figures
from ..signature import comparable_group, comparison_notes, notes_once
from .jobs import ScoredSubmission
from .report import Report, has_gold_states, reporting_words, setup_figure, whole_figure


def score_table(scored: Sequence[tuple[str, ScoredSubmission]]) -> Table:
    """Return a table of the figures that papers report, a row per file.

    The figures shown are of the strict set-up, or of the one that was asked for alone; JSON and
    CSV have both of two. Of files that lack turns they are the lower bounds that systems are ranked
    by. The best of a column is marked, of those files that compare with each other.

    Args:
        scored: What to call each file, and its result.
    """
    names = [name for name, _ in scored]
    reports = [outcome.report for _, outcome in scored]
    scored_setups = set().union(*(report.metrics for report in reports))
    setups = [name for name in SETUPS if name in scored_setups]
    setup = setups[0] if setups else MAIN_SETUP
    columns = _columns(reports, setup)
    signatures = []
    for report in reports:
        signature = report.signature.part(setup)
        if report.metrics.get("lower_bound") is not None:
            # Lower bounds are of the whole benchmark.
            signature = replace(signature, coverage=None)
        signatures.append(signature)
    group = comparable_group(signatures)
    rows: list[list[str]] = []
    ranked: list[list[float | None]] = []
    words: list[tuple[str, str]] = []
    lines: list[tuple[str, str]] = []
    notes = _ceilings(columns, reports)
    for place, (name, outcome) in enumerate(scored):
        coverage = outcome.report.coverage
        cells: list[str] = [name]
        ranking: list[float | None] = [None]
        # The figures of the turns that a file has, where the table shows lower bounds.
        submitted: list[str] = []
        for column in columns:
            cell = _cell(outcome, column, setup)
            whole = None
            if column.name in reported_figures():
                whole = whole_figure(outcome.report, column.name, setup)
            if whole is not None and not coverage.complete:
                submitted.append(f"{column.title} {cell}")
                # A lower bound has no interval.
                cell = figure(whole, column.digits)
            cells.append(cell)
            ranking.append(whole if place in group else None)
        rows.append(cells)
        ranked.append(ranking)
        words.append((name, reporting_words(outcome.report, [setup])))
        lines.append((name, str(outcome.signature.part(setup))))
        if submitted:
            lacking = coverage.of_turns - coverage.turns
            notes.append(
                f"{name} lacks {lacking} of {coverage.of_turns} turns, which count as failures; on "
                f"the submitted turns: {', '.join(submitted)}"
            )
    notes += comparison_notes(names, signatures, group)
    gold = [name for name, outcome in scored if has_gold_states(outcome.report)]
    if gold:
        notes.append(f"with gold belief states, not with predicted ones: {', '.join(gold)}")
    notes += notes_once(words)
    notes += notes_once(lines)
    title = f"Scores of {counted(len(scored), 'file')}"
    return Table(
        name="scores",
        title=f"{title}, {setup} set-up" if setups else title,
        headers=["", *(column.title for column in columns)],
        rows=rows,
        data=_data(names, reports, setups or [setup]),
        notes=notes,
        best=best_cells(ranked, rows),
    )


def _columns(reports: Sequence[Report], setup: str) -> list[Figure]:
    """Return the figures that some file has under a set-up."""
    columns = []
    for column in reported_figures(and_shown=True).values():
        if any(setup_figure(report, column.name, setup) is not None for report in reports):
            columns.append(column)
    return columns


def _cell(outcome: ScoredSubmission, column: Figure, setup: str) -> str:
    """Return a figure with its interval, if this is known."""
    interval = outcome.intervals.get(column.name)
    if interval is not None:
        return interval.text(column.digits)
    return figure(setup_figure(outcome.report, column.name, setup), column.digits)


def _ceilings(columns: Sequence[Figure], reports: Sequence[Report]) -> list[str]:
    """Say what the human responses get, where it is the same for all files."""
    ceilings = []
    for column in columns:
        metric, _, name = column.name.partition(".")
        human = f"{metric}.{HUMAN}{name}"
        values = {report.figures.get(human) for report in reports}
        if len(values) == 1 and None not in values:
            ceilings.append(f"{column.title} {figure(values.pop(), column.digits)}")
    return [f"human responses: {'; '.join(ceilings)}"] if ceilings else []


def _data(
    names: Sequence[str], reports: Sequence[Report], setups: Sequence[str]
) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ.

    If some file lacks turns, `whole_…` are the figures over the whole benchmark.
    """
    columns: dict[str, list[float | None]] = {}
    for setup in setups:
        for name in reported_figures(and_shown=True):
            values = [setup_figure(report, name, setup) for report in reports]
            is_empty = values.count(None) == len(values)
            if not is_empty and values != columns.get(name):
                columns[name if setup == setups[0] else f"{setup}_{name}"] = values
    for name in [name for name in columns if name in reported_figures()]:
        whole = [whole_figure(report, name, setups[0]) for report in reports]
        for report, value in zip(reports, whole, strict=True):
            if value is not None and not report.coverage.complete:
                columns[f"whole_{name}"] = whole
    records = []
    for place, (file, report) in enumerate(zip(names, reports, strict=True)):
        record: dict[str, object] = {"name": file}
        for name, values in columns.items():
            record[name] = values[place]
        record["states"] = report.signature.states or ""
        record["domains"] = report.signature.domains or ""
        record["signature"] = str(report.signature)
        records.append(record)
    return records
