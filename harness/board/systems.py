"""What an `entry.toml` says: what a system is, where its outputs are, and what papers report."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal

import tomli_w
from pydantic import AfterValidator, BaseModel, BeforeValidator, Field, model_validator
from pydantic.fields import FieldInfo

from mwz.normalization import DEFAULT_RULES, Aliases, alias_tables, rule_set

from ..benchmark import CANONICAL_STYLE, STYLES
from ..data import PinnedFile
from ..errors import InputError, unknown
from ..io import parse_toml, read_plain, validated
from ..metrics import COMPARISONS, DOMAIN_SOURCES, UPDATES, reported_figures
from ..submission import EMPTY_STATES, HUMAN, alias_problems, declared_flags, made_submissions
from .track import Kind, tracks

PREDICTIONS_FILE = "predictions.json.gz"
"""The outputs of an entry that keeps them in its folder."""

# Scheme, host with a dot, and what follows, in ASCII.
_ADDRESS = re.compile(r"https?://[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+(:\d+)?(/[!#-'*-;=?-Z_a-z~%]*)?")

# No longer than file systems allow, with what is added to it while the folder is written.
_FOLDER_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")

_LONGEST_NAME = 60


def _web_address(value: str) -> str:
    # A blank, a bar or a bracket would end the link in the leaderboard's tables.
    if not _ADDRESS.fullmatch(value):
        raise ValueError(
            "expected a complete address such as https://example.org/paper, without blanks and "
            "brackets"
        )
    return value


def _plain_text(value: str) -> str:
    """Check a text that people are to read: no control or format characters."""
    strange = [character for character in value if unicodedata.category(character)[0] in "CZ"]
    if any(character != " " for character in strange):
        raise ValueError("control characters, line breaks and unusual blanks are not allowed")
    return value


def _plain_name(value: str) -> str:
    """Check a name: plain text whose letters are Latin, so that no two names look alike."""
    _plain_text(value)
    if not 0 < len(value) <= _LONGEST_NAME:
        raise ValueError(f"give a name of 1 to {_LONGEST_NAME} characters")
    if unicodedata.normalize("NFKC", value) != value or value != value.strip():
        raise ValueError("write it with ordinary characters, without blanks around it")
    foreign = [c for c in value if c.isalpha() and "LATIN" not in unicodedata.name(c, "")]
    if foreign:
        raise ValueError(f"{foreign[0]!r} is not a Latin letter; names that look alike are refused")
    return value


def _iso_date(value: object) -> str:
    """Return a date, TOML's or a text, in the one form that sorts and that nobody misreads."""
    text = str(value)
    if not re.fullmatch(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}", text):
        raise ValueError(f"{text[:20]!r} is not a date such as 2024-12-31")
    return datetime.date.fromisoformat(text).isoformat()


def _one_of(kind: str, names: Callable[[], Iterable[str]]) -> AfterValidator:
    """Return a check that a text is one of a table's keys, the name of a `kind`."""

    def check(value: str) -> str:
        if value not in names():
            raise ValueError(unknown(kind, value, names()))
        return value

    return AfterValidator(check)


WebAddress = Annotated[str, AfterValidator(_web_address)]
ObjectId = Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
TrackName = Annotated[str, _one_of("track", tracks)]
Made = Annotated[str, _one_of("made submission", lambda: (*made_submissions(), HUMAN))]
Style = Annotated[str, _one_of("reference style", lambda: STYLES)]
DomainSource = Annotated[str, _one_of("source of domains", lambda: DOMAIN_SOURCES)]
PlainText = Annotated[str, Field(max_length=500), AfterValidator(_plain_text)]
PlainName = Annotated[str, AfterValidator(_plain_name)]
# MultiWOZ is of 2018.
Year = Annotated[int, Field(ge=2018, le=2100)]
Runs = Annotated[int, Field(ge=1, le=10_000)]
Date = Annotated[str, BeforeValidator(_iso_date)]
Prompts = Annotated[
    str, AfterValidator(lambda value: value if value == "none" else _web_address(value))
]
EntryKey = Annotated[str, Field(pattern=rf"^{_FOLDER_NAME.pattern}$")]


class Predictions(BaseModel, extra="forbid", frozen=True):
    """Where a system's predictions are: a file, a pinned source, the harness itself, or nowhere.

    Attributes:
        file: A file in the entry's folder.
        repository: "<owner>/<name>" at GitHub.
        commit: The commit to take the file from.
        path: Its path in the repository.
        git_blob: Its git blob id.
        made: The submission that the harness makes itself, where the entry is a reference row.
        played: The agent, without a model, that plays live dialogues with the scripted user
            whenever they are needed: nobody keeps them.
        trials: How often it plays each task; 1 if it is left out.
        seed: Its seed; 0 if it is left out.
        free_running: Whether a file holds dialogues with a user of their own, on the goals of the
            benchmark, instead of responses to the benchmark's turns.
        unavailable: Why nobody can get them; the entry has no rank.
    """

    file: str | None = None
    repository: str | None = None
    commit: ObjectId | None = None
    path: str | None = None
    git_blob: ObjectId | None = None
    made: Made | None = None
    played: Literal["baseline"] | None = None
    trials: Annotated[int, Field(strict=True, ge=1, le=100)] | None = None
    seed: int | None = None
    free_running: bool = False
    unavailable: PlainText | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Predictions:
        pin = (self.repository, self.commit, self.path, self.git_blob)
        is_pinned = None not in pin
        is_partly_pinned = not is_pinned and pin.count(None) < len(pin)
        places = (self.file, self.made, self.played, self.unavailable)
        number_of_places = len(places) - places.count(None) + is_pinned
        if number_of_places != 1 or is_partly_pinned:
            raise ValueError(
                "give either `file`, or all of `repository`, `commit`, `path` and `git_blob`, "
                "or `made`, or `played`, or `unavailable`"
            )
        for name in ("seed", "trials"):
            if getattr(self, name) is not None and self.played is None:
                raise ValueError(f"`{name}` goes with `played`")
        if self.file is not None and Path(self.file).name != self.file:
            raise ValueError("`file` must be the name of a file in the entry's folder")
        return self

    @property
    def by_harness(self) -> bool:
        """Whether the harness makes them itself: no system is entered by them."""
        return self.made is not None

    @property
    def kind(self) -> Kind | None:
        """What they are, where the harness makes or plays them; None of those of a file."""
        if self.played is not None:
            return "plays"
        if self.made == EMPTY_STATES:
            return "states only"
        if self.made == HUMAN:
            return "plain English"
        return None if self.made is None else "delexicalised responses"

    @property
    def is_corpus(self) -> bool:
        """Whether they are the references: BLEU against themselves says nothing."""
        return self.made == CANONICAL_STYLE

    @property
    def pinned(self) -> PinnedFile | None:
        """The pinned file, if that is where the predictions are."""
        if not (self.repository and self.commit and self.path and self.git_blob):
            return None
        return PinnedFile(self.repository, self.commit, self.path, self.git_blob, "predictions")


class OwnSetup(BaseModel, extra="forbid", frozen=True):
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
    comparison: Annotated[str, _one_of("comparison", lambda: COMPARISONS)] | None = None
    updates: Annotated[str, _one_of("choice of updates", lambda: UPDATES)] | None = None
    reduced_search: bool | None = None
    domains: DomainSource | None = None


def _plain_figure(value: object) -> object:
    """Refuse a number that is not written as one in a paper is: 83.4, not 8.34e1."""
    text = str(value)
    if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,7}(\.[0-9]{1,6})?", text):
        raise ValueError(f"{text[:20]!r} is not a plain number such as 83.4")
    return value


PlainFigure = Annotated[Decimal, BeforeValidator(_plain_figure)]


class Reported(BaseModel, extra="allow", frozen=True):
    """Figures that a publication reports: those of `reported_figures()`, each with its digits.

    Attributes:
        source: Paper and table.
        setup: The set-up they were made in: the system's "own", "strict" or "optimistic".
        style: The reference style that BLEU was computed against, if not the canonical one.
        domains: Where the active domains came from, if not from where the harness takes them.
    """

    __pydantic_extra__: dict[str, PlainFigure]

    source: Annotated[PlainText, Field(min_length=1)]
    setup: Literal["own", "strict", "optimistic"] = "own"
    style: Style | None = None
    domains: DomainSource | None = None

    @model_validator(mode="after")
    def _known_and_in_range(self) -> Reported:
        for name, figure in self.__pydantic_extra__.items():
            headline = reported_figures().get(name)
            if headline is None:
                keys = ", ".join([*Reported.model_fields, *reported_figures()])
                raise ValueError(f"{name}: unknown key; choose from {keys}")
            if not headline.lowest <= figure <= headline.highest:
                raise ValueError(
                    f"{name}: {figure} is not between {headline.lowest:g} and {headline.highest:g}"
                )
        return self

    @property
    def figures(self) -> dict[str, Decimal]:
        """Metric -> the figure, of those reported."""
        given = self.__pydantic_extra__
        return {name: given[name] for name in reported_figures() if name in given}


def _known_placeholders(table: dict[str, str]) -> dict[str, str]:
    """Check the `placeholders` of an entry: the name of a table, or names of its own."""
    rules = rule_set(DEFAULT_RULES)
    named = table.get(TABLE)
    if named is not None and named not in rules.ontology.values():
        if named not in alias_tables():
            raise ValueError(unknown("table", named, alias_tables()))
        if len(table) > 1:
            raise ValueError("give either `table`, or names of placeholders")
    else:
        problems = list(alias_problems(table, rules))
        if problems:
            raise ValueError("; ".join(problems))
    return table


TABLE = "table"
"""The key that names a table of aliases in an entry."""


class Review(BaseModel, extra="forbid", frozen=True):
    """Why an entry is ranked although it raises a flag.

    Attributes:
        date: When it was reviewed.
        reviewer: By whom.
        flag: The flag.
        reason: Why it may be ranked.
    """

    date: Date
    reviewer: PlainName
    flag: Annotated[str, _one_of("flag", lambda: declared_flags().keys())]
    reason: Annotated[PlainText, Field(min_length=1)]


class Description(BaseModel, extra="forbid", frozen=True):
    """What a system is: the fields with a title are `FACTS`, each with what it states.

    Attributes:
        name: The system's name as the leaderboard shows it.
        track: One of `tracks()`.
        paper: Address of its paper.
        code: Address of its code.
    """

    name: PlainName
    track: TrackName
    paper: WebAddress | None = None
    code: WebAddress | None = None
    multiwoz: PlainText | None = Field(
        None, title="MultiWOZ version", description="The version of MultiWOZ it was trained on."
    )
    year: Year | None = Field(
        None,
        title="Year",
        description="The year it was published in, if not clear from the paper's address.",
    )
    model: PlainText | None = Field(
        None, title="Model", description="Backbone and size of the model."
    )
    open_weights: Literal["yes", "no"] | None = Field(
        None,
        title="Open weights",
        description="Are the weights of the model or its backbone public?",
    )
    training: PlainText | None = Field(
        None,
        title="Training data besides MultiWOZ",
        description="What it was trained on besides MultiWOZ (its backbone's own pre-training "
        "aside), or none.",
    )
    test_in_training: Literal["yes", "no", "unknown"] | None = Field(
        None,
        title="Test set in training data",
        description="Whether it, or its backbone, was trained on dialogues of MultiWOZ's test set.",
    )
    prompts: Prompts | None = Field(
        None,
        title="Prompts",
        description="The address of the prompts of a language model, or none where there are none.",
    )
    runs: Runs | None = Field(
        None,
        title="Runs",
        description="How many runs with these settings the outputs are chosen from.",
    )
    date: Date | None = Field(
        None,
        title="Date of the outputs",
        description="When the outputs were made, such as 2024-12-31.",
    )
    licence: PlainText | None = Field(
        None, title="Licence of the outputs", description="The licence of the outputs."
    )


FACTS: Mapping[str, FieldInfo] = {
    name: field for name, field in Description.model_fields.items() if field.title is not None
}
"""Field of `Description` -> what it states: options, pages, downloads and documentation follow."""


class System(Description, extra="forbid", frozen=True):
    """The content of an `entry.toml`.

    Attributes:
        note: What a reader of the leaderboard should know.
        unranked: Why it is listed without a rank although it could have one: it is given more than
            the other systems of its track.
        predictions: Where its predictions are.
        placeholders: What its responses hold besides the placeholders of the rule set: `table`, the
            name of a named table, or placeholder name -> ontology name.
        setup: How its authors evaluated it.
        reported: What publications report.
        states_of: The earlier entry whose belief states it has, if they are another one's: it is
            ranked by its responses.
        review: The flags that maintainers have reviewed.
    """

    note: PlainText | None = None
    unranked: Annotated[PlainText, Field(min_length=1)] | None = None
    predictions: Predictions
    placeholders: Annotated[dict[str, str], AfterValidator(_known_placeholders)] | None = None
    setup: OwnSetup | None = None
    reported: tuple[Reported, ...] = ()
    states_of: EntryKey | None = None
    review: tuple[Review, ...] = ()

    @model_validator(mode="after")
    def _belongs_in_the_track(self) -> System:
        track, kind = tracks()[self.track], self.predictions.kind
        problems = []
        if kind is not None and kind != track.kind:
            fitting = [name for name, other in tracks().items() if other.kind == kind]
            problems.append(f"its predictions are {kind}; the track is {' or '.join(fitting)}")
        if track.kind == "plays" and self.predictions.repository is not None:
            problems.append("plays are kept with the entry, as `file`")
        if self.placeholders is not None and not track.delexicalised:
            problems.append("`placeholders` is not for it; leave it out")
        if self.states_of is not None and track.result is not None:
            problems.append("`states_of` is not for it; leave it out")
        if problems:
            raise ValueError(f"track {self.track}: {problems[0]}")
        return self

    @property
    def aliases(self) -> Aliases | None:
        """The placeholders that are read besides those of the rule set."""
        if self.placeholders is None:
            return None
        table = alias_tables().get(self.placeholders.get(TABLE, ""))
        return Aliases.from_table(self.placeholders) if table is None else table


NOT_STATED = "not stated"


def stated_facts(system: System) -> dict[str, str | int | None]:
    """Return fact -> its value of a system, None where it is not stated; of `FACTS`."""
    facts = {name: getattr(system, name) or None for name in FACTS}
    facts["year"] = system_year(system)
    return facts


def missing_facts(system: System) -> str:
    """Return the facts that are not stated of a system, as messages list them."""
    return ", ".join(name for name, value in stated_facts(system).items() if value is None)


def read_system(path: Path) -> System:
    """Read an `entry.toml`.

    Raises:
        InputError: The file is missing, not TOML, or not as the schema says.
    """
    content = parse_toml(read_plain(path), str(path), parse_float=Decimal)
    return validated(System, content, str(path))


def declared_system(
    about: Mapping[str, object], facts: Mapping[str, str], aliases: Aliases | None
) -> System:
    """Return what a user says of a system; its predictions are to be kept with the entry.

    Args:
        about: Field of `System` -> its value.
        facts: Of `FACTS` -> its value, as text.
        aliases: The placeholders that its responses hold besides those of the rule sets.

    Raises:
        InputError: Something is not as the schema says.
    """
    content = dict(about)
    content.update(facts)
    content["predictions"] = {"file": PREDICTIONS_FILE}
    if aliases is not None:
        named = {TABLE: aliases.table}
        content["placeholders"] = named if aliases.table else dict(aliases.pairs)
    return validated(System, content, "submission")


def system_text(system: System) -> str:
    """Return a system as TOML, every figure with the digits it was reported with."""
    content = system.model_dump(exclude_none=True, exclude_defaults=True)
    if system.reported:
        # What is reported comes last.
        content["reported"] = content.pop("reported")
    for claim in content.get("reported", ()):
        for key, value in claim.items():
            # TOML's floats have a digit after the point: whole numbers are none.
            if isinstance(value, Decimal) and value.as_tuple().exponent == 0:
                claim[key] = int(value)
    return tomli_w.dumps(content)


_ARXIV = re.compile(r"//(?:www\.)?arxiv\.org/(?:abs|pdf)/(\d{4}\.\d{4,5})")

# The ACL Anthology, as addresses are since 2020 ("2021.gem-1.4") and before ("P18-2069").
_ANTHOLOGY = re.compile(
    r"//(?:www\.)?acl(?:anthology\.org|web\.org/anthology)/(?:20(\d{2})\.|[A-Z](\d{2})-)"
)


def arxiv_number(address: str | None) -> str | None:
    """Return the number of a paper at arXiv; None if its address is elsewhere."""
    match = _ARXIV.search(address or "")
    return match[1] if match else None


def paper_year(address: str | None) -> int | None:
    """Return the year that the address of a paper tells; None where it tells none.

    At arXiv it is the year of the first version, in the ACL Anthology that of the proceedings.
    """
    match = _ANTHOLOGY.search(address or "")
    if match:
        return 2000 + int(match[1] or match[2])
    number = arxiv_number(address)
    return 2000 + int(number[:2]) if number else None


def system_year(system: System) -> int | None:
    """Return the year a system was published in: the entry's, or else what its paper tells."""
    return paper_year(system.paper) if system.year is None else system.year


def folder_name(name: str) -> str:
    """Return the folder name of a system's name: lower case, blanks and brackets as hyphens.

    Raises:
        InputError: Nothing usable is left.
    """
    folder = re.sub(r"[\s()]+", "-", name.lower()).strip("-")
    if not _FOLDER_NAME.fullmatch(folder):
        problem = "gives no folder name; use letters, digits, `.`, `_` and `-`, at most 100"
        raise InputError("name", f"{name!r} {problem}")
    return folder
