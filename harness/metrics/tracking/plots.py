"""Pictures of state tracking: figures per system, and accuracy along the dialogue.

Every figure, and every system, has a small panel of its own, on the same axes; of the other systems
accuracy stands behind in grey. What few turns support is drawn open or dotted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ...io import drawn, write_picture
from .evaluation import TrackingResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

FEW = 30
"""Fewer turns, or lost dialogues, than this are drawn as few: a share of them is a rough one."""

_WIDTH = 7.2
"""The width of pictures, in inches."""

_LONGEST_NAME = 26
_COLOUR, _BEHIND = "#0072B2", "0.8"
# How many small panels stand side by side: of figures, and of systems.
_FIGURES_ACROSS, _SYSTEMS_ACROSS = 3, 4


def plot_tracking(names: Sequence[str], results: Sequence[TrackingResult], path: str) -> None:
    """Draw results of state tracking side by side and write the picture.

    There are three parts: the main figures, joint goal accuracy along the dialogue, and where it
    is lost.

    Args:
        names: What to call the systems.
        results: Their results, all with the same values of λ.
        path: Where to write; the suffix, one of `SUFFIXES`, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    short = [drawn(_shortened(name)) for name in names]
    rows = math.ceil(len(results[0].titled(main_only=True)) / _FIGURES_ACROSS)
    panels = 0.4 + 1.25 * math.ceil(len(results) / _SYSTEMS_ACROSS)
    heights = [rows * (0.6 + 0.19 * len(results)), panels, panels]

    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(figsize=(_WIDTH, sum(heights) + 0.3), layout="constrained")
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        _draw_figures(parts[0], short, results)
        _draw_accuracy(parts[1], short, results)
        _draw_losses(parts[2], short, results)
        if any(map(_has_few, results)):
            figure.supxlabel(
                f"open or dotted: fewer than {FEW} turns or lost dialogues", fontsize=8
            )
        return figure

    write_picture(path, draw)


def _shortened(name: str) -> str:
    """Return a name that fits beside its bars; its end says more than its middle."""
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[: half - 1]}…{name[-half:]}"


def _has_few(result: TrackingResult) -> bool:
    """Whether anything that is drawn of a system is supported by few turns or dialogues."""
    few_parts = any(few for _, _, few in _points(result))
    return result.turns < FEW or few_parts or 0 < _lost(result) < FEW


def _lost(result: TrackingResult) -> int:
    return int(result.losses["dialogues"] or 0)


def _points(result: TrackingResult) -> list[tuple[int, float, bool]]:
    """Return part of the dialogue, JGA of its turns, and whether these are few."""
    return [
        (at, place["jga"], (place["turns"] or 0) < FEW)
        for at, place in enumerate(result.positions)
        if place["jga"] is not None
    ]


def _draw_figures(part: SubFigure, names: Sequence[str], results: Sequence[TrackingResult]) -> None:
    """Draw the main figures, the systems of each one below the other."""
    columns = [result.titled(main_only=True) for result in results]
    rows = math.ceil(len(columns[0]) / _FIGURES_ACROSS)
    grid = part.subplots(rows, _FIGURES_ACROSS, sharey=True, squeeze=False)
    for title, axes in zip(columns[0], _panels(grid, len(columns[0])), strict=True):
        values = [column[title] for column in columns]
        bars = axes.barh(range(len(values)), values, 0.7, color=_COLOUR)
        for at, (bar, result, value) in enumerate(zip(bars, results, values, strict=True)):
            few = result.turns < FEW
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
        axes.set_yticks(range(len(names)), names, fontsize=8)
        axes.tick_params(axis="x", labelsize=8)
        axes.set_title(f"{title} (%)", fontsize=9)
    # The first system on top; the axes share their direction.
    grid[0][0].invert_yaxis()


def _draw_accuracy(
    part: SubFigure, names: Sequence[str], results: Sequence[TrackingResult]
) -> None:
    """Draw joint goal accuracy by the turns' relative position in their dialogue."""
    lines = [_points(result) for result in results]
    panels = _panels_by_position(part, names, results, "JGA of the turns there (%)")
    for axes, points in zip(panels, lines, strict=True):
        for others in lines:
            axes.plot([p[0] for p in others], [p[1] for p in others], color=_BEHIND, lw=0.6)
        for (at, jga, few), (next_at, next_jga, next_few) in pairwise(points):
            style = ":" if few or next_few else "-"
            axes.plot([at, next_at], [jga, next_jga], style, color=_COLOUR, lw=1.2)
        for at, jga, few in points:
            face = "white" if few else _COLOUR
            axes.plot([at], [jga], "o", color="black", ms=4, mfc=face, clip_on=False, zorder=3)
        axes.set_ylim(0, 100)


def _draw_losses(part: SubFigure, names: Sequence[str], results: Sequence[TrackingResult]) -> None:
    """Draw where dialogues that end inexact are first lost (figure 1 of Kim et al., 2022)."""
    panels = _panels_by_position(part, names, results, "dialogues first lost there (%)")
    for axes, result in zip(panels, results, strict=True):
        lost = _lost(result)
        shares = [100 * (place["first_lost"] or 0) / max(1, lost) for place in result.positions]
        for bar in axes.bar(range(len(shares)), shares, 0.8, color=_COLOUR):
            if 0 < lost < FEW:
                _draw_open(bar)


def _panels_by_position(
    part: SubFigure, names: Sequence[str], results: Sequence[TrackingResult], label: str
) -> list[Any]:
    """Return axes by position in the dialogue, one of each system, all alike."""
    across = min(len(names), _SYSTEMS_ACROSS)
    rows = math.ceil(len(names) / across)
    grid = part.subplots(rows, across, sharex=True, sharey=True, squeeze=False)
    part.supylabel(label, fontsize=9)
    part.supxlabel("relative position in the dialogue (%)", fontsize=9)
    panels = _panels(grid, len(names))
    last = len(results[0].positions) - 0.5
    for axes, name in zip(panels, names, strict=True):
        axes.set_title(name, fontsize=8)
        axes.tick_params(labelsize=8)
        axes.set_xticks([-0.5, (last - 0.5) / 2, last], ["0", "50", "100"])
        # The same stretch in every panel, whatever parts hold turns.
        axes.set_xlim(-0.5, last)
    return panels


def _panels(grid: Any, wanted: int) -> list[Any]:
    """Return the first axes of a grid, and take the others away."""
    panels = list(grid.flat)
    for unused in panels[wanted:]:
        unused.remove()
    # The last panel above an empty place shows the ticks that would have stood there.
    for above in panels[max(0, wanted - grid.shape[1]) : wanted]:
        above.tick_params(labelbottom=True)
    return panels[:wanted]


def _draw_open(bar: Any) -> None:
    """Draw a bar that few turns support: without its filling, its edge dotted."""
    bar.set(facecolor="white", edgecolor="black", linestyle=":", linewidth=1)
