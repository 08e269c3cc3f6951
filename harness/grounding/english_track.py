"""The track of systems in plain English, ranked by grounded Success and Inform."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from mwz.normalization.registry import read_toml
from mwz.normalization.rules import DEFAULT_RULES

from ..benchmark import CANONICAL_STYLE
from ..board.columns import COVERAGE, LENGTH, Column, Values, at, named, raised
from ..board.copied import Shared
from ..board.entries import Entry, Predictions, System
from ..board.entry_scores import read_responses
from ..board.model import Board
from ..board.rows import ResponsesRow, Row, ranked
from ..board.scores import Scores
from ..board.tracks import Track
from ..io.tables import escaped, figure, markdown_table, signed
from ..metrics.inform import TOTAL
from ..submission import EMPTY_STATES, HUMAN
from .scores import OUTCOMES, GroundedFigures, GroundedScores

_NAME = "lexicalised"

_WAY_BACK = 1.0
"""Points of Inform and Success by which scores that come back may differ."""


@dataclass(frozen=True, kw_only=True)
class EnglishRow(ResponsesRow):
    """A system in plain English.

    Attributes:
        grounded: Its grounded scores.
    """

    grounded: GroundedScores | GroundedFigures

    @property
    def is_human(self) -> bool:
        """As of `Row`."""
        return self.entry.system.predictions.made == HUMAN

    @property
    def ranking_key(self) -> tuple[float, ...]:
        """Grounded Success and Inform where the deciding response names no other venue ("all")."""
        coverage = None if self.report is None else self.report.coverage
        played = 1.0 if coverage is None else coverage.dialogues / coverage.of
        figures = self.grounded.success_all, self.grounded.inform_all
        return tuple(played * rates[TOTAL] for rates in figures)

    @property
    def figures(self) -> dict[str, Any]:
        """As of `Row`."""
        named = {name: rates[TOTAL] for name in OUTCOMES if (rates := getattr(self.grounded, name))}
        return {"grounded": named}

    @property
    def track_notes(self) -> Iterator[str]:
        """As of `Row`: placeholders are none of its own."""
        return iter(())

    def bound_text(self, over: str, submitted: str) -> str:
        """As of `ResponsesRow`."""
        whole = "Success ≥ {}, Inform ≥ {}".format(*map(figure, self.ranking_key))
        rates = self.grounded.success_all[TOTAL], self.grounded.inform_all[TOTAL]
        return f"{whole} {over}; {' and '.join(map(figure, rates))} {submitted}"


def _tables(
    entries: Iterable[Entry], rules: str, copies: Mapping[str, Mapping[str, Shared]]
) -> list[list[Row]]:
    """Return the rows: the human responses, the ranked ones, then the others, if there are any.

    Systems that the harness put into plain English itself are a check of the way back, and have no
    rank.
    """
    rows = []
    for entry in entries:
        report = entry.scores.under(rules)
        scores = None if report is None else report.metrics.get("grounded")
        if entry.system.track == _NAME and isinstance(scores, GroundedScores):
            own = copies.get(entry.key, {})
            rows.append(EnglishRow(entry=entry, report=report, grounded=scores, copies=own))
    if rows and not any(row.is_human for row in rows):
        rows += _reported_human(rows)
    return [[*ranked(rows)]] if rows else []


def _reported_human(rows: Iterable[EnglishRow]) -> list[EnglishRow]:
    """Return the human responses that the report of a complete submission tells, if any."""
    for row in rows:
        human = getattr(row.grounded, "ceiling", None)
        if human is not None and row.report is not None and row.report.coverage.complete:
            made = Predictions(made=HUMAN)
            system = System(name="Human responses", track=_NAME, predictions=made)
            return [EnglishRow(entry=Entry(Path(), system, Scores()), report=None, grounded=human)]
    return []


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Any]]:
    columns = {
        "Success, all": _grounded("success_all", 0),
        "Success, any": at(f"grounded.success.{TOTAL}"),
        "All requested": at(f"grounded.success_requested.{TOTAL}"),
        "Inform, all": _grounded("inform_all", 1),
        "Inform, any": at(f"grounded.inform.{TOTAL}"),
        "Told": at("grounded.faithfulness.told", 0),
        "In database, %": at("grounded.faithfulness.in_database"),
        "Of a named venue, %": at("grounded.faithfulness.of_named_venue"),
        "Inform, delex.": at("report.inform"),
        "Success, delex.": at("report.success"),
        "BLEU †": at(f"report.bleu.{CANONICAL_STYLE}"),
        "Av. len.": LENGTH,
        "States": at("states"),
        "Coverage": COVERAGE,
        "Flags": raised,
    }
    chosen = ("Success, any", "Inform, any", "Told", "Inform, delex.", "Success, delex.")
    return named(columns, ("States", "Flags"), (*chosen, "BLEU †", "Av. len.", "Coverage"))


def _grounded(name: str, place: int) -> Values:
    """Return a grounded rate; of ranked rows that play a part, the lower bound that ranks.

    Args:
        name: The rate.
        place: Its place in `EnglishRow.ranking_key`.
    """

    def value(row: EnglishRow) -> Any:
        one = at(f"grounded.{name}.{TOTAL}")(row)
        if row.rank is None or row.report is None or row.report.coverage.complete:
            return one
        return replace(one, number=row.ranking_key[place], played=one.number)

    return value


# ----------------------------------------------------------------------------- the way back


class WayBack(NamedTuple):
    """A system whose responses were put into plain English and delexicalised again.

    Attributes:
        key: The entry in plain English.
        name: The system's name.
        inform: Strict Inform of its own, and again, in percent.
        success: Strict Success likewise.
    """

    key: str
    name: str
    inform: tuple[float, float]
    success: tuple[float, float]

    @property
    def farthest(self) -> float:
        """The larger of both differences."""
        return max(abs(again - before) for before, again in (self.inform, self.success))


def way_back(entries: Sequence[Entry], rules: str) -> Iterator[WayBack]:
    """Yield what came back of each system that the harness put into plain English."""
    by_key = {entry.key: entry for entry in entries}
    for entry in entries:
        base = by_key.get(entry.system.predictions.lexicalised or "")
        before = None if base is None else base.scores.under(rules)
        again = entry.scores.under(rules)
        if base is None or before is None or again is None:
            continue
        inform, success = (before.inform, again.inform), (before.success, again.success)
        if None not in (*inform, *success):
            yield WayBack(entry.key, base.system.name, inform, success)  # type: ignore[arg-type]


def _entries_problems(entries: Sequence[Entry]) -> Iterator[str]:
    """Yield which systems that the harness put into plain English do not come back."""
    for back in way_back(entries, DEFAULT_RULES):
        if back.farthest > _WAY_BACK:
            yield (
                f"{back.key}: Inform or Success of {back.name} comes back {back.farthest:.1f} "
                f"points off, more than {_WAY_BACK:g}; leave it out, or another seed may do"
            )


def _below(board: Board) -> Iterator[str]:
    """Yield the check of the way back."""
    table = []
    for back in way_back(board.entries, board.rules):
        rates = ((figure(a), figure(b), signed(b - a)) for a, b in (back.inform, back.success))
        table.append([escaped(back.name), *chain.from_iterable(rates)])
    if table:
        yield "### The way back"
        yield _TEXTS["way_back"]
        yield markdown_table(["System", "Inform", "again", "", "Success", "again", ""], table)


# -------------------------------------------------------------------------------- the track


def _problems(system: System) -> Iterator[str]:
    place = system.predictions
    if place.made not in (None, HUMAN, EMPTY_STATES):
        yield f"`made` can only be {HUMAN!r}"
    if place.made == EMPTY_STATES:
        yield "its predictions are states only; the track is state-tracking"
    if place.played:
        yield "`played` is for live dialogues"
    if system.placeholders is not None:
        yield "`placeholders` are not for it; leave them out"


_TEXTS = read_toml("english_track.toml", __package__)

TRACKS = (
    Track(
        name=_NAME,
        title="Lexicalised systems",
        about=_TEXTS["about"],
        legend=_TEXTS["legend"],
        place=40,
        tables=_tables,
        columns=_columns,
        outputs=partial(read_responses, english=True),
        problems=_problems,
        entries_problems=_entries_problems,
        below=_below,
        ranks="success, all",
        against="of a named venue, %",
        english=True,
        reported_alone=True,
        caption="From text, goal and database alone; delex.: delexicalised first",
    ),
)
