"""`mwz convert`: write predictions of another format in the standard form."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..errors import InputError, counted
from ..io.files import STANDARD_STREAM, to_json, write_atomically, write_json
from ..scoring import Options
from ..submission.formats import Reading
from . import notify, option, tell
from .reading import read_submissions

_GZIP = ".gz"

_KEYS = {
    "response": "responses, in place of `response`",
    "state": "belief states, in place of `state`",
    "turns": "a dialogue's turns, where a dialogue is an object",
    "id": "a dialogue's id, where dialogues or turns are in a list or a table",
}


def _keys(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that name the keys that are read: fields of `Reading`."""
    for name, what in reversed(_KEYS.items()):
        command = click.option(f"--{name}-key", metavar="KEY", help=f"The key of {what}.")(command)
    return command


@click.command()
@option.predictions
@option.output
@option.benchmark
@_keys
def command(predictions: str, output: str, benchmark: str | None, **keys: Any) -> None:
    """Write PREDICTIONS in the standard form: JSON, gzipped where OUT ends in .gz. The formats
    that are read are in docs/predictions-format.md; - is standard input.
    """
    if STANDARD_STREAM not in (predictions, output) and _is_same(Path(predictions), Path(output)):
        raise InputError(output, "is the input; write to another file")
    reading = Reading(**keys)
    _, (submission,) = read_submissions([predictions], benchmark, "reading for", Options(), reading)
    content = {
        id_: [turn.to_dict() for turn in turns] for id_, turns in submission.dialogues.items()
    }
    if output.endswith(_GZIP):
        # No time stamp: the same predictions are the same bytes.
        write_atomically(Path(output), gzip.compress(to_json(content).encode(), mtime=0))
    else:
        write_json(output, content)
    tell(submission.source, submission.remarks)
    dialogues = submission.dialogues.values()
    turns = sum(map(len, dialogues))
    told = f"{counted(len(dialogues), 'dialogue')}, {counted(turns, 'turn')}"
    notify(f"wrote {output}: {told}, read as {submission.format}")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False
