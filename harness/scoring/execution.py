"""Jobs: done in this process, by several processes of this machine, or by a Dask cluster.

A job is a call of a function with a scorer as first argument. Each process gets the benchmark
once, when it starts, and keeps the scorer that it makes of it. What several processes take is
imported where it is used: most runs are of one.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ..benchmark import Benchmark
from ..errors import InputError
from . import Scorer

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.connection import Connection

_T = TypeVar("_T")
_Pipe: TypeAlias = "Connection[Any, Any]"

KILLED = "a process was killed; what it did not finish is done again, one at a time"
LOST = "the process that scored it was killed, twice; if the memory is too small, use fewer --jobs"
"""The error of a job that no process lived through."""

_AHEAD = 32
"""How many jobs are submitted at a time: the inputs of all need not be in memory at once."""

_TIMEOUT = 10.0
"""Seconds to wait for a scheduler, and for its workers."""


@dataclass(frozen=True)
class Job:
    """A call of the function that `run` is given.

    Attributes:
        name: What messages call it.
        arguments: The function's arguments after the scorer.
    """

    name: str
    arguments: tuple[Any, ...]


_Jobs: TypeAlias = Iterator[tuple[int, Job]]


def run(
    function: Callable[..., _T],
    jobs: Iterable[Job],
    benchmark: Benchmark,
    workers: int = 1,
    scheduler: str | None = None,
    notify: Callable[[str], None] = lambda remark: None,
) -> Iterator[tuple[int, _T | InputError]]:
    """Do jobs, and yield (number, outcome) of each as it is done.

    An `InputError` that a job raises is its outcome; what else it raises is raised here. If a
    process is killed, for want of memory, say, the jobs that are not done are done again, each by a
    process of its own, so that the job that it dies of is known. A cluster does so by itself.

    Args:
        function: A function of a module; its first argument is a scorer of the benchmark, with
            default options.
        jobs: Its calls, taken as they are needed.
        benchmark: What to score on.
        workers: How many processes to use. With 1, or if there is one job, all is done here.
        scheduler: The address of a Dask scheduler, whose cluster does all jobs.
        notify: Called with a remark if a process was killed.

    Raises:
        InputError: There is no scheduler there, or Dask is not installed.
    """
    numbered: _Jobs = enumerate(jobs)
    if scheduler is not None:
        yield from _by_cluster(function, numbered, benchmark, scheduler)
        return
    first = [*islice(numbered, workers)]
    numbered = chain(first, numbered)
    if len(first) > 1:
        yield from _by_processes(function, numbered, benchmark, len(first), notify)
        return
    scorer = Scorer(benchmark)
    for number, job in numbered:
        yield number, _outcome(function, scorer, job.arguments)


def results(outcomes: Iterable[tuple[int, _T | InputError]]) -> list[_T]:
    """Return the outcomes that `run` yields in the order of the jobs.

    Raises:
        InputError: The first one of a job; no further job is begun.
    """
    found: dict[int, _T] = {}
    for number, outcome in outcomes:
        if isinstance(outcome, InputError):
            raise outcome
        found[number] = outcome
    return [found[number] for number in sorted(found)]


def _outcome(
    function: Callable[..., _T], scorer: Scorer, arguments: tuple[Any, ...]
) -> _T | InputError:
    try:
        return function(scorer, *arguments)
    except InputError as error:
        return error


def _completed(
    submit: Callable[[Job], Future[Any]],
    jobs: _Jobs,
    pending: dict[Future[Any], tuple[int, Job]],
) -> Iterator[tuple[int, Job, Future[Any]]]:
    """Submit jobs, and yield each when it is done; `pending` holds those that are not yet."""
    from concurrent.futures import FIRST_COMPLETED, wait

    while True:
        for number, job in islice(jobs, _AHEAD - len(pending)):
            pending[submit(job)] = number, job
        if not pending:
            return
        for future in wait(pending, return_when=FIRST_COMPLETED).done:
            yield *pending.pop(future), future


# ---------------------------------------------------------------------- processes of this machine


def _by_processes(
    function: Callable[..., _T],
    jobs: _Jobs,
    benchmark: Benchmark,
    workers: int,
    notify: Callable[[str], None],
) -> Iterator[tuple[int, _T | InputError]]:
    from concurrent.futures import BrokenExecutor

    pending: dict[Future[Any], tuple[int, Job]] = {}
    left: list[tuple[int, Job]] = []
    with _pool(workers, benchmark) as pool:
        for number, job, future in _completed(partial(_submitted, pool, function), jobs, pending):
            try:
                yield number, future.result()
            except BrokenExecutor:
                left = [(number, job), *pending.values()]
                break
    if left:
        notify(KILLED)
    for number, job in chain(left, jobs):
        yield number, _alone(function, job, benchmark)


def _alone(function: Callable[..., _T], job: Job, benchmark: Benchmark) -> _T | InputError:
    """Do a job in a process of its own; if that is killed, once more."""
    from concurrent.futures import BrokenExecutor

    for _ in range(2):
        with contextlib.suppress(BrokenExecutor), _pool(1, benchmark) as pool:
            outcome: _T | InputError = _submitted(pool, function, job).result()
            return outcome
    return InputError(job.name, LOST)


def _submitted(pool: ProcessPoolExecutor, function: Callable[..., Any], job: Job) -> Future[Any]:
    from concurrent.futures import BrokenExecutor, Future

    try:
        return pool.submit(_work, function, job.arguments)
    except BrokenExecutor as error:
        broken: Future[Any] = Future()
        broken.set_exception(error)
        return broken


@contextlib.contextmanager
def _pool(workers: int, benchmark: Benchmark) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes that end when this one does, however it ends.

    A process that is killed cannot tell its workers to stop: left alone they would go on, and hold
    the locks that they were given with everything else. On an error, or an interruption, what has
    not begun is never done.
    """
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    ours, theirs = multiprocessing.Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, initializer=_start, initargs=(benchmark, ours, theirs))
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        raise
    else:
        pool.shutdown()
    finally:
        # Whoever is still at work sees the end of the pipe.
        theirs.close()
        ours.close()


_scorer: Scorer
"""The scorer of this process, where it is one of a pool."""


def _start(benchmark: Benchmark, pipe: _Pipe, held: _Pipe) -> None:
    """Make the scorer, and end as soon as nobody but this process could write to a pipe."""
    import threading

    global _scorer  # noqa: PLW0603 -- an initializer has no other place
    held.close()
    # An interruption from the keyboard is for the process that has the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def end() -> None:
        pipe.poll(None)
        os._exit(1)

    threading.Thread(target=end, daemon=True).start()
    _scorer = Scorer(benchmark)


def _work(function: Callable[..., _T], arguments: tuple[Any, ...]) -> _T | InputError:
    return _outcome(function, _scorer, arguments)


# ------------------------------------------------------------------------------ a Dask cluster


def _by_cluster(
    function: Callable[..., _T], jobs: _Jobs, benchmark: Benchmark, scheduler: str
) -> Iterator[tuple[int, _T | InputError]]:
    from concurrent.futures import CancelledError

    try:
        from distributed import Client, KilledWorker
        from distributed import TimeoutError as NoWorkerError
    except ImportError:
        raise InputError(
            "--scheduler", "needs Dask; install it by `pip install 'multiwoz-harness[dask]'`"
        ) from None
    try:
        client = Client(scheduler, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no answer"
        raise InputError("--scheduler", f"{scheduler}: cannot be reached ({reason})") from None

    def submitter() -> Callable[[Job], Future[Any]]:
        """Send the scorer to all workers, and return what submits a job of it."""
        try:
            client.wait_for_workers(1, timeout=_TIMEOUT)
        except NoWorkerError:
            problem = f"{scheduler}: the cluster has no worker; start one"
            raise InputError("--scheduler", problem) from None
        # A scorer travels as its benchmark; a worker keeps what it derives from it.
        scorer = client.scatter(Scorer(benchmark), broadcast=True, hash=False)
        executor = client.get_executor(pure=False)
        return lambda job: executor.submit(_outcome, function, scorer, job.arguments)

    pending: dict[Future[Any], tuple[int, Job]] = {}
    left: list[tuple[int, Job]] = []
    with client:
        for number, job, future in _completed(submitter(), jobs, pending):
            try:
                yield number, future.result()
            except KilledWorker:
                yield number, InputError(job.name, LOST)
            except CancelledError:
                # Every worker that had the scorer was killed.
                left = [(number, job), *pending.values()]
                break
        for number, job in chain(left, jobs):
            try:
                yield number, submitter()(job).result()
            except (KilledWorker, CancelledError):
                yield number, InputError(job.name, LOST)
