"""Documents that are kept to be shown again: under a name made of all that they depend on.

A document is kept with its own hash, and is trusted only if it is as it was written. Several
processes may read and write at once: files are written all or nothing, and what is gone is made
again. What was not used for longest goes first when there is too much.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from functools import cache
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..digests import digest_of_json
from ..errors import InputError
from ..files import read_stored, write_atomically
from .installed import data_directory

CACHE_VARIABLE = "MWZ_CACHE"

_MOST_FILES = 2000
_MOST_BYTES = 64 << 20


def cache_directory() -> Path:
    """Return where documents are kept: `$MWZ_CACHE`, or a folder of the data directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else data_directory() / "cache"


@cache
def code_digest() -> str:
    """Return what changes if a file of the package does, or NumPy: versions do not tell all."""
    found = [version("numpy")]
    for package in ("normalization", "database", "harness"):
        root = resources.files(f"mwz.{package}")
        if isinstance(root, Path):
            for path in sorted([*root.rglob("*.py"), *root.rglob("*.toml")]):
                status = path.stat()
                found.append(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(found).encode()).hexdigest()


class Kept:
    """Documents of one kind.

    Args:
        kind: The name of their folder.
        files: How many are kept at most.
        size: How many bytes they may have together.
    """

    def __init__(self, kind: str, files: int = _MOST_FILES, size: int = _MOST_BYTES) -> None:
        self._kind = kind
        self._files = files
        self._bytes = size

    def get(self, identity: object) -> Any:
        """Return the document kept for what it depends on; None if there is none as written."""
        path = self._path(identity)
        try:
            content = json.loads(read_stored(path))
        except (InputError, ValueError, RecursionError):
            return None
        if not isinstance(content, dict) or set(content) != {"sha256", "of", "document"}:
            return None
        if content["sha256"] != digest_of_json([content["of"], content["document"]]):
            return None
        # A file that was put in the place of another is none of it.
        if content["of"] != path.stem:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return content["document"]

    def put(self, identity: object, document: object) -> None:
        """Keep a document; where that cannot be, as in somebody else's folder, it is not kept."""
        path = self._path(identity)
        content = {
            "sha256": digest_of_json([path.stem, document]),
            "of": path.stem,
            "document": document,
        }
        with contextlib.suppress(InputError):
            write_atomically(path, json.dumps(content, ensure_ascii=False))
            self._make_room(path.parent)

    def _path(self, identity: object) -> Path:
        return cache_directory() / self._kind / f"{digest_of_json(identity)}.json"

    def _make_room(self, folder: Path) -> None:
        with contextlib.suppress(OSError):
            found = []
            for entry in os.scandir(folder):
                # Another process may have removed it meanwhile.
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    found.append((status.st_mtime_ns, status.st_size, entry.path))
            found.sort(reverse=True)
            total = 0
            for number, (_, size, path) in enumerate(found, start=1):
                total += size
                if number > self._files or (total > self._bytes and number > 1):
                    with contextlib.suppress(OSError):
                        os.unlink(path)
