"""Tables of turns: the comma-separated file that DAMD and UBAR save, one line per turn.

Titles and tables of figures may stand before it (`EVALUATION RESULTS:`, `DECODED RESULTS:`); the
turns begin with the line whose first column is `dial_id`.
"""

from __future__ import annotations

import csv
import io
import re

from ..errors import InputError

_HEADER = re.compile(rb'^"?dial_id"?,', re.MULTILINE)
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the first column's name is looked for."""


def is_table(content: bytes) -> bool:
    """Return whether a file is a table of turns, and not JSON."""
    start = content[:_SEARCHED].removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] not in (b"{", b"[", b'"') and _HEADER.search(start) is not None


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
        return list(csv.DictReader(text, strict=True))
    except UnicodeDecodeError:
        raise InputError(source, "not text in UTF-8") from None
    except csv.Error as error:
        raise InputError(source, f"not a table of comma-separated values ({error})") from None
