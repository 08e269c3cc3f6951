"""The page that compares systems with each other, by what is stored of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import combinations

from ...comparison.interval import p_text
from ...io.rendering import signed
from ...metrics import headlines
from ...metrics.inform_success import TOTAL
from ...signature import PLACEHOLDERS
from .. import TRACKS
from ..columns import Column, columns
from ..model import NOTHING, Board, Row
from ..pairs import RANKING, SAMPLES, EntryPair, PairFigure
from ..scores import FIGURES
from .page_parts import Cell, Table, plus_minus, with_minus
from .system_page import meanings

MOST = 4
"""How many systems are compared at once."""


def compare_page(board: Board) -> dict[str, object] | None:
    """Return what the page that compares systems shows; None if no two are compared.

    It is "systems", title of a track -> key and name of those that are compared with others;
    "tables", per track the difference of each two; "data", all of it as JSON for the script;
    "samples", those of the randomisation test; and "most", how many systems are compared at once.
    """
    compared = {key for pair in board.pairs.pairs for key in pair}
    rows = [row for row in board.rows if row.key in compared]
    if not rows:
        return None
    by_track = {key: [row for row in rows if row.track == key] for key in TRACKS}
    systems, tables = {}, []
    for key, own in by_track.items():
        if own:
            systems[TRACKS[key].title] = [(row.key, row.name) for row in own]
        if len(own) > 1 and TRACKS[key].submitted:
            caption = (
                f"{TRACKS[key].title}: {headlines()[RANKING].title}, row minus column, on the "
                "dialogues that both play; ≈: the difference is not significant"
            )
            lines = [[row.name, *_differences(board, row, own)] for row in own[:-1]]
            tables.append(Table(caption, ["System", *(row.name for row in own[1:])], lines))
    data = {"data": _pairs_data(board, rows), "samples": SAMPLES, "most": MOST}
    return {"systems": systems, "tables": tables, **data}


def _differences(board: Board, row: Row, own: Sequence[Row]) -> Iterator[str | Cell]:
    """Yield a row of a track's table: a difference from each system below it."""
    for at, other in enumerate(own[1:], start=1):
        pair = board.pairs.between(row.key, other.key)
        if at <= own.index(row):
            yield ""
        elif pair is None:
            yield NOTHING
        else:
            found = pair.figures[RANKING]
            text = with_minus(signed(found.difference, headlines()[RANKING].digits))
            yield text if found.distinct else Cell(f"≈ {text}", mark="near")


def _pairs_data(board: Board, rows: Sequence[Row]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    shown = [column for column in columns(board) if column.key in FIGURES]
    pairs: dict[str, list[object]] = {}
    # Reason -> the pairs that do not compare for it.
    apart: dict[str, list[str]] = {}
    for one, other in combinations(sorted(rows, key=lambda row: row.key), 2):
        name = f"{one.key}/{other.key}"
        if pair := board.pairs.pairs.get((one.key, other.key)):
            pairs[name] = _pair_data(pair)
        elif one.report and other.report:
            ours, theirs = one.report.signature, other.report.signature
            reasons = ours.comparable_with(theirs, ("coverage", PLACEHOLDERS)).reasons
            why = "; ".join(reasons) or "they play no dialogue in common"
            apart.setdefault(why, []).append(name)
    content = {
        "figures": {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES},
        "systems": {row.key: _system_data(row, shown) for row in rows},
        "pairs": pairs,
        "apart": apart,
        "titles": meanings()["titles"],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _system_data(row: Row, shown: Sequence[Column[Row]]) -> dict[str, object]:
    """Return a system's figures with intervals, its rates by domain, and what costs it Success."""
    values = {column.key: column.value(row) for column in shown}
    figures = {k: f"{v.text} {plus_minus(v)}".rstrip() for k, v in values.items()}
    own = None if row.report is None else row.report.strict
    known = row.entry.scores.dialogues
    rates = {} if own is None else {d: (own.inform[d], own.success[d]) for d in own.inform}
    points = {} if known is None else known.causes.points
    domains = {d: [round(rate, 1) for rate in both] for d, both in rates.items() if d != TOTAL}
    causes = {name: round(one.success, 1) for name, one in points.items()}
    return {"name": row.name, "figures": figures, "domains": domains, "causes": causes}


def _pair_data(pair: EntryPair) -> list[object]:
    """Return the dialogues of both, then per figure: difference, p, and who alone wins how many."""

    def data(one: PairFigure) -> list[object]:
        won = [] if one.only_a is None else [one.only_a, one.only_b]
        return [round(one.difference, 2), p_text(one.p), *won]

    return [pair.dialogues, *(data(pair.figures[name]) for name in FIGURES)]
