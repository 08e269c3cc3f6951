"""Outputs as people hold them: lists, lines, tables and conversations, with keys of many names.

Which keys mean what is one table, `KEYS` (`standard.py`), and which of them hold predictions and
which gold values another, `ROLES` (`roles.py`). How dialogues, turns and what is said may
be arranged is gone through from the outside in, so that any arrangements may come together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from mwz.normalization import plain_slot_name

from ...errors import Findings, counted, refuse, resembling, unquoted
from ...io import kind_of
from ..notations import DOMAINS, STATE_SLOTS, is_state, known_slot_name, slot_of
from .roles import PLURALS, Fields, Role, fields_of, meaning_of, unfolded
from .standard import (
    ACTIVE_DOMAINS,
    GOLD,
    KEYS,
    RESPONSE,
    STATE,
    TURN_KEYS,
    USER,
    Format,
    Keys,
    Standard,
    is_table,
    key_of,
    other_keys,
    plain_key,
    read_table,
)

_METADATA, _FRAMES = "metadata", "frames"
"""Where MultiWOZ's own `log` has the state of a system turn, and MultiWOZ 2.2 that of a user's."""

_ID = re.compile(r"[a-z_-]*(?:sng|mul|wo)[a-z]*[0-9]+(?:\.json)?", re.IGNORECASE)
"""An id of MultiWOZ."""

_BEFORE = "System Response"
"""What SUMBT's table, whose first column is `# Dialogue ID`, has of the turn before the user's."""

_SPLIT = re.compile(r"(?:train|dev|val|valid|validation|test)-")
"""What TripPy puts before a dialogue's id."""

_DEEPEST = 3
"""How many keys such as `results` may stand one below the other."""

_FEWEST_COLUMNS = 2
"""How many lists of a field each, all of the same length, are columns."""

_NUMBER = re.compile(r"[^0-9]{0,20}([0-9]{1,6})(?:\.0)?")
_TURN_ID = re.compile(r"(.+?)[-_](?:turn[-_]?)?([0-9]{1,4})")

_NUMBERINGS = ((0, 1), (1, 1), (1, 2), (0, 2), (2, 2))
"""The number of a dialogue's first turn, and the step: 2 where the user's turns are counted too."""

_SYSTEM = ("assistant", "bot", "agent", "gpt", "model", "sys", "system")
"""Who responds: the first of these that speaks in a file, for `system` may be what prompts it."""

_USER = ("user", "usr", "human", "customer")
_SPEAKERS = frozenset({*_SYSTEM, *_USER, "tool", "function", "developer"})
_CALLS = ("tool_calls", "function_call")

_PAIRS = "gold and prediction pairs"
"""What a file with gold and predicted states is called."""

_Numbered: TypeAlias = "list[tuple[int | None, Any]]"
"""A dialogue's turns, each with its number if it has one."""


# Recognising.


def raw_turns(content: object) -> Iterator[Any]:
    """Yield the turns of predictions in any arrangement, as the file has them."""
    inside, _ = _unwrapped(content, KEYS)
    dialogues = inside.values() if isinstance(inside, Mapping) else _items(inside)
    for one in dialogues:
        numbered = _numbered(one, KEYS)
        yield from (turn for _, turn in numbered)
        if not numbered and not isinstance(inside, Mapping):
            yield one


def _recognises(content: object) -> bool:
    inside, key = _unwrapped(content, KEYS)
    if isinstance(inside, Mapping):
        return any(
            _is_rearranged(one) if key is None else _numbered(one, KEYS) for one in inside.values()
        ) or (bool(inside) and all(map(_is_turn_by_id, inside, inside.values())))
    return isinstance(inside, list) and any(
        key_of(item, KEYS["id"], str, int) is not None for item in _items(inside)
    )


def _is_rearranged(dialogue: object) -> bool:
    """Return whether this is a dialogue, and its turns are not as in the standard form."""
    turns = [turn for _, turn in _numbered(dialogue, KEYS) if turn]
    turn = next(iter(turns), None)
    if isinstance(turn, str) or _speaker(turn) is not None or _is_state(turn):
        return True
    if not isinstance(turn, Mapping):
        return False
    fields = fields_of(turns)
    if not fields.keys:
        return any(map(_column, turn))
    if not isinstance(dialogue, list) or not fields.are_standard:
        return True
    return turn not in dialogue


def _is_state(turn: object) -> bool:
    """Return whether a turn is itself a state, as in trackers' files, of a domain of MultiWOZ."""
    return isinstance(turn, dict | list) and is_state(turn)


def _speaker(turn: Any) -> str | None:
    """Return who speaks in a turn, if it says so."""
    key = key_of(turn, KEYS["speaker"], str)
    who = None if key is None else turn[key].strip().lower()
    return who if who in _SPEAKERS else None


def _items(content: Any) -> Iterator[Any]:
    for one in content if isinstance(content, list) else [content]:
        if isinstance(one, list):
            yield from one
        else:
            yield one


# From the outside in.


def _unwrapped(content: Any, keys: Keys) -> tuple[Any, object]:
    """Return what stands below keys such as `results`, and the keys; or all of it, and None."""
    path: list[str] = []
    while len(path) < _DEEPEST:
        if None not in (key_of(content, keys["turns"], list), key_of(content, keys["id"], str)):
            # A file of one dialogue.
            content = [content]
            break
        key = key_of(content, keys["wrapper"], dict, list)
        if key is None:
            key = _only_filled(content, keys)
        if key is None or (path and not _holds_dialogues(content[key], keys)):
            break
        content = content[key]
        path.append(str(key))
    return _by_rows(_merged(content, keys), keys), ".".join(path) or None


def _only_filled(content: Any, keys: Keys) -> object:
    """Return the key of an object below which alone there are dialogues; None if there is none."""
    if not isinstance(content, Mapping):
        return None
    holding = [
        key
        for key, value in content.items()
        if _holds_dialogues(value, keys) and not _ID.fullmatch(str(key))
    ]
    if len(holding) > 1:
        said = {key: meaning_of(key) or ("plain", "") for key in holding}
        holding = [key for key, (role, _) in said.items() if role == "predicted"]
    return holding[0] if len(holding) == 1 else None


def _holds_dialogues(value: object, keys: Keys) -> bool:
    """Return whether a value is a list of objects with a dialogue's id, or has ids of MultiWOZ."""
    if isinstance(value, list):
        return bool(value) and all(key_of(i, keys["id"], str, int) is not None for i in value)
    return isinstance(value, Mapping) and any(_ID.fullmatch(str(key)) for key in value)


def _merged(content: Any, keys: Keys) -> Any:
    """Return an object of dialogues where a list has an object for each, of its id alone."""
    if not isinstance(content, list) or not content:
        return content
    alone = all(isinstance(item, Mapping) and len(item) == 1 for item in content)
    if not alone or any(key_of(item, keys["id"]) is not None for item in content):
        return content
    merged = {id_: dialogue for item in content for id_, dialogue in item.items()}
    return merged if len(merged) == len(content) else content


def _by_rows(content: Any, keys: Keys) -> Any:
    """Return dialogues with a list of turns where they have a list per field, as columns."""
    if isinstance(content, Mapping):
        rows = _rows([*content.values()], keys)
        return content if rows is None else dict(zip(content, rows, strict=True))
    if isinstance(content, list):
        return _rows(content, keys) or content
    return content


def _rows(dialogues: Sequence[Any], keys: Keys) -> list[Any] | None:
    """Return dialogues with lists of turns for columns; None if they have no columns."""
    first = next(iter(dialogues), None)
    inner = key_of(first, keys["turns"], dict)
    if inner is not None and all(isinstance(d, Mapping) and inner in d for d in dialogues):
        rows = _rows([dialogue[inner] for dialogue in dialogues], {**keys, "turns": ()})
        if rows is None:
            return None
        return [{**d, inner: turns} for d, turns in zip(dialogues, rows, strict=True)]
    if not isinstance(first, Mapping) or not all(isinstance(d, Mapping) for d in dialogues):
        return None
    columns = _columns(dialogues)
    if sum(meaning_of(key) is not None for key in columns) < _FEWEST_COLUMNS:
        return None
    read = []
    for dialogue in dialogues:
        lists = [dialogue[key] for key in columns]
        turns = [dict(zip(columns, values, strict=True)) for values in zip(*lists, strict=True)]
        others = {key: value for key, value in dialogue.items() if key not in columns}
        has_id = key_of(others, keys["id"], str, int) is not None
        read.append({**others, "turns": turns} if has_id else turns)
    return read


def _columns(dialogues: Sequence[Mapping[Any, Any]]) -> list[Any]:
    """Return the keys that have a list in all dialogues, as long as those of most such keys."""
    in_all = [key for key in dialogues[0] if all(isinstance(d.get(key), list) for d in dialogues)]
    by_lengths: dict[tuple[int, ...], list[Any]] = {}
    for key in in_all:
        by_lengths.setdefault(tuple(len(d[key]) for d in dialogues), []).append(key)
    return max(by_lengths.values(), key=len, default=[])


def _numbered(dialogue: object, keys: Keys) -> _Numbered:
    """Return the turns of a dialogue however it holds them; none of anything else."""
    if isinstance(dialogue, list):
        return [(None, _plain_turn(turn, at)) for at, turn in enumerate(dialogue)]
    if not isinstance(dialogue, Mapping):
        return []
    key = key_of(dialogue, keys["turns"], dict, list)
    turns = dialogue if key is None else dialogue[key]
    # Not below a second such key: nothing is nested without end.
    return _numbered(turns, keys) if isinstance(turns, list) else _by_number(turns)


def _plain_turn(turn: Any, at: int = 0) -> Any:
    """Return a turn without objects of fields in it, and with who speaks.

    In MultiWOZ's own `log`, the user's turns have no state; Hugging Face's columns number the
    speakers; a system's turn of MultiWOZ 2.2 has frames without a state.
    """
    if not isinstance(turn, Mapping):
        return turn
    turn = unfolded(turn)
    if turn.keys() >= {"text", _METADATA}:
        turn = {"speaker": "system" if turn[_METADATA] or at % 2 else "user", **turn}
    numbers = [key for key, value in turn.items() if value.__class__ is int]
    for key in numbers:
        if plain_key(key) in KEYS["speaker"] and turn[key] in (0, 1):
            turn = {**turn, key: "system" if turn[key] else "user"}
    if _FRAMES in turn and _speaker(turn) in _SYSTEM:
        turn = {key: value for key, value in turn.items() if key != _FRAMES}
    return turn


def _by_number(turns: Mapping[Any, Any]) -> _Numbered:
    """Return the turns of an object whose keys are their numbers; none of any other."""
    matches = [_NUMBER.fullmatch(str(name)) for name in turns]
    numbers = [int(match[1]) for match in matches if match is not None]
    plain = [*map(_plain_turn, turns.values())]
    return [*zip(numbers, plain, strict=True)] if len(numbers) == len(turns) else []


class Arrangement:
    """Reads the dialogues of one file; keeps what is wrong with them and what there is to say.

    Args:
        source: What messages call the file.
        named: What a key stands for -> the key, of those that are not looked for in `KEYS`.
    """

    def __init__(self, source: str, named: Mapping[str, str] | None = None) -> None:
        self._remarks = Findings()
        self._source = source
        self._named = named or {}
        first = {role: (plain_key(key),) for role, key in self._named.items()}
        self._keys = {role: (*first.get(role, ()), *names) for role, names in KEYS.items()}
        self._problems = Findings()
        self._name = "turns by dialogue"
        # The keys that say what is a dialogue, a turn or its number.
        self._outer: dict[str, None] = {}
        self._fields: dict[str, str] = {}

    def note(self, message: str, place: str = "", warning: bool = False) -> None:
        """Remark how the file is read."""
        self._remarks.add(place, message, "format", warning)

    def dialogues(self, content: object) -> dict[str, list[Any]]:
        """Return dialogue id -> turns in order, each as the file has it.

        Raises:
            InputError: Dialogues or the numbers of turns contradict one another.
        """
        inside, key = _unwrapped(content, self._keys)
        if key is not None:
            self.note(f"what is read is in `{unquoted(key)}`")
        ordered = self._ordered(self._by_dialogue(inside))
        refuse(self._source, self._problems)
        return ordered

    def _by_dialogue(self, content: object) -> dict[str, _Numbered]:
        """Return dialogue id -> turns, yet to be put in order."""
        dialogues: dict[str, _Numbered] = {}
        rows: dict[str, _Numbered] = {}
        if isinstance(content, Mapping):
            if all(map(_are_sides, content, content.values())):
                content = {id_: {"predicted": p, "gold": g} for id_, (p, g) in content.items()}
            if all(map(_is_turn_by_id, content, content.values())):
                return _by_combined_id({id_: [(None, turn)] for id_, turn in content.items()})
            for id_, dialogue in content.items():
                self._add(dialogues, str(id_), dialogue)
            return dialogues
        for number, item in enumerate(_items(content)):
            id_key = key_of(item, self._keys["id"], str, int)
            if id_key is not None:
                self._outer[str(id_key)] = None
                left_out = {id_key, _BEFORE} if str(id_key).startswith("#") else {id_key}
                inside = {key: value for key, value in item.items() if key not in left_out}
                if self._is_row(inside):
                    rows.setdefault(str(item[id_key]), []).append(self._row(inside))
                else:
                    self._add(dialogues, str(item[id_key]), inside)
            else:
                keys = f" (`{next(iter(self._outer))}`)" if self._outer else ""
                wanted = f"expected an object with the dialogue's id{keys}; leave it out"
                self._problems.add(f"item {number}", wanted)
        self._name = "list of dialogues" if dialogues else "list of turns"
        if dialogues and rows:
            self._problems.add("", "some items are dialogues and others are turns")
        return dialogues or _by_combined_id(rows)

    def _add(self, dialogues: dict[str, _Numbered], id_: str, dialogue: object) -> None:
        place = f"dialogue {unquoted(id_)}"
        if id_ in dialogues:
            self._problems.add(place, "is there twice; keep one")
        dialogues[id_] = _numbered(dialogue, self._keys)
        key = key_of(dialogue, self._keys["turns"], dict, list)
        if key is not None:
            self._outer[str(key)] = None
            self._note_unread(dialogue, key)
        elif not dialogues[id_] and dialogue != []:
            wanted = f"expected a list of turns, found {kind_of(dialogue)}"
            self._problems.add(place, f"{wanted}{other_keys(dialogue)}")

    def _note_unread(self, dialogue: object, turns_key: object) -> None:
        """Warn of belief states beside a dialogue's turns, which no turn has."""
        for key, value in dialogue.items() if isinstance(dialogue, Mapping) else ():
            said = meaning_of(key)
            names_state = said is not None and said[1] in self._keys[STATE]
            if key != turns_key and names_state and isinstance(value, dict | list) and value:
                self.note(
                    f"`{unquoted(key)}` of dialogues is not read; give a state in every turn",
                    warning=True,
                )

    def _is_row(self, item: Mapping[Any, Any]) -> bool:
        """Return whether an item of a list is a turn: has a number, or no turns of its own."""
        if key_of(item, self._keys["turns"], dict, list) is None:
            return True
        has_number = key_of(item, self._keys["number"], str, int, float) is not None
        return has_number and bool(fields_of([unfolded(item)]).keys)

    def _row(self, item: Mapping[Any, Any]) -> tuple[int | None, Any]:
        """Return a turn that stands by itself, with its number."""
        item = _plain_turn(item)
        for key in (key for name in self._keys["number"] for key in item if plain_key(key) == name):
            match = _NUMBER.fullmatch(str(item[key]))
            if match is not None and isinstance(item[key], int | str | float):
                self._outer[str(key)] = None
                return int(match[1]), {k: value for k, value in item.items() if k != key}
        return None, item

    def _ordered(self, numbered: Mapping[str, _Numbered]) -> dict[str, list[Any]]:
        """Return turns by their numbers, or as they are if none has one."""
        numbers = [{number for number, _ in turns} for turns in numbered.values()]
        if all(of_dialogue <= {None} for of_dialogue in numbers):
            return {id_: [turn for _, turn in turns] for id_, turns in numbered.items()}
        numbering = min(_NUMBERINGS, key=lambda one: sum(_misfits(one, each) for each in numbers))
        return {id_: self._in_order(id_, turns, numbering) for id_, turns in numbered.items()}

    def _in_order(self, id_: str, turns: _Numbered, numbering: tuple[int, int]) -> list[Any]:
        """Return numbered turns in order, of which none may be missing or there twice."""
        place = f"dialogue {unquoted(id_)}"
        turns = _without_opening(turns)
        by_number = {number: turn for number, turn in turns if number is not None}
        if not by_number:
            return []
        if any(number is None for number, _ in turns):
            self._problems.add(place, "some of its turns have no number")
            return []
        for number, count in Counter(number for number, _ in turns).items():
            if count > 1:
                self._problems.add(place, f"turn {number} is there twice")
        expected = _range(numbering, by_number)
        first, step = numbering
        counting = f"turns are numbered from {first}{f' in steps of {step}' * (step > 1)}"
        missing = next((number for number in expected if number not in by_number), None)
        other = next((number for number in sorted(by_number) if number not in expected), None)
        if missing is not None:
            self._problems.add(place, f"turn {missing} is missing; {counting}")
        elif other is not None:
            self._problems.add(place, f"turn {other} is none of its turns; {counting}")
        return [by_number.get(number) for number in expected]

    def _responses(self, dialogues: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        """Return the system's turns of conversations; all turns where none says who speaks."""
        speakers = Counter(_speaker(turn) for turns in dialogues.values() for turn in turns)
        system = next((who for who in _SYSTEM if speakers[who]), None)
        if system is None and not any(speakers[who] for who in _USER):
            return dialogues
        if system is None:
            self.note("only the user speaks: nothing is a response", warning=True)
            return {id_: [*map(self._asked, turns)] for id_, turns in dialogues.items()}
        every = [turn for turns in dialogues.values() for turn in turns]
        fields = fields_of([turn for turn in every if _speaker(turn) == system], self._named)
        others = [f"{n} of {who}" for who, n in speakers.items() if who not in (None, system)]
        left_out = f"; turns left out: {', '.join(others)}" * bool(others)
        self.note(f"what `{system}` says are the responses{left_out}")
        self._fields[RESPONSE] = f"what `{system}` says"
        return {
            id_: self._responses_of(f"dialogue {unquoted(id_)}", turns, system, fields)
            for id_, turns in dialogues.items()
        }

    def _responses_of(
        self, place: str, turns: Sequence[Any], system: str, fields: Fields
    ) -> list[Any]:
        """Return the system's turns; one where it speaks several times to the same user turn.

        Args:
            place: What messages call the dialogue.
            turns: Its turns.
            system: Who responds.
            fields: Which keys of the turns in which the system speaks hold what.
        """
        exchanges: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = [({}, [])]
        for turn in turns:
            who = _speaker(turn)
            if who in _USER:
                exchanges.append((self._utterance(turn), []))
            elif who == system:
                reply = self._utterance(turn, fields)
                # A call of a tool is no response.
                is_call = any(turn.get(call) for call in _CALLS)
                has_text = reply[RESPONSE] or (reply[RESPONSE] is not None and not is_call)
                if has_text or turn.get(fields.predicted.get(STATE)) is not None:
                    exchanges[-1][1].append(reply)
        (_, before), *exchanges = exchanges
        if not exchanges:
            return before
        if before:
            self.note("what is said before the user speaks is left out", place, warning=True)
        if not exchanges[-1][1]:
            exchanges.pop()
        return [
            self._response(f"{place}, turn {number}", *exchange)
            for number, exchange in enumerate(exchanges)
        ]

    def _by_column(self, dialogues: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        """Return turns with a state each where all have a key per slot, as rows of a table do."""
        every = [turn for turns in dialogues.values() for turn in turns]
        first = every[0] if every and isinstance(every[0], Mapping) else {}
        columns = {key: _column(key) for key in first}
        slots = {key: column for key, column in columns.items() if column is not None}
        in_all = all(isinstance(turn, Mapping) and turn.keys() >= slots.keys() for turn in every)
        if not (slots and in_all) or STATE in fields_of([first], self._named).predicted:
            return dialogues
        # In the file's order, so that messages have the same order every time.
        roles = dict.fromkeys(role for role, _ in slots.values())
        # Other keys that look like a slot's are one misspelt, but where those of slots say more.
        for key in first.keys() - slots.keys() if {*roles} == {"plain"} else ():
            domain, _ = slot_of(key) or ("", "")
            close = resembling(key, [f"{one}-{slot}" for one in DOMAINS for slot in STATE_SLOTS])
            if domain and (close or domain.lower() in DOMAINS):
                problem = f"no slot of MultiWOZ{close}; rename it or leave it out"
                self._problems.add(unquoted(key), problem)
        predicted: Role = "predicted" if "predicted" in roles else "plain"
        fields = {role: STATE if role == predicted else GOLD for role in roles}
        for role, field in fields.items():
            names = [key for key, (said, _) in slots.items() if said == role]
            told = f"{counted(len(names), 'slot')} such as `{unquoted(names[0])}`"
            self.note(f"read {told} as `{field}`")
            self._fields[field] = told

        def gathered(turn: Mapping[Any, Any]) -> dict[Any, Any]:
            read = {key: value for key, value in turn.items() if key not in slots}
            read.update((field, {}) for field in fields.values())
            for key, (role, slot) in slots.items():
                # Empty cells are no value.
                if turn[key] not in ("", None):
                    read[fields[role]][slot] = turn[key]
            return read

        return {id_: [*map(gathered, turns)] for id_, turns in dialogues.items()}

    def _response(
        self, place: str, user: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what the system says to a user turn; a state may stand at either."""
        if not replies:
            self._problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.note("several responses in a row are joined", place, warning=True)
        of_states = {*self._keys[STATE], *self._keys[ACTIVE_DOMAINS], ""}
        read = {key: value for key, value in user.items() if _names(key, of_states)}
        for reply in replies:
            read.update(reply)
        texts = [reply[RESPONSE] for reply in replies]
        if all(isinstance(text, str) for text in texts):
            read[RESPONSE] = " ".join(texts)
        elif not any(texts):
            del read[RESPONSE]
        return {USER: user[RESPONSE], **read}

    def _utterance(self, turn: Mapping[str, Any], fields: Fields | None = None) -> dict[str, Any]:
        """Return a turn with a speaker, its utterance as the response.

        Where no key is one of a conversation, that of the response in `fields` counts.
        """
        named = self._keys[RESPONSE][: RESPONSE in self._named]
        who, key = key_of(turn, KEYS["speaker"]), key_of(turn, (*named, *KEYS["text"]))
        gold = None
        if key is None and fields is not None:
            key, gold = fields.predicted.get(RESPONSE), fields.gold.get(RESPONSE)
        text = turn.get(key)
        if isinstance(text, list):
            parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
            text = "".join(part for part in parts if isinstance(part, str))
        left_out = {who, key, gold, *_CALLS}
        return {**{k: v for k, v in turn.items() if k not in left_out}, RESPONSE: text}

    def _asked(self, turn: Any) -> Any:
        """Return a turn of the user, with what is said by the key of what the user says."""
        if _speaker(turn) is None:
            return turn
        read = self._utterance(turn)
        return {USER: read[RESPONSE], **{k: v for k, v in read.items() if k != RESPONSE}}

    def standard(
        self, dialogues: Mapping[str, Any], name: str = "", fields: Mapping[str, str] | None = None
    ) -> Standard:
        """Return what was read as a name, by default that of its arrangement, with the remarks.

        Args:
            dialogues: Dialogue id -> turns.
            name: What it was read as.
            fields: Field -> the key that it was read of, if a format has keys of its own.
        """
        keys = ", ".join(map(unquoted, self._outer))
        name = name or self._name + f" ({keys})" * bool(keys)
        self.note(f"read as {name}")
        read = {**self._fields, **(fields or {})}
        return Standard(dialogues, name, self._remarks.remarks(), fields=read)

    def turns(self, ordered: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return dialogue id -> turns as in the standard form.

        Raises:
            InputError: The user gets no response, or a key that was named is nowhere.
        """
        spoken = self._by_column(self._responses(ordered))
        every = [turn for turns in spoken.values() for turn in turns]
        there = {plain_key(key) for key in self._outer}
        there.update(plain_key(key) for t in every if isinstance(t, Mapping) for key in t)
        for role, key in self._named.items():
            if plain_key(key) not in there:
                self._problems.add("", f"--key {role}=KEY: no `{unquoted(key)}` in it")
        refuse(self._source, self._problems)
        if _is_state(next(filter(None, every), None)):
            self._name = "predicted states"
            self._fields[STATE] = "the whole turn"
            return {id_: [{STATE: turn} for turn in turns] for id_, turns in spoken.items()}
        fields = fields_of(every, self._named_in(every))
        for problem in fields.problems:
            self._problems.add("", problem)
        refuse(self._source, self._problems)
        self._tell(fields)
        return {id_: [_turn(turn, fields) for turn in turns] for id_, turns in spoken.items()}

    def _named_in(self, turns: Sequence[Any]) -> dict[str, Any]:
        """Return field -> the key that the user named, as the turns spell it."""
        spelled = {plain_key(key): key for t in turns if isinstance(t, Mapping) for key in t}
        named = {field: plain_key(key) for field, key in self._named.items() if field in TURN_KEYS}
        return {field: spelled[key] for field, key in named.items() if key in spelled}

    def _tell(self, fields: Fields) -> None:
        """Remark which keys hold the predictions, and which gold values."""
        for field, key in fields.predicted.items():
            if key != field:
                self.note(f"read `{unquoted(key)}` as `{field}`")
                self._fields[field] = f"`{unquoted(key)}`"
        for field, key in fields.gold.items():
            self._fields.setdefault(f"gold_{field}", f"`{unquoted(key)}`")
            message = f"read `{unquoted(key)}` as gold {PLURALS[field]}, which are no predictions"
            role, _ = meaning_of(key) or ("plain", "")
            # Of a key that says so itself, `mwz dst` says it in its table.
            self._remarks.add("", message, GOLD if role == "plain" else "format", warning=False)
        if STATE in fields.gold and STATE in fields.predicted and RESPONSE not in fields.predicted:
            self._name = _PAIRS
            self._outer.update(dict.fromkeys([fields.gold[STATE], fields.predicted[STATE]]))


_COLUMN_WORD = re.compile(r"[A-Za-z]+[_ .:-]+")
_BESIDE_ROLE = frozenset({"slot", "slots", "value", "state", "belief"})
"""Words of a column's name that say nothing of its role."""


def _column(key: object) -> tuple[Role, str] | None:
    """Return the role and the slot that a key of turns names, as in a table with one per slot.

    TripPy's are `slot_prediction_hotel-area` and `slot_groundtruth_hotel-area`.
    """
    role: Role = "plain"
    name = str(key)
    while True:
        domain, slot = slot_of(name) or ("", "")
        if domain.lower() in DOMAINS and plain_slot_name(known_slot_name(slot)) in STATE_SLOTS:
            return role, name
        word = _COLUMN_WORD.match(name)
        if word is None:
            return None
        plain = plain_key(word[0])
        said = meaning_of(plain)
        if said is not None and not said[1]:
            role = said[0]
        elif plain not in _BESIDE_ROLE:
            return None
        name = name[word.end() :]


def _names(key: object, names: Collection[str]) -> bool:
    """Return whether a key names one of some fields, or none, with a role."""
    said = meaning_of(key)
    return said is not None and said[1] in names


def _turn(turn: Any, fields: Fields) -> Any:
    """Return a turn with the names of the standard form, without the empty cells of a table."""
    if isinstance(turn, str):
        return {RESPONSE: turn}
    if not isinstance(turn, Mapping):
        return turn
    names = {key: field for field, key in fields.predicted.items()}
    if STATE in fields.gold:
        names[fields.gold[STATE]] = GOLD
    # What is gold, or is overwritten by what is read in its place, is left out.
    gold = {key for field, key in fields.gold.items() if field in fields.predicted}
    left_out = {*gold, *fields.predicted} - names.keys()
    read = {names.get(key, key): v for key, v in turn.items() if key not in left_out}
    for field in (STATE, ACTIVE_DOMAINS):
        if isinstance(read.get(field), str) and not read[field].strip():
            del read[field]
            if field == STATE and RESPONSE not in read:
                # A tracker has a state for every turn.
                read[STATE] = {}
    domains = read.get(ACTIVE_DOMAINS)
    if isinstance(domains, str):
        read[ACTIVE_DOMAINS] = re.findall(r"\w+", domains)
    return read


def _range(numbering: tuple[int, int], numbers: Collection[int]) -> range:
    """Return the numbers that a dialogue's turns have up to the last one."""
    first, step = numbering
    return range(first, max(numbers) + 1, step)


def _misfits(numbering: tuple[int, int], numbers: Collection[int | None]) -> int:
    """Return how many turns are missing, if they are numbered so; other numbers count twice."""
    known = {number for number in numbers if number is not None}
    if not known:
        return 0
    expected = {*_range(numbering, known)}
    return len(expected - known) + 2 * len(known - expected)


def _without_opening(turns: _Numbered) -> _Numbered:
    """Return numbered turns without a line that only opens a dialogue, as DAMD's outputs have."""
    if len(turns) < 2 or turns[0][0] != len(turns) - 1:
        return turns
    empty = isinstance(turns[0][1], Mapping) and not any(turns[0][1].values())
    return turns[1:] if empty else turns


def _are_sides(id_: object, sides: object) -> bool:
    """Return whether this is a turn of SOM-DST, `id_turn` -> [predicted, gold], both lists."""
    are_lists = isinstance(sides, list) and [*map(type, sides)] == [list, list]
    return are_lists and _TURN_ID.fullmatch(str(id_)) is not None


def _is_turn_by_id(id_: object, turn: object) -> bool:
    """Return whether this is a turn by an id of its own, such as `sng0073-2`."""
    if not isinstance(turn, Mapping) or _TURN_ID.fullmatch(str(id_)) is None:
        return False
    return not _numbered(turn, KEYS) and bool(fields_of([turn]).keys)


def _by_combined_id(rows: dict[str, _Numbered]) -> dict[str, _Numbered]:
    """Return turns by dialogue where each has an id of its own, such as `sng0073-2`."""
    read: dict[str, _Numbered] = {}
    for id_, turns in rows.items():
        match = _TURN_ID.fullmatch(id_)
        if match is None or len(turns) > 1 or turns[0][0] is not None:
            return rows
        dialogue = _SPLIT.sub("", match[1], count=1) if _SPLIT.match(match[1]) else match[1]
        read.setdefault(dialogue, []).append((int(match[2]), turns[0][1]))
    return read


def read_arranged(content: object, source: str, named: Mapping[str, str] | None = None) -> Standard:
    """Return outputs in any arrangement in the standard form; arguments as of `Arrangement`.

    Raises:
        InputError: It contradicts itself, or a key that is named is nowhere.
    """
    arrangement = Arrangement(source, named)
    dialogues = arrangement.turns(arrangement.dialogues(content))
    return arrangement.standard(dialogues)


ARRANGEMENTS = Format(
    name="other arrangements",
    description="Lists of `{dialogue_id, turns}` or of turns with `dialogue_id` and `turn`, as "
    "JSON, as JSON lines or as a table of comma-, tab- or semicolon-separated values; dialogue id "
    "-> list of responses, turns by number, or a list per field; conversations with `role` or "
    "`speaker`, of which the system's turns are read; MultiWOZ's own `log` of `text` and "
    "`metadata`, MultiWOZ 2.2 and SGD with `frames`, ConvLab's unified form; gold and predicted "
    "states, or predicted ones alone, as trackers write them; keys of other names; all of that "
    "also below `results`, `predictions`, `details` or any other key that alone has dialogues.",
    recognises=_recognises,
    read=read_arranged,
    rank=50,
    is_text=is_table,
    parse=read_table,
)
