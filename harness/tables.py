"""Tables as people read them, in a terminal or in Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from tabulate import tabulate

Cell: TypeAlias = "str | int | float | None"


def text_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return an aligned table for a terminal; the first column is flush left, numbers right."""
    return _table(headers, rows, "simple")


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table in GitHub's Markdown, aligned in the source as well."""
    return _table(headers, rows, "pipe")


def figure(value: float | None, digits: int = 1) -> str:
    """Return a number with a fixed number of digits; a dash for what was not computed."""
    return "–" if value is None else f"{value:.{digits}f}"


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str) -> str:
    alignment = ["left", *["right"] * (len(headers) - 1)]
    # Numbers come formatted: tabulate must neither parse nor pad them.
    return tabulate(rows, headers, tablefmt=style, colalign=alignment, disable_numparse=True)
