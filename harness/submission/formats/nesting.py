"""Where a file has its dialogues and turns, in whatever objects and lists it puts them.

From the outside in: dialogues below keys such as `results`; turns below keys such as `turns`, or by
number; a list per field, as columns; turns that have an id of their own, such as `sng0073-2`. A
table has a turn per line.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ...errors import InputError
from ...io import decoded
from .roles import fields_of, meaning_of, role_of, unfolded
from .standard import KEYS, Keys, key_of, plain_key

_METADATA, _FRAMES = "metadata", "frames"
"""Where MultiWOZ's own `log` has the state of a system turn, and MultiWOZ 2.2 that of a user's."""

_MULTIWOZ_ID = re.compile(r"[a-z_-]*(?:sng|mul|wo)[a-z]*[0-9]+(?:\.json)?", re.IGNORECASE)

_NUMBER = re.compile(r"[^0-9]{0,20}([0-9]{1,6})(?:\.0)?")
"""A turn's number: `3`, `turn_3`, or 3.0 as pandas writes it."""

_TURN_ID = re.compile(r"(.+?)[-_](?:turn[-_]?)?([0-9]{1,4})")
"""A turn's id: the dialogue's and the turn's number, such as `sng0073-2`."""

_DATA_PART = re.compile(r"\A(?:train|dev|val|valid|validation|test)-")
"""What TripPy's ids of turns begin with."""

_DEEPEST = 3
"""How many keys such as `results` may stand one below the other."""

_FEWEST_COLUMNS = 2
"""How many lists of a field each, all of the same length, are columns."""

SYSTEM_SPEAKERS = ("assistant", "bot", "agent", "gpt", "model", "sys", "system")
"""Who responds: the first of these that speaks in a file, because `system` may be the prompt."""

USER_SPEAKERS = ("user", "usr", "human", "customer")
_SPEAKERS = frozenset({*SYSTEM_SPEAKERS, *USER_SPEAKERS, "tool", "function", "developer"})
_NUMBERED_SPEAKERS = ("user", "system")
"""The speakers that Hugging Face's columns call 0 and 1."""


NumberedTurns: TypeAlias = "list[tuple[int | None, object]]"
"""Turns as the file has them, each with its number if it has one."""


def raw_turns(content: object) -> Iterator[object]:
    """Yield the turns of predictions in any arrangement, as the file has them.

    >>> [*raw_turns({"results": [{"id": "sng0073", "turns": ["Hello.", "Bye."]}]})]
    ['Hello.', 'Bye.']
    """
    inside, _ = unwrapped(content, KEYS)
    is_object = isinstance(inside, Mapping)
    for item in inside.values() if is_object else items_of(inside):
        turns = turns_of(item, KEYS)
        for _, turn in turns:
            yield turn
        if not turns and not is_object:
            yield item


def items_of(content: Any) -> Iterator[Any]:
    """Yield the items of a list, and those of lists in it; or the content if it is no list."""
    for item in content if isinstance(content, list) else [content]:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def speaker_of(turn: Any) -> str | None:
    """Return who speaks in a turn; None if it does not say so."""
    key = key_of(turn, KEYS["speaker"], str)
    if key is None:
        return None
    speaker = turn[key].strip().lower()
    return speaker if speaker in _SPEAKERS else None


# Dialogues.


def unwrapped(content: Any, keys: Keys) -> tuple[Any, str]:
    """Return the part of a file that holds dialogues, with a list of turns for columns.

    Args:
        content: The file's content.
        keys: What a key stands for -> its names.

    Returns:
        Dialogue id -> dialogue, or a list of dialogues or turns; and the keys below which it
        stands, such as `results`, empty if it is the whole file.
    """
    path: list[str] = []
    while len(path) < _DEEPEST:
        turns_key = key_of(content, keys["turns"], list)
        if turns_key is not None and key_of(content, keys["id"], str) is not None:
            # A file of one dialogue.
            content = [content]
            break
        key = key_of(content, keys["wrapper"], dict, list)
        if key is None:
            key = _only_key_with_dialogues(content, keys)
        if key is None or (path and not _holds_dialogues(content[key], keys)):
            break
        content = content[key]
        path.append(str(key))
    inside = _merged(content, keys)
    if isinstance(inside, Mapping):
        rows = _rows(list(inside.values()), keys)
        if rows is not None:
            inside = dict(zip(inside, rows, strict=True))
    elif isinstance(inside, list):
        inside = _rows(inside, keys) or inside
    return inside, ".".join(path)


def _only_key_with_dialogues(content: object, keys: Keys) -> object:
    """Return the key of an object that alone holds dialogues, or alone predicted ones; or None."""
    if not isinstance(content, Mapping):
        return None
    holding = []
    for key, value in content.items():
        if _holds_dialogues(value, keys) and not _MULTIWOZ_ID.fullmatch(str(key)):
            holding.append(key)
    if len(holding) > 1:
        holding = [key for key in holding if role_of(key) == "predicted"]
    return holding[0] if len(holding) == 1 else None


def _holds_dialogues(value: object, keys: Keys) -> bool:
    """Return whether a value is a list of objects with a dialogue's id, or has ids of MultiWOZ."""
    if isinstance(value, Mapping):
        return any(_MULTIWOZ_ID.fullmatch(str(key)) for key in value)
    if not isinstance(value, list) or not value:
        return False
    return all(key_of(item, keys["id"], str, int) is not None for item in value)


def _merged(content: object, keys: Keys) -> object:
    """Return one object for a list of objects that each map one id to a dialogue."""
    if not isinstance(content, list) or not content:
        return content
    merged: dict[object, object] = {}
    for item in content:
        is_pair = isinstance(item, Mapping) and len(item) == 1
        if not is_pair or key_of(item, keys["id"]) is not None:
            return content
        merged.update(item)
    return merged if len(merged) == len(content) else content


def _rows(dialogues: Sequence[Any], keys: Keys) -> list[Any] | None:
    """Return dialogues with lists of turns where they have a list per field, as columns.

    Returns:
        None if they have no columns.
    """
    if not dialogues or not all(isinstance(dialogue, Mapping) for dialogue in dialogues):
        return None
    rows: list[object] = []
    turns_key = key_of(dialogues[0], keys["turns"], dict)
    if turns_key is not None and all(turns_key in dialogue for dialogue in dialogues):
        inner = [dialogue[turns_key] for dialogue in dialogues]
        inner_rows = _rows(inner, {**keys, "turns": ()})
        if inner_rows is None:
            return None
        for dialogue, turns in zip(dialogues, inner_rows, strict=True):
            rows.append({**dialogue, turns_key: turns})
        return rows
    # The columns are those keys, the most, that hold lists of the same length in each dialogue.
    by_lengths: dict[tuple[int, ...], list[object]] = {}
    for key in dialogues[0]:
        if all(isinstance(dialogue.get(key), list) for dialogue in dialogues):
            lengths = tuple(len(dialogue[key]) for dialogue in dialogues)
            by_lengths.setdefault(lengths, []).append(key)
    columns = max(by_lengths.values(), key=len, default=[])
    if sum(meaning_of(key) is not None for key in columns) < _FEWEST_COLUMNS:
        return None
    for dialogue in dialogues:
        values_by_turn = zip(*map(dialogue.get, columns), strict=True)
        turns = [dict(zip(columns, values, strict=True)) for values in values_by_turn]
        others = {key: value for key, value in dialogue.items() if key not in columns}
        # A dialogue without an id needs nothing but its turns.
        has_id = key_of(others, keys["id"], str, int) is not None
        rows.append({**others, "turns": turns} if has_id else turns)
    return rows


# Turns.


def turns_of(dialogue: object, keys: Keys) -> NumberedTurns:
    """Return the turns of a dialogue, however it holds them; none of anything else.

    Args:
        dialogue: A dialogue as the file has it.
        keys: What a key stands for -> its names.

    >>> turns_of({"log": {"turn_0": "Hello.", "turn_1": "Bye."}}, KEYS)
    [(0, 'Hello.'), (1, 'Bye.')]
    """
    turns = dialogue
    if isinstance(dialogue, Mapping):
        key = key_of(dialogue, keys["turns"], dict, list)
        # A second such key, in the object below the first, is not followed.
        turns = dialogue if key is None else dialogue[key]
    numbered: NumberedTurns = []
    if isinstance(turns, list):
        for place, turn in enumerate(turns):
            numbered.append((None, plain_turn(turn, place)))
    elif isinstance(turns, Mapping):
        for key, turn in turns.items():
            number = turn_number(key)
            if number is None:
                # An object of something else.
                return []
            numbered.append((number, plain_turn(turn)))
    return numbered


def turn_number(text: object) -> int | None:
    """Return the number of a turn, such as `3` or `turn_3`; None of another text."""
    match = _NUMBER.fullmatch(str(text))
    return None if match is None else int(match[1])


def plain_turn(turn: Any, place: int = 0) -> Any:
    """Return a turn that says by a name who speaks, without objects of fields in it.

    Args:
        turn: The turn as the file has it.
        place: Its place in the dialogue, from 0.
    """
    if not isinstance(turn, Mapping):
        return turn
    turn = unfolded(turn)
    if turn.keys() >= {"text", _METADATA}:
        # In MultiWOZ's own `log`, the user speaks first, and only the system's turns have a state.
        is_system = turn[_METADATA] or place % 2
        turn = {"speaker": "system" if is_system else "user", **turn}
    speakers = {}
    for key, value in turn.items():
        if value.__class__ is int and value in (0, 1) and plain_key(key) in KEYS["speaker"]:
            speakers[key] = _NUMBERED_SPEAKERS[value]
    if speakers:
        turn = {**turn, **speakers}
    if _FRAMES in turn and speaker_of(turn) in SYSTEM_SPEAKERS:
        # In MultiWOZ 2.2, the frames of the system's turns have no state.
        turn = {key: value for key, value in turn.items() if key != _FRAMES}
    return turn


# Turns that have an id of their own.


def is_pair_by_id(turn_id: object, pair: object) -> bool:
    """Return whether this is a turn of SOM-DST: an id -> [predicted, gold], both lists."""
    if not isinstance(pair, list) or list(map(type, pair)) != [list, list]:
        return False
    return _TURN_ID.fullmatch(str(turn_id)) is not None


def is_turn_by_id(turn_id: object, turn: object) -> bool:
    """Return whether this is a turn by an id of its own, such as `sng0073-2`."""
    if not isinstance(turn, Mapping) or _TURN_ID.fullmatch(str(turn_id)) is None:
        return False
    return not turns_of(turn, KEYS) and bool(fields_of([turn]).keys)


def by_dialogue(turns: Mapping[str, NumberedTurns]) -> Mapping[str, NumberedTurns]:
    """Return dialogue id -> turns, if the turns are given by ids of their own; else as given.

    >>> by_dialogue({"test-sng0073-2": [(None, "Bye.")]})
    {'sng0073': [(2, 'Bye.')]}
    """
    dialogues: dict[str, NumberedTurns] = {}
    for turn_id, same_id in turns.items():
        match = _TURN_ID.fullmatch(turn_id)
        number, turn = same_id[0]
        if match is None or len(same_id) > 1 or number is not None:
            return turns
        dialogues.setdefault(_DATA_PART.sub("", match[1]), []).append((int(match[2]), turn))
    return dialogues


# Tables: one line per turn, after a line of column names.
#
# In a table that DAMD or UBAR writes, whose first column is `dial_id`, titles and tables of figures
# may precede the line of column names (`DECODED RESULTS:`).

_DAMD_HEADER = re.compile(r'^"?dial_id"?,', re.MULTILINE)
_COLUMN = re.compile(r"(?:# ?)?[A-Za-z_][\w .-]{0,40}")
_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is searched for."""


def is_table(content: bytes) -> bool:
    """Return whether a file is a table, and not JSON."""
    beginning = content[:_SEARCHED]
    text = beginning.decode(json.detect_encoding(beginning), errors="replace")
    return _header(text.removeprefix("\ufeff")) is not None


def read_table(content: bytes, source: str) -> list[dict[str, str]]:
    r"""Return the rows of a table: column name -> text of the cell.

    Raises:
        InputError: The file is not text in UTF-8, or is not such a table.

    >>> read_table(b"dial_id,turn_num,resp\nsng0073,0,hello\n", "outputs.csv")
    [{'dial_id': 'sng0073', 'turn_num': '0', 'resp': 'hello'}]
    """
    text = decoded(content, source)
    start, separator = _header(text[:_SEARCHED]) or (0, ",")
    lines = io.StringIO(text, newline="")
    lines.seek(start)
    table = csv.DictReader(lines, delimiter=separator, strict=True)
    rows = []
    try:
        for row in table:
            # The reader puts cells beyond the columns under None; they would be lost.
            if None in row:
                raise csv.Error("more cells than columns; quote texts that hold the separator")
            # The column of the index that pandas writes has no name.
            rows.append({name: cell for name, cell in row.items() if name})
    except csv.Error as error:
        line = text.count("\n", 0, start) + table.line_num
        kind = f"{_SEPARATORS[separator]}-separated values"
        raise InputError(source, f"line {line}: not a table of {kind} ({error})") from None
    return rows


def _header(text: str) -> tuple[int, str] | None:
    """Return where a table's line of column names begins, and what separates columns.

    Returns:
        None if the text is not a table.
    """
    if text.lstrip().startswith(("{", "[")):
        return None
    damd_header = _DAMD_HEADER.search(text)
    if damd_header is not None:
        return damd_header.start(), ","
    table = text.lstrip("\r\n")
    line = table.split("\n", 1)[0].rstrip("\r")
    for separator in _SEPARATORS:
        # SUMBT's lines end with a separator.
        names = [name.strip('"') for name in line.removesuffix(separator).split(separator)]
        is_header = len(names) > 1 and len(set(names)) == len(names)
        # The column of the index that pandas writes comes first and has no name.
        columns = names if names[0] else names[1:]
        if is_header and all(_COLUMN.fullmatch(name) for name in columns):
            return len(text) - len(table), separator
    return None
