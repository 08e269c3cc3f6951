"""The board itself: a section for each track, the pictures, and the page that compares systems."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...comparison.interval import p_text
from ...io.rendering import signed
from ...metrics import headlines
from .. import LEXICALISED, STATE_TRACKING, TRACKS
from ..audit.reported import NOT_PUBLIC, OFFICIAL, OLD, ReportedRow
from ..columns import BoardTable, Column, board_tables, columns, printed_columns
from ..entries import paper_year, system_year
from ..model import AGAIN, NOTHING, Board, Row, Value
from ..pairs import RANKING, SAMPLES, EntryPair
from ..scores import FIGURES
from .page_parts import (
    Bar,
    Cell,
    Dot,
    Ranks,
    Scatter,
    Table,
    plus_minus,
    ranks,
    scatter,
    system_link,
    with_minus,
)

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
class PageRow:
    """A row of a track's table.

    Attributes:
        anchor: Its permanent address on the board.
        kind: "scored" of systems with outputs, "unverified" of those whose outputs nobody can
            get, "reported" of those that only public tables have.
        rank: Its place, as shown.
        of: The row, whose name and addresses are shown.
        link: The address of its page; None if it has none.
        year: The year that it was published in, if it is known.
        signs: How many signs are raised, where its table shows them.
        note: What is to be said of it; empty if nothing.
        cells: The cells after rank and name.
        tied: Whether it cannot be told apart from the best of its track.
    """

    anchor: str
    kind: str
    rank: str
    of: Row | ReportedRow
    link: str | None
    year: int | None
    signs: int
    note: str
    cells: Sequence[Cell]
    tied: bool = False


@dataclass(frozen=True)
class PageTable:
    """A table of a track.

    Attributes:
        key: What scripts call it.
        caption: What it shows.
        ranked: Whether its first column is the rank.
        columns: Its columns besides rank and name.
        rows: The systems that are scored.
        reported: The systems of public tables whose outputs are not public, as printed.
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
    """

    key: str
    title: str
    note: str
    tables: Sequence[PageTable]

    @property
    def size(self) -> int:
        """How many rows it has."""
        return sum(len(table.all_rows) for table in self.tables)

    @property
    def years(self) -> set[int]:
        """The years of its systems."""
        rows = (row for table in self.tables for row in table.all_rows)
        return {row.year for row in rows if row.year is not None}


def sections(board: Board) -> list[Section]:
    """Return the tracks that have rows."""
    anchors = _Anchors()
    found = []
    for key, track in TRACKS.items():
        of_track = [table for table in board_tables(board) if table.track == key]
        tables = [one for table in of_track if (one := _page_table(board, table, anchors)).all_rows]
        tables += _as_printed(board, key, anchors)
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


# The rows of official tables stand in the table of their track, but of these in one of their own.
_APART = (STATE_TRACKING, LEXICALISED)


def _page_table(board: Board, table: BoardTable, anchors: _Anchors) -> PageTable:
    rows = table.rows
    shown = [
        column
        for column in table.columns
        if column.shown != "never" and (not rows or any(column.value(row).text for row in rows))
    ]
    tied, scale = board.tied_with_best(table.key), _scale(rows, shown)
    official = [
        one
        for one in board.tables
        if one.track == table.track and one.kind == OFFICIAL and table.track not in _APART
    ]
    printed = [_PRINTED.get(column.key, "") for column in shown]
    reported = [
        _reported(row, [row.figures.get(name, NOTHING) for name in printed], anchors)
        for one in official
        for row in one.rows
        if not row.entry
    ]
    return PageTable(
        key=table.key,
        caption=table.title,
        ranked=TRACKS[table.track].submitted,
        columns=shown,
        rows=[_page_row(row, shown, row.key in tied, scale) for row in rows],
        reported=reported,
        source=(official[0].repository, official[0].source) if reported else None,
    )


def _page_row(
    row: Row, shown: Sequence[Column[Row]], tied: bool, scale: tuple[float, float]
) -> PageRow:
    entry = row.entry
    # The check of the way back has a table of its own in the Markdown page alone.
    notes = [*row.notes(), *([AGAIN] if row.unranked == AGAIN else [])]
    return PageRow(
        anchor=row_anchor(row),
        kind="scored" if entry is None or entry.verifiable else "unverified",
        rank=row.place,
        of=row,
        link=None if entry is None else system_link(row.key),
        year=None if entry is None else system_year(entry.system),
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
    begin, at, end = (
        round(100 * (one - low) / (high - low), 1)
        for one in (interval.low, interval.value, interval.high)
    )
    return Bar(begin, end, at)


def _reported(row: ReportedRow, texts: Sequence[str], anchors: _Anchors) -> PageRow:
    cells, year = list(map(Cell, texts)), paper_year(row.paper)
    anchor = anchors.of(row.system)
    return PageRow(anchor, "reported", NOTHING, row, None, year, 0, row.note or "", cells)


def _as_printed(board: Board, track: str, anchors: _Anchors) -> Iterator[PageTable]:
    """Yield a track's public tables in their own columns, of systems without public outputs."""
    without = (OLD,) if track in _APART else (OLD, OFFICIAL)
    for table in board.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            shown = printed_columns(table, rows)
            yield PageTable(
                key=table.name,
                caption=f"{NOT_PUBLIC}: {table.title}",
                ranked=False,
                columns=shown,
                rows=(),
                reported=[_reported(r, [c.value(r).text for c in shown], anchors) for r in rows],
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


# ------------------------------------- the page that compares any two systems, by the stored pairs


def compare_page(board: Board) -> dict[str, object] | None:
    """Return what the page that compares systems shows; None if no two are compared.

    Returns:
        "systems", title of a track -> key and name of its systems that are compared with others;
        "tables", per track the difference of each two of its systems; "data", all pairs as JSON for
        the script; and "samples", those of the randomisation test.
    """
    compared = {key for pair in board.pairs.pairs for key in pair}
    rows = [row for row in board.rows if row.key in compared]
    if not rows:
        return None
    by_track = {key: [row for row in rows if row.track == key] for key in TRACKS}
    return {
        "systems": {
            TRACKS[key].title: [(row.key, row.name) for row in own]
            for key, own in by_track.items()
            if own
        },
        "tables": [
            Table(
                f"{TRACKS[key].title}: {headlines()[RANKING].title} of the row less that of the "
                "column, on the dialogues that both play; ≈ where the two cannot be told apart",
                ["System", *(row.name for row in own[1:])],
                [[row.name, *_differences(board, row, own)] for row in own[:-1]],
            )
            for key, own in by_track.items()
            if len(own) > 1 and TRACKS[key].submitted
        ],
        "data": _pairs_data(board, rows),
        "samples": SAMPLES,
    }


def _differences(board: Board, row: Row, own: Sequence[Row]) -> Iterator[str | Cell]:
    """Yield a row of a track's table: a difference from each system below it."""
    for at, other in enumerate(own[1:], start=1):
        pair = board.pairs.between(row.key, other.key)
        if at <= own.index(row):
            yield ""
        elif pair is None:
            yield NOTHING
        else:
            found = pair.figures[RANKING]
            text = with_minus(signed(found.difference, headlines()[RANKING].digits))
            yield text if found.distinct else Cell(f"≈ {text}", mark="near")


def _pairs_data(board: Board, rows: Sequence[Row]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    keys = [row.key for row in rows]
    shown = [column for column in columns(board) if column.key in FIGURES]
    systems = {
        row.key: {
            "name": row.name,
            "figures": {
                column.key: f"{value.text} {plus_minus(value)}".rstrip()
                for column in shown
                for value in [column.value(row)]
            },
        }
        for row in rows
    }
    pairs = {
        f"{a}/{b}": _pair_data(pair)
        for (a, b), pair in sorted(board.pairs.pairs.items())
        if a in keys and b in keys
    }
    figures = {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES}
    content = {"figures": figures, "systems": systems, "pairs": pairs}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _pair_data(pair: EntryPair) -> list[object]:
    """Return the dialogues of both, then per figure: difference, p, and who alone wins how many."""
    figures = [pair.figures[name] for name in FIGURES]
    alone = [[] if one.only_a is None else [one.only_a, one.only_b] for one in figures]
    return [
        pair.dialogues,
        *(
            [round(one.difference, 2), p_text(one.p), *won]
            for one, won in zip(figures, alone, strict=True)
        ),
    ]
