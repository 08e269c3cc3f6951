"""Tables as the pages show them: plain data that the templates turn into HTML."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...io.rendering import signed
from ..model import Value

_MINUS = re.compile(r"(?<!\S)-(?=\d)")


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
class Header:
    """The title of a column.

    Attributes:
        title: What the column shows.
        above: What stands above the title in small letters, such as the rule set; may be empty.
        key: What scripts call the column; empty where nobody calls it.
        figures: Whether it holds figures, which are aligned to the right.
        shown: Whether it is shown before a reader chose columns: "always", "wide" for no narrow
            screens, or "chosen" for columns that a reader must choose.
    """

    title: str
    above: str = ""
    key: str = ""
    figures: bool = True
    shown: str = "always"


@dataclass(frozen=True)
class Table:
    """A table whose rows begin with what they are about.

    Attributes:
        caption: What it shows.
        headers: Its columns.
        rows: Its rows; the first cell of each is the row's title. A single cell is the title of the
            rows below it.
    """

    caption: str
    headers: Sequence[Header]
    rows: Sequence[Sequence[Cell]]

    @property
    def words(self) -> str:
        """The style of the table: which columns besides the first hold words."""
        places = enumerate(self.headers, start=1)
        return " ".join(f"w{place}" for place, one in places if place > 1 and not one.figures)


@dataclass(frozen=True)
class Facts:
    """A list of figures, each with its title.

    Attributes:
        title: What they are of.
        items: Title -> figure.
    """

    title: str
    items: Mapping[str, Cell]


def plus_minus(value: Value) -> str:
    """Return half the width of a figure's interval, with its digits; empty without one."""
    return "" if value.interval is None else f"±{value.interval.half:.{value.digits}f}"


def difference_text(value: float, digits: int) -> str:
    """Return a difference with its sign, a real minus."""
    return with_minus(signed(value, digits))


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return _MINUS.sub("−", text)


def simple_table(
    caption: str,
    headers: Sequence[str],
    rows: Sequence[Sequence[str | Cell]],
    words: Sequence[int] = (),
) -> Table:
    """Return a table whose first column is a title and whose others are figures.

    Args:
        caption: What it shows.
        headers: The titles of the columns.
        rows: The cells.
        words: The places of further columns that hold words.
    """
    return Table(
        caption,
        [
            Header(title, figures=place > 0 and place not in words)
            for place, title in enumerate(headers)
        ],
        [[Cell(cell) if isinstance(cell, str) else cell for cell in row] for row in rows],
    )
