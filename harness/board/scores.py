"""What an entry scores, as it is stored in its folder, and the files that hold it (`FILES`).

- `scores.json`: the report under the default rule set as `Report.to_dict` writes it, with more
  keys: `predictions`, what identifies the predictions scored; `other_rules`, the reports under the
  other rule sets by name; `without_placeholders`, of an entry that declares placeholders, the
  strict figures without them. In the track for state tracking: the report of state tracking with
  its `signature`, `gold`, whose gold states it was made with, and `coverage`. In the track for
  live dialogues: `LiveScores`, with what came of each dialogue. In the first two,
  `further_gold`: what predicted states score against gold states of further versions, as declared
  with the data set (`data/sets/`): version -> choice of `--dontcare` -> figures.
- `dialogues.json`: the same dialogue by dialogue, of the default rule set and the strict set-up, in
  the order of the benchmark's dialogues: which are won, the sums that BLEU is computed of, the
  intervals of the scores, and what points were lost by.
- `seeds.json`: what further seeds of the system score, if there are any.
- `fingerprints.json`: a few characters per turn of what it says and believes, by which copies of
  another entry show (`copied.py`).

Each is a document that a dataclass holds: `plain` writes it, `validated` reads it. Whether somebody
edited it shows when it is computed again (`mwz verify`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from decimal import Decimal
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field, FiniteFloat, NonNegativeInt

from mwz.normalization.rules import DEFAULT_RULES
from mwz.normalization.rules.registry import digest_of_json, sha256

from ..comparison.interval import Interval, Spread
from ..data.declared import blob_id, gold_versions
from ..diagnosis.losses import DomainLosses, Points
from ..errors import InputError, refuse
from ..io.files import parse_json, read_plain, to_json
from ..io.validation import validated
from ..metrics.bleu import bleu_of_sums
from ..metrics.inform import rates_of_sums
from ..metrics.results import COLUMNS, MAX_ORDER
from ..metrics.setups import MAIN_SETUP
from ..metrics.tracking.choices import VARIANTS
from ..metrics.tracking.tracking_result import TrackingResult
from ..scoring.report import FORMAT, Coverage, Report
from ..signature import SHOWN_HASH, Signature
from . import LIVE, STATE_TRACKING, WITHOUT_REPORTS
from .copied import Fingerprints
from .tracking_figures import TrackingFigures, figures_of

TALKER_NAME = r"^[!-~]([ -~]{0,198}[!-~])?$"
TalkerName: TypeAlias = Annotated[str, Field(pattern=TALKER_NAME)]
"""What records call an agent or a user, with a digest: printable ASCII."""

Costs: TypeAlias = Mapping[
    Literal["agent", "user"],
    Mapping[
        Literal["calls", "prompt_tokens", "completion_tokens"],
        Annotated[int, Field(strict=True, ge=0, le=10**12)],
    ],
]
"""Who -> calls and tokens of its model."""

KNOWN_GOLD = 0.99
"""The share of turns from which a file's gold states are those of a version.

Values may be spelled differently; of two versions of MultiWOZ not two thirds of the states agree.
"""

SCORES_FILE = "scores.json"
DIALOGUES_FILE = "dialogues.json"
FINGERPRINTS_FILE = "fingerprints.json"
SEEDS_FILE = "seeds.json"

FIGURES = ("bleu", "inform", "success", "combined")
"""The figures that intervals are kept of, and that pairs of entries are compared by."""

KEEP, DROP = VARIANTS["dontcare"]

FurtherGold: TypeAlias = Mapping[str, Mapping[str, TrackingFigures]]
"""Version -> choice of `--dontcare` -> figures."""

_FORMAT = 1
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


def _fields(of: Any) -> dict[str, Any]:
    """Return the fields of a dataclass by their names."""
    return {each.name: getattr(of, each.name) for each in fields(of)}


def is_close(one: Any, other: Any) -> bool:
    """Whether figures, or what holds them, differ by no more than the order of arithmetic makes."""
    if isinstance(one, float | int) and isinstance(other, float | int):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(is_close(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_close, one, other))
    return bool(one == other)


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


def hashes_of(content: bytes, said: object = None) -> Hashes:
    """Return what identifies an (unpacked) predictions file.

    Args:
        content: The file.
        said: What it says, as JSON types; None if that is not known.
    """
    digest = None if said is None else digest_of_json({"said": said})
    return Hashes(sha256(content), blob_id(content), digest)


# ---------------------------------------------------------------------------- dialogues.json


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
        # All fields are JSON types, so that nothing need be copied.
        return digest_of_json({**_fields(self), "bleu": _fields(self.bleu)})

    @property
    def columns(self) -> list[Sequence[int]]:
        """What scores are computed of, a column each, a number per dialogue played."""
        marks = [list(map(int, marks)) for marks in (self.inform, self.success)]
        return [[1] * len(self.places), *marks, *self.bleu.columns]

    @property
    def totals(self) -> dict[str, float]:
        """Figure -> value, of `FIGURES`: the scores of all dialogues played."""
        return totals_of_sums([sum(column) for column in self.columns])


def totals_of_sums(sums: Sequence[float]) -> dict[str, float]:
    """Return figure -> value, of `FIGURES`, of what `Outcomes.columns` has, added up."""
    bleu = bleu_of_sums(sums[-COLUMNS:])
    return {"bleu": bleu, **rates_of_sums(sums, (MAIN_SETUP,), bleu)}


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
        dialogues: Goal domain -> cause -> the dialogues played that lose Inform or Success by it,
            by their places among these, from 0; None where an older version of the harness stored
            the scores.
    """

    domains: Mapping[str, DomainLosses]
    points: Mapping[str, Points]
    dialogues: Mapping[str, Mapping[str, tuple[int, ...]]] | None = None

    @property
    def lost(self) -> dict[int, list[tuple[str, str]]]:
        """Place of a dialogue that is lost -> domains and causes, where they are stored."""
        found: dict[int, list[tuple[str, str]]] = {}
        for domain, causes in (self.dialogues or {}).items():
            for cause, places in causes.items():
                for place in places:
                    found.setdefault(place, []).append((domain, cause))
        return found


@dataclass(frozen=True)
class DialogueScores:
    """The content of a `dialogues.json`, where the fields of `outcomes` stand beside the others.

    Attributes:
        outcomes: What is known of the dialogues.
        intervals: The intervals of the scores.
        causes: What points were lost by.
    """

    outcomes: Outcomes
    intervals: Intervals
    causes: Causes


def _read_dialogues(document: dict[str, Any], source: str, track: str) -> dict[str, Any]:
    rest = {name: document.pop(name, None) for name in ("intervals", "causes")}
    read = DialogueScores(
        validated(Outcomes, document, source),
        validated(Intervals, rest["intervals"], source, "intervals"),
        validated(Causes, rest["causes"], source, "causes"),
    )
    refuse(source, _misshapen(read))
    return {"dialogues": read}


def _misshapen(read: DialogueScores) -> Iterator[str]:
    """Yield what cannot be computed with."""
    outcomes = read.outcomes
    for name in ("played", "inform", "success"):
        if set(getattr(outcomes, name)) - {"0", "1"}:
            yield f"{name}: expected marks, 1 or 0"
    number = outcomes.played.count("1")
    columns = (outcomes.inform, outcomes.success, outcomes.turns, *outcomes.bleu.columns)
    if {len(column) for column in columns} != {number} or not number:
        yield f"expected one figure for each of {number} dialogues played, everywhere"
    if (len(outcomes.bleu.matches), len(outcomes.bleu.ngrams)) != (MAX_ORDER, MAX_ORDER):
        yield f"bleu: expected {MAX_ORDER} n-gram orders"
    if min(map(min, filter(None, (outcomes.turns, *outcomes.bleu.columns))), default=0) < 0:
        yield "turns, bleu: no count is below 0"
    lost = {place for place, mark in enumerate(outcomes.success) if mark == "0"}
    if read.causes.dialogues is not None and set(read.causes.lost) != lost:
        yield "causes.dialogues: expected the dialogues without Success, each with a cause"
    if set(read.intervals.scores) != set(FIGURES):
        yield f"intervals.scores: expected {', '.join(FIGURES)}"


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


def seed_file(number: int | str) -> str:
    """Return the name of the predictions file of a further seed; the first has number 2."""
    return f"seed-{number}.json.gz"


def _read_seeds(document: dict[str, Any], source: str, track: str) -> dict[str, Any]:
    read = validated(SeedScores, document, source)
    for seed in read.seeds:
        if Path(seed.file).name != seed.file or set(seed.scores) != set(FIGURES):
            raise InputError(source, f"seeds: expected file names, and {', '.join(FIGURES)}")
    return {"seeds": read}


# ------------------------------------------------------------------------------- scores.json


@dataclass(frozen=True)
class GoldOf:
    """Whose gold states predictions were compared with.

    Attributes:
        whose: "benchmark"; "file", the predictions file's own; or "version", those of another
            version of the annotation of the benchmark's dialogues.
        version: What version of the annotation they are; None where nobody says.
        agrees: Of a file's own: the share of turns whose gold state is that of this version; None
            where no version is said.
    """

    whose: Literal["benchmark", "file", "version"]
    version: Annotated[str, Field(max_length=40)] | None
    agrees: FiniteFloat | None = None

    @property
    def known(self) -> bool:
        """Whether they are those of a known version, not what a file says they are."""
        return self.whose != "file" or (self.agrees or 0.0) >= KNOWN_GOLD


@dataclass(frozen=True)
class TrackingScores:
    """What a tracker scores.

    Attributes:
        signature: Everything the figures depend on besides the tracker.
        gold: Whose gold states they were made with.
        coverage: How much of the benchmark is tracked; None for gold states of the file's own.
        report: Every metric.
        gold_share: As of `TrackingFigures`.
    """

    signature: Signature
    gold: GoldOf
    coverage: Coverage | None
    report: TrackingResult
    gold_share: FiniteFloat = 0.0

    @property
    def figures(self) -> TrackingFigures:
        """The figures that tables show."""
        whole = None if self.coverage is None else (self.coverage.of, self.coverage.of_turns)
        report, signature = self.report, self.signature
        scored, key = (report.dialogues, report.turns), gold_key(signature)
        gold = (signature, key, self.gold.version)
        return figures_of(report.figures, scored, self.gold_share, *gold, whole)


LIVE_RATES = ("inform", "success", "requested", "books", "solved")
"""What is known of each live dialogue: marks, whose shares are figures."""


@dataclass(frozen=True)
class LiveScores:
    """What an agent scores in live dialogues (`live/environment.py`).

    Attributes:
        signature: Everything the figures depend on besides the agent.
        agent: What it is called, with the digest of its prompts or script.
        user: The same of the user.
        played: Whether each task of the benchmark is played, in the order of their ids: marks.
        marks: Of `LIVE_RATES` -> for each trial, whether each task played has it; - of `books` for
            tasks that book nothing.
        passes: pass^1, pass^2 and so on.
        figures: All other figures that `mwz play` shows: rates in percent, means, counts.
        costs: "agent" and "user" -> calls and tokens of their models, as the files of plays state.
        lost: "missing" and "broken off" -> how many dialogues count as lost for that.
        baseline_calls: The share of the scripted baseline's calls that the agent makes in the same
            turn; None of the baseline itself.
    """

    signature: Signature
    agent: TalkerName
    user: TalkerName
    played: str
    marks: Mapping[str, tuple[str, ...]]
    passes: tuple[Interval, ...]
    figures: Mapping[str, int | FiniteFloat | None]
    costs: Costs = field(default_factory=dict)
    lost: Mapping[str, NonNegativeInt] = field(default_factory=dict)
    baseline_calls: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None

    @property
    def trials(self) -> int:
        """How often each task was played."""
        return len(self.marks["solved"])

    @property
    def tasks(self) -> int:
        """How many tasks were played."""
        return self.played.count("1")

    @property
    def solved(self) -> list[int]:
        """How many trials of each task played are solved."""
        return [marks.count("1") for marks in zip(*self.marks["solved"], strict=True)]

    @property
    def rates(self) -> dict[str, float | None]:
        """Of `LIVE_RATES` -> share of the dialogues that have it, in percent; None of none."""
        found: dict[str, float | None] = {}
        for name, of in self.marks.items():
            known = "".join(of).replace("-", "")
            found[name] = 100 * known.count("1") / len(known) if known else None
        return found

    @property
    def tokens(self) -> float | None:
        """The tokens of the agent's model per dialogue; None of an agent without one."""
        cost = self.costs.get("agent", {})
        tokens = sum(number for kind, number in cost.items() if kind.endswith("tokens"))
        return tokens / (self.tasks * self.trials) if tokens else None


def gold_key(signature: Signature) -> str:
    """Return what tells which gold states figures were made with: equal ones compare.

    The hash of a benchmark's content tells its own gold states, which submissions of all tracks are
    scored on; other gold states have a hash of theirs.
    """
    return signature.data or signature.gold or ""


@dataclass(frozen=True)
class Scores:
    """What an entry scores.

    Attributes:
        reports: Rule set -> report. There are none in the track for state tracking, nor if an
            earlier version of the harness wrote them, and the entry is to be scored again.
        predictions: What identifies the predictions; None where there are none.
        tracking: What it scores in the track for state tracking.
        live: What it scores in the track for live dialogues.
        dialogues: The same as the reports dialogue by dialogue, with intervals and causes.
        seeds: What further seeds of the system score.
        fingerprints: What shows copies of it.
        without_placeholders: Rule set -> BLEU, Inform, Success and combined score, strict, without
            the placeholders that the entry declares; None if it declares none.
        further_gold: What its predicted states score against further gold states.
    """

    reports: Mapping[str, Report] = field(default_factory=dict)
    predictions: Hashes | None = None
    tracking: TrackingScores | None = None
    live: LiveScores | None = None
    dialogues: DialogueScores | None = None
    seeds: SeedScores | None = None
    fingerprints: Fingerprints | None = None
    without_placeholders: Mapping[str, Mapping[str, float]] | None = None
    further_gold: FurtherGold = field(default_factory=dict)

    @property
    def without_reports(self) -> TrackingScores | LiveScores | None:
        """What it scores in a track whose entries have no reports."""
        return self.tracking or self.live

    @property
    def main(self) -> Report:
        """The report under the default rule set."""
        return self.reports[DEFAULT_RULES]

    def under(self, rules: str) -> Report | None:
        """Return the report under a rule set, if there is one."""
        return self.reports.get(rules)

    def documents(self) -> dict[str, dict[str, Any]]:
        """Return name -> content, as JSON types, of the files that there are."""
        made = {file.name: file.document(self) for file in FILES}
        return {name: document for name, document in made.items() if document is not None}

    def files(self) -> dict[str, str]:
        """Return name -> content of the files that there are, in the order of `FILES`."""
        documents, files = self.documents(), {file.name: file for file in FILES}
        return {name: files[name].text(one) for name, one in documents.items()}


def _scores_document(scores: Scores) -> dict[str, Any] | None:
    one = scores.without_reports
    if one is not None:
        track = LIVE if one is scores.live else STATE_TRACKING
        head = {"format": _FORMAT, "track": track, "signature": str(one.signature)}
        rest = plain(one)
        report = {**head, "signature_fields": rest.pop("signature"), **rest}
    elif scores.reports:
        report = scores.main.to_dict()
    else:
        return None
    others = {name: one for name, one in scores.reports.items() if name != DEFAULT_RULES}
    beside = {
        "predictions": scores.predictions,
        "without_placeholders": scores.without_placeholders,
        "other_rules": others if one is None else None,
        "further_gold": scores.further_gold or None,
    }
    return {**report, **{key: plain(value) for key, value in beside.items() if value is not None}}


def _read_scores(document: dict[str, Any], source: str, track: str) -> dict[str, Any]:
    """Return the fields of `Scores` that a `scores.json` holds."""
    types: dict[str, Any] = {
        "predictions": Hashes,
        "further_gold": dict[str, dict[str, TrackingFigures]],
    }
    if track not in WITHOUT_REPORTS:
        types["without_placeholders"] = dict[str, dict[str, FiniteFloat]]
    beside = {key: document.pop(key) for key in types if key in document}
    if track in WITHOUT_REPORTS:
        read = _read_without_reports(document, source, track)
    else:
        read = _read_reports(document, source)
    for key, content in beside.items():
        read[key] = validated(types[key], content, source, key)
    return read


def _read_reports(document: dict[str, Any], source: str) -> dict[str, Any]:
    others = document.pop("other_rules", {})
    if not isinstance(others, dict):
        raise InputError(source, "other_rules: expected an object of rule set -> report")
    reports = {DEFAULT_RULES: Report.from_dict(document, source)}
    for rules, report in others.items():
        reports[rules] = Report.from_dict(report, f"{source}, other_rules.{rules}")
    places = {rules: f"other_rules.{rules}" for rules in others} | {DEFAULT_RULES: "rules"}
    wrong = ((places[rules], one.rules) for rules, one in reports.items() if one.rules != rules)
    refuse(source, (f"{place}: holds scores under rule set {rules}" for place, rules in wrong))
    return {"reports": reports}


def _read_without_reports(document: dict[str, Any], source: str, track: str) -> dict[str, Any]:
    if document.pop("track", None) != track:
        raise InputError(source, f"expected scores of the track {track}")
    document["signature"] = document.pop("signature_fields", None)
    read: TrackingScores | LiveScores
    if track == LIVE:
        read = validated(LiveScores, document, source)
        refuse(source, _wrong_marks(read))
    else:
        read = validated(TrackingScores, document, source)
    return {"live" if track == LIVE else "tracking": read}


def _wrong_marks(scores: LiveScores) -> Iterator[str]:
    """Yield what cannot be computed with."""
    texts = [scores.played, *(marks for of in scores.marks.values() for marks in of)]
    if set(scores.marks) != set(LIVE_RATES) or set("".join(texts)) - set("01-"):
        yield f"marks: expected {', '.join(LIVE_RATES)}, each of marks 1, 0 and -"
    elif (
        {len(marks) for marks in texts[1:]} != {scores.tasks}
        or {len(of) for of in scores.marks.values()} != {scores.trials}
        or not scores.tasks
    ):
        yield "marks: expected one for each task played, in each trial"


# --------------------------------------------------------------------------------- the files


def _line_per_key(document: Mapping[str, Any]) -> str:
    dumped = partial(json.dumps, separators=(",", ":"))
    lines = [f"{dumped(key)}: {dumped(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@dataclass(frozen=True)
class StoredFile:
    """A file of an entry's folder that holds some of its scores.

    Attributes:
        name: Its name.
        document: Returns what it holds of scores, as JSON types; None if there is no such file.
        read: Returns the fields of `Scores` that a document holds, given what messages call it,
            and the entry's track; or raises an `InputError`.
        text: How a document is laid out.
        optional: Whether an entry may lack it.
        tolerance: The relative difference of figures that the order of arithmetic can make.
    """

    name: str
    document: Callable[[Scores], dict[str, Any] | None]
    read: Callable[[dict[str, Any], str, str], dict[str, Any]]
    text: Callable[[Mapping[str, Any]], str] = to_json
    optional: bool = True
    tolerance: float = 1e-9


def _document(found: Any) -> dict[str, Any] | None:
    """Return a field of `Scores` as the document of a file; outcomes stand beside the rest."""
    if found is None:
        return None
    content = plain(found)
    return {"format": _FORMAT, **content.pop("outcomes", {}), **content}


def _read_fingerprints(document: dict[str, Any], source: str, track: str) -> dict[str, Any]:
    return {"fingerprints": validated(Fingerprints, document, source)}


FILES = (
    StoredFile(DIALOGUES_FILE, lambda of: _document(of.dialogues), _read_dialogues, _line_per_key),
    StoredFile(SEEDS_FILE, lambda of: _document(of.seeds), _read_seeds),
    StoredFile(
        FINGERPRINTS_FILE, lambda of: _document(of.fingerprints), _read_fingerprints, _line_per_key
    ),
    # Last: if the process is killed while they are written, old scores are scored again.
    StoredFile(SCORES_FILE, _scores_document, _read_scores, optional=False, tolerance=1e-12),
)


def parse_scores(
    content: bytes, source: str, track: str = "", name: str = SCORES_FILE
) -> dict[str, Any]:
    """Return the fields of `Scores` that one of an entry's files holds.

    Of a report that an earlier version wrote, nothing is read.

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
    is_report = name == SCORES_FILE and track not in WITHOUT_REPORTS
    if is_report and "signature" in document and document.get("format") != FORMAT:
        return {}
    if not is_report and document.pop("format", None) != _FORMAT:
        raise InputError(source, f"expected format {_FORMAT}; score the entry again (--rescore)")
    [file] = (file for file in FILES if file.name == name)
    return file.read(document, source, track)


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
    found: dict[str, Any] = {}
    problems: list[str] = []
    for file in FILES:
        path = folder / file.name
        if file.optional and not path.is_file():
            continue
        try:
            read = parse_scores(read_plain(path), str(path), track, file.name)
        except InputError as error:
            wrong = [f"{Path(error.source).name}: {problem}" for problem in error.problems]
            if not file.optional:
                return Scores(), tuple(wrong)
            problems += wrong
        else:
            found |= read
    return Scores(**found), tuple(problems)


# ------------------------------------------------------------------- state tracking on the board


@dataclass(frozen=True)
class Tracked:
    """What predicted states score against one set of gold states.

    Attributes:
        figures: The figures.
        gold: Whose gold states they were made with.
        without_dontcare: The figures without `dontcare`, where these are known.
        further: Whether these are other gold states than those that the entry was entered with.
    """

    figures: TrackingFigures
    gold: GoldOf
    without_dontcare: TrackingFigures | None = None
    further: bool = False

    def of_turns(self, turns: int) -> Tracked:
        """Return the same of gold states that have so many turns."""
        own, dropped = replace(self.figures, of_turns=turns), self.without_dontcare
        dropped = dropped and replace(dropped, of_turns=turns)
        return replace(self, figures=own, without_dontcare=dropped)

    @property
    def coverage(self) -> float:
        """Turns tracked, in percent; 100 for gold states of the file's own."""
        return 100 * self.figures.turns / (self.figures.of_turns or self.figures.turns)

    @property
    def own_version(self) -> str | None:
        """The version of the gold states of the benchmark itself; None if nobody says."""
        return gold_versions(self.figures.signature.benchmark or "").own

    @property
    def version(self) -> str | None:
        """What version of the annotation the gold states are; None if nobody says."""
        return self.own_version if self.gold.whose == "benchmark" else self.gold.version

    @property
    def gold_title(self) -> str:
        """What the gold states are, as the heading of a table."""
        shown = self.figures.gold[:SHOWN_HASH]
        version = "" if self.version is None else f", version {self.version}"
        if self.gold.whose == "file":
            return f"Gold states of the predictions file{version} ({shown})"
        benchmark = self.figures.signature.benchmark or ""
        return f"Gold states of the benchmark {benchmark}{version} ({shown})"


def gold_shares(scores: Scores, report: Report | None) -> list[float]:
    """Return what share of predicted states agrees with gold on the slots of queries.

    There is one share for each set of gold states that they were scored with, and none of entries
    that predict no states.
    """
    return [one.figures.gold_share for one in tracked(scores, report)]


def tracked(scores: Scores, report: Report | None) -> Iterator[Tracked]:
    """Yield what an entry's states score: as it was entered, then against further gold states.

    Gold states are normalised by the default rule set, so that under another there are no others.

    Args:
        scores: What the entry scores.
        report: Its report under the rule set of the board; None of a tracker's.
    """
    main = _as_entered(scores, report)
    if main is None:
        return
    by_version = scores.further_gold
    if report is not None and report.rules != DEFAULT_RULES:
        by_version = {}
    others = []
    for version, by_choice in by_version.items():
        figures, dropped = by_choice[KEEP], by_choice[DROP]
        if figures.gold == main.figures.gold:
            main = replace(main, without_dontcare=dropped)
        else:
            others.append(Tracked(figures, GoldOf("version", version), dropped, further=True))
    yield main
    yield from others


def _as_entered(scores: Scores, report: Report | None) -> Tracked | None:
    if scores.tracking is not None:
        return Tracked(scores.tracking.figures, scores.tracking.gold)
    if report is None or report.dst is None:
        return None
    of = (report.coverage.of, report.coverage.of_turns)
    share = (report.metrics.get("flags") or {}).get("gold_states", 0.0)
    dst, signature = report.dst, report.signature
    scored = (dst.dialogues, dst.turns)
    figures = figures_of(dst.figures, scored, share, signature, gold_key(signature), None, of)
    return Tracked(figures, GoldOf("benchmark", None))
