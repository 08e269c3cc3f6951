"""Repairs: spellings that can be read in one way only are read so.

These repairs change no published figure: published files write the values so already. What would
change one, such as times in other notations, is remarked by the profile of the file, and not
repaired. A tracker's file with gold states of its own is compared as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
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
) -> tuple[Mapping[str, Sequence[Turn]], list[Remark]]:
    """Return dialogues with plain states and responses, and notes on what was not plain.

    Args:
        dialogues: Dialogue id -> turns; left as they are, and returned if all of them are plain.
    """
    # (Value, what it is read as) -> occurrences; character -> responses that have it.
    values: Counter[tuple[str, str]] = Counter()
    characters: Counter[str] = Counter()
    is_plain = True
    repaired_dialogues: dict[str, Sequence[Turn]] = {}
    for id_, turns in dialogues.items():
        repaired_turns: list[Turn] = []
        last: BeliefState | None = None
        last_repaired: BeliefState | None = None
        repairs: Sequence[tuple[str, str]] = ()
        for turn in turns:
            # Many turns repeat the state of the turn before.
            if turn.state != last:
                last = turn.state
                last_repaired, repairs = _plain_state(last or {})
            values.update(repairs)
            response = plain_characters(turn.response)
            if response != turn.response:
                # In order: which examples a note shows must not depend on how a set is ordered.
                characters.update(sorted(set(turn.response) - set(response)))
            if repairs or response != turn.response:
                is_plain = False
                state = last_repaired if repairs else turn.state
                repaired_turns.append(turn._replace(state=state, response=response))
            else:
                repaired_turns.append(turn)
        repaired_dialogues[id_] = repaired_turns
    return dialogues if is_plain else repaired_dialogues, _notes(values, characters)


def _plain_state(state: BeliefState) -> tuple[BeliefState, list[tuple[str, str]]]:
    """Return a state with plain values; and what was not plain, with what it is read as."""
    plain_state: dict[str, dict[str, str]] = {}
    repairs: list[tuple[str, str]] = []
    for domain, slots in state.items():
        plain_slots: dict[str, str] = {}
        for slot, value in slots.items():
            plain = plain_value(domain, slot, value)
            if plain is not None:
                plain_slots[slot] = plain
            if plain != value:
                repairs.append((value, "nothing" if plain is None else plain))
        plain_state[domain] = plain_slots
    return plain_state, repairs


def _notes(values: Counter[tuple[str, str]], characters: Counter[str]) -> list[Remark]:
    """Return a note on values and one on characters of responses, if there were any."""
    notes: list[Remark] = []
    if values:
        examples: list[str] = []
        for (value, plain), number in values.most_common(_SHOWN):
            examples.append(f"{value!r} as {plain!r} {number}×")
        listed = ", ".join(examples)
        text = f"{values.total()} values of states are read in plain spelling: {listed}"
        notes.append(Remark("values", text, warning=False))
    if characters:
        frequent = characters.most_common(_SHOWN)
        codes = ", ".join(f"U+{ord(character):04X}" for character, _ in frequent)
        text = f"characters of responses are read in plain form: {codes}"
        notes.append(Remark("responses", text, warning=False))
    return notes
