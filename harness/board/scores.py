"""What an entry scores, as it is stored in its folder, and the files that hold it (`FILES`).

- `scores.json`: the report under the default rule set as `Report.to_dict` writes it, with more
  keys: `predictions`, what identifies the predictions scored; `other_rules`, the reports under the
  other rule sets by name; `without_placeholders`, of an entry that declares placeholders, the
  strict figures without them. In a track whose entries have no reports, the `result` that the track
  declares, with its signature. `further_gold`: what predicted states score against gold states of
  further versions, as declared with the data set (`data/sets/`): version -> choice of `--dontcare`
  -> scores.
- `dialogues.json`: the same dialogue by dialogue, of the default rule set and the strict set-up, in
  the order of the benchmark's dialogues: which are won, BLEU's counts, the intervals of the scores,
  and what points were lost by.
- `seeds.json`: what further seeds of the system score, if there are any.
- `fingerprints.json`: a few characters per turn of what it says and believes, by which copies of
  another entry show (`copied.py`).

Each is a document that a dataclass holds: `plain` writes it, `validated` reads it. Whether somebody
edited it shows when it is computed again (`mwz verify`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from pydantic import Field, FiniteFloat

from mwz.normalization import DEFAULT_RULES, digest_of_json, sha256

from ..comparison import Interval, Spread
from ..data import blob_id
from ..diagnosis import Causes
from ..errors import InputError, refuse
from ..io import parse_json, read_plain, to_json, validated
from ..metrics import COLUMNS
from ..scoring import Report, read_report
from ..signature import Signature
from .copied import Fingerprints
from .track import Track, tracks
from .tracked import DROP, KEEP, FurtherGold, TrackedScores, entered_scores

SCORES_FILE = "scores.json"
DIALOGUES_FILE = "dialogues.json"
FINGERPRINTS_FILE = "fingerprints.json"
SEEDS_FILE = "seeds.json"

FIGURES = ("bleu", "inform", "success", "combined")
"""The figures that intervals are kept of, and that pairs of entries are compared by."""

_FORMAT = 3
"""The version of the schema of all files but a report, which has its own."""


def plain(value: Any) -> Any:
    """Return a value of dataclasses as JSON types; optional fields that are None are left out.

    A printed figure stays as printed.
    """
    if isinstance(value, Report):
        return value.to_dict()
    if is_dataclass(value):
        named = [(each, getattr(value, each.name)) for each in fields(value)]
        value = {f.name: one for f, one in named if not (one is None and f.default is None)}
    elif hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return f"{value:f}" if isinstance(value, Decimal) else value


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


# ---------------------------------------------------------------------------- dialogues.json


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
    """The content of a `dialogues.json`. Marks are texts of 1 (yes) and 0 (no).

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


# -------------------------------------------------------------------------------- seeds.json


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
    """The content of a `seeds.json`.

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


# ------------------------------------------------------------------------------- scores.json


@dataclass(frozen=True)
class Scores:
    """What an entry scores.

    Attributes:
        reports: Rule set -> report. There are none in a track whose entries have a result instead.
        predictions: What identifies the predictions; None where there are none.
        result: What it scores in a track without reports, such as the track declares.
        dialogues: The same as the reports dialogue by dialogue, with intervals and causes.
        seeds: What further seeds of the system score.
        fingerprints: What shows copies of it.
        without_placeholders: Rule set -> BLEU, Inform, Success and combined score, strict, without
            the placeholders that the entry declares; None if it declares none.
        further_gold: What its predicted states score against further gold states.
    """

    reports: Mapping[str, Report] = field(default_factory=dict)
    predictions: Hashes | None = None
    result: Any = None
    dialogues: DialogueScores | None = None
    seeds: SeedScores | None = None
    fingerprints: Fingerprints | None = None
    without_placeholders: Mapping[str, Mapping[str, float]] | None = None
    further_gold: FurtherGold = field(default_factory=dict)

    @property
    def is_scored(self) -> bool:
        """Whether there are scores that this version of the harness reads."""
        return bool(self.reports) or self.result is not None

    @property
    def signatures(self) -> dict[str, Signature]:
        """Rule set -> signature of its report; of a result under an empty name."""
        if self.result is not None:
            return {"": self.result.signature}
        return {rules: report.signature for rules, report in self.reports.items()}

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
        for by_choice in self.further_gold.values() if is_default else ():
            scores, dropped = by_choice[KEEP], by_choice[DROP]
            if scores.gold_digest == entered.gold_digest:
                entered = replace(entered, without_dontcare=dropped)
            else:
                further.append(replace(scores, without_dontcare=dropped))
        yield entered
        yield from further

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return name -> content, as JSON types, of the files that there are, as they are written.

        `scores.json` is the last: if the process is killed before it is written, the old scores
        are scored again.
        """
        documents = {}
        for name, (field_, _) in _TYPES.items():
            content = getattr(self, field_)
            if content is not None:
                documents[name] = {"format": _FORMAT, **plain(content)}
        if self.is_scored:
            documents[SCORES_FILE] = _scores_document(self)
        return documents

    def files(self) -> dict[str, str]:
        """Return name -> content of the files that there are."""
        return {name: _text(name, document) for name, document in self.documents().items()}


def _scores_document(scores: Scores) -> dict[str, Any]:
    if scores.result is None:
        document = scores.main.to_dict()
        others = {name: one for name, one in scores.reports.items() if name != DEFAULT_RULES}
    else:
        signature = str(scores.result.signature)
        document = {"format": _FORMAT, "signature": signature, "result": plain(scores.result)}
        others = None
    beside = {
        "predictions": scores.predictions,
        "without_placeholders": scores.without_placeholders,
        "other_rules": others,
        "further_gold": scores.further_gold or None,
    }
    return {**document, **{key: plain(value) for key, value in beside.items() if value is not None}}


def _read_scores(document: dict[str, Any], source: str, track: Track) -> dict[str, Any]:
    """Return the fields of `Scores` that a `scores.json` holds."""
    types: dict[str, Any] = {
        "predictions": Hashes,
        "further_gold": dict[str, dict[str, TrackedScores]],
        "result": track.result,
        "without_placeholders": dict[str, dict[str, FiniteFloat]],
    }
    beside = {key: document.pop(key) for key in types if key in document}
    if track.by_rules:
        read = {"reports": _reports(document, source)}
    elif "result" in beside:
        read = {}
    else:
        raise InputError(source, f"expected scores of the track {track.name}")
    return read | {key: validated(types[key], one, source, key) for key, one in beside.items()}


def _reports(document: dict[str, Any], source: str) -> dict[str, Report]:
    others = document.pop("other_rules", {})
    if not isinstance(others, dict):
        raise InputError(source, "other_rules: expected an object of rule set -> report")
    reports = {DEFAULT_RULES: read_report(document, source)}
    for rules, report in others.items():
        reports[rules] = read_report(report, f"{source}, other_rules.{rules}")
    places = {rules: f"other_rules.{rules}" for rules in others} | {DEFAULT_RULES: "rules"}
    problems = []
    for rules, report in reports.items():
        scored_by = report.signature.rules
        if scored_by != rules:
            problems.append(f"{places[rules]}: holds scores under rule set {scored_by}")
    refuse(source, problems)
    return reports


# --------------------------------------------------------------------------------- the files


_TYPES: Mapping[str, tuple[str, type]] = {
    DIALOGUES_FILE: ("dialogues", DialogueScores),
    SEEDS_FILE: ("seeds", SeedScores),
    FINGERPRINTS_FILE: ("fingerprints", Fingerprints),
}
"""File beside `scores.json` -> the field of `Scores` that it holds, and its type."""

FILES = (*_TYPES, SCORES_FILE)
"""The files of an entry's folder that hold its scores."""


def _text(name: str, document: Mapping[str, Any]) -> str:
    """Return the content of a file; of the longest ones with a line per key."""
    if name not in (DIALOGUES_FILE, FINGERPRINTS_FILE):
        return to_json(document)
    dumped = partial(json.dumps, separators=(",", ":"))
    lines = [f"{dumped(key)}: {dumped(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parse_scores(
    content: bytes, source: str, track: str, name: str = SCORES_FILE
) -> dict[str, Any]:
    """Return the fields of `Scores` that one of an entry's files holds.

    Args:
        content: The file.
        source: What messages call it.
        track: The entry's track.
        name: Which of `FILES` it is.

    Raises:
        InputError: The content is not JSON, or not as the schema says.
    """
    document = parse_json(content, source)
    if not isinstance(document, dict):
        raise InputError(source, "expected an object")
    declared = tracks()[track]
    is_report = name == SCORES_FILE and declared.by_rules
    if not is_report and document.pop("format", None) != _FORMAT:
        raise InputError(source, f"expected format {_FORMAT}; score the entry again (--rescore)")
    if name == SCORES_FILE:
        return _read_scores(document, source, declared)
    field_, kind = _TYPES[name]
    return {field_: validated(kind, document, source)}


def read_scores(folder: Path, track: str) -> tuple[Scores, tuple[str, ...]]:
    """Read the scores of an entry's folder.

    What cannot be used is no error: it may be made again.

    Args:
        folder: The folder.
        track: The entry's track.

    Returns:
        The scores, and why some cannot be used. If the `scores.json` cannot be read, there are no
        scores.
    """
    fields_: dict[str, Any] = {}
    problems: list[str] = []
    for name in FILES:
        path = folder / name
        if name != SCORES_FILE and not path.is_file():
            continue
        try:
            fields_ |= parse_scores(read_plain(path), str(path), track, name)
        except InputError as error:
            wrong = [f"{Path(error.source).name}: {problem}" for problem in error.problems]
            if name == SCORES_FILE:
                return Scores(), tuple(wrong)
            problems += wrong
    return Scores(**fields_), tuple(problems)
