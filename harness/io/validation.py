"""Checking what was read from a file against the types it should have."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

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
        InputError: With every place where the content is not as the type says; for an unknown key
            with the known one it resembles.
    """
    try:
        holder: _Holder[_T] = _holder(kind).model_validate({"content": content})
    except ValidationError as error:
        problems = [_problem(kind, place, problem) for problem in error.errors()]
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


def _problem(kind: Any, place: str, problem: Any) -> str:
    inside = problem["loc"][1:]
    where = ".".join(filter(None, [place, *map(str, inside)])) or "content"
    if problem["type"] in _UNKNOWN_KEY:
        return f"{where}: unknown key{_suggestion(kind, inside)}"
    message = problem["msg"].removeprefix("Value error, ")
    return f"{where}: {message[:1].lower()}{message[1:]}"


def _suggestion(kind: Any, place: tuple[str | int, ...]) -> str:
    known = sorted(_known_keys(kind, place[:-1]))
    if not known:
        return ""
    close = difflib.get_close_matches(str(place[-1]), known, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; choose from {', '.join(known)}"


def _known_keys(kind: Any, place: tuple[str | int, ...]) -> set[str]:
    """Return the keys that an object at a place of a type may have, by the type's JSON schema."""
    schema = TypeAdapter(kind).json_schema()
    parts = schema.get("$defs", {})
    schemas = _resolved([schema], parts)
    for key in place:
        schemas = _resolved(_inside(schemas, key), parts)
    return {name for one in schemas for name in one.get("properties", {})}


def _resolved(schemas: list[Any], parts: Mapping[str, Any]) -> list[Any]:
    """Return schemas with those in their place that they refer to, or are alternatives of."""
    found = []
    for schema in schemas:
        if "$ref" in schema:
            found += _resolved([parts[schema["$ref"].rsplit("/", maxsplit=1)[-1]]], parts)
        elif "anyOf" in schema:
            found += _resolved(schema["anyOf"], parts)
        else:
            found.append(schema)
    return found


def _inside(schemas: list[Any], key: str | int) -> list[Any]:
    """Return the schemas of what stands under a key or number."""
    found = []
    for schema in schemas:
        if isinstance(key, int):
            found += [schema["items"]] if isinstance(schema.get("items"), Mapping) else []
        elif key in schema.get("properties", {}):
            found.append(schema["properties"][key])
        elif isinstance(schema.get("additionalProperties"), Mapping):
            found.append(schema["additionalProperties"])
    return found
