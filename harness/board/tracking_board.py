"""The leaderboard's tables of state tracking: one per set of gold states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..metrics.signs import MEANINGS, Signs
from ..rendering import escaped, escaped_cell, figure, markdown_table
from ..report import Report
from ..signature import SHOWN_HASH
from ..tracking.tracking_figures import TrackingFigures, figures_of
from .entries import Entry
from .tracking_scores import GoldOf, gold_key
from .tracks import RANKED_COVERAGE, STATE_TRACKING

# Title of a column -> the figure.
_FIGURES: Mapping[str, str] = {
    "JGA": "jga",
    "Slot F1": "slot_f1",
    "RSA": "rsa",
    "FGA (λ = 0.5)": "fga",
    "GCA": "gca",
    "Fuzzy joint acc.": "fuzzy_joint_accuracy",
}


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
    """

    entry: Entry
    figures: TrackingFigures
    gold: GoldOf
    rank: int | None = None
    sign: str = ""

    @property
    def at_least(self) -> float:
        """What ranks: joint goal accuracy with turns that are not tracked counted as wrong."""
        of = self.figures.of_turns or self.figures.turns
        return self.figures.jga * self.figures.turns / of

    @property
    def coverage(self) -> float:
        """Turns tracked, in percent; 100 for gold states of the file's own."""
        return 100 * self.figures.turns / (self.figures.of_turns or self.figures.turns)


def tracking_tables(
    entries: Sequence[Entry], reports: Mapping[str, Report]
) -> list[list[TrackingRow]]:
    """Return the rows of state tracking, a list for each set of gold states, the best first.

    Args:
        entries: The entries of all tracks.
        reports: Key -> report under the page's rule set, of those in the other tracks.
    """
    tables: dict[str, list[TrackingRow]] = {}
    for entry in entries:
        row = _row(entry, reports.get(entry.key))
        if row is not None:
            tables.setdefault(row.figures.gold, []).append(row)
    ranked = [_ranked(rows) for rows in tables.values()]
    # The gold states that most systems are scored with come first.
    return sorted(ranked, key=lambda rows: (-len(rows), rows[0].figures.gold))


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
    ranked = []
    place = 0
    for row in ordered:
        told = row.entry.system.unranked
        if told is None and row.coverage >= RANKED_COVERAGE and row.entry.verifiable:
            place += 1
            ranked.append(replace(row, rank=place))
        else:
            ranked.append(row)
    return ranked


def tracked_places(
    tables: Sequence[Sequence[TrackingRow]],
) -> Iterator[tuple[Entry, int | None]]:
    """Yield the entries of the track and their ranks, table by table."""
    for row in (row for rows in tables for row in rows):
        if row.entry.system.track == STATE_TRACKING:
            yield row.entry, row.rank


def tracking_blocks(tables: Sequence[Sequence[TrackingRow]]) -> Iterator[str]:
    """Yield the tables of state tracking in Markdown, each with what its gold states are."""
    for rows in tables:
        yield f"### {gold_title(rows[0])}"
        yield markdown_table(
            row_headers(),
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
    version = "" if row.gold.version is None else f", version {row.gold.version}"
    if row.gold.whose == "file":
        return escaped(f"Gold states of the predictions file{version} ({shown})")
    benchmark = row.figures.signature.benchmark or ""
    return escaped(f"Gold states of the benchmark {benchmark}{version} ({shown})")


def _remarks(row: TrackingRow) -> list[str]:
    """Return what is to be said of a row: of a tracker its note, of others a raised sign."""
    system = row.entry.system
    own = (system.note, system.unranked) if system.track == STATE_TRACKING else ()
    return [text for text in (row.sign, *own) if text]


def row_headers() -> list[str]:
    """Return the titles of the columns of `row_text`."""
    return ["#", "System", *_FIGURES, "Coverage", "Track"]


def row_text(row: TrackingRow) -> list[str]:
    """Return a system's row of its table."""
    shown = row.figures
    if shown.of_turns is None:
        coverage = f"{shown.dialogues} dialogues, {shown.turns} turns"
    else:
        coverage = f"{figure(row.coverage, 2)} %"
    return [
        "–" if row.rank is None else str(row.rank),
        row.entry.system.name,
        *(figure(getattr(shown, name), 2) for name in _FIGURES.values()),
        coverage,
        row.entry.system.track,
    ]


TRACKING_NOTES = """\
- **State tracking**: *JGA*: share of turns whose predicted state is the gold one, to the letter;
  ranks by it, turns that are not tracked counted as wrong, and below 90 % of the turns there is no
  rank. *Slot F1*, *RSA* (relative slot accuracy), *FGA* (flexible goal accuracy, λ = 0.5) and *GCA*
  (granular change accuracy): docs/state-tracking.md. *Fuzzy joint acc.*: joint accuracy with values
  fuzzily equal (partial ratio above 95), which is no JGA; the *Joint acc.* of the other tables.
  Slots that gold states call `bookday` and systems `day` are one.
"""
