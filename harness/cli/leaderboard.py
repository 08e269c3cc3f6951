"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

import difflib
from pathlib import Path

import click
from tqdm import tqdm

from ..board.entries import Entry, read_entries
from ..board.pages import pages
from ..board.rescoring import Rescored, changes_table, rescore, rescored_entries, rescored_files
from ..board.submitting import locked
from ..board.together import write_together
from ..errors import InputError
from ..files import read_bytes
from ..rendering import printable
from .options import (
    leaderboard_path,
    predictions_folder_option,
    rules_option,
    scored_benchmark_option,
    submissions_option,
    workers_option,
)
from .telling import notify, tell_strays


@click.command(
    help="Make the leaderboard from the submissions, and the page of older results beside it: the "
    "same bytes every time."
)
@click.option(
    "--check",
    is_flag=True,
    help="Write nothing; exit with 1 and a diff if the page is stale, or, with --rescore, if some "
    "score comes out differently.",
)
@click.option(
    "--rescore",
    "again",
    is_flag=True,
    help="First score every submission again whose predictions are at hand (in its folder, in "
    "the data directory, or in the folder given with --predictions).",
)
@predictions_folder_option
@workers_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page. [default: leaderboard.md beside the folder of submissions]",
)
@scored_benchmark_option
@rules_option
@submissions_option
def command(
    check: bool,
    again: bool,
    predictions: Path | None,
    workers: int,
    output: Path | None,
    benchmark: str | None,
    rules: str,
    submissions: Path,
) -> int:
    """Make or check the leaderboard."""
    if not submissions.is_dir():
        raise InputError(str(submissions), "no such folder; name one by --submissions")
    path = output or leaderboard_path(submissions)
    if path.suffix != ".md":
        raise InputError(str(path), "the page is Markdown; give it a name that ends in .md")
    if check:
        entered = read_entries(submissions)
        differ = 0
        if again:
            outcomes = _rescore(entered, benchmark, predictions, workers)
            differ = int(any(outcome.changes for outcome in outcomes))
        made = pages(submissions, entered, rules, path)
        return max([differ, *(_check(page, content) for page, content in made.items())])
    with locked(submissions):
        tell_strays(submissions)
        entered = read_entries(submissions)
        files: dict[Path, str] = {}
        if again:
            outcomes = _rescore(entered, benchmark, predictions, workers)
            files |= rescored_files(entered, outcomes)
            entered = rescored_entries(entered, outcomes, rules)
        files |= pages(submissions, entered, rules, path)
        write_together(submissions, files)
    click.echo(f"{path}: {len(entered)} entries")
    return 0


def _rescore(
    entered: list[Entry],
    benchmark: str | None,
    predictions: Path | None,
    workers: int,
) -> list[Rescored]:
    """Score the submissions again and tell what changed."""
    outcomes = rescore(
        entered,
        benchmark,
        predictions,
        workers,
        lambda coming: tqdm(coming, "scoring", len(entered), unit="system", disable=None),
        notify,
    )
    for entry, outcome in zip(entered, outcomes, strict=True):
        click.echo(printable(f"{outcome.key}: {_told(entry, outcome)}"))
        if outcome.changes:
            click.echo(changes_table(outcome.changes))
    return outcomes


def _told(entry: Entry, outcome: Rescored) -> str:
    if outcome.problem is not None:
        return f"kept as it is: {outcome.problem}"
    changed = len(outcome.changes)
    if changed:
        return f"{changed} figure{'s' if changed > 1 else ''} changed"
    if outcome.scores is None:
        return "unchanged"
    if entry.problems:
        return "made again; what was stored could not be used"
    return "no figure changed; signature, hashes or rule sets did"


def _check(path: Path, page: str) -> int:
    stored = read_bytes(path).decode(errors="replace") if path.exists() else ""
    if stored == page:
        click.echo(f"{path}: up to date")
        return 0
    diff = difflib.unified_diff(
        stored.splitlines(), page.splitlines(), str(path), "from submissions", lineterm=""
    )
    click.echo(printable("\n".join(diff)) or "only the ends of lines differ")
    click.echo(f"{path} is stale; run `mwz leaderboard`", err=True)
    return 1
