"""The benchmarks on this machine: the built-in sample, and those in the user's data directory.

What is installed is a document: JSON, gzipped, with the version of its layout. A benchmark is
`<data directory>/benchmarks/<name>.json.gz`.

Beside it, in the folder `<name>.prepared`, are the parts that are made of it only once. This is a
shortcut: the references tokenised for BLEU, the tables of the venue database and the benchmark
itself in a form that is quick to read save more than half of a cold score. The tables are SQLite
files; all else is plain data, written by `marshal` as Python writes its compiled modules. Each file
says what it was made of: another benchmark, another state of the code or another Python makes it
anew. Where the folder cannot be written, nothing is kept.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import platformdirs

from mwz.normalization import folder_of, sha256

from ..benchmark import Benchmark, Dialogue, Goal
from ..errors import InputError
from ..io import kept_part, parse_json, read_bytes, write_atomically

SAMPLE = "sample"
DEFAULT = "multiwoz"
"""The benchmark used where none is named, if it is installed."""

SUFFIX = ".json.gz"

DATA_VARIABLE = "MWZ_DATA"

_FORMAT = 3


def data_directory() -> Path:
    """Return where benchmarks are: `$MWZ_DATA`, or the platform's place for user data."""
    chosen = os.environ.get(DATA_VARIABLE)
    return Path(chosen) if chosen else platformdirs.user_data_path("multiwoz-harness")


def downloads_directory() -> Path:
    """Return where fetched files are kept."""
    return data_directory() / "downloads"


# ---------------------------------------------------------------------------------- documents


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
        raise InputError(str(path), "written by another version of the harness; install it again")
    return whole["content"]


def document_names(folder: Path) -> list[str]:
    """Return the names of the documents in a folder, which need not exist."""
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"[!.]*{SUFFIX}"))


# --------------------------------------------------------------------------------- benchmarks


def benchmark_path(name: str) -> Path | None:
    """Return where a benchmark of that name is or would be installed; None for the built-in one."""
    return None if name == SAMPLE else data_directory() / "benchmarks" / f"{name}{SUFFIX}"


def installed_benchmarks() -> list[str]:
    """Return the names of all benchmarks, the built-in one first."""
    return [SAMPLE, *document_names(data_directory() / "benchmarks")]


def load_benchmark(name: str | Path | None = None) -> Benchmark:
    """Load a benchmark by name, or the default one: MultiWOZ if installed, else the sample.

    Args:
        name: The name of one that is installed, or that a package declares; or, as a `Path`, a
            folder of `mwz data new`.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.

    >>> load_benchmark("sample")
    <Benchmark sample: 30 dialogues, 146 turns>
    """
    installed = installed_benchmarks()
    name = name or (DEFAULT if DEFAULT in installed else SAMPLE)
    if isinstance(name, Path) or name not in installed:
        # Imported late: few benchmarks are folders.
        from .folder import packaged_folders, read_folder

        folders = packaged_folders()
        if isinstance(name, Path):
            return read_folder(name)
        if name in folders:
            return read_folder(folders[name])
        raise InputError(
            f"benchmark {name}",
            f"not installed; choose from {', '.join([*installed, *folders])}. "
            "`mwz data fetch` or `mwz data import` installs multiwoz",
        )
    path = benchmark_path(name)
    if path is None:
        town = folder_of("mwz.harness") / "sample" / "town.json"
        return from_document(json.loads(town.read_bytes()))
    folder = path.with_name(path.name.removesuffix(SUFFIX) + ".prepared")
    file_digest = sha256(read_bytes(path, unpack=False))
    made_of = f"{file_digest} {code_digest()} {sys.implementation.cache_tag}"

    def make() -> object:
        return _shared(read_document(path, _FORMAT), {})

    benchmark = from_document(kept_part((folder, made_of), "benchmark", make, shared=True))
    # Not an argument of the constructor: a benchmark that is made of this one must not have it.
    object.__setattr__(benchmark, "prepared", (folder, made_of))
    return benchmark


loaded_once = cache(load_benchmark)
"""Loads a benchmark once per process: for work spread over processes."""


def install_benchmark(benchmark: Benchmark) -> Path:
    """Write a benchmark to the data directory, all or nothing, and return where.

    Raises:
        InputError: The name is that of the built-in one, or the file cannot be written.
    """
    path = benchmark_path(benchmark.name)
    if path is None:
        raise InputError(f"benchmark {SAMPLE}", "is built in; give yours another name")
    write_document(path, to_document(benchmark), _FORMAT)
    return path


def to_document(benchmark: Benchmark) -> dict[str, object]:
    """Return a benchmark as plain data, as it is written to disk."""
    names = [field.name for field in fields(Benchmark) if field.init]
    return {name: _plain(getattr(benchmark, name)) for name in names}


def _plain(value: object) -> object:
    """Return a part of a benchmark as plain data: sets as sorted lists."""
    if isinstance(value, Dialogue | Goal):
        return _plain(vars(value))
    if isinstance(value, Mapping):
        return {name: _plain(inside) for name, inside in value.items()}
    return sorted(value) if isinstance(value, frozenset) else value


def from_document(document: Mapping[str, Any]) -> Benchmark:
    """Return the benchmark that a document written by `to_document` describes."""
    content = dict(document)
    for name in ("seen", "trained"):
        content[name] = _as_set(document.get(name))
    content["dialogues"] = {}
    for id_, written in document["dialogues"].items():
        dialogue = dict(written)
        for name in ("users", "responses", "acts"):
            dialogue[name] = tuple(written.get(name, ()))
        dialogue["goal"] = {}
        for domain, goal in written["goal"].items():
            sets = {name: _as_set(goal.get(name)) for name in ("requestable", "further")}
            dialogue["goal"][domain] = Goal(**{**goal, **sets})
        content["dialogues"][id_] = Dialogue(**dialogue)
    return Benchmark(**content)


def _as_set(listed: Sequence[object] | None) -> frozenset[object] | None:
    """Return a list as a set, and lists in it as tuples; None of what is not known."""
    if listed is None:
        return None
    return frozenset(tuple(item) if isinstance(item, list) else item for item in listed)


# ----------------------------------------------------------------------------- prepared parts


@cache
def code_digest() -> str:
    """Return what changes with a file of the package, NumPy or sacreBLEU.

    The package's version would not do: unreleased code changes without it.
    """
    lines = [version("numpy"), version("sacrebleu")]
    for package in ("normalization", "database", "harness"):
        root = str(folder_of(f"mwz.{package}"))
        for folder, _, names in sorted(os.walk(root)):
            for name in sorted(names):
                if name.endswith((".py", ".toml")):
                    status = os.stat(os.path.join(folder, name))
                    place = f"{folder.removeprefix(root)}/{name}"
                    lines.append(f"{place} {status.st_size} {status.st_mtime_ns}")
    return sha256("\n".join(lines))


def _shared(value: object, by_content: dict[object, object]) -> object:
    """Return a value of JSON types whose equal parts are one: they are read once.

    Turn after turn has the belief state of the turn before.

    Args:
        value: The value.
        by_content: The parts by now; others are added.
    """
    key: object = (type(value), value)
    if isinstance(value, dict):
        value = {_shared(k, by_content): _shared(inside, by_content) for k, inside in value.items()}
        key = (dict, *[(id(k), id(inside)) for k, inside in value.items()])
    elif isinstance(value, list | tuple):
        value = [_shared(inside, by_content) for inside in value]
        key = (list, *map(id, value))
    return by_content.setdefault(key, value)
