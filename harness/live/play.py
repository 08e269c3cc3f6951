"""`mwz play`: run an agent with a simulated user and score the result.

A file has one line of JSON per dialogue (`Line`). Each trial has a file of its own: `play.jsonl`,
`play.2.jsonl`, … Lines are appended, in the order of the tasks, as dialogues are over. The same
agent, user and seed give the same bytes, if they do not leave it to chance.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import click
import portalocker
from tqdm import tqdm

from ..cli import notify, option
from ..cli.reading import benchmark_chooser
from ..errors import InputError, counted, unknown
from ..io import STANDARD_STREAM, read_bytes, valid_text, write_atomically, write_json
from .agents import (
    Baseline,
    ChatModel,
    ModelAgent,
    ModelUser,
    function_agent,
    imported_function,
)
from .environment import Line, Play, dialogue
from .plays import Plays, played_again, recorded
from .users import ScriptedUser, person_at_terminal
from .world import BASELINE, SCRIPTED, World, name_problem, script_name, versioned

_AGENTS = ("baseline", "model:NAME", "MODULE:FUNCTION")
_USERS = ("scripted", "model:NAME", "person")
_MODEL = "model:"
_PERSON = "person"
_NUMBER = click.IntRange(min=1)
_FILE = click.Path(path_type=Path, dir_okay=False)
_MOST_BROKEN_OFF = 5
"""Dialogues broken off one after another at which playing stops."""


@click.command(context_settings={"show_default": True})
@click.option("--agent", metavar="|".join(_AGENTS), default=BASELINE, help="The agent.")
@click.option("--user", metavar="|".join(_USERS), default=SCRIPTED, help="The user.")
@click.option("--base-url", metavar="URL", help="The address of models. [default: OpenAI's]")
@option.benchmark
@click.option("--tasks", "count", type=_NUMBER, metavar="N", help="Play the first N tasks.")
@click.option("--trials", type=_NUMBER, default=1, metavar="K", help="Trials per task.")
@click.option("--seed", type=int, default=0, help="The seed of scripted users.")
@click.option("--jobs", type=_NUMBER, default=1, metavar="N", help="Dialogues at a time.")
@click.option("-o", "--output", type=_FILE, default="play.jsonl", help="The file of dialogues.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write all figures as JSON.")
def command(
    *,
    agent: str,
    user: str,
    base_url: str | None,
    benchmark: str | None,
    count: int | None,
    trials: int,
    seed: int,
    jobs: int,
    output: Path,
    json_target: str | None,
) -> None:
    """Run an agent with tools in dialogues with a user who has a goal, and score the result.

    Agents: `baseline` has patterns and templates; `model:NAME` is a language model; a function is
    given the messages so far and a function that calls a tool, and returns the response. Users:
    `scripted` has the goal and no model; `model:NAME` is a language model; `person` is you, at the
    terminal. Models are reached at any address that speaks OpenAI's protocol, with the key of
    OPENAI_API_KEY; --jobs is for them.

    Each dialogue is appended to --output when it is over, and an interrupted run continues when
    the command is repeated. Further trials have files of their own: play.2.jsonl and so on.
    `mwz score` and `mwz why` read them.
    """
    models = [name for name in (agent, user) if name.startswith(_MODEL)]
    option.refuse(
        {
            "a person plays one dialogue at a time; leave --jobs out": user == _PERSON and jobs > 1,
            "--base-url is for --agent model:NAME or --user model:NAME": base_url and not models,
        }
    )
    chats = {name: ChatModel(name.removeprefix(_MODEL), base_url) for name in models}
    agent_name, make_agent = _talker("agent", agent, chats)
    user_name, make_user = _talker("user", user, chats)
    server = next((chat.server for chat in chats.values()), None)
    world = World.of(benchmark_chooser(benchmark, "playing on")(()))
    ids = list(world.tasks.tasks)[:count]
    what = Play(
        world, ids, make_agent, agent_name, make_user, user_name, trials, seed, server=server
    )
    coming = play_tasks(what, output, jobs)
    hidden = True if user == _PERSON else None
    # What a function prints is no part of the figures.
    with redirect_stdout(sys.stderr):
        total = len(ids) * trials
        lines = list(tqdm(coming, "playing", total, unit="dialogue", disable=hidden))
    plays = Plays(what, lines)
    if json_target is not None:
        write_json(json_target, plays.figures)
    if json_target != STANDARD_STREAM:
        click.echo(plays.text(str(output)))


def _talker(role: str, name: str, chats: Mapping[str, ChatModel]) -> tuple[str, Any]:
    """Return what files call an agent or a user, and what makes it."""
    of_agent = role == "agent"
    if name == (BASELINE if of_agent else SCRIPTED):
        return script_name(name), Baseline if of_agent else ScriptedUser
    if name == _PERSON and not of_agent:
        return name, person_at_terminal
    maker: Any
    if name in chats:
        called = f"{chats[name].model}, prompts {versioned('prompts')}"
        maker = partial(ModelAgent if of_agent else ModelUser, chats[name])
    elif of_agent and ":" in name:
        called, maker = name, partial(function_agent, imported_function(name))
    else:
        raise InputError(f"--{role}", unknown(role, name, _AGENTS if of_agent else _USERS))
    if problem := name_problem(role, called):
        raise InputError(f"{role} {called}", problem)
    return called, maker


def play_tasks(what: Play, path: Path, jobs: int = 1) -> Iterator[Line]:
    """Play dialogues into files, and yield each; what is there already is not played again.

    Args:
        what: Who plays what.
        path: The file of the first trial.
        jobs: Dialogues at a time.

    Raises:
        InputError: A file is of another play, or cannot be written; the agent's or the user's
            model cannot be reached; or dialogue after dialogue is broken off. What was played is
            kept.
    """
    further = (f"{path.stem}.{trial}{path.suffix}" for trial in range(2, what.trials + 1))
    files = dict(enumerate((path, *map(path.with_name, further)), start=1))
    played = {trial: _resumed(file, what, trial) for trial, file in files.items()}
    broken_off = 0
    for trial, file in files.items():
        lacking = [id_ for id_ in what.tasks if id_ not in played[trial]]
        yield from [played[trial][id_] for id_ in what.tasks if id_ in played[trial]]
        for line in _appended(_lines(what, trial, lacking, jobs), file) if lacking else ():
            yield line
            error = line["outcome"]["error"]
            broken_off = broken_off + 1 if error else 0
            if broken_off >= _MOST_BROKEN_OFF:
                many = f"{broken_off} dialogues in a row are broken off, which count as lost"
                last = f"the last, trial {trial}, dialogue {line['dialogue_id']}: {error}"
                remedy = "fix the agent, and write a new file (-o)"
                raise InputError(f"agent {what.agent_name}", f"{many}; {last}; {remedy}")


def _lines(what: Play, trial: int, ids: Sequence[str], jobs: int) -> Iterator[Line]:
    """Yield dialogues in order; those begun when one raises an error are played to their end."""
    errors: list[InputError] = []

    def attempt(id_: str) -> Line | None:
        try:
            return None if errors else dialogue(what, trial, id_)
        except InputError as error:
            errors.append(error)
            return None

    with ThreadPoolExecutor(jobs) as pool:
        # A person is at the terminal of this very thread.
        yield from filter(None, (pool.map if jobs > 1 else map)(attempt, ids))
    if errors:
        raise errors[0]


def _appended(lines: Iterator[Line], path: Path) -> Iterator[Line]:
    """Append lines to a file of this process alone, and yield each when it is safely on disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
            for line in lines:
                # Half of a surrogate pair, which an error may have, is no text.
                text = valid_text(json.dumps(line, ensure_ascii=False) + "\n")
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
                yield line
    except portalocker.LockException:
        raise InputError(str(path), "another process plays into it") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None


def _resumed(path: Path, what: Play, trial: int) -> dict[str, Line]:
    """Return dialogue id -> what a file holds, played again.

    A last line that is cut off is dropped. Dialogues that were broken off stay lost: who could play
    them again could choose among several plays.
    """
    if not path.exists():
        return {}
    *whole, last = read_bytes(path, unpack=False).split(b"\n")
    if last and not (whole or last.startswith(b'{"dialogue_id"')):
        raise InputError(str(path), "line 1: no play; name another file")
    lines: dict[str, Line] = {}
    for recording in recorded(b"\n".join(whole), str(path)) if whole else ():
        if recording.trial != trial:
            told = f"is of trial {recording.trial}, not {trial}; use another -o"
            raise InputError(str(path), told)
        line = played_again(recording, what)
        if line["dialogue_id"] in lines:
            raise InputError(str(path), f"dialogue {line['dialogue_id']} is there twice; keep one")
        lines[line["dialogue_id"]] = line
    if last:
        notify(f"{path}: the last line is cut off; its dialogue is played again")
        write_atomically(path, b"".join(text + b"\n" for text in whole))
    if lines:
        notify(f"{path}: resuming, {counted(len(lines), 'dialogue')} already played")
    return lines
