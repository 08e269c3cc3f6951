"""The page of the board: a section for each track, with its tables and charts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from ...comparison import SIGNIFICANCE, p_text
from ..columns import FIRST, BoardTable, Column, board_tables, printed_columns, verdict_mark
from ..model import Board, common_signatures
from ..pairs import RANKING
from ..reported import METRICS, OFFICIAL, OLD, ReportedRow, ReportedTable
from ..rows import AGAIN, NOTHING, REFERENCE, Row, Value
from ..systems import paper_year, system_year
from ..track import tracks
from ..verdicts import verdict_meanings
from .board_data import Data
from .charts import track_charts

# Column that is called otherwise than its metric -> the metric.
_METRICS = {"length": "mean_length", "cbe": "conditional_entropy"}


def board_page(board: Board, downloads: Collection[str]) -> Data:
    """Return what the page of the board shows.

    Args:
        board: The board.
        downloads: The files of its tables.
    """
    board_sections = list(sections(board))
    years = {row_year(row) for section in board_sections for row in section["rows"]}
    return {
        "board": board,
        "sections": board_sections,
        "years": sorted(filter(None, years), reverse=True),
        "downloads": downloads,
        "signatures": common_signatures(board.rows),
        "significance": p_text(SIGNIFICANCE),
        "tracks": tracks(),
        "verdicts": verdict_meanings(),
        "verdict_mark": verdict_mark,
        "kind": row_kind,
        "year": row_year,
        "flags": row_flags,
    }


def sections(board: Board) -> Iterator[Data]:
    """Yield the tracks that have rows, but that of references where others show its rows.

    A section has `track`; `tables`; `charts`; `rows`, those of all its tables, and their `kinds`;
    and `systems`, the number of systems with an entry.

    A table has `key`, what scripts call it; `caption`; `ranked`, whether its first column is the
    rank; `columns`, those besides rank and name; `rows`, permanent address -> row of a system that
    is scored; `reported`, the same of systems without an entry; `source`, the table that prints
    these; `cell`, what returns the value of a row in a column; and `notes`, address -> what is to
    be said of a row. One of scored systems has `begin`, the keys of rows from which on the rank
    ranges do not overlap the ones above, and `scale`, between which ends intervals are drawn.
    """
    anchors: Counter[str] = Counter()
    shows_references = False
    for key, track in tracks().items():
        if key == REFERENCE and shows_references:
            continue
        of_track = [table for table in board_tables(board) if table.track == key]
        tables = [_scored_table(board, table, anchors) for table in of_track]
        tables += _printed_tables(board, key, anchors)
        tables = [table for table in tables if table["rows"] or table["reported"]]
        rows = [
            row for one in tables for part in ("rows", "reported") for row in one[part].values()
        ]
        if tables:
            scored = (row for row in rows if isinstance(row, Row) and row_kind(row) != REFERENCE)
            kinds = {row_kind(row) for row in rows}
            shows_references |= REFERENCE in kinds
            yield {
                "track": track,
                "tables": tables,
                "rows": rows,
                "kinds": kinds,
                "systems": len({row.name for row in scored if not row.is_human}),
                "charts": list(track_charts(board, of_track)),
            }


def row_kind(row: Row | ReportedRow) -> str:
    """Return what a row is of, a style of `site.css`.

    "scored" are systems with outputs, "unavailable" those whose outputs nobody can get, "reported"
    those that only public tables have, "reference" what is none.
    """
    if isinstance(row, ReportedRow):
        return "reported"
    if row.unranked == REFERENCE:
        return REFERENCE
    return "scored" if row.entry.verifiable else "unavailable"


def row_year(row: Row | ReportedRow) -> int | None:
    """Return when a row's system was published, if that is known."""
    if isinstance(row, ReportedRow):
        return paper_year(row.paper)
    return system_year(row.entry.system)


def _note(row: Row | ReportedRow) -> str:
    if isinstance(row, ReportedRow):
        return row.note or ""
    # The check of the round trip has a table of its own in the Markdown page alone.
    return "; ".join([*row.notes(), *([AGAIN] if row.unranked == AGAIN else [])])


def row_flags(row: Row | ReportedRow, columns: Sequence[Column[Any]]) -> Sequence[str] | None:
    """Return the flags that are raised of a row, in words; None where its table shows none."""
    # Flags of what is no system say nothing.
    if isinstance(row, ReportedRow) or row_kind(row) == REFERENCE or row.is_human:
        return None
    return row.unreviewed if any(column.key == "flags" for column in columns) else None


def _scored_cell(row: Row | ReportedRow, column: Column[Any]) -> Value:
    """Return what stands in a table of scored rows, of others what is printed of the same."""
    if isinstance(row, ReportedRow):
        titles = {metric: title for title, metric in METRICS.items()}
        title = titles.get(_METRICS.get(column.key, column.key), "")
        return Value(words=row.figures.get(title, NOTHING))
    is_shown = column.key != "flags" or row_flags(row, [column]) is not None
    return column.value(row) if is_shown else Value()


def _anchor(base: str, given: Counter[str]) -> str:
    """Return an address for a row, and remember it; no two rows have the same."""
    given[base] += 1
    return base if given[base] == 1 else _anchor(f"{base}-{given[base]}", given)


def _table(
    key: str,
    caption: str,
    columns: Sequence[Column[Any]],
    rows: Sequence[Row],
    reported: Sequence[ReportedRow],
    source: ReportedTable | None,
    anchors: Counter[str],
    **more: Any,
) -> Data:
    scored = {_anchor(row.anchor, anchors): row for row in rows}
    printed = {}
    for line in reported:
        base = re.sub(r"[^a-z0-9]+", "-", line.system.lower()).strip("-") or "system"
        printed[_anchor(f"reported-{base}", anchors)] = line
    every: dict[str, Row | ReportedRow] = {**scored, **printed}
    noted = {anchor: _note(row) for anchor, row in every.items()}
    return {
        "key": key,
        "caption": caption,
        "ranked": False,
        "columns": columns,
        "rows": scored,
        "reported": printed,
        "source": source if reported else None,
        "cell": lambda row, column: column.value(row),
        "notes": {anchor: note for anchor, note in noted.items() if note},
        **more,
    }


def _scored_table(board: Board, table: BoardTable, anchors: Counter[str]) -> Data:
    track, rows = tracks()[table.track], table.rows
    columns = [
        column
        for column in table.columns
        if column.shown != "never" and (not rows or any(column.value(row).text for row in rows))
    ]
    official: list[ReportedTable] = []
    if track.delexicalised:
        columns.sort(key=lambda one: FIRST.index(one.key) if one.key in FIRST else len(FIRST))
        of_track = (one for one in board.tables if one.track == table.track)
        official = [one for one in of_track if one.kind == OFFICIAL]
    values = [column.value(row) for column in columns if column.key == RANKING for row in rows]
    intervals = [value.interval for value in values if value.interval is not None]
    ends = [end for one in intervals for end in (one.low, one.high)]
    return _table(
        table.key,
        table.title,
        columns,
        table.lines,
        [row for one in official for row in one.rows if not row.entry],
        next(iter(official), None),
        anchors,
        ranked=track.submitted,
        cell=_scored_cell,
        begin=[group[0].key for group in board.rank_groups(table.track)[1:]],
        scale=(min(ends, default=0.0), max(ends, default=0.0)),
    )


def _printed_tables(board: Board, track: str, anchors: Counter[str]) -> Iterator[Data]:
    """Yield a track's public tables in their own columns, of systems without an entry."""
    without = (OLD, OFFICIAL) if tracks()[track].delexicalised else (OLD,)
    for table in board.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            columns, caption = printed_columns(table, rows), f"{table.heading}: {table.title}"
            yield _table(table.name, caption, columns, [], rows, table, anchors)
