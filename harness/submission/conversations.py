"""Dialogues of any length in a predictions file, checked without a benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError, Problems, unquoted
from ..io.files import Limits, is_text, kind_of, limits, read_bytes, shown_name
from .checking import response_problems
from .formats import READING, Reading, Standard, read_standard
from .formats.format import USER
from .remarks import Remark

Conversations: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
"""Dialogue id -> turns, each an object with `response`; further keys are kept as they are."""


def read_conversations(
    path: str | Path, reading: Reading = READING
) -> tuple[Conversations, Sequence[Remark]]:
    """Read dialogues (`-`: standard input) of any ids and lengths, and what there is to say of it.

    Raises:
        InputError: The file cannot be read, is too large, or is not dialogue id -> turns; with
            every place.
    """
    source = shown_name(path)
    standard = read_standard(read_bytes(path, limits()), source, reading)
    return checked_conversations(standard, source), standard.remarks


def checked_conversations(standard: Standard, source: str) -> Conversations:
    """Return dialogues of any ids and lengths.

    Raises:
        InputError: They are too many, or some are malformed; with every place.
    """
    bounds, dialogues = limits(), standard.dialogues
    problems = Problems()
    if not dialogues:
        problems.add("", "no dialogues; expected an object of dialogue id -> list of turns")
    if len(dialogues) > bounds.dialogues:
        problems.add("", f"{len(dialogues):,} dialogues; {bounds.told('dialogues')}")
    for id_, turns in dialogues.items():
        place = f"dialogue {unquoted(id_)}"
        if not isinstance(turns, Sequence) or isinstance(turns, str):
            problems.add(place, f"expected a list of turns, found {kind_of(turns)}")
        elif len(turns) > bounds.turns:
            problems.add(place, f"{len(turns):,} turns; {bounds.told('turns')}")
        else:
            for number, turn in enumerate(turns):
                for problem in _turn_problems(turn, bounds):
                    problems.add(f"{place}, turn {number}", problem)
    if problems:
        raise InputError(source, problems)
    if not is_text(json.dumps(dialogues, ensure_ascii=False)):
        raise InputError(source, "holds text that is not valid, half of a surrogate pair")
    return dialogues


def _turn_problems(turn: object, bounds: Limits) -> Iterator[str]:
    if not isinstance(turn, Mapping):
        yield f"expected an object with `response`, found {kind_of(turn)}"
        return
    yield from response_problems(turn, bounds)
    user = turn.get(USER)
    if user is not None and not isinstance(user, str):
        yield f"`user`: expected a string, found {kind_of(user)}"
