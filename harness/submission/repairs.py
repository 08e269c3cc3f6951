"""Repairs: spellings that can be read in one way only are read so.

These repairs change no published figure: published files write the values so already. What would
change one, such as times in other notations, is remarked by the profile of the file, and not
repaired. A tracker's file with gold states of its own is compared as it is.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from mwz.normalization import (
    BeliefState,
    is_absent,
    is_dontcare,
    is_public_constraint,
    plain_characters,
    plain_slot_name,
    plain_spelling,
)

from ..errors import Remark
from .model import Turn

_HOTEL_TYPES = {
    "guest-house": "guesthouse",
    "guest-houses": "guesthouse",
    "guest houses": "guesthouse",
    "guesthouses": "guesthouse",
    "hotels": "hotel",
}

_SHOWN = 3
"""How many examples notes have."""


@lru_cache(maxsize=1 << 15)
def plain_value(domain: str, slot: str, value: str) -> str | None:
    """Return a value in lower case, plain characters and single blanks; None if it says nothing.

    Published figures depend on `none`, on an empty text and on `dontcare` in capitals: these stay
    as they are.

    >>> plain_value("hotel", "type", "Guest  Houses")
    'guesthouse'
    """
    if is_absent(value):
        return value if is_public_constraint(value) else None
    if is_dontcare(value):
        is_lower_case = value == value.lower()
        return plain_spelling(value) if is_lower_case else value
    plain = " ".join(plain_characters(value).lower().split())
    if domain == "hotel" and plain_slot_name(slot) == "type":
        plain = _HOTEL_TYPES.get(plain, plain)
    return plain


def repaired(
    dialogues: Mapping[str, Sequence[Turn]],
) -> tuple[Mapping[str, Sequence[Turn]], tuple[Remark, ...]]:
    """Return dialogues with plain states and responses, and notes on what was not plain.

    Args:
        dialogues: Dialogue id -> turns; left as they are, and returned if all of them are plain.
    """
    repairer = _Repairer()
    is_plain = True
    plain: dict[str, Sequence[Turn]] = {}
    for id_, turns in dialogues.items():
        plain_turns = [repairer.plain_turn(turn) for turn in turns]
        # Turns that are plain are the same objects.
        is_plain = is_plain and all(map(operator.is_, plain_turns, turns))
        plain[id_] = plain_turns
    return dialogues if is_plain else plain, tuple(repairer.notes())


class _Repairer:
    """Repairs turns, and counts what was not plain."""

    def __init__(self) -> None:
        # (Value, what it is read as) -> occurrences; character -> responses that have it.
        self._values: Counter[tuple[str, str]] = Counter()
        self._characters: Counter[str] = Counter()

    def plain_turn(self, turn: Turn) -> Turn:
        """Return a turn with a plain state and response; itself if both are plain."""
        state = turn.state and self._plain_state(turn.state)
        response = plain_characters(turn.response)
        if response != turn.response:
            # In order: which examples a note shows must not depend on how a set is ordered.
            self._characters.update(sorted(set(turn.response) - set(response)))
        if state is turn.state and response == turn.response:
            return turn
        return turn._replace(state=state, response=response)

    def _plain_state(self, state: BeliefState) -> BeliefState:
        """Return a state with plain values; itself if all are plain."""
        is_plain = True
        plain_state: dict[str, dict[str, str]] = {}
        for domain, slots in state.items():
            plain_slots: dict[str, str] = {}
            for slot, value in slots.items():
                plain = plain_value(domain, slot, value)
                if plain is not None:
                    plain_slots[slot] = plain
                if plain != value:
                    is_plain = False
                    self._values[value, "nothing" if plain is None else plain] += 1
            plain_state[domain] = plain_slots
        return state if is_plain else plain_state

    def notes(self) -> Iterator[Remark]:
        """Yield a note on values and one on characters of responses, if there were any."""
        if self._values:
            examples: list[str] = []
            for (value, plain), number in self._values.most_common(_SHOWN):
                examples.append(f"{value!r} as {plain!r} {number}×")
            total = self._values.total()
            text = f"{total} values of states are read in plain spelling: {', '.join(examples)}"
            yield Remark("values", text, warning=False)
        if self._characters:
            frequent = self._characters.most_common(_SHOWN)
            codes = ", ".join(f"U+{ord(character):04X}" for character, _ in frequent)
            text = f"characters of responses are read in plain form: {codes}"
            yield Remark("responses", text, warning=False)
