"""`mwz score`: score a system's outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from .. import comparison, scoring
from ..benchmark import CANONICAL_STYLE, GOALS
from ..errors import InputError
from ..io import (
    STANDARD_STREAM,
    formatted,
    picture_format,
    printable,
    short_names,
    shown_name,
    text_table,
    write_json,
    write_text,
)
from ..metrics import named_metrics, reported_figures, response_metrics
from ..rooms import import_room
from ..scoring import (
    Options,
    ScoredSubmission,
    Wanted,
    report_text,
    run,
    score_predictions,
    whole_figure,
)
from ..submission import EMPTY_STATES
from . import notify, option, tell
from .reading import chosen_benchmark, progress, read_outputs, read_plays


@click.command()
@option.several_predictions
@option.benchmark
@option.rules
@option.placeholders
@option.setup
@option.domains
@option.states
@option.goals
@option.lexicalised
@option.free_running
@click.option(
    "--metrics",
    metavar="METRIC,…",
    default=",".join(named_metrics()),
    show_default=True,
    help=f"What to compute (docs/metrics.md), comma-separated: {', '.join(response_metrics())}.",
)
@option.intervals
@option.table_format(help=f"{option.TABLE_FORMATS} For one file, text prints the full report.")
@click.option(
    "--json",
    "json_target",
    metavar="FILE|-",
    help="Write the full report as JSON; of several files, a line each.",
)
@click.option(
    "--per-dialogue",
    "lines_target",
    metavar="FILE|-|DIR",
    help="Write JSON lines, one per dialogue, with the statistics of the scores; of several "
    "files, a file each in the folder DIR.",
)
@click.option(
    "--plot",
    metavar="FILE.svg|png|pdf",
    help="Draw the figures that papers compare systems by, with their intervals.",
)
@click.option(
    "--at-least",
    "limits",
    metavar="FIGURE=NUMBER",
    multiple=True,
    callback=option.pairs(reported_figures(), "figure"),
    help="Exit with status 1 if a figure is lower: combined=100, bleu=15. Repeatable. If turns are "
    "missing, the lower bound counts.",
)
@option.jobs
def command(
    *,
    predictions: Sequence[str],
    benchmark: str | None,
    metrics: str,
    intervals: bool,
    format_: str,
    json_target: str | None,
    lines_target: str | None,
    plot: str | None,
    limits: Mapping[str, str],
    workers: int | str,
    **how: Any,
) -> int:
    """Score PREDICTIONS: JSON files, plain or gzipped; - for standard input; names of entries of
    the board; or @corpus, @corpus:STYLE (the benchmark's own references), @human, @constant (one
    response with six placeholders), @empty (empty belief states). Several are shown in one table,
    those of `mwz play` as trials; one that cannot be scored is reported, and the others are scored.
    """
    _check_usage(click.get_current_context().params)
    options = Options(metrics=[name.strip() for name in metrics.split(",")], **how)
    plays = [] if options.free_running else read_plays(predictions, benchmark)
    is_one_file = lines_target == STANDARD_STREAM or os.path.isfile(lines_target or "")
    option.refuse_if(
        is_one_file and len(plays or predictions) > 1,
        "--per-dialogue needs a folder where several files are scored",
    )
    if plays:
        _show_plays(plays, json_target, lines_target, format_)
        return 0
    wanted: set[Literal["intervals", "lines"]] = set()
    if intervals or plot is not None:
        wanted.add("intervals")
    if lines_target is not None:
        wanted.add("lines")
    several = len(predictions) > 1
    outcomes = run(
        score_predictions,
        _jobs(predictions, options, wanted),
        chosen_benchmark(benchmark),
        workers if several or isinstance(workers, str) else 1,
    )
    scored = _scored(predictions, outcomes, lines_target)
    if plot is not None and scored:
        evidence = scored[0][1].evidence
        assert evidence is not None, "`--plot` asks for intervals"
        names = [name for name, _ in scored]
        spreads = [outcome.intervals for _, outcome in scored]
        figures = comparison.main_figures(evidence.figures)
        comparison.plot_scores(names, figures, spreads, plot)
    if json_target is not None:
        _write_reports(scored, predictions, json_target, intervals)
    if scored and STANDARD_STREAM not in (json_target, lines_target):
        if several or format_ != "text":
            click.echo(formatted([scoring.score_table(scored)], format_), nl=False)
        else:
            _, outcome = scored[0]
            click.echo(_text_with_intervals(outcome) if intervals else report_text(outcome.report))
    if len(scored) < len(predictions):
        return 2
    return int(_is_too_low(scored, limits))


def _is_too_low(scored: Sequence[tuple[str, ScoredSubmission]], limits: Mapping[str, str]) -> bool:
    """Say which strict figures are below their limits, and return whether any is.

    Raises:
        InputError: A limit is no number, or a figure is not known.
    """
    too_low = False
    for name, limit in limits.items():
        for file, outcome in scored:
            value = whole_figure(outcome.report, name)
            try:
                least = float(limit)
            except ValueError:
                raise InputError("--at-least", f"{name}: {limit!r} is no number") from None
            if value is None:
                problem = "not computed by --metrics, or turns are missing and it has no bound"
                raise InputError("--at-least", f"{name} of {file}: {problem}")
            # A limit that is not a number passes nothing.
            if not value >= least:
                notify(f"{file}: {name} is {value:.2f}, below {limit}")
                too_low = True
    return too_low


def _jobs(
    names: Sequence[str], chosen: Options, wanted: Wanted
) -> Iterator[tuple[bytes | str, str, Options, Wanted] | InputError]:
    """Yield the job of scoring each of some outputs; or why it cannot be read."""
    for name in names:
        try:
            outputs = read_outputs(name)
            options = outputs.options(chosen)
        except InputError as error:
            yield error
            continue
        if not option.is_given("metrics"):
            if outputs.content == EMPTY_STATES:
                options = replace(options, metrics=["dst"])
            elif outputs.content == CANONICAL_STYLE:
                # Against itself its BLEU says nothing.
                others = [metric for metric in options.resolved.metrics if metric != "bleu"]
                options = replace(options, metrics=others)
        yield outputs.content, outputs.source, options, wanted


def _show_plays(
    plays: Sequence[tuple[str, Any]],
    json_target: str | None,
    lines_target: str | None,
    format_: str,
) -> None:
    """Show and write the results of live dialogues."""
    option.accept_only("predictions", "benchmark", "json_target", "lines_target", "format_")
    results = [play.figures for _, play in plays]
    if json_target is not None:
        write_json(json_target, results[0] if len(results) == 1 else results)
    if lines_target is not None:
        for name, (_, play) in zip(short_names([name for name, _ in plays]), plays, strict=True):
            path = str(Path(lines_target, f"{name}.jsonl")) if len(plays) > 1 else lines_target
            write_text(path, "".join(f"{json.dumps(line)}\n" for line in play.dialogue_lines))
    if STANDARD_STREAM in (json_target, lines_target):
        return
    if len(plays) > 1 or format_ != "text":
        table = import_room("harness.live.live_track", "plays").plays_table(plays)
        click.echo(formatted([table], format_), nl=False)
    else:
        click.echo(printable(plays[0][1].text(plays[0][0])))


def _check_usage(given: Mapping[str, Any]) -> None:
    """Refuse options that do not go together, and a picture of another format.

    Args:
        given: Parameter -> value.
    """
    if given["plot"] is not None:
        picture_format(given["plot"])
    json_target, lines_target = given["json_target"], given["lines_target"]
    is_free_running, goals = given["free_running"], given["goals"]
    option.refuse_if(
        json_target == lines_target == STANDARD_STREAM,
        "--json and --per-dialogue cannot both go to standard output",
    )
    option.refuse_if(
        given["predictions"].count(STANDARD_STREAM) > 1, "standard input can be read only once"
    )
    option.refuse_if(
        is_free_running and goals in GOALS[1:],
        "--free-running takes all goals, or a file of them",
    )
    option.refuse_if(
        is_free_running and (given["intervals"] or given["plot"]),
        "--free-running goes with neither --intervals nor --plot",
    )
    option.refuse_if(
        not is_free_running and goals not in GOALS,
        f"--goals is one of {', '.join(GOALS)}; a file needs --free-running",
    )


def _scored(
    names: Sequence[str],
    outcomes: Iterable[ScoredSubmission | InputError],
    lines_target: str | None,
) -> list[tuple[str, ScoredSubmission]]:
    """Return the scores of the files that can be scored, and the name of each.

    Remarks are printed, and lines per dialogue are written.

    Args:
        names: The files.
        outcomes: The result of each.
        lines_target: Where to write the lines per dialogue; of several files, a folder.

    Raises:
        InputError: It is one file, and cannot be scored.
    """
    several = len(names) > 1
    scored = []
    watched = progress(outcomes, len(names))
    for name, short, outcome in zip(names, short_names(names), watched, strict=True):
        if isinstance(outcome, InputError):
            if not several:
                raise outcome
            notify(str(outcome))
            continue
        tell(shown_name(name), outcome.report.remarks)
        if lines_target is not None and outcome.lines is not None:
            path = str(Path(lines_target, f"{short}.jsonl")) if several else lines_target
            write_text(path, outcome.lines)
        scored.append((short, replace(outcome, lines=None)))
    if len(scored) < len(names):
        notify(f"{len(names) - len(scored)} of {len(names)} files could not be scored")
    return scored


def _write_reports(
    scored: Sequence[tuple[str, ScoredSubmission]],
    names: Sequence[str],
    target: str,
    intervals: bool,
) -> None:
    """Write reports as JSON: that of one file, or a line for each of several.

    Args:
        scored: The short name and the result of each file that could be scored.
        names: All files.
        target: Where to write.
        intervals: Whether the reports have intervals.
    """
    files = dict(zip(short_names(names), map(shown_name, names), strict=True))
    lines = ""
    for short, outcome in scored:
        document = outcome.report.to_dict()
        if intervals and outcome.evidence is not None:
            document["intervals"] = comparison.intervals_document(
                outcome.evidence, outcome.intervals
            )
        if len(names) == 1:
            write_json(target, document)
            return
        lines += json.dumps({"file": files[short], **document}, ensure_ascii=False) + "\n"
    write_text(target, lines)


def _text_with_intervals(outcome: ScoredSubmission) -> str:
    """Return the report of one file as text, with a table of intervals."""
    assert outcome.evidence is not None, "`--intervals` asks for it"
    rows = []
    for name, shown in comparison.main_figures(outcome.evidence.figures).items():
        rows.append([shown.title, outcome.intervals[name].text(shown.interval_digits)])
    table = text_table([f"{comparison.INTERVAL_LEVEL} % interval", ""], rows)
    return report_text(outcome.report, table, outcome.signature)
