"""What is on this machine: where data is kept, and which code reads it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import platformdirs

from mwz.normalization.registry import folder_of, sha256

DATA_VARIABLE = "MWZ_DATA"


def data_directory() -> Path:
    """Return where benchmarks are: `$MWZ_DATA`, or the platform's place for user data."""
    chosen = os.environ.get(DATA_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("multiwoz-harness")


@cache
def code_digest() -> str:
    """Return what changes with a file of the package, NumPy or sacreBLEU.

    The package's version would not do: unreleased code changes without it.
    """
    parts = [version("numpy"), version("sacrebleu")]
    for package in ("normalization", "database", "harness"):
        root = str(folder_of(f"mwz.{package}"))
        files = _files(root, (".py", ".toml"))
        parts += sorted(f"{path.removeprefix(root)} {size} {at}" for path, size, at in files)
    return sha256("\n".join(parts))


def _files(folder: str, suffixes: tuple[str, ...]) -> Iterator[tuple[str, int, int]]:
    """Yield path, size and time of change of the files in and below a folder."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                yield from _files(entry.path, suffixes)
            elif entry.name.endswith(suffixes):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
