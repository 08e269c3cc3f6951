"""Venues in a SQL database in memory: filled once, and asked for rows by values of a column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Integer, MetaData, String, Table, create_engine, insert, select
from sqlalchemy.pool import StaticPool

from mwz.normalization.rules import RuleSet, VenueRules


class StoredVenues:
    """The rows of venues in SQLite.

    Args:
        rows: Domain -> rows, columns under their slot names; times in minutes since midnight, None
            where unknown.
        rules: The rule set that says which columns there are.
    """

    def __init__(self, rows: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet) -> None:
        metadata = MetaData()
        self._tables = {
            domain: _table(domain, venue, metadata) for domain, venue in rules.venue_rules.items()
        }
        # One connection for good: a database in memory lives and dies with it.
        engine = create_engine(
            "sqlite://", poolclass=StaticPool, connect_args={"check_same_thread": False}
        )
        metadata.create_all(engine)
        self._connection = engine.connect()
        for domain, table in self._tables.items():
            if rows[domain]:
                self._connection.execute(insert(table), [*rows[domain]])

    def selected(self, domain: str, column: str, values: Iterable[str]) -> list[int]:
        """Return the places of the rows with one of some values in a column, in order.

        Args:
            domain: A domain that has venues.
            column: A column that holds no time.
            values: The values.
        """
        table = self._tables[domain]
        query = select(table.c.place).where(table.c[column].in_([*values]))
        return [*self._connection.scalars(query.order_by(table.c.place))]


def _table(domain: str, venue: VenueRules, metadata: MetaData) -> Table:
    columns = (
        Column(name, Integer if name in venue.times else String(200), index=True)
        for name in venue.columns
    )
    return Table(domain, metadata, Column("place", Integer, primary_key=True), *columns)
