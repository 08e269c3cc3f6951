"""Tracked dialogues: turn by turn, the gold belief state and the predicted one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mwz.normalization.states import BeliefState


@dataclass(frozen=True)
class TrackedTurn:
    """One user turn.

    Attributes:
        number: The turn's number in its dialogue.
        gold: The gold belief state.
        predicted: The predicted belief state.
    """

    number: int
    gold: BeliefState
    predicted: BeliefState


@dataclass(frozen=True)
class TrackedDialogue:
    """A dialogue's turns, by ascending number."""

    id: str
    turns: Sequence[TrackedTurn]
