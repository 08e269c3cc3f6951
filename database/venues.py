"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

from collections.abc import Iterable, KeysView, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import RLock
from typing import Any, Protocol

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

from mwz.normalization.rules import RuleSet, VenueRules
from mwz.normalization.states import minutes, normalize_slot_name, normalize_value

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


class _Source(Protocol):
    """Where rows of a domain's table are found: SQL, or what it answered beforehand."""

    def selected(self, domain: str, column: str, values: Iterable[str]) -> Iterable[int]:
        """Return the places of the rows with one of some values in a column."""


@dataclass(frozen=True)
class VenueTables:
    """What queries need to know of venues besides which rows have a value.

    Attributes:
        identifiers: Domain -> the ids of its venues, in order.
        columns: Domain -> the columns that a query can constrain.
        values: Domain -> such a column of texts -> its values, each once.
        times: Domain -> such a column of times -> minutes of each venue, None if not known.
    """

    identifiers: Mapping[str, Sequence[str]]
    columns: Mapping[str, Sequence[str]]
    values: Mapping[str, Mapping[str, Sequence[str]]]
    times: Mapping[str, Mapping[str, Sequence[int | None]]]


@dataclass(frozen=True)
class PreparedVenues:
    """What SQL answers about venues, asked beforehand. Plain data, as JSON types.

    A shortcut: an installed benchmark keeps the answers, so that a score loads no SQLAlchemy.

    Attributes:
        tables: What else queries need.
        places: Domain -> column -> value -> the places of the rows that have it, in order.
        similar: Domain -> fuzzy column -> value -> the values that match it.
    """

    tables: VenueTables
    places: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]]
    similar: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]

    def selected(self, domain: str, column: str, values: Iterable[str]) -> Iterable[int]:
        """Return the places of the rows with one of some values in a column."""
        places = self.places[domain][column]
        return {place for value in values for place in places[value]}


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
        prepared: PreparedVenues | None = None,
    ) -> None:
        self._records, self._rules, self._prepared = records, rules, prepared
        self._lock = RLock()
        # Turn after turn has the constraints of the turn before.
        self._answered = lru_cache(maxsize=_MOST_QUERIES)(self._answer)
        self._met = lru_cache(maxsize=_MOST_QUERIES)(self._rows_meeting)

    def query(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots and values such as `dontcare` are ignored.
        """
        return self._answered(domain, *constraints.items())

    def _answer(self, domain: str, *constraints: tuple[str, str]) -> KeysView[str]:
        """Answer a query: put together the rows that meet each constraint."""
        identifiers = self._tables.identifiers.get(domain, ())
        columns, ignored = self._tables.columns.get(domain, ()), self._rules.no_constraint
        rows: frozenset[int] | None = None
        for column, value in constraints:
            if column in columns and value not in ignored:
                met = self._met(domain, column, value)
                rows = met if rows is None else rows & met
        places = range(len(identifiers)) if rows is None else sorted(rows)
        return _ids(tuple(identifiers[place] for place in places))

    def _rows_meeting(self, domain: str, column: str, value: str) -> frozenset[int]:
        """Return the places of the rows that meet a constraint."""
        normalized = normalize_value(column, value, self._rules)
        if column in self._tables.times[domain]:
            return self._in_time(domain, column, minutes(normalized))
        matching = self._matching(domain, column, normalized)
        with self._lock:
            return frozenset(self._source.selected(domain, column, matching))

    def _matching(self, domain: str, column: str, value: str) -> Sequence[str]:
        """Return the values of a column that match a constraint's value."""
        if self._prepared is not None:
            known = self._prepared.similar.get(domain, {}).get(column, {}).get(value)
            if known is not None:
                return known
        fuzzy = column in self._rules.venue_rules[domain].fuzzy
        return [
            own
            for own in self._tables.values[domain][column]
            if own in (self._rules.unknown, value)
            or (fuzzy and reaches(own, value, self._rules.fuzzy_ratio))
        ]

    def _in_time(self, domain: str, column: str, bound: int) -> frozenset[int]:
        """Return the rows with a time no later, or no earlier, or none that is known."""
        latest = column in self._rules.venue_rules[domain].latest
        times = enumerate(self._tables.times[domain][column])
        return frozenset(
            place
            for place, time in times
            if time is None or (time <= bound if latest else time >= bound)
        )

    @cached_property
    def _rows_and_tables(self) -> tuple[dict[str, list[dict[str, Any]]], VenueTables]:
        return _rows_and_tables(self._records, self._rules)

    @cached_property
    def _tables(self) -> VenueTables:
        return self._rows_and_tables[1] if self._prepared is None else self._prepared.tables

    @cached_property
    def _source(self) -> _Source:
        if self._prepared is not None:
            return self._prepared
        from .stored import StoredVenues  # SQLAlchemy is slow to import

        return StoredVenues(self._rows_and_tables[0], self._rules)


def prepared_venues(
    records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> PreparedVenues:
    """Ask SQL for the rows by every value of every column, once for all.

    Args:
        records: As for `VenueDatabase`.
        rules: The rule set.
    """
    from .stored import StoredVenues

    rows, tables = _rows_and_tables(records, rules)
    stored = StoredVenues(rows, rules)
    places = {
        domain: {
            column: {value: stored.selected(domain, column, [value]) for value in values}
            for column, values in columns.items()
        }
        for domain, columns in tables.values.items()
    }
    database = VenueDatabase(records, rules)
    similar = {
        domain: {
            column: {
                value: database._matching(domain, column, value)
                for value in tables.values[domain].get(column, ())
            }
            for column in sorted(venue.fuzzy)
        }
        for domain, venue in rules.venue_rules.items()
    }
    return PreparedVenues(tables, places, similar)


def _rows_and_tables(
    records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> tuple[dict[str, list[dict[str, Any]]], VenueTables]:
    """Return domain -> rows of its table, and what else queries need to know of them.

    Columns are called as slots are. A query can constrain those that the first record has.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    columns: dict[str, tuple[str, ...]] = {}
    values: dict[str, dict[str, tuple[str, ...]]] = {}
    times: dict[str, dict[str, tuple[int | None, ...]]] = {}
    for domain, venue in rules.venue_rules.items():
        by_slot = [
            {normalize_slot_name(key, rules): value for key, value in record.items()}
            for record in records.get(domain, ())
        ]
        rows[domain] = [
            {
                "place": place,
                **{name: _stored(name, own.get(name), venue, rules) for name in venue.columns},
            }
            for place, own in enumerate(by_slot)
        ]
        first = by_slot[0] if by_slot else {}
        columns[domain] = tuple(sorted(first.keys() & set(venue.columns)))
        of_column = {name: tuple(row[name] for row in rows[domain]) for name in columns[domain]}
        times[domain] = {name: of_column[name] for name in columns[domain] if name in venue.times}
        values[domain] = {
            name: tuple(value for value in dict.fromkeys(own) if value is not None)
            for name, own in of_column.items()
            if name not in venue.times
        }
    identifiers = {
        domain: tuple(row[venue.identifier] for row in rows[domain])
        for domain, venue in rules.venue_rules.items()
    }
    return rows, VenueTables(identifiers, columns, values, times)


def _stored(column: str, value: object, venue: VenueRules, rules: RuleSet) -> str | int | None:
    """Return a record's value as its column holds it: a time in minutes, None if not known."""
    if not isinstance(value, str):
        return None
    if value == rules.unknown:
        return None if column in venue.times else value
    if rules.normalises_venues:
        value = normalize_value(column, value, rules)
    return minutes(value) if column in venue.times else value
