"""Outputs as people hold them: lists, lines, tables and conversations, with keys of many names.

Which keys mean what is one table, `KEYS` (`format.py`). How dialogues, turns and what is said may
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
from ..notations import DOMAINS, STATE_DOMAINS, STATE_SLOTS, is_metadata, read_state, slot_of
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

_METADATA = "metadata"
"""Where MultiWOZ's own `log` has the state of a system turn."""

_NUMBER = re.compile(r"[^0-9]{0,20}([0-9]{1,6})(?:\.0)?")
_TURN_ID = re.compile(r"(.+?)[-_](?:turn[-_]?)?([0-9]{1,4})")

_NUMBERINGS = ((0, 1), (1, 1), (1, 2), (0, 2), (2, 2))
"""The number of a dialogue's first turn, and the step: 2 where the user's turns are counted too."""

_TURN_KINDS: Mapping[str, tuple[type, ...]] = {
    RESPONSE: (str,),
    STATE: (dict, list, str),
    ACTIVE_DOMAINS: (list, str),
}
"""Key of turns -> the types of its values, which a key of another name has to have as well."""

_SYSTEM = ("assistant", "bot", "agent", "gpt", "model", "sys", "system")
"""Who responds: the first of these that speaks in a file, for `system` may be what prompts it."""

_USER = ("user", "usr", "human", "customer")
_SPEAKERS = frozenset({*_SYSTEM, *_USER, "tool", "function", "developer"})
_CALLS = ("tool_calls", "function_call")

_PAIRS: Mapping[tuple[str, str], str] = {
    ("gt", "pr"): "gold and prediction pairs",
    ("turn_belief", "pred_bs_ptr"): "TRADE",
    ("turn_belief", "pred_belief"): "T5-DST",
    ("gold", "predicted"): "gold and prediction pairs",
}
"""The keys of a turn's gold and predicted state in trackers' files -> what reports call those."""

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
        )
    return isinstance(inside, list) and any(
        key_of(item, KEYS["id"], str, int) is not None for item in _items(inside)
    )


def _is_rearranged(dialogue: object) -> bool:
    """Return whether this is a dialogue, and its turns are not as in the standard form."""
    turn = next((turn for _, turn in _numbered(dialogue, KEYS) if turn), None)
    if isinstance(turn, str) or _speaker(turn) is not None or _is_state(turn):
        return True
    if not isinstance(turn, Mapping):
        return False
    if any(turn.keys() >= {*pair} for pair in _PAIRS) or is_metadata(turn.get(_METADATA)):
        return True
    if all(key_of(turn, KEYS[field], *_TURN_KINDS[field]) is None for field in (RESPONSE, STATE)):
        return False
    renamed = (key_of(turn, KEYS[field]) not in (None, field) for field in TURN_KEYS)
    return isinstance(dialogue, Mapping) or any(renamed)


def _is_state(turn: object) -> bool:
    """Return whether a turn is itself a state, as in trackers' files, of a domain of MultiWOZ."""
    if not isinstance(turn, dict | list):
        return False
    state = read_state(turn, lambda *_: None, lambda *_: None)
    return is_metadata(turn) or not STATE_DOMAINS.isdisjoint(state)


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
    """Return what stands below a key such as `results`, and the key; or all of it, and None."""
    if None not in (key_of(content, keys["turns"], list), key_of(content, keys["id"], str)):
        # A file of one dialogue.
        return [content], None
    key = key_of(content, keys["wrapper"], dict, list)
    return (content, None) if key is None else (content[key], key)


def _numbered(dialogue: object, keys: Keys) -> _Numbered:
    """Return the turns of a dialogue however it holds them; none of anything else."""
    if isinstance(dialogue, list):
        return [(None, _logged(turn, at)) for at, turn in enumerate(dialogue)]
    if not isinstance(dialogue, Mapping):
        return []
    key = key_of(dialogue, keys["turns"], dict, list)
    turns = dialogue if key is None else dialogue[key]
    # Not below a second such key: nothing is nested without end.
    return _numbered(turns, keys) if isinstance(turns, list) else _by_number(turns)


def _logged(turn: Any, at: int) -> Any:
    """Return a turn, and one of MultiWOZ's own `log` with who speaks: the user's have no state."""
    if not isinstance(turn, Mapping) or not turn.keys() >= {"text", _METADATA}:
        return turn
    return {"speaker": "system" if turn[_METADATA] or at % 2 else "user", **turn}


def _by_number(turns: Mapping[Any, Any]) -> _Numbered:
    """Return the turns of an object whose keys are their numbers; none of any other."""
    matches = [_NUMBER.fullmatch(str(name)) for name in turns]
    numbers = [int(match[1]) for match in matches if match is not None]
    return [*zip(numbers, turns.values(), strict=True)] if len(numbers) == len(turns) else []


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
                pairs = {id_: {"predicted": p, "gold": g} for id_, (p, g) in content.items()}
                return _by_combined_id({id_: [(None, pair)] for id_, pair in pairs.items()})
            for id_, dialogue in content.items():
                self._add(dialogues, str(id_), dialogue)
            return dialogues
        for number, item in enumerate(_items(content)):
            id_key = key_of(item, self._keys["id"], str, int)
            if id_key is not None:
                self._outer[str(id_key)] = None
                inside = {key: value for key, value in item.items() if key != id_key}
                if key_of(item, self._keys["turns"], dict, list) is None:
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
        elif not dialogues[id_] and dialogue != []:
            wanted = f"expected a list of turns, found {kind_of(dialogue)}"
            self._problems.add(place, f"{wanted}{other_keys(dialogue)}")

    def _row(self, item: Mapping[Any, Any]) -> tuple[int | None, Any]:
        """Return a turn that stands by itself, with its number."""
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
        numbering = max(
            _NUMBERINGS, key=lambda one: sum(each == {*_range(one, each)} for each in numbers)
        )
        return {id_: self._in_order(id_, turns, numbering) for id_, turns in numbered.items()}

    def _in_order(self, id_: str, turns: _Numbered, numbering: tuple[int, int]) -> list[Any]:
        """Return numbered turns in order, of which none may be missing or there twice."""
        place = f"dialogue {unquoted(id_)}"
        turns = _without_opening(turns)
        by_number = dict(turns)
        if None in by_number:
            self._problems.add(place, "some of its turns have no number")
            return []
        for number, count in Counter(number for number, _ in turns).items():
            if count > 1:
                self._problems.add(place, f"turn {number} is there twice")
        expected = _range(numbering, by_number)
        missing = next((number for number in expected if number not in by_number), None)
        if missing is not None:
            problem = f"turn {missing} is missing; turns are numbered from {numbering[0]}"
            self._problems.add(place, problem)
        return [by_number.get(number) for number in expected]

    def _responses(self, dialogues: Mapping[str, Sequence[Any]]) -> Mapping[str, Sequence[Any]]:
        """Return the system's turns of conversations; all turns where none says who speaks."""
        speakers = Counter(_speaker(turn) for turns in dialogues.values() for turn in turns)
        system = next((who for who in _SYSTEM if speakers[who]), None)
        if system is None:
            return dialogues
        others = [f"{n} of {who}" for who, n in speakers.items() if who not in (None, system)]
        left_out = f"; turns left out: {', '.join(others)}" * bool(others)
        self.note(f"what `{system}` says are the responses{left_out}")
        return {
            id_: self._responses_of(f"dialogue {unquoted(id_)}", turns, system)
            for id_, turns in dialogues.items()
        }

    def _responses_of(self, place: str, turns: Sequence[Any], system: str) -> list[Any]:
        """Return the system's turns; one where it speaks several times to the same user turn."""
        exchanges: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = [({}, [])]
        for turn in turns:
            who = _speaker(turn)
            if who in _USER:
                exchanges.append((self._utterance(turn), []))
            elif who == system:
                reply = self._utterance(turn)
                # A call of a tool is no response.
                is_call = any(turn.get(call) for call in _CALLS)
                if reply[RESPONSE] or (reply[RESPONSE] is not None and not is_call):
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
        slots = [key for key in first if _is_column(key)]
        in_all = all(isinstance(turn, Mapping) and turn.keys() >= {*slots} for turn in every)
        if not (slots and in_all) or key_of(first, self._keys[STATE]) is not None:
            return dialogues
        for key in first.keys() - {*slots}:
            domain, _ = slot_of(key) or ("", "")
            close = resembling(key, [f"{one}-{slot}" for one in DOMAINS for slot in STATE_SLOTS])
            if domain and (close or domain.lower() in DOMAINS):
                problem = f"no slot of MultiWOZ{close}; rename it or leave it out"
                self._problems.add(unquoted(key), problem)
        self.note(f"read {counted(len(slots), 'slot')} such as `{unquoted(slots[0])}` as `{STATE}`")

        def gathered(turn: Mapping[Any, Any]) -> dict[Any, Any]:
            # Empty cells are no value.
            state = {slot: turn[slot] for slot in slots if turn[slot] not in ("", None)}
            return {**{key: value for key, value in turn.items() if key not in slots}, STATE: state}

        return {id_: [*map(gathered, turns)] for id_, turns in dialogues.items()}

    def _response(
        self, place: str, user: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what the system says to a user turn; a state may stand at either."""
        if not replies:
            self._problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.note("several responses in a row are joined", place, warning=True)
        of_states = {*self._keys[STATE], *self._keys[ACTIVE_DOMAINS]}
        read = {key: value for key, value in user.items() if plain_key(key) in of_states}
        for reply in replies:
            read.update(reply)
        texts = [reply[RESPONSE] for reply in replies]
        if all(isinstance(text, str) for text in texts):
            read[RESPONSE] = " ".join(texts)
        return {USER: user[RESPONSE], **read}

    def _utterance(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """Return a turn with a speaker, its utterance as the response."""
        named = self._keys[RESPONSE][: RESPONSE in self._named]
        who, key = key_of(turn, KEYS["speaker"]), key_of(turn, (*named, *KEYS["text"]))
        text = turn.get(key)
        if isinstance(text, list):
            parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
            text = "".join(part for part in parts if isinstance(part, str))
        left_out = {who, key, *_CALLS}
        return {**{k: v for k, v in turn.items() if k not in left_out}, RESPONSE: text}

    def standard(self, dialogues: Mapping[str, Any], name: str = "") -> Standard:
        """Return what was read as a name, by default that of its arrangement, with the remarks."""
        keys = ", ".join(map(unquoted, self._outer))
        name = name or self._name + f" ({keys})" * bool(keys)
        self.note(f"read as {name}")
        return Standard(dialogues, name, self._remarks.remarks())

    def turns(self, ordered: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return dialogue id -> turns as in the standard form.

        Raises:
            InputError: The user gets no response, or a key that was named is nowhere.
        """
        spoken = self._by_column(self._responses(ordered))
        values: dict[Any, Any] = {}
        every = [turn for turns in spoken.values() for turn in turns]
        for turn in every:
            if isinstance(turn, Mapping):
                values.update((k, v) for k, v in turn.items() if values.get(k) is None)
        there = {plain_key(key) for key in (*values, *self._outer)}
        for role, key in self._named.items():
            if plain_key(key) not in there:
                self._problems.add("", f"--key {role}=KEY: no `{unquoted(key)}` in it")
        refuse(self._source, self._problems)
        if _is_state(next(filter(None, every), None)):
            self._name = "predicted states"
            return {id_: [{STATE: turn} for turn in turns] for id_, turns in spoken.items()}
        chosen: dict[Any, str] = {}
        pair = next((pair for pair in _PAIRS if values.keys() >= {*pair}), ())
        if pair:
            self._name = _PAIRS[pair]
            self._outer.update(dict.fromkeys(pair))
            chosen = dict(zip(pair, (GOLD, STATE), strict=True))
        for field, kinds in {} if pair else _TURN_KINDS.items():
            named = field in self._named
            if named or field not in values:
                key = key_of(values, self._keys[field], *(() if named else kinds))
                if key is not None:
                    chosen[key] = field
                    self.note(f"read `{unquoted(key)}` as `{field}`")
        return {id_: [_turn(turn, chosen) for turn in turns] for id_, turns in spoken.items()}


def _is_column(key: object) -> bool:
    """Return whether a key of turns is a slot's name, as where a table has a column per slot."""
    domain, slot = slot_of(key) or ("", "")
    return domain.lower() in DOMAINS and plain_slot_name(slot) in STATE_SLOTS


def _turn(turn: Any, chosen: Mapping[Any, str]) -> Any:
    """Return a turn with the names of the standard form, without the empty cells of a table."""
    if isinstance(turn, str):
        return {RESPONSE: turn}
    if not isinstance(turn, Mapping):
        return turn
    fields = chosen.values()
    read = {
        chosen.get(key, key): v for key, v in turn.items() if key in chosen or key not in fields
    }
    if is_metadata(read.get(_METADATA)):
        read.setdefault(STATE, read.pop(_METADATA))
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


def _range(numbering: tuple[int, int], turns: Collection[Any]) -> range:
    """Return the numbers of a dialogue's turns."""
    first, step = numbering
    return range(first, first + step * len(turns), step)


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


def _by_combined_id(rows: dict[str, _Numbered]) -> dict[str, _Numbered]:
    """Return turns by dialogue where each has an id of its own, such as `sng0073-2`."""
    read: dict[str, _Numbered] = {}
    for id_, turns in rows.items():
        match = _TURN_ID.fullmatch(id_)
        if match is None or len(turns) > 1 or turns[0][0] is not None:
            return rows
        read.setdefault(match[1], []).append((int(match[2]), turns[0][1]))
    return read


def read_arranged(content: object, source: str, named: Mapping[str, str] | None = None) -> Standard:
    """Return outputs in any arrangement in the standard form; arguments as of `Arrangement`.

    Raises:
        InputError: It contradicts itself, or a key that is named is nowhere.
    """
    arrangement = Arrangement(source, named)
    dialogues = arrangement.turns(arrangement.dialogues(content))
    return arrangement.standard(dialogues)


FORMAT = Format(
    name="other arrangements",
    description="Lists of `{dialogue_id, turns}` or of turns with `dialogue_id` and `turn`, as "
    "JSON, as JSON lines or as a table of comma-, tab- or semicolon-separated values; dialogue id "
    "-> list of responses, or turns by number; conversations with `role` or `speaker`, of which "
    "the system's turns are read; MultiWOZ's own `log` of `text` and `metadata`; gold and "
    "predicted states, or predicted ones alone, as trackers write them; keys of other names; all "
    "of that also below `results`, `predictions`, `outputs`, `dialogues` or `data`.",
    recognises=_recognises,
    read=read_arranged,
    rank=50,
    is_text=is_table,
    parse=read_table,
)
