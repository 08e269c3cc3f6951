"""What an entry scores: its `scores.json`, all that the harness computed of it.

The file holds a `Scores`: `scores_text` writes it, `parse_scores` reads it. Its sections:

- `predictions`: what identifies the predictions scored.
- `reports`: rule set -> report, as `Report.to_dict` writes it. In a track whose entries have no
  reports, `result`: what the track declares, with its signature.
- `without_placeholders`: of an entry that declares placeholders, the strict figures without them.
- `further_gold`: what predicted states score against gold states of further versions, as declared
  with the data set (`data/sets/`): version -> choice of `--dontcare` -> scores.
- `dialogues`: the scores dialogue by dialogue, of the default rule set and the strict set-up, in
  the order of the benchmark's dialogues: which are won, BLEU's counts, the intervals of the scores,
  and what points were lost by.
- `seeds`: what further seeds of the system score, if there are any.
- `flags`: what checks for suspicious scores measure besides those of the reports.
- `fingerprints`: a few characters per turn of what it says and believes, by which copies of
  another entry show (`copied.py`).

Whether somebody edited a section shows when it is computed again (`mwz verify`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, FiniteFloat, PlainValidator

from mwz.normalization import DEFAULT_RULES, digest_of_json, sha256

from ..comparison import Interval, Spread
from ..data import blob_id
from ..diagnosis import Causes
from ..errors import InputError, refuse
from ..io import parse_json, validated
from ..metrics import COLUMNS
from ..scoring import Report, read_report
from ..signature import Signature
from .copied import Fingerprints
from .track import tracks
from .tracked import DROP, KEEP, FurtherGold, TrackedScores, entered_scores

SCORES_FILE = "scores.json"

FIGURES = ("bleu", "inform", "success", "combined")
"""The figures that intervals are kept of, and that pairs of entries are compared by."""

_FORMAT = 4
"""The version of the file's schema; reports have their own."""

_LEVELS = 3
"""The levels of the file whose keys have lines of their own; what is below stands on one line."""


def plain(value: object) -> Any:
    """Return a value of dataclasses as JSON types; optional fields that are None are left out.

    A printed figure stays as printed.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, Report):
        return value.to_dict()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if is_dataclass(value):
        contents = {}
        for declared in fields(value):
            content = getattr(value, declared.name)
            if content is not None or declared.default is not None:
                contents[declared.name] = content
        value = contents
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: plain(content) for name, content in value.items()}
    if isinstance(value, list | tuple):
        return [plain(content) for content in value]
    return value


# ------------------------------------------------------------------------------- predictions


_Sha256: TypeAlias = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Hashes:
    """What identifies an (unpacked) predictions file.

    Attributes:
        sha256: Its SHA-256.
        git_blob: Its git blob id.
        content: The SHA-256 of what it says, however that is written: the same predictions saved
            again by another program are another file with the same content.
        trials: The same of each trial of live dialogues, where the file is kept.
    """

    sha256: _Sha256
    git_blob: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    content: _Sha256 | None = None
    trials: tuple[_Sha256, ...] | None = None

    def is_file(self, content: bytes) -> bool:
        """Whether they are those of an (unpacked) file."""
        return replace(self, content=None, trials=None) == hashes_of(content)


def hashes_of(content: bytes, data: object = None, trials: tuple[str, ...] = ()) -> Hashes:
    """Return what identifies an (unpacked) predictions file.

    Args:
        content: The file.
        data: Its predictions as JSON types; None if they are not known.
        trials: Digests of what each trial says, of live dialogues.
    """
    digest = None if data is None else digest_of_json({"said": data})
    return Hashes(sha256(content), blob_id(content), digest, trials or None)


# ------------------------------------------------------------------------ dialogue by dialogue


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


_Count: TypeAlias = Annotated[int, Field(ge=0)]
_Marks: TypeAlias = Annotated[str, Field(pattern="^[01]*$")]


@dataclass(frozen=True)
class DialogueScores:
    """What an entry scores dialogue by dialogue. Marks are texts of 1 (yes) and 0 (no).

    Attributes:
        data: Content hash of the benchmark.
        rules: Digest of the rule set.
        played: Whether each dialogue of the benchmark is played.
        turns: The turns of each dialogue played.
        inform: Whether each dialogue played has Inform.
        success: Whether each has Success.
        bleu: The ten counts of BLEU against the canonical references, as `DialogueResult.bleu` has
            them: of each, a number per dialogue played.
        intervals: The intervals of the scores.
        causes: What points were lost by.
    """

    data: str
    rules: str
    played: _Marks
    turns: tuple[_Count, ...]
    inform: _Marks
    success: _Marks
    bleu: tuple[tuple[_Count, ...], ...]
    intervals: Intervals
    causes: Causes

    def __post_init__(self) -> None:
        number = len(self.places)
        columns = (self.inform, self.success, self.turns, *self.bleu)
        if {len(column) for column in columns} != {number} or not number:
            raise ValueError(f"expected one figure for each of {number} dialogues played")
        if len(self.bleu) != COLUMNS:
            raise ValueError(f"bleu: expected {COLUMNS} counts")
        if set(self.intervals.scores) != set(FIGURES):
            raise ValueError(f"intervals.scores: expected {', '.join(FIGURES)}")

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The numbers of the dialogues played, in the benchmark, from 0."""
        return tuple(place for place, mark in enumerate(self.played) if mark == "1")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the dialogues' results: what pairs of entries go by."""
        names = ("data", "rules", "played", "turns", "inform", "success", "bleu")
        return digest_of_json({name: getattr(self, name) for name in names})

    @property
    def columns(self) -> list[Sequence[int]]:
        """The numbers of `TOTALS_COLUMNS`, each of every dialogue played."""
        marks = [list(map(int, marks)) for marks in (self.inform, self.success)]
        return [[1] * len(self.places), *marks, *self.bleu]


# ------------------------------------------------------------------------------------- seeds


@dataclass(frozen=True)
class Seed:
    """What a further seed of a system scores under the default rule set.

    Attributes:
        file: The name of its predictions file, in the entry's folder.
        predictions: What identifies these.
        signature: What its scores depend on.
        scores: Of `FIGURES` -> value.
    """

    file: str
    predictions: Hashes
    signature: Signature
    scores: Mapping[str, float]


@dataclass(frozen=True)
class SeedScores:
    """What further seeds of a system score.

    Attributes:
        seeds: The further seeds: the first one is the entry itself.
        spread: Of `FIGURES` -> how it is spread over all seeds, the entry's own one included.
    """

    seeds: tuple[Seed, ...]
    spread: Mapping[str, Spread]

    def __post_init__(self) -> None:
        for seed in self.seeds:
            if Path(seed.file).name != seed.file or set(seed.scores) != set(FIGURES):
                raise ValueError(f"seeds: expected file names, and {', '.join(FIGURES)}")


def seed_file(number: int | str) -> str:
    """Return the name of the predictions file of a further seed; the first has number 2."""
    return f"seed-{number}.json.gz"


# ------------------------------------------------------------------------------- all sections


def _stored_report(content: object) -> Report:
    """Return a report as the file holds it."""
    try:
        return read_report(content, "report")
    except InputError as error:
        # pydantic puts the place before the problem.
        raise ValueError("; ".join(error.problems)) from error


@dataclass(frozen=True)
class Scores:
    """What an entry scores: the content of its `scores.json`.

    Attributes:
        reports: Rule set -> report. There are none in a track whose entries have a result instead.
        predictions: What identifies the predictions; None where there are none.
        result: What it scores in a track without reports, such as the track declares.
        dialogues: The same as the reports dialogue by dialogue, with intervals and causes.
        seeds: What further seeds of the system score.
        flags: Flag -> figure, of the checks that need the whole test set (`metrics/knowledge.py`).
        fingerprints: What shows copies of it.
        without_placeholders: Rule set -> BLEU, Inform, Success and combined score, strict, without
            the placeholders that the entry declares; None if it declares none.
        further_gold: What its predicted states score against further gold states.
    """

    reports: Mapping[str, Annotated[Report, PlainValidator(_stored_report)]] = field(
        default_factory=dict
    )
    predictions: Hashes | None = None
    result: Any = None
    dialogues: DialogueScores | None = None
    seeds: SeedScores | None = None
    flags: Mapping[str, FiniteFloat] = field(default_factory=dict)
    fingerprints: Fingerprints | None = None
    without_placeholders: Mapping[str, Mapping[str, FiniteFloat]] | None = None
    further_gold: FurtherGold = field(default_factory=dict)

    @property
    def is_scored(self) -> bool:
        """Whether there are scores that this version of the harness reads."""
        return bool(self.reports) or self.result is not None

    @property
    def signatures(self) -> dict[str, Signature]:
        """Place of each part that has a signature -> the signature, what was entered first."""
        signatures = {}
        for rules, report in self.reports.items():
            signatures[f"reports.{rules}"] = report.signature
        if self.result is not None:
            signatures["result"] = self.result.signature
        for version, by_choice in self.further_gold.items():
            # Both choices of `--dontcare` have the same gold states.
            signatures[f"further_gold.{version}"] = by_choice[KEEP].signature
        if self.seeds is not None:
            for seed in self.seeds.seeds:
                signatures[f"seeds.{seed.file}"] = seed.signature
        return signatures

    @property
    def main(self) -> Report:
        """The report under the default rule set."""
        return self.reports[DEFAULT_RULES]

    def tracked(self, rules: str = DEFAULT_RULES) -> Iterator[TrackedScores]:
        """Yield what its states score: as it was entered, then against further gold states.

        Nothing if it predicts none. Gold states are normalised by the default rule set, so that
        under another there are no others; a tracker's own scores are of no rule set.
        """
        report = self.reports.get(rules)
        entered = self.result if report is None else entered_scores(report)
        if not isinstance(entered, TrackedScores):
            return
        further = []
        is_default = report is None or rules == DEFAULT_RULES
        if is_default:
            exact = None if self.fingerprints is None else self.fingerprints.exact
            entered = replace(entered, exact=exact)
            for by_choice in self.further_gold.values():
                scores, dropped = by_choice[KEEP], by_choice[DROP]
                if scores.gold_digest == entered.gold_digest:
                    entered = replace(entered, without_dontcare=dropped)
                else:
                    further.append(replace(scores, without_dontcare=dropped))
        yield entered
        yield from further

    def to_dict(self) -> dict[str, Any]:
        """Return the sections that there are, as JSON types."""
        sections = plain(self)
        return {name: section for name, section in sections.items() if section != {}}


# ----------------------------------------------------------------------------------- the file


def scores_text(scores: Scores) -> str:
    """Return the content of a `scores.json`: a section, and each of its longer parts, is a line.

    So what a pull request changes shows by its lines, though there are thousands of numbers.
    """
    document = {"format": _FORMAT, **scores.to_dict()}
    return _lines(document, _LEVELS) + "\n"


def _lines(content: object, levels: int, indent: str = "") -> str:
    """Return JSON, with the keys of so many levels of objects on lines of their own."""
    if not levels or not isinstance(content, dict) or not content:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    lines = []
    for key, value in content.items():
        shown = _lines(value, levels - 1, f"{indent} ")
        lines.append(f"{indent} {json.dumps(key, ensure_ascii=False)}: {shown}")
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def parse_scores(content: bytes, source: str, track: str) -> Scores:
    """Return the scores that a `scores.json` holds.

    Args:
        content: The file.
        source: What messages call it.
        track: The entry's track.

    Raises:
        InputError: The content is not JSON, or not as the schema says.
    """
    document = parse_json(content, source)
    if not isinstance(document, dict):
        raise InputError(source, "expected an object")
    version = document.pop("format", "older")
    if version != _FORMAT:
        problem = f"format: {_FORMAT} is expected, and this is {version}"
        raise InputError(source, f"{problem}; score the entry again (--rescore)")
    scores = validated(Scores, document, source)
    result_type = tracks()[track].result
    lacks_default = result_type is None and DEFAULT_RULES not in scores.reports
    if lacks_default or (scores.result is None) != (result_type is None):
        raise InputError(source, f"expected scores of the track {track}")
    problems = []
    for rules, report in scores.reports.items():
        scored_by = report.signature.rules
        if scored_by != rules:
            problems.append(f"reports.{rules}: holds scores under rule set {scored_by}")
    refuse(source, problems)
    if result_type is None:
        return scores
    return replace(scores, result=validated(result_type, scores.result, source, "result"))


# ------------------------------------------------------------------ made again and compared


TOLERANCE = 1e-9
"""The share of itself by which a number may differ: another machine adds in another order."""


@dataclass(frozen=True)
class Mismatch:
    """A number or word that comes out differently when it is made again.

    Attributes:
        entry: Key of the entry that stores it.
        field: Where it stands, such as "reports.2021.strict.inform.total".
        stored: What is stored; None if it is nothing.
        made: What comes out; None if it is nothing.
    """

    entry: str
    field: str
    stored: float | str | None
    made: float | str | None


def mismatches(
    entry: str, place: str, stored: object, made: object, tolerance: float = TOLERANCE
) -> list[Mismatch]:
    """Return the numbers and words in which a stored document is not what is made again.

    Args:
        entry: Key of the entry that stores it.
        place: Where the document stands; empty for a whole file.
        stored: What is stored, as JSON types.
        made: The same, made again.
        tolerance: The share of themselves by which numbers may differ.
    """
    old, new = dict(_values(place, stored)), dict(_values(place, made))
    different = []
    for field_ in old | new:
        before, after = old.get(field_), new.get(field_)
        if isinstance(before, float | int) and isinstance(after, float | int):
            # Between figures that are as good as 0, shares of these say nothing.
            is_same = math.isclose(before, after, rel_tol=tolerance, abs_tol=tolerance / 1000)
        else:
            is_same = before == after
        if not is_same:
            different.append(Mismatch(entry, field_, before, after))
    return different


def _values(place: str, content: object) -> Iterator[tuple[str, float | str]]:
    """Yield every number and word of a document with its place."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _values(f"{place}.{key}" if place else str(key), value)
    elif isinstance(content, list):
        for number, value in enumerate(content):
            yield from _values(f"{place}[{number}]", value)
    elif isinstance(content, str | int | float) and not isinstance(content, bool):
        yield place, content


def score_mismatches(entry: str, stored: Scores, made: Scores) -> list[Mismatch]:
    """Return what of an entry's stored scores is not what is made again.

    Left out are signatures, which may differ and yet compare, and what only one of the two has: see
    `signature_problems`.

    Args:
        entry: Key of the entry.
        stored: The stored scores.
        made: The same, made again.
    """
    old, new = _parts(stored), _parts(made)
    different = []
    for name in old:
        if name in new:
            different += mismatches(entry, name, old[name], new[name])
    return different


def _parts(scores: Scores) -> dict[str, object]:
    """Return the place of each part that is scored by itself -> its content, without signatures."""
    parts = {}
    for section, content in scores.to_dict().items():
        if section in ("reports", "without_placeholders", "further_gold"):
            for name, part in content.items():
                parts[f"{section}.{name}"] = _without_signatures(part)
        elif section != "predictions":
            parts[section] = _without_signatures(content)
    return parts


def _without_signatures(content: object) -> object:
    if isinstance(content, list):
        return [_without_signatures(part) for part in content]
    if not isinstance(content, Mapping):
        return content
    rest = {}
    for name, part in content.items():
        if not name.startswith("signature"):
            rest[name] = _without_signatures(part)
    return rest


def signature_problems(stored: Scores, made: Scores) -> list[str]:
    """Return why stored scores do not compare with those that are made again, and what they lack.

    Args:
        stored: The stored scores.
        made: The same, made again.
    """
    problems = []
    signatures = made.signatures
    for place, signature in stored.signatures.items():
        if place in signatures:
            reasons = signature.comparable_with(signatures[place]).reasons
            problems += [f"{place}: {reason}" for reason in reasons]
    old, new = _parts(stored), _parts(made)
    problems += [f"{place}: not scored" for place in new if place not in old]
    for place in old:
        if place not in new:
            unknown = "cannot be scored, or the board does not use it; score the entry again"
            problems.append(f"{place}: {unknown}")
    return problems
