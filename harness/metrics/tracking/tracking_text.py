"""Results of state tracking as a terminal shows them: systems side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...io.tables import figure, text_table
from . import tracking_metrics
from .tracking_result import TrackingResult

SHORTEST_NAME = 8
"""To how many characters names are shortened where a table does not fit."""

FEW_ROWS = 12
"""How many rows may become the columns of a table."""


def fitted_table(
    title: str, names: Sequence[str], columns: Sequence[Mapping[str, str]], width: int | None
) -> str:
    """Return a table of systems as one that is no wider than a terminal, or as several.

    Systems are its columns, or else, of a few figures, its rows.

    Args:
        title: What the rows are.
        names: The systems' names, all different.
        columns: For each system, row -> cell; all have the same rows.
        width: The terminal's, in characters; None if it does not matter.
    """

    def fits(table: str) -> bool:
        return width is None or max(map(len, table.splitlines())) <= width

    rows = [[name, *(column[name] for column in columns)] for name in columns[0]]
    if fits(table := text_table([title, *names], rows)):
        return table
    if len(rows) <= FEW_ROWS:
        # A word a line: figures are narrower than what they are called.
        headers = ["system", *(name.replace(" ", "\n") for name in columns[0])]
        for versions in (names, shortened(names, 2 * SHORTEST_NAME)):
            cells = [[name, *c.values()] for name, c in zip(versions, columns, strict=True)]
            if fits(table := text_table(headers, cells)):
                return table
    return text_table([title, *shortened(names, SHORTEST_NAME)], rows, width)


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Return names no longer than so many characters, each different from the others.

    What is left out is marked by an ellipsis, at the end or, where the beginnings are the same,
    before it; where that does not tell names apart, they are numbered.
    """
    for tail in range(longest - 1):
        cut = [_cut(name, longest, tail) for name in names]
        if len(set(cut)) == len(names):
            return cut
    return [_cut(f"{at} {name}", longest, 0) for at, name in enumerate(names, 1)]


def _cut(name: str, longest: int, tail: int) -> str:
    if len(name) <= longest:
        return name
    return f"{name[: longest - 1 - tail]}…{name[len(name) - tail :]}"


def headline_figures(result: TrackingResult) -> dict[str, float]:
    """Return the figures that compact tables and pictures show: heading -> percent."""
    return _figures(result, main_only=True)


def headlines_text(
    names: Sequence[str], results: Sequence[TrackingResult], width: int | None = None
) -> str:
    """Return the figures that are reported most as one table, or several if it is too wide.

    Args:
        names: What to call the systems; all different.
        results: Their results, all with the same values of λ.
        width: The terminal's, in characters; None if it does not matter.
    """
    columns = [cells(headline_figures(result)) for result in results]
    return fitted_table("metric (%)", names, columns, width)


def result_text(result: TrackingResult) -> str:
    """Return all figures of a result as tables."""
    tables: Mapping[str, Mapping[str, float | None]] = {
        "metric (%)": _figures(result),
        "count": {
            "dialogues": result.dialogues,
            "turns": result.turns,
            **{name.replace("_", " "): count for name, count in result.counts.items()},
        },
        "along the dialogue": _patterns(result),
    }
    return "\n\n".join(
        text_table([title, "state tracking"], [*cells(values).items()])
        for title, values in tables.items()
    )


def cells(values: Mapping[str, float | None]) -> dict[str, str]:
    """Return figures as tables show them: percentages with two digits, counts as they are."""
    return {
        title: str(value) if isinstance(value, int) else figure(value, 2)
        for title, value in values.items()
    }


def _figures(result: TrackingResult, main_only: bool = False) -> dict[str, float]:
    return {
        heading: value
        for metric in tracking_metrics().values()
        for heading, value in metric.headings(result.figures, main_only).items()
    }


def _patterns(result: TrackingResult) -> dict[str, float | None]:
    losses, mistakes = result.losses, result.mistakes
    return {
        "dialogues that end inexact": losses.dialogues,
        "of them exact again after a loss": losses.recovered,
        "mean position of their first inexact turn": losses.mean_position,
        "dialogues with mistakes": mistakes.dialogues,
        "tail orientation (TO)": mistakes.tail_orientation,
        "non-uniformity (NU)": mistakes.non_uniformity,
        **{
            f"correlation of {measure} and {metric}": value
            for measure, values in mistakes.correlations.items()
            for metric, value in values.items()
        },
    }
