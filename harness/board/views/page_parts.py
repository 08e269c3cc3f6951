"""What pages are made of: tables as plain data, which the templates draw."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..rows import Value

SYSTEMS = "systems"
"""The folder of the systems' pages."""

_MINUS = re.compile(r"(?<!\S)-(?=\d)")


def system_link(key: str) -> str:
    """Return the address of a system's page from the board."""
    return f"{SYSTEMS}/{key}.html"


@dataclass(frozen=True)
class Bar:
    """A figure with its interval, drawn to scale.

    Attributes:
        low: Where the interval begins, in percent of the bar's width.
        high: Where the interval ends.
        value: Where the figure is; None where the end of the bar says it.
    """

    low: float
    high: float
    value: float | None = None


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes:
        text: What stands in it.
        small: What stands behind it in small letters; empty if nothing.
        bar: What is drawn below it.
        mark: A style of `site.css`, such as "good"; empty for none.
    """

    text: str
    small: str = ""
    bar: Bar | None = None
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """A table whose rows begin with what they are about.

    Attributes:
        caption: What it shows.
        headers: The titles of its columns.
        rows: Its rows; the first cell of each is the row's title. A single cell is the title of the
            rows below it.
        words: The places, from 0, of columns besides the first that hold words.
    """

    caption: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str | Cell]]
    words: Collection[int] = ()


def plus_minus(value: Value) -> str:
    """Return half the width of a figure's interval, with its digits; empty without one."""
    return "" if value.interval is None else f"±{value.interval.half:.{value.digits}f}"


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return _MINUS.sub("−", text)
