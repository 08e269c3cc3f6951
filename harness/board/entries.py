"""Entries: the folders of submissions/, one per system, with what it is, reported and scores.

    submissions/NAME/entry.toml          what the system is and what its papers report
    submissions/NAME/scores.json         what the harness gives it, at full precision
    submissions/NAME/predictions.json.gz its outputs, unless they are pinned elsewhere

An entry is one folder that appears in one step, so that no reader ever sees half of one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from ..benchmark import STYLES
from ..data.pinned import PinnedFile
from ..errors import InputError
from ..files import read_bytes
from ..metrics.registry import headlines
from ..metrics.setups import COMPARISONS, UPDATES
from ..playing import DOMAIN_SOURCES
from ..validation import validated
from .scores import SCORES_FILE, Scores, read_scores

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ENTRY_FILE = "entry.toml"
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


def _one_of(known: Callable[[], Iterable[str]]) -> AfterValidator:
    """Return a check that a text is one of a table's keys."""

    def check(value: str) -> str:
        if value not in known():
            raise ValueError(f"{value!r}; use one of {', '.join(known())}")
        return value

    return AfterValidator(check)


WebAddress = Annotated[str, AfterValidator(_web_address)]
ObjectId = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
Style = Annotated[str, _one_of(lambda: STYLES)]


class Predictions(_Strict):
    """Where a system's predictions are: a file, a pinned source, or the corpus itself.

    Attributes:
        file: A file in the entry's folder.
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
    corpus: Style | None = None

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
            raise ValueError("`file` must be the name of a file in the entry's folder")
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

    style: Style | None = None
    tokenization: Literal["word", "word, NLTK", "sub-word", "sub-word, NLTK"] | None = None
    comparison: Annotated[str, _one_of(lambda: COMPARISONS)] | None = None
    updates: Annotated[str, _one_of(lambda: UPDATES)] | None = None
    reduced_search: bool | None = None
    domains: Annotated[str, _one_of(lambda: DOMAIN_SOURCES)] | None = None


def _place_among_headlines(name: str) -> int:
    """Return where tables show a figure; those of no metric come last."""
    known = list(headlines())
    return known.index(name) if name in known else len(known)


_ABOUT_FIGURES = ("source", "setup", "style")


class Reported(BaseModel):
    """Figures that a publication reports: those of `headlines()`, each with its digits.

    Attributes:
        source: Paper and table.
        setup: The set-up they were made in: the system's "own", "strict" or "optimistic".
        style: The reference style that BLEU was computed against, if not the canonical one.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Decimal]

    source: Annotated[str, Field(min_length=1)]
    setup: Literal["own", "strict", "optimistic"] = "own"
    style: Style | None = None

    @model_validator(mode="after")
    def _known_and_in_range(self) -> Reported:
        for name, figure in self.figures.items():
            headline = headlines().get(name)
            if headline is None:
                known = ", ".join([*_ABOUT_FIGURES, *headlines()])
                raise ValueError(f"{name}: unknown key; known are {known}")
            if not headline.lowest <= figure <= headline.highest:
                raise ValueError(
                    f"{name}: {figure} is not between {headline.lowest:g} and {headline.highest:g}"
                )
        return self

    @property
    def figures(self) -> dict[str, Decimal]:
        """Metric -> the figure, of those reported."""
        given = self.__pydantic_extra__
        return {name: given[name] for name in sorted(given, key=_place_among_headlines)}


class System(_Strict):
    """The content of an `entry.toml`.

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
        """The folder's name, which commands call the entry by."""
        return self.folder.name


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
    """Read every entry of a folder, by name.

    Raises:
        InputError: The folder is missing, or a file in it is missing or not as the schema says.
    """
    if not folder.is_dir():
        raise InputError(str(folder), "no such folder of entries; give one by --submissions")
    return [
        read_entry(path)
        for path in sorted(folder.iterdir())
        if path.is_dir() and not path.name.startswith(".")
    ]


def read_entry(folder: Path) -> Entry:
    """Read one entry's folder.

    Raises:
        InputError: A file is missing or not as the schema says.
    """
    return Entry(folder, read_system(folder / ENTRY_FILE), read_scores(folder / SCORES_FILE))


def read_system(path: Path) -> System:
    """Read an `entry.toml`.

    Raises:
        InputError: The file is missing, not TOML, or not as the schema says.
    """
    try:
        content = tomllib.loads(read_bytes(path).decode(), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(str(path), f"not TOML ({error})") from None
    return validated(System, content, str(path))


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
