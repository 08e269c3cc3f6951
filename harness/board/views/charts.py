"""The charts of a track: its best score by year, two figures against each other, ranks by rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .. import TRACKS
from ..columns import BoardTable
from ..model import Board
from ..progress import best_published
from .page_parts import Dot, Ranks, Scatter, ranks, scatter, system_link


@dataclass(frozen=True)
class Chart:
    """A picture with its heading.

    Attributes:
        kind: "time", "scatter" or "ranks": what it shows, and its style.
        title: Its heading.
        note: How it is read.
        picture: The picture.
        x: What is shown to the right; empty where the marks say it.
        y: What is shown upwards.
        keys: Group -> what it is.
    """

    kind: str
    title: str
    note: str
    picture: Scatter | Ranks
    x: str = ""
    y: str = ""
    keys: tuple[tuple[str, str], ...] = ()


def charts(board: Board, tables: Sequence[BoardTable]) -> list[Chart]:
    """Return the charts of a track, given its tables: those that there is enough to show for."""
    if not tables or not tables[0].rows or not TRACKS[tables[0].track].submitted:
        return []
    return [*_by_year(board, tables[0]), *_scatter(tables[0]), *_ranks(board, tables[0].track)]


def _title(table: BoardTable, key: str) -> str:
    return next((column.full_title for column in table.columns if column.key == key), "")


def _by_year(board: Board, table: BoardTable) -> Iterator[Chart]:
    best = best_published(board).get(table.track, {})
    dots = [
        Dot(one.name, system_link(one.key) if one.key else "", kind, float(one.year), one.figure)
        for kind, found in best.items()
        for one in found
    ]
    years = sorted({int(dot.x) for dot in dots})
    if len(years) > 1:
        title = _title(table, TRACKS[table.track].ranks)
        yield Chart(
            "time",
            f"Best {title} by year",
            "As papers and public tables report it, by whatever script, and as the harness "
            "verifies it from the outputs of ranked systems.",
            scatter(dots, x_marks=range(years[0], years[-1] + 1), steps=True),
            y=title,
            keys=tuple((kind, kind) for kind, found in best.items() if found),
        )


def _scatter(table: BoardTable) -> Iterator[Chart]:
    track = TRACKS[table.track]
    up, right = track.plotted or track.ranks, track.against
    columns = {column.key: column for column in table.columns}
    dots = [
        Dot(row.name, system_link(row.key), table.track, x.number, y.number)
        for row in table.rows
        if row.entry is not None and right in columns
        for x, y in [(columns[right].value(row), columns[up].value(row))]
        if x.number is not None and y.number is not None
    ]
    if len(dots) > 1:
        x, y = _title(table, right), _title(table, up)
        note = "Each name leads to the system's page; where there is no room it shows on hover."
        yield Chart("scatter", f"{y} against {x}", note, scatter(dots), x, y)


def _ranks(board: Board, track: str) -> Iterator[Chart]:
    names = {
        row.key: (row.name, system_link(row.key))
        for row in board.of_track(track)
        if row.rank is not None
    }
    rankings = {
        f"rules {rules}": {
            row.key: row.rank for row in rows if row.key in names and row.rank is not None
        }
        for rules, rows in board.by_rules.items()
    }
    if len(names) > 1 and len(rankings) > 1:
        note = "By the strict combined score; lines of systems whose rank changes are dark."
        yield Chart("ranks", "Ranks under the rule sets", note, ranks(rankings, names))
