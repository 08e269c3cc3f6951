"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from .. import board
from ..errors import counted
from ..io import printable
from . import notify, option, tell
from .reading import progress


@click.command()
@option.flag(
    "--check",
    help="Write nothing; exit with 1 and a diff if the page is outdated, or, with --rescore, if a "
    "score changes.",
)
@option.flag(
    "--rescore",
    "again",
    help="First score every submission again whose predictions are available (in its folder, in "
    "the data directory, or in a folder given with --predictions).",
)
@option.predictions_folder
@option.jobs
@click.option(
    "--base",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --check: list all differences from another folder of submissions, in Markdown for "
    "reviewers: entries, ranks, reviews, scores, notes, reported figures; with --rescore, of the "
    "changed entries alone, whether each figure comes out.",
)
@option.scored_benchmark
@option.submissions
def command(
    *,
    check: bool,
    again: bool,
    base: Path | None,
    submissions: Path,
    benchmark: str | None,
    folders: Sequence[Path],
    workers: int | str,
) -> int | None:
    """Make the leaderboard from the submissions: leaderboard.md beside their folder, and the pages
    and files that go with it. `mwz site` makes the web pages.
    """
    option.refuse_if(base is not None and not check, "--base goes with --check")
    if not check:
        # Until the command ends.
        click.get_current_context().with_resource(board.locked(submissions, tell))
    entries = board.read_entries(submissions)
    for package in sorted(board.absent_packages(entries)):
        notify(f"{package} is not installed; its columns are left out")
    chosen = entries if base is None else board.touched_entries(entries, base)
    rescored: list[board.Rescored] = []
    if again:
        # A package that is installed adds its figures, and changes none of those that are checked.
        outcomes = board.rescore(chosen, benchmark, folders, workers, adds=not check)
        rescored = _show_rescored(chosen, outcomes, quiet=base is not None)
    # Entries are compared on this machine alone.
    processes = workers if isinstance(workers, int) else 1
    if check:
        changed = any(outcome.mismatches for outcome in rescored)
        if base is not None and rescored:
            text = board.verified_text(submissions, entries, chosen, rescored)
            click.echo(f"{printable(text)}\n")
        return int(_is_outdated(submissions, entries, base, processes) or changed)
    board.publish(submissions, entries, rescored, processes)
    click.echo(f"{submissions.absolute().parent / board.LEADERBOARD}: {len(entries)} entries")
    return None


def _is_outdated(
    submissions: Path, entries: Sequence[board.Entry], base: Path | None, processes: int
) -> bool:
    """Say what of the pages and the pairs is outdated or edited, and what differs from a base."""
    if base is not None:
        click.echo(printable(board.review_text(submissions, entries, base)))
    diffs, problems = board.outdated(submissions, entries, processes)
    for path, diff in diffs.items():
        if base is None:
            click.echo(printable(diff or f"{path}: up to date"))
        elif diff:
            click.echo(printable(f"\n```diff\n{diff}\n```\n"))
        if diff:
            click.echo(f"{path} is outdated; run `mwz leaderboard`", err=True)
    for problem in problems:
        click.echo(printable(problem), err=True)
    return bool(problems) or any(diffs.values())


def _show_rescored(
    entries: Sequence[board.Entry], outcomes: Iterable[board.Rescored], quiet: bool
) -> list[board.Rescored]:
    """Show what scoring entries again changed, unless quiet; return the results by name."""
    watched = progress(outcomes, len(entries), "entry")
    # As they are read: by name.
    rescored = sorted(watched, key=lambda outcome: outcome.key)
    if quiet:
        return rescored
    unverified: Counter[str] = Counter()
    for entry, outcome in zip(entries, rescored, strict=True):
        unverified.update(outcome.unverified)
        summary = "no figure changed; signature, hashes, rule sets or gold states did"
        if outcome.missing is not None:
            summary = f"kept as it is: {outcome.missing}"
        elif outcome.mismatches:
            summary = f"{counted(len(outcome.mismatches), 'figure')} changed"
        elif outcome.scores is None:
            summary = "unchanged"
        elif entry.problems:
            summary = "made again; what was stored could not be used"
        click.echo(printable(f"{outcome.key}: {summary}"))
        if outcome.mismatches:
            click.echo(board.mismatches_table(outcome.mismatches))
    for reason, count in unverified.items():
        click.echo(f"of {count} entries kept as stored: {reason}")
    return rescored
