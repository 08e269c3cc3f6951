"""Plain English that files hold beside delexicalised responses, as TD-Eval's `lex_response`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputError, Remark, unquoted
from .formats.standard import KEYS, PLAIN, RESPONSE, Standard, key_of


def plain_form(standard: Standard, source: str) -> Standard:
    """Return predictions with their responses in plain English, where turns hold these besides.

    Args:
        standard: The predictions. Those whose turns hold one response each are returned as they
            are.
        source: What messages call them.

    Raises:
        InputError: Some turns hold their response in plain English, and others do not.
    """
    keys = {place: _plain_key(turn) for place, turn in _turns(standard.dialogues)}
    key = next(filter(None, keys.values()), None)
    if key is None:
        return standard
    lacking = [place for place, its_key in keys.items() if its_key is None]
    if lacking:
        id_, number = lacking[0]
        problem = f"no `{unquoted(key)}`, as in {len(lacking)} of {len(keys)} turns"
        remedy = "give it in every turn, or in none"
        raise InputError(source, f"dialogue {unquoted(id_)}, turn {number}: {problem}; {remedy}")
    dialogues = {
        id_: [*map(_in_plain_english, turns)] if isinstance(turns, list) else turns
        for id_, turns in standard.dialogues.items()
    }
    message = f"read `{unquoted(key)}` as `{RESPONSE}`: it is the one in plain English"
    remark = Remark("format", message, warning=False)
    return replace(standard, dialogues=dialogues, remarks=[*standard.remarks, remark])


def _turns(dialogues: Mapping[Any, Any]) -> Iterator[tuple[tuple[Any, int], Mapping[Any, Any]]]:
    """Yield the turns of predictions, each after its dialogue's id and its number."""
    for id_, turns in dialogues.items():
        for number, turn in enumerate(turns if isinstance(turns, list) else ()):
            # Any other is refused when turns are checked.
            if isinstance(turn, Mapping):
                yield (id_, number), turn


def _plain_key(turn: object) -> Any:
    """Return the key by which a turn holds its response in plain English; None without one."""
    return key_of(turn, KEYS[PLAIN], str)


def _in_plain_english(turn: Any) -> Any:
    """Return a turn whose response is the one in plain English."""
    key = _plain_key(turn)
    if key is None:
        return turn
    others = {name: value for name, value in turn.items() if name not in (key, RESPONSE)}
    return {RESPONSE: turn[key], **others}
