"""`mwz score`: score a system's outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias

import click
from click.core import ParameterSource

from mwz.database import EMBEDDED

from ..benchmark import CANONICAL_STYLE, GOALS
from ..data.installed import default_benchmark
from ..errors import InputError
from ..io.files import STANDARD_STREAM, shown_name, write_json, write_text
from ..io.tables import formatted
from ..metrics import default_metrics, response_metrics
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
from . import tell
from .options import (
    benchmark_option,
    cache_option,
    complete_file,
    format_option,
    intervals_option,
    jobs_option,
    placeholders_option,
    rules_option,
    scheduler_option,
    short_names,
)
from .reading import benchmark_chooser, corpus_name, played_free_running
from .scoring_options import (
    corpus_option,
    domains_option,
    free_running_option,
    goals_option,
    lexicalised_option,
    setup_option,
    states_option,
)

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
    "are shown in one table. A file that cannot be scored is told, and the others are scored."
)
@click.argument("predictions", metavar="[PREDICTIONS]...", nargs=-1, shell_complete=complete_file)
@benchmark_option
@rules_option
@placeholders_option
@setup_option
@domains_option
@states_option
@goals_option
@click.option(
    "--metrics",
    metavar="METRIC,…",
    default=",".join(default_metrics()),
    show_default=True,
    help=_metrics_help(),
)
@corpus_option
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
@lexicalised_option
@free_running_option
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
        _Shown(json_target, lines_target, quiet).one((predictions[0], outcome))
        return 0
    if plot is not None:
        from ..io.pictures import picture_format

        picture_format(plot)
    request = Request(options, intervals or plot is not None, lines_target is not None)
    shown = _Shown(json_target, lines_target, quiet)
    if not predictions:
        made = CONSTANT if constant else EMPTY_STATES
        if corpus is not None:
            made = corpus_name(corpus, lexicalised)
        scorer = Scorer(benchmark_chooser(benchmark, "scoring on")(()), options)
        outcome = score_predictions(scorer, made, MADE, request)
        tell(MADE, outcome.remarks)
        outcomes = [(made if corpus is None else f"corpus {corpus}", outcome)]
    else:
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
        if len(predictions) == 1:
            outcomes = _one(predictions[0], coming)
        else:
            outcomes = _several(predictions, coming, _Written(json_target, lines_target, resume))
    if plot is not None and outcomes:
        _plot(outcomes, plot)
    if len(predictions) > 1:
        shown.table(outcomes, format_)
    else:
        shown.one(outcomes[0], format_, intervals)
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


_Coming: TypeAlias = "Callable[..., Iterator[FileOutcome]]"
_Outcome: TypeAlias = "tuple[str, ScoredSubmission]"
"""What to call a file, and what came of it."""


def _one(file: str, coming: _Coming) -> list[_Outcome]:
    """Return what comes of one file.

    Raises:
        InputError: It cannot be scored.
    """
    (done,) = coming()
    if isinstance(done.outcome, InputError):
        raise done.outcome
    tell(shown_name(file), done.outcome.remarks)
    return [(short_names([file])[0], done.outcome)]


def _several(files: Sequence[str], coming: _Coming, written: _Written) -> list[_Outcome]:
    """Return what comes of the files that can be scored, told and written as it comes."""
    from tqdm import tqdm

    names = short_names(files)
    found: dict[int, ScoredSubmission] = {}
    known = coming(written=written.known, again=written.unwritten(names))
    with written, tqdm(total=len(files), desc="scoring", unit="file", disable=None) as progress:
        for done in known:
            progress.update()
            if isinstance(done.outcome, InputError):
                click.echo(f"mwz: {done.outcome}", err=True)
                continue
            tell(shown_name(files[done.number]), done.outcome.remarks)
            written.write(names[done.number], done)
            found[done.number] = replace(done.outcome, lines=None)
    failed = len(files) - len(found)
    if failed:
        click.echo(f"mwz: {failed} of {len(files)} files could not be scored", err=True)
    return [(names[number], found[number]) for number in sorted(found)]


class _Written:
    """Where outcomes of several files are written as they come.

    Args:
        lines: The file for a line of JSON per file, or `-`.
        folder: The folder for the lines per dialogue.
        resume: Whether to go on with what the file of lines holds.

    Attributes:
        known: Key -> outcome, of what the file of lines holds.

    Raises:
        InputError: One of them cannot be written, or the file holds something else.
    """

    def __init__(self, lines: str | None, folder: str | None, resume: bool) -> None:
        self._folder = None if folder is None else Path(folder)
        if self._folder is not None and self._folder.exists() and not self._folder.is_dir():
            raise InputError(str(folder), "is no folder; of several files, lines need one")
        self._to_stream = lines == STANDARD_STREAM
        self._lines: IO[bytes] | None = None
        self.known: Mapping[str, FileOutcome] = {}
        if lines is not None and not self._to_stream:
            path = Path(lines)
            self.known = read_lines(path) if resume else {}
            # Torn and damaged lines go, before others are written behind them.
            write_text(lines, "".join(one.line or "" for one in self.known.values()))
            self._lines = path.open("ab")

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        if self._lines is not None:
            self._lines.close()

    def unwritten(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of the files whose lines per dialogue are wanted and not there."""
        if self._folder is None:
            return []
        return [n for n, name in enumerate(names) if not self._path(self._folder, name).exists()]

    def write(self, name: str, done: FileOutcome) -> None:
        """Write what came of a file."""
        if done.repeated or done.line is None or isinstance(done.outcome, InputError):
            return
        if self._folder is not None and done.outcome.lines is not None:
            write_text(str(self._path(self._folder, name)), done.outcome.lines)
        if self._to_stream:
            write_text(STANDARD_STREAM, done.line)
        if self._lines is not None:
            try:
                self._lines.write(done.line.encode())
                self._lines.flush()
            except OSError as error:
                reason = f"cannot be written ({error.strerror})"
                raise InputError(self._lines.name, reason) from None

    @staticmethod
    def _path(folder: Path, name: str) -> Path:
        return folder / f"{name}.jsonl"


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

    def one(self, named: _Outcome, format_: str = "text", intervals: bool = False) -> None:
        """Show the outcome of one file: its report, or a table in a format with its name."""
        _, outcome = named
        if self._lines is not None and outcome.lines is not None:
            write_text(self._lines, outcome.lines)
        if self._json is not None:
            known = {"intervals": outcome.intervals} if intervals else {}
            write_json(self._json, {**outcome.report.to_dict(), **known})
        if format_ != "text":
            self.table([named], format_)
        elif not self._quiet:
            click.echo(
                report_text(outcome.report) + (_intervals_text(outcome) if intervals else "")
            )

    def table(self, outcomes: Sequence[_Outcome], format_: str) -> None:
        """Show outcomes as one table."""
        if outcomes and not self._quiet:
            click.echo(formatted([score_table(outcomes)], format_), nl=False)


def _intervals_text(outcome: ScoredSubmission) -> str:
    from ..comparison.comparison_text import intervals_text

    found = intervals_read(outcome.intervals)
    table = intervals_text([""], outcome.figures, [found])
    return f"\n\n{table}\n\n{(outcome.intervals or {})['signature']}"


def _plot(outcomes: Sequence[_Outcome], path: str) -> None:
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
    predictions: str, goals: str | None, benchmark: str | None, options: Options, lines: bool
) -> ScoredSubmission:
    """Score free-running dialogues; with their lines, if these are wanted."""
    from ..scoring.dialogue_lines import free_running_lines, lines_text
    from ..scoring.free_running import score_free_running  # pydantic takes its time

    run, scorer = played_free_running(predictions, goals, benchmark, "scoring on", options)
    report = score_free_running(run, scorer)
    text = lines_text(free_running_lines(run, report.signature)) if lines else None
    return ScoredSubmission(report, lines=text)
