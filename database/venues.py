"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import or_
from typing import Any, Protocol, TypeAlias, TypeVar

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

from mwz.normalization.rules import RuleSet, VenueRules
from mwz.normalization.states import minutes, normalize_slot_name, normalize_value

from . import EMBEDDED
from .bits import Bits, bits_at, places_in

_T = TypeVar("_T")

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


_REMEMBERED = 1 << 15
"""How many queries are remembered as they were asked."""


class _Source(Protocol):
    """Where rows of a domain's table are found: SQL, or what it answered beforehand."""

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Iterable[int]:
        """Return the places of the rows with one of some values in a column; None for all rows."""


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

    Attributes:
        tables: What else queries need.
        places: Domain -> column -> value -> the places of the rows that have it, in order.
        similar: Domain -> fuzzy column -> value -> the values that match it.
    """

    tables: VenueTables
    places: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]]
    similar: Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Iterable[int]:
        """Return the places of the rows with one of some values in a column; None for all rows."""
        if column is None:
            return range(len(self.tables.identifiers[domain]))
        places = self.places[domain][column]
        return chain.from_iterable(places[value] for value in set(values))


_Rows: TypeAlias = Bits
"""Rows of a table: bit n is the row at place n."""


class _Times:
    """The rows of a table by the time in a column.

    Args:
        minutes: The time of each row, None if not known: it meets every constraint.
    """

    def __init__(self, minutes: Sequence[int | None]) -> None:
        rows: dict[int | None, _Rows] = {None: 0}
        for place, own in enumerate(minutes):
            rows[own] = rows.get(own, 0) | 1 << place
        self._unknown = rows.pop(None)
        self._sorted = sorted(own for own in rows if own is not None)
        self._until: list[_Rows] = [0, *accumulate((rows[own] for own in self._sorted), or_)]

    def no_later(self, bound: int) -> _Rows:
        """Return the rows with a time no later than a bound."""
        return self._unknown | self._until[bisect_right(self._sorted, bound)]

    def no_earlier(self, bound: int) -> _Rows:
        """Return the rows with a time no earlier than a bound."""
        before = self._until[bisect_left(self._sorted, bound)]
        return self._unknown | self._until[-1] ^ before


class Venues(Set[str]):
    """What a query finds: ids of venues, in the records' order.

    Answers about the same venues are compared by their rows; ids are put together when they are
    asked for.

    Args:
        rows: The rows found.
        first: The first row of the table for each id of these.
        identifiers: The id of each row of the table.
    """

    __slots__ = ("_first", "_found", "_identifiers", "_rows")

    def __init__(self, rows: _Rows, first: _Rows, identifiers: Sequence[str]) -> None:
        self._rows, self._first, self._identifiers = rows, first, identifiers
        self._found: dict[str, None] | None = None

    def __contains__(self, id_: object) -> bool:
        return id_ in self._ids()

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids())

    def __len__(self) -> int:
        return self._first.bit_count()

    def __le__(self, other: Set[Any]) -> bool:
        if isinstance(other, Venues) and other._identifiers is self._identifiers:
            return not self._first & ~other._first
        return super().__le__(other)

    def isdisjoint(self, other: Iterable[Any]) -> bool:
        """Return whether none of some ids is among these."""
        if isinstance(other, Venues) and other._identifiers is self._identifiers:
            return not self._first & other._first
        return super().isdisjoint(other)

    @classmethod
    def _from_iterable(cls, ids: Iterable[_T]) -> Set[_T]:
        return frozenset(ids)

    def _ids(self) -> dict[str, None]:
        if self._found is None:
            self._found = dict.fromkeys(self._identifiers[at] for at in places_in(self._rows))
        return self._found


class VenueDatabase:
    """The venues of a benchmark in a SQL database. Equal queries are answered once.

    Threads may share it.

    Args:
        records: domain -> venue records with the keys of the public database files; keys that
            are no column of the domain are ignored.
        rules: The rule set that normalises constraint values.
        url: A SQLAlchemy database URL. Tables named `mwz_…` are created there if needed, and
            filled unless they already hold these very records.
        prepared: What `prepared_venues` returned for these records and rules. No database of the
            default URL is opened then: there is nothing left to ask it.

    Raises:
        ChangedVenuesError: The database holds these records, but changed since.
        sqlalchemy.exc.SQLAlchemyError: The database cannot be reached or written.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[Mapping[str, Any]]],
        rules: RuleSet,
        url: str = EMBEDDED,
        prepared: PreparedVenues | None = None,
    ) -> None:
        self._rules = rules
        self._source: _Source
        self._matching: dict[tuple[str, str, str], tuple[str, ...]] = {}
        if prepared is not None and url == EMBEDDED:
            self._tables, self._source = prepared.tables, prepared
            for domain, columns in prepared.similar.items():
                for column, values in columns.items():
                    for value, matching in values.items():
                        self._matching[domain, column, value] = tuple(matching)
        else:
            from .stored import StoredVenues  # SQLAlchemy is slow to import

            rows, self._tables = _rows_and_tables(records, rules)
            self._source = StoredVenues(rows, rules, url)
        self._twins: dict[str, tuple[_Rows, Mapping[int, int]]] = {}
        self._times: dict[tuple[str, str], _Times] = {}
        self._rows: dict[tuple[str, str | None, tuple[str, ...]], _Rows] = {}
        self._met: dict[tuple[str, str, str], _Rows] = {}
        self._answers: dict[tuple[str, _Rows], Venues] = {}
        self._queries: dict[tuple[Any, ...], Venues] = {}

    def query(self, domain: str, constraints: Mapping[str, str]) -> Venues:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots and values such as `dontcare` are ignored.
        """
        if domain not in self._tables.identifiers:
            return _NOTHING
        # Turn after turn has the constraints of the turn before.
        key = (domain, *constraints.items())
        answer = self._queries.get(key)
        if answer is None:
            if len(self._queries) >= _REMEMBERED:
                self._queries, self._met = {}, {}
            answer = self._queries[key] = self._answer(domain, constraints)
        return answer

    def _answer(self, domain: str, constraints: Mapping[str, str]) -> Venues:
        """Answer a query: put together the rows that meet each constraint.

        Systems put few constraints together in many ways, so that most rows are known.
        """
        rows = None
        columns, ignored = self._tables.columns[domain], self._rules.no_constraint
        for column, value in constraints.items():
            if value in ignored or column not in columns:
                continue
            meeting = self._met.get((domain, column, value))
            if meeting is None:
                meeting = self._meeting(domain, column, value)
            rows = meeting if rows is None else rows & meeting
        if rows is None:
            rows = self._selected(domain, None, ())
        answer = self._answers.get((domain, rows))
        if answer is None:
            identifiers = self._tables.identifiers[domain]
            answer = Venues(rows, self._first_rows(domain, rows), identifiers)
            self._answers[domain, rows] = answer
        return answer

    def _first_rows(self, domain: str, rows: _Rows) -> _Rows:
        """Return the first row of the table for each id of some rows: some trains have two."""
        if domain not in self._twins:
            first: dict[str, int] = {}
            places = enumerate(self._tables.identifiers[domain])
            twins = {
                place: at for place, id_ in places if (at := first.setdefault(id_, place)) != place
            }
            self._twins[domain] = bits_at(twins), twins
        mask, first_of = self._twins[domain]
        found = rows & mask
        return rows ^ found | bits_at([first_of[place] for place in places_in(found)])

    def _meeting(self, domain: str, column: str, value: str) -> _Rows:
        """Find the rows that meet a constraint, and remember them."""
        normalized = normalize_value(column, value, self._rules)
        if column in self._tables.times[domain]:
            rows = self._in_time(domain, column, minutes(normalized))
        else:
            matching = self._matching_values(domain, column, normalized)
            rows = self._selected(domain, column, matching) if matching else 0
        self._met[domain, column, value] = rows
        return rows

    def _matching_values(self, domain: str, column: str, value: str) -> tuple[str, ...]:
        """Return the values of a column that match a constraint's value."""
        key = (domain, column, value)
        if key not in self._matching:
            fuzzy = column in self._rules.venue_rules[domain].fuzzy
            self._matching[key] = tuple(
                own
                for own in self._tables.values[domain][column]
                if own in (self._rules.unknown, value)
                or (fuzzy and reaches(own, value, self._rules.fuzzy_ratio))
            )
        return self._matching[key]

    def _selected(self, domain: str, column: str | None, values: tuple[str, ...]) -> _Rows:
        """Return the rows with one of some values in a column; without one, all.

        Nothing else asks the database, each set of values once, so that who needs to can tell what
        went wrong with it.
        """
        key = (domain, column, values)
        if key not in self._rows:
            self._rows[key] = bits_at([*self._source.selected(*key)])
        return self._rows[key]

    def _in_time(self, domain: str, column: str, bound: int) -> _Rows:
        """Return the rows with a time no later, or no earlier, or none that is known."""
        times = self._times.get((domain, column))
        if times is None:
            times = self._times[domain, column] = _Times(self._tables.times[domain][column])
        latest = column in self._rules.venue_rules[domain].latest
        return times.no_later(bound) if latest else times.no_earlier(bound)


_NOTHING = Venues(0, 0, ())


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
    stored = StoredVenues(rows, rules, EMBEDDED)
    places = {
        domain: {column: stored.by_value(domain, column) for column in columns}
        for domain, columns in tables.values.items()
    }
    database = VenueDatabase(records, rules, prepared=PreparedVenues(tables, places, {}))
    similar = {
        domain: {
            column: {
                value: database._matching_values(domain, column, value)
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
