"""Language models that fail in known ways: the scripted baseline, with one thing wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from chat_server import Answer, calling, saying

from mwz.harness.live.agents import Baseline, Call

Model = Callable[[Sequence[Mapping[str, Any]]], Answer]


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
        for one in messages:
            if one["role"] == "user":
                turns.append((one["content"], []))
            elif one["role"] == "tool":
                turns[-1][1].append(json.loads(one["content"]))
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


def as_agent(model: Model) -> Callable[[str, Call], str]:
    """Return a model as an agent, without a server."""
    messages: list[dict[str, Any]] = []

    def reply(said: str, call: Call) -> str:
        messages.append({"role": "user", "content": said})
        while True:
            answer: Any = model(messages)
            if not answer.get("tool_calls"):
                return str(answer["content"])
            for one in answer["tool_calls"]:
                result = call(one["function"]["name"], one["function"]["arguments"])
                messages.append({"role": "tool", "content": json.dumps(result)})

    return reply


def _another_venue(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    others = {"book_hotel": "the weather house", "book_restaurant": "the pewter ladle"}
    return {**slots, "name": others[name]} if name in others else slots


def _nine_people(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    return {**slots, "people": 9} if name.startswith("book") and "people" in slots else slots


def _anywhere(name: str, slots: dict[str, Any]) -> dict[str, Any]:
    return {slot: value for slot, value in slots.items() if slot != "area"}


FAILING: dict[str, Model] = {
    "wrong venue booked": failing(_another_venue),
    "wrong booking": failing(_nine_people),
    "unfit venue offered": failing(_anywhere),
    "request not answered": failing(words=lambda text: re.sub("phone number is .*?[.,]", "", text)),
    "not booked": failing(skipped="book_"),
    "no tool called": lambda messages: saying("The Skylark Inn is a nice hotel."),
    "no venue named": failing(words=lambda text: "I have found several. Anything else?"),
}
"""What is wrong -> a model that does it."""
