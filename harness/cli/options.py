"""Options that several subcommands share, each defined once."""

from __future__ import annotations

import os
from pathlib import Path

import click

from mwz.normalization.rules import DEFAULT_RULES, rule_set, rule_set_names

from ..benchmark import Benchmark
from ..data.installed import SAMPLE, load_benchmark

LEADERBOARD_FILE = "leaderboard.md"

benchmark_option = click.option(
    "--benchmark",
    metavar="NAME",
    help="The benchmark to score on. [default: multiwoz if installed, else sample]",
)

scored_benchmark_option = click.option(
    "--benchmark",
    metavar="NAME",
    help="The benchmark to score on. [default: the one that a submission was scored on]",
)

rules_option = click.option(
    "--rules",
    type=click.Choice(rule_set_names()),
    default=DEFAULT_RULES,
    show_default=True,
    help="The rule set. "
    + " ".join(f"{name}: {rule_set(name).change}" for name in rule_set_names()),
)

submissions_option = click.option(
    "--submissions",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("submissions"),
    show_default=True,
    help="The folder of submissions.",
)

workers_option = click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=os.cpu_count() or 1,
    show_default="one per processor",
    help="Processes to score with.",
)

predictions_folder_option = click.option(
    "--predictions",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="A folder to look for predictions in, such as a clone's.",
)


def chosen_benchmark(name: str | None, doing: str) -> Benchmark:
    """Load the benchmark that `benchmark_option` names; say so if only the sample is there.

    Args:
        name: The option's value.
        doing: What is done with it, for the remark: "scoring on".

    Raises:
        InputError: No benchmark of that name is installed, or its file is damaged.
    """
    benchmark = load_benchmark(name)
    if name is None and benchmark.name == SAMPLE:
        remark = f"no other benchmark is installed; {doing} the built-in `{SAMPLE}`"
        click.echo(f"mwz: {remark}", err=True)
    return benchmark


def leaderboard_path(submissions: Path) -> Path:
    """Return where the leaderboard of a folder of submissions is: beside the folder."""
    return submissions.absolute().parent / LEADERBOARD_FILE
