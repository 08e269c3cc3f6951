"""The tables of the board and their columns, each declared once: all views show these.

Those of delexicalised responses stand here with their tracks: end-to-end systems, policy
optimisation, references. Other tracks bring their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import Generic, TypeVar

from ..benchmark import CANONICAL_STYLE, STYLES
from ..glossary import glossary
from ..metrics import MAIN_SETUP, RANKED, reported_figures, setup_figure_name
from .copied import Copies
from .entries import Entry
from .entry_scores import read_responses
from .model import Board, public_verdict
from .reported import ReportedRow, ReportedTable
from .rows import (
    NOTHING,
    REFERENCE,
    SETUP_FIGURES,
    TOTALS,
    Row,
    Value,
    as_played,
    figure_of,
    ranked,
    response_row,
)
from .scores import FIGURES
from .track import Track, tracks

FIRST = ("combined", "success", "inform", "bleu", "success-reported", "inform-reported")
"""Keys of the columns that a web page begins with, where a phone shows them: what ranks first."""

OTHER_METRICS = "other metrics"
"""What stands above the titles of metrics that no other table has."""

_R = TypeVar("_R", bound=Row | ReportedRow)


@dataclass(frozen=True)
class Column(Generic[_R]):
    """A column of the board's tables, declared once for every view.

    Attributes:
        key: What scripts call it.
        term: What it shows, by its key in the glossary's `columns`, if it is there.
        value: What stands in it.
        above: What stands above the title where columns have a second line, such as the rule set.
        alone: The title where they have not; the title itself if empty.
        numbers: Whether it holds figures, which are aligned to the right.
        visible: Whether the web page shows it before a reader chose columns: "always", "chosen" for
            columns that a reader must choose, "never" for what only texts and downloads have.
        field: What downloads call it; the key with `_` for `-` if empty.
    """

    key: str
    term: str
    value: Callable[[_R], Value]
    above: str = ""
    alone: str = ""
    numbers: bool = True
    visible: str = "always"
    field: str = ""

    @property
    def name(self) -> str:
        """What downloads call it."""
        return self.field or self.key.replace("-", "_")

    @property
    def title(self) -> str:
        """What it shows: the glossary's title of its term."""
        columns = glossary()["columns"]
        return columns[self.term].title if self.term in columns else self.term

    @property
    def full_title(self) -> str:
        """The title where nothing stands above it."""
        return self.alone or self.title


@dataclass(frozen=True)
class BoardTable:
    """A table of the board.

    Attributes:
        key: What scripts call it.
        track: Its track.
        title: What it shows.
        rows: Its rows, the best first.
        columns: Its columns besides rank and name.
        references: Reference rows that its systems are to be seen beside, the best first; none
            if it has no rows.
    """

    key: str
    track: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]
    references: Sequence[Row] = ()

    @property
    def systems(self) -> list[Row]:
        """Its rows as pages show them: those that have the same stand in one."""
        return [row for row in self.rows if row.stands]

    @property
    def by_key(self) -> dict[str, Column[Row]]:
        """Key -> column."""
        return {column.key: column for column in self.columns}

    @property
    def lines(self) -> list[Row]:
        """The same, and below them the reference rows."""
        return [*self.systems, *self.references]


def board_tables(board: Board) -> list[BoardTable]:
    """Return the tables of a board by track; those of delexicalised responses even without rows."""
    tables = []
    for name, track in tracks().items():
        for place, rows in enumerate(board.tables_by_track[name]):
            key, title = name, f"{track.title}, rule set {board.rules}"
            if rows and rows[0].table:
                key, title = f"{name}-{place}", rows[0].table
            references: Sequence[Row] = ()
            if rows and track.delexicalised and track.ranks:
                references = board.of_track(REFERENCE)
            columns = track.columns(board, rows)
            tables.append(BoardTable(key, name, title, rows, columns, references))
    return tables


def first_columns(table: BoardTable) -> Sequence[Column[Row]]:
    """Return the columns of a table that are always shown, or all if none is."""
    return [column for column in table.columns if column.visible == "always"] or table.columns


def shown_figures(board: Board, key: str) -> Iterator[tuple[BoardTable, Row, Column[Row], Value]]:
    """Yield each scored figure of an entry that tables always show, and where it stands."""
    for table in board_tables(board):
        for row in table.rows:
            if row.key == key:
                for column in first_columns(table):
                    value = column.value(row)
                    if value.number is not None and value.gap is None:
                        yield table, row, column, value


def printed_columns(table: ReportedTable, rows: Sequence[ReportedRow]) -> list[Column[ReportedRow]]:
    """Return the columns of a public table that some of the rows have a figure in."""

    def printed(row: ReportedRow, name: str) -> Value:
        return Value(words=row.figures.get(name, NOTHING))

    listed = []
    for name in table.columns:
        if any(name in row.figures for row in rows):
            listed.append(Column(name.lower(), name, partial(printed, name=name)))
    return listed


def answer(board: Board, table: BoardTable) -> str:
    """Return who is the best of a table, as a sentence or two; empty if fewer than two are ranked.

    The best is tied with every system that compares with it and is not significantly worse.

    Args:
        board: The board.
        table: One of its tables.
    """
    rows = [row for row in table.systems if row.rank is not None]
    if len(rows) < 2:
        return ""
    track, by_key = tracks()[table.track], table.by_key
    # Of gold states of another version, the column says which.
    ranking = by_key.get(track.ranks, table.columns[0]).full_title
    # Pairs are compared by what ranks, where there are bands.
    pairs = board.pairs if board.bands(table.track) else {}
    tests = [pairs.get((rows[0].pair_key, row.pair_key)) for row in rows[1:]]
    if any(tests):
        tied = [rows[0]]
        for row, test in zip(rows[1:], tests, strict=True):
            if test is not None and not test.ranking.distinct:
                tied.append(row)
    else:
        tied = [row for row in rows if row.rank == 1]
    names = in_words([row.name for row in tied])
    if not any(tests):
        verb = "leads" if len(tied) == 1 else "lead"
        sentence = f"{names} {verb} by {ranking}; no test compares the systems."
    elif len(tied) == 1:
        whom = "all others" if all(tests) else "all that compare with it"
        sentence = f"{names} is the best: significantly ahead of {whom} on {ranking}."
    else:
        sentence = f"No single best: {names} are statistically tied on {ranking}."
    leads = _leads(rows, [by_key[key] for key in track.leads if key in by_key])
    return f"{sentence} {leads}." if leads else sentence


def _leads(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> str:
    """Return who has the highest figure of each column, all of them where several have."""
    titles_by_leaders: dict[tuple[str, ...], list[str]] = {}
    for column in columns:
        numbers = {}
        for row in rows:
            number = column.value(row).number
            if number is not None:
                numbers[row.name] = number
        if numbers:
            best = max(numbers.values())
            leaders = tuple(name for name, number in numbers.items() if number == best)
            titles_by_leaders.setdefault(leaders, []).append(column.full_title)
    phrases: list[str] = []
    for leaders, titles in titles_by_leaders.items():
        subject = in_words(leaders)
        # The verb is said once.
        if not phrases:
            subject += " have the highest" if len(leaders) > 1 else " has the highest"
        phrases.append(f"{subject} {in_words(titles)}")
    return ", ".join(phrases)


def in_words(names: Sequence[str]) -> str:
    """Return names as an enumeration, with "and" before the last.

    >>> in_words(["A", "B", "C"])
    'A, B and C'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def verdict_mark(verdict: str) -> str:
    """Return what an audit's verdict is marked as: only a contradicted figure is "bad".

    What comes out under other rules or with other active domains is neither good nor bad.
    """
    if verdict.startswith("matches") and " under " not in verdict:
        return "good"
    return "bad" if verdict.startswith("contradicts") else ""


FAR = 2.0
"""Beyond how many points a reported figure is far from the one scored here."""


def own_figures(entry: Entry) -> Mapping[str, Decimal]:
    """Return what a system's authors report of their own script; nothing if they report nothing."""
    for claim in entry.system.reported:
        if claim.setup == "own" and "inform" in claim.figures:
            return claim.figures
    return {}


# ------------------------------------------------- the columns of delexicalised responses


def columns(board: Board) -> list[Column[Row]]:
    """Return the columns of the tables of delexicalised responses, without rank and name."""

    def with_interval(row: Row, name: str) -> Value:
        return replace(figure_of(row, name), interval=board.interval(row, name))

    def verdict(row: Row) -> Value:
        text = public_verdict(board, row.entry)
        return Value(words=text or None, mark=verdict_mark(text))

    listed: list[Column[Row]] = []
    for name in TOTALS:
        above, field = f"strict, {board.rules}", f"{name}_strict_{board.rules}"
        if name == "bleu":
            above, field = CANONICAL_STYLE, name
        value = partial(with_interval, name=name)
        listed.append(Column(name, reported_figures()[name].title, value, above, field=field))
    for name in ("bleu", "inform", "success"):
        title = reported_figures()[name].title
        key, alone = f"{name}-reported", f"{title}, reported"
        visible = "always" if key in FIRST else "never"
        value = partial(_reported, name=name)
        listed.append(Column(key, title, value, "reported", alone, visible=visible))
    for rules in board.by_rules:
        for setup in RANKED:
            if rules != board.rules or setup != MAIN_SETUP:
                listed += _setup_columns(board, rules, setup)
    listed += _interval_ends(board)
    listed.append(rank_ranges(board))
    listed.append(Column("audit", "Public board", verdict, "audit", "", False, "never"))
    listed.append(figure_column("flags", "Flags", "flags", numbers=False, visible="never"))
    for style in STYLES:
        name = f"bleu.{style}"
        listed.append(figure_column(f"bleu-{style}", "BLEU", name, style, style, visible="never"))
    return listed + _chosen(board)


def figure_column(
    key: str,
    term: str,
    name: str,
    above: str = "",
    alone: str = "",
    *,
    numbers: bool = True,
    visible: str = "always",
    field: str = "",
) -> Column[Row]:
    """Return the column of the figure of a name in `Row.figures`; the rest is as of `Column`."""
    value = partial(figure_of, name=name)
    return Column(key, term, value, above, alone, numbers, visible, field)


def _reported(row: Row, name: str) -> Value:
    """Return a figure that the authors report, and how much the scored one is above it."""
    printed, scored = own_figures(row.entry).get(name), as_played(figure_of(row, name)).number
    if printed is None or scored is None:
        return Value()
    gap = scored - float(printed)
    return Value(float(printed), gap=gap, mark="bad" if abs(gap) > FAR else "")


def _setup_columns(board: Board, rules: str, setup: str) -> Iterator[Column[Row]]:
    """Yield the rates in a set-up under a rule set, other than the main figures."""
    by_key = {row.key: row.figures for row in board.by_rules[rules]}

    def scored(row: Row, name: str) -> Value:
        return by_key.get(row.key, {}).get(name, Value())

    for name in SETUP_FIGURES:
        title = reported_figures()[name].title
        if rules == board.rules:
            key, above, alone, visible = f"{name}-{setup}", setup, f"{title} opt.", "chosen"
        elif setup == MAIN_SETUP:
            key, above = f"{name}-{rules}", f"rules {rules}"
            alone, visible = f"{title}, {above}", "chosen" if name == "combined" else "never"
        else:
            key, above = f"{name}-{setup}-{rules}", f"{setup}, {rules}"
            alone, visible = f"{title}, {above}", "never"
        value = partial(scored, name=setup_figure_name(setup, name))
        field = f"{name}_{setup}_{rules}"
        yield Column(key, title, value, above, alone, visible=visible, field=field)


def _interval_ends(board: Board) -> Iterator[Column[Row]]:
    """Yield the ends of the intervals of the main figures."""

    def interval_end(row: Row, name: str, end: str) -> Value:
        return Value(getattr(board.interval(row, name), end, None), 2)

    for name in FIGURES:
        for end in ("low", "high"):
            title, field = f"{reported_figures()[name].title}, {end}", f"{name}_{end}"
            value = partial(interval_end, name=name, end=end)
            yield Column(f"{name}-{end}", title, value, visible="never", field=field)


def rank_ranges(board: Board) -> Column[Row]:
    """Return the column of the ranks that rows may have; the web page has them beside the rank."""

    def value(row: Row) -> Value:
        return Value(words=board.rank_range(row))

    return Column("rank-range", "Rank range", value, numbers=False, visible="never")


def _chosen(board: Board) -> list[Column[Row]]:
    """Return the columns that a reader of the web page must choose; of a metric if a row has it."""
    column = partial(figure_column, visible="chosen")
    listed = [
        column("length", "Av. len.", "diversity.mean_length", "responses"),
        column("cbe", "CBE", "diversity.conditional_entropy", "responses"),
        column("unigrams", "Unique words", "diversity.unigrams", "responses"),
        column("trigrams", "Unique 3-grams", "diversity.trigrams", "responses"),
        column("joint-accuracy", "Fuzzy joint acc.", "dst.fuzzy.joint_accuracy", "states"),
        column("coverage", "Coverage, %", "coverage", "turns", "Coverage", field="coverage"),
    ]
    for name, headline in reported_figures().items():
        if name not in TOTALS and any(name in row.figures for row in board.rows):
            listed.append(column(name, headline.title, name, OTHER_METRICS))
    listed.append(column("domains", "Active domains", "domains", "from", "Domains", numbers=False))
    listed.append(column("states", "Belief states", "states", "from", "States", numbers=False))
    return listed


def named(
    figures: Mapping[str, str], texts: Sequence[str], chosen: Sequence[str] = ()
) -> list[Column[Row]]:
    """Return the columns of figures, called by their terms.

    Flags are in downloads; the rows of pages have marks of them.

    Args:
        figures: Term in the glossary's `columns` -> the name of a figure.
        texts: The terms of columns that hold words.
        chosen: The terms of columns that a reader of the web page must choose.
    """
    listed = []
    for term, name in figures.items():
        visible = "always"
        if name == "flags":
            visible = "never"
        elif term in chosen:
            visible = "chosen"
        key, numbers = term.lower(), term not in texts
        field = re.sub(r"[^a-z0-9]+", "_", key).strip("_")
        column = figure_column(key, term, name, numbers=numbers, visible=visible, field=field)
        listed.append(column)
    return listed


# ------------------------------------------------------------------------------ their tracks


def _rows(track: str, entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    """Return the rows of a track's one table."""
    rows = []
    for entry in entries:
        if entry.system.track == track:
            row = response_row(entry, rules, copies.get(entry.key, {}))
            if row is not None:
                rows.append(row)
    return [ranked(rows)]


_REFERENCES = Track(
    name=REFERENCE,
    kind="delexicalised responses",
    read=read_responses,
    rows=partial(_rows, REFERENCE),
    columns=lambda board, _: columns(board),
    states="gold",
)

_POLICIES = replace(
    _REFERENCES,
    name="policy-optimization",
    rows=partial(_rows, "policy-optimization"),
    ranks="combined",
    against="success",
    plotted="inform",
    leads=("inform", "success", "bleu"),
)

_END_TO_END = replace(
    _POLICIES, name="end-to-end", rows=partial(_rows, "end-to-end"), states="predicted"
)

TRACKS = (_END_TO_END, _POLICIES, _REFERENCES)
