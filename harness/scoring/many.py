"""Scoring predictions files: what is wanted of each, what came of it, and where that is stored.

The outcome of a file depends on its content and on the signature that scores have before the file
is looked at. By these two it is looked up: among the lines of a run that was cut off, and in the
cache of reports.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mwz.database import EMBEDDED
from mwz.normalization.rules.registry import digest_of_json, sha256

from ..errors import InputError
from ..io.files import read_stored
from ..io.store import Store, code_digest
from ..metrics import resampled_metrics
from ..metrics.played import Played
from ..signature import Signature
from ..submission import NormalizedSubmission, checked_submission
from ..submission.formats import Standard, parse_predictions, standard_form
from . import Options, Scorer
from .placeholder_guesses import unknown_cost
from .report import Report

if TYPE_CHECKING:
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
    """

    options: Options
    intervals: bool = False
    lines: bool = False


@dataclass(frozen=True)
class ScoredSubmission:
    """What came of a file, or of what the harness makes. Plain data.

    Attributes:
        report: Its scores.
        remarks: What is to be said of it.
        intervals: Its intervals, as JSON types, if they were asked for.
        figures: What there are intervals of.
        lines: Its lines per dialogue, as text, if they were asked for.
    """

    report: Report
    remarks: tuple[str, ...] = ()
    intervals: Mapping[str, Any] | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    lines: str | None = field(default=None, repr=False)

    def to_line(self, file: str, digest: str, key: str) -> str:
        """Return the outcome as a line of JSON."""
        document = {FILE: file, PREDICTIONS: digest, KEY: key, **self.report.to_dict()}
        if self.intervals is not None:
            document[INTERVALS] = {
                **self.intervals,
                _FIGURES: [asdict(figure) for figure in self.figures.values()],
            }
        return json.dumps(document, ensure_ascii=False) + "\n"


def score_content(
    scorer: Scorer, content: bytes | Standard, source: str, request: Request
) -> ScoredSubmission:
    """Score an (unpacked) predictions file.

    Args:
        scorer: A scorer of the benchmark, with any options.
        content: The file's content, or what was read from it.
        source: What messages call it.
        request: What is wanted.

    Raises:
        InputError: The file is no submission, lacks what an option needs, or no metric has
            intervals.
    """
    if isinstance(content, bytes):
        content = standard_form(parse_predictions(content, source), source)
    chosen = scorer.with_options(**vars(request.options))
    submission = checked_submission(content, scorer.benchmark, source, chosen.rules)
    outcome = score_submission(chosen, chosen.normalized(submission), request)
    cost = unknown_cost(chosen, submission, outcome.report)
    return replace(outcome, remarks=(*outcome.remarks, *map(str, cost)))


def score_submission(
    scorer: Scorer, submission: NormalizedSubmission, request: Request
) -> ScoredSubmission:
    """Score a normalised submission by a scorer with the options that are asked for.

    Raises:
        InputError: The submission lacks what an option asks for, or no metric has intervals.
    """
    played = scorer.played(submission)
    report = scorer.report(played)
    lines = None
    if request.lines:
        from .dialogue_lines import dialogue_lines, lines_text

        metrics = request.options.metrics or ()
        lines = lines_text(dialogue_lines(played, report.signature, metrics))
    document, figures = _intervals(scorer, played) if request.intervals else (None, {})
    return ScoredSubmission(report, tuple(map(str, submission.remarks)), document, figures, lines)


def _intervals(scorer: Scorer, played: Played) -> tuple[dict[str, Any], dict[str, Figure]]:
    """Return the intervals of what was played as JSON types, and what they are of."""
    from ..comparison.evidence import evidence_of
    from ..comparison.intervals import intervals_document, intervals_of

    evidence = evidence_of(played, scorer.signature_of(played), "")
    if not evidence.statistics:
        known = ", ".join(resampled_metrics())
        raise InputError("--intervals", f"these metrics have no intervals; choose from {known}")
    return intervals_document(evidence, intervals_of(evidence)), evidence.figures


def intervals_read(document: Mapping[str, Any] | None) -> dict[str, Interval]:
    """Return figure -> interval, of intervals as JSON types."""
    from ..comparison.interval import Interval

    return {name: Interval(**one) for name, one in (document or {}).get("scores", {}).items()}


# ------------------------------------------------------------------ what is known from before


def content_digest(content: bytes) -> str:
    """Return the SHA-256 of an (unpacked) predictions file, in hexadecimal."""
    return sha256(content)


def outcome_key(digest: str, signature: Signature, request: Request) -> str:
    """Return what the outcome of a file depends on, in hexadecimal.

    Args:
        digest: The hash of its content.
        signature: The signature, as far as it does not depend on what is scored.
        request: What is wanted.
    """
    identity = [
        digest,
        signature.key,
        list(request.options.metrics or ()),
        request.intervals,
        code_digest(),
    ]
    return digest_of_json(identity)


def is_cacheable(request: Request) -> bool:
    """Return whether outcomes can be cached: reports alone, with the venues in memory."""
    return not (request.intervals or request.lines) and request.options.database_url == EMBEDDED


def cached_outcome(key: str) -> ScoredSubmission | None:
    """Return the outcome that is cached under a key; None if there is none as it was written."""
    document = _STORE.get(key)
    if not isinstance(document, Mapping):
        return None
    try:
        report = Report.from_dict(document.get("report"), "cached report")
    except InputError:
        return None
    return ScoredSubmission(report, tuple(map(str, document.get("remarks", ()))))


def cache_outcome(key: str, outcome: ScoredSubmission) -> None:
    """Put an outcome into the cache."""
    document = {"report": outcome.report.to_dict(), "remarks": list(outcome.remarks)}
    _STORE.put(key, document)


@dataclass(frozen=True)
class Line:
    """A line that an earlier run wrote.

    Attributes:
        text: The line, with its end.
        outcome: What it tells.
    """

    text: str
    outcome: ScoredSubmission


def read_lines(path: Path) -> dict[str, Line]:
    """Return key -> line of the lines that an earlier run wrote; a torn or damaged one is none.

    Raises:
        InputError: The file is there and cannot be read, or is none of JSON lines.
    """
    if not path.exists():
        return {}
    found = {}
    lines = read_stored(path).split(b"\n")
    for text in lines[:-1]:
        line = _line(text)
        if line is not None:
            found[line[0]] = line[1]
    if not found and len(lines) > 1 and any(lines):
        raise InputError(str(path), "holds no line of `mwz score --json`; name another by --json")
    return found


def _line(text: bytes) -> tuple[str, Line] | None:
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
    return document[KEY], Line(
        text.decode() + "\n", ScoredSubmission(report, (), intervals, figures)
    )


def _read_intervals(content: object) -> tuple[Mapping[str, Any] | None, dict[str, Figure]]:
    """Return the intervals of a line, and what they are of.

    Raises:
        InputError: They are none.
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
