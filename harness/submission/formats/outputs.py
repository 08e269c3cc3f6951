"""Outputs as people hold them: lists, lines, tables and conversations.

Which keys mean what is one table, `KEYS`. How dialogues, turns and what is said may be arranged is
gone through from the outside in, so that any arrangements may come together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from ...errors import InputError, Problems, unquoted
from ...io.files import kind_of
from ..notations import is_metadata
from ..remarks import Remarks
from .format import ACTIVE_DOMAINS, RESPONSE, STATE, USER, Format, Rows, Standard, in_order

KEYS: Mapping[str, Sequence[str]] = {
    "wrapper": ("results", "predictions", "outputs", "dialogues", "dialogs", "generations", "data"),
    "id": ("dialogueid", "dialogid", "dialid", "conversationid", "dialogue", "dialog", "id"),
    "turns": (
        *("turns", "log", "messages", "dialogue", "dialog", "conversation", "conversations"),
        *("utterances", "responses", "response"),
    ),
    "number": ("turn", "turnid", "turnnum", "turnidx", "turnindex", "turnnumber", "turnno"),
    "speaker": ("speaker", "role", "from"),
    "text": ("response", "content", "text", "utterance", "value"),
    RESPONSE: ("response",),
    STATE: ("state", "states"),
    ACTIVE_DOMAINS: ("activedomains",),
}
"""What a key stands for -> the keys that do, in lower case without underscores and the like; the
first that is there counts."""

_METADATA = "metadata"
"""Where MultiWOZ's own `log` has the state of a system turn."""

_SYSTEM = ("assistant", "bot", "agent", "gpt", "model", "sys", "system")
"""Who responds: the first of these that speaks in a file, for `system` may be what prompts it."""

_USER = ("user", "usr", "human", "customer")
_SPEAKERS = frozenset({*_SYSTEM, *_USER, "tool", "function", "developer"})
_CALLS = ("tool_calls", "function_call")
_SAID = re.compile(rf"\s*({'|'.join((*_SYSTEM, *_USER))})\s*:\s*(.*)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"[^0-9]{0,20}([0-9]{1,6})(?:\.0)?")
_TURN_ID = re.compile(r"(.+?)[-_](?:turn[-_]?)?([0-9]{1,4})")

_NUMBERINGS = ((0, 1), (1, 1), (1, 2), (0, 2), (2, 2))
"""The number of a dialogue's first turn, and the step: 2 where the user's turns are counted too."""

_Numbered: TypeAlias = "list[tuple[int | None, Any]]"
"""A dialogue's turns, each with its number if it has one."""


@lru_cache(maxsize=1 << 12)
def _plain(key: object) -> str:
    return re.sub(r"[\W_]", "", str(key)[:100].lower())


def key_of(item: object, role: str, *kinds: type) -> Any:
    """Return the key of an object that stands for something, as `KEYS` says.

    Args:
        item: An object, or anything else.
        role: What the key is to stand for.
        kinds: The types that its value may have; any where there are none.

    Returns:
        The key; None if there is none.
    """
    if not isinstance(item, Mapping):
        return None
    there = {_plain(key): key for key, value in item.items() if isinstance(value, kinds or object)}
    return next((there[name] for name in KEYS[role] if name in there), None)


def _unwrapped(content: object) -> tuple[Any, object]:
    """Return what stands below a key such as `results`, and the key; or all of it, and None."""
    if isinstance(content, Mapping) and content and all(map(_TURN_ID.fullmatch, map(str, content))):
        # Turn by turn, each with an id of its own.
        turns = [{RESPONSE: t} if isinstance(t, str) else t for t in content.values()]
        if all(isinstance(turn, Mapping) and RESPONSE in turn for turn in turns):
            return [{"id": id_, **turn} for id_, turn in zip(content, turns, strict=True)], None
    if key_of(content, "id", str) is not None and key_of(content, "turns", list) is not None:
        # A file of one dialogue.
        return [content], None
    key = key_of(content, "wrapper", dict, list)
    if key is None or not isinstance(content, Mapping):
        return content, None
    # If this is a dialogue's id, there are others.
    others = any(_numbered(one) for name, one in content.items() if name != key)
    if others:
        return content, None
    inside, below = _unwrapped(content[key]) if isinstance(content[key], dict) else (None, None)
    return (content[key], key) if below is None else (inside, f"{key}, {below}")


def _numbered(dialogue: object) -> _Numbered:
    """Return the turns of a dialogue however it holds them; none of anything else."""
    if isinstance(dialogue, list):
        return [(None, _logged(turn, at)) for at, turn in enumerate(dialogue)]
    if not isinstance(dialogue, Mapping):
        return []
    key = key_of(dialogue, "turns", dict, list)
    if key is None:
        return _by_number(dialogue)
    turns = dialogue[key]
    columns = {RESPONSE: turns}
    for field in (STATE, ACTIVE_DOMAINS):
        column = key_of(dialogue, field, list)
        if column is not None and len(dialogue[column]) == len(turns):
            columns[field] = dialogue[column]
    if isinstance(turns, list) and len(columns) > 1 and all(isinstance(t, str) for t in turns):
        rows = zip(*columns.values(), strict=True)
        return [(None, dict(zip(columns, row, strict=True))) for row in rows]
    # Not below a second such key: nothing is nested without end.
    return _numbered(turns) if isinstance(turns, list) else _by_number(turns)


def _logged(turn: Any, at: int) -> Any:
    """Return a turn, and one of MultiWOZ's own `log` with who speaks: the user's have no state."""
    if not isinstance(turn, Mapping) or not turn.keys() >= {"text", _METADATA}:
        return turn
    return {"speaker": "system" if turn[_METADATA] or at % 2 else "user", **turn}


def _by_number(turns: Mapping[Any, Any]) -> _Numbered:
    """Return the turns of an object whose keys are their numbers; none of any other."""
    numbers = {name: _NUMBER.fullmatch(str(name)) for name in turns}
    if not all(numbers.values()):
        return []
    return [(int(found[1]), turns[name]) for name, found in numbers.items() if found]


def _speaker(turn: object) -> str | None:
    """Return who speaks in a turn, if it says so."""
    key = key_of(turn, "speaker", str)
    who = turn[key].strip().lower() if key is not None and isinstance(turn, Mapping) else None
    return who if who in _SPEAKERS else None


def _is_rearranged(dialogue: object) -> bool:
    """Return whether this is a dialogue, and its turns are not as in the standard form."""
    for _, turn in _numbered(dialogue)[:1]:
        if isinstance(dialogue, Mapping) and key_of(turn, RESPONSE) is not None:
            return True
        return isinstance(turn, str) or _speaker(turn) is not None
    return False


def _items(content: Iterable[Any]) -> Iterator[Any]:
    for one in content:
        if isinstance(one, list):
            yield from one
        else:
            yield one


def _recognises(content: object) -> bool:
    inside, key = _unwrapped(content)
    if isinstance(inside, Mapping):
        if key is not None:
            return any(map(_numbered, inside.values()))
        return any(map(_is_rearranged, inside.values()))
    return isinstance(inside, list) and any(
        key_of(item, "id", str, int) is not None or _by_id(item) for item in _items(inside)
    )


def _by_id(item: object) -> bool:
    """Return whether an item of a list is itself dialogue id -> turns."""
    if not isinstance(item, Mapping) or not item or key_of(item, "turns") is not None:
        return False
    return all(_numbered(one) and isinstance(one, list | dict) for one in item.values())


def _read(content: object, source: str) -> Standard:
    inside, key = _unwrapped(content)
    reader = _Reader()
    if key is not None:
        reader.remarks.add("format", f"what is read is in `{unquoted(key)}`", warning=False)
    numbered = reader.by_dialogue(inside)
    if reader.problems:
        raise InputError(source, reader.problems)
    dialogues = reader.dialogues(numbered)
    if reader.problems:
        raise InputError(source, reader.problems)
    keys = f" ({', '.join(map(unquoted, reader.keys))})" if reader.keys else ""
    kind = f"{content.kind}, " if isinstance(content, Rows) else ""
    found = f"{kind}{reader.arrangement}{keys}"
    reader.remarks.add("format", f"read as {found}", warning=False)
    return Standard(dialogues, found, reader.remarks.listed())


class _Reader:
    """Reads one file; keeps what is wrong with it, and what is to be said of it."""

    def __init__(self) -> None:
        self.problems = Problems()
        self.remarks = Remarks()
        self.arrangement = "turns by dialogue"
        self.keys: dict[str, None] = {}
        self._system: str | None = None

    def by_dialogue(self, content: object) -> dict[str, _Numbered]:
        """Return dialogue id -> turns, yet to be put in order."""
        if isinstance(content, Mapping):
            found: dict[str, _Numbered] = {}
            for id_, dialogue in content.items():
                self._add(found, str(id_), dialogue)
            return found
        found = {}
        rows: dict[str, _Numbered] = {}
        for number, item in enumerate(_items(content if isinstance(content, list) else [content])):
            id_key = key_of(item, "id", str, int)
            if id_key is not None:
                self.keys[str(id_key)] = None
                id_ = str(item[id_key])
                if key_of(item, "turns", dict, list) is None:
                    rows.setdefault(id_, []).append(self._row(item, id_key))
                else:
                    self._add(found, id_, {k: v for k, v in item.items() if k != id_key})
            elif _by_id(item):
                for id_, dialogue in item.items():
                    self._add(found, str(id_), dialogue)
            else:
                keys = f" (`{next(iter(self.keys))}`)" if self.keys else ""
                wanted = f"expected an object with the dialogue's id{keys}; leave it out"
                self.problems.add(f"item {number}", wanted)
        self.arrangement = "list of dialogues" if found else "list of turns"
        if found and rows:
            self.problems.add("", "some items are dialogues and others are turns")
        return found or _by_combined_id(rows)

    def _add(self, found: dict[str, _Numbered], id_: str, dialogue: object) -> None:
        place = f"dialogue {unquoted(id_)}"
        if id_ in found:
            self.problems.add(place, "is there twice; keep one")
        turns = _numbered(dialogue)
        key = key_of(dialogue, "turns", dict, list)
        if key is not None:
            self.keys[str(key)] = None
        elif not turns and dialogue != []:
            self.problems.add(place, f"expected a list of turns, found {kind_of(dialogue)}")
        found[id_] = turns

    def _row(self, item: Mapping[Any, Any], id_key: str) -> tuple[int | None, Any]:
        """Return a turn that stands by itself, with its number, and without its id."""
        number = None
        key = key_of(item, "number", int, str, float)
        if key is not None and (match := _NUMBER.fullmatch(str(item[key]))):
            self.keys[str(key)] = None
            number = int(match[1])
        kept = {k: v for k, v in item.items() if k != id_key and (number is None or k != key)}
        return number, kept

    def dialogues(self, numbered: Mapping[str, _Numbered]) -> dict[str, list[Any]]:
        """Return dialogue id -> turns as in the standard form."""
        spoken = {id_: list(map(_split, one)) for id_, one in self._ordered(numbered).items()}
        speakers = Counter(_speaker(turn) for turns in spoken.values() for turn in turns)
        self._system = next((who for who in _SYSTEM if speakers[who]), None)
        if self._system is not None:
            kept = f"what `{self._system}` says are the responses"
            others = [
                f"{n} of {who}" for who, n in speakers.items() if who not in (None, self._system)
            ]
            left = f"; turns left out: {', '.join(others)}" if others else ""
            self.remarks.add("format", f"{kept}{left}", warning=False)
        return {
            id_: [_turn(turn) for turn in self._responses(f"dialogue {unquoted(id_)}", turns)]
            for id_, turns in spoken.items()
        }

    def _ordered(self, numbered: Mapping[str, _Numbered]) -> dict[str, list[Any]]:
        """Return turns by their numbers, or as they are if none has one."""
        numbers = {
            id_: sorted(number for number, _ in turns if number is not None)
            for id_, turns in numbered.items()
        }

        def fitting(numbering: tuple[int, int]) -> int:
            first, step = numbering
            return sum(
                found == list(range(first, first + step * len(found), step))
                for found in numbers.values()
            )

        if not any(numbers.values()):
            return {id_: [turn for _, turn in turns] for id_, turns in numbered.items()}
        first, step = max(_NUMBERINGS, key=fitting)
        ordered = {}
        for id_, turns in numbered.items():
            place = f"dialogue {unquoted(id_)}"
            known = [(number, turn) for number, turn in turns if number is not None]
            if len(known) < len(turns):
                self.problems.add(place, "some of its turns have no number")
            known = _without_opening(known)
            ordered[id_] = in_order(known, place, self.problems, first, step)
        return ordered

    def _responses(self, place: str, turns: Sequence[Any]) -> list[Any]:
        """Return the system's turns; one where it speaks several times to the same user turn."""
        if self._system is None:
            return list(turns)
        before: list[Mapping[str, Any]] = []
        exchanges: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
        for turn in turns:
            who = _speaker(turn)
            if who in _USER:
                exchanges.append((turn, []))
            elif who == self._system and _says(turn):
                (exchanges[-1][1] if exchanges else before).append(turn)
        if not exchanges:
            return [_said(turn) for turn in before]
        if before:
            self.remarks.add("format", "what is said before the user speaks is left out", place)
        if not exchanges[-1][1]:
            exchanges.pop()
        return [
            self._response(f"{place}, turn {number}", *exchange)
            for number, exchange in enumerate(exchanges)
        ]

    def _response(
        self, place: str, user: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what the system says to a user turn; a state may stand at either."""
        if not replies:
            self.problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.remarks.add("format", "several responses in a row are joined", place)
        asked = _said(user)
        read = {field: asked[field] for field in (STATE, ACTIVE_DOMAINS) if field in asked}
        said = [_said(reply) for reply in replies]
        for one in said:
            read.update(one)
        texts = [one[RESPONSE] for one in said]
        if all(isinstance(text, str) for text in texts):
            read[RESPONSE] = " ".join(texts)
        return {USER: asked[RESPONSE], **read}


def _split(turn: object) -> object:
    """Return a turn, and of a text such as `user: hello` who says what."""
    match = _SAID.fullmatch(turn) if isinstance(turn, str) else None
    return turn if match is None else {"speaker": match[1], "text": match[2]}


def _says(turn: Mapping[str, Any]) -> bool:
    """Return whether a system's turn is a response, and not a call of a tool only."""
    text = _said(turn)[RESPONSE]
    return bool(text) or (text is not None and not any(turn.get(call) for call in _CALLS))


def _said(turn: Mapping[str, Any]) -> dict[str, Any]:
    """Return a turn that says who speaks, with what is said as its response."""
    speaker, key = key_of(turn, "speaker"), key_of(turn, "text")
    text = turn.get(key)
    if isinstance(text, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
        text = "".join(part for part in parts if isinstance(part, str))
    left_out = {speaker, key, *_CALLS}
    return {**{k: v for k, v in turn.items() if k not in left_out}, RESPONSE: text}


def _turn(turn: Any) -> Any:
    """Return a turn with the names of the standard form, without the empty cells of a table."""
    if isinstance(turn, str):
        return {RESPONSE: turn}
    if not isinstance(turn, Mapping):
        return turn
    read = dict(turn)
    for field in (RESPONSE, STATE, ACTIVE_DOMAINS):
        key = key_of(read, field)
        if key is not None:
            read[field] = read.pop(key)
    if is_metadata(read.get(_METADATA)):
        read.setdefault(STATE, read.pop(_METADATA))
    for field in (STATE, ACTIVE_DOMAINS):
        if isinstance(read.get(field), str) and not read[field].strip():
            del read[field]
    domains = read.get(ACTIVE_DOMAINS)
    if isinstance(domains, str):
        read[ACTIVE_DOMAINS] = re.findall(r"\w+", domains)
    return read


def _without_opening(turns: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Return numbered turns without a line that only opens a dialogue, as DAMD's outputs have."""
    if len(turns) < 2 or turns[0][0] != len(turns) - 1:
        return turns
    empty = isinstance(turns[0][1], Mapping) and not any(turns[0][1].values())
    return turns[1:] if empty else turns


def _by_combined_id(rows: dict[str, _Numbered]) -> dict[str, _Numbered]:
    """Return turns by dialogue where each has an id of its own, such as `sng0073-2`."""
    found = {id_: _TURN_ID.fullmatch(id_) for id_ in rows}
    alone = all(len(turns) == 1 and turns[0][0] is None for turns in rows.values())
    if not alone or not all(found.values()):
        return rows
    read: dict[str, _Numbered] = {}
    for id_, match in found.items():
        if match is not None:
            read.setdefault(match[1], []).append((int(match[2]), rows[id_][0][1]))
    return read


FORMAT = Format(
    name="other arrangements",
    description="Lists of `{dialogue_id, turns}` or of turns with `dialogue_id` and `turn`, as "
    "JSON, as JSON lines or as a table of comma-, tab- or semicolon-separated values; dialogue id "
    "-> list of responses, or turns by number; conversations with `role` or `speaker`, of which "
    "the system's turns are read; MultiWOZ's own `log` of `text` and `metadata`; all of that also "
    "below `results`, `predictions`, `outputs`, `dialogues` or `data`.",
    recognises=_recognises,
    read=_read,
    rank=50,
)
