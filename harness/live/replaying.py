"""Files of plays, read by playing each dialogue again with what was recorded.

The recorded agent makes its calls and gives its responses anew: the tools must return what the
file says, and a scripted user must say what the file says. Other users' words are taken from the
file. What came of a dialogue is computed of that alone, whatever the file says of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from mwz.normalization.registry import digest_of_json

from ..comparison.evidence import Evidence
from ..errors import InputError, counted, cut
from ..metrics.results import Figure, Statistics, percent
from .agents import Agent, Baseline, Call
from .environment import outcome_of
from .playing import (
    AGAIN,
    Line,
    Play,
    Recorded,
    Turn,
    dialogue,
    figures,
    figures_text,
    of_another_play,
)
from .users import ScriptedUser
from .world import (
    BASELINE,
    SCRIPTED,
    BrokenOffError,
    User,
    UserMaker,
    UserTurn,
    World,
    name_problem,
    script_name,
)

_SHOWN = 200
_NO_FURTHER = "the recorded dialogue goes no further"
_COMPARED = {
    "solved": "Solved",
    "requested": "Success, all requested",
    "success": "Success",
    "inform": "Inform",
}


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
    def scripted(self) -> bool:
        """Whether the user is by script, so that it says what it must."""
        return self.what.user is ScriptedUser

    @property
    def by_script(self) -> bool:
        """Whether the agent is, too: `play_scripts` plays the same."""
        return self.scripted and self.what.agent_name == script_name(BASELINE)

    @property
    def said(self) -> dict[str, Any]:
        """What was said and called: trial -> dialogue -> turns."""
        found: dict[str, Any] = {}
        for line in self.lines:
            found.setdefault(str(line["trial"]), {})[line["dialogue_id"]] = line["turns"]
        return found

    @property
    def lost(self) -> dict[str, int]:
        """How dialogues did not come to their end -> how many."""
        errors = sum(line["outcome"]["error"] is not None for line in self.lines)
        return {"missing": self.missing, "broken off": errors - self.missing}

    @property
    def figures(self) -> dict[str, Any]:
        """All figures, as JSON types."""
        return figures(self.what, self.lines)

    def text(self, source: str) -> str:
        """Return the figures for people, and what messages call the file."""
        return figures_text(self.figures, source)

    def evidence(self, name: str) -> Evidence:
        """Return what comparisons know of the plays, by tasks.

        Where each task counts whole or not at all, as of one trial, tasks are won or lost.

        Args:
            name: What to call them.
        """
        tasks = tuple(self.what.tasks)
        outcomes: dict[str, list[dict[str, Any]]] = {id_: [] for id_ in tasks}
        for line in self.lines:
            outcomes[line["dialogue_id"]].append(line["outcome"])
        rows = [
            [len(of), *(sum(one[key] for one in of) for key in _COMPARED)]
            for of in outcomes.values()
        ]

        def formula(sums: Sequence[float]) -> dict[str, float]:
            return {
                key: percent(one, sums[0]) for key, one in zip(_COMPARED, sums[1:], strict=True)
            }

        figures = [Figure(key, title, 1, main=key == "solved") for key, title in _COMPARED.items()]
        columns = enumerate(_COMPARED, start=1)
        wins = {key: n for n, key in columns if all(row[n] in (0, row[0]) for row in rows)}
        statistics = Statistics.of_rows(figures, rows, formula, wins)
        signature = self.what.signature()
        # The seed of a comparison is another one; users with different seeds compare.
        parameters = {key: one for key, one in signature.parameters.items() if key != "seed"}
        compared = replace(signature, parameters=parameters)
        return Evidence(name, compared, tasks, {"live": [statistics]})

    @property
    def remarks(self) -> list[str]:
        """What is to be said of them."""
        tasks, of = len(self.what.tasks), len(self.what.world.tasks.tasks)
        found = [f"{tasks} of {of:,} tasks played; without a rank on the board"] * (tasks < of)
        lost = self.lost.items()
        return found + [f"{counted(n, 'dialogue')} {how}, counted as lost" for how, n in lost if n]


def replayed(lines: Sequence[Recorded], world: World) -> Plays:
    """Play dialogues again with what was recorded, and return what comes of them.

    Args:
        lines: The lines of all files of a play, whatever trials they are of; at least one.
        world: The benchmark and its tasks.

    Raises:
        InputError: They are of different plays, or of another benchmark, tools or script; a
            dialogue is there twice; a trial repeats another one; or a tool or a scripted user
            would have answered otherwise.
    """
    what = _play(lines[0], world)
    found: dict[tuple[int, str], Line] = {}
    for line in lines:
        again = _checked(line, what)
        place = line.trial, again["dialogue_id"]
        if place in found:
            told = f"trial {line.trial}: dialogue {line.dialogue_id} is there twice; keep one"
            raise InputError(line.source, told)
        found[place] = again
    played = {id_ for _, id_ in found}
    trials = sorted({trial for trial, _ in found})
    tasks = [id_ for id_ in world.tasks.tasks if id_ in played]
    what = replace(what, tasks=tasks, trials=len(trials))
    every = [found.get((t, id_)) or _lost(what, t, id_) for t in trials for id_ in tasks]
    plays = Plays(what, every, len(every) - len(found))
    firsts: dict[str, str] = {}
    for trial, said in plays.said.items() if not plays.scripted else ():
        first = firsts.setdefault(digest_of_json(said), trial)
        if first != trial:
            told = f"trial {trial} is trial {first} again in every dialogue; play each trial"
            raise InputError(lines[0].source, told)
    return plays


def play_scripts(world: World, trials: int, seed: int) -> Plays:
    """Let the baseline play all tasks with the scripted user."""
    names = script_name(BASELINE), script_name(SCRIPTED)
    tasks = list(world.tasks.tasks)
    what = Play(world, tasks, Baseline, names[0], ScriptedUser, names[1], trials, seed)
    return Plays(what, [dialogue(what, t, id_) for t in range(1, trials + 1) for id_ in tasks])


def baseline_calls(plays: Plays) -> float | None:
    """Return the share of the baseline's calls that an agent makes in the same turns.

    The baseline hears what the users said to the agent. Arguments count as the same in upper and
    in lower case, and further calls do not count.

    Returns:
        None if the baseline calls nothing.
    """
    calls = same = 0
    for line in plays.lines:
        for turn, right in zip(line["turns"], _baseline_turns(line, plays.what.world), strict=True):
            made = Counter(_call(one["name"], one["arguments"]) for one in turn.get("calls", ()))
            calls, same = calls + right.total(), same + (made & right).total()
    return same / calls if calls else None


def _baseline_turns(line: Line, world: World) -> list[Counter[Hashable]]:
    """Return the calls that the baseline makes in each turn of a dialogue."""
    task, baseline = world.tasks[line["dialogue_id"]], Baseline()
    turns: list[Counter[Hashable]] = []

    def call(name: str, arguments: object) -> Mapping[str, Any]:
        turns[-1][_call(name, arguments)] += 1
        return world.tools.call(task, name, arguments)[0]

    for turn in line["turns"]:
        turns.append(Counter())
        baseline(turn["user"], call)
    return turns


def _call(name: str, arguments: Any) -> Hashable:
    """Return a call as it is compared."""
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    slots = arguments.items() if isinstance(arguments, dict) else ()
    return name, frozenset((slot, str(value).casefold()) for slot, value in slots)


def _play(line: Recorded, world: World) -> Play:
    """Return who played what, as a line says; a scripted user is that of today."""
    given = line.signature.parameters
    name = given.get("user", "")
    is_script = name.startswith(f"{SCRIPTED}-")
    for who, told, own in (
        ("agent", line.agent, line.agent == script_name(BASELINE)),
        ("user", name, is_script),
    ):
        if not own and (problem := name_problem(who, told)):
            place = f"dialogue {line.dialogue_id}: {who} {_short(told)}"
            raise InputError(line.source, f"{place}: {problem}; {AGAIN}")
    user: UserMaker = lambda *_: _recorded_user(line)  # noqa: E731 -- of each line it is another
    if is_script:
        name, user = script_name(SCRIPTED), ScriptedUser
    try:
        seed = int(given["seed"])
    except (KeyError, ValueError):
        told = f"dialogue {line.dialogue_id}: signature: needs seed, a number"
        raise InputError(line.source, f"{told}; {AGAIN}") from None
    return Play(world, [], Baseline, line.agent, user, name, seed=seed)


def _checked(line: Recorded, what: Play) -> Line:
    """Return a line played again.

    Raises:
        InputError: It is of another play, or comes out otherwise.
    """
    place = f"trial {line.trial}, dialogue {line.dialogue_id}"
    if reasons := of_another_play(line, what):
        told = f"is of another play, or of another version of the harness ({'; '.join(reasons)})"
        raise InputError(line.source, f"{place}: {told}; give the files of one play, or {AGAIN}")
    id_ = what.world.tasks[line.dialogue_id].id
    user = what.user if what.user is ScriptedUser else lambda *_: _recorded_user(line)
    recording = replace(what, agent=lambda: _recorded_agent(line), user=user)
    again = dialogue(recording, line.trial, id_)
    error = again["outcome"]["error"]
    if error not in (None, line.error, _NO_FURTHER):
        raise InputError(line.source, f"{place}: {error}; {AGAIN}")
    different = next(_differences(line.turns, json.loads(json.dumps(again["turns"]))), None)
    if different is not None:
        told = f"{place}, {different}; recorded dialogues must not be edited; {AGAIN}"
        raise InputError(line.source, told)
    return {**again, "costs": line.costs}


def _differences(turns: Sequence[Turn], again: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield where a dialogue comes out otherwise, what is there, and what should be."""
    for number, (turn, right) in enumerate(zip_longest(turns, again)):
        if turn is None or right is None:
            wrong = "is missing, the user goes on" if turn is None else "comes after the end"
            yield f"turn {number}: {wrong}"
            return
        if turn.user != right["user"]:
            told = f"the user says {_short(turn.user)}, by its script {_short(right['user'])}"
            yield f"turn {number}: {told}"
        made = right.get("calls", ())
        if len(made) < len(turn.calls):
            yield f"turn {number}: has {len(turn.calls)} calls, of which {len(made)} may be made"
        for at, (call, other) in enumerate(zip(turn.calls, made, strict=False)):
            if call.get("result") != other["result"]:
                where, one, own = _where("the result", call.get("result"), other["result"])
                told = f"{where} is {_short(one)}, the tool returns {_short(own)}"
                yield f"turn {number}, call {at} ({call.get('name')}): {told}"


def _where(place: str, one: Any, other: Any) -> tuple[str, Any, Any]:
    """Return where two values of JSON types begin to differ, and how."""
    pairs: Mapping[Any, tuple[Any, Any]] = {}
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        pairs = {key: (one[key], other[key]) for key in one}
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = dict(enumerate(zip(one, other, strict=True)))
    for key, (here, there) in pairs.items():
        if here != there:
            return _where(f"{place}.{key}", here, there)
    return place, one, other


def _short(value: object) -> str:
    return cut(json.dumps(value, ensure_ascii=False), _SHOWN)


def _lost(what: Play, trial: int, id_: str) -> Line:
    """Return the line of a dialogue that is missing."""
    outcome = outcome_of(what.world, what.world.tasks[id_], [], "missing").to_dict()
    return {"dialogue_id": id_, "turns": [], "trial": trial, "outcome": outcome, "costs": {}}


def _recorded_agent(line: Recorded) -> Agent:
    """Return the agent of a recorded dialogue, which calls and says what was recorded."""
    turns, error = list(line.turns), line.error

    def reply(said: str, call: Call) -> str:
        if not turns:
            raise BrokenOffError(_NO_FURTHER)
        turn = turns.pop(0)
        for one in turn.calls:
            call(str(one.get("name")), one.get("arguments"))
        if error is not None and not turns and not turn.response:
            raise BrokenOffError(error)
        return turn.response

    return reply


def _recorded_user(line: Recorded) -> User:
    """Return the user of a recorded dialogue, which says what was recorded."""
    words = [turn.user for turn in line.turns]

    def turn(response: str | None) -> UserTurn:
        if not words:
            raise BrokenOffError(line.error or _NO_FURTHER)
        return words.pop(0), not words and line.error is None

    return turn
