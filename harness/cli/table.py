"""`mwz table`: print the table of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import glob
from itertools import islice
from pathlib import Path

import click

from .. import board
from ..benchmark import Benchmark
from ..errors import InputError
from ..io import printable, short_names, shown_name
from ..rooms import import_room
from ..scoring import Options
from . import BETWEEN, option
from .reading import (
    NamedOutputs,
    as_stored,
    chosen_benchmark,
    found_entry,
    read_outputs,
    read_plays,
    score_outputs,
)


def _named(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> dict[str, list[str]]:
    """Return name -> files of each `NAME=FILE FILE…`."""
    rows: dict[str, list[str]] = {}
    for value in values:
        first, *further = value.split(BETWEEN)
        name, _, file = first.partition("=")
        if not name.strip() or not file:
            raise click.BadParameter(f"{first!r}: write NAME=FILE, as in Ours=seed*.json")
        if name in rows:
            raise click.BadParameter(f"{name!r} is there twice; give all files of a row at once")
        # Shells leave a pattern behind `NAME=` as it is.
        files = [file] if Path(file).exists() else sorted(glob(file)) or [file]
        rows[name] = [*files, *further]
    return rows


@click.command()
@click.argument("predictions", metavar="[PREDICTIONS...]", nargs=-1, type=option.FILE)
@click.option(
    "--name",
    "named",
    metavar="NAME=FILE [FILE...]",
    multiple=True,
    callback=_named,
    help="A row of that name: the outputs of one system, as files or a pattern (Ours=seed*.json). "
    "Takes all arguments up to the next option; may be repeated.",
)
@click.option(
    "--baseline",
    metavar="SYSTEM",
    multiple=True,
    help="Predictions to test against, a NAME of --name, or an entry, whose outputs may be "
    "missing. May be repeated: the seeds of one baseline.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("latex", "md", "csv")),
    default="latex",
    show_default=True,
)
@option.benchmark
@option.rules
def command(
    predictions: Sequence[str],
    named: Mapping[str, Sequence[str]],
    baseline: Sequence[str],
    format_: str,
    benchmark: str | None,
    rules: str,
) -> None:
    """Print a paper's table of BLEU, Inform, Success and Combined, with PREDICTIONS as training
    seeds of one system: mean and standard deviation, the baseline, marks of significance, caption,
    the sentence to put under it, and BibTeX. Plays (files of `mwz play`, entries of the track live)
    have a row for each agent, with pass^k. LaTeX needs the package booktabs; csv has the figures.
    """
    if not predictions and not named.keys() - baseline:
        raise click.UsageError("give PREDICTIONS, or a row by --name besides the baseline")
    groups = [("", predictions), *named.items()]
    if len(baseline) == 1 and baseline[0] in named:
        groups.sort(key=lambda row: row[0] != baseline[0])
    else:
        groups.insert(0, ("", baseline))
    groups = [row for row in groups if row[1]]
    for _, files in groups:
        if len({*files}) < len(files):
            raise InputError(", ".join(files), "a file is there twice; give each seed once")
    all_files: list[str] = []
    for _, files in groups:
        all_files += files
    plays = read_plays(all_files, benchmark)
    if plays:
        option.accept_only("predictions", "named", "baseline", "format_", "benchmark")
        rows, about = _rows_of_plays(plays, named)
    else:
        about = ""
        options = Options(rules=rules, setup="strict", metrics=["bleu", "inform", "lower_bound"])
        entries = [found_entry(name) for name in baseline if name not in named]
        if any(entries):
            if len(baseline) > 1:
                raise InputError("--baseline", "give one entry, or files: seeds of one system")
            del groups[0]
        outputs = [(name, list(map(read_outputs, files))) for name, files in groups]
        rows = _rows(outputs, options, chosen_benchmark(benchmark))
        for entry in filter(None, entries):
            stored = [board.stored_evidence(entry)]
            rows.insert(0, board.PaperSystem(entry.system.name, [entry.scores.main], stored, entry))
    paper_baseline = rows.pop(0) if baseline else None
    click.echo(printable(board.paper(paper_baseline, rows, format_, about)), nl=False)


def _rows_of_plays(
    plays: Sequence[tuple[str, object]], named: Mapping[str, Sequence[str]]
) -> tuple[list[board.PaperSystem], str]:
    """Return a row for each agent, and what the table says about them.

    Raises:
        InputError: The plays of a row are of several agents.
    """
    name_of_file = {}
    for name, files in named.items():
        name_of_file.update(dict.fromkeys(map(shown_name, files), name))
    plays = [(name_of_file.get(source, source), play) for source, play in plays]
    if sorted(name for name, _ in plays if name in named) != sorted(named):
        raise InputError("--name", "a row of plays is the trials of one agent")
    evidence, about = import_room("harness.live.live_track", "plays").compared_plays(plays)
    return [board.PaperSystem(agent.name, (), [agent]) for agent in evidence], about


def _rows(
    groups: Sequence[tuple[str, Sequence[NamedOutputs]]], options: Options, benchmark: Benchmark
) -> list[board.PaperSystem]:
    """Return a row for each system.

    Args:
        groups: The name of each, or "" for that of its only output; its outputs.
        options: How to score.
        benchmark: What to score on.

    Raises:
        InputError: Some outputs cannot be scored.
    """
    all_outputs: list[NamedOutputs] = []
    for _, outputs in groups:
        all_outputs += outputs
    all_scored = iter(score_outputs(all_outputs, options, ["evidence"], benchmark))
    short = iter(short_names([output.name for output in all_outputs]))
    rows = []
    for name, outputs in groups:
        scored = list(islice(all_scored, len(outputs)))
        names = list(islice(short, len(outputs)))
        title, entry = "System", None
        if len(outputs) == 1:
            title, entry = names[0], outputs[0].entry
        title = name or title
        reports = [outcome.report for outcome in scored]
        rows.append(board.PaperSystem(title, reports, as_stored(scored, benchmark), entry))
    return rows
