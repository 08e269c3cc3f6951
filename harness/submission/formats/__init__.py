"""Formats of predictions, recognised by their shape alone and read into the standard form.

The standard form maps dialogue id -> list of turns, each with `response` and optionally `state`
and `active_domains`. What people write otherwise is read by `arrangements.py`, which knows how
dialogues and turns are arranged and what their keys are called; a system's own format is one
module of this folder with a `FORMAT`. What comes out is checked once, by `checking.py`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache

from mwz.normalization.rules.registry import declared

from ...errors import InputError, unquoted
from ...io.files import decoded, encoded, kind_of, limits, parse_json
from .format import READING, STANDARD, Format, Reading, Standard, is_standard

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


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats besides the standard form, in the order in which they are tried."""
    found = declared(__name__, "FORMAT", Format)
    return tuple(sorted(found, key=lambda format_: (format_.rank, format_.name)))


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


_BEGINNING = 100
"""How many bytes of a file are looked at to see whether it begins as a JSON object."""


def parse_predictions(content: bytes, source: str) -> object:
    """Parse a predictions file: JSON, JSON lines, or a text that a format knows.

    Args:
        content: The file, unpacked.
        source: What messages call it.

    Raises:
        InputError: The file cannot be parsed, or holds more than it may.
    """
    text_format = None
    # Nothing but JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        text_format = next((one for one in formats() if one.is_text(content)), None)
    # Every line of a text that is not JSON is a value, at least.
    marks = (b",", b"{", b"[") if text_format is None else (b",", b"\n")
    bounds = limits()
    # There are no more values than bytes.
    values = sum(map(content.count, marks)) if len(content) > bounds.values else 0
    # Most values of a play are what tools returned, and `mwz play` bounds its bytes.
    if values > bounds.values and not is_play(content):
        raise InputError(source, f"too large: {values:,} values; {bounds.told('values')}")
    if text_format is not None:
        return text_format.parse(content, source)
    try:
        return parse_json(content, source)
    except InputError:
        lines = _json_lines(content, source)
        if lines is None:
            raise
        return lines


def _json_lines(content: bytes, source: str) -> list[object] | None:
    """Return what a file of JSON lines holds; None if it is another.

    Raises:
        InputError: One of its lines is not JSON.
    """
    rows: list[object] = []
    for number, line in enumerate(decoded(content, source).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(parse_json(encoded(line), source))
        except InputError as error:
            # If not even the first is a line of JSON, the file is none of JSON lines.
            if not rows:
                return None
            raise InputError(source, f"line {number}: {'; '.join(error.problems)}") from None
    return rows if rows and isinstance(rows[0], dict | list) else None


def read_standard(content: bytes, source: str) -> Standard:
    """Return what an (unpacked) predictions file holds in the standard form.

    Raises:
        InputError: It cannot be parsed, or is of no known format.
    """
    return standard_form(parse_predictions(content, source), source)


def standard_form(content: object, source: str) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: What a file holds.
        source: What messages call it.

    Raises:
        InputError: The content is of no known format, or contradicts the one it is of.
    """
    special = special_format(content)
    if special is not None:
        return special.read(content, source)
    if isinstance(content, Mapping):
        # Any object that is nothing else is meant to be this.
        return Standard(content, STANDARD)
    found = f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    raise InputError(source, f"{found}{_hint(content)}")


def special_format(content: object) -> Format | None:
    """Return the format that predictions are of, if it is another than the standard form."""
    if is_standard(content):
        return None
    return next((one for one in formats() if one.recognises(content)), None)


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
    return f" of objects with {keys}; name the dialogue's id: mwz convert --id-key {name}"
