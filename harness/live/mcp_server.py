"""The tools of live dialogues for any agent that speaks MCP: `mwz play --agent mcp:NAME`.

The server talks over standard input and output, as clients start it, or over HTTP. Besides the
tools it has `start`, which begins the next dialogue, and `respond`, which says something to the
user; both return what the user says, until the dialogue is over. The dialogues are played in a
thread, like those of any other agent. Needs the extra `mcp`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from ..errors import InputError
from .agents import Agent, Call
from .plays import Line
from .world import Result, script, tool_schemas


class Desk:
    """Where dialogues and a client meet: each hands something over, and waits for the other.

    Attributes:
        played: The lines of the dialogues that are over.
        error: Why no more can be played; None as long as they can.
    """

    def __init__(self) -> None:
        self.played: list[Line] = []
        self.error: InputError | None = None
        self._acts: SimpleQueue[tuple[str, Result]] = SimpleQueue()
        # What a dialogue hands over, and whether it goes on.
        self._answers: SimpleQueue[tuple[Result, bool]] = SimpleQueue()
        self._has_begun = False
        # What the client last heard; clients may call several tools at a time.
        self._heard: Result = {}
        self._goes_on = False
        self._lock = Lock()

    def __call__(self) -> Agent:
        """Return the agent of the next dialogue."""
        return self._response

    def _response(self, utterance: str, call: Call) -> str:
        """Return what the client responds to the user, after any calls of tools."""
        self._has_begun = True
        self._answers.put(({"user": utterance}, True))
        while True:
            name, arguments = self._acts.get()
            if name == "respond" and isinstance(arguments.get("text"), str):
                return str(arguments["text"])
            result = {"error": "text: expected a string"}
            if name != "respond":
                result = call(name, arguments)
            self._answers.put((result, True))

    def play(self, lines: Iterable[Line]) -> None:
        """Play dialogues, in a thread of its own."""
        end = script("mcp")["end"]
        try:
            for line in lines:
                self.played.append(line)
                if self._has_begun:
                    self._answers.put(({"over": script("mcp")["over"]}, False))
                self._has_begun = False
        except InputError as error:
            self.error, end = error, str(error)
        self._answers.put(({"end": end}, False))

    def act(self, name: str, arguments: Result) -> Result:
        """Do what the client wants in the dialogue, and return what comes of it."""
        with self._lock:
            if name == "start" and self._goes_on:
                return self._heard
            if name != "start" and not self._goes_on:
                return {"error": script("mcp")["not_started"]}
            if name != "start":
                self._acts.put((name, arguments))
            answer, self._goes_on = self._answers.get()
            if "user" in answer:
                self._heard = {"instructions": script("prompts")["agent"], **answer}
            if "end" in answer:
                # It stays the answer, however often the client starts.
                self._answers.put((answer, False))
            return self._heard if name == "start" and self._goes_on else answer


def serve(desk: Desk, lines: Iterable[Line], port: int | None) -> list[Line]:
    """Let a client play dialogues until it disconnects, and return the lines of those played.

    Args:
        desk: The agent of the dialogues.
        lines: The dialogues, played as they are read.
        port: Where to listen on the loopback address, until all dialogues are over; None for
            standard input and output.

    Raises:
        InputError: The package `mcp` is not installed, or no more can be played.
    """
    try:
        import anyio
        import uvicorn
        from mcp.server.lowlevel import Server
        from mcp.server.stdio import stdio_server
        from mcp.types import CallToolResult, ListToolsResult, TextContent, Tool
    except ImportError:
        needs = "needs the package mcp 2 (the extra `mcp`): pip install 'mcp>=2'"
        raise InputError("agent mcp:NAME", needs) from None
    tools = []
    for schema in (*script("mcp")["tools"], *tool_schemas()):
        fields = dict(schema["function"])
        tools.append(Tool(input_schema=fields.pop("parameters"), **fields))

    async def list_tools(context: object, parameters: object) -> ListToolsResult:
        return ListToolsResult(tools=tools)

    async def call_tool(context: object, parameters: Any) -> CallToolResult:
        arguments = parameters.arguments or {}
        answer = await anyio.to_thread.run_sync(
            desk.act, parameters.name, arguments, abandon_on_cancel=True
        )
        http.should_exit = "end" in answer
        text = json.dumps(answer, ensure_ascii=False)
        return CallToolResult(content=[TextContent(type="text", text=text)])

    async def run() -> None:
        async with stdio_server() as (received, sent):
            await server.run(received, sent, server.create_initialization_options())

    text = script("mcp")["instructions"]
    server = Server("multiwoz", instructions=text, on_list_tools=list_tools, on_call_tool=call_tool)
    app = server.streamable_http_app()
    http = uvicorn.Server(
        uvicorn.Config(app, port=port or 0, log_level="error", timeout_graceful_shutdown=1)
    )
    Thread(target=desk.play, args=(lines,), daemon=True).start()
    anyio.run(run if port is None else http.serve)
    if desk.error is not None:
        raise desk.error
    return desk.played
