"""The submissions folder: one folder per system, with what it is, reported and scores.

    submissions/NAME/entry.toml     what the system is and what its papers report
    submissions/NAME/scores.json         what the harness gives it, at full precision
    submissions/NAME/predictions.json.gz its outputs, unless they are pinned elsewhere

A submission is one folder that appears in one step, so that no reader ever sees half of one.
"""

from __future__ import annotations

import difflib
import hashlib
import re
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import tomli_w
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from mwz.normalization.states import RULE_SET_NAMES

from ..benchmark import STYLES
from ..data.pinned import PinnedFile, blob_id
from ..errors import InputError
from ..files import parse_json, read_bytes, to_json
from ..metrics.diversity import Diversity
from ..metrics.inform_success import TOTAL
from ..report import Coverage

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SYSTEM_FILE = "entry.toml"
SCORES_FILE = "scores.json"
PREDICTIONS_FILE = "predictions.json.gz"

TRACKS = ("end-to-end", "policy-optimization", "reference")
"""Systems that track the state themselves, systems that are given it, and the corpus itself."""

# No longer than file systems allow, with what is added to it while the folder is written.
_FOLDER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _web_address(value: str) -> str:
    # A blank or a bar would end the link in the leaderboard's tables.
    if not re.fullmatch(r"https?://[^\s|]+", value):
        raise ValueError("expected an address that begins with https://, without blanks")
    return value


WebAddress = Annotated[str, AfterValidator(_web_address)]
ObjectId = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]


class Predictions(_Strict):
    """Where a system's predictions are: a file, a pinned source, or the corpus itself.

    Attributes:
        file: A file in the submission's folder.
        repository: "<owner>/<name>" at GitHub.
        commit: The commit to take the file from.
        path: Its path in the repository.
        git_blob: Its git blob id.
        corpus: A reference style, where the "system" is the benchmark's own responses.
    """

    file: str | None = None
    repository: str | None = None
    commit: ObjectId | None = None
    path: str | None = None
    git_blob: ObjectId | None = None
    corpus: Literal[STYLES] | None = None  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _one_place(self) -> Predictions:
        pin = (self.repository, self.commit, self.path, self.git_blob)
        places = (self.file is not None) + (pin.count(None) == 0) + (self.corpus is not None)
        if places != 1 or 0 < pin.count(None) < len(pin):
            raise ValueError(
                "give either `file`, or all of `repository`, `commit`, `path` and `git_blob`, "
                "or `corpus`"
            )
        if self.file is not None and Path(self.file).name != self.file:
            raise ValueError("`file` must be the name of a file in the submission's folder")
        return self

    @property
    def pinned(self) -> PinnedFile | None:
        """The pinned file, if that is where the predictions are."""
        if not (self.repository and self.commit and self.path and self.git_blob):
            return None
        return PinnedFile(self.repository, self.commit, self.path, self.git_blob, "predictions")


class OwnSetup(_Strict):
    """How a system's authors evaluated it (table 3 of "Shades of BLEU, Flavours of Success").

    Attributes:
        style: The reference style of BLEU.
        tokenization: Of BLEU, in the table's words.
        comparison: How offered and goal venues are compared.
        updates: When the offered venues are updated.
        reduced_search: Whether a venue's name or id replaces all other constraints.
        domains: Where active domains come from.
    """

    style: Literal[STYLES] | None = None  # type: ignore[valid-type]
    tokenization: Literal["word", "word, NLTK", "sub-word", "sub-word, NLTK"] | None = None
    comparison: Literal["subset", "intersection", "first", "sampling"] | None = None
    updates: Literal["name", "reference", "end"] | None = None
    reduced_search: bool | None = None
    domains: Literal["predicted", "slots", "states", "gold"] | None = None


Percentage = Annotated[Decimal, Field(ge=0, le=100)]
Combined = Annotated[Decimal, Field(ge=0, le=200)]

REPORTED_METRICS = ("bleu", "inform", "success", "combined")


class Reported(_Strict):
    """Figures that a publication reports.

    Attributes:
        source: Paper and table.
        setup: The set-up they were made in: the system's "own", "strict" or "optimistic".
        style: The reference style that BLEU was computed against, if not the canonical one.
        bleu: BLEU, in percent, with the digits reported; as the others.
        inform: Inform.
        success: Success.
        combined: Combined score.
    """

    source: Annotated[str, Field(min_length=1)]
    setup: Literal["own", "strict", "optimistic"] = "own"
    style: Literal[STYLES] | None = None  # type: ignore[valid-type]
    bleu: Percentage | None = None
    inform: Percentage | None = None
    success: Percentage | None = None
    combined: Combined | None = None

    @property
    def figures(self) -> dict[str, Decimal]:
        """Metric -> the figure, of those reported."""
        figures = {metric: getattr(self, metric) for metric in REPORTED_METRICS}
        return {metric: figure for metric, figure in figures.items() if figure is not None}


class System(_Strict):
    """The content of a `entry.toml`.

    Attributes:
        name: The system's name as the leaderboard shows it.
        track: One of `TRACKS`.
        paper: Address of its paper.
        code: Address of its code.
        multiwoz: The version of MultiWOZ it was trained on.
        note: What a reader of the leaderboard should know.
        predictions: Where its predictions are.
        setup: How its authors evaluated it.
        reported: What publications report.
    """

    name: Annotated[str, Field(min_length=1)]
    track: Literal[TRACKS]  # type: ignore[valid-type]
    paper: WebAddress | None = None
    code: WebAddress | None = None
    multiwoz: str | None = None
    note: str | None = None
    predictions: Predictions
    setup: OwnSetup | None = None
    reported: tuple[Reported, ...] = ()


class Hashes(_Strict):
    """What the scored predictions were.

    Attributes:
        sha256: SHA-256 of the (unpacked) predictions file.
        git_blob: Its git blob id.
    """

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    git_blob: ObjectId


def _with_keys(*keys: str) -> AfterValidator:
    def check(content: dict[str, Any]) -> dict[str, Any]:
        missing = [key for key in keys if key not in content]
        if missing:
            raise ValueError(f"lacks {', '.join(missing)}")
        return content

    return AfterValidator(check)


def _with_fuzzy_joint_accuracy(tracking: dict[str, Any]) -> dict[str, Any]:
    fuzzy = tracking.get("fuzzy")
    accuracy = fuzzy.get("joint_accuracy") if isinstance(fuzzy, dict) else None
    if not isinstance(accuracy, int | float):
        raise ValueError("lacks a number at fuzzy.joint_accuracy")
    return tracking


def _played(coverage: Coverage) -> Coverage:
    if coverage.of_turns < 1:
        raise ValueError("of_turns must be at least 1")
    return coverage


class SetupFigures(_Strict):
    """Inform and Success under one set-up, as a report tells them."""

    inform: Annotated[dict[str, float], _with_keys(TOTAL)]
    success: Annotated[dict[str, float], _with_keys(TOTAL)]
    combined: float
    domains: str


class Scores(_Strict):
    """The content of a `scores.json`: a report, with the report under the other rule set beside it.

    What a report tells of state tracking is kept as it is; only the joint accuracy is read here.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    signature: str
    rules: Literal[RULE_SET_NAMES]  # type: ignore[valid-type]
    benchmark: str
    goals: Literal["all"]
    coverage: Annotated[Coverage, AfterValidator(_played)]
    bleu: Annotated[dict[Literal[STYLES], float], _with_keys(*STYLES)]  # type: ignore[valid-type]
    strict: SetupFigures
    optimistic: SetupFigures
    diversity: Diversity
    unknown_placeholders: dict[str, int]
    states: str
    domains: str
    dst: Annotated[dict[str, Any], AfterValidator(_with_fuzzy_joint_accuracy)] | None = None
    predictions: Hashes | None = None
    other_rules: dict[Literal[RULE_SET_NAMES], Scores] = {}  # type: ignore[valid-type]

    @model_validator(mode="after")
    def _others_in_place(self) -> Scores:
        for rules, other in self.other_rules.items():
            if other.rules != rules or rules == self.rules:
                raise ValueError(f"other_rules.{rules}: holds scores under rule set {other.rules}")
        return self

    def under(self, rules: str) -> Scores | None:
        """Return the report under a rule set, if there is one."""
        return self if self.rules == rules else self.other_rules.get(rules)


@dataclass(frozen=True)
class Entry:
    """One folder of submissions.

    Attributes:
        folder: Where it is.
        system: What the system is.
        scores: What it scores.
    """

    folder: Path
    system: System
    scores: Scores

    @property
    def key(self) -> str:
        """The folder's name, which commands call the submission by."""
        return self.folder.name


_Model = TypeVar("_Model", bound=BaseModel)


def folder_name(name: str) -> str:
    """Return the folder name of a system's name: lower case, blanks as hyphens.

    Raises:
        InputError: Nothing usable is left.
    """
    folder = re.sub(r"\s+", "-", name.strip().lower())
    if not _FOLDER_NAME.fullmatch(folder):
        raise InputError(
            "name",
            f"{name!r} makes no folder name; use letters, digits, `.`, `_` and `-`, at most 100",
        )
    return folder


def read_entries(folder: Path) -> list[Entry]:
    """Read every submission of a folder, by name.

    Raises:
        InputError: The folder is missing, or a file in it is missing or not as the schema says.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "no such folder of submissions; give one by --submissions")
    return [
        read_entry(path)
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".")
    ]


def read_entry(folder: Path) -> Entry:
    """Read one submission's folder.

    Raises:
        InputError: A file is missing or not as the schema says.
    """
    return Entry(folder, read_system(folder / SYSTEM_FILE), read_scores(folder / SCORES_FILE))


def read_system(path: Path) -> System:
    """Read a `entry.toml`.

    Raises:
        InputError: The file is missing, not TOML, or not as the schema says.
    """
    try:
        content = tomllib.loads(read_bytes(path).decode(), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"not TOML ({error})") from None
    return validated(System, content, str(path))


def read_scores(path: Path) -> Scores:
    """Read a `scores.json`.

    Raises:
        InputError: The file is missing, not JSON, or not as the schema says.
    """
    return parse_scores(read_bytes(path), str(path))


def parse_scores(content: bytes, source: str) -> Scores:
    """Return the content of a `scores.json`; `source` names it in messages.

    Raises:
        InputError: The content is not JSON, or not as the schema says.
    """
    return validated(Scores, parse_json(content, source), source)


def system_text(system: System) -> str:
    """Return a system as TOML, every figure with the digits it was reported with."""
    content = system.model_dump(exclude_none=True, exclude_defaults=True)
    reported = [
        {key: _toml_figure(value) for key, value in one.items()}
        for one in content.pop("reported", ())
    ]
    return tomli_w.dumps({**content, **({"reported": reported} if reported else {})})


def _toml_figure(value: object) -> object:
    """Return a whole number as such: TOML's floats have a digit after the point."""
    whole = isinstance(value, Decimal) and value.as_tuple().exponent == 0
    return int(str(value)) if whole else value


def scores_text(reports: Mapping[str, Mapping[str, Any]], rules: str, content: bytes | None) -> str:
    """Return reports under several rule sets as the text of a `scores.json`.

    Args:
        reports: Rule set -> report.
        rules: The rule set whose report comes first.
        content: The unpacked predictions file; None if there is none.
    """
    hashes = {} if content is None else {"predictions": content_hashes(content)}
    others = {name: report for name, report in reports.items() if name != rules}
    return to_json({**reports[rules], **hashes, "other_rules": others})


def content_hashes(content: bytes) -> dict[str, str]:
    """Return what identifies an (unpacked) predictions file."""
    return {"sha256": hashlib.sha256(content).hexdigest(), "git_blob": blob_id(content)}


def validated(model: type[_Model], content: object, source: str) -> _Model:
    """Return content as a model.

    Raises:
        InputError: With every place where the content is not as the model says; for an unknown
            key with the known one it resembles.
    """
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise InputError(source, [_problem(model, problem) for problem in error.errors()]) from None


def _problem(model: type[BaseModel], problem: Any) -> str:
    place = ".".join(map(str, problem["loc"])) or "content"
    if problem["type"] in _UNKNOWN_KEY:
        return f"{place}: unknown key{_suggestion(model, problem['loc'])}"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{place}: {message[:1].lower()}{message[1:]}"


def _suggestion(model: type[BaseModel], place: tuple[str | int, ...]) -> str:
    parts = _PARTS[model]
    tables = [str(part) for part in place[:-1] if part in parts]
    known = sorted(parts[tables[-1]] if tables else model.model_fields)
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; known are {', '.join(known)}"


# How a model and a dataclass call it.
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")

# The keys of the tables in the two files, for messages about them.
_PARTS: Mapping[type[BaseModel], Mapping[str, Collection[str]]] = {
    System: {
        "predictions": Predictions.model_fields,
        "setup": OwnSetup.model_fields,
        "reported": Reported.model_fields,
    },
    Scores: {
        "coverage": Coverage.__annotations__,
        "strict": SetupFigures.model_fields,
        "optimistic": SetupFigures.model_fields,
        "diversity": Diversity.__annotations__,
        "predictions": Hashes.model_fields,
    },
}
