"""The placeholders of responses, counted, and those that a rule set does not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from mwz.normalization import (
    NAME,
    Aliases,
    RuleSet,
    alias_tables,
    placeholder_names,
)

from ..errors import InputError, cut_repr, refuse, unknown
from ..io import kind_of, parse_toml, read_bytes

LEXICALISED = "--lexicalised"
"""The option that scores responses in plain words."""

FEW = 0.1
"""Times the placeholders about venues that the benchmark's own responses have: below is few."""


def counted_names(responses: Sequence[str]) -> Counter[str]:
    """Return the names of all placeholders, in lower case, counted."""
    # None goes beyond a bar.
    return Counter(placeholder_names("|".join(responses)))


def venue_rate(responses: Sequence[str], rules: RuleSet) -> float:
    """Return the placeholders that tell about a venue, per response.

    That is the share of responses with a name, with a telephone number and so on, added up.
    """
    slots = sum(
        len({rules.ontology.get(name) for name in placeholder_names(text)} & rules.about_venues)
        for text in responses
    )
    return slots / max(len(responses), 1)


def counted_placeholders(
    responses: Sequence[str], rules: RuleSet
) -> tuple[Counter[str], Counter[str], float]:
    """Return how often responses have each slot of a rule set, and each name it does not know.

    The third is how many placeholders tell about a venue, per response.
    """
    names = counted_names(responses)
    slots: Counter[str] = Counter()
    for name, count in names.items():
        if name in rules.ontology:
            slots[rules.ontology[name]] += count
    return slots, unknown_names(names, rules), venue_rate(responses, rules)


def unknown_names(names: Mapping[str, int], rules: RuleSet) -> Counter[str]:
    """Return those of counted placeholder names that a rule set does not know."""
    return Counter({name: n for name, n in names.items() if name not in rules.ontology})


# Placeholders that a rule set does not know: what users say they mean, and what they may mean.

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
        return alias_tables()[chosen]
    source, table = SECTION, chosen
    if isinstance(chosen, str | Path):
        source = str(chosen)
        table = parse_toml(read_bytes(chosen), source).get(SECTION)
    if not isinstance(table, Mapping):
        expected = f"expected a table [{SECTION}] of placeholder name -> ontology name"
        raise InputError(source, f"{expected}, found {kind_of(table)}")
    refuse(source, alias_problems(table, rules))
    return Aliases.from_table(table)


def alias_problems(table: Mapping[Any, object], rules: RuleSet) -> Iterator[str]:
    """Yield what is wrong with a table of aliases, a sentence each."""
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
