"""Formats of predictions, recognised by their shape alone and read into the standard form.

A format is one module of this folder with a `FORMAT`, a kind of file that is not JSON one with a
`TEXT`. The standard form maps dialogue id -> list of turns, each with `response` and optionally
`state` and `active_domains`; what other formats hold is turned into it, and checked like it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from mwz.normalization.rules.registry import declared

from ...errors import InputError, unquoted
from ...io.files import decoded, encoded, kind_of, limits, parse_json
from ..remarks import Remark
from .format import (
    FORMAT,
    READING,
    RESPONSE,
    STANDARD,
    STATE,
    Format,
    Reading,
    Rows,
    Standard,
    TextFile,
    is_standard,
)

__all__ = [
    "PLAY_BEGINS",
    "READING",
    "Format",
    "Reading",
    "Standard",
    "formats",
    "is_play",
    "parse_predictions",
    "read_standard",
    "special_format",
    "standard_form",
]

_BEGINNING = 100
"""How many bytes of a file are looked at to see whether it begins as a JSON object."""

# Bytes that begin characters of UTF-8 beyond U+00FF and beyond U+FFFF.
_BEYOND_LATIN = re.compile(rb"[\xc4-\xff]")
_BEYOND_PLANE = re.compile(rb"[\xf0-\xff]")


PLAY_BEGINS = b'{"dialogue_id"'
"""How a file of `mwz play` begins."""

_KEYS_OF_PLAYS = {"dialogue_id", "turns", "trial", "agent", "outcome", "costs", "signature"}


def is_play(content: bytes) -> bool:
    """Whether an (unpacked) file is one of `mwz play`, by its first line."""
    if not content.startswith(PLAY_BEGINS):
        return False
    try:
        first = json.loads(content.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() >= _KEYS_OF_PLAYS


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats, in the order in which they are tried."""
    found = declared(__name__, "FORMAT", Format)
    return tuple(sorted(found, key=lambda format_: (format_.rank, format_.name)))


@cache
def _text_files() -> tuple[TextFile, ...]:
    """Return all kinds of files that are not JSON."""
    return tuple(declared(__name__, "TEXT", TextFile))


def parse_predictions(content: bytes, source: str) -> object:
    """Parse the content of a predictions file, JSON or another kind, of any format.

    Args:
        content: The file, unpacked.
        source: What messages call it.

    Raises:
        InputError: The file cannot be parsed, or holds more than it may.
    """
    bounds, text_file = limits(), None
    # Nothing but JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        text_file = next((kind for kind in _text_files() if kind.recognises(content)), None)
    # Every line of a text that is not JSON is a value, at least. There are no more than bytes.
    marks = (b",", b"{", b"[") if text_file is None else (b",", b"\n")
    values = sum(map(content.count, marks)) if len(content) > bounds.values else 0
    # Most values of a play are what tools returned, and `mwz play` bounds its bytes.
    if values > bounds.values and not is_play(content):
        raise InputError(source, f"too large: {values:,} values; {bounds.told('values')}")
    if len(content) * _width(content) > bounds.unpacked and not is_play(content):
        most = bounds.told("unpacked")
        raise InputError(source, f"too large: more bytes of text in memory than {most}")
    if text_file is not None:
        return text_file.parse(content, source)
    try:
        return parse_json(content, source)
    except InputError:
        lines = _json_lines(content, source)
        if lines is None:
            raise
        return lines


def _json_lines(content: bytes, source: str) -> Rows | None:
    """Return what a file of JSON lines holds; None if it is another.

    Raises:
        InputError: One of its lines is not JSON.
    """
    text = decoded(content, source).removeprefix("\ufeff")
    numbered = [(n, line) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    rows: list[object] = []
    for number, line in numbered:
        try:
            rows.append(parse_json(encoded(line), source))
        except InputError as error:
            # If not even the first is a line of JSON, the file is none of JSON lines.
            if not rows:
                return None
            raise InputError(source, f"line {number}: {'; '.join(error.problems)}") from None
    return Rows(rows, "JSON lines") if rows and isinstance(rows[0], dict | list) else None


def _width(content: bytes) -> int:
    """Return how many bytes each character of a text takes in memory: the widest decides."""
    if content.isascii() or not _BEYOND_LATIN.search(content):
        return 1
    return 4 if _BEYOND_PLANE.search(content) else 2


def standard_form(content: object, source: str, reading: Reading = READING) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: What a file holds.
        source: What messages call it.
        reading: Which keys are read.

    Raises:
        InputError: The content is of no known format, or contradicts the one it is of.
    """
    if reading.keys:
        renamed = renamed_keys(content, source, reading)
        standard = standard_form(renamed, source)
        told = ", ".join(f"`{unquoted(key)}` as `{as_}`" for key, as_ in reading.keys.items())
        remark = Remark("format", f"read {told}", warning=False)
        return replace(standard, remarks=(remark, *standard.remarks))
    if is_standard(content):
        return FORMAT.read(content, source)
    format_ = next((one for one in formats() if one.recognises(content)), None)
    if format_ is not None:
        return format_.read(content, source)
    found = f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    raise InputError(source, f"{found}{_hint(content)}")


def _hint(content: object) -> str:
    """Say what may help to read a list that has no dialogue ids."""
    if not isinstance(content, list) or not content:
        return ""
    first = content[0]
    if not isinstance(first, Mapping):
        return " without dialogue ids; write an object of dialogue id -> list of responses"
    keys = ", ".join(f"`{unquoted(key)}`" for key in list(first)[:20])
    likely = [key for key in first if re.search("dial|conv|sess|file|name|id$", str(key).lower())]
    name = unquoted(likely[0]) if likely else "KEY"
    return f" of objects with {keys}; say which is the dialogue's id: --id-key {name}"


_DEPTH = 6
"""How deep objects are looked for keys: below it there are states at most."""


def renamed_keys(content: object, source: str, reading: Reading) -> object:
    """Return predictions with the keys that are to be read named as in the standard form.

    Raises:
        InputError: One of these keys is nowhere.
    """
    names, found = reading.keys, set[str]()
    if not names:
        return content

    def renamed(value: Any, depth: int) -> Any:
        if depth == 0 or not isinstance(value, Mapping | list):
            return value
        if isinstance(value, list):
            return [renamed(one, depth - 1) for one in value]
        here = names.keys() & value.keys()
        found.update(here)
        replaced = {names[key] for key in here}
        return {
            names.get(key, key): one
            if names.get(key, key) in (RESPONSE, STATE)
            else renamed(one, depth - 1)
            for key, one in value.items()
            if key in here or key not in replaced
        }

    read = renamed(content, _DEPTH)
    missing = {key: meant.removeprefix("dialogue_") for key, meant in names.items()}
    for key in found:
        del missing[key]
    # Of several files, some may need no options.
    if missing and (found or not is_standard(content)):
        told = [f"--{meant}-key: no `{unquoted(key)}` in it" for key, meant in missing.items()]
        raise InputError(source, told)
    return Rows(read, content.kind) if isinstance(content, Rows) else read


def read_standard(content: bytes, source: str, reading: Reading = READING) -> Standard:
    """Return what an (unpacked) predictions file holds in the standard form.

    Raises:
        InputError: It cannot be parsed, or is of no known format.
    """
    return standard_form(parse_predictions(content, source), source, reading)


def special_format(content: object) -> Format | None:
    """Return the format that predictions are of, if it is another than the standard form."""
    return next(
        (one for one in formats() if one.name != STANDARD and one.recognises(content)), None
    )
