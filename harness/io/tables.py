"""Tables in every format: for a terminal, in Markdown, LaTeX, CSV and JSON.

What is shown is made of `Table`s; in which format is the reader's choice alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .files import to_json
from .rendering import escaped, escaped_cell, is_figure, markdown_table, text_table, wrapped

FORMATS = ("text", "md", "latex", "csv", "json")


@dataclass(frozen=True)
class Table:
    """A table to be shown in any format.

    Attributes:
        name: Its key in JSON.
        title: Its heading.
        headers: Titles of the columns.
        rows: The cells, as people read them.
        data: The rows as JSON types.
        notes: What is to be said below it; in LaTeX, comments.
        best: The cells (row, column) that are the best of their column: bold, where there is bold.
    """

    name: str
    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    data: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()
    best: Collection[tuple[int, int]] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The keys of its rows in JSON and CSV."""
        return tuple(self.data[0]) if self.data else ()


def formatted(tables: Sequence[Table], format_: str) -> str:
    """Return tables in one of `FORMATS`.

    CSV, which holds one table, has the rows of the first and of those with the same columns, and no
    notes.
    """
    if format_ == "csv":
        return csv_text([row for t in tables if t.columns == tables[0].columns for row in t.data])
    if format_ == "json":
        return to_json({table.name: list(table.data) for table in tables})
    return "\n\n".join(_WRITTEN[format_](table) for table in tables) + "\n"


def best_cells(values: Sequence[Sequence[float | None]], shown: Sequence[Sequence[str]]) -> Any:
    """Return the cells that are the best, the greatest, of at least two in their column.

    Of two that look the same both are: what is not shown is no reason to prefer one.

    Args:
        values: Per row, per column, the value that decides; None where there is none, or none that
            may be compared.
        shown: The cells as they are shown.

    Returns:
        A set of (row, column).
    """
    best = set()
    for column, of_rows in enumerate(zip(*values, strict=True)):
        known = {row: value for row, value in enumerate(of_rows) if value is not None}
        if len(known) > 1:
            first = max(known, key=known.__getitem__)
            best |= {(row, column) for row in known if shown[row][column] == shown[first][column]}
    return best


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with the columns of all of them; nothing where there are no rows."""
    out = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(out, list(names), lineterminator="\n")
    if rows:
        writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _cells(table: Table, shown: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return a table's cells as they are shown; of the best ones, within `bold`, for `%s`."""
    return [
        [
            bold % shown(cell) if (row, column) in table.best else shown(cell)
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


def _markdown(table: Table) -> str:
    rows = _cells(table, escaped_cell, "**%s**")
    notes = "\n".join(f"- {escaped(note)}" for note in table.notes)
    shown = markdown_table([escaped(header) for header in table.headers], rows)
    return "\n\n".join(filter(None, [f"## {table.title}", shown, notes]))


def _text(table: Table) -> str:
    shown = text_table(table.headers, table.rows)
    return "\n\n".join(filter(None, [table.title, shown, "\n".join(map(wrapped, table.notes))]))


def _latex(table: Table) -> str:
    """Return a table for LaTeX with booktabs."""
    columns = [[row[column] for row in table.rows] for column in range(len(table.headers))]
    kinds = ["r" if cells and all(map(is_figure, cells)) else "l" for cells in columns]
    rows = _cells(table, in_latex, "\\textbf{%s}")
    return "\n".join(
        [
            *(f"% {line}" for note in table.notes for line in note.splitlines()),
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{in_latex(table.title)}}}",
            latex_tabular("".join(kinds), table.headers, rows),
            "\\end{table}",
        ]
    )


def latex_tabular(kinds: str, headers: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table's cells for LaTeX: the kinds of columns, and the rows as LaTeX already."""
    lines = [f"{' & '.join(row)} \\\\" for row in (map(in_latex, headers), *rows)]
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{kinds}}}",
            *("\\toprule", lines[0], "\\midrule", *lines[1:], "\\bottomrule"),
            "\\end{tabular}",
        ]
    )


_LATEX: Mapping[str, str] = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": "\\textbackslash{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
    # A bracket after the end of a row would be taken for its height.
    "[": "{[}",
    "]": "{]}",
    "–": "--",
    "’": "'",
    "…": "\\dots{}",
    "±": "$\\pm$",
    "×": "$\\times$",
    "−": "$-$",
    "≠": "$\\neq$",
    "≥": "$\\geq$",
    "λ": "$\\lambda$",
    "→": "$\\to$",
}
_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def in_latex(text: str) -> str:
    """Return a text as LaTeX that shows it as it is, in one line."""
    return _SPECIAL.sub(lambda sign: _LATEX[sign[0]], " ".join(text.split()))


_WRITTEN = {"text": _text, "md": _markdown, "latex": _latex}
