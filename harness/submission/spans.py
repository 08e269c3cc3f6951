"""States that are written as text: as JSON, as Python does, or as a belief span of DAMD."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping

from .notations import STATE_DOMAINS, STATE_SLOTS, WRITTEN, Notify

# Slots by words of a span without brackets: what the data set calls slots, but for words that are
# more often part of a value. Any other word of such a span belongs to a value.
_SLOT_WORDS = STATE_SLOTS - {
    *("addr", "booked", "choice", "depart", "dest", "fee", "open", "openhours", "post", "ref"),
    "ticket",
}
_TWO_WORDS = {
    ("price", "range"): "pricerange",
    ("entrance", "fee"): "entrancefee",
    ("leave", "at"): "leave",
    ("arrive", "by"): "arrive",
    ("book", "day"): "bookday",
    ("book", "people"): "bookpeople",
    ("book", "stay"): "bookstay",
    ("book", "time"): "booktime",
    ("car", "type"): "car",
    ("train", "id"): "trainid",
}

_NO_SLOT = {("people", "'s"), ("a", "time"), ("food", "takeaway")}
"""Neighbours that tell a word of a venue's name from a slot: "people 's portraits exhibition",
"whale of a time", "chinese food takeaway". DAMD's own code knows the first only."""

_SPECIAL = re.compile(r"<(?:sos|bos|go|eos)_\w{1,10}>|<pad>|</?s>|<\|endoftext\|>")
_BEGIN, _END = re.compile(r"<(?:sos|bos|go)_(\w{1,10})>"), re.compile(r"<eos_(\w{1,10})>")
_TOKEN = re.compile(r"\[[^\[\]]*\]|[^\s\[\]]+")
_VALUE = "value_"


def without_tokens(text: str, *parts: str) -> str:
    """Return what a decoded text says, without its special tokens.

    Args:
        text: A text; most have no special tokens, and stay as they are.
        parts: What the tokens of this kind of text call it: `<sos_r>` and `<bos_resp>` begin a
            response, the first `<eos_r>` or `<eos_resp>` after that ends it.
    """
    if "<" not in text:
        return text
    begin = next((m for m in _BEGIN.finditer(text) if m[1] in parts), None)
    if begin is not None:
        text = text[begin.end() :]
    end = next((m for m in _END.finditer(text) if m[1] in parts), None)
    if end is not None:
        text = text[: end.start()]
    kept = _SPECIAL.sub(" ", text)
    return " ".join(kept.split()) if begin or end or kept != text else text


def read_span(text: str, note: Callable[[str], None]) -> Mapping[str, Mapping[str, str]]:
    """Return the belief state that a span writes, domain -> slot -> value.

    A slot that is there twice has the later value. What is no domain and no slot is left out, and
    so is a slot without a value, which says nothing.

    Args:
        text: The span.
        note: Called with what is left out and said something.
    """
    state: dict[str, dict[str, str]] = {}
    domain: str | None = None
    for slot, value in _pairs(_TOKEN.findall(without_tokens(text, "b", "belief"))):
        if slot is None:
            domain = value if value in STATE_DOMAINS else None
            if domain is None:
                note(f"`[{value}]` is no domain; it is left out")
        elif domain is None:
            note(f"`{slot}` belongs to no domain; it is left out")
        elif slot not in STATE_SLOTS:
            note(f"`[{slot}]` is no slot; it is left out")
        elif value:
            state.setdefault(domain, {})[slot] = value
    return state


_LITERAL = re.compile(r"\s*[{\[]")
_SPAN = re.compile(r"(?:\s*<\w+>)*\s*\[(\w+)\]")
_LONGEST = 20_000
"""Characters of a state that is written as text."""


def as_state(state: object, note: Notify) -> object:
    """Return a state, and of a text the one that it writes: as JSON, as Python does, as a span.

    Args:
        state: What a file holds.
        note: Called with `WRITTEN` of a text, and with what is left out of a span.

    Returns:
        The state, in any notation; a text that writes none as it is.
    """
    if not isinstance(state, str) or len(state) > _LONGEST:
        return state
    read = _parsed_text(state, lambda said: note("", said))
    if read is not state:
        note("", WRITTEN)
    return read


def _parsed_text(text: str, note: Callable[[str], None]) -> object:
    if _LITERAL.match(text):
        for read in (json.loads, ast.literal_eval):
            try:
                with warnings.catch_warnings():
                    # Python tells of escapes that it does not know.
                    warnings.simplefilter("ignore")
                    found = read(text)
            except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                continue
            if isinstance(found, dict | list):
                return found
    if not text.strip():
        return {}
    match = _SPAN.match(text)
    return read_span(text, note) if match and match[1].lower() in STATE_DOMAINS else text


def _pairs(tokens: list[str]) -> Iterator[tuple[str | None, str]]:
    """Yield slot and value, or None and a domain, in order."""
    in_brackets = any(_is_bracketed_slot(token) for token in tokens)
    slot: str | None = None
    value: list[str] = []
    position = 0
    while position < len(tokens):
        token = tokens[position]
        name, length = _bracketed(token), 1
        opened = None
        if name is None and not in_brackets:
            opened, length = _slot_in_words(tokens, position, slot is not None)
        elif name is not None and _is_bracketed_slot(token):
            opened = _slot_name(name)
        if opened is not None or name is not None:
            if slot is not None:
                yield slot, _span_value(value)
            slot, value = opened, []
            if opened is None and name is not None and not name.startswith("db_"):
                yield None, name
        else:
            value.append(token)
        position += length
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
    if (word, following) in _TWO_WORDS:
        return _TWO_WORDS[word, following], 2
    if word not in _SLOT_WORDS:
        return None, 1
    in_value = in_slot and ((word, following) in _NO_SLOT or (before, word) in _NO_SLOT)
    return (None if in_value else word), 1


def _span_value(words: list[str]) -> str:
    """Return a value; PPTOD's data writes `area is north , stars is 4` as well."""
    if words and words[0] == "is":
        words = words[1:]
    while words and words[-1] == ",":
        words = words[:-1]
    return " ".join(words)
