"""The page of the board: a section for each track, with its tables and charts, as plain data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any, NamedTuple

from ..columns import FIRST, BoardTable, Column, board_tables, printed_columns
from ..model import Board
from ..pairs import RANKING
from ..reported import METRICS, OFFICIAL, OLD, ReportedRow, ReportedTable
from ..rows import AGAIN, NOTHING, REFERENCE, Row, Value
from ..systems import paper_year, system_year
from ..track import tracks
from .board_data import Data, system_link
from .charts import track_charts

# Column that is called otherwise than its metric -> the metric.
_METRICS = {"length": "mean_length", "cbe": "conditional_entropy"}

_MINUS = re.compile(r"(?<!\S)-(?=\d)")


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return _MINUS.sub("−", text)


class Cell(NamedTuple):
    """A cell of a table.

    Attributes:
        text: What stands in it.
        small: What stands behind it in small letters; empty if nothing.
        mark: A style of `site.css`, such as "good"; empty for none.
        bar: What is drawn below it, in percent of the width: where the figure's interval begins
            and ends, and the figure, or None where the end of the bar says it.
    """

    text: str
    small: str = ""
    mark: str = ""
    bar: tuple[float, float, float | None] | None = None

    @classmethod
    def of(cls, value: Value, title: str = "") -> Cell:
        """Return a value with half the width of its interval.

        The unit stands behind the figure unless the title of the column says it.
        """
        text = value.text.removesuffix(value.unit if title.endswith(value.unit) else "")
        interval = value.interval
        small = "" if interval is None else f"±{interval.half:.{value.digits}f}"
        return cls(with_minus(text), small, value.mark)


def sections(board: Board) -> list[Data]:
    """Return the tracks that have rows, but that of references where others show its rows.

    A section has `key`, its track; `title`; `note`, what all of its systems have in common;
    `tables`, `charts`, and `rows`, those of all its tables.

    A table has `key`, what scripts call it; `caption`; `ranked`, whether its first column is the
    rank; `columns`, those besides rank and name; `rows`, the systems that are scored; `reported`,
    those of public tables without an entry; `source`, the table that prints these; and `notes`, the
    address of a row with a note -> the note's number, from 1.

    A row has

    - `of`, the row of the board or of the public table, whose name and addresses are shown;
    - `anchor`, its permanent address on the board, and `link`, that of its page, if it has one;
    - `kind`: "scored" of systems with outputs, "unavailable" of those whose outputs nobody can
      get, "reported" of those that only public tables have, "reference" of what is none;
    - `rank`, its place, `range`, its rank range, and `begins`, whether the rank ranges from this
      row on do not overlap the ones above;
    - `year`, when it was published, if that is known;
    - `flags`, how many are raised, where its table shows them;
    - `note`, what is to be said of it, or nothing; and `cells`, those after rank and name.
    """
    anchors: Counter[str] = Counter()
    made: list[Data] = []
    for key, track in tracks().items():
        kinds = {row["kind"] for section in made for row in section["rows"]}
        if key == REFERENCE and REFERENCE in kinds:
            continue
        of_track = [table for table in board_tables(board) if table.track == key]
        tables = [_scored_table(board, table, anchors) for table in of_track]
        tables += _printed_tables(board, key, anchors)
        tables = [table for table in tables if table["rows"] or table["reported"]]
        if tables:
            made.append(
                {
                    "key": key,
                    "title": track.title,
                    "note": track.about,
                    "tables": tables,
                    "rows": [row for one in tables for row in (*one["rows"], *one["reported"])],
                    "charts": list(track_charts(board, of_track)),
                }
            )
    return made


def _anchor(base: str, given: Counter[str]) -> str:
    """Return an address for a row, and remember it; no two rows have the same."""
    given[base] += 1
    return base if given[base] == 1 else _anchor(f"{base}-{given[base]}", given)


def _table(
    key: str,
    caption: str,
    columns: Sequence[Column[Any]],
    rows: Sequence[Data],
    reported: Sequence[Data] = (),
    source: ReportedTable | None = None,
    ranked: bool = False,
) -> Data:
    noted = [row["anchor"] for row in (*rows, *reported) if row["note"]]
    return {
        "key": key,
        "caption": caption,
        "ranked": ranked,
        "columns": columns,
        "rows": rows,
        "reported": reported,
        "source": source if reported else None,
        "notes": dict(zip(noted, count(1), strict=False)),
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
    titles = {metric: title for title, metric in METRICS.items()}
    printed = [titles.get(_METRICS.get(column.key, column.key), "") for column in columns]
    reported = [
        _reported_row(row, [row.figures.get(name, NOTHING) for name in printed], anchors)
        for one in official
        for row in one.rows
        if not row.entry
    ]
    begin = {group[0].key for group in board.rank_groups(table.track)[1:]}
    scale = _scale(rows, columns)
    lines = [
        {
            **_scored_row(row, columns, scale, anchors),
            "range": board.rank_range(row),
            "begins": row.key in begin,
        }
        for row in table.lines
    ]
    source = next(iter(official), None)
    return _table(table.key, table.title, columns, lines, reported, source, track.submitted)


def _scale(rows: Sequence[Row], columns: Sequence[Column[Any]]) -> tuple[float, float]:
    """Return the least and the greatest end of the intervals of what ranks; 0, 0 without any."""
    values = [column.value(row) for column in columns if column.key == RANKING for row in rows]
    intervals = [value.interval for value in values if value.interval is not None]
    low = min((one.low for one in intervals), default=0.0)
    return low, max((one.high for one in intervals), default=0.0)


def _scored_row(
    row: Row, columns: Sequence[Column[Any]], scale: tuple[float, float], anchors: Counter[str]
) -> Data:
    entry = row.entry
    kind = "scored" if entry.verifiable else "unavailable"
    # The check of the round trip has a table of its own in the Markdown page alone.
    notes = [*row.notes(), *([AGAIN] if row.unranked == AGAIN else [])]
    if row.unranked == REFERENCE:
        kind = REFERENCE
    # Flags of what is no system say nothing.
    has_flags = not (kind == REFERENCE or row.is_human) and any(c.key == "flags" for c in columns)
    cells = []
    for column in columns:
        value = Value() if column.key == "flags" and not has_flags else column.value(row)
        cell = Cell.of(value, column.title)
        cells.append(cell._replace(bar=_bar(value, *scale)) if column.key == RANKING else cell)
    return {
        "of": row,
        "anchor": _anchor(row.anchor, anchors),
        "link": system_link(row.key),
        "kind": kind,
        "rank": row.place,
        "year": system_year(entry.system),
        "flags": len(row.unreviewed) if has_flags else 0,
        "note": "; ".join(notes),
        "cells": cells,
    }


def _bar(value: Value, low: float, high: float) -> tuple[float, float, float] | None:
    """Return a figure's interval to scale; None without one, or where the scale has no width."""
    one = value.interval
    if one is None or high <= low:
        return None
    start, end, at = (100 * (x - low) / (high - low) for x in (one.low, one.high, one.value))
    return round(start, 1), round(end, 1), round(at, 1)


def _reported_row(row: ReportedRow, texts: Sequence[str], anchors: Counter[str]) -> Data:
    base = re.sub(r"[^a-z0-9]+", "-", row.system.lower()).strip("-") or "system"
    return {
        "of": row,
        "anchor": _anchor(f"reported-{base}", anchors),
        "link": "",
        "kind": "reported",
        "rank": NOTHING,
        "range": "",
        "begins": False,
        "flags": 0,
        "year": paper_year(row.paper),
        "note": row.note or "",
        "cells": list(map(Cell, texts)),
    }


def _printed_tables(board: Board, track: str, anchors: Counter[str]) -> Iterator[Data]:
    """Yield a track's public tables in their own columns, of systems without an entry."""
    without = (OLD, OFFICIAL) if tracks()[track].delexicalised else (OLD,)
    for table in board.tables:
        rows = [row for row in table.rows if row.entry is None]
        if table.track == track and table.kind not in without and rows:
            columns = printed_columns(table, rows)
            texts = [[column.value(row).text for column in columns] for row in rows]
            lines = [_reported_row(*one, anchors) for one in zip(rows, texts, strict=True)]
            caption = f"{table.heading}: {table.title}"
            yield _table(table.name, caption, columns, [], lines, table)
