"""Options that several subcommands share, each defined once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import click
from click.core import ParameterSource

from mwz.normalization import DEFAULT_RULES, rule_set_names, toml_names

from .. import board
from ..benchmark import GOALS
from ..data import installed_benchmarks
from ..errors import unknown
from ..io import FORMATS
from ..metrics import BOTH
from ..scoring import CHOICES
from . import BETWEEN
from .reading import SUBMISSIONS

FILE = click.Path(readable=False)
"""The type of files. Shells complete their names; the command checks whether they can be read."""


def complete_entry(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an entry in the folder that `--submissions` names."""
    folder = Path(ctx.params.get("submissions") or "submissions")
    names = (path.parent.name for path in folder.glob("[!.]*/entry.toml"))
    return sorted(name for name in names if name.startswith(incomplete.lower()))


def complete_benchmark(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of an installed benchmark."""
    return [name for name in installed_benchmarks() if name.startswith(incomplete)]


_Command = TypeVar("_Command", bound=Callable[..., object])


def together(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return what adds options to a command, in the order given."""

    def add(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return add


flag = partial(click.option, is_flag=True)
"""An option that is given or not."""


_benchmark = partial(
    click.option, "--benchmark", metavar="NAME|FOLDER", shell_complete=complete_benchmark
)

benchmark = _benchmark(
    help="The benchmark to score on. [default: multiwoz if installed, else sample]"
)

scored_benchmark = _benchmark(
    help="The benchmark to score on. [default: the one that a submission was scored on]"
)

rules = click.option(
    "--rules",
    type=click.Choice(rule_set_names()),
    default=DEFAULT_RULES,
    show_default=True,
    help="The rule set (docs/comparison.md).",
)

placeholders = click.option(
    "--placeholders",
    metavar="FILE|NAME",
    type=FILE,
    help="Placeholders to read besides those of the rule set: a TOML file, or a table: "
    f"{', '.join(toml_names('aliases'))}.",
)

predictions = click.argument("predictions", type=FILE)

several_predictions = click.argument(
    "predictions", metavar="PREDICTIONS...", nargs=-1, required=True, type=FILE
)

submissions = click.option(
    "--submissions",
    type=click.Path(path_type=Path, file_okay=False),
    default=SUBMISSIONS,
    show_default=True,
    help="The folder of submissions.",
)


def _workers(ctx: click.Context, param: click.Parameter, value: str) -> int | str:
    """Return a number of processes, or the address of a Dask scheduler."""
    if "://" in value:
        return value
    if not value.isdecimal() or not int(value):
        problem = f"{value!r}; give a number of processes, or an address such as tcp://host:8786"
        raise click.BadParameter(problem, ctx, param)
    return int(value)


class CompleteCommand(click.Command):
    """A command that names all parameters that are missing, not the first alone."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read arguments, as click does.

        Raises:
            UsageError: Parameters are missing, or wrong.
        """
        try:
            return super().parse_args(ctx, list(args))
        except click.MissingParameter:
            given, rest, _ = self.make_parser(ctx).parse_args(list(args))
        missing = []
        for parameter in self.params:
            try:
                parameter.handle_parse_result(ctx, given, rest)
            except click.MissingParameter:
                shown = parameter.get_help_record(ctx) or [parameter.human_readable_name]
                missing.append(shown[0])
        raise click.UsageError(f"missing: {', '.join(missing)}", ctx)


jobs = click.option(
    "--jobs",
    "workers",
    callback=_workers,
    metavar="N|ADDRESS",
    default=str(os.cpu_count() or 1),
    show_default="one per processor",
    help="Processes to score or compare several systems with, or the address of a Dask scheduler.",
)

output = click.option(
    "-o", "--output", required=True, metavar="OUT|-", help="The file to write; -: standard output."
)

predictions_folder = click.option(
    "--predictions",
    "folders",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    multiple=True,
    metavar="DIR",
    help="A folder to look for predictions in: a clone, or a folder of clones. May be repeated.",
)


PORT = 8765
"""Where pages are shown unless another port is named."""


def serve(what: str) -> Callable[[_Command], _Command]:
    """Return the option that shows pages at the loopback address.

    Args:
        what: What it does, as the help begins.
    """
    return click.option(
        "--serve",
        type=click.IntRange(0, 65535),
        is_flag=False,
        flag_value=PORT,
        metavar="[PORT]",
        help=f"{what} at the loopback address until Ctrl-C. [default port: {PORT}; 0 for any]",
    )


intervals = flag(
    "--intervals",
    help="Add 95 % intervals: how much the figures would vary with other dialogues.",
)


TABLE_FORMATS = "How tables are printed; latex needs the package booktabs."

table_format = partial(
    click.option,
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help=TABLE_FORMATS,
)
"""The option that chooses the format of tables; some commands say more in its help."""


def seeds(description: str) -> Callable[[_Command], _Command]:
    """Return the option `--seeds`, which takes several values at once: `--seeds A B C`.

    Args:
        description: What the files are.
    """

    def split(ctx: click.Context, param: click.Parameter, value: Sequence[str]) -> tuple[str, ...]:
        files: list[str] = []
        for joined in value:
            files += joined.split(BETWEEN)
        return tuple(files)

    return click.option(
        "--seeds",
        metavar="SYSTEM...",
        multiple=True,
        callback=split,
        help=f"{description} Takes all arguments up to the next option.",
    )


def pairs(
    choices: Iterable[str], kind: str
) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], dict[str, str]]:
    """Return what reads an option NAME=VALUE, given once for each name, as name -> value."""

    def read(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        given_values: dict[str, str] = {}
        for text in values:
            name, _, value = text.partition("=")
            if not value:
                raise click.BadParameter(f"{text!r}: write {param.metavar}")
            if name not in choices:
                raise click.BadParameter(unknown(kind, name, choices))
            if name in given_values:
                raise click.BadParameter(f"{text!r}: give each {kind} once")
            given_values[name] = value
        return given_values

    return read


def is_given(parameter: str) -> bool:
    """Return whether an option of the running command was given."""
    source = click.get_current_context().get_parameter_source(parameter)
    return source is not ParameterSource.DEFAULT


def accept_only(*accepted: str, kind: str = "files of `mwz play`") -> None:
    """Refuse options of the running command that mean nothing for a kind of files.

    Args:
        accepted: The parameters that apply to such files.
        kind: What messages call the files.

    Raises:
        click.UsageError: Another one was given.
    """
    for parameter in click.get_current_context().command.params:
        name = parameter.name or ""
        refuse_if(
            name not in accepted and is_given(name),
            f"{parameter.opts[0]} is not for {kind}; leave it out",
        )


def refuse_if(is_wrong: object, message: str) -> None:
    """Refuse options that do not go together.

    Args:
        is_wrong: Whether they were given together.
        message: What is wrong.

    Raises:
        click.UsageError: They were.
    """
    if is_wrong:
        raise click.UsageError(message)


setup = click.option(
    "--setup",
    type=click.Choice(CHOICES["setup"]),
    default=BOTH,
    show_default=True,
    help="How Inform and Success are computed: strict, optimistic, both of these, or as a "
    "published script does (docs/metrics.md).",
)

domains = click.option(
    "--domains",
    type=click.Choice(CHOICES["domains"]),
    default="auto",
    show_default=True,
    help="Where active domains come from in the strict set-up: predictions, placeholders, changes "
    "of states, or gold. auto: the first that the predictions allow, never gold.",
)

states = click.option(
    "--states",
    type=click.Choice(CHOICES["states"]),
    default="auto",
    show_default=True,
    help="Belief states to query with. auto: predicted if every turn has one, gold if none has.",
)

lexicalised = flag(
    "--lexicalised",
    help="The responses are plain English: delexicalise them first, and add grounded scores.",
)

free_running = flag(
    "--free-running",
    help="The dialogues are those with a user simulator, of any length and in plain English; what "
    "needs the benchmark's own turns is left out.",
)

goals = click.option(
    "--goals",
    default="all",
    show_default=True,
    metavar=f"[{'|'.join(GOALS)}|FILE.json]",
    help="Score all dialogues, or those whose goal occurs (seen) or does not occur (unseen) in the "
    "train or dev split. With --free-running: a file of goals.",
)


goals_file = click.option(
    "--goals",
    default="all",
    metavar="FILE.json",
    help="Of free-running dialogues: a file of goals. [default: the benchmark's]",
)


def readable(submissions: Path) -> Path:
    """Return the folder of submissions; where none is named or here, that of the public board."""
    return submissions if is_given("submissions") or submissions.is_dir() else board.PUBLISHED
