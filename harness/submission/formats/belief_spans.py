"""Belief spans: what the outputs of DAMD and of what is built on it have in common.

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

from ...errors import InputError, Problems, shown, unquoted
from ...io.files import kind_of
from ..notations import STATE_DOMAINS, STATE_SLOTS, WRITTEN, Notify
from ..remarks import Remarks
from .format import Standard, in_order

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


RESPONSES = ("resp_gen", "resp")
BELIEFS = ("bspn_gen", "bspn")
ID = "dial_id"
NUMBERS = ("turn_num", "trun_num")
"""The number of a turn; GALAXY's code misspells it where it opens a dialogue."""

_MARKS = (ID, "turn_num", "resp_gen", *BELIEFS)


def has_belief_span(turn: object) -> bool:
    """Return whether a turn is one with a belief span, by its keys."""
    return (
        isinstance(turn, Mapping)
        and any(key in turn for key in RESPONSES)
        and any(key in turn for key in _MARKS)
        and "response" not in turn
        and "state" not in turn
    )


def read_belief_spans(
    dialogues: Mapping[str, Sequence[Any]], name: str, source: str, problems: Problems
) -> Standard:
    """Return turns with belief spans in the standard form.

    Args:
        dialogues: Dialogue id -> lines, turns and what opens a dialogue.
        name: What the format is called.
        source: What messages call the file.
        problems: What is wrong with the file so far.

    Raises:
        InputError: There are problems, some lines are no turns, or their numbers contradict one
            another.
    """
    if problems:
        raise InputError(source, problems)
    reader = _Reader(dialogues)
    read = {id_: reader.dialogue(id_, lines) for id_, lines in dialogues.items()}
    if reader.problems:
        raise InputError(source, reader.problems)
    keys = ", ".join(filter(None, [reader.response_key, reader.belief_key]))
    found = f"{name} ({keys})"
    reader.remarks.add("format", f"read as {found}", warning=False)
    return Standard(read, found, reader.remarks.listed())


class _Reader:
    """Reads one file's turns; keeps what is wrong with them, and what is to be said of them."""

    def __init__(self, dialogues: Mapping[str, Sequence[Any]]) -> None:
        self.problems = Problems()
        self.remarks = Remarks()
        turns = [turn for lines in dialogues.values() for turn in lines if isinstance(turn, dict)]
        generated, given = RESPONSES
        self.response_key = generated if any(generated in turn for turn in turns) else given
        self.belief_key: str | None = self._belief_key(turns)

    def _belief_key(self, turns: Sequence[Mapping[str, Any]]) -> str | None:
        """Return the key of the predicted belief spans; None if there are none."""
        generated, given = BELIEFS
        has_given = any(turn.get(given) for turn in turns)
        if any(turn.get(generated) for turn in turns):
            return generated
        if any(generated in turn for turn in turns):
            self.remarks.add("states", f"every `{generated}` is empty: no states are read")
        elif has_given and self.response_key == RESPONSES[0]:
            self.remarks.add(
                "states",
                f"`{given}` beside `{self.response_key}` is the data set's and not read as "
                f"predicted; if it is the system's, call it `{generated}`",
            )
        elif has_given:
            return given
        return None

    def dialogue(self, id_: str, lines: Sequence[Any]) -> list[dict[str, Any]]:
        """Return a dialogue's turns in order."""
        place = f"dialogue {unquoted(id_)}"
        wrong = [kind_of(line) for line in lines if not isinstance(line, Mapping)]
        if wrong:
            self.problems.add(
                place, f"expected turns, objects with `{RESPONSES[0]}`, found {wrong[0]}"
            )
            return []
        lines = self._without_opening(place, lines)
        ordered = self._in_order(place, lines)
        return [self._turn(f"{place}, turn {number}", turn) for number, turn in enumerate(ordered)]

    def _without_opening(
        self, place: str, lines: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Return the lines without one that only opens the dialogue."""
        if len(lines) < 2 or not _is_empty(lines[0]):
            return lines
        announced = next(_numbers_of(lines[0]), None)
        if announced == 0 or (announced is None and not any(map(_has_number, lines[1:]))):
            return lines
        if announced is not None and announced != len(lines) - 1:
            self.problems.add(
                place, f"its first line announces {announced} turns, and {len(lines) - 1} follow"
            )
        return lines[1:]

    def _in_order(
        self, place: str, lines: Sequence[Mapping[str, Any]]
    ) -> Sequence[Mapping[str, Any]]:
        """Return turns by their numbers, or as they are if they have none."""
        if not any(map(_has_number, lines)):
            return lines
        numbered = [(next(_numbers_of(line), None), line) for line in lines]
        for number, line in numbered:
            if number is None:
                written = shown(line.get(NUMBERS[0]))
                self.problems.add(place, f"`turn_num`: expected a number from 0, found {written}")
                return lines
        known = ((number, line) for number, line in numbered if number is not None)
        return in_order(known, place, self.problems)

    def _turn(self, place: str, turn: Mapping[str, Any]) -> dict[str, Any]:
        response = turn.get(self.response_key)
        if not isinstance(response, str):
            found = kind_of(response) if self.response_key in turn else "none"
            self.problems.add(place, f"`{self.response_key}`: expected a string, found {found}")
            return {}
        read: dict[str, Any] = {"response": without_tokens(response, "r", "resp")}
        belief = None if self.belief_key is None else turn.get(self.belief_key)
        if isinstance(belief, str):
            read["state"] = read_span(belief, lambda said: self._note(place, said))
        elif belief is not None:
            # Some write the state itself; the standard form's checks apply.
            read["state"] = belief
        return read

    def _note(self, place: str, said: str) -> None:
        self.remarks.add("belief span", f"`{self.belief_key}`: {said}", place)


def _is_empty(line: Mapping[str, Any]) -> bool:
    """Return whether a line says nothing but a dialogue's id and a number."""
    return not any(value for key, value in line.items() if key not in (ID, *NUMBERS))


def _has_number(line: Mapping[str, Any]) -> bool:
    return line.get(NUMBERS[0]) not in (None, "")


def _numbers_of(line: Mapping[str, Any]) -> Iterator[int]:
    for key in NUMBERS:
        number = line.get(key)
        if isinstance(number, int) and not isinstance(number, bool) and number >= 0:
            yield number
        elif isinstance(number, str) and number.isascii() and number.isdigit() and len(number) < 9:
            yield int(number)
