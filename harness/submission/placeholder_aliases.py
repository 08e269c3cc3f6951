"""Placeholders that a rule set does not know: what users say they mean, and what they may mean."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from mwz.normalization.responses import NAME
from mwz.normalization.rules import Aliases, RuleSet, alias_table, alias_tables, aliases

from ..errors import InputError, shown, unknown
from ..io.files import kind_of, limits, parse_toml, read_bytes

SECTION = "placeholders"
"""The table of a TOML file that holds aliases."""


def chosen_aliases(chosen: object, rules: RuleSet) -> Aliases | None:
    """Return the aliases that an option means.

    A table that somebody writes must fit the rule set. One that is known by name, or was read
    before, is used with every rule set; what that knows itself means there what it says.

    Args:
        chosen: The name of a named table, the path of a TOML file, a mapping of placeholder name
            -> ontology name, aliases, or None.
        rules: The rule set.

    Raises:
        InputError: It is none of these, the file cannot be read, or an alias names what the rule
            set knows or has no ontology name for target.
    """
    if chosen is None or isinstance(chosen, Aliases):
        return chosen
    if isinstance(chosen, str) and chosen in alias_tables():
        return alias_table(chosen)
    if isinstance(chosen, str | Path):
        return _read(chosen, rules)
    return checked_aliases(chosen, rules, SECTION)


def checked_aliases(table: object, rules: RuleSet, source: str) -> Aliases:
    """Return a table, placeholder name -> ontology name, as aliases.

    Args:
        table: The table, as TOML or JSON types.
        rules: The rule set that is to read it.
        source: What messages call the table.

    Raises:
        InputError: With every problem found.
    """
    if not isinstance(table, Mapping):
        raise InputError(
            source, f"expected a table of placeholder name -> ontology name, found {kind_of(table)}"
        )
    problems = list(alias_problems(table, rules))
    if problems:
        raise InputError(source, problems)
    return aliases(table)


def alias_problems(table: Mapping[Any, object], rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with a table of aliases, a sentence each."""
    slots = sorted(set(rules.ontology.values()))
    if not table:
        yield "names no placeholder"
    seen: set[str] = set()
    for name, slot in table.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield (
                f"{shown(name)}: no name of a placeholder; write letters, digits, blanks and "
                "underscores, without the brackets"
            )
            continue
        lowered = name.lower()
        if lowered in seen:
            yield f"{shown(name)} is there twice, whatever its case; keep one"
        elif lowered in rules.ontology:
            yield (
                f"{shown(name)}: rule set {rules.name} knows it, as {rules.ontology[lowered]}; an "
                "alias may only name what it does not know"
            )
        elif slot not in slots:
            yield f"{shown(name)}: {unknown('slot', slot, slots)}"
        seen.add(lowered)


def _read(path: str | Path, rules: RuleSet) -> Aliases:
    source = str(path)
    if not os.path.exists(path) and Path(path).name == source and "." not in source:
        known = ", ".join(alias_tables())
        raise InputError(source, f"no such file, and no table of placeholders; choose from {known}")
    content = parse_toml(read_bytes(path, limits()), source)
    others = sorted(content.keys() - {SECTION, "source"})
    if others or SECTION not in content:
        wrong = f"unknown key {shown(others[0])}" if others else f"no table [{SECTION}]"
        raise InputError(
            source, f'{wrong}; write [{SECTION}], and lines such as train_ref = "REFERENCE"'
        )
    return checked_aliases(content[SECTION], rules, source)


def guessed(names: Iterable[str], rules: RuleSet) -> dict[str, str]:
    """Return what placeholders that a rule set does not know may mean, of those that tell.

    A name is read by its last parts, else by its first ones: `train_ref` as `ref`, `hotel_bookarea`
    as `area`, `phone_number` as `phone`. What speaks of a venue is the domain's: `train_name` is
    TRAINID.

    Args:
        names: Names of placeholders, in lower case.
        rules: The rule set.
    """
    found = {name: _guess(name, rules) for name in names if name not in rules.ontology}
    return {name: slot for name, slot in found.items() if slot is not None}


def _guess(name: str, rules: RuleSet) -> str | None:
    breaks = [*re.finditer(r"[_\s]+", name)]
    ends = [name[one.end() :] for one in breaks]
    starts = [name[: one.start()] for one in reversed(breaks)]
    booked = (ends or [name])[-1].removeprefix("book")
    first = (starts or [name])[-1]
    for part in (*ends, booked, *starts):
        if part in rules.ontology and part not in rules.domains:
            slot, venues = rules.ontology[part], rules.venue_rules
            speaks = slot in {venue.mention for venue in venues.values()}
            return venues[first].mention if speaks and first in venues else slot
    return None
