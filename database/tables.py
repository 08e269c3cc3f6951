"""The SQL tables that hold the venues, and say which values match which.

Each domain with venues has a table of its name, with a row per venue. The table `matches` says
which stored values a value matches in a fuzzy column. Stored values are matched when the tables are
filled, other values when a query first brings them.

The tables are in memory. An installed benchmark also keeps them in an SQLite file, so that a score
need not fill them. The file is never changed in place: a process copies a whole file to memory, and
replaces it by a whole file. So no process waits for another, and where two add matches at the same
time, those of one are lost and made again. Where the file cannot be read or written, the tables in
memory do without it.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple, TypeAlias

from mwz.normalization import RuleSet, minutes, normalize_slot_name, normalize_value

from .fuzzy import reaches

VenueRecords: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Domain -> venue records, with the keys of the public database files."""

ROW = "_row"
"""The column that numbers the venues of a domain from 0, in the order of their records."""
IDENTIFIER = "_identifier"
"""The column of what tells venues apart. Some trains have two rows."""


class TablesFile(NamedTuple):
    """The file that keeps tables.

    Attributes:
        path: The file.
        made_of: Identifies what the tables are made of. A file made of something else is replaced.
    """

    path: Path
    made_of: str


def queried_columns(records: VenueRecords, rules: RuleSet) -> dict[str, list[str]]:
    """Return domain -> the columns that a query can constrain, sorted, called as slots are.

    They are those columns of the rule set that the domain's first record has.
    """
    columns = {}
    for domain, venue in rules.venue_rules.items():
        keys = records[domain][0] if records.get(domain) else ()
        slots = {normalize_slot_name(key, rules) for key in keys}
        columns[domain] = sorted(slots.intersection(venue.columns))
    return columns


def open_tables(
    records: VenueRecords, rules: RuleSet, file: TablesFile | None = None
) -> sqlite3.Connection:
    """Return the tables of venues, in memory; those of the file, or else new ones, which it gets.

    Args:
        records: The venues.
        rules: The rule set that says which columns there are and normalises values.
        file: The file that keeps the tables, if there is one.
    """
    # None: each statement is its own transaction. A score has more than a hundred different
    # queries; preparing them takes longer than asking them.
    tables = sqlite3.connect(
        ":memory:", isolation_level=None, check_same_thread=False, cached_statements=1000
    )
    if file is None:
        _fill(tables, records, rules, made_of="")
    elif not _read(tables, file):
        _fill(tables, records, rules, file.made_of)
        write_tables(tables, file)
    return tables


def _read(tables: sqlite3.Connection, file: TablesFile) -> bool:
    """Copy a file to empty tables; return whether it is there, undamaged and made of the same."""
    address = f"{file.path.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as source:
            state = source.execute("PRAGMA quick_check").fetchone()
            made_of = source.execute("SELECT made_of FROM origin").fetchone()
            if state != ("ok",) or made_of != (file.made_of,):
                return False
            source.backup(tables)
            return True
    except sqlite3.Error:
        return False


def write_tables(tables: sqlite3.Connection, file: TablesFile) -> None:
    """Replace a file by tables, all or nothing; leave it as it is where it cannot be written."""
    scratch = file.path.with_name(f".{file.path.name}.{token_hex(8)}.unfinished")
    try:
        with contextlib.suppress(OSError, sqlite3.Error):
            file.path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(scratch)) as target:
                tables.backup(target)
            os.replace(scratch, file.path)
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def _fill(tables: sqlite3.Connection, records: VenueRecords, rules: RuleSet, made_of: str) -> None:
    """Create the tables, and fill them with venues and with the matches of stored values."""
    # Imports SQLAlchemy late: it takes 0.2 s, and a score on an installed benchmark does without.
    from sqlalchemy import Column, Index, Integer, MetaData, String, Table, create_engine, insert
    from sqlalchemy.pool import StaticPool

    schema = MetaData()
    origin = Table("origin", schema, Column("made_of", String))
    keys = ("domain", "column", "value", "stored")
    key_columns = [Column(key, String, primary_key=True) for key in keys]
    Table("matches", schema, *key_columns, sqlite_with_rowid=False)
    columns = queried_columns(records, rules)
    for domain, names in columns.items():
        venue = rules.venue_rules[domain]
        table = Table(domain, schema, Column(ROW, Integer, primary_key=True))
        table.append_column(Column(IDENTIFIER, String))
        for name in names:
            # Times are in minutes since midnight, NULL where they are not known.
            table.append_column(Column(name, Integer if name in venue.times else String))
        # By far the largest table is that of trains. Nearly all of its queries have both stations,
        # which are fuzzy, and the day.
        indexed = sorted(set(names) - venue.times, key=lambda name: name not in venue.fuzzy)
        if indexed:
            Index(f"values of {domain}", *(table.c[name] for name in indexed))
    engine = create_engine("sqlite://", creator=lambda: tables, poolclass=StaticPool)
    schema.create_all(engine)
    with engine.begin() as connection:
        connection.execute(insert(origin), {"made_of": made_of})
        for domain, names in columns.items():
            rows = []
            for number, record in enumerate(records.get(domain, ())):
                rows.append({ROW: number, **_row(record, domain, names, rules)})
            if rows:
                connection.execute(insert(schema.tables[domain]), rows)
    for domain, names in columns.items():
        venue = rules.venue_rules[domain]
        for name in names:
            if name in venue.fuzzy and name not in venue.times:
                add_matches(tables, domain, name, _stored_values(tables, domain, name), rules)


def _row(
    record: Mapping[str, Any], domain: str, columns: Iterable[str], rules: RuleSet
) -> dict[str, str | int | None]:
    """Return the row of a venue: column -> value."""
    by_slot = {normalize_slot_name(key, rules): value for key, value in record.items()}
    venue = rules.venue_rules[domain]
    row = {IDENTIFIER: _stored_value(by_slot, venue.identifier, venue.times, rules)}
    for name in columns:
        row[name] = _stored_value(by_slot, name, venue.times, rules)
    return row


def _stored_value(
    by_slot: Mapping[str, object], column: str, times: frozenset[str], rules: RuleSet
) -> str | int | None:
    """Return a venue's value as its column holds it."""
    value = by_slot.get(column)
    if not isinstance(value, str) or (value == rules.unknown and column in times):
        return None
    if rules.normalises_venues and value != rules.unknown:
        value = normalize_value(column, value, rules)
    return minutes(value) if column in times else value


def _stored_values(tables: sqlite3.Connection, domain: str, column: str) -> list[str]:
    """Return the values that a column holds, each once."""
    name = quoted(column)
    rows = tables.execute(f"SELECT DISTINCT {name} FROM {quoted(domain)} WHERE {name} IS NOT NULL")
    return [value for (value,) in rows]


def add_matches(
    tables: sqlite3.Connection, domain: str, column: str, values: Iterable[str], rules: RuleSet
) -> None:
    """Match values with those that a fuzzy column holds, and add what they match to `matches`.

    Every value matches the unknown one, and so has a row even if it matches nothing else.
    """
    stored_values = _stored_values(tables, domain, column)
    matches = []
    for value in values:
        matches.append((domain, column, value, rules.unknown))
        for stored in stored_values:
            if stored != rules.unknown and reaches(stored, value, rules.fuzzy_ratio):
                matches.append((domain, column, value, stored))
    tables.executemany("INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?)", matches)


def quoted(name: str) -> str:
    """Return the name of a table or column as SQL has it."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'
