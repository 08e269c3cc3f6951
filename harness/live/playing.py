"""Dialogues of an agent with a user: who plays what, playing one, and what many score.

A dialogue played is a `Line` with `dialogue_id`, `turns` (`user`, `response`, `calls`), `trial`,
`agent`, `outcome`, `costs`, `signature`, and of language models `server`, a digest of the address.

pass^k is the probability that k trials of a task are all solved (`comparison/evidence.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

from mwz.normalization import digest_of_json

from ..comparison import Evidence, Interval, pass_interval
from ..errors import counted
from ..grounding import SHARES
from ..io import figure, text_table
from ..metrics import Figure, Statistics, percent
from ..signature import SHOWN_HASH, Signature
from .agents import Agent, Baseline
from .environment import MAX_TURNS, Environment
from .users import ScriptedUser
from .world import BASELINE, SCRIPTED, BrokenOffError, UserMaker, World, script_name, tools_digest

Line: TypeAlias = "dict[str, Any]"
"""A dialogue, as files have it."""

_TITLES: Mapping[str, str] = {
    "inform": "Inform",
    "success": "Success",
    "requested": "Success, all requested",
    "books": "Books",
    "solved": "Solved",
    "in_database": "Given details in the database",
    "of_named_venue": "Given details of a named venue",
    "turns": "Turns",
    "calls": "Calls",
    "failed_calls": "Calls answered by an error (total)",
    "unasked": "Unrequested bookings (total)",
    "errors": "Broken off (total)",
}
_RATES = ("inform", "success", "requested", "solved")
_COMPARED = ("solved", "requested", "success", "inform")


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
            "tools": tools_digest()[:SHOWN_HASH],
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
        "outcome": environment.outcome().to_dict(),
        "costs": {who: dict(one.cost) for who, one in talkers.items() if hasattr(one, "cost")},
        "signature": what.signature().to_dict(),
        **server,
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
        """All figures as JSON types; rates are in percent, None of nothing.

        Tasks with fewer trials than others, of a run that was stopped, do not count in pass^k.
        """
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
        whole = [sum(one) for one in solved.values() if len(one) == trials]
        ks = range(1, trials + 1) if whole else ()

        def total(name: str) -> int:
            return sum(one[name] for one in outcomes)

        def mean(name: str) -> float:
            return total(name) / max(1, len(outcomes))

        return {
            "agent": what.agent_name,
            "user": what.user_name,
            "signature": str(what.whole_signature()),
            "tasks": len(solved),
            "trials": trials,
            **{name: 100 * mean(name) for name in _RATES},
            "books": 100 * (sum(booking) / len(booking)) if booking else None,
            "pass": {str(k): asdict(pass_interval(whole, trials, k)) for k in ks},
            "told": facts["told"],
            **{n: percent(facts[n], facts["told"]) if facts["told"] else None for n in SHARES},
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
