"""The tracks of the board: each is one object, in a module of this room or of one that adds it.

A track declares all that the rest of the board needs to know of it: what ranks, its columns and
notes, and how outputs are read, scored and stored. The rest names no track. Where the room that a
track comes with is taken away, its entries are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ..glossary import glossary, term_of
from ..rooms import absent_tracks, complete_rooms

TRACKS = (f"{__package__}.columns", f"{__package__}.state_tracking")
"""The modules that have tracks, in their `TRACKS`, besides those of rooms. They import this one, so
their names are listed here."""

Kind: TypeAlias = Literal["delexicalised responses", "plain English", "states only", "plays"]
"""The kind of outputs of a track's systems."""


@dataclass(frozen=True, kw_only=True)
class Track:
    """A track: what is ranked together.

    Attributes:
        name: What entries and options call it.
        kind: The kind of outputs of its systems.
        read: Reads a system's outputs, which know how they are scored: see `Outputs` and `Reading`
            of `entry_scores.py`.
        rows: Returns the rows of each of its tables, the best first, of the entries of all tracks
            under a rule set; given, too, what entries have of one another.
        columns: Returns the columns of a table besides rank and name, given the board and the rows.
        states: The source of the belief states that its entries are scored with; empty for any.
            Given gold states agree with gold; who submits others must say so in a note.
        ranks: Key of the column that ranks; empty in a track without ranks, that of references,
            which `mwz submit` does not offer.
        against: Key of the column that a chart shows the other figure against.
        plotted: Key of that other figure's column; `ranks` if empty.
        leads: Keys of the columns besides that of which the page says who leads.
        result: What its entries store instead of a report under every rule set, a dataclass with a
            `signature`; None where they store reports.
        commands: How to score a system of one's own, a command each.
        caption: What the page of a system calls its figures.
    """

    name: str
    kind: Kind
    read: Callable[..., Any]
    rows: Callable[[Sequence[Any], str, Mapping[str, Any]], list[list[Any]]]
    columns: Callable[[Any, Sequence[Any]], list[Any]]
    states: Literal["predicted", "gold", ""] = ""
    ranks: str = ""
    against: str = ""
    plotted: str = ""
    leads: tuple[str, ...] = ()
    result: type | None = None
    commands: Sequence[str] = ()
    caption: str = ""

    @property
    def title(self) -> str:
        """Its heading."""
        return term_of("tracks", self.name).title

    @property
    def about(self) -> str:
        """What its systems do and how they are scored, for who is new to the field."""
        return term_of("tracks", self.name).meaning

    @property
    def delexicalised(self) -> bool:
        """Whether it has the tables and columns of delexicalised responses."""
        return self.kind == "delexicalised responses"


@cache
def tracks() -> Mapping[str, Track]:
    """Return name -> track, in the order of the page, which is that of the glossary."""
    modules = list(TRACKS)
    for room in complete_rooms():
        modules += [f"mwz.{room.package}.{module}" for module in room.tracks.values()]
    all_tracks: list[Track] = []
    for module in modules:
        all_tracks += import_module(module).TRACKS
    by_name = {track.name: track for track in all_tracks}
    return {name: by_name[name] for name in glossary()["tracks"] if name in by_name}


def report_left_out(source: Path, left_out: str) -> None:
    """Say on standard error what a file or folder has of tracks whose rooms are not there.

    Args:
        source: The file or folder.
        left_out: What is left out: "7 entries".
    """
    tracks_of_rooms = ", ".join(absent_tracks())
    problem = f"leaves out {left_out} of tracks that are not installed ({tracks_of_rooms})"
    print(f"mwz: {source}: {problem}", file=sys.stderr)


def submitted_tracks() -> list[str]:
    """Return the tracks that systems can be entered in."""
    return [name for name, track in tracks().items() if track.ranks]
