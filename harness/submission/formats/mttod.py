"""MTTOD's outputs and their like (RSTOD, Mars, KRLS): dialogue id -> turns with belief spans.

The turns are a list, or an object by their numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import Problems, shown, unquoted
from ...io.files import kind_of
from .belief_spans import has_belief_span, read_belief_spans
from .format import Format, Standard, in_order

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
            if has_belief_span(turn):
                return True
            if isinstance(turn, Mapping) and "response" in turn:
                return False
    return False


def _read(content: Mapping[Any, Any], source: str) -> Standard:
    dialogues: dict[str, list[Any]] = {}
    problems = Problems()
    for written, dialogue in content.items():
        id_ = str(written)
        place = f"dialogue {unquoted(id_)}"
        if isinstance(dialogue, Mapping):
            numbered = _numbered(dialogue, place, problems)
            dialogues[id_] = in_order(numbered, place, problems)
        elif isinstance(dialogue, list):
            dialogues[id_] = dialogue
        else:
            problems.add(place, f"expected a list of turns, found {kind_of(dialogue)}")
    return read_belief_spans(dialogues, NAME, source, problems)


def _numbered(
    dialogue: Mapping[Any, Any], place: str, problems: Problems
) -> Iterator[tuple[int, Any]]:
    for key, turn in dialogue.items():
        text = str(key)
        if text.isascii() and text.isdigit() and len(text) < 9:
            yield int(text), turn
        else:
            problems.add(place, f"expected turn numbers as keys, found {shown(key)}")


FORMAT = Format(
    name=NAME,
    description="An object of dialogue id -> list of turns (or an object of them by number), each "
    "with `resp_gen` (or `resp`) and `bspn_gen` (or `bspn`): the outputs of MTTOD, RSTOD, Mars, "
    "KRLS and what is built on them.",
    recognises=_recognises,
    read=_read,
)
