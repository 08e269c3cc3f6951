"""`mwz ablation`: show what each step of normalisation and fuzzy matching is worth.

Each step is left out, or another threshold taken, by itself; the references stay as they are.
Source: "Shades of BLEU, Flavours of Success" (2021), section 5, whose evaluator has these steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import click

from mwz.database import VenueDatabase
from mwz.normalization import STEPS, RuleSet, normalized_text

from ..io import Table, figure, formatted, short_names, signed
from ..metrics import RANKED, Played
from ..scoring import Options, Scorer, normalize, setup_figure, signature_of
from ..submission import Submission
from . import option
from .reading import chosen_benchmark, read_submissions

RATIOS = (80, 85, 95)
"""Partial ratios, in percent, that are tried as the threshold of fuzzy columns."""

_FIGURES = (("bleu", RANKED[0]), *((rate, s) for s in RANKED for rate in ("inform", "success")))
"""What is shown: (name in `reported_figures()`, set-up)."""


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
    whole = _figures(scorer, played)
    steps = {
        **{f"without {step}": _without(played, submission, step) for step in STEPS},
        "exact instead of fuzzy venues": _looking(played, _exact(played.rules)),
        **{
            f"partial ratio {ratio} instead of {played.rules.fuzzy_ratio}": _looking(
                played, _with_tables(played.rules, "queries", {"fuzzy_ratio": ratio})
            )
            for ratio in RATIOS
        },
    }
    scores = {"all steps": whole, **{step: _figures(scorer, one) for step, one in steps.items()}}
    data = [
        {
            "file": name,
            "step": step,
            **figures,
            **{f"{key}_cost": whole[key] - value for key, value in figures.items()},
        }
        for step, figures in scores.items()
    ]
    rows = [[step, *_cells(figures, whole)] for step, figures in scores.items()]
    titles = [title for key in whole for title in (key.replace("_", " "), "cost")]
    return Table(name, name, ["", *titles], rows, data, [str(signature_of(scorer, played))])


def _cells(figures: Mapping[str, float], whole: Mapping[str, float]) -> Iterator[str]:
    """Yield each figure, and what it is below that with all steps."""
    for name, value in figures.items():
        yield figure(value, 2)
        yield signed(whole[name] - value, 2)


def _figures(scorer: Scorer, played: Played) -> dict[str, float]:
    """Return figure -> value, in percent."""
    report = scorer.report(played)
    figures = {}
    for name, setup in _FIGURES:
        value = setup_figure(report, name, setup)
        if value is not None:
            figures[name if name == "bleu" else f"{name}_{setup}"] = value
    return figures


def _without(played: Played, submission: Submission, step: str) -> Played:
    """Return what is played if responses are normalised without a step."""
    normalize = partial(normalized_text, rules=played.rules, without=step)
    return replace(played, submission=played.submission.reworded(submission, normalize))


def _looking(played: Played, rules: RuleSet) -> Played:
    """Return what is played if venues are looked for by other rules."""
    records = played.benchmark.venue_records(played.rules)
    return replace(played, rules=rules, database=VenueDatabase(records, rules))


def _exact(rules: RuleSet) -> RuleSet:
    domains = rules.tables["domains"]
    exact = {name: {**table, "fuzzy": []} if table else table for name, table in domains.items()}
    return _with_tables(rules, "domains", exact)


def _with_tables(rules: RuleSet, section: str, changed: Mapping[str, object]) -> RuleSet:
    section_ = {**rules.tables[section], **changed}
    return replace(rules, tables={**rules.tables, section: section_})
