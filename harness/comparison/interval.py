"""A figure with its interval, or with its spread over seeds: plain data, and how it is shown.

An interval says how much a figure would vary with other dialogues, a spread how much it varies with
the training; the two are kept apart. Whoever only reads them needs no NumPy.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import TYPE_CHECKING

from ..errors import InputError
from ..io import drawn, figure, picture_format, write_picture
from ..metrics import Figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

SEED = 12345
"""The seed of resampling, that of sacreBLEU."""

INTERVAL_SAMPLES = 1000
"""Bootstrap samples of an interval."""

INTERVAL_LEVEL = 95
"""The level of every interval, in percent."""

SIGNIFICANCE = 0.05
"""Below this p, systems are said to differ."""

TEST_SAMPLES: Mapping[str, int] = {"randomisation": 10_000, "bootstrap": 1000}
"""Paired test by resampling -> the samples it takes."""

DEFAULT_TEST = "randomisation"


def p_text(p: float) -> str:
    """Return a p-value as all tables print it: `.84`, `.013`, `< .001`.

    Two digits that count; more where two would put it on `SIGNIFICANCE`, or on its other side.
    """
    if p < 0.001:
        return "< .001"
    if p > 0.995:
        return "1"
    if p >= 0.0995:
        return f"{p:.2f}"[1:]
    text = f"{p:.2g}"
    for digits in range(2, 18):
        text = f"{p:.{digits}g}"
        if _side(float(text)) == _side(p):
            break
    return text[1:]


def _side(p: float) -> tuple[bool, bool]:
    """Return whether a p-value is below `SIGNIFICANCE`, and whether it is above."""
    return p < SIGNIFICANCE, p > SIGNIFICANCE


def p_words(p: float) -> str:
    """Return a p-value in a sentence: `p = .84`, `p < .001`."""
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


@dataclass(frozen=True)
class Interval:
    """A figure of a system and its interval, in the figure's own unit.

    Attributes:
        value: The figure.
        low: The interval's lower end.
        high: Its upper end.
        interval: How it was computed, "wilson" or "bootstrap".
    """

    value: float
    low: float
    high: float
    interval: str

    @property
    def half(self) -> float:
        """Half of its width: what follows a ±."""
        return (self.high - self.low) / 2

    def moved(self, by: float) -> Interval:
        """Return an interval as wide around another figure."""
        return replace(self, value=self.value + by, low=self.low + by, high=self.high + by)

    def text(self, digits: int) -> str:
        """Return the figure with its interval: `88.9 [86.8, 90.7]`."""
        low, high = figure(self.low, digits), figure(self.high, digits)
        return f"{figure(self.value, digits)} [{low}, {high}]"


@dataclass(frozen=True)
class Spread:
    """A figure over several seeds, in the figure's own unit.

    Attributes:
        mean: Its mean.
        deviation: Its standard deviation, with n - 1 in the denominator.
        lowest: The lowest of its values.
        highest: The highest of them.
        seeds: n, the number of seeds.
    """

    mean: float
    deviation: float
    lowest: float
    highest: float
    seeds: int


def spread_of(scores: Sequence[Mapping[str, float]]) -> dict[str, Spread]:
    """Return figure -> its spread over seeds.

    Args:
        scores: Figure -> value, of each seed; figures that some seeds lack are left out.

    Raises:
        InputError: There are fewer than two seeds.
    """
    if len(scores) < 2:
        raise InputError("--seeds", "give the outputs of at least two seeds of one system")
    spread = {}
    for name in scores[0]:
        values = [seed[name] for seed in scores if name in seed]
        if len(values) == len(scores):
            mean, deviation = fmean(values), stdev(values)
            spread[name] = Spread(mean, deviation, min(values), max(values), len(values))
    return spread


def main_figures(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return the figures that papers compare systems by, BLEU first; all, if there are none."""
    main = sorted((name for name in figures if figures[name].main), key=lambda name: name != "bleu")
    return {name: figures[name] for name in main or figures}


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
    """Draw figures that all systems have with their intervals, and write the picture.

    The panels have axes of their own: figures are of different units, and what is to be seen is how
    far systems lie apart, in intervals. An interval that leaves its value out, as those of
    counts of n-grams do, says nothing of it and is not drawn.

    Args:
        names: What to call the systems, the first on top.
        figures: What may be drawn: name -> figure.
        intervals: Of each system, figure -> interval.
        path: Where to write; the suffix, .svg, .png or .pdf, is the format.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    picture_format(path)
    shown = {}
    for name, score in figures.items():
        if all(name in known for known in intervals):
            shown[name] = score
    bands = math.ceil(len(shown) / _ACROSS)
    across = math.ceil(len(shown) / bands)
    labels = [drawn(name) for name in names]

    def draw() -> Picture:
        # Imports matplotlib late: it is an extra, and most runs draw nothing.
        from matplotlib.figure import Figure as Drawn

        height = 0.5 + bands * (0.7 + _ROW * len(names))
        picture = Drawn(figsize=(_WIDTH, height), layout="constrained")
        panels = picture.subplots(bands, across, squeeze=False, sharey=True)
        places = range(len(labels))
        for axes, (name, score) in zip(panels.flat, shown.items(), strict=False):
            for place in places:
                interval = intervals[place][name]
                low, value, high = interval.low, interval.value, interval.high
                if low <= value <= high:
                    axes.plot([low, high], [place, place], color="0.55", linewidth=3, zorder=1)
                axes.plot([value], [place], color="black", marker="o", markersize=4, zorder=2)
            axes.set_yticks(list(places), labels)
            axes.set_ylim(len(labels) - 0.5, -0.5)
            axes.grid(axis="x", color="0.85", linewidth=0.6)
            axes.set_axisbelow(True)
            axes.spines[["top", "right", "left"]].set_visible(False)
            axes.tick_params(axis="y", length=0)
            axes.set_title(textwrap.fill(score.title, _TITLE), fontsize=10)
        for axes in list(panels.flat)[len(shown) :]:
            axes.set_axis_off()
        picture.supxlabel(f"bars: {INTERVAL_LEVEL} % intervals, over dialogues", fontsize=9)
        return picture

    write_picture(path, draw)
