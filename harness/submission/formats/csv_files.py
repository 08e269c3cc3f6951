"""Comma-separated files with one line per turn, and the tables of belief states among them.

DAMD and UBAR save a table whose first column is `dial_id` (`damd.py`); titles and tables of figures
may stand before it (`EVALUATION RESULTS:`, `DECODED RESULTS:`).

A table of belief states has `id` as first column: the dialogue's id, a dash, and the number of the
turn, counted from 1; `total_state` is the predicted state as JSON. There are no responses: such
files are a tracker's.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError, Problems, shown, unquoted
from ...io.files import encoded, parse_json
from .format import Format, Standard, TextFile, in_order

NAME = "table of belief states"
ID, STATE = "id", "total_state"

_ID = re.compile(r"(.+)-([1-9][0-9]{0,8})")

_HEADER = re.compile(
    rb"""^(?:"?dial_id"?,|"?id"?,(?:[^\r\n]*,)?"?total_state"?[,\r\n])""", re.MULTILINE
)
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is looked for."""


def _is_table(content: bytes) -> bool:
    """Return whether a file is a table of turns, and not JSON."""
    start = content[:_SEARCHED].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] not in (b"{", b"[") and _HEADER.search(start) is not None


def _read_table(content: bytes, source: str) -> list[dict[str, str]]:
    """Return the rows of a table of turns, each column's name -> text.

    Raises:
        InputError: The file is no text in UTF-8 or no such table.
    """
    header = _HEADER.search(content)
    start = header.start() if header is not None else 0
    try:
        lines = io.BytesIO(content)
        lines.seek(start)
        text = io.TextIOWrapper(lines, encoding="utf-8", newline="")
        rows = csv.DictReader(text, strict=True)
        return list(rows)
    except UnicodeDecodeError:
        raise InputError(source, "not text in UTF-8") from None
    except csv.Error as error:
        line = content.count(b"\n", 0, start) + rows.line_num
        raise InputError(
            source, f"line {line}: not a table of comma-separated values ({error})"
        ) from None


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
