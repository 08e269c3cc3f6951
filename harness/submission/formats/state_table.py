"""Tables of belief states: a line per turn with its `id` and its `total_state`.

The `id` is the dialogue's id, a dash, and the number of the turn, counted from 1; `total_state` is
the predicted state as JSON. There are no responses: such files are a tracker's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import InputError, Problems, shown
from ...io.files import encoded, parse_json
from .format import Format, Standard

NAME = "table of belief states"
ID, STATE = "id", "total_state"

_ID = re.compile(r"(.+)-([1-9][0-9]{0,8})")


def _recognises(content: object) -> bool:
    return (
        isinstance(content, list)
        and bool(content)
        and all(isinstance(row, Mapping) and ID in row and STATE in row for row in content)
    )


def _read(content: Sequence[Mapping[str, Any]], source: str) -> Standard:
    numbered: dict[str, dict[int, dict[str, Any]]] = {}
    problems = Problems()
    for place, row in enumerate(content, start=1):
        found = _ID.fullmatch(row[ID]) if isinstance(row[ID], str) else None
        if found is None:
            problems.add(
                f"row {place}",
                f"`{ID}`: expected a dialogue's id, a dash and the turn's number from 1, found "
                f"{shown(row[ID])}",
            )
            continue
        id_, number = found[1], int(found[2])
        dialogue = f"dialogue {shown(id_)[1:-1]}"
        turns = numbered.setdefault(id_, {})
        if number in turns:
            problems.add(dialogue, f"turn {number} is there twice")
        turns[number] = {"state": _state(row[STATE], f"{dialogue}, turn {number}", problems)}
    for id_, turns in numbered.items():
        missing = next((n for n in range(1, len(turns) + 1) if n not in turns), None)
        if missing is not None:
            dialogue = f"dialogue {shown(id_)[1:-1]}"
            problems.add(dialogue, f"turn {missing} is missing; `{ID}` counts from 1")
    if problems:
        raise InputError(source, problems)
    dialogues = {id_: [turns[n] for n in sorted(turns)] for id_, turns in numbered.items()}
    return Standard(dialogues, f"{NAME} ({ID}, {STATE})")


def _state(written: object, place: str, problems: Problems) -> object:
    """Return a state that is written as JSON, its slots and values yet to be checked."""
    if not isinstance(written, str):
        # Rows that are written as JSON may hold the state itself.
        return written
    try:
        return parse_json(encoded(written), place)
    except InputError as error:
        for problem in error.problems:
            problems.add(place, f"`{STATE}`: {problem}")
        return None


FORMAT = Format(
    name=NAME,
    description="A table of comma-separated values with the columns `id`, a dialogue's id, a dash "
    "and the turn's number from 1, and `total_state`, the predicted state as JSON; for `mwz dst`.",
    recognises=_recognises,
    read=_read,
)
