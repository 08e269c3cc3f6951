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
from operator import methodcaller
from typing import Any, Generic, TypeVar

from ..benchmark import CANONICAL_STYLE, STYLES
from ..metrics import RANKED, reported_figures
from .copied import Copies
from .entries import Entry
from .entry_scores import read_responses
from .model import Board
from .reported import ReportedRow, ReportedTable
from .rows import NOTHING, REFERENCE, ResponsesRow, Row, Value, ranked
from .scores import FIGURES
from .track import Track, tracks

SETUP_FIGURES = ("inform", "success", "combined")
TOTALS = ("bleu", *SETUP_FIGURES)

FIRST = ("combined", "success", "inform", "bleu", "success-reported", "inform-reported")
"""Keys of the columns that a web page begins with, where a phone shows them: what ranks first."""

OTHER_METRICS = "other metrics"
"""What stands above the titles of metrics that no other table has."""

_R = TypeVar("_R", bound=Row | ReportedRow)
Values = Callable[[Any], Value]
"""What stands in a column, of a row of the column's table."""


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
        references = board.of_track(REFERENCE) if track.delexicalised and track.submitted else ()
        for place, rows in enumerate(board.tables_by_track[name]):
            key, title = name, f"{track.title}, rule set {board.rules}"
            if track.heading is not None:
                key, title = f"{name}-{place}", track.heading(rows)
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
    tests = [pairs.get((rows[0].compared_as, row.compared_as)) for row in rows[1:]]
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


def columns(board: Board) -> list[Column[Any]]:
    """Return the columns of the tables of delexicalised responses, without rank and name."""
    return [
        *_strict(board),
        *_reported(),
        *(column for rules in board.by_rules for column in _other_setups(board, rules)),
        *_interval_ends(board),
        rank_ranges(board),
        _verdicts(board),
        Column("flags", "Flags", raised, numbers=False, visible="never"),
        *_styles(),
        *_chosen(board),
    ]


def verdict_mark(verdict: str) -> str:
    """Return what an audit's verdict is marked as: only a contradicted figure is "bad".

    What comes out under other rules or with other active domains is neither good nor bad.
    """
    if verdict.startswith("matches") and " under " not in verdict:
        return "good"
    return "bad" if verdict.startswith("contradicts") else ""


def at(path: str, digits: int = 1, unit: str = "", signed: bool = False) -> Values:
    """Return the value of a row that is at the end of a path.

    Args:
        path: Names of attributes, or keys, from the row on, such as "report.diversity.unigrams".
            There is no value where one of them is None.
        digits: As of `Value`, of figures; words are shown as they are.
        unit: As of `Value`.
        signed: As of `Value`.
    """

    def value(row: ResponsesRow) -> Value:
        part: Any = row
        for name in path.split("."):
            if part is not None:
                part = part.get(name) if isinstance(part, Mapping) else getattr(part, name)
        if isinstance(part, str):
            return Value(words=part)
        return Value(part, digits, unit=unit, signed=signed)

    return value


def _strict(board: Board) -> Iterator[Column[Any]]:
    def column(name: str) -> Column[Any]:
        def value(row: ResponsesRow) -> Value:
            return replace(row.ranking(name), interval=board.interval(row, name))

        above, field = f"strict, {board.rules}", f"{name}_strict_{board.rules}"
        if name == "bleu":
            above, field = CANONICAL_STYLE, name
        return Column(name, reported_figures()[name].title, value, above, field=field)

    return map(column, TOTALS)


FAR = 2.0
"""Beyond how many points a reported figure is far from the one scored here."""


def own_figures(entry: Entry) -> Mapping[str, Decimal]:
    """Return what a system's authors report of their own script; nothing if they report nothing."""
    claims = (one.figures for one in entry.system.reported if one.setup == "own")
    return next((one for one in claims if "inform" in one), {})


def _reported() -> Iterator[Column[Any]]:
    """Yield what the authors report of their own script, with the difference to what is scored."""

    def column(name: str) -> Column[Any]:
        def value(row: ResponsesRow) -> Value:
            printed, scored = own_figures(row.entry).get(name), row.value(name).number
            if printed is None or scored is None:
                return Value()
            gap = scored - float(printed)
            return Value(float(printed), gap=gap, mark="bad" if abs(gap) > FAR else "")

        title = reported_figures()[name].title
        alone, key = f"{title}, reported", f"{name}-reported"
        return Column(key, title, value, "reported", alone)

    return map(column, ("inform", "success"))


def _other_setups(board: Board, rules: str) -> Iterator[Column[Any]]:
    """Yield the rates under a rule set, but the strict ones under that which ranks."""
    by_key = {row.key: row for row in board.by_rules[rules]}
    ranking = rules == board.rules

    def column(name: str, setup: str) -> Column[Any]:
        def value(row: ResponsesRow) -> Value:
            scored = by_key.get(row.key)
            return Value() if scored is None else scored.ranking(name, setup)

        title, field, visible = reported_figures()[name].title, f"{name}_{setup}_{rules}", "chosen"
        if ranking:
            key, alone = f"{name}-{setup}", f"{title} opt."
            return Column(key, title, value, setup, alone, visible=visible, field=field)
        key, above = f"{name}-{rules}", f"rules {rules}"
        if name != "combined":
            visible = "never"
        if setup != "strict":
            key, above, visible = f"{name}-{setup}-{rules}", f"{setup}, {rules}", "never"
        alone = f"{title}, {above}"
        return Column(key, title, value, above, alone, visible=visible, field=field)

    for setup in RANKED:
        if not ranking or setup != "strict":
            yield from (column(name, setup) for name in SETUP_FIGURES)


def _interval_ends(board: Board) -> Iterator[Column[Any]]:
    def column(name: str, end: str) -> Column[Any]:
        def value(row: ResponsesRow) -> Value:
            interval = board.interval(row, name)
            return Value(None if interval is None else getattr(interval, end), 2)

        title = f"{reported_figures()[name].title}, {end}"
        key, field = f"{name}-{end}", f"{name}_{end}"
        return Column(key, title, value, visible="never", field=field)

    return (column(name, end) for name in FIGURES for end in ("low", "high"))


def rank_ranges(board: Board) -> Column[Any]:
    """Return the column of the ranks that rows may have; the web page has them beside the rank."""

    def value(row: Row) -> Value:
        return Value(words=board.rank_range(row))

    return Column("rank-range", "Rank range", value, numbers=False, visible="never")


def _verdicts(board: Board) -> Column[Any]:
    def value(row: ResponsesRow) -> Value:
        verdict = board.verdict(row.entry)
        return Value(words=verdict, mark=verdict_mark(verdict)) if verdict else Value()

    return Column("audit", "Public board", value, "audit", "", False, "never")


def raised(row: Row) -> Value:
    """Return the flags that are raised."""
    return Value(words=", ".join(row.raised))


def _styles() -> Iterator[Column[Any]]:
    """Yield BLEU in each style; the corpus is the references, and has none."""
    for style in STYLES:
        key, figure = f"bleu-{style}", at(f"report.bleu.{style}", 2)
        yield Column(key, "BLEU", partial(_unless_corpus, figure), style, style, visible="never")


def _unless_corpus(value: Values, row: ResponsesRow) -> Value:
    return Value() if row.is_corpus else value(row)


def _chosen(board: Board) -> Iterator[Column[Any]]:
    """Yield the columns that a reader of the web page must choose; of a metric if a row has it."""
    for key, title, value, above in (
        ("length", "Av. len.", LENGTH, "responses"),
        ("cbe", "CBE", at("report.diversity.conditional_entropy", 2), "responses"),
        ("unigrams", "Unique words", at("report.diversity.unigrams", 0), "responses"),
        ("trigrams", "Unique 3-grams", at("report.diversity.trigrams", 0), "responses"),
        ("joint-accuracy", "Fuzzy joint acc.", at("report.dst.fuzzy.joint_accuracy"), "states"),
    ):
        yield Column(key, title, value, above, visible="chosen")
    yield Column(
        "coverage", "Coverage, %", COVERAGE, "turns", "Coverage", visible="chosen", field="coverage"
    )
    for name, headline in reported_figures().items():
        if name not in TOTALS and any(row.value(name).number is not None for row in board.rows):
            value = methodcaller("value", name)
            yield Column(name, headline.title, value, OTHER_METRICS, visible="chosen")
    for name, title, alone, path in (
        ("domains", "Active domains", "Domains", "report.signature.domains"),
        ("states", "Belief states", "States", "states"),
    ):
        yield Column(name, title, at(path), "from", alone, False, "chosen")


LENGTH = at("report.diversity.mean_length", 2)
COVERAGE = at("coverage", 2, " %")


def named(
    columns: Mapping[str, Values], words: Sequence[str], chosen: Sequence[str] = ()
) -> list[Column[Any]]:
    """Return columns by their titles: of words, and those that a reader must choose, as told.

    Flags are in downloads; the rows of pages have marks of them.
    """
    listed = []
    for title, value in columns.items():
        visible = "chosen" if title in chosen else "never" if value is raised else "always"
        field = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
        key, numbers = title.lower(), title not in words
        listed.append(Column(key, title, value, numbers=numbers, visible=visible, field=field))
    return listed


def _tables(track: str, entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    rows = [
        ResponsesRow(entry=entry, report=report, copies=copies.get(entry.key, {}))
        for entry in entries
        if entry.system.track == track and (report := entry.scores.reports.get(rules)) is not None
    ]
    return [[*ranked(rows)]]


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Any]]:
    return columns(board)


def _track(name: str, place: int, **more: Any) -> Track:
    return Track(
        name=name,
        kind="delexicalised responses",
        place=place,
        tables=partial(_tables, name),
        columns=_columns,
        outputs=read_responses,
        **more,
    )


_FIGURES = {
    "ranks": "combined",
    "against": "bleu",
    "plotted": "success",
    "leads": ("inform", "success", "bleu"),
}

TRACKS = (
    _track("end-to-end", 10, states="predicted", **_FIGURES),
    _track("policy-optimization", 20, states="gold", **_FIGURES),
    _track(REFERENCE, 100, states="gold", submitted=False),
)
