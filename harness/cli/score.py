"""`mwz score`: score a system's outputs."""

from __future__ import annotations

import click

from mwz.database import EMBEDDED
from mwz.normalization.states import rule_set

from ..benchmark import CANONICAL_STYLE, GOALS, STYLES, Benchmark
from ..errors import InputError
from ..files import STANDARD_STREAM, write_json
from ..report_text import report_text
from ..scoring import (
    DEFAULT_METRICS,
    DOMAIN_SOURCES,
    METRICS,
    SETUPS,
    STATE_SOURCES,
    Options,
    score_normalized,
)
from ..submission import (
    NormalizedSubmission,
    corpus_submission,
    normalize_submission,
    read_submission,
)
from .options import benchmark_option, chosen_benchmark, rules_option

_METRIC_ALIASES = {"success": "inform", "richness": "diversity"}


def _metrics(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    """Return the metrics that an option names."""
    names = [name.strip() for name in value.split(",")]
    metrics = tuple(_METRIC_ALIASES.get(name, name) for name in names)
    for metric in metrics:
        if metric not in METRICS:
            raise click.BadParameter(f"{metric!r} is none of {', '.join(METRICS)}", ctx, param)
    return metrics


@click.command(help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input.")
@click.argument("predictions", required=False)
@benchmark_option
@rules_option
@click.option(
    "--setup",
    type=click.Choice(SETUPS),
    default="both",
    show_default=True,
    help="Inform and Success as they count (strict), or as generously as some papers did.",
)
@click.option(
    "--domains",
    type=click.Choice(DOMAIN_SOURCES),
    default="auto",
    show_default=True,
    help="Where active domains come from in the strict set-up: the predictions, the domains that "
    "placeholders name, changes of the belief states, or the gold annotation. auto: the first "
    "of these that the predictions allow, never gold.",
)
@click.option(
    "--states",
    type=click.Choice(STATE_SOURCES),
    default="auto",
    show_default=True,
    help="Belief states to query with. auto: predicted if every turn has one, else gold.",
)
@click.option(
    "--goals",
    type=click.Choice(GOALS),
    default="all",
    show_default=True,
    help="Score all dialogues, or those whose goal occurs (seen) or does not occur (unseen) in the "
    "train or dev split; needs `mwz data fetch --split all`.",
)
@click.option(
    "--metrics",
    callback=_metrics,
    metavar="METRIC,…",
    default=",".join(DEFAULT_METRICS),
    show_default=True,
    help=f"What to compute, comma-separated, of {', '.join(METRICS)} "
    "(inform is Inform and Success).",
)
@click.option(
    "--corpus",
    is_flag=False,
    flag_value=CANONICAL_STYLE,
    metavar="[STYLE]",
    help=f"Score the benchmark's own references of a style ({', '.join(STYLES)}; by default "
    f"{CANONICAL_STYLE}) with gold states instead of predictions.",
)
@click.option(
    "--database",
    metavar="URL",
    default=EMBEDDED,
    help="SQLAlchemy URL of the database to hold the venues. [default: SQLite in memory]",
)
@click.option("--json", "json_target", metavar="FILE|-", help="Write the full report as JSON.")
@click.option("--quiet", is_flag=True, help="Print no table.")
def command(
    predictions: str | None,
    benchmark: str | None,
    rules: str,
    setup: str,
    domains: str,
    states: str,
    goals: str,
    metrics: tuple[str, ...],
    corpus: str | None,
    database: str,
    json_target: str | None,
    quiet: bool,
) -> None:
    """Score a submission, or the corpus itself, and show the report."""
    if (predictions is None) == (corpus is None):
        raise click.UsageError("give either PREDICTIONS or --corpus [STYLE]")
    options = Options(rules, setup, domains, states, metrics, database, goals)
    loaded = chosen_benchmark(benchmark, "scoring on")
    submission = _submission(predictions, corpus, loaded, rules)
    report = score_normalized(submission, loaded, options)
    if json_target is not None:
        write_json(json_target, report.to_dict())
    if not quiet and json_target != STANDARD_STREAM:
        click.echo(report_text(report))


def _submission(
    predictions: str | None, corpus: str | None, benchmark: Benchmark, rules: str
) -> NormalizedSubmission:
    if predictions is not None:
        return normalize_submission(read_submission(predictions, benchmark), rule_set(rules))
    if corpus not in STYLES:
        raise InputError("--corpus", f"no style {corpus!r}; use one of {', '.join(STYLES)}")
    return corpus_submission(benchmark, corpus)
