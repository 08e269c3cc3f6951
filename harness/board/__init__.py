"""The entries of submissions/: entering, scoring again, ranking, auditing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).parents[2] / "submissions"
"""The entries of the public board, as they are packed with the harness; in a clone, its own."""

PORT = 8765
"""Where pages are shown unless another port is named."""

STATE_TRACKING = "state-tracking"
LEXICALISED = "lexicalised"


@dataclass(frozen=True)
class Track:
    """A table of the leaderboard.

    Attributes:
        title: Its heading.
        note: What all of its systems have in common.
        states: The source of belief states that its entries have: "predicted" or "gold"; None
            where it ranks nothing.
        exception: Whether an entry with a note may have the other source.
        submitted: Whether `mwz submit` may enter systems in it; it ranks them.
    """

    title: str
    note: str
    states: str | None
    exception: bool = False
    submitted: bool = True


TRACKS: Mapping[str, Track] = {
    "end-to-end": Track(
        title="End-to-end systems",
        note="They track the belief state themselves.",
        states="predicted",
    ),
    "policy-optimization": Track(
        title="Policy-optimization systems",
        note="They are given the gold belief state.",
        states="gold",
        exception=True,
    ),
    STATE_TRACKING: Track(
        title="State tracking",
        note=(
            "Predicted belief states against gold ones. Entries of other tracks that predict "
            "states are here as well. Figures with different gold states do not compare, and "
            "stand in different tables."
        ),
        states="predicted",
    ),
    LEXICALISED: Track(
        title="Lexicalised systems",
        note=(
            "They write names and numbers, not placeholders, and are ranked by what their text "
            "says. The human responses are the ceiling: compare with them, not with 100."
        ),
        states=None,
    ),
    "reference": Track(
        title="Reference",
        note=(
            "What the harness makes itself, with gold states: the benchmark's own responses, which "
            "a table starts with, and one response with six placeholders given in every turn, "
            "which shows what Inform and Success reward."
        ),
        states="gold",
        submitted=False,
    ),
}


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
