"""Queries to the venue database.

A query is a domain and constraints (slot -> value). A venue matches if it meets every constraint:
its own value is unknown (`?`), or it arrives no later or leaves no earlier, or, in a fuzzy
column, the partial ratio of the two strings is at least 90, or else the values are equal.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

from collections.abc import KeysView, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

from mwz.normalization.rules import RuleSet, VenueRules
from mwz.normalization.states import minutes, normalize_slot_name, normalize_value

from . import EMBEDDED

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


_Criterion: TypeAlias = "tuple[str, int | tuple[str, ...]]"
"""A column, and what its values must be: minutes for a time, else those of its own that match."""


_REMEMBERED = 1 << 15
"""How many queries are remembered as they were asked."""


class _Source(Protocol):
    """Where rows of a domain's table are found: SQL, or what it answered beforehand."""

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Sequence[int]:
        """Return the places of the rows with one of some values in a column, in order."""


@dataclass(frozen=True)
class PreparedVenues:
    """What SQL answers about venues, asked beforehand. Plain data, as JSON types.

    Attributes:
        rows: Domain -> rows of its table.
        columns: Domain -> the columns that a query can constrain.
        places: Domain -> column -> value -> the places of the rows that have it, in order.
    """

    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    columns: Mapping[str, Sequence[str]]
    places: Mapping[str, Mapping[str, Mapping[str, Sequence[int]]]]

    def selected(self, domain: str, column: str | None, values: Sequence[str]) -> Sequence[int]:
        """Return the places of the rows with one of some values in a column; None for all rows."""
        if column is None:
            return range(len(self.rows[domain]))
        places = self.places[domain][column]
        return sorted(place for value in set(values) for place in places[value])


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
        self._rows: Mapping[str, Sequence[Mapping[str, Any]]]
        self._columns: Mapping[str, Sequence[str]]
        self._source: _Source
        if prepared is not None and url == EMBEDDED:
            self._rows, self._columns, self._source = prepared.rows, prepared.columns, prepared
        else:
            from .stored import StoredVenues  # SQLAlchemy is slow to import

            self._rows, self._columns = _rows_and_columns(records, rules)
            self._source = StoredVenues(self._rows, rules, url)
        self._matching: dict[tuple[str, str, str], tuple[str, ...]] = {}
        self._distinct: dict[tuple[str, str], tuple[str, ...]] = {}
        self._places: dict[tuple[str, _Criterion | None], KeysView[int]] = {}
        self._answers: dict[tuple[str, tuple[_Criterion, ...]], KeysView[str]] = {}
        self._queries: dict[tuple[Any, ...], KeysView[str]] = {}

    def query(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
        """Return the ids of the matching venues (trains: train ids), in the records' order.

        Args:
            domain: Any domain; one without venues has no results.
            constraints: Slot -> value. Unknown slots and values such as `dontcare` are ignored.
        """
        if domain not in self._rows:
            return _NOTHING
        # Turn after turn has the constraints of the turn before.
        key = (domain, *constraints.items())
        answer = self._queries.get(key)
        if answer is None:
            if len(self._queries) >= _REMEMBERED:
                self._queries = {}
            answer = self._queries[key] = self._answer(domain, constraints)
        return answer

    def _answer(self, domain: str, constraints: Mapping[str, str]) -> KeysView[str]:
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
            # A time is no criterion that rows are selected by.
            assert not isinstance(values, int)
            selected = self._source.selected(domain, column, values)
            places = self._places[domain, criterion] = dict.fromkeys(selected).keys()
        return places


def _in_time(own: int | None, bound: Any, latest: bool) -> bool:
    """Return whether a venue's own time, None if not known, is no later or no earlier."""
    return own is None or (own <= bound if latest else own >= bound)


_NOTHING: KeysView[str] = dict[str, None]().keys()


def prepared_venues(
    records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> PreparedVenues:
    """Ask SQL for the rows by every value of every column, once for all.

    Args:
        records: As for `VenueDatabase`.
        rules: The rule set.
    """
    from .stored import StoredVenues

    rows, columns = _rows_and_columns(records, rules)
    stored = StoredVenues(rows, rules, EMBEDDED)
    return PreparedVenues(
        rows,
        columns,
        {
            domain: {
                column: stored.by_value(domain, column)
                for column in columns[domain]
                if column not in venue.times
            }
            for domain, venue in rules.venue_rules.items()
        },
    )


def _rows_and_columns(
    records: Mapping[str, Sequence[Mapping[str, Any]]], rules: RuleSet
) -> tuple[dict[str, list[dict[str, Any]]], dict[str, tuple[str, ...]]]:
    """Return domain -> rows of its table, and domain -> the columns that a query can constrain.

    Columns are called as slots are. A query can constrain those that the first record has.
    """
    rows: dict[str, list[dict[str, Any]]] = {}
    columns: dict[str, tuple[str, ...]] = {}
    for domain, venue in rules.venue_rules.items():
        by_slot = [
            {normalize_slot_name(key, rules): value for key, value in record.items()}
            for record in records.get(domain, ())
        ]
        first = by_slot[0] if by_slot else {}
        columns[domain] = tuple(sorted(first.keys() & set(venue.columns)))
        rows[domain] = [
            {
                "place": place,
                **{name: _stored(name, values.get(name), venue, rules) for name in venue.columns},
            }
            for place, values in enumerate(by_slot)
        ]
    return rows, columns


def _stored(column: str, value: object, venue: VenueRules, rules: RuleSet) -> str | int | None:
    """Return a record's value as its column holds it: a time in minutes, None if not known."""
    if not isinstance(value, str):
        return None
    if value == rules.unknown:
        return None if column in venue.times else value
    if rules.normalises_venues:
        value = normalize_value(column, value, rules)
    return minutes(value) if column in venue.times else value
