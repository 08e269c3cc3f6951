"""The command `mwz`: one module per subcommand, imported only when it is called.

`COMMANDS` lists the subcommands of this folder, and `ROOMS` those of rooms that can be taken away:
the module of the same name has the click command, called `command`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

import click

from mwz.normalization import package_fault, read_toml

from ..errors import InputError, unknown
from ..io import STANDARD_STREAM, printable
from ..rooms import ROOMS, import_room

if TYPE_CHECKING:
    from ..errors import Remark

_UNWRITABLE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""What a system says of an output that takes no more, or none."""

COMMANDS: Mapping[str, str] = {
    "ablation": "Show what each step of normalisation and fuzzy matching is worth.",
    "check": "Say what is read of a predictions file, what is wrong, and what that is worth.",
    "compare": "Test whether systems differ, with intervals and paired tests.",
    "convert": "Write predictions of another format, or with mistakes, in the standard form.",
    "data": "Install and list benchmarks.",
    "dst": "Score dialogue state tracking, of one or several files.",
    "leaderboard": "Make the leaderboard from the submissions.",
    "score": "Score a system's outputs.",
    "submit": "Put a system on the leaderboard.",
    "table": "Print the table of a paper.",
    "verify": "Rescore entries and report every difference.",
    "why": "Explain where a system's outputs lose Inform and Success.",
}
"""Subcommand -> one line of help; the module of this folder called like it has the command."""


def notify(remark: str) -> None:
    """Print a remark or an error on standard error, `mwz: …`, if that can be written."""
    with contextlib.suppress(OSError):
        click.echo(f"mwz: {printable(remark)}", err=True)


def tell(source: str, remarks: Iterable[Remark | str]) -> None:
    """Print remarks on standard error, one line each: `mwz: FILE: …`.

    Args:
        source: What was read, as the user named it.
        remarks: What is to be said of it.
    """
    for remark in remarks:
        # In the words and bounds of an error, which is what else is told of a file.
        notify(str(InputError(source, str(remark))))


@cache
def commands() -> Mapping[str, str]:
    """Return subcommand -> one line of help, also of rooms, in alphabetical order."""
    lines = dict(COMMANDS)
    for room in ROOMS.values():
        if room.is_there:
            lines |= room.commands
    return dict(sorted(lines.items()))


class _LazyGroup(click.Group):
    """A group that imports a subcommand's module when the subcommand is run, and no other."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        rooms = [room for room in ROOMS.values() if cmd_name in room.commands and room.is_there]
        if cmd_name in COMMANDS:
            module = import_module(f"{__name__}.{cmd_name}")
        elif rooms:
            module = import_room(f"{rooms[0].package}.{cmd_name}", cmd_name)
        elif ctx.resilient_parsing:
            return None
        else:
            raise click.UsageError(unknown("command", cmd_name, commands()), ctx)
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(commands().items()))


_SEVERAL_VALUES = {"compare": "--seeds", "submit": "--seeds", "table": "--name"}
"""Subcommand -> its option that takes all arguments up to the next option."""

BETWEEN = "\0"
"""What no argument holds: it joins the values that an option takes at once."""


def _joined(args: Iterable[str], option: str) -> list[str]:
    """Return arguments, those that follow an option, up to the next option, as one."""
    joined: list[str] = []
    follows_option = False
    for arg in args:
        if arg.startswith("-") and arg != STANDARD_STREAM:
            follows_option = arg == option
            joined.append(arg)
        elif follows_option and joined[-1] != option:
            joined[-1] += BETWEEN + arg
        else:
            joined.append(arg)
    return joined


@click.command(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="multiwoz-harness", prog_name="mwz")
def _mwz() -> None:
    """Score, rank and audit task-oriented dialogue systems on MultiWOZ."""


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and exit.

    The status is 0 when done, 1 if a check failed or nobody reads the output, 2 for input that
    cannot be used or output that cannot be written, and 130 if interrupted.
    """
    given = sys.argv[1:] if args is None else list(args)
    if given and given[0] in _SEVERAL_VALUES:
        given = _joined(given, _SEVERAL_VALUES[given[0]])
    try:
        status = _mwz.main(given, prog_name="mwz", standalone_mode=False)
    except InputError as error:
        notify(str(error))
        sys.exit(2)
    except click.ClickException as error:
        with contextlib.suppress(OSError):
            _with_replacement(error).show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        notify("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        # Whoever reads the output has read enough of it, as in `mwz data list | head -1`.
        sys.exit(1)
    except Exception as error:
        message = package_fault(error)
        if isinstance(error, OSError) and error.errno in _UNWRITABLE:
            # Whatever goes to a file says so itself.
            message = f"standard output: cannot be written ({error.strerror})"
        if message is None:
            raise
        notify(message)
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)


def _with_replacement(error: click.ClickException) -> click.ClickException:
    """Return an error; of an option that was removed, one that says what replaces it."""
    if not isinstance(error, click.NoSuchOption):
        return error
    removed = read_toml("removed.toml", __name__)
    command = None if error.ctx is None else error.ctx.info_name
    replacements = {**removed["any"], **removed.get(command or "", {})}
    if error.option_name not in replacements:
        return error
    remedy = f"use {replacements[error.option_name]}"
    return click.UsageError(f"{error.option_name} was removed; {remedy}", error.ctx)


def command_line() -> None:
    """Run the command line as a program of its own.

    The process ends without taking down the interpreter piece by piece, which would take a tenth
    of the whole time of `mwz score` and nobody would see the result of.
    """
    # One that writes all it is given, or raises an error: an unbuffered one writes what there is
    # room for and says nothing, and where the shell closed it there is none. A terminal that lacks
    # the dash of a table is no reason to show no table.
    stream = sys.stdout
    number = os.open(os.devnull, os.O_RDONLY) if stream is None else stream.fileno()
    encoding = "utf-8" if stream is None else stream.encoding
    sys.stdout = os.fdopen(number, "w", encoding=encoding, errors="replace")
    # Threads for large matrices, of which there are none here, would wait for them busily.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        main()
    except SystemExit as done:
        status = done.code if isinstance(done.code, int) else 0
    for stream in (sys.stdout, sys.stderr):
        # A stream is None if the shell closed it.
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.flush()
    os._exit(status)
