"""What a format of predictions is, a kind of file that is not JSON, and the standard form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import Problems
from ..remarks import Remark

_Turn = TypeVar("_Turn")

RESPONSE = "response"
STATE = "state"
ACTIVE_DOMAINS = "active_domains"
USER = "user"
"""What the user said before; kept for free-running dialogues."""


@dataclass(frozen=True)
class Reading:
    """How predictions are read.

    Attributes:
        response_key: The key of responses, in place of `response`.
        state_key: The key of belief states, in place of `state`.
        turns_key: The key of a dialogue's turns.
        id_key: The key of a dialogue's id.
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
        """The key in the file -> what it is read as."""
        named = {
            self.response_key: RESPONSE,
            self.state_key: STATE,
            self.turns_key: "turns",
            self.id_key: "dialogue_id",
        }
        return {key: meant for key, meant in named.items() if key is not None}


READING = Reading()


class Rows(list[Any]):
    """What a file that is not one JSON document holds: a line or a row each.

    Args:
        rows: The rows.
        kind: What messages call such a file.
    """

    def __init__(self, rows: Iterable[Any], kind: str) -> None:
        super().__init__(rows)
        self.kind = kind


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
    """

    name: str
    description: str
    recognises: Callable[[object], bool]
    read: Callable[[Any, str], Standard]
    rank: int = 10


@dataclass(frozen=True)
class TextFile:
    """A kind of predictions file that is not JSON.

    Attributes:
        recognises: Whether a file's bytes are of this kind.
        parse: Returns what the file holds, as JSON types, for a `Format` to recognise. It is given
            the bytes and what messages call the file, and raises an `InputError` where the file is
            damaged.
    """

    recognises: Callable[[bytes], bool]
    parse: Callable[[bytes, str], object]


STANDARD = "standard form"

FORMAT = Format(
    name=STANDARD,
    description="An object of dialogue id -> list of turns, one per system turn, each an object "
    "with `response` and optionally `state` and `active_domains`.",
    recognises=lambda content: isinstance(content, Mapping),
    read=lambda content, source: Standard(content, STANDARD),
    # Any object that is nothing else is meant to be this.
    rank=100,
)


_KEYS = frozenset({RESPONSE, STATE, ACTIVE_DOMAINS})


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


def in_order(
    turns: Iterable[tuple[int, _Turn]],
    place: str,
    problems: Problems,
    first: int = 0,
    step: int = 1,
) -> list[_Turn]:
    """Return a dialogue's turns by their numbers.

    Args:
        turns: Each with its number.
        place: Where they are.
        problems: A number that is there twice or missing is added to them.
        first: The number of the first turn.
        step: What the next one's is more.
    """
    numbered: dict[int, _Turn] = {}
    for number, turn in turns:
        if number in numbered:
            problems.add(place, f"turn {number} is there twice")
        numbered[number] = turn
    expected = range(first, first + step * len(numbered), step)
    missing = next((n for n in expected if n not in numbered), None)
    if missing is not None:
        problems.add(place, f"turn {missing} is missing; turns are numbered from {first}")
    return [numbered[number] for number in sorted(numbered)]
