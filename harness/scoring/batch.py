"""Scoring predictions: what is wanted of them, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..benchmark import Benchmark
from ..errors import InputError
from ..io.files import limits, read_bytes, shown_name
from ..metrics import resampled_metrics
from ..metrics.played import Played
from ..submission.formats import Standard, read_standard
from . import Options, Scorer
from .jobs import run
from .predictions import Predictions, played_predictions
from .report import Report

if TYPE_CHECKING:
    from ..comparison.evidence import Evidence
    from ..comparison.interval import Interval
    from ..metrics.statistics import Figure


@dataclass(frozen=True)
class Request:
    """What is wanted of every file.

    Attributes:
        options: How to score.
        intervals: Whether intervals are wanted.
        lines: Whether lines per dialogue are wanted.
        evidence: Whether what comparisons take is wanted.
    """

    options: Options
    intervals: bool = False
    lines: bool = False
    evidence: bool = False


@dataclass(frozen=True)
class ScoredSubmission:
    """What came of a file, or of what the harness makes. Plain data.

    Attributes:
        report: Its scores.
        remarks: What is to be said of it.
        intervals: Its intervals, as JSON types, if they were asked for.
        figures: What there are intervals of.
        lines: Its lines per dialogue, as text, if they were asked for.
        evidence: What comparisons take, if it was asked for.
    """

    report: Report
    remarks: tuple[str, ...] = ()
    intervals: Mapping[str, Any] | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    lines: str | None = field(default=None, repr=False)
    evidence: Evidence | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the report, with the intervals if they were asked for, as JSON types."""
        more = {} if self.intervals is None else {"intervals": dict(self.intervals)}
        return {**self.report.to_dict(), **more}


def score_files(
    files: Sequence[str],
    choose: Callable[[Iterable[object]], Benchmark],
    request: Request,
    workers: int | str = 1,
) -> Iterator[ScoredSubmission | InputError]:
    """Score predictions, and yield what comes of each, in their order: scores, or why not.

    Args:
        files: The files; `-` is standard input.
        choose: Chooses the benchmark for dialogues, given the ids of the first file's.
        request: What is wanted of each.
        workers: As for `run`.
    """
    unreadable: dict[int, InputError] = {}
    benchmark: list[Benchmark] = []

    def jobs() -> Iterator[tuple[Predictions, str, Request]]:
        for number, file in enumerate(files):
            source = shown_name(file)
            try:
                content = read_bytes(file, limits())
                if not benchmark:
                    standard = read_standard(content, source, request.options.reading)
                    benchmark.append(choose(standard.dialogues))
            except InputError as error:
                unreadable[number] = error
            else:
                yield content, source, request

    coming = jobs()
    first = next(coming, None)
    number = 0
    if first is not None:
        every = (job for jobs_ in ([first], coming) for job in jobs_)
        for outcome in run(score_predictions, every, benchmark[0], workers):
            while number in unreadable:
                yield unreadable[number]
                number += 1
            yield outcome
            number += 1
    yield from (unreadable[at] for at in range(number, len(files)))


def score_predictions(
    scorer: Scorer, predictions: Predictions, source: str, request: Request
) -> ScoredSubmission:
    """Score predictions.

    Args:
        scorer: A scorer of the benchmark, with any options.
        predictions: What to score.
        source: What messages call them.
        request: What is wanted.

    Raises:
        InputError: They are no submission, lack what an option needs, or no metric has intervals.
    """
    chosen = scorer.with_options(**vars(request.options))
    if chosen.options.free_running:
        return _free_running(chosen, predictions, source, request)
    played = played_predictions(chosen, predictions, source)
    report = chosen.report(played.played)
    document, figures = _intervals(chosen, played.played) if request.intervals else (None, {})
    lines = None
    if request.lines:
        from .dialogue_lines import explained_results, lines_text

        lines = lines_text(explained_results(played.played), report.signature)
    evidence = chosen.evidence_of(played.played, source) if request.evidence else None
    remarks = tuple(map(str, played.remarks))
    return ScoredSubmission(report, remarks, document, figures, lines, evidence)


def _free_running(
    scorer: Scorer, predictions: Predictions, source: str, request: Request
) -> ScoredSubmission:
    """Score free-running dialogues; what an option must not ask of them is known by now."""
    from .free_running import score_free_running

    if isinstance(predictions, bytes):
        predictions = read_standard(predictions, source, scorer.options.reading)
    if not isinstance(predictions, Standard):
        raise InputError(source, "is no file of dialogues")
    run = scorer.free_run(predictions, source)
    report = score_free_running(run, scorer)
    lines = None
    if request.lines:
        from .dialogue_lines import lines_text

        lines = lines_text(run.results, report.signature)
    return ScoredSubmission(report, tuple(map(str, run.remarks)), lines=lines)


def _intervals(scorer: Scorer, played: Played) -> tuple[dict[str, Any], dict[str, Figure]]:
    """Return the intervals of what was played as JSON types, and what they are of."""
    from ..comparison.evidence import intervals_document, intervals_of

    evidence = scorer.evidence_of(played, "")
    if not evidence.statistics:
        known = ", ".join(resampled_metrics())
        raise InputError("--intervals", f"these metrics have no intervals; choose from {known}")
    return intervals_document(evidence, intervals_of(evidence)), evidence.figures


def intervals_read(document: Mapping[str, Any] | None) -> dict[str, Interval]:
    """Return figure -> interval, of intervals as JSON types."""
    from ..comparison.interval import Interval

    return {name: Interval(**one) for name, one in (document or {}).get("scores", {}).items()}
