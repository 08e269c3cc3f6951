"""Intervals and comparisons as a person sees them: in words, as tables, and as a picture."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ..io.tables import (
    Table,
    best_cells,
    drawn,
    figure,
    formatted,
    picture_format,
    signed,
    text_table,
    write_picture,
)
from ..metrics.results import Figure
from ..signature import PLACEHOLDERS, comparable_group
from .interval import INTERVAL_LEVEL, Interval, p_text, p_words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Picture

    from .comparing import Comparison, Difference, Pair


def main_figures(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return the figures that papers compare systems by, BLEU first; all, if there are none."""
    main = sorted((name for name in figures if figures[name].main), key=lambda name: name != "bleu")
    return {name: figures[name] for name in main or figures}


def intervals_text(
    names: Sequence[str],
    figures: Mapping[str, Figure],
    intervals: Sequence[Mapping[str, Interval]],
) -> str:
    """Return a table of figures with their intervals, one column per system.

    Args:
        names: What to call the systems.
        figures: What to show: name -> figure.
        intervals: Of each system, figure -> interval.
    """
    rows = [
        [shown.title, *(one[name].text(shown.digits) for one in intervals)]
        for name, shown in figures.items()
    ]
    return text_table([f"{INTERVAL_LEVEL} % interval", *names], rows)


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text: what follows of each pair in words, then all tables."""
    figures = main_figures(comparison.figures)
    verdicts = ["\n".join(_verdict(pair, figures)) for pair in comparison.pairs]
    return "\n\n".join([*verdicts, formatted(comparison_tables(comparison), "text")]).rstrip()


def _verdict(pair: Pair, figures: Mapping[str, Figure]) -> Iterator[str]:
    both = "dialogue" if pair.dialogues == 1 else f"{pair.dialogues} dialogues"
    yield f"{pair.a} and {pair.b}, compared on the {both} that both play\n"
    for name, shown in figures.items():
        one = pair.differences[name]
        values = f"{figure(one.a, shown.digits)} and {figure(one.b, shown.digits)}"
        if one.significant:
            more, less = (pair.b, pair.a) if one.difference > 0 else (pair.a, pair.b)
            by = figure(abs(one.difference), shown.digits)
            verdict = f"{more} has {by} more than {less}, {p_words(one.p_holm)}"
        else:
            verdict = f"not distinguishable, {p_words(one.p_holm)}"
        yield f"{shown.title} {values}: {verdict}{_wins(pair, one)}"
    yield from (f"note: {note}" for note in pair.notes)


def _wins(pair: Pair, one: Difference) -> str:
    if one.only_a is None or one.only_b is None:
        return ""
    first = "1 dialogue is" if one.only_a == 1 else f"{one.only_a} dialogues are"
    return f"; {first} won by {pair.a} only, {one.only_b} by {pair.b} only"


def comparison_tables(comparison: Comparison) -> list[Table]:
    """Return the scores with intervals, the differences, and the spread over seeds if there is one.

    They have the figures that papers compare systems by. CSV has the scores alone: one table is all
    that it can hold.
    """
    figures = main_figures(comparison.figures)
    return [
        _scores_table(comparison, figures),
        *([_differences_table(comparison, figures)] if comparison.pairs else []),
        *([] if comparison.spread is None else [_spread_table(comparison, figures)]),
    ]


def _scores_table(comparison: Comparison, figures: Mapping[str, Figure]) -> Table:
    systems, intervals = comparison.systems, comparison.intervals
    group = comparable_group([one.signature for one in systems], (PLACEHOLDERS,))
    # Nothing is the best of what no paper ranks by, such as length, and no seed of a system.
    values = [
        [
            of[name].value
            if shown.main and at in group and one.name not in comparison.seeds
            else None
            for name, shown in figures.items()
        ]
        for at, (one, of) in enumerate(zip(systems, intervals, strict=True))
    ]
    cells = [[figure(of[n].value, f.digits) for n, f in figures.items()] for of in intervals]
    return Table(
        name="systems",
        title=f"Scores with {INTERVAL_LEVEL} % intervals",
        headers=["", "dialogues", *(one.title for one in figures.values())],
        rows=[
            [one.name, str(len(one.dialogues)), *(of[n].text(f.digits) for n, f in figures.items())]
            for one, of in zip(systems, intervals, strict=True)
        ],
        data=[
            {
                "name": one.name,
                "dialogues": len(one.dialogues),
                **{
                    f"{name}{end}": value
                    for name in figures
                    for end, value in (
                        ("", of[name].value),
                        ("_low", of[name].low),
                        ("_high", of[name].high),
                    )
                },
                "signature": str(one.signature),
            }
            for one, of in zip(systems, intervals, strict=True)
        ],
        notes=list(dict.fromkeys(str(one.signature) for one in systems)),
        best={(row, column + 2) for row, column in best_cells(values, cells)},
    )


_TESTED = ("difference", "p", "p_holm", "test", "only_a", "only_b")
"""What tables for programs have of a `Difference`."""


def _differences_table(comparison: Comparison, figures: Mapping[str, Figure]) -> Table:
    differences = [
        (pair, name, pair.differences[name]) for pair in comparison.pairs for name in figures
    ]
    return Table(
        name="pairs",
        title=f"Differences from {comparison.baseline}",
        headers=[
            *("", "", "difference", "p", "p (Holm)"),
            *(f"only {comparison.baseline}", "only system"),
        ],
        rows=[
            [
                pair.b,
                figures[name].title,
                signed(one.difference, figures[name].digits),
                p_text(one.p),
                p_text(one.p_holm),
                "–" if one.only_a is None else str(one.only_a),
                "–" if one.only_b is None else str(one.only_b),
            ]
            for pair, name, one in differences
        ],
        data=[
            {"a": pair.a, "b": pair.b, "figure": name}
            | {field: getattr(one, field) for field in _TESTED}
            for pair, name, one in differences
        ],
        notes=[
            f"difference: system minus {comparison.baseline}; only: dialogues that only one wins",
            "p is corrected by Holm for the number of systems",
        ],
        best={(row, 2) for row, (_, _, one) in enumerate(differences) if one.significant},
    )


def _spread_table(comparison: Comparison, figures: Mapping[str, Figure]) -> Table:
    spread = comparison.spread or {}
    columns = {"mean": "mean", "deviation": "standard deviation", "lowest": "lowest"}
    columns |= {"highest": "highest"}
    return Table(
        name="seeds",
        title=f"Over {len(comparison.seeds)} seeds: {', '.join(comparison.seeds)}",
        headers=["", *columns.values()],
        rows=[
            [shown.title, *(figure(getattr(spread[name], c), shown.digits) for c in columns)]
            for name, shown in figures.items()
        ],
        data=[{"figure": name, **asdict(spread[name])} for name in figures],
    )


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
        for axes, (name, one_figure) in zip(panels.flat, figures.items(), strict=False):
            _draw(axes, shown, [one[name] for one in intervals])
            axes.set_title(textwrap.fill(one_figure.title, _TITLE), fontsize=10)
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
