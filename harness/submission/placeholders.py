"""Aliases: what users say that placeholders mean which a rule set does not know."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from mwz.normalization import NAME, Aliases, RuleSet, alias_tables

from ..errors import InputError, cut_repr, refuse, unknown
from ..io import kind_of, parse_toml, read_bytes

LEXICALISED = "--lexicalised"
"""The option that scores responses in plain words."""

SECTION = "placeholders"
"""The table of a TOML file that holds aliases."""


def chosen_aliases(chosen: object, rules: RuleSet) -> Aliases:
    """Return the aliases that an option means.

    A table that a user writes must fit the rule set. A named table, or one that was read before, is
    used with every rule set; a placeholder that the rule set knows keeps its meaning.

    Args:
        chosen: The name of a named table, the path of a TOML file, a mapping of placeholder name
            -> ontology name, or aliases.
        rules: The rule set.

    Raises:
        InputError: `chosen` is none of these, the file cannot be read, or an alias is of a
            placeholder that the rule set knows, or means something that is not in the ontology.
    """
    if isinstance(chosen, Aliases):
        return chosen
    if isinstance(chosen, str) and chosen in alias_tables():
        return alias_tables()[chosen]
    source = SECTION
    table = chosen
    if isinstance(chosen, str | Path):
        source = str(chosen)
        table = parse_toml(read_bytes(chosen), source).get(SECTION)
    if not isinstance(table, Mapping):
        expected = f"expected a table [{SECTION}] of placeholder name -> ontology name"
        raise InputError(source, f"{expected}, found {kind_of(table)}")
    refuse(source, alias_problems(table, rules))
    return Aliases.from_table(table)


def alias_problems(table: Mapping[str, object], rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with a table of aliases: a sentence for each problem.

    Args:
        table: Placeholder name -> ontology name.
        rules: The rule set that the table is used with.
    """
    slots = sorted(set(rules.ontology.values()))
    if not table:
        yield "names no placeholder"
    seen: set[str] = set()
    for name, slot in table.items():
        if not isinstance(name, str) or not NAME.fullmatch(name):
            yield (
                f"{cut_repr(name)}: not the name of a placeholder; write letters, digits, blanks "
                "and underscores, without the brackets"
            )
            continue
        lowered = name.lower()
        if lowered in seen:
            yield f"{cut_repr(name)} is there twice, whatever its case; keep one"
        elif lowered in rules.ontology:
            yield (
                f"{cut_repr(name)}: rule set {rules.name} knows it, as {rules.ontology[lowered]}; "
                "an alias may only name what it does not know"
            )
        elif slot not in slots:
            yield f"{cut_repr(name)}: {unknown('slot', slot, slots)}"
        seen.add(lowered)
