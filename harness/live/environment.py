"""One live dialogue at a time, in plain Python: who talks, what was called, and what came of it.

    environment = Environment(World.of("sample"))
    environment.reset("town001")
    while (said := environment.user_turn()) is not None:
        found = environment.call("query_restaurant", {"area": "centre"})
        environment.respond("...")
    environment.outcome()

A user turn comes first; then any number of calls and one response. The dialogue ends with the
response to the user's last turn, or when it has too many turns; `user_turn` then returns None.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from ..benchmark import REFERENCE
from ..data.tasks import Task
from ..errors import InputError, shown
from ..io.files import limits, valid_text
from .outcomes import Outcome, booked_slots
from .users import ScriptedUser
from .world import BrokenOffError, UserMaker, UserTurn, World

MAX_TURNS = 30
"""How many turns a dialogue has at most, where nothing else is said."""

MOST_CALLS = 100
"""How often an agent may call tools in a turn."""


class Environment:
    """A dialogue between an agent, which drives it, and a user.

    Args:
        world: The benchmark.
        user: Makes the user.
        max_turns: How many turns a dialogue has at most.
    """

    def __init__(
        self, world: World, user: UserMaker = ScriptedUser, max_turns: int = MAX_TURNS
    ) -> None:
        self.world = world
        self._make_user = user
        self._max_turns = max_turns
        self._task: Task | None = None

    def reset(self, task: Task | str, seed: str = "0") -> Environment:
        """Begin a dialogue, and return the environment.

        Args:
            task: The task, or its id.
            seed: What the user's words depend on besides the task.

        Raises:
            InputError: There is no such task.
        """
        self._task = task if isinstance(task, Task) else self.world.tasks[task]
        self.user = self._make_user(self._task, self.world, seed)
        self.transcript: list[dict[str, Any]] = []
        self.error: str | None = None
        self._said: UserTurn | None = None
        self._calls: list[dict[str, Any]] = []
        self.done = False
        return self

    @property
    def task(self) -> Task:
        """The task that is played.

        Raises:
            InputError: None is.
        """
        if self._task is None:
            raise InputError("environment", "no dialogue yet; call reset(task) first")
        return self._task

    def user_turn(self) -> str | None:
        """Return what the user says next; None once the dialogue is over.

        Raises:
            BrokenOffError: It is too long.
            InputError: The last turn has no response yet.
        """
        self._check(responding=False)
        if self.done:
            return None
        last = self.transcript[-1]["response"] if self.transcript else None
        said = self.user(last)
        self._said = replace(said, text=_readable("what the user says", said.text))
        self._calls = []
        return self._said.text

    def call(self, name: str, arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result, or `error` and what to do.

        Args:
            name: The tool.
            arguments: Slot -> value, or the JSON of it.

        Raises:
            BrokenOffError: The arguments are too long, or there are too many calls.
            InputError: It is not the agent's turn.
        """
        self._check(responding=True)
        if len(self._calls) >= MOST_CALLS:
            raise BrokenOffError(f"the agent calls tools more than {MOST_CALLS} times in a turn")
        # As files have it; the agent may go on changing what it gave, and what it was told.
        name = _readable("the name of the tool", str(name))
        text = json.dumps(arguments, default=str, skipkeys=True, ensure_ascii=False)
        given = json.loads(_readable("the arguments of a call", text))
        returned, _ = self.world.tools.call(self.task, name, given)
        result = valid_text(json.dumps(returned, ensure_ascii=False))
        self._calls.append({"name": name, "arguments": given, "result": json.loads(result)})
        told: Mapping[str, Any] = json.loads(result)
        return told

    def respond(self, text: str) -> None:
        """Say something to the user.

        Raises:
            BrokenOffError: It is too long.
            InputError: It is not the agent's turn.
        """
        said = self._check(responding=True)
        if not isinstance(text, str):
            raise InputError("environment", f"expected a string to respond, found {shown(text)}")
        turn = {"user": said.text, "response": _readable("the response", text)}
        self.transcript.append({**turn, "calls": self._calls} if self._calls else turn)
        self._said = None
        self.done = said.ends or len(self.transcript) >= self._max_turns

    def fail(self, error: str) -> None:
        """Break the dialogue off: it counts as failed, whatever was said."""
        if self._said is not None:
            self.respond("")
        self.error, self.done = error, True

    def outcome(self) -> Outcome:
        """Return what came of the dialogue, or has come of it so far."""
        return outcome_of(self.world, self.task, self.transcript, self.error)

    def _check(self, responding: bool) -> UserTurn:
        """Return the user turn that is to be answered; refuse what is out of order."""
        said = self._said if self.task else None
        if responding and said is None:
            over = "the dialogue is over" if self.done else "the user has not spoken"
            what = "reset(task)" if self.done else "user_turn()"
            raise InputError("environment", f"{over}; call {what} first")
        if said is not None and not responding:
            raise InputError("environment", "the user waits for an answer; call respond(text)")
        return said or UserTurn("")


def _readable(what: str, text: str) -> str:
    """Return a text as files of plays hold it, so that all that reads them reads it.

    Raises:
        BrokenOffError: It is longer than responses that are read may be.
    """
    most = limits()
    if len(text) > most.response:
        raise BrokenOffError(f"{what}: {len(text):,} characters; {most.told('response')}")
    return valid_text(text)


def outcome_of(
    world: World, task: Task, turns: Sequence[Mapping[str, Any]], error: str | None = None
) -> Outcome:
    """Return what came of a dialogue: of what was said and called alone, calling the tools again.

    Args:
        world: The benchmark.
        task: The task that was played.
        turns: `user`, `response` and `calls` of each turn.
        error: What went wrong, if the dialogue was broken off: it is lost then.
    """
    found = world.grounded(task.id, [turn["response"] for turn in turns])
    calls = [call for turn in turns for call in turn.get("calls", ())]
    called = [world.tools.call(task, call["name"], call["arguments"]) for call in calls]
    bookings = [booking for _, booking in called if booking is not None]
    booked, unasked = booked_slots(task, bookings, world.tools)
    # Reference numbers and drivers' numbers count if a booking returned them.
    told = [re.sub("[^0-9A-Za-z]", "", turn["response"]).upper() for turn in turns]
    real = {one.domain for one in bookings if any(one.code in text for text in told)}
    goal = world.goals[task.id].items()
    coded = {d for d, one in goal if ("PHONE" if d == "taxi" else REFERENCE) in one.requestable}
    whole = error is None and coded <= real
    return Outcome(
        inform=error is None and found.inform,
        success=whole and found.success,
        # Tasks always say what else they request.
        requested=whole and bool(found.success_requested),
        booked=booked,
        unasked=unasked,
        told=asdict(found.faithfulness),
        turns=len(turns),
        calls=len(calls),
        failed_calls=sum("error" in result for result, _ in called),
        error=error,
    )
