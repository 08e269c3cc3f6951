"""The tables of "Shades of BLEU, Flavours of Success" beside the harness's figures, cell by cell.

The paper's figures are data (`shades-of-bleu.toml`). Tables 4 and 5 also quote what the systems'
authors report; those cells are held against the strict figures, and counted apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated

from pydantic import Field

from mwz.normalization.rules.registry import read_toml

from ...io.validation import validated
from ...scoring.report import Report
from ..entries import Entry
from . import is_reproduced, scored_figure

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
        printed: The paper's figure, with its digits.
        harness: The harness's; None if the entry has no such figure, or is not there.
        equal: Whether the harness's, rounded to the digits printed, is the paper's.
    """

    table: int
    row: str
    entry: str
    quoted: bool
    printed: Decimal
    harness: float | None
    equal: bool


def read_paper() -> Paper:
    """Return the paper's tables."""
    return validated(Paper, dict(read_toml(_FILE, __package__)), _FILE)


def compared(paper: Paper, entries: Sequence[Entry], rules: str) -> list[Cell]:
    """Hold every cell of the tables against the harness's figures under a rule set."""
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
        figure = Decimal(text)
        equal = value is not None and is_reproduced(value, figure)
        yield Cell(table.number, row.label, key, row.quoted, figure, value, equal)


def equal_text(cells: Sequence[Cell]) -> str:
    """Say how many cells are equal, such as "77 of 78"."""
    return f"{sum(cell.equal for cell in cells)} of {len(cells)}"
