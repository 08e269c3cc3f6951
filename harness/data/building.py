"""Building the benchmark of a data set: its reader does it, from folders with its sources."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from ..benchmark import Benchmark
from .declared import DataSet


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
