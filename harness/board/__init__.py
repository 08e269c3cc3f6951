"""The entries of submissions/: entering, scoring again, ranking, auditing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PUBLISHED = Path(__file__).parents[2] / "submissions"
"""The entries of the public board, as they are packed with the harness; in a clone, its own."""

STATE_TRACKING = "state-tracking"
LEXICALISED = "lexicalised"


@dataclass(frozen=True)
class Track:
    """A table of the leaderboard.

    Attributes:
        title: Its heading.
        note: What its systems do and how they are scored, for a reader who is new to the field.
        ranks: Key of the column that ranks; empty where nothing does.
        against: Key of the column that a plot shows the other figure against.
        plotted: Key of that other figure's column; `ranks` if empty.
        states: The source of belief states that its entries have: "predicted" or "gold"; None
            where it ranks nothing.
        exception: Whether an entry with a note may have the other source.
        submitted: Whether `mwz submit` may enter systems in it; it ranks them.
    """

    title: str
    note: str
    states: str | None
    ranks: str = ""
    against: str = ""
    plotted: str = ""
    exception: bool = False
    submitted: bool = True


TRACKS: Mapping[str, Track] = {
    "end-to-end": Track(
        title="End-to-end systems",
        note=(
            "The system does everything itself: it reads what the user wrote, works out what is "
            "asked for, looks it up and answers. Inform counts the dialogues in which it offers a "
            "fitting place, Success those in which it also tells all that was asked about it."
        ),
        states="predicted",
        ranks="combined",
        against="bleu",
        plotted="success",
    ),
    "policy-optimization": Track(
        title="Policy-optimization systems",
        note=(
            "The system is told what the user has asked for so far (the annotated belief state), "
            "and only decides what to say and how. That is an easier task, so these scores do not "
            "compare with those of end-to-end systems."
        ),
        states="gold",
        ranks="combined",
        against="bleu",
        plotted="success",
        exception=True,
    ),
    STATE_TRACKING: Track(
        title="State tracking",
        note=(
            "After each turn the system notes what the user has asked for so far, such as a cheap "
            "restaurant in the centre, and joint goal accuracy (JGA) is the share of turns in "
            "which every detail is right. Figures against different annotations (gold states) do "
            "not compare, so each has a table of its own."
        ),
        states="predicted",
        ranks="jga",
        against="slot f1",
    ),
    LEXICALISED: Track(
        title="Lexicalised systems",
        note=(
            "The system answers in plain English with real names and numbers, where those of the "
            "other tracks write placeholders such as [hotel_name], and its text is checked "
            "against the database of venues. The human responses are the ceiling: compare with "
            "them, not with 100."
        ),
        states=None,
        ranks="success, all",
        against="of a named venue, %",
    ),
    "reference": Track(
        title="Reference",
        note=(
            "No systems: what the human responses of the corpus score, and one response with six "
            "placeholders that is given in every turn. The first shows what is in reach, the "
            "second how much Inform and Success reward without any answer to the user."
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
