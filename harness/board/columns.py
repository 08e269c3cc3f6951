"""The tables of the board and their columns, each declared once: all views show these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import methodcaller
from typing import Any, Generic, TypeVar

from ..benchmark import CANONICAL_STYLE, STYLES
from ..metrics import headlines
from ..metrics.inform import TOTAL
from ..metrics.setups import RANKED
from . import LEXICALISED, LIVE, STATE_TRACKING, TRACKS
from .model import NOTHING, REFERENCE, Board, Row, Value
from .reported import ReportedRow, ReportedTable
from .scores import FIGURES
from .tracking_figures import FIGURES as TRACKING_FIGURES

SETUP_FIGURES = ("inform", "success", "combined")
TOTALS = ("bleu", *SETUP_FIGURES)

MAIN = (
    "bleu", "inform", "success", "combined", "rank-range", "length", "cbe", "unigrams", "trigrams",
    "joint-accuracy", "coverage", "flags",
)  # fmt: skip
"""Keys of the columns of a track's own table in texts."""

FIRST = ("combined", "success", "inform", "bleu")
"""Keys of the columns that a web page begins with, where a phone shows them: what ranks first."""

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
        references: Reference rows that its systems are to be seen beside, the best first.
    """

    key: str
    track: str
    title: str
    rows: Sequence[Row]
    columns: Sequence[Column[Row]]
    references: Sequence[Row] = ()

    @property
    def lines(self) -> list[Row]:
        """Its rows and the reference rows, each above the ranked rows that score less."""
        ranked = [row for row in self.rows if row.rank is not None]
        if not ranked:
            return list(self.rows)
        below = [row for row in self.rows if row.rank is None]
        above = sorted([*self.references, *ranked], key=lambda row: row.at_least, reverse=True)
        return [*above, *below]


def board_tables(board: Board) -> list[BoardTable]:
    """Return the tables of a board by track.

    State tracking has one per set of gold states, live dialogues one per user. The others are there
    even without rows, but that of plain English.
    """
    found = []
    shown = columns(board)
    several = {STATE_TRACKING: (board.tracking, tracking_columns), LIVE: (board.live, live_columns)}
    for key, track in TRACKS.items():
        title = f"{track.title}, rule set {board.rules}"
        if key in several:
            tables, columns_of = several[key]
            for place, rows in enumerate(tables):
                own, about = columns_of(rows), _own_title(rows[0])
                found.append(BoardTable(f"{key}-{place}", key, about, rows, own))
        elif key != LEXICALISED:
            references = board.of_track(REFERENCE) if track.submitted else ()
            found.append(BoardTable(key, key, title, board.of_track(key), shown, references))
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
    return [by_key[key] for key in MAIN if key in by_key]


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
        *([_range(board)] if board.rank_ranges else []),
        _verdicts(board),
        Column("flags", "Flags", _raised, numbers=False, shown="wide"),
        *_styles(),
        *_chosen(),
    ]


def verdict_mark(verdict: str) -> str:
    """Return what an audit's verdict is marked as: only a contradicted figure is "bad".

    What comes out under other rules or with other active domains is neither good nor bad.
    """
    if verdict.startswith("matches") and " under " not in verdict:
        return "good"
    return "bad" if verdict.startswith(("differs", "contradicts")) else ""


def _at(path: str, digits: int = 1, unit: str = "", signed: bool = False) -> _Values:
    """Return the value of a row that is at the end of a path.

    Args:
        path: Names of attributes, or keys, from the row on, such as "report.diversity.unigrams".
            There is no value where one of them is None.
        digits: As of `Value`, of figures; words are shown as they are.
        unit: As of `Value`.
        signed: As of `Value`.
    """

    def value(row: Row) -> Value:
        found: Any = row
        for name in path.split("."):
            if found is not None:
                found = found.get(name) if isinstance(found, Mapping) else getattr(found, name)
        if isinstance(found, str):
            return Value(words=found)
        return Value(found, digits, unit=unit, signed=signed)

    return value


def _strict(board: Board) -> Iterator[Column[Row]]:
    def column(name: str) -> Column[Row]:
        def value(row: Row) -> Value:
            return replace(row.ranking(name), interval=board.interval(row, name))

        above, field = f"strict, {board.rules}", f"{name}_strict_{board.rules}"
        if name == "bleu":
            above, field = "", name
        return Column(name, headlines()[name].title, value, above, field=field)

    return map(column, TOTALS)


def _other_setups(board: Board, rules: str) -> Iterator[Column[Row]]:
    """Yield the rates under a rule set, but the strict ones under that which ranks."""
    by_key = {row.key: row for row in board.by_rules[rules]}
    own = rules == board.rules

    def column(name: str, setup: str) -> Column[Row]:
        def value(row: Row) -> Value:
            found = by_key.get(row.key)
            if found is None:
                return Value()
            return found.ranking(name, setup)

        title, field, shown = headlines()[name].title, f"{name}_{setup}_{rules}", "chosen"
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
    by_key = {column.key: column for column in _strict(board)}

    def column(name: str, end: str) -> Column[Row]:
        def value(row: Row) -> Value:
            interval = by_key[name].value(row).interval
            return Value(None if interval is None else getattr(interval, end), 2)

        title = f"{headlines()[name].title}, {end}"
        key, field = f"{name}-{end}", f"{name}_{end}"
        return Column(key, title, value, shown="never", elsewhere=True, field=field)

    return (column(name, end) for name in FIGURES for end in ("low", "high"))


def _range(board: Board) -> Column[Row]:
    def value(row: Row) -> Value:
        return Value(words=board.rank_range(row) or NOTHING)

    # The web page shows it beside the rank.
    return Column("rank-range", "Rank range", value, numbers=False, shown="never")


def _verdicts(board: Board) -> Column[Row]:
    def value(row: Row) -> Value:
        verdict = "; ".join(board.verdicts(row.entry))
        return Value(words=verdict, mark=verdict_mark(verdict)) if verdict else Value()

    return Column("audit", "Public board", value, "audit", "", False, "wide", elsewhere=True)


def _raised(row: Row) -> Value:
    return Value(words=", ".join(row.raised))


def _styles() -> Iterator[Column[Row]]:
    for style in STYLES:
        # That which ranks has a column already, with fewer digits.
        shown = "never" if style == CANONICAL_STYLE else "chosen"
        yield Column(f"bleu-{style}", "BLEU", _bleu(style), style, style, shown=shown)


def _bleu(style: str) -> _Values:
    """Return the BLEU of a row in a style; the corpus is the references, and has none."""
    value = _at(f"report.bleu.{style}", 2)
    return lambda row: Value() if row.is_corpus else value(row)


def _chosen() -> Iterator[Column[Row]]:
    """Yield the columns that a reader of the web page must choose."""
    for key, title, value, above in (
        ("length", "Av. len.", _LENGTH, "responses"),
        ("cbe", "CBE", _at("report.diversity.conditional_entropy", 2), "responses"),
        ("unigrams", "Unigrams", _at("report.diversity.unigrams", 0), "responses"),
        ("trigrams", "Trigrams", _at("report.diversity.trigrams", 0), "responses"),
        ("joint-accuracy", "Fuzzy joint acc.", _at("report.dst.fuzzy.joint_accuracy"), "states"),
    ):
        yield Column(key, title, value, above, shown="chosen")
    yield Column(
        "coverage", "Coverage, %", _COVERAGE, alone="Coverage", shown="chosen", field="coverage"
    )
    for name, headline in headlines().items():
        if name not in TOTALS:
            yield Column(name, headline.title, methodcaller("value", name), shown="chosen")
    for name, title, alone, path in (
        ("domains", "Active domains", "Domains", "report.domains"),
        ("states", "Belief states", "States", "states"),
    ):
        yield Column(name, title, _at(path), "from", alone, False, "chosen")


_LENGTH = _at("report.diversity.mean_length", 2)
_COVERAGE = _at("report.coverage.percent", 2, " %")


def lexicalised_columns() -> list[Column[Row]]:
    """Return the columns of the table of systems in plain English, without rank and name."""
    columns = {
        "Success, all": _grounded("success_all", 0),
        "Success, any": _at(f"grounded.success.{TOTAL}"),
        "All requested": _at(f"grounded.success_requested.{TOTAL}"),
        "Inform, all": _grounded("inform_all", 1),
        "Inform, any": _at(f"grounded.inform.{TOTAL}"),
        "Told": _at("grounded.faithfulness.told", 0),
        "In database, %": _at("grounded.faithfulness.in_database"),
        "Of a named venue, %": _at("grounded.faithfulness.of_named_venue"),
        "Inform, delex.": _at("report.inform"),
        "Success, delex.": _at("report.success"),
        "BLEU †": _at(f"report.bleu.{CANONICAL_STYLE}"),
        "Av. len.": _LENGTH,
        "States": _at("states"),
        "Coverage": _COVERAGE,
        "Flags": _raised,
    }
    chosen = ("Success, any", "Inform, any", "Told", "Inform, delex.", "Success, delex.")
    return _named(columns, ("States", "Flags"), (*chosen, "BLEU †", "Av. len.", "Coverage"))


def _grounded(name: str, place: int) -> _Values:
    """Return a grounded rate; of ranked rows that play a part, the lower bound that ranks.

    Args:
        name: The rate.
        place: Its place in `Row.at_least`.
    """

    def value(row: Row) -> Value:
        one = _at(f"grounded.{name}.{TOTAL}")(row)
        if row.rank is None or row.report is None or row.report.coverage.complete:
            return one
        return replace(one, number=row.at_least[place], played=one.number)

    return value


def _named(
    columns: Mapping[str, _Values], words: Sequence[str], chosen: Sequence[str] = ()
) -> list[Column[Row]]:
    """Return columns by their titles: of words, and those that a reader must choose, as told."""
    found = []
    for title, value in columns.items():
        shown = "chosen" if title in chosen else "always"
        field = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
        key, numbers = title.lower(), title not in words
        found.append(Column(key, title, value, numbers=numbers, shown=shown, field=field))
    return found


def tracking_columns(table: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns of a table of state tracking: of versions, those that say what changes.

    Args:
        table: Its rows, which share their gold states.
    """
    known = table[0].tracked
    figures = {title: _at(f"tracked.figures.{f}", 2) for title, f in TRACKING_FIGURES.items()}
    figures["JGA"] = _jga()
    if known is None or known.gold.whose != "version":
        columns = {**figures, "Coverage": _turns_covered}
    else:
        columns = {
            f"JGA {known.gold.version}": figures["JGA"],
            "without dontcare": _jga("tracked.without_dontcare"),
            f"JGA {known.own_version or 'of the benchmark'}": _BENCHMARK_JGA,
            "Difference": _difference,
            "Places gained": _at("gained", 0, signed=True),
            **{title: figures[title] for title in ("Slot F1", "GCA")},
            "Turns": _at("tracked.figures.turns", 0),
        }
    columns = {**columns, "Track": _at("track"), "Flags": _raised}
    return _named(columns, words=("Track", "Flags"))


def _jga(path: str = "tracked.figures") -> _Values:
    """Return the JGA of the figures at the end of a path; of ranked rows, that which ranks."""

    def value(row: Row) -> Value:
        one = _at(f"{path}.{'jga' if row.unranked else 'at_least'}", 2)(row)
        known = row.tracked
        least = known is not None and not known.figures.complete and not row.unranked
        return replace(one, played=_at(f"{path}.jga", 2)(row).number) if least else one

    return value


_BENCHMARK_JGA = _jga("benchmark_row.tracked.figures")


def _difference(row: Row) -> Value:
    there, here = _BENCHMARK_JGA(row).number, _jga()(row).number
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


def _own_title(row: Row) -> str:
    """Return the heading of a row's table: whose gold states; or who the user is, and the rules."""
    if row.live is None:
        return "" if row.tracked is None else row.tracked.gold_title
    of, most = row.live.signature, row.live.signature.parameters.get("max-turns")
    scripted = re.match(r"scripted-(\d+)-", of.parameters.get("user", ""))
    user = f"scripted user, version {scripted[1]}" if scripted else f"user {row.live.user}"
    return f"Against the {user}, at most {most} turns, rule set {of.rules}"


def live_columns(table: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns of a table of live dialogues: pass^k up to the most trials of a row.

    Args:
        table: Its rows, which share their user.
    """

    def passes(k: int) -> _Values:
        def value(row: Row) -> Value:
            known = () if row.live is None else row.live.passes
            one = known[k - 1] if k <= len(known) else None
            return Value() if one is None else Value(one.value, interval=one)

        return value

    most = max((row.live.trials for row in table if row.live is not None), default=1)
    columns = {
        **{f"pass^{k}": passes(k) for k in range(1, most + 1)},
        "Agent": _at("live.agent"),
        "User": _at("live.user"),
        "Trials": _at("live.trials", 0),
        "Tasks": _at("live.tasks", 0),
        "Solved": _at("live.figures.solved"),
        "Books": _at("live.figures.books"),
        "All requested": _at("live.figures.requested"),
        "Success": _at("live.figures.success"),
        "Inform": _at("live.figures.inform"),
        "Turns": _at("live.figures.turns"),
        "Calls": _at("live.figures.calls"),
        "Wrong calls": _at("live.figures.failed_calls", 0),
        "Tokens": _at("live.tokens", 0),
        "Seed": _at("live.signature.parameters.seed"),
    }
    chosen = ("User", "Tasks", "Solved", "All requested", "Wrong calls", "Seed")
    between = (f"pass^{k}" for k in range(2, most))
    return _named(columns, words=("Agent", "User", "Seed"), chosen=(*chosen, *between))
