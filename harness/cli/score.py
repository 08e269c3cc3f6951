"""`mwz score`: score a system's outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import click

from .. import comparison
from ..benchmark import CANONICAL_STYLE, GOALS
from ..errors import InputError, counted, room
from ..io import (
    STANDARD_STREAM,
    Table,
    best_cells,
    figure,
    formatted,
    picture_format,
    printable,
    short_names,
    shown_name,
    text_table,
    write_json,
    write_text,
)
from ..metrics import SETUPS, Headline, headlines, response_metrics
from ..scoring import (
    Options,
    Report,
    ScoredSubmission,
    Wanted,
    report_text,
    reporting_words,
    run,
    score_predictions,
)
from ..signature import Signature, comparable_group, comparison_notes, notes_once
from ..submission import EMPTY_STATES
from . import notify, option, tell
from .reading import chosen_benchmark, progress, read_outputs, read_plays


@click.command()
@option.several_predictions
@option.scoring
@option.free_running
@click.option(
    "--metrics",
    metavar="METRIC,…",
    default=",".join(name for name, one in response_metrics().items() if one.default),
    show_default=True,
    help=f"What to compute (docs/metrics.md), comma-separated: {', '.join(response_metrics())}.",
)
@option.intervals
@option.table_format(" For one file, text prints the full report.")
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
    if plays:
        _show_plays(plays, json_target, format_)
        return 0
    wanted: set[Literal["intervals", "lines"]] = set()
    if intervals or plot is not None:
        wanted.add("intervals")
    if lines_target is not None:
        wanted.add("lines")
    several = len(predictions) > 1
    coming = run(
        score_predictions,
        _jobs(predictions, options, wanted),
        chosen_benchmark(benchmark),
        workers if several or isinstance(workers, str) else 1,
    )
    scored = _scored(predictions, coming, lines_target)
    if plot is not None and scored:
        _plot(scored, plot)
    if json_target is not None:
        documents = [(name, _document(outcome, intervals)) for name, outcome in scored]
        _write(documents, predictions, json_target)
    if scored and STANDARD_STREAM not in (json_target, lines_target):
        if several or format_ != "text":
            click.echo(formatted([score_table(scored)], format_), nl=False)
        else:
            click.echo(_text(scored[0][1], intervals))
    return 2 if len(scored) < len(predictions) else 0


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
        if not option.given("metrics"):
            if outputs.content == EMPTY_STATES:
                options = replace(options, metrics=["dst"])
            elif outputs.content == CANONICAL_STYLE:
                # Against itself its BLEU says nothing.
                without = [one for one in options.metrics or () if one != "bleu"]
                options = replace(options, metrics=without)
        yield outputs.content, outputs.source, options, wanted


def _show_plays(plays: Sequence[tuple[str, Any]], json_target: str | None, format_: str) -> None:
    """Show and write the results of live dialogues."""
    option.of_plays("predictions", "benchmark", "json_target", "format_")
    results = [one.figures for _, one in plays]
    if json_target is not None:
        write_json(json_target, results[0] if len(results) == 1 else results)
    if json_target == STANDARD_STREAM:
        return
    if len(plays) > 1 or format_ != "text":
        table = room("live.live_track", "plays").plays_table(plays)
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
    free, goals, several = given["free_running"], given["goals"], len(given["predictions"]) > 1
    option.refuse(
        {
            "--json and --per-dialogue cannot both go to standard output": json_target
            == lines_target
            == STANDARD_STREAM,
            "--per-dialogue needs a folder where several files are scored": several
            and lines_target is not None
            and (lines_target == STANDARD_STREAM or os.path.isfile(lines_target)),
            "standard input can be read only once": given["predictions"].count(STANDARD_STREAM) > 1,
            "--free-running takes all goals, or a file of them": free and goals in GOALS[1:],
            "--free-running goes with neither --intervals nor --plot": free
            and (given["intervals"] or given["plot"]),
            f"--goals is one of {', '.join(GOALS)}; a file needs --free-running": not free
            and goals not in GOALS,
        }
    )


def _scored(
    names: Sequence[str], coming: Iterable[ScoredSubmission | InputError], lines_target: str | None
) -> list[tuple[str, ScoredSubmission]]:
    """Return the scores of the files that can be scored, and the name of each.

    Remarks are printed, and lines per dialogue are written.

    Args:
        names: The files.
        coming: The result of each.
        lines_target: Where to write the lines per dialogue; of several files, a folder.

    Raises:
        InputError: It is one file, and cannot be scored.
    """
    several = len(names) > 1
    scored = []
    outcomes = zip(names, short_names(names), progress(coming, len(names)), strict=True)
    for name, short, outcome in outcomes:
        if isinstance(outcome, InputError):
            if not several:
                raise outcome
            notify(str(outcome))
            continue
        tell(shown_name(name), outcome.remarks)
        if lines_target is not None and outcome.lines is not None:
            path = str(Path(lines_target, f"{short}.jsonl")) if several else lines_target
            write_text(path, outcome.lines)
        scored.append((short, replace(outcome, lines=None)))
    if len(scored) < len(names):
        notify(f"{len(names) - len(scored)} of {len(names)} files could not be scored")
    return scored


def _write(documents: Sequence[tuple[str, Any]], names: Sequence[str], target: str) -> None:
    """Write reports as JSON: that of one file, or a line for each of several."""
    if len(names) == 1:
        write_json(target, documents[0][1])
        return
    files = dict(zip(short_names(names), map(shown_name, names), strict=True))
    lines = [{"file": files[short], **document} for short, document in documents]
    write_text(target, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines))


def _document(outcome: ScoredSubmission, intervals: bool) -> dict[str, Any]:
    """Return a report, with the intervals if they were asked for, as JSON types."""
    document = outcome.report.to_dict()
    if intervals and outcome.evidence is not None:
        of_report = comparison.intervals_document(outcome.evidence, outcome.intervals)
        document["intervals"] = of_report
    return document


def _text(outcome: ScoredSubmission, intervals: bool) -> str:
    """Return the report of one file as text."""
    if not intervals or outcome.evidence is None:
        return report_text(outcome.report)
    figures = comparison.main_figures(outcome.evidence.figures)
    rows = [[f.title, outcome.intervals[name].text(f.digits)] for name, f in figures.items()]
    table = text_table([f"{comparison.INTERVAL_LEVEL} % interval", ""], rows)
    return report_text(outcome.report, table, outcome.signature)


def _plot(scored: Sequence[tuple[str, ScoredSubmission]], path: str) -> None:
    names, outcomes = zip(*scored, strict=True)
    intervals = [one.intervals for one in outcomes]
    figures = comparison.main_figures(outcomes[0].evidence.figures)
    comparison.plot_scores(names, figures, intervals, path)


# The scores of several files in one table.


def score_table(files: Sequence[tuple[str, ScoredSubmission]]) -> Table:
    """Return a table of the figures that papers report, a row per file.

    The figures shown are of the strict set-up, or of the one that was asked for alone; JSON and
    CSV have both of two. Of files that lack turns they are the lower bounds that systems are ranked
    by. The best of a column is marked, of those files that compare with each other.

    Args:
        files: What to call each file, and its result.
    """
    names, outcomes = zip(*files, strict=True)
    reports = [outcome.report for outcome in outcomes]
    setups = [name for name in SETUPS if any(report.setup(name) for report in reports)]
    setup = setups[0] if setups else next(iter(SETUPS))
    columns = [
        one
        for one in _figures().values()
        if any(one.value(report.metrics, setup) is not None for report in reports)
    ]
    values = [[_ranking(report, one, setup) for one in columns] for report in reports]
    cells = [_cells(outcome, columns, setup) for outcome in outcomes]
    signatures = [_compared(report, setup) for report in reports]
    shown = [one.signature.part(setup) for one in outcomes]
    group = comparable_group(signatures)
    gold = ", ".join(n for n, one in zip(names, reports, strict=True) if one.has_gold_states)
    comparing = [
        row if place in group else [None] * len(columns) for place, row in enumerate(values)
    ]
    title = f"Scores of {counted(len(names), 'file')}"
    return Table(
        name="scores",
        title=f"{title}, {setup} set-up" if setups else title,
        headers=["", *(column.title for column in columns)],
        rows=[[name, *row] for name, row in zip(names, cells, strict=True)],
        data=_data(names, reports, setups),
        notes=[
            *_ceilings(columns, reports),
            *_incomplete(names, outcomes, columns, setup),
            *comparison_notes(names, signatures, group),
            *([f"with gold belief states, not with predicted ones: {gold}"] if gold else []),
            *notes_once(zip(names, (reporting_words(r, [setup]) for r in reports), strict=True)),
            *notes_once(zip(names, map(str, shown), strict=True)),
        ],
        best={(row, column + 1) for row, column in best_cells(comparing, cells)},
    )


def _ranking(report: Report, column: Headline, setup: str) -> float | None:
    """Return a figure that the best is chosen by; None for what ranks nobody."""
    return report.whole(column.name, setup) if column.name in headlines() else None


def _compared(report: Report, setup: str) -> Signature:
    """Return the signature of what a table shows: lower bounds are of the whole benchmark."""
    signature = report.signature.part(setup)
    whole = report.metrics.get("lower_bound") is not None
    return replace(signature, coverage=None) if whole else signature


def _cells(
    outcome: ScoredSubmission, columns: Sequence[Headline], setup: str, bounds: bool = True
) -> list[str]:
    """Return a file's figures with their intervals, if these are known.

    Args:
        outcome: The result of the file.
        columns: The figures.
        setup: The set-up that they are of.
        bounds: Whether to show lower bounds, which have no interval, where turns are missing.
    """
    report, intervals = outcome.report, outcome.intervals
    cells = []
    for column in columns:
        bound = None if report.coverage.complete else _ranking(report, column, setup)
        value, interval = column.value(report.metrics, setup), intervals.get(column.name)
        if bound is not None and bounds:
            value, interval = bound, None
        text = figure(value, column.digits)
        cells.append(text if interval is None else interval.text(column.digits))
    return cells


def _incomplete(
    names: Sequence[str],
    outcomes: Sequence[ScoredSubmission],
    columns: Sequence[Headline],
    setup: str,
) -> Iterator[str]:
    """Say how many turns files lack, and what they score on the turns that they have."""
    for name, outcome in zip(names, outcomes, strict=True):
        report = outcome.report
        bounded = [
            one
            for one in columns
            if not report.coverage.complete and _ranking(report, one, setup) is not None
        ]
        if bounded:
            played = zip(bounded, _cells(outcome, bounded, setup, bounds=False), strict=True)
            figures = ", ".join(f"{one.title} {cell}" for one, cell in played)
            lacking = report.coverage.of_turns - report.coverage.turns
            yield (
                f"{name} lacks {lacking} of {report.coverage.of_turns} turns, which count as "
                f"failures; on the submitted turns: {figures}"
            )


def _figures() -> dict[str, Headline]:
    """Return name -> figure, of all that a table of several files shows."""
    return {
        one.name: one
        for metric in response_metrics().values()
        for one in (*metric.own_headlines(), *metric.further)
    }


def _data(
    names: Sequence[str], reports: Sequence[Report], setups: Sequence[str]
) -> list[dict[str, object]]:
    """Return the rows as JSON types: every figure in full; of another set-up, those that differ.

    Where some file lacks turns, `whole_…` are the figures over the whole benchmark.
    """
    first, *_ = setups = setups or [next(iter(SETUPS))]
    columns: dict[str, list[float | None]] = {}
    for setup in setups:
        for name, one in _figures().items():
            values = [one.value(report.metrics, setup) for report in reports]
            if values not in ([None] * len(reports), columns.get(name)):
                columns[name if setup == first else f"{setup}_{name}"] = values
    incomplete = [not report.coverage.complete for report in reports]
    for name in [name for name in columns if name in headlines()]:
        whole = [report.whole(name, first) for report in reports]
        if any(w is not None for w, lacks in zip(whole, incomplete, strict=True) if lacks):
            columns[f"whole_{name}"] = whole
    return [
        {
            "name": name,
            **dict(zip(columns, values, strict=True)),
            "states": report.states,
            "domains": report.domains,
            "signature": str(report.signature),
        }
        for name, report, *values in zip(names, reports, *columns.values(), strict=True)
    ]


def _ceilings(columns: Sequence[Headline], reports: Sequence[Report]) -> list[str]:
    """Say what the human responses get, where it is the same for all files."""
    ceilings = []
    for column in columns:
        first, *others = (column.ceiling(report.metrics) for report in reports)
        if first is not None and all(value == first for value in others):
            ceilings.append(f"{column.title} {figure(first, column.digits)}")
    return [f"human responses: {'; '.join(ceilings)}"] if ceilings else []
