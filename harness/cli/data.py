"""`mwz data`: install and list benchmarks."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from mwz.normalization.rules import published_rule_sets, rule_set

from ..data.declared import (
    Built,
    DataSet,
    Sources,
    build_benchmark,
    declared_names,
    read_data_set,
    select,
)
from ..data.fetching import (
    MIRROR_VARIABLE,
    Transfer,
    fetch_benchmark,
    fetch_files,
    kept_files,
    urls,
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
from ..errors import without_secrets
from ..io.rendering import text_table
from ..io.tables import formatted
from ..signature import SHOWN_HASH
from . import notify, option
from .reading import benchmark_chooser

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
_split = click.option(
    "--split",
    type=click.Choice(("test", "all")),
    default="test",
    show_default=True,
    help="all: the train and dev dialogues as well, to find the test goals that occur there.",
)
_predictions = option.flag("--predictions", help="The outputs of the published systems as well.")
_mirror = click.option(
    "--from",
    "mirror",
    metavar="URL",
    envvar=MIRROR_VARIABLE,
    help="Mirror to use instead of GitHub: an http, https or file URL below which the files are "
    "at <owner>/<repository>/<commit>/<path>, or at <repository>/<path> as in clones side by "
    f"side. [default: ${MIRROR_VARIABLE}]",
)
_offline = option.flag("--offline", help="Use only what was fetched before.")
_timeout = click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(min=0, min_open=True, max=3600),
    default=Transfer.timeout,
    show_default=True,
    help="How long to wait for a connection and for each piece of an answer.",
)
_attempts = click.option(
    "--attempts",
    metavar="N",
    type=click.IntRange(min=1),
    default=Transfer.attempts,
    show_default=True,
    help="Number of attempts if the server fails.",
)


def _transfer(**options: Any) -> Transfer:
    """Return how to fetch, as the options of these names say."""
    return Transfer(progress=sys.stderr.isatty(), notify=notify, **options)


@command.command()
@_data_set
@_split
@_predictions
@_mirror
@_offline
@_timeout
@_attempts
def fetch(data_set: DataSet, split: str, predictions: bool, **transfer: Any) -> None:
    """Download the public files of the data set NAME and install its benchmark.

    Every file is of one pinned version and is checked before it is used. What was fetched before
    is not fetched again, so an interrupted run goes on where it was. Proxies are taken from the
    usual variables (HTTPS_PROXY, NO_PROXY).
    """
    folder = downloads_directory()
    _install(fetch_benchmark(data_set, split, predictions, folder, _transfer(**transfer)))
    if predictions:
        click.echo("outputs of the published systems:")
        for file in select(data_set.sources, split, predictions):
            if file.part == "predictions":
                click.echo(f"  {folder / file.place}")


@command.command()
@option.flag("--all", "every", help="List every turn that differs.")
@_mirror
@_offline
@_timeout
@_attempts
def verify(every: bool, **transfer: Any) -> int:
    """Check the downloaded files and the installed benchmarks.

    A wrong file is named, removed and fetched again (not with --offline); what then is still
    wrong is reported, and the exit status is 2. A benchmark is also compared, turn by turn, with
    the one that the leaderboard is scored on; the exit status is 1 where it differs.
    """
    folder = downloads_directory()
    sets = map(read_data_set, declared_names())
    pinned = [file for one in sets for source in one.sources for file in source.files]
    kept = kept_files(pinned, folder)
    fetched = fetch_files(kept, folder, _transfer(**transfer))
    again = f", {fetched} of them fetched again" if fetched else ""
    click.echo(f"{len(kept)} downloaded files are as pinned{again}")
    differ = False
    for name in installed_benchmarks():
        if benchmark_path(name) is not None:
            found = differences(load_benchmark(name))
            differ |= bool(found)
            click.echo(f"benchmark {name}: readable{comparison_text(found, every)}")
    for gold in all_gold_states():
        click.echo(f"gold states {gold.version} of {gold.benchmark}: readable")
    return int(differ)


@command.command("urls")
@_data_set
@_split
@_predictions
@_mirror
def list_urls(data_set: DataSet, split: str, predictions: bool, mirror: str | None) -> None:
    """List the URLs of the files that `fetch` downloads, one a line.

    To fetch them in another way: below the folder `downloads` of the data directory each belongs
    at the path it has in its URL, <owner>/<repository>/<commit>/<path>. Then use
    `mwz data fetch --offline`. A user and a password in the mirror's URL are left out.
    """
    for file in select(data_set.sources, split, predictions):
        click.echo(without_secrets(urls(file, mirror)[0]))


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
@option.flag(
    "--rebuild",
    help="Build everything from the original annotation, even what a clone has ready.",
)
@click.option(
    "--states",
    type=(str, _FOLDER),
    multiple=True,
    metavar="VERSION PATH",
    help="Instead: the gold states of another version, such as 2.4, for `mwz dst --gold`. PATH is "
    "its data.json, the test_dials.json that TRADE's script makes of it, or their folder; may be "
    "repeated.",
)
def import_(
    data_set: DataSet,
    rebuild: bool,
    states: Sequence[tuple[str, Path]],
    **clones: Path | None,
) -> None:
    """Build the benchmark of the data set NAME from clones (or copies) of its repositories.

    Where a clone has the train and dev dialogues, the test goals that occur there are found. With
    --states, install gold states of other versions beside the benchmark; with --convlab2 alone, the
    tasks of `mwz play`.
    """
    if states:
        if rebuild or any(clones.values()):
            raise click.UsageError("--states stands alone; build the benchmark first, without it")
        _import_states(data_set, states)
        return
    cloned = {source.clone: source for source in data_set.sources if source.clone}
    given = {clone: path for clone, path in clones.items() if path is not None}
    if given.keys() == {"convlab2"}:
        _install_tasks(read_tasks(given["convlab2"]), data_set.name)
        return
    missing = [f"--{clone}" for clone, one in cloned.items() if not (clones[clone] or one.optional)]
    if missing:
        raise click.UsageError(f"{data_set.name} needs {' and '.join(missing)}")
    folders = {one.role: path for clone, one in cloned.items() if (path := clones[clone])}
    sources = Sources(folders=folders, venues={}, rebuild=rebuild, all_splits=True)
    _install(build_benchmark(data_set, sources))


@command.command()
@click.argument("name", metavar="[BENCHMARK]", required=False)
@option.table_format()
def statistics(name: str | None, format_: str) -> None:
    """Show what a benchmark holds, and how far its reference styles agree.

    Dialogues, goals that occur in train or dev, turns with a slot, and of these those whose
    references are identical, or different in any two styles.
    """
    benchmark = benchmark_chooser(name, "of")(())
    click.echo(formatted(statistics_tables(benchmark), format_), nl=False)


@command.command("list")
def list_() -> None:
    """Show the benchmarks at hand."""
    rules = published_rule_sets()
    headers = ["name", "dialogues", "turns", "seen goals"]
    headers += [f"content ({name})" for name in rules]
    rows = []
    for name in installed_benchmarks():
        benchmark = load_benchmark(name)
        hashes = [benchmark.content_hash(rule_set(name))[:SHOWN_HASH] for name in rules]
        where = benchmark_path(name)
        dialogues = len(benchmark.dialogues)
        seen = "–" if benchmark.seen is None else f"{len(benchmark.seen)} of {dialogues}"
        counts = [str(dialogues), str(benchmark.turns), seen]
        rows.append([name, *counts, *hashes, "built in" if where is None else str(where)])
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
    read = [read_gold_states(version, path, benchmark) for version, path in wanted]
    for imported in read:
        gold, path = imported.gold, install_gold_states(imported.gold)
        content = f"content {gold.digest[:SHOWN_HASH]}, in {path}"
        told = f"{len(gold.states)} dialogues, {gold.turns} turns, {content}"
        told = f"installed gold states {gold.version} of {benchmark.name}: {told}"
        click.echo("\n".join([told, *imported.notes]))


def _install_tasks(tasks: Tasks, benchmark: str) -> None:
    path = install_tasks(tasks, benchmark)
    click.echo(f"installed tasks of {benchmark}: {len(tasks.tasks)}, in {path}")


def _install(built: Built) -> None:
    benchmark = built.benchmark
    path = install_benchmark(benchmark)
    if built.tasks is not None:
        _install_tasks(built.tasks, benchmark.name)
    told = f"{len(benchmark.dialogues)} dialogues, {benchmark.turns} system turns, in {path}"
    click.echo("\n".join([f"installed {benchmark.name}: {told}", *built.notes]))
