"""What many live dialogues score, and files of them, read by playing each dialogue again.

pass^k is the probability that k trials of a task are all solved (`comparison/evidence.py`).

To read a file, its agent makes the recorded calls and gives the recorded responses anew: the tools
must return what the file says, and a scripted user must say what the file says. Other users' words
are taken from the file. The result of a dialogue is computed of that alone, whatever the file says
of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from mwz.normalization import digest_of_json

from ..cli import tell
from ..cli.reading import benchmark_chooser
from ..comparison import Evidence, Interval, pass_interval
from ..errors import InputError, counted, shown
from ..grounding import told_shares
from ..io import figure, parse_json, text_table, validated
from ..metrics import Figure, Statistics, percent
from ..signature import Signature
from .agents import Agent, Baseline, Call
from .environment import Line, Play, dialogue, outcome_of
from .users import ScriptedUser
from .world import (
    BASELINE,
    SCRIPTED,
    BrokenOffError,
    Costs,
    TalkerName,
    UserMaker,
    UserTurn,
    World,
    name_problem,
    script_name,
)

_TITLES: Mapping[str, str] = {
    "inform": "Inform",
    "success": "Success",
    "requested": "Success, all requested",
    "books": "Books",
    "solved": "Solved",
    "in_database": "Details told that the database has",
    "of_named_venue": "Details told of a venue named before",
    "turns": "Turns",
    "calls": "Calls",
    "failed_calls": "Calls answered by an error (total)",
    "unasked": "Bookings nobody asked for (total)",
    "errors": "Broken off (total)",
}
_RATES = ("inform", "success", "requested", "solved")
_COMPARED = _RATES[::-1]


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
        turns: dict[str, Any] = {}
        for line in self.lines:
            turns.setdefault(str(line["trial"]), {})[line["dialogue_id"]] = line["turns"]
        return turns

    @property
    def lost(self) -> dict[str, int]:
        """How dialogues did not come to their end -> how many."""
        errors = sum(line["outcome"]["error"] is not None for line in self.lines)
        return {"missing": self.missing, "broken off": errors - self.missing}

    @property
    def figures(self) -> dict[str, Any]:
        """All figures as JSON types; rates are in percent, None of nothing."""
        what, trials = self.what, self.what.trials
        outcomes = [line["outcome"] for line in self.lines]
        solved: dict[str, list[bool]] = {}
        costs: dict[str, Counter[str]] = {}
        facts: Counter[str] = Counter()
        for line in self.lines:
            solved.setdefault(line["dialogue_id"], []).append(line["outcome"]["solved"])
            facts.update(line["outcome"]["told"])
            for who, cost in line["costs"].items():
                costs.setdefault(who, Counter()).update(cost)
        booking = [one["books"] for one in outcomes if one["booked"]]
        times = [sum(one) for one in solved.values()]

        def total(name: str) -> int:
            return sum(one[name] for one in outcomes)

        def mean(name: str) -> float:
            return total(name) / len(outcomes)

        return {
            "agent": what.agent_name,
            "user": what.user_name,
            "signature": str(what.whole_signature()),
            "tasks": len(solved),
            "trials": trials,
            **{name: 100 * mean(name) for name in _RATES},
            "books": 100 * (sum(booking) / len(booking)) if booking else None,
            "pass": {str(k): asdict(pass_interval(times, trials, k)) for k in range(1, trials + 1)},
            **told_shares(facts),
            **{name: mean(name) for name in ("turns", "calls")},
            **{name: total(name) for name in ("failed_calls", "unasked")},
            "errors": sum(one["error"] is not None for one in outcomes),
            "costs": {who: dict(cost) for who, cost in costs.items()},
        }

    def text(self, source: str) -> str:
        """Return the figures for people, and what messages call the file."""
        figures = self.figures
        values = {title: figures[name] for name, title in _TITLES.items()}
        for who, cost in figures["costs"].items():
            kinds = {f"Cost of the {who}: {kind.replace('_', ' ')}": n for kind, n in cost.items()}
            values |= kinds
        rows = [[k, f"{n:,}" if isinstance(n, int) else figure(n)] for k, n in values.items()]
        rows += [[f"pass^{k}", Interval(**one).text(1)] for k, one in figures["pass"].items()]
        played = f"{counted(figures['tasks'], 'task')}, {counted(figures['trials'], 'trial')}"
        title = f"{figures['agent']} with {figures['user']}: {played}"
        return f"{title}\n{text_table(['', ''], rows)}\n\n{source}\n{figures['signature']}"

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
            trials, *each = sums
            return {key: percent(one, trials) for key, one in zip(_COMPARED, each, strict=True)}

        figures = [Figure(key, _TITLES[key], 1, main=key == "solved") for key in _COMPARED]
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
        lost = self.lost.items()
        remarks = [f"{counted(n, 'dialogue')} {how}, counted as lost" for how, n in lost if n]
        if tasks < of:
            remarks.insert(0, f"{tasks} of {of:,} tasks played; without a rank on the board")
        return remarks


def play_scripts(world: World, trials: int, seed: int) -> Plays:
    """Let the baseline play all tasks with the scripted user."""
    names = script_name(BASELINE), script_name(SCRIPTED)
    tasks = list(world.tasks.tasks)
    what = Play(world, tasks, Baseline, names[0], ScriptedUser, names[1], trials, seed)
    return Plays(what, [dialogue(what, t, id_) for t in range(1, trials + 1) for id_ in tasks])


# -------------------------------------------------------------------- files of live dialogues

_AGAIN = "play it again by `mwz play`, into another file (-o)"
_NO_FURTHER = "the recorded dialogue goes no further"


_Turn: TypeAlias = dict[Literal["user", "response", "calls"], "str | list[dict[str, Any]]"]
"""What the user said, and what the agent responded after its calls (`name`, …, `result`)."""


@dataclass(frozen=True)
class Recorded:
    """A line of a file of plays.

    `source` is what messages call the file.
    """

    dialogue_id: str
    turns: tuple[_Turn, ...]
    trial: Annotated[int, Field(strict=True, ge=1)]
    agent: TalkerName
    outcome: dict[str, Any]
    costs: Costs
    signature: Signature
    server: str | None = None
    source: str = ""

    @property
    def error(self) -> str | None:
        """Why the dialogue was broken off, if it was."""
        error = self.outcome.get("error")
        return None if error is None else str(error)


def recorded(content: bytes, source: str) -> list[Recorded]:
    """Return the lines of an (unpacked) file of plays, yet to be played again.

    Raises:
        InputError: A line, which is named, is not of `mwz play`; or there are no lines.
    """
    lines = []
    for number, text in enumerate(content.split(b"\n"), start=1):
        try:
            if text.strip():
                line = validated(Recorded, parse_json(text, source), source)
                lines.append(replace(line, source=source))
        except InputError as error:
            problems = "; ".join(error.problems)
            raise InputError(source, f"line {number}: no play ({problems}); {_AGAIN}") from None
    if not lines:
        raise InputError(source, f"holds no dialogue; {_AGAIN}")
    return lines


def plays_again(
    files: Sequence[tuple[str, bytes]],
    name: str | None,
    doing: str,
    together: bool = False,
) -> list[tuple[str, Plays]]:
    """Play the dialogues of files of `mwz play` again, and return the trials of each play.

    Args:
        files: What messages call each file, and its content.
        name: The value of `--benchmark`.
        doing: What is done with the benchmark, for the remark: "scoring on".
        together: Whether all files have to be of one play, which has each dialogue once.

    Returns:
        What messages call each play, and the play.

    Raises:
        InputError: A file is not of `mwz play`, or its dialogues come out otherwise than it says.
    """
    groups: dict[object, list[Recorded]] = {}
    # Agent, signature and trial -> files that have it: another one is of another play.
    files_with: Counter[object] = Counter()
    for source, content in files:
        lines = recorded(content, source)
        trials = [(line.agent, line.signature.key, line.trial) for line in lines]
        for line, trial in zip(lines, trials, strict=True):
            key = () if together else (*trial[:2], files_with[trial])
            groups.setdefault(key, []).append(line)
        files_with.update(set(trials))
    choose = benchmark_chooser(name, doing)
    world = World.of(choose([line.dialogue_id for lines in groups.values() for line in lines]))
    plays = [(lines[0].source, replayed(lines, world)) for lines in groups.values()]
    for source, one in plays:
        tell(source, one.remarks)
    return plays


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
        again = played_again(line, what)
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


def _play(line: Recorded, world: World) -> Play:
    """Return who played what, as a line says; a scripted user is that of today."""
    given = line.signature.parameters
    name = given.get("user", "")
    scripts = script_name(BASELINE), script_name(SCRIPTED)
    for who, called in (("agent", line.agent), ("user", name)):
        if called not in scripts and (problem := name_problem(who, called)):
            place = f"dialogue {line.dialogue_id}: {who} {shown(called)}"
            raise InputError(line.source, f"{place}: {problem}; {_AGAIN}")
    user = ScriptedUser if name in scripts else _recorded_user(line)
    # Another seed than a number is one of another play.
    seed = given.get("seed", "")
    number = int(seed) if re.fullmatch("-?[0-9]{1,20}", seed) else 0
    return Play(world, [], Baseline, line.agent, user, name, seed=number, server=line.server)


def played_again(line: Recorded, what: Play) -> Line:
    """Return a recorded dialogue played again.

    Raises:
        InputError: It is of another play, or comes out otherwise.
    """
    place = f"trial {line.trial}, dialogue {line.dialogue_id}"
    reasons = [*line.signature.comparable_with(what.signature()).reasons]
    if line.agent != what.agent_name:
        reasons.append(f"different agents: {line.agent} and {what.agent_name}")
    if line.server != what.server:
        reasons.append("different values of --base-url")
    if reasons:
        told = f"is of another play, or of another version of the harness ({'; '.join(reasons)})"
        raise InputError(line.source, f"{place}: {told}; {_AGAIN}")
    id_ = what.world.tasks[line.dialogue_id].id
    user = what.user if what.user is ScriptedUser else _recorded_user(line)
    recording = replace(what, agent=lambda: _recorded_agent(line), user=user)
    again = dialogue(recording, line.trial, id_)
    error = again["outcome"]["error"]
    if error not in (None, line.error, _NO_FURTHER):
        raise InputError(line.source, f"{place}: {error}; {_AGAIN}")
    for number, (turn, right) in enumerate(zip_longest(line.turns, again["turns"])):
        if turn != right:
            told = f"turn {number} comes out otherwise; recorded dialogues must not be edited"
            raise InputError(line.source, f"{place}, {told}; {_AGAIN}")
    return {**again, "costs": line.costs}


def _lost(what: Play, trial: int, id_: str) -> Line:
    """Return the line of a dialogue that is missing."""
    outcome = outcome_of(what.world, what.world.tasks[id_], [], "missing")
    return {"dialogue_id": id_, "turns": [], "trial": trial, "outcome": outcome, "costs": {}}


def _recorded_agent(line: Recorded) -> Agent:
    """Return the agent of a recorded dialogue, which calls and says what was recorded."""
    turns, error = list(line.turns), line.error

    def reply(said: str, call: Call) -> str:
        if not turns:
            raise BrokenOffError(_NO_FURTHER)
        turn = turns.pop(0)
        for one in turn.get("calls", ()):
            if isinstance(one, dict):
                call(str(one.get("name")), one.get("arguments"))
        response = str(turn.get("response"))
        if error is not None and not turns and not response:
            raise BrokenOffError(error)
        return response

    return reply


def _recorded_user(line: Recorded) -> UserMaker:
    """Return what makes the user of a recorded dialogue, which says what was recorded."""
    words = [str(turn.get("user")) for turn in line.turns]

    def turn(response: str | None) -> UserTurn:
        if not words:
            raise BrokenOffError(line.error or _NO_FURTHER)
        return words.pop(0), not words and line.error is None

    return lambda *_: turn
