"""Pairing predicted states with a benchmark's gold states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mwz.normalization.states import BeliefState

from ...benchmark import Benchmark
from .gold import GoldStates, with_gold


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


# Gold states call these slots by the names on the left, systems by either (and some trackers with a
# stroke between): the prefix is dropped on both sides.
BOOKING_SLOTS = {
    f"book{sign}{slot}": slot for slot in ("day", "people", "stay", "time") for sign in ("", "_")
}


def track_states(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark
) -> list[TrackedDialogue]:
    """Pair predicted states with a benchmark's gold states, turn by turn from the first.

    The prefix `book` of booking slots is dropped on both sides. Nothing else is changed: a slot or
    a `dontcare` that the gold annotation never has counts as a false prediction.

    Args:
        states: Dialogue id -> normalised predicted states; a dialogue may hold fewer turns than
            the benchmark's.
        benchmark: The benchmark, which has all these dialogues and turns.
    """
    return [
        TrackedDialogue(
            id_,
            [
                TrackedTurn(
                    number, without_booking_prefix(gold), without_booking_prefix(predicted), active
                )
                for number, (gold, predicted, active) in enumerate(
                    zip(
                        benchmark.dialogues[id_].states,
                        predictions,
                        benchmark.dialogues[id_].active_domains,
                        strict=False,
                    )
                )
            ],
            frozenset(benchmark.dialogues[id_].goal),
        )
        for id_, predictions in states.items()
    ]


def track_with_gold(
    states: Mapping[str, Sequence[BeliefState]], benchmark: Benchmark, gold: GoldStates
) -> list[TrackedDialogue]:
    """Pair predicted states with gold states of another version than the benchmark's.

    Args:
        states: As for `track_states`.
        benchmark: The benchmark, which has all these dialogues and turns.
        gold: The gold states; dialogues that they lack are left out.
    """
    kept = {id_: turns for id_, turns in states.items() if id_ in gold.states}
    return track_states(kept, with_gold(benchmark, gold))


def without_booking_prefix(state: BeliefState) -> BeliefState:
    """Return a state with `bookday`, `bookpeople`, `bookstay` and `booktime` without `book`."""
    return {
        domain: {BOOKING_SLOTS.get(slot, slot): value for slot, value in slots.items()}
        for domain, slots in state.items()
    }
