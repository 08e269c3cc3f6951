"""What the site shows: the entries as the board ranks them, and what public tables report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets

from ...comparison.interval import Interval
from ..entries import Entry, read_note
from ..leaderboard import Row, rows
from ..lexicalised_board import LexicalisedRow, lexicalised_rows, tracked_reports
from ..pairs import RANKING, Pairs, read_pairs
from ..record import OFFICIAL, official_verdict, table_claims
from ..reported import ReportedTable, read_reported
from ..tracking_board import TrackingRow, tracking_tables


@dataclass(frozen=True)
class Contents:
    """All that the pages are made from.

    Attributes:
        rules: The rule set that ranks.
        entries: All entries, by key.
        ranked: Rule set -> the board's rows under it, of the rule sets that entries are scored
            under; that which ranks comes first.
        english: The systems in plain English, as the board ranks them.
        tracking: The tables of state tracking, one per set of gold states.
        tables: The public tables.
        note: What is to be said of all scores; empty if nothing.
        pairs: The entries compared, two by two, as far as that is stored.
    """

    rules: str
    entries: Sequence[Entry]
    ranked: Mapping[str, Sequence[Row]]
    english: Sequence[LexicalisedRow]
    tracking: Sequence[Sequence[TrackingRow]]
    tables: Sequence[ReportedTable]
    note: str
    pairs: Pairs

    @property
    def rows(self) -> Sequence[Row]:
        """The board's rows, the ranked ones first, each track's best first."""
        return self.ranked[self.rules]

    @property
    def other_rules(self) -> list[str]:
        """The rule sets besides the one that ranks."""
        return [name for name in self.ranked if name != self.rules]

    def verdict(self, entry: Entry) -> str | None:
        """Return whether the public board's row of an entry is the harness's; None without one."""
        verdicts = [
            official_verdict(entry, claim, self.rules)
            for table in self.tables
            if table.kind == OFFICIAL
            for line in table.rows
            if line.entry == entry.key
            for claim in table_claims(table, line)
        ]
        return "; ".join(verdicts) or None

    def interval(self, entry: Entry, figure: str) -> Interval | None:
        """Return the interval of a strict figure; None where none is kept under the rule set."""
        kept = entry.scores.dialogues
        if kept is None or self.rules != DEFAULT_RULES:
            return None
        return kept.intervals.scores.get(figure)

    def tied_with_best(self, track: str) -> set[str]:
        """Return the keys of a track's rows that cannot be told apart from its best one."""
        ranked = [
            row.entry.key
            for row in self.rows
            if row.entry.system.track == track and row.rank is not None
        ]
        if self.rules != DEFAULT_RULES:
            return set()
        standings = self.pairs.standings(ranked)
        return {
            key
            for key, standing in standings.items()
            if standing.best is not None and not standing.best.figures[RANKING].distinct
        }


def read_contents(
    folder: Path, entries: Sequence[Entry], rules: str, pairs: Pairs | None = None
) -> Contents:
    """Return what the site of a folder of submissions shows.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        rules: The rule set that ranks.
        pairs: The entries compared two by two; None for what the folder holds of it.

    Raises:
        InputError: Something is wrong with what the folder holds.
    """
    in_order = sorted(entries, key=lambda entry: entry.key)
    ranked = {name: rows(in_order, name) for name in (rules, *published_rule_sets())}
    english = lexicalised_rows(in_order, rules)
    reports = {row.entry.key: row.report for row in ranked[rules]}
    return Contents(
        rules=rules,
        entries=in_order,
        ranked={name: found for name, found in ranked.items() if found or name == rules},
        english=english,
        tracking=tracking_tables(in_order, {**reports, **tracked_reports(english)}),
        tables=read_reported(folder),
        note=read_note(folder),
        pairs=read_pairs(folder, in_order) if pairs is None else pairs,
    )
