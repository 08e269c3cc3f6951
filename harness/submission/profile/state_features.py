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
from .meanings import TIMES, ValueReader
from .vocabulary import Slot, Vocabulary, slot_name

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
        profile: What is added to.
        states: Dialogue id -> the predicted states.
        gold: Dialogue id -> the gold states.
        vocabulary: What states are compared with.
        states_only: Whether the file is a tracker's.
        scored: The slots that scores depend on.
    """
    counter = _Counter(profile, vocabulary, states_only)
    for id_, of_dialogue in states.items():
        counter.count_values(of_dialogue)
        counter.count_course(of_dialogue)
        counter.count_against_gold(of_dialogue, gold.get(id_, ()), scored)
    counter.count_frequent_values()


_OPPOSITE = {
    "departure": "destination",
    "destination": "departure",
    "leave": "arrive",
    "arrive": "leave",
}
"""Slot -> the one of the same domain that it is taken for most easily."""


_FEWEST_VALUES = 5
"""Of fewer values of a slot it does not tell that one is frequent."""


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
        written: dict[tuple[str, str, str], None] = {}
        for state in states:
            written.update(dict.fromkeys(_items(state)))
        for domain, raw_slot, raw in written:
            if is_absent(raw) and (self._states_only or not is_public_constraint(raw)):
                continue
            name = self._name(raw_slot)
            slot = domain, name
            is_foreign = slot not in self._vocabulary.gold
            self._profile.add("slot_foreign", f"{domain}-{raw_slot}" if is_foreign else None)
            if is_foreign:
                continue
            reading = self._reader.reading(domain, raw_slot, raw)
            for feature in ("value_empty", "value_dontcare", "value_spelling"):
                self._count_value(feature, slot, reading.feature, reading.example)
            unread = "value_time" if name in TIMES else "value_unknown"
            self._count_value(unread, slot, reading.feature, reading.example)
        for (domain, name), value in self.slots(states[-1]).items() if states else ():
            self._values.setdefault((domain, name), Counter())[value] += 1

    def _count_value(
        self, feature: str, slot: Slot, odd_feature: str | None, example: str | None
    ) -> None:
        self._profile.add(feature, example if odd_feature == feature else None, "-".join(slot))

    def count_frequent_values(self) -> None:
        """Count values that are there more often than in gold states, of each slot the first."""
        for slot, counts in self._values.items():
            gold = self._vocabulary.counts.get(slot)
            if not gold or slot[1] in ("name", "departure", "destination", "food"):
                continue
            number = counts.total()
            if number < _FEWEST_VALUES:
                continue
            value, most = counts.most_common(1)[0]
            excess = most - round(number * gold[value] / gold.total())
            part = "-".join(slot)
            self._profile.add_part("value_frequent", repr(value), max(excess, 0), number, part)

    def count_course(self, states: States) -> None:
        """Count how the slots of a turn go with those of the next."""
        written = [self.slots(state).keys() for state in states]
        for slots in written:
            self._profile.add("state_empty", None if slots else "{}")
        for before, now in itertools.pairwise(written):
            if before:
                self._profile.add("state_emptied", None if now else "{}")
                self._profile.add("state_dropped", None, number=len(before & now))
                for slot in before - now:
                    self._profile.add("state_dropped", "-".join(slot))

    def count_against_gold(self, states: States, gold: States, scored: frozenset[Slot]) -> None:
        """Count where states differ from gold ones, and in what."""
        predicted = [self.slots(state) for state in states]
        truth = [self.slots(state) for state in gold[: len(states)]]
        seen: set[tuple[Slot, str, str | None]] = set()
        for ours, theirs in zip(predicted, truth, strict=False):
            self._count_turn(ours, theirs, seen)
        self._count_delays(predicted, truth)
        ever: set[Slot] = set().union(*predicted)
        for slot in truth[-1] if truth else ():
            if slot in scored:
                part = "-".join(slot)
                self._profile.add("slot_missing", None if slot in ever else part, part)

    def _count_turn(
        self,
        ours: Mapping[Slot, str],
        theirs: Mapping[Slot, str],
        seen: set[tuple[Slot, str, str | None]],
    ) -> None:
        """Count a turn's slots and values; each value, beside gold's, once in a dialogue."""
        add = self._profile.add
        add("state_lacks", None, number=len(ours.keys() & theirs.keys()))
        for slot in theirs.keys() - ours.keys():
            add("state_lacks", "-".join(slot))
        for slot, value in ours.items():
            right = theirs.get(slot)
            if (slot, value, right) in seen:
                continue
            seen.add((slot, value, right))
            self._count_exchange(slot, ours, theirs)
            if right is not None:
                same = value == right or (is_dontcare(value) and is_dontcare(right))
                example = None if same else f"{value!r} for {right!r}"
                add("value_wrong", example, "-".join(slot))
        if theirs:
            add("state_gold", "equal" if ours == theirs else None)

    def _count_exchange(
        self, slot: Slot, ours: Mapping[Slot, str], theirs: Mapping[Slot, str]
    ) -> None:
        """Count a value that is gold's, but of the opposite slot."""
        opposite = slot[0], _OPPOSITE.get(slot[1], "")
        if slot in theirs or opposite in theirs:
            is_opposite = ours[slot] == theirs.get(opposite) != theirs.get(slot)
            is_exchanged = is_opposite and ours.get(opposite) != theirs.get(opposite)
            self._profile.add("value_exchanged", slot[1] if is_exchanged else None, "-".join(slot))

    def _count_delays(
        self, predicted: Sequence[Mapping[Slot, str]], truth: Sequence[Mapping[Slot, str]]
    ) -> None:
        """Count which slots come later than in gold states, and which come earlier."""
        ours, theirs = _first_turns(predicted), _first_turns(truth)
        for slot, right in theirs.items():
            turn = ours.get(slot)
            if turn is not None:
                part = "-".join(slot)
                self._profile.add("state_late", part if turn > right else None)
                self._profile.add("state_early", part if turn < right else None)


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
