"""The page that compares any two systems, by the pairs that are stored with the entries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...metrics import headlines
from .. import TRACKS
from ..columns import columns
from ..model import NOTHING, Board, Row, Value
from ..pairs import RANKING, SAMPLES, EntryPair
from ..scores import FIGURES
from .page_tables import Cell, Header, Table, difference_text, plus_minus


@dataclass(frozen=True)
class ComparePage:
    """What the page shows.

    Attributes:
        systems: Title of a track -> key and name of its systems that are compared with others.
        tables: A table per track: the difference of each two of its systems.
        data: All pairs, as JSON for the script.
        samples: The samples of the randomisation test.
    """

    systems: Mapping[str, Sequence[tuple[str, str]]]
    tables: Sequence[Table]
    data: str
    samples: int


def compare_page(board: Board) -> ComparePage | None:
    """Return what the page shows; None if no two systems are compared."""
    pairs = board.pairs.pairs
    compared = {key for pair in pairs for key in pair}
    rows = [row for row in board.rows if row.key in compared]
    if not rows:
        return None
    return ComparePage(
        systems={
            track.title: own
            for key, track in TRACKS.items()
            if (own := [(r.key, r.name) for r in rows if r.track == key])
        },
        tables=list(_tables(board, rows)),
        data=_data(board, rows),
        samples=SAMPLES,
    )


def _tables(board: Board, rows: Sequence[Row]) -> Iterator[Table]:
    for key, track in TRACKS.items():
        own = [row for row in rows if row.track == key]
        if len(own) < 2 or not track.submitted:
            continue
        title = headlines()[RANKING].title
        yield Table(
            f"{track.title}: {title} of the row less that of the column, on the dialogues that "
            "both play; ≈ where the two cannot be told apart",
            [Header("System"), *(Header(row.name) for row in own[1:])],
            [[Cell(row.name), *_differences(board, row, own)] for row in own[:-1]],
        )


def _differences(board: Board, row: Row, own: Sequence[Row]) -> Iterator[Cell]:
    """Yield a row of a track's table: a difference from each system below it."""
    place = own.index(row)
    for at, other in enumerate(own[1:], start=1):
        yield Cell("") if at <= place else _difference(board, row, other)


def _difference(board: Board, row: Row, other: Row) -> Cell:
    pair = board.pairs.between(row.key, other.key)
    if pair is None:
        return Cell(NOTHING)
    found = pair.figures[RANKING]
    text = difference_text(found.difference, headlines()[RANKING].digits)
    return Cell(text) if found.distinct else Cell(f"≈ {text}", mark="near")


def _data(board: Board, rows: Sequence[Row]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    names = [row.key for row in rows]
    shown = [column for column in columns(board) if column.key in FIGURES]
    systems = {
        row.key: {
            "name": row.name,
            "figures": {column.key: _figure(column.value(row)) for column in shown},
        }
        for row in rows
    }
    pairs = {
        f"{a}/{b}": _pair(pair)
        for (a, b), pair in sorted(board.pairs.pairs.items())
        if a in names and b in names
    }
    figures = {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES}
    content = {"figures": figures, "systems": systems, "pairs": pairs}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _figure(value: Value) -> str:
    return f"{value.text} {plus_minus(value)}".rstrip()


def _pair(pair: EntryPair) -> list[object]:
    """Return the dialogues of both, then per figure: difference, p, and who alone wins how many."""
    return [
        pair.dialogues,
        *(
            [round(one.difference, 2), float(f"{one.p:.2g}"), one.only_a, one.only_b]
            if one.only_a is not None
            else [round(one.difference, 2), float(f"{one.p:.2g}")]
            for one in (pair.figures[name] for name in FIGURES)
        ),
    ]
