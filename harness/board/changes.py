"""What changes: figures that come out differently, and what a proposed folder of entries brings."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization import DEFAULT_RULES

from ..errors import counted
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
from .model import Board, read_board
from .pairs import PAIRS_FILE, missing_pairs, pair_problems
from .reported import REPORTED_FILE
from .rows import raised_flags, shown_rank
from .scores import FILES, SCORES_FILE, Scores, plain
from .systems import NOT_STATED, missing_facts
from .track import tracks


@dataclass(frozen=True)
class Change:
    """A figure, or a word beside the figures, that came out differently.

    Attributes:
        rules: The rule set it was computed under; "result" in tracks without reports; or "gold" and
            the version of the gold states.
        figure: Where it stands in the report, such as "strict.inform.total".
        before: Its value before; None if there was none.
        after: Its value now; None if there is none any more.
    """

    rules: str
    figure: str
    before: float | str | None
    after: float | str | None


def changes_table(changes: Sequence[Change]) -> str:
    """Return changes as a table for people, at full precision."""

    def exact(value: float | str | None) -> str:
        return "–" if value is None else repr(value)

    return text_table(
        ["rules", "figure", "before", "after"],
        [[c.rules, c.figure, exact(c.before), exact(c.after)] for c in changes],
    )


def changed_figures(old: Scores, new: Scores) -> Iterator[Change]:
    """Yield the figures that differ; of what only one of them was scored under, none."""
    before, after = _figures(old), _figures(new)
    for rules in before:
        if rules in after:
            yield from differences(rules, before[rules], after[rules], 1e-12)


def _figures(scores: Scores) -> dict[str, Any]:
    """Return what figures were computed under, as a `Change` calls it -> the figures."""
    by_source: dict[str, Any] = {rules: plain(report) for rules, report in scores.reports.items()}
    for rules, figures in (scores.without_placeholders or {}).items():
        by_source.setdefault(rules, {})["without_placeholders"] = figures
    if scores.result is not None:
        by_source["result"] = plain(scores.result)
    by_source |= {f"gold {version}": plain(one) for version, one in scores.further_gold.items()}
    return {source: _without_signatures(figures) for source, figures in by_source.items()}


def _without_signatures(content: Any) -> Any:
    if not isinstance(content, Mapping):
        return content
    kept = {name: one for name, one in content.items() if not name.startswith("signature")}
    return {name: _without_signatures(one) for name, one in kept.items()}


def differing_files(old: Scores, new: Scores) -> list[str]:
    """Return the files of scores that hold something else than new ones do."""
    before, after = old.documents(), new.documents()
    # Figures beside reports are computed in another order on another machine.
    tolerances = {name: 1e-12 if name == SCORES_FILE else 1e-9 for name in FILES}
    return [
        name
        for name, tolerance in tolerances.items()
        if any(differences("", before.get(name), after.get(name), tolerance))
    ]


def differences(rules: str, before: object, after: object, tolerance: float) -> Iterator[Change]:
    """Yield the numbers and words of documents that differ by more than a share of themselves."""
    old, new = dict(_values("", before)), dict(_values("", after))
    for place in dict.fromkeys([*old, *new]):
        one, other = old.get(place), new.get(place)
        if isinstance(one, float | int) and isinstance(other, float | int):
            same = math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
        else:
            same = one == other
        if not same:
            yield Change(rules, place, one, other)


def _values(place: str, content: object) -> Iterator[tuple[str, float | str]]:
    """Yield every number and word of a document with its place."""
    if isinstance(content, Mapping):
        for key, value in content.items():
            yield from _values(f"{place}.{key}" if place else str(key), value)
    elif isinstance(content, str):
        yield place, content
    elif isinstance(content, Sequence):
        for number, value in enumerate(content):
            yield from _values(f"{place}[{number}]", value)
    elif isinstance(content, int | float) and not isinstance(content, bool):
        yield place, content


# -------------------------------------------------------------------- a proposed folder


def touched_entries(entries: Sequence[Entry], base: Path) -> list[Entry]:
    """Return the entries whose content is not that in another folder of submissions."""
    return [one for one in entries if _content(one.folder) != _content(base / one.key)]


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
    touched = {one.key for one in touched_entries(entries, base)}
    board = read_board(folder, entries, DEFAULT_RULES)
    lost, moved = _moved_ranks(read_board(base, [*old.values()], DEFAULT_RULES), board)
    parts = ["# What this changes"]
    parts += ["## Ranks that are lost", "\n".join(lost)] if lost else []
    for entry in entries:
        if entry.key in touched:
            parts += _entry(board, entry, old.get(entry.key))
    removed = old.keys() - {entry.key for entry in entries}
    parts += [f"## Removed: {escaped(key)}" for key in sorted(removed)]
    parts += ["## Ranks that move", "\n".join(moved)] if moved else []
    paths = [f"{entry.key}/{ENTRY_FILE}" for entry in entries if entry.key in touched & old.keys()]
    for path in (*paths, REPORTED_FILE, NOTE_FILE):
        if diff := _diff(base / path, folder / path):
            parts += [f"## Changed: {path}", diff]
    if len(parts) == 1:
        parts.append("No change of scores or pages.")
    return "\n\n".join(parts)


def _moved_ranks(before: Board, after: Board) -> tuple[list[str], list[str]]:
    """Return which rows of a board have no rank any more, and why; and the new ranks of others."""
    rows = {(table.title, row.key): row for table in board_tables(after) for row in table.rows}
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
    row = board.row_of(entry)
    if row is not None and not raised_flags(row):
        yield "flags: none raised"
    if missing := missing_facts(entry.system):
        yield f"{NOT_STATED}: {missing}"
    if old is not None and (figures := list(changed_figures(old.scores, entry.scores))):
        yield f"{counted(len(figures), 'figure')} of {SCORES_FILE} changed, the first:"
        yield f"```\n{changes_table(figures[:12])}\n```"


def _content(folder: Path) -> dict[str, bytes]:
    """Return name -> content of the files of an entry that scores and pages follow from."""
    paths = [folder / name for name in (ENTRY_FILE, *FILES)]
    return {path.name: path.read_bytes() for path in paths if path.is_file()}


def _diff(before: Path, after: Path) -> str:
    """Return how a file differs; empty if it does not."""
    old, new = (
        read_plain(path).decode(errors="replace") if is_plain_file(path) else ""
        for path in (before, after)
    )
    diff = _unified(old, new, "before", "after", 1)
    return f"```diff\n{diff}\n```" if diff else ""


def _unified(old: str, new: str, before: str, after: str, context: int = 3) -> str:
    lines = (old.splitlines(), new.splitlines(), before, after)
    return "\n".join(difflib.unified_diff(*lines, lineterm="", n=context))


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
    if missing := missing_pairs(board.pairs, entries):
        first = " and ".join(missing[0])
        lacks = f"lacks {len(missing)} of the entries' pairs as they are now, the first {first}"
        problems.append(f"{folder / PAIRS_FILE} {lacks}; run `mwz leaderboard`")
    problems += file_problems(entries)
    problems += pair_problems(folder, entries, {entry.key for entry in entries})
    return diffs, problems
