"""Pages as tests read them: parsed by html5lib, which finds no mistake in them."""

from __future__ import annotations

from xml.etree import ElementTree

import html5lib

HTML = "{http://www.w3.org/1999/xhtml}"
"""What the names of elements begin with."""


def tree_of(page: str) -> ElementTree.Element:
    """Return a page as a tree; a mistake in its HTML raises an error."""
    tree: ElementTree.Element = html5lib.HTMLParser(strict=True).parse(page)
    return tree
