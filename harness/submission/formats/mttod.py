"""MTTOD's outputs and their like (RSTOD, Mars, KRLS): dialogue id -> the family's turns.

The turns are a list, or an object by their numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import InputError, Problems, shown
from ...io.files import kind_of
from .family import is_family_turn, read_family
from .format import Format, Standard

NAME = "MTTOD's turns by dialogue"


def _turns(dialogue: object) -> list[Any]:
    if isinstance(dialogue, Mapping):
        return list(dialogue.values())
    return dialogue if isinstance(dialogue, list) else []


def _recognises(content: object) -> bool:
    if not isinstance(content, Mapping):
        return False
    for dialogue in content.values():
        for turn in _turns(dialogue):
            # The first turn that has a response decides.
            if is_family_turn(turn):
                return True
            if isinstance(turn, Mapping) and "response" in turn:
                return False
    return False


def _read(content: Mapping[Any, Any], source: str) -> Standard:
    dialogues: dict[str, list[Any]] = {}
    problems = Problems()
    for written, dialogue in content.items():
        id_ = str(written)
        place = f"dialogue {shown(id_)[1:-1]}"
        if isinstance(dialogue, Mapping):
            dialogues[id_] = _by_number(dialogue, place, problems)
        elif isinstance(dialogue, list):
            dialogues[id_] = dialogue
        else:
            problems.add(place, f"expected a list of turns, found {kind_of(dialogue)}")
    if problems:
        raise InputError(source, problems)
    return read_family(dialogues, NAME, source)


def _by_number(dialogue: Mapping[Any, Any], place: str, problems: Problems) -> list[Any]:
    """Return the turns of an object by their numbers, in order."""
    numbered: dict[int, Any] = {}
    for key, turn in dialogue.items():
        text = str(key)
        if not (text.isascii() and text.isdigit() and len(text) < 9):
            problems.add(place, f"expected turn numbers as keys, found {shown(key)}")
        elif int(text) in numbered:
            problems.add(place, f"turn {int(text)} is there twice")
        else:
            numbered[int(text)] = turn
    if any(number not in numbered for number in range(len(numbered))):
        problems.add(place, "expected turns by their numbers, from 0, none missing")
    return [numbered[number] for number in sorted(numbered)]


FORMAT = Format(
    name=NAME,
    description="An object of dialogue id -> list of turns (or an object of them by number), each "
    "with `resp_gen` (or `resp`) and `bspn_gen` (or `bspn`): the outputs of MTTOD, RSTOD, Mars, "
    "KRLS and what is built on them.",
    recognises=_recognises,
    read=_read,
)
