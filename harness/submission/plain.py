"""Plain English that files hold beside delexicalised responses, as TD-Eval's `lex_response`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..errors import InputError, Remark, unquoted
from .formats.standard import KEYS, PLAIN, RESPONSE, Standard, key_of


def plain_form(standard: Standard, source: str) -> Standard:
    """Return predictions whose responses are the ones in plain English that turns also hold.

    Args:
        standard: The predictions. If no turn has a second response in plain English, they are
            returned as they are.
        source: What messages call them.

    Raises:
        InputError: Some turns hold a response in plain English, and others do not.
    """
    key: Any = None
    lacking = ""
    turns_in_all = turns_without = 0
    for id_, turns in standard.dialogues.items():
        # What is neither a list nor a mapping is refused when turns are checked.
        for number, turn in enumerate(turns if isinstance(turns, list) else ()):
            if not isinstance(turn, Mapping):
                continue
            turns_in_all += 1
            plain_key = key_of(turn, KEYS[PLAIN], str)
            key = key or plain_key
            if plain_key is None:
                turns_without += 1
                lacking = lacking or f"dialogue {unquoted(id_)}, turn {number}"
    if key is None:
        return standard
    if turns_without:
        problem = f"no `{unquoted(key)}`, as in {turns_without} of {turns_in_all} turns"
        raise InputError(source, f"{lacking}: {problem}; give it in every turn, or in none")
    dialogues: dict[Any, Any] = {}
    for id_, turns in standard.dialogues.items():
        is_list = isinstance(turns, list)
        dialogues[id_] = [_in_plain_english(turn) for turn in turns] if is_list else turns
    message = f"read `{unquoted(key)}` as `{RESPONSE}`: it is the one in plain English"
    remark = Remark("format", message, warning=False)
    return replace(standard, dialogues=dialogues, remarks=[*standard.remarks, remark])


def _in_plain_english(turn: Any) -> Any:
    """Return a turn whose response is the one in plain English, if it has such a response."""
    key = key_of(turn, KEYS[PLAIN], str)
    if key is None:
        return turn
    plain = {RESPONSE: turn[key]}
    for name, value in turn.items():
        if name not in (key, RESPONSE):
            plain[name] = value
    return plain
