"""`mwz play`: run an agent with a simulated user and score the result.

Files of plays are written and read here. A file has one line of JSON per dialogue (`Line`). Each
trial has a file of its own: `play.jsonl`, `play.2.jsonl`, … Lines are appended, in the order of the
tasks, as dialogues are over. The same agent, user and seed give the same bytes, if they do not
leave it to chance.

To read a file, its agent makes the recorded calls and gives the recorded responses anew: the tools
must return what the file says, and a scripted user must say what the file says. Other users' words
are taken from the file. The result of a dialogue is computed of that alone, whatever the file says
of it.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import portalocker
from tqdm import tqdm

from mwz.normalization import digest_of_json

from ..board import Predictions
from ..cli import notify, option, tell
from ..cli.reading import chosen_benchmark
from ..errors import InputError, counted, cut_repr, unknown
from ..io import (
    STANDARD_STREAM,
    parse_json,
    read_bytes,
    valid_text,
    validated,
    write_atomically,
    write_json,
)
from .agents import Agent, Baseline, Call, function_agent, imported_function
from .causes import CAUSES, findings
from .environment import MISSING, outcome_of
from .mcp_server import Desk, serve
from .models import AGENTS, KEY_VARIABLES, TIMEOUT, ChatModel, ModelAgent, ModelUser, servers_digest
from .plays import Line, LiveRun, Recorded, RunConfig, play_dialogue, play_scripts
from .users import ScriptedUser, person_at_terminal, scripted_user, scripted_users
from .world import SCRIPTS, BrokenOffError, UserMaker, UserTurn, World, name_problem, script_name

_MODEL = re.compile(r"model:(?P<name>.+?)(@(?P<url>[^@\s]+:[^@\s]+))?")
_MCP = "mcp:"
_PERSON = "person"
_AGENTS = f"{SCRIPTS['agent']}|model:NAME[@URL]|{_MCP}NAME|MODULE:FUNCTION"
_USERS = f"{SCRIPTS['user']}|{SCRIPTS['user']}:BEHAVIOUR|model:NAME[@URL]|{_PERSON}"
_FIXED_FIELDS = ("model", "messages", "tools", "stream")
"""Fields of requests that the harness sets."""

_SECRET = re.compile(
    r"(api|access|secret|private).?key|password|authorization|\bsk-", re.IGNORECASE
)
"""What a field has in it that must not be recorded."""

_NUMBER = click.IntRange(min=1)
_FILE = click.Path(path_type=Path, dir_okay=False)
_MOST_BROKEN_OFF = 5
"""Dialogues broken off one after another at which playing stops."""

_FIRST = 10
"""Dialogues at the beginning of files after which playing stops if none of them is solved."""


def _fields(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> dict[str, object]:
    """Return the fields of requests that are given as KEY=VALUE, with values in JSON."""
    fields: dict[str, object] = {}
    for text in values:
        key, _, value = text.partition("=")
        if key in _FIXED_FIELDS:
            raise click.BadParameter(f"{text!r}: the harness sets {', '.join(_FIXED_FIELDS)}")
        if _SECRET.search(text):
            problem = f"{key} would be recorded; a key is given by {KEY_VARIABLES['agent']}"
            raise click.BadParameter(problem)
        if key in fields:
            raise click.BadParameter(f"{key!r} is there twice")
        try:
            fields[key] = parse_json(value.encode(), text)
        except InputError:
            problem = f"{text!r}: write KEY=VALUE with a value in JSON; a text has quotes"
            raise click.BadParameter(f"{problem}: '{key}=\"…\"'") from None
    return fields


@click.command(context_settings={"show_default": True})
@click.option("--agent", metavar=_AGENTS, default=SCRIPTS["agent"], help="The agent.")
@click.option("--user", metavar=_USERS, default=SCRIPTS["user"], help="The user.")
@click.option("--base-url", metavar="URL", help="The address of models. [default: OpenAI's]")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    default=TIMEOUT,
    metavar="SECONDS",
    help="How long the server of a model may be silent.",
)
@click.option("--max-tokens", type=_NUMBER, metavar="N", help="The agent's field `max_tokens`.")
@click.option("--temperature", type=float, metavar="T", help="The agent's field `temperature`.")
@click.option(
    "--request",
    "fields",
    multiple=True,
    callback=_fields,
    metavar="KEY=VALUE",
    help="Another field of the agent's requests, in JSON. May be repeated.",
)
@click.option(
    "--calls",
    type=click.Choice(tuple(AGENTS)),
    default="server",
    help="Who reads the calls of an agent's model: its server, or the harness, from the text.",
)
@click.option("--http", type=_NUMBER, metavar="PORT", help="Serve an MCP client at this port.")
@option.benchmark
@click.option("--tasks", "count", type=_NUMBER, metavar="N", help="Play the first N tasks.")
@click.option("--task", "named", multiple=True, metavar="ID", help="Play this one. Repeatable.")
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
    timeout: float,
    max_tokens: int | None,
    temperature: float | None,
    fields: Mapping[str, object],
    calls: str,
    http: int | None,
    benchmark: str | None,
    count: int | None,
    named: Sequence[str],
    trials: int,
    seed: int,
    jobs: int,
    output: Path,
    json_target: str | None,
) -> None:
    """Run an agent with tools in dialogues with a user who has a goal, and score the result.

    Agents: `baseline` has patterns and templates; `model:NAME` is a language model; `mcp:NAME` is
    whatever starts this command as an MCP server; a function is given the messages so far and a
    function that calls a tool, and returns the response. Users: `scripted` has the goal and no
    model; `scripted:BEHAVIOUR` does not cooperate (impatient, incomplete, tangential or
    unavailable); `model:NAME` is a language model; `person` is you, at the terminal. Models are
    reached at any address that speaks OpenAI's protocol, with the key of OPENAI_API_KEY (of a
    user's model with a URL of its own: MWZ_USER_API_KEY); --jobs is for them.

    Each dialogue is appended to --output when it is over, and an interrupted run continues when
    the command is repeated. Further trials have files of their own: play.2.jsonl and so on.
    `mwz score` and `mwz why` read them. The run stops if none of the first ten dialogues
    is solved, or if five in a row end with an error.
    """
    option.refuse_if(
        user == _PERSON and jobs > 1, "a person plays one dialogue at a time; leave --jobs out"
    )
    option.refuse_if(count and named, "--tasks N plays the first N, --task ID one; choose")
    request = dict(fields)
    for key, value in (("max_tokens", max_tokens), ("temperature", temperature)):
        if value is not None:
            option.refuse_if(key in request, f"{key!r} is there twice")
            request[key] = value
    models = _models(agent, user, base_url, timeout, request)
    option.refuse_if(
        (base_url or option.is_given("timeout")) and not models,
        "--base-url and --timeout are for --agent model:NAME or --user model:NAME",
    )
    option.refuse_if(
        (request or option.is_given("calls")) and "agent" not in models,
        "--calls, --request, --max-tokens and --temperature are for --agent model:NAME",
    )
    agent_name, make_agent = _talker("agent", agent, models, AGENTS[calls])
    user_name, make_user = _talker("user", user, models, ModelUser)
    server = servers_digest(models.values())
    is_mcp = isinstance(make_agent, Desk)
    option.refuse_if(
        is_mcp and (user == _PERSON or jobs > 1 or json_target == STANDARD_STREAM),
        f"--agent {_MCP}NAME is a server on standard input and output, of one dialogue at a time",
    )
    option.refuse_if(http and not is_mcp, f"--http is for --agent {_MCP}NAME")
    world = World.of(chosen_benchmark(benchmark))
    ids = list(world.tasks)[:count]
    if named:
        chosen = {world.task(id_).id for id_ in named}
        ids = [id_ for id_ in ids if id_ in chosen]
    config = RunConfig(
        world, ids, make_agent, agent_name, make_user, user_name, trials, seed, server=server
    )
    files = ", ".join(map(str, _files(output, trials).values()))
    figures = f", figures to {json_target}" if json_target not in (None, STANDARD_STREAM) else ""
    notify(f"dialogues go to {files}{figures}")
    total = len(ids) * trials
    lines = _watched(config, output, jobs, user == _PERSON)
    if is_mcp:
        played = serve(make_agent, lines, http)
    else:
        # What an agent prints must not mix with the figures.
        with redirect_stdout(sys.stderr):
            played = list(lines)
    if len(played) < total:
        notify(f"{len(played)} of {counted(total, 'dialogue')} played; start again to play on")
        return
    run = LiveRun(config, played)
    if json_target is not None:
        write_json(json_target, run.figures)
    if json_target != STANDARD_STREAM:
        click.echo(run.text(files), err=is_mcp)


def _models(
    agent: str, user: str, base_url: str | None, timeout: float, fields: Mapping[str, object]
) -> dict[str, ChatModel]:
    """Return the model of each role that has one; further fields of requests are the agent's."""
    models = {}
    for role, name, role_fields in (("agent", agent, fields), ("user", user, {})):
        match = _MODEL.fullmatch(name)
        if match is not None:
            key_variable = KEY_VARIABLES[role if match["url"] else "agent"]
            url = match["url"] or base_url
            models[role] = ChatModel(match["name"], url, key_variable, timeout, role_fields)
    return models


def _watched(config: RunConfig, path: Path, jobs: int, hidden: bool) -> Iterator[Line]:
    """Play dialogues, and show progress, cost, the dialogue begun last and the first error.

    Where there is no terminal, progress is a line for each tenth.
    """
    total = len(config.tasks) * config.trials
    solved = tokens = errors = 0
    so_far = "0 solved"
    bar = tqdm(desc="playing", total=total, unit="dialogue", disable=True if hidden else None)

    def show_begun(id_: str) -> None:
        bar.set_postfix_str(f"{so_far}, now {id_}")

    with bar:
        for number, line in enumerate(play_tasks(config, path, jobs, show_begun), start=1):
            error = line["outcome"]["error"]
            solved += line["outcome"]["solved"]
            for cost in line["costs"].values():
                tokens += sum(count for kind, count in cost.items() if kind.endswith("tokens"))
            so_far = f"{solved} solved"
            if tokens:
                so_far += f", {tokens:,} tokens"
            bar.set_postfix_str(so_far, refresh=False)
            bar.update()
            if error and not errors:
                place = f"trial {line['trial']}, dialogue {line['dialogue_id']}"
                with tqdm.external_write_mode():
                    notify(f"first error: {place}: {error}")
            errors += error is not None
            if bar.disable and not hidden and number * 10 // total > (number - 1) * 10 // total:
                notify(f"{number} of {counted(total, 'dialogue')} played: {so_far}")
            yield line


def _files(path: Path, trials: int) -> dict[int, Path]:
    """Return the file of each trial, given that of the first."""
    files = {1: path}
    for trial in range(2, trials + 1):
        files[trial] = path.with_name(f"{path.stem}.{trial}{path.suffix}")
    return files


def _talker(
    role: str,
    name: str,
    models: Mapping[str, ChatModel],
    by_model: type[ModelAgent] | type[ModelUser],
) -> tuple[str, Any]:
    """Return what files call an agent or a user, and what makes it."""
    script, _, behaviour = name.partition(":")
    if name == SCRIPTS[role]:
        return script_name(role), {"agent": Baseline, "user": ScriptedUser}[role]
    if role == "user" and script == SCRIPTS[role]:
        return script_name(role, behaviour), scripted_user(behaviour)
    full_name = name
    maker: Any
    if role in models:
        full_name = models[role].recorded_name + by_model.mode
        maker = partial(by_model, models[role])
    elif role == "agent" and name.startswith(_MCP):
        full_name, maker = name.removeprefix(_MCP), Desk()
    elif role == "agent" and ":" in name:
        maker = partial(function_agent, imported_function(name))
    elif role == "user" and name == _PERSON:
        maker = person_at_terminal
    else:
        choices = {"agent": _AGENTS, "user": _USERS}[role]
        raise InputError(f"--{role}", unknown(role, name, choices.split("|")))
    problem = name_problem(role, full_name)
    if problem is not None:
        raise InputError(f"{role} {full_name}", problem)
    return full_name, maker


def play_tasks(
    config: RunConfig, path: Path, jobs: int = 1, begin: Callable[[str], None] = lambda id_: None
) -> Iterator[Line]:
    """Play dialogues into files, and yield each; what is there already is not played again.

    Args:
        config: The configuration of the run.
        path: The file of the first trial.
        jobs: Dialogues at a time.
        begin: Is told the id of each dialogue that begins, by its thread.

    Raises:
        InputError: A file is of another play, or cannot be written; the agent's or the user's
            model cannot be reached; dialogue after dialogue is broken off; or none of the first is
            solved. What was played is kept.
    """
    files = _files(path, config.trials)
    played = {trial: _resumed(file, config, trial) for trial, file in files.items()}
    first_lines: list[Line] = []
    for lines in played.values():
        first_lines += lines.values()
    is_new = len(config.tasks) * config.trials > _FIRST > len(first_lines)
    broken_off = 0
    for trial, file in files.items():
        lacking = [id_ for id_ in config.tasks if id_ not in played[trial]]
        yield from [played[trial][id_] for id_ in config.tasks if id_ in played[trial]]
        if not lacking:
            continue
        for line in _appended(_lines(config, trial, lacking, jobs, begin), file):
            yield line
            error = line["outcome"]["error"]
            broken_off = broken_off + 1 if error else 0
            if broken_off >= _MOST_BROKEN_OFF:
                many = f"{broken_off} dialogues in a row are broken off, which count as lost"
                last = f"the last, trial {trial}, dialogue {line['dialogue_id']}: {error}"
                remedy = "fix the agent and write a new file (-o), or repeat the command to play on"
                raise InputError(f"agent {config.agent_name}", f"{many}; {last}; {remedy}")
            if len(first_lines) < _FIRST:
                first_lines.append(line)
            has_begun = is_new and len(first_lines) == _FIRST
            if has_begun and not any(first["outcome"]["solved"] for first in first_lines):
                causes: Counter[str] = Counter()
                for first in first_lines:
                    causes.update({finding.cause for finding in findings(first, config.world)})
                listed = ", ".join(f"{name} ({causes[name]})" for name in CAUSES if causes[name])
                many = f"none of the first {_FIRST} dialogues is solved: {listed}"
                remedy = f"see `mwz why {path}`, and repeat the command to play on"
                raise InputError(f"agent {config.agent_name}", f"{many}; {remedy}")


def _lines(
    config: RunConfig, trial: int, ids: Sequence[str], jobs: int, begin: Callable[[str], None]
) -> Iterator[Line]:
    """Yield dialogues in order; those begun when one raises an error are played to their end.

    An interrupt waits for none, but yields those that are over.
    """
    errors: list[InputError] = []

    def attempt(id_: str) -> Line | None:
        if not errors:
            begin(id_)
            try:
                return play_dialogue(config, trial, id_)
            except InputError as error:
                errors.append(error)
        return None

    # A person plays in this thread, which has the terminal.
    attempts = map(attempt, ids) if jobs == 1 else _parallel(attempt, ids, jobs)
    yield from filter(None, attempts)
    if errors:
        raise errors[0]


def _parallel(
    attempt: Callable[[str], Line | None], ids: Sequence[str], jobs: int
) -> Iterator[Line | None]:
    """Yield the dialogues that are attempted, several at a time, in order."""
    pool = ThreadPoolExecutor(jobs)
    attempts = deque(pool.submit(attempt, id_) for id_ in ids)
    try:
        while attempts:
            line = attempts[0].result()
            attempts.popleft()
            yield line
    except KeyboardInterrupt:
        for later in attempts:
            if later.done():
                yield later.result()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _appended(lines: Iterator[Line], path: Path) -> Iterator[Line]:
    """Append lines to a file of this process alone, and yield each when it is safely on disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
            for line in lines:
                # An error may have half of a surrogate pair, which cannot be encoded.
                text = valid_text(json.dumps(line, ensure_ascii=False) + "\n")
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
                yield line
    except portalocker.LockException:
        raise InputError(str(path), "another process plays into it") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be written ({error.strerror})") from None


def _resumed(path: Path, config: RunConfig, trial: int) -> dict[str, Line]:
    """Return dialogue id -> what a file holds, played again.

    A last line that is cut off is dropped. Dialogues that were broken off stay lost: if they could
    be played again, one could choose the best of several plays.
    """
    if not path.exists():
        return {}
    *whole, last = read_bytes(path, unpack=False).split(b"\n")
    if last and not (whole or last.startswith(b'{"dialogue_id"')):
        raise InputError(str(path), "line 1: no play; name another file")
    recordings = recorded(b"\n".join(whole), str(path)) if whole else []
    for recording in recordings:
        if recording.trial != trial:
            problem = f"is of trial {recording.trial}, not {trial}; use another -o"
            raise InputError(str(path), problem)
    lines = {id_: line for (_, id_), line in _by_place(recordings, config).items()}
    if last:
        notify(f"{path}: the last line is cut off; its dialogue is played again")
        write_atomically(path, b"".join(text + b"\n" for text in whole))
    if lines:
        notify(f"{path}: resuming, {counted(len(lines), 'dialogue')} already played")
    return lines


# -------------------------------------------------------------------- files of live dialogues

_AGAIN = "play it again by `mwz play`, into another file (-o)"
_NO_FURTHER = "the recorded dialogue goes no further"


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
    files: Sequence[tuple[str, bytes | Predictions]], name: str | None, together: bool = False
) -> list[tuple[str, LiveRun]]:
    """Play the dialogues of files of `mwz play` again, and return the trials of each play.

    Args:
        files: What messages call each file, and its content; or what the scripts play of an entry.
        name: The value of `--benchmark`.
        together: Whether all files have to be of one play, which has each dialogue once.

    Returns:
        What messages call each play, and the play.

    Raises:
        InputError: A file is not of `mwz play`, or its dialogues come out otherwise than it says.
    """
    # A key for each play -> what messages call it, and its lines or what the scripts play.
    sources: dict[object, str] = {}
    recordings: defaultdict[object, list[Recorded]] = defaultdict(list)
    entries: dict[object, Predictions] = {}
    # Agent, signature and trial -> files that have it: another file is of another play.
    files_with: Counter[object] = Counter()
    benchmarks = set()
    for number, (source, content) in enumerate(files):
        if isinstance(content, Predictions):
            sources[number], entries[number] = source, content
            continue
        trials = set()
        for line in recorded(content, source):
            trial = line.agent, line.signature, line.trial
            key = () if together else (line.agent, line.signature, files_with[trial])
            sources.setdefault(key, source)
            recordings[key].append(line)
            trials.add(trial)
            benchmarks.add(str(line.signature.benchmark))
        files_with.update(trials)
    worlds: dict[str | None, World] = {}
    runs = []
    for play, source in sources.items():
        # Scripts play on the benchmark of all files, if it is one.
        played_on = next(iter(benchmarks)) if len(benchmarks) == 1 else None
        if play in recordings:
            played_on = recordings[play][0].signature.benchmark
        chosen = name or played_on
        if chosen not in worlds:
            worlds[chosen] = World.of(chosen_benchmark(chosen))
        world = worlds[chosen]
        if play in entries:
            run = play_scripts(world, entries[play].trials or 1, entries[play].seed or 0)
        else:
            run = replayed(recordings[play], world)
        tell(source, run.remarks)
        runs.append((source, run))
    return runs


def replayed(lines: Sequence[Recorded], world: World) -> LiveRun:
    """Play recorded dialogues again, and return the run.

    Args:
        lines: The lines of all files of a play, whatever trials they are of; at least one.
        world: The benchmark and its tasks.

    Raises:
        InputError: They are of different plays, or of another benchmark, tools or script; a
            dialogue is there twice; a trial repeats another one; or a tool or a scripted user
            would have answered otherwise.
    """
    config = _recorded_config(lines[0], world)
    by_place = _by_place(lines, config)
    played = {id_ for _, id_ in by_place}
    trials = sorted({trial for trial, _ in by_place})
    tasks = [id_ for id_ in world.tasks if id_ in played]
    config = replace(config, tasks=tasks, trials=len(trials))
    every: list[Line] = []
    for trial in trials:
        for id_ in tasks:
            line = by_place.get((trial, id_))
            if line is None:
                # A dialogue that is missing counts as lost.
                outcome = outcome_of(world, world.task(id_), [], MISSING)
                line = {"dialogue_id": id_, "turns": [], "trial": trial}
                line |= {"outcome": outcome, "costs": {}}
            every.append(line)
    run = LiveRun(config, every, len(every) - len(by_place))
    if config.scripted:
        return run
    first_trials: dict[str, str] = {}
    for name, turns in run.data.items():
        first = first_trials.setdefault(digest_of_json(turns), name)
        if first != name:
            problem = f"trial {name} is trial {first} again in every dialogue; play each trial"
            raise InputError(lines[0].source, problem)
    return run


def _by_place(lines: Sequence[Recorded], config: RunConfig) -> dict[tuple[int, str], Line]:
    """Play recorded dialogues again, and return trial and dialogue id -> the dialogue."""
    by_place: dict[tuple[int, str], Line] = {}
    for line in lines:
        again = played_again(line, config)
        place = line.trial, again["dialogue_id"]
        if place in by_place:
            problem = f"trial {line.trial}: dialogue {line.dialogue_id} is there twice; keep one"
            raise InputError(line.source, problem)
        by_place[place] = again
    return by_place


def _recorded_config(line: Recorded, world: World) -> RunConfig:
    """Return who played what, as a line says; a scripted user is that of this version."""
    parameters = line.signature.parameters
    name = parameters.get("user", "")
    scripts = script_name("agent"), *scripted_users()
    for role, talker in (("agent", line.agent), ("user", name)):
        problem = name_problem(role, talker)
        if problem is not None and talker not in scripts:
            place = f"dialogue {line.dialogue_id}: {role} {cut_repr(talker)}"
            raise InputError(line.source, f"{place}: {problem}; {_AGAIN}")
    user = scripted_users().get(name) or _recorded_user(line)
    seed = parameters.get("seed", "")
    if not re.fullmatch("-?[0-9]{1,20}", seed):
        # It is of another play, which the signature shows.
        seed = "0"
    return RunConfig(
        world, [], Baseline, line.agent, user, name, seed=int(seed), server=line.server
    )


def played_again(line: Recorded, config: RunConfig) -> Line:
    """Return a recorded dialogue played again.

    Raises:
        InputError: It is of another play, or comes out otherwise.
    """
    place = f"trial {line.trial}, dialogue {line.dialogue_id}"
    reasons = [*line.signature.comparable_with(config.signature()).reasons]
    if line.agent != config.agent_name:
        reasons.append(f"different agents: {line.agent} and {config.agent_name}")
    if line.server != config.server:
        reasons.append("different addresses of models")
    if reasons:
        problem = f"is of another play, or of another version of the harness ({'; '.join(reasons)})"
        raise InputError(line.source, f"{place}: {problem}; {_AGAIN}")
    try:
        id_ = config.world.task(line.dialogue_id).id
    except InputError as missing:
        raise InputError(line.source, f"{place}: {missing}") from missing
    user = config.user if config.scripted else _recorded_user(line)
    recording = replace(config, agent=lambda: _recorded_agent(line), user=user)
    again = play_dialogue(recording, line.trial, id_)
    error = again["outcome"]["error"]
    if error not in (None, line.error, _NO_FURTHER):
        raise InputError(line.source, f"{place}: {error}; {_AGAIN}")
    for number, (turn, played_turn) in enumerate(zip_longest(line.turns, again["turns"])):
        if turn != played_turn:
            problem = f"turn {number} comes out otherwise; recorded dialogues must not be edited"
            raise InputError(line.source, f"{place}, {problem}; {_AGAIN}")
    return {**again, "costs": line.costs}


def _recorded_agent(line: Recorded) -> Agent:
    """Return the agent of a recorded dialogue, which calls and says what was recorded."""
    turns, error = list(line.turns), line.error

    def reply(utterance: str, call: Call) -> str:
        if not turns:
            raise BrokenOffError(_NO_FURTHER)
        turn = turns.pop(0)
        for recorded_call in turn.get("calls", ()):
            if isinstance(recorded_call, dict):
                call(str(recorded_call.get("name")), recorded_call.get("arguments"))
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
