"""Checking what was read from a file against the types it should have."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import InputError

_T = TypeVar("_T")


def validated(kind: type[_T], content: object, source: str, place: str = "") -> _T:
    """Return content as a type: a model, a dataclass, or a type of numbers, texts, maps and lists.

    Args:
        kind: The type.
        content: What was read, as JSON or TOML types.
        source: What messages call the file.
        place: Where in the file the content stands.

    Raises:
        InputError: With every place where the content is not as the type says.
    """
    try:
        holder: _Holder[_T] = _holder(kind).model_validate({"content": content})
    except ValidationError as error:
        problems = [_problem(place, problem) for problem in error.errors()]
        raise InputError(source, problems) from None
    return holder.content


_Content = TypeVar("_Content")


class _Holder(BaseModel, Generic[_Content]):
    """Holds content of a type, so that dataclasses in it take no unknown keys either."""

    model_config = ConfigDict(extra="forbid")

    content: _Content


def _holder(kind: Any) -> Any:
    # One class per type: the library remembers them.
    return _Holder[kind]


# What a model and what a dataclass call it.
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")


def _problem(place: str, problem: Any) -> str:
    inside = problem["loc"][1:]
    where = ".".join(filter(None, [place, *map(str, inside)])) or "content"
    if problem["type"] in _UNKNOWN_KEY:
        return f"{where}: unknown key"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}"
