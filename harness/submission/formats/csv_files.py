"""Tables with one line per turn, and the tables of belief states among them.

The first line names the columns, and commas, tabs or semicolons separate them (`outputs.py`).

DAMD and UBAR save a table whose first column is `dial_id` (`damd.py`); titles and tables of figures
may stand before it (`EVALUATION RESULTS:`, `DECODED RESULTS:`).

A table of belief states has `id` as first column: the dialogue's id, a dash, and the number of the
turn, counted from 1; `total_state` is the predicted state as JSON. There are no responses: such
files are a tracker's.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError, Problems, shown, unquoted
from ...io.files import decoded, encoded, parse_json
from .format import Format, Rows, Standard, TextFile, in_order

NAME = "table of belief states"
ID, STATE = "id", "total_state"

_ID = re.compile(r"(.+)-([1-9][0-9]{0,8})")

_HEADER = re.compile(
    r"""^(?:"?dial_id"?,|"?id"?,(?:[^\r\n]*,)?"?total_state"?[,\r\n])""", re.MULTILINE
)
_COLUMN = re.compile(r"[A-Za-z_][\w .-]{0,40}")
_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is looked for."""


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


def _is_table(content: bytes) -> bool:
    """Return whether a file is a table, and not JSON."""
    start = content[:_SEARCHED]
    encoding = json.detect_encoding(start)
    return _header(start.decode(encoding, errors="replace").removeprefix("\ufeff")) is not None


def _read_table(content: bytes, source: str) -> Rows:
    """Return the rows of a table, each column's name -> text.

    Raises:
        InputError: The file is no text in UTF-8 or no such table.
    """
    text = decoded(content, source).removeprefix("\ufeff")
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
        raise InputError(
            source,
            f"line {line}: not a table of {_SEPARATORS[separator]}-separated values ({error})",
        ) from None
    return Rows(rows, f"{_SEPARATORS[separator]}-separated values")


TEXT = TextFile(_is_table, _read_table)


def _recognises(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(row, Mapping) and ID in row and STATE in row for row in content)
    )


def _read(content: Sequence[Mapping[str, Any]], source: str) -> Standard:
    numbered: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    problems = Problems()
    for line, row in enumerate(content, start=1):
        found = _ID.fullmatch(row[ID]) if isinstance(row[ID], str) else None
        if found is None:
            problems.add(
                f"row {line}",
                f"`{ID}`: expected a dialogue's id, a dash and the turn's number from 1, found "
                f"{shown(row[ID])}",
            )
            continue
        id_, number = found[1], int(found[2])
        place = f"dialogue {unquoted(id_)}, turn {number}"
        turn = {"state": _state(row[STATE], place, problems)}
        numbered.setdefault(id_, []).append((number, turn))
    dialogues = {
        id_: in_order(turns, f"dialogue {unquoted(id_)}", problems, first=1)
        for id_, turns in numbered.items()
    }
    if problems:
        raise InputError(source, problems)
    return Standard(dialogues, f"{NAME} ({ID}, {STATE})")


def _state(written: object, place: str, problems: Problems) -> object:
    """Return a state that is written as JSON, its slots and values yet to be checked."""
    if not isinstance(written, str):
        # Rows that are written as JSON may hold the state itself.
        return written
    try:
        return parse_json(encoded(written), place)
    except InputError as error:
        for problem in error.problems:
            problems.add(place, f"`{STATE}`: {problem}")
        return None


FORMAT = Format(
    name=NAME,
    description="A table of comma-separated values with the columns `id`, a dialogue's id, a dash "
    "and the turn's number from 1, and `total_state`, the predicted state as JSON; for `mwz dst`.",
    recognises=_recognises,
    read=_read,
)
