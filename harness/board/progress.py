"""What the systems of a track are published with, year by year: as reported, and as verified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from . import LEXICALISED, LIVE, STATE_TRACKING, WITHOUT_REPORTS, submitted_tracks
from .audit.reported import number, printed_figures
from .entries import paper_year, system_year
from .model import Board


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
    tables = {
        STATE_TRACKING: next(iter(board.tracking), ()),
        LEXICALISED: board.english,
        LIVE: next(iter(board.live), ()),
    }
    rows = [row for row in tables.get(track, board.of_track(track)) if row.rank is not None]
    systems = {row.key: row.entry.system for row in rows if row.entry is not None}
    version = next((row.tracked.version for row in rows if row.tracked), None)
    found: list[tuple[str, str, float | Decimal | None, bool]] = [
        (row.key, row.name, row.at_least[0], True) for row in rows
    ]
    for key, system in systems.items() if track not in WITHOUT_REPORTS else ():
        found += [(key, system.name, _combined(one.figures), False) for one in system.reported]
    years = {key: system_year(system) for key, system in systems.items()}
    for table, line in ((t, line) for t in board.tables if t.track == track for line in t.rows):
        key = line.entry or f"{line.system} {line.paper}"
        if line.entry is None:
            years[key] = paper_year(line.paper)
        claims = [_combined(claim.figures) for claim in printed_figures(table, line)]
        if track == STATE_TRACKING:
            claims = [number(line.figures.get(f"{version} joint accuracy", ""))]
        found += [(key, line.system, claim, False) for claim in claims]
    shown = [
        Published(year, name, float(figure), verified, key if key in systems else "")
        for key, name, figure, verified in found
        if figure is not None and (year := years.get(key)) is not None
    ]
    return sorted(shown, key=lambda one: (one.year, -one.figure, one.name))


def _combined(figures: Mapping[str, Decimal]) -> Decimal | None:
    """Return a combined score that is printed, or follows from what is printed."""
    if "combined" in figures or not figures.keys() >= {"bleu", "inform", "success"}:
        return figures.get("combined")
    return figures["bleu"] + (figures["inform"] + figures["success"]) / 2


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


def best_published(board: Board) -> dict[str, dict[str, list[Published]]]:
    """Return track -> "verified" and "reported" -> the best by year, of tracks with any."""
    found = {}
    for track in submitted_tracks():
        figures = published(board, track)
        if figures:
            found[track] = {
                kind: best_by_year(one for one in figures if one.verified == (kind == "verified"))
                for kind in ("verified", "reported")
            }
    return found
