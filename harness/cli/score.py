"""`mwz score`: score a system's outputs."""

from __future__ import annotations

import click

from mwz.database import EMBEDDED

from ..benchmark import CANONICAL_STYLE, GOALS, STYLES
from ..conversations import read_conversations
from ..errors import InputError
from ..files import STANDARD_STREAM, shown_name, write_json
from ..grounding.plain_responses import human_submission, looks_lexicalised
from ..metrics.inform import BOTH
from ..metrics.registry import default_metrics, response_metrics
from ..report import Report
from ..report_text import report_text
from ..scoring import AUTO, Options, Scorer, choices
from ..submission import (
    CONSTANT,
    NormalizedSubmission,
    made_submission,
    made_submissions,
    read_submission,
)
from .options import benchmark_option, chosen_benchmark, rules_option


def _goals(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return one of the choices of goals, or a JSON file."""
    if value not in GOALS and not value.endswith((".json", ".json.gz")):
        choice = ", ".join(map(repr, GOALS))
        raise click.BadParameter(f"{value!r} is none of {choice}, and no JSON file", ctx, param)
    return value


_PROPOSAL = (
    "the responses have hardly any placeholders, and names and numbers in their place; if they are "
    "plain English, score them by --lexicalised"
)


def _metrics_help() -> str:
    """Return what the metrics are, each with its description."""
    told = [
        f"{name}{''.join(f', {alias}' for alias in metric.aliases)}: {metric.description}"
        for name, metric in response_metrics().items()
    ]
    return "What to compute, comma-separated. " + " ".join(told)


@click.command(help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input.")
@click.argument("predictions", required=False)
@benchmark_option
@rules_option
@click.option(
    "--setup",
    type=click.Choice(choices()["setup"]),
    default=BOTH,
    show_default=True,
    help="Inform and Success as they count (strict), or as generously as some papers did.",
)
@click.option(
    "--domains",
    type=click.Choice(choices()["domains"]),
    default=AUTO,
    show_default=True,
    help="Where active domains come from in the strict set-up: the predictions, the domains that "
    "placeholders name, changes of the belief states, or the gold annotation. auto: the first "
    "of these that the predictions allow, never gold.",
)
@click.option(
    "--states",
    type=click.Choice(choices()["states"]),
    default=AUTO,
    show_default=True,
    help="Belief states to query with. auto: predicted if every turn has one, else gold.",
)
@click.option(
    "--goals",
    callback=_goals,
    default="all",
    show_default=True,
    metavar=f"[{'|'.join(GOALS)}|FILE.json]",
    help="Score all dialogues, or those whose goal occurs (seen) or does not occur (unseen) in the "
    "train or dev split; needs `mwz data fetch --split all`. With --free-running: a file of goals, "
    "in the form of the public evaluator's goals.json, in place of the benchmark's.",
)
@click.option(
    "--metrics",
    metavar="METRIC,…",
    default=",".join(default_metrics()),
    show_default=True,
    help=_metrics_help(),
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
    "--constant",
    is_flag=True,
    help="Score one response with six placeholders, given in every turn with gold states: what "
    "Inform and Success make of it.",
)
@click.option(
    "--lexicalised",
    is_flag=True,
    help="The responses are plain English, with names and numbers in place of placeholders: "
    "delexicalise them first, and score them against the venue database as well. With --corpus, "
    "the benchmark's human responses as they were written.",
)
@click.option(
    "--free-running",
    is_flag=True,
    help="With --lexicalised: the dialogues are those with a user simulator, of any length. What "
    "needs the benchmark's own turns is left out.",
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
    metrics: str,
    corpus: str | None,
    constant: bool,
    lexicalised: bool,
    free_running: bool,
    database: str,
    json_target: str | None,
    quiet: bool,
) -> None:
    """Score a submission, or the corpus itself, and show the report."""
    if (predictions is not None) + (corpus is not None) + constant != 1:
        raise click.UsageError("give either PREDICTIONS, or --corpus [STYLE], or --constant")
    if free_running and (predictions is None or not lexicalised or goals in GOALS[1:]):
        raise click.UsageError("--free-running needs PREDICTIONS, --lexicalised and all goals")
    if goals not in GOALS and not free_running:
        raise click.UsageError("--goals takes a file only with --free-running")
    if lexicalised and (constant or corpus not in (None, CANONICAL_STYLE)):
        raise click.UsageError("--lexicalised takes PREDICTIONS, or --corpus without a style")
    made = CONSTANT if constant else corpus
    names = [name.strip() for name in metrics.split(",")]
    goals_file = None if goals in GOALS else goals
    chosen = "all" if goals_file else goals
    options = Options(rules, setup, domains, states, names, database, chosen, lexicalised)
    scorer = Scorer(chosen_benchmark(benchmark, "scoring on"), options)
    if free_running and predictions is not None:
        report = _free_running(predictions, goals_file, scorer)
    else:
        report = scorer.score_normalized(_submission(predictions, made, scorer))
    if json_target is not None:
        write_json(json_target, report.to_dict())
    if not quiet and json_target != STANDARD_STREAM:
        click.echo(report_text(report))


def _free_running(predictions: str, goals: str | None, scorer: Scorer) -> Report:
    from ..free_running import read_goals_file, score_free_running  # pydantic takes its time

    own = None if goals is None else read_goals_file(goals, scorer.rules)
    conversations = read_conversations(predictions)
    return score_free_running(conversations, shown_name(predictions), scorer, own)


def _submission(predictions: str | None, made: str | None, scorer: Scorer) -> NormalizedSubmission:
    benchmark = scorer.benchmark
    if predictions is not None:
        submission = read_submission(predictions, benchmark)
        if not scorer.options.lexicalised and looks_lexicalised(submission):
            click.echo(f"mwz: {shown_name(predictions)}: {_PROPOSAL}", err=True)
        return scorer.normalized(submission)
    if made == CANONICAL_STYLE and scorer.options.lexicalised:
        return scorer.normalized(human_submission(benchmark))
    if made not in made_submissions():
        raise InputError("--corpus", f"no style {made!r}; use one of {', '.join(STYLES)}")
    return made_submission(benchmark, made)
