"""`mwz leaderboard`: make the leaderboard from the submissions."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
from ..board.model import DOCUMENTS_FOLDER, Board, read_board
from ..board.pairs import PAIRS_FILE, complete_pairs, pair_problems
from ..board.rescoring import Rescored, changes_table, diagnosed, rescore, updated
from ..board.review import review_text
from ..board.submitting import write_files
from ..board.views import (
    Site,
    check_place,
    left_over,
    site,
    stale_files,
    write_site,
)
from ..board.views.dialogue_pages import INDEX, Page, dialogue_pages, read_systems
from ..data.installed import loaded_once
from ..diagnosis.causes import Diagnosis
from ..errors import InputError
from ..io.files import read_bytes
from ..io.rendering import printable
from ..scoring import Scorer
from . import option, tell
from .option import leaderboard_path
from .reading import score_live
from .serving import serve_pages


@dataclass(frozen=True)
class _Asked:
    """What is to be made, of which submissions.

    Attributes:
        submissions: The folder of submissions.
        rules: The rule set that ranks.
        page: The leaderboard's page.
        html: The folder of the site; None for no site.
        outputs: How to find the systems' outputs, for pages of dialogues; None for no such pages.
    """

    submissions: Path
    rules: str
    page: Path
    html: Path | None
    outputs: Mapping[str, Any] | None


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
    "--html",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Make the board as a web page as well, in this folder: a static site that needs no "
    "server. --check covers it.",
)
@click.option(
    "--dialogues",
    is_flag=True,
    help="With --html or --serve: a page for every dialogue, on which systems stand side by side. "
    "Needs the benchmark and the systems' outputs (as --rescore), whose texts these pages show: do "
    "not publish them.",
)
@option.serve("Write nothing; show the board as a web page")
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
    html: Path | None,
    dialogues: bool,
    serve: int | None,
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
    option.refuse(
        {
            "--base goes with --check": base is not None and not check,
            "--dialogues goes with --html or --serve": dialogues and html is None and serve is None,
        }
    )
    outputs = rescoring if dialogues else None
    asked = _Asked(submissions, rules, path, html, outputs)
    if serve is not None:
        written = check or again or html is not None or output is not None
        option.refuse({"--serve writes nothing: leave out the other options": written})
        return _serve(asked, serve)
    if html is not None:
        check_place(html, submissions)
    if check:
        entered = read_entries(submissions)
        changed = [bool(outcome.changes) for outcome in _rescore(entered, again, rescoring)]
        return int(_is_stale(asked, entered, base) or any(changed))
    return _make(asked, again, rescoring)


def _make(asked: _Asked, again: bool, how: Mapping[str, Any]) -> int:
    """Make the leaderboard's pages, and the site."""
    submissions, path, html = asked.submissions, asked.page, asked.html
    entered = read_entries(submissions)
    entered, files = updated(entered, _rescore(entered, again, how), asked.rules)
    pairs = complete_pairs(submissions, entered)
    board = read_board(submissions, entered, asked.rules, pairs)
    web = None if html is None else _site(asked, board)
    write_files({**files, **pages(submissions, board, path)})
    if html is not None and web is not None:
        write_site(web, html)
    click.echo(f"{path}: {len(entered)} entries")
    if html is not None and web is not None:
        click.echo(f"{html / 'index.html'}: {len(web.files)} files")
        _warn(left_over(web, html))
    return 0


def _warn(lines: Iterable[str]) -> bool:
    """Print lines on standard error; return whether there were any."""
    shown = list(map(printable, lines))
    for line in shown:
        click.echo(line, err=True)
    return bool(shown)


def _is_stale(asked: _Asked, entered: Sequence[Entry], base: Path | None) -> bool:
    """Say what of the pages, the pairs and the site is stale, and what differs from a base."""
    submissions, rules = asked.submissions, asked.rules
    if base is not None:
        click.echo(printable(review_text(submissions, entered, base, rules)))
    board = read_board(submissions, entered, rules)
    stale = [_is_page_stale(*page) for page in pages(submissions, board, asked.page).items()]
    if asked.html is not None:
        stale.append(_is_site_stale(_site(asked, board), asked.html))
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


def _dialogues(
    board: Board, benchmark: str | None, folders: Sequence[Path], **_: Any
) -> dict[str, Page]:
    """Return the pages of all dialogues and their index; say which systems they lack."""
    entries = read_systems(board)
    name = benchmark or next((entry.benchmark for entry in entries), None)
    mine = [entry for entry in entries if name in (benchmark, entry.benchmark)]
    scorer = Scorer(loaded_once(name))
    found: dict[str, Diagnosis] = {}
    for entry in tqdm(mine, "reading", unit="system", disable=None):
        title = entry.system.name
        try:
            one = diagnosed(entry, folders, scorer)
        except InputError as error:
            tell(entry.key, [f"its dialogues are left out: {'; '.join(error.problems)}"])
        else:
            found[f"{title} ({entry.key})" if title in found else title] = one
    if not found:
        raise InputError("--dialogues", "the outputs of no system are at hand")
    return dialogue_pages(found, INDEX)


def _site(asked: _Asked, board: Board) -> Site:
    """Make the site, and say what it is made without."""
    documents = asked.submissions.absolute().parent / DOCUMENTS_FOLDER
    read = asked.outputs
    shown = partial(tqdm, desc="dialogues", unit="page", disable=True if read is None else None)
    dialogues = None if read is None else _dialogues(board, **read)
    made = site(board, documents, dialogues, shown)
    if made.missing:
        names = ", ".join(f"{name}.md" for name in made.missing)
        tell(str(documents), [f"lacks {names}; the site is made without: make it in a clone"])
    return made


def _serve(asked: _Asked, port: int) -> int:
    """Show the site until somebody stops it."""
    entered = read_entries(asked.submissions)
    pairs = complete_pairs(asked.submissions, entered)
    board = read_board(asked.submissions, entered, asked.rules, pairs)
    serve_pages(_site(asked, board).files, port, "the board")
    return 0


def _is_site_stale(made: Site, html: Path) -> bool:
    """Say which files of the site are stale; there is no diff, whose lines would be pages long."""
    if _warn(stale_files(made, html)):
        return _warn([f"run `mwz leaderboard --html {html}`"])
    click.echo(f"{html}: up to date")
    return False


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
