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
import traceback
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import InputError, shown
from .world import MOST_HEARD, BrokenOffError, pattern_of, script

Call: TypeAlias = Callable[[str, object], Mapping[str, Any]]
"""Calls a tool by name and arguments, and returns its result."""

Agent: TypeAlias = Callable[[str, Call], str]
"""An agent in one dialogue: responds to what the user says, after any calls of tools."""


_pattern = partial(pattern_of, "agent")
_NEEDED = {"train": ("departure", "destination", "day"), "taxi": ("departure", "destination")}


class Baseline:
    """An agent of patterns and templates."""

    def __init__(self) -> None:
        self._begin("")

    def _begin(self, domain: str) -> None:
        self._domain, self._books = domain, False
        self._slots: dict[str, str] = {}
        self._booking: dict[str, str] = {}
        self._offers: list[Mapping[str, Any]] = []
        self._chosen: dict[str, Any] = {}

    def __call__(self, said: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools."""
        text = said[:MOST_HEARD].lower().replace("center", "centre")
        if _pattern("cues", "bye").search(text):
            return _say("bye")
        begun = _domain(text) not in ("", self._domain)
        if begun:
            self._begin(_domain(text))
        if not self._domain or _pattern("cues", "another").search(text):
            return self._offer() if self._domain else _say("hello")
        asked = [] if begun else _asked(text)
        read = {} if asked else _read("slots", self._domain, text)
        changed = {slot: value for slot, value in read.items() if self._slots.get(slot) != value}
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
        self._chosen = dict(self._offers.pop(0)) if self._offers else {}
        shown = {key: _shown(key, value) for key, value in self._chosen.items()}
        return _say(self._domain, **shown) if shown else _say("nothing", self._domain)

    def _book(self, call: Call) -> str:
        domain, chosen = self._domain, self._chosen
        key = "trainID" if domain == "train" else "name"
        self._books = True
        missing = [one for one in script("agent")["bookings"][domain] if one not in self._booking]
        if missing:
            return _question(missing)
        result = call(f"book_{domain}", {key: chosen[key], **self._booking})
        name = _shown(key, chosen[key])
        if not result.get("booked"):
            return _say("refused", name)
        self._books = False
        chosen["reference"] = result["reference"]
        return _say("booked", name, reference=result["reference"])

    def _answer(self, asked: list[str]) -> str:
        requests, chosen = script("agent")["requests"], self._chosen
        told = [requests[slot][1].format(_shown(slot, chosen.get(slot, "?"))) for slot in asked]
        who = "trainID" if self._domain == "train" else "name"
        named = f"For {_shown(who, chosen[who])}, " if who in chosen else "For your taxi, "
        return f"{named}{', '.join(told)}. {_say('more')}"


def _domain(text: str) -> str:
    """Return the domain that a sentence asks for; "" if none does."""
    for sentence in re.split(r"(?<=[.?!])\s", re.sub(r"called [^.?!,]+", "called", text)):
        domains = (d for d in script("agent")["domains"] if _pattern("domains", d).search(sentence))
        if _pattern("cues", "search").search(sentence) and (found := next(domains, "")):
            return str(found)
    return ""


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
    if slot in ("name", "address", *_NEEDED["taxi"]):
        return " ".join(word[:1].upper() + word[1:] for word in str(value).split())
    return str(script("agent")["say"]["not_known"] if value == "?" else value)


def _asked(text: str) -> list[str]:
    """Return the slots that a text asks for."""
    requests = (
        script("agent")["requests"].items() if _pattern("cues", "request").search(text) else ()
    )
    return [slot for slot, (pattern, _) in requests if re.search(pattern, text)]


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


def function_agent(function: Callable[[list[dict[str, Any]], Call], str]) -> Agent:
    """Return an agent that is a Python function; see the module's docstring."""
    messages: list[dict[str, Any]] = []

    def reply(said: str, call: Call) -> str:
        messages.append({"role": "user", "content": said})
        try:
            response = function([dict(message) for message in messages], call)
        except (Exception, SystemExit) as error:
            *_, last = traceback.extract_tb(error.__traceback__)
            told = f"{type(error).__name__}: {error} at {Path(last.filename).name}:{last.lineno}"
            raise BrokenOffError(told) from error
        if not isinstance(response, str):
            raise BrokenOffError(f"the agent returns {shown(response)} in place of a string")
        messages.append({"role": "assistant", "content": response})
        return response

    return reply


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
    except (ImportError, AttributeError, ValueError, TypeError) as error:
        told = f"cannot be imported ({error}); write MODULE:FUNCTION, the module without .py"
        raise InputError(f"agent {name}", f"{told}, in the current folder or installed") from None
    if not callable(function) or iscoroutinefunction(function):
        kind = "is no function" if not callable(function) else "is an async function"
        told = f"{kind}; give one that is called with messages and call, and returns a string"
        raise InputError(f"agent {name}", told)
    return function
