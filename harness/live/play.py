"""`mwz play`: run an agent with a simulated user and score the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import click
from tqdm import tqdm

from ..cli import notify, option
from ..cli.reading import benchmark_chooser
from ..errors import InputError, unknown
from ..io.files import STANDARD_STREAM, write_json
from ..io.tables import figure
from .agents import Agent, Baseline, function_agent, imported_function
from .models import ChatModel, ModelAgent, ModelUser
from .playing import Line, Play, figures, figures_text, play
from .users import ScriptedUser, person_at_terminal
from .world import (
    BASELINE,
    SCRIPTED,
    UserMaker,
    World,
    name_problem,
    script_name,
    versioned,
)

_AGENTS = ("baseline", "model:NAME", "MODULE:FUNCTION")
_USERS = ("scripted", "model:NAME", "person")
_MODEL = "model:"
_PERSON = "person"
_NUMBER = click.IntRange(min=1)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"show_default": True})
@click.option("--agent", metavar="|".join(_AGENTS), default=BASELINE, help="Who uses the tools.")
@click.option("--user", metavar="|".join(_USERS), default=SCRIPTED, help="Who has the goal.")
@click.option("--base-url", metavar="URL", help="The address of models. [default: OpenAI's]")
@option.benchmark
@click.option("--tasks", "count", type=_NUMBER, metavar="N", help="Play the first N tasks.")
@click.option("--trials", type=_NUMBER, default=1, metavar="K", help="How often a task is played.")
@click.option("--seed", type=int, default=0, help="The seed of scripted users.")
@click.option("--jobs", type=_NUMBER, default=1, metavar="N", help="Dialogues played at once.")
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
    agent_name, make_agent = _agent(agent, chats)
    user_name, make_user = _user(user, chats)
    server = next((chat.server for chat in chats.values()), None)
    world = World.of(benchmark_chooser(benchmark, "playing on")(()))
    ids = list(world.tasks.tasks)[:count]
    what = Play(
        world, ids, make_agent, agent_name, make_user, user_name, trials, seed, server=server
    )
    hidden = True if user == _PERSON else None
    lines: list[Line] = []
    solved = 0
    coming = play(what, output, jobs, notify)
    bar = tqdm(coming, "playing", len(ids) * trials, unit="dialogue", disable=hidden)
    # What a function prints is no part of the figures.
    with bar, redirect_stdout(sys.stderr):
        for line in bar:
            lines.append(line)
            solved += line["outcome"]["solved"]
            bar.set_postfix_str(f"solved {figure(100 * solved / len(lines))}", refresh=False)
    result = figures(what, lines)
    if json_target is not None:
        write_json(json_target, result)
    if json_target != STANDARD_STREAM:
        click.echo(figures_text(result, str(output)))


def _agent(name: str, chats: Mapping[str, ChatModel]) -> tuple[str, Callable[[], Agent]]:
    """Return what records call an agent, and what makes it."""
    if name == BASELINE:
        return script_name(BASELINE), Baseline
    if name in chats:
        return _named("agent", _prompted(chats[name])), partial(ModelAgent, chats[name])
    if ":" not in name:
        raise InputError("--agent", unknown("agent", name, _AGENTS))
    return _named("agent", name), partial(function_agent, imported_function(name))


def _user(name: str, chats: Mapping[str, ChatModel]) -> tuple[str, UserMaker]:
    """Return what signatures call a user, and what makes it."""
    if name in chats:
        return _named("user", _prompted(chats[name])), partial(ModelUser, chats[name])
    if name == SCRIPTED:
        return script_name(SCRIPTED), ScriptedUser
    if name == _PERSON:
        return name, person_at_terminal
    raise InputError("--user", unknown("user", name, _USERS))


def _prompted(chat: ChatModel) -> str:
    return f"{chat.model}, prompts {versioned('prompts')}"


def _named(role: str, name: str) -> str:
    """Return a name that files may have."""
    if problem := name_problem(role, name):
        raise InputError(f"{role} {name}", problem)
    return name
