"""Pages and downloads as tests read them; html5lib finds no mistake in a page."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from xml.etree import ElementTree

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
"""What the names of elements begin with."""


def tree_of(page: str) -> ElementTree.Element:
    """Return a page as a tree; a mistake in its HTML raises an error."""
    tree: ElementTree.Element = html5lib.HTMLParser(strict=True).parse(page)
    return tree


def elements(tree: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """Return the elements of a name below an element."""
    return list(tree.iter(f"{HTML}{name}"))


def text_of(element: ElementTree.Element) -> str:
    """Return the text of an element, with single blanks."""
    return " ".join("".join(element.itertext()).split())


def row_of(page: str, anchor: str) -> ElementTree.Element:
    """Return the row of a table that has an address on a page."""
    return next(row for row in elements(tree_of(page), "tr") if row.get("id") == anchor)


def board_lines(site: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return the lines of the board's table for download: entry -> column -> cell."""
    return {line["entry"]: line for line in csv.DictReader(io.StringIO(site["board.csv"]))}
