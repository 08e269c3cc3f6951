"""The charts of a track: best score by year, two figures against each other, ranks, pass^k by k.

They are plain data, which the templates draw: where points, names and lines stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ..columns import BoardTable
from ..model import Board
from ..rows import REFERENCE
from ..systems import system_year
from ..track import tracks
from .board_data import Data, best_published, system_link


def track_charts(board: Board, tables: Sequence[BoardTable]) -> Iterator[Data]:
    """Yield the charts of a track, given its tables: those that there is enough to show for.

    A chart has `kind`, "time", "scatter" or "ranks"; `x` and `y`, what is shown to the right and
    upwards; and what `scatter` returns. One of ranks has `rankings`, and `lines` of `rank_lines`.
    """
    if not tables or not tables[0].rows or not tracks()[tables[0].track].submitted:
        return
    table, track = tables[0], tracks()[tables[0].track]
    columns = {column.key: column for column in table.columns}
    dots = [
        Dot(one.name, system_link(one.key), kind, float(one.year), one.figure)
        for kind, best in best_published(board).get(table.track, {}).items()
        for one in best
    ]
    years = {int(dot.x) for dot in dots}
    if dots:
        # The line goes on to the last year that a ranked system is of.
        of_ranked = (system_year(row.entry.system) for row in table.rows if row.rank)
        years.add(max((year for year in of_ranked if year), default=max(years)))
    if len(years) > 1:
        picture = scatter(dots, range(min(years), max(years) + 1), lines="steps")
        yield {"kind": "time", "x": "year", "y": columns[track.ranks].full_title, **picture}
    right, up = columns.get(track.against), columns.get(track.plotted or track.ranks)
    if right is not None and up is not None:
        dots = [
            Dot(row.name, system_link(row.key), table.track, x, y)
            for row in table.rows
            if row.key
            and row.unranked != REFERENCE
            and (x := right.value(row).number) is not None
            and (y := up.value(row).number) is not None
        ]
        if len(dots) > 1:
            yield {"kind": "scatter", "x": right.full_title, "y": up.full_title, **scatter(dots)}
    # pass^k of agents by k, if some agent has several trials.
    dots = [
        Dot(row.name, system_link(row.key), f"of-{row.key}", float(k), figure)
        for row in table.rows
        for k, figure in enumerate(row.curve, start=1)
    ]
    most = max((int(dot.x) for dot in dots), default=1)
    if most > 1:
        picture = scatter(dots, range(1, most + 1), range(0, 101, 20), lines="straight")
        yield {"kind": "scatter", "x": "k", "y": "pass^k", **picture}
    rankings = {
        rules: {row.key: row.rank for row in rows if row.track == table.track and row.rank}
        for rules, rows in board.by_rules.items()
    }
    lines = rank_lines(list(rankings.values()), {row.key: row.name for row in board.rows})
    if len(lines) > 1 and len(rankings) > 1:
        about = {"kind": "ranks", "x": "", "y": ""}
        yield {**about, "rankings": list(rankings), "lines": lines}


LETTER = 6.3
"""How wide a letter is at most, of the pictures' font size."""

LINE = 13.0
"""How high a name is."""


class Dot(NamedTuple):
    """What a scatter plot shows of a system.

    Attributes:
        name: The system's name.
        link: Where the system's page is; empty if it has none.
        group: What it is drawn as, a style of `site.css`.
        x: The figure to the right.
        y: The figure upwards.
    """

    name: str
    link: str
    group: str
    x: float
    y: float


class Box(NamedTuple):
    """A rectangle, in the picture's units, which are counted from its top left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two have an area in common."""
        across = max(self.left, other.left) < min(self.right, other.right)
        return across and max(self.top, other.top) < min(self.bottom, other.bottom)

    def within(self, other: Box) -> bool:
        """Whether it is a part of another one."""
        across = other.left <= self.left and self.right <= other.right
        return across and other.top <= self.top and self.bottom <= other.bottom


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
    dots: Sequence[Dot],
    x_marks: Sequence[float] = (),
    y_marks: Sequence[float] = (),
    lines: Literal["", "steps", "straight"] = "",
) -> Data:
    """Return a scatter plot: where points and their names stand.

    Each name stands where it covers nothing, near its point if there is room; where there is no
    such place it is not shown at first.

    Args:
        dots: The points; at least one.
        x_marks: What stands below, which encloses all points; round figures if empty.
        y_marks: The same at the left.
        lines: How the points of each group are connected: level between them and to the right end
            of the plot, or straight; then a group has its name once, where its line ends.

    Returns:
        `width` and `height`; `plot`, a `Box`; `x_marks` and `y_marks`, figure -> where it stands
        below and at the left; `points`, from the left to the right; and `ways`, group -> the way
        through its points as SVG says it. A point has `dot`; `x` and `y`; `name_x` and `name_y`,
        where the name's base line stands, and `anchor`, with which end; and `named`, whether the
        name is always shown, or else on hover and focus.
    """
    width, height = 560.0, 380.0
    plot = Box(48.0, 12.0, width - 14.0, height - 44.0)
    x_marks = x_marks or nice_marks([dot.x for dot in dots])
    y_marks = y_marks or nice_marks([dot.y for dot in dots])

    def right(value: float) -> float:
        share = (value - x_marks[0]) / (x_marks[-1] - x_marks[0])
        return round(plot.left + share * (plot.right - plot.left), 1)

    def down(value: float) -> float:
        share = (value - y_marks[0]) / (y_marks[-1] - y_marks[0])
        return round(plot.bottom - share * (plot.bottom - plot.top), 1)

    ordered = sorted(dots, key=lambda dot: (dot.x, dot.y, dot.name))
    ends = {dot.group: dot for dot in ordered}
    taken = [_around(right(dot.x), down(dot.y)) for dot in ordered]
    points: list[Data] = []
    for dot in ordered:
        places = _ABOVE if lines == "steps" else _PLACES
        if lines == "straight" and dot is not ends[dot.group]:
            places = ()
        point, box = _named(dot, right(dot.x), down(dot.y), taken, plot, places)
        points.append(point)
        taken += [] if box is None else [box]
    by_group = {group: [one for one in points if one["dot"].group == group] for group in ends}
    return {
        "width": width,
        "height": height,
        "plot": plot,
        "x_marks": {f"{mark:g}": right(mark) for mark in x_marks},
        "y_marks": {f"{mark:g}": down(mark) for mark in y_marks},
        "points": points,
        "ways": {group: _way(of, plot, lines) for group, of in by_group.items() if lines},
    }


def _way(points: Sequence[Data], plot: Box, lines: str) -> str:
    if lines == "straight":
        return "M" + "L".join(f"{point['x']} {point['y']}" for point in points)
    first, *others = points
    steps = "".join(f"H{point['x']}V{point['y']}" for point in others)
    return f"M{first['x']} {first['y']}{steps}H{plot.right}"


def _around(x: float, y: float) -> Box:
    return Box(x - 6, y - 6, x + 6, y + 6)


def _named(
    dot: Dot,
    x: float,
    y: float,
    taken: Sequence[Box],
    plot: Box,
    places: Sequence[tuple[str, int, int]],
) -> tuple[Data, Box | None]:
    """Return a point with its name where that covers nothing, and what the name covers."""
    wide = LETTER * len(dot.name)
    before = {"start": 0.0, "middle": wide / 2, "end": wide}
    # The point itself is in the way of no name of its own.
    others = [box for box in taken if box != _around(x, y)]
    # Where there is no such place, the name is shown beside the point in time.
    box, anchor, across, down = None, *(("end", -9) if x + wide > plot.right else ("start", 9)), 4
    for end, aside, below in places:
        left, line = x + aside - before[end], y + below
        room = Box(left, line - LINE + 3, left + wide, line + 3)
        if room.within(plot) and not any(room.meets(other) for other in others):
            box, anchor, across, down = room, end, aside, below
            break
    name = {"name_x": round(x + across, 1), "name_y": round(y + down, 1), "anchor": anchor}
    return {"dot": dot, "x": x, "y": y, **name, "named": box is not None}, box


def nice_marks(values: Sequence[float], most: int = 8) -> list[float]:
    """Return round figures, equally far apart, that enclose all values.

    Args:
        values: The values; at least one.
        most: How many marks there are at most.
    """
    low, high = min(values), max(values)
    # Figures that do not differ by a thousandth do not differ in a picture.
    span = high - low if high - low > 1e-3 else 1.0
    step = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10, 20, 50):
        first, last = math.floor(low / (step * factor)), math.ceil(high / (step * factor))
        last = max(last, first + 1)
        if last - first + 1 <= most:
            return [round(step * factor * place, 6) for place in range(first, last + 1)]
    return [low, low + span]


def rank_lines(rankings: Sequence[Mapping[str, int]], names: Mapping[str, str]) -> list[Data]:
    """Return the lines that connect each system's ranks, by their places in the first ranking.

    A line has `name`, `link`, `ranks`, the places in each ranking, and `levels`, the heights of
    these in a picture, from 0: systems that share a place stand below each other.

    Args:
        rankings: Key of a system -> its place from 1. Systems that are missing from one of the
            rankings are left out.
        names: Key -> name.
    """
    common = set.intersection(*map(set, rankings))
    orders = [sorted(common, key=lambda key: (ranking[key], key)) for ranking in rankings]
    return [
        {
            "name": names[key],
            "link": system_link(key),
            "ranks": [ranking[key] for ranking in rankings],
            "levels": [order.index(key) for order in orders],
        }
        for key in orders[0]
    ]
