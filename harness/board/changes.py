"""What a proposed folder changes, and what of a folder does not follow from its entries."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path

from mwz.normalization import DEFAULT_RULES

from ..errors import counted, cut
from ..io import escaped, is_plain_file, read_plain, text_table
from .columns import board_tables
from .entries import (
    ENTRY_FILE,
    NOTE_FILE,
    Entry,
    file_problems,
    read_entries,
)
from .markdown import entered_text, pages
from .model import Board, read_board, row_of
from .pairs import PAIRS_FILE, missing_pairs, pair_mismatches
from .reported import REPORTED_FILE
from .rows import raised_flags, shown_rank
from .scores import SCORES_FILE, Mismatch, score_mismatches
from .systems import NOT_STATED, missing_facts
from .track import tracks

_LONGEST_VALUE = 60
"""The characters that are shown of a value: some are marks of all dialogues."""


def mismatches_table(mismatches: Sequence[Mismatch]) -> str:
    """Return mismatches as a table for people, numbers at full precision."""
    rows = []
    for mismatch in mismatches:
        row = [mismatch.field]
        for value in (mismatch.stored, mismatch.made):
            row.append("–" if value is None else cut(repr(value), _LONGEST_VALUE))
        rows.append(row)
    return text_table(["figure", "before", "after"], rows)


# -------------------------------------------------------------------- a proposed folder


def touched_entries(entries: Sequence[Entry], base: Path) -> list[Entry]:
    """Return the entries whose content is not that in another folder of submissions."""
    touched = []
    for entry in entries:
        for name in (ENTRY_FILE, SCORES_FILE):
            contents = []
            for path in (entry.folder / name, base / entry.key / name):
                contents.append(path.read_bytes() if path.is_file() else None)
            if contents[0] != contents[1]:
                touched.append(entry)
                break
    return touched


def review_text(folder: Path, entries: Sequence[Entry], base: Path) -> str:
    """Return what differs between two folders of submissions.

    Args:
        folder: The folder as it is proposed.
        entries: Its entries.
        base: The folder as it was before.

    Raises:
        InputError: An entry of the base cannot be read.
    """
    old = {entry.key: entry for entry in read_entries(base)}
    touched = {entry.key for entry in touched_entries(entries, base)}
    board = read_board(folder, entries, DEFAULT_RULES)
    lost, moved = _moved_ranks(read_board(base, list(old.values()), DEFAULT_RULES), board)
    blocks, paths = ["# What this changes"], []
    if lost:
        blocks += ["## Ranks that are lost", "\n".join(lost)]
    for entry in entries:
        if entry.key in touched:
            blocks += _entry(board, entry, old.get(entry.key))
            if entry.key in old:
                paths.append(f"{entry.key}/{ENTRY_FILE}")
    removed = old.keys() - {entry.key for entry in entries}
    blocks += [f"## Removed: {escaped(key)}" for key in sorted(removed)]
    if moved:
        blocks += ["## Ranks that move", "\n".join(moved)]
    for path in (*paths, REPORTED_FILE, NOTE_FILE):
        texts = []
        for file in (base / path, folder / path):
            is_there = is_plain_file(file)
            texts.append(read_plain(file).decode(errors="replace") if is_there else "")
        diff = _unified(texts[0], texts[1], "before", "after", 1)
        if diff:
            blocks += [f"## Changed: {path}", f"```diff\n{diff}\n```"]
    if len(blocks) == 1:
        blocks.append("No change of scores or pages.")
    return "\n\n".join(blocks)


def _moved_ranks(before: Board, after: Board) -> tuple[list[str], list[str]]:
    """Return which rows of a board have no rank any more, and why; and the new ranks of others."""
    rows = {}
    for table in board_tables(after):
        for row in table.rows:
            rows[table.title, row.key] = row
    lost, moved = [], []
    for table in board_tables(before):
        steps = []
        for row in table.rows:
            now = rows.get((table.title, row.key))
            if row.rank is not None and (now is None or now.rank is None):
                cause = "is not in the table" if now is None else f"not ranked: {now.reasons[0]}"
                lost.append(f"- {escaped(f'{row.name}, rank {row.rank} ({table.title}): {cause}')}")
            elif now is not None and now.rank != row.rank:
                steps.append(f"{row.name} {shown_rank(row)} → {shown_rank(now)}")
        if steps:
            moved.append(f"- {escaped(f'{table.title}: ' + ', '.join(steps))}")
    return lost, moved


def _entry(board: Board, entry: Entry, old: Entry | None) -> Iterator[str]:
    heading = "Added" if old is None else "Changed"
    yield f"## {heading}: {escaped(entry.system.name)} ({tracks()[entry.system.track].title})"
    # First, as anyone can write one, and it may give a rank.
    for review in entry.system.review:
        if old is None or review not in old.system.review:
            says = escaped(f"{review.reviewer}: {review.reason}")
            yield f"**Adds a review** of the flag `{review.flag}` by {says}"
    yield entered_text(entry, board)
    row = row_of(board, entry)
    if row is not None and not raised_flags(row):
        yield "flags: none raised"
    missing = missing_facts(entry.system)
    if missing:
        yield f"{NOT_STATED}: {missing}"
    if old is not None:
        changed = score_mismatches(entry.key, old.scores, entry.scores)
        if changed:
            yield f"{counted(len(changed), 'figure')} of {SCORES_FILE} changed, the first:"
            yield f"```\n{mismatches_table(changed[:12])}\n```"


def _unified(old: str, new: str, before: str, after: str, context: int = 3) -> str:
    """Return how a text differs from an older one; empty if it does not."""
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), before, after, lineterm="", n=context
    )
    return "\n".join(lines)


# -------------------------------------------------------------------------- outdated files


def outdated(folder: Path, entries: Sequence[Entry]) -> tuple[dict[Path, str], list[str]]:
    """Return what of the stored files does not follow from the entries.

    Args:
        folder: The folder of submissions.
        entries: Its entries.

    Returns:
        Path -> how each page differs, empty where it is up to date; and what else is edited or
        missing.
    """
    board = read_board(folder, entries, DEFAULT_RULES)
    diffs, problems = {}, []
    for path, page in pages(folder, board).items():
        stored = path.read_bytes().decode(errors="replace") if path.exists() else ""
        different = _unified(stored, page, str(path), "from submissions")
        diffs[path] = "" if stored == page else different or "only the ends of lines differ"
    missing = missing_pairs(board.pairs, entries)
    if missing:
        first = " and ".join(missing[0])
        lacks = f"lacks {len(missing)} of the entries' pairs as they are now, the first {first}"
        problems.append(f"{folder / PAIRS_FILE} {lacks}; run `mwz leaderboard`")
    problems += file_problems(entries)
    for pair in pair_mismatches(board.pairs, entries, {entry.key for entry in entries}):
        values = f"{pair.stored!r} is stored, and {pair.made!r} comes out"
        remedy = "remove the line of both, and run `mwz leaderboard`"
        problems.append(f"{pair.entry}: {pair.field}: {values}; {remedy}")
    return diffs, problems
