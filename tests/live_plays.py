"""Plays of the sample's tasks: written once, edited, submitted to a board, and read by commands."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from helpers import Cli, Run

from mwz.harness.board import Entry
from mwz.harness.board.entries import read_entry

Lines = list[list[dict[str, Any]]]


Edit = Callable[[Lines], object]


TASKS = 30


MODEL = "gpt, prompts 1-0123456789ab"


class Track(Cli):
    """Edits files of plays, submits them, and runs commands on them with a board of its own."""

    def __init__(self, plays: Path, folder: Path, cli: Cli) -> None:
        self.folder = folder / "board" / "submissions"
        self._plays, self._folder, self.run = plays, folder, cli
        self.board = cli.of(last=("--submissions", self.folder))

    def files(self, *edits: Edit, prefix: str = "edited") -> list[str]:
        """Write the files of both trials, edited, and return their names."""
        names = ("play.jsonl", "play.2.jsonl")
        texts = [(self._plays.parent / name).read_text(encoding="utf-8") for name in names]
        lines = [[json.loads(line) for line in text.splitlines()] for text in texts]
        for edit in edits:
            edit(lines)
        found = []
        for number, trial in enumerate(filter(None, lines), start=1):
            path = self._folder / f"{prefix}.{number}.jsonl"
            path.write_text("".join(json.dumps(line) + "\n" for line in trial), encoding="utf-8")
            found.append(str(path))
        return found

    def __call__(self, *edits: Edit, name: str = "Agent") -> Run:
        first, *others = self.files(*edits)
        options = ["--name", name, "--track", "live", "--benchmark", "sample"]
        return self.board("submit", first, *options, *(["--seeds", *others] if others else []))

    def entry(self, key: str = "agent") -> Entry:
        return read_entry(self.folder / key)


def every_line(lines: Lines) -> list[dict[str, Any]]:
    return [line for trial in lines for line in trial]


def named_agent(name: str) -> Edit:
    """Say that the agent is another one."""
    return lambda lines: [line.update(agent=name) for line in every_line(lines)]


def named_user(name: str) -> Edit:
    """Say that the user is another one."""
    return lambda lines: [
        line["signature"]["parameters"].update(user=name) for line in every_line(lines)
    ]


mine = named_agent("mine")


def model_user(lines: Lines) -> None:
    """Say that the user is a model, whose words cannot be told."""
    named_user(MODEL)(lines)
    for line in every_line(lines):
        line["costs"] = {"agent": {"calls": 9, "prompt_tokens": 100, "completion_tokens": 20}}


def silent(lines: Lines) -> None:
    """Let the agent say nothing in the first ten dialogues of each trial."""
    for trial in lines:
        for line in trial[:10]:
            for turn in line["turns"]:
                turn["response"] = "I do not know."


def first_turns(lines: Lines) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = lines[0][0]["turns"]
    return turns


def change_result(lines: Lines) -> None:
    lines[0][0]["turns"][0]["calls"][0]["result"]["count"] = 77
