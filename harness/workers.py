"""Processes that share work, and end with the process that started them.

A process that is killed cannot tell its workers to stop. Left alone they would go on, and hold
the locks that they were given with everything else.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any, TypeAlias, TypeVar

_Pipe: TypeAlias = "Connection[Any, Any]"
_Job = TypeVar("_Job")
_Result = TypeVar("_Result")

LOST = (
    "the process that scored it was killed, twice; if the memory is too small, use fewer --workers"
)
"""What is said of work that no process lived through."""

_KILLED = "a process was killed; what it did not finish is done again, one at a time"


@contextmanager
def worker_pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes that end when this one does, however it ends.

    On an error, or an interruption, what has not begun is never done.

    Args:
        workers: How many processes.
    """
    ours, theirs = Pipe(duplex=False)
    pool = ProcessPoolExecutor(workers, initializer=_end_with, initargs=(ours, theirs))
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


def _end_with(pipe: _Pipe, held: _Pipe) -> None:
    """End this process as soon as nobody but this process could write to a pipe."""
    held.close()
    # An interruption from the keyboard is for the process that has the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def wait() -> None:
        pipe.poll(None)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def spread(
    function: Callable[[_Job], _Result],
    jobs: Sequence[_Job],
    workers: int,
    lost: Callable[[_Job], _Result],
    notify: Callable[[str], None] = lambda remark: None,
) -> Iterator[_Result]:
    """Yield what a function returns for each job, in order, computed by several processes.

    If a process is killed, for want of memory, say, what is not done yet is done again by one
    process at a time, so that the job it dies of is known.

    Args:
        function: A function of a module.
        jobs: What it is called with.
        workers: How many processes to use at most.
        lost: Returns what to yield for a job no process lived through, or raises an error.
        notify: Called with a remark if a process was killed.
    """
    done = 0
    try:
        with worker_pool(max(1, min(workers, len(jobs)))) as pool:
            for future in _submitted(pool, function, jobs):
                result = future.result()
                done += 1
                yield result
    except BrokenProcessPool:
        notify(_KILLED)
        for job in jobs[done:]:
            yield _alone(function, job, lost)


def _submitted(
    pool: ProcessPoolExecutor, function: Callable[[_Job], _Result], jobs: Sequence[_Job]
) -> list[Future[_Result]]:
    return [pool.submit(function, job) for job in jobs]


def _alone(
    function: Callable[[_Job], _Result], job: _Job, lost: Callable[[_Job], _Result]
) -> _Result:
    try:
        with worker_pool(1) as pool:
            return pool.submit(function, job).result()
    except BrokenProcessPool:
        return lost(job)
