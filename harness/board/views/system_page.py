"""The pages of systems: all that is known of each in one place, and how they compare."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, combinations

from mwz.normalization import read_toml

from ...comparison import p_text
from ...diagnosis import CAUSES, SLOT_CAUSES
from ...io import figure
from ...metrics import FLAGS, TOTAL, headlines
from ...scoring import Report
from ...signature import PLACEHOLDERS
from ..columns import SETUP_FIGURES, Column, columns, verdict_mark
from ..entries import Entry
from ..model import Board
from ..pairs import RANKING, SAMPLES, PairFigure
from ..paper_table import entry_reference
from ..rows import ResponsesRow, Row, Value
from ..scores import FIGURES
from ..systems import FACTS, stated_facts
from ..track import tracks
from ..verdicts import misfits, record
from .board_data import Data, rows_by_rules

_LOST = (
    ("Domains not matched, in dialogues", CAUSES, "matched"),
    ("Requested slots not provided", SLOT_CAUSES, "provided"),
)
"""Title, causes, and what counts them by domain."""


@cache
def meanings() -> dict[str, dict[str, str]]:
    """Return what pages call the fields of signatures, sources of domains and states, and signs."""
    return dict(read_toml("meanings.toml", __package__))


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return re.sub(r"(?<!\S)-(?=\d)", "−", text)


def sentence(notes: Iterable[str]) -> str:
    """Return notes as a sentence; empty without any."""
    text = "; ".join(notes)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def cause_title(cause: str) -> str:
    """Return what pages call a cause of lost points."""
    return meanings()["titles"].get(cause, cause)


def system_pages(board: Board) -> Iterator[tuple[str, Data]]:
    """Yield the key of every entry and what its page shows, in the order of the board.

    It is `entry`, its `track`, and its row there, `main`: `row` if it is one of delexicalised
    responses; `columns`, those of its track, and the keys of its `main_figures`; `stated`, fact ->
    what is stated of it; `verdict`, whether the public board's row is the harness's; `by_rules`,
    rule set -> its row; `rates`, title -> domain -> rate, in percent; `reported`, the figures that
    are reported of it, and `misfits`, those that cannot be; `tracked`, track and row for each set
    of gold states; `citation`; `compared`, whether it is compared with some other system; `before`
    and `after`, its neighbours on the board.
    """
    rows = {row.key: row.entry for row in board.rows}
    listed = [*rows.values(), *(entry for entry in board.entries if entry.key not in rows)]
    in_order = [e for track in tracks() for e in listed if e.system.track == track]
    order = [None, *in_order, None]
    for entry, before, after in zip(in_order, order, order[2:], strict=False):
        yield entry.key, {**_page(board, entry), "before": before, "after": after}


def _page(board: Board, entry: Entry) -> Data:
    main, track = board.row_of(entry), tracks()[entry.system.track]
    row = main if isinstance(main, ResponsesRow) and track.delexicalised else None
    return {
        "board": board,
        "entry": entry,
        "track": track,
        "main": main,
        "row": row,
        "columns": [] if main is None else track.columns(board, [main]),
        "main_figures": FIGURES if track.delexicalised else (track.ranks,),
        # What the harness makes itself has no facts.
        "stated": {} if entry.system.predictions.by_harness else stated_facts(entry.system),
        "facts": FACTS,
        "verdict": "; ".join(board.verdicts(entry)),
        "verdict_mark": verdict_mark,
        "by_rules": {} if row is None else rows_by_rules(board, row),
        "setup_figures": SETUP_FIGURES,
        "headlines": headlines(),
        "rates": {} if row is None else _rates(row.report),
        "lost": _LOST,
        "flags": FLAGS,
        "reported": record([entry], board.tables),
        "misfits": misfits([entry], []),
        "tracked": [
            (track, row)
            for name, track in tracks().items()
            if track.takes_gold
            for row in chain.from_iterable(board.tables_by_track[name])
            if row.key == entry.key
        ],
        "citation": entry_reference(entry),
        # The page of comparisons has the systems of delexicalised responses alone.
        "compared": row is not None
        and not row.is_corpus
        and any(entry.key in pair for pair in board.pairs.pairs),
    }


def _rates(report: Report) -> dict[str, dict[str, float]]:
    """Return title -> domain -> rate, with state tracking where the system tracks states."""
    if report.strict is None:
        return {}
    rates = {"Inform": report.strict.inform, "Success": report.strict.success}
    if report.optimistic is not None:
        rates["Inform opt."] = report.optimistic.inform
        rates["Success opt."] = report.optimistic.success
    tracked = {} if report.dst is None else report.dst.per_domain
    for key, title in {"JGA": "JGA", "F1": "Slot F1"}.items() if tracked else ():
        rates[title] = {name: figures[key] for name, figures in tracked.items() if key in figures}
    domains = sorted(report.strict.inform.keys() - {TOTAL})
    return {title: {d: of[d] for d in domains if d in of} for title, of in rates.items()}


# ------------------------------------------------------------ systems compared

MOST = 4
"""How many systems are compared at once."""


def compare_page(board: Board) -> Data | None:
    """Return what the page that compares systems shows; None if no two are compared.

    It is `rows`, tracks with their rows that are compared with others; `pairs`, and `data`, all of
    it for the script; `samples`, those of the randomisation test; `most`, how many systems
    are compared at once; and `ranking`, the figure that ranks.
    """
    compared = {key for pair in board.pairs.pairs for key in pair}
    # Nothing compares with the BLEU of references against themselves.
    rows = [row for row in board.rows if row.key in compared and not row.is_corpus]
    by_track = [
        (track, [row for row in rows if row.track == key]) for key, track in tracks().items()
    ]
    if not rows:
        return None
    return {
        "rows": [(track, of_track) for track, of_track in by_track if of_track],
        "pairs": board.pairs,
        "data": _pairs_data(board, rows),
        "samples": SAMPLES,
        "most": MOST,
        "ranking": headlines()[RANKING],
    }


def _pairs_data(board: Board, rows: Sequence[ResponsesRow]) -> Data:
    """Return systems and pairs as JSON types."""
    listed = [column for column in columns(board) if column.key in FIGURES]
    pairs: dict[str, list[object]] = {}
    # Reason -> the pairs that do not compare for it.
    apart: dict[str, list[str]] = {}
    for one, other in combinations(sorted(rows, key=lambda row: row.key), 2):
        name = f"{one.key}/{other.key}"
        if pair := board.pairs.pairs.get((one.key, other.key)):
            pairs[name] = [pair.dialogues, *(_pair_data(pair.figures[name]) for name in FIGURES)]
        else:
            ours, theirs = one.report.signature, other.report.signature
            reasons = ours.comparable_with(theirs, ("coverage", PLACEHOLDERS)).reasons
            why = "; ".join(reasons) or "they play no dialogue in common"
            apart.setdefault(why, []).append(name)
    return {
        "figures": {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES},
        "systems": {row.key: _system_data(row, listed) for row in rows},
        "pairs": pairs,
        "apart": apart,
        "titles": meanings()["titles"],
    }


def _system_data(row: ResponsesRow, listed: Sequence[Column[Row]]) -> Data:
    """Return a system's figures with intervals, its rates by domain, and what costs it Success."""
    rates, kept = _rates(row.report), row.entry.scores.dialogues
    points = {} if kept is None else kept.causes.points
    both = {d: (of, rates["Success"][d]) for d, of in rates.get("Inform", {}).items()}
    return {
        "name": row.name,
        "figures": {column.key: _with_half(column.value(row)) for column in listed},
        "domains": {domain: [round(rate, 1) for rate in of] for domain, of in both.items()},
        "causes": {name: round(one.success, 1) for name, one in points.items()},
    }


def _with_half(value: Value) -> str:
    """Return a value with half of its interval."""
    half = "" if value.interval is None else f" ±{figure(value.interval.half, value.digits)}"
    return with_minus(value.text) + half


def _pair_data(one: PairFigure) -> list[object]:
    """Return difference, p, and who alone wins how many."""
    won = [] if one.only_a is None else [one.only_a, one.only_b]
    return [round(one.difference, 2), p_text(one.p), *won]
