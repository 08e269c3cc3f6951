"""`mwz score`: score a system's outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
from click.core import ParameterSource

from mwz.database import EMBEDDED

from ..benchmark import CANONICAL_STYLE, GOALS
from ..data.installed import default_benchmark
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, shown_name, write_json, write_text
from ..io.tables import formatted
from ..metrics import default_metrics, response_metrics
from ..metrics.setups import BOTH
from ..scoring import Options, Scorer
from ..scoring.many import (
    FileOutcome,
    Request,
    ScoredSubmission,
    intervals_read,
    read_lines,
    score_files,
    score_predictions,
)
from ..scoring.predictions import MADE
from ..scoring.report_text import report_text, score_table
from ..submission import CONSTANT, EMPTY_STATES
from . import notify, option, tell
from .reading import benchmark_chooser, corpus_name, played_free_running, read_submissions

TRACKING = "dst"
"""The metric that a tracker without responses is scored by."""


def _metrics_help() -> str:
    """Return what the metrics are, each with its description."""
    told = [
        f"{name}{''.join(f', {alias}' for alias in metric.aliases)}: {metric.description}"
        for name, metric in response_metrics().items()
    ]
    return "What to compute, comma-separated. " + " ".join(told)


@click.command(
    help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input. Several files "
    "are shown in one table. A file that cannot be scored is reported, and the others are scored."
)
@option.several_predictions
@option.benchmark
@option.rules
@option.placeholders
@option.setup
@option.domains
@option.states
@option.goals
@click.option(
    "--metrics",
    metavar="METRIC,…",
    default=",".join(default_metrics()),
    show_default=True,
    help=_metrics_help(),
)
@option.corpus
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
@option.lexicalised
@option.free_running
@click.option(
    "--database",
    "database_url",
    metavar="URL",
    default=EMBEDDED,
    help="SQLAlchemy URL of the database to hold the venues. [default: SQLite in memory]",
)
@option.intervals
@option.table_format(" For one file, text is its whole report.")
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
    help="Resume an interrupted run: what the file of --json holds is not scored again.",
)
@click.option(
    "--ablation",
    is_flag=True,
    help="Show what each step of normalisation and fuzzy matching of venues is worth: BLEU and "
    "rates without it, a table for each file.",
)
@option.jobs
@option.scheduler
@option.cache
@click.option("--quiet", is_flag=True, help="Print no table.")
def command(
    *,
    predictions: Sequence[str],
    benchmark: str | None,
    goals: str,
    metrics: str,
    corpus: str | None,
    constant: bool,
    empty_states: bool,
    free_running: bool,
    intervals: bool,
    format_: str,
    json_target: str | None,
    lines_target: str | None,
    plot: str | None,
    resume: bool,
    ablation: bool,
    jobs: int,
    scheduler: str | None,
    cache: bool,
    quiet: bool,
    **how: Any,
) -> int:
    """Score submissions, or the corpus itself, and show the reports; `how` is as in `Options`."""
    context = click.get_current_context()
    _check_usage(context.params)
    if empty_states and context.get_parameter_source("metrics") is ParameterSource.DEFAULT:
        metrics = TRACKING
    options = Options(
        metrics=[name.strip() for name in metrics.split(",")],
        goals=goals if goals in GOALS else "all",
        **how,
    )
    if ablation:
        _show_ablation(predictions, benchmark, options, format_)
        return 0
    request = Request(options, intervals or plot is not None, lines_target is not None)
    coming = partial(
        score_files,
        predictions,
        benchmark_chooser(benchmark, "scoring on"),
        benchmark or default_benchmark(),
        request,
        cache,
        jobs,
        scheduler,
    )
    several = len(predictions) > 1
    if free_running:
        goals_file = None if goals in GOALS else goals
        outcomes = [_free_running(predictions[0], goals_file, benchmark, request)]
    elif several:
        outcomes = _several(predictions, coming, json_target, lines_target, resume)
    elif predictions:
        outcomes = [_one(predictions[0], coming)]
    else:
        outcomes = [_made(corpus, constant, benchmark, request)]
    if plot is not None and outcomes:
        _plot(outcomes, plot)
    if not several:
        _write(outcomes[0][1], json_target, lines_target, intervals)
    if outcomes and not quiet and STANDARD_STREAM not in (json_target, lines_target):
        if several or format_ != "text":
            click.echo(formatted([score_table(outcomes)], format_), nl=False)
        else:
            click.echo(_text(outcomes[0][1], intervals))
    return 2 if len(outcomes) < len(predictions) else 0


def _check_usage(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together.

    Args:
        given: Parameter -> value.
    """
    files, corpus, goals = given["predictions"], given["corpus"], given["goals"]
    json_target, lines_target = given["json_target"], given["lines_target"]
    free, lexicalised, several = given["free_running"], given["lexicalised"], len(files) > 1
    made = given["constant"] or given["empty_states"]
    sources = [bool(files), corpus is not None, given["constant"], given["empty_states"]]
    one_source = "give either PREDICTIONS, or --corpus [STYLE], or --constant, or --empty-states"
    option.refuse(
        {
            one_source: sum(sources) != 1,
            "--json and --per-dialogue cannot both go to standard output": json_target
            == lines_target
            == STANDARD_STREAM,
            "--free-running needs PREDICTIONS, --lexicalised and all goals": free
            and (not files or not lexicalised or goals in GOALS[1:]),
            "--free-running goes with neither --intervals nor --plot": free
            and (given["intervals"] or given["plot"]),
            "--free-running takes one file, and shows it as text": free
            and (several or given["format_"] != "text"),
            "--ablation takes PREDICTIONS, has both set-ups, and goes with none of --lexicalised, "
            "--intervals, --plot, --json and --per-dialogue": given["ablation"]
            and (
                not files
                or lexicalised
                or any(given[name] for name in ("plot", "intervals", "json_target", "lines_target"))
                or given["setup"] != BOTH
            ),
            "--goals takes a file only with --free-running": goals not in GOALS and not free,
            "--lexicalised takes PREDICTIONS, or --corpus without a style": lexicalised
            and (made or corpus not in (None, CANONICAL_STYLE)),
            "--placeholders takes PREDICTIONS, and is not for --lexicalised": given["placeholders"]
            is not None
            and (not files or lexicalised),
            "--resume needs several PREDICTIONS, and --json FILE": given["resume"]
            and (json_target in (None, STANDARD_STREAM) or not several),
            "standard input can be read only once": files.count(STANDARD_STREAM) > 1,
            "--per-dialogue needs a folder where several files are scored": several
            and lines_target == STANDARD_STREAM,
        }
    )
    if given["plot"] is not None:
        from ..io.pictures import picture_format

        picture_format(given["plot"])


def _show_ablation(
    files: Sequence[str], benchmark: str | None, options: Options, format_: str
) -> None:
    """Show what each step is worth to each of the files."""
    from ..scoring.ablation import ablation_table

    wanted = replace(options, metrics=["bleu", "inform"])
    loaded, submissions = read_submissions(files, benchmark, "scoring on", wanted)
    scorer = Scorer(loaded, wanted)
    named = zip(short_names(files), submissions, strict=True)
    tables = [ablation_table(name, submission, scorer) for name, submission in named]
    click.echo(formatted(tables, format_), nl=False)


_Named: TypeAlias = "tuple[str, ScoredSubmission]"
"""What to call a file, and what came of it."""


def _made(corpus: str | None, constant: bool, benchmark: str | None, request: Request) -> _Named:
    """Return what comes of the corpus, or of what else the harness makes."""
    made = CONSTANT if constant else EMPTY_STATES
    if corpus is not None:
        made = corpus_name(corpus, request.options.lexicalised)
    scorer = Scorer(benchmark_chooser(benchmark, "scoring on")(()), request.options)
    outcome = score_predictions(scorer, made, MADE, request)
    tell(MADE, outcome.remarks)
    return made if corpus is None else f"corpus {corpus}", outcome


def _one(file: str, coming: Callable[..., Iterator[FileOutcome]]) -> _Named:
    """Return what comes of one file.

    Raises:
        InputError: It cannot be scored.
    """
    (done,) = coming()
    if isinstance(done.outcome, InputError):
        raise done.outcome
    tell(shown_name(file), done.outcome.remarks)
    return short_names([file])[0], done.outcome


def _several(
    files: Sequence[str],
    coming: Callable[..., Iterator[FileOutcome]],
    json_target: str | None,
    folder: str | None,
    resume: bool,
) -> list[_Named]:
    """Return what comes of the files that can be scored, told and written as it comes.

    Args:
        files: The files.
        coming: Scores them.
        json_target: The file for a line of JSON per file, or `-`.
        folder: The folder for the lines per dialogue.
        resume: Whether to go on with what the file of lines of JSON holds.

    Raises:
        InputError: Something cannot be written, or the file holds something else.
    """
    from tqdm import tqdm

    names = short_names(files)
    paths = [] if folder is None else [Path(folder, f"{name}.jsonl") for name in names]
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise InputError(folder, "is not a folder; with several files, --per-dialogue needs one")
    known: Mapping[str, FileOutcome] = {}
    if json_target is not None and json_target != STANDARD_STREAM:
        known = read_lines(Path(json_target)) if resume else {}
        # Torn and damaged lines go, before others are written behind them.
        write_text(json_target, "".join(one.line or "" for one in known.values()))
    unwritten = [number for number, path in enumerate(paths) if not path.exists()]
    found: dict[int, ScoredSubmission] = {}
    with tqdm(total=len(files), desc="scoring", unit="file", disable=None) as progress:
        for done in coming(written=known, again=unwritten):
            progress.update()
            outcome = done.outcome
            if isinstance(outcome, InputError):
                notify(str(outcome))
                continue
            tell(shown_name(files[done.number]), outcome.remarks)
            if paths and outcome.lines is not None:
                write_text(str(paths[done.number]), outcome.lines)
            if json_target is not None and done.line is not None and not done.repeated:
                _append(json_target, done.line)
            found[done.number] = replace(outcome, lines=None)
    failed = len(files) - len(found)
    if failed:
        notify(f"{failed} of {len(files)} files could not be scored")
    return [(names[number], found[number]) for number in sorted(found)]


def _append(target: str, line: str) -> None:
    """Write a line behind those that a file has, or to standard output for `-`."""
    if target == STANDARD_STREAM:
        write_text(target, line)
        return
    try:
        with Path(target).open("ab") as file:
            file.write(line.encode())
    except OSError as error:
        raise InputError(target, f"cannot be written ({error.strerror})") from None


def _write(
    outcome: ScoredSubmission, json_target: str | None, lines_target: str | None, intervals: bool
) -> None:
    """Write the report of one file, and its lines per dialogue."""
    if lines_target is not None and outcome.lines is not None:
        write_text(lines_target, outcome.lines)
    if json_target is not None:
        known = {"intervals": outcome.intervals} if intervals else {}
        write_json(json_target, {**outcome.report.to_dict(), **known})


def _text(outcome: ScoredSubmission, intervals: bool) -> str:
    """Return the report of one file as text."""
    text = report_text(outcome.report)
    if not intervals:
        return text
    from ..comparison.comparison_text import intervals_text

    table = intervals_text([""], outcome.figures, [intervals_read(outcome.intervals)])
    return f"{text}\n\n{table}\n\n{(outcome.intervals or {})['signature']}"


def _plot(outcomes: Sequence[_Named], path: str) -> None:
    from ..comparison.score_plots import plot_scores

    names, found = zip(*outcomes, strict=True)
    # What all have: predicted states are not in every file.
    figures = {
        name: figure
        for name, figure in found[0].figures.items()
        if all(name in other.figures for other in found)
    }
    plot_scores(names, figures, [intervals_read(one.intervals) for one in found], path)


def _free_running(
    predictions: str, goals: str | None, benchmark: str | None, request: Request
) -> _Named:
    """Score free-running dialogues."""
    from ..scoring.dialogue_lines import free_running_lines, lines_text
    from ..scoring.free_running import score_free_running  # pydantic takes its time

    run, scorer = played_free_running(predictions, goals, benchmark, "scoring on", request.options)
    report = score_free_running(run, scorer)
    lines = lines_text(free_running_lines(run, report.signature)) if request.lines else None
    return predictions, ScoredSubmission(report, lines=lines)
