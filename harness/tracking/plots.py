"""The picture of tracking reports: metrics per system, and accuracy along the dialogue.

Drawn for print: systems differ by hatching and markers as well as by shade, text is 10 point.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..files import write_atomically
from .evaluation import POSITIONS
from .tracking_report import TrackingReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMATS = ("svg", "png")

_BARS = ("JGA", "SA", "AGA", "IAGA", "RSA", "FGA", "GCA", "F1")

# Shade, hatching and marker of one system after another; distinct without colour.
_STYLES = (
    ("0.25", "", "o"),
    ("0.85", "///", "s"),
    ("0.55", "", "^"),
    ("1.0", "...", "D"),
    ("0.70", "xxx", "v"),
    ("0.95", "\\\\\\", "P"),
    ("0.85", "", "<"),
    ("1.0", "|||", ">"),
    ("0.55", "///", "p"),
    ("1.0", "", "*"),
    ("0.85", "...", "h"),
    ("1.0", "xxx", "X"),
    ("0.70", "---", "d"),
    ("1.0", "+++", "H"),
)


# About how many characters of legend fit the picture's width.
_LEGEND_WIDTH = 80


def plot_tracking(names: Sequence[str], reports: Sequence[TrackingReport], path: str) -> None:
    """Draw tracking reports side by side and write the picture.

    The first panel holds the metrics, the second joint goal accuracy by the turn's relative
    position, the third where dialogues that end inexact are first lost (figure 1 of Kim et al.,
    2022). All are in percent.

    Args:
        names: What to call the systems.
        reports: Their reports, all with the same values of λ.
        path: Where to write; the suffix, .svg or .png, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise InputError(path, "pictures are written as .svg or .png; give one of these suffixes")
    # matplotlib takes long to import, and most runs draw nothing.
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # A fixed salt, and no date below, make the same reports give the same file.
    with mpl.rc_context({"font.size": 10, "hatch.linewidth": 0.6, "svg.hashsalt": "mwz"}):
        figure = Figure(figsize=(7.2, 8.4), layout="constrained")
        metrics, positions, losses = figure.subplots(3, 1)
        _draw_metrics(metrics, reports)
        _draw_positions(positions, reports)
        _draw_losses(losses, reports)
        # A system's entry shows its bar and its marker.
        systems: list[Any] = list(zip(metrics.containers, positions.lines, strict=True))
        columns = max(1, _LEGEND_WIDTH // (8 + max(map(len, names))))
        figure.legend(systems, names, loc="outside upper center", ncols=columns)
        picture = io.BytesIO()
        metadata = {"Date": None} if suffix == "svg" else {}
        figure.savefig(picture, format=suffix, dpi=200, metadata=metadata)
    write_atomically(Path(path), picture.getvalue())


def _draw_metrics(axes: Axes, reports: Sequence[TrackingReport]) -> None:
    columns = [_bars(report) for report in reports]
    _draw_bars(axes, [list(column.values()) for column in columns])
    axes.set_xticks(range(len(columns[0])), list(columns[0]))
    axes.set_ylim(0, 100)
    axes.set_ylabel("percent")


def _draw_positions(axes: Axes, reports: Sequence[TrackingReport]) -> None:
    for at, report in enumerate(reports):
        shade, _, marker = _STYLES[at % len(_STYLES)]
        points = [
            (part, scores.jga)
            for part, scores in enumerate(report.positions)
            if scores.jga is not None
        ]
        axes.plot(
            [part for part, _ in points],
            [jga for _, jga in points],
            color="black",
            linewidth=0.8,
            marker=marker,
            markerfacecolor=shade,
            clip_on=False,
        )
    _label_positions(axes)
    axes.set_ylim(0, 100)
    axes.set_ylabel("JGA of the turns there (%)")


def _draw_losses(axes: Axes, reports: Sequence[TrackingReport]) -> None:
    _draw_bars(
        axes,
        [
            [100 * part.first_lost / max(1, report.losses.dialogues) for part in report.positions]
            for report in reports
        ],
    )
    _label_positions(axes)
    axes.set_ylabel("dialogues first lost there (%)")


def _draw_bars(axes: Axes, columns: Sequence[Sequence[float]]) -> None:
    width = 0.8 / len(columns)
    for at, column in enumerate(columns):
        shade, hatch, _ = _STYLES[at % len(_STYLES)]
        shift = (at - (len(columns) - 1) / 2) * width
        axes.bar(
            [place + shift for place in range(len(column))],
            column,
            width,
            color=shade,
            hatch=hatch,
            edgecolor="black",
            linewidth=0.6,
        )


def _label_positions(axes: Axes) -> None:
    labels = [f"{10 * part}-{10 * part + 10}" for part in range(POSITIONS)]
    axes.set_xticks(range(POSITIONS), labels)
    # The same stretch in every panel, whatever parts hold turns.
    axes.set_xlim(-0.5, POSITIONS - 0.5)
    axes.set_xlabel("relative position in the dialogue (%)")


def _bars(report: TrackingReport) -> dict[str, float]:
    """Return the metrics to draw, FGA once for each λ."""
    bars: dict[str, float] = {}
    for name in _BARS:
        value = report.metrics[name]
        if isinstance(value, float):
            bars[name] = value
        else:
            bars.update({f"FGA\n{decay}": score for decay, score in value.items()})
    return bars
