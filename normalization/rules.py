"""Rule sets: everything besides code and data that a score depends on, as tables.

A rule set is a file of `rule_sets/`: its name (the file's), date, what it changed, and the tables
of `tables/` that make it, in order, and last sections of its own. Tables are merged: sections of
the same name are joined and lists concatenated; for any other key that two tables have, the value
of the earlier one counts, but the rule set's own sections replace values. A published rule set
never changes: its file holds the digest that its tables must have, which a test compares. The
digest is part of every signature.

To add a rule set, add a file, or declare one in a package of your own (docs/extending.md).
`DEFAULT_RULES` is the one that is used where none is named.

Placeholder aliases are names that a system writes besides those that a rule set knows: the public
evaluator asks who meets an unknown placeholder to customize its slot mapping, and papers do. What a
paper adds is a named table, a file of `aliases/`: `source`, where the names stand, and
`placeholders`, placeholder name -> ontology name. To add a table, add a file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property, lru_cache
from typing import Any, TypeAlias

from .packages import DeclarationError, TomlTable, declared, read_toml, sha256, toml_names

DONTCARE = "dontcare"
"""The spelling that all others of its meaning are replaced by where states are compared."""

_BLANKS = str.maketrans("_-", "  ")
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u00b4\u0060", "'"))

# What values of belief states mean in every slot and under every rule set. Each stands for all its
# spellings: in any case, with `_` or `-` for a blank, with any apostrophe, and with blanks around.

ABSENT = frozenset({"", "none", "not mentioned", "not given", "null", "n/a"})
"""The slot has no value, as if it were not there."""

_PUBLIC_CONSTRAINTS = frozenset({"", "none"})
"""The absent values that constrain a query under published rule sets: to the public evaluator they
are values, which no venue has, and published figures depend on that."""

DONTCARES = frozenset({DONTCARE, "dont care", "don't care", "do n't care", "do not care"})
"""The user does not mind."""


def plain_spelling(value: str) -> str:
    """Return a value with single blanks for blanks, `_` and `-`, and a plain apostrophe."""
    return " ".join(value.translate(_BLANKS).translate(_APOSTROPHES).split())


@lru_cache(maxsize=1 << 14)
def is_absent(value: str | None) -> bool:
    """Return whether a value, in any spelling, says that its slot has none."""
    return value is None or plain_spelling(value).lower() in ABSENT


@lru_cache(maxsize=1 << 14)
def is_dontcare(value: str) -> bool:
    """Return whether a value, in any spelling, says that the user does not mind."""
    return plain_spelling(value).lower() in DONTCARES


def is_public_constraint(value: str) -> bool:
    """Return whether an absent value constrains a query of the public evaluator."""
    return plain_spelling(value).lower() in _PUBLIC_CONSTRAINTS


_SHOWN_DIGITS = 12


@dataclass(frozen=True)
class Aliases:
    """A table of aliases; equal tables are equal, wherever they were read.

    Attributes:
        pairs: Placeholder name (lower case) and ontology name, sorted.
    """

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def from_table(cls, table: Mapping[str, str]) -> Aliases:
        """Return a table, placeholder name in any case -> ontology name, as aliases.

        >>> Aliases.from_table({"Restaurant_Ref": "REFERENCE"}).pairs
        (('restaurant_ref', 'REFERENCE'),)
        """
        return cls(tuple(sorted((name.lower(), slot) for name, slot in table.items())))

    @property
    def table(self) -> str | None:
        """The name of the named table that this is, if it is one."""
        for name, aliases in alias_tables().items():
            if aliases == self:
                return name
        return None

    @property
    def label(self) -> str:
        """What signatures say of it: its name and the first digits of its digest (SHA-256)."""
        digest = sha256(json.dumps(self.pairs))
        return f"{self.table or 'own'}-{digest[:_SHOWN_DIGITS]}"


@cache
def alias_tables() -> Mapping[str, Aliases]:
    """Return name -> aliases, of the named tables."""
    return {
        name: Aliases.from_table(read_toml(f"aliases/{name}.toml")["placeholders"])
        for name in toml_names("aliases")
    }


DEFAULT_RULES = "2021"

READ_BY_CODE = ("time", "clock")
"""The rules of values that have no table: times as published rule sets read them, and times in
other notations as well (08.30, 8h30, 12:15 pm)."""


@cache
def errata() -> Mapping[str, object]:
    """Return name -> content of the files of errata.

    Raises:
        DeclarationError: One of them has another shape.
    """
    # Imports pydantic late: it takes 0.1 s, and published rule sets have no errata.
    from .schemas import Errata, typed

    files = {name: read_toml(f"errata/{name}.toml") for name in toml_names("errata")}
    for name, content in files.items():
        try:
            typed(Errata, content)
        except ValueError as error:
            problems = "; ".join(error.args)
            raise DeclarationError(f"normalization/errata/{name}.toml: {problems}") from error
    return files


VenueRecords: TypeAlias = Mapping[str, Sequence[Mapping[str, object]]]
"""Domain -> venue records, as the public database files hold them."""


@dataclass(frozen=True)
class VenueRules:
    """What venues of one domain are asked for; see `tables/venues.toml`.

    Attributes:
        mention: The ontology name by which a response speaks of a venue.
        named_by: The slot by which a state names a venue.
        identifier: The column that tells venues apart.
        columns: The slots that a query can constrain.
        fuzzy: Those of them that are matched by partial ratio.
        latest: Those that hold a time no later than asked for.
        earliest: Those that hold a time no earlier than asked for.
    """

    mention: str
    named_by: str
    identifier: str
    columns: Sequence[str]
    fuzzy: Sequence[str] = ()
    latest: Sequence[str] = ()
    earliest: Sequence[str] = ()

    @cached_property
    def times(self) -> frozenset[str]:
        """The columns that hold a time."""
        return frozenset(self.latest).union(self.earliest)


@dataclass(frozen=True, eq=False)
class RuleSet:
    """The rules that a score was made under.

    Attributes:
        name: What users call it.
        date: Since when it has been in use, year and month.
        change: What it changed, in a sentence.
        published: The digest that it was published with; None if it may still change.
        venues: The version of the venue database that belongs to it.
        normalises_venues: Whether the values of the venue database are normalised like those of
            belief states.
        tables: Section -> its content: the rule set's tables, merged.
        aliases: Placeholder names that are read besides those of the tables; no part of the digest.
        digest: SHA-256 of all that the rules are made of, in hexadecimal; the name is not part of
            it.
        ontology: Placeholder name (lower case) -> ontology name, extension and aliases included.
            An alias of a name that the tables know is ignored.
        about_venues: The ontology names that tell about one venue.
        venue_rules: Domain -> what its venues are asked for; domains without venues are left out.
        errata: File of errata -> its content, of those that it applies to the benchmark.
        unknown: A venue's value that is not known.
        fuzzy_ratio: The partial ratio from which two strings of a fuzzy column match.
    """

    name: str
    date: str
    change: str
    published: str | None
    venues: str
    normalises_venues: bool
    tables: TomlTable
    aliases: Aliases | None = None
    digest: str = field(init=False)
    ontology: Mapping[str, str] = field(init=False)
    about_venues: frozenset[str] = field(init=False)
    venue_rules: Mapping[str, VenueRules] = field(init=False)
    errata: Mapping[str, object] = field(init=False)
    unknown: str = field(init=False)
    fuzzy_ratio: int = field(init=False)

    def __post_init__(self) -> None:
        ontology = {} if self.aliases is None else dict(self.aliases.pairs)
        for section in ("ontology", "extension"):
            for slot, placeholders in self.tables[section].items():
                ontology.update(dict.fromkeys(placeholders, slot))
        domains = self.tables["domains"].items()
        queries = self.tables["queries"]
        derived = {
            # In the order of its tables, which matters.
            "digest": sha256(json.dumps([self.normalises_venues, self.tables])),
            "ontology": ontology,
            "about_venues": frozenset(self.tables["responses"]["about_venues"]),
            "venue_rules": {domain: VenueRules(**rules) for domain, rules in domains if rules},
            "errata": self.tables.get("errata", {}),
            "unknown": queries["unknown"],
            "fuzzy_ratio": queries["fuzzy_ratio"],
        }
        for name, value in derived.items():
            # A frozen record takes what is derived of its fields in no other way.
            object.__setattr__(self, name, value)

    def asks_for_nothing(self, value: str) -> bool:
        """Return whether a constraint with this value is none.

        In published rule sets case tells the values of `no_constraint` from others, and an empty
        text and `none` are constraints: published figures depend on both.
        """
        queries = self.tables["queries"]
        if value in queries["no_constraint"] or plain_spelling(value) in queries["no_constraint"]:
            return True
        if queries.get("any_spelling", False):
            return is_absent(value) or is_dontcare(value)
        return is_absent(value) and not is_public_constraint(value)

    def __reduce__(self) -> str | tuple[object, ...]:
        """Return how a copy is made: for a declared rule set, by looking it up."""
        if self.name in rule_set_names() and rule_set(self.name, self.aliases) is self:
            return rule_set, (self.name, self.aliases)
        given = [field.name for field in fields(self) if field.init]
        return RuleSet, tuple(getattr(self, name) for name in given)


@cache
def _declarations() -> Mapping[str, TomlTable]:
    """Return name -> the file of a rule set, of ours and of other packages, the oldest first."""
    ours = {name: read_toml(f"rule_sets/{name}.toml") for name in toml_names("rule_sets")}
    files = ours | declared("rules", lambda content: _checked(content, ours), ours)
    return dict(sorted(files.items(), key=lambda item: (item[1]["date"], item[0])))


def _checked(content: object, ours: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    """Return the file of a rule set of another package.

    Args:
        content: The file.
        ours: Our rule sets: it may have the sections and ontology names of these.

    Raises:
        ValueError: It, or the tables that it makes, are not as their type says.
    """
    # Imports pydantic late: it takes 0.1 s, and only rule sets of packages are checked.
    from .schemas import RuleSetFile, RuleTables, typed

    file = typed(RuleSetFile, content).model_dump()
    tables = _tables(file)
    typed(RuleTables, tables)
    for domain, venues in tables["domains"].items():
        # A domain without venues has an empty table.
        if venues:
            typed(VenueRules, venues, f"domains.{domain}")
    our_tables = merge_tables([_tables(other) for other in ours.values()])
    slots = our_tables["ontology"].keys() | our_tables["extension"].keys()
    problems = [f"{section}: unknown key" for section in tables.keys() - our_tables.keys()]
    for section in ("ontology", "extension"):
        problems += [f"{section}.{slot}: unknown key" for slot in tables[section].keys() - slots]
    rules = tables.keys() - RuleTables.model_fields.keys() | set(READ_BY_CODE)
    for slot, rule in tables["value_rules"].items():
        if rule not in rules:
            choices = ", ".join(sorted(rules))
            problems.append(
                f"value_rules.{slot}: unknown value {rule!r:.60}; choose from {choices}"
            )
    if problems:
        raise ValueError(*sorted(problems))
    return file


def rule_set_names() -> tuple[str, ...]:
    """Return the names of all declared rule sets, the oldest first."""
    return tuple(_declarations())


def published_rule_sets() -> tuple[str, ...]:
    """Return the names of the rule sets that are settled, the oldest first."""
    return tuple(name for name, file in _declarations().items() if "digest" in file)


def rule_set(name: str, aliases: Aliases | None = None) -> RuleSet:
    """Look up a rule set by name.

    Args:
        name: Its name.
        aliases: Placeholder names to read besides its own; its digest stays.

    Raises:
        ValueError: There is none of that name.
    """
    return _declared(name, aliases)


@lru_cache(maxsize=64)
def _declared(name: str, aliases: Aliases | None) -> RuleSet:
    if aliases is not None:
        return replace(_declared(name, None), aliases=aliases)
    if name not in _declarations():
        raise ValueError(f"unknown rule set {name!r}; choose from {', '.join(_declarations())}")
    file = _declarations()[name]
    return RuleSet(
        name=name,
        date=file["date"],
        change=file["change"],
        published=file.get("digest"),
        venues=file["venues"],
        normalises_venues=file["normalises_venues"],
        tables=_tables(file),
    )


def _tables(declared: TomlTable) -> dict[str, Any]:
    """Return the tables of a rule set, given its file."""
    shared = merge_tables([read_toml(f"tables/{name}.toml") for name in declared["tables"]])
    layers = [shared, declared.get("rules", {})]
    if declared.get("errata"):
        layers.append({"errata": {name: errata()[name] for name in declared["errata"]}})
    return merge_tables(layers, last_wins=True)


def merge_tables(tables: Sequence[TomlTable], last_wins: bool = False) -> dict[str, Any]:
    """Return tables as one: sections are joined, and lists in them concatenated.

    >>> merge_tables([{"a": {"x": "1", "l": ["p"]}}, {"a": {"x": "2", "l": ["q"]}}])
    {'a': {'x': '1', 'l': ['p', 'q']}}

    Args:
        tables: The tables.
        last_wins: Whether the last table with a key gives its value, and not the first.
    """
    merged: dict[str, Any] = {}
    for table in tables:
        for key, value in table.items():
            if type(value) is not type(merged.get(key, value)):
                # One of them is wrong. The later one stays, so that its type reports it.
                merged[key] = value
            elif isinstance(value, Mapping):
                merged[key] = merge_tables([merged.get(key, {}), value], last_wins)
            elif isinstance(value, list):
                merged[key] = merged.get(key, []) + value
            elif last_wins or key not in merged:
                merged[key] = value
    return merged
