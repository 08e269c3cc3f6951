"""Data sets as they are declared: what one is, where its files come from, and who reads them.

A declaration also says which gold states the board goes by: what version of the annotation the
benchmark's own are, and which further versions predicted states are compared with.

A declaration is a file of `sets/`; the data set is named as the file is. To add one, add a
declaration and, if its files are of a new format, a reader in `readers/`.

Each public file is pinned by its git blob id. Whatever a declaration says, its files stay inside
the folder they are kept in: every part of a path is of plain characters, none leads upwards, and
no symbolic link on the way leads out.
"""

from __future__ import annotations

import hashlib
import importlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from mwz.normalization.rules.registry import names, read_toml

from ..benchmark import Benchmark
from ..errors import InputError, refuse, unknown
from .tasks import Tasks

_SETS = "sets"
PARTS = ("test", "all", "predictions")

# Words of ASCII letters, digits and a few marks, with one blank between them: what no file system
# takes for anything else than a name. That leaves out separators, drive letters, blanks at an end
# and control characters.
_PLAIN_WORD = r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]*"
_PLAIN_NAME = re.compile(rf"{_PLAIN_WORD}(?: {_PLAIN_WORD})*")
_OBJECT_ID = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class PinnedFile:
    """One version of one file of a public repository.

    Attributes:
        repository: "<owner>/<name>" at GitHub.
        commit: The commit it is taken from, 40 hexadecimal digits.
        path: Its path in the repository.
        blob: Its git blob id, 40 hexadecimal digits.
        part: When it is needed, one of `PARTS`: always, with all splits, with predictions.
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

    @property
    def place_in_clones(self) -> str:
        """Its path below a folder of clones side by side, of whatever version they are."""
        return f"{self.repository.partition('/')[2]}/{self.path}"


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
    """

    repository: str
    commit: str
    role: str
    files: tuple[PinnedFile, ...]
    venues: str | None = None
    clone: str | None = None
    optional: bool = False

    @property
    def place(self) -> str:
        """Its path below the folder of downloads."""
        return f"{self.repository}/{self.commit}"


@dataclass(frozen=True)
class GoldVersions:
    """The versions of the annotation whose gold states the board compares predicted states with.

    Attributes:
        own: That of the benchmark's own gold states; None where it is not declared.
        further: Those whose gold states are installed beside the benchmark.
    """

    own: str | None = None
    further: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataSet:
    """A data set that a benchmark can be built from.

    Attributes:
        name: Its name, and that of its benchmark.
        title: What it is, in a line.
        citation: What to cite.
        reader: The module of `readers/` that builds the benchmark.
        sources: Where its files come from.
        gold: The versions of its gold states.
    """

    name: str
    title: str
    citation: str
    reader: str
    sources: tuple[Source, ...]
    gold: GoldVersions = GoldVersions()


def declared_names() -> list[str]:
    """Return the names of all declared data sets."""
    return names(_SETS, ".toml", __package__)


def read_data_set(name: str) -> DataSet:
    """Read a declaration.

    Raises:
        InputError: There is none of that name, or a pinned file in it is wrong, such as a path
            that leads out of its folder.
    """
    if name not in declared_names():
        raise InputError("data set", unknown("data set", name, declared_names()))
    place = f"{_SETS}/{name}.toml"
    content = read_toml(place, __package__)
    gold = content.get("gold", {})
    return DataSet(
        name=name,
        title=content["title"],
        citation=content["citation"],
        reader=content["reader"],
        sources=parse_pinned(content, place),
        gold=GoldVersions(gold.get("own"), tuple(gold.get("further", ()))),
    )


def gold_versions(benchmark: str) -> GoldVersions:
    """Return the versions of a benchmark's gold states; none of one that is not declared."""
    return read_data_set(benchmark).gold if benchmark in declared_names() else GoldVersions()


@dataclass(frozen=True)
class Sources:
    """The files that a benchmark is built from.

    Attributes:
        folders: Role of a source -> the folder that holds its files, as in a clone.
        venues: Version of the venue database -> the folder of a source that holds it. Empty where
            only one version is at hand, that of the clones.
        rebuild: Build everything from the original annotation, even what a source has ready.
        all_splits: Whether the folders hold the train and dev dialogues for certain.
    """

    folders: Mapping[str, Path]
    venues: Mapping[str, Path]
    rebuild: bool
    all_splits: bool


@dataclass(frozen=True)
class Built:
    """A benchmark, and what is to be said of how it was built.

    Attributes:
        benchmark: The benchmark.
        notes: Remarks for the user, a line each.
        tasks: What the users of live dialogues want; None where the sources do not have it.
    """

    benchmark: Benchmark
    notes: tuple[str, ...] = ()
    tasks: Tasks | None = None


class Reader(Protocol):
    """What a module of `readers/` offers."""

    def read(self, data_set: DataSet, sources: Sources) -> Built:
        """Build a benchmark from the files of its sources.

        Raises:
            InputError: A file is missing, or not in the expected layout.
        """


def build_benchmark(data_set: DataSet, sources: Sources) -> Built:
    """Build the benchmark of a data set.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    reader: Reader = importlib.import_module(f".readers.{data_set.reader}", __package__)
    built = reader.read(data_set, sources)
    return replace(built, benchmark=replace(built.benchmark, name=data_set.name))


# ------------------------------------------------------------------------------- pinned files


def parse_pinned(content: Mapping[str, Any], source: str) -> tuple[Source, ...]:
    """Check a table of pinned files and return its sources; `source` names it in messages.

    Args:
        content: `sources`, a list of tables with `repository`, `commit`, `role`, optionally
            `venues`, `clone` and `optional`, and a table path -> git blob id for each of some
            `PARTS`.
        source: What the error message calls the table.

    Raises:
        InputError: With every wrong entry.
    """
    sources = tuple(map(_source, content["sources"]))
    problems = [problem for one in sources for problem in _problems(one)]
    refuse(source, problems)
    return sources


def _source(entry: Mapping[str, Any]) -> Source:
    repository, commit, role = (str(entry.get(key)) for key in ("repository", "commit", "role"))
    files = tuple(
        PinnedFile(repository, commit, path, blob, part)
        for part in PARTS
        for path, blob in entry.get(part, {}).items()
    )
    more = entry.get("venues"), entry.get("clone"), entry.get("optional", False)
    return Source(repository, commit, role, files, *more)


def select(sources: Collection[Source], split: str, predictions: bool) -> tuple[PinnedFile, ...]:
    """Return the files needed.

    Args:
        sources: A table of pinned files.
        split: "test", or "all" to have train and dev as well.
        predictions: Whether to have the published systems' outputs as well.
    """
    parts = {"test", split} | ({"predictions"} if predictions else set())
    return tuple(file for source in sources for file in source.files if file.part in parts)


def blob_id(content: bytes) -> str:
    """Return the git blob id of a content: SHA-1 of `blob <size>`, a zero byte and the content.

    Source: "Git Internals - Git Objects", Pro Git (2nd edition), section 10.2.
    """
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return digest.hexdigest()


def safe_path(folder: Path, place: str) -> Path:
    """Return the path of a place below a folder, sure not to lead out of the folder.

    Args:
        folder: The folder; it need not exist.
        place: A relative path with `/` between its parts.

    Raises:
        InputError: The place is absolute, leads upwards, has unusual characters, or a symbolic
            link on the way leads out of the folder.
    """
    if not _is_plain(place):
        raise InputError(place, _UNSAFE)
    path = folder.joinpath(*place.split("/"))
    if not path.resolve().is_relative_to(folder.resolve()):
        raise InputError(str(path), f"a symbolic link leads out of {folder}; remove the link")
    return path


_UNSAFE = (
    "not a path inside the data directory; expected names of letters, digits, `_`, `-`, `+`, `.` "
    "(not first) and single blanks (inside), with `/` between them"
)


def _is_plain(place: str) -> bool:
    return all(_PLAIN_NAME.fullmatch(name) for name in place.split("/"))


def _problems(source: Source) -> Iterator[str]:
    name = source.repository
    if not (_is_plain(name) and name.count("/") == 1 and " " not in name):
        yield f"repository {name!r}: expected <owner>/<name>"
    if not _OBJECT_ID.fullmatch(source.commit):
        yield f"{name}, commit {source.commit!r}: expected 40 hexadecimal digits"
    for file in source.files:
        if not _is_plain(file.path):
            yield f"{name}, path {file.path!r}: {_UNSAFE}"
        if not (isinstance(file.blob, str) and _OBJECT_ID.fullmatch(file.blob)):
            yield f"{name}, {file.path}: git blob id {file.blob!r}; expected 40 hexadecimal digits"
