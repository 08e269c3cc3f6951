"""The board itself: a section for each track, the pictures, what can be downloaded."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...rendering import figure
from ..leaderboard import Row, placeholders_note
from ..lexicalised_board import LexicalisedRow
from ..lexicalised_board import row_headers as lexicalised_headers
from ..lexicalised_board import row_text as lexicalised_text
from ..record import OFFICIAL
from ..reported import ReportedRow, ReportedTable
from ..reported_blocks import NOT_PUBLIC, OLD
from ..tracking_board import TrackingRow, gold_title, row_headers, row_text
from ..tracks import LEXICALISED, STATE_TRACKING, TRACKS, Track
from .charts import Dot, Ranks, Scatter, ranks, scatter
from .columns import PRINTED, Column, columns, raised_signs
from .contents import Contents
from .page_tables import NOTHING, Cell, Header, with_minus
from .papers import paper_year, system_year

SYSTEMS = "systems"
"""The folder of the systems' pages."""


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
        signs: How many signs are raised.
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


def sections(contents: Contents) -> list[Section]:
    """Return the tracks that have rows."""
    anchors = _Anchors()
    shown = columns(contents)
    found = []
    for key, track in TRACKS.items():
        if key == STATE_TRACKING:
            tables = list(_tracking_tables(contents, anchors))
        elif key == LEXICALISED:
            tables = list(_english_tables(contents, track, anchors))
        else:
            tables = list(_track_tables(contents, key, track, shown, anchors))
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


def row_kind(row: Row | TrackingRow) -> str:
    """Return what a system is shown as: "scored", or "unverified"."""
    return "scored" if row.entry.verifiable else "unverified"


def _track_tables(
    contents: Contents, key: str, track: Track, shown: Sequence[Column], anchors: _Anchors
) -> Iterator[BoardTable]:
    rows = [row for row in contents.rows if row.entry.system.track == key]
    shown = [column for column in shown if not rows or any(column.cell(row).text for row in rows)]
    tables = [table for table in contents.tables if table.track == key and table.kind == OFFICIAL]
    reported = [
        _printed(row, shown, anchors) for table in tables for row in table.rows if not row.entry
    ]
    tied = contents.tied_with_best(key)
    if rows or reported:
        yield BoardTable(
            key=key,
            caption=f"{track.title}, rule set {contents.rules}",
            ranked=track.submitted,
            headers=[column.header for column in shown],
            rows=[_scored(row, shown, tied) for row in rows],
            reported=reported,
            source=(tables[0].repository, tables[0].source) if reported else None,
        )
    yield from _as_printed(contents, key, anchors, (OLD, OFFICIAL))


def _scored(row: Row, shown: Sequence[Column], tied: Collection[str]) -> BoardRow:
    system = row.entry.system
    told = [*([system.note] if system.note else []), *placeholders_note(row)]
    bound = row.report.metrics.get("lower_bound")
    if row.unranked is not None and TRACKS[system.track].submitted:
        told.append(f"not ranked: {row.unranked}")
    elif bound is not None:
        told.append(f"ranked by its lower bound over the whole benchmark, {figure(bound.combined)}")
    return BoardRow(
        anchor=f"row-{row.entry.key}",
        kind=row_kind(row),
        rank=NOTHING if row.rank is None else str(row.rank),
        name=system.name,
        link=system_link(row.entry.key),
        paper=system.paper,
        code=system.code,
        year=system_year(system),
        signs=len(raised_signs(row)),
        note="; ".join(told),
        cells=[column.cell(row) for column in shown],
        tied=row.entry.key in tied,
    )


def _printed(row: ReportedRow, shown: Sequence[Column], anchors: _Anchors) -> BoardRow:
    """Return a row of a public table in the columns of the board."""
    figures = [row.figures.get(PRINTED.get(column.header.key, ""), "") for column in shown]
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


def _tracking_tables(contents: Contents, anchors: _Anchors) -> Iterator[BoardTable]:
    for place, rows in enumerate(contents.tracking):
        yield BoardTable(
            key=f"{STATE_TRACKING}-{place}",
            caption=gold_title(rows[0]),
            ranked=True,
            headers=[_tracking_header(title) for title in row_headers(rows[0])[2:]],
            rows=[_tracked(row) for row in rows],
        )
    yield from _as_printed(contents, STATE_TRACKING, anchors, (OLD,))


def _english_tables(contents: Contents, track: Track, anchors: _Anchors) -> Iterator[BoardTable]:
    if contents.english:
        titles = lexicalised_headers()[2:]
        yield BoardTable(
            key=LEXICALISED,
            caption=f"{track.title}, rule set {contents.rules}",
            ranked=True,
            headers=[
                Header(title, key=title.lower(), figures=title != "States") for title in titles
            ],
            rows=[_in_english(row) for row in contents.english],
        )
    yield from _as_printed(contents, LEXICALISED, anchors, (OLD,))


def _in_english(row: LexicalisedRow) -> BoardRow:
    rank, name, *texts = lexicalised_text(row)
    entry = row.entry
    told = [] if row.unranked is None or row.is_ceiling else [row.unranked]
    if entry is not None and entry.system.note:
        told.insert(0, entry.system.note)
    system = None if entry is None else entry.system
    return BoardRow(
        anchor="ceiling" if entry is None else f"row-{entry.key}",
        kind="scored" if entry is None or entry.verifiable else "unverified",
        rank=rank,
        name=name,
        link=None if entry is None else system_link(entry.key),
        paper=None if system is None else system.paper,
        code=None if system is None else system.code,
        year=None if system is None else system_year(system),
        signs=0,
        note="; ".join(told),
        cells=[Cell(text) for text in texts],
    )


def _tracking_header(title: str) -> Header:
    return Header(title, key=title.lower(), figures=title != "Track")


def _tracked(row: TrackingRow) -> BoardRow:
    rank, name, *texts = row_text(row)
    system = row.entry.system
    own = system.track == STATE_TRACKING
    return BoardRow(
        anchor=tracking_anchor(row),
        kind=row_kind(row),
        rank=rank,
        name=name,
        link=system_link(row.entry.key),
        paper=system.paper,
        code=system.code,
        year=system_year(system),
        signs=0,
        note=(system.note or "") if own and not row.further else "",
        cells=[Cell(with_minus(text)) for text in texts],
    )


def tracking_anchor(row: TrackingRow) -> str:
    """Return the address of a row of state tracking on the board."""
    version = f"-{row.gold.version}" if row.further else ""
    return f"tracking-{row.entry.key}{version}"


def _as_printed(
    contents: Contents, track: str, anchors: _Anchors, without: Sequence[str]
) -> Iterator[BoardTable]:
    """Yield a track's public tables in their own columns, of systems without public outputs."""
    for table in contents.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            used = _used(table, rows)
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


def _used(table: ReportedTable, rows: Sequence[ReportedRow]) -> list[str]:
    return [column for column in table.columns if any(column in row.figures for row in rows)]


def bleu_against_success(contents: Contents) -> Scatter | None:
    """Return the scatter plot of the systems that are submitted; None if there are none."""
    dots = [
        Dot(
            row.entry.system.name,
            system_link(row.entry.key),
            row.entry.system.track,
            float(row.figure("bleu")),
            float(row.figure("success")),
        )
        for row in contents.rows
        if TRACKS[row.entry.system.track].submitted
        and NOTHING not in (row.figure("bleu"), row.figure("success"))
    ]
    return scatter(dots) if dots else None


def ranks_by_rules(contents: Contents) -> Mapping[str, Ranks]:
    """Return title of a track -> the ranks of its systems under each rule set.

    Tracks with fewer than two systems, or with a single rule set, have no such picture.
    """
    pictures = {}
    for key, track in TRACKS.items():
        names = {
            row.entry.key: (row.entry.system.name, system_link(row.entry.key))
            for row in contents.rows
            if row.entry.system.track == key and row.rank is not None
        }
        rankings = {
            f"rules {rules}": {
                row.entry.key: row.rank
                for row in rows
                if row.entry.key in names and row.rank is not None
            }
            for rules, rows in contents.ranked.items()
        }
        if track.submitted and len(names) > 1 and len(rankings) > 1:
            pictures[track.title] = ranks(rankings, names)
    return pictures


def years(found: Sequence[Section]) -> list[int]:
    """Return the years of the systems' papers, the latest first."""
    rows = [row for section in found for table in section.tables for row in table.all_rows]
    return sorted({row.year for row in rows if row.year is not None}, reverse=True)
