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
        active_domains: The gold active domains; None where they are not known.
    """

    number: int
    gold: BeliefState
    predicted: BeliefState
    active_domains: Sequence[str] | None = None


@dataclass(frozen=True)
class TrackedDialogue:
    """A dialogue's turns, by ascending number.

    Attributes:
        id: The dialogue's id, as its file spells it.
        turns: The turns.
        goal_domains: The domains of the user's goal; None where they are not known.
    """

    id: str
    turns: Sequence[TrackedTurn]
    goal_domains: frozenset[str] | None = None
