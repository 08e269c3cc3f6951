"""Dialogues of the repository user-agent: how they are read, and how their goals are found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli

from mwz.harness import Benchmark
from mwz.harness.data import install_tasks, load_tasks
from mwz.harness.data.installed import install_benchmark
from mwz.harness.submission import read_predictions

_ASKS = ("user_agent", "Which cheap hotel is in the east?")
_ANSWERS = ("tod_system", "There is one.")


def _line(instructions: str, *messages: tuple[str, str]) -> dict[str, Any]:
    history = [{"role": role, "content": words} for role, words in messages]
    return {"initial_message": instructions, "conv_history": history, "result": 1}


def _file(folder: Path, *lines: object) -> Path:
    path = folder / "tod_res.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def _instructions(id_: str) -> str:
    return " ".join(load_tasks("sample")[id_].message)


@pytest.mark.parametrize(
    ("messages", "turns", "remark"),
    [
        ([_ASKS, _ANSWERS], [("Which cheap hotel is in the east?", "There is one.")], None),
        (
            [("thought", "You are a user."), _ASKS, _ANSWERS],
            [("Which cheap hotel is in the east?", "There is one.")],
            "1 message of `thought` left out",
        ),
        (
            [_ANSWERS, _ASKS, _ANSWERS],
            [("Which cheap hotel is in the east?", "There is one.")],
            "1 message of `tod_system` before the user's first left out",
        ),
        (
            [("user_agent", "Hello."), _ASKS, _ANSWERS, ("tod_system", "Book it?")],
            [("Hello. Which cheap hotel is in the east?", "There is one. Book it?")],
            "1 message of `user_agent` joined to the one before",
        ),
        (
            [_ASKS, _ANSWERS, ("user_agent", "Thanks.")],
            [("Which cheap hotel is in the east?", "There is one.")],
            "1 message of the user at the end, without an answer, left out",
        ),
    ],
)
def test_messages_become_turns(
    tmp_path: Path, messages: Any, turns: list[tuple[str, str]], remark: str | None
) -> None:
    standard = read_predictions(_file(tmp_path, _line("Find a hotel.", *messages)))
    expected = [{"user": user, "response": response} for user, response in turns]
    assert standard.dialogues == {"line 1": expected}
    assert remark is None or remark in map(str, standard.remarks)


def test_goals_are_found_by_their_instructions_whatever_marks_and_blanks(
    cli: Cli, tmp_path: Path
) -> None:
    marked = _instructions("town002").replace("cheap", "<span class='emphasis'>cheap</span> ")
    other = _line("Find a lighthouse.", _ASKS, _ANSWERS)
    path = _file(tmp_path, _line(marked, _ASKS, _ANSWERS), other)
    report = cli.json("score", path, "--free-running")
    # A file does not choose the goals that it is measured by.
    assert report["coverage"] == {"dialogues": 1, "of": 30, "turns": 1, "of_turns": 1}
    message = cli.done("score", path, "--free-running").err
    assert "goals found by their instructions: 1 of 2 dialogues, of sample" in message
    assert "left out, as no goal has their instructions: line 2" in message


def test_two_lines_of_one_goal_are_told(cli: Cli, tmp_path: Path) -> None:
    line = _line(_instructions("town002"), _ASKS, _ANSWERS)
    path = _file(tmp_path, line, line)
    message = "line 2: has the goal of line 1, town002; keep one"
    assert message in cli.refused("score", path, "--free-running")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"conv_history": []}, "line 2: expected `initial_message`, a string"),
        (_line("Find it.", ("judge", "Well.")), "line 2, message 0: expected a `role`"),
        (_line("Find a lighthouse.", _ASKS), "no installed benchmark has the goal of any"),
    ],
)
def test_what_cannot_be_read_is_told_by_line(
    cli: Cli, tmp_path: Path, line: object, message: str
) -> None:
    path = _file(tmp_path, _line("Find a lighthouse.", _ASKS, _ANSWERS), line)
    assert message in cli.refused("score", path, "--free-running")


def test_without_free_running_the_option_is_named(cli: Cli, tmp_path: Path) -> None:
    path = _file(tmp_path, _line(_instructions("town002"), _ASKS, _ANSWERS))
    assert "score it by `mwz score --free-running`" in cli.refused("score", path)


def test_the_benchmark_that_has_the_goals_is_scored_on(
    cli: Cli, tmp_path: Path, sample: Benchmark
) -> None:
    task = load_tasks("sample")["town002"]
    install_benchmark(replace(sample, name="town"))
    install_tasks({task.id: replace(task, message=["Find a cheap hotel."])}, "town")
    path = _file(tmp_path, _line("Find a cheap hotel.", _ASKS, _ANSWERS))
    report = cli.json("score", path, "--free-running", "--benchmark", "sample")
    assert report["benchmark"] == "town"
