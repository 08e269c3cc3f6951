"""The scores of several files in one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..errors import counted
from ..io import Table, best_cells, figure
from ..metrics import HUMAN, SETUPS, Figure, reported_figures, shown_figures
from ..signature import Signature, comparable_group, comparison_notes, notes_once
from .jobs import ScoredSubmission
from .report import Report, has_gold_states, reporting_words, setup_figure, whole_figure


@dataclass(frozen=True)
class _File:
    """A file that was scored, under the set-up that the table shows.

    Attributes:
        name: What to call it.
        outcome: Its result.
        setup: The set-up.
    """

    name: str
    outcome: ScoredSubmission
    setup: str

    @property
    def report(self) -> Report:
        """Its scores."""
        return self.outcome.report

    def value(self, column: Figure) -> float | None:
        """Return a figure of the turns that it has."""
        return setup_figure(self.report, column.name, self.setup)

    def ranking(self, column: Figure) -> float | None:
        """Return a figure that the best is chosen by; None for what ranks nobody."""
        if column.name not in reported_figures():
            return None
        return whole_figure(self.report, column.name, self.setup)

    def bound(self, column: Figure) -> float | None:
        """Return the lower bound of a figure, if it lacks turns."""
        return None if self.report.coverage.complete else self.ranking(column)

    def cell(self, column: Figure) -> str:
        """Return a figure with its interval, if this is known."""
        interval = self.outcome.intervals.get(column.name)
        if interval is None:
            return figure(self.value(column), column.digits)
        return interval.text(column.digits)

    def signature(self) -> Signature:
        """Return the signature of what is shown: lower bounds are of the whole benchmark."""
        signature = self.report.signature.part(self.setup)
        has_bound = self.report.metrics.get("lower_bound") is not None
        return replace(signature, coverage=None) if has_bound else signature


def score_table(scored: Sequence[tuple[str, ScoredSubmission]]) -> Table:
    """Return a table of the figures that papers report, a row per file.

    The figures shown are of the strict set-up, or of the one that was asked for alone; JSON and
    CSV have both of two. Of files that lack turns they are the lower bounds that systems are ranked
    by. The best of a column is marked, of those files that compare with each other.

    Args:
        scored: What to call each file, and its result.
    """
    reports = [outcome.report for _, outcome in scored]
    setups = [name for name in SETUPS if any(report.setup(name) for report in reports)]
    setup = setups[0] if setups else next(iter(SETUPS))
    files = [_File(name, outcome, setup) for name, outcome in scored]
    columns = []
    for column in shown_figures().values():
        if any(file.value(column) is not None for file in files):
            columns.append(column)
    names = [file.name for file in files]
    signatures = [file.signature() for file in files]
    group = comparable_group(signatures)
    rows: list[list[str]] = []
    ranked: list[list[float | None]] = []
    for place, file in enumerate(files):
        cells = []
        for column in columns:
            bound = file.bound(column)
            # A lower bound has no interval.
            cells.append(file.cell(column) if bound is None else figure(bound, column.digits))
        rows.append(cells)
        is_compared = place in group
        ranked.append([file.ranking(column) if is_compared else None for column in columns])
    best = best_cells(ranked, rows)
    title = f"Scores of {counted(len(files), 'file')}"
    return Table(
        name="scores",
        title=f"{title}, {setup} set-up" if setups else title,
        headers=["", *(column.title for column in columns)],
        rows=[[name, *cells] for name, cells in zip(names, rows, strict=True)],
        data=_data(files, setups),
        notes=_notes(files, columns, signatures, group),
        best={(row, column + 1) for row, column in best},
    )


def _notes(
    files: Sequence[_File],
    columns: Sequence[Figure],
    signatures: Sequence[Signature],
    group: Sequence[int],
) -> list[str]:
    """Return what stands below the table."""
    names = [file.name for file in files]
    notes = _ceilings(columns, files)
    for file in files:
        notes += _incomplete(file, columns)
    notes += comparison_notes(names, signatures, group)
    gold = [file.name for file in files if has_gold_states(file.report)]
    if gold:
        notes.append(f"with gold belief states, not with predicted ones: {', '.join(gold)}")
    words = [reporting_words(file.report, [file.setup]) for file in files]
    notes += notes_once(zip(names, words, strict=True))
    shown = [str(file.outcome.signature.part(file.setup)) for file in files]
    return [*notes, *notes_once(zip(names, shown, strict=True))]


def _ceilings(columns: Sequence[Figure], files: Sequence[_File]) -> list[str]:
    """Say what the human responses get, where it is the same for all files."""
    ceilings = []
    for column in columns:
        metric, _, name = column.name.partition(".")
        human = f"{metric}.{HUMAN}{name}"
        values = {file.report.figures.get(human) for file in files}
        if len(values) == 1 and None not in values:
            ceilings.append(f"{column.title} {figure(values.pop(), column.digits)}")
    return [f"human responses: {'; '.join(ceilings)}"] if ceilings else []


def _incomplete(file: _File, columns: Sequence[Figure]) -> list[str]:
    """Say how many turns a file lacks, and what it scores on the turns that it has."""
    bounded = [column for column in columns if file.bound(column) is not None]
    if not bounded:
        return []
    figures = ", ".join(f"{column.title} {file.cell(column)}" for column in bounded)
    coverage = file.report.coverage
    lacking = coverage.of_turns - coverage.turns
    return [
        f"{file.name} lacks {lacking} of {coverage.of_turns} turns, which count as failures; on "
        f"the submitted turns: {figures}"
    ]


def _data(files: Sequence[_File], setups: Sequence[str]) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ.

    If some file lacks turns, `whole_…` are the figures over the whole benchmark.
    """
    reports = [file.report for file in files]
    first, *others = setups or [files[0].setup]
    columns: dict[str, list[float | None]] = {}
    for setup in (first, *others):
        for name in shown_figures():
            values = [setup_figure(report, name, setup) for report in reports]
            has_value = any(value is not None for value in values)
            if has_value and values != columns.get(name):
                columns[name if setup == first else f"{setup}_{name}"] = values
    for name in [name for name in columns if name in reported_figures()]:
        whole = [whole_figure(report, name, first) for report in reports]
        has_bound = False
        for report, value in zip(reports, whole, strict=True):
            has_bound |= value is not None and not report.coverage.complete
        if has_bound:
            columns[f"whole_{name}"] = whole
    records = []
    for place, file in enumerate(files):
        record: dict[str, object] = {"name": file.name}
        for name, values in columns.items():
            record[name] = values[place]
        signature = file.report.signature
        record["states"] = signature.states or ""
        record["domains"] = signature.domains or ""
        records.append({**record, "signature": str(signature)})
    return records
