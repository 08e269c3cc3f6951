"""Venues in a SQL database: tables filled once, and asked for rows by the values of a column."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from threading import RLock
from typing import Any

from sqlalchemy import Select, bindparam, create_engine, insert, select
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import IntegrityError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from mwz.normalization.rules import RuleSet

from . import EMBEDDED
from .schema import VenueSchema, venue_schema


class StoredVenues:
    """The rows of venues in a SQL database. Threads may share it.

    Args:
        rows: Domain -> rows, columns under their slot names.
        rules: The rule set whose tables hold them.
        url: A SQLAlchemy database URL.

    Raises:
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached or written.
    """

    def __init__(
        self, rows: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet, url: str
    ) -> None:
        self._rules = rules
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()
        self._connection = _engine(url).connect()
        try:
            self._source = _filled(self._connection, venue_schema(rules), digest, rows)
        except SQLAlchemyError:
            self._connection.close()
            raise
        # A connection serves one thread at a time.
        self._turn = RLock()

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Sequence[int]:
        """Return the places of the rows with one of some values in a column, in order.

        Args:
            domain: A domain that has venues.
            column: A column that holds no time; None for all rows.
            values: The values.
        """
        statement = _statement(self._rules, domain, column)
        parameters = {"source": self._source, **({} if column is None else {column: values})}
        with self._turn:
            return self._connection.scalars(statement, parameters).all()

    def by_value(self, domain: str, column: str) -> dict[str, list[int]]:
        """Return value -> the places of the rows that have it, in order, of a column of texts."""
        table = venue_schema(self._rules).venues[domain]
        statement = (
            select(table.c[column], table.c.place)
            .where(table.c.source == self._source, table.c[column].is_not(None))
            .order_by(table.c.place)
        )
        found: dict[str, list[int]] = {}
        with self._turn:
            for value, place in self._connection.execute(statement):
                found.setdefault(value, []).append(place)
        return found


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


def _filled(
    connection: Connection,
    schema: VenueSchema,
    digest: str,
    rows: Mapping[str, Sequence[Mapping[str, Any]]],
) -> int:
    """Make sure that the database holds the rows of a source, and return the source's id."""
    schema.metadata.create_all(connection)
    known = select(schema.sources.c.id).where(schema.sources.c.digest == digest)
    source: int | None = connection.scalar(known)
    if source is None:
        try:
            connection.execute(insert(schema.sources).values(digest=digest))
            source = connection.scalar(known)
            for domain, table in schema.venues.items():
                if rows[domain]:
                    connection.execute(
                        insert(table), [{"source": source, **row} for row in rows[domain]]
                    )
        except IntegrityError:
            # Somebody else filled it with the same rows meanwhile.
            connection.rollback()
            source = connection.scalar(known)
    connection.commit()
    if source is None:
        raise RuntimeError("the venue database lost the rows it was just given")
    return source
