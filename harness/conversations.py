"""Dialogues of any length in a predictions file: checked, and held against no benchmark."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from .errors import InputError
from .files import is_text, kind_of, read_json, shown_name
from .submission import turn_problems

Conversations: TypeAlias = "Mapping[str, Sequence[Mapping[str, Any]]]"
"""Dialogue id -> turns, each an object with `response`; further keys are kept as they are."""


def read_conversations(path: str | Path) -> Conversations:
    """Read dialogues (JSON, plain or gzipped; `-`: standard input) of any ids and lengths.

    Raises:
        InputError: The file cannot be read, or is not dialogue id -> turns.
    """
    source = shown_name(path)
    content = read_json(path)
    if not isinstance(content, dict) or not content:
        found = "no dialogues" if content == {} else kind_of(content)
        raise InputError(source, f"expected an object of dialogue id -> turns, found {found}")
    problems = list(_problems(content))
    if problems:
        raise InputError(source, problems)
    if not is_text(json.dumps(content, ensure_ascii=False)):
        raise InputError(source, "holds text that is not valid (one half of a surrogate pair)")
    conversations: Conversations = content
    return conversations


def _problems(content: Mapping[str, object]) -> Iterator[str]:
    for id_, turns in content.items():
        if not isinstance(turns, list):
            yield f"dialogue {id_}: expected a list of turns, found {kind_of(turns)}"
            continue
        for number, turn in enumerate(turns):
            for problem in turn_problems(turn):
                yield f"dialogue {id_}, turn {number}: {problem}"
            user = turn.get("user") if isinstance(turn, dict) else None
            if user is not None and not isinstance(user, str):
                yield (
                    f"dialogue {id_}, turn {number}: `user`: expected a string, "
                    f"found {kind_of(user)}"
                )
