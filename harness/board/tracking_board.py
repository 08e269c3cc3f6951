"""The leaderboard's tables of state tracking: one per set of gold states.

An entry stands in the table of the gold states that it was entered with, and in those of the
further versions that it was scored against as well: there beside what it scores against the
benchmark's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mwz.normalization.rules import DEFAULT_RULES

from ..data.declared import gold_versions
from ..metrics.signs import MEANINGS, Signs
from ..rendering import escaped, escaped_cell, figure, markdown_table, signed
from ..report import Report
from ..signature import SHOWN_HASH
from ..tracking.tracking_figures import FIGURES, TrackingFigures, figures_of
from .entries import Entry
from .further_gold import DROP, KEEP
from .tracking_scores import GoldOf, gold_key
from .tracks import RANKED_COVERAGE, STATE_TRACKING

_STATES = "gold_states"
"""The sign that is about belief states."""


@dataclass(frozen=True)
class TrackingRow:
    """A system in a table of state tracking.

    Attributes:
        entry: The entry.
        figures: Its figures.
        gold: Whose gold states they were made with.
        rank: Its place in its table, from 1; None if it has none.
        sign: What is to be said of its states, if their sign is raised.
        without_dontcare: The figures without `dontcare`, where these are kept.
        further: Whether these are other gold states than those that it was entered with.
        own: Its row in the table of the benchmark's own gold states, where this is another and it
            stands there.
        gained: How many places it gains here, among the ranked systems that stand in both tables.
    """

    entry: Entry
    figures: TrackingFigures
    gold: GoldOf
    rank: int | None = None
    sign: str = ""
    without_dontcare: TrackingFigures | None = None
    further: bool = False
    own: TrackingRow | None = None
    gained: int | None = None

    @property
    def at_least(self) -> float:
        """What ranks: joint goal accuracy with turns that are not tracked counted as wrong."""
        of = self.figures.of_turns or self.figures.turns
        return self.figures.jga * self.figures.turns / of

    @property
    def coverage(self) -> float:
        """Turns tracked, in percent; 100 for gold states of the file's own."""
        return 100 * self.figures.turns / (self.figures.of_turns or self.figures.turns)

    @property
    def is_ranked(self) -> bool:
        """Whether it has a place in its table."""
        system = self.entry.system
        kept_out = system.predictions.by_harness or system.unranked is not None
        return self.coverage >= RANKED_COVERAGE and self.entry.verifiable and not kept_out


def tracking_tables(
    entries: Sequence[Entry], reports: Mapping[str, Report]
) -> list[list[TrackingRow]]:
    """Return the rows of state tracking, a list for each set of gold states, the best first.

    The benchmark's own gold states come first, then those of other versions, then those of files.

    Args:
        entries: The entries of all tracks.
        reports: Key -> report under the page's rule set, of those in the other tracks.
    """
    tables: dict[str, list[TrackingRow]] = {}
    for entry in entries:
        for row in _rows(entry, reports.get(entry.key)):
            tables.setdefault(row.figures.gold, []).append(row)
    ranked = [_with_gains(_ranked(rows)) for rows in tables.values()]
    order = ("benchmark", "version", "file")

    def place(rows: Sequence[TrackingRow]) -> tuple[int, int, str]:
        first = rows[0]
        return order.index(first.gold.whose), -len(rows), first.figures.gold

    return sorted(ranked, key=place)


def _rows(entry: Entry, report: Report | None) -> Iterator[TrackingRow]:
    """Yield an entry's row with the gold states that it was entered with, and its further ones.

    Gold states are normalised by the default rule set, so that under another there are no others.
    """
    main = _row(entry, report)
    if main is None:
        return
    scores = entry.scores if entry.tracking is None else entry.tracking
    by_default = report is None or report.rules == DEFAULT_RULES
    own = main if main.gold.whose == "benchmark" else None
    for version, by_choice in scores.further_gold.items() if by_default else ():
        figures, dropped = by_choice[KEEP], by_choice[DROP]
        if figures.gold == main.figures.gold:
            main = replace(main, without_dontcare=dropped)
        else:
            of = GoldOf("version", version)
            yield TrackingRow(entry, figures, of, None, main.sign, dropped, True, own)
    yield main


def _row(entry: Entry, report: Report | None) -> TrackingRow | None:
    if entry.tracking is not None:
        return TrackingRow(entry, entry.tracking.figures, entry.tracking.gold)
    if report is None or report.dst is None:
        return None
    coverage = report.coverage
    figures = figures_of(
        report.dst,
        report.signature,
        gold_key(report.signature),
        None,
        (coverage.of, coverage.of_turns),
    )
    measured: Signs | None = report.metrics.get("signs")
    raised = measured is not None and _STATES in measured.raised
    sign = MEANINGS[_STATES] if raised else ""
    return TrackingRow(entry, figures, GoldOf("benchmark"), sign=sign)


def _ranked(rows: Sequence[TrackingRow]) -> list[TrackingRow]:
    ordered = sorted(rows, key=lambda row: (-row.at_least, row.entry.key))
    placed = [row.at_least for row in ordered if row.is_ranked]
    # Equal figures share a place.
    return [
        replace(row, rank=1 + placed.index(row.at_least)) if row.is_ranked else row
        for row in ordered
    ]


def _with_gains(rows: Sequence[TrackingRow]) -> list[TrackingRow]:
    """Return a table's rows with the places that they gain against the benchmark's own states."""
    both = [row for row in rows if row.own is not None and row.own.is_ranked and row.is_ranked]
    before, after = (
        {row.entry.key: row.rank or 0 for row in _ranked(side)}
        for side in ([row.own for row in both if row.own is not None], both)
    )
    gained = {key: before[key] - place for key, place in after.items()}
    return [replace(row, gained=gained.get(row.entry.key)) for row in rows]


def tracked_places(
    tables: Sequence[Sequence[TrackingRow]],
) -> Iterator[tuple[Entry, int | None]]:
    """Yield the entries of the track and their ranks where they were entered, table by table."""
    for row in (row for rows in tables for row in rows):
        if row.entry.system.track == STATE_TRACKING and not row.further:
            yield row.entry, row.rank


def tracking_blocks(tables: Sequence[Sequence[TrackingRow]]) -> Iterator[str]:
    """Yield the tables of state tracking in Markdown, each with what its gold states are."""
    for rows in tables:
        yield f"### {escaped(gold_title(rows[0]))}"
        yield markdown_table(
            row_headers(rows[0]),
            [[escaped_cell(cell) for cell in row_text(row)] for row in rows],
        )
        notes = [
            f"- {escaped(row.entry.system.name)}: {escaped('; '.join(told))}"
            for row in rows
            if (told := _remarks(row))
        ]
        if notes:
            yield "\n".join(notes)


def gold_title(row: TrackingRow) -> str:
    """Say what the gold states of a table are."""
    shown = row.figures.gold[:SHOWN_HASH]
    known = gold_version(row)
    version = "" if known is None else f", version {known}"
    if row.gold.whose == "file":
        return f"Gold states of the predictions file{version} ({shown})"
    benchmark = row.figures.signature.benchmark or ""
    return f"Gold states of the benchmark {benchmark}{version} ({shown})"


def _remarks(row: TrackingRow) -> list[str]:
    """Return what is to be said of a row: a raised sign, and once what a tracker's entry says."""
    system = row.entry.system
    has_note = system.track == STATE_TRACKING and not row.further
    own = (system.note, system.unranked) if has_note else ()
    return [text for text in (row.sign, *own) if text]


def gold_version(row: TrackingRow) -> str | None:
    """Return what version of the annotation a row's gold states are; None if nobody says."""
    return _own_version(row) if row.gold.whose == "benchmark" else row.gold.version


def _own_version(row: TrackingRow) -> str | None:
    """Return the version of the gold states of a row's benchmark itself; None if nobody says."""
    return gold_versions(row.figures.signature.benchmark or "").own


def row_headers(row: TrackingRow) -> list[str]:
    """Return the titles of the columns of a row, which are those of its table."""
    return ["#", "System", *_columns(row), "Track"]


def row_text(row: TrackingRow) -> list[str]:
    """Return a system's row of its table."""
    return [
        "–" if row.rank is None else str(row.rank),
        row.entry.system.name,
        *(column(row) for column in _columns(row).values()),
        row.entry.system.track,
    ]


# Title of a column -> what stands in it.
_Columns = Mapping[str, Callable[[TrackingRow], str]]


def _columns(row: TrackingRow) -> _Columns:
    """Return the columns of a row's table: of versions, those that say what they change."""
    if row.gold.whose != "version":
        return {**_ALL, "Coverage": _coverage}
    own = f"JGA {_own_version(row) or 'of the benchmark'}"
    few = {title: _ALL[title] for title in ("Slot F1", "GCA")}
    return {
        f"JGA {row.gold.version}": _ALL["JGA"],
        "without dontcare": lambda row: figure(_jga(row.without_dontcare), 2),
        own: lambda row: figure(None if row.own is None else row.own.figures.jga, 2),
        "Difference": _difference,
        "Places gained": lambda row: "–" if row.gained is None else signed(row.gained, 0),
        **few,
        "Turns": lambda row: str(row.figures.turns),
    }


def _figure_column(name: str) -> Callable[[TrackingRow], str]:
    return lambda row: figure(getattr(row.figures, name), 2)


_ALL: _Columns = {title: _figure_column(name) for title, name in FIGURES.items()}


def _jga(figures: TrackingFigures | None) -> float | None:
    return None if figures is None else figures.jga


def _difference(row: TrackingRow) -> str:
    return "–" if row.own is None else signed(row.figures.jga - row.own.figures.jga, 2)


def _coverage(row: TrackingRow) -> str:
    shown = row.figures
    if shown.of_turns is None:
        return f"{shown.dialogues} dialogues, {shown.turns} turns"
    return f"{figure(row.coverage, 2)} %"


TRACKING_NOTES = """\
- **State tracking**: *JGA*: share of turns whose predicted state is the gold one, to the letter;
  ranks by it, turns that are not tracked counted as wrong, and below 90 % of the turns there is no
  rank. *Slot F1*, *RSA* (relative slot accuracy), *FGA* (flexible goal accuracy, λ = 0.5) and *GCA*
  (granular change accuracy): docs/state-tracking.md. *Fuzzy joint acc.*: joint accuracy with values
  fuzzily equal (partial ratio above 95), which is no JGA; the *Joint acc.* of the other tables.
  Slots that gold states call `bookday` and systems `day` are one.
- **Gold states of other versions**: every system with predicted states against a version's gold
  states, with `dontcare` as a value and without it on both sides; beside it the JGA against the
  benchmark's own gold states, over all turns that the system plays, as in their own table.
  *Difference*: the former less the latter. *Places gained*: among the ranked systems that stand in
  both tables. *Turns*: those scored against the version, which may lack dialogues.
"""
