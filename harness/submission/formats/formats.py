"""The formats of predictions, and reading a file of any of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

from mwz.normalization import blamed, declared, package_versions

from ...errors import InputError, unquoted
from ...io import decoded, encoded, kind_of, limit_text, limits, parse_json, to_json
from .arrangements import ARRANGEMENTS
from .blocks import BLOCKS
from .damd import BELIEF_SPANS, DAMD_LOG
from .fga import FGA_TRACKERS
from .standard import STANDARD, Format, Standard, is_standard, other_keys

FORMATS = (DAMD_LOG, BELIEF_SPANS, BLOCKS, FGA_TRACKERS, ARRANGEMENTS)
"""The harness's own formats besides the standard form."""

_BEGINNING = 100
"""How many bytes of a file are examined to see whether it begins as a JSON object."""

_JSON_SEPARATORS = (b",", b"{", b"[")
"""Each value of a JSON text, except the outermost, follows one of these."""

_TEXT_SEPARATORS = (b",", b"\n")
"""Each line of a text that is not JSON holds at least one value."""

_PLAY_START = b'{"dialogue_id"'
"""How a file of `mwz play` begins."""

_PLAY_KEYS = (b'"trial": ', b'"agent": ', b'"outcome": ', b'"costs": ', b'"signature": ')
"""What its lines contain; within a text, quotes are escaped."""

_SHOWN_KEYS = 8
"""How many keys a message lists."""


@cache
def formats() -> tuple[Format, ...]:
    """Return `FORMATS` and those of other packages, in the order in which they are tried."""
    others = declared("formats", _checked, [format_.name for format_ in FORMATS])
    every = [*FORMATS, *others.values()]
    return tuple(sorted(every, key=lambda format_: (format_.rank, format_.name)))


def _checked(format_: object) -> Format:
    """Return a format of another package.

    Raises:
        ValueError: It is none, or a field of it has another type.
    """
    # Imports pydantic late: it takes 0.1 s, and only formats of packages are checked.
    from mwz.normalization import typed

    if not isinstance(format_, Format):
        raise ValueError(f"expected a Format, found {format_!r:.60}")
    typed(Format, vars(format_))
    if format_.is_text is not Format.is_text and format_.parse is Format.parse:
        raise ValueError("`is_text` needs `parse`")
    return format_


def is_play(content: bytes) -> bool:
    """Return whether an (unpacked) file is one of `mwz play`, judging by its first line."""
    if not content.startswith(_PLAY_START):
        return False
    first_line = content.split(b"\n", 1)[0]
    return all(key in first_line for key in _PLAY_KEYS)


def parse_predictions(content: bytes, source: str) -> object:
    """Parse a predictions file: JSON, JSON lines, or a text that a format knows.

    Args:
        content: The file, unpacked.
        source: What messages call it.

    Raises:
        InputError: The file cannot be parsed, or holds more than it may.
    """
    bounds = limits()
    text_format = None
    # Only JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        text_format = next((format_ for format_ in formats() if format_.is_text(content)), None)
    # There are no more values than bytes.
    if len(content) > bounds["values"]:
        separators = _JSON_SEPARATORS if text_format is None else _TEXT_SEPARATORS
        values = sum(map(content.count, separators))
        # Most values of a play are what tools returned, and `mwz play` limits its bytes.
        if values > bounds["values"] and not is_play(content):
            limit = limit_text(bounds, "values")
            raise InputError(source, f"too large: {values:,} values; {limit}")
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
    """Return the rows of a file of JSON lines; None if the file is something else.

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
            if not rows:
                # Since its first line is not JSON, the file is not meant as JSON lines.
                return None
            raise InputError(source, f"line {number}: {'; '.join(error.problems)}") from None
    return rows if rows and isinstance(rows[0], dict | list) else None


def read_standard(content: bytes, source: str) -> Standard:
    """Return an (unpacked) predictions file in the standard form.

    Raises:
        InputError: The file cannot be parsed, or has no known format.

    >>> read_standard(b'[{"id": "sng0073", "turns": ["Hello."]}]', "outputs.json").dialogues
    {'sng0073': [{'response': 'Hello.'}]}
    """
    return standard_form(parse_predictions(content, source), source)


def lasting_form(content: bytes, source: str, users: Mapping[str, Sequence[str]]) -> bytes:
    """Return a file in the standard form if only another package can read it; else unchanged.

    Args:
        content: The (unpacked) file.
        source: What messages call it.
        users: The user's utterances, as for `Standard.dialogues_among`.

    Raises:
        InputError: The file cannot be read.
    """
    # Reading takes long, so the file is read only if other packages declare formats.
    if not package_versions(formats=formats()):
        return content
    standard = read_standard(content, source)
    if not standard.packages:
        return content
    return encoded(to_json(standard.dialogues_among(users)))


def standard_form(content: object, source: str) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: The content of a file, parsed.
        source: What messages call it.

    Raises:
        InputError: The content has no known format, or contradicts the one that it has.
    """
    if not is_standard(content):
        for format_ in formats():
            if format_.recognises(content):
                standard = format_.read(content, source)
                with blamed("formats", format_):
                    return replace(standard, packages=package_versions(formats=[format_]))
    if isinstance(content, Mapping):
        # An object that no format recognises is meant to be the standard form.
        return Standard(content, STANDARD)
    problem = f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    problem += other_keys(content)
    first = content[0] if isinstance(content, list) and content else None
    if isinstance(first, Mapping):
        keys = ", ".join(f"`{unquoted(key)}`" for key in list(first)[:_SHOWN_KEYS])
        problem += f"; its items have {keys}, and no dialogue's id such as `dialogue_id`"
    raise InputError(source, problem)
