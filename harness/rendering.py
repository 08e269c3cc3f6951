"""Tables as people read them, in a terminal or in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from tabulate import tabulate

Cell: TypeAlias = "str | int | float | None"


def text_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return an aligned table for a terminal: text flush left, columns of figures right."""
    return _table(headers, rows, "simple")


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table in GitHub's Markdown, aligned in the source as well."""
    return _table(headers, rows, "pipe")


def figure(value: float | None, digits: int = 1) -> str:
    """Return a number with a fixed number of digits; a dash for what was not computed."""
    return "–" if value is None else f"{value:.{digits}f}"


def signed(value: float, digits: int = 1) -> str:
    """Return a difference with its sign; one that rounds to nothing has none."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def _is_figure(cell: Cell) -> bool:
    return _FIGURE.fullmatch(str(cell)) is not None


_FIGURE = re.compile(r"([+-]?\d[\d.]*( %)?( ± [\d.]+)?|–)?")


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str) -> str:
    columns = zip(*rows, strict=True)
    alignment = ["right" if all(map(_is_figure, column)) else "left" for column in columns] or None
    # Numbers come formatted: tabulate must neither parse nor pad them.
    return tabulate(rows, headers, tablefmt=style, colalign=alignment, disable_numparse=True)
