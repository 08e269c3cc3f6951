"""Gold and predicted states made comparable: what means the same is spelled the same.

- Both go through the rule set's normalisation, and `dontcare` has one spelling. Where a slot has
  two values, `true` is the first.
- Where gold has alternatives (`cheap|moderate`) any of them is right, and so is a prediction that
  names several of them. Such a prediction is rewritten as gold's first alternative, so that every
  metric sees equal values, and a change from one alternative to another is no change.
- The prefix `book` of booking slots is dropped.

Absent values stay as they are written: whether they are slots is a choice of the metrics.

Files with gold states of their own are compared as they are, since the published code of the
metrics normalises nothing. Values that mean absent are no slots there either, but for two kinds
that published figures depend on:

- Most states of TripPy's file have values that begin with a blank. In a file like it blanks belong
  to the values, and an empty text is one: ` none` is a wrong value (`keeps_blanks`).
- T5's files have a `none` here and there in gold. To granular change accuracy, and to it alone,
  that is a slot that was dropped, as in the published code (`drops_slots`). Where most gold states
  have absent slots it is another matter: they name all slots there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from mwz.normalization import (
    DONTCARE,
    BeliefState,
    RuleSet,
    is_absent,
    is_dontcare,
    normalize_slot_name,
    normalize_value,
)

SEPARATOR = "|"
"""What stands between alternatives in gold states that are installed."""

# MultiWOZ 2.1 has the other two as well.
_SEPARATORS = re.compile(r"[|<>]")

# Gold states call these slots by the names on the left, systems by either (and some trackers with a
# stroke between): the prefix is dropped on both sides.
BOOKING_SLOTS = {
    "bookday": "day",
    "book_day": "day",
    "bookpeople": "people",
    "book_people": "people",
    "bookstay": "stay",
    "book_stay": "stay",
    "booktime": "time",
    "book_time": "time",
}

# TripPy and STAR write the slots of a hotel that have two values so.
_TRUTH_VALUES = {
    ("internet", "true"): "yes",
    ("internet", "false"): "no",
    ("parking", "true"): "yes",
    ("parking", "false"): "no",
    ("type", "true"): "hotel",
    ("type", "false"): "guesthouse",
}


def without_booking_prefix(state: BeliefState) -> BeliefState:
    """Return a state with `bookday`, `bookpeople`, `bookstay` and `booktime` without `book`.

    A state without such slots is returned itself.
    """
    if all(map(BOOKING_SLOTS.keys().isdisjoint, state.values())):
        return state
    renamed = {}
    for domain, slots in state.items():
        renamed[domain] = {BOOKING_SLOTS.get(slot, slot): value for slot, value in slots.items()}
    return renamed


@lru_cache(maxsize=1 << 15)
def alternatives(slot: str, text: str, rules: RuleSet) -> tuple[str, ...]:
    """Return the values that a text holds, normalised, each once; absent ones are left out.

    Args:
        slot: The slot's normalised name.
        text: A value, or several with `|`, `<` or `>` between them.
        rules: The rule set.
    """
    texts = _SEPARATORS.split(text)
    if len(texts) > 1:
        texts = list(map(str.strip, texts))
    values: dict[str, None] = {}
    for value in texts:
        if not is_absent(value):
            values[_comparable_value(slot, value, rules)] = None
    return tuple(values)


@lru_cache(maxsize=1 << 15)
def _comparable_value(slot: str, value: str, rules: RuleSet) -> str:
    """Return a value as it is compared; an absent one as it is."""
    if is_absent(value):
        return value
    if is_dontcare(value):
        return DONTCARE
    value = _TRUTH_VALUES.get((slot, value.strip().lower()), value)
    return normalize_value(slot, value, rules)


def comparable_states(
    gold: BeliefState, predicted: BeliefState, rules: RuleSet
) -> tuple[BeliefState, BeliefState]:
    """Return a gold and a predicted state in which equal values are what is right.

    Booking slots keep their prefix.

    Args:
        gold: The gold state, whose values may be alternatives.
        predicted: The predicted state, normalised or not.
        rules: The rule set.
    """
    comparable_gold: dict[str, dict[str, str]] = {}
    several: dict[tuple[str, str], tuple[str, ...]] = {}
    for domain, slots in gold.items():
        comparable_gold[domain] = {}
        for slot, text in slots.items():
            name = normalize_slot_name(slot, rules)
            values = alternatives(name, text, rules)
            comparable_gold[domain][name] = values[0] if values else text
            if len(values) > 1:
                several[domain, BOOKING_SLOTS.get(name, name)] = values
    comparable_predicted: dict[str, dict[str, str]] = {}
    for domain, slots in predicted.items():
        comparable_predicted[domain] = {}
        for slot, text in slots.items():
            name = normalize_slot_name(slot, rules)
            right = several.get((domain, BOOKING_SLOTS.get(name, name)), ())
            values = alternatives(name, text, rules) if right else ()
            if values and set(values) <= set(right):
                comparable_predicted[domain][name] = right[0]
            else:
                comparable_predicted[domain][name] = _comparable_value(name, text, rules)
    return comparable_gold, comparable_predicted


DROPPED = "none"
"""The value that a slot has once a state no longer has it, as in the published code."""


def keeps_blanks(predicted: Sequence[BeliefState]) -> bool:
    """Return whether blanks around values belong to them: most predicted states have some."""
    padded = 0
    for state in predicted:
        padded += any(value.strip() not in ("", value) for value in _values(state))
    return 2 * padded > len(predicted)


def drops_slots(gold: Sequence[BeliefState]) -> bool:
    """Return whether a gold `none` is a slot that was dropped: gold states seldom have one."""
    has_none = False
    with_absent = 0
    for state in gold:
        values = _values(state)
        has_none |= DROPPED in values
        with_absent += any(map(is_absent, values))
    return has_none and 2 * with_absent < len(gold)


def _values(state: BeliefState) -> Sequence[str]:
    return list(chain.from_iterable(slots.values() for slots in state.values()))
