"""The tables of the board and their columns, each declared once: all views show these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from ..benchmark import CANONICAL_STYLE, STYLES
from ..metrics import Headline, headlines
from ..metrics.inform_success import TOTAL
from ..metrics.setups import RANKED
from ..scoring.report import Report
from ..tracking.tracking_figures import FIGURES as TRACKING_FIGURES
from . import LEXICALISED, STATE_TRACKING, TRACKS
from .audit.reported import ReportedRow, ReportedTable
from .model import NOTHING, Board, Row, Value
from .scores import FIGURES

SETUP_FIGURES = ("inform", "success", "combined")
TOTALS = ("bleu", *SETUP_FIGURES)

MAIN = (
    "bleu", "inform", "success", "combined", "length", "cbe", "unigrams", "trigrams",
    "joint-accuracy", "coverage", "signs",
)  # fmt: skip
"""Keys of the columns of a track's own table in texts."""

_R = TypeVar("_R", bound=Row | ReportedRow)
_Values = Callable[[Row], Value]


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
        shown: Whether the web page shows it before a reader chose columns: "always", "wide" for no
            narrow screens, "chosen" for columns that a reader must choose, "never" for what only
            texts and downloads have.
        elsewhere: Whether the Markdown page says it in another form, and has no such column.
        field: What downloads call it; the key with `_` for `-` if empty.
    """

    key: str
    title: str
    value: Callable[[_R], Value]
    above: str = ""
    alone: str = ""
    numbers: bool = True
    shown: str = "always"
    elsewhere: bool = False
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
    """

    key: str
    track: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]


def board_tables(board: Board) -> list[BoardTable]:
    """Return the tables of a board by track: of state tracking one per set of gold states.

    The others are there even without rows, but that of plain English.
    """
    found = []
    shown = columns(board)
    for key, track in TRACKS.items():
        title = f"{track.title}, rule set {board.rules}"
        if key == STATE_TRACKING:
            for place, rows in enumerate(board.tracking):
                gold = "" if rows[0].tracked is None else rows[0].tracked.gold_title
                own = tracking_columns(rows)
                found.append(BoardTable(f"{key}-{place}", key, gold, rows, own))
        elif key != LEXICALISED:
            found.append(BoardTable(key, key, title, board.of_track(key), shown))
        elif board.english:
            found.append(BoardTable(key, key, title, board.english, lexicalised_columns()))
    return found


def row_headers(shown: Sequence[Column[_R]], ranks: bool = True) -> list[str]:
    """Return the titles of a table's columns, as plain text.

    Args:
        shown: Its columns besides rank and name.
        ranks: Whether it has one of ranks.
    """
    return [*(["#"] if ranks else []), "System", *(column.full_title for column in shown)]


def row_text(row: Row, shown: Sequence[Column[Row]], ranks: bool = True) -> list[str]:
    """Return a system's row of a table, as plain text; arguments as of `row_headers`."""
    texts = (column.value(row).text for column in shown)
    return [*([row.place] if ranks else []), row.name, *texts]


def track_columns(shown: Sequence[Column[Row]]) -> list[Column[Row]]:
    """Return the columns that texts show in a track's own table, of all columns."""
    by_key = {column.key: column for column in shown}
    return [by_key[key] for key in MAIN]


def printed_columns(table: ReportedTable, rows: Sequence[ReportedRow]) -> list[Column[ReportedRow]]:
    """Return the columns of a public table that some of the rows have a figure in."""

    def column(name: str) -> Column[ReportedRow]:
        return Column(name.lower(), name, lambda row: Value(words=row.figures.get(name, NOTHING)))

    return [column(name) for name in table.columns if any(name in row.figures for row in rows)]


def columns(board: Board) -> list[Column[Row]]:
    """Return the columns of the tables of delexicalised responses, without rank and name."""
    return [
        *_strict(board),
        *(column for rules in board.by_rules for column in _other_setups(board, rules)),
        *_interval_ends(board),
        Column(
            "audit",
            "Public board",
            lambda row: _verdict(board, row),
            "audit",
            numbers=False,
            shown="wide",
            elsewhere=True,
        ),
        Column("signs", "Signs", _raised, numbers=False, shown="wide"),
        *_styles(),
        *_responses(),
        Column("joint-accuracy", "Joint acc.", _joint_accuracy, "states", shown="chosen"),
        Column(
            "coverage", "Coverage, %", _coverage, "", "Coverage", shown="chosen", field="coverage"
        ),
        *_other_figures(),
        *_signs(),
        _source("domains", "Active domains", "Domains"),
        _source("states", "Belief states", "States"),
    ]


def verdict_mark(verdict: str) -> str:
    """Return what an audit's verdict is marked as."""
    if verdict.startswith(("verified", "reproduced", "follows")):
        return "good"
    return "bad" if verdict.startswith(("differs", "contradicts")) else ""


def _of_report(value: Callable[[Report], Value]) -> _Values:
    return lambda row: Value() if row.report is None else value(row.report)


def _strict(board: Board) -> Iterator[Column[Row]]:
    def column(name: str) -> Column[Row]:
        def value(row: Row) -> Value:
            one = row.value(name)
            return Value(one.number, one.digits, interval=board.interval(row, name))

        above, field = f"strict, {board.rules}", f"{name}_strict_{board.rules}"
        if name == "bleu":
            above, field = "", name
        return Column(name, headlines()[name].title, value, above, field=field)

    return map(column, TOTALS)


def _other_setups(board: Board, rules: str) -> Iterator[Column[Row]]:
    """Yield the rates under a rule set, but the strict ones under that which ranks."""
    by_key = {row.key: row for row in board.by_rules[rules]}
    own = rules == board.rules
    # Of the other rule sets those of the first are shown where there is room.
    first = own or rules == list(board.by_rules)[1]

    def column(name: str, setup: str) -> Column[Row]:
        def value(row: Row) -> Value:
            found = by_key.get(row.key)
            return Value() if found is None else found.value(name, setup)

        title, field = headlines()[name].title, f"{name}_{setup}_{rules}"
        shown = "wide" if first and name != "combined" else "chosen"
        if own:
            key, alone = f"{name}-{setup}", f"{title} opt."
            return Column(key, title, value, setup, alone, shown=shown, field=field)
        key, above = f"{name}-{rules}", f"rules {rules}"
        if setup != "strict":
            key, above, shown = f"{name}-{setup}-{rules}", f"{setup}, {rules}", "never"
        return Column(key, title, value, above, shown=shown, elsewhere=True, field=field)

    for setup in RANKED:
        if not own or setup != "strict":
            yield from (column(name, setup) for name in SETUP_FIGURES)


def _interval_ends(board: Board) -> Iterator[Column[Row]]:
    def column(name: str, end: str) -> Column[Row]:
        def value(row: Row) -> Value:
            interval = board.interval(row, name)
            return Value(None if interval is None else getattr(interval, end), 2)

        title = f"{headlines()[name].title}, {end}"
        key, field = f"{name}-{end}", f"{name}_{end}"
        return Column(key, title, value, shown="never", elsewhere=True, field=field)

    return (column(name, end) for name in FIGURES for end in ("low", "high"))


def _verdict(board: Board, row: Row) -> Value:
    verdict = "" if row.entry is None else "; ".join(board.verdicts(row.entry))
    return Value(words=verdict, mark=verdict_mark(verdict)) if verdict else Value()


def _raised(row: Row) -> Value:
    return Value(words=", ".join(row.raised), mark="bad")


def _styles() -> Iterator[Column[Row]]:
    def bleu(style: str) -> _Values:
        return _of_report(lambda report: Value((report.bleu or {}).get(style), 2))

    for style in STYLES:
        # That which ranks has a column already, with fewer digits.
        shown = "never" if style == CANONICAL_STYLE else "chosen"
        yield Column(f"bleu-{style}", "BLEU", bleu(style), style, style, shown=shown)


def _responses() -> Iterator[Column[Row]]:
    for key, title, name, digits in (
        ("length", "Av. len.", "mean_length", 2),
        ("cbe", "CBE", "conditional_entropy", 2),
        ("unigrams", "Unigrams", "unigrams", 0),
        ("trigrams", "Trigrams", "trigrams", 0),
    ):
        yield Column(key, title, _diversity(name, digits), "responses", shown="chosen")


def _diversity(name: str, digits: int) -> _Values:
    return _of_report(lambda report: Value(getattr(report.diversity, name, None), digits))


@_of_report
def _joint_accuracy(report: Report) -> Value:
    return Value(None if report.dst is None else report.dst.fuzzy["joint_accuracy"])


@_of_report
def _coverage(report: Report) -> Value:
    return Value(report.coverage.percent, 2, unit=" %")


def _other_figures() -> Iterator[Column[Row]]:
    """Yield the headline figures that have no column yet."""

    def value(of: Headline) -> _Values:
        return _of_report(lambda report: Value(of.value(report, "strict"), of.digits))

    for name, headline in headlines().items():
        if name not in TOTALS:
            yield Column(name, headline.title, value(headline), shown="chosen")


def _signs() -> Iterator[Column[Row]]:
    def value(name: str) -> _Values:
        return lambda row: Value(getattr(row.signs, name, None), 2)

    for name, title in (
        ("placeholders", "Placeholders"),
        ("active_domains", "Active domains"),
        ("distinct_responses", "Distinct"),
        ("gold_states", "States = gold"),
        ("unrequested", "Unrequested"),
    ):
        key = f"sign-{name.replace('_', '-')}"
        yield Column(key, title, value(name), "signs", shown="chosen")


def _source(name: str, title: str, alone: str) -> Column[Row]:
    value = _of_report(lambda report: Value(words=getattr(report, name)))
    return Column(name, title, value, "from", alone, numbers=False, shown="chosen")


def lexicalised_columns() -> list[Column[Row]]:
    """Return the columns of the table of systems in plain English, without rank and name."""
    columns: Mapping[str, _Values] = {
        "Success": lambda row: _grounded(row, "success"),
        "Inform": lambda row: _grounded(row, "inform"),
        "Inform, all": lambda row: _grounded(row, "inform_all"),
        "Told": lambda row: _faithful(row, "told", 0),
        "In database, %": lambda row: _faithful(row, "in_database"),
        "Of a named venue, %": lambda row: _faithful(row, "of_named_venue"),
        "Inform, delex.": _of_report(lambda report: Value(report.inform)),
        "Success, delex.": _of_report(lambda report: Value(report.success)),
        "BLEU †": _of_report(lambda report: Value((report.bleu or {}).get(CANONICAL_STYLE))),
        "Av. len.": _diversity("mean_length", 2),
        "States": _of_report(lambda report: Value(words=report.states)),
        "Coverage": _coverage,
    }
    return _named(columns, words="States")


def _named(columns: Mapping[str, _Values], words: str) -> list[Column[Row]]:
    """Return columns by their titles."""
    return [
        Column(title.lower(), title, value, numbers=title != words, field=_data_name(title))
        for title, value in columns.items()
    ]


def _data_name(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")


def _grounded(row: Row, name: str) -> Value:
    return Value(None if row.grounded is None else getattr(row.grounded, name)[TOTAL])


def _faithful(row: Row, name: str, digits: int = 1) -> Value:
    found = None if row.grounded is None else row.grounded.faithfulness
    return Value(None if found is None else getattr(found, name), digits)


def tracking_columns(table: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns of a table of state tracking: of versions, those that say what changes.

    Args:
        table: Its rows, which share their gold states.
    """
    known = table[0].tracked
    figures = {title: _tracked(name) for title, name in TRACKING_FIGURES.items()}
    if known is None or known.gold.whose != "version":
        columns = {**figures, "Coverage": _turns_covered}
    else:
        columns = {
            f"JGA {known.gold.version}": figures["JGA"],
            "without dontcare": _without_dontcare,
            f"JGA {known.own_version or 'of the benchmark'}": _benchmark_jga,
            "Difference": _difference,
            "Places gained": lambda row: Value(row.gained, 0, signed=True),
            **{title: figures[title] for title in ("Slot F1", "GCA")},
            "Turns": _tracked("turns", 0),
        }
    return _named({**columns, "Track": lambda row: Value(words=row.track)}, words="Track")


def _tracked(name: str, digits: int = 2) -> _Values:
    def value(row: Row) -> Value:
        return Value(None if row.tracked is None else getattr(row.tracked.figures, name), digits)

    return value


def _without_dontcare(row: Row) -> Value:
    dropped = None if row.tracked is None else row.tracked.without_dontcare
    return Value(None if dropped is None else dropped.jga, 2)


def _benchmark_jga(row: Row) -> Value:
    return Value() if row.benchmark_row is None else _tracked("jga")(row.benchmark_row)


def _difference(row: Row) -> Value:
    there, here = _benchmark_jga(row).number, _tracked("jga")(row).number
    if there is None or here is None:
        return Value()
    return Value(here - there, 2, signed=True)


def _turns_covered(row: Row) -> Value:
    if row.tracked is None:
        return Value()
    shown = row.tracked.figures
    if shown.of_turns is None:
        return Value(words=f"{shown.dialogues} dialogues, {shown.turns} turns")
    return Value(row.tracked.coverage, 2, unit=" %")
