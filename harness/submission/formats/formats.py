"""The formats of predictions besides the standard form."""

from __future__ import annotations

from functools import cache

from mwz.normalization import declared

from .arrangements import ARRANGEMENTS
from .blocks import BLOCKS
from .damd import BELIEF_SPANS, DAMD_LOG
from .fga import FGA_TRACKERS
from .standard import Format
from .user_agent import USER_AGENT

FORMATS = (DAMD_LOG, BELIEF_SPANS, BLOCKS, FGA_TRACKERS, USER_AGENT, ARRANGEMENTS)
"""The harness's own formats besides the standard form."""


@cache
def known_formats() -> tuple[Format, ...]:
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
