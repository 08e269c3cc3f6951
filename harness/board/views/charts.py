"""The charts of a track: best score by year, and two figures against each other.

They are plain data, which the template draws: where points and names stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from ..columns import BoardTable
from ..model import Board
from ..rows import REFERENCE
from ..systems import system_year
from ..track import tracks
from .board_data import Data, best_published, system_link


def track_charts(board: Board, tables: Sequence[BoardTable]) -> Iterator[Data]:
    """Yield the charts of a track, given its tables: those that there is enough to show for.

    A chart has `kind`, "time" or "scatter"; `x` and `y`, what is shown to the right and upwards;
    and what `scatter` returns.
    """
    if not tables or not tables[0].rows or not tracks()[tables[0].track].submitted:
        return
    table, track = tables[0], tracks()[tables[0].track]
    columns = {column.key: column for column in table.columns}
    dots = [
        _dot(one.name, one.key, kind, float(one.year), one.figure)
        for kind, best in best_published(board).get(table.track, {}).items()
        for one in best
    ]
    years = {int(dot["x"]) for dot in dots}
    if dots:
        # The line goes on to the last year that a ranked system is of.
        of_ranked = (system_year(row.entry.system) for row in table.rows if row.rank)
        years.add(max((year for year in of_ranked if year), default=max(years)))
    if len(years) > 1:
        picture = scatter(dots, range(min(years), max(years) + 1), steps=True)
        yield {"kind": "time", "x": "year", "y": columns[track.ranks].full_title, **picture}
    right, up = columns.get(track.against), columns.get(track.plotted or track.ranks)
    if right is not None and up is not None:
        dots = [
            _dot(row.name, row.key, table.track, x, y)
            for row in table.systems
            if REFERENCE not in row.reasons
            and (x := right.value(row).number) is not None
            and (y := up.value(row).number) is not None
        ]
        if len(dots) > 1:
            yield {"kind": "scatter", "x": right.full_title, "y": up.full_title, **scatter(dots)}


LETTER = 7.1
"""How wide a letter is at most, of the pictures' font size."""

LINE = 13.0
"""How high a name is."""


_PLOT = (48.0, 12.0, 546.0, 336.0)
"""Left, top, right and bottom of a plot, in units that are counted from the top left corner."""


def _dot(name: str, key: str, group: str, x: float, y: float) -> Data:
    """Return a point: a system, what it is drawn as (a style of `site.css`), and its figures."""
    return {"name": name, "link": system_link(key), "group": group, "x": x, "y": y}


# Where the name of a point may stand, the best place first: which end of it, and where that is from
# the point; the last ones are so far away that a line leads there.
_PLACES = (
    ("start", 9, 4), ("end", -9, 4), ("middle", 0, -9), ("middle", 0, 18),
    ("start", 6, -7), ("start", 6, 15), ("end", -6, -7), ("end", -6, 15),
    *((anchor, right, place) for down in range(4, 64, 12)
      for anchor, right in (("start", 22), ("end", -22)) for place in (down, 8 - down)),
)  # fmt: skip
# The same for points at the left ends of steps upwards.
_ABOVE = (("end", -6, -7), ("start", 6, -7), *_PLACES)


def scatter(
    dots: Sequence[Data],
    x_marks: Sequence[float] = (),
    steps: bool = False,
) -> Data:
    """Return a scatter plot: where points and their names stand.

    Each name stands where it covers nothing, near its point if there is room; where there is no
    such place it is not shown at first.

    Args:
        dots: The points, at least one: `name`, `link` and `group`; `x` and `y`, the figures.
        x_marks: What stands below, which encloses all points; round figures if empty.
        steps: Whether the points of each group are connected, level between them and to the right
            end of the plot.

    Returns:
        `plot`; `x_marks` and `y_marks`, figure -> where it stands below and at the left; `points`,
        from the left to the right; and `ways`, group -> the way through its points as SVG says it.
        A point also has `right` and `down`; `name_x` and `name_y`, where the name's base line
        stands, and `anchor`, with which end; and `named`, whether the name is always shown, or
        else on hover and focus.
    """
    left, top, right, bottom = _PLOT
    x_marks = x_marks or nice_marks([dot["x"] for dot in dots])
    y_marks = nice_marks([dot["y"] for dot in dots])

    def place(value: float, marks: Sequence[float], start: float, end: float) -> float:
        return round(start + (value - marks[0]) / (marks[-1] - marks[0]) * (end - start), 1)

    ordered = sorted(dots, key=lambda dot: (dot["x"], dot["y"], dot["name"]))
    points = [
        {
            **dot,
            "right": place(dot["x"], x_marks, left, right),
            "down": place(dot["y"], y_marks, bottom, top),
        }
        for dot in ordered
    ]
    by_group: dict[str, list[Data]] = {}
    for point in points:
        by_group.setdefault(point["group"], []).append(point)
    taken = [_around(point) for point in points]
    # The highest first: where room is short, the best have names.
    for point in sorted(points, key=lambda point: point["down"]):
        point.update(_name(point, taken, _ABOVE if steps else _PLACES))
    return {
        "plot": _PLOT,
        "x_marks": {f"{mark:g}": place(mark, x_marks, left, right) for mark in x_marks},
        "y_marks": {f"{mark:g}": place(mark, y_marks, bottom, top) for mark in y_marks},
        "points": points,
        "ways": {group: _way(of) for group, of in by_group.items() if steps},
    }


def _way(points: Sequence[Data]) -> str:
    first, *others = points
    steps = "".join(f"H{point['right']}V{point['down']}" for point in others)
    return f"M{first['right']} {first['down']}{steps}H{_PLOT[2]}"


_Box: TypeAlias = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def _around(point: Data) -> _Box:
    x, y = point["right"], point["down"]
    return x - 6, y - 6, x + 6, y + 6


def _meet(one: _Box, other: _Box) -> bool:
    """Whether two boxes have an area in common."""
    return all(max(one[i], other[i]) < min(one[i + 2], other[i + 2]) for i in (0, 1))


def _name(point: Data, taken: list[_Box], places: Sequence[tuple[str, int, int]]) -> Data:
    """Return where a point's name stands, and take the place if it covers nothing there."""
    x, y, wide = point["right"], point["down"], LETTER * len(point["name"])
    before = {"start": 0.0, "middle": wide / 2, "end": wide}
    # The point itself is in the way of no name of its own.
    others = [box for box in taken if box != _around(point)]
    # Where nothing is free, the name is shown beside the point in time.
    beside = ("end", -9, 4) if x + wide > _PLOT[2] else ("start", 9, 4)
    named = False
    for anchor, aside, below in (*places, beside):
        left, line = x + aside - before[anchor], y + below
        box = (left, line - LINE + 3, left + wide, line + 3)
        is_within = all(_PLOT[i] <= box[i] and box[i + 2] <= _PLOT[i + 2] for i in (0, 1))
        named = is_within and not any(_meet(box, other) for other in others)
        if named:
            taken.append(box)
            break
    where = {"name_x": round(x + aside, 1), "name_y": round(y + below, 1)}
    return {**where, "anchor": anchor, "named": named}


_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)


def nice_marks(values: Sequence[float], most: int = 8) -> list[float]:
    """Return round figures, equally far apart, that enclose all values.

    Args:
        values: The values, at least one: scores, of 0 to 200.
        most: How many marks there are at most.
    """
    for step in _STEPS:
        first, last = math.floor(min(values) / step), math.ceil(max(values) / step)
        places = range(first, max(last, first + 1) + 1)
        if len(places) <= most:
            break
    return [round(step * place, 1) for place in places]
