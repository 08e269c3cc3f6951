"""Language models as agents and users of live dialogues.

They are reached through any address that speaks OpenAI's chat protocol. Requests are repeated by
the `openai` client, with growing pauses, where the server is busy, fails, is silent or cuts the
connection. If that does not help, the server is sent a greeting with the same prompt and fields: if
it answers, the dialogue is at fault, and lost; if not, the run stops, and what was played is kept.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

from tqdm import tqdm

from mwz.normalization import digest_of_json

from ..cli import notify
from ..data import Task
from ..errors import InputError, cut, cut_repr, without_secrets
from ..io import valid_text
from ..signature import SHOWN_HASH
from .agents import Call
from .world import (
    MOST_HEARD,
    BrokenOffError,
    Message,
    UserTurn,
    World,
    script,
    tool_schemas,
    versioned,
)

KEY_VARIABLES = {"agent": "OPENAI_API_KEY", "user": "MWZ_USER_API_KEY"}
"""Role -> where the key of a model with an address of its own is; else it is that of the agent."""

_ADDRESS_VARIABLE = "OPENAI_BASE_URL"
_OPENAI = "https://api.openai.com/v1"

_ATTEMPTS = 5
TIMEOUT = 120.0
"""Seconds that a server may be silent, at each attempt."""

_LONGEST = 5
"""How many times as long as a server may be silent its whole answer may take."""

_MOST_BYTES = 10_000_000
"""Bytes of an answer: some hundred times those of the longest response."""

_MOST_TOKENS = 10_000_000
"""Tokens of one request or answer: a dialogue cannot cost more than `Costs` allows."""

MOST_ROUNDS = 15
"""How often an agent may call tools before it has to respond."""

_SETUP_STATUSES = (401, 404, 429)
"""Statuses that no dialogue is at fault for: a wrong key, an unknown model, too many requests."""

_CHECK_ADDRESS = "check {key}, the model, and the address, which often ends in /v1"
_CHECK_FIELDS = "check the model and --request; where there are no tools, give --calls text"
_ADVICE = {
    **dict.fromkeys((401, 403, 404), _CHECK_ADDRESS),
    **dict.fromkeys((400, 422), _CHECK_FIELDS),
    429: "wait, or play fewer dialogues at a time by --jobs",
}
"""Status -> what to do about it; what has none is told with the number of attempts."""

_READ_CALLS = (
    "let the server read them (vLLM: --enable-auto-tool-choice --tool-call-parser NAME; "
    "llama-server: --jinja), or give --calls text"
)

_CUT = "cuts an answer off, which has too many tokens; see --max-tokens, or the server's context"

_LONGEST_FIELDS = 100
"""Characters of the further fields of requests that names of models show, else their digest."""

_LONGEST_ERROR = 200
_SENT = {"role", "content", "tool_calls"}
_TOKENS = ("prompt_tokens", "completion_tokens")


class _UnansweredError(Exception):
    """A request that a server does not answer by a completion, after all attempts.

    Args:
        reason: What the server or the client says.
        status: The HTTP status; 0 for none.
        advice: What to do if no request is answered.
    """

    def __init__(self, reason: str, status: int, advice: str) -> None:
        super().__init__(f"{reason} ({advice})")
        self.reason, self.status = reason, status


class ChatModel:
    """A language model at an address. Threads may share it.

    Args:
        name: Its name there.
        base_url: The address; None for that of OPENAI_BASE_URL, or OpenAI's own.
        key_variable: The environment variable that has the key.
        timeout: Seconds that the server may be silent, at each attempt.
        fields: Further fields of each request, such as `temperature`.

    Attributes:
        recorded_name: What files call it, with all that its words depend on besides the address.
        address, place: The address, and what messages call the model, without secrets.
        has_called: Whether it has called a tool so far.

    Raises:
        InputError: The package `openai` is not installed, or there is no key for OpenAI.
    """

    def __init__(
        self,
        name: str,
        base_url: str | None = None,
        key_variable: str = KEY_VARIABLES["agent"],
        timeout: float = TIMEOUT,
        fields: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        self._name, self._key_variable, self._fields = name, key_variable, dict(fields)
        self.recorded_name = f"{name}, prompts {versioned('prompts')}{_shown_fields(fields)}"
        address = base_url or os.environ.get(_ADDRESS_VARIABLE)
        self.address = without_secrets(address or _OPENAI).rstrip("/")
        self.place = f"model {name} at {self.address}"
        self.has_called = self._has_cut = False
        if not self.address.startswith(("http://", "https://")):
            raise InputError(self.place, "expected an address with http:// or https://")
        try:
            import openai
        except ImportError:
            needs = "needs the package openai (the extra `openai`): pip install openai"
            raise InputError(f"model {name}", needs) from None
        key = os.environ.get(key_variable) or "none"
        if key == "none" and address is None:
            needs = f"set {key_variable}, or name an address by --base-url"
            raise InputError(f"model {name}", needs)
        self._errors = (openai.APIStatusError, openai.APIConnectionError)
        self._client: Any = openai.OpenAI(
            api_key=key,
            base_url=address or _OPENAI,
            timeout=timeout,
            default_headers={"Accept-Encoding": "identity"},
            http_client=openai.DefaultHttpxClient(
                event_hooks={"response": [partial(_bounded, seconds=_LONGEST * timeout)]}
            ),
        )

    def complete(
        self, messages: Sequence[Message], cost: Counter[str], **options: object
    ) -> Message:
        """Return the next message of a dialogue, without its thoughts.

        Args:
            messages: The messages so far; the first is the system's.
            cost: Counts calls and tokens, to which those of the request are added.
            options: Further parameters of the request.

        Raises:
            BrokenOffError: The server answers other dialogues, but not this one.
            InputError: It answers none, or asks to wait.
        """
        for attempts in (_ATTEMPTS, 1):
            try:
                return self._answer(messages, cost, options, attempts)
            except _UnansweredError as error:
                trouble = error
            try:
                if trouble.status in _SETUP_STATUSES:
                    raise trouble
                # Does the server answer a greeting? Else it is at fault, not the dialogue.
                greeting = [*messages[:1], {"role": "user", "content": "Hello."}]
                self._answer(greeting, cost, options, 1)
            except _UnansweredError:
                raise InputError(self.place, str(trouble)) from None
        raise BrokenOffError(f"no answer from the model: {trouble.reason}")

    def _answer(
        self,
        messages: Sequence[Message],
        cost: Counter[str],
        options: Mapping[str, object],
        attempts: int,
    ) -> Message:
        client = self._client.with_options(max_retries=attempts - 1)
        for _ in range(attempts):
            try:
                answer = client.chat.completions.create(
                    model=self._name, messages=list(messages), extra_body=self._fields, **options
                )
                if isinstance(answer, str):
                    # What the client makes of an answer that is no JSON, as of a proxy.
                    advice = _CHECK_ADDRESS.format(key=self._key_variable)
                    raise ValueError(f"it is text, {cut_repr(answer)}; {advice}")
                message, tokens = _message(answer.choices[0].message), _tokens(answer.usage)
            except self._errors as error:
                status = getattr(error, "status_code", 0)
                # What is no status says why in its cause: connection refused, timed out, too long.
                reason = str(error if status else error.__cause__ or error)
                reason = cut(reason.rstrip("."), _LONGEST_ERROR)
                advice = _ADVICE.get(status, f"{attempts} attempts").format(key=self._key_variable)
                raise _UnansweredError(reason, status, advice) from None
            except Exception as error:  # whatever the server sends
                trouble = f"no chat completion: {cut(str(error), _LONGEST_ERROR)}"
                continue
            cost.update({"calls": 1, **tokens})
            is_cut = getattr(answer.choices[0], "finish_reason", None) == "length"
            if is_cut and not self._has_cut:
                self._has_cut = True
                with tqdm.external_write_mode():
                    notify(f"{self.place}: {_CUT}")
            return message
        raise _UnansweredError(trouble, 0, f"{attempts} attempts")


def _bounded(response: Any, seconds: float) -> None:
    """Read an answer of the client's HTTP library up to limits; it is not unpacked.

    Raises:
        ValueError: It is packed, longer, or takes too many seconds.
    """
    packing = response.headers.get("content-encoding", "identity")
    if packing != "identity":
        raise ValueError(f"the answer is packed ({packing}), though the request forbids it")
    content = bytearray()
    ends = time.monotonic() + seconds
    for part in response.stream:
        content += part
        if time.monotonic() > ends:
            raise ValueError(f"the answer takes more than {seconds:g} seconds")
        if len(content) > _MOST_BYTES:
            raise ValueError(f"the answer has more than {_MOST_BYTES:,} bytes")
    response.stream.close()
    response.stream = type(response)(response.status_code, content=bytes(content)).stream


def _shown_fields(fields: Mapping[str, object]) -> str:
    """Return the further fields of requests as names of models show them.

    >>> _shown_fields({"temperature": 0.2, "seed": 1})
    ', seed 1, temperature 0.2'
    """
    shown = ""
    for key, value in sorted(fields.items()):
        shown += f", {key} {json.dumps(value)}"
    if len(shown) > _LONGEST_FIELDS:
        return f", request {digest_of_json(fields)[:SHOWN_HASH]}"
    return shown


def servers_digest(models: Iterable[ChatModel]) -> str | None:
    """Return what tells the addresses of models from others, without showing them; None of none."""
    addresses = sorted({model.address for model in models})
    if not addresses:
        return None
    return digest_of_json(addresses[0] if len(addresses) == 1 else addresses)[:SHOWN_HASH]


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
    """A language model with tools, whose calls the server reads.

    Args:
        model: The model.
    """

    mode: ClassVar[str] = ""
    """What names in files say of it."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.cost: Counter[str] = Counter()
        self._messages: list[Message] = [{"role": "system", "content": self._prompt()}]

    def __call__(self, utterance: str, call: Call) -> str:
        """Return the response to what the user says, after any calls of tools.

        Raises:
            BrokenOffError: It calls tools without end, or the server does not answer.
            InputError: It writes its first call as text.
        """
        self._messages.append({"role": "user", "content": utterance})
        for _ in range(MOST_ROUNDS):
            message = self._next_message()
            self._messages.append(message)
            results = self._results(message, call)
            if not results:
                return str(message["content"])
            self._messages += results
        raise BrokenOffError(f"the agent calls tools {MOST_ROUNDS} times and does not respond")

    def _prompt(self) -> str:
        return str(script("prompts")["agent"])

    def _next_message(self) -> Message:
        return self._model.complete(self._messages, self.cost, tools=tool_schemas())

    def _results(self, message: Message, call: Call) -> list[Message]:
        """Make the calls of a message, and return their results as messages."""
        results: list[Message] = []
        for requested in message.get("tool_calls", ()):
            self._model.has_called = True
            result = call(requested["function"]["name"], requested["function"].get("arguments"))
            content = json.dumps(result, ensure_ascii=False)
            answer = {"role": "tool", "tool_call_id": requested.get("id"), "content": content}
            results.append(answer)
        if not self._model.has_called and written_calls(message["content"]):
            problem = f"writes calls of tools as text: {cut_repr(message['content'])}"
            raise InputError(self._model.place, f"{problem}; {_READ_CALLS}")
        return results


class TextAgent(ModelAgent):
    """A language model that writes calls as text, and is told the results by messages."""

    mode = ", calls text"

    def _prompt(self) -> str:
        tools = [json.dumps(schema["function"]) for schema in tool_schemas()]
        return "\n".join([super()._prompt(), script("prompts")["calls"], *tools])

    def _next_message(self) -> Message:
        content = self._model.complete(self._messages, self.cost)["content"]
        # Some models go on with a result that they make up.
        said, _, _ = content.partition(script("prompts")["result"])
        return {"role": "assistant", "content": said.strip()}

    def _results(self, message: Message, call: Call) -> list[Message]:
        prompts = script("prompts")
        results = []
        for name, arguments in written_calls(message["content"]):
            result = json.dumps(call(name, arguments), ensure_ascii=False)
            results.append(prompts["result"] + result + prompts["result_end"])
        # In one message: many templates want the roles to alternate.
        return [{"role": "user", "content": "\n".join(results)}] if results else []


AGENTS: Mapping[str, type[ModelAgent]] = {"server": ModelAgent, "text": TextAgent}
"""Who reads the calls of a model -> the agent."""

_LONGEST_NAME = 60
"""Characters before a call's arguments, in which its name is looked for."""


def written_calls(text: str) -> list[tuple[str, object]]:
    r"""Return the calls of tools that models write as text: names and arguments.

    >>> written_calls('```json\n{"name": "query_hotel", "parameters": {"area": "north"}}\n```')
    [('query_hotel', {'area': 'north'})]
    """
    text, forms = text[:MOST_HEARD], script("prompts")["written"]
    calls: list[tuple[str, object]] = []
    for call, argument in forms["keywords"]:
        for name, arguments in re.findall(call, text, re.DOTALL):
            calls.append((name, dict(re.findall(argument, arguments, re.DOTALL))))
    start = text.find("{")
    while start >= 0:
        value: Any = "not JSON"
        end = start + 1
        with suppress(ValueError, RecursionError):
            value, end = json.JSONDecoder().raw_decode(text, start)
        named = re.search(forms["name_before"], text[max(0, start - _LONGEST_NAME) : start])
        if named is not None:
            calls.append((named[1], value))
        elif isinstance(value, dict):
            arguments = value.get("arguments", value.get("parameters"))
            if arguments is not None and "name" in value:
                calls.append((str(value["name"]), arguments))
            else:
                # The call may be within.
                end = start + 1
        start = text.find("{", end)
    return calls


class ModelUser:
    """A language model that plays the user by the task's instructions.

    Args:
        model: The model.
        task: The task.
        world: Not used: a model knows the instructions alone.
        seed: Not used.
    """

    mode: ClassVar[str] = ""

    def __init__(self, model: ChatModel, task: Task, world: World, seed: str) -> None:
        self._model = model
        self.cost: Counter[str] = Counter()
        lines = "\n".join(f"- {line}." for line in task.message)
        prompts = script("prompts")
        system = prompts["user"].strip().format(instructions=lines, end=prompts["end"])
        self._messages = [{"role": "system", "content": system}]

    def __call__(self, response: str | None) -> UserTurn:
        """Return what the user says to a response.

        Raises:
            BrokenOffError: It says nothing, or the server does not answer.
        """
        heard = script("prompts")["greeting"] if response is None else response or "..."
        self._messages.append({"role": "user", "content": heard})
        utterance: str = self._model.complete(self._messages, self.cost)["content"]
        if not utterance:
            raise BrokenOffError("the user says nothing")
        self._messages.append({"role": "assistant", "content": utterance})
        text, end, _ = utterance.partition(script("prompts")["end"])
        return text.strip() or "Goodbye.", bool(end)
