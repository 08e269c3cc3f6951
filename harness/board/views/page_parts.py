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
        link: Where the system's page is.
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
class Tick:
    """A mark at an axis.

    Attributes:
        text: The figure.
        at: Where it is, in the picture's units.
    """

    text: str
    at: float


@dataclass(frozen=True)
class Scatter:
    """A scatter plot.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        left: Where the plot begins.
        right: Where it ends.
        top: Where it begins.
        bottom: Where it ends.
        x_ticks: Marks below.
        y_ticks: Marks at the left.
        points: The points, from the left to the right.
    """

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    points: Sequence[Placed]


@dataclass(frozen=True)
class _Box:
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: _Box) -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )

    def within(self, other: _Box) -> bool:
        return (
            self.left >= other.left
            and self.right <= other.right
            and self.top >= other.top
            and self.bottom <= other.bottom
        )


def scatter(dots: Sequence[Dot], width: float = 760.0, height: float = 470.0) -> Scatter:
    """Place points and their names.

    Each name stands beside, above or below its point where it covers nothing; where there is no
    such place it is not shown at first.

    Args:
        dots: The points; at least one.
        width: Of the picture.
        height: Of the picture.
    """
    plot = _Box(48.0, 12.0, width - 14.0, height - 44.0)
    x_marks = nice_marks([dot.x for dot in dots])
    y_marks = nice_marks([dot.y for dot in dots])

    def right(value: float) -> float:
        share = (value - x_marks[0]) / (x_marks[-1] - x_marks[0])
        return _rounded(plot.left + share * (plot.right - plot.left))

    def down(value: float) -> float:
        share = (value - y_marks[0]) / (y_marks[-1] - y_marks[0])
        return _rounded(plot.bottom - share * (plot.bottom - plot.top))

    ordered = sorted(dots, key=lambda dot: (dot.x, dot.y, dot.name))
    places = [(right(dot.x), down(dot.y)) for dot in ordered]
    taken = [_Box(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    points = []
    for dot, (x, y) in zip(ordered, places, strict=True):
        placed, box = _named(dot, x, y, taken, plot)
        points.append(placed)
        if box is not None:
            taken.append(box)
    return Scatter(
        width, height, plot.left, plot.right, plot.top, plot.bottom,
        [Tick(f"{mark:g}", right(mark)) for mark in x_marks],
        [Tick(f"{mark:g}", down(mark)) for mark in y_marks],
        points,
    )  # fmt: skip


def _named(
    dot: Dot, x: float, y: float, taken: Sequence[_Box], plot: _Box
) -> tuple[Placed, _Box | None]:
    """Return a point with its name where that covers nothing, and what the name covers."""
    wide = LETTER * len(dot.name)
    # The point itself is in the way of no name of its own.
    own = _Box(x - 6, y - 6, x + 6, y + 6)
    others = [box for box in taken if box != own]
    for anchor, name_x, name_y, left in (
        ("start", x + 9, y + 4, x + 9),
        ("end", x - 9, y + 4, x - 9 - wide),
        ("middle", x, y - 9, x - wide / 2),
        ("middle", x, y + 18, x - wide / 2),
        ("start", x + 6, y - 7, x + 6),
        ("start", x + 6, y + 15, x + 6),
        ("end", x - 6, y - 7, x - 6 - wide),
        ("end", x - 6, y + 15, x - 6 - wide),
    ):
        box = _Box(left, name_y - LINE + 3, left + wide, name_y + 3)
        if box.within(plot) and not any(box.meets(other) for other in others):
            return Placed(dot, x, y, _rounded(name_x), _rounded(name_y), anchor, True), box
    side = "end" if x + wide > plot.right else "start"
    beside = x + (-9 if side == "end" else 9)
    return Placed(dot, x, y, _rounded(beside), _rounded(y + 4), side, False), None


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
class Line:
    """A system's way through several rankings, in the picture's units.

    Attributes:
        name: The system's name.
        link: Where the system's page is.
        ranks: Its places, one per ranking.
        points: x and y of each place.
        moves: Whether its places differ.
    """

    name: str
    link: str
    ranks: Sequence[int]
    points: Sequence[tuple[float, float]]
    moves: bool

    @property
    def path(self) -> str:
        """The line, as SVG says it."""
        return " ".join(f"{x:g},{y:g}" for x, y in self.points)


@dataclass(frozen=True)
class Ranks:
    """A picture of ranks under several rankings.

    Attributes:
        width: Of the picture.
        height: Of the picture.
        titles: What each ranking is called, and where it stands.
        lines: A line for each system, by their places in the first ranking.
    """

    width: float
    height: float
    titles: Sequence[Tick]
    lines: Sequence[Line]


def ranks(
    rankings: Mapping[str, Mapping[str, int]],
    names: Mapping[str, tuple[str, str]],
    width: float = 520.0,
) -> Ranks:
    """Place the lines that connect each system's ranks.

    Args:
        rankings: Title -> key of a system -> its place from 1. Systems that are missing from one
            of the rankings are left out.
        names: Key -> name and link.
        width: Of the picture.
    """
    titles = list(rankings)
    common = set.intersection(*(set(ranking) for ranking in rankings.values()))
    margin, top, line = 150.0, 42.0, 22.0
    step = (width - 2 * margin) / max(len(titles) - 1, 1)
    across = [_rounded(margin + place * step) for place in range(len(titles))]
    lines = []
    for key in sorted(common, key=lambda key: (rankings[titles[0]][key], key)):
        places = [rankings[title][key] for title in titles]
        # Systems that share a place stand below each other.
        equal = [
            sum(rankings[title][other] == place and other < key for other in common)
            for title, place in zip(titles, places, strict=True)
        ]
        down = [_rounded(top + (a - 1 + b) * line) for a, b in zip(places, equal, strict=True)]
        points = list(zip(across, down, strict=True))
        lines.append(Line(*names[key], places, points, len(set(places)) > 1))
    deepest = max((y for one in lines for _, y in one.points), default=top)
    return Ranks(
        width, deepest + 16.0, [Tick(t, x) for t, x in zip(titles, across, strict=True)], lines
    )


def _rounded(value: float) -> float:
    return round(value, 1)
