"""The tables of "Shades of BLEU, Flavours of Success" beside the harness's figures, cell by cell.

The paper's figures are data (`shades-of-bleu.toml`). Tables 4 and 5 also quote what the systems'
authors report; those cells stand beside the strict figures, and are counted apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from mwz.normalization.rules.registry import read_toml

from ...io.tables import Table
from ...io.validation import validated
from ...scoring.report import Report
from ..entries import Entry
from . import Comparison, scored_figure

_FILE = "shades-of-bleu.toml"
CORPUS = "corpus"
"""The key of the entry of the benchmark's own responses."""

_Printed = Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?$")]


@dataclass(frozen=True)
class PaperRow:
    """A row of a table: one figure of every system.

    Attributes:
        label: What the table calls it.
        metric: The harness's figure to hold it against.
        figures: As printed, one per system.
        setup: The set-up that the harness's figure is of.
        style: The reference style of BLEU.
        quoted: Whether these are the authors' own figures, quoted.
        corpus: The same of the benchmark's own responses, if the paper prints it.
    """

    label: str
    metric: str
    figures: tuple[_Printed, ...]
    setup: str = "strict"
    style: str | None = None
    quoted: bool = False
    corpus: _Printed | None = None


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper.

    Attributes:
        number: Its number.
        title: What it is of.
        rows: Its rows.
    """

    number: int
    title: str
    rows: tuple[PaperRow, ...]


@dataclass(frozen=True)
class Paper:
    """The paper's tables.

    Attributes:
        source: What they are cited as.
        systems: The keys of the entries that the tables' columns are.
        tables: The tables.
    """

    source: str
    systems: tuple[str, ...]
    tables: tuple[PaperTable, ...]


@dataclass(frozen=True)
class Cell:
    """A figure of the paper beside the harness's.

    Attributes:
        table: Number of the table.
        row: The row's label.
        entry: Key of the entry.
        quoted: Whether it is the authors' own figure, quoted.
        compared: The two; the harness has none if the entry has no such figure, or is not there.
    """

    table: int
    row: str
    entry: str
    quoted: bool
    compared: Comparison

    @property
    def text(self) -> str:
        """The paper's figure and the harness's."""
        printed, scored, _ = self.compared.texts()
        return f"{printed} {'=' if self.compared.equal else '≠'} {scored}"

    @property
    def data(self) -> dict[str, object]:
        """The cell as JSON types."""
        one = self.compared
        about = {"table": self.table, "row": self.row, "entry": self.entry, "quoted": self.quoted}
        return {**about, "printed": f"{one.printed:f}", "harness": one.scored, "equal": one.equal}


def read_paper() -> Paper:
    """Return the paper's tables."""
    return validated(Paper, dict(read_toml(_FILE, __package__)), _FILE)


def compared(paper: Paper, entries: Sequence[Entry], rules: str) -> list[Cell]:
    """Return every cell of the tables beside the harness's figure under a rule set."""
    reports = {entry.key: report for entry in entries if (report := entry.scores.under(rules))}
    return [
        cell
        for table in paper.tables
        for row in table.rows
        for cell in _cells(paper, table, row, reports)
    ]


def _cells(
    paper: Paper, table: PaperTable, row: PaperRow, reports: Mapping[str, Report]
) -> Iterator[Cell]:
    printed = dict(zip(paper.systems, row.figures, strict=True))
    if row.corpus is not None:
        printed[CORPUS] = row.corpus
    for key, text in printed.items():
        report = reports.get(key)
        value = None if report is None else scored_figure(report, row.setup, row.metric, row.style)
        yield Cell(table.number, row.label, key, row.quoted, Comparison(Decimal(text), value))


def equal_text(cells: Sequence[Cell]) -> str:
    """Say how many cells are equal, such as "77 of 78"."""
    return f"{sum(cell.compared.equal for cell in cells)} of {len(cells)}"


def paper_tables(entries: Sequence[Entry], rules: str) -> list[Table]:
    """Return the tables of the paper, each cell with the harness's figure under a rule set."""
    paper = read_paper()
    found = compared(paper, entries, rules)
    names = {entry.key: entry.system.name for entry in entries}
    return [
        _paper_table(table, [one for one in found if one.table == table.number], paper, names)
        for table in paper.tables
    ]


def _paper_table(
    table: PaperTable, found: Sequence[Cell], paper: Paper, names: Mapping[str, str]
) -> Table:
    labels = list(dict.fromkeys(cell.row for cell in found))
    by_key: dict[str, dict[str, str]] = {key: {} for key in (*paper.systems, CORPUS)}
    for cell in found:
        by_key[cell.entry][cell.row] = cell.text
    groups: dict[str, list[Cell]] = {
        label: [c for c in found if c.row == label and c.entry != CORPUS] for label in labels
    }
    notes = [f"{label}: {equal_text(group)} equal" for label, group in groups.items()]
    measured = [cell for cell in found if not cell.quoted]
    groups = {
        "equal cells": [cell for cell in measured if cell.entry != CORPUS],
        "equal cells of the corpus": [cell for cell in measured if cell.entry == CORPUS],
        "equal cells among the authors' own figures, which the paper quotes": [
            cell for cell in found if cell.quoted
        ],
    }
    notes += [f"{what}: {equal_text(group)}" for what, group in groups.items() if group]
    rows = [
        [names.get(key, key), *(texts.get(label, "") for label in labels)]
        for key, texts in by_key.items()
        if texts
    ]
    title = f"Table {table.number}: {table.title}"
    return Table(
        f"table_{table.number}", title, ["", *labels], rows, [c.data for c in found], notes
    )
