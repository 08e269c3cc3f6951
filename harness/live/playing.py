"""Playing many dialogues into files, from where they stopped, and what comes of them.

A file has one line of JSON per dialogue, with `dialogue_id`, `turns` (`user`, `response`, `calls`),
`trial`, `agent`, `outcome`, `costs`, `signature`, and of language models `server`, a digest of the
address; `mwz score --free-running` reads it, too. Each trial has a file of its own: `play.jsonl`,
`play.2.jsonl`, … Lines are appended, in the order of the tasks, as dialogues are over. The same
agent, user and seed give the same bytes, if they do not leave it to chance.

pass^k is the probability that k trials of a task are all solved (`comparison/evidence.py`).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Event
from typing import Annotated, Any, TypeAlias

from pydantic import Field

from mwz.normalization.registry import digest_of_json

from ..comparison.evidence import pass_interval
from ..comparison.interval import Interval
from ..errors import InputError, counted
from ..io.files import limits, parse_json, read_bytes, valid_text, validated, write_atomically
from ..io.tables import figure, text_table
from ..signature import SHOWN_HASH, Signature
from .agents import Agent
from .environment import MAX_TURNS, Environment, outcome_of
from .tools import tools_digest
from .world import BrokenOffError, Costs, TalkerName, UserMaker, World

Line: TypeAlias = "dict[str, Any]"
"""A dialogue, as files have it."""

AGAIN = "play it again by `mwz play`"

_MOST_BROKEN_OFF = 5
"""Dialogues broken off one after another at which playing stops."""


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


@dataclass(frozen=True)
class Turn:
    """What the user said, and what the agent responded after its calls (`name`, …, `result`)."""

    user: str
    response: str
    calls: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Recorded:
    """A line of a file of plays.

    `source` is what messages call the file, `content` the line as JSON types.
    """

    dialogue_id: str
    turns: tuple[Turn, ...]
    trial: Annotated[int, Field(strict=True, ge=1)]
    agent: TalkerName
    outcome: dict[str, Any]
    costs: Costs
    signature: Signature
    server: str | None = None
    source: str = ""
    content: Mapping[str, Any] = field(default_factory=dict)

    @property
    def error(self) -> str | None:
        """Why the dialogue was broken off, if it was."""
        error = self.outcome.get("error")
        return None if error is None else str(error)


def recorded(content: bytes, source: str) -> list[Recorded]:
    """Return the lines of an (unpacked) file of plays, yet to be played again.

    Raises:
        InputError: A line is none of `mwz play`, with its number; or there is none.
    """
    found = []
    for number, text in enumerate(content.split(b"\n"), start=1):
        try:
            if text.strip():
                written: Any = parse_json(text, source)
                line = validated(Recorded, written, source)
                found.append(replace(line, source=source, content=written))
        except InputError as error:
            told = "; ".join(error.problems)
            raise InputError(source, f"line {number}: no play ({told}); {AGAIN}") from None
    if not found:
        raise InputError(source, f"holds no dialogue; {AGAIN}")
    return found


def play(
    what: Play, path: Path, jobs: int = 1, notify: Callable[[str], None] = lambda remark: None
) -> Iterator[Line]:
    """Play dialogues into files, and yield each; what is there already is not played again.

    Args:
        what: Who plays what.
        path: The file of the first trial.
        jobs: How many dialogues are played at once.
        notify: Called with what there is to say of files that are there already.

    Raises:
        InputError: A file is of another play, or cannot be written; the agent's or the user's
            model cannot be reached; or dialogue after dialogue is broken off. What was played is
            kept.
    """
    further = (f"{path.stem}.{trial}{path.suffix}" for trial in range(2, what.trials + 1))
    paths = [path, *map(path.with_name, further)]
    found = [_read(one, what, trial, notify) for trial, one in enumerate(paths, start=1)]
    broken_off = 0
    for trial, (file, there) in enumerate(zip(paths, found, strict=True), start=1):
        lacking = [id_ for id_ in what.tasks if id_ not in there]
        yield from [there[id_] for id_ in what.tasks if id_ in there]
        for line in _appended(_lines(what, trial, lacking, jobs), file) if lacking else ():
            yield line
            error = line["outcome"]["error"]
            broken_off = broken_off + 1 if error else 0
            if broken_off >= _MOST_BROKEN_OFF:
                many = f"{broken_off} dialogues in a row are broken off, which count as lost"
                last = f"the last, trial {trial}, dialogue {line['dialogue_id']}: {error}"
                told = f"{many}; {last}; mend the agent, and play into another file (-o)"
                raise InputError(f"agent {what.agent_name}", told)


def _lines(what: Play, trial: int, ids: Sequence[str], jobs: int) -> Iterator[Line]:
    """Yield dialogues in order; those begun when one raises an error are played to their end."""
    trouble: list[InputError] = []
    stopped = Event()

    def attempt(id_: str) -> Line | None:
        try:
            return None if stopped.is_set() else dialogue(what, trial, id_)
        except InputError as error:
            trouble.append(error)
            stopped.set()
            return None

    with ThreadPoolExecutor(jobs) as pool:
        try:
            # A person is at the terminal of this very thread.
            yield from filter(None, (pool.map if jobs > 1 else map)(attempt, ids))
        finally:
            stopped.set()
    if trouble:
        raise trouble[0]


def _appended(lines: Iterator[Line], path: Path) -> Iterator[Line]:
    """Append lines to a file of this process alone, and yield each when it is safely on disk."""
    import portalocker

    most = limits()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
            for line in lines:
                # Half of a surrogate pair, which an error may have, is no text.
                text = valid_text(json.dumps(line, ensure_ascii=False) + "\n").encode()
                if file.tell() + len(text) > most.unpacked:
                    told = f"more bytes than {most.told('unpacked')} could not be read again"
                    raise InputError(str(path), f"{told}; raise the limit, and repeat the command")
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
                yield line
    except portalocker.LockException:
        raise InputError(str(path), "another process plays into it") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None


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


def _read(path: Path, what: Play, trial: int, notify: Callable[[str], None]) -> dict[str, Line]:
    """Return dialogue id -> line of what a file holds, with outcomes as their turns give them.

    A last line that is cut off is dropped. Dialogues that were broken off stay lost: who could play
    them again could choose among several plays.
    """
    if not path.exists():
        return {}
    *whole, last = read_bytes(path, unpack=False).split(b"\n")
    if last and not (whole or last.startswith(b'{"dialogue_id"')):
        raise InputError(str(path), "line 1: no play; name another file")
    found: dict[str, Line] = {}
    for one in recorded(b"\n".join(whole), str(path)) if whole else ():
        reasons = of_another_play(one, what)
        if one.trial != trial:
            reasons.append(f"different trials: {one.trial} and {trial}")
        if one.server != what.server:
            reasons.append("played at another --base-url")
        if reasons:
            told = "; ".join(reasons)
            raise InputError(str(path), f"is of another play ({told}); use another -o")
        task = what.world.tasks[one.dialogue_id]
        if task.id in found:
            raise InputError(str(path), f"dialogue {task.id} is there twice; keep one")
        outcome = outcome_of(what.world, task, one.content["turns"], one.error).to_dict()
        found[task.id] = {**one.content, "dialogue_id": task.id, "outcome": outcome}
    if last:
        notify(f"{path}: the last line is cut off; its dialogue is played again")
        write_atomically(path, b"".join(text + b"\n" for text in whole))
    if found:
        lost = sum(line["outcome"]["error"] is not None for line in found.values())
        broken = f"; {lost} of them broken off, which count as lost" if lost else ""
        notify(f"{path}: resuming, {counted(len(found), 'dialogue')} already played{broken}")
    return found


def of_another_play(line: Recorded, what: Play) -> list[str]:
    """Return why a line is of another play; nothing if it is of this one."""
    reasons = [*line.signature.comparable_with(what.signature()).reasons]
    if line.agent != what.agent_name:
        reasons.append(f"different agents: {line.agent} and {what.agent_name}")
    return reasons


_RATES = ("inform", "success", "requested", "solved")
_SHARES = ("in_database", "of_named_venue")


def figures(what: Play, lines: Sequence[Line]) -> dict[str, Any]:
    """Return all figures of dialogues played as JSON types; rates are in percent, None of nothing.

    Tasks with fewer trials than others, of a play that was broken off, do not count in pass^k.
    """
    trials = what.trials
    every = [line["outcome"] for line in lines]
    solved: dict[str, list[bool]] = {}
    costs: dict[str, Counter[str]] = {}
    told: Counter[str] = Counter()
    for line in lines:
        solved.setdefault(line["dialogue_id"], []).append(line["outcome"]["solved"])
        told.update(line["outcome"]["told"])
        for who, cost in line["costs"].items():
            costs.setdefault(who, Counter()).update(cost)
    booking = [one["books"] for one in every if one["booked"]]
    whole = [sum(one) for one in solved.values() if len(one) == trials]
    ks = range(1, trials + 1) if whole else ()

    def mean(values: Sequence[float]) -> float:
        return sum(values) / max(1, len(values))

    return {
        "agent": what.agent_name,
        "user": what.user_name,
        "signature": str(what.whole_signature()),
        "tasks": len(solved),
        "trials": trials,
        **{name: 100 * mean([one[name] for one in every]) for name in _RATES},
        "books": 100 * mean(booking) if booking else None,
        "pass": {str(k): asdict(pass_interval(whole, trials, k)) for k in ks},
        "told": told["told"],
        **{name: 100 * told[name] / told["told"] if told["told"] else None for name in _SHARES},
        **{name: mean([one[name] for one in every]) for name in ("turns", "calls")},
        **{name: sum(one[name] for one in every) for name in ("failed_calls", "unasked")},
        "errors": sum(one["error"] is not None for one in every),
        "costs": {who: dict(cost) for who, cost in costs.items()},
    }


_SHOWN: Mapping[str, str] = {
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


def figures_text(figures: Mapping[str, Any], source: str) -> str:
    """Return the figures of a play for people, and what messages call its file."""
    shown = {title: figures[name] for name, title in _SHOWN.items()}
    for who, cost in figures["costs"].items():
        shown |= {f"Cost of the {who}: {kind.replace('_', ' ')}": n for kind, n in cost.items()}
    rows = [[k, f"{n:,}" if isinstance(n, int) else figure(n)] for k, n in shown.items()]
    rows += [[f"pass^{k}", Interval(**one).text(1)] for k, one in figures["pass"].items()]
    played = f"{counted(figures['tasks'], 'task')}, {counted(figures['trials'], 'trial')}"
    title = f"{figures['agent']} with {figures['user']}: {played}"
    return f"{title}\n{text_table(['', ''], rows)}\n\n{source}\n{figures['signature']}"
