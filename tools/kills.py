"""Kill writing commands at random moments, and look whether all is whole.

    python tools/kills.py [KILLS] [--seed N]

A command is started, and killed after a random part of the time that it takes. What it leaves must
be the old state or the new one, as far as a reader can be promised; then the same command is run
again to its end, after which everything must be as if nothing had happened: the new state, no
scratch file, no process left. The kinds of commands take turns. Exits with 1 at the first failure
and says what to do it again with.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mwz.harness.board.entries import read_entries
from mwz.harness.data.installed import install_benchmark, load_benchmark
from mwz.normalization.rules.registry import sha256

PROJECT = Path(__file__).parents[1]
SAMPLES = PROJECT / "harness" / "sample" / "submissions"

State = Mapping[str, str]
"""Path below the working folder -> digest, of every file."""

_FETCH = """
import pickle, sys
from mwz.harness.cli import data, main
with open(sys.argv[1], "rb") as file:
    data_set = pickle.load(file)
data.read_data_set = lambda name: data_set
main(sys.argv[2:])
"""
_LEFT_OVER = ".unfinished"


@dataclass(frozen=True)
class Kind:
    """A command that writes.

    Attributes:
        name: What it is called.
        command: How it is started.
        prepare: Makes the state that it starts from.
        whole: Checks what a kill leaves, before anything else is run; given the state before and
            the one that the command leads to. Returns what is wrong, or nothing.
    """

    name: str
    command: Sequence[str]
    prepare: Callable[[], None]
    whole: Callable[[State, State], str | None]


class Board:
    """A working folder with a board, a data directory and what there is to import."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.submissions = self.work / "board" / "submissions"
        self.data = self.work / "data"
        sys.path.insert(0, str(PROJECT / "tests"))
        os.environ["MWZ_DATA"] = str(self.data)
        # The time at which an entry is submitted is in it.
        os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
        self.entered: Any = importlib.import_module("entered")
        synthetic: Any = importlib.import_module("synthetic")
        self.clones = synthetic.write_repositories(folder / "clones")
        mirror = folder / "mirror"
        (folder / "table").write_bytes(pickle.dumps(synthetic.write_mirror(mirror)))
        self.mirror = mirror.as_uri()
        self.start = folder / "start"
        self._make_start()

    def _make_start(self) -> None:
        self.entered.enter_sample(self.submissions)
        _finish(self.mwz("leaderboard", *self._options))
        _finish(self._import)
        shutil.copytree(self.work, self.start)

    @property
    def _options(self) -> tuple[str, ...]:
        return ("--submissions", str(self.submissions))

    @property
    def _import(self) -> list[str]:
        evaluator, data = map(str, self.clones)
        return self.mwz("data", "import", "--mwzeval", evaluator, "--multiwoz", data)

    @staticmethod
    def mwz(*arguments: str) -> list[str]:
        """Return how a command is started."""
        return [sys.executable, "-m", "mwz", *arguments]

    def reset(self) -> None:
        """Go back to the start: three entries, their page, a benchmark."""
        shutil.rmtree(self.work, ignore_errors=True)
        shutil.copytree(self.start, self.work)

    def kinds(self) -> list[Kind]:
        """Return all kinds of commands that write."""
        predictions = str(self.folder / "new.json")
        content = json.loads((SAMPLES / "hasty.json").read_text(encoding="utf-8"))
        content.popitem()
        Path(predictions).write_text(json.dumps(content), encoding="utf-8")
        submit = ("submit", predictions, "--track", "end-to-end", "--benchmark", "sample")
        fetch = [sys.executable, "-c", _FETCH, str(self.folder / "table"), "data", "fetch"]
        return [
            Kind("data import", self._import, self._old_benchmark, self._benchmark_is_whole),
            Kind(
                "data fetch",
                [*fetch, "--from", self.mirror],
                self._old_benchmark,
                self._benchmark_is_whole,
            ),
            Kind(
                "submit",
                self.mwz(*submit, "--name", "newcomer", *self._options),
                self.reset,
                self._entries_are_whole,
            ),
            Kind(
                "submit --replace",
                self.mwz(*submit, "--name", "careful", "--replace", *self._options),
                self.reset,
                self._files_are_whole,
            ),
            Kind(
                "leaderboard",
                self.mwz("leaderboard", *self._options),
                self._stale_page,
                self._entries_are_whole,
            ),
            Kind(
                "leaderboard --rescore",
                self.mwz("leaderboard", "--rescore", "--jobs", "2", *self._options),
                self._edited_scores,
                self._files_are_whole,
            ),
        ]

    def next_command(self, kind: Kind) -> Sequence[str]:
        """Return what a user runs after a kill: the same, or for what is entered, the page."""
        if kind.name == "submit" and (self.submissions / "newcomer").exists():
            return self.mwz("leaderboard", *self._options)
        return kind.command

    def _old_benchmark(self) -> None:
        self.reset()
        old = load_benchmark("multiwoz")
        dialogues = dict(list(old.dialogues.items())[1:])
        install_benchmark(replace(old, dialogues=dialogues))
        assert (self.data / "benchmarks" / "multiwoz.json.gz").is_file()

    def _stale_page(self) -> None:
        self.reset()
        (self.submissions.parent / "leaderboard.md").write_text("stale", encoding="utf-8")

    def _edited_scores(self) -> None:
        self.reset()
        for name in ("careful", "hasty"):
            self.entered.change_scores(self.submissions / name, _with_other_words)
        _finish(self.mwz("leaderboard", *self._options))

    def state(self) -> State:
        """Return what there is, without what is derived of installed benchmarks."""
        return {
            path.relative_to(self.work).as_posix(): sha256(path.read_bytes())
            for path in sorted(self.work.rglob("*"))
            if path.is_file() and path.parent.suffix != ".prepared"
        }

    def _benchmark_is_whole(self, before: State, after: State) -> str | None:
        load_benchmark("multiwoz")
        return self._old_or_new(before, after, "data/benchmarks/multiwoz.json.gz")

    def _entries_are_whole(self, before: State, after: State) -> str | None:
        problems = [
            problem for entry in read_entries(self.submissions) for problem in entry.problems
        ]
        page = self._old_or_new(before, after, "board/leaderboard.md")
        names = {path.name for path in self.submissions.iterdir() if path.name[0] != "."}
        for name in names:
            own = f"board/submissions/{name}/"
            found = _below(self.state(), own)
            if found not in (_below(before, own), _below(after, own)):
                problems.append(f"{name}: neither the old nor the new entry")
        return "; ".join(problems) or page

    def _files_are_whole(self, before: State, after: State) -> str | None:
        torn = [
            path
            for path, found in self.state().items()
            if not path.endswith(_LEFT_OVER) and found not in (before.get(path), after.get(path))
        ]
        return f"torn: {torn}" if torn else None

    def _old_or_new(self, before: State, after: State, place: str) -> str | None:
        found = self.state().get(place)
        return None if found in (before.get(place), after.get(place)) else f"{place} is torn"


def _with_other_words(content: Any) -> None:
    """Change a figure that nothing else follows from, so that scoring again mends it."""
    content["diversity"]["unigrams"] += 1


def _below(state: State, place: str) -> State:
    return {path: found for path, found in state.items() if path.startswith(place)}


def _finish(command: Sequence[str]) -> float:
    """Run a command to its end and return the seconds it took."""
    started = time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    if run.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
    return time.monotonic() - started


def _killed(command: Sequence[str], after: float) -> tuple[bool, int]:
    """Start a command and kill it; return whether it still ran, and its session's number."""
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    return process.wait() == -signal.SIGKILL, process.pid


def _left_running(session: int) -> list[str]:
    """Return the processes of a session, after they have had five seconds to end."""
    for _ in range(50):
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                parts = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(parts[3]) == session and parts[0] != "Z":
                found.append(folder.name)
        if not found:
            return []
        time.sleep(0.1)
    return found


def _attempt(board: Board, kind: Kind, before: State, after: State, moment: float) -> str | None:
    """Kill a command once; return what is wrong with what it leaves, or nothing."""
    _, session = _killed(kind.command, moment)
    running = _left_running(session)
    if running:
        return f"processes left: {running}"
    wrong = kind.whole(before, after)
    if wrong is not None:
        return wrong
    _finish(board.next_command(kind))
    state = board.state()
    left = [path for path in state if _LEFT_OVER in path]
    if left:
        return f"left over: {left}"
    changed = sorted(path for path, _ in set(state.items()) ^ set(after.items()))
    return f"not as if nothing had happened: {changed}" if changed else None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("kills", nargs="?", type=int, default=200, help="[default: 200]")
    parser.add_argument("--seed", type=int, default=0, help="[default: 0]")
    arguments = parser.parse_args()
    drawn = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        board = Board(Path(folder))
        kinds = board.kinds()[: arguments.kills]
        known: dict[str, tuple[State, State, float]] = {}
        counts = dict.fromkeys((kind.name for kind in kinds), 0)
        for number in range(arguments.kills):
            kind = kinds[number % len(kinds)]
            kind.prepare()
            if kind.name not in known:
                before = board.state()
                took = _finish(kind.command)
                known[kind.name] = (before, board.state(), took)
                kind.prepare()
            before, after, took = known[kind.name]
            moment = drawn.uniform(0, took)
            wrong = _attempt(board, kind, before, after, moment)
            if wrong is not None:
                print(f"{kind.name}, killed after {moment:.3f} s of {took:.3f} s: {wrong}")
                print(f"kill {number} of --seed {arguments.seed}")
                sys.exit(1)
            counts[kind.name] += 1
            if sys.stderr.isatty() or number % 20 == 19:
                print(f"{number + 1} kills", file=sys.stderr)
    for name, count in counts.items():
        print(f"{name:24}{count:5} kills, {known[name][2]:6.2f} s a run")
    print(f"{arguments.kills} kills: nothing lost, half-written or left over")


if __name__ == "__main__":
    main()
