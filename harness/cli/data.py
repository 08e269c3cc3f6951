"""`mwz data`: the benchmarks on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from ..benchmark import Benchmark
from ..importing import build_benchmark
from ..installed import benchmark_path, install_benchmark, installed_benchmarks
from ..signature import SHOWN_HASH
from ..tables import text_table


@click.group(help="Install and list benchmarks.")
def command() -> None:
    """Install and list benchmarks."""


_FOLDER = click.Path(path_type=Path)


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
    """Build the benchmark `multiwoz` from clones (or copies) of two public repositories."""
    benchmark = build_benchmark(mwzeval, multiwoz, rebuild)
    path = install_benchmark(benchmark)
    click.echo(
        f"installed {benchmark.name}: {len(benchmark.dialogues)} dialogues, "
        f"{benchmark.turns} system turns, in {path}"
    )


@command.command("list")
def list_() -> None:
    """Show the benchmarks at hand."""
    headers = ["name", "dialogues", "turns", "content (2021)", "content (2023)", "where"]
    rows = []
    for name in installed_benchmarks():
        benchmark = Benchmark.load(name)
        hashes = [hash_[:SHOWN_HASH] for hash_ in benchmark.content_hashes.values()]
        where = benchmark_path(name)
        counts = [str(len(benchmark.dialogues)), str(benchmark.turns)]
        rows.append([name, *counts, *hashes, "built in" if where is None else str(where)])
    click.echo(text_table(headers, rows))
