"""The charts of the board, drawn on the server: plain data, which the templates draw as SVG.

Names stand beside a plot, so that they are read without a script and on paper.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date

from ...io import figure, signed
from ...metrics import reported_figures
from ..columns import FAR, BoardTable, columns
from ..model import Board
from ..rows import NOTHING, REFERENCE, Row, Value
from ..systems import system_year
from ..track import tracks
from .board_data import Data, best_by_year, published, system_link

LINE = 13.0
"""Height of a name."""

_LEFT, _TOP, _RIGHT, _BOTTOM = 48.0, 20.0, 430.0, 336.0
"""Ends of a plot, in units from the top left corner; its names stand to the right."""

_SLOPE = (190.0, 430.0)
"""Where the lines of a slope chart begin and end."""


def track_charts(board: Board, tables: Sequence[BoardTable]) -> Iterator[Data]:
    """Yield the charts of a track, given its tables: those that there is enough to show for.

    A chart has `kind`, a key of the notes in `charts.html`; `title`; `x` and `y`, what is shown to
    the right and upwards; `headers` and `rows`, the same as a table; and what `scatter` returns,
    unless its rows have bars.
    """
    if not tables or not tables[0].rows or not tracks()[tables[0].track].ranks:
        return
    for chart in (_two_figures, _by_year, _by_cause, _history):
        made = chart(board, tables[0])
        if made:
            yield made


def _two_figures(board: Board, table: BoardTable) -> Data:
    """Return one figure against the other, with intervals; nothing of fewer than two systems."""
    track, by_key = tracks()[table.track], table.by_key
    right, up = by_key.get(track.against), by_key.get(track.plotted or track.ranks)
    if right is None or up is None:
        return {}
    dots, rows = [], []
    ranked = [row for row in table.systems if row.rank is not None]
    for row in ranked or table.systems:
        x, y, year = right.value(row), up.value(row), system_year(row.entry.system)
        if REFERENCE in row.reasons or x.number is None or y.number is None:
            continue
        cells = [str(year or ""), x.with_half, y.with_half]
        about = f"{right.full_title} {x.with_half}, {up.full_title} {y.with_half}"
        dot = _dot(row.name, row.key, "scored_here", x.number, y.number, about)
        dot["label"] = f"{row.name} {year or ''}".rstrip()
        for axis, interval in (("x", x.interval), ("y", y.interval)):
            if interval is not None:
                dot[f"{axis}_ends"] = (interval.low, interval.high)
        dots.append(dot)
        rows.append((row.name, row.key, cells))
    if len(dots) < 2:
        return {}
    title = f"{up.full_title} against {right.full_title}"
    headers = ["System", "Year", right.full_title, up.full_title]
    chart: Data = {"kind": "scatter", "title": title, "x": right.full_title, "y": up.full_title}
    return chart | {"headers": headers, "rows": rows} | scatter(dots)


def _by_year(board: Board, table: BoardTable) -> Data:
    """Return the best figures by year, a line for each kind and version of the gold states."""
    dots, rows = [], []
    for best in best_by_year(published(board, table.track)):
        kind = "scored_here" if best.scored_here else "reported"
        words = f"{kind.replace('_', ' ')} {best.gold}".rstrip()
        cells = [str(best.year), f"{best.figure:.1f}", words]
        about = f"{cells[0]}, {words}: {cells[1]}"
        dot = _dot(best.name, best.key, kind, float(best.year), best.figure, about)
        dots.append(dot | {"way": words, "gold": best.gold})
        rows.append((best.name, best.key, cells))
    years = [int(dot["x"]) for dot in dots]
    # The lines go on to the last year that a ranked system is of.
    years += [system_year(row.entry.system) or 0 for row in table.rows if dots and row.rank]
    first, last = min(filter(None, years), default=0), max(years, default=0)
    if first == last:
        return {}
    last_dots = {dot["way"]: dot for dot in dots}
    for dot in last_dots.values():
        dot["label"] = f"{dot['name']} {dot['gold']}".rstrip()
    ranking = table.by_key[tracks()[table.track].ranks].full_title
    title = f"Best {ranking} by year"
    if tracks()[table.track].kind == "states only":
        title += " on each version of the gold states"
    headers = ["System", "Year", ranking, "Figure"]
    chart: Data = {"kind": "time", "title": title, "x": "year", "y": ranking, "headers": headers}
    marks = {str(year): float(year) for year in range(first, last + 1)}
    return chart | {"rows": rows} | scatter(dots, marks)


def _by_cause(board: Board, table: BoardTable) -> Data:
    """Return the points of Success that each cause costs ranked systems, the heaviest first."""
    if not tracks()[table.track].delexicalised:
        return {}
    lost: dict[str, Mapping[str, float]] = {}
    totals: dict[str, float] = {}
    ranked = [row for row in table.systems if row.rank is not None and row.entry.scores.dialogues]
    for row in ranked:
        assert row.entry.scores.dialogues is not None
        points = row.entry.scores.dialogues.causes.points.items()
        lost[row.key] = {cause: point.success for cause, point in points if point.success > 0}
        for cause, success in lost[row.key].items():
            totals[cause] = totals.get(cause, 0.0) + success
    if not totals:
        return {}
    causes = sorted(totals, key=lambda cause: -totals[cause])
    rows = []
    for row in ranked:
        cells = [lost[row.key].get(cause, 0.0) for cause in causes]
        rows.append((row.name, row.key, [sum(cells), *cells]))
    chart: Data = {"kind": "causes", "title": "Success lost, by cause", "rows": rows}
    return chart | {"headers": ["System", "all", *causes], "most": max(max(r[2]) for r in rows)}


def _history(board: Board, table: BoardTable) -> Data:
    """Return when entries came, and what ranks they took."""
    dots, rows = [], []
    for row in table.systems:
        rank = board.entered_ranks.get(row.key)
        if rank is not None and row.entry.system.track == table.track:
            day = board.entered[row.key]
            x, y = float(date.fromisoformat(day).toordinal()), float(rank)
            dot = _dot(row.name, row.key, "scored_here", x, y, f"{day}, rank {rank}")
            dots.append(dot | {"label": row.name})
            rows.append((row.name, row.key, [day, str(rank), str(row.rank)]))
    if not dots:
        return {}
    first, last = min(dot["x"] for dot in dots), max(dot["x"] for dot in dots)
    days = (first, last) if first < last else (first, first + 1)
    x_marks = {date.fromordinal(int(day)).isoformat(): day for day in days}
    lowest = max(dot["y"] for dot in dots)
    # The best stands at the top.
    y_marks = {f"{rank:g}": rank for rank in (max(lowest, 2.0), 1.0)}
    headers = ["System", "Entered", "Rank then", "Rank now"]
    chart: Data = {
        "kind": "history",
        "title": "When entries came, and the rank they took",
        "x": "day",
    }
    return chart | {"y": "rank", "headers": headers, "rows": rows} | scatter(dots, x_marks, y_marks)


def _dot(name: str, key: str, group: str, x: float, y: float, about: str) -> Data:
    """Return a point: a system, what it is drawn as (a style of `site.css`), and its figures."""
    return {"name": name, "link": system_link(key), "group": group, "x": x, "y": y, "about": about}


def scatter(
    dots: Sequence[Data],
    x_marks: Mapping[str, float] | None = None,
    y_marks: Mapping[str, float] | None = None,
) -> Data:
    """Return a scatter plot: where points, names and lines stand.

    Args:
        dots: The points, at least one: `name`, `link` and `group`; `x` and `y`, the figures; and
            `about`. Some have a `label`, which stands beside the plot; `x_ends` and `y_ends`, the
            ends of intervals; and `way`, the line that connects them, level between them and to the
            right end of the plot.
        x_marks: What stands below -> its value, which enclose all points; round figures if None.
        y_marks: The same at the left, from below.

    Returns:
        `plot`, its left, top, right and bottom; `height`, with what stands below; `x_marks` and
        `y_marks`, text -> where it stands; `points`, from the left to the right; `labels`; and
        `ways`, each with its `group` and its `path` as SVG says it. Of a point, `right` and `down`
        are its place, and `bars` the path of its intervals; of a label, `right` and `from_down`
        that of its point, and `down` its own.
    """
    labelled = [dot for dot in dots if "label" in dot]
    bottom = max(_BOTTOM, _TOP + LINE * len(labelled))
    x_marks = x_marks or _axis(dots, "x")
    y_marks = y_marks or _axis(dots, "y")

    def across(value: float) -> float:
        return _place(value, [*x_marks.values()], _LEFT, _RIGHT)

    def down(value: float) -> float:
        return _place(value, [*y_marks.values()], bottom, _TOP)

    points = []
    for dot in sorted(dots, key=lambda dot: (dot["x"], dot["y"], dot["name"])):
        right, height, bars = across(dot["x"]), down(dot["y"]), ""
        if "x_ends" in dot:
            bars += f"M{across(dot['x_ends'][0])} {height}H{across(dot['x_ends'][1])}"
        if "y_ends" in dot:
            bars += f"M{right} {down(dot['y_ends'][0])}V{down(dot['y_ends'][1])}"
        points.append({**dot, "right": right, "down": height, "bars": bars})
    ways: dict[str, Data] = {}
    for point in points:
        if "way" in point:
            way = ways.setdefault(point["way"], {"group": point["group"], "path": ""})
            step = f"H{point['right']}V{point['down']}"
            way["path"] += step if way["path"] else f"M{point['right']} {point['down']}"
    for way in ways.values():
        way["path"] += f"H{_RIGHT}"
    return {
        "plot": (_LEFT, _TOP, _RIGHT, bottom),
        "height": bottom + 44,
        "x_marks": {text: across(value) for text, value in x_marks.items()},
        "y_marks": {text: down(value) for text, value in y_marks.items()},
        "points": points,
        "labels": _labels([point for point in points if "label" in point], bottom),
        "ways": list(ways.values()),
    }


def _labels(points: Sequence[Data], bottom: float) -> list[Data]:
    """Return the labels of points, from the top, at heights that keep them apart."""
    ordered = sorted(points, key=lambda point: (point["down"], -point["right"], point["name"]))
    places = apart([point["down"] for point in ordered], bottom)
    labels = []
    for point, place in zip(ordered, places, strict=True):
        # A line ends at the right end of the plot.
        right = _RIGHT if "way" in point else point["right"]
        labels.append({**point, "right": right, "from_down": point["down"], "down": place})
    return labels


def apart(places: Sequence[float], bottom: float) -> list[float]:
    """Return heights of names near places, a line apart and not below the bottom.

    >>> apart([10.0, 12.0, 60.0], 70.0)
    [10.0, 23.0, 60.0]

    Args:
        places: The heights that they would have, from the top.
        bottom: The lowest height; there is room for all names above it.
    """
    heights: list[float] = []
    for place in places:
        heights.append(max(place, heights[-1] + LINE) if heights else place)
    lowest = bottom
    for number in reversed(range(len(heights))):
        heights[number] = round(min(heights[number], lowest), 1)
        lowest = heights[number] - LINE
    return heights


def _axis(dots: Sequence[Data], axis: str) -> dict[str, float]:
    """Return the marks of an axis that enclose all figures and ends of intervals."""
    values: list[float] = []
    for dot in dots:
        values += [dot[axis], *dot.get(f"{axis}_ends", ())]
    return {f"{mark:g}": mark for mark in nice_marks(values)}


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


# --------------------------------------------------- what is reported beside what is scored


_SLOPES = ("inform", "success")
"""The figures that slope charts show."""


def reported_page(board: Board) -> Data | None:
    """Return what the page of reported figures shows; None if no authors report any.

    It is `slopes`, a slope chart of Inform and one of Success; `headers` and `rows`, both as a
    table, the most overrated first; and `far`, beyond how many points lines are marked. A slope
    chart has `title`, `sides`, where its lines begin and end, `height`, and `lines`, the steepest
    first: of each system, `texts`, `ends` and `places` of both names, from what is reported to what
    is scored here.
    """
    by_key = {column.key: column for column in columns(board)}
    headers: list[str] = ["System"]
    rows: list[tuple[str, str, list[str]]] = []
    gaps: dict[str, list[float]] = {}
    values: dict[str, list[tuple[Row, Value]]] = {metric: [] for metric in _SLOPES}
    for metric in _SLOPES:
        headers += [f"{reported_figures()[metric].title}, reported", "here", "difference"]
    for row in board.rows:
        cells: list[str] = []
        gaps[row.key] = []
        for metric in _SLOPES:
            value = by_key[f"{metric}-reported"].value(row)
            if value.gap is not None:
                values[metric].append((row, value))
            gaps[row.key].append(value.gap or 0.0)
            cells += [value.text, *_scored_texts(value)]
        if any(cell != NOTHING for cell in cells):
            rows.append((row.name, row.key, cells))
    if not rows:
        return None
    rows.sort(key=lambda cells: gaps[cells[1]])
    slopes = [_slope(metric, listed) for metric, listed in values.items() if listed]
    return {"headers": headers, "rows": rows, "slopes": slopes, "far": FAR}


def _scored_texts(value: Value) -> tuple[str, str]:
    """Return the figure scored here beside a reported one, and how much it is above it."""
    if value.gap is None or value.number is None:
        return NOTHING, NOTHING
    return figure(value.number + value.gap), signed(value.gap)


def _slope(metric: str, values: Sequence[tuple[Row, Value]]) -> Data:
    """Return the slope chart of a figure, given rows, at least one, with what is reported."""
    lines: list[Data] = []
    numbers: list[float] = []
    for row, value in values:
        printed, gap = value.number or 0.0, value.gap or 0.0
        line: Data = {"name": row.name, "mark": value.mark, "gap": gap}
        line["figures"] = (printed, printed + gap)
        line["texts"] = (value.text, figure(printed + gap))
        lines.append(line)
        numbers += line["figures"]
    bottom = _TOP + LINE * max(24, len(lines) + 1)
    marks = nice_marks(numbers)
    for line in lines:
        line["ends"] = [_place(number, marks, bottom, _TOP) for number in line["figures"]]
        line["places"] = []
    for side in (0, 1):
        ordered = sorted(lines, key=lambda line: (line["ends"][side], line["name"]))
        places = apart([line["ends"][side] for line in ordered], bottom)
        for line, place in zip(ordered, places, strict=True):
            line["places"].append(place)
    title = reported_figures()[metric].title
    lines.sort(key=lambda line: line["gap"])
    return {"title": title, "lines": lines, "sides": _SLOPE, "height": bottom + 10}
