"""The charts of a track: best score by year, two figures against each other, ranks, pass^k by k."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from .. import TRACKS
from ..columns import BoardTable
from ..entries import system_year
from ..model import REFERENCE, Board
from ..progress import best_published
from .page_parts import LETTER, Dot, RankLine, Scatter, rank_lines, scatter, system_link


@dataclass(frozen=True)
class Chart:
    """A picture.

    Attributes:
        kind: "time", "scatter" or "ranks": what it shows, and its style.
        picture: The picture, or its lines.
        x: What is shown to the right: a figure, k, or the rankings of "ranks".
        y: What is shown upwards.
    """

    kind: str
    picture: Scatter | Sequence[RankLine]
    x: str | Sequence[str] = "year"
    y: str = ""


def charts(board: Board, tables: Sequence[BoardTable]) -> Iterator[Chart]:
    """Yield the charts of a track, given its tables: those that there is enough to show for."""
    if not tables or not tables[0].rows or not TRACKS[tables[0].track].submitted:
        return
    table, track = tables[0], TRACKS[tables[0].track]
    columns = {column.key: column for column in table.columns}
    dots = [
        Dot(one.name, system_link(one.key) if one.key else "", kind, float(one.year), one.figure)
        for kind, found in best_published(board).get(table.track, {}).items()
        for one in found
    ]
    published = (system_year(row.entry.system) for row in table.rows if row.entry and row.rank)
    # The line goes on to the last year that a ranked system is of.
    last = max(filter(None, published), default=0)
    years = sorted({int(dot.x) for dot in dots} | ({last} if dots and last else set()))
    if len(years) > 1:
        marks = range(years[0], years[-1] + 1)
        title = columns[track.ranks].full_title
        yield Chart("time", scatter(dots, x_marks=marks, steps=True), y=title)
    right, up = columns.get(track.against), columns.get(track.plotted or track.ranks)
    if right is not None and up is not None:
        dots = [
            Dot(row.name, system_link(row.key), table.track, x, y)
            for row in table.rows
            if row.entry is not None
            and row.unranked != REFERENCE
            and (x := right.value(row).number) is not None
            and (y := up.value(row).number) is not None
        ]
        if len(dots) > 1:
            yield Chart("scatter", scatter(dots), right.full_title, up.full_title)
    yield from _passes(table)
    rankings = {
        rules: {row.key: row.rank for row in rows if row.track == table.track and row.rank}
        for rules, rows in board.by_rules.items()
    }
    lines = rank_lines(list(rankings.values()), {row.key: row.name for row in board.rows})
    if len(lines) > 1 and len(rankings) > 1:
        yield Chart("ranks", lines, list(rankings))


def _passes(table: BoardTable) -> Iterator[Chart]:
    """Yield pass^k of the agents of a table by k, a line each, if some agent has several trials."""
    rows = {f"of-{row.key}": row for row in table.rows}
    # A line has its name once, where it ends.
    dots = [
        Dot(row.name * (k == row.live.trials), system_link(row.key), group, float(k), one.value)
        for group, row in rows.items()
        if row.live is not None
        for k, one in enumerate(row.live.passes, start=1)
    ]
    most = max((int(dot.x) for dot in dots), default=1)
    if most > 1:
        picture = scatter(dots, x_marks=range(1, most + 1), y_marks=range(0, 101, 20))
        ways: dict[str, list[str]] = {}
        points = []
        for point in picture.points:
            ways.setdefault(point.dot.group, []).append(f"{point.x} {point.y}")
            dot = replace(point.dot, name=rows[point.dot.group].name)
            # Whose place was found for no name has the whole one beside it.
            late = point.x + 9 + LETTER * len(dot.name) > picture.plot.right
            anchor, across = ("end", -9) if late else ("start", 9)
            beside = replace(point, name_x=point.x + across, anchor=anchor, named=False)
            points.append(replace(point if point.dot.name else beside, dot=dot))
        lines = {group: f"M{'L'.join(way)}" for group, way in ways.items()}
        yield Chart("scatter", replace(picture, points=points, steps=lines), "k", "pass^k")
