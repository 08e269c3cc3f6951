"""What the systems of a track are published with, year by year: as reported, and as verified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from . import LEXICALISED, STATE_TRACKING, TRACKS
from .audit.reported import number, printed_figures
from .entries import paper_year, system_year
from .model import Board, Row


@dataclass(frozen=True)
class Published:
    """A figure that a system is published with.

    Attributes:
        year: The year of its publication.
        name: The system.
        figure: What ranks in its track: the combined score, joint goal accuracy, ….
        verified: Whether the harness gives it; else it is what a paper or a public table prints.
        key: The key of its entry; empty if it has none.
    """

    year: int
    name: str
    figure: float
    verified: bool
    key: str = ""


def published(board: Board, track: str) -> list[Published]:
    """Return the figures of a track's systems, by year; systems of no known year are left out.

    Verified ones are those of ranked rows. Reported ones are as printed, whatever script made them;
    joint accuracies those on the version of the gold states that the benchmark has. What is printed
    of entries without a rank is left out.
    """
    rows = [row for row in _rows(board, track) if row.rank is not None]
    found = [
        Published(year, row.name, row.at_least[0], True, row.key)
        for row in rows
        if row.entry is not None and (year := system_year(row.entry.system)) is not None
    ]
    reported = _joint_accuracies if track == STATE_TRACKING else _combined_scores
    found += reported(board, track, rows)
    return sorted(found, key=lambda one: (one.year, -one.figure, one.name))


def best_by_year(found: Iterable[Published]) -> list[Published]:
    """Return those that were the best when they were published, at most one a year.

    Args:
        found: Figures of one kind, by year, each year's best first.
    """
    best: list[Published] = []
    for one in found:
        if not best or one.figure > best[-1].figure:
            best.append(one)
    return best


def _rows(board: Board, track: str) -> Sequence[Row]:
    if track == STATE_TRACKING:
        return board.tracking[0] if board.tracking else ()
    return board.english if track == LEXICALISED else board.of_track(track)


def _combined_scores(board: Board, track: str, rows: Sequence[Row]) -> Iterator[Published]:
    """Yield the combined scores that are printed, or follow from what is printed."""
    systems = {row.key: row.entry.system for row in rows if row.entry is not None}
    claims: list[tuple[str, str, int | None, Mapping[str, Decimal]]] = [
        (key, system.name, system_year(system), one.figures)
        for key, system in systems.items()
        for one in system.reported
    ]
    claims += [
        (
            row.entry or "",
            row.system,
            paper_year(row.paper) if row.entry is None else system_year(systems[row.entry]),
            claim.figures,
        )
        for table in board.tables
        if table.track == track
        for row in table.rows
        if row.entry is None or row.entry in systems
        for claim in printed_figures(table, row)
    ]
    for key, name, year, figures in claims:
        combined = figures.get("combined")
        if combined is None and figures.keys() >= {"bleu", "inform", "success"}:
            combined = figures["bleu"] + (figures["inform"] + figures["success"]) / 2
        if combined is not None and year is not None:
            yield Published(year, name, float(combined), False, key)


def _joint_accuracies(board: Board, track: str, rows: Sequence[Row]) -> Iterator[Published]:
    versions = {row.tracked.version for row in rows if row.tracked is not None}
    for table in board.tables:
        for row in table.rows if table.track == track else ():
            year = paper_year(row.paper)
            for version in versions:
                printed = number(row.figures.get(f"{version} joint accuracy", ""))
                if printed is not None and year is not None:
                    yield Published(year, row.system, float(printed), False)


def best_published(board: Board) -> dict[str, dict[str, list[Published]]]:
    """Return track -> "verified" and "reported" -> the best score by year, as far as known."""
    found = {}
    for track in TRACKS:
        figures = published(board, track)
        kinds = {"verified": True, "reported": False}
        best = {
            name: best_by_year(one for one in figures if one.verified == kind)
            for name, kind in kinds.items()
        }
        if any(best.values()) and TRACKS[track].submitted:
            found[track] = best
    return found
