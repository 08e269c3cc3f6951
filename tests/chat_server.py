"""A server on the loopback address that speaks OpenAI's protocol, and misbehaves when told to."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from loopback import running

from mwz.harness.live.agents import Baseline


@dataclass(frozen=True)
class Packed:
    """A body that the server says is gzip."""

    content: bytes


Answer = Mapping[str, Any] | int | bytes | Packed | Callable[[], Any] | None
"""A message, an HTTP status, a body that is no completion, what gives one of these after a while,
or None for a cut connection."""


def calling(name: str, arguments: str, times: int = 1) -> dict[str, Any]:
    """Return a message that calls a tool."""
    function = {"name": name, "arguments": arguments}
    calls = [{"id": f"call_{n}", "type": "function", "function": function} for n in range(times)]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def saying(text: object) -> dict[str, Any]:
    """Return a message of text alone."""
    return {"role": "assistant", "content": text}


def completion(message: Mapping[str, Any]) -> bytes:
    """Return the body of an answer, of 7 tokens read and 3 written."""
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
    return json.dumps({**whole, "choices": [choice], "usage": usage}).encode()


Model = Callable[[Sequence[Mapping[str, Any]]], Answer]
"""What a server answers to the messages of a request."""


class _WantedError(Exception):
    """A tool is to be called before the response."""


def failing(
    wrong: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda name, slots: slots,
    words: Callable[[str], str] = str,
    skipped: str = "-",
) -> Model:
    """Return a model that calls and says what the baseline does, but for what is wrong.

    Args:
        wrong: Changes the arguments of a call.
        words: Changes a response.
        skipped: What the names of tools begin with that are not called.
    """

    def answer(messages: Sequence[Mapping[str, Any]]) -> Answer:
        baseline, turns = Baseline(), list[tuple[str, list[Any]]]()
        for message in messages:
            if message["role"] == "user":
                turns.append((message["content"], []))
            elif message["role"] == "tool":
                turns[-1][1].append(json.loads(message["content"]))
        response = ""
        for said, results in turns:

            def call(name: str, slots: Any, results: list[Any] = results) -> Mapping[str, Any]:
                if name.startswith(skipped):
                    return {"booked": True, "reference": "AB4D5FGH"}
                if not results:
                    raise _WantedError(name, wrong(name, dict(slots)))
                result: Mapping[str, Any] = results.pop(0)
                return result

            try:
                response = baseline(said, call)
            except _WantedError as wanted:
                name, slots = wanted.args
                return calling(name, json.dumps(slots))
        return saying(words(response))

    return answer


def writing_calls(model: Model, form: str) -> Model:
    """Return a model that writes its calls as text, and is told the results by the user.

    Args:
        model: Who makes the calls.
        form: How they are written, with `NAME` and `ARGUMENTS`.
    """

    def answer(messages: Sequence[Mapping[str, Any]]) -> Answer:
        seen: list[Mapping[str, Any]] = []
        for message in messages:
            results = re.findall("<tool_response>(.*?)</tool_response>", message["content"])
            if message["role"] == "user" and results:
                seen += [{"role": "tool", "content": result} for result in results]
            else:
                seen.append(message)
        message = model(seen)
        assert isinstance(message, Mapping)
        written = []
        for call in message.get("tool_calls", ()):
            text = form.replace("NAME", call["function"]["name"])
            written.append(text.replace("ARGUMENTS", call["function"]["arguments"]))
        return saying("\n".join(written)) if written else message

    return answer


class ChatServer:
    """What a running server is told and what it has seen.

    Attributes:
        url: What to give as the base URL.
        requests: The bodies of all requests.
        keys: What they had as authorization.
        answer: What it answers to the messages of a request.
        faults: What it answers first, in place of that.
    """

    def __init__(self, url: str, answer: Model) -> None:
        self.url = url
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str | None] = set()
        self.answer = answer
        self.faults: list[Answer] = []


class _Handler(BaseHTTPRequestHandler):
    state: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.state.requests.append(body)
        self.state.keys.add(self.headers["Authorization"])
        faults = self.state.faults
        answer = faults.pop(0) if faults else self.state.answer(body["messages"])
        if callable(answer):
            answer = answer()
        if answer is None:
            self.close_connection = True
            self.connection.close()
        elif isinstance(answer, int):
            self._send(answer, json.dumps({"error": {"message": f"status {answer}"}}).encode())
        elif isinstance(answer, bytes):
            self._send(200, answer)
        elif isinstance(answer, Packed):
            self._send(200, answer.content, {"Content-Encoding": "gzip"})
        else:
            self._send(200, completion(answer))

    def _send(self, status: int, content: bytes, headers: Mapping[str, str] = {}) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        # The client is told not to wait, or it would for seconds.
        self.send_header("retry-after-ms", "1")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def chat_server(
    answer: Model,
) -> Iterator[ChatServer]:
    """Run a server; it answers each request as a function of its messages says."""
    state = ChatServer("", answer)
    handler = type("Handler", (_Handler,), {"state": state})
    with running(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as address:
        state.url = f"{address}/v1"
        yield state
