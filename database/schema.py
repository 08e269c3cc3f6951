"""The venue tables: one per domain that has venues, made from the columns of a rule set.

The columns are the slots that a query can constrain. A row also carries its place in the source
file, because some set-ups look at the first result only, and the source it came from, so that one
database can hold the venues of several benchmarks and rule sets. The tables' names hold a digest
of the columns: rule sets with other columns, or other times among them, have other tables.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqlalchemy import Column, Index, Integer, MetaData, String, Table

from mwz.normalization.digests import sha256
from mwz.normalization.rules import RuleSet, VenueRules

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
