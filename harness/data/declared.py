"""Data sets as they are declared: what one is, where its files come from, and who reads them.

A declaration also says which gold states the board goes by: what version of the annotation the
benchmark's own are, and which further versions predicted states are compared with.

A declaration is a file of `sets/`; the data set is named as the file is. To add one, add a
declaration and, if its files are of a new format, a reader in `readers/`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from mwz.normalization.rules.registry import names, read_toml

from ..benchmark import Benchmark
from ..errors import InputError, unknown
from .pinned import Source, parse_pinned

_SETS = "sets"


@dataclass(frozen=True)
class GoldVersions:
    """The versions of the annotation whose gold states the board compares predicted states with.

    Attributes:
        own: That of the benchmark's own gold states; None where nobody says.
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
    return DataSet(
        name=name,
        title=content["title"],
        citation=content["citation"],
        reader=content["reader"],
        sources=parse_pinned(content, place),
        gold=_gold_versions(content.get("gold", {})),
    )


def gold_versions(benchmark: str) -> GoldVersions:
    """Return the versions of a benchmark's gold states; none of one that is not declared."""
    return read_data_set(benchmark).gold if benchmark in declared_names() else GoldVersions()


def _gold_versions(content: Mapping[str, Any]) -> GoldVersions:
    return GoldVersions(content.get("own"), tuple(content.get("further", ())))


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
    """

    benchmark: Benchmark
    notes: tuple[str, ...] = ()


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
