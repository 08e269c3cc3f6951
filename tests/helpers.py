"""Small benchmarks, predictions and command-line runs that several tests build."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from mwz.database import VenueDatabase
from mwz.harness.benchmark import STYLES, Benchmark, Dialogue, Goal
from mwz.harness.cli import main
from mwz.harness.data import build_benchmark, read_data_set
from mwz.harness.errors import InputError
from mwz.harness.submission import Submission, checked_submission, read_predictions, standard_form
from mwz.normalization import rule_set

PROJECT = Path(__file__).parents[1]
SUBMISSIONS = PROJECT / "harness" / "sample" / "submissions"
CAREFUL, HASTY, SCRIPTED = (
    SUBMISSIONS / f"{name}.json" for name in ("careful", "hasty", "scripted")
)

RULES = rule_set("2021")

RESTAURANTS = [
    {"id": "r1", "name": "golden spoon", "area": "north", "food": "greek", "pricerange": "cheap"},
    {"id": "r2", "name": "silver fork", "area": "north", "food": "thai", "pricerange": "cheap"},
    {"id": "r3", "name": "copper pan", "area": "south", "food": "greek", "pricerange": "?"},
    {"id": "r4", "name": "iron pot", "area": "south", "food": "thai", "pricerange": "dear"},
]
TRAINS = [
    {
        "trainID": f"TR{hour:02}",
        "day": "monday",
        "departure": "oakham",
        "destination": "upwell",
        "leaveAt": f"{hour:02}:00",
        "arriveBy": f"{hour:02}:50",
    }
    for hour in (6, 9, 12, 15)
]
VENUES: dict[str, list[dict[str, Any]]] = {"restaurant": RESTAURANTS, "train": TRAINS}


def parse_submission(content: object, benchmark: Benchmark, source: str) -> Submission:
    """Check what a predictions file holds and return it as a submission."""
    return checked_submission(standard_form(content, source), benchmark, source, RULES)


def database(records: Mapping[str, Sequence[Mapping[str, Any]]] = VENUES) -> VenueDatabase:
    """Return an embedded venue database under the rules of 2021."""
    return VenueDatabase(records, RULES)


def goal(informable: Mapping[str, str] | None = None, requestable: Sequence[str] = ()) -> Goal:
    """Return a goal without booking."""
    return Goal(informable or {}, frozenset(requestable), {})


def dialogue(
    goals: Mapping[str, Goal],
    turns: int,
    states: Sequence[Mapping[str, Mapping[str, str]]] | None = None,
    active: Sequence[Sequence[str]] | None = None,
    booked: Sequence[Sequence[str]] | None = None,
    references: Sequence[str] | None = None,
) -> Dialogue:
    """Return a dialogue that has the same references in all styles."""
    texts = list(references or ["hello there , NAME is nice"] * turns)
    return Dialogue(
        goal=goals,
        references=dict.fromkeys(STYLES, texts),
        states=states or [{}] * turns,
        active_domains=active or [[]] * turns,
        booked_domains=booked or [[]] * turns,
    )


def benchmark(dialogues: Mapping[str, Dialogue], name: str = "tiny") -> Benchmark:
    """Return a benchmark with the venues above."""
    return Benchmark(name, dialogues, VENUES, {})


def build_multiwoz(
    mwzeval: Path, multiwoz: Path, venues: Path | None = None, mintl: Path | None = None
) -> Benchmark:
    """Build the benchmark of MultiWOZ from two folders, as `mwz data import` does.

    Args:
        mwzeval: The evaluator's repository.
        multiwoz: The data set's repository.
        venues: The evaluator's repository with the venues of 2021, as a fetch gives it.
        mintl: The repository with DAMD's log, for its gold domains.
    """
    roles = {"evaluator": mwzeval, "data set": multiwoz, "venues": venues, "gold domains": mintl}
    folders = {role: folder for role, folder in roles.items() if folder is not None}
    benchmark, _, _ = build_benchmark(read_data_set("multiwoz"), folders)
    return benchmark


@dataclass(frozen=True)
class Run:
    """What a run of the command line came to."""

    status: int
    out: str
    err: str


def sample_predictions(name: str) -> dict[str, Any]:
    """Return one of the sample's submissions."""
    predictions: dict[str, Any] = json.loads((SUBMISSIONS / f"{name}.json").read_bytes())
    return predictions


def run_process(
    *arguments: object, folder: Path | None = None, **environment: object
) -> subprocess.CompletedProcess[str]:
    """Run `mwz` as a process of its own; it has as long as a loaded machine may need.

    Args:
        arguments: The command line.
        folder: The folder to run it in.
        environment: Environment variables besides those there are.
    """
    return subprocess.run(
        [sys.executable, "-m", "mwz", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **{name: str(value) for name, value in environment.items()}},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


class Cli:
    """Runs `mwz` in this process.

    Args:
        capsys: Holds what is printed.
        first: How each command line begins.
        last: How it ends.
    """

    def __init__(
        self,
        capsys: pytest.CaptureFixture[str],
        first: Sequence[object] = (),
        last: Sequence[object] = (),
    ) -> None:
        self._capsys, self._first, self._last = capsys, first, last

    def of(self, *first: object, last: Sequence[object] = ()) -> Cli:
        """Return what runs command lines that begin and end with these words."""
        return Cli(self._capsys, (*self._first, *first), (*last, *self._last))

    def __call__(self, *arguments: object) -> Run:
        self._capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main([str(argument) for argument in (*self._first, *arguments, *self._last)])
        printed = self._capsys.readouterr()
        code = exit_.value.code
        assert isinstance(code, int)
        return Run(code, printed.out, printed.err)

    def done(self, *arguments: object, status: int = 0, **options: Any) -> Run:
        """Run what succeeds."""
        run = self(*arguments, **options)
        assert run.status == status, run.err
        return run

    def failed(self, *arguments: object, **options: Any) -> Run:
        """Run what finds something that is not as it is to be."""
        return self.done(*arguments, status=1, **options)

    def json(self, *arguments: object) -> Any:
        """Return what is printed of a run that succeeds, as JSON."""
        return json.loads(self.done(*arguments, "--json", "-").out)

    def refused(self, *arguments: object, **options: Any) -> str:
        """Return what is said of a run that is refused: nothing is printed."""
        run = self(*arguments, **options)
        assert (run.status, run.out) == (2, "")
        assert "Traceback" not in run.err
        return run.err


def write_json(path: Path, content: object) -> Path:
    """Write JSON to a path, in folders made as needed, and return the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def table_rows(text: str) -> list[list[str]]:
    """Return the cells of the first table in Markdown, the line below its titles included."""
    lines = text.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    table = takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in table]


def refusal(function: Callable[..., object], *arguments: Any, **options: Any) -> InputError:
    """Return how a function refuses what it is given."""
    with pytest.raises(InputError) as raised:
        function(*arguments, **options)
    return raised.value


def copy_packages(folder: Path) -> None:
    """Copy the project's packages below a folder, which a process then imports `mwz` from.

    `mwz` itself is copied as well: a folder without it would give way to the installed package.
    """
    places = {"package": "mwz"} | {
        name: f"mwz/{name}" for name in ("database", "harness", "normalization")
    }
    ignored = shutil.ignore_patterns("__pycache__")
    for source, place in places.items():
        shutil.copytree(PROJECT / source, folder / place, ignore=ignored, dirs_exist_ok=True)


def texts_drawn(path: Path) -> list[str]:
    """Return what an SVG's comments say was written: matplotlib notes each text it draws."""
    parser = ET.XMLParser(target=ET.TreeBuilder(insert_comments=True))
    root = ET.parse(path, parser).getroot()
    return [str(node.text).strip() for node in root.iter(ET.Comment)]


def read_submission(path: Path | str, benchmark: Benchmark) -> Submission:
    return checked_submission(read_predictions(path), benchmark, str(path), RULES)
