"""Dialogues with a language model as user, as TaahaKazi/user-agent has them (at 424ef68).

A line of JSON is a dialogue: `initial_message`, the goal's instructions to the user;
`conv_history`, messages of the roles `user_agent` and `tod_system`, and `thought`, what the user is
prompted with; and `result` and `feedback` of the authors' judge. Dialogues have no ids: their
instructions say which goal each is on.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ...errors import Findings, counted, refuse
from .arrangements import Arrangement
from .nesting import items_of
from .standard import RESPONSE, USER, Format, Standard

_MESSAGES, _INSTRUCTIONS = "conv_history", "initial_message"
_FIELDS = {"user_agent": USER, "tod_system": RESPONSE, "thought": None}
"""Role of a message -> the field of a turn that it is; None for what is not said."""

_TAG = re.compile(r"<[^<>]*>")


def plain_instructions(text: str) -> str:
    """Return a goal's instructions without HTML tags and with single blanks.

    >>> plain_instructions("You want  a <span class='emphasis'>taxi</span> ")
    'You want a taxi'
    """
    return " ".join(_TAG.sub("", text).split())


def _recognises(content: object) -> bool:
    # A file of one line is an object.
    first = next(items_of(content), None)
    return isinstance(first, Mapping) and first.keys() >= {_MESSAGES, _INSTRUCTIONS}


def _read(content: object, source: str) -> Standard:
    arrangement = Arrangement(source)
    problems = Findings()
    instructions: dict[str, str] = {}
    dialogues: dict[str, list[dict[str, str]]] = {}
    left_out: Counter[str] = Counter()
    for number, line in enumerate(items_of(content), start=1):
        id_ = f"line {number}"
        text = line.get(_INSTRUCTIONS) if isinstance(line, Mapping) else None
        messages = line.get(_MESSAGES) if isinstance(line, Mapping) else None
        if not isinstance(text, str) or not isinstance(messages, list):
            wanted = f"expected `{_INSTRUCTIONS}`, a string, and `{_MESSAGES}`, a list"
            problems.add(id_, wanted)
            continue
        instructions[id_] = plain_instructions(text)
        said: list[tuple[str, str]] = []
        for place, message in enumerate(messages):
            role = message.get("role") if isinstance(message, Mapping) else None
            words = message.get("content") if isinstance(message, Mapping) else None
            if isinstance(role, str) and role in _FIELDS and isinstance(words, str):
                said.append((role, words))
            else:
                wanted = f"expected a `role` of {', '.join(_FIELDS)}, and `content`, a string"
                problems.add(f"{id_}, message {place}", wanted)
        dialogues[id_] = _turns(said, left_out)
    refuse(source, problems)
    for what, count in left_out.items():
        arrangement.note(f"{counted(count, 'message')} {what}")
    arrangement.note("what `user_agent` says is the user's, what `tod_system` says the responses")
    fields = {USER: "what `user_agent` says", RESPONSE: "what `tod_system` says"}
    name = f"{USER_AGENT.name} ({_INSTRUCTIONS}, {_MESSAGES})"
    standard = arrangement.standard(dialogues, name, fields)
    return replace(standard, instructions=instructions)


def _turns(messages: Sequence[tuple[str, str]], treated: Counter[str]) -> list[dict[str, str]]:
    """Return the turns of a dialogue, a user's and the response each.

    Args:
        messages: Roles and what they say.
        treated: How messages were treated that are no turn of their own -> their number, counted
            up.
    """
    turns: list[dict[str, str]] = []
    for role, words in messages:
        field = _FIELDS[role]
        if field is None:
            treated[f"of `{role}` left out"] += 1
        elif field == USER and (not turns or RESPONSE in turns[-1]):
            turns.append({USER: words})
        elif not turns:
            treated[f"of `{role}` before the user's first left out"] += 1
        elif field in turns[-1]:
            turns[-1][field] += f" {words}"
            treated[f"of `{role}` joined to the one before"] += 1
        else:
            turns[-1][field] = words
    if turns and RESPONSE not in turns[-1]:
        treated["of the user at the end, without an answer, left out"] += 1
        turns.pop()
    return turns


USER_AGENT = Format(
    name="lines of user-agent",
    description="For `--free-running`: JSON lines with `initial_message`, the instructions to the "
    "user, and `conv_history`, messages of `user_agent` and `tod_system`. The goals are found by "
    "the instructions.",
    recognises=_recognises,
    read=_read,
)
