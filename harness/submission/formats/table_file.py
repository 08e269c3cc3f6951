"""Tables of turns: comma-separated files with one line per turn.

DAMD and UBAR save one whose first column is `dial_id`; titles and tables of figures may stand
before it (`EVALUATION RESULTS:`, `DECODED RESULTS:`). Tables of belief states have `id` as first
column, and `total_state`.
"""

from __future__ import annotations

import csv
import io
import re

from ...errors import InputError
from .format import TextFile

_HEADER = re.compile(
    rb"""^(?:"?dial_id"?,|"?id"?,(?:[^\r\n]*,)?"?total_state"?[,\r\n])""", re.MULTILINE
)
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is looked for."""


def is_table(content: bytes) -> bool:
    """Return whether a file is a table of turns, and not JSON."""
    start = content[:_SEARCHED].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] not in (b"{", b"[") and _HEADER.search(start) is not None


def read_table(content: bytes, source: str) -> list[dict[str, str]]:
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


TEXT = TextFile(is_table, read_table)
