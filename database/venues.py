"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, KeysView, Mapping, Sequence
from functools import cached_property, lru_cache
from threading import RLock
from typing import Any, TypeAlias

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

from mwz.normalization import RuleSet, minutes, normalize_slot_name, normalize_value

_AS_GOOD_AS_EQUAL = 0.995


def partial_ratio(first: str, second: str) -> int:
    """Return how well the shorter string matches its best window in the longer, from 0 to 100.

    The windows are those that the matching blocks of the two strings' Levenshtein edit
    operations point at, the empty block at the end included. Of two strings of equal length
    the first counts as the shorter. An empty string against another gives 0, equal strings 100.
    """
    if first == second:
        return 100
    if not first or not second:
        return 0
    shorter, longer = (first, second) if len(first) <= len(second) else (second, first)
    best = 0.0
    for block in Levenshtein.editops(shorter, longer).as_matching_blocks():
        start = max(0, block.b - block.a)
        window = longer[start : start + len(shorter)]
        ratio = Indel.normalized_similarity(shorter, window)
        if ratio > _AS_GOOD_AS_EQUAL:
            return 100
        best = max(best, ratio)
    return round(100 * best)


def reaches(first: str, second: str, ratio: int) -> bool:
    """Return whether the partial ratio of two strings is at least `ratio`, from 1 to 100.

    Most pairs share too few characters, which shows in a tenth of the time: with n the
    length of the shorter string and c that of the longest common subsequence of the two, no window
    of w characters has more than min(c, w) in common with the shorter string, so that no window's
    ratio, 2 min(c, w) / (n + w), is above 2c / (n + c); half a percent is what rounding adds.
    """
    common = LCSseq.similarity(first, second)
    most = 4 * common * 100 >= (2 * ratio - 1) * (min(len(first), len(second)) + common)
    return most and partial_ratio(first, second) >= ratio


_MOST_QUERIES = 1 << 15
"""How many queries are kept with their answers."""


@lru_cache(maxsize=_MOST_QUERIES)
def _ids(identifiers: tuple[str, ...]) -> KeysView[str]:
    """Return ids as a set in order. Some trains have two rows. Equal answers are one object."""
    return dict.fromkeys(identifiers).keys()


Tables: TypeAlias = Mapping[str, Mapping[str, Any]]
"""What queries need to know of venues, by domain, as JSON types:

- `identifiers`: the ids of its venues, in order;
- `values`: a column of texts that a query can constrain -> its values, each once;
- `times`: such a column of times -> minutes of each venue, None if not known;
- `places`: column -> value -> the places of the rows that have it, in order;
- `similar`: fuzzy column -> value -> the values that match it.

The last two are empty where SQL is to be asked. An installed benchmark keeps them, asked
beforehand, so that a score loads no SQLAlchemy: a shortcut."""


class VenueDatabase:
    """The venues of a benchmark. Equal queries are answered once; threads may share it.

    Args:
        records: domain -> venue records with the keys of the public database files; keys that
            are no column of the domain are ignored.
        rules: The rule set that normalises constraint values.
        prepared: What `prepared_venues` returned for these records and rules; None to ask SQL.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[Mapping[str, Any]]],
        rules: RuleSet,
        prepared: Tables | None = None,
    ) -> None:
        self._rules = rules
        if prepared is None:
            self._rows, prepared = _rows_and_tables(records, rules)
        self._tables = prepared
        self._lock = RLock()
        # Turn after turn has the constraints of the turn before.
        self._answered = lru_cache(maxsize=_MOST_QUERIES)(self._answer)
        self._met = lru_cache(maxsize=_MOST_QUERIES)(self._rows_meeting)

    def query(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots, and values such as `dontcare` or `not
                mentioned`, are ignored.
        """
        return self._answered(domain, *constraints.items())

    def _answer(self, domain: str, *constraints: tuple[str, str]) -> KeysView[str]:
        """Answer a query: put together the rows that meet each constraint."""
        identifiers = self._tables["identifiers"].get(domain, ())
        values, times = (self._tables[kind].get(domain, ()) for kind in ("values", "times"))
        rows: frozenset[int] | None = None
        for column, value in constraints:
            constrains = column in values or column in times
            if constrains and not self._rules.asks_for_nothing(value):
                met = self._met(domain, column, value)
                rows = met if rows is None else rows & met
        places = range(len(identifiers)) if rows is None else sorted(rows)
        return _ids(tuple(map(identifiers.__getitem__, places)))

    def _rows_meeting(self, domain: str, column: str, value: str) -> frozenset[int]:
        """Return the places of the rows that meet a constraint."""
        normalized = normalize_value(column, value, self._rules)
        if column in self._tables["times"][domain]:
            return self._in_time(domain, column, minutes(normalized))
        matching = self._matching(domain, column, normalized)
        if self._tables["places"]:
            places = self._tables["places"][domain][column]
            return frozenset(place for value in matching for place in places[value])
        with self._lock:
            return frozenset(self._stored(domain, column, matching))

    def _matching(self, domain: str, column: str, value: str) -> Sequence[str]:
        """Return the values of a column that match a constraint's value."""
        similar: Mapping[str, Sequence[str]]
        similar = self._tables["similar"].get(domain, {}).get(column, {})
        if value in similar:
            return similar[value]
        fuzzy = column in self._rules.venue_rules[domain].fuzzy
        return [
            stored
            for stored in self._tables["values"][domain][column]
            if stored in (self._rules.unknown, value)
            or (fuzzy and reaches(stored, value, self._rules.fuzzy_ratio))
        ]

    def _in_time(self, domain: str, column: str, bound: int) -> frozenset[int]:
        """Return the rows with a time no later, or no earlier, or none that is known."""
        latest = column in self._rules.venue_rules[domain].latest
        times = enumerate(self._tables["times"][domain][column])
        return frozenset(
            place
            for place, time in times
            if time is None or (time <= bound if latest else time >= bound)
        )

    @cached_property
    def _stored(self) -> Callable[[str, str, Iterable[str]], Sequence[int]]:
        return stored_places(self._rows, self._rules)


def prepared_venues(records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet) -> Tables:
    """Ask SQL for the rows by every value of every column, once for all.

    Args:
        records: As for `VenueDatabase`.
        rules: The rule set.
    """
    rows, tables = _rows_and_tables(records, rules)
    stored = stored_places(rows, rules)
    database = VenueDatabase(records, rules, tables)
    return {
        **tables,
        "places": {
            domain: {
                column: {value: stored(domain, column, [value]) for value in values}
                for column, values in columns.items()
            }
            for domain, columns in tables["values"].items()
        },
        "similar": {
            domain: {
                column: {
                    value: database._matching(domain, column, value)
                    for value in tables["values"][domain].get(column, ())
                }
                for column in sorted(venue.fuzzy)
            }
            for domain, venue in rules.venue_rules.items()
        },
    }


def stored_places(
    rows: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> Callable[[str, str, Iterable[str]], Sequence[int]]:
    """Return what asks a SQL database in memory for rows.

    Args:
        rows: Domain -> rows, columns under their slot names; times in minutes since midnight, None
            where unknown.
        rules: The rule set that says which columns there are.

    Returns:
        A function of a domain, a column that holds no time, and values: it gives the places of the
        rows with one of the values, in order.
    """
    # SQLAlchemy is slow to import.
    from sqlalchemy import Column, Integer, MetaData, String, Table, create_engine, insert, select
    from sqlalchemy.pool import StaticPool

    metadata = MetaData()
    tables = {
        domain: Table(
            domain,
            metadata,
            # From 1, in the order of the rows.
            Column("row", Integer, primary_key=True),
            *(
                Column(name, Integer if name in venue.times else String(200), index=True)
                for name in venue.columns
            ),
        )
        for domain, venue in rules.venue_rules.items()
    }
    # One connection for good: a database in memory lives and dies with it.
    engine = create_engine(
        "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
    )
    metadata.create_all(engine)
    connection = engine.connect()
    for domain, table in tables.items():
        if rows[domain]:
            connection.execute(insert(table), [*rows[domain]])

    def places(domain: str, column: str, values: Iterable[str]) -> Sequence[int]:
        table = tables[domain]
        query = select(table.c.row - 1).where(table.c[column].in_([*values]))
        return [*connection.scalars(query.order_by(table.c.row))]

    return places


def _rows_and_tables(
    records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> tuple[dict[str, list[dict[str, Any]]], Tables]:
    """Return domain -> rows of its table, and what else queries need to know of them.

    Columns are called as slots are. A query can constrain those that the first record has.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    times: dict[str, dict[str, tuple[int | None, ...]]] = {}
    for domain, venue in rules.venue_rules.items():
        by_slot = [
            {normalize_slot_name(key, rules): value for key, value in record.items()}
            for record in records.get(domain, ())
        ]
        rows[domain] = [
            {
                name: _stored(of_venue.get(name), name, name in venue.times, rules)
                for name in venue.columns
            }
            for of_venue in by_slot
        ]
        queried = sorted(by_slot[0].keys() & set(venue.columns)) if by_slot else []
        of_column = {name: tuple(row[name] for row in rows[domain]) for name in queried}
        times[domain] = {name: of_column[name] for name in queried if name in venue.times}
        values[domain] = {
            name: tuple(value for value in dict.fromkeys(of_venue) if value is not None)
            for name, of_venue in of_column.items()
            if name not in venue.times
        }
    identifiers = {
        domain: tuple(row[venue.identifier] for row in rows[domain])
        for domain, venue in rules.venue_rules.items()
    }
    return rows, {
        "identifiers": identifiers,
        "values": values,
        "times": times,
        "places": {},
        "similar": {},
    }


def _stored(value: object, column: str, is_time: bool, rules: RuleSet) -> str | int | None:
    """Return a record's value as its column holds it: a time in minutes, None if not known."""
    if not isinstance(value, str):
        return None
    if value == rules.unknown:
        return None if is_time else value
    if rules.normalises_venues:
        value = normalize_value(column, value, rules)
    return minutes(value) if is_time else value
