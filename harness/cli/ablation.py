"""`mwz ablation`: show what each step of normalisation and fuzzy matching is worth.

Each step is left out, or another threshold taken, by itself; the references stay as they are.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5, whose evaluator has these steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import click

from mwz.database import VenueDatabase
from mwz.normalization import STEPS, normalized_text

from ..io import Table, figure, formatted, short_names, signed
from ..metrics import RANKED, Played
from ..scoring import Options, Scorer, normalize, setup_figure
from ..submission import Submission
from . import option
from .reading import chosen_benchmark, read_submissions

RATIOS = (80, 85, 95)
"""Partial ratios, in percent, that are tried as the threshold of fuzzy columns."""


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
    scorer = Scorer(chosen_benchmark(benchmark), options)
    named = zip(short_names(predictions), read_submissions(predictions, scorer), strict=True)
    tables = [ablation_table(name, submission, scorer) for name, submission in named]
    click.echo(formatted(tables, format_), nl=False)


def ablation_table(name: str, submission: Submission, scorer: Scorer) -> Table:
    """Return the scores of a submission with all steps and without each, and what that costs.

    Args:
        name: What to call the submission.
        submission: The submission, not normalised yet.
        scorer: Its options name BLEU and Inform and Success, in both set-ups.

    Raises:
        InputError: As for `Scorer.score`.
    """
    played = scorer.played(normalize(scorer, submission))
    runs = {"all steps": played}
    for step in STEPS:
        reworded = partial(normalized_text, rules=played.rules, without=step)
        changed = played.submission.reworded(submission, reworded)
        runs[f"without {step}"] = replace(played, submission=changed)
    exact_columns = {}
    for domain, table in played.rules.tables["domains"].items():
        exact_columns[domain] = {**table, "fuzzy": []} if table else table
    runs["exact instead of fuzzy venues"] = _matched_by(played, "domains", exact_columns)
    for ratio in RATIOS:
        name_of_run = f"partial ratio {ratio} instead of {played.rules.fuzzy_ratio}"
        runs[name_of_run] = _matched_by(played, "queries", {"fuzzy_ratio": ratio})

    whole = _figures(scorer, played)
    rows = []
    data = []
    for step, run in runs.items():
        figures = _figures(scorer, run)
        costs = {key: whole[key] - value for key, value in figures.items()}
        row = [step]
        record: dict[str, str | float] = {"file": name, "step": step, **figures}
        for key, value in figures.items():
            row += [figure(value, 2), signed(costs[key], 2)]
            record[f"{key}_cost"] = costs[key]
        rows.append(row)
        data.append(record)
    headers = [""]
    for key in whole:
        headers += [key.replace("_", " "), "cost"]
    return Table(name, name, headers, rows, data, [str(scorer.signature(played))])


def _figures(scorer: Scorer, played: Played) -> dict[str, float]:
    """Return figure -> value, in percent."""
    report = scorer.report(played)
    names = {"bleu": ("bleu", RANKED[0])}
    for setup in RANKED:
        for rate in ("inform", "success"):
            names[f"{rate}_{setup}"] = (rate, setup)
    figures = {}
    for name, (reported, setup) in names.items():
        value = setup_figure(report, reported, setup)
        if value is not None:
            figures[name] = value
    return figures


def _matched_by(played: Played, section: str, changed: Mapping[str, object]) -> Played:
    """Return what is played if venues are matched by rules with another section."""
    tables = {**played.rules.tables, section: {**played.rules.tables[section], **changed}}
    rules = replace(played.rules, tables=tables)
    records = played.benchmark.venue_records(played.rules)
    return replace(played, rules=rules, database=VenueDatabase(records, rules))
