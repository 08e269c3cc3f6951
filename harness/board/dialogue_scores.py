"""The `dialogues.json` of an entry: what it scores dialogue by dialogue, as numbers.

It is of the default rule set and the strict set-up: which dialogues are won, the sums that BLEU is
computed of, the intervals of the scores, and what points were lost by. All is in the order of the
benchmark's dialogues, and readable where no benchmark is. A checksum tells whether somebody edited
the file.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from mwz.normalization.rules.registry import digest_of_json

from ..benchmark import CANONICAL_STYLE
from ..comparison.interval import Interval
from ..diagnosis.losses import DomainLosses, Points
from ..errors import InputError
from ..io.files import parse_json, read_plain
from ..io.store import take_checksum, with_checksum
from ..io.validation import validated
from ..metrics.bleu import COLUMNS, MAX_ORDER, bleu_of_sums
from ..metrics.inform import rates_of_sums
from ..metrics.setups import MAIN_SETUP
from ..scoring.report import Report

FIGURES = ("bleu", "inform", "success", "combined")
"""The figures that intervals are kept of, and that pairs of entries are compared by."""

_FORMAT = 1


@dataclass(frozen=True)
class BleuCounts:
    """What BLEU against the canonical references is computed of, a number per dialogue played.

    Attributes:
        length: Tokens of the responses.
        references: Tokens of the references.
        matches: Per n-gram order, from 1: matches.
        ngrams: Per n-gram order: n-grams of the responses.
    """

    length: tuple[int, ...]
    references: tuple[int, ...]
    matches: tuple[tuple[int, ...], ...]
    ngrams: tuple[tuple[int, ...], ...]

    @property
    def columns(self) -> tuple[tuple[int, ...], ...]:
        """The columns of `ReferenceIndex.statistics`, in its order."""
        return (self.length, self.references, *self.matches, *self.ngrams)


@dataclass(frozen=True)
class Outcomes:
    """What is known of a system's dialogues. Marks are texts of 1 (yes) and 0 (no).

    Attributes:
        data: Content hash of the benchmark.
        rules: Digest of the rule set.
        played: Whether each dialogue of the benchmark is played.
        turns: The turns of each dialogue played.
        inform: Whether each dialogue played has Inform.
        success: Whether each has Success.
        bleu: What BLEU is computed of.
    """

    data: str
    rules: str
    played: str
    turns: tuple[int, ...]
    inform: str
    success: str
    bleu: BleuCounts

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The numbers of the dialogues played, in the benchmark, from 0."""
        return tuple(place for place, mark in enumerate(self.played) if mark == "1")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all of it: what pairs of entries go by."""
        return digest_of_json(asdict(self))


@dataclass(frozen=True)
class Intervals:
    """Intervals of an entry's scores.

    Attributes:
        level: Their level, in percent.
        samples: The bootstrap samples.
        seed: The seed of these.
        scores: Of `FIGURES` -> interval.
    """

    level: int
    samples: int
    seed: int
    scores: Mapping[str, Interval]


@dataclass(frozen=True)
class Causes:
    """What points were lost by, in the strict set-up.

    Attributes:
        domains: Goal domain -> what is lost in it.
        points: Cause, of a domain or of a slot -> what it costs in total, in percent of the
            dialogues played.
    """

    domains: Mapping[str, DomainLosses]
    points: Mapping[str, Points]


@dataclass(frozen=True)
class DialogueScores:
    """The content of a `dialogues.json`.

    Attributes:
        outcomes: What is known of the dialogues.
        intervals: The intervals of the scores.
        causes: What points were lost by.
        intact: Whether it is as the harness wrote it, and not edited since.
    """

    outcomes: Outcomes
    intervals: Intervals
    causes: Causes
    intact: bool = True

    def is_as(self, other: DialogueScores) -> bool:
        """Whether it says what another does; ends of intervals may differ by rounding."""
        ours, theirs = self.intervals, other.intervals
        return (
            self.outcomes == other.outcomes
            and self.causes == other.causes
            and (ours.level, ours.samples, ours.seed) == (theirs.level, theirs.samples, theirs.seed)
            and ours.scores.keys() == theirs.scores.keys()
            and all(_is_same_interval(one, theirs.scores[n]) for n, one in ours.scores.items())
        )

    def to_text(self) -> str:
        """Return the content of a `dialogues.json`, a line per key."""
        content = self.to_dict()
        lines = [
            f"{json.dumps(key)}: {json.dumps(value, separators=(',', ':'))}"
            for key, value in with_checksum(content).items()
        ]
        return "{\n" + ",\n".join(lines) + "\n}\n"

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON types, without the checksum."""
        points = {cause: one._asdict() for cause, one in self.causes.points.items()}
        domains = {name: asdict(one) for name, one in self.causes.domains.items()}
        content = {
            "format": _FORMAT,
            **asdict(self.outcomes),
            "intervals": asdict(self.intervals),
            "causes": {"domains": domains, "points": points},
        }
        # Tuples are lists in what is read back, and checksums are of either.
        return dict(json.loads(json.dumps(content)))


def read_dialogues(path: Path) -> DialogueScores | None:
    """Read a `dialogues.json`; None if there is none.

    Raises:
        InputError: The file is not JSON, not as the schema says, or of another version.
    """
    if not path.is_file():
        return None
    return parse_dialogues(read_plain(path), str(path))


def parse_dialogues(content: bytes, source: str) -> DialogueScores:
    """Return the content of a `dialogues.json`; `source` names it in messages.

    Raises:
        InputError: The content is not JSON, not as the schema says, or of another version.
    """
    document = parse_json(content, source)
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise InputError(source, "written by another version; score the entry again (--rescore)")
    intact = take_checksum(document)
    parts = {"format", "intervals", "causes"}
    outcomes = {key: value for key, value in document.items() if key not in parts}
    read = DialogueScores(
        outcomes=validated(Outcomes, outcomes, source),
        intervals=validated(Intervals, document.get("intervals"), source, "intervals"),
        causes=validated(Causes, document.get("causes"), source, "causes"),
        intact=intact,
    )
    problems = list(_misshapen(read))
    if problems:
        raise InputError(source, problems)
    return read


def _misshapen(read: DialogueScores) -> Iterator[str]:
    """Yield what cannot be computed with."""
    outcomes = read.outcomes
    for name in ("played", "inform", "success"):
        if set(getattr(outcomes, name)) - {"0", "1"}:
            yield f"{name}: expected marks, 1 or 0"
    number = outcomes.played.count("1")
    columns = outcomes.bleu.columns
    lengths = {len(column) for column in (outcomes.turns, *columns)}
    if {len(outcomes.inform), len(outcomes.success), *lengths} != {number} or not number:
        yield f"expected one figure for each of {number} dialogues played, everywhere"
    if (len(outcomes.bleu.matches), len(outcomes.bleu.ngrams)) != (MAX_ORDER, MAX_ORDER):
        yield f"bleu: expected {MAX_ORDER} n-gram orders"
    if any(number < 0 for column in (outcomes.turns, *columns) for number in column):
        yield "turns, bleu: no count is below 0"
    if set(read.intervals.scores) != set(FIGURES):
        yield f"intervals.scores: expected {', '.join(FIGURES)}"


def dialogue_problems(kept: DialogueScores, report: Report) -> Iterator[str]:
    """Yield what of a `dialogues.json` is not that of the scores beside it.

    Args:
        kept: Its content.
        report: The report under the default rule set.
    """
    outcomes, coverage = kept.outcomes, report.coverage
    signature = report.signature
    if (outcomes.data, outcomes.rules) != (signature.data, signature.rules_digest):
        yield "the benchmark, or the rule set,"
    told = (len(outcomes.places), len(outcomes.played), sum(outcomes.turns))
    if told != (coverage.dialogues, coverage.of, coverage.turns):
        yield "the number of dialogues and turns played"
        return
    totals = totals_of(outcomes)
    scored = {
        "bleu": (report.bleu or {}).get(CANONICAL_STYLE),
        "inform": report.inform,
        "success": report.success,
        "combined": report.combined,
    }
    for name, total in totals.items():
        if not _is_same(total, scored[name]):
            yield name
        interval = kept.intervals.scores[name]
        if not (_is_same(interval.value, total) and interval.low <= interval.high):
            yield f"the interval of {name}"
    yield from _wrong_causes(kept.causes, report)


def _wrong_causes(causes: Causes, report: Report) -> Iterator[str]:
    """Yield what is lost and does not add up to what the rates lack."""
    strict = report.strict
    if strict is None:
        return
    for domain, losses in causes.domains.items():
        rates = (strict.inform.get(domain), strict.success.get(domain))
        if not all(map(_is_same, (losses.inform, losses.succeeded), rates)):
            yield f"what is lost in {domain}"
    for name in Points._fields:
        lost = math.fsum(getattr(one, name) for one in causes.points.values())
        if not _is_same(100 - lost, getattr(report, name)):
            yield f"the sum of {name} lost by causes"


def totals_of(outcomes: Outcomes) -> dict[str, float]:
    """Return figure -> value, of `FIGURES`: the scores of all dialogues played."""
    return totals_of_sums([sum(column) for column in columns_of(outcomes)])


def columns_of(outcomes: Outcomes) -> list[Sequence[int]]:
    """Return what scores are computed of, a column each, a number per dialogue played."""
    marks = [list(map(int, marks)) for marks in (outcomes.inform, outcomes.success)]
    return [[1] * len(outcomes.places), *marks, *outcomes.bleu.columns]


def totals_of_sums(sums: Sequence[float]) -> dict[str, float]:
    """Return figure -> value, of `FIGURES`, of what `columns_of` gives, added up."""
    bleu = bleu_of_sums(sums[-COLUMNS:])
    return {"bleu": bleu, **rates_of_sums(sums, (MAIN_SETUP,), bleu)}


def digest_of(*parts: object) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of JSON types."""
    return digest_of_json(parts)[:16]


def _is_same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _is_same_interval(one: Interval, other: Interval) -> bool:
    pairs = [(getattr(one, f.name), getattr(other, f.name)) for f in fields(Interval)]
    return pairs[-1][0] == pairs[-1][1] and all(_is_same(*pair) for pair in pairs[:-1])
