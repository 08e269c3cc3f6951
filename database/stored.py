"""Venues in a SQL database: tables filled once, and asked for rows by the values of a column."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from threading import RLock
from typing import Any

from sqlalchemy import (
    Column,
    Index,
    Integer,
    MetaData,
    Select,
    String,
    Table,
    bindparam,
    create_engine,
    insert,
    select,
)
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from mwz.normalization.rules import RuleSet, VenueRules
from mwz.normalization.rules.registry import sha256

from . import EMBEDDED

# Some databases need a length, and some compare without regard to case if not told otherwise.
_TEXT = String(200).with_variant(String(200, collation="utf8mb4_bin"), "mysql", "mariadb")

_ROUTE = ("departure", "destination", "day")
"""The columns that trains are mostly looked up by."""


@dataclass(frozen=True)
class VenueSchema:
    """The tables of a rule set.

    Attributes:
        metadata: All tables.
        sources: The table of the records that rows came from, by a digest of their content.
        venues: Domain -> the table of its venues.
    """

    metadata: MetaData
    sources: Table
    venues: Mapping[str, Table]


@lru_cache(maxsize=8)
def venue_schema(rules: RuleSet) -> VenueSchema:
    """Return the tables that hold the venues of a rule set."""
    metadata = MetaData()
    columns = {
        domain: [venue.identifier, venue.columns, sorted(venue.times)]
        for domain, venue in rules.venue_rules.items()
    }
    version = sha256(json.dumps(columns))[:8]
    return VenueSchema(
        metadata=metadata,
        sources=Table(
            f"mwz_{version}_source",
            metadata,
            Column("id", Integer, primary_key=True),
            Column("digest", String(64), unique=True, nullable=False),
        ),
        venues={
            domain: _venue_table(f"mwz_{version}_{domain}", venue, metadata)
            for domain, venue in rules.venue_rules.items()
        },
    )


def _venue_table(name: str, venue: VenueRules, metadata: MetaData) -> Table:
    """Return a domain's table; times are in minutes since midnight, None where unknown."""
    table = Table(
        name,
        metadata,
        Column("source", Integer, primary_key=True, autoincrement=False),
        Column("place", Integer, primary_key=True, autoincrement=False),
        *(
            Column(
                column,
                Integer if column in venue.times else _TEXT,
                nullable=column != venue.identifier,
            )
            for column in venue.columns
        ),
        # SQLite keeps such a table sorted by its key, which is the order that queries want.
        sqlite_with_rowid=False,
    )
    if set(_ROUTE) <= set(venue.columns):
        Index(f"{name}_route", table.c.source, *(table.c[column] for column in _ROUTE))
    return table


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


class StoredVenues:
    """The rows of venues in a SQL database. Threads may share it.

    Args:
        rows: Domain -> rows, columns under their slot names.
        rules: The rule set whose tables hold them.
        url: A SQLAlchemy database URL.

    Raises:
        ChangedVenuesError: The database holds these records, but changed since.
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached or written.
    """

    def __init__(
        self, rows: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet, url: str
    ) -> None:
        self._rules = rules
        self._rows = rows
        self._schema = venue_schema(rules)
        self._connection = _engine(url).connect()
        try:
            self._source = self._filled()
        except (SQLAlchemyError, ChangedVenuesError):
            self._connection.close()
            raise
        # Only reading is left: no transaction is to stay open between queries.
        self._connection.execution_options(isolation_level="AUTOCOMMIT")
        # A connection serves one thread at a time.
        self._lock = RLock()

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Sequence[int]:
        """Return the places of the rows with one of some values in a column, in order.

        Args:
            domain: A domain that has venues.
            column: A column that holds no time; None for all rows.
            values: The values.
        """
        statement = _statement(self._rules, domain, column)
        parameters = {"source": self._source, **({} if column is None else {column: values})}
        with self._lock:
            return self._connection.scalars(statement, parameters).all()

    def by_value(self, domain: str, column: str) -> dict[str, list[int]]:
        """Return value -> the places of the rows that have it, in order, of a column of texts."""
        table = self._schema.venues[domain]
        statement = (
            select(table.c[column], table.c.place)
            .where(table.c.source == self._source, table.c[column].is_not(None))
            .order_by(table.c.place)
        )
        found: dict[str, list[int]] = {}
        with self._lock:
            for value, place in self._connection.execute(statement):
                found.setdefault(value, []).append(place)
        return found

    def _filled(self) -> int:
        """Make sure that the database holds the rows, and return the id of their source.

        Other processes may do the same at the same time. All but the first to make a table or to
        write a row get one of many errors, and find all of it there when the first is done.

        Raises:
            ChangedVenuesError: It holds other rows than were once written.
        """
        for pause in _PAUSES:
            try:
                return self._filled_once()
            except DBAPIError as error:
                if error.connection_invalidated:
                    raise
                self._connection.rollback()
                time.sleep(pause)
        return self._filled_once()

    def _filled_once(self) -> int:
        sources = self._schema.sources
        digest = sha256(json.dumps(self._rows))
        self._schema.metadata.create_all(self._connection)
        known = select(sources.c.id).where(sources.c.digest == digest)
        source: int | None = self._connection.scalar(known)
        if source is None:
            self._connection.execute(insert(sources).values(digest=digest))
            source = self._connection.scalars(known).one()
            for domain, table in self._schema.venues.items():
                rows = [{"source": source, **row} for row in self._rows[domain]]
                if rows:
                    self._connection.execute(insert(table), rows)
        else:
            self._check_rows(source)
        self._connection.commit()
        return source

    def _check_rows(self, source: int) -> None:
        """Raise a ChangedVenuesError if a source's rows are not those that are written of it."""
        for domain, table in self._schema.venues.items():
            columns = [column for column in table.c if column.name != "source"]
            written = self._connection.execute(
                select(*columns).where(table.c.source == source).order_by(table.c.place)
            )
            expected = [tuple(row[c.name] for c in columns) for row in self._rows[domain]]
            if [tuple(row) for row in written] != expected:
                raise ChangedVenuesError(table.name)


@lru_cache(maxsize=1 << 8)
def _statement(rules: RuleSet, domain: str, column: str | None) -> Select[Any]:
    """Return the query for rows: all, or those with one of some values in a column."""
    table = venue_schema(rules).venues[domain]
    conditions = [table.c.source == bindparam("source")]
    if column is not None:
        conditions.append(table.c[column].in_(bindparam(column, expanding=True)))
    return select(table.c.place).where(*conditions).order_by(table.c.place)


def _engine(url: str) -> Engine:
    if url != EMBEDDED:
        return create_engine(url)
    # One connection for good: a database in memory lives and dies with it.
    return create_engine(url, poolclass=StaticPool, connect_args={"check_same_thread": False})
