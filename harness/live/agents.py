"""Agents of live dialogues: the baseline, and any Python function.

The baseline reads what the user says by the patterns of `agent.toml`, calls the tools, and answers
by templates. It knows nothing of the goal. A function `module:function` is given the dialogue so
far as messages of OpenAI's form (`role`, `content`; the last is the user's) and a function that
calls a tool by name and arguments, and returns its response.
"""

from __future__ import annotations

import os
import pkgutil
import re
import string
import sys
import traceback
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TypeAlias

from ..errors import InputError, cut_repr
from .world import (
    MOST_HEARD,
    ROUTE,
    BrokenOffError,
    Message,
    Result,
    naming_key,
    pattern_of,
    script,
)

Call: TypeAlias = Callable[[str, object], Result]
"""Calls a tool by name and arguments, and returns its result."""

Agent: TypeAlias = Callable[[str, Call], str]
"""An agent in one dialogue: responds to what the user says, after any calls of tools."""

AgentFunction: TypeAlias = Callable[[list[Message], Call], str]
"""A function that responds to the messages of a dialogue so far, after any calls of tools."""

_pattern = partial(pattern_of, "agent")
_NEEDED = {"train": (*ROUTE, "day"), "taxi": ROUTE}
"""What has to be known before a search."""


class Baseline:
    """An agent of patterns and templates."""

    def __init__(self) -> None:
        self._begin("")

    def _begin(self, domain: str) -> None:
        self._domain, self._books = domain, False
        self._slots: dict[str, str] = {}
        self._booking: dict[str, str] = {}
        self._offers: list[Result] = []
        self._chosen: Result = {}

    def __call__(self, utterance: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools."""
        text = utterance[:MOST_HEARD].lower().replace("center", "centre")
        text = _pattern("cues", "filler").sub("", text)
        if _pattern("cues", "bye").search(text):
            return _say("bye")
        domain = _domain(text)
        begun = domain not in ("", self._domain)
        if begun:
            self._begin(domain)
        if not self._domain:
            return _say("hello")
        if _pattern("cues", "another").search(text):
            return self._offer()
        asked = [] if begun else asked_slots(text)
        # What is asked for is neither a constraint nor a slot of a booking.
        slots = {} if asked else _read("slots", self._domain, text)
        changed = {slot: value for slot, value in slots.items() if self._slots.get(slot) != value}
        booking = {} if begun or asked else _read("bookings", self._domain, text)
        wants = _pattern("cues", "booking").search(text) or (self._books and booking)
        if wants and self._chosen and self._domain in script("agent")["bookings"]:
            self._booking.update(booking)
            return self._book(call)
        if changed or begun or not self._chosen:
            self._slots.update(changed)
            return self._search(call)
        return self._answer(asked) if asked else _say("more")

    def _search(self, call: Call) -> str:
        domain, slots = self._domain, self._slots
        missing = [slot for slot in _NEEDED.get(domain, ()) if slot not in slots]
        if missing:
            return _question(missing)
        if domain == "taxi":
            result = call("book_taxi", slots)
            self._offers = [result] if result.get("booked") else []
        else:
            self._offers = list(call(f"query_{domain}", slots).get("results") or [])
        return self._offer()

    def _offer(self) -> str:
        """Offer the next of what was found."""
        self._chosen = {}
        if not self._offers:
            return _say("nothing", self._domain)
        self._chosen.update(self._offers.pop(0))
        values = {key: _spoken(key, value) for key, value in self._chosen.items()}
        return _say(self._domain, **values)

    def _book(self, call: Call) -> str:
        domain, chosen = self._domain, self._chosen
        key = naming_key(domain)
        self._books = True
        needed = script("agent")["bookings"][domain]
        missing = [slot for slot in needed if slot not in self._booking]
        if missing:
            return _question(missing)
        result = call(f"book_{domain}", {key: chosen[key], **self._booking})
        name = _spoken(key, chosen[key])
        if not result.get("booked"):
            return _say("refused", name)
        self._books = False
        chosen["reference"] = result["reference"]
        return _say("booked", name, reference=result["reference"])

    def _answer(self, asked: list[str]) -> str:
        requests, chosen = script("agent")["requests"], self._chosen
        answers = [requests[slot][1].format(_spoken(slot, chosen.get(slot, "?"))) for slot in asked]
        venue = "your taxi"
        key = naming_key(self._domain)
        if key in chosen:
            venue = _spoken(key, chosen[key])
        return f"For {venue}, {', '.join(answers)}. {_say('more')}"


def _domain(text: str) -> str:
    """Return the domain that a sentence asks for; "" if none does."""
    without_names = re.sub(r"called [^.?!,]+", "called", text)
    for sentence in re.split(r"(?<=[.?!])\s", without_names):
        if _pattern("cues", "search").search(sentence):
            for domain in script("agent")["domains"]:
                if _pattern("domains", domain).search(sentence):
                    return str(domain)
    return ""


def _question(slots: list[str]) -> str:
    return " ".join(script("agent")["questions"][slot] for slot in slots)


def _say(key: str, *filled: str, **values: str) -> str:
    """Return a template, filled; what it lacks is not known."""
    lacking = defaultdict(lambda: script("agent")["say"]["not_known"], values)
    return string.Formatter().vformat(script("agent")["say"][key], filled, lacking)


def _spoken(slot: str, value: object) -> str:
    """Return a record's value in words: names in capitals, prices of rooms in a list."""
    if isinstance(value, Mapping):
        return ", ".join(f"{price} pounds ({room})" for room, price in value.items())
    if slot in ("name", "address", *ROUTE):
        return " ".join(word[:1].upper() + word[1:] for word in str(value).split())
    if value == "?":
        value = script("agent")["say"]["not_known"]
    return str(value)


def asked_slots(text: str) -> list[str]:
    """Return the slots that a text of a user, in small letters, asks for."""
    asking = ""
    for sentence in re.split(r"(?<=[.?!])\s", text):
        if _pattern("cues", "request").search(sentence):
            asking += f" {sentence}"
    requests = script("agent")["requests"].items()
    return [slot for slot, (pattern, _) in requests if re.search(pattern, asking)]


def _read(table: str, domain: str, text: str) -> dict[str, str]:
    """Return slot -> value of what is found in a text; names are read for nothing else."""
    read: dict[str, str] = {}
    for key, pattern in script("agent")[table].get(domain, {}).items():
        slot, _, value = key.partition("=")
        match = re.search(pattern, text)
        if match is not None:
            read[slot] = value or match[1].strip()
            if slot in ("name", "food"):
                text = text[: match.start(1)] + text[match.end(1) :]
    return read


def function_agent(function: AgentFunction) -> Agent:
    """Return an agent that is a Python function; see the module's docstring."""
    messages: list[Message] = []

    def reply(utterance: str, call: Call) -> str:
        messages.append({"role": "user", "content": utterance})
        try:
            response = function([dict(message) for message in messages], call)
        except (Exception, SystemExit) as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            problem = f"{type(error).__name__}: {error} at {Path(last.filename).name}:{last.lineno}"
            raise BrokenOffError(problem) from error
        if not isinstance(response, str):
            raise BrokenOffError(f"the agent returns {cut_repr(response)} in place of a string")
        messages.append({"role": "assistant", "content": response})
        return response

    return reply


def imported_function(name: str) -> AgentFunction:
    """Import a function by its name `module:function`, from the current folder too.

    Raises:
        InputError: There is none.
    """
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function: AgentFunction = pkgutil.resolve_name(name)
    except (ImportError, AttributeError, ValueError, SyntaxError) as error:
        text = f"cannot be imported ({error}); write MODULE:FUNCTION, the module without .py"
        raise InputError(f"agent {name}", f"{text}, in the current folder or installed") from None
    return function
