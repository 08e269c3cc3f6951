"""The pages that are made from a folder of submissions, together: all of them, or none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .model import Board
from .pairs import PAIRS_FILE
from .together import PAGES
from .views.markdown import leaderboard
from .views.reported_blocks import older_results_page

DOCUMENTS_FOLDER = "docs"
"""The folder of documents beside the leaderboard."""

OLDER_RESULTS = PAGES[1]
"""Where the page of older results is, beside the leaderboard."""


def pages(folder: Path, board: Board, leaderboard_page: Path) -> Mapping[Path, str]:
    """Return path -> content of every page, and of the file of pairs.

    Args:
        folder: The folder of submissions.
        board: Its board.
        leaderboard_page: Where the leaderboard is.
    """
    made = {leaderboard_page: leaderboard(board)}
    if board.pairs.pairs or (folder / PAIRS_FILE).exists():
        made[folder / PAIRS_FILE] = board.pairs.to_text()
    older = older_results_page(board)
    if older is not None:
        made[leaderboard_page.parent / OLDER_RESULTS] = older
    return made
