"""A mirror of pinned files on a server of the test, and an older benchmark that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import build_multiwoz
from loopback import Server, serving
from synthetic import (
    CORPUS,
    DATA_SET,
    EVALUATOR,
    NEWER,
    write_mirror,
    write_repositories,
)

from mwz.harness.data import DataSet, benchmark_path
from mwz.harness.data.installed import data_directory, install_benchmark

GOALS_FILE = f"/{EVALUATOR}/{NEWER}/mwzeval/data/goals.json"


ACTS_FILE = f"/{DATA_SET}/{CORPUS}/data/MultiWOZ_2.2/dialog_acts.json"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    return tmp_path / "mirror"


@pytest.fixture
def data_set(mirror: Path) -> DataSet:
    return write_mirror(mirror)


@pytest.fixture
def server(mirror: Path, data_set: DataSet, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("MWZ_MIRROR", raising=False)
    with serving(mirror) as server:
        yield server


@pytest.fixture
def old(tmp_path: Path) -> bytes:
    """The bytes of a benchmark that is installed already, other than the one to be fetched."""
    benchmark = build_multiwoz(*write_repositories(tmp_path / "old"))
    less = {id_: d for id_, d in benchmark.dialogues.items() if id_ != "mul0002"}
    return install_benchmark(replace(benchmark, dialogues=less)).read_bytes()


def installed() -> bytes:
    path = benchmark_path("multiwoz")
    return path.read_bytes()


def scraps() -> list[Path]:
    """Return the unfinished files in the data directory."""
    return [path for path in data_directory().rglob(".*") if path.is_file()]
