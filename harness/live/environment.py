"""One live dialogue at a time: the turns, the calls, the result, and why it is not solved.

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
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

from mwz.normalization import normalize_slot_name

from ..data import DomainTask, Task
from ..errors import InputError, counted, cut
from ..grounding import NAMING_SLOTS, GroundedDomain
from ..io import valid_text
from ..metrics import Fault
from ..scoring import Reward
from .agents import asked_slots
from .users import SPANS, Heard, ScriptedUser, says
from .world import (
    LONGEST_SHOWN,
    ROUTE,
    BrokenOffError,
    Result,
    UserMaker,
    UserTurn,
    World,
    booked_slots,
    bookings,
    call_text,
    numbers_missing,
    readable,
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
        self.task = task if isinstance(task, Task) else self.world.tasks[task]
        self.user = self._make_user(self.task, self.world, seed)
        self.transcript: list[dict[str, Any]] = []
        self.error: str | None = None
        self._user_turn = None
        self._calls: list[dict[str, Any]] = []
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
            words, ends = self.user(last)
            self._user_turn = readable("what the user says", words), ends
        except BrokenOffError as error:
            self.fail(str(error))
            return None
        self._calls = []
        return self._user_turn[0]

    def call(self, name: str, arguments: object) -> Mapping[str, Any]:
        """Call a tool, and return its result, or `error` and what to do.

        Too many calls, and what is too long, fail the dialogue.

        Args:
            name: The tool.
            arguments: Slot -> value, or the JSON of it.

        Raises:
            InputError: It is not the agent's turn.
        """
        if self.error is None:
            self._heard()
            try:
                return self._called(name, arguments)
            except BrokenOffError as error:
                self.fail(str(error))
        return {"error": self.error}

    def _called(self, name: str, arguments: object) -> Mapping[str, Any]:
        if len(self._calls) >= MOST_CALLS:
            raise BrokenOffError(f"the agent calls tools more than {MOST_CALLS} times in a turn")
        # As files have it; the agent may go on changing its arguments and the result.
        name = readable("the name of the tool", str(name))
        try:
            text = json.dumps(arguments, default=str, skipkeys=True, ensure_ascii=False)
        except (ValueError, RecursionError):
            text = json.dumps("not JSON")
        given = json.loads(readable("the arguments of a call", text))
        returned = self.world.call(self.task, name, given)
        result = valid_text(json.dumps(returned, ensure_ascii=False))
        self._calls.append({"name": name, "arguments": given, "result": json.loads(result)})
        answer: Mapping[str, Any] = json.loads(result)
        return answer

    def respond(self, text: str) -> None:
        """Say something to the user; what is no text, or too long, fails the dialogue.

        Raises:
            InputError: It is not the agent's turn.
        """
        if self.error is not None:
            return
        words, ends = self._heard()
        try:
            turn = {"user": words, "response": readable("the response", text)}
        except BrokenOffError as error:
            self.fail(str(error))
            return
        self.transcript.append({**turn, "calls": self._calls} if self._calls else turn)
        self._user_turn = None
        self.done = ends or len(self.transcript) >= MAX_TURNS

    def fail(self, error: str) -> None:
        """Break the dialogue off: it counts as failed, whatever was said."""
        if self._user_turn is not None:
            self.respond("")
        self.error, self.done = error, True

    def reward(self) -> Reward:
        """Return 1 if the dialogue is solved, else 0; with the reason if it was broken off."""
        return Reward(float(self.outcome()["solved"]), self.error)

    def outcome(self) -> Outcome:
        """Return the result of the dialogue, by now or at its end."""
        return outcome_of(self.world, self.task, self.transcript, self.error)

    def _heard(self) -> UserTurn:
        """Return the user turn that is to be answered."""
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
- `solved`: whether all that is requested is told and the bookings are right.
"""


def outcome_of(
    world: World, task: Task, turns: Sequence[Mapping[str, Any]], error: str | None = None
) -> Outcome:
    """Return the result of a dialogue from its turns and calls alone.

    Args:
        world: The benchmark.
        task: The task that was played.
        turns: `user`, `response` and `calls` of each turn.
        error: What went wrong, if the dialogue was broken off: it is lost then.
    """
    grounded = world.grounded(task.id, [turn["response"] for turn in turns])
    results = [call["result"] for turn in turns for call in turn.get("calls", ())]
    booked, unasked = booked_slots(task, bookings(turns), world)
    whole = error is None and not numbers_missing(world, task, turns)
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
        "calls": len(results),
        "failed_calls": sum("error" in result for result in results),
        "error": error,
        "books": books,
        "solved": requested and books,
    }


# ---------------------------------------------------------------------- why it is not solved

_MOST_NAMED = 3
MISSING = "missing"
"""The error of a dialogue that no file has."""


@dataclass(frozen=True)
class _Part:
    """A goal domain in a dialogue that is not solved.

    Attributes:
        domain: The domain.
        wanted: What the user wants of it.
        world, task, turns, outcome: The benchmark, and the dialogue.
        grounded: How the responses meet the goal.
    """

    domain: str
    wanted: DomainTask
    world: World
    task: Task
    turns: Sequence[Mapping[str, Any]]
    outcome: Outcome
    grounded: GroundedDomain

    @property
    def slots(self) -> dict[str, str]:
        """Its constraints, and the slots of its booking."""
        return {**self.wanted.info, **self.wanted.book}

    @property
    def ended(self) -> bool:
        """Whether the user came to its end, and could say all that it had to."""
        return self.outcome["error"] is None and len(self.turns) < MAX_TURNS

    @property
    def tries(self) -> list[tuple[int, Mapping[str, Any]]]:
        """The calls that book: the turn, and the call."""
        calls = [(n, one) for n, turn in enumerate(self.turns) for one in turn.get("calls", ())]
        return [(turn, one) for turn, one in calls if one["name"] == f"book_{self.domain}"]

    @property
    def made(self) -> list[tuple[int, Result]]:
        """The bookings: the turn, and what the tool returned."""
        return [(turn, one["result"]) for turn, one in self.tries if one["result"].get("booked")]

    @property
    def wrong(self) -> list[str]:
        """What is not right of the bookings, as `Outcome` names it; nothing where none is made."""
        slots = self.outcome["booked"].get(self.domain, {}) if self.made else {}
        return [slot for slot, right in slots.items() if not right]

    @cached_property
    def heard(self) -> list[Heard]:
        """What the user hears of the domain in each response."""
        return [Heard(turn["response"], self.world, self.domain) for turn in self.turns]

    @property
    def naming(self) -> list[int]:
        """The turns whose responses name a venue of the domain."""
        return [turn for turn, heard in enumerate(self.heard) if heard.names]

    @cached_property
    def contradicted(self) -> list[str]:
        """The constraints that the last response to name a venue contradicts."""
        return [s for n in self.naming[-1:] for s in self.heard[n].contradicted(self.wanted.info)]

    @cached_property
    def gave_up(self) -> str:
        """What the user objected in vain, in words; nothing if it did not."""
        # Who objected once, and was offered no better, gave up.
        user_text = " ".join(turn["user"] for turn in self.turns[min(self.naming, default=0) + 1 :])
        wanted = self.wanted.info
        again = [f"{s} {wanted[s]}" for s in self.contradicted if says(user_text, s, wanted[s])]
        return f"; the user objected ({', '.join(again)}) and gave up" if again else ""

    def unfit(self, venues: Iterable[str]) -> str:
        """Return which of some venues do not fit and why, and which would."""
        world, wanted = self.world, self.wanted.info
        fitting = world.matching(self.domain, wanted)
        words = [
            f"{world.called(self.domain, id_)} ({faults or 'meets the constraints only singly'})"
            for id_ in venues
            if id_ not in fitting
            for faults in ["; ".join(map(str, world.faults(self.domain, id_, wanted)))]
        ]
        fit = ", ".join(world.called(self.domain, id_) for id_ in fitting[:_MOST_NAMED])
        wrong = ", ".join(words[:_MOST_NAMED]) or "nothing that the database has"
        return f"{wrong}; would fit: {fit or 'none'}"


_Rule: TypeAlias = Callable[[_Part], str]
"""Says what went wrong in a domain, and where; nothing if it did not."""


def _broken_off(part: _Part, by_user: bool) -> str:
    # A response that is owed is recorded as empty.
    error, turns = part.outcome["error"] or "", part.turns
    of_user = not turns or bool(turns[-1]["response"])
    return f"turn {len(turns) - (not of_user)}: {error}" if error and of_user == by_user else ""


def _endless(part: _Part) -> str:
    [(often, times)] = Counter(turn["response"] for turn in part.turns).most_common(1) or [("", 0)]
    words = f"{times} of {MAX_TURNS} responses are {cut(often, LONGEST_SHOWN)!r}"
    return words if len(part.turns) >= MAX_TURNS else ""


def _wrong_venue(part: _Part) -> str:
    if "venue" not in part.wrong:
        return ""
    key, (turn, result) = "trainID" if part.domain == "train" else "name", part.made[-1]
    return f"turn {turn}: {part.unfit(part.world.named(part.domain, result[key], key))}"


def _wrong_slots(part: _Part) -> str:
    slots = [slot for slot in part.wrong if slot != "venue"]
    if not slots:
        return ""
    turn, result = part.made[-1]
    wanted = {**part.slots, "route": "from one venue of the goal to another", "once": "1"}
    route = " to ".join(str(result.get(place)) for place in ROUTE)
    made = {**result, "route": route, "once": str(len(part.made))}
    names = {"once": "number of bookings"}
    faults = [Fault(names.get(s, s), wanted[s], made.get(s)) for s in slots]
    return f"turn {turn}: {'; '.join(map(str, faults))}"


def _never_named(part: _Part) -> str:
    named = part.domain not in NAMING_SLOTS or part.grounded.matched or part.naming
    return "" if named else part.unfit(()).partition("; ")[2]


def _unfit_offer(part: _Part) -> str:
    offered = [] if part.grounded.matched_all else part.naming
    return f"turn {offered[-1]}: {part.unfit(part.grounded.venues)}" if offered else ""


def _not_booked(part: _Part) -> str:
    if part.made or part.domain not in part.outcome["booked"]:
        return ""
    tries = [f"turn {turn}: {call_text(one)}" for turn, one in part.tries]
    return (tries[-1] if tries else f"book_{part.domain} is never called") + part.gave_up


def _not_answered(part: _Part) -> str:
    causes, words = part.grounded.causes, []
    asked = [asked_slots(turn["user"].lower()) for turn in part.turns]
    for slot in part.wanted.reqt:
        name = SPANS.get(slot) or normalize_slot_name(slot, part.world.scorer.rules)
        turns = [f"turn {turn}" for turn, slots in enumerate(asked) if slot in slots]
        if name in causes:
            words.append(f"{slot} {causes[name]}, asked for in {', '.join(turns) or 'no turn'}")
    books = part.made or part.domain not in part.outcome["booked"]
    if books and part.domain in numbers_missing(part.world, part.task, part.turns):
        words.append("the number that a booking returns is never told")
    if not (words or part.grounded.matched or part.domain in NAMING_SLOTS):
        words.append(f"nothing is told of the {part.domain}")
    return "; ".join(words) + part.gave_up * bool(words)


def _unsaid(part: _Part, asked: bool) -> str:
    # There is no reason to say anything before an offer, to book before a booking, or to book
    # otherwise unrefused.
    if not part.ended or not (part.made or part.grounded.venues):
        return ""
    wanted, user_text = part.wanted, " ".join(turn["user"] for turn in part.turns)
    lacking = {slot: v for slot, v in part.slots.items() if not says(user_text, slot, v)}
    books = part.made or (part.grounded.matched and {*wanted.book} <= {*lacking})
    refused = any("reason" in one["result"] for _, one in part.tries)
    words = []
    for slot, value in lacking.items():
        turns = [f"turn {turn}: " for turn, one in enumerate(part.heard[:-1]) if one.asked([slot])]
        has_reason = (slot in wanted.info or books) and (refused or slot not in wanted.fail_book)
        if has_reason and bool(turns) == asked:
            words.append(f"{''.join(turns[:1])}{slot} {value}")
    return ", ".join(words)


def _unfit_accepted(part: _Part) -> str:
    if part.grounded.matched or not part.grounded.venues or not part.ended:
        return ""
    slots = " and ".join(part.contradicted)
    accepted = slots and not part.gave_up
    return f"turn {part.naming[-1]}: the agent says another {slots}" if accepted else ""


_OF_DIALOGUES: Mapping[str, tuple[str, _Rule]] = {
    "not played": (
        "no file has the dialogue",
        lambda part: MISSING * (part.outcome["error"] == MISSING and not part.turns),
    ),
    "error of the user": ("the user broke it off", partial(_broken_off, by_user=True)),
    "error of the agent": ("the agent broke it off", partial(_broken_off, by_user=False)),
    "no tool called": (
        "the agent calls no tool in the whole dialogue",
        lambda part: (
            counted(len(part.turns), "turn") * all("calls" not in turn for turn in part.turns)
        ),
    ),
    "no end": (f"the dialogue has not ended after {MAX_TURNS} turns", _endless),
}
_OF_DOMAINS: Mapping[str, tuple[str, _Rule]] = {
    "wrong venue booked": ("the venue that is booked breaks a constraint", _wrong_venue),
    "wrong booking": ("the last booking has another slot, or is not the only one", _wrong_slots),
    "no venue named": ("no response names a venue of the domain", _never_named),
    "unfit venue offered": ("a venue that is named last breaks a constraint", _unfit_offer),
    "not booked": ("there is no booking where the goal has one", _not_booked),
    "request not answered": ("something that the goal requests is not told", _not_answered),
}
CAUSES = {cause: meaning for cause, (meaning, _) in {**_OF_DIALOGUES, **_OF_DOMAINS}.items()}
"""Causes of a task that is not solved -> what they mean; the first that applies counts."""

_OF_USERS: Mapping[str, tuple[str, _Rule]] = {
    "constraint never said": ("the user does not say what it wants", partial(_unsaid, asked=False)),
    "question not answered": ("the user ignores what the agent asks", partial(_unsaid, asked=True)),
    "unfit offer accepted": ("the user takes what the agent says is not it", _unfit_accepted),
}
USER_FAULTS = {fault: meaning for fault, (meaning, _) in _OF_USERS.items()}
"""What users do wrong in tasks that are not solved, whatever the cause -> what it means."""


class Finding(NamedTuple):
    """What went wrong in a dialogue: a cause or fault, the goal domain, and where and what it was.

    What concerns the whole dialogue is of the domain of the last call.
    """

    cause: str
    domain: str
    words: str


def findings(line: Mapping[str, Any], world: World) -> tuple[list[Finding], list[Finding]]:
    """Return why a dialogue is not solved, the cause that counts first, and the user's faults.

    The cause that counts is of the whole dialogue, or of the first domain that went wrong.

    Args:
        line: `dialogue_id`, `turns` and `outcome` of the dialogue.
        world: The benchmark.
    """
    task, turns, outcome = world.tasks[line["dialogue_id"]], line["turns"], line["outcome"]
    if outcome["solved"]:
        return [], []
    domains = world.grounded(task.id, [turn["response"] for turn in turns]).domains
    parts = {
        d: _Part(d, one, world, task, turns, outcome, domains[d]) for d, one in task.domains.items()
    }
    of_calls = [one["name"].partition("_")[2] for turn in turns for one in turn.get("calls", ())]
    last = next((domain for domain in reversed(of_calls) if domain in parts), next(iter(parts)))

    def of(rules: Mapping[str, tuple[str, _Rule]], domains: Iterable[str]) -> list[Finding]:
        each = ((cause, d, rule(parts[d])) for d in domains for cause, (_, rule) in rules.items())
        return [Finding(*one) for one in each if one[-1]]

    causes = of(_OF_DIALOGUES, [last])
    return (causes + of(_OF_DOMAINS, parts), of(_OF_USERS, parts)) if turns else (causes[:1], [])
