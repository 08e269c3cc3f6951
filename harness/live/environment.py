"""One live dialogue at a time: the turns, the calls, and the result.

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
that the goal requests is told of venues that fit, no others being named, every booking of the goal
is right, and every reference number told is one that a booking returned.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from ..benchmark import REFERENCE
from ..data import Task
from ..errors import InputError
from ..grounding import NAMING_SLOTS, sentences, turn_domains
from ..io import valid_text
from ..scoring import Reward
from .users import Heard, ScriptedUser
from .world import (
    ROUTE,
    BrokenOffError,
    Result,
    ToolCall,
    Turn,
    UserMaker,
    UserTurn,
    World,
    calls_in,
    naming_key,
    readable,
    talk_in,
)

MAX_TURNS = 30
"""How many turns a dialogue has at most."""

MOST_CALLS = 100
"""How often an agent may call tools in a turn."""

MISSING = "missing"
"""The error of a dialogue that no file has."""


class Environment:
    """A dialogue between an agent, which drives it, and a user.

    Args:
        world: The benchmark.
        user: Makes the user.
    """

    def __init__(self, world: World, user: UserMaker = ScriptedUser) -> None:
        self.world = world
        self._make_user = user
        self._user_turn: UserTurn | None = None
        self.done = True

    def reset(self, task: Task | str, seed: str = "0") -> Environment:
        """Begin a dialogue, and return the environment.

        Args:
            task: The task, or its id.
            seed: What the user's words depend on besides the task.

        Raises:
            InputError: There is no such task.
        """
        if not isinstance(task, Task):
            task = self.world.task(task)
        self.task = task
        self.user = self._make_user(self.task, self.world, seed)
        self.transcript: list[Turn] = []
        self.error: str | None = None
        self._user_turn = None
        self._calls: list[ToolCall] = []
        self.done = False
        return self

    def user_turn(self) -> str | None:
        """Return what the user says next; None once the dialogue is over, or the user failed.

        Raises:
            InputError: The last turn has no response yet.
        """
        if self._user_turn is not None:
            raise InputError("environment", "the user waits for an answer; call respond(text)")
        if self.done:
            return None
        last = self.transcript[-1]["response"] if self.transcript else None
        try:
            utterance, is_last = self.user(last)
            self._user_turn = readable("what the user says", utterance), is_last
        except BrokenOffError as error:
            self.fail(str(error))
            return None
        self._calls = []
        return self._user_turn[0]

    def call(self, name: str, arguments: object) -> Result:
        """Call a tool, and return its result, or `error` and what to do.

        Too many calls, and what is too long, fail the dialogue.

        Args:
            name: The tool.
            arguments: Slot -> value, or the JSON of it.

        Raises:
            InputError: It is not the agent's turn.
        """
        if self.error is not None:
            return {"error": self.error}
        self._pending_turn()
        try:
            if len(self._calls) >= MOST_CALLS:
                problem = f"the agent calls tools more than {MOST_CALLS} times in a turn"
                raise BrokenOffError(problem)
            name = readable("the name of the tool", str(name))
            try:
                text = json.dumps(arguments, default=str, skipkeys=True, ensure_ascii=False)
            except (ValueError, RecursionError):
                text = json.dumps("not JSON")
            given = json.loads(readable("the arguments of a call", text))
        except BrokenOffError as error:
            self.fail(str(error))
            return {"error": self.error}
        returned = self.world.call(self.task, name, given)
        result = valid_text(json.dumps(returned, ensure_ascii=False))
        # The agent may change its arguments and the result later: the record has copies.
        self._calls.append({"name": name, "arguments": given, "result": json.loads(result)})
        answer: Result = json.loads(result)
        return answer

    def respond(self, text: str) -> None:
        """Say something to the user; what is no text, or too long, fails the dialogue.

        Raises:
            InputError: It is not the agent's turn.
        """
        if self.error is not None:
            return
        utterance, is_last = self._pending_turn()
        try:
            turn: Turn = {"user": utterance, "response": readable("the response", text)}
        except BrokenOffError as error:
            self.fail(str(error))
            return
        if self._calls:
            turn["calls"] = self._calls
        self.transcript.append(turn)
        self._user_turn = None
        self.done = is_last or len(self.transcript) >= MAX_TURNS

    def fail(self, error: str) -> None:
        """Break the dialogue off: it counts as failed, whatever was said."""
        if self._user_turn is not None:
            self.respond("")
        self.error, self.done = error, True

    def reward(self) -> Reward:
        """Return 1 if the dialogue is solved, else 0; with the reason if it was broken off."""
        return Reward(float(self.outcome()["solved"]), self.error)

    def outcome(self) -> Outcome:
        """Return the result of the dialogue, so far or at its end."""
        return outcome_of(self.world, self.task, self.transcript, self.error)

    def _pending_turn(self) -> UserTurn:
        """Return the user turn that the agent has to answer."""
        if self._user_turn is None:
            problem = "it is not the agent's turn; call user_turn(), or reset(task) for a dialogue"
            raise InputError("environment", problem)
        return self._user_turn


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
- `solved`: whether all that is requested is told, the bookings are right, and no reference number
  is made up.
"""


def outcome_of(
    world: World, task: Task, turns: Sequence[Turn], error: str | None = None
) -> Outcome:
    """Return the result of a dialogue from its turns and calls alone.

    Args:
        world: The benchmark.
        task: The task that was played.
        turns: `user`, `response` and `calls` of each turn.
        error: What went wrong, if the dialogue was broken off: it is lost then.
    """
    grounded = world.grounded(task.id, turns)
    results = [call["result"] for _, call in calls_in(turns)]
    booked, unasked = booked_slots(task, bookings(turns), world)
    whole = error is None and not numbers_missing(world, task, turns)
    # It is not None: tasks always say what else they request.
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
        "calls": len(results),
        "failed_calls": sum("error" in result for result in results),
        "error": error,
        "books": books,
        "solved": requested and books and not made_up_numbers(turns, world),
    }


def booked_slots(
    task: Task, bookings: Sequence[tuple[str, Result]], world: World
) -> tuple[dict[str, dict[str, bool]], int]:
    """Compare what was booked with a task's goal.

    Args:
        task: The task.
        bookings: The domain of each booking, and what its tool returned.
        world: The benchmark.

    Returns:
        Domain -> slot -> whether it is booked as the goal has it, and the number of bookings of
        domains that the goal does not book.
    """
    compared = {}
    for domain, wanted in task.domains.items():
        slots = wanted.info if domain == "taxi" else wanted.book
        if not slots:
            continue
        made = [result for booked, result in bookings if booked == domain]
        last: Result = made[-1] if made else {}
        right: dict[str, bool] = {}
        for slot, value in slots.items():
            right[slot] = slot in last and world.same_value(slot, last[slot], value)
        right["once"] = len(made) == 1
        if domain != "taxi":
            key = naming_key(domain)
            right["venue"] = False
            if made:
                venues = world.venues_named(domain, last[key], key)
                right["venue"] = not set(venues).isdisjoint(world.matching(domain, wanted.info))
        elif not {*ROUTE} & slots.keys():
            # From one venue of the goal to another.
            begins = _domains_at(last.get("departure", ""), task, world)
            ends = _domains_at(last.get("destination", ""), task, world)
            right["route"] = bool(begins and ends) and len(begins | ends) > 1
        compared[domain] = right
    return compared, sum(domain not in compared for domain, _ in bookings)


def _domains_at(place: str, task: Task, world: World) -> set[str]:
    """Return the goal domains of which a place is a venue that meets the goal."""
    domains = set()
    for domain, wanted in task.domains.items():
        if NAMING_SLOTS.get(domain) == "NAME":
            fitting = set(world.matching(domain, wanted.info))
            if fitting.intersection(world.venues_named(domain, place)):
                domains.add(domain)
    return domains


def bookings(turns: Iterable[Turn]) -> list[tuple[str, Result]]:
    """Return what was booked in a dialogue: the domain, and what the tool returned."""
    booked: list[tuple[str, Result]] = []
    for _, call in calls_in(turns):
        if call["result"].get("booked"):
            booked.append((call["name"].removeprefix("book_"), call["result"]))
    return booked


def made_up_numbers(turns: Sequence[Turn], world: World) -> dict[str, tuple[int, frozenset[str]]]:
    """Return the reference numbers told that no booking returned.

    Returns:
        Number -> the turn that tells it first, and the domains that its sentence is about.
    """
    responses = [world.delexicalise(turn["response"]) for turn in turns]
    about = turn_domains(responses, [turn["user"] for turn in turns])
    returned = {result.get("reference") for _, result in bookings(turns)}
    made_up: dict[str, tuple[int, frozenset[str]]] = {}
    for number, turn in enumerate(turns):
        references = Heard(turn["response"], world, "").references
        for sentence in sentences(responses[number], about[number]):
            for span in sentence.spans:
                written = re.sub("[^0-9A-Za-z]", "", span.value).upper()
                # Words in capitals, as in "it is RESERVED", look like one without digits.
                is_number = span.value in references and re.search(r"\d", written)
                if span.slot == "REFERENCE" and is_number and written not in returned:
                    made_up.setdefault(written, (number, sentence.domains))
    return made_up


def numbers_missing(world: World, task: Task, turns: Sequence[Turn]) -> set[str]:
    """Return the goal domains of which no response gives the reference or the driver's number."""
    texts = [re.sub("[^0-9A-Za-z]", "", text).upper() for text in talk_in(turns)[1]]
    missing = set()
    for domain, goal in world.goals[task.id].items():
        number = "PHONE" if domain == "taxi" else REFERENCE
        if number in goal.requestable:
            missing.add(domain)
    for domain, result in bookings(turns):
        number = result.get("reference") or result["phone"]
        # Telephone numbers may begin with the country in place of 0.
        number = number.removeprefix("0")
        if any(number in text for text in texts):
            missing.discard(domain)
    return missing
