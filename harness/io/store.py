"""The store: what is on disk and can be trusted when it is read again.

- A *sealed file* has two parts: a line of JSON, which says what the file is and the SHA-256 of the
  rest, and the rest: a document, or bytes. Installed benchmarks and gold states are such files.
- A `Store` keeps what can be computed again, each in a sealed file under a key that holds all it
  depends on. Several processes may use it at once. A damaged file counts as missing; in a folder
  that cannot be written nothing is kept. What was not used for longest goes first.
- A *checksum* is a field of a document that shows whether it was edited.

Files are written by one replace each, so they are whole or as they were.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from mwz.normalization.rules.registry import digest_of_json, folder_of, sha256

from ..errors import InputError
from .files import parse_json, read_bytes, write_atomically

DATA_VARIABLE = "MWZ_DATA"
CACHE_VARIABLE = "MWZ_CACHE"

SEALED_SUFFIX = ".json.gz"
DAMAGED = "damaged or edited"

_CHECKSUM = "checksum"
_MOST_FILES = 2000
_MOST_BYTES = 64 << 20


def data_directory() -> Path:
    """Return where benchmarks are: `$MWZ_DATA`, or the platform's place for user data."""
    chosen = os.environ.get(DATA_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("multiwoz-harness")


def cache_directory() -> Path:
    """Return where stores are: `$MWZ_CACHE`, or a folder of the data directory."""
    chosen = os.environ.get(CACHE_VARIABLE)
    return Path(chosen) if chosen else data_directory() / "cache"


@cache
def installed_version(package: str) -> str:
    """Return the version of an installed package; looking it up takes a millisecond."""
    return version(package)


@cache
def code_digest() -> str:
    """Return what changes with a file of the package, NumPy or sacreBLEU.

    The package's version would not do: unreleased code changes without it.
    """
    found = [installed_version("numpy"), installed_version("sacrebleu")]
    for package in ("normalization", "database", "harness"):
        root = str(folder_of(f"mwz.{package}"))
        files = _files(root, (".py", ".toml"))
        found += sorted(f"{path.removeprefix(root)} {size} {at}" for path, size, at in files)
    return sha256("\n".join(found))


def _files(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of change of the files in and below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, suffixes)
            elif entry.name.endswith(suffixes):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns


# ------------------------------------------------------------------------------ sealed files


def write_sealed(path: Path, document: object, format_: object) -> None:
    """Write a document to a gzipped sealed file.

    Raises:
        InputError: The file cannot be written.
    """
    body = json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
    # No time stamp: the same document is the same bytes.
    write_atomically(path, gzip.compress(_sealed(body, format_), compresslevel=6, mtime=0))


def read_sealed(path: Path, format_: object) -> Any:
    """Return the document of a sealed file.

    Raises:
        InputError: The file is missing, of another format, damaged or edited.
    """
    body = _unsealed(path, format_)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return parse_json(body, str(path))


def _sealed(body: bytes, format_: object) -> bytes:
    return json.dumps({"format": format_, "sha256": sha256(body)}).encode() + b"\n" + body


def _unsealed(path: Path, format_: object) -> bytes:
    source = str(path)
    first, _, body = read_bytes(path).partition(b"\n")
    header = parse_json(first, source)
    if not isinstance(header, dict) or header.get("format") != format_:
        raise InputError(source, "written by another version of the harness")
    if header.get("sha256") != sha256(body):
        raise InputError(source, DAMAGED)
    return body


# ---------------------------------------------------------------------------------- the store


class Store:
    """What is kept of one kind, each under a key: JSON types that hold all it depends on.

    Args:
        kind: The name of its folder.
        files: How many files it has at most.
        size: How many bytes they have together at most; one file may always be there.
    """

    def __init__(self, kind: str, files: int = _MOST_FILES, size: int = _MOST_BYTES) -> None:
        self._kind = kind
        self._files = files
        self._bytes = size

    def get(self, key: object) -> Any:
        """Return the document stored under a key; None if there is none, or it is damaged."""
        content = self.get_bytes(key)
        try:
            return None if content is None else json.loads(content)
        except (ValueError, RecursionError):
            return None

    def put(self, key: object, document: object) -> None:
        """Store a document, if the folder can be written."""
        self.put_bytes(key, json.dumps(document, ensure_ascii=False).encode())

    def get_bytes(self, key: object) -> bytes | None:
        """Return the bytes stored under a key; None if there are none, or they are damaged."""
        path = self._path(key)
        try:
            # A copy of another file has the name of that file in its first line.
            content = _unsealed(path, path.name)
        except InputError:
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return content

    def put_bytes(self, key: object, content: bytes) -> None:
        """Store bytes, if the folder can be written."""
        path = self._path(key)
        with contextlib.suppress(InputError):
            write_atomically(path, _sealed(content, path.name))
            self._make_room(path.parent)

    def is_writable(self) -> bool:
        """Return whether anything can be stored."""
        there = (each for each in (self._folder, *self._folder.parents) if each.exists())
        return os.access(next(there), os.W_OK)

    @property
    def _folder(self) -> Path:
        return cache_directory().absolute() / self._kind

    def _path(self, key: object) -> Path:
        return self._folder / digest_of_json(key)

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


# ---------------------------------------------------------------------------------- checksums


def with_checksum(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with a checksum, which shows whether it is edited."""
    return {**content, _CHECKSUM: digest_of_json(content)}


def take_checksum(document: dict[str, Any]) -> bool:
    """Take the checksum out of a document that was just read; return whether it is right."""
    stated = document.pop(_CHECKSUM, None)
    return bool(stated == digest_of_json(document))
