"""Pictures of analyses: the papers' figures, for any tracker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...comparison.interval import Spread
from ...io.pictures import write_picture
from ...io.tables import drawn
from ..plots import FEW, STYLES, WIDTH, new_figure
from .analysis import Analysis
from .learning_curves import REFERENCE, CurvePoint

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEIGHT = 6.0


def plot_analyses(
    path: str, analyses: Mapping[str, Analysis], spread: Mapping[str, Spread]
) -> None:
    """Draw analyses one below the other and write the picture.

    Args:
        path: Where to write; the suffix is the format.
        analyses: Name -> analyses.
        spread: Metric -> its spread over several trackers; empty for one.

    Raises:
        InputError: The suffix is unknown, or the file cannot be written.
    """
    heights = [_HEIGHT] * len(analyses) + [2.6] * bool(spread)

    def draw() -> Figure:
        figure = new_figure(WIDTH, sum(heights))
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        for (name, analysis), part in zip(analyses.items(), parts, strict=False):
            part.suptitle(drawn(f"{name} (recipe {analysis.recipe})"), fontsize=10)
            _draw_analysis(part, analysis)
        if spread:
            _draw_spread(parts[-1].subplots(), spread)
        return figure

    write_picture(path, draw)


def _draw_analysis(part: SubFigure, analysis: Analysis) -> None:
    ((turns, slots), (orientation, uniformity)) = part.subplots(2, 2)
    _draw_matrix(turns, analysis.turns)
    slots.bar(list(analysis.slots), list(analysis.slots.values()), color=STYLES[0].colour)
    slots.set(xlabel="slots used", ylabel="dialogues")
    decay, biases = analysis.shown_biases
    titles = {"TO": "tail orientation of mistakes", "NU": "non-uniformity of mistakes"}
    for axes, (measure, bias) in zip((orientation, uniformity), biases.items(), strict=True):
        for style, name, score in zip(
            STYLES, (f"FGA λ={decay}", "GCA"), ("fga", "gca"), strict=False
        ):
            known = [(b, getattr(b, score)) for b in bias.bins if b.dialogues]
            look: dict[str, Any] = {"color": style.colour, "marker": style.marker}
            axes.plot([b.start for b, _ in known], [y for _, y in known], lw=1.2, ms=0, **look)
            for few in (False, True):
                points = [(b.start, y) for b, y in known if (b.dialogues < FEW) == few]
                face = "white" if few else style.colour
                axes.plot(
                    *([p[at] for p in points] for at in (0, 1)), lw=0, mfc=face, label=None, **look
                )
            axes.plot([], [], label=name, **look)
        standard = "" if analysis.unit == "%" else f" ({analysis.unit})"
        axes.set(xlabel=f"{titles[measure]}{standard}", ylabel=f"mean score ({analysis.unit})")
        axes.legend(fontsize=8, frameon=False)
    part.supxlabel(f"open: fewer than {FEW} dialogues", fontsize=8)


def _draw_matrix(axes: Axes, matrix: Mapping[str, Mapping[str, float | None]]) -> None:
    names = list(matrix)
    values = [[row[name] for name in names] for row in matrix.values()]
    shades = [[abs(value or 0.0) for value in row] for row in values]
    axes.imshow(shades, cmap="Blues", vmin=0, vmax=1)
    for y, row in enumerate(values):
        for x, value in enumerate(row):
            colour = "white" if shades[y][x] > 0.6 else "black"
            text = "–" if value is None else f"{value:.2f}"
            axes.annotate(text, (x, y), ha="center", va="center", fontsize=6, color=colour)
    axes.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    axes.set_yticks(range(len(names)), names, fontsize=7)
    axes.set_title("correlation over turns", fontsize=9)


def _draw_spread(axes: Axes, spread: Mapping[str, Spread]) -> None:
    means = [one.mean for one in spread.values()]
    deviations = [one.deviation for one in spread.values()]
    look: Any = {"color": STYLES[0].colour, "ecolor": "black", "capsize": 4}
    axes.bar(range(len(spread)), means, 0.6, yerr=deviations, **look)
    titles = [
        "\n".join([f"{one.mean:.1f} ± {one.deviation:.1f}", *name.split()])
        for name, one in spread.items()
    ]
    axes.set_xticks(range(len(spread)), titles, fontsize=7)
    axes.set(ylabel="mean and SD (%)", ylim=(0, 105))


def plot_curves(path: str, series: str, points: Sequence[CurvePoint]) -> None:
    """Draw learning curves, and below them the distances to GCA, and write the picture.

    Args:
        path: Where to write; the suffix is the format.
        series: What the number is.
        points: The points of the curves.

    Raises:
        InputError: The suffix is unknown, or the file cannot be written.
    """
    numbers = [point.number for point in points]
    # Shares such as .01, .1 and 1 are told apart on a logarithmic scale only.
    wide = numbers[0] > 0 and numbers[-1] >= 20 * numbers[0]

    def draw() -> Figure:
        figure = new_figure(WIDTH, 6.4)
        metrics = list(points[0].scores)
        for axes, kind, label in zip(
            figure.subplots(2, 1, sharex=True),
            ("scores", "distances"),
            ("percent", f"distance to {REFERENCE} (points)"),
            strict=True,
        ):
            for metric in getattr(points[0], kind):
                at = metrics.index(metric)
                bands = [getattr(point, kind)[metric] for point in points]
                style = STYLES[at % len(STYLES)]
                look: Any = {"color": style.colour, "marker": style.marker, "ms": 4}
                line = "-" if at < len(STYLES) else "--"
                axes.plot(numbers, [b.mean for b in bands], line, label=metric, lw=1.2, **look)
                ends = [b.lowest for b in bands], [b.highest for b in bands]
                axes.fill_between(numbers, *ends, color=style.colour, alpha=0.2, lw=0)
            axes.set_ylabel(label)
            if wide:
                axes.set_xscale("log")
        axes.set_xlabel(drawn(series))
        handles, labels = figure.axes[0].get_legend_handles_labels()
        figure.legend(
            handles, labels, loc="outside upper center", ncols=5, fontsize=8, frameon=False
        )
        return figure

    write_picture(path, draw)
