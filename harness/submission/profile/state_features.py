"""Features of belief states: their slots, their values, and how they go from turn to turn."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from mwz.normalization import BeliefState, is_absent, is_dontcare, is_public_constraint

from ..repairs import plain_value
from .feature import Profile
from .vocabulary import TIMES, Slot, ValueReader, Vocabulary, slot_name

_VALUE_FEATURES = ("value_empty", "value_dontcare", "value_spelling")
"""The features that every value is an item of."""

States: TypeAlias = Sequence[BeliefState]
"""The states of a dialogue, one per turn."""


def count_states(
    profile: Profile,
    states: Mapping[str, States],
    gold: Mapping[str, States],
    vocabulary: Vocabulary,
    states_only: bool,
    scored: frozenset[Slot],
) -> None:
    """Count the features of belief states.

    Args:
        profile: Where the counts are added.
        states: Dialogue id -> the predicted states.
        gold: Dialogue id -> the gold states.
        vocabulary: The values and slots that states are compared with.
        states_only: Whether the file is a tracker's.
        scored: The slots that scores depend on.
    """
    counter = _Counter(profile, vocabulary, states_only)
    for id_, states_of_dialogue in states.items():
        counter.count_values(states_of_dialogue)
        counter.count_course(states_of_dialogue)
        counter.count_against_gold(states_of_dialogue, gold.get(id_, ()), scored)
    counter.count_frequent_values()


_OPPOSITE = {
    "departure": "destination",
    "destination": "departure",
    "leave": "arrive",
    "arrive": "leave",
}
"""Slot -> the slot of the same domain that it is most easily confused with."""

_MANY_VALUED = frozenset({"name", "departure", "destination", "food"})
"""Slots in which a system may well prefer one value."""

_FEWEST_VALUES = 5
"""If a slot has fewer values, one of them is frequent by chance."""


class _Counter:
    """Counts the features of the states of one file."""

    def __init__(self, profile: Profile, vocabulary: Vocabulary, states_only: bool) -> None:
        self._profile = profile
        self._vocabulary = vocabulary
        self._states_only = states_only
        self._reader = ValueReader(vocabulary, states_only)
        self._name = lru_cache(maxsize=1 << 10)(lambda slot: slot_name(slot, vocabulary.rules))
        self._values: dict[Slot, Counter[str]] = {}
        # The states of successive turns are often one object.
        self._slots = lru_cache(maxsize=64)(self._slots_of)

    def _slots_of(self, items: tuple[tuple[str, str, str], ...]) -> dict[Slot, str]:
        slots: dict[Slot, str] = {}
        for domain, slot, value in items:
            name = self._name(slot)
            reading = self._reader.reading(domain, slot, value)
            if reading.feature != "value_empty" and not is_absent(value):
                plain = plain_value(domain, name, value) or value
                slots[domain, name] = self._vocabulary.value_of(slot, plain)
        return slots

    def slots(self, state: BeliefState) -> dict[Slot, str]:
        """Return slot -> value of a state, as values are compared."""
        return self._slots(tuple(_items(state)))

    def count_values(self, states: States) -> None:
        """Count the values of a dialogue, each once."""
        # A dictionary keeps the order of what is written.
        written: dict[tuple[str, str, str], None] = {}
        for state in states:
            written.update(dict.fromkeys(_items(state)))
        for domain, raw_slot, raw in written:
            if is_absent(raw) and (self._states_only or not is_public_constraint(raw)):
                continue
            name = self._name(raw_slot)
            is_foreign = (domain, name) not in self._vocabulary.gold
            self._profile.add("slot_foreign", is_foreign, f"{domain}-{raw_slot}")
            if is_foreign:
                continue
            reading = self._reader.reading(domain, raw_slot, raw)
            unread = "value_time" if name in TIMES else "value_unknown"
            for feature in (*_VALUE_FEATURES, unread):
                is_odd = reading.feature == feature
                self._profile.add(feature, is_odd, reading.example, f"{domain}-{name}")
        last = self.slots(states[-1]) if states else {}
        for slot, value in last.items():
            self._values.setdefault(slot, Counter())[value] += 1

    def count_frequent_values(self) -> None:
        """Count, for each slot, the most frequent value beyond its share in gold states."""
        for slot, counts in self._values.items():
            gold = self._vocabulary.counts.get(slot)
            number = counts.total()
            if not gold or slot[1] in _MANY_VALUED or number < _FEWEST_VALUES:
                continue
            value, highest = counts.most_common(1)[0]
            excess = max(highest - round(number * gold[value] / gold.total()), 0)
            part = "-".join(slot)
            self._profile.add_counts("value_frequent", repr(value), excess, number, part)

    def count_course(self, states: States) -> None:
        """Count how the slots of a turn go with those of the next."""
        slots_by_turn = [self.slots(state).keys() for state in states]
        for slots in slots_by_turn:
            self._profile.add("state_empty", not slots, "{}")
        for before, now in itertools.pairwise(slots_by_turn):
            if before:
                self._profile.add("state_emptied", not now, "{}")
                self._profile.add_regular("state_dropped", number=len(before & now))
                for slot in before - now:
                    self._profile.add_odd("state_dropped", "-".join(slot))

    def count_against_gold(self, states: States, gold: States, scored: frozenset[Slot]) -> None:
        """Count the differences between states and gold ones."""
        predicted = [self.slots(state) for state in states]
        truth = [self.slots(state) for state in gold[: len(states)]]
        seen: set[tuple[Slot, str, str | None]] = set()
        for ours, theirs in zip(predicted, truth, strict=False):
            self._count_turn(ours, theirs, seen)
        # Slots that come later than in gold states, and those that come earlier.
        first_turns = _first_turns(predicted)
        for slot, right in _first_turns(truth).items():
            turn = first_turns.get(slot)
            if turn is not None:
                part = "-".join(slot)
                self._profile.add("state_late", turn > right, part)
                self._profile.add("state_early", turn < right, part)
        ever: set[Slot] = set()
        for slots in predicted:
            ever.update(slots)
        last_truth = truth[-1] if truth else {}
        for slot in last_truth:
            if slot in scored:
                part = "-".join(slot)
                self._profile.add("slot_missing", slot not in ever, part, part)

    def _count_turn(
        self,
        ours: Mapping[Slot, str],
        theirs: Mapping[Slot, str],
        seen: set[tuple[Slot, str, str | None]],
    ) -> None:
        """Count a turn's slots and values; the same value beside the same gold one counts once.

        Args:
            ours: Slot -> predicted value.
            theirs: Slot -> gold value.
            seen: (Slot, predicted value, gold value) that the dialogue had before; is added to.
        """
        profile = self._profile
        profile.add_regular("state_lacks", number=len(ours.keys() & theirs.keys()))
        for slot in theirs.keys() - ours.keys():
            profile.add_odd("state_lacks", "-".join(slot))
        for slot, value in ours.items():
            right = theirs.get(slot)
            if (slot, value, right) in seen:
                continue
            seen.add((slot, value, right))
            # A value may be gold's, but of the opposite slot.
            opposite = slot[0], _OPPOSITE.get(slot[1], "")
            if slot in theirs or opposite in theirs:
                is_opposite = value == theirs.get(opposite) != right
                is_exchanged = is_opposite and ours.get(opposite) != theirs.get(opposite)
                profile.add("value_exchanged", is_exchanged, slot[1], "-".join(slot))
            if right is not None:
                is_right = value == right or (is_dontcare(value) and is_dontcare(right))
                example = f"{value!r} for {right!r}"
                profile.add("value_wrong", not is_right, example, "-".join(slot))
        if theirs:
            profile.add("state_gold", ours == theirs, "equal")


def _first_turns(states: Sequence[Mapping[Slot, str]]) -> dict[Slot, int]:
    """Return slot -> the first turn whose state has it."""
    first: dict[Slot, int] = {}
    for turn, state in enumerate(states):
        for slot in state:
            first.setdefault(slot, turn)
    return first


def _items(state: BeliefState) -> Iterable[tuple[str, str, str]]:
    """Yield domain, slot and value of a state."""
    for domain, slots in state.items():
        for slot, value in slots.items():
            yield domain, slot, value
