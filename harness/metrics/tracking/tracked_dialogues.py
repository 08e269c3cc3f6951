"""Predicted states beside gold ones: those of a benchmark, of a file, or of another version.

MultiWOZ was annotated anew several times: papers on state tracking report on 2.1, 2.3 or 2.4, whose
states differ from those of 2.2. A score says which it was made with; figures with different gold
states do not compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mwz.normalization.rules.registry import digest_of_json
from mwz.normalization.states import BeliefState

from ...benchmark import Benchmark
from ...errors import InputError, refuse
from ...submission.checking import dialogue_id
from .choices import PLAIN, Choices
from .dialogue_states import DONTCARE, DialogueStates, StatePair, flat_state, without_absent


@dataclass(frozen=True)
class GoldStates:
    """The gold states of a benchmark's dialogues in one version of the annotation.

    Attributes:
        version: What users call it: "2.4".
        benchmark: The name of the benchmark that the dialogues are of.
        states: Dialogue id -> one normalised state per turn. Dialogues of the benchmark may be
            missing, turns of a dialogue may not.
    """

    version: str
    benchmark: str
    states: Mapping[str, Sequence[BeliefState]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the states, in hexadecimal, as signatures hold it."""
        return gold_states_digest(self.states)

    @property
    def turns(self) -> int:
        """The number of turns of all dialogues."""
        return sum(map(len, self.states.values()))


def gold_states_digest(states: Mapping[str, Sequence[BeliefState]]) -> str:
    """Return the SHA-256, in hexadecimal, of gold states: dialogue id -> one state per turn."""
    return digest_of_json({id_: list(enumerate(turns)) for id_, turns in states.items()})


@dataclass(frozen=True)
class TrackedTurn:
    """One user turn.

    Attributes:
        number: The turn's number in its dialogue.
        gold: The gold belief state.
        predicted: The predicted belief state.
        active_domains: The gold active domains; None where they are not known.
        written: The gold and the predicted state before the names of booking slots were made
            alike; None where they were not.
    """

    number: int
    gold: BeliefState
    predicted: BeliefState
    active_domains: Sequence[str] | None = None
    written: tuple[BeliefState, BeliefState] | None = None


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


def without_booking_prefix(state: BeliefState) -> BeliefState:
    """Return a state with `bookday`, `bookpeople`, `bookstay` and `booktime` without `book`.

    A state without such slots is returned itself.
    """
    if all(map(BOOKING_SLOTS.keys().isdisjoint, state.values())):
        return state
    return {
        domain: {BOOKING_SLOTS.get(slot, slot): value for slot, value in slots.items()}
        for domain, slots in state.items()
    }


def tracked_turn(
    number: int,
    gold: BeliefState,
    predicted: BeliefState,
    active_domains: Sequence[str] | None = None,
) -> TrackedTurn:
    """Return a turn whose states call booking slots alike, of normalised states as written."""
    named = without_booking_prefix(gold), without_booking_prefix(predicted)
    as_written = named[0] is gold and named[1] is predicted
    return TrackedTurn(
        number, *named, active_domains, written=None if as_written else (gold, predicted)
    )


def track_states(
    states: Mapping[str, Sequence[BeliefState]],
    benchmark: Benchmark,
    gold: GoldStates | None = None,
) -> list[TrackedDialogue]:
    """Pair predicted states with gold states, turn by turn from the first.

    The prefix `book` of booking slots is dropped on both sides. Nothing else is changed: a slot or
    a `dontcare` that the gold annotation never has counts as a false prediction.

    Args:
        states: Dialogue id -> normalised predicted states; a dialogue may hold fewer turns than
            the benchmark's.
        benchmark: The benchmark, which has all these dialogues and turns.
        gold: Gold states of another version than the benchmark's, to compare with; dialogues that
            they lack are left out.
    """
    tracked = []
    for id_, predictions in states.items():
        if gold is not None and id_ not in gold.states:
            continue
        dialogue = benchmark.dialogues[id_]
        known = zip(
            dialogue.states if gold is None else gold.states[id_],
            predictions,
            dialogue.active_domains,
            strict=False,
        )
        turns = [tracked_turn(number, *of_turn) for number, of_turn in enumerate(known)]
        tracked.append(TrackedDialogue(id_, turns, frozenset(dialogue.goal)))
    return tracked


def annotated(
    dialogues: Sequence[TrackedDialogue], benchmark: Benchmark, source: str
) -> list[TrackedDialogue]:
    """Return dialogues with the active domains and the goals that a benchmark gives them.

    Args:
        dialogues: The dialogues of a file with gold states of its own.
        benchmark: The benchmark that has these dialogues and turns.
        source: The file, for the error message.

    Raises:
        InputError: It lacks one of them.
    """
    problems = []
    found = []
    reason = f"not in the benchmark {benchmark.name}, which is to say its active domains and goal"
    for dialogue in dialogues:
        known = benchmark.dialogues.get(dialogue_id(dialogue.id))
        last = dialogue.turns[-1].number
        if known is None:
            problems.append(f"dialogue {dialogue.id}: {reason}")
        elif last >= known.turns:
            problems.append(f"dialogue {dialogue.id}: turn {last} is {reason}")
        else:
            turns = [
                replace(turn, active_domains=known.active_domains[turn.number])
                for turn in dialogue.turns
            ]
            found.append(replace(dialogue, turns=turns, goal_domains=frozenset(known.goal)))
    refuse(source, problems)
    return found


def dialogue_states(dialogue: TrackedDialogue, choices: Choices = PLAIN) -> DialogueStates:
    """Return a dialogue's states as the metrics take them."""
    drops = choices.dontcare == "drop"
    last: tuple[BeliefState, BeliefState, StatePair] | None = None

    def pair_of(gold: BeliefState, predicted: BeliefState) -> StatePair:
        nonlocal last
        # Many turns have the states of the turn before, and share what is worked out of them.
        if last is None or last[0] != gold or last[1] != predicted:
            pair = StatePair(flat_state(gold), flat_state(predicted))
            if drops:
                pair = pair.part(lambda slot, value: value not in DONTCARE)
            last = gold, predicted, pair
        return last[2]

    pairs = [pair_of(turn.gold, turn.predicted) for turn in dialogue.turns]
    return DialogueStates(
        numbers=[turn.number for turn in dialogue.turns],
        pairs=pairs,
        turns=pairs if choices.none == "value" else [without_absent(pair) for pair in pairs],
        written=[
            pair if turn.written is None else pair_of(*turn.written)
            for turn, pair in zip(dialogue.turns, pairs, strict=True)
        ],
    )


def turns_by_domain(
    dialogue: TrackedDialogue, states: DialogueStates, over: str
) -> dict[str, list[int]]:
    """Return domain -> the positions, from 0, of the turns that its scores average over.

    Args:
        dialogue: The dialogue.
        states: Its states, as `dialogue_states`.
        over: The value of the variant `per-domain`.

    Raises:
        InputError: Whether a domain is active, or in the goal, is not known of the dialogue.
    """
    positions: dict[str, list[int]] = {}
    for at, (turn, pair) in enumerate(zip(dialogue.turns, states.turns, strict=True)):
        domains: Iterable[str] | None = {domain for domain, _ in pair.gold}
        if over != "gold-slots":
            domains = turn.active_domains if over == "active" else dialogue.goal_domains
        if domains is None:
            what = "active domains are" if over == "active" else "goal is"
            raise InputError(
                f"dialogue {dialogue.id}",
                f"its {what} not known, which scores per domain are to average over; "
                "take `gold-slots`, or dialogues of a benchmark",
            )
        for domain in domains:
            positions.setdefault(domain, []).append(at)
    return positions
