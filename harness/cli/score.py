"""`mwz score`: score a system's outputs."""

from __future__ import annotations

from typing import Any

import click

from mwz.database import EMBEDDED

from ..benchmark import CANONICAL_STYLE, GOALS, STYLES
from ..conversations import Conversations, read_conversations
from ..diagnosis.dialogue_lines import (
    dialogue_lines,
    free_running_lines,
    write_dialogue_lines,
)
from ..errors import InputError
from ..files import STANDARD_STREAM, shown_name, write_json
from ..metrics.inform import BOTH, SETUPS
from ..metrics.registry import default_metrics, response_metrics
from ..report import Report
from ..report_text import report_text
from ..scoring import AUTO, Options, Scorer, choices
from ..submission import (
    CONSTANT,
    HUMAN,
    NormalizedSubmission,
    made_submissions,
)
from .completion import complete_file
from .options import benchmark_option, intervals_option, rules_option
from .reading import benchmark_chooser, read_submissions
from .telling import NO_STATES, tell


def _goals(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return one of the choices of goals, or a JSON file."""
    if value not in GOALS and not value.endswith((".json", ".json.gz")):
        choice = ", ".join(map(repr, GOALS))
        raise click.BadParameter(f"{value!r} is none of {choice}, and no JSON file", ctx, param)
    return value


def _metrics_help() -> str:
    """Return what the metrics are, each with its description."""
    told = [
        f"{name}{''.join(f', {alias}' for alias in metric.aliases)}: {metric.description}"
        for name, metric in response_metrics().items()
    ]
    return "What to compute, comma-separated. " + " ".join(told)


@click.command(help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input.")
@click.argument("predictions", required=False, shell_complete=complete_file)
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
    "of these that the predictions allow, never gold; predictions of some turns only are refused.",
)
@click.option(
    "--states",
    type=click.Choice(choices()["states"]),
    default=AUTO,
    show_default=True,
    help="Belief states to query with. auto: predicted if every turn has one, gold if none has; "
    "what has some is refused.",
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
@intervals_option
@click.option("--json", "json_target", metavar="FILE|-", help="Write the full report as JSON.")
@click.option(
    "--per-dialogue",
    "lines_target",
    metavar="FILE|-",
    help="Write JSON lines, one per dialogue, with all that the scores are made of.",
)
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
    intervals: bool,
    json_target: str | None,
    lines_target: str | None,
    quiet: bool,
) -> None:
    """Score a submission, or the corpus itself, and show the report."""
    if (predictions is not None) + (corpus is not None) + constant != 1:
        raise click.UsageError("give either PREDICTIONS, or --corpus [STYLE], or --constant")
    if json_target == lines_target == STANDARD_STREAM:
        raise click.UsageError("--json and --per-dialogue cannot both go to standard output")
    if free_running and (predictions is None or not lexicalised or goals in GOALS[1:]):
        raise click.UsageError("--free-running needs PREDICTIONS, --lexicalised and all goals")
    if free_running and intervals:
        raise click.UsageError("--free-running does not go with --intervals")
    if goals not in GOALS and not free_running:
        raise click.UsageError("--goals takes a file only with --free-running")
    if lexicalised and (constant or corpus not in (None, CANONICAL_STYLE)):
        raise click.UsageError("--lexicalised takes PREDICTIONS, or --corpus without a style")
    made = CONSTANT if constant else corpus
    names = [name.strip() for name in metrics.split(",")]
    goals_file = None if goals in GOALS else goals
    chosen = "all" if goals_file else goals
    options = Options(rules, setup, domains, states, names, database, chosen, lexicalised)
    if free_running and predictions is not None:
        conversations = read_conversations(predictions)
        loaded = benchmark_chooser(benchmark, "scoring on")(conversations)
        scorer = Scorer(loaded, options)
        report = _free_running(conversations, predictions, goals_file, scorer, lines_target)
        _show(report, {}, "", json_target, quiet or lines_target == STANDARD_STREAM)
        return
    files = [] if predictions is None else [predictions]
    loaded, read = read_submissions(files, benchmark, "scoring on")
    scorer = Scorer(loaded, options)
    submission = scorer.normalized(read[0]) if read else _made(made, scorer)
    tell(submission.source, submission.remarks)
    report = scorer.score_normalized(submission)
    if states == AUTO and report.states == "gold" and any(map(report.setup, SETUPS)):
        source = "what the harness makes" if predictions is None else submission.source
        tell(source, [NO_STATES])
    if lines_target is not None:
        played = scorer.played(submission)
        write_dialogue_lines(
            lines_target, dialogue_lines(played, report.signature, options.metrics or ())
        )
    document, text = _intervals(scorer, submission) if intervals else ({}, "")
    _show(report, document, text, json_target, quiet or lines_target == STANDARD_STREAM)


def _show(
    report: Report, document: dict[str, Any], text: str, json_target: str | None, quiet: bool
) -> None:
    """Write a report, and what is beside it, as JSON and as text, where they are wanted."""
    if json_target is not None:
        write_json(json_target, {**report.to_dict(), **document})
    if not quiet and json_target != STANDARD_STREAM:
        click.echo(report_text(report) + text)


def _free_running(
    conversations: Conversations,
    predictions: str,
    goals: str | None,
    scorer: Scorer,
    lines_target: str | None,
) -> Report:
    # pydantic takes its time
    from ..free_running import play_free_running, read_goals_file, score_free_running

    own = None if goals is None else read_goals_file(goals, scorer.rules)
    run = play_free_running(conversations, shown_name(predictions), scorer, own)
    report = score_free_running(run, scorer)
    if lines_target is not None:
        write_dialogue_lines(lines_target, free_running_lines(run, report.signature))
    return report


def _intervals(scorer: Scorer, submission: NormalizedSubmission) -> tuple[dict[str, Any], str]:
    """Return what intervals add to the report, as JSON and as text."""
    from ..comparison.comparison_text import intervals_text
    from ..comparison.evidence import evidence_of, resampled_metrics
    from ..comparison.intervals import intervals_document, intervals_of

    evidence = evidence_of(scorer, submission, "")
    if not evidence.statistics:
        known = ", ".join(resampled_metrics())
        raise InputError("--intervals", f"there are none of these metrics; add some of {known}")
    found = intervals_of(evidence)
    document = intervals_document(evidence, found)
    text = intervals_text([""], evidence.figures, [found])
    return {"intervals": document}, f"\n\n{text}\n\n{document['signature']}"


def _made(made: str | None, scorer: Scorer) -> NormalizedSubmission:
    if made == CANONICAL_STYLE and scorer.options.lexicalised:
        return scorer.made(HUMAN)
    if made not in made_submissions():
        raise InputError("--corpus", f"no style {made!r}; use one of {', '.join(STYLES)}")
    return scorer.made(made)
