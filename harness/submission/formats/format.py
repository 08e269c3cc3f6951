"""What a format of predictions is, what keys are called, and the standard form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from ...errors import unquoted
from ...io.files import parse_json
from ..remarks import Remark

RESPONSE = "response"
STATE = "state"
ACTIVE_DOMAINS = "active_domains"
TURN_KEYS = (RESPONSE, STATE, ACTIVE_DOMAINS)
USER = "user"
"""What the user said before; kept for free-running dialogues."""

Keys: TypeAlias = "Mapping[str, Sequence[str]]"

KEYS: Keys = {
    "wrapper": ("results", "predictions", "outputs", "dialogues", "dialogs", "generations", "data"),
    "id": (
        *("dialogueid", "dialogid", "dialid", "conversationid", "dialogue", "dialog"),
        *("filename", "id"),
    ),
    "turns": (
        *("turns", "log", "messages", "dialogue", "dialog", "conversation", "conversations"),
        *("utterances", "responses"),
    ),
    "number": (
        *("turn", "turnid", "turnnum", "turnidx", "turnindex", "turnnumber", "turnno", "trunnum"),
    ),
    "speaker": ("speaker", "role", "from"),
    "text": ("response", "content", "text", "utterance", "value"),
    RESPONSE: (
        *("response", "generatedresponse", "predictedresponse", "systemresponse", "respgen"),
        *("generated", "generatedtext", "generation", "prediction", "modeloutput", "output"),
        *("answer", "reply", "delexresp", "delex", "resp", "system", "utterance", "text"),
    ),
    STATE: (
        *("state", "states", "beliefstate", "beliefstates", "belief", "beliefs", "bs"),
        *("predictedstate", "predictedstates", "predstate", "stategen", "bspngen", "bspn"),
        *("dialoguestate", "dialogstate", "totalstate", "slotvalues"),
    ),
    ACTIVE_DOMAINS: ("activedomains", "activedomain", "predicteddomains", "domains"),
}
"""What a key stands for -> the keys that do, in lower case without underscores and the like; the
first that is there counts."""


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
    there = {
        plain_key(key): key for key, value in item.items() if isinstance(value, kinds or object)
    }
    return next((there[name] for name in names if name in there), None)


STANDARD = "standard form"


@dataclass(frozen=True)
class Reading:
    """What is refused of belief states.

    Attributes:
        strict_states: Whether a state may only hold known names and strings.
        uses_states: Whether states are used: if not, what cannot be read of them is only remarked.
        without_states: How to do without states, where that is possible; a message ends with it.
    """

    strict_states: bool = False
    uses_states: bool = True
    without_states: str = ""


READING = Reading()


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
    """

    dialogues: Mapping[Any, Any]
    format: str
    remarks: Sequence[Remark] = ()
    find: Callable[[Mapping[str, Sequence[str]]], Mapping[Any, Any]] | None = None

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
        parse: Returns what such a file holds, as JSON types, for `recognises` and `read`. It is
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


def turns_hint(dialogue: object) -> str:
    """Say how to read the turns of a dialogue that is an object, if it has some."""
    if isinstance(dialogue, Mapping):
        for key, value in dialogue.items():
            if isinstance(value, list) and isinstance(next(iter(value), None), Mapping):
                name = unquoted(key)
                return f"; if they are in `{name}`, read it by mwz convert --turns-key {name}"
    return ""
