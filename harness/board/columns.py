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
from itertools import compress
from typing import Any, Generic, TypeVar

from ..benchmark import CANONICAL_STYLE, STYLES
from ..metrics import MAIN_SETUP, RANKED, reported_figures, setup_figure_name
from .copied import Copies
from .entries import Entry
from .entry_scores import read_responses
from .model import Board
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
        title: What it shows.
        value: What stands in it.
        above: What stands above the title where columns have a second line, such as the rule set.
        alone: The title where they have not; the title itself if empty.
        numbers: Whether it holds figures, which are aligned to the right.
        visible: Whether the web page shows it before a reader chose columns: "always", "chosen" for
            columns that a reader must choose, "never" for what only texts and downloads have.
        field: What downloads call it; the key with `_` for `-` if empty.
    """

    key: str
    title: str
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
        references: Reference rows that its systems are to be seen beside, the best first.
    """

    key: str
    track: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Any]]
    references: Sequence[Row] = ()

    @property
    def systems(self) -> list[Row]:
        """Its rows as pages show them: those that have the same stand in one."""
        return [row for row in self.rows if row.stands]

    @property
    def lines(self) -> list[Row]:
        """The same, and below them the reference rows."""
        return [*self.systems, *(self.references if self.rows else ())]


def board_tables(board: Board) -> list[BoardTable]:
    """Return the tables of a board by track; those of delexicalised responses even without rows."""
    tables = []
    for name, track in tracks().items():
        references = board.of_track(REFERENCE) if track.delexicalised and track.ranks else ()
        for place, rows in enumerate(board.tables_by_track[name]):
            key, title = name, f"{track.title}, rule set {board.rules}"
            if rows and rows[0].table:
                key, title = f"{name}-{place}", rows[0].table
            columns = track.columns(board, rows)
            tables.append(BoardTable(key, name, title, rows, columns, references))
    return tables


def first_columns(table: BoardTable) -> Sequence[Column[Any]]:
    """Return the columns of a table that are always shown, or all if none is."""
    return [column for column in table.columns if column.visible == "always"] or table.columns


def shown_figures(board: Board, key: str) -> Iterator[tuple[BoardTable, Row, Column[Any], Value]]:
    """Yield each scored figure of an entry that tables always show, and where it stands."""
    for table in board_tables(board):
        for row in (one for one in table.rows if one.key == key):
            for column in first_columns(table):
                value = column.value(row)
                if value.number is not None and value.gap is None:
                    yield table, row, column, value


def printed_columns(table: ReportedTable, rows: Sequence[ReportedRow]) -> list[Column[ReportedRow]]:
    """Return the columns of a public table that some of the rows have a figure in."""

    def column(name: str) -> Column[ReportedRow]:
        return Column(name.lower(), name, lambda row: Value(words=row.figures.get(name, NOTHING)))

    return [column(name) for name in table.columns if any(name in row.figures for row in rows)]


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
    track, by_key = tracks()[table.track], {column.key: column for column in table.columns}
    # Of gold states of another version, the column says which.
    ranking = by_key.get(track.ranks, table.columns[0]).full_title
    # Pairs are compared by what ranks, where there are bands.
    pairs = board.pairs if board.bands(table.track) else {}
    tests = [pairs.get((rows[0].pair_key, row.pair_key)) for row in rows[1:]]
    near = [one is not None and not one.ranking.distinct for one in tests]
    tied = [rows[0], *compress(rows[1:], near)]
    if not any(tests):
        tied = [row for row in rows if row.rank == 1]
    names = in_words([row.name for row in tied])
    if not any(tests):
        verb = "leads" if len(tied) == 1 else "lead"
        first = f"{names} {verb} by {ranking}; no test compares the systems."
    elif len(tied) == 1:
        whom = "all others" if all(tests) else "all that compare with it"
        first = f"{names} is the best: significantly ahead of {whom} on {ranking}."
    else:
        first = f"No single best: {names} are statistically tied on {ranking}."
    leads = ", ".join(_leads(rows, [by_key[key] for key in track.leads if key in by_key]))
    return f"{first} {leads}." if leads else first


def _leads(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> Iterator[str]:
    """Yield who has the highest figures in which columns: of each, all of them."""
    led: dict[tuple[str, ...], list[str]] = {}
    for column in columns:
        numbers = {one.name: n for one in rows if (n := column.value(one).number) is not None}
        best = max(numbers.values(), default=None)
        if names := tuple(name for name, number in numbers.items() if number == best):
            led.setdefault(names, []).append(column.full_title)
    for place, (names, titles) in enumerate(led.items()):
        verb = "" if place else f" {'have' if len(names) > 1 else 'has'} the highest"
        yield f"{in_words(names)}{verb} {in_words(titles)}"


def in_words(names: Sequence[str]) -> str:
    """Return names as an enumeration, with "and" before the last."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def columns(board: Board) -> list[Column[Row]]:
    """Return the columns of the tables of delexicalised responses, without rank and name."""
    other_setups: list[Column[Row]] = []
    for rules in board.by_rules:
        other_setups += _other_setups(board, rules)
    styles = []
    for style in STYLES:
        about = {"above": style, "alone": style, "visible": "never"}
        styles.append(figure_column(f"bleu-{style}", "BLEU", f"bleu.{style}", **about))
    return [
        *_strict(board),
        *_reported(),
        *other_setups,
        *_interval_ends(board),
        rank_ranges(board),
        _verdicts(board),
        figure_column("flags", "Flags", "flags", numbers=False, visible="never"),
        *styles,
        *_chosen(board),
    ]


def verdict_mark(verdict: str) -> str:
    """Return what an audit's verdict is marked as: only a contradicted figure is "bad".

    What comes out under other rules or with other active domains is neither good nor bad.
    """
    if verdict.startswith("matches") and " under " not in verdict:
        return "good"
    return "bad" if verdict.startswith("contradicts") else ""


def figure_column(key: str, title: str, name: str, **about: Any) -> Column[Row]:
    """Return the column of a figure, given its key, title, name in `Row.figures`, and the rest."""
    return Column(key, title, partial(figure_of, name=name), **about)


def _strict(board: Board) -> Iterator[Column[Row]]:
    """Yield the main figures in the strict set-up, with their intervals."""
    for name in TOTALS:
        above, field = f"strict, {board.rules}", f"{name}_strict_{board.rules}"
        if name == "bleu":
            above, field = CANONICAL_STYLE, name
        title = reported_figures()[name].title
        yield Column(name, title, partial(_with_interval, board, name), above, field=field)


def _with_interval(board: Board, name: str, row: Row) -> Value:
    return replace(figure_of(row, name), interval=board.interval(row, name))


FAR = 2.0
"""Beyond how many points a reported figure is far from the one scored here."""


def own_figures(entry: Entry) -> Mapping[str, Decimal]:
    """Return what a system's authors report of their own script; nothing if they report nothing."""
    claims = (one.figures for one in entry.system.reported if one.setup == "own")
    return next((one for one in claims if "inform" in one), {})


def _reported() -> Iterator[Column[Row]]:
    """Yield what the authors report of their own script, with the difference to what is scored."""
    for name in ("inform", "success"):
        title = reported_figures()[name].title
        alone, key = f"{title}, reported", f"{name}-reported"
        yield Column(key, title, partial(_printed, name), "reported", alone)


def _printed(name: str, row: Row) -> Value:
    """Return a figure that the authors report, and how much the scored one is above it."""
    printed, scored = own_figures(row.entry).get(name), as_played(figure_of(row, name)).number
    if printed is None or scored is None:
        return Value()
    gap = scored - float(printed)
    return Value(float(printed), gap=gap, mark="bad" if abs(gap) > FAR else "")


def _other_setups(board: Board, rules: str) -> Iterator[Column[Row]]:
    """Yield the rates under a rule set, but the strict ones under that which ranks."""
    by_key = {row.key: row for row in board.by_rules[rules]}

    def column(name: str, setup: str) -> Column[Row]:
        def value(row: Row) -> Value:
            scored = by_key.get(row.key)
            return Value() if scored is None else figure_of(scored, setup_figure_name(setup, name))

        title, field = reported_figures()[name].title, f"{name}_{setup}_{rules}"
        if rules == board.rules:
            key, above, alone, visible = f"{name}-{setup}", setup, f"{title} opt.", "chosen"
        elif setup == MAIN_SETUP:
            key, above = f"{name}-{rules}", f"rules {rules}"
            alone, visible = f"{title}, {above}", "chosen" if name == "combined" else "never"
        else:
            key, above = f"{name}-{setup}-{rules}", f"{setup}, {rules}"
            alone, visible = f"{title}, {above}", "never"
        return Column(key, title, value, above, alone, visible=visible, field=field)

    for setup in RANKED:
        if rules != board.rules or setup != MAIN_SETUP:
            for name in SETUP_FIGURES:
                yield column(name, setup)


def _interval_ends(board: Board) -> Iterator[Column[Row]]:
    def end_value(name: str, end: str, row: Row) -> Value:
        interval = board.interval(row, name)
        return Value(None if interval is None else getattr(interval, end), 2)

    for name in FIGURES:
        for end in ("low", "high"):
            title, key = f"{reported_figures()[name].title}, {end}", f"{name}-{end}"
            value, field = partial(end_value, name, end), f"{name}_{end}"
            yield Column(key, title, value, visible="never", field=field)


def rank_ranges(board: Board) -> Column[Row]:
    """Return the column of the ranks that rows may have; the web page has them beside the rank."""

    def value(row: Row) -> Value:
        return Value(words=board.rank_range(row))

    return Column("rank-range", "Rank range", value, numbers=False, visible="never")


def _verdicts(board: Board) -> Column[Row]:
    def value(row: Row) -> Value:
        verdict = board.verdict(row.entry)
        return Value(words=verdict, mark=verdict_mark(verdict)) if verdict else Value()

    return Column("audit", "Public board", value, "audit", "", False, "never")


def _chosen(board: Board) -> Iterator[Column[Row]]:
    """Yield the columns that a reader of the web page must choose; of a metric if a row has it."""
    of_responses = {"above": "responses", "visible": "chosen"}
    yield figure_column("length", "Av. len.", "diversity.mean_length", **of_responses)
    yield figure_column("cbe", "CBE", "diversity.conditional_entropy", **of_responses)
    yield figure_column("unigrams", "Unique words", "diversity.unigrams", **of_responses)
    yield figure_column("trigrams", "Unique 3-grams", "diversity.trigrams", **of_responses)
    of_states = {"above": "states", "visible": "chosen"}
    yield figure_column(
        "joint-accuracy", "Fuzzy joint acc.", "dst.fuzzy.joint_accuracy", **of_states
    )
    of_turns = {"above": "turns", "alone": "Coverage", "visible": "chosen", "field": "coverage"}
    yield figure_column("coverage", "Coverage, %", "coverage", **of_turns)
    for name, headline in reported_figures().items():
        if name not in TOTALS and any(name in row.figures for row in board.rows):
            about = {"above": OTHER_METRICS, "visible": "chosen"}
            yield figure_column(name, headline.title, name, **about)
    source = {"above": "from", "numbers": False, "visible": "chosen"}
    yield figure_column("domains", "Active domains", "domains", alone="Domains", **source)
    yield figure_column("states", "Belief states", "states", alone="States", **source)


def named(
    figures: Mapping[str, str], texts: Sequence[str], chosen: Sequence[str] = ()
) -> list[Column[Row]]:
    """Return the columns of figures, called by their titles.

    Flags are in downloads; the rows of pages have marks of them.

    Args:
        figures: Title -> the name of a figure.
        texts: The titles of columns that hold words.
        chosen: The titles of columns that a reader of the web page must choose.
    """
    listed = []
    for title, name in figures.items():
        visible = "chosen" if title in chosen else "always"
        if name == "flags":
            visible = "never"
        key = title.lower()
        field = re.sub(r"[^a-z0-9]+", "_", key).strip("_")
        about = {"numbers": title not in texts, "visible": visible, "field": field}
        listed.append(figure_column(key, title, name, **about))
    return listed


def _rows(track: str, entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    """Return the rows of a track's one table."""
    rows = []
    for entry in entries:
        if entry.system.track == track:
            row = response_row(entry, rules, copies.get(entry.key, {}))
            if row is not None:
                rows.append(row)
    return [ranked(rows)]


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Any]]:
    return columns(board)


def _track(name: str, **more: Any) -> Track:
    return Track(
        name=name,
        kind="delexicalised responses",
        read=read_responses,
        rows=partial(_rows, name),
        columns=_columns,
        **more,
    )


_FIGURES = {
    "ranks": "combined",
    "against": "bleu",
    "plotted": "success",
    "leads": ("inform", "success", "bleu"),
}

TRACKS = (
    _track("end-to-end", states="predicted", **_FIGURES),
    _track("policy-optimization", states="gold", **_FIGURES),
    _track(REFERENCE, states="gold"),
)
