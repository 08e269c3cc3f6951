"""The entries of submissions/: entering, scoring again, ranking, auditing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mwz.normalization.rules.registry import read_toml

PUBLISHED = Path(__file__).parents[2] / "submissions"
"""The entries of the public board, as they are packed with the harness; in a clone, its own."""

STATE_TRACKING = "state-tracking"
LEXICALISED = "lexicalised"
LIVE = "live"

APART = (STATE_TRACKING, LEXICALISED, LIVE)
"""The tracks whose tables have columns of their own."""

WITHOUT_REPORTS = (STATE_TRACKING, LIVE)
"""The tracks whose entries have other scores than reports by rule set."""


@dataclass(frozen=True)
class Track:
    """A table of the leaderboard.

    Attributes:
        title: Its heading.
        states: The source of belief states that its entries have: "predicted" or "gold"; None
            where it ranks nothing.
        ranks: Key of the column that ranks; empty where nothing does.
        against: Key of the column that a plot shows the other figure against.
        plotted: Key of that other figure's column; `ranks` if empty.
        exception: Whether an entry with a note may have the other source.
        submitted: Whether `mwz submit` may enter systems in it; it ranks them.
    """

    title: str
    states: str | None
    ranks: str = ""
    against: str = ""
    plotted: str = ""
    exception: bool = False
    submitted: bool = True


TRACKS: Mapping[str, Track] = {
    "end-to-end": Track("End-to-end systems", "predicted", "combined", "bleu", "success"),
    "policy-optimization": Track(
        "Policy-optimization systems", "gold", "combined", "bleu", "success", exception=True
    ),
    STATE_TRACKING: Track("State tracking", "predicted", "jga", "slot f1"),
    LEXICALISED: Track("Lexicalised systems", None, "success, all", "of a named venue, %"),
    LIVE: Track("Live dialogues", None, "pass^1", "turns"),
    "reference": Track("Reference", "gold", submitted=False),
}


@cache
def track_notes() -> Mapping[str, str]:
    """Return track -> what its systems do and how they are scored, for who is new to the field."""
    return read_toml("tracks.toml", __package__)


def submitted_tracks() -> list[str]:
    """Return the tracks that systems can be entered in."""
    return [name for name, track in TRACKS.items() if track.submitted]


def track_problem(track: str, states: str, note: str | None) -> str | None:
    """Say why an entry does not belong in a track; None if it does.

    Args:
        track: The track's name.
        states: The source of the belief states that it was scored with.
        note: What the entry says of itself.
    """
    rule = TRACKS[track]
    if rule.states in (None, states) or (rule.exception and note):
        return None
    if rule.exception:
        return (
            f"track {track}: it was scored with {states} belief states; leave them out, or say in "
            "a note that they are used"
        )
    return f"track {track}: needs a predicted `state` in every turn; its belief states are {states}"
