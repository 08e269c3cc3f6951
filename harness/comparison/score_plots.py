"""The picture of scores: figures with their intervals, several systems one below the other."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..io.pictures import picture_format, write_picture
from ..io.tables import drawn
from ..metrics.results import Figure
from .interval import INTERVAL_LEVEL, Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

_WIDTH = 7.2
_ACROSS = 4
"""How many figures stand side by side."""

_TITLE = 18
"""Characters of a line of a panel's title."""

_ROW = 0.26
"""Height of a system, in inches."""


def plot_scores(
    names: Sequence[str],
    figures: Mapping[str, Figure],
    intervals: Sequence[Mapping[str, Interval]],
    path: str,
) -> None:
    """Draw figures with their intervals, a panel each, and write the picture.

    The panels have axes of their own: figures are of different units, and what is to be seen is how
    far systems lie apart, in intervals. An interval that leaves its value out, as those of
    counts of n-grams do, says nothing of it and is not drawn.

    Args:
        names: What to call the systems, the first on top.
        figures: What to draw: name -> figure.
        intervals: Of each system, figure -> interval.
        path: Where to write; the suffix, .svg, .png or .pdf, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    picture_format(path)
    bands = math.ceil(len(figures) / _ACROSS)
    across = math.ceil(len(figures) / bands)
    shown = [drawn(name) for name in names]

    def draw() -> Picture:
        from matplotlib.figure import Figure as Drawn

        height = 0.5 + bands * (0.7 + _ROW * len(names))
        picture = Drawn(figsize=(_WIDTH, height), layout="constrained")
        panels = picture.subplots(bands, across, squeeze=False, sharey=True)
        for axes, (name, figure) in zip(panels.flat, figures.items(), strict=False):
            _draw(axes, shown, [one[name] for one in intervals])
            axes.set_title(textwrap.fill(figure.title, _TITLE), fontsize=10)
        for axes in [*panels.flat][len(figures) :]:
            axes.set_axis_off()
        picture.supxlabel(f"bars: {INTERVAL_LEVEL} % intervals, over dialogues", fontsize=9)
        return picture

    write_picture(path, draw)


def _draw(axes: Axes, names: Sequence[str], intervals: Sequence[Interval]) -> None:
    places = range(len(names))
    for place, one in zip(places, intervals, strict=True):
        if one.low <= one.value <= one.high:
            axes.plot([one.low, one.high], [place, place], color="0.55", linewidth=3, zorder=1)
        axes.plot([one.value], [place], color="black", marker="o", markersize=4, zorder=2)
    axes.set_yticks(list(places), list(names))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(axis="x", color="0.85", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
