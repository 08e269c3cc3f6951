"""Files that tell whether they are as they were written.

A sealed file is gzipped and has two lines of JSON: what the file is, with the SHA-256 of the second
line, and the document. It is written all or nothing, so that an interrupted installation leaves
what was there before.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..files import parse_json, read_bytes, write_atomically

SEALED_SUFFIX = ".json.gz"


def write_sealed(path: Path, document: object, format_: object) -> None:
    """Write a document to a file that tells its format and whether it was changed since.

    Raises:
        InputError: The file cannot be written.
    """
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    header = json.dumps({"format": format_, "sha256": hashlib.sha256(body).hexdigest()}).encode()
    # No time stamp: the same document is the same bytes.
    write_atomically(path, gzip.compress(header + b"\n" + body, compresslevel=6, mtime=0))


def read_sealed(path: Path, format_: object) -> Any:
    """Return the document of a file that is as it was written.

    Raises:
        InputError: It is not, or is missing.
    """
    source = str(path)
    first, _, body = read_bytes(path).partition(b"\n")
    header = parse_json(first, source)
    if not isinstance(header, dict) or header.get("format") != format_:
        raise InputError(source, "written by another version of the harness")
    if header.get("sha256") != hashlib.sha256(body).hexdigest():
        raise InputError(source, "damaged or edited")
    # Its own document is as it was written: there is no key twice to look for.
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return parse_json(body, source)
