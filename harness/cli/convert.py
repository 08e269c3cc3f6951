"""`mwz convert`: write predictions of another format in the standard form."""

from __future__ import annotations

import gzip
from pathlib import Path

import click

from ..errors import InputError
from ..io.files import STANDARD_STREAM, to_json, write_atomically, write_json
from ..io.rendering import printable
from ..submission import Submission
from ..submission.checking import ACTIVE_DOMAINS, RESPONSE, STATE, Turn
from . import option, tell
from .reading import read_submissions

_GZIP = ".gz"


@click.command(
    help="Write PREDICTIONS in the standard form: JSON, gzipped where OUT ends in .gz. The formats "
    "that are read are in docs/predictions-format.md; - is standard input."
)
@option.predictions
@click.option(
    "-o",
    "--output",
    "target",
    metavar="OUT|-",
    required=True,
    help="The file to write; -: standard output.",
)
@option.benchmark
def command(predictions: str, target: str, benchmark: str | None) -> None:
    """Read a predictions file of any format and write it in the standard form."""
    if STANDARD_STREAM not in (predictions, target) and _is_same(Path(predictions), Path(target)):
        raise InputError(target, "is the input; write to another file")
    _, (submission,) = read_submissions([predictions], benchmark, "reading for")
    content = standard_content(submission)
    if target.endswith(_GZIP):
        # No time stamp: the same predictions are the same bytes.
        write_atomically(Path(target), gzip.compress(to_json(content).encode(), mtime=0))
    else:
        write_json(target, content)
    tell(submission.source, submission.remarks)
    dialogues = submission.dialogues.values()
    told = f"{len(dialogues)} dialogues, {sum(map(len, dialogues))} turns, {submission.format}"
    click.echo(printable(f"mwz: wrote {target}: {told}"), err=True)


def standard_content(submission: Submission) -> dict[str, list[dict[str, object]]]:
    """Return a submission as JSON types in the standard form."""
    return {id_: [_turn(turn) for turn in turns] for id_, turns in submission.dialogues.items()}


def _turn(turn: Turn) -> dict[str, object]:
    fields = {RESPONSE: turn.response, STATE: turn.state, ACTIVE_DOMAINS: turn.active_domains}
    return {name: value for name, value in fields.items() if value is not None}


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False
