"""The tracks of the board: each is one object, declared in this room or in one that brings it.

A track declares all that the rest of the board needs to know of it: what ranks, its columns and
notes, and how outputs are read, scored and stored. The rest names no track. Where the room that a
track comes with is taken away, its entries are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from mwz.normalization import contributed

OF_ROOMS = ("live", "lexicalised")
"""The tracks that come with rooms which can be taken away."""

Kind: TypeAlias = Literal["delexicalised responses", "plain English", "states only", "plays"]
"""The kind of outputs of a track's systems."""


def _nothing(_: object) -> Iterator[str]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class Track:
    """A track: what is ranked together.

    Attributes:
        name: What entries and options call it.
        kind: The kind of outputs of its systems.
        title: Its heading.
        about: What its systems do and how they are scored, for who is new to the field.
        place: Its place on the page.
        read: Reads a system's outputs, which know how they are scored: see `Outputs` and `Reading`
            of `entry_scores.py`.
        rows: Returns the rows of each of its tables, the best first, of the entries of all tracks
            under a rule set; given, too, what entries have of one another.
        columns: Returns the columns of a table besides rank and name, given the board and the rows.
        states: The source of the belief states that its entries are scored with; empty for any.
            Given gold states agree with gold; who submits others must say so in a note.
        entries_problems: Yields what is wrong with the entries of a board.
        ranks: Key of the column that ranks; empty where nothing does.
        against: Key of the column that a chart shows the other figure against.
        plotted: Key of that other figure's column; `ranks` if empty.
        leads: Keys of the columns besides that of which the page says who leads.
        submitted: Whether `mwz submit` may enter systems in it; it ranks them.
        result: What its entries store instead of a report under every rule set, a dataclass with a
            `signature`; None where they store reports.
        below: Yields what the page shows below its tables, given the board.
        commands: How to score a system of one's own, a command each.
        caption: What the page of a system calls its figures.
    """

    name: str
    kind: Kind
    title: str
    about: str
    place: int
    read: Callable[..., Any]
    rows: Callable[[Sequence[Any], str, Mapping[str, Any]], list[list[Any]]]
    columns: Callable[[Any, Sequence[Any]], list[Any]]
    states: Literal["predicted", "gold", ""] = ""
    entries_problems: Callable[[Sequence[Any]], Iterator[str]] = _nothing
    ranks: str = ""
    against: str = ""
    plotted: str = ""
    leads: tuple[str, ...] = ()
    submitted: bool = True
    result: type | None = None
    below: Callable[[Any], Iterator[str]] = _nothing
    commands: Sequence[str] = ()
    caption: str = ""

    @property
    def delexicalised(self) -> bool:
        """Whether it has the tables and columns of delexicalised responses."""
        return self.kind == "delexicalised responses"

    @property
    def english(self) -> bool:
        """Whether its responses are plain English."""
        return self.kind == "plain English"

    @property
    def by_rules(self) -> bool:
        """Whether its entries are scored under every rule set, and store reports."""
        return self.result is None

    @property
    def takes_gold(self) -> bool:
        """Whether the version of the gold states can be chosen."""
        return self.kind == "states only"

    @property
    def takes_plays(self) -> bool:
        """Whether its outputs are live dialogues, all trials of which are one entry's outputs."""
        return self.kind == "plays"


@cache
def tracks() -> Mapping[str, Track]:
    """Return name -> track, in the order of the page."""
    declared = contributed("board", "TRACK", Track)
    return {track.name: track for track in sorted(declared, key=lambda track: track.place)}


def submitted_tracks() -> list[str]:
    """Return the tracks that systems can be entered in."""
    return [name for name, track in tracks().items() if track.submitted]
