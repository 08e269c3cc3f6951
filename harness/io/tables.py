"""Tables for a terminal, in Markdown, LaTeX, CSV and JSON, their cells; and files of pictures.

What is shown is made of `Table`s; in which format is the reader's choice alone. The format of a
picture is its file's suffix, and the same content is the same bytes.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from tabulate import tabulate

from .. import errors
from .files import to_json, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def best_cells(values: Sequence[Sequence[float | None]], texts: Sequence[Sequence[str]]) -> Any:
    """Return the cells that are the best, the greatest, of at least two in their column.

    Of two that look the same both are: what is not shown is no reason to prefer one.

    Args:
        values: Per row, per column, the value that decides; None where there is none, or none that
            may be compared.
        texts: The cells as they are shown.

    Returns:
        A set of (row, column).
    """
    best = set()
    for column, of_rows in enumerate(zip(*values, strict=True)):
        of_row = {row: value for row, value in enumerate(of_rows) if value is not None}
        if len(of_row) > 1:
            first = max(of_row, key=of_row.__getitem__)
            best |= {(row, column) for row in of_row if texts[row][column] == texts[first][column]}
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


def _cells(table: Table, escape: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return a table's cells as they are shown; of the best ones, within `bold`, for `%s`."""
    return [
        [
            bold % escape(cell) if (row, column) in table.best else escape(cell)
            for column, cell in enumerate(cells)
        ]
        for row, cells in enumerate(table.rows)
    ]


def _markdown(table: Table) -> str:
    rows = _cells(table, escaped_cell, "**%s**")
    notes = "\n".join(f"- {escaped(note)}" for note in table.notes)
    body = markdown_table([escaped(header) for header in table.headers], rows)
    return "\n\n".join(filter(None, [f"## {table.title}", body, notes]))


def _text(table: Table) -> str:
    body = text_table(table.headers, table.rows)
    return "\n\n".join(filter(None, [table.title, body, "\n".join(table.notes)]))


def _latex(table: Table) -> str:
    """Return a table for LaTeX with booktabs."""
    columns = [[row[column] for row in table.rows] for column in range(len(table.headers))]
    kinds = ["r" if cells and all(map(_is_number, cells)) else "l" for cells in columns]
    rows = [[*map(in_latex, table.headers)], *_cells(table, in_latex, "\\textbf{%s}")]
    header, *lines = (f"{' & '.join(row)} \\\\" for row in rows)
    return "\n".join(
        [
            *(f"% {line}" for note in table.notes for line in note.splitlines()),
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{in_latex(table.title)}}}",
            f"\\begin{{tabular}}{{{''.join(kinds)}}}",
            *("\\toprule", header, "\\midrule", *lines, "\\bottomrule"),
            "\\end{tabular}",
            "\\end{table}",
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


# One table, and texts and figures of cells.

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
    # A stream is None if the shell closed it.
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    limit = width or (shutil.get_terminal_size().columns if is_terminal else None)
    table, count = _table(headers, rows, "simple"), len(headers)
    while limit is not None and count > 2 and max(map(len, table.splitlines())) > limit:
        count -= 1
        table = _table(headers[:count], [row[:count] for row in rows], "simple")
    if count == len(headers):
        return table
    further = [[row[0], *row[count:]] for row in rows]
    return f"{table}\n\n{text_table([headers[0], *headers[count:]], further, limit)}"


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


def html_table(headers: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Return a table in HTML, its texts escaped."""
    return _table(headers, rows, "html")


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


def _is_number(cell: Cell) -> bool:
    """Return whether a cell is a figure, marked as significant or not."""
    return is_figure(str(cell).rstrip("\\*") or cell)


_FIGURE = re.compile(r"(\*\*)?((?:≥ ?)?[+-]?\d[\d.]*( %)?( ± ?[\d.]+)?|–)?(\*\*)?")


def _table(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str) -> str:
    columns = zip(*rows, strict=True)
    alignment = ["right" if all(map(_is_number, column)) else "left" for column in columns] or None
    # Numbers come formatted: tabulate must neither parse nor pad them.
    return tabulate(rows, headers, tablefmt=style, colalign=alignment, disable_numparse=True)


# Pictures.

SUFFIXES = ("svg", "png", "pdf")

# A fixed salt, and no dates, make the same picture the same file.
_SETTINGS: Any = {
    "font.size": 10,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "mwz",
    "pdf.fonttype": 42,
}
_UNDATED: Mapping[str, Mapping[str, Any]] = {
    "svg": {"Date": None},
    "png": {},
    "pdf": {"CreationDate": None},
}


def picture_format(path: str) -> str:
    """Return the format that a picture is written in, by its file's suffix.

    Raises:
        InputError: It is not one of `SUFFIXES`, or matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        problem = "pictures need matplotlib (the extra `plot`): pip install matplotlib"
        raise errors.InputError(path, problem)
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in SUFFIXES:
        suffixes = " or ".join(f".{one}" for one in SUFFIXES)
        raise errors.InputError(
            path, f"pictures are written as {suffixes}; give one of these suffixes"
        )
    return suffix


def write_picture(path: str, draw: Callable[[], Figure]) -> None:
    """Draw a picture and write it.

    Args:
        path: Where to write; the suffix, one of `SUFFIXES`, is the format.
        draw: Draws it, under the settings that all pictures have in common.

    Raises:
        InputError: The suffix is another, or the file cannot be written.
    """
    suffix = picture_format(path)
    # matplotlib takes long to import, and most runs draw nothing.
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        written = io.BytesIO()
        draw().savefig(written, format=suffix, dpi=200, metadata=_UNDATED[suffix])
    write_atomically(Path(path), written.getvalue())
