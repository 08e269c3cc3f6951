"""Pictures of state tracking: figures per system, and accuracy along the dialogue.

Drawn for print: a few systems stand in one panel and differ by hatching and markers as well as by
colour; more of them get small panels of their own, on the same axes. What few turns support is
drawn open or dashed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..io.pictures import write_picture
from ..io.tables import drawn
from ..metrics.tracking.evaluation import POSITIONS
from ..metrics.tracking.tracking_result import TrackingResult
from ..metrics.tracking.tracking_text import headline_figures, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer
    from matplotlib.figure import Figure, SubFigure

TOGETHER = 5
"""How many systems are told apart in one panel; more get panels of their own."""

FEW = 30
"""Fewer turns, or lost dialogues, than this are drawn as few: a share of them is a rough one."""

WIDTH = 7.2
"""The width of pictures, in inches."""

_LONGEST_NAME = 26
# About how many characters of legend fit the picture's width.
_LEGEND_WIDTH = 84


@dataclass(frozen=True)
class _Style:
    """How a system is drawn; distinct without colour, and with it for the colour-blind."""

    colour: str
    hatch: str
    marker: str


# Okabe and Ito's colours, dark and light in turn.
STYLES = (
    _Style("#0072B2", "", "o"),
    _Style("#E69F00", "///", "s"),
    _Style("#009E73", "...", "^"),
    _Style("#F0E442", "xxx", "D"),
    _Style("#D55E00", "\\\\\\", "v"),
)
_ALONE = STYLES[0]
# How many small panels stand side by side: of figures, and of systems.
_FIGURES_ACROSS = 3
_ACROSS = 4
_BEHIND = "0.8"


@dataclass(frozen=True)
class _System:
    """A system to draw."""

    name: str
    result: TrackingResult
    style: _Style


def plot_tracking(names: Sequence[str], results: Sequence[TrackingResult], path: str) -> None:
    """Draw results of state tracking side by side and write the picture.

    There are three panels: the main figures, joint goal accuracy along the dialogue, and where it
    is lost.

    Args:
        names: What to call the systems.
        results: Their results, all with the same values of λ.
        path: Where to write; the suffix, one of `SUFFIXES`, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    shown = [drawn(name) for name in shortened(names, _LONGEST_NAME)]
    systems = [
        _System(name, result, STYLES[at] if len(names) <= TOGETHER else _ALONE)
        for at, (name, result) in enumerate(zip(shown, results, strict=True))
    ]
    together = len(systems) <= TOGETHER
    rows = math.ceil(len(headline_figures(results[0])) / _FIGURES_ACROSS)
    parts = 2.7 if together else 0.4 + 1.25 * _rows(systems)
    heights = [2.9 if together else rows * (0.6 + 0.19 * len(systems)), parts, parts]

    def draw() -> Figure:
        figure = new_figure(WIDTH, sum(heights) + (0.6 if together else 0.3))
        panels = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        _draw_metrics(panels[0], systems)
        _draw_positions(panels[1], systems)
        _draw_losses(panels[2], systems)
        _add_legend(figure, systems, any(_has_few(result) for result in results))
        return figure

    write_picture(path, draw)


def new_figure(width: float, height: float) -> Figure:
    """Return an empty picture of a size in inches; matplotlib, an extra, is loaded here."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _has_few(result: TrackingResult) -> bool:
    """Whether anything that is drawn of a system is supported by few turns or dialogues."""
    few_parts = any(few for _, _, few in _points(result))
    return result.turns < FEW or few_parts or 0 < result.losses.dialogues < FEW


def _add_legend(figure: Any, systems: Sequence[_System], few: bool) -> None:
    """Say above the panels what stands for which system, and below what for few turns."""
    from matplotlib import legend_handler, lines, patches

    look = {"fontsize": 9, "frameon": False}
    if 1 < len(systems) <= TOGETHER:
        handles = [
            (
                patches.Patch(facecolor=style.colour, hatch=style.hatch, edgecolor="black"),
                lines.Line2D([], [], color="black", linewidth=0, marker=style.marker),
            )
            for style in (system.style for system in systems)
        ]
        names = [system.name for system in systems]
        columns = max(1, _LEGEND_WIDTH // (8 + max(map(len, names))))
        figure.legend(
            handles,
            names,
            loc="outside upper center",
            ncols=min(columns, len(names)),
            handler_map={tuple: legend_handler.HandlerTuple(ndivide=None)},
            **look,
        )
    if few:
        sign = lines.Line2D(
            [], [], color="black", linestyle=":", marker="o", markerfacecolor="white"
        )
        note = f"open or dotted: fewer than {FEW} turns or lost dialogues"
        figure.legend([sign], [note], loc="outside lower center", **look)


def _draw_metrics(part: SubFigure, systems: Sequence[_System]) -> None:
    """Draw the figures that tables show: beside each other, or one small panel for each."""
    columns = [headline_figures(system.result) for system in systems]
    titles = list(columns[0])
    support = [system.result.turns for system in systems]
    if len(systems) <= TOGETHER:
        axes = part.subplots()
        look: Any = {"fontsize": 8} if len(systems) <= 3 else {"fontsize": 7, "rotation": 90}
        for bars in _draw_bars(axes, systems, [list(c.values()) for c in columns], support):
            axes.bar_label(bars, fmt="%.1f", padding=2, **look)
        axes.set_xticks(range(len(titles)), [title.replace(" ", "\n") for title in titles])
        # Room for what stands on a bar of 100.
        axes.set_ylim(0, 115)
        axes.set_yticks(range(0, 101, 20))
        axes.set_ylabel("percent")
        return
    rows = math.ceil(len(titles) / _FIGURES_ACROSS)
    grid = part.subplots(rows, _FIGURES_ACROSS, sharey=True, squeeze=False)
    for title, axes in zip(titles, _cells(grid, len(titles)), strict=True):
        _draw_figure(axes, systems, [column[title] for column in columns])
        axes.set_title(f"{title} (%)", fontsize=9)
    # The first system on top; the axes share their direction.
    grid[0][0].invert_yaxis()


def _draw_figure(axes: Axes, systems: Sequence[_System], values: Sequence[float]) -> None:
    """Draw one figure of many systems, one below the other."""
    bars = axes.barh(range(len(values)), values, 0.7, color=_ALONE.colour)
    for at, (bar, system, value) in enumerate(zip(bars, systems, values, strict=True)):
        few = system.result.turns < FEW
        if few:
            _draw_open(bar)
        # Within the bar where there is no room beside it.
        inside = value > 75
        axes.annotate(
            f"{value:.1f}",
            (value, at),
            (-3 if inside else 3, 0),
            textcoords="offset points",
            ha="right" if inside else "left",
            va="center",
            fontsize=8,
            color="white" if inside and not few else "black",
        )
    axes.set_xlim(0, 100)
    axes.set_yticks(range(len(systems)), [system.name for system in systems], fontsize=8)
    axes.tick_params(axis="x", labelsize=8)


def _draw_positions(part: SubFigure, systems: Sequence[_System]) -> None:
    """Draw joint goal accuracy by the turns' relative position in their dialogue."""
    for axes, shown in _panels(part, systems, "JGA of the turns there (%)"):
        for other in systems if len(shown) < len(systems) else ():
            points = _points(other.result)
            axes.plot(
                [at for at, _, _ in points], [jga for _, jga, _ in points], color=_BEHIND, lw=0.6
            )
        for system in shown:
            _draw_line(axes, system)
        axes.set_ylim(0, 100)


def _draw_losses(part: SubFigure, systems: Sequence[_System]) -> None:
    """Draw where dialogues that end inexact are first lost (figure 1 of Kim et al., 2022)."""
    panels = _panels(part, systems, "dialogues first lost there (%)")
    columns = [
        [100 * place.first_lost / max(1, s.result.losses.dialogues) for place in s.result.positions]
        for s in systems
    ]
    support = [system.result.losses.dialogues for system in systems]
    if len(systems) <= TOGETHER:
        _draw_bars(panels[0][0], systems, columns, support)
        return
    top = 1.08 * max(map(max, columns)) or 1
    for (axes, _), column, dialogues in zip(panels, columns, support, strict=True):
        for bar in axes.bar(range(POSITIONS), column, 0.8, color=_ALONE.colour):
            if 0 < dialogues < FEW:
                _draw_open(bar)
        axes.set_ylim(0, top)


def _panels(
    part: SubFigure, systems: Sequence[_System], label: str
) -> list[tuple[Axes, Sequence[_System]]]:
    """Return axes by position in the dialogue: one for few systems, else one of each, all alike."""
    if len(systems) <= TOGETHER:
        axes = part.subplots()
        labels = [f"{10 * place}–{10 * place + 10}" for place in range(POSITIONS)]
        axes.set_xticks(range(POSITIONS), labels, fontsize=9)
        # The same stretch in every panel, whatever parts hold turns.
        axes.set_xlim(-0.5, POSITIONS - 0.5)
        axes.set_xlabel("relative position in the dialogue (%)")
        axes.set_ylabel(label)
        return [(axes, systems)]
    grid = part.subplots(_rows(systems), _ACROSS, sharex=True, sharey=True, squeeze=False)
    part.supylabel(label, fontsize=9)
    part.supxlabel("relative position in the dialogue (%)", fontsize=9)
    cells = _cells(grid, len(systems))
    for axes, system in zip(cells, systems, strict=True):
        axes.set_title(system.name, fontsize=8)
        axes.tick_params(labelsize=8)
        axes.set_xticks([-0.5, POSITIONS / 2 - 0.5, POSITIONS - 0.5], ["0", "50", "100"])
        axes.set_xlim(-0.5, POSITIONS - 0.5)
    return [(axes, [system]) for axes, system in zip(cells, systems, strict=True)]


def _cells(grid: Any, wanted: int) -> list[Any]:
    """Return the first axes of a grid, and take the others away."""
    cells = list(grid.flat)
    for unused in cells[wanted:]:
        unused.remove()
    # The last panel above an empty place shows the ticks that would have stood there.
    for above in cells[max(0, wanted - grid.shape[1]) : wanted]:
        above.tick_params(labelbottom=True)
    return cells[:wanted]


def _draw_bars(
    axes: Axes,
    systems: Sequence[_System],
    columns: Sequence[Sequence[float]],
    support: Sequence[int],
) -> list[BarContainer]:
    """Draw the systems' figures in groups, and return each system's bars."""
    width = 0.8 / len(columns)
    drawn = []
    for at, (system, column, count) in enumerate(zip(systems, columns, support, strict=True)):
        shift = (at - (len(columns) - 1) / 2) * width
        bars = axes.bar(
            [place + shift for place in range(len(column))],
            column,
            width,
            color=system.style.colour,
            hatch=system.style.hatch,
            edgecolor="black",
            linewidth=0.6,
        )
        for bar in bars:
            if 0 < count < FEW:
                _draw_open(bar)
        drawn.append(bars)
    return drawn


def _draw_open(bar: Any) -> None:
    """Draw a bar that few turns support: without its filling, its edge dotted."""
    bar.set(facecolor="white", edgecolor="black", linestyle=":", linewidth=1)


def _points(result: TrackingResult) -> list[tuple[int, float, bool]]:
    """Return part of the dialogue, JGA of its turns, and whether these are few."""
    return [
        (at, place.jga, place.turns < FEW)
        for at, place in enumerate(result.positions)
        if place.jga is not None
    ]


def _draw_line(axes: Axes, system: _System) -> None:
    points = _points(system.result)
    for (at, jga, few), (next_at, next_jga, next_few) in pairwise(points):
        axes.plot(
            [at, next_at],
            [jga, next_jga],
            color=system.style.colour,
            linestyle=":" if few or next_few else "-",
            linewidth=1.2,
        )
    for at, jga, few in points:
        axes.plot(
            [at],
            [jga],
            color="black",
            marker=system.style.marker,
            markersize=5,
            markeredgewidth=0.6,
            markerfacecolor="white" if few else system.style.colour,
            clip_on=False,
            zorder=3,
        )


def _rows(systems: Sequence[_System]) -> int:
    return math.ceil(len(systems) / _ACROSS)
