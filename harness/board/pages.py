"""The pages that are made from a folder of submissions, together: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from .entries import Entry, read_note
from .leaderboard import leaderboard, older_results_page
from .reported import read_reported
from .together import PAGES

OLDER_RESULTS = PAGES[1]
"""Where the page of older results is, beside the leaderboard."""


def pages(
    folder: Path, entries: Sequence[Entry], rules: str, leaderboard_page: Path
) -> Mapping[Path, str]:
    """Return path -> content of every page.

    Args:
        folder: The folder of submissions, for its note and what public tables report.
        entries: Its entries.
        rules: The rule set whose scores are shown.
        leaderboard_page: Where the leaderboard is.

    Raises:
        InputError: Something is wrong with what the folder holds.
    """
    tables = read_reported(folder)
    made = {leaderboard_page: leaderboard(entries, rules, read_note(folder), tables)}
    older = older_results_page(entries, rules, tables)
    if older is not None:
        made[leaderboard_page.parent / OLDER_RESULTS] = older
    return made
