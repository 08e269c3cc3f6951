"""Documents in the data directory: JSON, gzipped, with the version of their layout."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io.files import parse_json, read_bytes, write_atomically

SUFFIX = ".json.gz"
DAMAGED = "damaged or edited"


def write_document(path: Path, document: object, format_: object) -> None:
    """Write a document, all or nothing.

    Args:
        path: Where to.
        document: JSON types.
        format_: The version of its layout.

    Raises:
        InputError: The file cannot be written.
    """
    whole = {"format": format_, "content": document}
    body = json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()
    # No time stamp: the same document is the same bytes.
    write_atomically(path, gzip.compress(body, compresslevel=6, mtime=0))


def read_document(path: Path, format_: object) -> Any:
    """Return a document.

    Raises:
        InputError: The file is missing, damaged, or has another layout.
    """
    whole = parse_json(read_bytes(path), str(path))
    if not isinstance(whole, dict) or whole.get("format") != format_:
        raise InputError(str(path), "written by another version of the harness")
    return whole["content"]
