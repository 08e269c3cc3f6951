"""`mwz lexicalise`: put names and numbers in place of placeholders."""

from __future__ import annotations

import click

from ..io.files import STANDARD_STREAM, write_json
from ..io.rendering import printable
from ..scoring import Options, Scorer
from ..scoring.relexicalising import lexicalised_predictions
from . import option, tell
from .reading import read_submissions


@click.command(
    help="Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its "
    "delexicalised responses in plain English: with values of venues that the turn's belief state "
    "finds. The states are the predicted ones, or gold where there are none. Predicted states and "
    "active domains are kept; active domains that only the placeholders named are written out."
)
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
def command(predictions: str, output: str, seed: int, benchmark: str | None, rules: str) -> None:
    """Lexicalise a submission."""
    loaded, (read,) = read_submissions([predictions], benchmark, "lexicalising by")
    scorer = Scorer(loaded, Options(rules=rules))
    tell(read.source, read.remarks)
    written = lexicalised_predictions(read, scorer, seed)
    write_json(output, written.dialogues)
    if output != STANDARD_STREAM:
        responses = sum(map(len, written.dialogues.values()))
        told = f"{output}: {responses} responses lexicalised, seed {seed}, {written.states} states"
        click.echo(printable(told))
