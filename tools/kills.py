"""Kill writing commands at random moments, and look whether every file is whole.

    python tools/kills.py [KILLS] [--seed N]

A command is started, and killed after a random part of the time that it takes. Every file must then
be as it was or as the command leaves it, and no process may be left. Then the command is run again
to its end, after which everything must be as if nothing had happened, but for scratch files. The
commands take turns. Exits with 1 at the first failure and says what to do it again with.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import sha256

PROJECT = Path(__file__).parents[1]
SAMPLES = PROJECT / "harness" / "sample" / "submissions"

State: TypeAlias = "Mapping[str, str]"
"""Path below the working folder -> digest, of every file."""

_SCRATCH = (".unfinished", ".lock")
"""Ends of the names of files that hold nothing."""


def _prepared(folder: Path) -> dict[str, list[str]]:
    """Make the folder that commands start from, a board and a benchmark; return the commands."""
    sys.path.insert(0, str(PROJECT / "tests"))
    entered: Any = importlib.import_module("entered")
    synthetic: Any = importlib.import_module("synthetic")
    submissions = folder / "work" / "board" / "submissions"
    os.environ["MWZ_DATA"] = str(folder / "work" / "data")
    evaluator, data = map(str, synthetic.write_repositories(folder / "clones"))
    entered.enter_sample(submissions)
    content = json.loads((SAMPLES / "hasty.json").read_text(encoding="utf-8"))
    content.popitem()
    predictions = folder / "new.json"
    predictions.write_text(json.dumps(content), encoding="utf-8")
    board = ("--submissions", str(submissions))
    lines = {
        "data import": ("data", "import", "--mwzeval", evaluator, "--multiwoz", data),
        "submit --replace": (
            *("submit", str(predictions), "--track", "end-to-end", "--benchmark", "sample"),
            *("--name", "careful", "--replace", *board),
        ),
        "leaderboard": ("leaderboard", *board),
    }
    shutil.copytree(folder / "work", folder / "start")
    return {name: [sys.executable, "-m", "mwz", *line] for name, line in lines.items()}


def _reset(folder: Path) -> None:
    shutil.rmtree(folder / "work", ignore_errors=True)
    shutil.copytree(folder / "start", folder / "work")


def _state(work: Path) -> State:
    """Return what there is, without scratch files and what is derived of installed benchmarks."""
    return {
        path.relative_to(work).as_posix(): sha256(path.read_bytes())
        for path in sorted(work.rglob("*"))
        if path.is_file() and path.parent.suffix != ".prepared" and not path.name.endswith(_SCRATCH)
    }


def _finish(command: Sequence[str]) -> float:
    """Run a command to its end and return the seconds it took."""
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.returncode}\n{done.stderr}")
    return time.monotonic() - started


def _kill(command: Sequence[str], seconds: float) -> bool:
    """Kill a command after some time; return whether processes of it stay for ten seconds."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    time.sleep(seconds)
    process.kill()
    process.wait()
    ends = time.monotonic() + 10
    while time.monotonic() < ends:
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGKILL)
    return True


def _attempt(work: Path, command: Sequence[str], ends: tuple[State, State], moment: float) -> str:
    """Kill a command once; return what is wrong with what it leaves, or nothing."""
    before, after = ends
    if _kill(command, moment):
        return "processes left"
    torn = []
    for path, content in _state(work).items():
        if content not in (before.get(path), after.get(path)):
            torn.append(path)
    if torn:
        return f"torn: {torn}"
    _finish(command)
    changed = sorted(path for path, _ in set(_state(work).items()) ^ set(after.items()))
    return f"not as if nothing had happened: {changed}" if changed else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kills", nargs="?", type=int, default=200, help="[default: 200]")
    parser.add_argument("--seed", type=int, default=0, help="[default: 0]")
    arguments = parser.parse_args()
    drawn = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = folder / "work"
        commands = list(_prepared(folder).items())
        known: dict[str, tuple[tuple[State, State], float]] = {}
        for number in range(arguments.kills):
            what, command = commands[number % len(commands)]
            _reset(folder)
            if what not in known:
                before = _state(work)
                took = _finish(command)
                known[what] = ((before, _state(work)), took)
                _reset(folder)
            ends, took = known[what]
            moment = drawn.uniform(0, took)
            wrong = _attempt(work, command, ends, moment)
            if wrong:
                print(f"{what}, killed after {moment:.3f} s of {took:.3f} s: {wrong}")
                print(f"kill {number} of --seed {arguments.seed}")
                sys.exit(1)
    print(f"{arguments.kills} kills: nothing lost or half-written")


if __name__ == "__main__":
    main()
