"""The charts of a track: best score by year, and two figures against each other.

They are plain data, which the template draws: where points stand, and which have their names shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from ..columns import BoardTable
from ..model import Board
from ..rows import REFERENCE
from ..systems import system_year
from ..track import tracks
from .board_data import Data, best_published, system_link

LINE = 13.0
"""Height of a name."""

NAMES = 5
"""How many names are shown at most; those of other points are shown on hover and focus."""

_PLOT = (48.0, 12.0, 546.0, 336.0)
"""Left, top, right and bottom of a plot, in units that are counted from the top left corner."""


def track_charts(board: Board, tables: Sequence[BoardTable]) -> Iterator[Data]:
    """Yield the charts of a track, given its tables: those that there is enough to show for.

    A chart has `kind`, "time" or "scatter"; `x` and `y`, what is shown to the right and upwards;
    and what `scatter` returns.
    """
    if not tables or not tables[0].rows or not tracks()[tables[0].track].ranks:
        return
    table, track = tables[0], tracks()[tables[0].track]
    columns = table.by_key
    dots = []
    for kind, best in best_published(board).get(table.track, {}).items():
        for published in best:
            x, y = float(published.year), published.figure
            dots.append(_dot(published.name, published.key, kind, x, y))
    years = [int(dot["x"]) for dot in dots]
    if dots:
        # The line goes on to the last year that a ranked system is of.
        years += [system_year(row.entry.system) or 0 for row in table.rows if row.rank]
    first, last = min(filter(None, years), default=0), max(years, default=0)
    if first < last:
        picture = scatter(dots, range(first, last + 1), steps=True)
        yield {"kind": "time", "x": "year", "y": columns[track.ranks].full_title, **picture}
    right, up = columns.get(track.against), columns.get(track.plotted or track.ranks)
    if right is None or up is None:
        return
    dots = []
    for row in table.systems:
        across, height = right.value(row).number, up.value(row).number
        if REFERENCE not in row.reasons and across is not None and height is not None:
            dots.append(_dot(row.name, row.key, table.track, across, height))
    if len(dots) > 1:
        yield {"kind": "scatter", "x": right.full_title, "y": up.full_title, **scatter(dots)}


def _dot(name: str, key: str, group: str, x: float, y: float) -> Data:
    """Return a point: a system, what it is drawn as (a style of `site.css`), and its figures."""
    return {"name": name, "link": system_link(key), "group": group, "x": x, "y": y}


def scatter(dots: Sequence[Data], x_marks: Sequence[float] = (), steps: bool = False) -> Data:
    """Return a scatter plot: where points stand, and which have their names shown.

    Args:
        dots: The points, at least one: `name`, `link` and `group`; `x` and `y`, the figures.
        x_marks: What stands below, which encloses all points; round figures if empty.
        steps: Whether the points of each group are connected, level between them and to the right
            end of the plot.

    Returns:
        `plot`; `x_marks` and `y_marks`, figure -> where it stands below and at the left; `points`,
        from the left to the right; and `ways`, group -> the way through its points as SVG says it.
        A point also has `right` and `down`, its place; `anchor`, with which end its name stands
        there; and `named`, whether the name is always shown.
    """
    left, top, right, bottom = _PLOT
    x_marks = x_marks or nice_marks([dot["x"] for dot in dots])
    y_marks = nice_marks([dot["y"] for dot in dots])
    points = []
    for dot in sorted(dots, key=lambda dot: (dot["x"], dot["y"], dot["name"])):
        across = _place(dot["x"], x_marks, left, right)
        down = _place(dot["y"], y_marks, bottom, top)
        # Names of points in the right half stand to the left, so that they end within the plot.
        anchor = "end" if across > (left + right) / 2 else "start"
        points.append({**dot, "right": across, "down": down, "anchor": anchor, "named": False})
    # The best have names, unless two of them are as high: then the names would cover each other.
    shown: list[float] = []
    for point in sorted(points, key=lambda point: point["down"]):
        if len(shown) < NAMES and (not shown or point["down"] - shown[-1] >= LINE):
            point["named"] = True
            shown.append(point["down"])
    ways: dict[str, str] = {}
    if steps:
        for point in points:
            group, across, down = point["group"], point["right"], point["down"]
            step = f"H{across}V{down}" if group in ways else f"M{across} {down}"
            ways[group] = ways.get(group, "") + step
    return {
        "plot": _PLOT,
        "x_marks": {f"{mark:g}": _place(mark, x_marks, left, right) for mark in x_marks},
        "y_marks": {f"{mark:g}": _place(mark, y_marks, bottom, top) for mark in y_marks},
        "points": points,
        "ways": {group: f"{way}H{right}" for group, way in ways.items()},
    }


def _place(value: float, marks: Sequence[float], start: float, end: float) -> float:
    """Return where a value stands between the places of the first and the last mark."""
    return round(start + (value - marks[0]) / (marks[-1] - marks[0]) * (end - start), 1)


_MARKS = 8
"""How many marks an axis has at most."""

_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def nice_marks(values: Sequence[float]) -> list[float]:
    """Return round figures, equally far apart, that enclose all values.

    Args:
        values: The values, at least one: scores, of 0 to 200.
    """
    for step in _STEPS:
        first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
        places = range(first, max(last, first + 1) + 1)
        if len(places) <= _MARKS:
            break
    return [round(step * place, 1) for place in places]
