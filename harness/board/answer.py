"""What a table says in short: who is the best in a sentence, and the signs of `marks.toml`."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import compress

from mwz.normalization import read_toml

from .columns import BoardTable, Column
from .model import Board
from .rows import Row
from .track import tracks


def answer(board: Board, table: BoardTable) -> str:
    """Return who is the best of a table, as a sentence or two; empty if fewer than two are ranked.

    The best is tied with every system that compares with it and is not significantly worse.

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
    # Pairs are compared by what ranks, where there are bands.
    pairs = board.pairs if board.bands(table.track) else {}
    tests = [pairs.get((rows[0].compared_as, row.compared_as)) for row in rows[1:]]
    near = [one is not None and not one.ranking.distinct for one in tests]
    tied = [rows[0], *compress(rows[1:], near)]
    if not any(tests):
        tied = [row for row in rows if row.rank == 1]
    names = in_words([row.name for row in tied])
    if not any(tests):
        verb = "leads" if len(tied) == 1 else "lead"
        first = f"{names} {verb} by {ranking}; no test compares the systems."
    elif len(tied) == 1:
        whom = "all others" if all(tests) else "all that compare with it"
        first = f"{names} is the best: significantly ahead of {whom} on {ranking}."
    else:
        first = f"No single best: {names} are statistically tied on {ranking}."
    leads = ", ".join(_leads(rows, [by_key[key] for key in track.leads if key in by_key]))
    return f"{first} {leads}." if leads else first


def mark_kinds(kinds: Collection[str] | None = None) -> Mapping[str, Mapping[str, str]]:
    """Return kind of mark -> its `sign` and `legend`, of some kinds or of all, in order."""
    declared = read_toml("marks.toml", __package__)
    return {kind: one for kind, one in declared.items() if kinds is None or kind in kinds}


def _leads(rows: Sequence[Row], columns: Sequence[Column[Row]]) -> Iterator[str]:
    """Yield who leads in which columns: of each who leads in any, all of them."""
    led: dict[tuple[str, ...], list[str]] = {}
    for column in columns:
        numbers = {one.name: n for one in rows if (n := column.value(one).number) is not None}
        best = max(numbers.values(), default=None)
        if names := tuple(name for name, number in numbers.items() if number == best):
            led.setdefault(names, []).append(column.full_title)
    for place, (names, titles) in enumerate(led.items()):
        verb = "" if place else " lead" if len(names) > 1 else " leads"
        yield f"{in_words(names)}{verb} {in_words(titles)}"


def in_words(names: Sequence[str]) -> str:
    """Return names as an enumeration, with "and" before the last."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
