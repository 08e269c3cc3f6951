"""The track of state tracking: a table for each set of gold states.

Systems of other tracks that predict states stand in its tables as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mwz.normalization import DEFAULT_RULES, read_toml

from ..io import figure
from ..metrics import FLAGS, GOLD_STATES
from ..signature import Signature
from .columns import Column, Values, at, named, raised
from .copied import Copies
from .entries import Entry
from .entry_scores import Reading
from .model import Board
from .rows import MISSING, Row, Value, ranked
from .scores import plain
from .track import Track
from .tracked import TRACKING_FIGURES, TrackedScores, entered_scores, tracked
from .tracker_scores import States, read_states

_NAME = "state-tracking"


@dataclass(frozen=True, kw_only=True)
class TrackedRow(Row):
    """A system in a table of state tracking.

    Attributes:
        scores: What its states score.
        gold_share: The largest share of its states that agree with gold, of all gold states.
        benchmark_row: In a table of other gold states than the benchmark's: its row in the table
            of those, if it stands there.
        gained: How many places it gains against that table, among the ranked rows of both.
    """

    scores: TrackedScores
    gold_share: float
    benchmark_row: TrackedRow | None = None
    gained: int | None = None

    @property
    def further(self) -> bool:
        """As of `Row`."""
        return self.scores.further

    @property
    def printed_as(self) -> str:
        """As of `Row`."""
        return f"{self.scores.version} joint accuracy"

    @property
    def coverage(self) -> float:
        """As of `Row`, of the turns."""
        return self.scores.coverage

    @property
    def anchor(self) -> str:
        """As of `Row`."""
        version = f"-{self.scores.gold.version}" if self.further else ""
        return f"tracking-{self.key}{version}"

    @property
    def signature(self) -> Signature:
        """As of `Row`."""
        return self.scores.signature

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """Joint goal accuracy; turns that are not tracked count as wrong."""
        return (self.scores.figures.at_least,)

    @property
    def figures(self) -> dict[str, Any]:
        """As of `Row`."""
        figures = dict(vars(self.scores.figures))
        signature, further = str(figures.pop("signature")), self.entry.scores.further_gold
        more = {"further_gold": plain(further)} if further else {}
        return {"state_tracking": figures, **more, "signature": signature}

    @property
    def measured_flags(self) -> Mapping[str, float]:
        """As of `Row`."""
        return {GOLD_STATES: self.gold_share}

    @property
    def jga_bounds(self) -> dict[str, float]:
        """As of `Row`."""
        figures = self.scores.figures
        version = self.scores.version or figures.gold
        return {} if figures.complete else {version: figures.at_least}

    def has_flag(self, name: str) -> bool:
        """As of `Row`: those of states, whatever the track."""
        return FLAGS[name].of_states

    @property
    def track_reasons(self) -> Iterator[str]:
        """As of `Row`."""
        if not self.scores.gold.is_known:
            yield "its gold states are its own, not those of a known version"
        if self.entry.system.states_of is not None:
            yield f"its belief states are those of {self.entry.system.states_of}"

    def notes(self, quoted: Any = str) -> list[str]:
        """As of `Row`; what is said of the system stands where it was entered alone."""
        notes = [*self.bound_note, *self.flag_notes(quoted)]
        if self.track != _NAME or self.further:
            return notes
        system = self.entry.system
        return [*map(quoted, filter(None, (system.note, system.unranked))), *notes]

    @property
    def bound_note(self) -> list[str]:
        """As of `Row`."""
        figures = self.scores.figures
        if figures.complete:
            return []
        if self.unranked is not None:
            return [f"not ranked: {self.unranked}; its figures are of the turns it tracks"]
        over = MISSING.format(of="", unit="turns")
        jga, whole = figure(figures.jga, 2), figure(self.ranking_key[0], 2)
        return [f"≥ {whole} {over}; {jga} on the turns it tracks"]


def _tables(entries: Sequence[Entry], rules: str, copies: Copies) -> list[list[Row]]:
    """Return the rows, a list for each set of gold states, the best first.

    The benchmark's own gold states come first, then those of other versions, then those of files.
    An entry stands in the table of the gold states that it was entered with, and in those of the
    further versions that it was scored against. What the harness made stands in none.
    """
    order = ("benchmark", "version", "file")
    tables: dict[str, list[TrackedRow]] = {}
    places: dict[str, int] = {}
    turns: dict[str, int] = {}
    for entry in entries:
        benchmark_row = None
        every = _scores(entry, rules)
        share = max((one.figures.gold_share for one in every), default=0.0)
        for one in every:
            row = TrackedRow(
                entry=entry,
                scores=one,
                gold_share=share,
                benchmark_row=benchmark_row,
                copies=copies.get(entry.key, {}),
            )
            if one.gold.whose == "benchmark":
                benchmark_row = row
            elif benchmark_row is not None and benchmark_row.scores.figures.complete:
                # Versions may lack dialogues: these are all turns that one of them has.
                turns[one.figures.gold] = one.figures.turns
            tables.setdefault(one.figures.gold, []).append(row)
            places[one.figures.gold] = order.index(one.gold.whose)
    for gold, count in turns.items():
        rows = tables[gold]
        tables[gold] = [replace(row, scores=row.scores.of_turns(count)) for row in rows]
    in_order = sorted(tables, key=lambda gold: (places[gold], -len(tables[gold]), gold))
    return [[*_with_gains(ranked(tables[gold], apart=False))] for gold in in_order]


def _scores(entry: Entry, rules: str) -> list[TrackedScores]:
    """Return what an entry's states score, with each set of gold states."""
    entered, report = entry.scores.result, entry.scores.reports.get(rules)
    if report is not None and not entry.system.predictions.by_harness:
        entered = entered_scores(report)
    if not isinstance(entered, TrackedScores):
        return []
    # A tracker's own scores are of no rule set of the board.
    under = DEFAULT_RULES if report is None else rules
    return [*tracked(entered, entry.scores.further_gold, under)]


def _with_gains(table: Sequence[TrackedRow]) -> list[TrackedRow]:
    """Return a table's rows with the places that they gain against the benchmark's own states."""
    pairs = ((row, row.benchmark_row) for row in table if row.unranked is None)
    both = [(row, before) for row, before in pairs if before and before.unranked is None]
    places = [{row.key: row.rank or 0 for row in ranked(side)} for side in zip(*both, strict=True)]
    after, before_it = places or ({}, {})
    gained = {key: before_it[key] - place for key, place in after.items()}
    return [replace(row, gained=gained.get(row.key)) for row in table]


def _heading(rows: Sequence[TrackedRow]) -> str:
    return rows[0].scores.gold_title


def _columns(board: Board, rows: Sequence[TrackedRow]) -> list[Column[Any]]:
    """Return the columns of a table: of versions, those that say what changes.

    Args:
        board: The board.
        rows: The table's rows, which share their gold states.
    """
    scores = rows[0].scores
    figures = {title: at(f"scores.figures.{name}", 2) for title, name in TRACKING_FIGURES.items()}
    figures["JGA"] = _jga()
    if scores.gold.whose != "version":
        columns = {**figures, "Coverage": _turns_covered}
    else:
        columns = {
            f"JGA {scores.gold.version}": figures["JGA"],
            "without dontcare": _jga("scores.without_dontcare"),
            f"JGA {scores.benchmark_version or 'of the benchmark'}": _BENCHMARK_JGA,
            "Difference": _difference,
            "Places gained": at("gained", 0, signed=True),
            **{title: figures[title] for title in ("Slot F1", "GCA")},
            "Turns": at("scores.figures.turns", 0),
        }
    columns = {**columns, "Track": at("track"), "Flags": raised}
    return named(columns, words=("Track", "Flags"))


def _jga(path: str = "scores.figures") -> Values:
    """Return the JGA of the figures at the end of a path; of ranked rows, that which ranks."""

    def value(row: TrackedRow) -> Value:
        one = at(f"{path}.{'jga' if row.unranked else 'at_least'}", 2)(row)
        if row.scores.figures.complete or row.unranked:
            return one
        return replace(one, played=at(f"{path}.jga", 2)(row).number)

    return value


_BENCHMARK_JGA = _jga("benchmark_row.scores.figures")


def _difference(row: TrackedRow) -> Value:
    there, here = _BENCHMARK_JGA(row).number, _jga()(row).number
    if there is None or here is None:
        return Value()
    return Value(here - there, 2, signed=True)


def _turns_covered(row: TrackedRow) -> Value:
    figures = row.scores.figures
    if figures.of_turns is None:
        return Value(words=f"{figures.dialogues} dialogues, {figures.turns} turns")
    return Value(row.coverage, 2, unit=" %")


def _outputs(content: bytes | str, source: str, how: Reading) -> States:
    return read_states(content, source, how.load_benchmark, how.gold, how.load_gold)


_TEXTS = read_toml("state_tracking.toml", __package__)

TRACKS = (
    Track(
        name=_NAME,
        kind="states only",
        title="State tracking",
        about=_TEXTS["about"],
        legend=_TEXTS["legend"],
        place=30,
        tables=_tables,
        heading=_heading,
        columns=_columns,
        outputs=_outputs,
        ranks="jga",
        against="slot f1",
        result=TrackedScores,
        among="among those with the same gold states in the track",
        reported_alone=True,
    ),
)
