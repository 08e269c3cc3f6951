"""`mwz score`: score a system's outputs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..benchmark import CANONICAL_STYLE, GOALS
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, shown_name, write_json, write_text
from ..io.rendering import printable
from ..io.tables import formatted
from ..metrics import default_metrics, response_metrics
from ..metrics.setups import BOTH, MAIN_SETUP
from ..scoring import Options, Scorer
from ..scoring.batch import (
    Request,
    ScoredSubmission,
    intervals_read,
    score_files,
    score_predictions,
)
from ..scoring.predictions import MADE
from ..scoring.report_text import report_text, score_table
from ..submission import CONSTANT, EMPTY_STATES
from . import notify, option, tell
from .reading import (
    BenchmarkChooser,
    benchmark_chooser,
    corpus_name,
    found_entry,
    read_plays,
    read_submissions,
)

if TYPE_CHECKING:
    from ..board.entries import Entry
    from ..metrics.statistics import Figure

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
    cls=option.SeedsCommand,
    help="Score PREDICTIONS: a JSON file, plain or gzipped, or - for standard input. Several files "
    "are shown in one table, those of `mwz play` as trials. A file that cannot be scored is "
    "reported, and the others are scored. With --paper: the table of a paper, as LaTeX or "
    "Markdown, ready to be pasted.",
)
@option.several_predictions
@option.scoring
@click.option(
    "--metrics",
    cls=option.LateHelp,
    metavar="METRIC,…",
    default=",".join(default_metrics()),
    show_default=True,
    late_help=_metrics_help,
)
@option.corpus
@option.flag(
    "--constant",
    help="Score one response with six placeholders, given in every turn with gold states: what "
    "Inform and Success make of it.",
)
@option.flag(
    "--empty-states",
    help="Score the tracker that predicts an empty belief state in every turn, by state tracking "
    "unless --metrics says otherwise; the responses are the benchmark's own references.",
)
@option.free_running
@option.skip_missing_goals
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
    help="Draw the figures that papers compare systems by, with their intervals, all files side "
    "by side.",
)
@option.all_figures
@option.flag(
    "--ablation",
    help="Show what each step of normalisation and fuzzy matching of venues is worth: BLEU and "
    "rates without it, a table for each file.",
)
@option.flag(
    "--paper",
    "as_paper",
    help="Print the table of a paper: BLEU, Inform, Success and Combined, the files as training "
    "seeds of one system, mean and standard deviation, the baseline, marks of significance, "
    "caption, the sentence to put under it, and BibTeX. As LaTeX, or --format md.",
)
@click.option(
    "--baseline",
    metavar="SYSTEM",
    multiple=True,
    help="With --paper: a predictions file, or the name of an entry of the board, whose outputs "
    "need not be at hand, to test against. May be repeated: the seeds of one baseline.",
)
@option.seeds("With --paper: outputs of a further system, a row of its own. May be repeated.", True)
@option.submissions
@option.jobs
@option.flag("--quiet", help="Print no table.")
def command(
    *,
    predictions: Sequence[str],
    benchmark: str | None,
    metrics: str,
    corpus: str | None,
    constant: bool,
    empty_states: bool,
    intervals: bool,
    format_: str,
    json_target: str | None,
    lines_target: str | None,
    plot: str | None,
    all_figures: bool,
    ablation: bool,
    as_paper: bool,
    baseline: Sequence[str],
    seeds: Sequence[Sequence[str]],
    submissions: Path,
    workers: int | str,
    quiet: bool,
    **how: Any,
) -> int:
    """Score submissions, or the corpus itself, and show the reports; `how` is as in `Options`."""
    _check_usage(click.get_current_context().params)
    options = Options(
        metrics=_chosen_metrics(
            metrics, as_paper, empty_states, corpus == CANONICAL_STYLE and not how["lexicalised"]
        ),
        **how,
    )
    if ablation:
        _show_ablation(predictions, benchmark, options, format_)
        return 0
    plays = [] if how["free_running"] else read_plays(predictions, benchmark, "scoring on")
    if plays:
        _show_plays(plays, json_target, quiet)
        return 0
    request = Request(options, intervals or plot is not None, lines_target is not None, as_paper)
    choose = benchmark_chooser(benchmark, "scoring on")
    scored = partial(score_files, choose=choose, request=request, workers=workers)
    if as_paper:
        entry, of_baseline = _baseline(baseline, submissions)
        groups = [of_baseline, predictions, *seeds]
        return _paper(groups, scored, json_target, lines_target, entry, choose, format_)
    coming = partial(scored, predictions)
    several = len(predictions) > 1
    if several:
        outcomes = _several(predictions, coming, json_target, lines_target)
    elif predictions:
        outcomes = [_one(predictions[0], coming)]
    else:
        outcomes = [_made(corpus, constant, benchmark, request)]
    if plot is not None and outcomes:
        _plot(outcomes, plot, all_figures)
    if not several:
        _write(outcomes[0][1], json_target, lines_target, intervals)
    if outcomes and not quiet and STANDARD_STREAM not in (json_target, lines_target):
        if several or format_ != "text":
            click.echo(formatted([score_table(outcomes)], format_), nl=False)
        else:
            click.echo(_text(outcomes[0][1], intervals, all_figures))
    return 2 if len(outcomes) < len(predictions) else 0


def _show_plays(plays: Sequence[tuple[str, Any]], json_target: str | None, quiet: bool) -> None:
    """Show and write what came of live dialogues."""
    option.of_plays("predictions", "benchmark", "json_target", "quiet")
    found = [one.figures for _, one in plays]
    if json_target is not None:
        write_json(json_target, found[0] if len(found) == 1 else found)
    if not quiet and json_target != STANDARD_STREAM:
        texts = (one.text(source) for source, one in plays)
        click.echo(printable("\n\n".join(texts)))


def _chosen_metrics(
    metrics: str, as_paper: bool, empty_states: bool, references: bool
) -> Sequence[str]:
    """Return the metrics that the options mean; of the references, no BLEU against themselves."""
    if as_paper:
        return _PAPER_METRICS
    if empty_states and not option.given("metrics"):
        return [TRACKING]
    names = [name.strip() for name in metrics.split(",")]
    without = ["bleu"] if references and not option.given("metrics") else []
    return [name for name in names if name not in without]


def _check_usage(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together, and a picture of another format.

    Args:
        given: Parameter -> value.
    """
    if given["plot"] is not None:
        from ..io.pictures import picture_format

        picture_format(given["plot"])
    files, corpus, goals = given["predictions"], given["corpus"], given["goals"]
    json_target, lines_target = given["json_target"], given["lines_target"]
    free, lexicalised, several = given["free_running"], given["lexicalised"], len(files) > 1
    made = given["constant"] or given["empty_states"]
    paper = given["as_paper"]
    unfit = any(given[name] for name in ("intervals", "plot", "free_running", "quiet"))
    every = [*files, *given["baseline"], *(one for group in given["seeds"] for one in group)]
    sources = [bool(files), corpus is not None, given["constant"], given["empty_states"]]
    one_source = "give either PREDICTIONS, or --corpus [STYLE], or --constant, or --empty-states"
    option.refuse(
        {
            "--free-running needs PREDICTIONS: a file of dialogues with a user, in plain English; "
            "--goals FILE names their goals, if they are not the benchmark's": free and not files,
            one_source: sum(sources) != 1,
            "--json and --per-dialogue cannot both go to standard output": json_target
            == lines_target
            == STANDARD_STREAM,
            "--free-running takes all goals, or a file of them": free and goals in GOALS[1:],
            "--free-running goes with neither --intervals nor --plot": free
            and (given["intervals"] or given["plot"]),
            "--ablation takes PREDICTIONS, has both set-ups, and goes with none of --lexicalised, "
            "--intervals, --plot, --free-running, --quiet, --paper, --metrics, --json "
            "and --per-dialogue": given["ablation"]
            and (
                not files
                or lexicalised
                or unfit
                or paper
                or bool(json_target or lines_target)
                or given["setup"] != BOTH
                or option.given("metrics")
            ),
            "--skip-missing-goals goes with --free-running": given["skip_missing_goals"]
            and not free,
            "--goals takes a file only with --free-running": goals not in GOALS and not free,
            "--lexicalised takes PREDICTIONS, or --corpus without a style": lexicalised
            and (made or corpus not in (None, CANONICAL_STYLE)),
            "--placeholders takes PREDICTIONS, and is not for --lexicalised": given["placeholders"]
            is not None
            and (not files or lexicalised),
            "standard input can be read only once": every.count(STANDARD_STREAM) > 1,
            "--baseline and --seeds go with --paper": not paper
            and (given["baseline"] or given["seeds"]),
            "--paper needs PREDICTIONS": paper and not files,
            "--paper is of strict figures, by dialogue: it goes with no --metrics, other --setup, "
            "--intervals, --plot, --free-running or --quiet": paper
            and (option.given("metrics") or given["setup"] not in (MAIN_SETUP, BOTH) or unfit),
            "--paper is printed as latex or md": paper
            and option.given("format_")
            and given["format_"] not in ("latex", "md"),
            "--per-dialogue needs a folder where several files are scored": several
            and lines_target == STANDARD_STREAM,
        }
    )


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


_PAPER_METRICS = ("bleu", "inform", "lower_bound")


def _baseline(systems: Sequence[str], submissions: Path) -> tuple[Entry | None, Sequence[str]]:
    """Return the entry that a baseline is, or else the files that it is.

    Raises:
        InputError: There is neither, or it is several of which one is an entry.
    """
    found = [found_entry(system, submissions) for system in systems]
    if not any(found):
        return None, systems
    if len(found) > 1:
        raise InputError("--baseline", "give one entry, or files that are seeds of one system")
    return found[0], ()


def _paper(
    groups: Sequence[Sequence[str]],
    scored: Callable[..., Iterator[ScoredSubmission | InputError]],
    json_target: str | None,
    folder: str | None,
    entry: Entry | None,
    choose: BenchmarkChooser,
    format_: str,
) -> int:
    """Print the table of a paper.

    Args:
        groups: The files of the baseline, then those of each system.
        scored: Scores files.
        json_target: As for `_several`.
        folder: As for `_several`.
        entry: The entry that the baseline is, where it is one.
        choose: Returns the benchmark.
        format_: The format.
    """
    from ..board.paper_table import PaperSystem, paper, system_name
    from ..board.stored_evidence import of_file, stored_evidence

    files = [file for group in groups for file in group]
    outcomes = _several(files, partial(scored, files), json_target, folder)
    if len(outcomes) < len(files) or STANDARD_STREAM in (json_target, folder):
        return 2 if len(outcomes) < len(files) else 0
    coming = iter(outcomes)
    rows = []
    if entry is not None:
        stored = [stored_evidence(entry)]
        rows.append(PaperSystem(entry.system.name, [entry.scores.main], stored, entry))
    for group in filter(None, groups):
        names, found = zip(*(next(coming) for _ in group), strict=True)
        known = [one.evidence for one in found if one.evidence is not None]
        dialogues = choose(known[0].dialogues).dialogues
        evidence = [of_file(one, dialogues) for one in known]
        rows.append(PaperSystem(system_name(names), [one.report for one in found], evidence))
    baseline, systems = (rows[0], rows[1:]) if entry or groups[0] else (None, rows)
    shown = "md" if format_ == "md" else "latex"
    click.echo(printable(paper(baseline, systems, shown)), nl=False)
    return 0


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


def _one(file: str, coming: Callable[..., Iterator[ScoredSubmission | InputError]]) -> _Named:
    """Return what comes of one file.

    Raises:
        InputError: It cannot be scored.
    """
    (outcome,) = coming()
    if isinstance(outcome, InputError):
        raise outcome
    tell(shown_name(file), outcome.remarks)
    return short_names([file])[0], outcome


def _several(
    files: Sequence[str],
    coming: Callable[..., Iterator[ScoredSubmission | InputError]],
    json_target: str | None,
    folder: str | None,
) -> list[_Named]:
    """Return what comes of the files that can be scored, told and written as it comes.

    Args:
        files: The files.
        coming: Scores them.
        json_target: The file for a line of JSON per file, or `-`.
        folder: The folder for the lines per dialogue.

    Raises:
        InputError: Something cannot be written, or the file holds something else.
    """
    from tqdm import tqdm

    names = short_names(files)
    if folder is not None and Path(folder).exists() and not Path(folder).is_dir():
        raise InputError(folder, "is not a folder; with several files, --per-dialogue needs one")
    scored: list[_Named] = []
    lines = []
    shown = tqdm(coming(), "scoring", len(files), unit="file", disable=None)
    for file, name, outcome in zip(files, names, shown, strict=True):
        if isinstance(outcome, InputError):
            notify(str(outcome))
            continue
        tell(shown_name(file), outcome.remarks)
        if folder is not None and outcome.lines is not None:
            write_text(str(Path(folder, f"{name}.jsonl")), outcome.lines)
        line = {"file": shown_name(file), **outcome.to_dict()}
        lines.append(json.dumps(line, ensure_ascii=False) + "\n")
        scored.append((name, replace(outcome, lines=None)))
    if json_target is not None:
        write_text(json_target, "".join(lines))
    failed = len(files) - len(scored)
    if failed:
        notify(f"{failed} of {len(files)} files could not be scored")
    return scored


def _write(
    outcome: ScoredSubmission, json_target: str | None, lines_target: str | None, intervals: bool
) -> None:
    """Write the report of one file, and its lines per dialogue."""
    if lines_target is not None and outcome.lines is not None:
        write_text(lines_target, outcome.lines)
    if json_target is not None:
        kept = outcome if intervals else replace(outcome, intervals=None)
        write_json(json_target, kept.to_dict())


def _main(figures: Mapping[str, Figure], all_figures: bool) -> dict[str, Figure]:
    """Return the figures that papers compare systems by, if there are and not all are wanted."""
    main = {name: one for name, one in figures.items() if one.main}
    return dict(figures) if all_figures or not main else main


def _text(outcome: ScoredSubmission, intervals: bool, all_figures: bool) -> str:
    """Return the report of one file as text."""
    if not intervals:
        return report_text(outcome.report)
    from ..comparison.comparison_text import intervals_text

    figures = _main(outcome.figures, all_figures)
    table = intervals_text([""], figures, [intervals_read(outcome.intervals)])
    return report_text(outcome.report, table, (outcome.intervals or {})["signature"])


def _plot(outcomes: Sequence[_Named], path: str, all_figures: bool) -> None:
    from ..comparison.score_plots import plot_scores

    names, found = zip(*outcomes, strict=True)
    # What all have: predicted states are not in every file.
    figures = {
        name: figure
        for name, figure in found[0].figures.items()
        if all(name in other.figures for other in found)
    }
    shown = _main(figures, all_figures)
    plot_scores(names, shown, [intervals_read(one.intervals) for one in found], path)
