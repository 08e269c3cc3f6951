"""What the state-tracking metrics compare: a turn's gold and predicted state, slot by slot.

- A state maps a slot, (domain, slot name), to its value; its items are the (domain, slot, value)
  triples of the papers. A state holds what is known by then, not what the turn adds.
- A value `none` means that the slot has no value. Such slots are taken out before anything is
  compared (`without_absent`), except for granular change accuracy, which sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

from mwz.normalization.states import BeliefState

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

State: TypeAlias = Mapping[Slot, str]
"""slot -> value."""

ABSENT = "none"
"""The value that says that a slot has none."""

DONTCARE = frozenset({"dontcare", "dont care", "don't care", "do n't care", "do not care"})
"""The spellings of the value that says that the user does not mind."""


class Agreement(NamedTuple):
    """How many slots of a turn's two states agree, and how many fail to in which way.

    Attributes:
        correct: Slots with the gold value.
        wrong: Slots with another value than gold.
        missed: Slots of the gold state only.
        overshot: Slots of the predicted state only.
    """

    correct: int
    wrong: int
    missed: int
    overshot: int

    @property
    def gold(self) -> int:
        """The slots of the gold state."""
        return self.correct + self.wrong + self.missed

    @property
    def predicted(self) -> int:
        """The slots of the predicted state."""
        return self.correct + self.wrong + self.overshot

    @property
    def failed(self) -> int:
        """The slots on which the states do not agree."""
        return self.wrong + self.missed + self.overshot

    @property
    def slots(self) -> int:
        """The slots of either state."""
        return self.correct + self.failed


@dataclass(frozen=True)
class StatePair:
    """The gold and the predicted state of one turn."""

    gold: State
    predicted: State

    @cached_property
    def agreement(self) -> Agreement:
        """How the two states agree; worked out once, since most metrics rest on it."""
        if self.gold == self.predicted:
            return Agreement(len(self.gold), 0, 0, 0)
        correct = wrong = missed = 0
        for slot, value in self.gold.items():
            found = self.predicted.get(slot)
            if found == value:
                correct += 1
            elif found is None:
                missed += 1
            else:
                wrong += 1
        return Agreement(correct, wrong, missed, len(self.predicted) - correct - wrong)

    @cached_property
    def split_by_dashes(self) -> int:
        """Wrong slots that are two to who takes what stands before the last dash for the slot.

        To them the gold slot is missed, and the predicted one is another.
        """
        if not self.agreement.wrong:
            return 0
        return sum(
            _before_last_dash(value) != _before_last_dash(self.predicted[slot])
            for slot, value in self.gold.items()
            if slot in self.predicted
        )

    def part(self, keep: Callable[[Slot, str], bool]) -> StatePair:
        """Return the slots, with their values, that are to be kept of both states."""
        gold, predicted = (
            {slot: value for slot, value in state.items() if keep(slot, value)}
            for state in (self.gold, self.predicted)
        )
        return StatePair(gold, predicted)


@dataclass(frozen=True)
class DialogueStates:
    """A dialogue's states, turn by turn, as the metrics take them.

    Attributes:
        numbers: The turns' numbers, ascending.
        pairs: The turns' states, slots with the value `none` included.
        turns: The same without those slots: what is compared.
        written: As `pairs`, with the slots' names as they are written (`bookday` is not `day`);
            None where `pairs` has them so.
    """

    numbers: Sequence[int]
    pairs: Sequence[StatePair]
    turns: Sequence[StatePair]
    written: Sequence[StatePair] | None = None

    def part(self, turns: slice) -> DialogueStates:
        """Return some of the turns as a dialogue of their own."""
        written = None if self.written is None else self.written[turns]
        return DialogueStates(self.numbers[turns], self.pairs[turns], self.turns[turns], written)

    def of_domain(self, domain: str) -> DialogueStates:
        """Return the same dialogue with the slots of one domain."""
        turns = [turn.part(lambda slot, value: slot[0] == domain) for turn in self.turns]
        return DialogueStates(self.numbers, turns, turns)


def _before_last_dash(value: str) -> str | None:
    head, dash, _ = value.rpartition("-")
    return head if dash else None


def flat_state(state: BeliefState) -> State:
    """Return a belief state as a map from (domain, slot name) to value."""
    return {
        (domain, slot): value for domain, slots in state.items() for slot, value in slots.items()
    }


def without_absent(pair: StatePair) -> StatePair:
    """Return a pair of states without the slots whose value is `none`."""
    if ABSENT not in pair.gold.values() and ABSENT not in pair.predicted.values():
        return pair
    return pair.part(lambda slot, value: value != ABSENT)


def slot_name(slot: Slot) -> str:
    """Return a slot's name as trackers write it: `domain-slot`."""
    return "-".join(slot)
