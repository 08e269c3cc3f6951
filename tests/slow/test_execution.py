"""Work is done alike by whoever does it: this process, others, or a cluster that loses a worker."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import run_cli

from mwz.harness import Benchmark, InputError, Scorer, load_benchmark
from mwz.harness import execution as executing
from mwz.harness.data.installed import install_benchmark
from mwz.harness.execution import Done, Here, Work, completed, executor, in_order
from mwz.harness.many import Asked, Scored, score_content
from mwz.harness.scoring import Options

SUBMISSIONS = Path(__file__).parents[2] / "harness" / "sample" / "submissions"
FILES = [SUBMISSIONS / f"{name}.json" for name in ("scripted", "careful", "hasty")]


class _Recording(ThreadPoolExecutor):
    """An executor that notes what it is handed, and works in threads."""

    def __init__(self) -> None:
        super().__init__(1)
        self.contents: list[bytes | None] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.contents.append(args[1])
        return super().submit(fn, *args, **kwargs)


@pytest.fixture(autouse=True)
def _fresh_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executing, "_held", executing._Held())


def _works(benchmark: Benchmark, times: int = 1) -> list[Work]:
    asked = Asked(Options(metrics=["inform", "bleu"]))
    contents = [(file.read_bytes(), file.stem, asked) for file in FILES] * times
    return [Work(benchmark, score_content, one) for one in contents]


def _informs(outcomes: list[Any]) -> list[float | None]:
    assert all(isinstance(outcome, Scored) for outcome in outcomes)
    return [outcome.report.inform for outcome in outcomes]


@pytest.fixture
def expected(sample: Benchmark) -> list[float | None]:
    return _informs([*in_order(Here(), _works(sample))])


def test_any_executor_gives_the_same_in_the_same_order(
    sample: Benchmark, expected: list[float | None]
) -> None:
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for to in (threads, processes):
            assert _informs([*in_order(to, _works(sample, 2))]) == expected * 2


def test_a_benchmark_that_is_not_installed_is_sent_once(
    sample: Benchmark, expected: list[float | None]
) -> None:
    with _Recording() as to:
        assert _informs([*in_order(to, _works(replace(sample, name="mine"), 6))]) == expected * 6
    assert len([content for content in to.contents if content is not None]) == 1


def test_no_process_is_sent_a_benchmark_for_each_piece_of_work(
    sample: Benchmark, expected: list[float | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[bytes] = []
    with ProcessPoolExecutor(2) as to:
        real = to.submit

        def submit(fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            sent.extend([args[1]] if args[1] is not None else [])
            return real(fn, *args, **kwargs)

        monkeypatch.setattr(to, "submit", submit)
        assert _informs([*in_order(to, _works(replace(sample, name="mine"), 14))]) == expected * 14
    # One may go to a worker that has it already: who gets work cannot be chosen.
    assert len(sent) <= 4


def test_a_benchmark_that_is_installed_is_never_sent(
    sample: Benchmark, expected: list[float | None]
) -> None:
    install_benchmark(replace(sample, name="town"))
    with _Recording() as to:
        assert _informs([*in_order(to, _works(load_benchmark("town")))]) == expected
    assert to.contents == [None] * 3


def test_a_benchmark_that_is_installed_otherwise_is_sent(
    sample: Benchmark, expected: list[float | None]
) -> None:
    install_benchmark(replace(sample, name="town"))
    first = next(iter(sample.dialogues))
    less = replace(sample, name="town", dialogues={first: sample.dialogues[first]})
    with _Recording() as to:
        [outcome, *_] = in_order(to, _works(replace(sample, name="town")))
        wrong = [*in_order(to, _works(less))]
    assert outcome.report.inform == expected[0]
    assert all(isinstance(one, InputError) for one in wrong)


def test_what_is_known_already_is_no_work(sample: Benchmark) -> None:
    works = [Done("a"), _works(sample)[0], Done("b")]
    for to in (Here(), ThreadPoolExecutor(1)):
        outcomes = dict(completed(to, works))
        assert (outcomes[0], outcomes[2]) == ("a", "b")
        assert isinstance(outcomes[1], Scored)
    assert [*completed(ThreadPoolExecutor(1), [])] == []


def _die(scorer: Scorer, file: str, once: bool) -> str:
    if not once or not os.path.exists(file):
        Path(file).write_text("", encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)
    return "lived"


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_work_of_a_process_that_is_killed_is_done_again(
    sample: Benchmark, tmp_path: Path, expected: list[float | None]
) -> None:
    for once, outcome in ((True, "lived"), (False, "lost")):
        works = _works(sample)
        works.insert(1, Work(sample, _die, (str(tmp_path / "died"), once), lost="lost"))
        with executor(2) as to:
            outcomes = [*in_order(to, works)]
        assert outcomes.pop(1) == outcome
        assert _informs(outcomes) == expected


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_work_that_no_process_lives_through_is_an_error_that_says_so(
    sample: Benchmark, tmp_path: Path
) -> None:
    with executor(2) as to, pytest.raises(InputError, match="was killed, twice"):
        list(in_order(to, [Work(sample, _die, (str(tmp_path / "always"), False))]))


# ----------------------------------------------------------------------------- a real cluster


class Cluster:
    """A Dask scheduler and two workers on loopback, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        place = folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
        self._start("dask_scheduler", *options, "--scheduler-file", str(place))
        self.address = self._address(place)
        for _ in range(2):
            own = ["--no-nanny", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1"]
            self._start("dask_worker", self.address, *own)

    def _start(self, module: str, *arguments: str) -> None:
        tests = str(Path(__file__).parents[1])
        # No process of the cluster sees what is installed here.
        environment = {**os.environ, "PYTHONPATH": tests, "MWZ_DATA": str(self._folder / "theirs")}
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


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    distributed = pytest.importorskip("distributed", reason="needs the extra `dask`")
    started = Cluster(tmp_path)
    try:
        with distributed.Client(started.address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout="120s")
        yield started
    finally:
        started.close()


def test_a_cluster_that_loses_a_worker_gives_the_same(
    cluster: Cluster, sample: Benchmark, expected: list[float | None]
) -> None:
    outcomes = []
    with executor(1, cluster.address) as to:
        assert isinstance(to, Executor)
        for number, outcome in enumerate(in_order(to, _works(sample, 8))):
            outcomes.append(outcome)
            if number == 4:
                cluster.kill_a_worker()
    assert _informs(outcomes) == expected * 8


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
