"""The venue database: SQL tables, and queries to them.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.

The partial ratio that defines published scores is that of fuzzywuzzy with python-Levenshtein, which
differs from rapidfuzz's own: the windows of fuzzywuzzy, found by the edit operations of rapidfuzz.

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
from collections.abc import KeysView, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from secrets import token_hex
from threading import Lock

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

from mwz.normalization import (
    RuleSet,
    VenueRecords,
    minutes,
    normalize_slot_name,
    normalize_value,
)

ROW = "_row"
"""The column that numbers the venues of a domain from 0, in the order of their records."""
IDENTIFIER = "_identifier"
"""The column of what tells venues apart. Some trains have two rows."""

# Fuzzy equality of two strings.

_AS_GOOD_AS_EQUAL = 0.995


def partial_ratio(first: str, second: str) -> int:
    """Return how well the shorter string matches its best window in the longer, from 0 to 100.

    The windows are those that the matching blocks of the two strings' Levenshtein edit
    operations point at, the empty block at the end included. Of two strings of equal length
    the first counts as the shorter. An empty string against another gives 0, equal strings 100.

    >>> partial_ratio("finch", "the finch inn")
    100
    >>> partial_ratio("tree house", "the tree hous e")
    90
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

    >>> reaches("tree house", "the tree hous e", 90)
    True
    """
    common = LCSseq.similarity(first, second)
    most = 4 * common * 100 >= (2 * ratio - 1) * (min(len(first), len(second)) + common)
    return most and partial_ratio(first, second) >= ratio


# Tables.


def _read(tables: sqlite3.Connection, file: Path, made_of: str) -> bool:
    """Copy a file to empty tables; return whether it is there, undamaged and made of the same."""
    address = f"{file.absolute().as_uri()}?mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(address, uri=True)) as source:
            state = source.execute("PRAGMA quick_check").fetchone()
            origin = source.execute("SELECT made_of FROM origin").fetchone()
            if state != ("ok",) or origin != (made_of,):
                return False
            source.backup(tables)
            return True
    except sqlite3.Error:
        return False


def write_tables(tables: sqlite3.Connection, file: Path) -> None:
    """Replace a file by tables, all or nothing; leave it as it is where it cannot be written."""
    scratch = file.with_name(f".{file.name}.{token_hex(8)}.unfinished")
    try:
        with contextlib.suppress(OSError, sqlite3.Error):
            file.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(sqlite3.connect(scratch)) as target:
                tables.backup(target)
            os.replace(scratch, file)
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def _fill(
    tables: sqlite3.Connection,
    records: VenueRecords,
    columns: Mapping[str, Sequence[str]],
    rules: RuleSet,
    made_of: str,
) -> None:
    """Create the tables, and fill them with venues and with the matches of stored values.

    Args:
        tables: An empty database.
        records: The venues.
        columns: Domain -> the columns of its table.
        rules: The rule set, which normalises values.
        made_of: Identifies the records and rules.
    """
    # Imports SQLAlchemy late: it takes 0.2 s, and a score on an installed benchmark does without.
    from sqlalchemy import Column, Index, Integer, MetaData, String, Table, create_engine, insert
    from sqlalchemy.pool import StaticPool

    schema = MetaData()
    origin = Table("origin", schema, Column("made_of", String))
    keys = ("domain", "column", "value", "stored")
    key_columns = [Column(key, String, primary_key=True) for key in keys]
    Table("matches", schema, *key_columns, sqlite_with_rowid=False)
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
                add_matches(tables, domain, name, None, rules)


def _row(
    record: Mapping[str, object], domain: str, columns: Sequence[str], rules: RuleSet
) -> dict[str, str | int | None]:
    """Return the row of a venue: column -> value."""
    by_slot = {normalize_slot_name(key, rules): value for key, value in record.items()}
    venue = rules.venue_rules[domain]
    slots = {name: name for name in columns}
    slots[IDENTIFIER] = venue.identifier
    row: dict[str, str | int | None] = {}
    for column, slot in slots.items():
        value = by_slot.get(slot)
        is_time = slot in venue.times
        if not isinstance(value, str) or (value == rules.unknown and is_time):
            row[column] = None
            continue
        if rules.normalises_venues and value != rules.unknown:
            value = normalize_value(slot, value, rules)
        row[column] = minutes(value) if is_time else value
    return row


def add_matches(
    tables: sqlite3.Connection, domain: str, column: str, value: str | None, rules: RuleSet
) -> None:
    """Match a value with those that a fuzzy column holds, and add what it matches to `matches`.

    Every value matches the unknown one, and so has a row even if it matches nothing else.

    Args:
        tables: The tables.
        domain: The domain.
        column: A fuzzy column of its table.
        value: The value; None to match every value that the column holds.
        rules: The rule set.
    """
    name = quoted(column)
    rows = tables.execute(f"SELECT DISTINCT {name} FROM {quoted(domain)} WHERE {name} IS NOT NULL")
    stored_values = [stored for (stored,) in rows]
    matches = []
    for matched in stored_values if value is None else [value]:
        matches.append((domain, column, matched, rules.unknown))
        for stored in stored_values:
            if stored != rules.unknown and reaches(stored, matched, rules.fuzzy_ratio):
                matches.append((domain, column, matched, stored))
    tables.executemany("INSERT OR IGNORE INTO matches VALUES (?, ?, ?, ?)", matches)


def quoted(name: str) -> str:
    """Return the name of a table or column as SQL has it."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


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
        made_of: Identifies the records and rules. A file made of others is replaced.

    >>> from mwz.normalization import rule_set
    >>> inns = [{"id": "1", "name": "oak inn"}, {"id": "2", "name": "the elm tree"}]
    >>> database = VenueDatabase({"hotel": inns}, rule_set("2021"))
    >>> list(database.query("hotel", {"name": "elm tree"}))
    ['2']
    """

    def __init__(
        self, records: VenueRecords, rules: RuleSet, file: Path | None = None, made_of: str = ""
    ) -> None:
        self._rules = rules
        self._file = file
        # The columns that a query can constrain: those of the rule set that a domain's first record
        # has, called as slots are.
        self._columns: dict[str, list[str]] = {}
        for domain, venue in rules.venue_rules.items():
            keys = records[domain][0] if records.get(domain) else ()
            slots = {normalize_slot_name(key, rules) for key in keys}
            self._columns[domain] = sorted(slots.intersection(venue.columns))
        # None: each statement is its own transaction. A score has more than a hundred different
        # queries; preparing them takes longer than asking them.
        self._tables = sqlite3.connect(
            ":memory:", isolation_level=None, check_same_thread=False, cached_statements=1000
        )
        if file is None or not _read(self._tables, file, made_of):
            _fill(self._tables, records, self._columns, rules, made_of)
            if file is not None:
                write_tables(self._tables, file)
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
        """Ask the tables. What a new value matches in a fuzzy column is added to them."""
        if domain not in self._columns:
            return _as_set(())
        venue = self._rules.venue_rules[domain]
        conditions = ["TRUE"]
        parameters: list[str | int] = []
        with self._lock:
            if len(self._matched) >= _MOST_VALUES:
                # Values that still come are matched again.
                self._tables.execute("DELETE FROM matches")
                self._matched.clear()
            # In one order, so that SQLite prepares fewer statements.
            for column, value in sorted(constraints):
                if column not in self._columns[domain] or self._rules.asks_for_nothing(value):
                    continue
                name = quoted(column)
                wanted = normalize_value(column, value, self._rules)
                # SQL takes no half of a surrogate pair; a venue has none, nor its replacement.
                text = wanted.encode(errors="replace").decode()
                if column in venue.times:
                    comparison = "<=" if column in venue.latest else ">="
                    conditions.append(f"({name} IS NULL OR {name} {comparison} ?)")
                    parameters.append(minutes(wanted))
                elif column in venue.fuzzy:
                    if (domain, column, text) not in self._matched:
                        add_matches(self._tables, domain, column, text, self._rules)
                        self._matched.add((domain, column, text))
                        self._unwritten += 1
                    conditions.append(f"{name} IN ({_MATCHING_VALUES})")
                    parameters += [domain, column, text]
                else:
                    conditions.append(f"{name} IN (?, ?)")
                    parameters += [text, self._rules.unknown]
            if self._file is not None and self._unwritten >= _WRITTEN_TOGETHER:
                write_tables(self._tables, self._file)
                self._unwritten = 0
            where = " AND ".join(conditions)
            statement = f"SELECT {ROW} FROM {quoted(domain)} WHERE {where} ORDER BY {ROW}"
            rows = self._tables.execute(statement, parameters).fetchall()
        identifiers = self._identifiers[domain]
        return _as_set(tuple(identifiers[row] for (row,) in rows))
