"""Placeholder aliases: names that a system writes besides those that the rule set knows.

Where a placeholder is unknown, the public evaluator asks its users to customize its slot mapping,
and papers do. What a paper adds is a named table, a file of `aliases/`: `source`, where the names
stand, and `placeholders`, placeholder name -> ontology name. To add a table, add a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from .registry import names, read_toml, sha256

OWN = "own"
"""The name of a table that is not a named one."""

_SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Aliases:
    """A table of aliases; equal tables are equal, wherever they were read.

    Attributes:
        pairs: Placeholder name (lower case) and ontology name, sorted.
    """

    pairs: tuple[tuple[str, str], ...]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Placeholder name -> ontology name."""
        return dict(self.pairs)

    @property
    def table(self) -> str:
        """The name of the named table that this is, or `OWN`."""
        return next((name for name in alias_tables() if alias_table(name) == self), OWN)

    @property
    def label(self) -> str:
        """What signatures say of it: its name and the first digits of its digest (SHA-256)."""
        digest = sha256(json.dumps(self.pairs))
        return f"{self.table}-{digest[:_SHOWN_DIGITS]}"


def aliases(table: Mapping[str, str]) -> Aliases:
    """Return a table, placeholder name in any case -> ontology name, as aliases."""
    return Aliases(tuple(sorted((name.lower(), slot) for name, slot in table.items())))


@lru_cache(maxsize=1)
def alias_tables() -> tuple[str, ...]:
    """Return the names of the named tables."""
    return tuple(names("aliases", ".toml"))


@cache
def alias_table(name: str) -> Aliases:
    """Return a named table, one of `alias_tables`."""
    return aliases(read_toml(f"aliases/{name}.toml")["placeholders"])
