"""`mwz play`: run an agent with a simulated user and score the result."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from ...cli import notify, option
from ...cli.reading import benchmark_chooser
from ...errors import InputError, unknown
from ...io.files import STANDARD_STREAM, limits, write_json
from ...io.rendering import figure
from ..agents import Baseline, function_agent, imported_function
from ..models import ChatModel, ModelAgent, ModelUser
from ..outcomes import figures_text
from ..playing import Line, Play, figures, play
from ..users import ScriptedUser, person_at_terminal
from ..world import BASELINE, SCRIPTED, World, name_problem, script_name, versioned

_AGENTS = ("baseline", "model", "MODULE:FUNCTION")
_USERS = ("scripted", "model", "person")
_NUMBER = click.IntRange(min=1)
_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(context_settings={"show_default": True})
@click.option("--agent", metavar="|".join(_AGENTS), default="baseline", help="Who uses the tools.")
@click.option("--user", type=click.Choice(_USERS), default="scripted", help="Who has the goal.")
@click.option("--model", metavar="NAME", help="The language model that is the agent.")
@click.option("--user-model", metavar="NAME", help="The one that is the user. [default: --model]")
@click.option("--base-url", metavar="URL", help="The address of the models. [default: OpenAI's]")
@option.benchmark
@click.option("--goals", metavar="FILE", help="Goals with instructions, for the benchmark's.")
@click.option("--tasks", "count", type=_NUMBER, metavar="N", help="Play the first N tasks.")
@click.option("--trials", type=_NUMBER, default=1, metavar="K", help="How often a task is played.")
@click.option("--seed", type=int, default=0, help="The seed of scripted users.")
@click.option("--jobs", type=_NUMBER, default=1, metavar="N", help="Dialogues played at once.")
@click.option("--max-turns", type=_NUMBER, default=30, metavar="N", help="Turns at most.")
@click.option("-o", "--output", type=_FILE, default="play.jsonl", help="The file of dialogues.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write all figures as JSON.")
def command(
    *,
    agent: str,
    user: str,
    benchmark: str | None,
    goals: str | None,
    count: int | None,
    jobs: int,
    output: Path,
    json_target: str | None,
    **how: Any,
) -> None:
    """Run an agent with tools in dialogues with a user who has a goal, and score the result.

    Agents: `baseline` has patterns and templates; `model` is the language model of --model; a
    function is given the messages so far and a function that calls a tool, and returns the
    response. Users: `scripted` has the goal and no model; `model` is the language model of
    --user-model; `person` is you, at the terminal. Models are reached at any address that speaks
    OpenAI's protocol, with the key of OPENAI_API_KEY; --jobs is for them.

    Each dialogue is appended to --output when it is over, and an interrupted run continues when
    the command is repeated. Further trials have files of their own: play.2.jsonl and so on.
    `mwz score` and `mwz why` read them. --goals takes ConvLab-2's test.json.zip, train.json.zip
    or val.json.zip, or MultiWOZ's data.json.
    """
    if user == "person" and jobs > 1:
        raise click.UsageError("a person plays one dialogue at a time; leave --jobs out")
    models = {name: how.pop(name) for name in ("model", "user_model", "base_url")}
    if "model" not in (agent, user) and (unused := [name for name, one in models.items() if one]):
        told = f"{option.written(unused[0])} is for --agent model or --user model"
        raise click.UsageError(told)
    if how["max_turns"] > limits().turns:
        raise InputError("--max-turns", f"{how['max_turns']:,}; {limits().told('turns')}")
    agent_name, make_agent, agent_server = _talker("agent", agent, models)
    user_name, make_user, user_server = _talker("user", user, models)
    how["server"] = agent_server or user_server
    world = World.of(benchmark_chooser(benchmark, "playing on")(()), goals)
    ids = list(world.tasks.tasks)[:count]
    what = Play(world, ids, make_agent, agent_name, make_user, user_name, **how)
    coming = play(what, output, jobs, notify)
    hidden = True if user == "person" else None
    lines: list[Line] = []
    solved = 0
    bar = tqdm(coming, "playing", len(ids) * what.trials, unit="dialogue", disable=hidden)
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


def _talker(role: str, name: str, models: Mapping[str, str | None]) -> tuple[str, Any, str | None]:
    """Return an agent or a user: what it is called, what makes it, and its model's server."""
    scripted = {
        ("agent", BASELINE): (script_name(BASELINE), Baseline),
        ("user", SCRIPTED): (script_name(SCRIPTED), ScriptedUser),
        ("user", "person"): (name, person_at_terminal),
    }
    if (role, name) in scripted:
        return *scripted[role, name], None
    made: tuple[str, Any, str | None]
    if name == "model":
        own, maker = ("user_model", ModelUser) if role == "user" else ("model", ModelAgent)
        model = models[own] or models["model"]
        if model is None:
            raise click.UsageError(f"name the language model by --{own.replace('_', '-')}")
        chat = ChatModel(model, models["base_url"])
        made = f"{model}, prompts {versioned('prompts')}", partial(maker, chat), chat.server
    elif ":" in name:
        made = name, partial(function_agent, imported_function(name)), None
    else:
        raise InputError("--agent", unknown("agent", name, _AGENTS))
    if problem := name_problem(role, made[0]):
        raise InputError(f"{role} {made[0]}", problem)
    return made
