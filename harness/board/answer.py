"""What a table says in short: who is the best in a sentence, and the signs of `marks.toml`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from mwz.normalization import read_toml

from .columns import BoardTable, Column
from .model import Board
from .rows import Row
from .track import tracks


def answer(board: Board, table: BoardTable) -> str:
    """Return who is the best of a table, as a sentence or two; empty if fewer than two are ranked.

    The best is tied with every system from which the tests do not tell it apart (`Board.bands`).

    Args:
        board: The board.
        table: One of its tables.
    """
    rows = [row for row in table.rows if row.rank is not None]
    if len(rows) < 2:
        return ""
    track, by_key = tracks()[table.track], {column.key: column for column in table.columns}
    # Of gold states of another version, the column says which.
    ranking = by_key.get(track.ranks, table.columns[0]).full_title
    bands = board.bands(table.track) if rows == [*board.ranked(table.track)] else []
    tied = bands[0] if bands else [row for row in rows if row.rank == 1]
    if not bands:
        verb = "leads" if len(tied) == 1 else "lead"
        first = f"{in_words(_names(tied))} {verb} by {ranking}; no test compares the systems."
    elif len(tied) == 1:
        first = f"{tied[0].name} is the best: significantly ahead of all others on {ranking}."
    else:
        first = f"No single best: {in_words(_names(tied))} are statistically tied on {ranking}."
    leads = ", ".join(_leads(rows, [by_key[key] for key in track.leads if key in by_key]))
    return f"{first} {leads}." if leads else first


def mark_kinds(kinds: Collection[str] | None = None) -> Mapping[str, Mapping[str, str]]:
    """Return kind of mark -> its `sign` and `legend`, of some kinds or of all, in order."""
    declared = read_toml("marks.toml", __package__)
    return {kind: one for kind, one in declared.items() if kinds is None or kind in kinds}


def _leads(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> Iterator[str]:
    """Yield who leads in which columns: of each who leads in any, all of them."""
    led: dict[str, list[str]] = {}
    for column in columns:
        numbers = {row.name: column.value(row).number for row in rows}
        best = max((one for one in numbers.values() if one is not None), default=None)
        names = [name for name, one in numbers.items() if one is not None and one == best]
        led.setdefault(in_words(names), []).append(column.full_title)
    for place, (name, titles) in enumerate(led.items()):
        verb = "" if place else " lead" if " and " in name else " leads"
        yield f"{name}{verb} {in_words(titles)}"


def in_words(names: Sequence[str]) -> str:
    """Return names as an enumeration, with "and" before the last."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _names(rows: Sequence[Row]) -> list[str]:
    return [row.name for row in rows]
