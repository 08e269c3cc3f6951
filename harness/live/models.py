"""Language models as agents and users, through any address that speaks OpenAI's chat protocol.

Requests are repeated by the `openai` client, with growing pauses, where the server is busy, fails,
is silent or cuts the connection. What the server refuses for its content breaks one dialogue off,
which counts as failed; anything else that lasts stops the run, and what was played is kept. So
does an answer that is too large or not complete in time.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Sequence
from threading import Thread
from typing import Any

from mwz.normalization import digest_of_json

from ..data import Task
from ..errors import InputError, cut, without_secrets
from ..io import valid_text
from ..signature import SHOWN_HASH
from .agents import Call
from .world import BrokenOffError, UserTurn, World, script, tool_schemas

KEY_VARIABLE = "OPENAI_API_KEY"
_ADDRESS_VARIABLE = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"

_ATTEMPTS = 5
_TIMEOUT = 120.0
"""Seconds that a server may be silent, at each attempt."""

_DEADLINE = 180.0
"""Seconds in which an answer must be complete, however slowly it comes."""

_LARGEST = 10_000_000
"""Bytes of an answer."""

_MOST_TOKENS = 10_000_000
"""Tokens of one request or answer: a dialogue cannot cost more than `Costs` allows."""

MOST_ROUNDS = 15
"""How often an agent may call tools before it has to respond."""

_REFUSED = (400, 413, 422)
"""Statuses by which servers refuse what is in a request: too long, or filtered."""

_REPEATED = (0, 408, 409, 429)
"""Those that the client tries again, and none at all, besides those from 500."""

_TO_DO = {
    401: f"check {KEY_VARIABLE}",
    403: f"check {KEY_VARIABLE}, and whether it may use this model",
    404: "check the model's name and --base-url",
}
"""Others -> what to do."""

_LONGEST_ERROR = 200
_SENT = {"role", "content", "tool_calls"}
_TOKENS = ("prompt_tokens", "completion_tokens")


class ChatModel:
    """A model at an address. Threads may share it.

    Args:
        model: Its name there.
        base_url: The address; None for that of OPENAI_BASE_URL, or OpenAI's own.

    Attributes:
        server: What tells the address from others, without showing it: a digest.

    Raises:
        InputError: The package `openai` is not installed, or there is no key for OpenAI.
    """

    def __init__(self, model: str, base_url: str | None = None) -> None:
        try:
            import openai
        except ImportError:
            needs = "needs the openai package: pip install 'multiwoz-harness[openai]'"
            raise InputError(f"model {model}", needs) from None
        address = base_url or os.environ.get(_ADDRESS_VARIABLE)
        key = os.environ.get(KEY_VARIABLE) or "none"
        if key == "none" and address is None:
            needs = f"set {KEY_VARIABLE}, or name an address by --base-url"
            raise InputError(f"model {model}", needs)
        shown = without_secrets(address or _OPENAI).rstrip("/")
        self.model = model
        self.server = digest_of_json(shown)[:SHOWN_HASH]
        self._errors = openai
        self._where = f"model {model} at {shown}"
        self._client = openai.AsyncOpenAI(
            api_key=key,
            base_url=address or _OPENAI,
            timeout=_TIMEOUT,
            max_retries=_ATTEMPTS - 1,
            http_client=_bounded_client(openai, self._where),
        )
        # Only what is awaited can be given up, whatever it waits for.
        self._loop = asyncio.new_event_loop()
        Thread(target=self._loop.run_forever, daemon=True).start()

    def complete(
        self, messages: Sequence[Any], cost: Counter[str], **options: Any
    ) -> dict[str, Any]:
        """Return the model's message as JSON types, without its thoughts.

        Args:
            messages: The dialogue so far.
            cost: What it costs, calls and tokens, is added to it.
            options: Further parameters of the request.

        Raises:
            BrokenOffError: The server refuses the content.
            InputError: The server cannot be reached, fails, or answers something else, or too much,
                or too slowly.
        """
        trouble = ""
        options |= {"model": self.model, "messages": list(messages)}
        for _ in range(_ATTEMPTS):
            try:
                coming = self._client.chat.completions.create(**options)
                answer = asyncio.run_coroutine_threadsafe(coming, self._loop).result()
                message, tokens = _message(answer.choices[0].message), _tokens(answer.usage)
            except (self._errors.APIStatusError, self._errors.APIConnectionError) as error:
                told = cut(str(error).rstrip("."), _LONGEST_ERROR)
                status = getattr(error, "status_code", 0)
                if status in _REFUSED:
                    raise BrokenOffError(told) from None
                repeated = status in _REPEATED or status >= 500
                advice = f"{_ATTEMPTS} attempts" if repeated else _TO_DO.get(status, _TO_DO[404])
                raise InputError(self._where, f"{told} ({advice})") from None
            except (self._errors.APIError, *_NO_COMPLETION) as error:
                trouble = f"the answer is no chat completion ({cut(str(error), _LONGEST_ERROR)})"
                continue
            cost.update({"calls": 1, **tokens})
            return message
        raise InputError(self._where, f"{trouble}, {_ATTEMPTS} times")


_NO_COMPLETION = (ValueError, TypeError, AttributeError, LookupError, AssertionError)
"""What goes wrong when an answer is read that is no completion."""


def _message(answered: Any) -> dict[str, Any]:
    """Return a message as JSON types, as it is sent back and recorded: with text that is valid."""
    for one in answered.tool_calls or ():
        assert isinstance(one.function.name, str)
    content = spoken(answered.content or "")
    sent = {**answered.model_dump(include=_SENT, exclude_none=True), "content": content}
    message: dict[str, Any] = json.loads(valid_text(json.dumps(sent, ensure_ascii=False)))
    return message


def _tokens(usage: Any) -> dict[str, int]:
    """Return what a request costs; what the server does not say is 0."""
    found = {key: float(getattr(usage, key, 0) or 0) for key in _TOKENS}
    for key, number in found.items():
        expected = f"{key}: expected a number from 0 to {_MOST_TOKENS:,}, found {number}"
        assert 0 <= number <= _MOST_TOKENS, expected
    return {key: int(number) for key, number in found.items()}


def _bounded_client(openai: Any, where: str) -> Any:
    """Return an HTTP client that reads answers whole, and gives up on large and slow ones."""

    class Client(openai.DefaultAsyncHttpxClient):  # type: ignore[misc]
        async def send(self, request: Any, **options: Any) -> Any:
            try:
                return await asyncio.wait_for(self._whole(request, options), _DEADLINE)
            except asyncio.TimeoutError:
                slow = f"the answer is not complete after {_DEADLINE:g} seconds"
                raise InputError(where, f"{slow}; check the server, and try again") from None

        async def _whole(self, request: Any, options: dict[str, Any]) -> Any:
            response = await super().send(request, **{**options, "stream": True})
            content = bytearray()
            async for part in response.aiter_bytes():
                content += part
                if len(content) > _LARGEST:
                    await response.aclose()
                    large = f"the answer has more than {_LARGEST:,} bytes"
                    raise InputError(where, f"{large}; check the server")
            headers = {k: v for k, v in response.headers.items() if k != "content-encoding"}
            made = {"headers": headers, "content": bytes(content), "request": request}
            return type(response)(response.status_code, **made)

    return Client()


_THOUGHTS = re.compile(r"<think>.*?(</think>|\Z)|\A.*?</think>", re.DOTALL)


def spoken(content: str) -> str:
    """Return what a model says without its thoughts, `<think>…</think>`."""
    return _THOUGHTS.sub("", content).strip()


class ModelAgent:
    """A language model with tools.

    Args:
        chat: The model.
    """

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.cost: Counter[str] = Counter()
        self._messages: list[Any] = [{"role": "system", "content": script("prompts")["agent"]}]

    def __call__(self, said: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools.

        Raises:
            BrokenOffError: It calls tools without end, or the server refuses the dialogue.
        """
        self._messages.append({"role": "user", "content": said})
        for _ in range(MOST_ROUNDS):
            message = self._chat.complete(self._messages, self.cost, tools=tool_schemas())
            self._messages.append(message)
            if not message.get("tool_calls"):
                return str(message["content"])
            for one in message["tool_calls"]:
                result = call(one["function"]["name"], one["function"].get("arguments"))
                content = json.dumps(result, ensure_ascii=False)
                answer = {"role": "tool", "tool_call_id": one.get("id"), "content": content}
                self._messages.append(answer)
        raise BrokenOffError(f"the agent calls tools {MOST_ROUNDS} times and does not respond")


class ModelUser:
    """A language model that plays the user by the task's instructions.

    Args:
        chat: The model.
        task: The task.
        world: As for other users; a model knows nothing of it, nor of the seed.
        seed: Likewise.
    """

    def __init__(self, chat: ChatModel, task: Task, world: World, seed: str) -> None:
        self._chat = chat
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
        said: str = self._chat.complete(self._messages, self.cost)["content"]
        if not said:
            raise BrokenOffError("the user says nothing")
        self._messages.append({"role": "assistant", "content": said})
        text, end, _ = said.partition(script("prompts")["end"])
        return text.strip() or "Goodbye.", bool(end)
