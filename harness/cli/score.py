"""`mwz score`: score a system's outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from mwz.database import EMBEDDED

from ..benchmark import CANONICAL_STYLE, GOALS, STYLES
from ..errors import InputError, unknown
from ..io.files import STANDARD_STREAM, shown_name, write_json, write_text
from ..io.tables import formatted
from ..metrics import default_metrics, response_metrics
from ..metrics.setups import BOTH, SETUPS
from ..scoring import AUTO, Options, Scorer, choices
from ..scoring.many import Request, ScoredSubmission, intervals_read, score_submission
from ..scoring.report_text import report_text
from ..submission import CONSTANT, EMPTY_STATES, HUMAN, NormalizedSubmission, made_submissions
from . import tell
from .completion import complete_file
from .options import (
    benchmark_option,
    cache_option,
    format_option,
    intervals_option,
    jobs_option,
    placeholders_option,
    rules_option,
    scheduler_option,
)
from .reading import benchmark_chooser
from .score_run import ScoreRun, gold_remark

TRACKING = "dst"
"""The metric that a tracker without responses is scored by."""


def _goals(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Return one of the choices of goals, or a JSON file."""
    if value not in GOALS and not value.endswith((".json", ".json.gz")):
        problem = unknown("choice of goals", value, GOALS)
        raise click.BadParameter(f"{problem}, or give a JSON file", ctx, param)
    return value


def _metrics_help() -> str:
    """Return what the metrics are, each with its description."""
    told = [
        f"{name}{''.join(f', {alias}' for alias in metric.aliases)}: {metric.description}"
        for name, metric in response_metrics().items()
    ]
    return "What to compute, comma-separated. " + " ".join(told)


@click.command(
    help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input. Several files "
    "are shown in one table. A file that cannot be scored is told, and the others are scored."
)
@click.argument("predictions", metavar="[PREDICTIONS]...", nargs=-1, shell_complete=complete_file)
@benchmark_option
@rules_option
@placeholders_option
@click.option(
    "--setup",
    type=click.Choice(choices()["setup"]),
    default=BOTH,
    show_default=True,
    help="How Inform and Success are computed: as they count (strict), as generously as some "
    "papers did (optimistic), both of these, or as a published script does. "
    + " ".join(f"{name}: {named.description}" for name, named in SETUPS.items()),
)
@click.option(
    "--domains",
    type=click.Choice(choices()["domains"]),
    default=AUTO,
    show_default=True,
    help="Where active domains come from in set-ups that leave it open, such as the strict one: "
    "the predictions, the domains that placeholders name, changes of the belief states, or the "
    "gold annotation. auto: the first of these that the predictions allow, never gold; predictions "
    "of some turns only are refused.",
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
    "--empty-states",
    is_flag=True,
    help="Score the tracker that predicts an empty belief state in every turn, by state tracking "
    "unless --metrics says otherwise; the responses are the benchmark's own references.",
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
@format_option(" For one file, text is its whole report.")
@click.option(
    "--json",
    "json_target",
    metavar="FILE|-",
    help="Write the full report as JSON; of several files, a line each, when it is done.",
)
@click.option(
    "--per-dialogue",
    "lines_target",
    metavar="FILE|-|DIR",
    help="Write JSON lines, one per dialogue, with all that the scores are made of; of several "
    "files, a file each in the folder DIR.",
)
@click.option(
    "--plot",
    metavar="FILE.svg|png|pdf",
    help="Draw the figures with their intervals, all files side by side.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on where a run was cut off: what the file of --json holds is not scored again.",
)
@jobs_option
@scheduler_option
@cache_option
@click.option("--quiet", is_flag=True, help="Print no table.")
def command(
    predictions: Sequence[str],
    benchmark: str | None,
    rules: str,
    placeholders: str | None,
    setup: str,
    domains: str,
    states: str,
    goals: str,
    metrics: str,
    corpus: str | None,
    constant: bool,
    empty_states: bool,
    lexicalised: bool,
    free_running: bool,
    database: str,
    intervals: bool,
    format_: str,
    json_target: str | None,
    lines_target: str | None,
    plot: str | None,
    resume: bool,
    jobs: int,
    scheduler: str | None,
    cache: bool,
    quiet: bool,
) -> int:
    """Score submissions, or the corpus itself, and show the reports."""
    context = click.get_current_context()
    _check_usage(context.params)
    if empty_states and context.get_parameter_source("metrics") is ParameterSource.DEFAULT:
        metrics = TRACKING
    names = [name.strip() for name in metrics.split(",")]
    chosen = goals if goals in GOALS else "all"
    options = Options(
        rules, setup, domains, states, names, database, chosen, lexicalised, placeholders
    )
    if free_running:
        goals_file = None if goals in GOALS else goals
        wanted = lines_target is not None
        outcome = _free_running(predictions[0], goals_file, benchmark, options, wanted)
        _Shown(json_target, lines_target, quiet).one(outcome)
        return 0
    if plot is not None:
        from ..io.pictures import picture_format

        picture_format(plot)
    request = Request(options, intervals or plot is not None, lines_target is not None)
    if not predictions:
        scorer = Scorer(benchmark_chooser(benchmark, "scoring on")(()), options)
        made = CONSTANT if constant else EMPTY_STATES if empty_states else corpus
        outcomes = [score_submission(scorer, _made(made, scorer), request)]
        called = [f"corpus {made}" if corpus else str(made)]
        tell("what the harness makes", gold_remark(options, outcomes[0]))
    else:
        run = ScoreRun(predictions, benchmark, request, cache, jobs, scheduler)
        if len(predictions) > 1:
            run.write_to(json_target, lines_target, resume)
        outcomes, called = run.outcomes()
    if plot is not None and outcomes:
        _plot(called, outcomes, plot)
    shown = _Shown(json_target, lines_target, quiet)
    if len(predictions) > 1:
        shown.table(called, outcomes, format_)
    else:
        shown.one(outcomes[0], None if format_ == "text" else (called, format_), intervals)
    return 2 if len(outcomes) < len(predictions) else 0


def _check_usage(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together.

    Args:
        given: Parameter -> value.
    """
    files, corpus, goals = given["predictions"], given["corpus"], given["goals"]
    json_target, lines_target = given["json_target"], given["lines_target"]
    free, several = given["free_running"], len(files) > 1
    wrong = {
        "give either PREDICTIONS, or --corpus [STYLE], or --constant, or --empty-states": bool(
            files
        )
        + (corpus is not None)
        + given["constant"]
        + given["empty_states"]
        != 1,
        "--json and --per-dialogue cannot both go to standard output": json_target
        == lines_target
        == STANDARD_STREAM,
        "--free-running needs PREDICTIONS, --lexicalised and all goals": free
        and (not files or not given["lexicalised"] or goals in GOALS[1:]),
        "--free-running goes with neither --intervals nor --plot": free
        and (given["intervals"] or given["plot"]),
        "--free-running takes one file, and shows it as text": free
        and (several or given["format_"] != "text"),
        "--goals takes a file only with --free-running": goals not in GOALS and not free,
        "--lexicalised takes PREDICTIONS, or --corpus without a style": given["lexicalised"]
        and (given["constant"] or given["empty_states"] or corpus not in (None, CANONICAL_STYLE)),
        "--placeholders takes PREDICTIONS, and is not for --lexicalised": given["placeholders"]
        is not None
        and (not files or given["lexicalised"]),
        "--resume needs several PREDICTIONS, and --json FILE": given["resume"]
        and (json_target in (None, STANDARD_STREAM) or not several),
        "standard input can be read only once": files.count(STANDARD_STREAM) > 1,
        "--per-dialogue needs a folder where several files are scored": several
        and lines_target == STANDARD_STREAM,
    }
    for message, is_so in wrong.items():
        if is_so:
            raise click.UsageError(message)


class _Shown:
    """Where reports go.

    Args:
        json_target: The value of `--json`.
        lines_target: The value of `--per-dialogue`.
        quiet: Whether no table is printed.
    """

    def __init__(self, json_target: str | None, lines_target: str | None, quiet: bool) -> None:
        self._json = json_target
        self._lines = lines_target
        self._quiet = quiet or STANDARD_STREAM in (json_target, lines_target)

    def one(
        self,
        outcome: ScoredSubmission,
        table: tuple[Sequence[str], str] | None = None,
        intervals: bool = False,
    ) -> None:
        """Show the outcome of one file: its report, or a table in a format with its name."""
        if self._lines is not None and outcome.lines is not None:
            write_text(self._lines, outcome.lines)
        if self._json is not None:
            known = {"intervals": outcome.intervals} if intervals else {}
            write_json(self._json, {**outcome.report.to_dict(), **known})
        if table is not None:
            self.table(table[0], [outcome], table[1])
        elif not self._quiet:
            click.echo(
                report_text(outcome.report) + (_intervals_text(outcome) if intervals else "")
            )

    def table(
        self, names: Sequence[str], outcomes: Sequence[ScoredSubmission], format_: str
    ) -> None:
        """Show outcomes as one table."""
        from ..scoring.report_text import score_table

        if outcomes and not self._quiet:
            click.echo(formatted([score_table(names, outcomes)], format_), nl=False)


def _intervals_text(outcome: ScoredSubmission) -> str:
    from ..comparison.comparison_text import intervals_text

    found = intervals_read(outcome.intervals)
    table = intervals_text([""], outcome.figures, [found])
    return f"\n\n{table}\n\n{(outcome.intervals or {})['signature']}"


def _plot(names: Sequence[str], outcomes: Sequence[ScoredSubmission], path: str) -> None:
    from ..comparison.score_plots import plot_scores

    # What all have: predicted states are not in every file.
    figures = {
        name: figure
        for name, figure in outcomes[0].figures.items()
        if all(name in outcome.figures for outcome in outcomes)
    }
    found = [intervals_read(outcome.intervals) for outcome in outcomes]
    plot_scores(names, figures, found, path)


def _free_running(
    predictions: str, goals: str | None, benchmark: str | None, options: Options, lines: bool
) -> ScoredSubmission:
    """Score free-running dialogues; with their lines, if these are wanted."""
    # pydantic takes its time
    from ..scoring.dialogue_lines import free_running_lines, lines_text
    from ..scoring.free_running import play_free_running, read_goals_file, score_free_running
    from ..submission.conversations import read_conversations

    conversations = read_conversations(predictions)
    scorer = Scorer(benchmark_chooser(benchmark, "scoring on")(conversations), options)
    own = None if goals is None else read_goals_file(goals, scorer.rules)
    run = play_free_running(conversations, shown_name(predictions), scorer, own)
    report = score_free_running(run, scorer)
    text = lines_text(free_running_lines(run, report.signature)) if lines else None
    return ScoredSubmission(report, lines=text)


def _made(made: str | None, scorer: Scorer) -> NormalizedSubmission:
    if made == CANONICAL_STYLE and scorer.options.lexicalised:
        return scorer.made(HUMAN)
    if made not in made_submissions():
        raise InputError("--corpus", unknown("style", made, STYLES))
    return scorer.made(made)
