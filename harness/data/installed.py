"""The benchmarks on this machine: the built-in sample, and those in the user's data directory.

A benchmark is one sealed file (`io/store.py`), `<data directory>/benchmarks/<name>.json.gz`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..benchmark import Benchmark, Dialogue, Goal
from ..errors import InputError
from ..io.store import DAMAGED, SEALED_SUFFIX, data_directory, read_sealed, write_sealed

SAMPLE = "sample"
DEFAULT = "multiwoz"
"""The benchmark used where none is named, if it is installed."""

_FORMAT = 2
_AGAIN = "install the benchmark again"


def downloads_directory() -> Path:
    """Return where fetched files are kept."""
    return data_directory() / "downloads"


def benchmark_path(name: str) -> Path | None:
    """Return where a benchmark of that name is or would be installed; None for the built-in one."""
    return None if name == SAMPLE else data_directory() / "benchmarks" / f"{name}{SEALED_SUFFIX}"


def installed_benchmarks() -> list[str]:
    """Return the names of all benchmarks at hand, the built-in one first."""
    folder = data_directory() / "benchmarks"
    names = sorted(
        path.name.removesuffix(SEALED_SUFFIX) for path in folder.glob(f"[!.]*{SEALED_SUFFIX}")
    )
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
            "`mwz data fetch` installs multiwoz, `mwz data --help` tells more",
        )
    path = benchmark_path(name)
    if path is None:
        town = resources.files("mwz.harness").joinpath("sample", "town.json")
        return from_document(json.loads(town.read_bytes()))
    try:
        benchmark = from_document(read_sealed(path, _FORMAT))
    except InputError as error:
        raise InputError(error.source, f"{error.problems[0]}; {_AGAIN}") from None
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError(str(path), f"{DAMAGED}; {_AGAIN}") from None
    return _with_prepared(path, benchmark)


def _with_prepared(path: Path, benchmark: Benchmark) -> Benchmark:
    """Return a benchmark just read with what is prepared of it."""
    from .prepared import prepared

    # No argument of the constructor: whoever makes another benchmark of this one leaves it behind.
    object.__setattr__(benchmark, "prepared", prepared(path, benchmark))
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
    write_sealed(path, to_document(benchmark), _FORMAT)
    _with_prepared(path, replace(benchmark))
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
    return {
        **dialogue.scored_data(),
        "users": list(dialogue.users),
        "responses": list(dialogue.responses),
    }


def _dialogue(data: Mapping[str, Any]) -> Dialogue:
    goals = {
        domain: Goal(goal["informable"], frozenset(goal["requestable"]), goal["booking"])
        for domain, goal in data["goal"].items()
    }
    said = {name: tuple(data.get(name, ())) for name in ("users", "responses")}
    return Dialogue(**{**data, **said, "goal": goals})
