"""DAMD's outputs and their like (UBAR, PPTOD, GALAXY): all turns of all dialogues, one by one.

A list of turns (JSON, or the lines of a table), each with its `dial_id`; or a list of such lists,
one per dialogue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...errors import Problems, shown
from ...io.files import kind_of
from .belief_spans import ID, has_belief_span, read_belief_spans
from .format import Format, Standard

NAME = "DAMD's list of turns"


def _lines(content: Sequence[Any]) -> Iterator[Any]:
    for line in content:
        if isinstance(line, list):
            yield from line
        else:
            yield line


def _recognises(content: object) -> bool:
    return isinstance(content, list) and any(
        has_belief_span(line) and ID in line for line in _lines(content)
    )


def _read(content: Sequence[Any], source: str) -> Standard:
    dialogues: dict[str, list[Any]] = {}
    problems = Problems()
    for number, line in enumerate(_lines(content)):
        id_ = line.get(ID) if isinstance(line, dict) else None
        if isinstance(id_, str):
            dialogues.setdefault(id_, []).append(line)
        elif isinstance(line, dict):
            problems.add(f"line {number}", f"`{ID}`: expected a dialogue's id, found {shown(id_)}")
        else:
            problems.add(f"line {number}", f"expected a turn, an object, found {kind_of(line)}")
    return read_belief_spans(dialogues, NAME, source, problems)


FORMAT = Format(
    name=NAME,
    description="A list of turns, each an object with `dial_id`, `turn_num`, `resp_gen` (or "
    "`resp`) and `bspn_gen` (or `bspn`), as JSON or as a table of comma-separated values: the "
    "outputs of DAMD, UBAR, PPTOD, GALAXY and what is built on them.",
    recognises=_recognises,
    read=_read,
)
