"""What a change of a folder of submissions brings, in Markdown, for who reviews it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..io.files import is_plain_file, read_plain
from ..io.tables import escaped, markdown_table
from .columns import BoardTable, board_tables, row_headers, row_text
from .entries import ENTRY_FILE, NOTE_FILE, Entry, read_entries
from .markdown import neighbours_text
from .model import Board, read_board
from .rescoring import changed_figures, changes_table
from .rows import Row
from .scores import FILES, SCORES_FILE
from .systems import NOT_STATED, stated_facts
from .tracks import tracks

REPORTED_FILE = "reported.toml"


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
    touched = {one.key for one in entries if _content(one.folder) != _content(base / one.key)}
    board = read_board(folder, entries, rules)
    lost = list(_lost_ranks(read_board(base, [*old.values()], rules), board))
    parts = ["# What this changes"]
    if lost:
        parts += ["## Ranks that are lost", "\n".join(lost)]
    for entry in entries:
        if entry.key in touched:
            parts += _entry(board, entry, old.get(entry.key))
    gone = old.keys() - {entry.key for entry in entries}
    parts += [f"## Removed: {escaped(key)}" for key in sorted(gone)]
    paths = [f"{entry.key}/{ENTRY_FILE}" for entry in entries if entry.key in touched & old.keys()]
    for path in (*paths, REPORTED_FILE, NOTE_FILE):
        if diff := _diff(base / path, folder / path):
            parts += [f"## Changed: {path}", diff]
    if len(parts) == 1:
        parts.append("Nothing that scores or pages follow from.")
    return "\n\n".join(parts)


def _lost_ranks(before: Board, after: Board) -> Iterator[str]:
    """Yield which rows of a board have no rank any more, and why."""
    rows = {(table.title, row.key): row for table in board_tables(after) for row in table.rows}
    for table in board_tables(before):
        for row in table.rows:
            now = rows.get((table.title, row.key))
            if row.rank is not None and (now is None or now.rank is None):
                why = "is not in the table" if now is None else f"not ranked: {now.unranked}"
                yield f"- {escaped(f'{row.name}, rank {row.rank} ({table.title}): {why}')}"


def _entry(board: Board, entry: Entry, old: Entry | None) -> Iterator[str]:
    what = "Added" if old is None else "Changed"
    yield f"## {what}: {escaped(entry.system.name)} ({tracks()[entry.system.track].title})"
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
                f"**Adds a review** of the flag `{review.flag}` by {escaped(review.reviewer)}: "
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
    if row.rank is not None and tracks()[table.track].delexicalised:
        yield from (f"- {escaped(line)}" for line in neighbours_text(board.neighbours(row)))


def _content(folder: Path) -> dict[str, bytes]:
    """Return name -> content of the files of an entry that scores and pages follow from."""
    paths = [folder / name for name in (ENTRY_FILE, *FILES)]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _diff(before: Path, after: Path) -> str:
    """Return how a file differs; empty if it does not."""
    old, new = (
        read_plain(path).decode(errors="replace").splitlines() if is_plain_file(path) else []
        for path in (before, after)
    )
    lines = difflib.unified_diff(old, new, "before", "after", lineterm="", n=1)
    diff = "\n".join(lines)
    return f"```diff\n{diff}\n```" if diff else ""
