"""Belief spans, and the outputs of DAMD and of what is built on it, which write states so.

- A belief span writes a state in words: `[hotel] area north stars 4`, or slots in brackets too.
- The response is `resp_gen`, the belief span `bspn_gen`. `resp` and `bspn` beside them are the
  data set's; only where nothing is called `…_gen` are they the system's.
- `turn_num` counts a dialogue's turns from 0. The line that may open a dialogue has empty fields,
  and as `turn_num` the number of turns that follow; it is no turn.
"""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...errors import unquoted
from ..notations import STATE_DOMAINS, STATE_SLOTS, WRITTEN, Notify
from ..remarks import Remarks
from .arrangements import Arrangement, raw_turns
from .format import RESPONSE, STATE, Format, Standard

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
                yield slot, _value(value)
            slot, value = opened, []
            if opened is None and name is not None and not name.startswith("db_"):
                yield None, name
        else:
            value.append(token)
        position += length
    if slot is not None:
        yield slot, _value(value)


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


def _value(words: list[str]) -> str:
    """Return a value; PPTOD's data writes `area is north , stars is 4` as well."""
    if words and words[0] == "is":
        words = words[1:]
    while words and words[-1] == ",":
        words = words[:-1]
    return " ".join(words)


_ID = "dial_id"
_NUMBER = "turn_num"
_RESPONSES = ("resp_gen", "resp")
_BELIEFS = ("bspn_gen", "bspn")
_MARKS = (_ID, _NUMBER, _RESPONSES[0], *_BELIEFS)


def _recognises(content: object) -> bool:
    for turn in raw_turns(content) if isinstance(content, list | Mapping) else ():
        # The first turn that has a response decides.
        if isinstance(turn, Mapping):
            if RESPONSE in turn or STATE in turn:
                return False
            if any(key in turn for key in _RESPONSES) and any(key in turn for key in _MARKS):
                return True
    return False


def _read(content: object, source: str) -> Standard:
    arrangement = Arrangement(source, numberings=((0, 1),))
    dialogues = arrangement.dialogues(content)
    remarks = arrangement.remarks
    turns = [turn for one in dialogues.values() for turn in one if isinstance(turn, Mapping)]
    generated, given = _RESPONSES
    response_key = generated if any(generated in turn for turn in turns) else given
    belief_key = _belief_key(turns, response_key, remarks)

    def read_turn(place: str, turn: Any) -> Any:
        if not isinstance(turn, Mapping):
            return turn
        response = turn.get(response_key)
        if isinstance(response, str):
            response = without_tokens(response, "r", "resp")
        read = {RESPONSE: response}
        belief = turn.get(belief_key)
        if isinstance(belief, str):
            belief = read_span(belief, lambda said: note(place, said))
        # Some write the state itself; the standard form's checks apply.
        return read if belief is None else {**read, STATE: belief}

    def note(place: str, said: str) -> None:
        remarks.add("belief span", f"`{belief_key}`: {said}", place)

    read = {
        id_: [read_turn(f"dialogue {unquoted(id_)}, turn {n}", turn) for n, turn in enumerate(one)]
        for id_, one in dialogues.items()
    }
    keys = ", ".join(filter(None, [response_key, belief_key]))
    name = f"{FORMAT.name} ({keys})"
    remarks.add("format", f"read as {name}", warning=False)
    return Standard(read, name, remarks.listed())


def _belief_key(
    turns: Sequence[Mapping[str, Any]], response_key: str, remarks: Remarks
) -> str | None:
    """Return the key of the predicted belief spans; None if there are none."""
    generated, given = _BELIEFS
    if any(turn.get(generated) for turn in turns):
        return generated
    if any(generated in turn for turn in turns):
        remarks.add("states", f"every `{generated}` is empty: no states are read")
    elif any(turn.get(given) for turn in turns):
        if response_key != _RESPONSES[0]:
            return given
        remarks.add(
            "states",
            f"`{given}` beside `{response_key}` is the data set's and not read as predicted; if it "
            f"is the system's, call it `{generated}`",
        )
    return None


FORMAT = Format(
    name="belief spans",
    description="Turns with `resp_gen` (or `resp`) and `bspn_gen` (or `bspn`), as a list with "
    "`dial_id` and `turn_num`, as a table, or by dialogue: the outputs of DAMD, UBAR, PPTOD, "
    "GALAXY, MTTOD, RSTOD, Mars, KRLS and what is built on them.",
    recognises=_recognises,
    read=_read,
)
