"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from .. import board
from ..errors import counted
from ..io import printable
from . import notify, option
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
    *, check: bool, again: bool, base: Path | None, submissions: Path, **rescoring: Any
) -> int | None:
    """Make the leaderboard from the submissions: leaderboard.md beside their folder, and the pages
    and files that go with it. `mwz site` makes the web pages.
    """
    option.refuse_if(base is not None and not check, "--base goes with --check")
    entries = board.read_entries(submissions)
    for package in sorted(board.absent_packages(entries)):
        notify(f"{package} is not installed; its columns are left out")
    chosen = entries if base is None else board.touched_entries(entries, base)
    # A package that is installed adds its figures, and changes none of those that are checked.
    rescoring["adds"] = not check
    rescored = _rescore(chosen, rescoring, quiet=base is not None) if again else []
    if check:
        changed = any(outcome.mismatches for outcome in rescored)
        if base is not None and rescored:
            text = board.verified_text(submissions, entries, chosen, rescored)
            click.echo(f"{printable(text)}\n")
        return int(_is_outdated(submissions, entries, base) or changed)
    board.publish(submissions, entries, rescored)
    click.echo(f"{submissions.absolute().parent / board.PAGES[0]}: {len(entries)} entries")
    return None


def _is_outdated(submissions: Path, entries: Sequence[board.Entry], base: Path | None) -> bool:
    """Say what of the pages and the pairs is outdated or edited, and what differs from a base."""
    if base is not None:
        click.echo(printable(board.review_text(submissions, entries, base)))
    diffs, problems = board.outdated(submissions, entries)
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


def _rescore(
    entries: Sequence[board.Entry], rescoring: dict[str, Any], quiet: bool
) -> list[board.Rescored]:
    """Score the submissions again, and tell what changed unless quiet."""
    rescored = progress(board.rescore(entries, **rescoring), len(entries), "entry")
    # As they are read: by name.
    outcomes = sorted(rescored, key=lambda outcome: outcome.key)
    if quiet:
        return outcomes
    unverified: Counter[str] = Counter()
    for entry, outcome in zip(entries, outcomes, strict=True):
        unverified.update(outcome.unverified)
        click.echo(printable(f"{outcome.key}: {_summary(entry, outcome)}"))
        if outcome.mismatches:
            click.echo(board.mismatches_table(outcome.mismatches))
    for reason, count in unverified.items():
        click.echo(f"of {count} entries kept as stored: {reason}")
    return outcomes


def _summary(entry: board.Entry, outcome: board.Rescored) -> str:
    if outcome.missing is not None:
        return f"kept as it is: {outcome.missing}"
    if outcome.mismatches:
        return f"{counted(len(outcome.mismatches), 'figure')} changed"
    if outcome.scores is None:
        return "unchanged"
    if entry.problems:
        return "made again; what was stored could not be used"
    return "no figure changed; signature, hashes, rule sets or gold states did"
