"""DAMD's log of the test set: its gold domain of every turn, and the state that it predicted.

The log prints the turns of one dialogue after another, without the dialogues' ids and in an order
of its own. What the user says identifies a dialogue: DAMD's preprocessing writes
numbers as digits and takes contractions apart, so that texts are similar rather than equal.

`constraint_dict` is the predicted state, but `resp turn` is the response of the data set, in all
7354 turns DAMD's reference to the letter: as a system's outputs the log is a tracker's.

Source: Zhang et al. (2020), "Task-Oriented Dialog Systems that Consider Multiple Appropriate
Responses under the Same Context"; the log is in MinTL's repository.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from rapidfuzz import fuzz, process

from ...errors import InputError, shown
from .standard import RESPONSE, STATE, Format, Standard

_FIELDS = ("constraint_dict", "user turn", "resp turn", "pred_domains", "true_domains")
_LINE = re.compile(rf"({'|'.join(_FIELDS)}):(.*)")

_SEARCHED = 100_000
"""In how many bytes at the beginning of a file a turn is looked for."""

_CANDIDATES = 10
"""Dialogues with the most similar first turn, which are compared whole."""

_COMPARED = 1000
"""Characters of a user turn that are compared; none of MultiWOZ's is as long."""

_SIMILAR = 80.0
"""The mean similarity of user turns, in percent, from which dialogues are the same.

On the public log the right dialogue has 93.9 or more. Of two pairs of dialogues, nearly the same to
the word, the other has up to 99.3 and is still the less similar; elsewhere it has 69.9 at most.
"""


GOLD_DOMAINS = "gold_domains"
"""The key of a turn's domains as DAMD's data has them, in what is read of a log."""


def _parse(content: bytes, source: str) -> list[dict[str, Any]]:
    """Return the turns of a log, in its order; lines about the model are passed over.

    Returns:
        Per turn `line`, the number of the line that begins it, from 1; `user`, what the user said,
        as DAMD preprocessed it; `response`, the data set's; `state`, as predicted; and
        `gold_domains`.

    Raises:
        InputError: A turn is incomplete or a line of it is not as DAMD writes it.
    """
    lines = enumerate(content.decode(errors="replace").splitlines(), start=1)
    matches = [(number, match) for number, line in lines if (match := _LINE.fullmatch(line))]
    turns = []
    for at in range(0, len(matches), len(_FIELDS)):
        of_turn = matches[at : at + len(_FIELDS)]
        fields = {match[1]: match[2] for _, match in of_turn}
        start, end = of_turn[0][0], of_turn[-1][0]
        if tuple(fields) != _FIELDS:
            expected = ", ".join(f"`{name}:`" for name in _FIELDS)
            raise InputError(source, f"line {start}: expected {expected}, in this order")
        domains = _read_dict(fields["true_domains"], source, end)
        turns.append(
            {
                "line": start,
                "user": fields["user turn"],
                RESPONSE: fields["resp turn"],
                STATE: _read_dict(fields["constraint_dict"], source, start),
                GOLD_DOMAINS: [name.strip("[]") for name in domains],
            }
        )
    return turns


def _read_dict(text: str, source: str, line: int) -> dict[str, Any]:
    try:
        value = ast.literal_eval(text)
    except (TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
        # A list or dictionary as a key is a type error.
        value = None
    if not isinstance(value, dict) or not _has_names(value):
        raise InputError(source, f"line {line}: expected a Python dictionary, found {shown(text)}")
    return value


def _has_names(value: object) -> bool:
    """Whether all keys of a dictionary, and of those in it, are texts."""
    return not isinstance(value, dict) or all(
        isinstance(key, str) and _has_names(inside) for key, inside in value.items()
    )


def _dialogues(
    turns: Sequence[Mapping[str, Any]], source: str, users: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[Mapping[str, Any]]]:
    """Return the logged turns of each dialogue found: dialogue id -> one per system turn.

    Args:
        turns: All turns of the log, in its order.
        source: What messages call the log.
        users: Dialogue id -> what the user says, one per system turn.

    Raises:
        InputError: A turn of the log begins none of the dialogues.
    """
    opening = {id_: _plain(texts[0]) for id_, texts in users.items() if texts}
    plain = {id_: [_plain(text) for text in users[id_]] for id_ in opening}
    logged = [_plain(turn["user"]) for turn in turns]
    dialogues: dict[str, Sequence[Mapping[str, Any]]] = {}
    place = 0
    while place < len(turns):
        id_ = _most_similar(logged, place, opening, plain)
        if id_ is None:
            turn = turns[place]
            problem = f"begins no whole dialogue of the test set: {shown(turn['user'])}"
            raise InputError(source, f"line {turn['line']}: {problem}")
        count = len(plain[id_])
        dialogues[id_] = [
            {STATE: turn[STATE], GOLD_DOMAINS: turn[GOLD_DOMAINS]}
            for turn in turns[place : place + count]
        ]
        del opening[id_]
        place += count
    return dialogues


def _most_similar(
    logged: Sequence[str],
    place: int,
    opening: Mapping[str, str],
    users: Mapping[str, Sequence[str]],
) -> str | None:
    """Return the dialogue that begins at a place of the log; None if none does."""
    begun = process.extract(logged[place], opening, scorer=fuzz.ratio, limit=_CANDIDATES)
    rated = []
    for _, _, id_ in begun:
        texts = logged[place : place + len(users[id_])]
        if len(texts) == len(users[id_]):
            pairs = zip(texts, users[id_], strict=True)
            rated.append(
                (sum(fuzz.ratio(ours, theirs) for ours, theirs in pairs) / len(texts), id_)
            )
    similarity, best = max(rated, default=(0.0, ""))
    return best if similarity >= _SIMILAR else None


def _plain(text: str) -> str:
    """Return a text without what DAMD's preprocessing changes most: case, marks, suffixes."""
    return " ".join(re.sub(r" -(s|ly)\b", r"\1", text[:_COMPARED].lower()).split())


def _is_text(content: bytes) -> bool:
    return all(f"\n{field}:".encode() in content[:_SEARCHED] for field in _FIELDS)


def _recognises(content: object) -> bool:
    first = next(iter(content), None) if isinstance(content, list) else None
    return isinstance(first, Mapping) and GOLD_DOMAINS in first


def _read(content: Sequence[Mapping[str, Any]], source: str) -> Standard:
    return Standard({}, FORMAT.name, find=partial(_dialogues, content, source))


FORMAT = Format(
    name="DAMD's log",
    description="What DAMD prints of the test set, for `mwz dst`: `constraint_dict:`, the tracked "
    "state, `user turn:`, `resp turn:` and domains of one turn after another. The dialogues are "
    "found by what the user says.",
    recognises=_recognises,
    read=_read,
    is_text=_is_text,
    parse=_parse,
)
