"""The notations in which files write belief states, which map domain -> slot -> value.

- domain -> slot -> value, nested objects;
- `domain-slot` -> value, one flat object; of MultiWOZ's domains also `domain_slot`, `domain.slot`;
- a list of `domain-slot-value`, where the first two dashes separate, of `domain-slot=value`, of
  T5-DST's `domain-slot#####value` or SimpleTOD's `domain slot value`;
- a list of pairs of `domain-slot` and value, of triples of domain, slot and value, of objects with
  these as keys, or as TRADE's data have it of objects whose `slots` are pairs;
- MultiWOZ's own `metadata`: domain -> `semi` and `book` -> slot -> value;
- a belief span, words as DAMD writes them: `[hotel] area north stars 4`, or slots in brackets too;
- the `frames` of MultiWOZ 2.2 and SGD, also as columns, or what a frame holds: `slot_values`, or
  Hugging Face's `slots_values_name` beside `slots_values_list`;
- a text: any of these as JSON or Python writes it, also in a fence or within a sentence, or
  `domain-slot=value, …`, SOLOIST's `belief : domain slot = value | …`, `<|belief|> domain slot
  value, …`.

A value may be a list, as in MultiWOZ 2.2: the first one counts, as in the gold states. It may also
be a number or a boolean, as language models write them; null and an empty list are no value.

Predictions files and trackers' files are read by the same function.
"""

from __future__ import annotations

import ast
import json
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from mwz.normalization import (
    DEFAULT_RULES,
    BeliefState,
    is_absent,
    normalize_slot_name,
    plain_slot_name,
    rule_set,
)

from ..errors import cut_repr
from ..io import is_text, kind_of

Slot: TypeAlias = tuple[str, str]
"""(domain, slot name)."""

EXPECTED = "domain -> slot -> value, domain-slot -> value or a list of domain-slot=value"
"""What messages say that a state should be."""

Notify: TypeAlias = Callable[[str, str], None]
"""Is called with a problem or a remark: its place in the state, and what it is."""

VALUE_LISTS = "lists of values, of which the first counts"
EMPTY_VALUES = "empty values, which no venue has; leave such slots out"
CONVERTED = "numbers and booleans, read as text: 4, yes, no"
ABSENT = "null and empty lists, read as slots that are not there"
WRITTEN = "states that are written as text"

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


_BOOKED = {"bookday", "bookpeople"}
_STAY = {"internet", "parking", "stars", "bookstay"}
TRACKED_SLOTS: Mapping[str, frozenset[str]] = {
    "attraction": frozenset({"area", "name", "type"}),
    "hotel": frozenset({"area", "name", "pricerange", "type"} | _STAY | _BOOKED),
    "restaurant": frozenset({"area", "food", "name", "pricerange", "booktime"} | _BOOKED),
    "taxi": frozenset({"arrive", "departure", "destination", "leave"}),
    "train": frozenset({"arrive", "bookpeople", "day", "departure", "destination", "leave"}),
}
"""Domain -> the slots that state tracking on MultiWOZ is scored on; 30 in all."""


METADATA: Mapping[str, str] = {"book": "book", "semi": ""}
"""Key of a domain in MultiWOZ's `metadata` -> what the names of the slots in it begin with."""

NOT_TRACKED = frozenset({"booked", "ticket"})
"""Keys of `metadata` that are no slots: bookings that were made, and one that no ontology has."""


def is_metadata(state: object) -> bool:
    """Return whether a state is written as MultiWOZ's own `metadata`."""
    if not isinstance(state, Mapping) or not state:
        return False
    for sections in state.values():
        if not isinstance(sections, Mapping) or sections.keys() != METADATA.keys():
            return False
        if not all(isinstance(slots, Mapping) for slots in sections.values()):
            return False
    return True


def metadata_slots(state: Mapping[str, Any]) -> Iterator[tuple[Slot, object]]:
    """Yield slots and values of a state written as `metadata`, without those that are absent."""
    for domain, sections in state.items():
        for section, prefix in METADATA.items():
            for slot, value in sections[section].items():
                is_set = not isinstance(value, str) or not is_absent(value)
                if is_set and slot not in NOT_TRACKED:
                    name = f"{prefix}{slot}"
                    # A train's day is no booking, wherever it is written.
                    is_known = name in TRACKED_SLOTS.get(domain, {name})
                    yield (domain, name if is_known else slot), value


def is_state(value: object, any_domain: bool = False) -> bool:
    """Return whether a value writes a state that is not empty, in whatever notation.

    Args:
        value: A value of a file.
        any_domain: Whether states without a domain of MultiWOZ are states, too.
    """
    state = _parsed_state(value, _ignore) if isinstance(value, str) else value
    if not isinstance(state, dict | list):
        return False
    problems: list[str] = []
    read = read_state(state, lambda place, problem: problems.append(problem), _ignore)
    if is_metadata(state) or not STATE_DOMAINS.isdisjoint(read):
        return True
    return any_domain and bool(read) and not problems


def _ignore(place: str, message: str) -> None:
    """Ignore a problem or a remark."""


@lru_cache(maxsize=1 << 12)
def known_slot_name(name: str) -> str:
    """Return the name of a known slot with blanks for underscores and dashes; others as it is.

    `price_range` and `price-range` become `price range`, which rules read as `pricerange`.
    """
    spaced = re.sub(r"[_-]+", " ", name)
    return spaced if plain_slot_name(spaced) in STATE_SLOTS else name


@lru_cache(maxsize=1 << 12)
def common_slot_name(name: str) -> str:
    """Return the name that the spellings of a slot have in common: `leaveAt` is `leave`."""
    return normalize_slot_name(known_slot_name(name), rule_set(DEFAULT_RULES))


def read_state(state: object, problem: Notify, remark: Notify) -> BeliefState:
    """Read a state in any notation; values are checked to be text, names are not looked up.

    Args:
        state: What a file holds.
        problem: Called with everything that is wrong, which is left out of the state.
        remark: Called with how a value is read that is no string, with `EMPTY_VALUES`, and with
            what is left out of a span.
    """
    content = _without_frames(_parsed_state(state, remark))
    read: dict[str, dict[str, str]] = {}
    if isinstance(content, Mapping) and is_metadata(content):
        entries = metadata_slots(content)
    elif isinstance(content, Mapping) and not _is_flat(content):
        # A domain that has no slots is in the state, too.
        read = {str(domain): {} for domain, slots in content.items() if isinstance(slots, Mapping)}
        entries = _nested_entries(content, problem, remark)
    else:
        entries = _flat_entries(content, problem)
    for (domain, slot), value in entries:
        # MultiWOZ's own states list the bookings that were made.
        if slot in NOT_TRACKED and isinstance(value, list):
            continue
        text = _value(f"{domain}, {slot}", value, problem, remark)
        if text is None:
            continue
        first = read.setdefault(domain, {}).setdefault(slot, text)
        if first != text:
            values = f"{cut_repr(first)} and {cut_repr(text)}"
            problem("", f"{domain}-{slot} has two values, {values}; expected one")
    return read


def _nested_entries(
    content: Mapping[object, object], problem: Notify, remark: Notify
) -> Iterator[tuple[Slot, object]]:
    """Yield slots and values of domain -> slot -> value."""
    for domain, slots in content.items():
        if isinstance(slots, Mapping):
            for slot, value in slots.items():
                yield (str(domain), slot), value
        elif slots is None or slots == []:
            remark(str(domain), ABSENT)
        else:
            kind = kind_of(slots)
            problem(str(domain), f"expected an object of slot -> value, found {kind}")


def _flat_entries(content: object, problem: Notify) -> Iterator[tuple[Slot, object]]:
    """Yield slots and values of pairs of `domain-slot` and value, in an object or a list."""
    pairs: Iterable[tuple[object, object]] = ()
    if isinstance(content, Mapping):
        pairs = content.items()
    elif isinstance(content, Sequence) and not isinstance(content, str):
        pairs = _listed(content, problem)
    elif isinstance(content, str) and _NUMBERED.match(content):
        problem("", NUMBERED)
    else:
        problem("", f"expected a state ({EXPECTED}), found {kind_of(content)}")
    for name, value in pairs:
        domain_slot = slot_of(name)
        if domain_slot is None:
            problem("", f"expected `domain-slot` as key, found {cut_repr(name)}")
        else:
            yield domain_slot, value


def _is_flat(content: Mapping[object, object]) -> bool:
    """Return whether some key names a domain and a slot, and does not hold slots itself."""
    return any(slot_of(key) and not isinstance(value, Mapping) for key, value in content.items())


_SLOT_VALUES = frozenset({"slotvalues", "slotsvalues"})
_BESIDE_SLOT_VALUES = frozenset({"activeintent", "requestedslots", *_SLOT_VALUES})
"""Keys of a frame's state in MultiWOZ 2.2 and SGD, in lower case and without underscores."""

_COLUMN_NAMES = "slots_values_name"
_COLUMN_VALUES = "slots_values_list"
"""The columns in which Hugging Face's `datasets` has names and values of slots."""


def _without_frames(state: object) -> object:
    """Return a state without the frames of MultiWOZ 2.2 and SGD, or the objects within them."""
    if isinstance(state, list) and state:
        are_frames = [
            isinstance(frame, Mapping) and {"service", "state"} <= frame.keys() for frame in state
        ]
        if all(are_frames):
            return _of_frames(state)
    if not isinstance(state, Mapping):
        return state
    if state.keys() == {_COLUMN_NAMES, _COLUMN_VALUES}:
        columns = zip(state[_COLUMN_NAMES], state[_COLUMN_VALUES], strict=False)
        return [[name, _single(value)] for name, value in columns]
    keys = {re.sub(r"[\W_]", "", str(key).lower()): key for key in state}
    slot_values = keys.keys() & _SLOT_VALUES
    if slot_values and keys.keys() <= _BESIDE_SLOT_VALUES:
        slots = _without_frames(state[keys[slot_values.pop()]])
        if isinstance(slots, Mapping):
            slots = {name: _single(value) for name, value in slots.items()}
        return slots
    if {"service", "state"} <= keys.keys() and isinstance(state["service"], list):
        frames: list[Mapping[str, object]] = []
        for service, state_of_service in zip(state["service"], state["state"], strict=False):
            frames.append({"service": service, "state": state_of_service})
        return _of_frames(frames)
    return state


def _of_frames(frames: Sequence[Mapping[str, object]]) -> dict[str, dict[object, object]]:
    """Return domain -> slot -> value of frames; the names of slots may begin with the domain."""
    state: dict[str, dict[object, object]] = {}
    for frame in frames:
        slots = _without_frames(frame["state"])
        pairs: Any = slots.items() if isinstance(slots, Mapping) else slots or []
        for name, value in pairs:
            domain, slot = slot_of(name) or (str(frame["service"]), name)
            state.setdefault(domain, {})[slot] = value
    return state


def _single(value: object) -> object:
    """Return the value of a list of one value, and anything else as it is."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


_NAME = re.compile(rf"(?i:({'|'.join(sorted(STATE_DOMAINS))})[_. /])(.+)|([^-]+)-(.+)", re.DOTALL)
_ASSIGNED = re.compile(r"([^-=:]+-[^-=:]+)([-=:])(.*)", re.DOTALL)


_JOINT = re.compile(r"^(book|entrance|train|price|post)(?=.)|(?<=.)(?=(?:by|at|hours)$)")
"""Where a slot's name may have a blank or a stroke between its words."""
_SLOT_PATTERN = "|".join(
    [_JOINT.sub(r"\1[ _-]?", slot) for slot in sorted(STATE_SLOTS, key=len, reverse=True)]
)
_DOMAIN_PATTERN = "|".join(sorted(STATE_DOMAINS))
_KNOWN = re.compile(
    rf"\s*(?i:({_DOMAIN_PATTERN})[ _-]+({_SLOT_PATTERN}))(?:\s*(?:#####|=|:)|-|\s+is\s|\s)\s*(.*)",
    re.DOTALL,
)
"""An entry of a list that names a known domain and slot."""
_ENTRY_KEYS = ("domain", "slot", "value")


def slot_of(name: object) -> Slot | None:
    """Return domain and slot of a name such as `hotel-area` or, if known, `hotel_area`; or None."""
    match = _NAME.fullmatch(str(name))
    if match is None:
        return None
    if match[1] is None:
        return match[3], match[4]
    slot = match[2].replace("_", " ")
    return (match[1], slot) if plain_slot_name(slot) in STATE_SLOTS else None


def _listed(state: Sequence[object], problem: Notify) -> Iterator[tuple[object, object]]:
    """Yield `domain-slot` and value of what a list holds."""
    for entry in state:
        if isinstance(entry, Mapping) and isinstance(entry.get("slots"), list):
            pairs = [pair for pair in entry["slots"] if isinstance(pair, list)]
            yield from _listed(pairs, problem)
            continue
        # Name and value, or domain, slot and value.
        fields = entry
        if isinstance(entry, Mapping):
            fields = [entry[key] for key in _ENTRY_KEYS if key in entry]
        elif isinstance(entry, str):
            known = _KNOWN.fullmatch(entry)
            assigned = _ASSIGNED.fullmatch(entry)
            if known:
                domain, slot, value = known.groups()
                # After `domain-slot-` everything is the value, blanks as well.
                is_dashed = entry.startswith(f"{domain}-{slot}-")
                fields = [domain, slot, value if is_dashed else value.strip()]
            elif assigned:
                name, sign, value = assigned.groups()
                fields = [name, value] if sign == "-" else [name.strip(), value.strip()]
        if isinstance(fields, list) and len(fields) in (2, 3):
            yield "-".join(map(str, fields[:-1])), fields[-1]
        else:
            shown = cut_repr(entry) if isinstance(entry, str) else kind_of(entry)
            problem("", f"expected a string `domain-slot=value`, found {shown}")


def _value(place: str, value: object, problem: Notify, remark: Notify) -> str | None:
    """Return a slot's value; None if there is none, or it cannot be text."""
    first = next(iter(value), None) if isinstance(value, list) else value
    if first is None:
        remark(place, ABSENT)
        return None
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
        problem(place, f"{cut_repr(text)} is not valid text")
        return None
    return text


def _plain_text(value: object) -> str | None:
    """Return a string, number or boolean as a state has it; None for anything else."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else None
    return str(value) if isinstance(value, str | int) else None


# States as text.


# The words that name slots in a span without brackets. Names that are more often part of a value
# are left out: any other word of such a span belongs to a value.
_SLOT_WORDS = STATE_SLOTS - {
    *("addr", "booked", "choice", "depart", "dest", "fee", "open", "openhours", "post", "ref"),
    "ticket",
}
_TWO_WORDS = {"leaveat": "leave", "arriveby": "arrive", "cartype": "car"}
"""Name in two words, joined -> the slot, where it has another name."""

_NO_SLOT = {("people", "'s"), ("a", "time"), ("food", "takeaway")}
"""Neighbours that tell a word of a venue's name from a slot: "people 's portraits exhibition",
"whale of a time", "chinese food takeaway". DAMD's own code knows the first only."""

_SPECIAL = re.compile(r"<(?:sos|bos|go|eos)_\w{1,10}>|<pad>|</?s>|<\|endoftext\|>")
_BEGIN, _END = re.compile(r"<(?:sos|bos|go)_(\w{1,10})>"), re.compile(r"<eos_(\w{1,10})>")
_TOKEN = re.compile(r"\[[^\[\]]*\]|[^\s\[\]]+")
_VALUE = "value_"


def without_tokens(text: str, *names: str) -> str:
    """Return what a decoded text says, without its special tokens.

    Args:
        text: A text; most have no special tokens, and stay as they are.
        names: What tokens call this kind of text. That of a response is "r" or "resp": `<sos_r>` or
            `<bos_resp>` begins it, and the first `<eos_r>` or `<eos_resp>` after that ends it.
    """
    if "<" not in text:
        return text
    begin = next((match for match in _BEGIN.finditer(text) if match[1] in names), None)
    if begin is not None:
        text = text[begin.end() :]
    end = next((match for match in _END.finditer(text) if match[1] in names), None)
    if end is not None:
        text = text[: end.start()]
    plain = _SPECIAL.sub(" ", text)
    is_plain = begin is None and end is None and plain == text
    return text if is_plain else " ".join(plain.split())


def read_span(text: str, note: Callable[[str], None]) -> Mapping[str, Mapping[str, str]]:
    """Return the belief state that a span writes, domain -> slot -> value.

    A slot that is there twice has the later value. What is no domain and no slot is left out, and
    so is a slot without a value.

    Args:
        text: The span.
        note: Called with what is left out, except slots without a value.
    """
    state: dict[str, dict[str, str]] = {}
    domain: str | None = None
    for slot, value in _pairs(_TOKEN.findall(without_tokens(text, "b", "belief"))):
        if slot is None:
            domain = value if value in STATE_DOMAINS else None
            if domain is None:
                note(f"`[{value}]` is not a domain; it is left out")
        elif domain is None:
            note(f"`{slot}` belongs to no domain; it is left out")
        elif slot not in STATE_SLOTS:
            note(f"`[{slot}]` is not a slot; it is left out")
        elif value:
            state.setdefault(domain, {})[slot] = value
    return state


_LITERAL = re.compile(r"\s*[{\[]")
_SPAN = re.compile(r"(?:\s*<\w+>)*\s*\[(\w+)\]")
# A comma that no assignment follows is part of a value.
_ASSIGNMENTS = re.compile(r"\s*\w+-[\w ]+[=:]")
_BETWEEN = re.compile(r"[,;|\n](?=[ \t]*\w+-[\w ]+[=:])")
_OPENING = re.compile(r"\s*(?:<\|?belief\|?>\s*:?|belief(?: states?)?\s*:)\s*", re.IGNORECASE)
_CLOSING = re.compile(r"\s*<\|?(?:endof|/)belief\|?>.*", re.DOTALL | re.IGNORECASE)
_IN_WORDS = re.compile(rf"\s*(?i:{_DOMAIN_PATTERN})[ _-]+(?i:{_SLOT_PATTERN})(?:[\s=:#]|-|$)")
_BETWEEN_WORDS = re.compile(rf"\s*[,;|\n]\s*(?={_IN_WORDS.pattern})")
_BULLET = re.compile(r"^[ \t]*[-*•][ \t]+", re.MULTILINE)
_FENCE = re.compile(r"```(?:\w+[ \t]*\n)?(.*?)```", re.DOTALL)
_NUMBERED = re.compile(r"\s*(?:\[states?\]|\d{1,3}\s*=)")
NUMBERED = (
    "D3ST's numbers of slots, and nothing says which slot has which number; write `domain-slot` "
    "for the numbers"
)
"""What is wrong with a state that numbers slots in the order of a prompt."""
_LONGEST = 20_000
"""Characters of a state that is written as text."""


def _parsed_state(state: object, note: Notify) -> object:
    """Return a state as it is; of a text, the state that it writes.

    Args:
        state: What a file holds.
        note: Called with `WRITTEN` of a text, and with what is left out of a span.

    Returns:
        The state, in any notation; a text that writes none as it is.
    """
    if not isinstance(state, str) or len(state) > _LONGEST:
        return state
    parsed = _parsed_text(state, lambda message: note("", message))
    if parsed is not state:
        note("", WRITTEN)
    return parsed


def _parsed_text(text: str, note: Callable[[str], None]) -> object:
    fenced = _FENCE.findall(text)
    if len(fenced) == 1:
        text = fenced[0]
    if _LITERAL.match(text):
        literal = _literal(text)
        if literal is not None:
            return literal
    opening = _OPENING.match(text)
    if opening:
        text = text[opening.end() :]
    text = _CLOSING.sub("", text)
    text = _BULLET.sub("", text)
    if text.strip().lower() in ("", "none"):
        return {}
    if _ASSIGNMENTS.match(text):
        return _BETWEEN.split(text)
    if _IN_WORDS.match(text):
        return _BETWEEN_WORDS.split(text.strip())
    match = _SPAN.match(text)
    if match and match[1].lower() in STATE_DOMAINS:
        return read_span(text, note)
    return _within(text)


def _literal(text: str) -> object:
    """Return the object or list that a text writes as JSON or Python; None if it writes none."""
    for read in (json.loads, ast.literal_eval):
        try:
            with warnings.catch_warnings():
                # Python warns of escapes that it does not know.
                warnings.simplefilter("ignore")
                state = read(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        if isinstance(state, dict | list):
            return state
    return None


def _within(text: str) -> object:
    """Return the state that stands as an object within a sentence; the text if there is none."""
    start, end = text.find("{"), text.rfind("}")
    literal = _literal(text[start : end + 1]) if 0 <= start < end else None
    return text if literal is None or not is_state(literal) else literal


def _pairs(tokens: list[str]) -> Iterator[tuple[str | None, str]]:
    """Yield slot and value, or None and a domain, in order."""
    in_brackets = any(map(_is_bracketed_slot, tokens))
    slot: str | None = None
    value: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        name = _bracketed(token)
        opened = None
        length = 1
        if name is None and not in_brackets:
            opened, length = _slot_in_words(tokens, position, slot is not None)
        elif name is not None and _is_bracketed_slot(token):
            opened = _slot_name(name)
        position += length
        if opened is None and name is None:
            value.append(token)
            continue
        # A slot or a bracket ends the value before it.
        if slot is not None:
            yield slot, _span_value(value)
        slot = opened
        value = []
        if opened is None and name is not None and not name.startswith("db_"):
            yield None, name
    if slot is not None:
        yield slot, _span_value(value)


def _bracketed(token: str) -> str | None:
    """Return what a token in square brackets holds, in lower case; None of any other."""
    return token[1:-1].strip().lower() if token.startswith("[") else None


def _is_bracketed_slot(token: str) -> bool:
    name = _bracketed(token)
    if name is None or name in STATE_DOMAINS:
        return False
    return name.startswith(_VALUE) or _slot_name(name) in STATE_SLOTS


def _slot_name(name: str) -> str:
    return name.removeprefix(_VALUE).replace("_", "").replace(" ", "")


def _slot_in_words(tokens: list[str], position: int, in_slot: bool) -> tuple[str | None, int]:
    """Return the slot whose name begins at a position, if one does, and its number of words.

    Args:
        tokens: All tokens of the span.
        position: Where to look.
        in_slot: Whether this may be part of a slot's value.
    """
    word = tokens[position].lower()
    before = tokens[position - 1].lower() if position else ""
    following = tokens[position + 1].lower() if position + 1 < len(tokens) else ""
    together = _TWO_WORDS.get(word + following, word + following)
    if following and together in STATE_SLOTS:
        return together, 2
    if word not in _SLOT_WORDS:
        return None, 1
    if in_slot and ((word, following) in _NO_SLOT or (before, word) in _NO_SLOT):
        return None, 1
    return word, 1


def _span_value(words: list[str]) -> str:
    """Return a value; PPTOD's data writes `area is north , stars is 4` as well."""
    if words and words[0] == "is":
        words = words[1:]
    while words and words[-1] == ",":
        words = words[:-1]
    return " ".join(words)
