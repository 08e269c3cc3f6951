"""The glossary: what columns, metrics, causes, flags, marks and other terms are called and mean.

Tables, web pages and docs/glossary.md read it, so that a thing has one name everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from mwz.normalization import read_toml

from .io import markdown_table, validated


@dataclass(frozen=True)
class Term:
    """A term of the glossary.

    Attributes:
        meaning: What it means: a sentence, or a phrase where a list or legend goes on with it.
        title: What people read.
        unit: The unit of its figures, or of what is counted.
        digits: Digits after the point that tables show of its figures; None if it has none.
        source: The publication that defines it.
        sign: The sign of a mark.
    """

    meaning: str
    title: str = ""
    unit: str = ""
    digits: int | None = None
    source: str = ""
    sign: str = ""


@cache
def glossary() -> Mapping[str, Mapping[str, Term]]:
    """Return section -> key -> term, as `glossary.toml` has them.

    >>> glossary()["causes"]["other value"].unit
    'domains'

    Raises:
        InputError: The file is not as `Term` says.
    """
    content = read_toml("glossary.toml", __package__)
    sections = validated(dict[str, dict[str, Term]], content, "glossary.toml")
    for terms in sections.values():
        for key, term in terms.items():
            terms[key] = replace(term, title=term.title or key)
    return sections


def glossary_page() -> str:
    """Return docs/glossary.md: a table for each section."""
    parts = ["# Glossary", "What the harness calls things. `harness/glossary.toml` has it as data."]
    for section, about in glossary()["sections"].items():
        rows = []
        for key, term in glossary()[section].items():
            name = "" if key == term.title else f"`{key}`"
            digits = "" if term.digits is None else str(term.digits)
            cells = [term.title, name, term.sign, term.meaning, term.unit, digits, term.source]
            rows.append(cells)
        headers = ["term", "name in data", "sign", "meaning", "unit", "digits", "source"]
        used = [place for place in range(len(headers)) if any(row[place] for row in rows)]
        table = [[row[place] for place in used] for row in rows]
        shown = [headers[place] for place in used]
        parts += [f"## {about.title}", about.meaning, markdown_table(shown, table)]
    return "\n\n".join(parts) + "\n"
