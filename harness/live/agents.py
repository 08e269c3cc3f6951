"""Agents of live dialogues without a language model: the baseline, and any Python function.

The baseline reads what the user says by the patterns of `agent.toml`, calls the tools, and answers
by templates. It knows nothing of the goal. A function `module:function` is given the dialogue so
far as messages of OpenAI's form (`role`, `content`; the last is the user's) and a function that
calls a tool by name and arguments, and returns its response.
"""

from __future__ import annotations

import importlib
import os
import re
import string
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from ..errors import InputError, shown
from .world import BrokenOffError, script

Call: TypeAlias = Callable[[str, object], Mapping[str, Any]]
"""Calls a tool by name and arguments, and returns its result."""


class Agent(Protocol):
    """An agent in one dialogue."""

    def reply(self, said: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools."""


_NEEDED = {"train": ("departure", "destination", "day"), "taxi": ("departure", "destination")}


class Baseline:
    """An agent of patterns and templates."""

    def __init__(self) -> None:
        self._domain = ""
        self._slots: dict[str, dict[str, str]] = {}
        self._bookings: dict[str, dict[str, str]] = {}
        self._chosen: dict[str, dict[str, Any]] = {}
        self._offers: list[Mapping[str, Any]] = []
        self._books = False

    def reply(self, said: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools."""
        text = said.lower().replace("center", "centre")
        if _found("cues", "bye", text):
            return _say("bye")
        begun = self._begin(text)
        domain = self._domain
        if not domain:
            return _say("hello")
        if _found("cues", "another", text):
            return self._offer()
        asked = [] if begun else _asked(text)
        known = self._slots.setdefault(domain, {})
        read = {} if asked else _read(script("agent")["slots"][domain], text)
        changed = {slot: value for slot, value in read.items() if known.get(slot) != value}
        booking = {} if begun or asked else _read(script("agent")["bookings"].get(domain, {}), text)
        wants = _found("cues", "booking", text) or (self._books and booking)
        if wants and domain in self._chosen and domain in script("agent")["bookings"]:
            self._bookings.setdefault(domain, {}).update(booking)
            return self._book(call)
        if changed or begun or domain not in self._chosen:
            known.update(changed)
            return self._search(known, call)
        return self._answer(asked) if asked else _say("more")

    def _begin(self, text: str) -> bool:
        """Go on to another domain if a sentence asks for it; return whether one does."""
        for sentence in re.split(r"(?<=[.?!])\s", re.sub(r"called [^.?!,]+", "called", text)):
            domains = (d for d in script("agent")["domains"] if _found("domains", d, sentence))
            found = next(domains, "") if _found("cues", "search", sentence) else ""
            if found and found != self._domain:
                self._domain, self._books = found, False
                return True
        return False

    def _search(self, slots: dict[str, str], call: Call) -> str:
        domain = self._domain
        missing = [slot for slot in _NEEDED.get(domain, ()) if slot not in slots]
        if not missing and domain in _NEEDED and "leaveAt" not in slots and "arriveBy" not in slots:
            # A time is asked for once.
            missing = ["leaveAt"]
            slots["leaveAt"] = ""
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
        self._chosen.pop(self._domain, None)
        if not self._offers:
            return _say("nothing", self._domain)
        found = self._chosen[self._domain] = dict(self._offers.pop(0))
        return _say(self._domain, **{key: _shown(key, value) for key, value in found.items()})

    def _book(self, call: Call) -> str:
        domain, chosen = self._domain, self._chosen[self._domain]
        key = "trainID" if domain == "train" else "name"
        slots = self._bookings[domain]
        self._books = True
        missing = [slot for slot in script("agent")["bookings"][domain] if slot not in slots]
        if missing:
            return _question(missing)
        result = call(f"book_{domain}", {key: chosen[key], **slots})
        name = _shown(key, chosen[key])
        if not result.get("booked"):
            return _say("refused", name)
        self._books = False
        chosen["reference"] = result["reference"]
        return _say("booked", name, reference=result["reference"])

    def _answer(self, asked: list[str]) -> str:
        chosen = self._chosen[self._domain]
        requests = script("agent")["requests"]
        told = [requests[slot][1].format(_shown(slot, chosen.get(slot, "?"))) for slot in asked]
        who = "trainID" if self._domain == "train" else "name"
        named = f"For {_shown(who, chosen[who])}, " if who in chosen else "For your taxi, "
        return f"{named}{', '.join(told)}. {_say('more')}"


def _question(slots: list[str]) -> str:
    return " ".join(script("agent")["questions"][slot] for slot in slots)


def _say(what: str, *filled: str, **known: str) -> str:
    """Return a template, filled; what it lacks is not known."""
    lacking = defaultdict(lambda: script("agent")["say"]["not_known"], known)
    return string.Formatter().vformat(script("agent")["say"][what], filled, lacking)


def _shown(slot: str, value: object) -> str:
    """Return a record's value as it is told: names in capitals, prices of rooms in a list."""
    if isinstance(value, Mapping):
        return ", ".join(f"{price} pounds ({room})" for room, price in value.items())
    if value == "?":
        return str(script("agent")["say"]["not_known"])
    if slot in ("name", "address", *_NEEDED["taxi"]):
        return " ".join(word[:1].upper() + word[1:] for word in str(value).split())
    return str(value)


def _found(table: str, name: str, text: str) -> re.Match[str] | None:
    return re.search(script("agent")[table][name], text)


def _asked(text: str) -> list[str]:
    """Return the slots that a text asks for."""
    requests = script("agent")["requests"].items() if _found("cues", "request", text) else ()
    return [slot for slot, (pattern, _) in requests if re.search(pattern, text)]


def _read(patterns: Mapping[str, str], text: str) -> dict[str, str]:
    """Return slot -> value of what is found of some patterns; names are read for nothing else."""
    read: dict[str, str] = {}
    for key, pattern in patterns.items():
        slot, _, value = key.partition("=")
        match = re.search(pattern, text)
        if match is not None:
            read[slot] = value or match[1].strip()
            if slot in ("name", "food"):
                text = text[: match.start(1)] + text[match.end(1) :]
    return read


class Function:
    """An agent that is a Python function; see the module's docstring.

    Args:
        function: The function.
    """

    def __init__(self, function: Callable[[list[dict[str, Any]], Call], str]) -> None:
        self._function = function
        self._messages: list[dict[str, Any]] = []

    def reply(self, said: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools.

        Raises:
            BrokenOffError: The function raises an error, or returns no string.
        """
        self._messages.append({"role": "user", "content": said})
        try:
            response = self._function([dict(message) for message in self._messages], call)
        except (Exception, SystemExit) as error:
            raise BrokenOffError(f"{type(error).__name__} in the agent: {error}") from error
        if not isinstance(response, str):
            raise BrokenOffError(f"the agent returns {shown(response)} in place of a string")
        self._messages.append({"role": "assistant", "content": response})
        return response


def imported_function(name: str) -> Callable[..., Any]:
    """Import a function by its name `module:function`, from the current folder too.

    Raises:
        InputError: There is none.
    """
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"agent {name}", f"cannot be imported ({error})") from None
    return function
