"""Playing many dialogues into files, from where they stopped.

A file has one line of JSON per dialogue: `dialogue_id`, `turns` (`user`, `response`, `calls`),
`trial`, `agent`, `outcome`, `costs` and `signature`. `mwz score --free-running` and all else that
takes free-running dialogues reads it. Each trial has a file of its own: `play.jsonl`,
`play.2.jsonl`, … A line is appended when its dialogue is over; when all are, lines are in the order
of the tasks. The same agent, user and seed give the same bytes, if they do not leave it to chance.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import InputError, counted, shown
from ..io.files import read_stored, write_atomically
from ..signature import SHOWN_HASH, Signature
from .agents import Agent
from .environment import MAX_TURNS, BrokenOffError, Environment, UserMaker, World
from .outcomes import Cost, summary
from .tools import tools_digest

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
        max_turns: How many turns a dialogue has at most.
    """

    world: World
    tasks: Sequence[str]
    agent: Callable[[], Agent]
    agent_name: str
    user: UserMaker
    user_name: str
    trials: int = 1
    seed: int = 0
    max_turns: int = MAX_TURNS

    def signature(self) -> Signature:
        """Return all that the outcome of a dialogue depends on besides the agent."""
        plain = self.world.scorer.plain_signature()
        return replace(
            plain,
            goals="all",
            parameters={
                **plain.parameters,
                "user": self.user_name,
                "tasks": self.world.tasks.digest[:SHOWN_HASH],
                "tools": tools_digest()[:SHOWN_HASH],
                "max-turns": str(self.max_turns),
                "seed": str(self.seed),
            },
        )


@dataclass
class Played:
    """What has been played.

    Attributes:
        lines: The dialogues, as files have them.
        solved: How many of them are solved.
        remarks: What there is to say of files that were there before.
    """

    lines: list[dict[str, Any]] = field(default_factory=list)
    solved: int = 0
    remarks: list[str] = field(default_factory=list)

    def add(self, line: dict[str, Any]) -> None:
        """Add a dialogue."""
        self.lines.append(line)
        self.solved += line["outcome"]["solved"]


def trial_path(path: Path, trial: int) -> Path:
    """Return the file of a trial, from 1: the first has the path itself."""
    return path if trial == 1 else path.with_name(f"{path.stem}.{trial}{path.suffix}")


def play(
    what: Play, path: Path, jobs: int = 1, progress: Callable[[Played], None] = lambda played: None
) -> Played:
    """Play dialogues into files; those that are there already are not played again.

    Args:
        what: Who plays what.
        path: The file of the first trial.
        jobs: How many dialogues are played at once.
        progress: Called after each dialogue, and once before.

    Raises:
        InputError: A file is of another play, or cannot be written; the agent's or the user's
            model cannot be reached; or dialogue after dialogue is broken off. What was played is
            kept.
    """
    signature = what.signature().to_dict()
    played = Played()
    paths = [trial_path(path, trial) for trial in range(1, what.trials + 1)]
    found = [_read(one, what.agent_name, signature, played) for one in paths]
    for there in found:
        for id_ in what.tasks:
            if id_ in there:
                played.add(there[id_])
    progress(played)
    broken_off = 0
    for trial, (file, there) in enumerate(zip(paths, found, strict=True), start=1):
        lacking = [id_ for id_ in what.tasks if id_ not in there]
        if not lacking:
            continue
        with _appending(file) as append:
            for line in _lines(what, trial, lacking, jobs):
                line["signature"] = signature
                there[line["dialogue_id"]] = line
                append(line)
                played.add(line)
                progress(played)
                error = line["outcome"]["error"]
                broken_off = broken_off + 1 if error else 0
                if broken_off >= _MOST_BROKEN_OFF:
                    many = f"{broken_off} dialogues in a row are broken off, the last one because"
                    raise InputError(f"agent {what.agent_name}", f"{many} {error}")
        _put_in_order(file, what.tasks, there)
    return played


def _lines(what: Play, trial: int, ids: Sequence[str], jobs: int) -> Iterator[dict[str, Any]]:
    """Yield dialogues as they are over; those begun are waited for when one raises an error."""
    if jobs == 1:
        # A person is at the terminal of this very thread.
        yield from (_dialogue(what, trial, id_) for id_ in ids)
        return
    left = iter(ids)
    with ThreadPoolExecutor(jobs) as pool:
        running: set[Future[dict[str, Any]]] = set()
        trouble: BaseException | None = None
        while True:
            while trouble is None and len(running) < jobs and (id_ := next(left, None)):
                running.add(pool.submit(_dialogue, what, trial, id_))
            if not running:
                break
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                error = one.exception()
                trouble = trouble or error
                if error is None:
                    yield one.result()
    if trouble is not None:
        raise trouble


def _dialogue(what: Play, trial: int, id_: str) -> dict[str, Any]:
    """Play one dialogue, and return its line, without the signature."""
    environment = Environment(what.world, what.user, what.max_turns)
    environment.reset(id_, f"{what.seed} {trial}")
    agent = what.agent()
    try:
        while (said := environment.user_turn()) is not None:
            response = agent.reply(said, environment.call)
            if not isinstance(response, str):
                raise BrokenOffError(f"the agent returns {shown(response)} in place of a string")
            environment.respond(response)
    except BrokenOffError as error:
        environment.fail(str(error))
    except InputError:
        # The model cannot be reached: that is no fault of this dialogue.
        raise
    except Exception as error:
        environment.fail(f"{type(error).__name__} in the agent: {error}")
    return {
        "dialogue_id": id_,
        "turns": environment.transcript,
        "trial": trial,
        "agent": what.agent_name,
        "outcome": environment.outcome().to_dict(),
        "costs": {
            who: asdict(cost)
            for who, one in (("agent", agent), ("user", environment.user))
            if isinstance(cost := getattr(one, "cost", None), Cost)
        },
    }


def _read(
    path: Path, agent: str, signature: dict[str, Any], played: Played
) -> dict[str, dict[str, Any]]:
    """Return dialogue id -> line of what a file holds, and drop a last line that is broken."""
    if not path.exists():
        return {}
    content = read_stored(path)
    *whole, last = content.split(b"\n")
    if last:
        played.remarks.append(f"{path}: the last line is cut off; its dialogue is played again")
        write_atomically(path, content[: len(content) - len(last)])
    found = {}
    for number, line in enumerate(whole, start=1):
        try:
            read = json.loads(line)
            theirs = {"agent": read["agent"], **_flat(read["signature"])}
            found[read["dialogue_id"]] = read
            _ = read["outcome"]["solved"], read["costs"], read["turns"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError(
                str(path), f"line {number} is none of `mwz play`; name another file"
            ) from None
        ours = {"agent": agent, **_flat(signature)}
        differing = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
        if differing:
            told = "; ".join(f"{k} {theirs.get(k)}, now {ours.get(k)}" for k in differing)
            raise InputError(str(path), f"is of another play ({told}); name another file")
    if found:
        played.remarks.append(f"{path}: goes on after {counted(len(found), 'dialogue')}")
    return found


def _flat(signature: dict[str, Any]) -> dict[str, Any]:
    rest = {key: value for key, value in signature.items() if key != "parameters"}
    return {**rest, **signature["parameters"]}


@contextmanager
def _appending(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Open a file for this process alone; yield what appends a line to it, safely on disk."""
    import portalocker

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)

            def append(line: dict[str, Any]) -> None:
                file.write(_encoded(line))
                file.flush()
                os.fsync(file.fileno())

            yield append
    except portalocker.LockException:
        raise InputError(str(path), "another process plays into it") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None


def _encoded(line: dict[str, Any]) -> bytes:
    # Half of a surrogate pair, which a model may write, is no text.
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _put_in_order(path: Path, ids: Sequence[str], lines: dict[str, dict[str, Any]]) -> None:
    """Write a file's lines in the order of the tasks, where it is another."""
    ordered = [id_ for id_ in dict.fromkeys([*ids, *lines]) if id_ in lines]
    if ordered != list(lines):
        write_atomically(path, b"".join(_encoded(lines[id_]) for id_ in ordered))


def figures(what: Play, played: Played) -> dict[str, Any]:
    """Return all figures of a play as JSON types, with agent, user and signature."""
    signature = what.signature()
    trials = {"trials": str(what.trials)}
    signature = replace(signature, parameters={**signature.parameters, **trials})
    named = {"agent": what.agent_name, "user": what.user_name, "signature": str(signature)}
    return named | summary(played.lines, what.trials)
