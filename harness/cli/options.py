"""Options that several subcommands share, each defined once."""

from __future__ import annotations

from pathlib import Path

import click

from mwz.normalization.states import RULE_SET_NAMES

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
    type=click.Choice(RULE_SET_NAMES),
    default=RULE_SET_NAMES[0],
    show_default=True,
    help="The rule set: 2021, as all papers until January 2023, or 2023, as those since.",
)

submissions_option = click.option(
    "--submissions",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("submissions"),
    show_default=True,
    help="The folder of submissions.",
)

predictions_folder_option = click.option(
    "--predictions",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    metavar="DIR",
    help="A folder to look for predictions in, such as a clone's.",
)


def leaderboard_path(submissions: Path) -> Path:
    """Return where the leaderboard of a folder of submissions is: beside the folder."""
    return submissions.absolute().parent / LEADERBOARD_FILE
