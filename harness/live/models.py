"""Language models as agents and users of live dialogues.

Language models are reached through any address that speaks OpenAI's chat protocol. Requests are
repeated by the `openai` client, with growing pauses, where the server is busy, fails, is silent or
cuts the connection. What the server refuses for its content breaks one dialogue off, which counts
as failed; anything else that lasts stops the run, and what was played is kept.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mwz.normalization import digest_of_json

from ..data import Task
from ..errors import InputError, cut, without_secrets
from ..io import valid_text
from ..signature import SHOWN_HASH
from .agents import Call
from .world import BrokenOffError, Message, UserTurn, World, script, tool_schemas

Complete: TypeAlias = Callable[..., Message]
"""Returns a model's next message, without its thoughts.

It is given the messages so far, a counter to which calls and tokens are added, and further
parameters of the request. It raises a `BrokenOffError` if the server refuses the content, and an
`InputError` if the server cannot be reached, fails, or answers something else.
"""

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
