"""The notations of belief states: how files write what maps domain -> slot -> value.

- domain -> slot -> value, nested objects;
- `domain-slot` -> value, one flat object;
- a list of `domain-slot-value`; the first two dashes separate;
- MultiWOZ's own `metadata`: domain -> `semi` and `book` -> slot -> value;
- a belief span, words as DAMD writes them: `[hotel] area north stars 4`, or slots in brackets too;
- any of these written as text, as JSON or as Python does.

In the first two a value may be a list, as in MultiWOZ 2.2: the first counts, as in the gold states.
It may also be a number or a boolean, as language models write them; null and an empty list are no
value.

Predictions files and trackers' files are read by the same function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from mwz.normalization.states import BeliefState

from ..errors import shown
from ..io.files import is_text, kind_of

NESTED = "domain -> slot -> value"
FLAT = "domain-slot -> value"
LIST = "domain-slot-value lists"

EXPECTED = f"{NESTED}, {FLAT} or a list of domain-slot-value"
"""What messages say that a state should be."""

Notify: TypeAlias = Callable[[str, str], None]
"""Is called with a problem or a remark: where in the state, and what."""

VALUE_LISTS = "lists of values, of which the first counts"
EMPTY_VALUES = "empty values, which no venue and no gold state has; leave such slots out"
CONVERTED = "numbers and booleans, read as text: 4, yes, no"
ABSENT = "null and empty lists, read as slots that are not there"
WRITTEN = "states that are written as text"
LENIENT = (VALUE_LISTS, CONVERTED, ABSENT, WRITTEN)
"""What a strict reader refuses, though it can be read."""

DOMAINS = ("restaurant", "hotel", "attraction", "train", "taxi", "police", "hospital")
STATE_DOMAINS = frozenset({*DOMAINS, "bus", "booking", "general"})
"""The domains a predicted state may have: those of MultiWOZ in all its versions."""

STATE_SLOTS = frozenset(
    {
        *("address", "area", "arrive", "choice", "day", "department", "departure", "destination"),
        *("duration", "entrancefee", "food", "id", "internet", "leave", "name", "openhours"),
        *("parking", "people", "phone", "postcode", "price", "pricerange", "ref", "reference"),
        *("stars", "stay", "ticket", "time", "trainid", "type", "car"),
        *("bookday", "bookpeople", "bookstay", "booktime", "booked"),
        *("addr", "arriveby", "depart", "dest", "fee", "leaveat", "open", "post"),
    }
)
"""The slots a predicted state may have: those of MultiWOZ's states and acts in all its versions,
of any domain, because systems do mix up the domains."""


_BOOKING = ("bookday", "bookpeople")
TRACKED_SLOTS: Mapping[str, frozenset[str]] = {
    "attraction": frozenset({"area", "name", "type"}),
    "hotel": frozenset(
        {"area", "internet", "name", "parking", "pricerange", "stars", "type"}
        | {*_BOOKING, "bookstay"}
    ),
    "restaurant": frozenset({"area", "food", "name", "pricerange", *_BOOKING, "booktime"}),
    "taxi": frozenset({"arrive", "departure", "destination", "leave"}),
    "train": frozenset({"arrive", "bookpeople", "day", "departure", "destination", "leave"}),
}
"""Domain -> the slots that state tracking on MultiWOZ is scored on; 30 in all."""


METADATA: Mapping[str, str] = {"semi": "", "book": "book"}
"""The parts of a domain in MultiWOZ's `metadata` -> what the names of their slots begin with."""

NOT_TRACKED = frozenset({"booked", "ticket"})
"""Slots of `metadata` that are none: bookings that were made, and one that no ontology has."""

NO_VALUE = frozenset({"", "none", "not mentioned"})
"""The values of slots of `metadata` that have none."""


def is_metadata(state: object) -> bool:
    """Return whether a state is written as MultiWOZ's own `metadata`."""
    return (
        isinstance(state, Mapping)
        and bool(state)
        and all(
            isinstance(parts, Mapping)
            and parts.keys() == METADATA.keys()
            and all(isinstance(slots, Mapping) for slots in parts.values())
            for parts in state.values()
        )
    )


def _from_metadata(state: Mapping[object, Any]) -> dict[object, dict[str, object]]:
    nested: dict[object, dict[str, object]] = {}
    for domain, parts in state.items():
        for part, slots in parts.items():
            for slot, value in slots.items():
                absent = isinstance(value, str) and value.strip().lower() in NO_VALUE
                if slot not in NOT_TRACKED and not absent:
                    nested.setdefault(domain, {})[f"{METADATA[part]}{slot}"] = value
    return nested


def notation_of(state: object) -> str | None:
    """Return the notation of a state; None if it is not a state."""
    if isinstance(state, Mapping):
        pairs = state.items()
        flat = any("-" in str(key) and not isinstance(value, Mapping) for key, value in pairs)
        return FLAT if flat else NESTED
    return LIST if isinstance(state, Sequence) and not isinstance(state, str) else None


def read_state(state: object, problem: Notify, remark: Notify) -> BeliefState:
    """Read a state in any notation; values are checked to be text, names are not looked up.

    Args:
        state: What a file holds.
        problem: Called with everything that is wrong, which is left out of the state.
        remark: Called with `EMPTY_VALUES` or one of `LENIENT` where there is such a value.
    """
    if isinstance(state, Mapping):
        if is_metadata(state):
            state = _from_metadata(state)
        if notation_of(state) == FLAT:
            return _joined(_flat_triples(state, problem, remark), problem)
        return _nested(state, problem, remark)
    if isinstance(state, Sequence) and not isinstance(state, str):
        return _joined(_list_triples(state, problem, remark), problem)
    problem("", f"expected a state ({EXPECTED}), found {kind_of(state)}")
    return {}


def _nested(state: Mapping[object, object], problem: Notify, remark: Notify) -> BeliefState:
    read: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        if isinstance(slots, Mapping):
            values = {
                slot: _value(f"{domain}, {slot}", value, problem, remark)
                for slot, value in slots.items()
            }
            read[str(domain)] = {s: value for s, value in values.items() if value is not None}
        elif slots is None or slots == []:
            remark(str(domain), ABSENT)
        else:
            problem(str(domain), f"expected an object of slot -> value, found {kind_of(slots)}")
    return read


def _flat_triples(
    state: Mapping[object, object], problem: Notify, remark: Notify
) -> Iterator[tuple[str, str, str]]:
    for name, value in state.items():
        domain, dash, slot = str(name).partition("-")
        if not (domain and dash and slot):
            problem("", f"expected `domain-slot` as key, found {shown(name)}")
        elif (text := _value(str(name), value, problem, remark)) is not None:
            yield domain, slot, text


def _list_triples(
    state: Iterable[object], problem: Notify, remark: Notify
) -> Iterator[tuple[str, str, str]]:
    for entry in state:
        parts = entry.split("-", 2) if isinstance(entry, str) else []
        if len(parts) == 3 and parts[0] and parts[1]:
            place = "-".join(parts[:2])
            if (text := _value(place, parts[2], problem, remark)) is not None:
                yield parts[0], parts[1], text
        else:
            found = shown(entry) if isinstance(entry, str) else kind_of(entry)
            problem("", f"expected a string `domain-slot-value`, found {found}")


def _joined(triples: Iterable[tuple[str, str, str]], problem: Notify) -> BeliefState:
    read: dict[str, dict[str, str]] = {}
    for domain, slot, value in triples:
        known = read.setdefault(domain, {}).setdefault(slot, value)
        if known != value:
            values = f"{shown(known)} and {shown(value)}"
            problem("", f"{domain}-{slot} has two values, {values}; expected one")
    return read


def _value(place: str, value: object, problem: Notify, remark: Notify) -> str | None:
    """Return a slot's value; None if there is none, or it cannot be text."""
    if value is None or value == []:
        remark(place, ABSENT)
        return None
    first = value[0] if isinstance(value, list) else value
    text = _plain_text(first)
    if text is None:
        problem(place, f"expected a string, found {kind_of(value)}")
        return None
    if first is not value:
        remark(place, VALUE_LISTS)
    if not isinstance(first, str):
        remark(place, CONVERTED)
    if not text:
        remark(place, EMPTY_VALUES)
    if not ((place + text).isascii() or is_text(place + text)):
        problem(place, f"{shown(text)} is not valid text")
        return None
    return text


def _plain_text(value: object) -> str | None:
    """Return a string, number or boolean as a state has it; None for anything else."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else None
    return str(value) if isinstance(value, str | int) else None
