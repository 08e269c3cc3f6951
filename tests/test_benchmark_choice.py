"""Where no benchmark is named, the default one is taken, by every command alike.

The README's first command scores the built-in sample; it must work whatever is installed.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers import CAREFUL, PROJECT, Cli, benchmark, dialogue, goal

from mwz.harness.data.installed import install_benchmark


@pytest.fixture
def mwz(cli: Cli, tmp_path: Path) -> Cli:
    """Runs a command on a machine that has a benchmark `multiwoz` of one dialogue."""
    states = [{"hotel": {"area": "north"}}]
    playing = {"mul0001": dialogue({"hotel": goal()}, 1, states=states)}
    install_benchmark(benchmark(playing, "multiwoz"))
    return cli


def test_the_readmes_first_command_works(mwz: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(PROJECT)
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"\bmwz ([^\n]*)", readme[readme.index("```sh") :])
    run = mwz(*found[1].split())
    assert (run.status, run.err) == (0, "")


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", CAREFUL],
        ["check", CAREFUL],
        ["convert", CAREFUL, "-o", "-"],
        ["dst", CAREFUL],
        ["why", CAREFUL],
        ["compare", CAREFUL, CAREFUL],
    ],
    ids=lambda value: value[0],
)
def test_multiwoz_is_taken_where_it_is_installed(mwz: Cli, arguments: list[str]) -> None:
    assert "is in the benchmark multiwoz; name another by --benchmark" in mwz.refused(*arguments)


def test_plays_are_of_the_benchmark_that_they_name(mwz: Cli, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    mwz.done("play", "-o", file, "--tasks", 1, "--benchmark", "sample")
    assert "benchmark:sample" in mwz.done("score", file).out
    assert "(One: 1 task, 1 trial), with" in mwz.done("table", "--name", f"One={file}").out


def test_without_any_other_benchmark_the_sample_is_said_to_be_the_only_one(cli: Cli) -> None:
    message = "multiwoz is not installed; the benchmark is the built-in `sample`"
    assert cli.done("score", CAREFUL).err == f"mwz: {message}\n"
