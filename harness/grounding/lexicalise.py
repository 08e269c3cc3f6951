"""`mwz lexicalise`: put names and numbers in place of placeholders."""

from __future__ import annotations

import click

from ..cli import notify, option, tell
from ..cli.reading import read_submissions
from ..errors import counted
from ..io.files import STANDARD_STREAM, write_json
from ..scoring import Options, Scorer
from ..scoring.options import chosen_states
from .lexicaliser import lexicalised_predictions


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
def command(predictions: str, output: str, seed: int, benchmark: str | None) -> None:
    """Write PREDICTIONS (a JSON file, plain or gzipped, or - for standard input) with its
    delexicalised responses in plain English: with values of venues that the turn's belief state
    finds. The states are the predicted ones, or gold where there are none. Predicted states and
    active domains are kept; active domains that only the placeholders named are written out.
    """
    options = Options()
    loaded, (submission,) = read_submissions([predictions], benchmark, "lexicalising by", options)
    scorer = Scorer(loaded, options)
    tell(submission.source, submission.remarks)
    written = lexicalised_predictions(submission, scorer, seed)
    write_json(output, written)
    if output != STANDARD_STREAM:
        responses = counted(sum(map(len, written.values())), "response")
        states = chosen_states(scorer.normalized(submission), options)
        notify(f"wrote {output}: {responses} lexicalised, seed {seed}, {states} states")
