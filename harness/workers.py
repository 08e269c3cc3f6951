"""Processes that share work, and end with the process that started them.

A process that is killed cannot tell its workers to stop. Left alone they would go on, and hold
the locks that they were given with everything else.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
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

KILLED = "a process was killed; what it did not finish is done again, one at a time"


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
