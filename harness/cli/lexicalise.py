"""`mwz lexicalise`: put names and numbers in place of placeholders."""

from __future__ import annotations

from typing import Any

import click

from ..errors import counted
from ..io.files import STANDARD_STREAM, write_json
from ..scoring import Options, Scorer
from ..scoring.relexicalising import lexicalised_predictions
from . import notify, option, tell
from .reading import read_submissions


@click.command()
@option.predictions
@option.output
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="What the choice among venues depends on; the same seed gives the same text.",
)
@option.benchmark
@option.rules
def command(predictions: str, output: str, seed: int, benchmark: str | None, **how: Any) -> None:
    """Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its
    delexicalised responses in plain English: with values of venues that the turn's belief state
    finds. The states are the predicted ones, or gold where there are none. Predicted states and
    active domains are kept; active domains that only the placeholders named are written out.
    """
    options = Options(**how)
    loaded, (read,) = read_submissions([predictions], benchmark, "lexicalising by", options)
    scorer = Scorer(loaded, options)
    tell(read.source, read.remarks)
    written = lexicalised_predictions(read, scorer, seed)
    write_json(output, written.dialogues)
    if output != STANDARD_STREAM:
        responses = sum(map(len, written.dialogues.values()))
        told = f"{counted(responses, 'response')} lexicalised, seed {seed}"
        notify(f"wrote {output}: {told}, {written.states} states")
