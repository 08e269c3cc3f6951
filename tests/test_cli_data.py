"""`mwz data import` and `mwz data list`."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from helpers import run_cli
from synthetic import SYSTEM_TURNS, TEST_IDS, write_json, write_repositories

from mwz.harness import Benchmark, load_benchmark
from mwz.harness.data.installed import benchmark_path, installed_benchmarks
from mwz.normalization.rules import published_rule_sets, rule_set

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, Path]:
    return write_repositories(tmp_path / "clones")


def _options(clones: tuple[Path, Path]) -> tuple[object, ...]:
    return ("--mwzeval", clones[0], "--multiwoz", clones[1])


def _hashes(benchmark: Benchmark) -> list[str]:
    return [benchmark.content_hash(rule_set(name))[:12] for name in published_rule_sets()]


def test_an_import_installs_the_test_split(capsys: Capture, clones: tuple[Path, Path]) -> None:
    run = run_cli(capsys, "data", "import", *_options(clones))
    assert run.status == 0, run.err
    path = benchmark_path("multiwoz")
    counts = f"{len(TEST_IDS)} dialogues, {SYSTEM_TURNS} system turns"
    assert run.out.splitlines()[0] == f"installed multiwoz: {counts}, in {path}"
    assert load_benchmark().turns == SYSTEM_TURNS


def test_a_rebuild_ignores_cached_references(capsys: Capture, clones: tuple[Path, Path]) -> None:
    cached = {"syn0001": ["A", "B"], "mul0002": ["C", "D"], "pmul0003": ["E"]}
    write_json(clones[0] / "mwzeval/data/references/mwz22.json", cached)
    run_cli(capsys, "data", "import", *_options(clones))
    assert load_benchmark().dialogues["pmul0003"].references["mwz22"] == ["E"]
    run_cli(capsys, "data", "import", *_options(clones), "--rebuild")
    references = load_benchmark().dialogues["pmul0003"].references["mwz22"]
    assert references == ["booked NAME as REFERENCE."]


def test_an_import_that_fails_leaves_what_was_there(
    capsys: Capture, clones: tuple[Path, Path]
) -> None:
    run_cli(capsys, "data", "import", *_options(clones))
    path = benchmark_path("multiwoz")
    assert path is not None
    before = path.read_bytes()
    (clones[0] / "mwzeval/data/goals.json").write_text('{"syn0001": ')
    run = run_cli(capsys, "data", "import", *_options(clones))
    assert run.status == 2
    assert run.err.startswith(
        f"mwz: {clones[0] / 'mwzeval/data/goals.json'}: not JSON: it is cut off"
    )
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == [path.name]


def test_an_interrupted_import_leaves_what_was_there(
    capsys: Capture, clones: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_cli(capsys, "data", "import", *_options(clones))
    path = benchmark_path("multiwoz")
    assert path is not None
    before = path.read_bytes()
    write_json(clones[0] / "mwzeval/data/database/train_db.json", [])

    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, interrupt)
            run = run_cli(capsys, "data", "import", *_options(clones))
        assert run.status == 130
        assert run.err.strip() == "mwz: interrupted"
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]


def test_folders_that_are_no_clones_are_told(capsys: Capture, tmp_path: Path) -> None:
    run = run_cli(capsys, "data", "import", *_options((tmp_path, tmp_path)))
    assert run.status == 2
    assert run.err.startswith(f"mwz: {tmp_path}")
    assert run.err.endswith(": no such file\n")
    assert installed_benchmarks() == ["sample"]


def test_both_clones_must_be_named(capsys: Capture, tmp_path: Path) -> None:
    run = run_cli(capsys, "data", "import", "--mwzeval", tmp_path)
    assert run.status == 2
    assert run.err.endswith("Error: multiwoz needs --multiwoz\n")
    run = run_cli(capsys, "data", "import")
    assert run.status == 2
    assert run.err.endswith("Error: multiwoz needs --mwzeval and --multiwoz\n")
    assert installed_benchmarks() == ["sample"]


def test_the_data_set_may_be_named(capsys: Capture, clones: tuple[Path, Path]) -> None:
    run = run_cli(capsys, "data", "import", "multiwoz", *_options(clones))
    assert run.status == 0, run.err
    assert installed_benchmarks() == ["sample", "multiwoz"]


@pytest.mark.parametrize("command", ["import", "fetch", "urls"])
def test_an_unknown_data_set_is_told_with_those_there_are(capsys: Capture, command: str) -> None:
    run = run_cli(capsys, "data", command, "nosuch")
    assert (run.status, run.out) == (2, "")
    assert re.fullmatch(
        r"mwz: data set: unknown data set 'nosuch'; choose from .*\bmultiwoz\b.*\n", run.err
    )


def test_the_list_shows_what_is_at_hand(capsys: Capture, clones: tuple[Path, Path]) -> None:
    sample = load_benchmark("sample")
    run = run_cli(capsys, "data", "list")
    assert run.status == 0
    (row,) = [line for line in run.out.splitlines() if line.startswith("sample")]
    assert row.split()[1:3] == [str(len(sample.dialogues)), str(sample.turns)]
    assert _hashes(sample) == row.split()[4:-2]
    assert row.endswith("built in")
    for name in published_rule_sets():
        assert f"content ({name})" in run.out
    assert "content (next)" not in run.out
    assert "multiwoz " not in run.out
    run_cli(capsys, "data", "import", *_options(clones))
    installed = load_benchmark("multiwoz")
    run = run_cli(capsys, "data", "list")
    (row,) = [line for line in run.out.splitlines() if line.startswith("multiwoz")]
    assert row.split()[1:3] == [str(len(TEST_IDS)), str(SYSTEM_TURNS)]
    # "1 of 3" goals are seen.
    assert _hashes(installed) == row.split()[6:-1]
    assert row.endswith(str(benchmark_path("multiwoz")))


def test_a_damaged_benchmark_is_told_in_the_list(
    capsys: Capture, clones: tuple[Path, Path]
) -> None:
    run_cli(capsys, "data", "import", *_options(clones))
    path = benchmark_path("multiwoz")
    assert path is not None
    path.write_bytes(b"")
    run = run_cli(capsys, "data", "list")
    assert run.status == 2
    assert run.err == (
        f"mwz: {path}: the file is empty; expected JSON; install the benchmark again\n"
    )
