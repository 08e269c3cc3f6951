"""Processes that share work: they end with who started them, and one that is killed is told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from entered import enter_sample

from mwz.harness import Benchmark, Scorer
from mwz.harness.board import rescoring
from mwz.harness.board.entries import read_entries
from mwz.harness.board.grid import explain
from mwz.harness.board.rescoring import rescore
from mwz.harness.board.submitting import locked
from mwz.harness.errors import InputError
from mwz.harness.execution import Work, executor, in_order
from mwz.harness.workers import LOST

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


def _square(_: Scorer, number: int) -> int:
    return number**2


def _fail_at_three(_: Scorer, number: int) -> int:
    if number == 3:
        raise InputError("three", "cannot be")
    return number


class _Dying:
    """Squares numbers, but is killed at some: the first time, or every time."""

    def __init__(self, folder: Path, deadly: frozenset[int], times: int) -> None:
        self.folder, self.deadly, self.times = folder, deadly, times

    def __call__(self, _: Scorer, number: int) -> int:
        if number in self.deadly:
            deaths = len(list(self.folder.glob(f"{number}.*")))
            if deaths < self.times:
                (self.folder / f"{number}.{deaths}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return number**2


def _spread(
    benchmark: Benchmark,
    function: Callable[..., int],
    numbers: range,
    workers: int,
    notify: Callable[[str], None] = lambda remark: None,
) -> list[int]:
    """Return what a function makes of numbers; of one that no process lives through, its negative.

    0 has none: an error is raised of it.
    """
    works = (Work(benchmark, function, (number,), lost=-number or None) for number in numbers)
    with executor(workers) as to:
        return list(in_order(to, works, notify))


def test_results_come_in_the_order_of_the_work(sample: Benchmark) -> None:
    assert _spread(sample, _square, range(40), 3) == [n**2 for n in range(40)]
    assert _spread(sample, _square, range(0), 3) == []


def test_an_error_reaches_who_started_the_work(sample: Benchmark) -> None:
    with pytest.raises(InputError, match="three: cannot be"):
        _spread(sample, _fail_at_three, range(9), 2)


@pytest.mark.parametrize("deadly", [{0}, {4}, {1, 2}, {6}])
def test_the_work_of_a_killed_process_is_done_again_and_told(
    tmp_path: Path, sample: Benchmark, deadly: set[int]
) -> None:
    told: list[str] = []
    dying = _Dying(tmp_path, frozenset(deadly), times=1)
    assert _spread(sample, dying, range(7), 2, told.append) == [n**2 for n in range(7)]
    assert told == ["a process was killed; what it did not finish is done again, one at a time"]


def test_work_that_kills_every_process_is_named_and_the_rest_is_done(
    tmp_path: Path, sample: Benchmark
) -> None:
    dying = _Dying(tmp_path, frozenset({2, 5}), times=99)
    assert _spread(sample, dying, range(7), 2) == [0, 1, -2, 9, 16, -5, 36]
    with pytest.raises(InputError, match=LOST):
        _spread(sample, _Dying(tmp_path, frozenset({0}), times=99), range(7), 2)


def test_an_entry_whose_scoring_is_killed_is_kept_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter_sample(tmp_path / "submissions")
    scored = rescoring.all_scores

    def die_of_hasty(content: bytes | str, benchmark: Any, source: str, *more: Any) -> Any:
        if source == "hasty":
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(content, benchmark, source, *more)

    # The processes are forks of this one.
    monkeypatch.setattr(rescoring, "all_scores", die_of_hasty)
    told: list[str] = []
    entries = read_entries(tmp_path / "submissions")
    outcomes = rescore(entries, None, None, 2, lambda coming: coming, notify=told.append)
    problems = {one.key: one.problem for one in outcomes}
    assert problems.pop("hasty") == LOST
    assert set(problems.values()) == {None}
    assert len(told) == 1


def test_an_explanation_whose_process_is_killed_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mwz.harness.board.grid.play", lambda *_: os.kill(os.getpid(), 9))
    content = b'{"town001": [{"response": "hello"}, {"response": "bye"}]}'
    with pytest.raises(InputError, match="--workers: the process that scored it was killed, twice"):
        explain(content, "sample", 2, lambda parts, count: parts)


def _wait(until: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not until():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them_and_let_go_of_its_lock(
    how: signal.Signals, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    code = f"""
import os, time
from pathlib import Path
from mwz.harness.board.submitting import locked
from mwz.harness.workers import worker_pool
def work(number):
    (Path({str(tmp_path)!r}) / f"worker-{{os.getpid()}}").touch()
    time.sleep(600)
with locked(Path({str(folder)!r})):
    with worker_pool(2) as pool:
        list(pool.map(work, range(4)))
"""
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    try:
        assert _wait(lambda: len(list(tmp_path.glob("worker-*"))) == 2)
    finally:
        process.send_signal(how)
    assert process.wait(timeout=60) != 0
    workers = [int(path.name.partition("-")[2]) for path in tmp_path.glob("worker-*")]
    assert _wait(lambda: not any(map(_runs, workers)), seconds=20)
    with locked(folder):
        pass


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
        state = Path(f"/proc/{process}/stat")
        # One that nobody has waited for yet has ended all the same.
        return not (state.exists() and ") Z " in state.read_text())
    except ProcessLookupError:
        return False
