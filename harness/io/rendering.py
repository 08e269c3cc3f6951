"""Tables as people read them, in a terminal or in Markdown."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import TypeAlias

from tabulate import tabulate

from .. import errors

Cell: TypeAlias = "str | int | float | None"


def text_table(
    headers: Sequence[str], rows: Sequence[Sequence[Cell]], width: int | None = None
) -> str:
    """Return an aligned table for a terminal: text flush left, columns of figures right.

    A table that is wider than the terminal is cut between columns into several, each of which
    begins with the first column.

    Args:
        headers: Titles of the columns.
        rows: The cells.
        width: Characters in a line; by default those of the terminal, if it is one.
    """
    rows = [[printable(str(cell)) if isinstance(cell, str) else cell for cell in r] for r in rows]
    table = _table(headers, rows, "simple")
    limit = width or terminal_width()
    if limit is None or len(headers) < 3 or max(map(len, table.splitlines())) <= limit:
        return table
    # The rule under the titles is as wide as the columns are.
    widths = [len(dashes) for dashes in table.splitlines()[1].split()]
    tables = []
    for columns in _chunks(widths, limit):
        part = [[row[column] for column in columns] for row in rows]
        tables.append(_table([headers[column] for column in columns], part, "simple"))
    return "\n\n".join(tables)


_USUAL_WIDTH = 80
"""Characters of a terminal that does not say."""


def terminal_width() -> int | None:
    """Return how many characters a line of standard output has; None if it is no terminal."""
    stdout = sys.stdout
    if stdout is None or not stdout.isatty():
        return None
    # Not by `shutil`, which asks the stream that Python began with.
    columns = os.environ.get("COLUMNS", "")
    width = int(columns) if columns.isdecimal() else os.get_terminal_size(stdout.fileno()).columns
    return width or _USUAL_WIDTH


def wrapped(text: str) -> str:
    """Return a sentence in lines that fit the terminal; in one line where output is no terminal."""
    width = terminal_width()
    return text if width is None else textwrap.fill(text, width, break_long_words=False)


def _chunks(widths: Sequence[int], limit: int) -> list[list[int]]:
    """Return which columns stand together, the first one in every part."""
    chunks: list[list[int]] = [[0]]
    used = widths[0]
    for column in range(1, len(widths)):
        if used + 2 + widths[column] > limit and len(chunks[-1]) > 1:
            chunks.append([0])
            used = widths[0]
        chunks[-1].append(column)
        used += 2 + widths[column]
    return chunks


def printable(text: str) -> str:
    """Return lines of text in which any other control characters are written as escapes."""
    return errors.printable(text, allowed="\n\t")


def drawn(name: str) -> str:
    """Return a name as a picture shows it: in one line, and as it is.

    matplotlib reads what stands between dollars as formulae, and hides what begins with a stroke.
    """
    plain = printable(" ".join(name.split())).replace("$", r"\$")
    return f" {plain}" if plain.startswith("_") else plain


# What marks text up anywhere, makes a link of a bare address, or begins a list.
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>()#+!|~$&]|:(?=//)|(?<=www)\.|^-)", re.IGNORECASE)
_NUMBERED = re.compile(r"^(\d+)\.(?= |$)")


def escaped(text: str) -> str:
    """Return a text as Markdown that shows it as it is, in one line."""
    line = " ".join(text.split())
    return _NUMBERED.sub(r"\1\\.", _MARKDOWN.sub(r"\\\1", line))


def escaped_cell(text: str) -> str:
    """Return a cell of a Markdown table: a figure as it is, any other text escaped."""
    return text if is_figure(text) else escaped(text)


def markdown_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table in GitHub's Markdown, aligned in the source as well."""
    return _table(headers, rows, "pipe")


def figure(value: float | None, digits: int = 1) -> str:
    """Return a number with a fixed number of digits; a dash for what was not computed."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    # What rounds to nothing has no sign.
    return text if float(text) else text.removeprefix("-")


def signed(value: float, digits: int = 1) -> str:
    """Return a difference with its sign; one that rounds to nothing has none."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def is_figure(cell: Cell) -> bool:
    """Return whether a cell is a number, with bound, unit or deviation, bold or not, or a dash."""
    return _FIGURE.fullmatch(str(cell)) is not None


_FIGURE = re.compile(r"(\*\*)?((?:≥ )?[+-]?\d[\d.]*( %)?( ± [\d.]+)?|–)?(\*\*)?")


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str) -> str:
    columns = zip(*rows, strict=True)
    alignment = ["right" if all(map(is_figure, column)) else "left" for column in columns] or None
    # Numbers come formatted: tabulate must neither parse nor pad them.
    return tabulate(rows, headers, tablefmt=style, colalign=alignment, disable_numparse=True)
