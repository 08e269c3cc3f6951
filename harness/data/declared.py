"""Data sets as they are declared: what one is, where its files come from, and who reads them.

A declaration also says which gold states the board goes by: what version of the annotation the
benchmark's own are, and which further versions predicted states are compared with.

A declaration is a file of `sets/`; the data set is named as the file is. To add one, add a
declaration and, if its files are of a new format, a reader: a module of this package with a
function `read`. Each public file is pinned by its git blob id.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    digest_of_json,
    folder_of,
    read_toml,
    rule_set,
    toml_names,
    without_empty_domains,
)

from ..benchmark import Benchmark, Dialogue
from ..errors import InputError, unknown
from ..io import read_bytes
from .goals import Task, install_tasks
from .installed import downloads_directory, install_benchmark

_SETS = "sets"
PARTS = ("test", "all", "predictions", "trackers", "states")


@dataclass(frozen=True)
class PinnedFile:
    """One version of one file of a public repository.

    Attributes:
        repository: "<owner>/<name>" at GitHub.
        commit: The commit it is taken from, 40 hexadecimal digits.
        path: Its path in the repository.
        blob: Its git blob id, 40 hexadecimal digits.
        part: When it is needed, one of `PARTS`: always, with all splits, with predictions, with
            the outputs of trackers, for gold states of another version.
    """

    repository: str
    commit: str
    path: str
    blob: str
    part: str

    @property
    def place(self) -> str:
        """Its path below the folder of downloads, and below a mirror's URL."""
        return f"{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class Source:
    """One commit of a public repository and what is pinned of it.

    Attributes:
        repository: "<owner>/<name>" at GitHub.
        commit: The commit, 40 hexadecimal digits.
        role: What the reader of the data set knows it by.
        files: Its pinned files.
        venues: The version of the venue database that it holds, if any.
        clone: The option by which a clone of it is given, if one can be.
        optional: Whether the benchmark can be built without it.
        gold: The version of the annotation of which its one file has the gold states, if any.
        unpinned: Paths of further files that are needed. What they have to be is not known, so that
            only an import takes them.
    """

    repository: str
    commit: str
    role: str
    files: tuple[PinnedFile, ...]
    venues: str | None = None
    clone: str | None = None
    optional: bool = False
    gold: str | None = None
    unpinned: Sequence[str] = ()

    @property
    def paths(self) -> list[str]:
        """The paths of all its files."""
        return [*self.unpinned, *(file.path for file in self.files)]


@dataclass(frozen=True)
class DataSet:
    """A data set that a benchmark can be built from.

    Attributes:
        name: Its name, and that of its benchmark.
        title: What it is, in a line.
        citation: What to cite.
        reader: The module of this package that builds the benchmark.
        sources: Where its files come from.
        gold: The version of the annotation that the benchmark's own gold states are of; None where
            it is not declared.
        further_gold: The versions whose gold states are installed beside the benchmark, and which
            the board compares predicted states with as well.
        companions: The data sets that are installed with it.
    """

    name: str
    title: str
    citation: str
    reader: str
    sources: tuple[Source, ...]
    gold: str | None = None
    further_gold: Sequence[str] = ()
    companions: Sequence[str] = ()

    @property
    def pinned_states(self) -> dict[str, PinnedFile]:
        """Version of the annotation -> the file with its gold states, of those that are pinned."""
        return {source.gold: source.files[0] for source in self.sources if source.gold}


def declared_names() -> list[str]:
    """Return the names of all declared data sets."""
    return toml_names(_SETS, __package__)


@cache
def read_data_set(name: str) -> DataSet:
    """Return a data set as it is declared; its file is read once.

    Raises:
        InputError: There is none of that name.
    """
    if name not in declared_names():
        raise InputError("data set", unknown("data set", name, declared_names()))
    content = dict(read_toml(f"{_SETS}/{name}.toml", __package__))
    content["sources"] = tuple(map(parse_source, content["sources"]))
    return DataSet(name, **content)


def parse_source(entry: Mapping[str, Any]) -> Source:
    """Return a source as a declaration has it.

    Args:
        entry: The fields of `Source`, with a table path -> git blob id for each of some `PARTS`
            in place of `files`.
    """
    files: list[PinnedFile] = []
    for part in PARTS:
        for path, blob in entry.get(part, {}).items():
            files.append(PinnedFile(entry["repository"], entry["commit"], path, blob, part))
    fields = {key: value for key, value in entry.items() if key not in PARTS}
    return Source(**fields, files=tuple(files))


def gold_versions(benchmark: str) -> tuple[str | None, Sequence[str]]:
    """Return the version of a benchmark's own gold states, and the further ones of the board.

    They are None and empty for a benchmark that is not declared.
    """
    if benchmark not in declared_names():
        return None, ()
    data_set = read_data_set(benchmark)
    return data_set.gold, data_set.further_gold


Built: TypeAlias = tuple[Benchmark, Sequence[str], Mapping[str, Task] | None]
"""A benchmark; remarks for the user on how it was built, a line each; and what the users of live
dialogues want, None where the sources do not have it."""


def build_benchmark(
    data_set: DataSet, folders: Mapping[str, Path], all_splits: bool = True
) -> Built:
    """Build the benchmark of a data set by its reader's function `read`.

    That takes the same arguments and returns the same, but for the benchmark's name.

    Args:
        data_set: The data set.
        folders: Role of a source -> the folder that holds its files, as in a clone.
        all_splits: Whether the folders hold all train and dev dialogues, if any.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    reader = import_module(f".{data_set.reader}", __package__)
    benchmark, notes, tasks = reader.read(data_set, folders, all_splits)
    unpinned = {}
    for source in data_set.sources:
        for path in source.unpinned:
            unpinned[path] = blob_id(read_bytes(folders[source.role] / path, unpack=False))
    return replace(benchmark, name=data_set.name, unpinned=unpinned), notes, tasks


def install(
    benchmark: Benchmark, notes: Sequence[str], tasks: Mapping[str, Task] | None
) -> list[str]:
    """Install a benchmark, and the tasks that come with it; return what to say of it, in lines.

    Raises:
        InputError: A file cannot be written.
    """
    path = install_benchmark(benchmark)
    lines: list[str] = []
    if tasks is not None:
        lines.append(install_tasks(tasks, benchmark.name))
    counts = f"{len(benchmark.dialogues)} dialogues, {benchmark.turns} system turns"
    lines.append(f"installed {benchmark.name}: {counts}, in {path}")
    lines += notes
    return lines


def select(sources: Collection[Source], parts: Collection[str]) -> tuple[PinnedFile, ...]:
    """Return the files of some `PARTS`, and those that are always needed."""
    wanted = {"test", *parts}
    selected: list[PinnedFile] = []
    for source in sources:
        selected += [file for file in source.files if file.part in wanted]
    return tuple(selected)


def has_files(data_set: DataSet, folders: Mapping[str, Path]) -> bool:
    """Return whether folders hold what the benchmark of a data set cannot be built without.

    Args:
        data_set: The data set.
        folders: Role of a source -> the folder that holds its files, as in a clone.
    """
    for source in data_set.sources:
        if source.clone and not source.optional:
            folder = folders.get(source.role)
            if folder is None:
                return False
            if not all((folder / file.path).is_file() for file in select([source], ())):
                return False
    return True


def blob_id(content: bytes) -> str:
    """Return the git blob id of a content: SHA-1 of `blob <size>`, a zero byte and the content.

    Source: "Git Internals - Git Objects", Pro Git (2nd edition), section 10.2.

    >>> blob_id(b"what is up, doc?")
    'bd9dbf5aae1a3862dd1526723246b20206e5fc37'
    """
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def safe_path(folder: Path, place: str) -> Path:
    """Return the path of a place below a folder, sure not to lead out of the folder.

    Raises:
        InputError: It does, or would below another folder: entries say where their predictions are,
            in clones as well.
    """
    path = folder / place
    has_odd_names = not {"", ".", ".."}.isdisjoint(place.split("/"))
    has_odd_signs = "\0" in place or "\\" in place
    if has_odd_names or has_odd_signs or not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(place, f"not a path inside {folder}")
    return path


def find_file(
    path: str, folders: Sequence[Path], pinned: PinnedFile | None
) -> tuple[bytes | None, list[str]]:
    """Return the (unpacked) content of a file of a repository, and what lies in its place instead.

    Args:
        path: Its path in the repository.
        folders: Clones, or folders of clones; a pinned file may also lie in them by its name.
        pinned: What it has to be, which is looked for among the downloads as well; None if any
            content will do.
    """
    places: list[Path] = []
    if pinned is not None:
        places.append(safe_path(downloads_directory(), pinned.place))
    for folder in folders:
        places += [clone / path for clone in (folder, *sorted(folder.iterdir()))]
    if pinned is not None:
        places += [folder / Path(path).name for folder in folders]
    wrong: list[str] = []
    # `Path.is_file` would raise an error for a name that is too long for the file system.
    for place in filter(os.path.isfile, places):
        content = read_bytes(place)
        if pinned is None or blob_id(content) == pinned.blob:
            return content, []
        wrong.append(f"{place} is not the pinned file (git blob {pinned.blob})")
    return None, wrong


# Fingerprints.


_DIGITS = 4
"""Hexadecimal digits of a turn's digest: one difference in 65536 goes unseen."""

GOLD_DOMAINS = "gold active domains"
GOAL = "goal"

COMPARED: Mapping[str, Callable[[Dialogue], Sequence[object]]] = {
    "gold state": lambda dialogue: [without_empty_domains(state) for state in dialogue.states],
    "references": lambda dialogue: list(zip(*dialogue.references.values(), strict=True)),
    GOLD_DOMAINS: lambda dialogue: [sorted(set(d)) for d in dialogue.gold_domains],
    "booked domains": lambda dialogue: [sorted(set(d)) for d in dialogue.booked_domains],
    GOAL: lambda dialogue: [dialogue.scored_data()["goal"]],
}
"""What is compared of a dialogue: its name -> one value per system turn, or one of the whole."""

Difference: TypeAlias = tuple[str, str]
"""Where a benchmark differs from the pinned one (a dialogue, or a turn of it), and in what: a key
of `COMPARED`, or that the dialogue or the venues are others."""


def fingerprints(benchmark: Benchmark) -> dict[str, object]:
    """Return the fingerprints of a benchmark as JSON types, as they are kept."""
    dialogues: dict[str, list[str]] = {}
    for id_, dialogue in benchmark.dialogues.items():
        dialogues[id_] = []
        for values_of in COMPARED.values():
            digests = [digest_of_json(value)[:_DIGITS] for value in values_of(dialogue)]
            dialogues[id_].append("".join(digests))
    venues = benchmark.venue_records(rule_set(DEFAULT_RULES))
    return {
        "parts": list(COMPARED),
        "dialogues": dialogues,
        "domains": [" ".join(dialogue.goal) for dialogue in benchmark.dialogues.values()],
        "venues": {domain: digest_of_json(records) for domain, records in venues.items()},
    }


def differences(benchmark: Benchmark) -> list[Difference] | None:
    """Return where a benchmark differs from the pinned one of its name; None if none is pinned."""
    pinned = pinned_fingerprints(benchmark.name)
    return None if pinned is None else list(_compared(pinned, fingerprints(benchmark)))


def compared_with_pinned(benchmark: Benchmark) -> tuple[bool, str]:
    """Return whether a benchmark differs from the pinned one of its name, and in what.

    Returns:
        Whether it differs, and a text to follow what is said of it, with every difference; an empty
        one where no benchmark of its name is pinned.
    """
    differing = differences(benchmark)
    if differing is None:
        return False, ""
    if not differing:
        return False, ", equal to the pinned one: scores compare with the leaderboard's"
    counts = Counter(part for _, part in differing)
    parts = ", ".join(f"{part} {count}×" for part, count in counts.items())
    if [*counts] == [GOLD_DOMAINS]:
        parts += "; `mwz data import … --mintl DIR` adds those of DAMD, which the leaderboard uses"
    listed = "".join(f"\n  {place}: {part}" for place, part in differing)
    text = f"; it differs from the pinned one, and so may scores\ndifferences: {parts}{listed}"
    return True, text


def pinned_fingerprints(name: str) -> Mapping[str, Any] | None:
    """Return the fingerprints that are kept of a benchmark; None if there are none."""
    file = folder_of(__package__) / "sets" / f"{name}.json"
    return json.loads(file.read_bytes()) if file.is_file() else None


def _compared(pinned: Mapping[str, Any], installed: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield where fingerprints differ from the pinned ones."""
    for id_ in dict.fromkeys([*pinned["dialogues"], *installed["dialogues"]]):
        theirs, ours = pinned["dialogues"].get(id_), installed["dialogues"].get(id_)
        if ours is None:
            yield f"dialogue {id_}", "missing"
        elif theirs is None:
            yield f"dialogue {id_}", "not in the pinned"
        else:
            for part, their_digests, our_digests in zip(pinned["parts"], theirs, ours, strict=True):
                length = max(len(their_digests), len(our_digests))
                for turn, start in enumerate(range(0, length, _DIGITS)):
                    end = start + _DIGITS
                    if their_digests[start:end] != our_digests[start:end]:
                        place = "" if part == GOAL else f", turn {turn}"
                        yield f"dialogue {id_}{place}", part
    for domain in dict.fromkeys([*pinned["venues"], *installed["venues"]]):
        if pinned["venues"].get(domain) != installed["venues"].get(domain):
            yield f"domain {domain}", "venues"
