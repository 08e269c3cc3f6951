"""The standard form of predictions, the parts of a format, and reading tables.

The standard form maps dialogue id -> list of turns, each with `response` and optionally `state`
and `active_domains`. `formats.py` lists the formats that are read into it.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeAlias

from ...errors import InputError, Remark, unquoted
from ...io import decoded, parse_json

RESPONSE = "response"
STATE = "state"
ACTIVE_DOMAINS = "active_domains"
TURN_KEYS = (RESPONSE, STATE, ACTIVE_DOMAINS)
USER = "user"
"""The user's utterance before the response; free-running dialogues need it."""
PLAIN = "plain"
"""The role, in `KEYS`, of a response in plain English beside the delexicalised one."""
GOLD = "gold_state"
"""The key of a turn's gold state, in a tracker's file that has gold states of its own."""

Keys: TypeAlias = "Mapping[str, Sequence[str]]"

KEYS: Keys = {
    "wrapper": (
        "results", "predictions", "outputs", "dialogues", "dialogs", "generations", "data",
        "details", "test",
    ),
    "id": (
        "originalid", "dialogueid", "dialogid", "dialid", "dialogueidx", "conversationid",
        "dialogue", "dialog", "filename", "id", "guid",
    ),
    "turns": (
        "turns", "log", "messages", "dialogue", "dialog", "conversation", "conversations",
        "utterances", "responses", "results",
    ),
    "number": (
        "turn", "turnid", "turnnum", "turnidx", "turnindex", "turnnumber", "turnno", "trunnum",
        "uttidx",
    ),
    "speaker": ("speaker", "role", "from"),
    "text": ("response", "content", "text", "utterance", "value"),
    RESPONSE: (
        "response", "responses", "systemresponse", "sysresponse", "answer", "reply",
        "delexresp", "delexresponse", "responsedelex", "delex", "resp",
        "systemutterance", "system", "sys", "utterance", "text",
    ),
    STATE: (
        "state", "states", "beliefstate", "beliefstates", "belief", "beliefs", "bs", "bspn",
        "dialoguestate", "dialogstate", "totalstate", "slotvalues", "turnbelief",
        "bsptr", "beliefspan", "metadata", "frames", "slots",
    ),
    PLAIN: (
        "lexresponse", "responselex", "lexicalisedresponse", "lexicalizedresponse",
        "plainresponse",
    ),
    ACTIVE_DOMAINS: ("activedomains", "activedomain", "domains"),
}  # fmt: skip
"""What a key stands for -> its names, in lower case, letters and digits only.

If an object has several of them, the first in this table counts. Keys of a turn's fields may also
say whether they hold predictions or gold values (`roles.py`).
"""


@lru_cache(maxsize=1 << 12)
def plain_key(key: object) -> str:
    """Return a key in lower case, without underscores and other punctuation.

    >>> plain_key("Dialogue_ID")
    'dialogueid'
    """
    return re.sub(r"[\W_]", "", str(key)[:100].lower())


def key_of(item: object, names: Sequence[str], *kinds: type) -> object:
    """Return the key of an object that has one of some names: the first of the names that occurs.

    Args:
        item: An object; anything else has no keys.
        names: The names, as in `KEYS`.
        kinds: The types that the key's value may have; by default any.

    Returns:
        The key as the object spells it; None if there is none.

    >>> key_of({"Dialogue_ID": "sng0073", "turns": []}, KEYS["id"], str)
    'Dialogue_ID'
    """
    if not isinstance(item, Mapping):
        return None
    keys = {}
    for key, value in item.items():
        if isinstance(value, kinds or object):
            keys[plain_key(key)] = key
    for name in names:
        if name in keys:
            return keys[name]
    return None


STANDARD = "standard form"
"""The name of the standard form in messages."""


@dataclass(frozen=True)
class StateChecks:
    """Which faults of belief states are errors.

    Attributes:
        uses_states: Whether states are used. If not, an unreadable state only causes a remark.
        without_states: How to score without states, where that is possible; messages end with it.
        tracked: Whether only states are read, as of trackers: every turn must have one, and may
            lack a response.
        any_name: Whether domains and slots may have any name.
        plain: Whether responses are meant to be plain English.
    """

    uses_states: bool = True
    without_states: str = ""
    tracked: bool = False
    any_name: bool = False
    plain: bool = False

    @classmethod
    def of_tracker(cls, standard: Standard) -> StateChecks:
        """Return the checks of a tracker's states; names are free where it has gold states."""
        return cls(tracked=True, any_name=standard.has_gold_states)


STATE_CHECKS = StateChecks()


@dataclass(frozen=True)
class Standard:
    """Predictions in the standard form, their turns yet to be checked.

    Attributes:
        dialogues: Dialogue id -> turns.
        format: The name of the format that the file has.
        remarks: Remarks on how the file was read.
        find: A function that finds the dialogues of a file without dialogue ids, or None if the
            file has them. It takes a benchmark's user utterances (dialogue id -> utterances) and
            returns the dialogues, or raises an `InputError`; `dialogues` is empty.
        packages: Package -> version, of the package that declares the format, unless it is ours.
        fields: Field -> where the file has it, if its key is not that of the standard form.
    """

    dialogues: Mapping[Any, Any]
    format: str
    remarks: Sequence[Remark] = ()
    find: Callable[[Mapping[str, Sequence[str]]], Mapping[Any, Any]] | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_states_alone(self) -> bool:
        """Whether turns have states and no turn has a response, as in trackers' files."""
        if self.find is not None:
            return True
        turns = self._turns()
        has_responses = any(turn.get(RESPONSE) for turn in turns)
        return not has_responses and any(STATE in turn for turn in turns)

    @property
    def has_gold_states(self) -> bool:
        """Whether turns have gold states of their own."""
        return any(GOLD in turn for turn in self._turns())

    def _turns(self) -> list[Mapping[object, object]]:
        turns: list[object] = []
        for dialogue in self.dialogues.values():
            if isinstance(dialogue, list):
                turns += dialogue
        return [turn for turn in turns if isinstance(turn, Mapping)]

    def dialogues_among(self, users: Mapping[str, Sequence[str]]) -> Mapping[Any, Any]:
        """Return the dialogues; if the file does not name them, find them among a benchmark's.

        Args:
            users: Dialogue id -> the user's utterances, one per system turn.

        Raises:
            InputError: Some turns belong to none of these dialogues.
        """
        return self.dialogues if self.find is None else self.find(users)


@dataclass(frozen=True)
class Format:
    """A format of predictions.

    Attributes:
        name: Its name in messages.
        description: What it looks like and who writes it, in a sentence.
        recognises: Returns whether a file's content has this format, judging by its shape.
        read: Takes a file's content and what messages call the file, and returns the standard
            form. Raises an `InputError` for content that contradicts itself.
        rank: Formats with lower ranks are tried first.
        is_text: Returns whether a file's bytes have this format, if its files are not JSON.
        parse: Takes the bytes of such a file and what messages call it, and returns the content
            for `recognises` and `read`. Raises an `InputError` for a damaged file.
    """

    name: str
    description: str
    recognises: Callable[[object], bool]
    read: Callable[[Any, str], Standard]
    rank: int = 10
    is_text: Callable[[bytes], bool] = lambda content: False
    parse: Callable[[bytes, str], object] = parse_json


_TURN_KEYS = frozenset(TURN_KEYS)


def is_standard(content: object) -> bool:
    """Return whether predictions clearly have the standard form: no turn has any other key."""
    if not isinstance(content, Mapping):
        return False
    for turns in content.values():
        if not isinstance(turns, list):
            return False
        for turn in turns:
            # Comparing classes is faster than `isinstance`, and most turns are plain objects.
            is_object = turn.__class__ is dict or isinstance(turn, Mapping)
            if not is_object or not turn.keys() <= _TURN_KEYS:
                return False
    return True


def other_keys(content: object) -> str:
    """Return how to name keys that are not known, as messages end; empty for empty content."""
    if not content:
        return ""
    return "; if its keys have names of their own, give them by `mwz convert --key FIELD=KEY`"


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


def plain_form(standard: Standard, source: str) -> Standard:
    """Return predictions whose responses are the ones in plain English that turns also hold.

    Args:
        standard: The predictions. If no turn has a second response in plain English, they are
            returned as they are.
        source: What messages call them.

    Raises:
        InputError: Some turns hold a response in plain English, and others do not.
    """
    key: object = None
    lacking = ""
    turns_in_all = turns_without = 0
    for id_, turns in standard.dialogues.items():
        # What is neither a list nor a mapping is refused when turns are checked.
        for number, turn in enumerate(turns if isinstance(turns, list) else ()):
            if not isinstance(turn, Mapping):
                continue
            turns_in_all += 1
            plain_key = key_of(turn, KEYS[PLAIN], str)
            key = key or plain_key
            if plain_key is None:
                turns_without += 1
                lacking = lacking or f"dialogue {unquoted(id_)}, turn {number}"
    if key is None:
        return standard
    if turns_without:
        problem = f"no `{unquoted(key)}`, as in {turns_without} of {turns_in_all} turns"
        raise InputError(source, f"{lacking}: {problem}; give it in every turn, or in none")
    dialogues: dict[str, object] = {}
    for id_, turns in standard.dialogues.items():
        dialogues[id_] = turns
        if isinstance(turns, list):
            dialogues[id_] = [_in_plain_english(turn) for turn in turns]
    message = f"read `{unquoted(key)}` as `{RESPONSE}`: it is the one in plain English"
    remark = Remark("format", message, warning=False)
    return replace(standard, dialogues=dialogues, remarks=[*standard.remarks, remark])


def _in_plain_english(turn: object) -> object:
    """Return a turn whose response is the one in plain English, if it has such a response."""
    key = key_of(turn, KEYS[PLAIN], str)
    if key is None or not isinstance(turn, Mapping):
        return turn
    plain: dict[object, object] = {RESPONSE: turn[key]}
    for name, value in turn.items():
        if name not in (key, RESPONSE):
            plain[name] = value
    return plain
