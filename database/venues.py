"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, KeysView, Mapping, Sequence
from functools import lru_cache
from threading import RLock
from typing import Any, TypeAlias

from sqlalchemy import Select, bindparam, create_engine, insert, select
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from mwz.normalization.rules import RuleSet, VenueRules
from mwz.normalization.states import minutes, normalize_slot_name, normalize_value

from . import EMBEDDED
from .fuzzy import reaches
from .schema import VenueSchema, venue_schema

_Criterion: TypeAlias = "tuple[str, int | tuple[str, ...]]"
"""A column, and what its values must be: minutes for a time, else those of its own that match."""


_PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds to wait before filling a database is tried again."""


class ChangedVenuesError(Exception):
    """A database holds other venues than were written to it.

    Args:
        table: The table whose rows were changed.
    """

    def __init__(self, table: str) -> None:
        super().__init__(table)
        self.table = table


class VenueDatabase:
    """The venues of a benchmark in a SQL database. Equal queries are answered once.

    Threads may share it.

    Args:
        records: domain -> venue records with the keys of the public database files; keys that
            are no column of the domain are ignored.
        rules: The rule set that normalises constraint values.
        url: A SQLAlchemy database URL. Tables named `mwz_…` are created there if needed, and
            filled unless they already hold these very records.

    Raises:
        ChangedVenuesError: The database holds these records, but changed since.
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached or written.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[Mapping[str, Any]]],
        rules: RuleSet,
        url: str = EMBEDDED,
    ) -> None:
        self._rules = rules
        self._rows = {
            domain: _rows(venue, records.get(domain, ()), rules)
            for domain, venue in rules.venue_rules.items()
        }
        self._columns = {
            domain: _own_columns(venue, records.get(domain, ()), rules)
            for domain, venue in rules.venue_rules.items()
        }
        digest = hashlib.sha256(json.dumps(self._rows).encode()).hexdigest()
        self._connection = _engine(url).connect()
        try:
            self._source = _filled(self._connection, venue_schema(rules), digest, self._rows)
        except (SQLAlchemyError, ChangedVenuesError):
            self._connection.close()
            raise
        # Only reading is left: no transaction is to stay open between queries.
        self._connection.execution_options(isolation_level="AUTOCOMMIT")
        # A connection serves one thread at a time.
        self._turn = RLock()
        self._matching: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._distinct: dict[tuple[str, str], tuple[str, ...]] = {}
        self._places: dict[tuple[str, _Criterion | None], KeysView[int]] = {}
        self._answers: dict[tuple[str, tuple[_Criterion, ...]], KeysView[str]] = {}

    def query(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots and values such as `dontcare` are ignored.
        """
        if domain not in self._rows:
            return _NOTHING
        criteria = self._criteria(domain, constraints)
        if criteria is None:
            return _NOTHING
        answer = self._answers.get((domain, criteria))
        if answer is None:
            answer = self._answers[domain, criteria] = self._found(domain, criteria)
        return answer

    def _criteria(
        self, domain: str, constraints: Mapping[str, str]
    ) -> tuple[_Criterion, ...] | None:
        """Return the criteria, sorted by column; None if some constraint matches no venue."""
        criteria: list[_Criterion] = []
        times = self._rules.venue_rules[domain].times
        for column in self._columns[domain]:
            value = constraints.get(column)
            if value is None or value in self._rules.no_constraint:
                continue
            value = normalize_value(column, value, self._rules)
            if column in times:
                criteria.append((column, minutes(value)))
                continue
            matching = self._matching_values(domain, column, value)
            if not matching:
                return None
            criteria.append((column, matching))
        return tuple(criteria)

    def _matching_values(self, domain: str, column: str, value: str) -> tuple[str, ...]:
        """Return the values of a column that match a constraint's value."""
        key = (domain, column, value)
        if key not in self._matching:
            fuzzy = column in self._rules.venue_rules[domain].fuzzy
            self._matching[key] = tuple(
                own
                for own in self._distinct_values(domain, column)
                if own in (self._rules.unknown, value)
                or (fuzzy and reaches(own, value, self._rules.fuzzy_ratio))
            )
        return self._matching[key]

    def _distinct_values(self, domain: str, column: str) -> tuple[str, ...]:
        key = (domain, column)
        if key not in self._distinct:
            values = dict.fromkeys(row[column] for row in self._rows[domain])
            self._distinct[key] = tuple(value for value in values if value is not None)
        return self._distinct[key]

    def _found(self, domain: str, criteria: Sequence[_Criterion]) -> KeysView[str]:
        """Return the ids of the venues that meet all criteria.

        SQL is asked for each set of values once. Systems put few constraints together in many
        ways, and putting answers together here takes a tenth of the time of asking for each way;
        so does comparing the times of the few rows that are left.
        """
        venue, rows = self._rules.venue_rules[domain], self._rows[domain]
        chosen = [one for one in criteria if one[0] not in venue.times]
        fewest, *others = sorted(
            (self._selected(domain, one) for one in chosen or (None,)), key=len
        )
        places = list(fewest)
        for other in others:
            places = [place for place in places if place in other]
        for column, bound in criteria:
            if column in venue.times:
                latest = column in venue.latest
                places = [p for p in places if _in_time(rows[p][column], bound, latest)]
        return dict.fromkeys(rows[place][venue.identifier] for place in places).keys()

    def _selected(self, domain: str, criterion: _Criterion | None) -> KeysView[int]:
        """Return the places of the rows that meet a criterion, in order; without one, of all.

        Nothing else asks the database, so that who needs to can tell what went wrong with it.
        """
        places = self._places.get((domain, criterion))
        if places is None:
            column, values = criterion or (None, ())
            statement = _statement(self._rules, domain, column)
            parameters = {"source": self._source, **({} if column is None else {column: values})}
            with self._turn:
                selected = self._connection.scalars(statement, parameters).all()
            places = self._places[domain, criterion] = dict.fromkeys(selected).keys()
        return places


def _in_time(own: int | None, bound: Any, latest: bool) -> bool:
    """Return whether a venue's own time, None if not known, is no later or no earlier."""
    return own is None or (own <= bound if latest else own >= bound)


_NOTHING: KeysView[str] = dict[str, None]().keys()


def _own_columns(
    venue: VenueRules, records: Sequence[Mapping[str, Any]], rules: RuleSet
) -> tuple[str, ...]:
    """Return the columns that a query can constrain, sorted: those of the first record."""
    slots = {normalize_slot_name(key, rules) for key in records[0]} if records else set()
    return tuple(sorted(slots.intersection(venue.columns)))


@lru_cache(maxsize=1 << 8)
def _statement(rules: RuleSet, domain: str, column: str | None) -> Select[Any]:
    """Return the query for rows: all, or those with one of some values in a column."""
    table = venue_schema(rules).venues[domain]
    conditions = [table.c.source == bindparam("source")]
    if column is not None:
        conditions.append(table.c[column].in_(bindparam(column, expanding=True)))
    return select(table.c.place).where(*conditions).order_by(table.c.place)


def _rows(
    venue: VenueRules, records: Iterable[Mapping[str, Any]], rules: RuleSet
) -> list[dict[str, Any]]:
    """Return a domain's records as rows of its table, columns under their slot names."""
    rows = []
    for place, record in enumerate(records):
        values = {normalize_slot_name(key, rules): value for key, value in record.items()}
        row = {name: _stored(name, values.get(name), venue, rules) for name in venue.columns}
        rows.append({"place": place, **row})
    return rows


def _stored(column: str, value: object, venue: VenueRules, rules: RuleSet) -> str | int | None:
    """Return a record's value as its column holds it: a time in minutes, None if not known."""
    if not isinstance(value, str):
        return None
    if value == rules.unknown:
        return None if column in venue.times else value
    if rules.normalises_venues:
        value = normalize_value(column, value, rules)
    return minutes(value) if column in venue.times else value


def _engine(url: str) -> Engine:
    if url != EMBEDDED:
        return create_engine(url)
    # One connection for good: a database in memory lives and dies with it.
    return create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})


def _filled(
    connection: Connection,
    schema: VenueSchema,
    digest: str,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> int:
    """Make sure that the database holds the rows of a source, and return the source's id.

    Others may do the same at the same time. Who is not the first to make a table, or to write a
    row, gets one of many errors, and finds all of it there when the first is done.

    Raises:
        ChangedVenuesError: It holds other rows than were once written.
    """
    for pause in _PAUSES:
        try:
            return _filled_once(connection, schema, digest, rows)
        except DBAPIError as error:
            if error.connection_invalidated:
                raise
            connection.rollback()
            time.sleep(pause)
    return _filled_once(connection, schema, digest, rows)


def _filled_once(
    connection: Connection,
    schema: VenueSchema,
    digest: str,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> int:
    schema.metadata.create_all(connection)
    known = select(schema.sources.c.id).where(schema.sources.c.digest == digest)
    source: int | None = connection.scalar(known)
    if source is None:
        connection.execute(insert(schema.sources).values(digest=digest))
        source = connection.scalar(known)
        for domain, table in schema.venues.items():
            if rows[domain]:
                connection.execute(
                    insert(table), [{"source": source, **row} for row in rows[domain]]
                )
    else:
        _check_rows(connection, schema, source, rows)
    connection.commit()
    if source is None:
        raise RuntimeError("the venue database lost the rows it was just given")
    return source


def _check_rows(
    connection: Connection,
    schema: VenueSchema,
    source: int,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> None:
    """Raise a ChangedVenuesError if a source's rows are not those that are written of it."""
    for domain, table in schema.venues.items():
        columns = [column for column in table.c if column.name != "source"]
        kept = connection.execute(
            select(*columns).where(table.c.source == source).order_by(table.c.place)
        ).all()
        expected = [tuple(row[column.name] for column in columns) for row in rows[domain]]
        if [tuple(row) for row in kept] != expected:
            raise ChangedVenuesError(table.name)
