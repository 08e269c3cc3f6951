"""The benchmarks on this machine: the built-in sample, and those in the user's data directory.

A benchmark is one file, `<data directory>/benchmarks/<name>.json.gz`. What scores need of it is
kept beside it (`prepared.py`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from mwz.normalization.rules.registry import folder_of

from ..benchmark import Benchmark, Dialogue, Goal
from ..errors import InputError
from ..io.machine import data_directory
from .documents import DAMAGED, SUFFIX, read_document, write_document
from .prepared import PreparedParts

SAMPLE = "sample"
DEFAULT = "multiwoz"
"""The benchmark used where none is named, if it is installed."""

_FORMAT = 3
_AGAIN = "install the benchmark again"


def downloads_directory() -> Path:
    """Return where fetched files are kept."""
    return data_directory() / "downloads"


def benchmark_path(name: str) -> Path | None:
    """Return where a benchmark of that name is or would be installed; None for the built-in one."""
    return None if name == SAMPLE else data_directory() / "benchmarks" / f"{name}{SUFFIX}"


def installed_benchmarks() -> list[str]:
    """Return the names of all benchmarks at hand, the built-in one first."""
    folder = data_directory() / "benchmarks"
    names = sorted(path.name.removesuffix(SUFFIX) for path in folder.glob(f"[!.]*{SUFFIX}"))
    return [SAMPLE, *names]


def default_benchmark() -> str:
    """Return the benchmark used where none is named: MultiWOZ if installed, else the sample."""
    return DEFAULT if DEFAULT in installed_benchmarks() else SAMPLE


def load_benchmark(name: str | None = None) -> Benchmark:
    """Load a benchmark by name, or the default one.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    name = name or default_benchmark()
    if name not in installed_benchmarks():
        raise InputError(
            f"benchmark {name}",
            f"not installed; choose from {', '.join(installed_benchmarks())}. "
            "`mwz data fetch` or `mwz data import` installs multiwoz",
        )
    path = benchmark_path(name)
    if path is None:
        town = folder_of("mwz.harness") / "sample" / "town.json"
        return from_document(json.loads(town.read_bytes()))
    try:
        parts = PreparedParts.of_file(path)
        document = parts.part("benchmark", lambda: _shared(_read(path), {}), shared=True)
    except InputError as error:
        raise InputError(error.source, f"{error.problems[0]}; {_AGAIN}") from None
    return _with_prepared(from_document(document), parts)


def _read(path: Path) -> Any:
    """Return a benchmark's document.

    Raises:
        InputError: The file is damaged.
    """
    document = read_document(path, _FORMAT)
    try:
        from_document(document)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(str(path), DAMAGED) from None
    return document


def _with_prepared(benchmark: Benchmark, parts: PreparedParts) -> Benchmark:
    """Return a benchmark just read with what is kept of it."""
    # No argument of the constructor: whoever makes another benchmark of this one leaves it behind.
    object.__setattr__(benchmark, "prepared", parts)
    return benchmark


@cache
def loaded_once(name: str | None) -> Benchmark:
    """Load a benchmark as `load_benchmark` does, once per process: for work spread over processes.

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    return load_benchmark(name)


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


def to_document(benchmark: Benchmark) -> dict[str, Any]:
    """Return a benchmark as plain data, as it is written to disk."""
    return {
        "name": benchmark.name,
        "dialogues": {id_: _dialogue_data(d) for id_, d in benchmark.dialogues.items()},
        "venues": benchmark.venues,
        "venue_versions": benchmark.venue_versions,
        "seen": None if benchmark.seen is None else sorted(benchmark.seen),
    }


def _shared(value: Any, known: dict[object, Any]) -> Any:
    """Return a value of JSON types whose equal parts are one: they are read once.

    Turn after turn has the belief state of the turn before.

    Args:
        value: The value.
        known: The parts by now; others are added.
    """
    key: object = (type(value), value)
    if isinstance(value, dict):
        value = {_shared(name, known): _shared(one, known) for name, one in value.items()}
        key = (dict, *((id(name), id(one)) for name, one in value.items()))
    elif isinstance(value, list | tuple):
        value = [_shared(one, known) for one in value]
        key = (list, *map(id, value))
    return known.setdefault(key, value)


def from_document(document: Mapping[str, Any]) -> Benchmark:
    """Return the benchmark that a document written by `to_document` describes."""
    seen = document.get("seen")
    return Benchmark(
        name=document["name"],
        dialogues={id_: _dialogue(data) for id_, data in document["dialogues"].items()},
        venues=document["venues"],
        venue_versions=document["venue_versions"],
        seen=None if seen is None else frozenset(seen),
    )


def _dialogue_data(dialogue: Dialogue) -> dict[str, Any]:
    data = dialogue.scored_data()
    for domain, goal in dialogue.goal.items():
        if goal.further is not None:
            data["goal"][domain]["further"] = sorted(goal.further)
    return {
        **data,
        "users": list(dialogue.users),
        "responses": list(dialogue.responses),
    }


def _dialogue(data: Mapping[str, Any]) -> Dialogue:
    goals = {
        domain: Goal(
            goal["informable"],
            frozenset(goal["requestable"]),
            goal["booking"],
            None if goal.get("further") is None else frozenset(goal["further"]),
        )
        for domain, goal in data["goal"].items()
    }
    said = {name: tuple(data.get(name, ())) for name in ("users", "responses")}
    return Dialogue(**{**data, **said, "goal": goals})
