"""The charts of a track: best score by year, two figures against each other, ranks, pass^k by k.

They are plain data, which the templates draw: where points, names and lines stand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from ..columns import BoardTable
from ..model import Board
from ..reported import number, printed_figures
from ..rows import REFERENCE
from ..systems import paper_year, system_year
from ..tracks import submitted_tracks, tracks
from .page_parts import system_link


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
    if not tables or not tables[0].rows or not tracks()[tables[0].track].submitted:
        return
    table, track = tables[0], tracks()[tables[0].track]
    columns = {column.key: column for column in table.columns}
    dots = [
        Dot(one.name, system_link(one.key) if one.key else "", kind, float(one.year), one.figure)
        for kind, found in best_published(board).get(table.track, {}).items()
        for one in found
    ]
    published = (system_year(row.entry.system) for row in table.rows if row.rank)
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
            if row.key
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
        Dot(row.name * (k == len(row.curve)), system_link(row.key), group, float(k), figure)
        for group, row in rows.items()
        for k, figure in enumerate(row.curve, start=1)
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


# ------------------------------------------------------------ best figures by year


@dataclass(frozen=True)
class Published:
    """A figure that a system is published with.

    Attributes:
        year: The year of its publication.
        name: The system.
        figure: What ranks in its track: the combined score, joint goal accuracy, ….
        scored_here: Whether the harness gives it; else a paper or a public table prints it.
        key: The key of its entry; empty if it has none.
    """

    year: int
    name: str
    figure: float
    scored_here: bool
    key: str = ""


def published(board: Board, track: str) -> list[Published]:
    """Return the figures of a track's systems, by year; systems of no known year are left out.

    Scored here are those of ranked rows. Reported ones are as printed, whatever script made them;
    joint accuracies those on the version of the gold states that the benchmark has. What is printed
    of entries without a rank is left out.
    """
    rows = [row for row in board.of_track(track) if row.rank is not None]
    systems = {row.key: row.entry.system for row in rows}
    printed_as = next((row.printed_as for row in rows), "")
    found: list[tuple[str, str, float | Decimal | None, bool]]
    found = [(row.key, row.name, row.ranking_key[0], True) for row in rows]
    for key, system in systems.items() if tracks()[track].by_rules else ():
        found += [(key, system.name, _combined(one.figures), False) for one in system.reported]
    years = {key: system_year(system) for key, system in systems.items()}
    for table, line in ((t, line) for t in board.tables if t.track == track for line in t.rows):
        key = line.entry or f"{line.system} {line.paper}"
        if line.entry is None:
            years[key] = paper_year(line.paper)
        claims = [_combined(claim.figures) for claim in printed_figures(table, line)]
        if tracks()[track].takes_gold:
            claims = [number(line.figures.get(printed_as, ""))]
        found += [(key, line.system, claim, False) for claim in claims]
    shown = []
    for key, name, figure, here in found:
        if figure is not None and (year := years.get(key)) is not None:
            own = key if key in systems else ""
            shown.append(Published(year, name, float(figure), here, own))
    return sorted(shown, key=lambda one: (one.year, -one.figure, one.name))


def _combined(figures: Mapping[str, Decimal]) -> Decimal | None:
    """Return a combined score that is printed, or follows from what is printed."""
    if "combined" in figures or not figures.keys() >= {"bleu", "inform", "success"}:
        return figures.get("combined")
    return figures["bleu"] + (figures["inform"] + figures["success"]) / 2


def best_by_year(found: Iterable[Published]) -> list[Published]:
    """Return those that were the best when they were published, at most one a year.

    Args:
        found: Figures of one kind, by year, each year's best first.
    """
    best: list[Published] = []
    for one in found:
        if not best or one.figure > best[-1].figure:
            best.append(one)
    return best


def best_published(board: Board) -> dict[str, dict[str, list[Published]]]:
    """Return track -> "scored_here" and "reported" -> the best by year, of tracks with any."""
    return {
        track: {
            kind: best_by_year(one for one in figures if one.scored_here == here)
            for kind, here in (("scored_here", True), ("reported", False))
        }
        for track in submitted_tracks()
        if (figures := published(board, track))
    }


# ---------------------------------------------------------------------- geometry


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
    x_marks: Sequence[float] = (),
    y_marks: Sequence[float] = (),
    steps: bool = False,
) -> Scatter:
    """Place points and their names.

    Each name stands where it covers nothing, near its point if there is room; where there is no
    such place it is not shown at first.

    Args:
        dots: The points; at least one.
        x_marks: What stands below, which encloses all points; round figures if empty.
        y_marks: The same at the left.
        steps: Whether the points of each group are connected.
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
    found = []
    for key in orders[0]:
        ranks, levels = [ranking[key] for ranking in rankings], [one.index(key) for one in orders]
        found.append(RankLine(names[key], system_link(key), ranks, levels))
    return found
