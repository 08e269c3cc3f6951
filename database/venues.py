"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

from collections.abc import KeysView, Mapping
from functools import lru_cache
from threading import Lock

from mwz.normalization import RuleSet, minutes, normalize_value

from .tables import (
    IDENTIFIER,
    ROW,
    TablesFile,
    VenueRecords,
    add_matches,
    open_tables,
    queried_columns,
    quoted,
    write_tables,
)

_MOST_QUERIES = 1 << 15
"""How many queries are kept with their answers."""
_MOST_VALUES = 1 << 15
"""How many values are kept with what they match. A policy in training may bring new ones for
days."""
_WRITTEN_TOGETHER = 16
"""How many new values are written to the file at a time. Those of a system's outputs are a few
dozen, and to match one takes less than a tenth of a millisecond."""

_MATCHING_VALUES = 'SELECT stored FROM matches WHERE domain = ? AND "column" = ? AND value = ?'


@lru_cache(maxsize=_MOST_QUERIES)
def _as_set(identifiers: tuple[str, ...]) -> KeysView[str]:
    """Return identifiers as a set in order, equal ones as one object."""
    return dict.fromkeys(identifiers).keys()


class VenueDatabase:
    """The venues of a benchmark, in SQL tables. Threads may share it.

    Args:
        records: domain -> venue records with the keys of the public database files; keys that
            are no column of the domain are ignored.
        rules: The rule set that normalises constraint values.
        file: The file that keeps the tables; None to have them in memory only.

    >>> from mwz.normalization import rule_set
    >>> inns = [{"id": "1", "name": "oak inn"}, {"id": "2", "name": "the elm tree"}]
    >>> database = VenueDatabase({"hotel": inns}, rule_set("2021"))
    >>> list(database.query("hotel", {"name": "elm tree"}))
    ['2']
    """

    def __init__(
        self, records: VenueRecords, rules: RuleSet, file: TablesFile | None = None
    ) -> None:
        self._rules = rules
        self._columns = queried_columns(records, rules)
        self._file = file
        self._tables = open_tables(records, rules, file)
        # Answers share these strings, so that sets of venues are compared quickly.
        self._identifiers: dict[str, list[str]] = {}
        for domain in self._columns:
            statement = f"SELECT {IDENTIFIER} FROM {quoted(domain)} ORDER BY {ROW}"
            rows = self._tables.execute(statement)
            self._identifiers[domain] = [identifier for (identifier,) in rows]
        matched = self._tables.execute('SELECT DISTINCT domain, "column", value FROM matches')
        self._matched = set(matched)
        self._unwritten = 0
        self._lock = Lock()
        # Turn after turn has the constraints of the turn before.
        self._answered = lru_cache(maxsize=_MOST_QUERIES)(self._answer)

    def query(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots, and values such as `dontcare` or `not
                mentioned`, are ignored.
        """
        return self._answered(domain, *constraints.items())

    def _answer(self, domain: str, *constraints: tuple[str, str]) -> KeysView[str]:
        """Ask the tables."""
        if domain not in self._columns:
            return _as_set(())
        conditions = ["TRUE"]
        parameters: list[str | int] = []
        with self._lock:
            if len(self._matched) >= _MOST_VALUES:
                # Values that still come are matched again.
                self._tables.execute("DELETE FROM matches")
                self._matched.clear()
            # In one order, so that SQLite prepares fewer statements.
            for column, value in sorted(constraints):
                is_asked = column in self._columns[domain]
                if is_asked and not self._rules.asks_for_nothing(value):
                    condition, values = self._condition(domain, column, value)
                    conditions.append(condition)
                    parameters += values
            where = " AND ".join(conditions)
            statement = f"SELECT {ROW} FROM {quoted(domain)} WHERE {where} ORDER BY {ROW}"
            rows = self._tables.execute(statement, parameters).fetchall()
        identifiers = self._identifiers[domain]
        return _as_set(tuple(identifiers[row] for (row,) in rows))

    def _condition(self, domain: str, column: str, value: str) -> tuple[str, list[str | int]]:
        """Return a constraint as SQL, and the values of its parameters."""
        name = quoted(column)
        venue = self._rules.venue_rules[domain]
        normalized = normalize_value(column, value, self._rules)
        if column in venue.times:
            comparison = "<=" if column in venue.latest else ">="
            return f"({name} IS NULL OR {name} {comparison} ?)", [minutes(normalized)]
        # SQL takes no half of a surrogate pair; a venue has none, nor what stands for it here.
        text = normalized.encode(errors="replace").decode()
        if column in venue.fuzzy:
            self._match(domain, column, text)
            return f"{name} IN ({_MATCHING_VALUES})", [domain, column, text]
        return f"{name} IN (?, ?)", [text, self._rules.unknown]

    def _match(self, domain: str, column: str, value: str) -> None:
        """Add what a value matches in a fuzzy column to the tables, if it is new."""
        if (domain, column, value) in self._matched:
            return
        add_matches(self._tables, domain, column, [value], self._rules)
        self._matched.add((domain, column, value))
        self._unwritten += 1
        if self._file is not None and self._unwritten >= _WRITTEN_TOGETHER:
            write_tables(self._tables, self._file)
            self._unwritten = 0
