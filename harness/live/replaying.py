"""Files of plays, read by playing each dialogue again with what was recorded.

The recorded agent makes its calls and gives its responses anew: the tools must return what the
file says, and a scripted user must say what the file says. Other users' words are taken from the
file. What came of a dialogue is computed of that alone, whatever the file says of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from pydantic import Field

from mwz.normalization.rules.registry import digest_of_json

from ..errors import InputError, counted, cut
from ..io.files import encoded, parse_json, to_json
from ..io.validation import validated
from ..signature import Signature
from .agents import Baseline, Call
from .environment import outcome_of
from .playing import Line, Play, dialogue
from .users import ScriptedUser
from .world import BrokenOffError, User, UserTurn, World, versioned

SCRIPTED, BASELINE = "scripted", "baseline"
"""The user and the agent by script: what they do can be told again from the seed alone."""

_KEYS = {"dialogue_id", "turns", "trial", "agent", "outcome", "costs", "signature"}
_NOT_PLAYED = "not played"
_SHOWN = 200
_AGAIN = "play it again by `mwz play`"


def script_name(who: str, file: str) -> str:
    """Return what records call a user or an agent by script: with the script's digest."""
    return f"{who}-{versioned(file)}"


@dataclass(frozen=True)
class _Called:
    name: str
    arguments: Any
    result: dict[str, Any]


@dataclass(frozen=True)
class _Turn:
    user: str
    response: str
    calls: tuple[_Called, ...] = ()


@dataclass(frozen=True)
class _Recorded:
    """A line of a file of plays; as a file has it, see `playing.py`."""

    dialogue_id: str
    turns: tuple[_Turn, ...]
    trial: Annotated[int, Field(strict=True, ge=1)]
    agent: Annotated[str, Field(max_length=_SHOWN)]
    outcome: dict[str, Any]
    costs: dict[str, dict[str, int]]
    signature: Signature
    source: str = ""


@dataclass(frozen=True)
class Plays:
    """Plays of one agent with one user.

    Attributes:
        what: Who played what, with the trials and the tasks that any of them plays.
        lines: A line for each task in each trial, with the outcome that was found.
        missing: How many of these no file has: they count as lost.
    """

    what: Play
    lines: Sequence[Line]
    missing: int = 0

    @property
    def by_script(self) -> bool:
        """Whether they can be played again from the seed alone: both have today's script."""
        ours = (script_name(BASELINE, "agent"), script_name(SCRIPTED, "user"))
        return (self.what.agent_name, self.what.user_name) == ours

    @property
    def said(self) -> dict[str, Any]:
        """What was said and called: trial -> dialogue -> turns."""
        found: dict[str, Any] = {}
        for line in self.lines:
            found.setdefault(str(line["trial"]), {})[line["dialogue_id"]] = line["turns"]
        return found

    @property
    def remarks(self) -> list[str]:
        """What is to be said of them."""
        tasks, of = len(self.what.tasks), len(self.what.world.tasks.tasks)
        broken_off = sum(line["outcome"]["error"] is not None for line in self.lines)
        return [
            told
            for told, is_so in {
                f"plays {tasks} of {counted(of, 'task')}": tasks < of,
                f"{counted(self.missing, 'play')} of {tasks} tasks in "
                f"{counted(self.what.trials, 'trial')} missing: counted as lost": self.missing,
                f"{counted(broken_off - self.missing, 'dialogue')} broken off: counted as "
                "lost": broken_off > self.missing,
            }.items()
            if is_so
        ]


def is_play(content: bytes) -> bool:
    """Whether an (unpacked) file is one of `mwz play`, by its first line."""
    try:
        first = json.loads(content.split(b"\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.keys() >= _KEYS


def recorded(content: bytes, source: str) -> list[_Recorded]:
    """Return the lines of an (unpacked) file of plays, yet to be played again.

    Args:
        content: The file.
        source: What messages call it.

    Raises:
        InputError: A line is none of `mwz play`; with its number.
    """
    found = []
    for number, text in enumerate(content.split(b"\n"), start=1):
        if text.strip():
            try:
                line = parse_json(text, source)
                found.append(replace(validated(_Recorded, line, source), source=source))
            except InputError as error:
                told = "; ".join(error.problems)
                raise InputError(source, f"line {number}: no play ({told}); {_AGAIN}") from None
    return found


def replayed(lines: Sequence[_Recorded], world: World) -> Plays:
    """Play dialogues again, with what was recorded, and return what comes of them.

    Args:
        lines: The lines of all files of a play, one for each trial or all in one, at least one.
        world: The benchmark and its tasks.

    Raises:
        InputError: They are of different plays, or of another benchmark, tools or script; a
            dialogue is there twice; a trial repeats another one; or a tool or a scripted user
            would have answered otherwise.
    """
    what = _play(lines[0], world)
    made = [_checked(line, what) for line in lines]
    by_place = {(line["trial"], line["dialogue_id"]): line for line in made}
    if len(by_place) < len(made):
        ids = [(one["trial"], one["dialogue_id"]) for one in made]
        trial, id_ = next(one for one in ids if ids.count(one) > 1)
        raise InputError(lines[0].source, f"trial {trial}: dialogue {id_} is there twice; keep one")
    played = {id_ for _, id_ in by_place}
    tasks = [id_ for id_ in world.tasks.tasks if id_ in played]
    trials = sorted({trial for trial, _ in by_place})
    what = replace(what, tasks=tasks, trials=len(trials))
    found = [by_place.get((t, id_)) or _lost(what, t, id_) for t in trials for id_ in tasks]
    plays = Plays(what, found, len(found) - len(made))
    if what.user is not ScriptedUser:
        digests: dict[str, str] = {}
        for trial, said in plays.said.items():
            first = digests.setdefault(digest_of_json(said), trial)
            if first != trial:
                told = f"is trial {first} again in every dialogue; play each trial"
                raise InputError(lines[0].source, f"trial {trial} {told}")
    return plays


def play_again(plays: Plays | Play) -> Plays:
    """Play what the scripts of agent and user tell, all trials."""
    what = plays.what if isinstance(plays, Plays) else plays
    trials = range(1, what.trials + 1)
    return Plays(what, [dialogue(what, trial, id_) for trial in trials for id_ in what.tasks])


def scripted_play(world: World, trials: int, seed: int) -> Play:
    """Return the play of the baseline with the scripted user, of all tasks."""
    names = script_name(BASELINE, "agent"), script_name(SCRIPTED, "user")
    tasks = list(world.tasks.tasks)
    return Play(world, tasks, Baseline, names[0], ScriptedUser, names[1], trials, seed)


def _play(line: _Recorded, world: World) -> Play:
    """Return who played what, as a line says."""
    given = line.signature.parameters
    user = given.get("user", "")
    scripted = user.startswith(f"{SCRIPTED}-")
    try:
        seed, most = int(given["seed"]), int(given["max-turns"])
    except (KeyError, ValueError):
        told = "signature: seed and max-turns are missing, or no numbers"
        raise InputError(line.source, f"dialogue {line.dialogue_id}: {told}; {_AGAIN}") from None
    return Play(
        world,
        [],
        Baseline,
        line.agent,
        ScriptedUser if scripted else _silent,
        script_name(SCRIPTED, "user") if scripted else user,
        seed=seed,
        max_turns=most,
    )


def _silent(*_: object) -> User:
    raise AssertionError("a user that is no script is recorded")


def _checked(line: _Recorded, what: Play) -> Line:
    """Return a line played again.

    Raises:
        InputError: It is of another play, or comes out otherwise.
    """
    place = f"trial {line.trial}, dialogue {line.dialogue_id}"
    task = what.world.tasks[line.dialogue_id]
    reasons = [*line.signature.comparable_with(what.signature()).reasons]
    if line.agent != what.agent_name:
        reasons.append(f"different agents: {line.agent} and {what.agent_name}")
    if reasons:
        told = f"is not of this play, or was played with another version ({'; '.join(reasons)})"
        raise InputError(line.source, f"{place}: {told}; give the files of one play, or {_AGAIN}")
    error = line.outcome.get("error")
    tape = _Tape(line.turns, None if error is None else str(error))
    user = what.user if what.user is ScriptedUser else lambda *_: _RecordedUser(tape)
    again = dialogue(replace(what, agent=lambda: _RecordedAgent(tape), user=user), line.trial, task.id)
    told = next(_differences(line.turns, json.loads(json.dumps(again["turns"]))), None)
    if told is not None:
        raise InputError(line.source, f"{place}, {told}; a play cannot be edited: {_AGAIN}")
    return {**again, "costs": line.costs}


def _differences(turns: Sequence[_Turn], again: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield where a dialogue comes out otherwise: where, what the file has, and what is right."""
    for number, (turn, one) in enumerate(zip(turns, again, strict=False)):
        if turn.user != one["user"]:
            told = f"the user says {_short(turn.user)}, and by its script {_short(one['user'])}"
            yield f"turn {number}: {told}"
        for at, (call, right) in enumerate(zip(turn.calls, one.get("calls", ()), strict=False)):
            if call.result != right["result"]:
                told = f"{_short(call.result)}, and the tool returns {_short(right['result'])}"
                yield f"turn {number}, call {at} of {call.name}: has the result {told}"
    if len(turns) > len(again):
        yield f"turn {len(again)}: the dialogue is over before it"
    elif len(turns) < len(again):
        yield f"turn {len(turns)}: is missing; the user goes on"


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return cut(text, _SHOWN)


def _lost(what: Play, trial: int, id_: str) -> Line:
    """Return the line of a dialogue that was not played."""
    outcome = outcome_of(what.world, what.world.tasks[id_], [], _NOT_PLAYED).to_dict()
    line = {"dialogue_id": id_, "turns": [], "trial": trial, "agent": what.agent_name}
    return {**line, "outcome": outcome, "costs": {}}


@dataclass
class _Tape:
    """A dialogue as it was recorded.

    Attributes:
        turns: Its turns.
        error: Why it was broken off, if it was.
    """

    turns: Sequence[_Turn]
    error: str | None


@dataclass
class _RecordedAgent:
    """An agent that does what was recorded."""

    tape: _Tape
    number: int = field(default=0)

    def reply(self, said: str, call: Call) -> str:
        """Return the next response, after the calls that went before it."""
        if self.number == len(self.tape.turns):
            raise BrokenOffError(self.tape.error or "the recorded dialogue goes no further")
        turn = self.tape.turns[self.number]
        self.number += 1
        for one in turn.calls:
            call(one.name, one.arguments)
        if self.tape.error is not None and self.number == len(self.tape.turns) and not turn.response:
            raise BrokenOffError(self.tape.error)
        return turn.response


@dataclass
class _RecordedUser:
    """A user that says what was recorded."""

    tape: _Tape
    number: int = field(default=0)

    def turn(self, response: str | None) -> UserTurn:
        """Return what it says next."""
        if self.number == len(self.tape.turns):
            raise BrokenOffError(self.tape.error or "the recorded dialogue goes no further")
        self.number += 1
        last = self.number == len(self.tape.turns) and self.tape.error is None
        return UserTurn(self.tape.turns[self.number - 1].user, ends=last)


def plays_file(plays: Plays) -> bytes:
    """Return what was said and called as a document: what identifies plays by script."""
    return encoded(to_json(plays.said))
