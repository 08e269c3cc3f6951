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
        rows: list[Mapping[str, Any]] = []
        for table in tables:
            if table.columns == tables[0].columns:
                rows += table.data
        return csv_text(rows)
    if format_ == "json":
        return to_json({table.name: list(table.data) for table in tables})
    written: list[str] = []
    for table in tables:
        if format_ == "latex":
            written.append(_latex(table))
            continue
        title, notes = table.title, list(table.notes)
        if format_ == "md":
            title = f"## {title}"
            notes = [f"- {escaped(note)}" for note in notes]
            headers = list(map(escaped, table.headers))
            body = markdown_table(headers, _cells(table, escaped_cell, "**%s**"))
        else:
            body = text_table(table.headers, table.rows)
        written += filter(None, [title, body, "\n".join(notes)])
    return "\n\n".join(written) + "\n"


def best_cells(
    values: Sequence[Sequence[float | None]], texts: Sequence[Sequence[str]]
) -> set[tuple[int, int]]:
    """Return the cells that are the best, the greatest, of at least two in their column.

    Cells that look like the best one are the best as well: what is not shown is no reason to
    prefer one of them.

    >>> sorted(best_cells([[1.04, None], [1.02, 3.0]], [["1.0", "-"], ["1.0", "3.0"]]))
    [(0, 0), (1, 0)]

    Args:
        values: Per row, per column, the value that decides; None where there is none, or none that
            may be compared.
        texts: The cells as they are shown.

    Returns:
        Row and column of each.
    """
    best: set[tuple[int, int]] = set()
    for column, of_rows in enumerate(zip(*values, strict=True)):
        by_row = {row: value for row, value in enumerate(of_rows) if value is not None}
        if len(by_row) > 1:
            greatest = max(by_row, key=by_row.__getitem__)
            shown = texts[greatest][column]
            best |= {(row, column) for row in by_row if texts[row][column] == shown}
    return best


def csv_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with the columns of all of them; nothing where there are no rows."""
    out = io.StringIO()
    names: dict[str, None] = {}
    for row in rows:
        names.update(dict.fromkeys(row))
    writer = csv.DictWriter(out, list(names), lineterminator="\n")
    if rows:
        writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _cells(table: Table, escape: Callable[[str], str], bold: str) -> list[list[str]]:
    """Return a table's cells as they are shown.

    Args:
        table: The table.
        escape: Returns the text of a cell so that it is shown as it is.
        bold: What the best cells are shown within, with `%s` in their place.
    """
    rows = [[*map(escape, cells)] for cells in table.rows]
    for row, column in table.best:
        rows[row][column] = bold % rows[row][column]
    return rows


def _latex(table: Table) -> str:
    """Return a table for LaTeX with booktabs."""
    lines: list[str] = []
    for note in table.notes:
        lines += [f"% {line}" for line in note.splitlines()]
    headers = [in_latex(header) for header in table.headers]
    cells = _cells(table, in_latex, "\\textbf{%s}")
    # tabulate's style for booktabs would escape once more what is in LaTeX already.
    tabular = _table(headers, cells, "latex_raw", table.rows)
    for rule in ("\\toprule", "\\midrule", "\\bottomrule"):
        tabular = tabular.replace("\\hline", rule, 1)
    lines += ["% needs \\usepackage{booktabs}", "\\begin{table}", "\\centering"]
    lines += [f"\\caption{{{in_latex(table.title)}}}", tabular, "\\end{table}"]
    return "\n".join(lines)


_LATEX: Mapping[str, str] = {
    "&": "\\&",
    "%": "\\%",
    "$": "\\$",
    "#": "\\#",
    "_": "\\_",
    "{": "\\{",
    "}": "\\}",
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
    cells: list[list[Cell]] = []
    for row in rows:
        cells.append([printable(cell) if isinstance(cell, str) else cell for cell in row])
    # A stream is None if the shell closed it.
    if width is None and sys.stdout is not None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    table = _table(headers, cells, "simple")
    count = len(headers)
    while width is not None and count > 2 and max(map(len, table.splitlines())) > width:
        count -= 1
        table = _table(headers[:count], [row[:count] for row in cells], "simple")
    if count == len(headers):
        return table
    further = [[row[0], *row[count:]] for row in cells]
    return f"{table}\n\n{text_table([headers[0], *headers[count:]], further, width)}"


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
    """Return a number with a fixed number of digits; a dash for what was not computed.

    >>> figure(93.75), figure(-0.01), figure(None)
    ('93.8', '0.0', '–')
    """
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    # A number that rounds to zero has no sign.
    return text if float(text) else text.removeprefix("-")


def signed(value: float, digits: int = 1) -> str:
    """Return a difference with its sign; one that rounds to zero has none.

    >>> signed(1.25, digits=2), signed(-0.01)
    ('+1.25', '0.0')
    """
    text = f"{value:+.{digits}f}"
    return text if float(text) else text[1:]


def is_figure(cell: Cell) -> bool:
    """Return whether a cell is a number, with bound, unit or deviation, bold or not, or a dash."""
    return _FIGURE.fullmatch(str(cell)) is not None


_FIGURE = re.compile(r"(\*\*)?((?:≥ ?)?[+-]?\d[\d.]*( %)?( ± ?[\d.]+)?|–)?(\*\*)?")


def _table(
    headers: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    style: str,
    plain_rows: Sequence[Sequence[Cell]] | None = None,
) -> str:
    """Return a table as tabulate writes it in one of its styles, columns of figures at the right.

    Args:
        headers: Titles of the columns.
        rows: The cells as they are written.
        style: The style.
        plain_rows: The cells without marks of the style, if that has any.
    """
    alignment = []
    for column in zip(*(rows if plain_rows is None else plain_rows), strict=True):
        # A figure that is marked as significant is one as well.
        are_figures = all(is_figure(str(cell).rstrip("\\*") or cell) for cell in column)
        alignment.append("right" if are_figures else "left")
    # Numbers come formatted: tabulate must neither parse nor pad them.
    return tabulate(rows, headers, style, colalign=alignment or None, disable_numparse=True)


# Pictures.

SUFFIXES = ("svg", "png", "pdf")

# A fixed salt, and no dates, make the same picture the same file.
_SETTINGS: Any = {
    "font.size": 10,
    "hatch.linewidth": 0.6,
    "svg.hashsalt": "mwz",
    "pdf.fonttype": 42,
}
_UNDATED: Mapping[str, Mapping[str, None]] = {
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
        suffixes = " or ".join(f".{known}" for known in SUFFIXES)
        problem = f"pictures are written as {suffixes}; give one of these suffixes"
        raise errors.InputError(path, problem)
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
    # Imports matplotlib late: it takes long, and most runs draw nothing.
    import matplotlib as mpl

    with mpl.rc_context(_SETTINGS):
        written = io.BytesIO()
        draw().savefig(written, format=suffix, dpi=200, metadata=_UNDATED[suffix])
    write_atomically(Path(path), written.getvalue())
