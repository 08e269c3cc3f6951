"""What pages are made of: tables and pictures as plain data, which the templates draw."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model import Value

SYSTEMS = "systems"
"""The folder of the systems' pages."""

_MINUS = re.compile(r"(?<!\S)-(?=\d)")


def system_link(key: str) -> str:
    """Return the address of a system's page from the board."""
    return f"{SYSTEMS}/{key}.html"


@dataclass(frozen=True)
class Bar:
    """A figure with its interval, drawn to scale.

    Attributes:
        low: Where the interval begins, in percent of the bar's width.
        high: Where the interval ends.
        value: Where the figure is; None where the end of the bar says it.
    """

    low: float
    high: float
    value: float | None = None


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What stands in it.
        small: What stands behind it in small letters; empty if nothing.
        bar: What is drawn below it.
        mark: A style of `site.css`, such as "good"; empty for none.
    """

    text: str
    small: str = ""
    bar: Bar | None = None
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose rows begin with what they are about.

    Attributes:
        caption: What it shows.
        headers: The titles of its columns.
        rows: Its rows; the first cell of each is the row's title. A single cell is the title of the
            rows below it.
        words: The places, from 0, of columns besides the first that hold words.
    """

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    words: Collection[int] = ()


def plus_minus(value: Value) -> str:
    """Return half the width of a figure's interval, with its digits; empty without one."""
    return "" if value.interval is None else f"±{value.interval.half:.{value.digits}f}"


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return _MINUS.sub("−", text)


LETTER = 6.3
"""How wide a letter is at most, of the pictures' font size."""

LINE = 13.0
"""How high a name is."""


@dataclass(frozen=True)
class Dot:
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


@dataclass(frozen=True)
class Placed:
    """A point with its name, in the picture's units.

    Attributes:
        dot: What it shows.
        x: From the left.
        y: From the top.
        name_x: Where the name stands.
        name_y: The name's base line.
        anchor: Which end of the name stands there, as SVG says it.
        named: Whether the name is always shown; else it would cover another, and shows on hover
            and focus.
    """

    dot: Dot
    x: float
    y: float
    name_x: float
    name_y: float
    anchor: str
    named: bool


@dataclass(frozen=True)
class Box:
    """A rectangle, in the picture's units."""

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


@dataclass(frozen=True)
class Scatter:
    """A scatter plot.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        plot: Where the plot is.
        x_marks: Figure -> where it stands below.
        y_marks: Figure -> where it stands at the left.
        points: The points, from the left to the right.
        steps: Group -> the way through its points as SVG says it: level between them, to the right
            end of the plot; of pass^k from one to the next.
    """

    width: float
    height: float
    plot: Box
    x_marks: Mapping[str, float]
    y_marks: Mapping[str, float]
    points: Sequence[Placed]
    steps: Mapping[str, str]


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
    width: float = 560.0,
    height: float = 380.0,
    x_marks: Sequence[float] = (),
    y_marks: Sequence[float] = (),
    steps: bool = False,
) -> Scatter:
    """Place points and their names.

    Each name stands where it covers nothing, near its point if there is room; where there is no
    such place it is not shown at first.

    Args:
        dots: The points; at least one.
        width: Of the picture.
        height: Of the picture.
        x_marks: What stands below, which encloses all points; round figures if empty.
        y_marks: The same at the left.
        steps: Whether the points of each group are connected.
    """
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
    taken = [_around(right(dot.x), down(dot.y)) for dot in ordered]
    points = []
    for dot in ordered:
        places = _ABOVE if steps else _PLACES
        placed, box = _named(dot, right(dot.x), down(dot.y), taken, plot, places)
        points.append(placed)
        taken += [] if box is None else [box]
    below = {f"{mark:g}": right(mark) for mark in x_marks}
    beside = {f"{mark:g}": down(mark) for mark in y_marks}
    ways = {group: _steps(group, points, plot) for group in dict.fromkeys(d.group for d in ordered)}
    return Scatter(width, height, plot, below, beside, points, ways if steps else {})


def _steps(group: str, points: Iterable[Placed], plot: Box) -> str:
    first, *others = (point for point in points if point.dot.group == group)
    return f"M{first.x} {first.y}" + "".join(f"H{p.x}V{p.y}" for p in others) + f"H{plot.right}"


def _around(x: float, y: float) -> Box:
    return Box(x - 6, y - 6, x + 6, y + 6)


def _named(
    dot: Dot,
    x: float,
    y: float,
    taken: Sequence[Box],
    plot: Box,
    places: Sequence[tuple[str, int, int]],
) -> tuple[Placed, Box | None]:
    """Return a point with its name where that covers nothing, and what the name covers."""
    wide = LETTER * len(dot.name)
    before = {"start": 0.0, "middle": wide / 2, "end": wide}
    # The point itself is in the way of no name of its own.
    others = [box for box in taken if box != _around(x, y)]
    for anchor, across, down in places:
        left, line = x + across - before[anchor], y + down
        box = Box(left, line - LINE + 3, left + wide, line + 3)
        if box.within(plot) and not any(box.meets(other) for other in others):
            return Placed(dot, x, y, round(x + across, 1), round(line, 1), anchor, True), box
    anchor, across = ("end", -9) if x + wide > plot.right else ("start", 9)
    return Placed(dot, x, y, round(x + across, 1), round(y + 4, 1), anchor, False), None


def nice_marks(values: Iterable[float], most: int = 8) -> list[float]:
    """Return round figures, equally far apart, that enclose all values.

    Args:
        values: The values; at least one.
        most: How many marks there are at most.
    """
    known = list(values)
    low, high = min(known), max(known)
    # Figures that do not differ by a thousandth do not differ in a picture.
    span = high - low if high - low > 1e-3 else 1.0
    step = 10.0 ** math.floor(math.log10(span / most))
    for factor in (1, 2, 5, 10, 20, 50):
        first, last = math.floor(low / (step * factor)), math.ceil(high / (step * factor))
        last = max(last, first + 1)
        if last - first + 1 <= most:
            return [round(step * factor * place, 6) for place in range(first, last + 1)]
    return [low, low + span]


@dataclass(frozen=True)
class RankLine:
    """A system's way through several rankings.

    Attributes:
        name: The system's name.
        link: Where the system's page is.
        ranks: Its places, one per ranking.
        levels: The heights of these in a picture, from 0: systems that share a place stand below
            each other.
    """

    name: str
    link: str
    ranks: Sequence[int]
    levels: Sequence[int]


def rank_lines(rankings: Sequence[Mapping[str, int]], names: Mapping[str, str]) -> list[RankLine]:
    """Return the lines that connect each system's ranks, by their places in the first ranking.

    Args:
        rankings: Key of a system -> its place from 1. Systems that are missing from one of the
            rankings are left out.
        names: Key -> name.
    """
    common = set.intersection(*map(set, rankings))
    orders = [sorted(common, key=lambda key: (ranking[key], key)) for ranking in rankings]
    return [
        RankLine(
            names[key],
            system_link(key),
            [ranking[key] for ranking in rankings],
            [order.index(key) for order in orders],
        )
        for key in orders[0]
    ]
