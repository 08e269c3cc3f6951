"""One live dialogue at a time, in plain Python: the turns, the calls and the result.

    environment = Environment(World.of("sample"))
    environment.reset("town001")
    while (said := environment.user_turn()) is not None:
        found = environment.call("query_restaurant", {"area": "centre"})
        environment.respond("...")
    environment.outcome()

A user turn comes first; then any number of calls and one response. The dialogue ends with the
response to the user's last turn, or when it has too many turns; `user_turn` then returns None.

A booking is right if it is the only one of its domain, its slots are the goal's, and its venue
meets the goal's constraints; a taxi's slots are the goal's constraints, and where the goal does not
say from where to where, it goes from one venue of the goal to another. A dialogue is solved if all
that the goal requests is told of venues that fit, no others being named, and every booking of the
goal is right.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mwz.normalization import digest_of_json

from ..benchmark import REFERENCE
from ..data import Task
from ..errors import InputError
from ..grounding import NAMING_SLOTS
from ..io import limit_text, limits, valid_text
from ..signature import SHOWN_HASH, Signature
from .agents import Agent
from .users import ScriptedUser
from .world import (
    ROUTE,
    BrokenOffError,
    Result,
    UserMaker,
    UserTurn,
    World,
    tool_schemas,
)

MAX_TURNS = 30
"""How many turns a dialogue has at most."""

MOST_CALLS = 100
"""How often an agent may call tools in a turn."""


class Environment:
    """A dialogue between an agent, which drives it, and a user.

    Args:
        world: The benchmark.
        user: Makes the user.
    """

    def __init__(self, world: World, user: UserMaker = ScriptedUser) -> None:
        self.world = world
        self._make_user = user
        self._said: UserTurn | None = None
        self.done = True

    def reset(self, task: Task | str, seed: str = "0") -> Environment:
        """Begin a dialogue, and return the environment.

        Args:
            task: The task, or its id.
            seed: What the user's words depend on besides the task.

        Raises:
            InputError: There is no such task.
        """
        self.task = task if isinstance(task, Task) else self.world.tasks[task]
        self.user = self._make_user(self.task, self.world, seed)
        self.transcript: list[dict[str, Any]] = []
        self.error: str | None = None
        self._said = None
        self._calls: list[dict[str, Any]] = []
        self.done = False
        return self

    def user_turn(self) -> str | None:
        """Return what the user says next; None once the dialogue is over.

        Raises:
            BrokenOffError: It is too long.
            InputError: The last turn has no response yet.
        """
        if self._said is not None:
            raise InputError("environment", "the user waits for an answer; call respond(text)")
        if self.done:
            return None
        last = self.transcript[-1]["response"] if self.transcript else None
        words, ends = self.user(last)
        self._said = _readable("what the user says", words), ends
        self._calls = []
        return self._said[0]

    def call(self, name: str, arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result, or `error` and what to do.

        Args:
            name: The tool.
            arguments: Slot -> value, or the JSON of it.

        Raises:
            BrokenOffError: The arguments are too long, or there are too many calls.
            InputError: It is not the agent's turn.
        """
        self._heard()
        if len(self._calls) >= MOST_CALLS:
            raise BrokenOffError(f"the agent calls tools more than {MOST_CALLS} times in a turn")
        # As files have it; the agent may go on changing what it gave, and what it was told.
        name = _readable("the name of the tool", str(name))
        text = json.dumps(arguments, default=str, skipkeys=True, ensure_ascii=False)
        given = json.loads(_readable("the arguments of a call", text))
        returned = self.world.call(self.task, name, given)
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
        words, ends = self._heard()
        turn = {"user": words, "response": _readable("the response", text)}
        self.transcript.append({**turn, "calls": self._calls} if self._calls else turn)
        self._said = None
        self.done = ends or len(self.transcript) >= MAX_TURNS

    def fail(self, error: str) -> None:
        """Break the dialogue off: it counts as failed, whatever was said."""
        if self._said is not None:
            self.respond("")
        self.error, self.done = error, True

    def outcome(self) -> Outcome:
        """Return the result of the dialogue, by now or at its end."""
        return outcome_of(self.world, self.task, self.transcript, self.error)

    def _heard(self) -> UserTurn:
        """Return the user turn that is to be answered."""
        if self._said is None:
            told = "it is not the agent's turn; call user_turn(), or reset(task) for a dialogue"
            raise InputError("environment", told)
        return self._said


def _readable(what: str, text: str) -> str:
    """Return a text as files of plays hold it, so that all that reads them reads it.

    Raises:
        BrokenOffError: It is longer than responses that are read may be.
    """
    most = limits()
    if len(text) > most["response"]:
        raise BrokenOffError(f"{what}: {len(text):,} characters; {limit_text(most, 'response')}")
    return valid_text(text)


Outcome: TypeAlias = "dict[str, Any]"
"""The result of a dialogue, as JSON types.

- `inform`, `success`: grounded Inform and Success ("any").
- `requested`: grounded Success over all that the goal requests, by all venues named.
- `booked`: domain that the goal books -> slot -> whether it was booked so; `venue` stands for the
  venue, `route` for where a taxi goes, and `once` for the only booking.
- `unasked`: bookings of domains that the goal does not book.
- `told`: what the responses tell of venues: `COUNTS` of `grounding/scores.py`.
- `turns`, `calls`, `failed_calls`: how many turns, calls of tools and wrong ones there are.
- `error`: what went wrong, if the dialogue was broken off; else None.
- `books`: whether every booking of the goal is right.
- `solved`: whether all that is requested is told and the bookings are right.
"""


def booked_slots(
    task: Task, bookings: Sequence[tuple[str, Result]], world: World
) -> tuple[dict[str, dict[str, bool]], int]:
    """Hold what was booked against a task's goal.

    Args:
        task: The task.
        bookings: The domain of each booking, and what its tool returned.
        world: The benchmark.

    Returns:
        Domain -> slot -> whether it is booked as the goal has it, and the number of bookings of
        domains that it does not book.
    """
    wanted = {d: one.info if d == "taxi" else one.book for d, one in task.domains.items()}
    compared = {}
    for domain, slots in wanted.items():
        made = [result for booked, result in bookings if booked == domain]
        if not slots:
            continue
        last = made[-1] if made else {}
        right = {s: s in last and world.same(s, last[s], v) for s, v in slots.items()}
        right["once"] = len(made) == 1
        if domain != "taxi":
            key = "trainID" if domain == "train" else "name"
            venue = world.named(domain, last[key], key) if made else []
            right["venue"] = not {*venue}.isdisjoint(
                world.matching(domain, task.domains[domain].info)
            )
        elif not {*ROUTE} & slots.keys():
            # From one venue of the goal to another.
            begins, ends = (_at_venues_of(last.get(slot, ""), task, world) for slot in ROUTE)
            right["route"] = any(one != other for one in begins for other in ends)
        compared[domain] = right
    return compared, sum(domain not in compared for domain, _ in bookings)


def _at_venues_of(place: str, task: Task, world: World) -> set[str]:
    """Return the domains of the goal of which a place is a venue that fits."""
    wanted = {d: one.info for d, one in task.domains.items() if NAMING_SLOTS.get(d) == "NAME"}
    return {d for d, i in wanted.items() if {*world.named(d, place)} & {*world.matching(d, i)}}


def outcome_of(
    world: World, task: Task, turns: Sequence[Mapping[str, Any]], error: str | None = None
) -> Outcome:
    """Return the result of a dialogue from its turns and calls alone, calling the tools again.

    Args:
        world: The benchmark.
        task: The task that was played.
        turns: `user`, `response` and `calls` of each turn.
        error: What went wrong, if the dialogue was broken off: it is lost then.
    """
    responses = [turn["response"] for turn in turns]
    grounded = world.grounded(task.id, responses)
    calls = [call for turn in turns for call in turn.get("calls", ())]
    results = [world.call(task, call["name"], call["arguments"]) for call in calls]
    bookings = [
        (call["name"].removeprefix("book_"), result)
        for call, result in zip(calls, results, strict=True)
        if result.get("booked")
    ]
    booked, unasked = booked_slots(task, bookings, world)
    # Reference numbers and drivers' numbers count if a booking returned them.
    texts = [re.sub("[^0-9A-Za-z]", "", response).upper() for response in responses]
    codes = [(domain, one.get("reference") or one["phone"]) for domain, one in bookings]
    real = {domain for domain, code in codes if any(code in text for text in texts)}
    goal = world.goals[task.id].items()
    coded = {d for d, one in goal if ("PHONE" if d == "taxi" else REFERENCE) in one.requestable}
    whole = error is None and coded <= real
    # Tasks always say what else they request.
    requested = whole and bool(grounded.success_requested)
    books = all(all(slots.values()) for slots in booked.values())
    return {
        "inform": error is None and grounded.inform,
        "success": whole and grounded.success,
        "requested": requested,
        "booked": booked,
        "unasked": unasked,
        "told": dict(grounded.faithfulness),
        "turns": len(turns),
        "calls": len(calls),
        "failed_calls": sum("error" in result for result in results),
        "error": error,
        "books": books,
        "solved": requested and books,
    }


# ---------------------------------------------------------------------------- playing a dialogue

Line: TypeAlias = "dict[str, Any]"
"""A dialogue as files have it: `dialogue_id`, `turns` (`user`, `response`, `calls`), `trial`,
`agent`, `outcome`, `costs`, `signature`, and of language models `server`, a digest of the address.
"""


@dataclass(frozen=True)
class Play:
    """Who plays what.

    Attributes:
        world: The benchmark and its tasks.
        tasks: The ids of the tasks that are played, in order.
        agent: Makes the agent of a dialogue.
        agent_name: What records call it.
        user: Makes the user of a dialogue.
        user_name: What signatures call it, with the digest of its prompt or script.
        trials: How often each task is played.
        seed: What scripted users' words depend on.
        server: What tells the address of language models from others; None without such models.
    """

    world: World
    tasks: Sequence[str]
    agent: Callable[[], Agent]
    agent_name: str
    user: UserMaker
    user_name: str
    trials: int = 1
    seed: int = 0
    server: str | None = None

    def signature(self, **more: str) -> Signature:
        """Return all that outcomes depend on besides the agent, and further parameters."""
        plain = self.world.signature
        own = {
            "user": self.user_name,
            "tasks": self.world.tasks.digest[:SHOWN_HASH],
            "tools": digest_of_json(tool_schemas())[:SHOWN_HASH],
            "max-turns": str(MAX_TURNS),
            "seed": str(self.seed),
        }
        return replace(plain, goals="all", parameters={**plain.parameters, **own, **more})

    def whole_signature(self) -> Signature:
        """Return all that figures depend on besides the agent: the tasks and the trials, too."""
        played = digest_of_json([self.world.tasks[id_].goal for id_ in self.tasks])[:SHOWN_HASH]
        return self.signature(played=f"{len(self.tasks)}-{played}", trials=str(self.trials))


def dialogue(what: Play, trial: int, id_: str) -> Line:
    """Play one dialogue, and return its line."""
    environment = Environment(what.world, what.user)
    environment.reset(id_, f"{what.seed} {trial}")
    agent = what.agent()
    try:
        while (said := environment.user_turn()) is not None:
            environment.respond(agent(said, environment.call))
    except BrokenOffError as error:
        environment.fail(str(error))
    talkers = {"agent": agent, "user": environment.user}
    server = {} if what.server is None else {"server": what.server}
    return {
        "dialogue_id": id_,
        "turns": environment.transcript,
        "trial": trial,
        "agent": what.agent_name,
        "outcome": environment.outcome(),
        "costs": {who: dict(one.cost) for who, one in talkers.items() if hasattr(one, "cost")},
        "signature": what.signature().to_dict(),
        **server,
    }
