"""Agents of live dialogues: the baseline, any Python function, and language models; also as users.

The baseline reads what the user says by the patterns of `agent.toml`, calls the tools, and answers
by templates. It knows nothing of the goal. A function `module:function` is given the dialogue so
far as messages of OpenAI's form (`role`, `content`; the last is the user's) and a function that
calls a tool by name and arguments, and returns its response.

Language models are reached through any address that speaks OpenAI's chat protocol. Requests are
repeated by the `openai` client, with growing pauses, where the server is busy, fails, is silent or
cuts the connection. What the server refuses for its content breaks one dialogue off, which counts
as failed; anything else that lasts stops the run, and what was played is kept.
"""

from __future__ import annotations

import json
import os
import pkgutil
import re
import string
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization import digest_of_json

from ..data import Task
from ..errors import InputError, cut, cut_repr, without_secrets
from ..io import valid_text
from ..signature import SHOWN_HASH
from .world import (
    MOST_HEARD,
    ROUTE,
    BrokenOffError,
    Message,
    Result,
    UserTurn,
    World,
    naming_key,
    pattern_of,
    script,
    tool_schemas,
)

Call: TypeAlias = Callable[[str, object], Result]
"""Calls a tool by name and arguments, and returns its result."""

Agent: TypeAlias = Callable[[str, Call], str]
"""An agent in one dialogue: responds to what the user says, after any calls of tools."""

AgentFunction: TypeAlias = Callable[[list[Message], Call], str]
"""A function that responds to the messages of a dialogue so far, after any calls of tools."""

Complete: TypeAlias = Callable[..., Message]
"""Returns a model's next message, without its thoughts.

It is given the messages so far, a counter to which calls and tokens are added, and further
parameters of the request. It raises a `BrokenOffError` if the server refuses the content, and an
`InputError` if the server cannot be reached, fails, or answers something else.
"""

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
    if not _pattern("cues", "request").search(text):
        return []
    requests = script("agent")["requests"].items()
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


# ------------------------------------------------------------------------------ language models

KEY_VARIABLE = "OPENAI_API_KEY"
_ADDRESS_VARIABLE = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"

_ATTEMPTS = 5
_TIMEOUT = 120.0
"""Seconds that a server may be silent, at each attempt."""

_MOST_TOKENS = 10_000_000
"""Tokens of one request or answer: a dialogue cannot cost more than `Costs` allows."""

MOST_ROUNDS = 15
"""How often an agent may call tools before it has to respond."""

_REFUSED = (400, 413, 422)
"""Statuses by which servers refuse what is in a request: too long, or filtered."""

_REPEATED = (0, 408, 409, 429)
"""Those that the client tries again, and none at all, besides those from 500."""

_LONGEST_ERROR = 200
_SENT = {"role", "content", "tool_calls"}
_TOKENS = ("prompt_tokens", "completion_tokens")


def chat_model(model: str, base_url: str | None = None) -> Complete:
    """Return what completes dialogues by a model at an address. Threads may share it.

    Args:
        model: Its name there.
        base_url: The address; None for that of OPENAI_BASE_URL, or OpenAI's own.

    Raises:
        InputError: The package `openai` is not installed, or there is no key for OpenAI.
    """
    address = base_url or os.environ.get(_ADDRESS_VARIABLE)
    where = f"model {model} at {_shown_address(base_url)}"
    if not _shown_address(base_url).startswith(("http://", "https://")):
        raise InputError(where, "expected an address with http:// or https://")
    try:
        import openai
    except ImportError:
        needs = "needs the package openai (the extra `openai`): pip install openai"
        raise InputError(f"model {model}", needs) from None
    key = os.environ.get(KEY_VARIABLE) or "none"
    if key == "none" and address is None:
        needs = f"set {KEY_VARIABLE}, or name an address by --base-url"
        raise InputError(f"model {model}", needs)
    client: Any = openai.OpenAI(
        api_key=key, base_url=address or _OPENAI, timeout=_TIMEOUT, max_retries=_ATTEMPTS - 1
    )

    def complete(messages: Sequence[Message], cost: Counter[str], **options: object) -> Message:
        trouble = ""
        for _ in range(_ATTEMPTS):
            try:
                answer = client.chat.completions.create(
                    model=model, messages=list(messages), **options
                )
                message, tokens = _message(answer.choices[0].message), _tokens(answer.usage)
            except (openai.APIStatusError, openai.APIConnectionError) as error:
                reason = cut(str(error).rstrip("."), _LONGEST_ERROR)
                status = getattr(error, "status_code", 0)
                if status in _REFUSED:
                    raise BrokenOffError(reason) from None
                advice = f"check {KEY_VARIABLE}, the model, and --base-url, which often ends in /v1"
                if status in _REPEATED or status >= 500:
                    advice = f"{_ATTEMPTS} attempts"
                raise InputError(where, f"{reason} ({advice})") from None
            except Exception as error:  # whatever the server sends
                trouble = f"the answer is no chat completion ({cut(str(error), _LONGEST_ERROR)})"
                continue
            cost.update({"calls": 1, **tokens})
            return message
        raise InputError(where, f"{trouble}, {_ATTEMPTS} times")

    return complete


def _shown_address(base_url: str | None) -> str:
    """Return the address of models without users, passwords and the like."""
    address = base_url or os.environ.get(_ADDRESS_VARIABLE) or _OPENAI
    return without_secrets(address).rstrip("/")


def server_digest(base_url: str | None) -> str:
    """Return what tells the address of models from others, without showing it."""
    return digest_of_json(_shown_address(base_url))[:SHOWN_HASH]


def _message(answered: Any) -> Message:
    """Return a message as JSON types, as it is sent back and recorded: with text that is valid."""
    for call in answered.tool_calls or ():
        assert isinstance(call.function.name, str)
    sent: Message = answered.model_dump(include=_SENT, exclude_none=True)
    sent["content"] = spoken(answered.content or "")
    message: Message = json.loads(valid_text(json.dumps(sent, ensure_ascii=False)))
    return message


def _tokens(usage: object) -> dict[str, int]:
    """Return what a request costs; what the server does not say is 0."""
    tokens = {key: int(getattr(usage, key, 0) or 0) for key in _TOKENS}
    assert all(0 <= n <= _MOST_TOKENS for n in tokens.values()), f"tokens out of bounds: {tokens}"
    return tokens


_THOUGHTS = re.compile(r"<think>.*?(</think>|\Z)|\A.*?</think>", re.DOTALL)


def spoken(content: str) -> str:
    """Return what a model says without its thoughts, `<think>…</think>`."""
    return _THOUGHTS.sub("", content).strip()


class ModelAgent:
    """A language model with tools.

    Args:
        complete: The model.
    """

    def __init__(self, complete: Complete) -> None:
        self._complete = complete
        self.cost: Counter[str] = Counter()
        self._messages: list[Message] = [{"role": "system", "content": script("prompts")["agent"]}]

    def __call__(self, utterance: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools.

        Raises:
            BrokenOffError: It calls tools without end, or the server refuses the dialogue.
        """
        self._messages.append({"role": "user", "content": utterance})
        for _ in range(MOST_ROUNDS):
            message = self._complete(self._messages, self.cost, tools=tool_schemas())
            self._messages.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            for requested in message["tool_calls"]:
                result = call(requested["function"]["name"], requested["function"].get("arguments"))
                content = json.dumps(result, ensure_ascii=False)
                answer = {"role": "tool", "tool_call_id": requested.get("id"), "content": content}
                self._messages.append(answer)
        raise BrokenOffError(f"the agent calls tools {MOST_ROUNDS} times and does not respond")


class ModelUser:
    """A language model that plays the user by the task's instructions.

    Args:
        complete: The model.
        task: The task.
        world: Not used: a model knows the instructions alone.
        seed: Not used.
    """

    def __init__(self, complete: Complete, task: Task, world: World, seed: str) -> None:
        self._complete = complete
        self.cost: Counter[str] = Counter()
        lines = "\n".join(f"- {line}." for line in task.message)
        prompts = script("prompts")
        system = prompts["user"].strip().format(instructions=lines, end=prompts["end"])
        self._messages = [{"role": "system", "content": system}]

    def __call__(self, response: str | None) -> UserTurn:
        """Return what the user says to a response.

        Raises:
            BrokenOffError: It says nothing, or the server refuses the dialogue.
        """
        heard = script("prompts")["greeting"] if response is None else response or "..."
        self._messages.append({"role": "user", "content": heard})
        utterance: str = self._complete(self._messages, self.cost)["content"]
        if not utterance:
            raise BrokenOffError("the user says nothing")
        self._messages.append({"role": "assistant", "content": utterance})
        text, end, _ = utterance.partition(script("prompts")["end"])
        return text.strip() or "Goodbye.", bool(end)
