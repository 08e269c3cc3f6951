"""What is read as it was meant: spellings of which no other reading is possible.

These repairs move no published figure: values of published files are written so already. What
would move one, such as times in other notations, is told by the profile of the file and not
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

    Published figures depend on `none`, an empty text and other cases of `dontcare`: these are left
    as they are.
    """
    characters = plain_characters(value)
    plain = " ".join(characters.lower().split())
    if is_absent(value):
        return value if is_public_constraint(value) else None
    if is_dontcare(value):
        return plain_spelling(value) if value == value.lower() else value
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
    values = Counter[tuple[str, str]]()
    characters = Counter[str]()
    is_plain = True
    plain: dict[str, Sequence[Turn]] = {}
    for id_, turns in dialogues.items():
        plain_turns = [_repaired_turn(turn, values, characters) for turn in turns]
        # Turns that are plain are the same objects.
        is_plain = is_plain and all(map(operator.is_, plain_turns, turns))
        plain[id_] = plain_turns
    return dialogues if is_plain else plain, tuple(_notes(values, characters))


def _repaired_turn(turn: Turn, values: Counter[tuple[str, str]], characters: Counter[str]) -> Turn:
    """Return a turn with a plain state and response; itself where both are plain."""
    state = turn.state and _repaired_state(turn.state, values)
    response = plain_characters(turn.response)
    if response != turn.response:
        characters.update(set(turn.response) - set(response))
    if state is turn.state and response == turn.response:
        return turn
    return turn._replace(state=state, response=response)


def _notes(values: Counter[tuple[str, str]], characters: Counter[str]) -> Iterator[Remark]:
    """Yield a note on values and one on characters of responses, where there were any."""
    if values:
        pairs = [f"{old!r} as {new!r} {n}×" for (old, new), n in values.most_common(_SHOWN)]
        listed = ", ".join(pairs)
        text = f"{values.total()} values of states are read in plain spelling: {listed}"
        yield Remark("values", text, warning=False)
    if characters:
        names = [f"U+{ord(char):04X}" for char, _ in characters.most_common(_SHOWN)]
        text = f"characters of responses are read in plain form: {', '.join(names)}"
        yield Remark("responses", text, warning=False)


def _repaired_state(state: BeliefState, changes: Counter[tuple[str, str]]) -> BeliefState:
    """Return a state with plain values; itself where all are plain.

    Args:
        state: The state.
        changes: Counts (value, what it is read as); it is added to.
    """
    changed = False
    repaired: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        repaired[domain] = {}
        for slot, value in slots.items():
            plain = plain_value(domain, slot, value)
            if plain is not None:
                repaired[domain][slot] = plain
            if plain != value:
                changed = True
                changes[value, "nothing" if plain is None else plain] += 1
    return repaired if changed else state
