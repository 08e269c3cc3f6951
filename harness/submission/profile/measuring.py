"""Measuring the profile of a file: the features of its states, and how they go from turn to turn.

The features of responses and active domains are in `response_features.py`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from mwz.normalization import BeliefState, is_absent, is_dontcare, is_public_constraint

from ..notations import Slot
from .profile import Profile, profile_remarks
from .response_features import count_plain_responses, count_responses
from .vocabulary import TIMES, Content, Vocabulary, read_value, slot_name, tracked_slots

SAMPLED = 200
"""About how many dialogues of a large file are measured at first."""


def profile_of(content: Content, sampled: bool = False) -> Profile:
    """Return the profile of a file.

    Args:
        content: The file.
        sampled: Whether a large file is measured in part first, and as a whole only if that part
            has odd features. Remarks are on such a profile.
    """
    ids = list(content.dialogues)
    step = max(len(ids) // SAMPLED, 1) if sampled else 1
    sample = replace(content, dialogues={id_: content.dialogues[id_] for id_ in ids[::step]})
    profile = Profile()
    checks = content.checks
    turns = itertools.chain.from_iterable(sample.dialogues.values())
    if checks.uses_states and any(turn.state is not None for turn in turns):
        # If gold states are the file's own, those of the whole file are the vocabulary.
        count_states(profile, sample, content.vocabulary())
    if checks.plain:
        count_plain_responses(profile, sample.dialogues, sample.rules)
    elif sample.benchmark is not None and not checks.tracked:
        count_responses(profile, sample.dialogues, sample.benchmark, sample.rules)
    if step > 1 and profile_remarks(profile):
        return profile_of(content)
    return profile


# Belief states.

_VALUE_FEATURES = ("value_empty", "value_dontcare", "value_spelling")
"""The features that every value is an item of."""

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

States: TypeAlias = Sequence[BeliefState]
"""The states of a dialogue, one per turn."""

Slots: TypeAlias = Mapping[Slot, str]
"""(Domain, slot) -> value, as scores compare it."""


def count_states(profile: Profile, content: Content, vocabulary: Vocabulary) -> None:
    """Count the features of belief states.

    Args:
        profile: Where the counts are added.
        content: The file, or a part of it.
        vocabulary: The values and slots that states are compared with.
    """
    states_only = content.checks.tracked
    # The slots that scores depend on: those of state tracking, or of queries.
    scored: set[Slot] = set()
    if states_only:
        scored.update(tracked_slots())
    else:
        for domain, venue in vocabulary.rules.venue_rules.items():
            scored.update((domain, name) for name in venue.columns)
    last_values: dict[Slot, Counter[str]] = {}
    for id_, turns in content.dialogues.items():
        predicted = [turn.state or {} for turn in turns]
        gold: Sequence[BeliefState] = [turn.gold or {} for turn in turns]
        if content.benchmark is not None:
            gold = content.benchmark.dialogues[id_].states[: len(turns)]
        count_values(profile, predicted, vocabulary, states_only)
        ours = slots_by_turn(predicted, vocabulary, states_only)
        theirs = slots_by_turn(gold, vocabulary, states_only)
        count_course(profile, ours, theirs, scored)
        count_differences(profile, ours, theirs)
        for slots in ours[-1:]:
            for slot, value in slots.items():
                last_values.setdefault(slot, Counter())[value] += 1
    count_frequent_values(profile, last_values, vocabulary)


def slots_by_turn(states: States, vocabulary: Vocabulary, states_only: bool) -> list[Slots]:
    """Return the slots of a dialogue's states that have a value."""
    by_turn: list[Slots] = []
    last: BeliefState | None = None
    slots: dict[Slot, str] = {}
    for state in states:
        # Many turns repeat the state of the turn before.
        if state != last:
            last = state
            slots = {}
            for domain, values in state.items():
                for written_slot, raw in values.items():
                    reading = read_value(vocabulary, domain, written_slot, raw, states_only)
                    if reading.value is not None:
                        slots[domain, reading.slot] = reading.value
        by_turn.append(slots)
    return by_turn


def count_values(
    profile: Profile, states: States, vocabulary: Vocabulary, states_only: bool
) -> None:
    """Count the values of a dialogue, each once."""
    # A dictionary keeps the order of what is written.
    written: dict[tuple[str, str, str], None] = {}
    for state in states:
        for domain, values in state.items():
            for written_slot, raw in values.items():
                written[domain, written_slot, raw] = None
    for domain, written_slot, raw in written:
        if is_absent(raw) and (states_only or not is_public_constraint(raw)):
            continue
        slot = slot_name(written_slot, vocabulary.rules)
        is_foreign = (domain, slot) not in vocabulary.gold
        profile.add("slot_foreign", is_foreign, f"{domain}-{written_slot}")
        if is_foreign:
            continue
        reading = read_value(vocabulary, domain, written_slot, raw, states_only)
        unread = "value_time" if slot in TIMES else "value_unknown"
        for feature in (*_VALUE_FEATURES, unread):
            is_odd = reading.feature == feature
            profile.add(feature, is_odd, reading.example, f"{domain}-{slot}")


def count_frequent_values(
    profile: Profile, last_values: Mapping[Slot, Counter[str]], vocabulary: Vocabulary
) -> None:
    """Count, for each slot, the most frequent value beyond its share in gold states.

    Args:
        profile: Where the counts are added.
        last_values: (Domain, slot) -> value -> the dialogues whose last state has it.
        vocabulary: The values that gold states have.
    """
    for slot, counts in last_values.items():
        gold = vocabulary.counts.get(slot)
        number = counts.total()
        if not gold or slot[1] in _MANY_VALUED or number < _FEWEST_VALUES:
            continue
        value, highest = counts.most_common(1)[0]
        excess = max(highest - round(number * gold[value] / gold.total()), 0)
        profile.count("value_frequent", number, {repr(value): excess}, "-".join(slot))


def count_course(
    profile: Profile, ours: Sequence[Slots], theirs: Sequence[Slots], scored: Set[Slot]
) -> None:
    """Count how slots come and go, and those that come later or earlier than in gold, or never.

    Args:
        profile: Where the counts are added.
        ours: (Domain, slot) -> predicted value, of each turn.
        theirs: (Domain, slot) -> gold value, of each turn.
        scored: The slots that scores depend on.
    """
    for slots in ours:
        profile.add("state_empty", not slots, "{}")
    for before, now in itertools.pairwise(ours):
        if before:
            profile.add("state_emptied", not now, "{}")
            dropped = ["-".join(slot) for slot in before.keys() - now.keys()]
            profile.count("state_dropped", len(before), Counter(dropped))
    first_turns = _first_turns(ours)
    for slot, right in _first_turns(theirs).items():
        turn = first_turns.get(slot)
        if turn is not None:
            part = "-".join(slot)
            profile.add("state_late", turn > right, part)
            profile.add("state_early", turn < right, part)
    for slots in theirs[-1:]:
        for slot in slots:
            if slot in scored:
                part = "-".join(slot)
                profile.add("slot_missing", slot not in first_turns, part, part)


def count_differences(profile: Profile, ours: Sequence[Slots], theirs: Sequence[Slots]) -> None:
    """Count the differences between states and gold ones.

    The same value beside the same gold one counts once in a dialogue.

    Args:
        profile: Where the counts are added.
        ours: (Domain, slot) -> predicted value, of each turn.
        theirs: (Domain, slot) -> gold value, of each turn.
    """
    seen: set[tuple[Slot, str, str | None]] = set()
    for predicted, gold in zip(ours, theirs, strict=False):
        lacking = ["-".join(slot) for slot in gold.keys() - predicted.keys()]
        profile.count("state_lacks", len(gold), Counter(lacking))
        if gold:
            profile.add("state_gold", predicted == gold, "equal")
        for slot, value in predicted.items():
            right = gold.get(slot)
            if (slot, value, right) in seen:
                continue
            seen.add((slot, value, right))
            part = "-".join(slot)
            # A value may be gold's, but of the opposite slot.
            opposite = slot[0], _OPPOSITE.get(slot[1], "")
            if slot in gold or opposite in gold:
                is_opposite = value == gold.get(opposite) != right
                is_exchanged = is_opposite and predicted.get(opposite) != gold.get(opposite)
                profile.add("value_exchanged", is_exchanged, slot[1], part)
            if right is not None:
                is_right = value == right or (is_dontcare(value) and is_dontcare(right))
                profile.add("value_wrong", not is_right, f"{value!r} for {right!r}", part)


def _first_turns(slots_of_turns: Sequence[Slots]) -> dict[Slot, int]:
    """Return (domain, slot) -> the first turn that has it."""
    first: dict[Slot, int] = {}
    for turn, slots in enumerate(slots_of_turns):
        for slot in slots:
            first.setdefault(slot, turn)
    return first
