"""The types of tables that people write, checked by pydantic.

Importing pydantic takes 0.1 s, so whatever uses this imports it within a function.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, create_model

from .packages import toml_names

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_T = TypeVar("_T")


def typed(kind: type[_T], content: object, place: str = "") -> _T:
    """Return content as a type: a model, a dataclass, or a type of numbers, texts, maps and lists.

    Args:
        kind: The type; dataclasses in it take no unknown keys.
        content: What was read, as JSON or TOML types.
        place: Where in its file the content stands.

    Raises:
        ValueError: The content is not as the type says. Its arguments are a sentence for each place
            where it is not.
    """
    try:
        value: _T = _holder(cast("Any", kind)).model_validate({"content": content}).content
    except ValidationError as error:
        raise ValueError(*[_problem(place, problem) for problem in error.errors()]) from error
    return value


@cache
def _holder(kind: Any) -> Any:
    """Return a model that holds content of a type."""
    return create_model("Content", __config__=ConfigDict(extra="forbid"), content=(kind, ...))


def _problem(place: str, problem: ErrorDetails) -> str:
    # What pydantic calls a key that is wrong itself.
    inside = [str(part) for part in problem["loc"][1:] if part != "[key]"]
    where = ".".join(filter(None, [place, *inside])) or "content"
    # The names that models and dataclasses have for an unknown key.
    if problem["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return f"{where}: unknown key"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}"


_PATCHED = r"^([a-z]+/\w+/\w+|[a-z0-9_-]+/(states/\d+/[a-z]+/[a-z ]+|responses/\d+))$"
"""Paths of a venue's value, and of a slot or a response of a dialogue."""


class Patch(BaseModel, extra="forbid", strict=True):
    """What is wrong at one place of the venue records or the dialogues, and what is right."""

    file: Literal["dialogues", "venues"]
    path: Annotated[str, Field(pattern=_PATCHED)]
    old: str = ""
    new: str = ""
    reason: str


class Errata(BaseModel, extra="forbid"):
    """A file of errata."""

    benchmark: str
    patches: list[Patch]


def _check_file(folder: str, name: str) -> str:
    choices = toml_names(folder)
    if name not in choices:
        raise ValueError(f"unknown value {name!r:.60}; choose from {', '.join(choices)}")
    return name


class RuleSetFile(BaseModel, extra="forbid", strict=True):
    """The file of a rule set."""

    date: Annotated[str, Field(pattern="^[0-9]{4}-[0-9]{2}$")]
    change: str
    tables: list[Annotated[str, AfterValidator(partial(_check_file, "tables"))]]
    venues: Literal["2021", "2023"]
    normalises_venues: bool
    errata: list[Annotated[str, AfterValidator(partial(_check_file, "errata"))]] = []
    rules: dict[str, dict[str, Any]] = {}


class Queries(BaseModel, extra="forbid", strict=True):
    """What rules say of queries."""

    unknown: str
    no_constraint: list[str]
    any_spelling: bool = False
    fuzzy_ratio: int


_ResponseRule = Literal["deleted", "about_venues"]


class RuleTables(BaseModel, extra="allow", strict=True):
    """The tables of a rule set; those that are not named here have words."""

    __pydantic_extra__: dict[str, dict[str, str]] = Field(init=False)
    responses: Annotated[dict[_ResponseRule, list[str]], Field(min_length=2)]
    queries: Queries
    domains: dict[str, dict[str, str | list[str]]]
    ontology: dict[str, list[str]]
    extension: dict[str, list[str]]
    value_rules: dict[str, str]
    errata: dict[str, Errata] = {}
    slot_aliases: dict[str, str]
    name_phrases: dict[str, str]
    time_words: dict[str, str]
    time_prefixes: dict[str, str]
