"""The picture of diagnoses: causes by domain as stacked bars, several submissions side by side.

Drawn for print: causes differ by hatching as well as by shade, text is 10 point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..io.pictures import picture_format, write_picture
from ..io.rendering import drawn
from ..metrics.results import DialogueResult
from .causes import CAUSES, SLOT_CAUSES
from .losses import DomainLosses, domain_losses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Shade and hatching of one cause after another; distinct without colour.
_STYLES = (
    ("0.25", ""),
    ("0.85", "///"),
    ("0.55", ""),
    ("1.0", "..."),
    ("0.70", "xxx"),
    ("0.95", "\\\\\\"),
    ("1.0", ""),
)
_PANEL = (2.6, 3.4)
"""Width and height of a panel, in inches."""
_ACROSS = 4
"""How many submissions stand side by side before another row begins."""


def plot_causes(submissions: Mapping[str, Sequence[DialogueResult]], path: str) -> None:
    """Draw causes by domain as stacked bars and write the picture.

    Each submission has two panels: the dialogues in which the domain is not matched, in percent of
    those with the domain in their goal, and the requested slots not provided, in percent of those
    requested. Panels of a kind have the same scale.

    Args:
        submissions: What to call each submission -> the results of its dialogues.
        path: Where to write; the suffix, .svg, .png or .pdf, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    picture_format(path)
    losses = {name: domain_losses(results) for name, results in submissions.items()}
    names = [drawn(name) for name in losses]
    bands = math.ceil(len(losses) / _ACROSS)
    across = math.ceil(len(losses) / bands)

    def draw() -> Figure:
        from matplotlib.figure import Figure

        figure = Figure(
            figsize=(max(7.2, _PANEL[0] * across), 1.2 + _PANEL[1] * 2 * bands),
            layout="constrained",
        )
        panels = figure.subplots(2 * bands, across, squeeze=False)
        for kind, (causes, shares, label) in enumerate(_KINDS):
            axes_of = [panels[2 * (at // across) + kind][at % across] for at in range(len(losses))]
            highest = 1.0
            for at, (axes, of) in enumerate(zip(axes_of, losses.values(), strict=True)):
                highest = max(highest, _draw(axes, of, causes, shares))
                axes.set_title(names[at] if kind == 0 else "", fontsize=10)
                axes.set_ylabel(label if at % across == 0 else "")
            for axes in axes_of:
                axes.set_ylim(0, 1.05 * highest)
            figure.legend(
                *axes_of[0].get_legend_handles_labels(),
                loc=("outside upper center", "outside lower center")[kind],
                ncols=2,
                fontsize=9,
            )
        for at in range(len(losses), bands * across):
            for kind in range(2):
                panels[2 * (at // across) + kind][at % across].set_axis_off()
        return figure

    write_picture(path, draw)


def _percent(counts: Mapping[str, int], whole: int) -> dict[str, float]:
    return {cause: 100 * count / max(1, whole) for cause, count in counts.items()}


# Causes, the share of each in a domain, and what the shares are of.
_KINDS: Sequence[
    tuple[Mapping[str, object], Callable[[DomainLosses], Mapping[str, float]], str]
] = (
    (CAUSES, lambda of: _percent(of.matched, of.dialogues), "domain not matched (%)"),
    (SLOT_CAUSES, lambda of: _percent(of.provided, of.requested), "slot not provided (%)"),
)


def _draw(
    axes: Axes,
    losses: Mapping[str, DomainLosses],
    causes: Mapping[str, object],
    shares: Callable[[DomainLosses], Mapping[str, float]],
) -> float:
    """Draw one stacked bar for each domain and return the height of the highest."""
    heights = [shares(of) for of in losses.values()]
    floor = [0.0] * len(heights)
    for cause, (shade, hatch) in zip(causes, _STYLES, strict=False):
        column = [of[cause] for of in heights]
        axes.bar(
            range(len(column)),
            column,
            0.7,
            bottom=floor,
            label=cause,
            color=shade,
            hatch=hatch,
            edgecolor="black",
            linewidth=0.6,
        )
        floor = [low + height for low, height in zip(floor, column, strict=True)]
    axes.set_xticks(range(len(losses)), list(losses), rotation=40, ha="right")
    return max(floor, default=0.0)
