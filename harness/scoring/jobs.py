"""Jobs: done in this process, by several processes of this machine, or by a Dask cluster.

A job is a call of a function with a scorer as first argument. Each process gets the benchmark once,
and keeps what it derives of it.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from ..benchmark import Benchmark
from ..errors import InputError
from .scorer import Scorer

if TYPE_CHECKING:
    from concurrent.futures import Future

_T = TypeVar("_T")

_AHEAD = 32
"""How many jobs are submitted at a time: the inputs of all need not be in memory at once."""

_TIMEOUT = 10
"""Seconds to wait for a scheduler."""


def run(
    function: Callable[..., _T],
    jobs: Iterable[tuple[Any, ...] | InputError],
    benchmark: Benchmark,
    workers: int | str = 1,
) -> Iterator[_T | InputError]:
    """Do jobs, and yield what comes of each, in their order: its result, or its `InputError`.

    Args:
        function: A function of a module; its first argument is a scorer of the benchmark, with
            default options.
        jobs: Its further arguments, taken as they are needed; an `InputError` in place of them is
            what comes of the job.
        benchmark: What to score on.
        workers: How many processes to use, 1 for this one; or the address of a Dask scheduler.

    Raises:
        InputError: There is no scheduler there, Dask is not installed, or a process was killed.
    """
    if workers == 1:
        scorer = Scorer(benchmark)
        yield from (_outcome(function, scorer, job) for job in jobs)
        return
    from concurrent.futures import BrokenExecutor

    with ExitStack() as stack:
        executor, scorers = _executor(workers, benchmark, stack)
        waiting: deque[Future[Any]] = deque()
        try:
            for job in jobs:
                waiting.append(executor.submit(_outcome, function, *scorers, job))
                if len(waiting) == _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenExecutor:
            told = "a process was killed; if the memory is too small, use fewer"
            raise InputError("--jobs", told) from None


def _executor(
    workers: int | str, benchmark: Benchmark, stack: ExitStack
) -> tuple[Any, tuple[Any, ...]]:
    """Return an executor, and the scorer as it knows it; nothing where each process has its own."""
    if isinstance(workers, int):
        from concurrent.futures import ProcessPoolExecutor

        pool = ProcessPoolExecutor(workers, initializer=_start, initargs=(benchmark,))
        stack.callback(pool.shutdown, cancel_futures=True)
        return pool, ()
    try:
        from distributed import Client
    except ImportError:
        told = "needs Dask; install it by `pip install 'multiwoz-harness[dask]'`"
        raise InputError("--jobs", told) from None
    try:
        client = stack.enter_context(Client(workers, timeout=_TIMEOUT, set_as_default=False))
    except (OSError, TimeoutError, ValueError) as error:
        reason = (str(error).splitlines() or ["no answer"])[0]
        raise InputError("--jobs", f"{workers}: cannot be reached ({reason})") from None
    return client.get_executor(pure=False), (client.scatter(Scorer(benchmark), broadcast=True),)


_scorer: Scorer
"""The scorer of this process, where it is one of several."""


def _start(benchmark: Benchmark) -> None:
    """Make the scorer of a process, which ends as soon as the one that started it has."""
    from multiprocessing import connection, parent_process

    global _scorer  # noqa: PLW0603 -- an initializer has no other place
    # An interruption from the keyboard is for the process that has the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def end() -> None:
        if parent is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=end, daemon=True).start()
    _scorer = Scorer(benchmark)


def _outcome(function: Callable[..., _T], *scorer_and_job: Any) -> _T | InputError:
    scorer, job = scorer_and_job if len(scorer_and_job) == 2 else (_scorer, *scorer_and_job)
    if isinstance(job, InputError):
        return job
    try:
        return function(scorer, *job)
    except InputError as error:
        return error
