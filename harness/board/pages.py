"""The pages that are made from a folder of submissions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .entries import Entry, read_note
from .leaderboard import leaderboard, older_results_page
from .pairs import PAIRS_FILE, Pairs, read_pairs
from .reported import read_reported

DOCUMENTS_FOLDER = "docs"
"""The folder of documents beside the leaderboard."""

OLDER_RESULTS = Path(DOCUMENTS_FOLDER) / "older-results.md"
"""Where the page of older results is, beside the leaderboard."""

PAGES = (Path("leaderboard.md"), OLDER_RESULTS)
"""The pages that are made from a folder of submissions, beside it."""


def pages(
    folder: Path,
    entries: Sequence[Entry],
    rules: str,
    leaderboard_page: Path,
    pairs: Pairs | None = None,
) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the file of pairs.

    Args:
        folder: The folder of submissions, for its note and what public tables report.
        entries: Its entries.
        rules: The rule set whose scores are shown.
        leaderboard_page: Where the leaderboard is.
        pairs: The entries compared two by two; None for what the folder holds of it.

    Raises:
        InputError: Something is wrong with what the folder holds.
    """
    tables = read_reported(folder)
    if pairs is None:
        pairs = read_pairs(folder, entries)
    made = {leaderboard_page: leaderboard(entries, rules, read_note(folder), tables, pairs)}
    if pairs.pairs or (folder / PAIRS_FILE).exists():
        made[folder / PAIRS_FILE] = pairs.to_text()
    older = older_results_page(entries, rules, tables)
    if older is not None:
        made[leaderboard_page.parent / OLDER_RESULTS] = older
    return made
