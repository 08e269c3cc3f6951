"""Dialogues played, what they score, and why their tasks are not solved.

pass^k is the probability that k trials of a task are all solved: of c solved in n trials
C(c, k) / C(n, k), averaged over tasks (Yao et al., 2024, tau-bench, section 4). Where each task
counts whole or not at all, as with one trial, it has Wilson's interval; else that of resampled
tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from math import comb, lcm
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from mwz.normalization import digest_of_json

from ..benchmark import Goal
from ..comparison import Evidence, Interval, intervals_of
from ..diagnosis import goal_text, joined, labelled, losses_text
from ..errors import counted
from ..grounding import told_shares
from ..io import figure, text_table
from ..metrics import (
    MAIN_SETUP,
    DialogueResult,
    DomainResult,
    Figure,
    Figures,
    Metric,
    Presentation,
    Sums,
    percent,
)
from ..signature import SHOWN_HASH, Signature
from .agents import Agent, Baseline
from .environment import (
    CAUSES,
    MAX_TURNS,
    USER_FAULTS,
    Environment,
    Finding,
    findings,
)
from .users import ScriptedUser
from .world import (
    BrokenOffError,
    Costs,
    TalkerName,
    UserMaker,
    World,
    call_text,
    script_name,
    tool_schemas,
)

TITLES: Mapping[str, str] = {
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


Line: TypeAlias = "dict[str, Any]"
"""A dialogue as files have it: `dialogue_id`, `turns` (`user`, `response`, `calls`), `trial`,
`agent`, `outcome`, `costs`, `signature`, and of language models `server`, a digest of the address.
"""


@dataclass(frozen=True)
class RunConfig:
    """The configuration of a run.

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
        parameters = {
            "user": self.user_name,
            "tasks": self.world.tasks.digest[:SHOWN_HASH],
            "tools": digest_of_json(tool_schemas())[:SHOWN_HASH],
            "max-turns": str(MAX_TURNS),
            "seed": str(self.seed),
        }
        return replace(plain, goals="all", parameters={**plain.parameters, **parameters, **more})

    def whole_signature(self) -> Signature:
        """Return all that figures depend on besides the agent: the tasks and the trials, too."""
        played = digest_of_json([self.world.tasks[id_].goal for id_ in self.tasks])[:SHOWN_HASH]
        return self.signature(played=f"{len(self.tasks)}-{played}", trials=str(self.trials))


def dialogue(config: RunConfig, trial: int, id_: str) -> Line:
    """Play one dialogue, and return its line."""
    environment = Environment(config.world, config.user)
    environment.reset(id_, f"{config.seed} {trial}")
    agent = config.agent()

    def call(name: str, arguments: object) -> Mapping[str, Any]:
        result = environment.call(name, arguments)
        if environment.error is not None:
            raise BrokenOffError(environment.error)
        return result

    try:
        while (utterance := environment.user_turn()) is not None:
            environment.respond(agent(utterance, call))
    except BrokenOffError as error:
        environment.fail(str(error))
    talkers = {"agent": agent, "user": environment.user}
    server = {} if config.server is None else {"server": config.server}
    return {
        "dialogue_id": id_,
        "turns": environment.transcript,
        "trial": trial,
        "agent": config.agent_name,
        "outcome": environment.outcome(),
        "costs": {who: dict(one.cost) for who, one in talkers.items() if hasattr(one, "cost")},
        "signature": config.signature().to_dict(),
        **server,
    }


@dataclass(frozen=True)
class LiveRun:
    """The dialogues of one agent with one user.

    Attributes:
        config: The configuration, with the trials and the tasks that were played.
        lines: A line for each task in each trial, with the outcome that was found.
        missing: How many of these no file has: they count as lost.
    """

    config: RunConfig
    lines: Sequence[Line]
    missing: int = 0

    @property
    def scripted(self) -> bool:
        """Whether the user is by script, so that it says what it must."""
        return self.config.user is ScriptedUser

    @property
    def by_script(self) -> bool:
        """Whether the agent is, too: `play_scripts` plays the same."""
        return self.scripted and self.config.agent_name == script_name("agent")

    @property
    def data(self) -> dict[str, Any]:
        """The dialogues as JSON types: trial -> dialogue id -> turns with their calls."""
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
        config, trials = self.config, self.config.trials
        outcomes = [line["outcome"] for line in self.lines]
        evidence = self.evidence("", [trials])
        passes = zip(range(1, trials + 1), intervals_of(evidence).values(), strict=False)
        costs: dict[str, Counter[str]] = {}
        facts: Counter[str] = Counter()
        for line in self.lines:
            facts.update(line["outcome"]["told"])
            for who, cost in line["costs"].items():
                costs.setdefault(who, Counter()).update(cost)
        booking = [one["books"] for one in outcomes if one["booked"]]

        rates = ("inform", "success", "requested", "solved")
        counts = ("turns", "calls", "failed_calls", "unasked")
        totals = {name: sum(one[name] for one in outcomes) for name in counts}
        return {
            "agent": config.agent_name,
            "user": config.user_name,
            "signature": str(config.whole_signature()),
            "tasks": len(config.tasks),
            "trials": trials,
            **{name: evidence.scores[name] for name in rates},
            "books": 100 * (sum(booking) / len(booking)) if booking else None,
            "pass": {str(k): asdict(one) for k, one in passes},
            **told_shares(facts),
            **totals,
            **{name: totals[name] / len(outcomes) for name in ("turns", "calls")},
            "errors": sum(self.lost.values()),
            "costs": {who: dict(cost) for who, cost in costs.items()},
        }

    def text(self, source: str) -> str:
        """Return the figures for people, and what messages call the file."""
        figures = self.figures
        values = {title: figures[name] for name, title in TITLES.items()}
        for who, cost in figures["costs"].items():
            kinds = {f"Cost of the {who}: {kind.replace('_', ' ')}": n for kind, n in cost.items()}
            values |= kinds
        rows = [[k, f"{n:,}" if isinstance(n, int) else figure(n)] for k, n in values.items()]
        rows += [[f"pass^{k}", Interval(**one).text(1)] for k, one in figures["pass"].items()]
        played = f"{counted(figures['tasks'], 'task')}, {counted(figures['trials'], 'trial')}"
        title = f"{figures['agent']} with {figures['user']}: {played}"
        return f"{title}\n{text_table(['', ''], rows)}\n\n{source}\n{figures['signature']}"

    def evidence(self, name: str, trials: Sequence[int]) -> Evidence:
        """Return what comparisons know of the plays, by tasks.

        Where each task counts whole or not at all, as of one trial, tasks are won or lost.

        Args:
            name: What to call them.
            trials: The numbers of trials of all plays compared: pass^k is for the k that all have.
        """
        outcomes: dict[str, list[dict[str, Any]]] = {id_: [] for id_ in self.config.tasks}
        for line in self.lines:
            outcomes[line["dialogue_id"]].append(line["outcome"])
        powers = range(1, min(trials) + 1)
        # Figure -> what is solved or told in how many trials at once: a rate is that of one trial.
        columns = {
            f"pass^{power}" if power > 1 else "solved": ("solved", power) for power in powers
        }
        columns |= {key: (key, 1) for key in ("requested", "success", "inform")}
        # What counts as a whole task: a whole number, however many trials a play has.
        whole = 1
        for number in trials:
            for power in powers:
                whole = lcm(whole, comb(number, power))
        rows = {}
        for task, task_outcomes in outcomes.items():
            row = {"whole": whole}
            for column, (key, power) in columns.items():
                solved = sum(outcome[key] for outcome in task_outcomes)
                row[column] = comb(solved, power) * whole // comb(len(task_outcomes), power)
            rows[task] = row
        figures = []
        for column, (key, _) in columns.items():
            is_won = all(row[column] in (0, whole) for row in rows.values())
            figures.append(
                Figure(
                    column,
                    TITLES.get(column, column),
                    interval_digits=1,
                    main=key == "solved",
                    won=column if is_won else None,
                )
            )

        def formula(sums: Sums) -> Figures:
            return {column: percent(sums[column], sums["whole"]) for column in columns}

        metric: Metric[object] = Metric(
            "live",
            Presentation("Live dialogues", "Tasks solved.", "percent", "docs/live.md", figures),
            formula=formula,
            takes_samples=True,
        )
        signature = self.config.signature()
        # The seed of a comparison is another one; users with different seeds compare.
        parameters = dict(signature.parameters)
        parameters.pop("seed", None)
        compared = replace(signature, parameters=parameters)
        return Evidence.from_rows(name, compared, metric, rows)

    @property
    def remarks(self) -> list[str]:
        """The remarks on them."""
        tasks, of = len(self.config.tasks), len(self.config.world.tasks.tasks)
        lost = self.lost.items()
        remarks = [f"{counted(n, 'dialogue')} {loss}, counted as lost" for loss, n in lost if n]
        if tasks < of:
            remarks.insert(0, f"{tasks} of {of:,} tasks played; without a rank on the board")
        return remarks


def play_scripts(
    world: World, trials: int, seed: int, chosen: Sequence[str] | None = None
) -> LiveRun:
    """Let the baseline play all tasks, or those chosen, with the scripted user."""
    names = script_name("agent"), script_name("user")
    tasks = list(world.tasks.tasks if chosen is None else chosen)
    config = RunConfig(world, tasks, Baseline, names[0], ScriptedUser, names[1], trials, seed)
    return LiveRun(config, [dialogue(config, 1 + t, id_) for t in range(trials) for id_ in tasks])


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


# What `mwz why` shows, as text and as pages.

BASELINE_NAME = "Scripted baseline"


def _why(run: LiveRun) -> dict[str, tuple[Line, list[Finding], list[Finding]]]:
    """Return what each dialogue is called, among several trials -> it, and what went wrong."""
    several, world = run.config.trials > 1, run.config.world
    return {
        line["dialogue_id"] + f", trial {line['trial']}" * several: (line, *findings(line, world))
        for line in run.lines
    }


def why_text(run: LiveRun, domain: str | None, cause: str | None) -> str:
    """Return why tasks are not solved and what users did wrong: counts and first dialogues.

    Args:
        run: The run.
        domain: The only domain to show; None for all.
        cause: The only cause or fault to show, with all dialogues; None for all.
    """
    why = _why(run)
    solved = figure(percent(sum(not of[1] for of in why.values()), len(why)))
    who = f"{run.config.agent_name} with {run.config.user_name}"
    head = f"Solved {solved}, over {counted(len(why), 'dialogue')}: {who}"
    parts = [head]
    calls = (one for line in run.lines for turn in line["turns"] for one in turn.get("calls", ()))
    errors = Counter(one["result"]["error"] for one in calls if "error" in one["result"])
    for error, number in errors.most_common(1):
        parts.append(f"calls answered by an error: {errors.total()}; {number} of them: {error}")
    # One cause counts of each task, but each fault of a user.
    for title, causes, by_name in (
        ("task not solved", CAUSES, {name: of[1][:1] for name, of in why.items()}),
        ("fault of the user", USER_FAULTS, {name: of[2] for name, of in why.items()}),
    ):
        words: dict[tuple[str, str], str] = {}
        results = []
        for name, (line, *_) in why.items():
            first = {one.domain: one for one in reversed(by_name[name])}
            words |= {(name, of): one.words for of, one in first.items()}
            domains = {
                of: DomainResult(float(of not in first), {}, getattr(first.get(of), "cause", None))
                for of in run.config.world.tasks[line["dialogue_id"]].domains
            }
            results.append(DialogueResult(name, len(line["turns"]), goals={MAIN_SETUP: domains}))
        if (words or causes is CAUSES) and (cause is None or cause in causes):
            parts.append(losses_text("", results, causes, (), (), domain, cause, title, words))
    return "\n\n".join(parts)


def followed_text(run: LiveRun, id_: str) -> str:
    """Return a dialogue turn by turn, in each trial, beside what the scripts play of the task."""
    texts = []
    lines = [line for line in run.lines if line["dialogue_id"] == id_]
    for name, (line, why, faults) in _why(replace(run, lines=lines)).items():
        turns = []
        for turn, scripted in zip_longest(line["turns"], _by_scripts(run, id_)["turns"]):
            steps, beside = _steps(turn), [] if run.by_script else _steps(scripted)
            # What the user says alike is there once.
            beside = beside[steps[:1] == beside[:1] :]
            turns.append([labelled(*one) for one in steps])
            turns[-1] += [labelled(f"| {kind}", words) for kind, words in beside]
        outcome = [labelled(one.domain, f"{one.cause}: {one.words}") for one in why]
        outcome += [labelled("the user", f"{d}: {fault}: {words}") for fault, d, words in faults]
        verdict = f"not solved, {why[0].cause}" if why else "solved"
        head = f"dialogue {name}, {counted(len(line['turns']), 'turn')}: {verdict}"
        head += "" if run.by_script else f"\n|: the {BASELINE_NAME.lower()} with the same task"
        outcome = outcome or [labelled("all", "as the task wants it")]
        texts.append(joined(head, _goal(run.config.world, id_), turns, outcome))
    return "\n\n".join(texts)


def _goal(world: World, id_: str) -> dict[str, Goal]:
    """Return a task's goal with all that it requests and books."""
    return {
        d: replace(one, booking=wanted.book, requestable=one.requestable | (one.further or {*()}))
        for d, one in world.goals[id_].items()
        for wanted in [world.tasks[id_].domains[d]]
    }


def _steps(turn: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return the utterance, the calls and the response of a turn, each with its kind."""
    if turn is None:
        return []
    calls = [("call", call_text(call)) for call in turn.get("calls", ())]
    user, response = (" ".join(turn[who].split()) for who in ("user", "response"))
    return [("user", user), *calls, ("response", response or "(nothing)")]


def _by_scripts(run: LiveRun, id_: str) -> Line:
    """Return the dialogue of the scripted baseline on a task, with the seed of the run."""
    return play_scripts(run.config.world, 1, run.config.seed, [id_]).lines[0]


def pages_of_plays(runs: Mapping[str, LiveRun]) -> dict[str, Any]:
    """Return what pages show of plays, as `pages_of` of the board's views takes it.

    Args:
        runs: The name of each run -> the run; at least one.
    """
    first = next(iter(runs.values()))
    world = first.config.world
    systems: dict[str, dict[str, tuple[Line, list[Finding], list[Finding]]]] = {}
    for name, one in runs.items():
        for called, explained in _why(one).items():
            id_ = explained[0]["dialogue_id"]
            systems.setdefault(name + called.removeprefix(id_), {})[id_] = explained

    def content(id_: str) -> dict[str, Any]:
        columns = [column(name, *of[id_]) for name, of in systems.items() if id_ in of]
        columns.insert(0, column(BASELINE_NAME, _by_scripts(first, id_), [], []))
        return {
            "goal": {domain: goal_text(goal) for domain, goal in _goal(world, id_).items()},
            "users": [None] * max(len(one["turns"]) for one in columns),
            "systems": columns,
            "words": lambda domain, of: of["words"],
        }

    def column(name: str, line: Line, why: list[Finding], faults: list[Finding]) -> dict[str, Any]:
        domains = {}
        for domain in world.tasks[line["dialogue_id"]].domains:
            first, *others = [one for one in why if one.domain == domain] or [Finding("", "", "")]
            further = {f"{one.cause}:": one.words for one in others}
            further |= {f"{one.cause} (user):": one.words for one in faults if one.domain == domain}
            domains[domain] = {**first._asdict(), "turn": None, "slot_causes": further}
        steps = [_steps(turn) for turn in line["turns"]]
        turns = [{"user": one[0][1], "response": one[-1][1], "steps": one[1:-1]} for one in steps]
        facts = {"verdict": "✗ not solved" if why else "✓ solved", "predicted": False}
        outcome = {"success": not why, "domains": domains}
        return {"name": name, "outcome": outcome, "turns": turns, **facts}

    verdicts = [
        (
            name,
            {id_: len(line["turns"]) for id_, (line, *_) in of.items()},
            {id_: [(why[0].domain, why[0].cause)] for id_, (_, why, _) in of.items() if why},
        )
        for name, of in systems.items()
    ]
    played = {id_ for of in systems.values() for id_ in of}
    goals = {id_: list(one.domains) for id_, one in world.tasks.tasks.items() if id_ in played}
    return {"goals": goals, "verdicts": verdicts, "content": content, "causes": CAUSES}
