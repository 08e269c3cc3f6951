"""Dialogues played, and what they score.

pass^k is the probability that k trials of a task are all solved: of c solved in n trials
C(c, k) / C(n, k), averaged over tasks (Yao et al., 2024, tau-bench, section 4). Where each task
counts whole or not at all, as with one trial, it has Wilson's interval; else that of resampled
tasks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from math import comb, lcm
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from mwz.normalization import digest_of_json, normalize_slot_name

from ..benchmark import REFERENCE
from ..comparison import Evidence, Interval, intervals_of
from ..errors import counted
from ..glossary import glossary
from ..grounding import AT_FAULT, Fault, UserPart, part_record, told_shares
from ..io import figure, text_table
from ..metrics import Figure, Figures, Metric, Presentation, Sums, percent
from ..signature import SHOWN_HASH, Signature
from .agents import Agent, Baseline
from .environment import MAX_TURNS, Environment, Outcome
from .users import ScriptedUser, scripted_users
from .world import (
    BrokenOffError,
    Costs,
    Result,
    TalkerName,
    Turn,
    UserMaker,
    World,
    pattern_of,
    script_name,
    tool_schemas,
)

_OF_BOOKINGS = ("venue", "route", "once")
"""What outcomes say of bookings besides slots; the venue is judged by what is offered."""

_SAID = ("inform", "success")
SAID_FIGURES = (*[f"said_{name}" for name in _SAID], *[f"lost_by_{name}" for name in AT_FAULT])
"""The figures of what users said, which entries of the leaderboard do not store."""

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

    @property
    def scripted(self) -> bool:
        """Whether the user is a scripted one, whatever its behaviour."""
        return self.user in scripted_users().values()

    def signature(self, **more: str) -> Signature:
        """Return all that outcomes depend on besides the agent, and further parameters."""
        plain = self.world.signature
        parameters = {
            "user": self.user_name,
            "tasks": self.world.tasks_digest[:SHOWN_HASH],
            "tools": digest_of_json(tool_schemas())[:SHOWN_HASH],
            "max-turns": str(MAX_TURNS),
            "seed": str(self.seed),
        }
        return replace(plain, goals="all", parameters={**plain.parameters, **parameters, **more})

    def whole_signature(self) -> Signature:
        """Return all that figures depend on besides the agent: the tasks and the trials, too."""
        played = digest_of_json([self.world.task(id_).goal for id_ in self.tasks])[:SHOWN_HASH]
        return self.signature(played=f"{len(self.tasks)}-{played}", trials=str(self.trials))


def play_dialogue(config: RunConfig, trial: int, id_: str) -> Line:
    """Play one dialogue, and return its line."""
    environment = Environment(config.world, config.user)
    environment.reset(id_, f"{config.seed} {trial}")
    agent = config.agent()

    def call(name: str, arguments: object) -> Result:
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
    costs = {role: dict(t.cost) for role, t in talkers.items() if hasattr(t, "cost")}
    line = {
        "dialogue_id": id_,
        "turns": environment.transcript,
        "trial": trial,
        "agent": config.agent_name,
        "outcome": environment.outcome(),
        "costs": costs,
        "signature": config.signature().to_dict(),
    }
    if config.server is not None:
        line["server"] = config.server
    return line


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
    def by_script(self) -> bool:
        """Whether the agent is the scripted one, too: `play_scripts` plays the same."""
        is_baseline = self.config.agent_name == script_name("agent")
        return is_baseline and self.config.user is ScriptedUser

    @property
    def data(self) -> dict[str, dict[str, list[Turn]]]:
        """The dialogues as JSON types: trial -> dialogue id -> turns with their calls."""
        turns: dict[str, dict[str, list[Turn]]] = {}
        for line in self.lines:
            turns.setdefault(str(line["trial"]), {})[line["dialogue_id"]] = line["turns"]
        return turns

    @property
    def lost(self) -> dict[str, int]:
        """Why dialogues have no end -> how many of them."""
        errors = sum(line["outcome"]["error"] is not None for line in self.lines)
        return {"missing": self.missing, "broken off": errors - self.missing}

    @cached_property
    def parts(self) -> list[dict[str, UserPart]]:
        """What the user did of every goal domain, and whose fault a loss is, of each line.

        What the user had no turn for is not its fault: what the scripted user leaves out, which
        gives up in vain, and anyone after the agent ended the dialogue. What is broken off is
        nobody's.
        """
        world = self.config.world
        parts = []
        for line in self.lines:
            by_domain = world.user_parts(line["dialogue_id"], line["turns"])
            for domain, slots in line["outcome"]["booked"].items():
                by_domain[domain] = _with_booking(by_domain[domain], slots, world)
            is_broken_off = line["outcome"]["error"] is not None
            if is_broken_off or self.config.scripted or _ended_by_agent(line["turns"]):
                for domain, part in by_domain.items():
                    if part.fault in AT_FAULT:
                        fault: Fault = "none" if is_broken_off else "agent"
                        by_domain[domain] = replace(
                            part, never_said=(), never_asked=(), fault=fault
                        )
            parts.append(by_domain)
        return parts

    @property
    def dialogue_lines(self) -> Iterator[dict[str, Any]]:
        """Of each line the outcome, and of each goal domain what the user did and whose fault."""
        for line, parts in zip(self.lines, self.parts, strict=True):
            domains = {domain: part_record(part) for domain, part in parts.items()}
            yield {
                "dialogue": line["dialogue_id"],
                "trial": line["trial"],
                "outcome": line["outcome"],
                "domains": domains,
            }

    @property
    def figures(self) -> dict[str, Any]:
        """All figures as JSON types; rates are in percent, None where nothing is counted."""
        trials = self.config.trials
        outcomes = [line["outcome"] for line in self.lines]
        evidence = self.evidence("", [trials])
        figures: dict[str, Any] = {
            "agent": self.config.agent_name,
            "user": self.config.user_name,
            "signature": str(self.config.whole_signature()),
            "tasks": len(self.config.tasks),
            "trials": trials,
        }
        for rate in ("inform", "success", "requested", "solved"):
            figures[rate] = evidence.scores[rate]
        booking = [outcome["books"] for outcome in outcomes if outcome["booked"]]
        figures["books"] = None
        if booking:
            figures["books"] = 100 * (sum(booking) / len(booking))
        passes = zip(range(1, trials + 1), intervals_of(evidence).values(), strict=False)
        figures["pass"] = {str(k): asdict(interval) for k, interval in passes}
        details: Counter[str] = Counter()
        costs: dict[str, Counter[str]] = {}
        # What is solved of what users said, and whose fault lost goal domains are.
        said = Counter[str]()
        for line, parts in zip(self.lines, self.parts, strict=True):
            details.update(line["outcome"]["told"])
            for role, cost in line["costs"].items():
                costs.setdefault(role, Counter()).update(cost)
            said.update(f"lost_by_{part.fault}" for part in parts.values())
            # What is broken off is lost in any case.
            is_whole = line["outcome"]["error"] is None
            for name in _SAID:
                is_met = all(getattr(part, name) for part in parts.values())
                said[f"said_{name}"] += is_whole and is_met
        figures |= told_shares(details)
        for count in ("turns", "calls", "failed_calls", "unasked"):
            figures[count] = sum(outcome[count] for outcome in outcomes)
        for mean in ("turns", "calls"):
            figures[mean] /= len(outcomes)
        for name in SAID_FIGURES:
            is_rate = name.startswith("said_")
            figures[name] = percent(said[name], len(self.lines)) if is_rate else said[name]
        figures["errors"] = sum(self.lost.values())
        figures["costs"] = {role: dict(cost) for role, cost in costs.items()}
        return figures

    def text(self, source: str) -> str:
        """Return the figures for people, and what messages call the file."""
        figures = self.figures
        rows = []
        for name, term in glossary()["plays"].items():
            value = figures[name]
            rows.append([term.title, f"{value:,}" if isinstance(value, int) else figure(value)])
        for role, cost in figures["costs"].items():
            for kind, number in cost.items():
                rows.append([f"Cost of the {role}: {kind.replace('_', ' ')}", f"{number:,}"])
        for k, interval in figures["pass"].items():
            rows.append([f"pass^{k}", Interval(**interval).text(1)])
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
        outcomes: dict[str, list[Outcome]] = {id_: [] for id_ in self.config.tasks}
        for line in self.lines:
            outcomes[line["dialogue_id"]].append(line["outcome"])
        powers = range(1, min(trials) + 1)
        # Figure -> what is solved or told in how many trials at once: a rate is that of one trial.
        columns = {"solved": ("solved", 1)}
        columns |= {f"pass^{power}": ("solved", power) for power in powers[1:]}
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
        terms = glossary()["plays"]
        for column, (key, _) in columns.items():
            title = terms[column].title if column in terms else column
            is_won = all(row[column] in (0, whole) for row in rows.values())
            won = column if is_won else None
            figures.append(Figure(column, title, interval_digits=1, main=key == "solved", won=won))

        def formula(sums: Sums) -> Figures:
            return {column: percent(sums[column], sums["whole"]) for column in columns}

        metric: Metric[object] = Metric(
            "live",
            Presentation("Live dialogues", figures=figures),
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
        remarks = []
        played, tasks = len(self.config.tasks), len(self.config.world.tasks)
        if played < tasks:
            remarks.append(f"{played} of {tasks:,} tasks played; without a rank on the board")
        for loss, number in self.lost.items():
            if number:
                remarks.append(f"{counted(number, 'dialogue')} {loss}, counted as lost")
        return remarks


def _ended_by_agent(turns: Sequence[Turn]) -> bool:
    """Return whether the agent said goodbye before the user did, or let a dialogue go on for ever.

    The user then has a last turn to answer.
    """
    is_goodbye = pattern_of("agent", "cues", "bye").search
    if len(turns) >= MAX_TURNS:
        return True
    before_last = turns[-2:-1]
    return any(is_goodbye(t["response"]) and not is_goodbye(t["user"]) for t in before_last)


def _with_booking(part: UserPart, slots: Mapping[str, bool], world: World) -> UserPart:
    """Return what a user did of a domain, given whether each slot is booked as the goal has it.

    What it never said, or said otherwise, need not be booked so.
    """
    wrong = set()
    for slot, is_right in slots.items():
        if not is_right and slot not in _OF_BOOKINGS:
            wrong.add(normalize_slot_name(slot, world.scorer.rules))
    if REFERENCE in part.never_asked or wrong <= {*part.never_said, *part.said_otherwise}:
        return part
    has_share = part.fault in ("user", "both")
    return replace(part, success=False, fault="both" if has_share else "agent")


def play_scripts(
    world: World, trials: int, seed: int, chosen: Sequence[str] | None = None
) -> LiveRun:
    """Let the baseline play all tasks, or those chosen, with the scripted user."""
    agent_name, user_name = script_name("agent"), script_name("user")
    tasks = list(world.tasks if chosen is None else chosen)
    config = RunConfig(world, tasks, Baseline, agent_name, ScriptedUser, user_name, trials, seed)
    lines = []
    for trial in range(1, trials + 1):
        lines += [play_dialogue(config, trial, id_) for id_ in tasks]
    return LiveRun(config, lines)


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
    outcome: Outcome
    costs: Costs
    signature: Signature
    server: str | None = None
    source: str = ""

    @property
    def error(self) -> str | None:
        """Why the dialogue was broken off, if it was."""
        error = self.outcome.get("error")
        if error is None:
            return None
        return str(error)
