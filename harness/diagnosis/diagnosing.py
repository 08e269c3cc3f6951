"""A diagnosis: why a submission loses Inform and Success, dialogue by dialogue."""

from __future__ import annotations

from dataclasses import dataclass

from ..playing import Played, PlayedDialogue
from .causes import DialogueOutcome, explain


@dataclass(frozen=True)
class Diagnosis:
    """Why a submission loses what it loses, in the strict set-up.

    Attributes:
        played: What was scored.
        dialogues: The dialogues as they were played, in the submission's order.
        outcomes: How each of them came out, and why.
    """

    played: Played
    dialogues: tuple[PlayedDialogue, ...]
    outcomes: tuple[DialogueOutcome, ...]


def diagnose(played: Played) -> Diagnosis:
    """Follow every dialogue played and say what was lost."""
    dialogues = tuple(played.dialogues(played.domains))
    database = played.database()
    outcomes = tuple(explain(dialogue, database, played.rules) for dialogue in dialogues)
    return Diagnosis(played, dialogues, outcomes)
