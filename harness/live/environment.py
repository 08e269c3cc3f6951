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
    BrokenOffError,
    Result,
    ToolCall,
    Turn,
    UserMaker,
    UserTurn,
    World,
    booked_slots,
    bookings,
    call_text,
    calls_in,
    naming_key,
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
        self.task = task if isinstance(task, Task) else self.world.task(task)
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
- `solved`: whether all that is requested is told and the bookings are right.
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
    grounded = world.grounded(task.id, [turn["response"] for turn in turns])
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
        "solved": requested and books,
    }


# ---------------------------------------------------------------------- why it is not solved

_MOST_NAMED = 3
MISSING = "missing"
"""The error of a dialogue that no file has."""


@dataclass(frozen=True)
class _Case:
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
    turns: Sequence[Turn]
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

    @cached_property
    def tries(self) -> list[tuple[int, ToolCall]]:
        """The calls that book: the turn, and the call."""
        tool = f"book_{self.domain}"
        return [(turn, call) for turn, call in calls_in(self.turns) if call["name"] == tool]

    @property
    def made(self) -> list[tuple[int, Result]]:
        """The bookings: the turn, and what the tool returned."""
        return [(turn, call["result"]) for turn, call in self.tries if call["result"].get("booked")]

    @property
    def lacks_booking(self) -> bool:
        """Whether the goal books the domain and nothing is booked."""
        return self.domain in self.outcome["booked"] and not self.made

    @property
    def wrong(self) -> list[str]:
        """The wrong slots of the bookings, as `Outcome` names them; none if nothing is booked."""
        slots = self.outcome["booked"].get(self.domain, {}) if self.made else {}
        return [slot for slot, is_right in slots.items() if not is_right]

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
        if not self.naming:
            return []
        return self.heard[self.naming[-1]].contradicted(self.wanted.info)


_Rule: TypeAlias = Callable[[_Case], str]
"""Says what went wrong in a domain, and where; an empty text if nothing did."""


def _gave_up(case: _Case) -> str:
    """Return what the user objected to in vain, in words; an empty text if it did not object."""
    # It said the constraint again after an offer, and the last offer still contradicts it.
    later_turns = case.turns[min(case.naming, default=0) + 1 :]
    text = " ".join(turn["user"] for turn in later_turns)
    objections = []
    for slot in case.contradicted:
        value = case.wanted.info[slot]
        if says(text, slot, value):
            objections.append(f"{slot} {value}")
    return f"; the user objected ({', '.join(objections)}) and gave up" if objections else ""


def _fitting(case: _Case) -> str:
    """Return which venues would fit, in words."""
    ids = case.world.matching(case.domain, case.wanted.info)[:_MOST_NAMED]
    names = [case.world.venue_name(case.domain, id_) for id_ in ids]
    return f"would fit: {', '.join(names) or 'none'}"


def _unfit(case: _Case, venues: Iterable[str]) -> str:
    """Return which of some venues do not fit and why, and which would, in words."""
    fitting = case.world.matching(case.domain, case.wanted.info)
    unfit = []
    for id_ in venues:
        if id_ not in fitting:
            faults = case.world.faults(case.domain, id_, case.wanted.info)
            reason = "; ".join(map(str, faults)) or "meets the constraints only singly"
            unfit.append(f"{case.world.venue_name(case.domain, id_)} ({reason})")
    named = ", ".join(unfit[:_MOST_NAMED]) or "nothing that the database has"
    return f"{named}; {_fitting(case)}"


def _not_played(case: _Case) -> str:
    return MISSING if case.outcome["error"] == MISSING and not case.turns else ""


def _broken_off(case: _Case, by_user: bool) -> str:
    error, turns = case.outcome["error"], case.turns
    # The agent broke the last turn off if its response is recorded as empty.
    was_answered = not turns or bool(turns[-1]["response"])
    if not error or was_answered != by_user:
        return ""
    return f"turn {len(turns) if by_user else len(turns) - 1}: {error}"


def _no_tool_called(case: _Case) -> str:
    has_calls = any("calls" in turn for turn in case.turns)
    return "" if has_calls else counted(len(case.turns), "turn")


def _endless(case: _Case) -> str:
    if len(case.turns) < MAX_TURNS:
        return ""
    responses = Counter(turn["response"] for turn in case.turns)
    [(response, times)] = responses.most_common(1)
    return f"{times} of {MAX_TURNS} responses are {cut(response, LONGEST_SHOWN)!r}"


def _wrong_venue(case: _Case) -> str:
    if "venue" not in case.wrong:
        return ""
    turn, result = case.made[-1]
    key = naming_key(case.domain)
    return f"turn {turn}: {_unfit(case, case.world.venues_named(case.domain, result[key], key))}"


def _wrong_slots(case: _Case) -> str:
    slots = [slot for slot in case.wrong if slot != "venue"]
    if not slots:
        return ""
    turn, result = case.made[-1]
    wanted = {**case.slots, "route": "from one venue of the goal to another", "once": "1"}
    route = f"{result.get('departure')} to {result.get('destination')}"
    booked = {**result, "route": route, "once": str(len(case.made))}
    names = {"once": "number of bookings"}
    faults = [Fault(names.get(slot, slot), wanted[slot], booked.get(slot)) for slot in slots]
    return f"turn {turn}: {'; '.join(map(str, faults))}"


def _never_named(case: _Case) -> str:
    if case.domain not in NAMING_SLOTS or case.grounded.matched or case.naming:
        return ""
    return _fitting(case)


def _unfit_offer(case: _Case) -> str:
    if case.grounded.matched_all or not case.naming:
        return ""
    return f"turn {case.naming[-1]}: {_unfit(case, case.grounded.venues)}"


def _not_booked(case: _Case) -> str:
    if not case.lacks_booking:
        return ""
    if not case.tries:
        return f"book_{case.domain} is never called{_gave_up(case)}"
    turn, call = case.tries[-1]
    return f"turn {turn}: {call_text(call)}{_gave_up(case)}"


def _not_answered(case: _Case) -> str:
    causes, problems = case.grounded.causes, []
    asked = [asked_slots(turn["user"].lower()) for turn in case.turns]
    for slot in case.wanted.reqt:
        name = SPANS.get(slot) or normalize_slot_name(slot, case.world.scorer.rules)
        if name in causes:
            turns = [f"turn {turn}" for turn, slots in enumerate(asked) if slot in slots]
            problems.append(f"{slot} {causes[name]}, asked for in {', '.join(turns) or 'no turn'}")
    missing = numbers_missing(case.world, case.task, case.turns)
    if case.domain in missing and not case.lacks_booking:
        problems.append("the number that a booking returns is never told")
    if not (problems or case.grounded.matched or case.domain in NAMING_SLOTS):
        problems.append(f"nothing is told of the {case.domain}")
    return "; ".join(problems) + _gave_up(case) if problems else ""


def _unsaid(case: _Case, asked: bool) -> str:
    # Before an offer the user has no reason to say anything.
    if not case.ended or not (case.made or case.grounded.venues):
        return ""
    user_text = " ".join(turn["user"] for turn in case.turns)
    lacking = {slot: v for slot, v in case.slots.items() if not says(user_text, slot, v)}
    # It tells slots of the booking when it books, and its second choice after a refusal.
    books = case.made or (case.grounded.matched and {*case.wanted.book} <= {*lacking})
    refused = any("reason" in call["result"] for _, call in case.tries)
    unsaid = []
    for slot, value in lacking.items():
        turns = [turn for turn, heard in enumerate(case.heard[:-1]) if heard.asked([slot])]
        is_due = slot in case.wanted.info or books
        is_second_choice = slot in case.wanted.fail_book
        if is_due and (refused or not is_second_choice) and bool(turns) == asked:
            place = f"turn {turns[0]}: " if turns else ""
            unsaid.append(f"{place}{slot} {value}")
    return ", ".join(unsaid)


def _unfit_accepted(case: _Case) -> str:
    if case.grounded.matched or not case.grounded.venues or not case.ended:
        return ""
    if not case.contradicted or _gave_up(case):
        return ""
    return f"turn {case.naming[-1]}: the agent says another {' and '.join(case.contradicted)}"


_OF_DIALOGUES: Mapping[str, _Rule] = {
    "not played": _not_played,
    "error of the user": partial(_broken_off, by_user=True),
    "error of the agent": partial(_broken_off, by_user=False),
    "no tool called": _no_tool_called,
    "no end": _endless,
}
_OF_DOMAINS: Mapping[str, _Rule] = {
    "wrong venue booked": _wrong_venue,
    "wrong booking": _wrong_slots,
    "no venue named": _never_named,
    "unfit venue offered": _unfit_offer,
    "not booked": _not_booked,
    "request not answered": _not_answered,
}
CAUSES = (*_OF_DIALOGUES, *_OF_DOMAINS)
"""Causes of a task that is not solved; the first that applies counts. The glossary explains them,
and the faults of users."""

USER_FAULTS: Mapping[str, _Rule] = {
    "constraint never said": partial(_unsaid, asked=False),
    "question not answered": partial(_unsaid, asked=True),
    "unfit offer accepted": _unfit_accepted,
}
"""What users do wrong in tasks that are not solved, whatever the cause -> what finds it."""


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
    task, turns, outcome = world.task(line["dialogue_id"]), line["turns"], line["outcome"]
    if outcome["solved"]:
        return [], []
    grounded = world.grounded(task.id, [turn["response"] for turn in turns]).domains
    cases = {}
    for domain, wanted in task.domains.items():
        cases[domain] = _Case(domain, wanted, world, task, turns, outcome, grounded[domain])
    last = next(iter(cases))
    for _, call in calls_in(turns):
        _, _, domain = call["name"].partition("_")
        if domain in cases:
            last = domain
    causes = _findings(_OF_DIALOGUES, [cases[last]])
    if not turns:
        return causes[:1], []
    causes += _findings(_OF_DOMAINS, cases.values())
    return causes, _findings(USER_FAULTS, cases.values())


def _findings(rules: Mapping[str, _Rule], cases: Iterable[_Case]) -> list[Finding]:
    """Return what rules find in goal domains, domain by domain."""
    found = []
    for case in cases:
        for cause, rule in rules.items():
            words = rule(case)
            if words:
                found.append(Finding(cause, case.domain, words))
    return found
