"""The rooms that can be taken away: which there are, and what they add to the rest.

A room is a folder with a feature of its own. Nothing below it imports it: what it adds is listed
here, and used where its folder is there; what needs it asks for it by `import_room`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from .errors import InputError


@dataclass(frozen=True)
class Room:
    """A room that can be taken away, and what its modules have for the rest.

    Attributes:
        package: The package, within `mwz`.
        commands: Subcommand -> one line of help; its module is called like it.
        metrics: The modules with a `METRIC` of responses.
        tracks: Track of the board -> the module that has it in `TRACKS`.
        needs: The other rooms without which it adds no metrics and tracks, and those that they
            need.
    """

    package: str
    commands: Mapping[str, str] = field(default_factory=dict)
    metrics: Sequence[str] = ()
    tracks: Mapping[str, str] = field(default_factory=dict)
    needs: Sequence[str] = ()

    @property
    def is_there(self) -> bool:
        """Whether its folder is there."""
        spec = find_spec(f"mwz.{self.package}")
        # A folder without modules is none: caches may be left of it.
        return spec is not None and spec.origin is not None


ROOMS: Mapping[str, Room] = {
    "audit": Room(
        "harness.board.audit",
        commands={
            "audit": "Compare reported figures with the harness's, and with each other.",
            "claim": "Judge figures that a paper reports, and say what to ask its authors.",
        },
    ),
    "views": Room(
        "harness.board.views",
        commands={"site": "Make the leaderboard as a website, or show it on this machine."},
    ),
    "delexicaliser": Room("normalization.delexicaliser"),
    "grounding": Room(
        "harness.grounding",
        commands={
            "delexicalise": "Put placeholders in place of names and numbers.",
            "users": "Show how good simulated users are, beside what people say.",
        },
        metrics=("scores",),
        tracks={"lexicalised": "english_track"},
        needs=("delexicaliser",),
    ),
    "live": Room(
        "harness.live",
        commands={"play": "Run an agent with a simulated user and score the result."},
        tracks={"live": "live_track"},
        needs=("grounding", "delexicaliser"),
    ),
    "lab": Room(
        "harness.lab",
        commands={
            "lab": "Study state-tracking metrics: what they share, learning curves, human ratings."
        },
    ),
}


def complete_rooms() -> list[Room]:
    """Return the rooms that can add what they have: they and what they need are there."""
    there = {name: room for name, room in ROOMS.items() if room.is_there}
    return [room for room in there.values() if there.keys() >= {*room.needs}]


def absent_tracks() -> list[str]:
    """Return the tracks of the board that come with rooms which are not there."""
    complete = complete_rooms()
    tracks: list[str] = []
    for room in ROOMS.values():
        if room not in complete:
            tracks += room.tracks
    return sorted(tracks)


def import_room(module: str, needed_by: str) -> ModuleType:
    """Return a module of a room that can be taken away.

    Args:
        module: The module within `mwz`: "harness.grounding.plain_dialogues".
        needed_by: What needs it, as messages say: "--free-running".

    Raises:
        InputError: The room is not there, or another one that it needs.
    """
    try:
        return import_module(f"mwz.{module}")
    except ModuleNotFoundError as error:
        for room in ROOMS.values():
            if not room.is_there and f"{error.name}.".startswith(f"mwz.{room.package}."):
                folder = room.package.replace(".", "/")
                problem = f"needs the folder {folder}/, which this installation lacks"
                remedy = "install multiwoz-harness whole"
                raise InputError(needed_by, f"{problem}; {remedy}") from error
        raise
