"""The standard form of predictions, the parts of a format, and reading a file of any format.

The standard form maps dialogue id -> list of turns, each with `response` and optionally `state`
and `active_domains`. `formats.py` lists the formats that are read into it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import blamed, package_versions

from ...benchmark import Benchmark
from ...errors import InputError, Remark, unquoted
from ...io import (
    decoded,
    encoded,
    kind_of,
    limit_text,
    limits,
    parse_json,
    read_bytes,
    shown_name,
    to_json,
)
from .. import formats

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
        instructions: Dialogue id of the file -> the instructions of its goal, in plain text, where
            these say which goal it is on; empty if ids do.
    """

    dialogues: Mapping[Any, Any]
    format: str
    remarks: Sequence[Remark] = ()
    find: Callable[[Mapping[str, Sequence[str]]], Mapping[Any, Any]] | None = None
    packages: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)
    instructions: Mapping[str, str] = field(default_factory=dict)

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
    dialogues: dict[str, object] = {}
    for id_, turns in standard.dialogues.items():
        dialogues[id_] = turns
        if not isinstance(turns, list):
            # This is refused when turns are checked, and so is a turn that is no object.
            continue
        plain_turns: list[object] = []
        dialogues[id_] = plain_turns
        for number, turn in enumerate(turns):
            plain_turn = turn
            own_key = key_of(turn, KEYS[PLAIN], str)
            turns_in_all += isinstance(turn, Mapping)
            if own_key is not None:
                key = key or own_key
                plain_turn = {RESPONSE: turn[own_key]}
                for name, value in turn.items():
                    if name not in (own_key, RESPONSE):
                        plain_turn[name] = value
            elif isinstance(turn, Mapping):
                turns_without += 1
                lacking = lacking or f"dialogue {unquoted(id_)}, turn {number}"
            plain_turns.append(plain_turn)
    if key is None:
        return standard
    if turns_without:
        problem = f"no `{unquoted(key)}`, as in {turns_without} of {turns_in_all} turns"
        raise InputError(source, f"{lacking}: {problem}; give it in every turn, or in none")
    message = f"read `{unquoted(key)}` as `{RESPONSE}`: it is the one in plain English"
    remark = Remark("format", message, warning=False)
    return replace(standard, dialogues=dialogues, remarks=[*standard.remarks, remark])


# Reading a file of any format.

_BEGINNING = 100
"""How many bytes of a file are examined to see whether it begins as a JSON object."""

_JSON_SEPARATORS = (b",", b"{", b"[")
"""Each value of a JSON text, except the outermost, follows one of these."""

_TEXT_SEPARATORS = (b",", b"\n")
"""Each line of a text that is not JSON holds at least one value."""

_PLAY_START = b'{"dialogue_id"'
"""How a file of `mwz play` begins."""

_PLAY_KEYS = (b'"trial": ', b'"agent": ', b'"outcome": ', b'"costs": ', b'"signature": ')
"""What its lines contain; within a text, quotes are escaped."""

_SHOWN_KEYS = 8
"""How many keys a message lists."""


def is_play(content: bytes) -> bool:
    """Return whether an (unpacked) file is one of `mwz play`, judging by its first line."""
    if not content.startswith(_PLAY_START):
        return False
    first_line = content.split(b"\n", 1)[0]
    return all(key in first_line for key in _PLAY_KEYS)


def parse_predictions(content: bytes, source: str) -> object:
    """Parse a predictions file: JSON, JSON lines, or a text that a format knows.

    Args:
        content: The file, unpacked.
        source: What messages call it.

    Raises:
        InputError: The file cannot be parsed, or holds more than it may.
    """
    bounds = limits()
    text_format = None
    # Only JSON begins as an object.
    if not content[:_BEGINNING].lstrip().startswith(b"{"):
        known = formats.known_formats()
        text_format = next((format_ for format_ in known if format_.is_text(content)), None)
    # There are no more values than bytes.
    if len(content) > bounds["values"]:
        separators = _JSON_SEPARATORS if text_format is None else _TEXT_SEPARATORS
        values = sum(map(content.count, separators))
        # Most values of a play are what tools returned, and `mwz play` limits its bytes.
        if values > bounds["values"] and not is_play(content):
            limit = limit_text(bounds, "values")
            raise InputError(source, f"too large: {values:,} values; {limit}")
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
    """Return the rows of a file of JSON lines; None if the file is something else.

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
            if not rows:
                # Since its first line is not JSON, the file is not meant as JSON lines.
                return None
            raise InputError(source, f"line {number}: {'; '.join(error.problems)}") from None
    return rows if rows and isinstance(rows[0], dict | list) else None


def read_standard(content: bytes, source: str) -> Standard:
    """Return an (unpacked) predictions file in the standard form.

    Raises:
        InputError: The file cannot be parsed, or has no known format.

    >>> read_standard(b'[{"id": "sng0073", "turns": ["Hello."]}]', "outputs.json").dialogues
    {'sng0073': [{'response': 'Hello.'}]}
    """
    return standard_form(parse_predictions(content, source), source)


def lasting_form(content: bytes, source: str, users: Mapping[str, Sequence[str]]) -> bytes:
    """Return a file in the standard form if only another package can read it; else unchanged.

    Args:
        content: The (unpacked) file.
        source: What messages call it.
        users: The user's utterances, as for `Standard.dialogues_among`.

    Raises:
        InputError: The file cannot be read.
    """
    # Reading takes long, so the file is read only if other packages declare formats.
    if not package_versions(formats=formats.known_formats()):
        return content
    standard = read_standard(content, source)
    if not standard.packages:
        return content
    return encoded(to_json(standard.dialogues_among(users)))


def standard_form(content: object, source: str) -> Standard:
    """Return predictions in the standard form, its turns yet to be checked.

    Args:
        content: The content of a file, parsed.
        source: What messages call it.

    Raises:
        InputError: The content has no known format, or contradicts the one that it has.
    """
    if not is_standard(content):
        for format_ in formats.known_formats():
            if format_.recognises(content):
                standard = format_.read(content, source)
                with blamed("formats", format_):
                    return replace(standard, packages=package_versions(formats=[format_]))
    if isinstance(content, Mapping):
        # An object that no format recognises is meant to be the standard form.
        return Standard(content, STANDARD)
    problem = f"expected an object of dialogue id -> list of turns, found {kind_of(content)}"
    problem += other_keys(content)
    first = content[0] if isinstance(content, list) and content else None
    if isinstance(first, Mapping):
        keys = ", ".join(f"`{unquoted(key)}`" for key in list(first)[:_SHOWN_KEYS])
        problem += f"; its items have {keys}, and no dialogue's id such as `dialogue_id`"
    raise InputError(source, problem)


def read_predictions(path: str | Path) -> Standard:
    """Read a predictions file whose benchmark is not known yet; its turns are not checked.

    Raises:
        InputError: The file cannot be read, or is of no known format.
    """
    return read_standard(read_bytes(path), shown_name(path))


def load_predictions(
    path: str | Path, benchmark: Benchmark | None = None
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """Read a predictions file of any format, as `Scorer.score` takes predictions.

    Args:
        path: The file, plain or gzipped.
        benchmark: The benchmark that has the dialogues; some formats do not name them.

    Returns:
        Dialogue id -> turns, as they are written. They are not checked; scoring checks them.

    Raises:
        InputError: The file cannot be read, is of no known format, or its dialogues are not found.

    >>> from pathlib import Path
    >>> file = Path("answers.json")
    >>> _ = file.write_text('[{"id": "town001", "turns": ["Hello."]}]')
    >>> load_predictions(file)
    {'town001': [{'response': 'Hello.'}]}
    """
    standard = read_predictions(path)
    if standard.find is not None and benchmark is None:
        problem = (
            f"files of {standard.format} do not name their dialogues; give the benchmark as well"
        )
        raise InputError(shown_name(path), problem)
    return standard.dialogues_among({} if benchmark is None else benchmark.users)
