"""Scoring predictions files: what is wanted of each, what came of it, and where that is stored.

The outcome of a file depends on its content and on the signature that scores have before the file
is looked at. By these two it is looked up: among the lines of a run that was cut off, and in the
cache of reports.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.database import EMBEDDED
from mwz.normalization.rules import rule_set
from mwz.normalization.rules.registry import digest_of_json, sha256

from ..benchmark import Benchmark
from ..data.installed import benchmark_path, prepared_content
from ..errors import InputError
from ..io.files import limits, read_bytes, read_stored, shown_name
from ..io.store import Store, code_digest
from ..metrics import resampled_metrics
from ..metrics.played import Played
from ..signature import Signature
from ..submission.formats import Standard, read_standard
from . import Options, Scorer
from .execution import Job, run
from .options import signature_before
from .predictions import Predictions, played_predictions
from .report import Report

if TYPE_CHECKING:
    from ..comparison.evidence import Evidence
    from ..comparison.interval import Interval
    from ..metrics.statistics import Figure

_STORE = Store("reports")

FILE, PREDICTIONS, KEY, INTERVALS = "file", "predictions", "key", "intervals"
_FIGURES = "figures"
"""What a line of JSON holds besides a report: the file as it was named, the SHA-256 of its content
(unpacked), what the outcome depends on, and the intervals, if they were asked for."""


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

    @property
    def cacheable(self) -> bool:
        """Whether outcomes can be cached: reports alone, with the venues in memory."""
        more = self.intervals or self.lines or self.evidence or self.options.free_running
        return not more and self.options.database_url == EMBEDDED


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

    def to_line(self, file: str, digest: str, key: str) -> str:
        """Return the outcome as a line of JSON."""
        document = {FILE: file, PREDICTIONS: digest, KEY: key, **self.report.to_dict()}
        if self.intervals is not None:
            document[INTERVALS] = {
                **self.intervals,
                _FIGURES: [asdict(figure) for figure in self.figures.values()],
            }
        return json.dumps(document, ensure_ascii=False) + "\n"


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
        from .dialogue_lines import dialogue_lines, lines_text

        lines = lines_text(
            dialogue_lines(played.played, report.signature, chosen.options.metrics or ())
        )
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
        from .dialogue_lines import free_running_lines, lines_text

        lines = lines_text(free_running_lines(run, report.signature))
    return ScoredSubmission(report, tuple(map(str, run.remarks)), lines=lines)


def _intervals(scorer: Scorer, played: Played) -> tuple[dict[str, Any], dict[str, Figure]]:
    """Return the intervals of what was played as JSON types, and what they are of."""
    from ..comparison.resampling import intervals_document, intervals_of

    evidence = scorer.evidence_of(played, "")
    if not evidence.statistics:
        known = ", ".join(resampled_metrics())
        raise InputError("--intervals", f"these metrics have no intervals; choose from {known}")
    return intervals_document(evidence, intervals_of(evidence)), evidence.figures


def intervals_read(document: Mapping[str, Any] | None) -> dict[str, Interval]:
    """Return figure -> interval, of intervals as JSON types."""
    from ..comparison.interval import Interval

    return {name: Interval(**one) for name, one in (document or {}).get("scores", {}).items()}


# ---------------------------------------------------------------------------------- many files


@dataclass(frozen=True)
class FileOutcome:
    """What came of one of many files.

    Attributes:
        number: Which file it is of, from 0.
        outcome: What came of it; or why it cannot be scored.
        line: The same as a line of JSON; None of a file that cannot be scored.
        repeated: Whether an earlier run wrote the line.
    """

    number: int
    outcome: ScoredSubmission | InputError
    line: str | None = None
    repeated: bool = False


def score_files(
    files: Sequence[str],
    choose: Callable[[Iterable[object]], Benchmark],
    likely: str,
    request: Request,
    cache: bool = False,
    workers: int = 1,
    scheduler: str | None = None,
    written: Mapping[str, FileOutcome] | None = None,
    again: Collection[int] = (),
) -> Iterator[FileOutcome]:
    """Score predictions files that nothing is known of, and yield what comes of each of all.

    Args:
        files: The files; `-` is standard input.
        choose: Chooses the benchmark for dialogues, given their ids: those of the first file that
            nothing is known of. No benchmark is loaded if all is known.
        likely: The name of the benchmark that it most likely chooses.
        request: What is wanted of every file.
        cache: Whether reports are looked up in the cache, and put there.
        workers: How many processes to use.
        scheduler: The address of a Dask scheduler.
        written: Key -> outcome, as an earlier run wrote it.
        again: The numbers of files of which that is not enough.
    """
    found = _Files(
        files=files,
        choose=choose,
        signature=_likely_signature(likely, request.options),
        request=request,
        cache=cache and request.cacheable,
        written=written or {},
        again=again,
    )
    jobs = found.jobs()
    first = next(jobs, None)
    if first is not None and found.benchmark is not None:
        jobs = chain([first], jobs)
        for job, outcome in run(score_predictions, jobs, found.benchmark, workers, scheduler):
            yield from found.taken()
            yield found.scored(job, outcome)
    yield from found.taken()


@dataclass
class _Files:
    """Predictions files: what is known of them from before, and what is to be scored.

    Attributes:
        files: The files.
        choose: Chooses the benchmark for dialogues.
        signature: The signature of scores, as far as it depends on no file; the likely one until
            there is a benchmark.
        request: What is wanted of every file.
        cache: Whether reports are looked up in the cache, and put there.
        written: Key -> outcome, as an earlier run wrote it.
        again: The numbers of files of which that is not enough.
        benchmark: The benchmark, once there is a job.
        begun: Of each job, the number of its file, the digest of the content, and the key.
        others: The outcomes met by now of files that are no job.
    """

    files: Sequence[str]
    choose: Callable[[Iterable[object]], Benchmark]
    signature: Signature
    request: Request
    cache: bool
    written: Mapping[str, FileOutcome]
    again: Collection[int]
    benchmark: Benchmark | None = None
    begun: list[tuple[int, str, str]] = field(default_factory=list)
    others: list[FileOutcome] = field(default_factory=list)

    def taken(self) -> Iterator[FileOutcome]:
        """Yield the outcomes met by now of files that are no job: known, or not to be read."""
        while self.others:
            yield self.others.pop(0)

    def jobs(self) -> Iterator[Job]:
        """Yield the jobs of scoring files that nothing is known of; choose the benchmark."""
        for number, file in enumerate(self.files):
            source = shown_name(file)
            predictions: Predictions
            try:
                predictions = content = read_bytes(file, limits())
                digest = sha256(content)
                outcome = self._known(number, digest)
                if outcome is None and self.benchmark is None:
                    predictions = read_standard(content, source, self.request.options.reading)
                    self.benchmark = self.choose(predictions.dialogues)
                    likely = self.signature
                    self.signature = Scorer(self.benchmark, self.request.options).signature()
                    if self.signature != likely:
                        outcome = self._known(number, digest)
            except InputError as error:
                outcome = FileOutcome(number, error)
            if outcome is not None:
                self.others.append(outcome)
                continue
            self.begun.append((number, digest, self._key(digest)))
            yield Job(source, (predictions, source, self.request))

    def scored(self, job: int, outcome: ScoredSubmission | InputError) -> FileOutcome:
        """Return the outcome of a job as its file's, and put it into the cache."""
        number, digest, key = self.begun[job]
        if isinstance(outcome, InputError):
            return FileOutcome(number, outcome)
        if self.cache:
            document = {"report": outcome.report.to_dict(), "remarks": list(outcome.remarks)}
            _STORE.put(key, document)
        return FileOutcome(number, outcome, self._line(number, outcome, digest))

    def _key(self, digest: str) -> str:
        """Return what the outcome of a file depends on, in hexadecimal."""
        options = self.request.options
        own = getattr(options.goals, "digest", options.free_running)
        chosen = [list(options.metrics or ()), self.request.intervals, own, asdict(options.reading)]
        return digest_of_json([digest, self.signature.key, *chosen, code_digest()])

    def _line(self, number: int, outcome: ScoredSubmission, digest: str) -> str:
        return outcome.to_line(shown_name(self.files[number]), digest, self._key(digest))

    def _known(self, number: int, digest: str) -> FileOutcome | None:
        """Return the outcome of a file; None if it is not known."""
        key = self._key(digest)
        if key in self.written and number not in self.again:
            return replace(self.written[key], number=number, repeated=True)
        document = _STORE.get(key) if self.cache else None
        if not isinstance(document, Mapping):
            return None
        try:
            report = Report.from_dict(document.get("report"), "cached report")
        except InputError:
            return None
        outcome = ScoredSubmission(report, tuple(map(str, document.get("remarks", ()))))
        return FileOutcome(number, outcome, self._line(number, outcome, digest))


def _likely_signature(benchmark: str, options: Options) -> Signature:
    """Return the signature that scores have if they are of a benchmark, without loading it.

    That of nothing if it cannot be known.
    """
    path = benchmark_path(benchmark) if options.part == "all" else None
    content = None if path is None else prepared_content(path)
    data = None if content is None else content.hashes.get(rule_set(options.rules).venues)
    if content is None or data is None:
        return Signature()
    return signature_before(benchmark, data, content.gold_domains, options)


# ------------------------------------------------------------------- lines of an earlier run


def read_lines(path: Path) -> dict[str, FileOutcome]:
    """Return key -> outcome, of the lines that an earlier run wrote; a torn or damaged one is none.

    Raises:
        InputError: The file cannot be read, or holds no line of `mwz score --json`.
    """
    if not path.exists():
        return {}
    lines = read_stored(path).split(b"\n")
    found = dict(filter(None, map(_line, lines[:-1])))
    if not found and len(lines) > 1 and any(lines):
        raise InputError(str(path), "holds no line of `mwz score --json`; name another by --json")
    return found


def _line(text: bytes) -> tuple[str, FileOutcome] | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get(KEY), str):
        return None
    own = (FILE, PREDICTIONS, KEY, INTERVALS)
    content = {name: value for name, value in document.items() if name not in own}
    try:
        report = Report.from_dict(content, "line")
        intervals, figures = _read_intervals(document.get(INTERVALS))
    except InputError:
        return None
    outcome = ScoredSubmission(report, (), intervals, figures)
    return document[KEY], FileOutcome(-1, outcome, text.decode() + "\n")


def _read_intervals(content: object) -> tuple[Mapping[str, Any] | None, dict[str, Figure]]:
    """Return the intervals of a line, and what they are of.

    Raises:
        InputError: They are malformed.
    """
    if not isinstance(content, Mapping):
        return None, {}
    from ..comparison.interval import Interval
    from ..io.validation import validated
    from ..metrics.statistics import Figure

    intervals = {name: value for name, value in content.items() if name != _FIGURES}
    validated(dict[str, Interval], intervals.get("scores"), "line")
    figures = validated(list[Figure], content.get(_FIGURES), "line")
    return intervals, {figure.name: figure for figure in figures}
