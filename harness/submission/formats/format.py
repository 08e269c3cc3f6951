"""What a format of predictions is, how predictions are read, and the standard form."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...io.files import parse_json
from ..remarks import Remark

RESPONSE = "response"
STATE = "state"
ACTIVE_DOMAINS = "active_domains"
TURN_KEYS = (RESPONSE, STATE, ACTIVE_DOMAINS)
USER = "user"
"""What the user said before; kept for free-running dialogues."""

STANDARD = "standard form"


@dataclass(frozen=True)
class Reading:
    """How predictions are read.

    Attributes:
        response_key: The key of responses, if it is none of those that are known.
        state_key: The key of belief states, likewise.
        turns_key: The key of a dialogue's turns, likewise.
        id_key: The key of a dialogue's id, likewise.
        strict_states: Whether a state may only hold known names and strings.
        uses_states: Whether states are used: if not, what cannot be read of them is only remarked.
        without_states: How to do without states, where that is possible; a message ends with it.
    """

    response_key: str | None = None
    state_key: str | None = None
    turns_key: str | None = None
    id_key: str | None = None
    strict_states: bool = False
    uses_states: bool = True
    without_states: str = ""

    @property
    def keys(self) -> dict[str, str]:
        """What a key stands for -> the key, of those that are named."""
        named = {
            RESPONSE: self.response_key,
            STATE: self.state_key,
            "turns": self.turns_key,
            "id": self.id_key,
        }
        return {role: key for role, key in named.items() if key is not None}


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
