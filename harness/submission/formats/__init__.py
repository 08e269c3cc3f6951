"""Formats of predictions, recognised by their shape alone and read into the standard form.

A format is one module of this folder with a `FORMAT`, a kind of file that is not JSON one with a
`TEXT`. The standard form maps dialogue id -> list of turns, each with `response` and optionally
`state` and `active_domains`; what other formats hold is turned into it, and checked like it.
"""

from __future__ import annotations

import re
from functools import cache

from mwz.normalization.rules.registry import declared

from ...errors import InputError
from ...io.files import kind_of, limits, parse_json
from .format import FORMAT, STANDARD, Format, Standard, TextFile, is_standard

__all__ = [
    "Format",
    "Standard",
    "formats",
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
    bounds = limits()
    text_file = None
    # Nothing but JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        text_file = next((kind for kind in _text_files() if kind.recognises(content)), None)
    # Every line of a text that is not JSON is a value, at least.
    marks = (b",", b"{", b"[") if text_file is None else (b",", b"\n")
    values = sum(map(content.count, marks))
    if values > bounds.values:
        raise InputError(source, f"too large: {values:,} values; {bounds.told('values')}")
    if len(content) * _width(content) > bounds.unpacked:
        most = bounds.told("unpacked")
        raise InputError(source, f"too large: more bytes of text in memory than {most}")
    return parse_json(content, source) if text_file is None else text_file.parse(content, source)


def _width(content: bytes) -> int:
    """Return how many bytes each character of a text takes in memory: the widest decides."""
    if content.isascii() or not _BEYOND_LATIN.search(content):
        return 1
    return 4 if _BEYOND_PLANE.search(content) else 2


def standard_form(content: object, source: str) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: What a file holds.
        source: What messages call it.

    Raises:
        InputError: The content is of no known format, or contradicts the one it is of.
    """
    if is_standard(content):
        return FORMAT.read(content, source)
    format_ = next((one for one in formats() if one.recognises(content)), None)
    if format_ is not None:
        return format_.read(content, source)
    raise InputError(
        source, f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    )


def read_standard(content: bytes, source: str) -> Standard:
    """Return what an (unpacked) predictions file holds in the standard form.

    Raises:
        InputError: It cannot be parsed, or is of no known format.
    """
    return standard_form(parse_predictions(content, source), source)


def special_format(content: object) -> Format | None:
    """Return the format that predictions are of, if it is another than the standard form."""
    return next(
        (one for one in formats() if one.name != STANDARD and one.recognises(content)), None
    )
