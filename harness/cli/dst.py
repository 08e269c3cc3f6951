"""`mwz dst`: score dialogue state tracking, of one or several files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain

import click

from ..benchmark import Benchmark
from ..data import load_gold_states
from ..errors import InputError, refuse, unknown
from ..glossary import term_of
from ..io import STANDARD_STREAM, formatted, printable, short_names, write_json
from ..metrics import (
    VARIANTS,
    Choices,
    GoldStates,
    TrackedFile,
    parse_tracking_file,
    tracking_metrics,
)
from ..submission import EMPTY_STATES, dialogue_id, empty_states, parse_predictions
from . import notify, option, tell
from .reading import NamedOutputs, chosen_benchmark, read_outputs
from .tracked_files import (
    ScoredFile,
    plot_tracking,
    score_file,
    tracking_tables,
    with_intervals,
    without,
)

_VALUES = "; ".join(f"{name}={'|'.join(values)}" for name, values in VARIANTS.items())

files_argument = click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, type=option.FILE
)

states_options = option.together(
    option.benchmark,
    click.option(
        "--gold",
        "gold_version",
        metavar="VERSION,…",
        help="Compare with the benchmark's gold states of these versions, such as 2.4 or 2.2,2.4, "
        "whatever gold states a FILE has; `mwz data fetch --states` or `mwz data import --states` "
        "installs them.",
    ),
    click.option(
        "--variant",
        "variants",
        metavar="NAME=VALUE",
        multiple=True,
        help=f"Choose a variant of the metrics; may be repeated. {_VALUES}; slots=NUMBER; "
        "lambda=L,…; forget=SHARE,TURNS, which adds the λ that forgets this share of an "
        "error in so many turns; forget:DOMAIN=SHARE,TURNS. docs/state-tracking.md explains them.",
    ),
)
"""The options that say with what states are compared, and how: those of `scored_files`."""


def scored_files(
    files: Sequence[str | NamedOutputs],
    benchmark: str | None,
    gold_version: str | None = None,
    choices: Choices = Choices(),
    wanted: str | None = None,
    leave_out: Sequence[str] = (),
    refuse_file: Callable[[InputError], None] | None = None,
) -> list[ScoredFile]:
    """Read files of states and score them; remarks on them are printed.

    Args:
        files: Files, `-` for standard input; what the harness makes; names of entries; or the
            outputs that these are.
        benchmark: The value of `--benchmark`.
        gold_version: The value of `--gold`: each file is scored with each version.
        choices: What the values of `--variant` choose.
        wanted: The id of a dialogue to show turn by turn.
        leave_out: Ids of dialogues and domains; each domain is scored by itself as well.
        refuse_file: Called with why a file cannot be read or scored, and the others are scored; by
            default, that is raised.

    Raises:
        InputError: A file cannot be read or scored, gold states are not installed, or what is to be
            left out is in no file.
    """
    load_benchmark = cache(partial(chosen_benchmark, benchmark))
    golds: list[GoldStates | None] = [None]
    if gold_version:
        versions = [version.strip() for version in gold_version.split(",")]
        golds = [load_gold_states(version, load_benchmark()) for version in versions]
    tracked = tracked_files(files, golds, load_benchmark, refuse_file)
    gold_domains: set[str] = set()
    ids: set[str] = set()
    for _, file in tracked:
        gold_domains |= file.gold_domains
        ids.update(dialogue_id(dialogue.id) for dialogue in file.dialogues)
        ids.update(file.left_out)
    problems = []
    for name in leave_out:
        if name not in gold_domains and dialogue_id(name) not in ids:
            problems.append(unknown("dialogue or domain", name, sorted(gold_domains)))
    refuse("--leave-out", problems)
    scored: list[ScoredFile] = []
    for name, file in tracked:
        parts: list[ScoredFile] = []
        try:
            for what, part, changed in without(file, leave_out, gold_domains, load_benchmark):
                title = f"{name} {what}".strip()
                chosen = replace(choices, **changed)
                parts.append(score_file(part, title, load_benchmark, chosen, wanted))
        except InputError as error:
            if refuse_file is None:
                raise
            refuse_file(error)
            continue
        scored += parts
    domains: set[str] = set()
    for scored_file in scored:
        domains.update(scored_file.result.per_domain)
    lacking = sorted(choices.domain_lambdas.keys() - domains)
    refuse("--variant", [unknown("domain", domain, sorted(domains)) for domain in lacking])
    return scored


def tracked_files(
    files: Sequence[str | NamedOutputs],
    golds: Sequence[GoldStates | None],
    load_benchmark: Callable[[], Benchmark],
    refuse_file: Callable[[InputError], None] | None = None,
) -> list[tuple[str, TrackedFile]]:
    """Return the states of files with each of some gold states, and what to call them.

    Remarks on a file are printed once.
    """
    tracked: list[tuple[str, TrackedFile]] = []
    names = [file.name if isinstance(file, NamedOutputs) else file for file in files]
    for given, name in zip(files, short_names(names), strict=True):
        with_golds: list[TrackedFile] = []
        try:
            outputs = given if isinstance(given, NamedOutputs) else read_outputs(given)
            if outputs.missing is not None:
                raise outputs.missing
            states: object
            if not isinstance(outputs.content, str):
                states = parse_predictions(outputs.content, outputs.source)
            elif outputs.content == EMPTY_STATES:
                states = empty_states(load_benchmark())
            else:
                raise InputError(outputs.source, "has no predicted states; @empty has")
            for gold in golds:
                file = parse_tracking_file(states, outputs.source, load_benchmark, gold)
                if not with_golds and not isinstance(outputs.content, str):
                    tell(file.source, file.remarks)
                with_golds.append(file)
        except InputError as error:
            if refuse_file is None:
                raise
            refuse_file(error)
            continue
        for file in with_golds:
            version = f" ({file.gold.version})" if file.gold and len(golds) > 1 else ""
            tracked.append((f"{name}{version}", file))
    return tracked


class _Command(click.Command):
    """A command whose help ends with the metrics that register themselves."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Metrics"):
            names = tracking_metrics()
            formatter.write_dl([(name, term_of("metrics", name).meaning) for name in names])


@click.command("dst", cls=_Command)
@files_argument
@states_options
@click.option(
    "--leave-out",
    metavar="DOMAIN|ID",
    multiple=True,
    help="Score without a domain, and the domain by itself, as zero-shot papers do; or without a "
    "dialogue, such as pmul1455, which trackers' files may lack. May be repeated.",
)
@option.flag("--per-domain", help="Also show each domain and each slot.")
@option.intervals
@option.table_format()
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write a list of reports; -: standard output."
)
@click.option("--dialogue", "wanted", metavar="ID", help="Show one dialogue turn by turn.")
@click.option("--plot", metavar="FILE.svg|png|pdf", help="Draw the figures side by side.")
def command(
    *,
    files: Sequence[str],
    benchmark: str | None,
    gold_version: str | None,
    variants: Sequence[str],
    leave_out: Sequence[str],
    per_domain: bool,
    intervals: bool,
    format_: str,
    json_target: str | None,
    wanted: str | None,
    plot: str | None,
) -> int:
    """Score state tracking. A FILE (JSON, plain or gzipped; -: standard input) holds gold and
    predicted states, or predicted states only, which are compared with the benchmark's: a tracker's
    output or a submission, or @empty or the name of an entry. Several FILEs are shown
    side by side; one that cannot be scored is reported, and the others are scored.
    """
    choices = Choices.from_variants(variants)
    refused: list[InputError] = []

    def refuse_file(error: InputError) -> None:
        if len(files) == 1:
            raise error
        refused.append(error)
        notify(str(error))

    scored = scored_files(files, benchmark, gold_version, choices, wanted, leave_out, refuse_file)
    status = 2 if refused else 0
    if refused:
        notify(f"{len(refused)} of {len(files)} files could not be scored")
    if not scored:
        return status
    if plot is not None:
        plot_tracking(scored, plot)
    if intervals:
        scored = list(map(with_intervals, scored))
    if json_target is not None:
        write_json(json_target, [scored_file.to_dict() for scored_file in scored])
    if json_target == STANDARD_STREAM:
        return status
    tables = tracking_tables(scored, per_domain, wanted)
    if format_ == "csv" and wanted is None:
        # A row per file, domain and slot.
        rows = chain.from_iterable(table.data for table in tables)
        tables = [replace(tables[0], data=list(rows))]
    click.echo(printable(formatted(tables, format_)), nl=False)
    return status
