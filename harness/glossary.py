"""The glossary: what columns, metrics, causes, flags, marks and other terms are called and mean.

Tables, web pages and docs/glossary.md read it, so that a thing has one name everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from mwz.normalization import read_toml

from .errors import InputError
from .io import validated

FILE = "glossary.toml"

ELSEWHERE = ("metrics", "flags", "audit")
"""Sections that docs/glossary.md only names, since other pages or commands have their tables."""

TITLED = ("sections", "tracks", "columns", "marks", "plays", "users", "flags")
"""Sections whose titles people read; of the others, people read the keys."""


@dataclass(frozen=True)
class Term:
    """A term of the glossary.

    Attributes:
        meaning: What it means: a sentence, or a phrase where a list or legend goes on with it.
        title: What people read.
        unit: The unit of its figures, or of what is counted.
        source: The publication that defines it.
        sign: The sign of a mark.
    """

    meaning: str
    title: str = ""
    unit: str = ""
    source: str = ""
    sign: str = ""


@cache
def glossary() -> Mapping[str, Mapping[str, Term]]:
    """Return section -> key -> term, as `glossary.toml` has them.

    >>> glossary()["causes"]["other value"].unit
    'domains'

    Raises:
        InputError: The file is not as `Term` says, or a title would not be read.
    """
    content = read_toml(FILE, __package__)
    sections = validated(dict[str, dict[str, Term]], content, FILE)
    for section, terms in sections.items():
        for key, term in terms.items():
            if term.title and section not in TITLED:
                problem = f"[{section}] {key}: people read the key; leave out its `title`"
                raise InputError(FILE, problem)
            terms[key] = replace(term, title=term.title or key)
    return sections


def term_of(section: str, key: str) -> Term:
    """Return a term of the glossary.

    Raises:
        InputError: The section has no such key.
    """
    terms = glossary()[section]
    if key not in terms:
        raise InputError(
            f"harness/{FILE}", f"[{section}] lacks {key!r}; add a line with its meaning"
        )
    return terms[key]


def glossary_page() -> str:
    """Return docs/glossary.md: a list for each section, unless another page has it."""
    parts = ["# Glossary", "What the harness calls things. `harness/glossary.toml` has it as data."]
    for section, about in glossary()["sections"].items():
        parts += [f"## {about.title}", about.meaning]
        if section in ELSEWHERE:
            continue
        lines = []
        for key, term in glossary()[section].items():
            name = "" if key == term.title else f"`{key}`"
            details = ", ".join(filter(None, (name, term.sign, term.unit)))
            shown = f"**{term.title}** ({details})" if details else f"**{term.title}**"
            lines.append(f"- {shown}: {term.meaning}")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"
