"""The board itself: a section for each track, with its tables and its charts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..columns import FIRST, BoardTable, Column, board_tables, printed_columns
from ..model import Board
from ..pairs import RANKING
from ..reported import METRICS, OFFICIAL, OLD, ReportedRow
from ..rows import AGAIN, NOTHING, REFERENCE, Row, Value
from ..systems import paper_year, system_year
from ..tracks import tracks
from .charts import Chart, charts
from .page_parts import Bar, Cell, plus_minus, system_link, with_minus

# Column that is called otherwise than its metric -> the metric.
_METRICS = {"length": "mean_length", "cbe": "conditional_entropy"}


@dataclass(frozen=True)
class PageRow:
    """A row of a track's table.

    Attributes:
        anchor: Its permanent address on the board.
        kind: "scored" of systems with outputs, "unavailable" of those whose outputs nobody can
            get, "reported" of those that only public tables have, "reference" of what is none.
        rank: Its place, as shown, and its rank range.
        of: The row, whose name and addresses are shown.
        link: The address of its page; None if it has none.
        year: The year that it was published in, if it is known.
        flags: How many flags are raised, where its table shows them.
        note: What is to be said of it; empty if nothing.
        cells: The cells after rank and name.
        begins: Whether its rank range, and those below, do not overlap the ones above.
    """

    anchor: str
    kind: str
    rank: Cell
    of: Row | ReportedRow
    link: str | None
    year: int | None
    flags: int
    note: str
    cells: Sequence[Cell]
    begins: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table of a track.

    Attributes:
        key: What scripts call it.
        caption: What it shows.
        ranked: Whether its first column is the rank.
        columns: Its columns besides rank and name.
        rows: The systems that are scored.
        reported: The systems of public tables without an entry, as printed.
        source: What prints those; its name and address.
    """

    key: str
    caption: str
    ranked: bool
    columns: Sequence[Column[Row]] | Sequence[Column[ReportedRow]]
    rows: Sequence[PageRow]
    reported: Sequence[PageRow] = ()
    source: tuple[str, str] | None = None

    @property
    def all_rows(self) -> Sequence[PageRow]:
        """All rows, in the order of the page."""
        return (*self.rows, *self.reported)

    @property
    def note_numbers(self) -> Mapping[str, int]:
        """Address of a row with a note -> the note's number, from 1."""
        noted = [row.anchor for row in self.all_rows if row.note]
        return {anchor: number for number, anchor in enumerate(noted, 1)}


@dataclass(frozen=True)
class Section:
    """A track on the board.

    Attributes:
        key: The track.
        title: Its heading.
        note: What all of its systems have in common.
        tables: Its tables.
        charts: Its pictures.
    """

    key: str
    title: str
    note: str
    tables: Sequence[PageTable]
    charts: Sequence[Chart]

    @property
    def rows(self) -> Sequence[PageRow]:
        """The rows of all its tables."""
        return [row for table in self.tables for row in table.all_rows]


def sections(board: Board) -> list[Section]:
    """Return the tracks that have rows, but that of references where others show its rows."""
    anchors: Counter[str] = Counter()
    found: list[Section] = []
    for key, track in tracks().items():
        if key == REFERENCE and any(row.kind == REFERENCE for one in found for row in one.rows):
            continue
        of_track = [table for table in board_tables(board) if table.track == key]
        tables = [one for table in of_track if (one := _page_table(board, table, anchors)).all_rows]
        tables += _as_printed(board, key, anchors)
        if tables:
            pictures = list(charts(board, of_track))
            found.append(Section(key, track.title, track.about, tables, pictures))
    return found


def _anchor(base: str, given: Counter[str]) -> str:
    """Return an address for a row, and remember it; no two rows have the same."""
    given[base] += 1
    return base if given[base] == 1 else _anchor(f"{base}-{given[base]}", given)


def _page_table(board: Board, table: BoardTable, anchors: Counter[str]) -> PageTable:
    rows = table.rows
    shown = [
        column
        for column in table.columns
        if column.shown != "never" and (not rows or any(column.value(row).text for row in rows))
    ]
    delexicalised = tracks()[table.track].delexicalised
    if delexicalised:
        shown.sort(key=lambda one: FIRST.index(one.key) if one.key in FIRST else len(FIRST))
    scale = _scale(rows, shown)
    begin = {group[0].key for group in board.rank_groups(table.track)[1:]}
    wanted = (table.track, OFFICIAL) if delexicalised else None
    official = [one for one in board.tables if (one.track, one.kind) == wanted]
    titles = {metric: title for title, metric in METRICS.items()}
    printed = [titles.get(_METRICS.get(column.key, column.key), "") for column in shown]
    reported = [
        _reported(row, [row.figures.get(name, NOTHING) for name in printed], anchors)
        for one in official
        for row in one.rows
        if not row.entry
    ]
    lines = []
    for row in table.lines:
        place, begins = Cell(row.place, board.rank_range(row)), row.key in begin
        lines.append(replace(_page_row(row, shown, scale, anchors), rank=place, begins=begins))
    source = (official[0].repository, official[0].source) if reported else None
    ranks = tracks()[table.track].submitted
    return PageTable(table.key, table.title, ranks, shown, lines, reported, source)


def _page_row(
    row: Row, shown: Sequence[Column[Row]], scale: tuple[float, float], anchors: Counter[str]
) -> PageRow:
    entry = row.entry
    kind = "scored" if entry.verifiable else "unavailable"
    # The check of the way back has a table of its own in the Markdown page alone.
    notes = [*row.notes(), *([AGAIN] if row.unranked == AGAIN else [])]
    if row.unranked == REFERENCE:
        kind = REFERENCE
    # Flags of what is no system say nothing.
    flags = not (kind == REFERENCE or row.is_human) and any(one.key == "flags" for one in shown)
    values = [Value() if c.key == "flags" and not flags else c.value(row) for c in shown]
    return PageRow(
        anchor=_anchor(row.anchor, anchors),
        kind=kind,
        rank=Cell(row.place),
        of=row,
        link=system_link(row.key) if row.key else None,
        year=system_year(entry.system),
        flags=len(row.unreviewed) if flags else 0,
        note="; ".join(notes),
        cells=[_cell(one, value, scale) for one, value in zip(shown, values, strict=True)],
    )


def _cell(column: Column[Row], value: Value, scale: tuple[float, float]) -> Cell:
    bar = _drawn(value, *scale) if column.key == RANKING else None
    # A unit stands behind the figure unless the title says it.
    text = value.text.removesuffix(value.unit if column.title.endswith(value.unit) else "")
    return Cell(with_minus(text), plus_minus(value), bar, value.mark)


def _scale(rows: Sequence[Row], shown: Sequence[Column[Row]]) -> tuple[float, float]:
    """Return the least and the greatest end of the intervals of what ranks; 0, 0 if none is."""
    values = (column.value(row) for column in shown if column.key == RANKING for row in rows)
    intervals = [value.interval for value in values if value.interval is not None]
    ends = [(one.low, one.high) for one in intervals] or [(0.0, 0.0)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def _drawn(value: Value, low: float, high: float) -> Bar | None:
    """Return a figure's interval to scale; None without one, or where the scale has no width."""
    interval = value.interval
    if interval is None or high <= low:
        return None
    ends = (interval.low, interval.high, interval.value)
    return Bar(*(round(100 * (one - low) / (high - low), 1) for one in ends))


def _reported(row: ReportedRow, texts: Sequence[str], anchors: Counter[str]) -> PageRow:
    cells, year = list(map(Cell, texts)), paper_year(row.paper)
    base = re.sub(r"[^a-z0-9]+", "-", row.system.lower()).strip("-") or "system"
    anchor = _anchor(f"reported-{base}", anchors)
    return PageRow(anchor, "reported", Cell(NOTHING), row, None, year, 0, row.note or "", cells)


def _as_printed(board: Board, track: str, anchors: Counter[str]) -> Iterator[PageTable]:
    """Yield a track's public tables in their own columns, of systems without an entry."""
    without = (OLD, OFFICIAL) if tracks()[track].delexicalised else (OLD,)
    for table in board.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            shown, title = printed_columns(table, rows), f"{table.heading}: {table.title}"
            lines = [_reported(r, [c.value(r).text for c in shown], anchors) for r in rows]
            source = (table.repository, table.source)
            yield PageTable(table.name, title, False, shown, (), lines, source)
