"""Where no benchmark is named, the one is chosen that the dialogues are of, by every command alike.

The README's first command scores the built-in sample; it must work whatever is installed.
"""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from helpers import CAREFUL, PROJECT, Cli, benchmark, dialogue, goal, write_json

from mwz.harness.data.installed import install_benchmark

SAID = "all dialogues are the sample's and none is in `multiwoz`; {} the built-in `sample`"
NOT_THERE = "no other benchmark is installed; {} the built-in `sample`"


@pytest.fixture
def mwz(cli: Cli, tmp_path: Path) -> Cli:
    """Runs a command on a machine that has a benchmark `multiwoz` of two dialogues."""
    states = [{"hotel": {"area": "north"}}]
    playing = {id_: dialogue({"hotel": goal()}, 1, states=states) for id_ in ("mul0001", "mul0002")}
    install_benchmark(benchmark(playing, "multiwoz"))
    return cli


def _file(tmp_path: Path, dialogues: Mapping[str, Sequence[object]]) -> Path:
    return write_json(tmp_path / "predictions.json", dialogues)


TURN = {"response": "[name] it is", "state": {"hotel": {"area": "north"}}}


def _first_command() -> list[str]:
    """Return the arguments of the first `mwz` command in the README."""
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"\bmwz ([^\n]*)", readme[readme.index("```sh") :])
    return found[1].split()


def test_the_readmes_first_command_works_with_multiwoz_installed(
    mwz: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(PROJECT)
    arguments = _first_command()
    assert arguments == ["score", "harness/sample/submissions/careful.json"]
    run = mwz(*arguments)
    assert (run.status, run.err) == (0, f"mwz: {SAID.format('scoring on')}\n")
    named = mwz(*arguments, "--benchmark", "sample")
    assert (named.out, named.err) == (run.out, "")


@pytest.mark.parametrize(
    ("arguments", "doing", "status"),
    [
        (["score", CAREFUL], "scoring on", 0),
        (["check", CAREFUL], "checking against", 0),
        (["convert", CAREFUL, "-o", "-"], "reading for", 0),
        (["dst", CAREFUL], "comparing with", 0),
        (["why", CAREFUL], "explaining by", 0),
        (["compare", CAREFUL, CAREFUL], "comparing on", 0),
        (
            [
                "submit",
                CAREFUL,
                "--name=Careful",
                "--track=end-to-end",
                "--submissions=submissions",
            ],
            "scoring on",
            0,
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_every_command_chooses_the_sample_for_its_dialogues_and_says_so_once(
    mwz: Cli, here: Path, arguments: list[str], doing: str, status: int
) -> None:
    run = mwz(*arguments)
    assert run.status == status, run.err
    assert run.err.count(f"mwz: {SAID.format(doing)}\n") == 1


def test_standard_input_is_chosen_for_as_a_file_is(
    mwz: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    class _Given:
        buffer = io.BytesIO(CAREFUL.read_bytes())

    monkeypatch.setattr(sys, "stdin", _Given())
    run = mwz("score", "-")
    assert (run.status, run.err) == (0, f"mwz: {SAID.format('scoring on')}\n")


@pytest.mark.parametrize(
    "ids",
    [
        ["mul0001", "mul0002"],
        # One of the default benchmark, one of the sample: an error of the file, not a choice.
        ["mul0001", "town001"],
        # In neither.
        ["town001", "pmul9999"],
        [],
    ],
    ids=str,
)
def test_other_dialogues_are_held_against_the_default_benchmark(
    mwz: Cli, tmp_path: Path, ids: list[str]
) -> None:
    path = _file(tmp_path, {id_: [TURN] for id_ in ids})
    run = mwz("score", path)
    named = mwz("score", path, "--benchmark", "multiwoz")
    assert (run.status, run.out, run.err) == (named.status, named.out, named.err)
    assert run.status == (0 if ids == ["mul0001", "mul0002"] else 2)


def test_a_benchmark_that_is_named_is_taken(mwz: Cli) -> None:
    told = mwz.refused("score", CAREFUL, "--benchmark", "multiwoz")
    assert "is in the benchmark multiwoz" in told
    assert "sample" not in told.replace(str(CAREFUL), "")


def test_what_the_harness_makes_is_of_the_default_benchmark(mwz: Cli) -> None:
    run = mwz("score", "@corpus", "--json", "-")
    assert json.loads(run.out)["benchmark"] == "multiwoz"
    assert "sample" not in run.err


def test_without_any_other_benchmark_the_sample_is_said_to_be_the_only_one(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mwz", "score", str(CAREFUL)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == f"mwz: {NOT_THERE.format('scoring on')}\n"
