"""What a format of predictions is, a kind of file that is not JSON, and the standard form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from ...errors import Problems
from ..remarks import Remark

_Turn = TypeVar("_Turn")


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


_KEYS = frozenset({"response", "state", "active_domains"})


def is_standard(content: object) -> bool:
    """Tell whether predictions are in the standard form beyond doubt: turns have its keys alone."""
    return isinstance(content, Mapping) and all(
        isinstance(turns, list)
        and all(isinstance(turn, Mapping) and turn.keys() <= _KEYS for turn in turns)
        for turns in content.values()
    )


def in_order(
    turns: Iterable[tuple[int, _Turn]], place: str, problems: Problems, first: int = 0
) -> list[_Turn]:
    """Return a dialogue's turns by their numbers.

    Args:
        turns: Each with its number.
        place: Where they are.
        problems: A number that is there twice or missing is added to them.
        first: The number of the first turn.
    """
    numbered: dict[int, _Turn] = {}
    for number, turn in turns:
        if number in numbered:
            problems.add(place, f"turn {number} is there twice")
        numbered[number] = turn
    missing = next((n for n in range(first, first + len(numbered)) if n not in numbered), None)
    if missing is not None:
        problems.add(place, f"turn {missing} is missing; turns are numbered from {first}")
    return [numbered[number] for number in sorted(numbered)]
