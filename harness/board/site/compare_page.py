"""The page that compares any two systems, by the pairs that are stored with the entries."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...metrics.registry import headlines
from ..dialogue_scores import FIGURES
from ..leaderboard import Row
from ..pairs import RANKING, SAMPLES, EntryPair
from ..tracks import TRACKS
from .columns import plus_minus
from .contents import Contents
from .page_tables import NOTHING, Cell, Header, Table, difference_text


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


def compare_page(contents: Contents) -> ComparePage | None:
    """Return what the page shows; None if no two systems are compared."""
    pairs = contents.pairs.pairs
    compared = {key for pair in pairs for key in pair}
    rows = [row for row in contents.rows if row.entry.key in compared]
    if not rows:
        return None
    return ComparePage(
        systems={
            track.title: own
            for key, track in TRACKS.items()
            if (own := [(r.entry.key, r.entry.system.name) for r in rows if _track(r) == key])
        },
        tables=list(_tables(contents, rows)),
        data=_data(contents, rows),
        samples=SAMPLES,
    )


def _track(row: Row) -> str:
    return row.entry.system.track


def _tables(contents: Contents, rows: Sequence[Row]) -> Iterator[Table]:
    for key, track in TRACKS.items():
        own = [row for row in rows if _track(row) == key]
        if len(own) < 2 or not track.submitted:
            continue
        title = headlines()[RANKING].title
        yield Table(
            f"{track.title}: {title} of the row less that of the column, on the dialogues that "
            "both play; ≈ where the two cannot be told apart",
            [Header("System"), *(Header(row.entry.system.name) for row in own[1:])],
            [[Cell(row.entry.system.name), *_differences(contents, row, own)] for row in own[:-1]],
        )


def _differences(contents: Contents, row: Row, own: Sequence[Row]) -> Iterator[Cell]:
    """Yield a row of a track's table: a difference from each system below it."""
    place = own.index(row)
    for at, other in enumerate(own[1:], start=1):
        yield Cell("") if at <= place else _difference(contents, row, other)


def _difference(contents: Contents, row: Row, other: Row) -> Cell:
    pair = contents.pairs.between(row.entry.key, other.entry.key)
    if pair is None:
        return Cell(NOTHING)
    found = pair.figures[RANKING]
    text = difference_text(found.difference, headlines()[RANKING].digits)
    return Cell(text) if found.distinct else Cell(f"≈ {text}", mark="near")


def _data(contents: Contents, rows: Sequence[Row]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    names = [row.entry.key for row in rows]
    systems = {
        row.entry.key: {
            "name": row.entry.system.name,
            "figures": {name: _figure(contents, row, name) for name in FIGURES},
        }
        for row in rows
    }
    pairs = {
        f"{a}/{b}": _pair(pair)
        for (a, b), pair in sorted(contents.pairs.pairs.items())
        if a in names and b in names
    }
    figures = {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES}
    content = {"figures": figures, "systems": systems, "pairs": pairs}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _figure(contents: Contents, row: Row, name: str) -> str:
    interval = contents.interval(row.entry, name)
    text = row.figure(name)
    return text if interval is None else f"{text} {plus_minus(name, interval)}"


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
