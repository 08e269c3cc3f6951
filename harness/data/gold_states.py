"""Gold states of other versions, beside the installed benchmark: imported, kept, found by version.

They are kept in `<data directory>/states/<benchmark>/<version>.json.gz`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from mwz.normalization.states import without_empty_domains

from ..benchmark import Benchmark
from ..errors import InputError, refuse
from ..io.machine import data_directory
from ..metrics.tracking.tracked_dialogues import GoldStates
from .declared import gold_versions
from .documents import DAMAGED, SUFFIX, read_document, write_document
from .installed import installed_benchmarks, load_benchmark
from .state_files import read_state_file

_FORMAT = "gold states 1"
# It becomes a file's name and part of signatures.
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+-]{0,30}")


@dataclass(frozen=True)
class ImportedStates:
    """Gold states read from a file, and what is to be said of them.

    Attributes:
        gold: The states.
        notes: Remarks for the user, a line each.
    """

    gold: GoldStates
    notes: tuple[str, ...]


def read_gold_states(version: str, path: Path, benchmark: Benchmark) -> ImportedStates:
    """Read the gold states of a benchmark's dialogues in another version of the annotation.

    Args:
        version: What to call it: "2.4".
        path: `data.json`, `test_dials.json`, or a folder with one of them.
        benchmark: The benchmark that the dialogues are of.

    Raises:
        InputError: The version is no name for a file, or the file is not in one of the public
            shapes, or holds other turns than the benchmark.
    """
    if not _VERSION.fullmatch(version):
        raise InputError(
            "--states", f"{version!r} is no name of a version; expected one such as 2.4"
        )
    states, left_out = read_state_file(path, benchmark.dialogues)
    gold = GoldStates(version, benchmark.name, states)
    _check(gold, benchmark, path)
    return ImportedStates(gold, tuple(_notes(gold, left_out, benchmark)))


def install_gold_states(gold: GoldStates) -> Path:
    """Write gold states to the data directory, all or nothing, and return where.

    Raises:
        InputError: The file cannot be written.
    """
    path = gold_states_path(gold.benchmark, gold.version)
    document = {"version": gold.version, "benchmark": gold.benchmark, "states": gold.states}
    write_document(path, document, _FORMAT)
    return path


def load_gold_states(version: str, benchmark: Benchmark) -> GoldStates:
    """Load the installed gold states of a version, or the benchmark's own, if they are of it.

    Raises:
        InputError: They are not installed, their file is damaged, or they are of other turns than
            the benchmark has.
    """
    there = installed_gold_states(benchmark.name)
    own = gold_versions(benchmark.name).own
    if version == own and version not in there:
        states = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
        return GoldStates(version, benchmark.name, states)
    if version not in there:
        have = ", ".join(filter(None, dict.fromkeys([own, *there])))
        choices = f"choose from {have}" if have else "none are"
        raise InputError(
            f"gold states {version}",
            f"not installed for {benchmark.name}; {choices}. "
            "`mwz data import --states VERSION PATH` installs them",
        )
    path = gold_states_path(benchmark.name, version)
    again = "import them again"
    try:
        document = read_document(path, _FORMAT)
        gold = GoldStates(document["version"], document["benchmark"], document["states"])
        _check(gold, benchmark, path)
    except InputError as error:
        problems = [f"{problem}; {again}" for problem in error.problems]
        raise InputError(error.source, problems) from None
    except (KeyError, TypeError, AttributeError):
        raise InputError(str(path), f"{DAMAGED}; {again}") from None
    return gold


def all_gold_states() -> Iterator[GoldStates]:
    """Load all gold states of further versions that are installed, one after another."""
    for name in installed_benchmarks():
        if versions := installed_gold_states(name):
            benchmark = load_benchmark(name)
            yield from (load_gold_states(version, benchmark) for version in versions)


def load_further_gold(benchmark: Benchmark) -> tuple[list[GoldStates], list[str]]:
    """Load the gold states of the further versions that a benchmark's data set declares.

    Returns:
        The gold states of those that are installed, and the versions that are not.

    Raises:
        InputError: A file is damaged, or is of other turns than the benchmark has.
    """
    there = installed_gold_states(benchmark.name)
    further = gold_versions(benchmark.name).further
    return (
        [load_gold_states(version, benchmark) for version in further if version in there],
        [version for version in further if version not in there],
    )


def gold_states_path(benchmark: str, version: str) -> Path:
    """Return where gold states of a version are or would be installed."""
    return _folder(benchmark) / f"{version}{SUFFIX}"


def installed_gold_states(benchmark: str) -> list[str]:
    """Return the versions of gold states that are installed for a benchmark."""
    found = _folder(benchmark).glob(f"[!.]*{SUFFIX}")
    return sorted(path.name.removesuffix(SUFFIX) for path in found)


def _folder(benchmark: str) -> Path:
    return data_directory() / "states" / benchmark


def _check(gold: GoldStates, benchmark: Benchmark, path: Path) -> None:
    """Make sure that the gold states of a file are those of a benchmark's dialogues."""
    problems = []
    for id_, states in gold.states.items():
        known = benchmark.dialogues.get(id_)
        if known is None:
            problems.append(f"dialogue {id_}: not in the benchmark {benchmark.name}")
        elif len(states) != known.turns:
            problems.append(
                f"dialogue {id_}: {len(states)} turns with a state; the benchmark {benchmark.name} "
                f"has {known.turns}"
            )
    refuse(str(path), problems)


def _notes(gold: GoldStates, left_out: Mapping[str, int], benchmark: Benchmark) -> Iterable[str]:
    missing = [id_ for id_ in benchmark.dialogues if id_ not in gold.states]
    if missing:
        yield (
            f"not in it and not scored: {len(missing)} of the benchmark's "
            f"{len(benchmark.dialogues)} dialogues, {_some(missing)}"
        )
    if left_out:
        slots = _some([f"{slot} ({count})" for slot, count in left_out.items()])
        yield f"values of slots that state tracking is not scored on, left out: {slots}"
    equal = sum(
        without_empty_domains(ours) == without_empty_domains(theirs)
        for id_, states in gold.states.items()
        for ours, theirs in zip(benchmark.dialogues[id_].states, states, strict=True)
    )
    yield f"{equal} of {gold.turns} states are equal to those of the benchmark itself"


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
