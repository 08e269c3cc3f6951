"""`mwz data`: install and list benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from mwz.normalization.rules import published_rule_sets, rule_set

from ..data.declared import Built, DataSet, build_benchmark, declared_names, read_data_set, select
from ..data.fetching import (
    MIRROR_VARIABLE,
    Transfer,
    fetch_benchmark,
    urls,
    wrong_files,
)
from ..data.fingerprints import comparison_text, differences
from ..data.gold_states import all_gold_states, install_gold_states, read_gold_states
from ..data.installed import (
    DEFAULT,
    SAMPLE,
    benchmark_path,
    downloads_directory,
    install_benchmark,
    installed_benchmarks,
    load_benchmark,
)
from ..data.reference_statistics import statistics_tables
from ..data.tasks import Tasks, install_tasks, read_tasks
from ..errors import refuse
from ..io.tables import formatted, text_table
from ..signature import SHOWN_HASH
from . import notify, option

_FOLDER = click.Path(path_type=Path)


@click.group(
    help="Install and list benchmarks. `fetch` downloads the public files of a data set and "
    "installs its benchmark; `import` does it from clones on this machine. Without either there "
    f"is the built-in `{SAMPLE}`. They are kept in the folder that MWZ_DATA names, or where the "
    f"platform keeps user data. Data sets: {', '.join(declared_names())}."
)
def command() -> None:
    """Install and list benchmarks."""


_data_set = click.argument(
    "data_set",
    metavar="[NAME]",
    default=DEFAULT,
    callback=lambda ctx, param, value: read_data_set(value),
)


@command.command()
@_data_set
@click.option(
    "--split",
    type=click.Choice(("test", "all")),
    default="test",
    show_default=True,
    help="all: the train and dev dialogues as well, to find the test goals that occur there.",
)
@option.flag("--predictions", help="The outputs of the published systems as well.")
@click.option(
    "--from",
    "mirror",
    metavar="URL",
    envvar=MIRROR_VARIABLE,
    help="Mirror to use instead of GitHub: an http, https or file URL below which the files are "
    "at <owner>/<repository>/<commit>/<path>, or at <repository>/<path> as in clones side by "
    f"side. [default: ${MIRROR_VARIABLE}]",
)
@option.flag("--offline", help="Use only what was fetched before.")
def fetch(
    data_set: DataSet, split: str, predictions: bool, mirror: str | None, offline: bool
) -> None:
    """Download the public files of the data set NAME and install its benchmark.

    Every file is of one pinned version and is checked before it is used. What was fetched before
    is not fetched again, so an interrupted run goes on where it was. Proxies are taken from the
    usual variables (HTTPS_PROXY, NO_PROXY).
    """
    transfer = Transfer(mirror, offline, progress=sys.stderr.isatty(), notify=notify)
    _install(fetch_benchmark(data_set, split, predictions, downloads_directory(), transfer))
    if predictions:
        click.echo(f"outputs of the published systems: in {downloads_directory()}")


@command.command("urls")
@_data_set
def list_urls(data_set: DataSet) -> None:
    """List the URLs of all files that `fetch` may download, one a line.

    To fetch them in another way: below the folder `downloads` of the data directory each belongs
    at the path it has in its URL, <owner>/<repository>/<commit>/<path>. Then use
    `mwz data fetch --offline`.
    """
    for file in select(data_set.sources, "all", predictions=True):
        click.echo(urls(file, mirror=None)[0])


@command.command()
@option.flag("--all", "every", help="List every turn that differs.")
def verify(every: bool) -> int:
    """Check the downloaded files and the installed benchmarks.

    Where a file is wrong the exit status is 2; `mwz data fetch` fetches it again. A benchmark is
    also compared, turn by turn, with the one that the leaderboard is scored on; the exit status is
    1 where it differs.
    """
    folder = downloads_directory()
    sets = map(read_data_set, declared_names())
    pinned = [file for one in sets for source in one.sources for file in source.files]
    number, wrong = wrong_files(pinned, folder)
    refuse(str(folder), [f"{path} is not as pinned; fetch it again" for path in wrong])
    click.echo(f"{number} downloaded files are as pinned")
    differ = False
    for name in installed_benchmarks():
        if benchmark_path(name) is not None:
            differing = differences(load_benchmark(name))
            differ |= bool(differing)
            click.echo(f"benchmark {name}: readable{comparison_text(differing, every)}")
    for gold in all_gold_states():
        click.echo(f"gold states {gold.version} of {gold.benchmark}: readable")
    return int(differ)


def _clone_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each source of a declared data set that a clone can be given of."""
    clones = {
        source.clone: source.repository + (f" (optional: {source.role})" if source.optional else "")
        for name in declared_names()
        for source in read_data_set(name).sources
        if source.clone is not None
    }
    for clone, about in reversed(clones.items()):
        function = click.option(f"--{clone}", type=_FOLDER, help=f"Clone of {about}.")(function)
    return function


@command.command("import")
@_data_set
@_clone_options
@click.option(
    "--states",
    type=(str, _FOLDER),
    multiple=True,
    metavar="VERSION PATH",
    help="Instead: the gold states of another version, such as 2.4, for `mwz dst --gold`. PATH is "
    "its data.json, the test_dials.json that TRADE's script makes of it, or their folder; may be "
    "repeated.",
)
def import_(data_set: DataSet, states: Sequence[tuple[str, Path]], **clones: Path | None) -> None:
    """Build the benchmark of the data set NAME from clones (or copies) of its repositories.

    Where a clone has the train and dev dialogues, the test goals that occur there are found. With
    --states, install gold states of other versions beside the benchmark; with --convlab2 alone, the
    tasks of `mwz play`.
    """
    given = {clone: path for clone, path in clones.items() if path is not None}
    if states:
        if given:
            raise click.UsageError("--states stands alone; build the benchmark first, without it")
        _import_states(data_set, states)
        return
    if given.keys() == {"convlab2"}:
        _install_tasks(read_tasks(given["convlab2"]), data_set.name)
        return
    cloned = {source.clone: source for source in data_set.sources if source.clone}
    needed = [f"--{c}" for c, source in cloned.items() if not (c in given or source.optional)]
    if needed:
        raise click.UsageError(f"{data_set.name} needs {' and '.join(needed)}")
    folders = {cloned[clone].role: path for clone, path in given.items() if clone in cloned}
    _install(build_benchmark(data_set, folders))


@command.command()
@click.argument("name", metavar="[BENCHMARK]", required=False)
def statistics(name: str | None) -> None:
    """Show what a benchmark holds, and how far its reference styles agree.

    Dialogues, goals that occur in train or dev, turns with a slot, and of these those whose
    references are identical, or different in any two styles.
    """
    click.echo(formatted(statistics_tables(load_benchmark(name)), "text"), nl=False)


@command.command("list")
def list_() -> None:
    """Show the benchmarks at hand."""
    rules = published_rule_sets()
    headers = ["name", "dialogues", "turns", "seen goals", *(f"content ({name})" for name in rules)]
    rows = []
    for name in installed_benchmarks():
        benchmark = load_benchmark(name)
        hashes = [benchmark.content_hash(rule_set(name))[:SHOWN_HASH] for name in rules]
        path = benchmark_path(name)
        number = len(benchmark.dialogues)
        seen = "–" if benchmark.seen is None else f"{len(benchmark.seen)} of {number}"
        where = "built in" if path is None else str(path)
        rows.append([name, str(number), str(benchmark.turns), seen, *hashes, where])
    click.echo(text_table([*headers, "where"], rows))
    states = [
        [gold.version, gold.benchmark, str(len(gold.states)), gold.digest[:SHOWN_HASH]]
        for gold in all_gold_states()
    ]
    if states:
        click.echo(f"\n{text_table(['gold states', 'of', 'dialogues', 'content'], states)}")


def _import_states(data_set: DataSet, wanted: Sequence[tuple[str, Path]]) -> None:
    """Install gold states of a data set's dialogues: all that are wanted, or none."""
    benchmark = load_benchmark(data_set.name)
    imported = [read_gold_states(version, path, benchmark) for version, path in wanted]
    for gold, notes in imported:
        path = install_gold_states(gold)
        counts = f"{len(gold.states)} dialogues, {gold.turns} turns"
        content = f"content {gold.digest[:SHOWN_HASH]}, in {path}"
        click.echo(f"installed gold states {gold.version} of {benchmark.name}: {counts}, {content}")
        click.echo("\n".join(notes))


def _install_tasks(tasks: Tasks, benchmark: str) -> None:
    path = install_tasks(tasks, benchmark)
    click.echo(f"installed tasks of {benchmark}: {len(tasks.tasks)}, in {path}")


def _install(built: Built) -> None:
    benchmark = built.benchmark
    path = install_benchmark(benchmark)
    if built.tasks is not None:
        _install_tasks(built.tasks, benchmark.name)
    counts = f"{len(benchmark.dialogues)} dialogues, {benchmark.turns} system turns"
    click.echo(f"installed {benchmark.name}: {counts}, in {path}")
    click.echo("\n".join(built.notes))
