"""What a change of a folder of submissions brings, in Markdown, for who reviews it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...io.files import is_plain_file, read_plain
from ...io.rendering import escaped, markdown_table
from .. import APART, TRACKS
from ..columns import BoardTable, board_tables, row_headers, row_text
from ..entries import ENTRY_FILE, NOT_STATED, Entry, read_entries, stated_facts
from ..model import Board, Row, read_board
from ..rescoring import changed_figures, changes_table
from ..scores import SCORES_FILE
from ..submitting import changes, contents
from .markdown import neighbours_text


def review_text(folder: Path, entries: Sequence[Entry], base: Path, rules: str) -> str:
    """Return what differs between two folders of submissions.

    Args:
        folder: The folder as it is proposed.
        entries: Its entries.
        base: The folder as it was before.
        rules: The rule set that ranks.

    Raises:
        InputError: An entry of the base cannot be read.
    """
    old = {entry.key: entry for entry in read_entries(base)}
    made = changes(contents(base, [*old.values()]), contents(folder, entries))
    board = read_board(folder, entries, rules)
    touched = {Path(path).parts[0] for path in (*made.added, *made.changed)}
    parts = ["# What this changes"]
    for entry in entries:
        if entry.key in touched:
            parts += _entry(board, entry, old.get(entry.key))
    parts += [f"## Removed: {escaped(key)}" for key in made.removed_entries]
    for path in (*made.added, *made.changed, *made.removed):
        if Path(path).name in (ENTRY_FILE, path) and path not in made.added:
            parts += [f"## Changed: {path}", _diff(base / path, folder / path)]
    if len(parts) == 1:
        parts.append("Nothing that scores or pages follow from.")
    return "\n\n".join(parts)


def _entry(board: Board, entry: Entry, old: Entry | None) -> Iterator[str]:
    what = "Added" if old is None else "Changed"
    yield f"## {what}: {escaped(entry.system.name)} ({TRACKS[entry.system.track].title})"
    for table in board_tables(board):
        for row in table.rows:
            if row.entry is entry:
                yield from _place(board, table, row)
    missing = [name for name, value in stated_facts(entry.system).items() if value is None]
    if missing:
        yield f"{NOT_STATED}: {', '.join(missing)}"
    for review in entry.system.review:
        if old is None or review not in old.system.review:
            yield (
                f"**Adds a review** of the sign `{review.sign}` by {escaped(review.reviewer)}: "
                f"{escaped(review.reason)}"
            )
    if old is not None and (figures := list(changed_figures(old.scores, entry.scores))):
        yield f"{len(figures)} figures of {SCORES_FILE} change, the first:"
        yield f"```\n{changes_table(figures[:12])}\n```"


def _place(board: Board, table: BoardTable, row: Row) -> Iterator[str]:
    shown = [column for column in table.columns if column.shown == "always"] or table.columns
    ranks = "not ranked" if row.rank is None else f"rank {row.rank}"
    yield f"{table.title}: {ranks}"
    yield markdown_table(row_headers(shown), [list(map(escaped, row_text(row, shown)))])
    yield from (f"- {note}" for note in row.notes(escaped))
    if row.rank is not None and row.tracked is None and row.track not in APART:
        yield from (f"- {escaped(line)}" for line in neighbours_text(board.neighbours(row)))


def _diff(before: Path, after: Path) -> str:
    old, new = (
        read_plain(path).decode(errors="replace").splitlines() if is_plain_file(path) else []
        for path in (before, after)
    )
    lines = difflib.unified_diff(old, new, "before", "after", lineterm="", n=1)
    return "```diff\n" + "\n".join(lines) + "\n```"
