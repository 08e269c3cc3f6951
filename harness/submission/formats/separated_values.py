"""Tables with one line per turn; the first line names the columns.

Commas, tabs or semicolons separate them. In a table that DAMD or UBAR saves, whose first column is
`dial_id`, titles and tables of figures may stand before that line (`DECODED RESULTS:`).
"""

from __future__ import annotations

import csv
import io
import json
import re

from ...errors import InputError
from ...io.files import decoded

_HEADER = re.compile(r'^"?dial_id"?,', re.MULTILINE)
_COLUMN = re.compile(r"[A-Za-z_][\w .-]{0,40}")
_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is looked for."""


def is_table(content: bytes) -> bool:
    """Return whether a file is a table, and not JSON."""
    start = content[:_SEARCHED]
    text = start.decode(json.detect_encoding(start), errors="replace")
    return _header(text.removeprefix("\ufeff")) is not None


def read_table(content: bytes, source: str) -> list[dict[str, str]]:
    """Return the rows of a table, each column's name -> text.

    Raises:
        InputError: The file is no text in UTF-8 or no such table.
    """
    text = decoded(content, source)
    start, separator = _header(text[:_SEARCHED]) or (0, ",")
    lines = io.StringIO(text, newline="")
    lines.seek(start)
    table = csv.DictReader(lines, delimiter=separator, strict=True)
    rows = []
    try:
        for row in table:
            # A cell beyond the columns would go unread, and so would what belongs before it.
            if None in row:
                raise csv.Error("more cells than columns; quote texts that hold the separator")
            # The index that pandas writes has no name.
            rows.append({name: cell for name, cell in row.items() if name})
    except csv.Error as error:
        line = text.count("\n", 0, start) + table.line_num
        kind = f"{_SEPARATORS[separator]}-separated values"
        raise InputError(source, f"line {line}: not a table of {kind} ({error})") from None
    return rows


def _header(text: str) -> tuple[int, str] | None:
    """Return where a table's line of column names begins and what separates them, if it is one."""
    if text.lstrip()[:1] in ("{", "["):
        return None
    known = _HEADER.search(text)
    if known is not None:
        return known.start(), ","
    line = text.lstrip("\r\n").split("\n", 1)[0].rstrip("\r")
    for separator in _SEPARATORS:
        # Names of columns and, in a table of pandas, the empty one of its index.
        names = [name.strip('"') for name in line.split(separator)]
        named = all(_COLUMN.fullmatch(name) for name in names[not names[0] :])
        if named and len(names) > 1 and len({*names}) == len(names):
            return len(text) - len(text.lstrip("\r\n")), separator
    return None
