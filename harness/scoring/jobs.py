"""From predictions to scores: read, checked, normalised, played, scored.

Whatever is done with predictions, scored, compared, explained or entered in the leaderboard, begins
here, so that a file is read alike, and warned of alike, everywhere.

Many are scored as jobs: in this process, by several processes of this machine, or by a Dask
cluster. A job is a call of a function with a scorer as first argument. Each process gets the
benchmark once, and keeps what it derives of it.

The results of dialogues are written as JSON lines. A line holds all that corpus scores are made of
(`DialogueResult`). What the human responses get is no part of them. What is scored decides what
there is: without BLEU among the metrics, a line has no counts for it.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from mwz.normalization import DeclarationError, package_fault

from .. import comparison, diagnosis
from ..benchmark import Benchmark
from ..errors import InputError, Remark
from ..metrics import (
    MAIN_SETUP,
    DialogueResult,
    Played,
    resampled_metrics,
)
from ..signature import Signature
from ..submission import (
    Standard,
    Submission,
    read_standard,
)
from .options import Options, parameters, played_remarks
from .report import Report
from .scorer import (
    Scorer,
    check_predictions,
    evidence_of,
    fit_metrics,
    free_run,
    normalize,
)

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ..comparison import Evidence, Interval

_T = TypeVar("_T")
_Part = TypeVar("_Part")

Predictions: TypeAlias = bytes | Standard | Submission | str
"""An (unpacked) predictions file; the same, parsed; the same, checked; or the name of a submission
that the harness makes."""


def played_predictions(
    scorer: Scorer, submission: Submission | str, resampled: bool = False
) -> tuple[Scorer, Played, tuple[Remark, ...]]:
    """Play predictions; return the scorer that played them, what was played, and remarks on them.

    Args:
        scorer: How to score.
        submission: The predictions, checked; or the name of a submission that the harness makes.
        resampled: Whether to choose, in place of the options' metrics, all that have intervals and
            can be computed of these predictions.

    Raises:
        InputError: They lack what an option needs.
    """
    normalized = normalize(scorer, submission)
    if resampled:
        fit = fit_metrics(normalized)
        chosen = [metric for metric in resampled_metrics() if metric in fit]
        scorer = scorer.with_options(metrics=chosen)
    played = scorer.played(normalized)
    return scorer, played, tuple(played_remarks(played, scorer.options))


def with_common_metrics(systems: Sequence[Evidence], options: Sequence[Options]) -> list[Evidence]:
    """Return the evidence of systems, cut to the metrics that all of them have.

    Args:
        systems: What is known of each, at least one.
        options: How each was scored; their metrics do not matter.
    """
    common = list(systems[0].statistics)
    for system in systems:
        common = [metric for metric in common if metric in system.statistics]
    cut = []
    for system, given in zip(systems, options, strict=True):
        named = parameters(replace(given, metrics=common))
        signature = replace(system.signature, parameters=named)
        statistics = {metric: system.statistics[metric] for metric in common}
        cut.append(replace(system, signature=signature, statistics=statistics))
    return cut


def free_run_predictions(
    scorer: Scorer, predictions: Predictions, source: str
) -> tuple[Scorer, Any]:
    """Compare free-running dialogues with their goals, as `free_run`, given a file or its content.

    Raises:
        InputError: They are no dialogues, are malformed, or one has no goal.
    """
    if isinstance(predictions, bytes):
        predictions = read_standard(predictions, source)
    if not isinstance(predictions, Standard):
        raise InputError(source, "is no file of dialogues")
    return free_run(scorer, predictions, source)


@dataclass(frozen=True)
class ScoredSubmission:
    """The result of scoring predictions. Plain data.

    Attributes:
        report: Their scores, and the remarks on them.
        intervals: Their intervals, if they were asked for: figure -> interval.
        lines: Their lines per dialogue, as text, if they were asked for.
        evidence: What intervals are of and comparisons take, if either was asked for; without
            formulas if only intervals were.
    """

    report: Report
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    lines: str | None = field(default=None, repr=False)
    evidence: Evidence | None = field(default=None, repr=False)

    @property
    def signature(self) -> Signature:
        """What the scores depend on, and the intervals if there are some."""
        signature = self.report.signature
        return comparison.resampled_signature(signature) if self.intervals else signature


Wanted: TypeAlias = Collection[Literal["intervals", "lines", "evidence", "resampled"]]
"""What is wanted of predictions besides their report: intervals, lines per dialogue, what
comparisons take; and whether, in place of the options' metrics, all are computed that have
intervals."""


def score_predictions(
    scorer: Scorer, predictions: Predictions, source: str, options: Options, wanted: Wanted
) -> ScoredSubmission:
    """Score predictions.

    Args:
        scorer: A scorer of the benchmark, with any options.
        predictions: What to score.
        source: What messages call them.
        options: How to score.
        wanted: What is wanted besides the report.

    Raises:
        InputError: They are no submission, lack what an option needs, or no metric has intervals.
    """
    chosen = Scorer(scorer.benchmark, options)
    if options.free_running:
        chosen, played = free_run_predictions(chosen, predictions, source)
        report, remarks = played.report(chosen), tuple(played.remarks)
    else:
        submission = check_predictions(chosen, predictions, source)
        chosen, played, remarks = played_predictions(chosen, submission, "resampled" in wanted)
        report = chosen.report(played)
    report = replace(report, remarks=remarks)
    lines = None
    if "lines" in wanted:
        lines = lines_text(explained_results(played), report.signature)
    if not ("evidence" in wanted or "intervals" in wanted):
        return ScoredSubmission(report, lines=lines)
    if options.free_running:
        evidence: Evidence = played.evidence(chosen, source)
    else:
        evidence = evidence_of(chosen, played, source)
    if "intervals" in wanted and not evidence.statistics:
        names = ", ".join(resampled_metrics())
        raise InputError("--intervals", f"these metrics have no intervals; choose from {names}")
    intervals = comparison.intervals_of(evidence) if "intervals" in wanted else {}
    if "evidence" not in wanted:
        evidence = evidence.without_formulas()
    return ScoredSubmission(report, intervals, lines, evidence)


# Jobs.

_AHEAD = 32
"""How many jobs are submitted at a time: the inputs of all need not be in memory at once."""

_KILLED = "a process was killed; if the memory is too small, use fewer"

_TIMEOUT = 10
"""Seconds to wait for a scheduler."""


def run(
    function: Callable[..., _T],
    jobs: Iterable[tuple[object, ...] | InputError],
    benchmark: Benchmark,
    workers: int | str = 1,
) -> Iterator[_T | InputError]:
    """Do jobs, and yield the result of each, in their order, or its `InputError`.

    Args:
        function: A function of a module; its first argument is a scorer of the benchmark, with
            default options.
        jobs: Its further arguments, taken as they are needed; an `InputError` in place of them is
            the result of the job.
        benchmark: What to score on.
        workers: How many processes to use, 1 for this one; or the address of a Dask scheduler.

    Raises:
        InputError: There is no scheduler there, Dask is not installed, or a process was killed.
    """
    if workers == 1:
        scorer = Scorer(benchmark)
        for job in jobs:
            outcome: _T | InputError
            try:
                outcome = job if isinstance(job, InputError) else function(scorer, *job)
            except InputError as error:
                outcome = error
            yield outcome
        return
    # Imports late what runs processes: it takes 0.04 s, and most runs need one process.
    from concurrent.futures import BrokenExecutor

    with ExitStack() as stack:
        executor, scorers = _executor(workers, benchmark, stack)
        waiting: deque[Future[_T | InputError]] = deque()
        try:
            for job in jobs:
                waiting.append(executor.submit(_outcome, function, *scorers, job))
                if len(waiting) == _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenExecutor:
            raise InputError("--jobs", _KILLED) from None


def in_processes(
    function: Callable[[_Part], _T], parts: Iterable[_Part], processes: int
) -> list[_T]:
    """Call a function of a module with each of several arguments, in so many processes.

    Raises:
        InputError: A process was killed.
    """
    if processes == 1:
        return list(map(function, parts))
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    try:
        with ProcessPoolExecutor(processes, initializer=_end_with_parent) as pool:
            return list(pool.map(function, parts))
    except BrokenExecutor:
        raise InputError("--jobs", _KILLED) from None


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
        problem = "needs Dask (the extra `dask`): pip install distributed"
        raise InputError("--jobs", problem) from None
    try:
        client = stack.enter_context(Client(workers, timeout=_TIMEOUT, set_as_default=False))
    except (OSError, TimeoutError, ValueError) as error:
        reason = (str(error).splitlines() or ["no answer"])[0]
        raise InputError("--jobs", f"{workers}: cannot be reached ({reason})") from None
    return client.get_executor(pure=False), (client.scatter(Scorer(benchmark), broadcast=True),)


_scorer: Scorer
"""The scorer of this process, where it is one of several."""


def _start(benchmark: Benchmark) -> None:
    """Make the scorer of a process."""
    global _scorer  # noqa: PLW0603 -- an initializer has no other place
    _end_with_parent()
    _scorer = Scorer(benchmark)


def _end_with_parent() -> None:
    """Make a process end as soon as the one that started it has."""
    from multiprocessing import connection, parent_process

    # An interruption from the keyboard is for the process that has the workers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()

    def end() -> None:
        if parent is not None:
            connection.wait([parent.sentinel])
            os._exit(1)

    threading.Thread(target=end, daemon=True).start()


def _outcome(function: Callable[..., _T], *scorer_and_job: Any) -> _T | InputError:
    scorer, job = scorer_and_job if len(scorer_and_job) == 2 else (_scorer, *scorer_and_job)
    if isinstance(job, InputError):
        return job
    try:
        return function(scorer, *job)
    except InputError as error:
        return error
    except Exception as error:
        # Another process hands the error over without its traceback.
        if (fault := package_fault(error)) is None:
            raise
        raise DeclarationError(fault) from error


def explained_results(played: Played) -> list[DialogueResult]:
    """Return the results of the dialogues played; in the strict set-up with causes."""
    results = list(played.results)
    if not results[0].goals.get(MAIN_SETUP):
        # Without Inform and Success, or free-running.
        return results
    explained = []
    for result, diagnosed in zip(results, diagnosis.diagnose(played).results, strict=True):
        goals = {**result.goals, MAIN_SETUP: diagnosed.domains}
        explained.append(replace(result, goals=goals))
    return explained


def lines_text(results: Sequence[DialogueResult], signature: Signature) -> str:
    """Return results as JSON lines.

    Args:
        results: The results.
        signature: The signature of their scores; its coverage is left out.
    """
    scored_by = str(replace(signature, coverage=None))
    lines = []
    for result in results:
        content = asdict(result)
        head: dict[str, object] = {
            "dialogue": content.pop("id"),
            "turns": content.pop("turns"),
            "signature": scored_by,
        }
        if MAIN_SETUP in result.goals:
            head |= {"inform": result.inform, "success": result.success}
        for domains in content["goals"].values():
            for domain, outcome in domains.items():
                domains[domain] = _present(outcome)
        line = {**head, **_present(content)}
        lines.append(json.dumps(line, ensure_ascii=False, default=sorted) + "\n")
    return "".join(lines)


def _present(content: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in content.items() if value not in (None, (), [], {})}
