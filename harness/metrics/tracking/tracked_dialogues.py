"""Predicted states beside gold ones: those of a benchmark, of a file, or of another version.

MultiWOZ was annotated anew several times: papers on state tracking report on 2.1, 2.3 or 2.4, whose
states differ from those of 2.2. A score says which it was made with; figures with different gold
states do not compare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from mwz.normalization.rules.registry import digest_of_json
from mwz.normalization.states import BeliefState

from ...benchmark import Benchmark
from ...errors import InputError
from ...submission.checking import dialogue_id
from . import PLAIN, Choices
from .dialogue_states import (
    DONTCARE,
    DialogueStates,
    DomainPart,
    StatePair,
    flat_state,
    without_absent,
)


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
    _states: dict[Any, DialogueStates] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )


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
    if not any(dialogue_id(dialogue.id) in benchmark.dialogues for dialogue in dialogues):
        raise InputError(
            source,
            f"none of its dialogues is in the benchmark {benchmark.name}, so that active domains "
            "and goals are not known; take `gold-slots`, or name another by --benchmark",
        )
    reason = (
        f"not in the benchmark {benchmark.name}, so that its active domains and goal are not known"
    )
    problems = []
    found = []
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
    if problems:
        raise InputError(source, problems)
    return found


def dialogue_states(dialogue: TrackedDialogue, choices: Choices = PLAIN) -> DialogueStates:
    """Return a dialogue's states as the metrics take them; worked out once."""
    dropping = choices.dontcare == "drop" and any(
        not DONTCARE.isdisjoint(slots.values())
        for turn in dialogue.turns
        for state in (turn.gold, turn.predicted)
        for slots in state.values()
    )
    known, key = dialogue._states, (dropping, choices.none)
    if key not in known:
        known[key] = _compared(dialogue, *key)
    return known[key]


def _compared(dialogue: TrackedDialogue, dropping: bool, none: str) -> DialogueStates:
    last: tuple[BeliefState, BeliefState, StatePair] | None = None

    def kept(gold: BeliefState, predicted: BeliefState) -> StatePair:
        nonlocal last
        # Many turns have the states of the turn before, and share what is worked out of them.
        if last is None or last[0] != gold or last[1] != predicted:
            last = gold, predicted, compared(gold, predicted)
        return last[2]

    def compared(gold: BeliefState, predicted: BeliefState) -> StatePair:
        pair = StatePair(flat_state(gold), flat_state(predicted))
        return pair.part(lambda slot, value: value not in DONTCARE) if dropping else pair

    pairs = [kept(turn.gold, turn.predicted) for turn in dialogue.turns]
    return DialogueStates(
        numbers=[turn.number for turn in dialogue.turns],
        pairs=pairs,
        turns=pairs if none == "value" else [without_absent(pair) for pair in pairs],
        written=[
            pair if turn.written is None else kept(*turn.written)
            for turn, pair in zip(dialogue.turns, pairs, strict=True)
        ],
    )


def parts_by_domain(
    dialogues: Sequence[TrackedDialogue], states: Sequence[DialogueStates], over: str
) -> dict[str, list[DomainPart]]:
    """Return domain -> its part of the dialogues in which turns count for it.

    Args:
        dialogues: The dialogues.
        states: Their states, as `dialogue_states`.
        over: Which turns scores of a domain average over, of `PER_DOMAIN_CHOICES`.

    Raises:
        InputError: Whether a domain is active, or in the goal, is not known of a dialogue.
    """
    # No system is asked for states of the other domains.
    domains = sorted({domain for d in states for pair in d.turns for domain, _ in pair.gold})
    parts: dict[str, list[DomainPart]] = {domain: [] for domain in domains}
    for dialogue, of_dialogue in zip(dialogues, states, strict=True):
        counted: dict[str, list[int]] = {}
        for at, turn in enumerate(dialogue.turns):
            for domain in _domains(dialogue, turn, of_dialogue.turns[at], over):
                counted.setdefault(domain, []).append(at)
        for domain in counted.keys() & parts.keys():
            part = of_dialogue.derived(partial(_of_domain, domain), ("domain", domain))
            parts[domain].append(DomainPart(part, counted[domain]))
    return {domain: found for domain, found in parts.items() if found}


def _domains(
    dialogue: TrackedDialogue, turn: TrackedTurn, pair: StatePair, over: str
) -> Iterable[str]:
    """Return the domains that a turn counts for."""
    known: Iterable[str] | None
    if over == "gold-slots":
        return {domain for domain, _ in pair.gold}
    if over == "active":
        known, what = turn.active_domains, "active domains are"
    else:
        known, what = dialogue.goal_domains, "goal is"
    if known is None:
        raise InputError(
            f"dialogue {dialogue.id}",
            f"its {what} not known, which scores per domain are to average over; "
            "take `gold-slots`, or dialogues of a benchmark",
        )
    return known


def _of_domain(domain: str, dialogue: DialogueStates) -> DialogueStates:
    turns = [turn.part(lambda slot, value: slot[0] == domain) for turn in dialogue.turns]
    return DialogueStates(dialogue.numbers, turns, turns)
