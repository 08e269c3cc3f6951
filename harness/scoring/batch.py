"""Scoring predictions: what is wanted of them, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from ..benchmark import Benchmark
from ..errors import InputError
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
    from ..metrics.results import Figure


@dataclass(frozen=True)
class Request:
    """What is wanted of predictions.

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
    """What came of predictions. Plain data.

    Attributes:
        report: Their scores.
        remarks: What is to be said of them.
        intervals: Their intervals, as JSON types, if they were asked for.
        figures: What there are intervals of.
        lines: Their lines per dialogue, as text, if they were asked for.
        evidence: What comparisons take, if it was asked for.
    """

    report: Report
    remarks: tuple[str, ...] = ()
    intervals: Mapping[str, Any] | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    lines: str | None = field(default=None, repr=False)
    evidence: Evidence | None = field(default=None, repr=False)


ScoringJob: TypeAlias = "tuple[Predictions, str, Request]"
"""Predictions, what messages call them, and what is wanted of them."""


def score_each(
    jobs: Iterable[ScoringJob | InputError],
    choose: Callable[[Iterable[object]], Benchmark],
    workers: int | str = 1,
) -> Iterator[ScoredSubmission | InputError]:
    """Score predictions, and yield what comes of each, in their order: scores, or why not.

    Args:
        jobs: The predictions, taken as they are needed; or why some cannot be read.
        choose: Chooses the benchmark, given the ids of the first file's dialogues.
        workers: As for `run`.
    """
    coming = iter(jobs)
    first: list[ScoringJob | InputError] = []
    dialogues: Iterable[object] = ()
    for job in coming:
        first.append(job)
        if isinstance(job, InputError) or not isinstance(job[0], bytes):
            continue
        try:
            standard = read_standard(job[0], job[1])
        except InputError as error:
            first[-1] = error
        else:
            first[-1] = (standard, *job[1:])
            dialogues = standard.dialogues
            break
    if all(isinstance(job, InputError) for job in first):
        yield from (job for job in first if isinstance(job, InputError))
        return
    yield from run(score_predictions, chain(first, coming), choose(dialogues), workers)


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
    if isinstance(predictions, bytes):
        predictions = read_standard(predictions, source)
    if not isinstance(predictions, Standard):
        raise InputError(source, "is no file of dialogues")
    run = scorer.free_run(predictions, source)
    report = run.report(scorer)
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
