"""`mwz data`: the benchmarks on this machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import click

from ..benchmark import Benchmark
from ..data.fetching import (
    MIRROR_VARIABLE,
    Transfer,
    downloads_directory,
    fetch_benchmark,
    fetch_files,
    kept_files,
    urls,
)
from ..data.installed import (
    DAMAGED,
    SAMPLE,
    benchmark_path,
    content_hashes,
    install_benchmark,
    installed_benchmarks,
    to_document,
)
from ..data.overlap import Overlap, find_overlap
from ..data.pinned import read_pinned, select
from ..data.readers.multiwoz22 import build_benchmark
from ..data.venue_versions import venue_notes
from ..errors import InputError
from ..rendering import text_table
from ..signature import SHOWN_HASH

_Command = TypeVar("_Command", bound=Callable[..., Any])

_FOLDER = click.Path(path_type=Path)


@click.group(
    help="Install and list benchmarks. `fetch` downloads the public files and installs the "
    "benchmark `multiwoz`; `import` does it from clones on this machine. Without either there "
    f"is the built-in `{SAMPLE}`. They are kept in the folder that MWZ_DATA names, or where the "
    "platform keeps user data."
)
def command() -> None:
    """Install and list benchmarks."""


def _options(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return several options as one decorator."""

    def decorate(function: _Command) -> _Command:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


_chosen_files = _options(
    click.option(
        "--split",
        type=click.Choice(("test", "all")),
        default="test",
        show_default=True,
        help="all: the train and dev dialogues as well, to find the test goals that occur there.",
    ),
    click.option(
        "--predictions", is_flag=True, help="The outputs of the published systems as well."
    ),
)
_mirror = click.option(
    "--from",
    "mirror",
    metavar="URL",
    envvar=MIRROR_VARIABLE,
    help="Mirror to use instead of GitHub: an http, https or file URL below which the files are "
    "at <owner>/<repository>/<commit>/<path>, or at <repository>/<path> as in clones side by "
    f"side. [default: ${MIRROR_VARIABLE}]",
)
_patience = _options(
    click.option("--offline", is_flag=True, help="Use only what was fetched before."),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=click.FloatRange(min=0, min_open=True, max=3600),
        default=Transfer.timeout,
        show_default=True,
        help="How long to wait for a connection and for each piece of an answer.",
    ),
    click.option(
        "--attempts",
        metavar="N",
        type=click.IntRange(min=1),
        default=Transfer.attempts,
        show_default=True,
        help="How often to ask a server that is in trouble.",
    ),
)


@command.command()
@_chosen_files
@_mirror
@_patience
def fetch(
    split: str,
    predictions: bool,
    mirror: str | None,
    offline: bool,
    timeout: float,
    attempts: int,
) -> None:
    """Download the public files and install the benchmark `multiwoz`.

    Every file is of one pinned version and is checked before it is used. What was fetched before
    is not fetched again, so an interrupted run goes on where it was. Proxies are taken from the
    usual variables (HTTPS_PROXY, NO_PROXY).
    """
    transfer = _transfer(mirror, offline, timeout, attempts)
    folder = downloads_directory()
    sources = read_pinned()
    benchmark, overlap = fetch_benchmark(sources, split, predictions, folder, transfer)
    _install(benchmark, overlap)
    if predictions:
        click.echo("outputs of the published systems:")
        for file in select(sources, split, predictions):
            if file.part == "predictions":
                click.echo(f"  {folder / file.place}")


@command.command()
@_mirror
@_patience
def verify(mirror: str | None, offline: bool, timeout: float, attempts: int) -> None:
    """Check the downloaded files and the installed benchmarks.

    A wrong file is named, removed and fetched again (not with --offline); what then is still
    wrong is reported, and the exit status is 2.
    """
    folder = downloads_directory()
    every = [file for source in read_pinned() for file in source.files]
    kept = kept_files(every, folder)
    fetched = fetch_files(kept, folder, _transfer(mirror, offline, timeout, attempts))
    again = f", {fetched} of them fetched again" if fetched else ""
    click.echo(f"{len(kept)} downloaded files are as pinned{again}")
    names = [name for name in installed_benchmarks() if benchmark_path(name) is not None]
    for name in names:
        benchmark = Benchmark.load(name)
        if content_hashes(to_document(benchmark)) != dict(benchmark.content_hashes):
            raise InputError(str(benchmark_path(name)), DAMAGED)
        click.echo(f"benchmark {name}: content as installed")


@command.command("urls")
@_chosen_files
@_mirror
def list_urls(split: str, predictions: bool, mirror: str | None) -> None:
    """List the URLs of the files that `fetch` downloads, one a line.

    To fetch them in another way: below the folder `downloads` of the data directory each belongs
    at the path it has in its URL, <owner>/<repository>/<commit>/<path>. Then use
    `mwz data fetch --offline`.
    """
    for file in select(read_pinned(), split, predictions):
        click.echo(urls(file, mirror)[0])


@command.command("import")
@click.option("--mwzeval", type=_FOLDER, required=True, help="Clone of MultiWOZ_Evaluation.")
@click.option("--multiwoz", type=_FOLDER, required=True, help="Clone of multiwoz.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Build the mwz22 references and gold states from MultiWOZ 2.2 even where "
    "MultiWOZ_Evaluation has them.",
)
def import_(mwzeval: Path, multiwoz: Path, rebuild: bool) -> None:
    """Build the benchmark `multiwoz` from clones (or copies) of two public repositories.

    Where the clone has the train and dev dialogues, the test goals that occur there are found.
    """
    benchmark = build_benchmark(mwzeval, multiwoz, rebuild)
    overlap = find_overlap(mwzeval, multiwoz, benchmark.dialogues)
    seen = None if overlap is None else overlap.seen
    _install(replace(benchmark, seen=seen), overlap)
    for note in venue_notes(mwzeval, read_pinned()):
        click.echo(note)


@command.command("list")
def list_() -> None:
    """Show the benchmarks at hand."""
    headers = [
        *("name", "dialogues", "turns", "seen goals"),
        *("content (2021)", "content (2023)", "where"),
    ]
    rows = []
    for name in installed_benchmarks():
        benchmark = Benchmark.load(name)
        hashes = [hash_[:SHOWN_HASH] for hash_ in benchmark.content_hashes.values()]
        where = benchmark_path(name)
        counts = [str(len(benchmark.dialogues)), str(benchmark.turns), _seen(benchmark)]
        rows.append([name, *counts, *hashes, "built in" if where is None else str(where)])
    click.echo(text_table(headers, rows))


def _transfer(mirror: str | None, offline: bool, timeout: float, attempts: int) -> Transfer:
    return Transfer(
        mirror=mirror,
        offline=offline,
        attempts=attempts,
        timeout=timeout,
        progress=sys.stderr.isatty(),
        notify=lambda remark: click.echo(f"mwz: {remark}", err=True),
    )


def _install(benchmark: Benchmark, overlap: Overlap | None) -> None:
    path = install_benchmark(benchmark)
    click.echo(
        f"installed {benchmark.name}: {len(benchmark.dialogues)} dialogues, "
        f"{benchmark.turns} system turns, in {path}"
    )
    if overlap is not None:
        click.echo(f"seen goals: {_seen(benchmark)} (goals compared: those of {overlap.source})")


def _seen(benchmark: Benchmark) -> str:
    if benchmark.seen is None:
        return "–"
    return f"{len(benchmark.seen)} of {len(benchmark.dialogues)}"
