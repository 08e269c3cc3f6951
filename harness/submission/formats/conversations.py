"""Conversations of user and system, of which what the system says are the responses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Problems, unquoted
from ..remarks import Remarks
from .format import KEYS, RESPONSE, USER, key_of, plain_key

_SYSTEM = ("assistant", "bot", "agent", "gpt", "model", "sys", "system")
"""Who responds: the first of these that speaks in a file, for `system` may be what prompts it."""

_USER = ("user", "usr", "human", "customer")
_SPEAKERS = frozenset({*_SYSTEM, *_USER, "tool", "function", "developer"})
_CALLS = ("tool_calls", "function_call")


def speaker(turn: object) -> str | None:
    """Return who speaks in a turn, if it says so."""
    key = key_of(turn, KEYS["speaker"], str)
    who = turn[key].strip().lower() if key is not None and isinstance(turn, Mapping) else None
    return who if who in _SPEAKERS else None


@dataclass(frozen=True)
class ConversationReader:
    """Reads the conversations of one file.

    Attributes:
        texts: The names of the keys of what is said.
        states: Those of states and domains, which may stand at the user's turn.
        problems: What is wrong is added to them.
        remarks: What there is to say is added to them.
    """

    texts: Sequence[str]
    states: Sequence[str]
    problems: Problems
    remarks: Remarks

    def responses(self, dialogues: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
        """Return dialogue id -> the system's turns; all turns where none says who speaks."""
        speakers = Counter(speaker(turn) for turns in dialogues.values() for turn in turns)
        system = next((who for who in _SYSTEM if speakers[who]), None)
        if system is None:
            return {id_: list(turns) for id_, turns in dialogues.items()}
        others = [f"{n} of {who}" for who, n in speakers.items() if who not in (None, system)]
        left = f"; turns left out: {', '.join(others)}" if others else ""
        told = f"what `{system}` says are the responses{left}"
        self.remarks.add("format", told, warning=False)
        return {
            id_: self._of_dialogue(f"dialogue {unquoted(id_)}", turns, system)
            for id_, turns in dialogues.items()
        }

    def _of_dialogue(self, place: str, turns: Sequence[Any], system: str) -> list[Any]:
        """Return the system's turns; one where it speaks several times to the same user turn."""
        before: list[Mapping[str, Any]] = []
        exchanges: list[tuple[Mapping[str, Any], list[Mapping[str, Any]]]] = []
        for turn in turns:
            who = speaker(turn)
            if who in _USER:
                exchanges.append((turn, []))
            elif who == system and self._is_response(turn):
                (exchanges[-1][1] if exchanges else before).append(turn)
        if not exchanges:
            return [self._said(turn) for turn in before]
        if before:
            self.remarks.add("format", "what is said before the user speaks is left out", place)
        if not exchanges[-1][1]:
            exchanges.pop()
        return [
            self._response(f"{place}, turn {number}", *exchange)
            for number, exchange in enumerate(exchanges)
        ]

    def _response(
        self, place: str, user: Mapping[str, Any], replies: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Return what the system says to a user turn; a state may stand at either."""
        if not replies:
            self.problems.add(place, "the user gets no response")
        if len(replies) > 1:
            self.remarks.add("format", "several responses in a row are joined", place)
        asked = self._said(user)
        read = {key: value for key, value in asked.items() if plain_key(key) in self.states}
        said = [self._said(reply) for reply in replies]
        for one in said:
            read.update(one)
        texts = [one[RESPONSE] for one in said]
        if all(isinstance(text, str) for text in texts):
            read[RESPONSE] = " ".join(texts)
        return {USER: asked[RESPONSE], **read}

    def _is_response(self, turn: Mapping[str, Any]) -> bool:
        """Return whether a system's turn is a response, and not a call of a tool only."""
        text = self._said(turn)[RESPONSE]
        return bool(text) or (text is not None and not any(turn.get(call) for call in _CALLS))

    def _said(self, turn: Mapping[str, Any]) -> dict[str, Any]:
        """Return a turn that says who speaks, with what is said as its response."""
        who, key = key_of(turn, KEYS["speaker"]), key_of(turn, self.texts)
        text = turn.get(key)
        if isinstance(text, list):
            parts = [part.get("text") if isinstance(part, Mapping) else part for part in text]
            text = "".join(part for part in parts if isinstance(part, str))
        left_out = {who, key, *_CALLS}
        return {**{k: v for k, v in turn.items() if k not in left_out}, RESPONSE: text}
