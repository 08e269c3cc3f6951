"""The `scores.json` of an entry in the track for state tracking.

The file is a report of state tracking with what it depends on: `format` and `track` say what it is,
`signature` and `signature_fields` hold the hash of the gold states, `gold` says whose they are,
`coverage` how much of a benchmark is tracked, `predictions` what was scored, `further_gold` what
the states score against further gold states, if that is known (`further_gold.py`); and `checksum`
tells whether somebody edited the file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from mwz.normalization.rules import DEFAULT_RULES, rule_set

from ..benchmark import Benchmark
from ..errors import InputError
from ..io.files import parse_json, read_plain, to_json
from ..io.store import take_checksum, with_checksum
from ..io.validation import validated
from ..metrics.tracking.tracked_dialogues import GoldStates
from ..metrics.tracking.tracking_report import TrackingReport
from ..scoring.report import Coverage
from ..signature import Signature
from ..submission import made_submission
from ..tracking.tracking_figures import TrackingFigures, figures_of, tracking_signature
from . import STATE_TRACKING
from .further_gold import (
    FURTHER_GOLD,
    FurtherGold,
    further_gold_data,
    read_further_gold,
    tracker_against,
)
from .scores import Hashes, hashes_of

FORMAT = 1
"""The version of the schema. It changes when a reader of the old one would be misled."""


@dataclass(frozen=True)
class GoldOf:
    """Whose gold states predictions were compared with.

    Attributes:
        whose: "benchmark"; "file", the predictions file's own; or "version", those of another
            version of the annotation of the benchmark's dialogues.
        version: What version of the annotation they are; None where nobody says.
    """

    whose: Literal["benchmark", "file", "version"]
    version: Annotated[str, Field(max_length=40)] | None = None


@dataclass(frozen=True)
class TrackingScores:
    """What a tracker scores.

    Attributes:
        signature: Everything the figures depend on besides the tracker.
        gold: Whose gold states they were made with.
        coverage: How much of the benchmark is tracked; None for gold states of the file's own.
        report: Every metric.
        predictions: What identifies the predictions; None where the harness makes them.
        intact: Whether they are as the harness wrote them, and not edited since.
        further_gold: What it scores against further gold states.
    """

    signature: Signature
    gold: GoldOf
    coverage: Coverage | None
    report: TrackingReport
    predictions: Hashes | None
    intact: bool = True
    further_gold: FurtherGold = field(default_factory=dict)

    @property
    def figures(self) -> TrackingFigures:
        """The figures that tables show."""
        whole = None if self.coverage is None else (self.coverage.of, self.coverage.of_turns)
        return figures_of(
            self.report, self.signature, gold_key(self.signature), self.gold.version, whole
        )

    def to_text(self) -> str:
        """Return the content of a `scores.json`."""
        content = {
            "format": FORMAT,
            "track": STATE_TRACKING,
            "signature": str(self.signature),
            "signature_fields": self.signature.to_dict(),
            "gold": asdict(self.gold),
            "coverage": None if self.coverage is None else asdict(self.coverage),
            "report": self.report.to_dict(),
        }
        if self.predictions is not None:
            content["predictions"] = self.predictions.model_dump(exclude_none=True)
        if self.further_gold:
            content[FURTHER_GOLD] = further_gold_data(self.further_gold)
        # As it is read back: without tuples.
        return to_json(with_checksum(json.loads(to_json(content))))


def gold_key(signature: Signature) -> str:
    """Return what tells which gold states figures were made with: equal ones compare.

    The hash of a benchmark's content tells its own gold states, which submissions of all tracks are
    scored on; other gold states have a hash of theirs.
    """
    return signature.data or signature.gold or ""


def score_tracker(
    content: bytes | str,
    source: str,
    load_benchmark: Callable[[Iterable[str]], Benchmark],
    load_gold: Callable[[], GoldStates] | None = None,
    own_version: str | None = None,
) -> TrackingScores:
    """Score a tracker's file for the board.

    Args:
        content: The (unpacked) file: gold and predicted states, or predicted ones only; or the name
            of a submission that is made.
        source: What messages call it.
        load_benchmark: Gives the benchmark to compare with for the dialogues' ids; called only if
            the file has no gold states of its own, or `load_gold` is given.
        load_gold: Gives gold states of another version to compare with instead.
        own_version: What version of the annotation the file's own gold states are, as the
            submitter says.

    Raises:
        InputError: The content is no file of states, or a version is stated of gold states that
            the file does not have.
    """
    from ..metrics.tracking.evaluation import score_tracking
    from ..tracking.formats import parse_tracking_file

    read = tracker_content(content, source, load_benchmark)
    gold = None if load_gold is None else load_gold()
    tracked = parse_tracking_file(read, source, load_benchmark, gold)
    benchmark = tracked.benchmark
    if own_version is not None and benchmark is not None:
        raise InputError(
            "--own-gold", f"{source} is compared with a benchmark's gold states; leave it out"
        )
    signature = tracking_signature(tracked.dialogues, benchmark, gold=gold)
    report = score_tracking(tracked.dialogues)
    coverage = None
    of = GoldOf("file", own_version)
    if benchmark is not None:
        of = GoldOf("benchmark") if gold is None else GoldOf("version", gold.version)
        coverage = Coverage(
            report.dialogues, len(benchmark.dialogues), report.turns, benchmark.turns
        )
        if gold is None:
            data = benchmark.content_hash(rule_set(DEFAULT_RULES))
            signature = replace(signature, data=data)
    hashes = hashes_of(content, read) if isinstance(content, bytes) else None
    return TrackingScores(signature, of, coverage, report, hashes)


def with_further_gold(
    scores: TrackingScores,
    content: bytes | str,
    source: str,
    benchmark: Benchmark,
    golds: Sequence[GoldStates],
) -> TrackingScores:
    """Return a tracker's scores with what it scores against further gold states.

    Args:
        scores: What it scores.
        content: As for `score_tracker`.
        source: What messages call it.
        benchmark: The benchmark that the gold states are of.
        golds: The gold states.
    """
    read = tracker_content(content, source, lambda ids: benchmark)
    return replace(scores, further_gold=tracker_against(read, source, benchmark, golds))


def tracker_content(
    content: bytes | str, source: str, load_benchmark: Callable[[Iterable[str]], Benchmark]
) -> object:
    """Return what a tracker's file holds, or the states that the harness makes.

    Raises:
        InputError: The content is nothing that can be read.
    """
    from ..submission.formats import parse_predictions

    if isinstance(content, bytes):
        return parse_predictions(content, source)
    made = made_submission(load_benchmark(()), content)
    return {id_: [turn.state or {} for turn in turns] for id_, turns in made.dialogues.items()}


def read_tracking_scores(path: Path) -> TrackingScores:
    """Read the `scores.json` of an entry in the track for state tracking.

    Raises:
        InputError: The file is missing, not JSON, or not as the schema says.
    """
    return parse_tracking_scores(read_plain(path), str(path))


def parse_tracking_scores(content: bytes, source: str) -> TrackingScores:
    """Return the content of such a `scores.json`; `source` names it in messages.

    Raises:
        InputError: The content is not JSON, or not as the schema says.
    """
    document = parse_json(content, source)
    if not isinstance(document, dict):
        raise InputError(source, "expected scores of state tracking, an object")
    intact = take_checksum(document)
    further = document.pop(FURTHER_GOLD, {})
    if document.get("track") != STATE_TRACKING or document.get("format") != FORMAT:
        raise InputError(
            source,
            f"expected scores of the track {STATE_TRACKING}, format {FORMAT}; score the entry "
            "again (--rescore)",
        )
    read = validated(_Document, document, source)
    scores = TrackingScores(
        signature=read.signature_fields,
        gold=read.gold,
        coverage=read.coverage,
        report=read.report,
        predictions=read.predictions,
        intact=intact,
        further_gold=read_further_gold(further, source),
    )
    problems = list(_contradictions(scores, document))
    if problems:
        raise InputError(source, problems)
    return scores


@dataclass(frozen=True)
class _Document:
    """The keys of the file, besides the checksum."""

    format: int
    track: str
    signature: str
    signature_fields: Signature
    gold: GoldOf
    coverage: Coverage | None
    report: TrackingReport
    predictions: Hashes | None = None


def _contradictions(scores: TrackingScores, document: Mapping[str, Any]) -> list[str]:
    """Return what does not follow from the scores' own numbers."""
    problems = []
    if document["signature"] != str(scores.signature):
        problems.append("signature: does not say what signature_fields says")
    if scores.signature.gold is None:
        problems.append("signature_fields.gold: missing")
    coverage, report = scores.coverage, scores.report
    if (coverage is None) != (scores.gold.whose == "file"):
        problems.append("coverage: is of a benchmark, and so are the gold states, or neither is")
    if coverage is not None and (coverage.dialogues, coverage.turns) != (
        report.dialogues,
        report.turns,
    ):
        problems.append("coverage: does not follow from the report")
    figures = {name: report.metrics.get(name) for name in ("JGA", "F1", "RSA", "GCA")}
    fga = report.metrics.get("FGA")
    figures["FGA"] = fga.get("0.5") if isinstance(fga, Mapping) else None
    figures["fuzzy"] = report.fuzzy["joint_accuracy"]
    problems += [
        f"report: {name} is no percentage"
        for name, value in figures.items()
        if not isinstance(value, float | int) or not 0 <= value <= 100 + 1e-9
    ]
    return problems
