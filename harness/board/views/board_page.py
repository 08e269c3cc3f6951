"""The board itself: a section for each track, the pictures, what can be downloaded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import LEXICALISED, STATE_TRACKING, TRACKS, Track
from ..audit.reported import OFFICIAL, ReportedRow
from ..columns import columns, lexicalised_columns, tracking_columns
from ..entries import paper_year, system_year
from ..model import AGAIN, NOTHING, Board, Column, Row, Value
from ..pairs import RANKING
from .charts import Dot, Ranks, Scatter, ranks, scatter
from .page_tables import Bar, Cell, Header, plus_minus, with_minus
from .reported_blocks import NOT_PUBLIC, OLD, printed_columns

SYSTEMS = "systems"
"""The folder of the systems' pages."""


# Column -> what public tables call the figure.
_PRINTED = {
    "bleu": "BLEU",
    "inform": "Inform",
    "success": "Success",
    "combined": "Combined",
    "length": "average length",
    "cbe": "CBE",
    "unigrams": "unique words",
    "trigrams": "unique 3-grams",
}

_DAGGER = "† BLEU of these responses does not compare with that of other tracks."


@dataclass(frozen=True)
class BoardRow:
    """A row of a track's table.

    Attributes:
        anchor: Its permanent address on the board.
        kind: "scored" of systems with outputs, "unverified" of those whose outputs nobody can
            get, "reported" of those that only public tables have.
        rank: Its place, as shown.
        name: The system's name.
        link: The address of its page; None if it has none.
        paper: The address of its paper.
        code: The address of its code.
        year: The year that the paper's address tells.
        signs: How many signs are raised, where its table shows them.
        note: What is to be said of it; empty if nothing.
        cells: The cells after rank and name.
        tied: Whether it cannot be told apart from the best of its track.
    """

    anchor: str
    kind: str
    rank: str
    name: str
    link: str | None
    paper: str | None
    code: str | None
    year: int | None
    signs: int
    note: str
    cells: Sequence[Cell]
    tied: bool = False


@dataclass(frozen=True)
class BoardTable:
    """A table of a track.

    Attributes:
        key: What scripts call it.
        caption: What it shows.
        ranked: Whether its first column is the rank.
        headers: The titles of its columns.
        rows: The systems that are scored.
        reported: The systems of public tables whose outputs are not public, as printed.
        source: What prints those; its name and address.
    """

    key: str
    caption: str
    ranked: bool
    headers: Sequence[Header]
    rows: Sequence[BoardRow]
    reported: Sequence[BoardRow] = ()
    source: tuple[str, str] | None = None

    @property
    def all_rows(self) -> Sequence[BoardRow]:
        """All rows, in the order of the page."""
        return (*self.rows, *self.reported)

    @property
    def note_numbers(self) -> Mapping[str, int | None]:
        """Address of a row -> the number of its note, from 1; None for rows without one."""
        noted = [row.anchor for row in self.all_rows if row.note]
        return {
            row.anchor: noted.index(row.anchor) + 1 if row.note else None for row in self.all_rows
        }


@dataclass(frozen=True)
class Section:
    """A track on the board.

    Attributes:
        key: The track.
        title: Its heading.
        note: What all of its systems have in common.
        tables: Its tables.
    """

    key: str
    title: str
    note: str
    tables: Sequence[BoardTable]

    @property
    def size(self) -> int:
        """How many rows it has."""
        return sum(len(table.all_rows) for table in self.tables)


def sections(board: Board) -> list[Section]:
    """Return the tracks that have rows."""
    anchors = _Anchors()
    shown = [column for column in columns(board) if column.shown != "never"]
    found = []
    for key, track in TRACKS.items():
        if key == STATE_TRACKING:
            tables = list(_tracking_tables(board))
        elif key == LEXICALISED:
            tables = list(_english_tables(board, track))
        else:
            tables = list(_track_tables(board, key, track, shown, anchors))
        # The official table's rows stand in the table of their track.
        own = (STATE_TRACKING, LEXICALISED)
        tables += _as_printed(board, key, anchors, (OLD,) if key in own else (OLD, OFFICIAL))
        if tables:
            note = f"{track.note} {_DAGGER}" if key == LEXICALISED else track.note
            found.append(Section(key, track.title, note, tables))
    return found


class _Anchors:
    """Gives every reported row an address of its own."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def of(self, name: str) -> str:
        base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "system"
        anchor, number = f"reported-{base}", 2
        while anchor in self._given:
            anchor, number = f"reported-{base}-{number}", number + 1
        self._given.add(anchor)
        return anchor


def system_link(key: str) -> str:
    """Return the address of a system's page from the board."""
    return f"{SYSTEMS}/{key}.html"


def _track_tables(
    board: Board, key: str, track: Track, columns: Sequence[Column], anchors: _Anchors
) -> Iterator[BoardTable]:
    rows = board.of_track(key)
    shown = [one for one in columns if not rows or any(one.value(row).text for row in rows)]
    tables = [table for table in board.tables if table.track == key and table.kind == OFFICIAL]
    reported = [
        _printed(row, shown, anchors) for table in tables for row in table.rows if not row.entry
    ]
    if rows or reported:
        yield BoardTable(
            key=key,
            caption=f"{track.title}, rule set {board.rules}",
            ranked=track.submitted,
            headers=[_header(column) for column in shown],
            rows=_board_rows(rows, shown, board.tied_with_best(key)),
            reported=reported,
            source=(tables[0].repository, tables[0].source) if reported else None,
        )


def _header(column: Column) -> Header:
    return Header(column.title, column.above, column.key, column.numbers, column.shown)


def _board_rows(
    rows: Sequence[Row], shown: Sequence[Column], tied: Collection[str] = ()
) -> list[BoardRow]:
    """Return the rows of a table as they are shown, figures with intervals to one scale."""
    scale = _scale(rows, shown)
    return [_board_row(row, shown, row.key in tied, scale) for row in rows]


def _board_row(
    row: Row, shown: Sequence[Column], tied: bool, scale: tuple[float, float]
) -> BoardRow:
    entry = row.entry
    system = None if entry is None else entry.system
    # The check of the way back has a table of its own in the Markdown page alone.
    notes = [*row.notes(), *([AGAIN] if row.unranked == AGAIN else [])]
    return BoardRow(
        anchor=row_anchor(row),
        kind="scored" if entry is None or entry.verifiable else "unverified",
        rank=row.place,
        name=row.name,
        link=None if entry is None else system_link(row.key),
        paper=None if system is None else system.paper,
        code=None if system is None else system.code,
        year=None if system is None else system_year(system),
        signs=len(row.raised) if any(column.key == "signs" for column in shown) else 0,
        note="; ".join(notes),
        cells=[_cell(column, column.value(row), scale) for column in shown],
        tied=tied,
    )


def row_anchor(row: Row) -> str:
    """Return the address of a row on the board."""
    if row.entry is None:
        return row.place
    if row.tracked is None:
        return f"row-{row.key}"
    return f"tracking-{row.key}" + (f"-{row.tracked.gold.version}" if row.tracked.further else "")


def _cell(column: Column, value: Value, scale: tuple[float, float]) -> Cell:
    bar = _drawn(value, *scale) if column.key == RANKING else None
    # A unit stands behind the figure unless the title says it.
    text = value.text.removesuffix(value.unit if column.title.endswith(value.unit) else "")
    return Cell(with_minus(text), plus_minus(value), bar, value.mark)


def _scale(rows: Sequence[Row], shown: Sequence[Column]) -> tuple[float, float]:
    """Return the least and the greatest end of the intervals of what ranks; 0, 0 if none is."""
    values = (column.value(row) for column in shown if column.key == RANKING for row in rows)
    intervals = [value.interval for value in values if value.interval is not None]
    if not intervals:
        return 0.0, 0.0
    return min(one.low for one in intervals), max(one.high for one in intervals)


def _drawn(value: Value, low: float, high: float) -> Bar | None:
    """Return a figure's interval to scale; None without one, or where the scale has no width."""
    interval = value.interval
    if interval is None or high <= low:
        return None
    begin, at, end = (
        round(100 * (one - low) / (high - low), 1)
        for one in (interval.low, interval.value, interval.high)
    )
    return Bar(begin, end, at)


def _printed(row: ReportedRow, shown: Sequence[Column], anchors: _Anchors) -> BoardRow:
    """Return a row of a public table in the columns of the board."""
    figures = [row.figures.get(_PRINTED.get(column.key, ""), "") for column in shown]
    return _reported(row, [Cell(text or NOTHING) for text in figures], anchors)


def _reported(row: ReportedRow, cells: Sequence[Cell], anchors: _Anchors) -> BoardRow:
    return BoardRow(
        anchor=anchors.of(row.system),
        kind="reported",
        rank=NOTHING,
        name=row.system,
        link=None,
        paper=row.paper,
        code=row.code,
        year=paper_year(row.paper),
        signs=0,
        note=row.note or "",
        cells=cells,
    )


def _tracking_tables(board: Board) -> Iterator[BoardTable]:
    for place, rows in enumerate(board.tracking):
        shown = tracking_columns(rows)
        gold = rows[0].tracked
        yield BoardTable(
            key=f"{STATE_TRACKING}-{place}",
            caption="" if gold is None else gold.gold_title,
            ranked=True,
            headers=[_header(column) for column in shown],
            rows=_board_rows(rows, shown),
        )


def _english_tables(board: Board, track: Track) -> Iterator[BoardTable]:
    if board.english:
        shown = lexicalised_columns()
        yield BoardTable(
            key=LEXICALISED,
            caption=f"{track.title}, rule set {board.rules}",
            ranked=True,
            headers=[_header(column) for column in shown],
            rows=_board_rows(board.english, shown),
        )


def _as_printed(
    board: Board, track: str, anchors: _Anchors, without: Sequence[str]
) -> Iterator[BoardTable]:
    """Yield a track's public tables in their own columns, of systems without public outputs."""
    for table in board.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            used = printed_columns(table, rows)
            yield BoardTable(
                key=table.name,
                caption=f"{NOT_PUBLIC}: {table.title}",
                ranked=False,
                headers=[Header(column, key=column.lower()) for column in used],
                rows=(),
                reported=[
                    _reported(row, [Cell(row.figures.get(name, NOTHING)) for name in used], anchors)
                    for row in rows
                ],
                source=(table.repository, table.source),
            )


def bleu_against_success(board: Board) -> Scatter | None:
    """Return the scatter plot of the systems that are submitted; None if there are none."""
    dots = [
        Dot(row.name, system_link(row.key), row.track, float(bleu), float(success))
        for row in board.rows
        for bleu, success in [(row.figure("bleu"), row.figure("success"))]
        if TRACKS[row.track].submitted and NOTHING not in (bleu, success)
    ]
    return scatter(dots) if dots else None


def ranks_by_rules(board: Board) -> Mapping[str, Ranks]:
    """Return title of a track -> the ranks of its systems under each rule set.

    Tracks with fewer than two systems, or with a single rule set, have no such picture.
    """
    pictures = {}
    for key, track in TRACKS.items():
        own = [row for row in board.of_track(key) if row.rank is not None]
        names = {row.key: (row.name, system_link(row.key)) for row in own}
        rankings = {
            f"rules {rules}": {
                row.key: row.rank for row in rows if row.key in names and row.rank is not None
            }
            for rules, rows in board.by_rules.items()
        }
        if track.submitted and len(names) > 1 and len(rankings) > 1:
            pictures[track.title] = ranks(rankings, names)
    return pictures


def years(found: Sequence[Section]) -> list[int]:
    """Return the years of the systems' papers, the latest first."""
    rows = [row for section in found for table in section.tables for row in table.all_rows]
    return sorted({row.year for row in rows if row.year is not None}, reverse=True)
