"""Where work runs: here, in processes of this machine, or on a cluster.

Work is handed to any `concurrent.futures.Executor`. A piece of work is a function of a scorer, and
needs a benchmark. The benchmark does not travel with it: whoever works has it installed, which its
file's hash tells, or says that it is missing, and is sent it once.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass, field, replace
from itertools import islice
from threading import RLock
from typing import Any, ParamSpec, TypeVar

from mwz.normalization.digests import sha256

from .benchmark import Benchmark
from .data.installed import installed_digest, load_benchmark
from .errors import InputError
from .scoring import Scorer
from .workers import KILLED, LOST, worker_pool

_P = ParamSpec("_P")
_T = TypeVar("_T")

_WAITING = 32
"""How many pieces of work are handed over before the first of them is done: the inputs of all
need not be in memory at once."""

_HELD = 2
"""How many benchmarks a worker keeps."""

_PATIENCE = "10s"
"""How long to wait for a scheduler."""


class Here(Executor):
    """Does work in this process, when it is handed over."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Do a piece of work; what it raises besides errors ends all."""
        future: Future[_T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


@contextlib.contextmanager
def executor(workers: int, scheduler: str | None = None) -> Iterator[Executor]:
    """Give an executor, for as long as it is needed.

    Args:
        workers: How many processes to use; with 1, work is done in this one.
        scheduler: The address of a Dask scheduler, whose cluster does all work.

    Raises:
        InputError: There is no scheduler there, or Dask is not installed.
    """
    if scheduler is not None:
        with _cluster(scheduler) as cluster:
            yield cluster
    elif workers == 1:
        yield Here()
    else:
        with worker_pool(workers) as pool:
            yield pool


@contextlib.contextmanager
def given_or_own(given: Executor | None, workers: int) -> Iterator[Executor]:
    """Give the executor that a caller brought, or else one of processes of this machine."""
    if given is not None:
        yield given
    else:
        with executor(workers) as own:
            yield own


@contextlib.contextmanager
def _cluster(address: str) -> Iterator[Executor]:
    try:
        from distributed import Client
    except ImportError:
        raise InputError(
            "--scheduler", "needs Dask; install it by `pip install 'multiwoz-harness[dask]'`"
        ) from None
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no answer"
        raise InputError("--scheduler", f"{address}: cannot be reached ({reason})") from None
    with client:
        if not client.scheduler_info()["workers"]:
            raise InputError("--scheduler", f"{address}: the cluster has no worker; start one")
        yield client.get_executor(pure=False)


@dataclass(frozen=True)
class Work:
    """A piece of work.

    Attributes:
        benchmark: What it scores on.
        function: What is done: a function of a module, with a scorer that has default options as
            first argument.
        arguments: Its other arguments. They travel.
        lost: The outcome if no process lives through it; None if that is an error.
    """

    benchmark: Benchmark
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    lost: Any = None


@dataclass(frozen=True)
class Done:
    """A piece of which the outcome is known: nobody need work on it."""

    outcome: Any


def completed(
    to: Executor,
    works: Iterable[Work | Done],
    notify: Callable[[str], None] = lambda remark: None,
) -> Iterator[tuple[int, Any]]:
    """Do work, and yield (number, outcome) of each piece as it is done.

    What a piece raises is raised here, and no further piece is begun. If a process is killed, for
    want of memory, say, what is not done yet is done again by one process at a time, so that the
    piece it dies of is known. A cluster does so by itself.

    Args:
        to: Who does it.
        works: The work, taken as it is needed.
        notify: Called with a remark if a process was killed.
    """
    if isinstance(to, Here):
        yield from _done_here(works)
        return
    source = enumerate(works)
    handed = _Handed(to)
    told = False
    try:
        while True:
            known = handed.fill(source)
            yield from known
            if not handed.pending:
                if known:
                    continue
                return
            for future in wait(handed.pending, return_when=FIRST_COMPLETED).done:
                one = handed.pending.pop(future)
                answer = _answer(future, one.work)
                if answer is None:
                    if not told:
                        notify(KILLED)
                    told = True
                    answer = _alone(one.work)
                if handed.back(one, answer):
                    yield one.number, answer.outcome
    finally:
        for future in handed.pending:
            future.cancel()


@dataclass(frozen=True)
class _Pending:
    """A piece of work that somebody has.

    Attributes:
        number: Its number.
        work: The work.
        sent: Whether the benchmark was sent with it.
    """

    number: int
    work: Work
    sent: bool


@dataclass
class _Sending:
    """How far a benchmark has got.

    Attributes:
        packed: The benchmark as it is sent.
        lacking: The workers that said that they lack it, and have not got it yet.
        under_way: How many times it is on its way.
        held: Work that waits for it to arrive.
    """

    packed: _Packed
    lacking: set[str] = field(default_factory=set)
    under_way: int = 0
    held: list[_Pending] = field(default_factory=list)


class _Handed:
    """Work that an executor has, and the benchmarks that it needs.

    Nobody can say which worker gets a piece of work. So a benchmark is on its way no more often
    than there are workers that lack it; other work waits meanwhile, and is handed over again.

    Attributes:
        pending: Future -> work that is not done yet.
    """

    def __init__(self, to: Executor) -> None:
        self.pending: dict[Future[Any], _Pending] = {}
        self._to = to
        self._sending: dict[int, _Sending] = {}

    def fill(self, source: Iterator[tuple[int, Work | Done]]) -> list[tuple[int, Any]]:
        """Hand over as much as may wait, and return (number, outcome) of what is done already."""
        known = []
        waiting = len(self.pending) + sum(len(one.held) for one in self._sending.values())
        for number, work in islice(source, max(_WAITING - waiting, 0)):
            if isinstance(work, Done):
                known.append((number, work.outcome))
            else:
                self._submit(_Pending(number, work, sent=False))
        return known

    def back(self, one: _Pending, answer: _Answer) -> bool:
        """Take an answer, and return whether it is the outcome; else the work goes on."""
        sending = self._of(one.work.benchmark)
        if answer.missing:
            sending.lacking.add(answer.worker)
            if sending.under_way < len(sending.lacking):
                self._submit(replace(one, sent=True))
            else:
                sending.held.append(one)
            return False
        if one.sent:
            sending.under_way -= 1
            sending.lacking.discard(answer.worker)
            held, sending.held = sending.held, []
            for other in held:
                self._submit(replace(other, sent=False))
        return True

    def _of(self, benchmark: Benchmark) -> _Sending:
        key = id(benchmark)
        if key not in self._sending:
            self._sending[key] = _Sending(_packed(benchmark))
        return self._sending[key]

    def _submit(self, one: _Pending) -> None:
        """Hand a piece over, with its benchmark if that is to be sent."""
        sending = self._of(one.work.benchmark)
        sending.under_way += one.sent
        content = sending.packed.content if one.sent else None
        handle = (one.work.benchmark.name, sending.packed.digest)
        self.pending[_submitted(self._to, handle, content, one.work)] = one


def _submitted(
    to: Executor, handle: tuple[str, str], content: bytes | None, work: Work
) -> Future[Any]:
    try:
        return to.submit(_work, handle, content, work.function, work.arguments)
    except BrokenExecutor as error:
        broken: Future[Any] = Future()
        broken.set_exception(error)
        return broken


def _answer(future: Future[Any], work: Work) -> _Answer | None:
    """Return what came of a piece of work; None if a process was killed meanwhile."""
    try:
        answer: _Answer = future.result()
    except BrokenExecutor:
        return None
    except Exception as error:
        # Dask gives up on work that several workers died of; its class is there only with Dask.
        if type(error).__name__ == "KilledWorker":
            return _lost(work)
        raise
    return answer


def _alone(work: Work) -> _Answer:
    """Do a piece of work in a process of its own."""
    try:
        with worker_pool(1) as pool:
            content = pickle.dumps(work.benchmark)
            digest = sha256(content)
            handle = (work.benchmark.name, digest)
            answer: _Answer = _submitted(pool, handle, content, work).result()
            return answer
    except BrokenExecutor:
        return _lost(work)


def _lost(work: Work) -> _Answer:
    if work.lost is None:
        raise InputError("--workers", LOST)
    return _Answer("", outcome=work.lost)


def in_order(
    to: Executor,
    works: Iterable[Work | Done],
    notify: Callable[[str], None] = lambda remark: None,
) -> Iterator[Any]:
    """Do work, and yield the outcomes in the order of the pieces, each as soon as it can be."""
    early: dict[int, Any] = {}
    following = 0
    for number, outcome in completed(to, works, notify):
        early[number] = outcome
        while following in early:
            yield early.pop(following)
            following += 1


def _done_here(works: Iterable[Work | Done]) -> Iterator[tuple[int, Any]]:
    scorers: dict[int, Scorer] = {}
    for number, work in enumerate(works):
        if isinstance(work, Done):
            yield number, work.outcome
            continue
        # The scorer keeps the benchmark, so that no other has its number.
        scorer = scorers.setdefault(id(work.benchmark), Scorer(work.benchmark))
        yield number, work.function(scorer, *work.arguments)


@dataclass(frozen=True)
class _Packed:
    """A benchmark as it is sent.

    Attributes:
        benchmark: The benchmark.
        digest: SHA-256 of its file where it is installed, else of its content.
        content: The benchmark, pickled; made when somebody lacks it.
    """

    benchmark: Benchmark
    digest: str
    _content: list[bytes] = field(default_factory=list)

    @property
    def content(self) -> bytes:
        if not self._content:
            self._content.append(pickle.dumps(self.benchmark))
        return self._content[0]


def _packed(benchmark: Benchmark) -> _Packed:
    digest = installed_digest(benchmark)
    content = [] if digest else [pickle.dumps(benchmark)]
    return _Packed(benchmark, digest or sha256(content[0]), content)


@dataclass(frozen=True)
class _Answer:
    """What a worker answers.

    Attributes:
        worker: The process that did the work, by host and number.
        missing: Whether it lacks the benchmark, and did nothing.
        outcome: What came of the work.
    """

    worker: str
    missing: bool = False
    outcome: Any = None


class _Held:
    """The benchmarks that a worker has, by (name, digest), each with what is derived from it."""

    def __init__(self) -> None:
        self._scorers: OrderedDict[tuple[str, str], Scorer] = OrderedDict()
        self._lock = RLock()

    def scorer(self, handle: tuple[str, str], content: bytes | None) -> Scorer | None:
        """Return the scorer of a benchmark: kept, installed or sent; None if it is none of it."""
        with self._lock:
            if handle not in self._scorers:
                benchmark = _installed(*handle)
                if benchmark is None and content is not None:
                    benchmark = pickle.loads(content)
                if benchmark is None:
                    return None
                self._scorers[handle] = Scorer(benchmark)
                while len(self._scorers) > _HELD:
                    self._scorers.popitem(last=False)
            self._scorers.move_to_end(handle)
            return self._scorers[handle]


_held = _Held()


def _installed(name: str, digest: str) -> Benchmark | None:
    """Return the benchmark of a name, if it is installed here and just the same."""
    try:
        benchmark = load_benchmark(name)
    except InputError:
        return None
    return benchmark if installed_digest(benchmark) == digest else None


def _work(
    handle: tuple[str, str],
    content: bytes | None,
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
) -> _Answer:
    worker = f"{socket.gethostname()} {os.getpid()}"
    scorer = _held.scorer(handle, content)
    if scorer is None:
        return _Answer(worker, missing=True)
    return _Answer(worker, outcome=function(scorer, *arguments))
