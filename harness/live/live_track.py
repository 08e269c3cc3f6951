"""The track of live dialogues: a table for each user, tools and tasks, ranked by pass^1."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated

from pydantic import Field, FiniteFloat, NonNegativeInt

from mwz.normalization import digest_of_json

from ..board import (
    Board,
    Column,
    Entry,
    Mark,
    Outputs,
    Predictions,
    Reading,
    Row,
    Scores,
    Track,
    Value,
    completed,
    figure_of,
    hashes_of,
    named,
    ranked,
)
from ..comparison import Evidence, Interval
from ..data import DEFAULT, Task
from ..errors import InputError, counted
from ..glossary import term_of
from ..io import Table, encoded, figure, short_names, to_json
from ..signature import SHOWN_HASH, Signature, grouped, notes_once
from .agents import Baseline
from .play import recorded, replayed
from .plays import SAID_FIGURES, LiveRun, play_scripts
from .world import Costs, Result, TalkerName, World, parsed

_NAME = "live"

RATES = ("inform", "success", "requested", "books", "solved")
"""What is known of each live dialogue: marks, whose shares are figures."""


@dataclass(frozen=True)
class LiveScores:
    """What an agent scores in live dialogues.

    Attributes:
        signature: Everything the figures depend on besides the agent.
        agent: What it is called, with the digest of its prompts or script.
        user: The same of the user.
        played: Whether each task of the benchmark is played, in the order of their ids: marks.
        marks: Of `RATES` -> for each trial, whether each task played has it; - of `books` for tasks
            that book nothing.
        passes: pass^1, pass^2 and so on.
        figures: All other figures that `mwz play` shows: rates in percent, means, counts.
        costs: "agent" and "user" -> calls and tokens of their models, as the files of plays state.
        lost: "missing" and "broken off" -> how many dialogues count as lost for that.
        baseline_calls: The share of the scripted baseline's calls that the agent makes in the same
            turn; None of the baseline itself.
    """

    signature: Signature
    agent: TalkerName
    user: TalkerName
    played: str
    marks: Mapping[str, tuple[str, ...]]
    passes: tuple[Interval, ...]
    figures: Mapping[str, int | FiniteFloat | None]
    costs: Costs = field(default_factory=dict)
    lost: Mapping[str, NonNegativeInt] = field(default_factory=dict)
    baseline_calls: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None

    def __post_init__(self) -> None:
        by_trial = [*itertools.chain.from_iterable(self.marks.values())]
        if set(self.marks) != set(RATES) or set(self.played).union(*by_trial) - set("01-"):
            raise ValueError(f"marks: expected {', '.join(RATES)}, each of marks 1, 0 and -")
        lengths = {tuple(map(len, trials)) for trials in self.marks.values()}
        if lengths != {(self.tasks,) * self.trials}:
            raise ValueError("marks: expected one for each task played, in each trial")

    @property
    def trials(self) -> int:
        """How often each task was played."""
        return len(self.marks["solved"])

    @property
    def tasks(self) -> int:
        """How many tasks were played."""
        return self.played.count("1")

    @property
    def tokens(self) -> float | None:
        """The tokens of the agent's model per dialogue; None of an agent without one."""
        cost = self.costs.get("agent", {})
        tokens = sum(number for kind, number in cost.items() if kind.endswith("tokens"))
        if not tokens:
            return None
        return tokens / (self.tasks * self.trials)


# ------------------------------------------------------------------------------------ the table


def _rows(entries: Sequence[Entry], rules: str, copies: object) -> list[list[Row]]:
    """Return the rows, a list for each user, tools and tasks, the best first.

    What is played with different users does not compare. The seed of a scripted user, how often
    tasks are played, and how many of them, may differ.
    """
    rows = []
    for entry in entries:
        if isinstance(entry.scores.result, LiveScores):
            row = _row(entry, entry.scores.result)
            rows.append((row, row.signature))
    tables = []
    for group in grouped(rows, ("seed", "trials", "played")):
        tables.append(ranked(row for row, _ in group))

    def place(table: Sequence[Row]) -> tuple[bool, bool, int]:
        # Tables of the scripted user come first, then those on the usual benchmark.
        is_scripted = str(figure_of(table[0], "user").words).startswith("scripted-")
        return is_scripted, table[0].signature.benchmark == DEFAULT, len(table)

    return sorted(tables, key=place, reverse=True)


def _row(entry: Entry, live: LiveScores) -> Row:
    """Return the row of an agent, which is ranked by pass^1."""
    parameters = live.signature.parameters
    figures = {
        "agent": Value(words=live.agent),
        "user": Value(words=live.user),
        "trials": Value(live.trials, 0),
        "tasks": Value(live.tasks, 0),
        "tokens": Value(live.tokens, 0),
        "seed": Value(words=parameters.get("seed")),
    }
    for name, number in live.figures.items():
        figures.setdefault(name, Value(number, 0 if name == "failed_calls" else 1))
    for k, interval in enumerate(live.passes, start=1):
        figures[f"pass^{k}"] = Value(interval.value, interval=interval)
    reasons, marks = [], []
    if live.tasks < len(live.played):
        reasons.append(f"plays {live.tasks} of {len(live.played)} tasks")
    for loss, number in live.lost.items():
        if number:
            words = f"{counted(number, 'dialogue')} {loss}, counted as lost"
            marks.append(Mark("lost", words, str(number)))
    user = f"user {live.user}"
    scripted = re.match(r"scripted(?::(\w+))?-(\d+)-", parameters.get("user", ""))
    if scripted:
        behaviour = f" ({scripted[1]})" if scripted[1] else ""
        user = f"scripted user{behaviour}, version {scripted[2]}"
    flags = {}
    if live.baseline_calls is not None:
        flags["baseline_calls"] = live.baseline_calls
    limit = f"at most {parameters.get('max-turns')} turns"
    row = Row(
        entry=entry,
        signature=live.signature,
        ranking_key=(live.passes[0].value,),
        figures=figures,
        reasons=tuple(reasons),
        marks=tuple(marks),
        flags=flags,
        table=f"Against the {user}, {limit}, rule set {live.signature.rules}",
        pair_key=entry.key,
        anchor=f"row-{entry.key}",
    )
    return completed(row, copies={})


def _columns(board: Board, rows: Sequence[Row]) -> list[Column[Row]]:
    """Return the columns of a table: pass^k up to the most trials of a row."""
    most = max(int(figure_of(row, "trials").number or 0) for row in rows)
    passes = [f"pass^{k}" for k in range(1, most + 1)]
    figures = dict(zip(passes, passes, strict=True))
    figures |= {
        "Agent": "agent",
        "User": "user",
        "Trials": "trials",
        "Tasks": "tasks",
        "Solved": "solved",
        "Books": "books",
        "All requested": "requested",
        "Success": "success",
        "Inform": "inform",
        "Turns": "turns",
        "Calls": "calls",
        "Wrong calls": "failed_calls",
        "Tokens": "tokens",
        "Seed": "seed",
    }
    chosen = ("User", "Tasks", "Solved", "All requested", "Wrong calls", "Seed")
    between = passes[1:-1]
    return named(figures, texts=("Agent", "User", "Seed"), chosen=(*chosen, *between))


# ------------------------------------------------- plays of files and entries, for commands


def compared_plays(runs: Sequence[tuple[str, LiveRun]]) -> tuple[list[Evidence], str]:
    """Return what comparisons know of plays, and what was played, in words.

    Args:
        runs: What messages call each run, and the run; at least one.
    """
    names = short_names([source for source, _ in runs])
    trials = [run.config.trials for _, run in runs]
    evidence: list[Evidence] = []
    counts: list[str] = []
    for name, (_, run) in zip(names, runs, strict=True):
        evidence.append(run.evidence(name, trials))
        tasks, number = counted(len(run.config.tasks), "task"), counted(run.config.trials, "trial")
        counts.append(f"{name}: {tasks}, {number}")
    user = runs[0][1].config.user_name
    about = f"Live dialogues with the user {user} ({'; '.join(counts)})"
    benchmarks = [run.config.world.scorer.benchmark for _, run in runs]
    twins = {benchmark.name: benchmark.twin_of for benchmark in benchmarks if benchmark.twin_of}
    # Of different benchmarks, only a twin and its original have the same tasks.
    if len(twins) != 1 or {benchmark.name for benchmark in benchmarks} != {*twins, *twins.values()}:
        return evidence, about
    twin, original = next(iter(twins.items()))
    both = f"{original} and its twin {twin}"
    content = digest_of_json(sorted({str(system.signature.data) for system in evidence}))
    tasks = digest_of_json(sorted({run.config.world.tasks_digest for _, run in runs}))
    compared = []
    for system, benchmark in zip(evidence, benchmarks, strict=True):
        parameters = {**system.signature.parameters, "tasks": tasks[:SHOWN_HASH]}
        signature = replace(system.signature, benchmark=both, data=content, parameters=parameters)
        name = f"{system.name} ({benchmark.name})"
        compared.append(replace(system, name=name, signature=signature))
    return compared, f"{about}; on {both}, where every venue has another name"


def plays_table(runs: Sequence[tuple[str, LiveRun]]) -> Table:
    """Return a table of plays: what messages call each, and the play."""
    names = short_names([source for source, _ in runs])
    powers = range(1, max(run.config.trials for _, run in runs) + 1)
    columns = ("inform", "success", "requested", "books", "turns", "calls")
    rows, records, signatures = [], [], []
    for name, (_, run) in zip(names, runs, strict=True):
        record = {"name": name, **run.figures}
        del record["costs"]
        row = [name]
        passes = record.pop("pass")
        for power in map(str, powers):
            row.append(Interval(**passes[power]).text(1) if power in passes else "")
        row += [figure(record[column]) for column in columns]
        for power, interval in passes.items():
            record[f"pass^{power}"] = interval["value"]
            record[f"pass^{power}_low"] = interval["low"]
            record[f"pass^{power}_high"] = interval["high"]
        rows.append(row)
        records.append(record)
        signatures.append((name, record["signature"]))
    titles = [f"pass^{power}" for power in powers]
    titles += [term_of("plays", column).title for column in columns]
    about = f"Live dialogues of {counted(len(runs), 'agent')}"
    return Table("plays", about, ["", *titles], rows, records, notes_once(signatures))


# -------------------------------------------------------------------------------------- scoring


def live_scores(run: LiveRun) -> LiveScores:
    """Return what plays score.

    Raises:
        InputError: A trial is missing.
    """
    config = run.config
    summary = run.figures
    outcomes = {(line["trial"], line["dialogue_id"]): line["outcome"] for line in run.lines}
    lacking = {*range(1, 1 + config.trials)} - {trial for trial, _ in outcomes}
    if lacking:
        problem = f"trial {min(lacking)} is missing; give the files of all trials that were played"
        raise InputError(f"agent {config.agent_name}", problem)

    marks: dict[str, tuple[str, ...]] = {}
    for rate in RATES:
        by_trial = [""] * config.trials
        for trial, id_ in sorted(outcomes):
            outcome = outcomes[trial, id_]
            books_nothing = rate == "books" and not outcome["booked"]
            by_trial[trial - 1] += "-" if books_nothing else "01"[outcome[rate]]
        marks[rate] = tuple(by_trial)
    played = ""
    for id_ in sorted(config.world.tasks):
        played += "1" if id_ in config.tasks else "0"
    for name in ("signature", "errors", *SAID_FIGURES):
        del summary[name]
    return LiveScores(
        signature=config.whole_signature(),
        agent=summary.pop("agent"),
        user=summary.pop("user"),
        played=played,
        marks=marks,
        passes=tuple(Interval(**interval) for interval in summary.pop("pass").values()),
        costs=summary.pop("costs"),
        figures=summary,
        lost=run.lost,
        baseline_calls=None if run.by_script else baseline_calls(run),
    )


def _read(content: bytes | Predictions, source: str, reading: Reading) -> Outputs:
    """Play live dialogues again: those of a file of all trials, or those of the scripts.

    What both scripts play is not kept, but played again.

    Raises:
        InputError: The file has no plays, or they come out otherwise than it says; or the
            benchmark's tasks are not installed.
    """
    world = World.of(reading.scorer.benchmark)
    if isinstance(content, Predictions):
        run = play_scripts(world, content.trials or 1, content.seed or 0)
    else:
        run = replayed(recorded(content, source), world)
        if not run.by_script:
            trials = tuple(map(digest_of_json, run.data.values()))
            predictions = hashes_of(content, run.data, trials)
            return Outputs(
                source=source,
                score=partial(_scored, run),
                content=content,
                predictions=predictions,
                remarks=run.remarks,
            )
        again = play_scripts(world, run.config.trials, run.config.seed)
        if again.data != run.data:
            problem = "is not what the baseline plays of all tasks; play it again by `mwz play`"
            raise InputError(source, problem)
        run = again
    return Outputs(
        source=source,
        score=partial(_scored, run),
        content=None,
        predictions=hashes_of(encoded(to_json(run.data)), run.data),
        place=Predictions(played="baseline", trials=run.config.trials, seed=run.config.seed),
        remarks=run.remarks,
    )


def _scored(run: LiveRun, golds: Sequence[object]) -> Scores:
    """Return what is stored of plays; no gold states count."""
    return Scores(result=live_scores(run))


def baseline_calls(run: LiveRun) -> float | None:
    """Return the share of the baseline's calls that an agent makes in the same turns.

    The baseline hears what the users said to the agent. Arguments count as the same in upper and
    in lower case, and further calls do not count.

    Returns:
        None if the baseline calls nothing.
    """
    world = run.config.world
    made: Counter[Hashable] = Counter()
    right: Counter[Hashable] = Counter()

    def call(task: Task, turn: Hashable, name: str, arguments: object) -> Result:
        right[turn, _call(name, arguments)] += 1
        return world.call(task, name, arguments)

    for line in run.lines:
        task, baseline = world.task(line["dialogue_id"]), Baseline()
        for number, turn in enumerate(line["turns"]):
            place = line["trial"], task.id, number
            for recorded_call in turn.get("calls", ()):
                made[place, _call(recorded_call["name"], recorded_call["arguments"])] += 1
            baseline(turn["user"], partial(call, task, place))
    if not right:
        return None
    return (made & right).total() / right.total()


def _call(name: str, arguments: object) -> Hashable:
    """Return a call as it is compared."""
    arguments = parsed(arguments)
    slots = set()
    if isinstance(arguments, dict):
        for slot, value in arguments.items():
            slots.add((slot.strip(), str(value).strip().casefold()))
    return name, frozenset(slots)


TRACKS = (
    Track(
        name=_NAME,
        kind="plays",
        read=_read,
        rows=_rows,
        columns=_columns,
        commands=(
            "mwz play --agent model:NAME --base-url URL --tasks 20 -o name.jsonl",
            "mwz why name.jsonl",
        ),
        ranks="pass^1",
        against="turns",
        leads=("books", "success", "inform"),
        result=LiveScores,
        caption="Rates in percent, and means per dialogue",
    ),
)
