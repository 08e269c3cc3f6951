"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from mwz.normalization.rules import DEFAULT_RULES

from ..board.changes import changes_table, review_text
from ..board.entries import (
    ORDER_FILE,
    Entry,
    file_problems,
    in_order,
    order_of,
    read_entries,
    read_order,
)
from ..board.markdown import pages
from ..board.model import read_board
from ..board.pairs import PAIRS_FILE, complete_pairs, pair_problems
from ..board.rescoring import Rescored, rescore, updated
from ..board.submitting import write_files
from ..io.files import read_bytes
from ..io.tables import printable
from . import option
from .option import leaderboard_path


@click.command()
@option.flag(
    "--check",
    help="Write nothing; exit with 1 and a diff if the page is stale, or, with --rescore, if some "
    "score comes out differently.",
)
@option.flag(
    "--rescore",
    "again",
    help="First score every submission again whose predictions are at hand (in its folder, in "
    "the data directory, or in a folder given with --predictions).",
)
@option.predictions_folder
@option.jobs
@click.option(
    "--base",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --check: list in Markdown, for who reviews it, what differs from another folder of "
    "submissions: entries, reviews, scores, notes, reported figures.",
)
@option.scored_benchmark
@option.submissions
def command(
    *, check: bool, again: bool, base: Path | None, submissions: Path, **rescoring: Any
) -> int | None:
    """Make the leaderboard from the submissions: leaderboard.md beside their folder, and the pages
    and files that go with it. `mwz site` makes the web pages.
    """
    option.refuse({"--base goes with --check": base is not None and not check})
    entries = read_entries(submissions)
    rescored = _rescore(entries, rescoring) if again else []
    if check:
        changed = any(outcome.changes for outcome in rescored)
        return int(_is_stale(submissions, entries, base) or changed)
    entries, files = updated(entries, rescored, DEFAULT_RULES)
    board = read_board(submissions, entries, DEFAULT_RULES, complete_pairs(submissions, entries))
    path = leaderboard_path(submissions)
    write_files({**files, **pages(submissions, board, path)})
    click.echo(f"{path}: {len(entries)} entries")
    return None


def _is_stale(submissions: Path, entries: Sequence[Entry], base: Path | None) -> bool:
    """Say what of the pages and the pairs is stale or edited, and what differs from a base."""
    if base is not None:
        click.echo(printable(review_text(submissions, entries, base, DEFAULT_RULES)))
    board = read_board(submissions, entries, DEFAULT_RULES)
    made = pages(submissions, board, leaderboard_path(submissions))
    stale = [_is_page_stale(path, page) for path, page in made.items()]
    wrong = list(file_problems(entries))
    wrong += pair_problems(submissions, entries, [entry.key for entry in entries])
    wrong += [] if base is None else _reordered(submissions, entries, base)
    if missing := board.pairs.missing:
        first = " and ".join(missing[0])
        lacks = f"lacks {len(missing)} of the entries' pairs as they are now, the first {first}"
        wrong.insert(0, f"{submissions / PAIRS_FILE} {lacks}; run `mwz leaderboard`")
    for line in wrong:
        click.echo(printable(line), err=True)
    return bool(wrong) or any(stale)


def _reordered(submissions: Path, entries: Sequence[Entry], base: Path) -> Iterator[str]:
    """Yield which entry comes before those that were there, or between them."""
    order, there = read_order(submissions), in_order(read_entries(base), read_order(base))
    right = in_order(entries, order_of(there), order)
    for entry, expected in zip(in_order(entries, order), right, strict=True):
        if entry is not expected:
            problem = f"{entry.key} stands before {expected.key}, which was there first"
            remedy = f"take this file from {base}, and run `mwz leaderboard`"
            yield f"{submissions / ORDER_FILE}: {problem}; {remedy}"
            return


def _rescore(entries: Sequence[Entry], rescoring: dict[str, Any]) -> list[Rescored]:
    """Score the submissions again, and tell what changed."""
    coming = rescore(entries, **rescoring)
    progress: Iterable[Rescored] = tqdm(
        coming, "scoring", len(entries), unit="system", disable=None
    )
    # As they are read: by name.
    outcomes = sorted(progress, key=lambda outcome: outcome.key)
    for entry, outcome in zip(entries, outcomes, strict=True):
        click.echo(printable(f"{outcome.key}: {_summary(entry, outcome)}"))
        if outcome.changes:
            click.echo(changes_table(outcome.changes))
    kept = Counter(part for outcome in outcomes for part in outcome.unverified)
    for part, count in kept.items():
        click.echo(f"of {count} entries kept as stored: {part}")
    return outcomes


def _summary(entry: Entry, outcome: Rescored) -> str:
    if outcome.missing is not None:
        return f"kept as it is: {outcome.missing}"
    changed = len(outcome.changes)
    if changed:
        return f"{changed} figure{'s' if changed > 1 else ''} changed"
    if outcome.scores is None:
        return "unchanged"
    if entry.problems:
        return "made again; what was stored could not be used"
    return "no figure changed; signature, hashes, rule sets or gold states did"


def _is_page_stale(path: Path, page: str) -> bool:
    """Say whether a page is stale, and where."""
    stored = read_bytes(path).decode(errors="replace") if path.exists() else ""
    if stored == page:
        click.echo(f"{path}: up to date")
        return False
    diff = difflib.unified_diff(
        stored.splitlines(), page.splitlines(), str(path), "from submissions", lineterm=""
    )
    click.echo(printable("\n".join(diff)) or "only the ends of lines differ")
    click.echo(f"{path} is stale; run `mwz leaderboard`", err=True)
    return True
