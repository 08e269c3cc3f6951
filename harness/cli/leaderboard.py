"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from ..board.checks import file_problems
from ..board.entries import (
    ORDER_FILE,
    Entry,
    in_order,
    order_of,
    read_entries,
    read_order,
)
from ..board.markdown import pages
from ..board.model import read_board
from ..board.pairs import PAIRS_FILE, complete_pairs, pair_problems
from ..board.rescoring import Rescored, changes_table, rescore, updated
from ..board.review import review_text
from ..board.submitting import write_files
from ..errors import InputError
from ..io.files import read_bytes
from ..io.tables import printable
from . import option
from .option import leaderboard_path
from .reading import score_live


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
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The page. [default: leaderboard.md beside the folder of submissions]",
)
@click.option(
    "--base",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="With --check: list in Markdown, for who reviews it, what differs from another folder of "
    "submissions: entries, reviews, scores, notes, reported figures.",
)
@option.scored_benchmark
@option.rules
@option.submissions
def command(
    *,
    check: bool,
    again: bool,
    output: Path | None,
    base: Path | None,
    rules: str,
    submissions: Path,
    **rescoring: Any,
) -> int:
    """Make the leaderboard from the submissions, and the page of older results beside it: the
    same bytes every time.
    """
    if not submissions.is_dir():
        raise InputError(str(submissions), "no such folder; name one by --submissions")
    path = output or leaderboard_path(submissions)
    if path.suffix != ".md":
        raise InputError(str(path), "the page is Markdown; give it a name that ends in .md")
    option.refuse({"--base goes with --check": base is not None and not check})
    entries = read_entries(submissions)
    if check:
        changed = [bool(outcome.changes) for outcome in _rescore(entries, again, rescoring)]
        return int(_is_stale(submissions, rules, path, entries, base) or any(changed))
    entries, files = updated(entries, _rescore(entries, again, rescoring), rules)
    pairs = complete_pairs(submissions, entries)
    board = read_board(submissions, entries, rules, pairs)
    write_files({**files, **pages(submissions, board, path)})
    click.echo(f"{path}: {len(entries)} entries")
    return 0


def _warn(lines: Iterable[str]) -> bool:
    """Print lines on standard error; return whether there were any."""
    shown = list(map(printable, lines))
    for line in shown:
        click.echo(line, err=True)
    return bool(shown)


def _is_stale(
    submissions: Path, rules: str, page: Path, entered: Sequence[Entry], base: Path | None
) -> bool:
    """Say what of the pages and the pairs is stale, and what differs from a base."""
    if base is not None:
        click.echo(printable(review_text(submissions, entered, base, rules)))
    board = read_board(submissions, entered, rules)
    stale = [_is_page_stale(*one) for one in pages(submissions, board, page).items()]
    wrong = list(file_problems(entered))
    wrong += pair_problems(submissions, entered, [entry.key for entry in entered])
    wrong += [] if base is None else _reordered(submissions, entered, base)
    if missing := board.pairs.missing:
        told = f"lacks {len(missing)} of the entries' pairs as they are now, the first"
        told = f"{told} {' and '.join(missing[0])}; run `mwz leaderboard`"
        wrong.insert(0, f"{submissions / PAIRS_FILE} {told}")
    return _warn(wrong) or any(stale)


def _reordered(submissions: Path, entered: Sequence[Entry], base: Path) -> Iterator[str]:
    """Yield which entry comes before those that were there, or between them."""
    order, there = read_order(submissions), in_order(read_entries(base), read_order(base))
    right = in_order(entered, order_of(there), order)
    for entry, expected in zip(in_order(entered, order), right, strict=True):
        if entry is not expected:
            told = f"{entry.key} stands before {expected.key}, which was there first"
            remedy = f"take this file from {base}, and run `mwz leaderboard`"
            yield f"{submissions / ORDER_FILE}: {told}; {remedy}"
            return


def _rescore(entered: Sequence[Entry], again: bool, how: Mapping[str, Any]) -> list[Rescored]:
    """Score the submissions again, if this is asked for, and tell what changed."""
    if not again:
        return []
    coming = rescore(entered, live=score_live, **how)
    shown = tqdm(coming, "scoring", len(entered), unit="system", disable=None)
    # As they are read: by name.
    outcomes = sorted(shown, key=lambda outcome: outcome.key)
    for entry, outcome in zip(entered, outcomes, strict=True):
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
