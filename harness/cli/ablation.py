"""`mwz ablation`: show what each step of normalisation and fuzzy matching is worth."""

from __future__ import annotations

from collections.abc import Sequence

import click

from ..io.files import short_names
from ..io.tables import formatted
from ..scoring import Options, Scorer
from ..scoring.ablation import ablation_table
from . import option
from .reading import read_submissions


@click.command()
@option.several_predictions
@option.benchmark
@option.rules
@option.table_format()
def command(predictions: Sequence[str], benchmark: str | None, rules: str, format_: str) -> None:
    """Show, in a table for each of PREDICTIONS, BLEU, Inform and Success without each step of
    normalisation, and with other ways to match names of venues.
    """
    options = Options(rules=rules, metrics=["bleu", "inform"])
    loaded, submissions = read_submissions(predictions, benchmark, "scoring on", options)
    scorer = Scorer(loaded, options)
    named = zip(short_names(predictions), submissions, strict=True)
    tables = [ablation_table(name, submission, scorer) for name, submission in named]
    click.echo(formatted(tables, format_), nl=False)
