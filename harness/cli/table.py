"""`mwz table`: print the table of a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from glob import glob
from itertools import chain
from pathlib import Path

import click

from mwz.normalization import DEFAULT_RULES

from .. import board
from ..benchmark import Benchmark
from ..data import gold_versions, installed_gold_states, load_gold_states
from ..errors import InputError
from ..io import printable, short_names, shown_name
from ..metrics import GoldStates, TrackedFile
from ..rooms import import_room
from ..scoring import Options
from . import BETWEEN, option
from .dst import tracked_files
from .reading import (
    NamedOutputs,
    as_stored,
    chosen_benchmark,
    read_outputs,
    read_plays,
    score_outputs,
)
from .tracked_files import annotated


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
    help="Predictions or an entry to test against, or a NAME of --name. May be repeated: the seeds "
    "of one baseline.",
)
@click.option(
    "--format",
    "format_",
    type=click.Choice(("latex", "md", "csv")),
    default="latex",
    show_default=True,
)
@click.option(
    "--gold",
    "gold_version",
    metavar="VERSION,…",
    help="Compare belief states with these gold states, such as 2.2,2.4. [default: a file's own, "
    "else all that are installed]",
)
@option.flag(
    "--zero-shot",
    help="JGA of each domain by itself, as zero-shot papers report it. Files of a row that track "
    "one domain each are one tracker's.",
)
@option.benchmark
@option.rules
def command(
    predictions: Sequence[str],
    named: Mapping[str, Sequence[str]],
    baseline: Sequence[str],
    format_: str,
    gold_version: str | None,
    zero_shot: bool,
    benchmark: str | None,
    rules: str,
) -> None:
    """Print a paper's table of BLEU, Inform, Success and Combined, with PREDICTIONS as training
    seeds of one system: mean and standard deviation, the baseline, marks of significance, caption,
    the sentence to put under it, and BibTeX. Plays (files of `mwz play`, entries of the track live)
    have a row for each agent, with pass^k. Trackers, and any states with --gold, have JGA with each
    version of the gold states, and slot F1, FGA and GCA with one: the benchmark's own if it is
    among them, else the first named. LaTeX needs the package booktabs; csv has the figures.
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
        kind = "plays"
    else:
        outputs = []
        for name, files in groups:
            outputs.append((name, [read_outputs(file, required=False) for file in files]))
        rows, about, kind = _scored_rows(outputs, benchmark, rules, gold_version, zero_shot)
    paper_baseline = rows.pop(0) if baseline else None
    click.echo(printable(board.paper(paper_baseline, rows, format_, kind, about)), nl=False)


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


def _scored_rows(
    groups: Sequence[tuple[str, Sequence[NamedOutputs]]],
    benchmark: str | None,
    rules: str,
    gold_version: str | None,
    zero_shot: bool,
) -> tuple[list[board.PaperSystem], str, str]:
    """Return a row for each system, what the table says about them, and their kind."""
    has_tracker = False
    for _, outputs in groups:
        has_tracker |= any(output.is_tracker() for output in outputs)
    if not (has_tracker or gold_version or zero_shot):
        options = Options(rules=rules, setup="strict", metrics=["bleu", "inform", "lower_bound"])
        return _rows(groups, options, chosen_benchmark(benchmark)), "", "responses"
    accepted = ("predictions", "named", "baseline", "format_", "benchmark")
    option.accept_only(*accepted, "gold_version", "zero_shot", kind="states alone")
    if zero_shot:
        rows = _zero_shot_rows(groups, benchmark, gold_version)
        return rows, "joint goal accuracy of each domain by itself", "zero-shot"
    return *_tracked_rows(groups, benchmark, gold_version), "states"


def _tracked_rows(
    groups: Sequence[tuple[str, Sequence[NamedOutputs]]],
    benchmark: str | None,
    gold_version: str | None,
) -> tuple[list[board.PaperSystem], str]:
    """Return a row for each tracker: against the gold states named, or all that are installed.

    Files that all have gold states of their own are compared with these, where none are named.

    Returns:
        The rows, and what the gold states are.

    Raises:
        InputError: Some states cannot be scored.
    """
    load_benchmark = cache(partial(chosen_benchmark, benchmark))
    loaded = load_benchmark()
    own_version, _ = gold_versions(loaded.name)
    versions = sorted({own_version or "", *installed_gold_states(loaded.name)} - {""})
    have_own_gold = gold_version is None
    for output in chain.from_iterable(outputs for _, outputs in groups):
        if output.entry is None:
            have_own_gold = have_own_gold and output.has_gold_states()
            continue
        have_own_gold = False
        if output.missing is not None:
            stored = {scores.version for scores in output.entry.scores.tracked()}
            versions = [version for version in versions if version in stored]
    if gold_version is not None:
        versions = [version.strip() for version in gold_version.split(",")]
    golds = [load_gold_states(version, loaded) for version in versions]
    against = [None] if have_own_gold or not golds else golds
    rows = []
    for name, outputs in groups:
        entry = outputs[0].entry if len(outputs) == 1 else None
        if entry is not None and outputs[0].missing is not None:
            row = board.stored_row(entry, versions)
        else:
            seeds = []
            for output in outputs:
                read = tracked_files([output], against, load_benchmark)
                seeds.append([file for _, file in read])
            row = board.tracker_row(_title("", outputs), seeds, entry)
        rows.append(replace(row, name=name or row.name))
    if rows[0].evidence[0].signature.benchmark is None:
        return rows, "with the gold states of the files"
    if not golds:
        return rows, "with the gold states of the benchmark"
    return rows, _about_versions(loaded.name, golds)


def _about_versions(benchmark: str, golds: Sequence[GoldStates]) -> str:
    """Return which gold states figures are with, as the caption says it."""
    turns = ", ".join(f"{gold.version}: {gold.turns} turns" for gold in golds)
    about = f"with the gold states of the MultiWOZ versions in parentheses ({turns})"
    if len(golds) == 1:
        return about
    version = board.main_version(benchmark, [gold.version for gold in golds])
    return f"{about}; F1, FGA and GCA with those of {version}"


def _zero_shot_rows(
    groups: Sequence[tuple[str, Sequence[NamedOutputs]]],
    benchmark: str | None,
    gold_version: str | None,
) -> list[board.PaperSystem]:
    """Return a row for each tracker, with JGA of the domains that all of them track.

    The files of a row are those of one tracker if each tracks one domain, another each.

    Raises:
        InputError: Some states cannot be scored, or no domain is tracked by all.
    """
    load_benchmark = cache(partial(chosen_benchmark, benchmark))
    gold = None if gold_version is None else load_gold_states(gold_version, load_benchmark())
    tracked = []
    common: set[str] | None = None
    for name, outputs in groups:
        seeds = []
        for _, read in tracked_files(outputs, [gold], load_benchmark):
            file = annotated(read, load_benchmark)
            domains = file.predicted_domains
            if len(domains) != 1:
                domains = file.gold_domains
            seeds.append(dict.fromkeys(sorted(domains), file))
        joined: dict[str, TrackedFile] = {}
        for by_domain in seeds:
            joined |= by_domain
        if len(joined) == len(seeds) == sum(map(len, seeds)):
            seeds = [joined]
        for by_domain in seeds:
            common = set(by_domain) if common is None else common & by_domain.keys()
        tracked.append((_title(name, outputs), seeds))
    if not common:
        raise InputError("--zero-shot", "no domain is tracked by all files")
    return [board.zero_shot_row(name, seeds, sorted(common)) for name, seeds in tracked]


def _title(name: str, outputs: Sequence[NamedOutputs]) -> str:
    """Return what the row of a system is called."""
    if name or len(outputs) > 1:
        return name or "System"
    entry = outputs[0].entry
    return short_names([outputs[0].name])[0] if entry is None else entry.system.name


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
    # By the default rule set, entries need no outputs.
    scored_outputs = []
    names = []
    for _, outputs in groups:
        for output in outputs:
            names.append(output.name)
            if output.missing is not None and options.rules != DEFAULT_RULES:
                raise output.missing
            if output.missing is None:
                scored_outputs.append(output)
    all_scored = iter(score_outputs(scored_outputs, options, ["evidence"], benchmark))
    short = iter(short_names(names))
    rows = []
    for name, outputs in groups:
        reports, evidence = [], []
        for output in outputs:
            title = next(short)
            if output.missing is not None:
                assert output.entry is not None
                title = output.entry.system.name
                reports.append(output.entry.scores.main)
                evidence.append(board.stored_evidence(output.entry))
            else:
                scored = next(all_scored)
                reports.append(scored.report)
                evidence += as_stored([scored], benchmark)
        entry = outputs[0].entry if len(outputs) == 1 else None
        if len(outputs) > 1:
            title = "System"
        rows.append(board.PaperSystem(name or title, reports, evidence, entry))
    return rows
