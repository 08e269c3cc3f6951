"""What users choose of the venues that responses list: `[choices]` in `requested.toml` has words.

A user chooses by a name, a train's id or time, or a place in the list that was just given, in a
statement, or in a question with words that choose ("can you book X?"; not "is X expensive?").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeAlias

from .facts import tables, whole_words

Mentions: TypeAlias = Sequence[frozenset[str]]
"""The ids that each venue named in a response may have."""

_PLACES = {"first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "former": 0}


def deciding_mentions(
    mentions: Sequence[Mentions],
    users: Sequence[str | None],
    mentions_in: Callable[[str], Mentions],
) -> Mentions:
    """Return the venues that decide whether a domain is matched: those named last, or chosen.

    What is chosen stays so as long as responses that name venues name it among them.

    Args:
        mentions: The venues of the domain that each response names.
        users: What the user says before each, as far as that is known.
        mentions_in: Returns the venues of the domain that a text names.
    """
    deciding: Mentions = ()
    choice: Mentions = ()
    named: list[frozenset[str]] = []
    for turn, mentioned in enumerate(mentions):
        listed = list(dict.fromkeys(mentions[turn - 1])) if turn else []
        text = users[turn] if turn < len(users) else None
        chosen = _chosen(text or "", named, listed, mentions_in)
        if chosen:
            deciding = choice = chosen
        stays = any(first & second for first in choice for second in mentioned)
        if mentioned and not stays:
            deciding, choice = mentioned, ()
        named += mentioned
    return deciding


def _chosen(
    text: str,
    named: Sequence[frozenset[str]],
    listed: Sequence[frozenset[str]],
    mentions_in: Callable[[str], Mentions],
) -> list[frozenset[str]]:
    """Return the venues that a user chooses; none if it chooses none.

    Args:
        text: What the user says.
        named: The venues that responses have named.
        listed: Those that the response before names, in its order.
        mentions_in: Returns the venues of the domain that a text names.
    """
    chosen: list[frozenset[str]] = []
    for clause in _choosing_clauses(text) if named else ():
        for meant in mentions_in(clause):
            chosen += [venue for venue in named if venue & meant and venue not in chosen]
        place = _words()["place"].search(clause)
        if place and len(listed) > 1 and not chosen:
            index = _PLACES.get((place["word"] or "").lower(), -1)
            if place["number"]:
                index = int(place["number"]) - 1
            chosen += listed[index : index + 1 or None]
    return chosen


def _choosing_clauses(text: str) -> Iterator[str]:
    """Yield the clauses in which a user may choose, without what they refuse."""
    words = _words()
    for sentence in words["sentence"].findall(text):
        if sentence.endswith("?") and not words["choosing"].search(sentence):
            continue
        for clause in words["clause"].split(sentence):
            yield words["refused"].split(clause, maxsplit=1)[0]


@cache
def _words() -> Mapping[str, re.Pattern[str]]:
    """Return the patterns by which choices are read."""
    patterns = {name: whole_words(pattern) for name, pattern in tables()["choices"].items()}
    clause = re.compile(tables()["choices"]["clause"], re.VERBOSE | re.IGNORECASE)
    return {**patterns, "clause": clause, "sentence": re.compile(r"[^.?!\n]+[?]?")}
