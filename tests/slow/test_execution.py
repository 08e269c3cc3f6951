"""Jobs are done alike by this process, by others, and by a cluster; a killed process is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from entered import enter_sample
from helpers import run_cli

from mwz.harness import Benchmark, InputError, Scorer
from mwz.harness.board import entry_scores
from mwz.harness.board.audit.setup_search import Outputs, search_setups
from mwz.harness.board.entries import read_entries
from mwz.harness.board.rescoring import rescore
from mwz.harness.board.scores import Scores
from mwz.harness.board.submitting import locked
from mwz.harness.scoring import Options
from mwz.harness.scoring.execution import KILLED, LOST, Job, results, run
from mwz.harness.scoring.many import Request, score_predictions

SUBMISSIONS = Path(__file__).parents[2] / "harness" / "sample" / "submissions"
FILES = [SUBMISSIONS / f"{name}.json" for name in ("scripted", "careful", "hasty")]

forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


def _square(_: Scorer, number: int) -> int:
    return number**2


def _fail_at_three(_: Scorer, number: int) -> int:
    if number == 3:
        raise InputError("three", "cannot be")
    return number


def _divide(_: Scorer, number: int) -> float:
    return 1 / number


def _place(scorer: Scorer, seconds: float) -> tuple[int, int]:
    time.sleep(seconds)
    return os.getpid(), id(scorer)


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


def _jobs(numbers: range) -> list[Job]:
    return [Job(f"job {number}", (number,)) for number in numbers]


def _score_jobs(times: int = 1) -> list[Job]:
    request = Request(Options(metrics=["inform", "bleu"]))
    return [Job(file.stem, (file.read_bytes(), file.stem, request)) for file in FILES] * times


def _informs(outcomes: Iterator[tuple[int, Any]]) -> list[float | None]:
    return [outcome.report.inform for outcome in results(outcomes)]


@pytest.fixture
def expected(sample: Benchmark) -> list[float | None]:
    return _informs(run(score_predictions, _score_jobs(), sample))


@pytest.mark.parametrize("workers", [1, 3])
def test_results_are_in_the_order_of_the_jobs(sample: Benchmark, workers: int) -> None:
    done = run(_square, _jobs(range(40)), sample, workers)
    assert results(done) == [n**2 for n in range(40)]
    assert list(run(_square, [], sample, workers)) == []


def test_processes_score_as_this_one_does(sample: Benchmark, expected: list[float | None]) -> None:
    assert _informs(run(score_predictions, _score_jobs(2), sample, 2)) == expected * 2


def test_a_single_job_is_done_in_this_process(sample: Benchmark) -> None:
    [[here, _]] = results(run(_place, [Job("", (0,))], sample, 4))
    assert here == os.getpid()
    places = results(run(_place, [Job("", (0,))] * 2, sample, 4))
    assert os.getpid() not in {process for process, _ in places}


@pytest.mark.parametrize("workers", [1, 2])
def test_each_process_keeps_one_scorer(sample: Benchmark, workers: int) -> None:
    places = results(run(_place, [Job("", (0.01,))] * 12, sample, workers))
    assert len(set(places)) == len({process for process, _ in places}) <= workers


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_are_taken_as_they_are_needed(sample: Benchmark, workers: int) -> None:
    taken: list[int] = []

    def jobs() -> Iterator[Job]:
        for number in range(100):
            taken.append(number)
            yield Job("", (number,))

    done = run(_square, jobs(), sample, workers)
    next(done)
    # 32 are submitted at a time; alone, one.
    assert len(taken) == (1 if workers == 1 else 32)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_input_error_of_a_job_is_its_outcome(sample: Benchmark, workers: int) -> None:
    outcomes = dict(run(_fail_at_three, _jobs(range(5)), sample, workers))
    error = outcomes.pop(3)
    assert str(error) == "three: cannot be"
    assert outcomes == {0: 0, 1: 1, 2: 2, 4: 4}
    with pytest.raises(InputError, match="three: cannot be"):
        results(run(_fail_at_three, _jobs(range(5)), sample, workers))


@pytest.mark.parametrize("workers", [1, 2])
def test_any_other_error_of_a_job_is_raised(sample: Benchmark, workers: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(run(_divide, _jobs(range(3)), sample, workers))


# ---------------------------------------------------------------------------- killed processes


@forking
@pytest.mark.parametrize("deadly", [{0}, {4}, {1, 2}, {6}])
def test_the_jobs_of_a_killed_process_are_done_again_and_told(
    tmp_path: Path, sample: Benchmark, deadly: set[int]
) -> None:
    told: list[str] = []
    dying = _Dying(tmp_path, frozenset(deadly), times=1)
    done = run(dying, _jobs(range(7)), sample, 2, notify=told.append)
    assert results(done) == [n**2 for n in range(7)]
    assert told == [KILLED]


@forking
def test_a_job_that_kills_every_process_is_named_and_the_rest_is_done(
    tmp_path: Path, sample: Benchmark
) -> None:
    dying = _Dying(tmp_path, frozenset({2, 50}), times=99)
    outcomes = dict(run(dying, _jobs(range(60)), sample, 2))
    lost = {number: outcomes.pop(number) for number in (2, 50)}
    assert {n: str(error) for n, error in lost.items()} == {n: f"job {n}: {LOST}" for n in (2, 50)}
    assert outcomes == {n: n**2 for n in range(60) if n not in (2, 50)}


@forking
def test_an_entry_whose_scoring_is_killed_is_kept_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter_sample(tmp_path / "submissions")
    scored = entry_scores.score_entry

    def die_of_hasty(outputs: entry_scores.Outputs, *more: Any) -> Scores:
        if isinstance(outputs, entry_scores.Responses) and outputs.source == "hasty":
            os.kill(os.getpid(), signal.SIGKILL)
        return scored(outputs, *more)

    # The processes are forks of this one.
    monkeypatch.setattr(entry_scores, "score_entry", die_of_hasty)
    told: list[str] = []
    entries = read_entries(tmp_path / "submissions")
    outcomes = list(rescore(entries, workers=2, notify=told.append))
    problems = {one.key: one.missing for one in outcomes}
    assert problems.pop("hasty") == LOST
    assert set(problems.values()) == {None}
    assert len(told) == 1


@forking
def test_an_explanation_whose_process_is_killed_is_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "mwz.harness.board.audit.setup_search.play", lambda *_: os.kill(os.getpid(), 9)
    )
    content = b'{"town001": [{"response": "hello"}, {"response": "bye"}]}'
    outputs = {"one": Outputs(content, "sample"), "other": Outputs(content + b" ", "sample")}
    with pytest.raises(InputError, match="the process that scored it was killed, twice"):
        search_setups(outputs, 2)


def _wait(until: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not until():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@forking
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them_and_let_go_of_its_lock(
    how: signal.Signals, tmp_path: Path
) -> None:
    folder = tmp_path / "submissions"
    folder.mkdir()
    code = f"""
import os, time
from pathlib import Path
from mwz.harness import load_benchmark
from mwz.harness.board.submitting import locked
from mwz.harness.scoring.execution import Job, run
def work(scorer, number):
    (Path({str(tmp_path)!r}) / f"worker-{{os.getpid()}}").touch()
    time.sleep(600)
with locked(Path({str(folder)!r})):
    list(run(work, [Job("", (n,)) for n in range(4)], load_benchmark("sample"), 2))
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


# ----------------------------------------------------------------------------- a real cluster


class Cluster:
    """A Dask scheduler and two workers on loopback, each a process of its own.

    Args:
        folder: Where logs go.
        nanny: `--nanny` if workers that are killed are started anew, else `--no-nanny`.
    """

    def __init__(self, folder: Path, nanny: str) -> None:
        self._folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        place = folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self._start("dask_scheduler", *options, "--scheduler-file", str(place))
        self.address = self._address(place)
        for _ in range(2):
            own = [nanny, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
            self._start("dask_worker", self.address, *own)

    def _start(self, module: str, *arguments: str) -> None:
        tests = Path(__file__).parents[1]
        path = os.pathsep.join(map(str, (tests, tests.parent)))
        # No process of the cluster sees what is installed here.
        environment = {**os.environ, "PYTHONPATH": path, "MWZ_DATA": str(self._folder / "theirs")}
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments]
        with (self._folder / f"{len(self.processes)}.log").open("wb") as log:
            self.processes.append(
                subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=self._folder)
            )

    @staticmethod
    def _address(place: Path) -> str:
        for _ in range(600):
            if place.exists():
                try:
                    return str(json.loads(place.read_text(encoding="utf-8"))["address"])
                except ValueError:
                    pass
            time.sleep(0.1)
        raise TimeoutError("the scheduler does not start")

    def kill_a_worker(self) -> None:
        """End one of the workers at once."""
        self.processes[-1].kill()

    def close(self) -> None:
        """End all processes."""
        for process in self.processes:
            process.kill()
            process.wait()


@contextmanager
def _started(folder: Path, nanny: str) -> Iterator[Cluster]:
    distributed = pytest.importorskip("distributed", reason="needs the extra `dask`")
    started = Cluster(folder, nanny)
    try:
        with distributed.Client(started.address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout="120s")
        yield started
    finally:
        started.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with _started(tmp_path, "--no-nanny") as started:
        yield started


def test_a_cluster_that_loses_a_worker_gives_the_same(
    cluster: Cluster, sample: Benchmark, expected: list[float | None]
) -> None:
    outcomes = {}
    for job, outcome in run(score_predictions, _score_jobs(8), sample, scheduler=cluster.address):
        outcomes[job] = outcome
        if len(outcomes) == 5:
            cluster.kill_a_worker()
    assert _informs(iter(outcomes.items())) == expected * 8


def test_a_job_that_kills_all_workers_of_a_cluster_is_named_and_the_rest_is_done(
    tmp_path: Path, sample: Benchmark
) -> None:
    dying = _Dying(tmp_path, frozenset({2}), times=99)
    with _started(tmp_path, "--nanny") as started:
        outcomes = dict(run(dying, _jobs(range(6)), sample, scheduler=started.address))
    assert str(outcomes.pop(2)) == f"job 2: {LOST}"
    assert outcomes == {0: 0, 1: 1, 3: 9, 4: 16, 5: 25}


def test_commands_hand_their_work_to_a_cluster(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    several = ("score", *FILES, "--benchmark", "sample", "--no-cache", "--format", "csv")
    two = ("compare", *FILES[1:], "--benchmark", "sample", "--metrics", "inform", "--samples", 20)
    for command in (several, two):
        alone = run_cli(capsys, *command, "--jobs", 1)
        assert alone.status == 0
        there = run_cli(capsys, *command, "--scheduler", cluster.address)
        assert (there.status, there.out) == (0, alone.out), there.err


def test_a_scheduler_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed", reason="needs the extra `dask`")
    arguments = ("score", *FILES, "--benchmark", "sample", "--no-cache")
    for address in ("tcp://127.0.0.1:1", "nonsense://x"):
        run = run_cli(capsys, *arguments, "--scheduler", address)
        assert run.status == 2
        assert run.err.startswith("mwz: --scheduler: ")
        assert address in run.err


def test_without_dask_it_is_said_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    run = run_cli(capsys, "score", *FILES, "--benchmark", "sample", "--scheduler", "tcp://x:1")
    assert run.status == 2
    assert "pip install 'multiwoz-harness[dask]'" in run.err
