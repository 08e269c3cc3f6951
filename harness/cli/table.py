"""`mwz table`: print the table of a paper."""

from __future__ import annotations

from collections.abc import Sequence

import click

from .. import board
from ..errors import InputError, room
from ..io import printable, short_names
from ..scoring import Options
from . import option
from .reading import (
    BenchmarkChooser,
    Outputs,
    as_stored,
    benchmark_chooser,
    found_entry,
    read_outputs,
    read_plays,
    score_outputs,
)


@click.command()
@option.several_predictions
@click.option(
    "--baseline",
    metavar="SYSTEM",
    multiple=True,
    help="Predictions to test against, or an entry, whose outputs may be missing. May be "
    "repeated: the seeds of one baseline.",
)
@option.seeds("Outputs of a further system, a row of its own. May be repeated.", True)
@click.option(
    "--format", "format_", type=click.Choice(("latex", "md")), default="latex", show_default=True
)
@option.benchmark
@option.rules
def command(
    predictions: Sequence[str],
    baseline: Sequence[str],
    seeds: Sequence[Sequence[str]],
    format_: str,
    benchmark: str | None,
    rules: str,
) -> None:
    """Print a paper's table of BLEU, Inform, Success and Combined, with PREDICTIONS as training
    seeds of one system: mean and standard deviation, the baseline, marks of significance, caption,
    the sentence to put under it, and BibTeX. Plays (files of `mwz play`, entries of the track live)
    have a row for each agent, with pass^k. LaTeX needs the package booktabs.
    """
    if plays := read_plays([*baseline, *predictions], benchmark, "scoring on"):
        option.of_plays("predictions", "baseline", "format_", "benchmark")
        evidence, about = room("live.live_track", "plays").compared_plays(plays)
        text = board.paper_of_plays(evidence, about, bool(baseline), format_)
        click.echo(printable(text), nl=False)
        return
    options = Options(rules=rules, setup="strict", metrics=["bleu", "inform", "lower_bound"])
    choose = benchmark_chooser(benchmark, "scoring on")
    entries = [found_entry(name) for name in baseline]
    if any(entries) and len(baseline) > 1:
        raise InputError("--baseline", "give one entry, or files that are seeds of one system")
    groups = [*([baseline] if baseline and not any(entries) else []), predictions, *seeds]
    outputs = [[read_outputs(name) for name in group] for group in groups]
    rows = _rows(outputs, options, choose)
    for entry in filter(None, entries):
        stored = [board.stored_evidence(entry)]
        rows.insert(0, board.PaperSystem(entry.system.name, [entry.scores.main], stored, entry))
    first, others = (rows[0], rows[1:]) if baseline else (None, rows)
    click.echo(printable(board.paper(first, others, format_)), nl=False)


def _rows(
    groups: Sequence[Sequence[Outputs]],
    options: Options,
    choose: BenchmarkChooser,
) -> list[board.PaperSystem]:
    """Return a row for each system.

    Args:
        groups: The outputs of each.
        options: How to score.
        choose: Returns the benchmark.

    Raises:
        InputError: Some outputs cannot be scored.
    """
    every = [one for group in groups for one in group]
    coming = iter(score_outputs(every, options, ["evidence"], choose))
    names = iter(short_names([one.name for one in every]))
    rows = []
    for group in groups:
        scored = [next(coming) for _ in group]
        name = board.system_name([next(names) for _ in group])
        entry = group[0].entry if len(group) == 1 else None
        evidence = as_stored(scored, choose)
        rows.append(board.PaperSystem(name, [one.report for one in scored], evidence, entry))
    return rows
