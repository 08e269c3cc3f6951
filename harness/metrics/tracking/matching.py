"""Gold and predicted states made comparable: what means the same is spelled the same.

- Both go through the rule set's normalisation, and `dontcare` has one spelling.
- Where gold has alternatives (`cheap|moderate`) any of them is right, and so is a prediction that
  names several of them. Such a prediction is rewritten as gold's first alternative, so that every
  metric sees equal values, and a change from one alternative to another is no change.
- The prefix `book` of booking slots is dropped.

Absent values stay as they are written: whether they are slots is a choice of the metrics.

Files with gold states of their own are compared as they are, since the published code of the
metrics normalises nothing. Values that mean absent are no slots there either, but for two kinds
that published figures depend on (`TakenLiterally`):

- Most states of TripPy's file have values that begin with a blank. In a file like it blanks belong
  to the values, and an empty text is one: ` none` is a wrong value.
- T5's files have a `none` here and there in gold. To granular change accuracy, and to it alone,
  that is a slot that was dropped, as in the published code. Where most gold states have absent
  slots it is another matter: they name all slots there are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

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

_Alternatives: TypeAlias = tuple[str, ...]

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


@lru_cache(maxsize=1 << 15)
def alternatives(slot: str, text: str, rules: RuleSet) -> _Alternatives:
    """Return the values that a text holds, normalised, each once; absent ones are left out.

    Args:
        slot: The slot's normalised name.
        text: A value, or several with `|`, `<` or `>` between them.
        rules: The rule set.
    """
    parts = _SEPARATORS.split(text)
    if len(parts) > 1:
        parts = [part.strip() for part in parts]
    return tuple(dict.fromkeys(_spelled(slot, one, rules) for one in parts if not is_absent(one)))


@lru_cache(maxsize=1 << 15)
def _spelled(slot: str, value: str, rules: RuleSet) -> str:
    """Return a value as it is compared; an absent one as it is."""
    if is_absent(value):
        return value
    return DONTCARE if is_dontcare(value) else normalize_value(slot, value, rules)


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
    wanted: dict[str, dict[str, str]] = {}
    several: dict[tuple[str, str], _Alternatives] = {}
    for domain, slots in gold.items():
        wanted[domain] = {}
        for slot, text in slots.items():
            name = normalize_slot_name(slot, rules)
            values = alternatives(name, text, rules)
            wanted[domain][name] = values[0] if values else text
            if len(values) > 1:
                several[domain, BOOKING_SLOTS.get(name, name)] = values
    found: dict[str, dict[str, str]] = {}
    for domain, slots in predicted.items():
        found[domain] = {}
        for slot, text in slots.items():
            name = normalize_slot_name(slot, rules)
            right = several.get((domain, BOOKING_SLOTS.get(name, name)), ())
            named = alternatives(name, text, rules) if right else ()
            is_right = bool(named) and set(named) <= set(right)
            found[domain][name] = right[0] if is_right else _spelled(name, text, rules)
    return wanted, found


DROPPED = "none"
"""The value that a slot has once a state no longer has it, as in the published code."""


@dataclass(frozen=True)
class TakenLiterally:
    """What is taken literally in the states of a dialogue.

    Attributes:
        blanks: Whether blanks around a value, and an empty text, make it a value.
        dropped: Whether a gold `none` is a change to granular change accuracy.
    """

    blanks: bool = False
    dropped: bool = False

    def is_absent(self, value: str) -> bool:
        """Return whether a value says that its slot has none."""
        if self.blanks and (not value or value != value.strip()):
            return False
        return is_absent(value)


def literal_parts(gold: Sequence[BeliefState], predicted: Sequence[BeliefState]) -> TakenLiterally:
    """Return what is taken literally in a file, given all its gold and predicted states."""
    padded = [state for state in predicted if _is_padded(state)]
    with_absent = [state for state in gold if any(map(is_absent, _values(state)))]
    has_dropped = any(DROPPED in _values(state) for state in with_absent)
    return TakenLiterally(
        blanks=2 * len(padded) > len(predicted),
        dropped=has_dropped and 2 * len(with_absent) < len(gold),
    )


def _values(state: BeliefState) -> Sequence[str]:
    return [value for slots in state.values() for value in slots.values()]


def _is_padded(state: BeliefState) -> bool:
    return any(value.strip() not in ("", value) for value in _values(state))
