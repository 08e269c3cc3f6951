"""The standard form of predictions, what a format is, and reading a file of any of them.

The standard form maps dialogue id -> list of turns, each with `response` and optionally `state`
and `active_domains`. What people write otherwise is read by `arrangements.py`, which knows how
dialogues and turns are arranged and what their keys are called.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, TypeAlias

from mwz.normalization import declared, outside_versions

from ...errors import InputError, Remark, unquoted
from ...io import decoded, encoded, kind_of, limit_text, limits, parse_json, to_json

RESPONSE = "response"
STATE = "state"
ACTIVE_DOMAINS = "active_domains"
TURN_KEYS = (RESPONSE, STATE, ACTIVE_DOMAINS)
USER = "user"
"""What the user said before; kept for free-running dialogues."""
PLAIN = "plain"
"""What stands for a response in plain English beside the delexicalised one."""
GOLD = "gold_state"
"""The gold state of a turn in a tracker's file that has its own."""

Keys: TypeAlias = "Mapping[str, Sequence[str]]"

KEYS: Keys = {
    "wrapper": (
        *("results", "predictions", "outputs", "dialogues", "dialogs", "generations", "data"),
        *("details", "test"),
    ),
    "id": (
        *("originalid", "dialogueid", "dialogid", "dialid", "dialogueidx", "conversationid"),
        *("dialogue", "dialog", "filename", "id", "guid"),
    ),
    "turns": (
        *("turns", "log", "messages", "dialogue", "dialog", "conversation", "conversations"),
        *("utterances", "responses", "results"),
    ),
    "number": (
        *("turn", "turnid", "turnnum", "turnidx", "turnindex", "turnnumber", "turnno", "trunnum"),
        "uttidx",
    ),
    "speaker": ("speaker", "role", "from"),
    "text": ("response", "content", "text", "utterance", "value"),
    RESPONSE: (
        *("response", "responses", "systemresponse", "sysresponse", "answer", "reply"),
        *("delexresp", "delexresponse", "responsedelex", "delex", "resp"),
        *("systemutterance", "system", "sys", "utterance", "text"),
    ),
    STATE: (
        *("state", "states", "beliefstate", "beliefstates", "belief", "beliefs", "bs", "bspn"),
        *("dialoguestate", "dialogstate", "totalstate", "slotvalues", "turnbelief"),
        *("bsptr", "beliefspan", "metadata", "frames", "slots"),
    ),
    PLAIN: (
        *("lexresponse", "responselex", "lexicalisedresponse", "lexicalizedresponse"),
        "plainresponse",
    ),
    ACTIVE_DOMAINS: ("activedomains", "activedomain", "domains"),
}
"""What a key stands for -> the keys that do, in lower case without underscores and the like; the
first that is there counts. Those of a turn's fields may also say whether they are predictions or
gold (`roles.py`)."""


@lru_cache(maxsize=1 << 12)
def plain_key(key: object) -> str:
    """Return a key in lower case, without underscores and the like."""
    return re.sub(r"[\W_]", "", str(key)[:100].lower())


def key_of(item: object, names: Sequence[str], *kinds: type) -> Any:
    """Return the key of an object that is one of some names, the first of them that is there.

    Args:
        item: An object, or anything else.
        names: The names, as in `KEYS`.
        kinds: The types that its value may have; any where there are none.

    Returns:
        The key; None if there is none.
    """
    if not isinstance(item, Mapping):
        return None
    by_name = {
        plain_key(key): key for key, value in item.items() if isinstance(value, kinds or object)
    }
    return next((by_name[name] for name in names if name in by_name), None)


STANDARD = "standard form"


@dataclass(frozen=True)
class StateChecks:
    """What is refused of belief states.

    Attributes:
        uses_states: Whether states are used: if not, what cannot be read of them is only remarked.
        without_states: How to do without states, where that is possible; a message ends with it.
        tracked: Whether states alone are read, as of trackers: every turn has one, and need not
            have a response.
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
        """Return what is refused of a tracker's states; beside gold of its own, names are free."""
        return cls(tracked=True, any_name=standard.has_gold_states)


STATE_CHECKS = StateChecks()


@dataclass(frozen=True)
class Standard:
    """Predictions in the standard form, their turns yet to be checked.

    Attributes:
        dialogues: Dialogue id -> turns.
        format: What the file was recognised as.
        remarks: The remarks on how it was read.
        find: Of a file that does not say which dialogues it is of, what finds them: given dialogue
            id -> what the user says, of a benchmark, it returns `dialogues`, which are empty till
            then; or raises an `InputError`. None where the file says it.
        packages: The package from outside that has the format -> its version.
        fields: Field -> the key or the place that it was read of, where that has another name.
    """

    dialogues: Mapping[Any, Any]
    format: str
    remarks: Sequence[Remark] = ()
    find: Callable[[Mapping[str, Sequence[str]]], Mapping[Any, Any]] | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_states_alone(self) -> bool:
        """Whether turns have states and none has a response, as of trackers."""
        if self.find is not None:
            return True
        turns = self._turns
        return any(STATE in turn for turn in turns) and not any(t.get(RESPONSE) for t in turns)

    @property
    def has_gold_states(self) -> bool:
        """Whether turns have gold states of their own."""
        return any(GOLD in turn for turn in self._turns)

    @property
    def _turns(self) -> list[Mapping[Any, Any]]:
        listed = (turns for turns in self.dialogues.values() if isinstance(turns, list))
        return [turn for of in listed for turn in of if isinstance(turn, Mapping)]

    def dialogues_among(self, users: Mapping[str, Sequence[str]]) -> Mapping[Any, Any]:
        """Return the dialogues, found among those of a benchmark if the file does not name them.

        Args:
            users: Dialogue id -> what the user says, one per system turn.

        Raises:
            InputError: Some turns belong to none of these dialogues.
        """
        return self.dialogues if self.find is None else self.find(users)


@dataclass(frozen=True)
class Format:
    """A format of predictions.

    Attributes:
        name: What messages call it.
        description: What it looks like and who writes it, in a sentence.
        recognises: Whether what a file holds is of this format, by its shape.
        read: Returns what the file holds in the standard form. It is given what messages call the
            file, and raises an `InputError` for what contradicts itself.
        rank: Its place among the formats that are tried.
        is_text: Whether a file's bytes are of this format, if its files are not JSON.
        parse: Returns what such a file holds, for `recognises` and `read`. It is
            given the bytes and what messages call the file, and raises an `InputError` where the
            file is damaged.
    """

    name: str
    description: str
    recognises: Callable[[object], bool]
    read: Callable[[Any, str], Standard]
    rank: int = 10
    is_text: Callable[[bytes], bool] = lambda content: False
    parse: Callable[[bytes, str], object] = parse_json

    def __post_init__(self) -> None:
        if self.is_text is not Format.is_text and self.parse is parse_json:
            raise ValueError("`is_text` needs `parse`")


def is_standard(content: object) -> bool:
    """Tell whether predictions are in the standard form beyond doubt: turns have its keys alone."""
    return isinstance(content, Mapping) and all(
        isinstance(turns, list)
        and all(
            (turn.__class__ is dict or isinstance(turn, Mapping)) and turn.keys() <= _KEYS
            for turn in turns
        )
        for turns in content.values()
    )


_KEYS = frozenset(TURN_KEYS)


def other_keys(content: object) -> str:
    """Say how to read what may be there by other keys, if there is anything."""
    if not content:
        return ""
    return "; if its keys have names of their own, give them by `mwz convert --key FIELD=KEY`"


# Reading a file.


@cache
def formats() -> tuple[Format, ...]:
    """Return all formats besides the standard form, in the order in which they are tried."""
    shape: Any = {**dict.fromkeys(("name", "description"), str), "rank": int, ...: Callable}
    every = declared(str(__package__), "FORMAT", Format, shape)
    return tuple(sorted(every, key=lambda format_: (format_.rank, format_.name)))


_PLAY_BEGINS = b'{"dialogue_id"'
"""How a file of `mwz play` begins."""

_PLAY_KEYS = (b'"trial": ', b'"agent": ', b'"outcome": ', b'"costs": ', b'"signature": ')
"""What its lines have; within a text, quotes are escaped."""


def is_play(content: bytes) -> bool:
    """Whether an (unpacked) file is one of `mwz play`, by its first line."""
    first = content.split(b"\n", 1)[0] if content.startswith(_PLAY_BEGINS) else b""
    return all(key in first for key in _PLAY_KEYS)


_BEGINNING = 100
"""How many bytes of a file are looked at to see whether it begins as a JSON object."""


def parse_predictions(content: bytes, source: str) -> object:
    """Parse a predictions file: JSON, JSON lines, or a text that a format knows.

    Args:
        content: The file, unpacked.
        source: What messages call it.

    Raises:
        InputError: The file cannot be parsed, or holds more than it may.
    """
    text_format = None
    # Nothing but JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        text_format = next((one for one in formats() if one.is_text(content)), None)
    # Every line of a text that is not JSON is a value, at least.
    marks = (b",", b"{", b"[") if text_format is None else (b",", b"\n")
    bounds = limits()
    # There are no more values than bytes.
    values = sum(map(content.count, marks)) if len(content) > bounds["values"] else 0
    # Most values of a play are what tools returned, and `mwz play` bounds its bytes.
    if values > bounds["values"] and not is_play(content):
        raise InputError(source, f"too large: {values:,} values; {limit_text(bounds, 'values')}")
    if text_format is not None:
        return text_format.parse(content, source)
    try:
        return parse_json(content, source)
    except InputError:
        lines = _json_lines(content, source)
        if lines is None:
            raise
        return lines


def _json_lines(content: bytes, source: str) -> list[object] | None:
    """Return what a file of JSON lines holds; None if it is another.

    Raises:
        InputError: One of its lines is not JSON.
    """
    rows: list[object] = []
    for number, line in enumerate(decoded(content, source).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            rows.append(parse_json(encoded(line), source))
        except InputError as error:
            # If not even the first is a line of JSON, the file is none of JSON lines.
            if not rows:
                return None
            raise InputError(source, f"line {number}: {'; '.join(error.problems)}") from None
    return rows if rows and isinstance(rows[0], dict | list) else None


def read_standard(content: bytes, source: str) -> Standard:
    """Return what an (unpacked) predictions file holds in the standard form.

    Raises:
        InputError: It cannot be parsed, or is of no known format.
    """
    return standard_form(parse_predictions(content, source), source)


def lasting_form(content: bytes, source: str, users: Mapping[str, Sequence[str]]) -> bytes:
    """Return a file in the standard form if only a package from outside reads it; else itself.

    Args:
        content: The (unpacked) file.
        source: What messages call it.
        users: As of `Standard.dialogues_among`.

    Raises:
        InputError: It cannot be read.
    """
    # Without such packages, to read it once more would take its time.
    standard = read_standard(content, source) if outside_versions(formats=formats()) else None
    if standard is None or not standard.packages:
        return content
    return encoded(to_json(standard.dialogues_among(users)))


def standard_form(content: object, source: str) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: What a file holds.
        source: What messages call it.

    Raises:
        InputError: The content is of no known format, or contradicts the one it is of.
    """
    if not is_standard(content):
        for format_ in formats():
            if format_.recognises(content):
                standard = format_.read(content, source)
                return replace(standard, packages=outside_versions(formats=[format_]))
    if isinstance(content, Mapping):
        # Any object that is nothing else is meant to be this.
        return Standard(content, STANDARD)
    problem = f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    raise InputError(source, f"{problem}{other_keys(content)}{_without_id(content)}")


def _without_id(content: object) -> str:
    """Say which keys the objects of a list have, none of which is a dialogue's id."""
    first = content[0] if isinstance(content, list) and content else None
    if not isinstance(first, Mapping):
        return ""
    keys = ", ".join(f"`{unquoted(key)}`" for key in [*first][:_LISTED])
    return f"; its items have {keys}, and no dialogue's id such as `dialogue_id`"


_LISTED = 8
"""How many keys a message lists."""


# Tables with one line per turn; the first line names the columns.
#
# Commas, tabs or semicolons separate them. In a table that DAMD or UBAR saves, whose first column
# is `dial_id`, titles and tables of figures may stand before that line (`DECODED RESULTS:`).

_HEADER = re.compile(r'^"?dial_id"?,', re.MULTILINE)
_COLUMN = re.compile(r"(?:# ?)?[A-Za-z_][\w .-]{0,40}")
_SEPARATORS = {",": "comma", "\t": "tab", ";": "semicolon"}
_SEARCHED = 100_000
"""In how many bytes at the beginning of a file the line of column names is looked for."""


def is_table(content: bytes) -> bool:
    """Return whether a file is a table, and not JSON."""
    start = content[:_SEARCHED]
    text = start.decode(json.detect_encoding(start), errors="replace")
    return _header(text.removeprefix("\ufeff")) is not None


def read_table(content: bytes, source: str) -> list[dict[str, str]]:
    """Return the rows of a table, each column's name -> text.

    Raises:
        InputError: The file is no text in UTF-8 or no such table.
    """
    text = decoded(content, source)
    start, separator = _header(text[:_SEARCHED]) or (0, ",")
    lines = io.StringIO(text, newline="")
    lines.seek(start)
    table = csv.DictReader(lines, delimiter=separator, strict=True)
    rows = []
    try:
        for row in table:
            # A cell beyond the columns would go unread, and so would what belongs before it.
            if None in row:
                raise csv.Error("more cells than columns; quote texts that hold the separator")
            # The index that pandas writes has no name.
            rows.append({name: cell for name, cell in row.items() if name})
    except csv.Error as error:
        line = text.count("\n", 0, start) + table.line_num
        kind = f"{_SEPARATORS[separator]}-separated values"
        raise InputError(source, f"line {line}: not a table of {kind} ({error})") from None
    return rows


def _header(text: str) -> tuple[int, str] | None:
    """Return where a table's line of column names begins and what separates them, if it is one."""
    if text.lstrip()[:1] in ("{", "["):
        return None
    header = _HEADER.search(text)
    if header is not None:
        return header.start(), ","
    line = text.lstrip("\r\n").split("\n", 1)[0].rstrip("\r")
    for separator in _SEPARATORS:
        # Names of columns and, in a table of pandas, the empty one of its index.
        # SUMBT's lines end with a separator.
        names = [name.strip('"') for name in line.removesuffix(separator).split(separator)]
        named = all(_COLUMN.fullmatch(name) for name in names[not names[0] :])
        if named and len(names) > 1 and len({*names}) == len(names):
            return len(text) - len(text.lstrip("\r\n")), separator
    return None
