"""The pages of systems: all that is known of each in one place, and how they compare."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, combinations, groupby
from typing import Any, TypeAlias

from mwz.normalization import read_toml

from ...comparison import p_text
from ...diagnosis import CAUSES, SLOT_CAUSES, Causes
from ...io import figure, signed
from ...metrics import FLAGS, RANKED, TOTAL, headlines
from ...scoring import Report
from ...signature import PLACEHOLDERS, Signature
from ..columns import SETUP_FIGURES, Column, columns, verdict_mark
from ..entries import Entry
from ..model import Board
from ..pairs import RANKING, SAMPLES, EntryPair, PairFigure
from ..paper_table import entry_reference
from ..reported import Figure
from ..rows import NOTHING, REFERENCE, ResponsesRow, Row
from ..scores import FIGURES
from ..systems import FACTS, NOT_STATED, stated_facts
from ..track import tracks
from ..verdicts import misfits, record
from .board_data import Data, rows_by_rules
from .board_page import Cell, with_minus

Cells: TypeAlias = list[str | Cell]
"""A row of a table, which begins with what it is about; a single cell is a title of rows below."""


@cache
def meanings() -> dict[str, dict[str, str]]:
    """Return what pages call the fields of signatures, sources of domains and states, and signs."""
    return dict(read_toml("meanings.toml", __package__))


def cause_title(cause: str) -> str:
    """Return what pages call a cause of lost points."""
    return meanings()["titles"].get(cause, cause)


def system_pages(board: Board) -> Iterator[tuple[str, Data]]:
    """Yield the key of every entry and what its page shows, in the order of the board.

    What the template knows: `entry` and, of delexicalised responses, its `row`; `track`, the title
    of its track; `section`, the address of its row on the board; `place`, its rank in words;
    `stated`, title -> what is stated of it; `verdict`, whether the public board's row is the
    harness's, and `mark`, the verdict's style; `tiles`, title -> its main figures, and `bound`, how
    they count what it leaves out; `signature`, and `fields`, field, value and meaning of what in it
    is the system's own; `citation` in BibTeX; `compared`, whether it is compared with some other
    system; `before` and `after`, name and key of its neighbours on the board. Its scores are

    - `figures`: heading -> title -> figure, of a track that has columns of its own;
    - `by_rules`: rule set -> its row; `setup_figures`, those of a set-up, and `setup_titles`;
      `seeds`, title -> figure over all seeds, of `seeds_count` of them; `row_note`;
    - `rates`: title -> domain -> rate, in percent;
    - `reported`: rows of reported figures, and `misfits`, those that cannot be, in sentences;
    - `causes`: rows of what points are lost by, with counts by domain, `causes_of`;
    - `flags`, those that are raised, and `flags_note`;
    - `tracking`: heading -> title -> figure of state tracking, and `tracking_note`.
    """
    rows = {row.key: row.entry for row in board.rows}
    listed = [*rows.values(), *(entry for entry in board.entries if entry.key not in rows)]
    in_order = [e for track in tracks() for e in listed if e.system.track == track]
    order = [None, *((entry.system.name, entry.key) for entry in in_order), None]
    for place, entry in enumerate(in_order):
        around = {"before": order[place], "after": order[place + 2]}
        yield entry.key, {**_page(board, entry), **around}


def _page(board: Board, entry: Entry) -> Data:
    main, track = board.row_of(entry), tracks()[entry.system.track]
    row = main if isinstance(main, ResponsesRow) and track.delexicalised else None
    main_columns = [] if main is None else track.columns(board, [main])
    wanted = FIGURES if track.delexicalised else (track.ranks,)
    verdict, citation = "; ".join(board.verdicts(entry)), entry_reference(entry)
    signature = None if main is None else main.signature
    has_own_columns = main is not None and not track.delexicalised and not track.takes_gold
    return {
        "entry": entry,
        "row": None,
        "track": track.title,
        "section": f"row-{entry.key}" if main is None else main.anchor,
        "place": _place(board, main),
        "stated": _stated(entry),
        "verdict": with_minus(verdict),
        "mark": verdict_mark(verdict),
        "tiles": _facts(main, [one for one in main_columns if one.key in wanted]),
        "bound": "" if track.takes_gold else _bound(main),
        "figures": {track.caption: _facts(main, main_columns)} if has_own_columns else {},
        **({} if row is None else _responses(board, row)),
        "reported": _reported(board, entry),
        "misfits": [
            f"{one.title} {one.printed:f} ({one.source}): {one.reason}."
            for one in misfits([entry], [])
        ],
        **_tracking(board, entry),
        "signature": str(signature or ""),
        "fields": [] if signature is None else list(own_fields(signature)),
        "citation": None if citation is None else citation.bibtex(),
        # The page of comparisons has the systems of delexicalised responses alone.
        "compared": row is not None
        and not row.is_corpus
        and any(entry.key in pair for pair in board.pairs),
    }


def _stated(entry: Entry) -> dict[str, str]:
    """Return title -> what is stated of a system; nothing of what the harness makes itself."""
    if entry.system.predictions.by_harness:
        return {}
    stated = stated_facts(entry.system)
    return {
        str(fact.title): NOT_STATED if stated[name] is None else str(stated[name])
        for name, fact in FACTS.items()
    }


def _facts(row: Row | None, listed: Sequence[Column[Any]]) -> dict[str, Cell]:
    """Return title -> what stands in some columns of a row, where anything does."""
    cells = {one.full_title: Cell.of(one.value(row)) for one in listed if row is not None}
    return {title: cell for title, cell in cells.items() if cell.text}


def _place(board: Board, row: Row | None) -> str:
    """Return a system's rank in words."""
    if row is None:
        return "not ranked"
    if row.rank is not None:
        between = board.rank_range(row)
        return f"rank {row.rank}" + (f" (range {between})" if "–" in between else "")
    return "reference row" if row.unranked == REFERENCE else f"not ranked: {row.unranked}"


def _bound(row: Row | None) -> str:
    """Return how an incomplete row counts what is missing; empty of others."""
    text = "" if row is None else _sentence(row.bound_note)
    return f"{text} All figures without ≥ are of what it plays." if "≥" in text else text


def _sentence(notes: Sequence[str]) -> str:
    text = "; ".join(notes)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _responses(board: Board, row: ResponsesRow) -> Data:
    """Return what is shown of the scores of delexicalised responses."""
    seeds, kept = row.entry.scores.seeds, row.entry.scores.dialogues
    titles = [headlines()[name].title for name in SETUP_FIGURES]
    return {
        "row": row,
        "by_rules": rows_by_rules(board, row),
        "setup_figures": SETUP_FIGURES,
        "setup_titles": [*titles, *(f"{title} opt." for title in titles)],
        "seeds": {
            headlines()[name].title: Cell(figure(one.mean, 1), f"± {figure(one.deviation, 1)}")
            for name, one in ({} if seeds is None else seeds.spread).items()
        },
        "seeds_count": 0 if seeds is None else len(seeds.seeds) + 1,
        "row_note": _sentence(list(row.track_notes)),
        "rates": _rates(row.report),
        "causes": [] if kept is None else _lost(kept.causes),
        "causes_of": [] if kept is None else list(kept.causes.domains),
        "flags": _flags(row),
        "flags_note": _sentence(list(row.flag_notes())),
    }


def _rates(report: Report | None) -> dict[str, dict[str, float]]:
    """Return title -> domain -> rate, with state tracking where the system tracks states."""
    if report is None or report.strict is None:
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


def _reported(board: Board, entry: Entry) -> list[Cells]:
    """Return the rows of the figures that are reported of a system, those of each source headed."""
    rows: list[Cells] = []
    for title, figures in groupby(record([entry], board.tables), _source_title):
        rows.append([title])
        for one in figures:
            printed, scored, difference = one.texts()
            verdict = Cell(one.verdict, mark=verdict_mark(one.verdict))
            rows.append([one.title, printed, scored, with_minus(difference), verdict])
    return rows


def _source_title(one: Figure) -> str:
    words = "the authors' own set-up" if one.setup == "own" else f"{one.setup} set-up"
    return f"{one.source} ({words if one.setup in (*RANKED, 'own') else one.setup})"


def _lost(causes: Causes) -> list[Cells]:
    """Return the rows of what points are lost by, the most costly cause of each kind first."""
    most = max((max(one) for one in causes.points.values()), default=0.0) or 1.0
    rows: list[Cells] = []
    for title, names, counted in (
        ("Domains not matched, in dialogues", CAUSES, "matched"),
        ("Requested slots not provided", SLOT_CAUSES, "provided"),
    ):
        costly = [name for name in names if name in causes.points]
        costly = [name for name in costly if causes.points[name].success > 0]
        rows += [[title]] if costly else []
        for name in sorted(costly, key=lambda name: -causes.points[name].success):
            inform, success = causes.points[name]
            width = round(100 * success / most, 1)
            counts = (getattr(one, counted).get(name, 0) for one in causes.domains.values())
            points: Cells = [figure(inform), Cell(figure(success), bar=(0.0, width, None))]
            rows.append([cause_title(name), *points, *(str(one or NOTHING) for one in counts)])
    return rows


def _flags(row: Row) -> list[Cells]:
    """Return the rows of the flags that are raised."""
    rows: list[Cells] = []
    for name in row.raised:
        flag, title = FLAGS[name], row.flag_title(name)
        raised = Cell(figure(row.flags[name], 2), mark="raised")
        rows.append([title, raised, flag.honest_text, flag.bound])
    return rows


def _tracking(board: Board, entry: Entry) -> Data:
    """Return what is shown of state tracking: the figures against each set of gold states."""
    rows = [
        (track, row)
        for name, track in tracks().items()
        if track.takes_gold
        for row in chain.from_iterable(board.tables_by_track[name])
        if row.key == entry.key
    ]
    facts = {}
    for track, row in rows:
        rank = "not ranked" if row.rank is None else f"rank {row.rank}"
        title = "" if track.heading is None else track.heading([row])
        listed = [one for one in track.columns(board, [row]) if one.title != "Track"]
        facts[f"{title}, in percent: {rank}"] = _facts(row, listed)
    return {"tracking": facts, "tracking_note": _bound(rows[0][1]) if rows else ""}


def own_fields(signature: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield field, value and meaning of what in a signature is the system's own."""
    values = {name: getattr(signature, name) for name in ("domains", "states", "coverage")}
    values[PLACEHOLDERS] = signature.parameters.get(PLACEHOLDERS)
    for name, value in values.items():
        by_value = meanings()[name]
        meaning = by_value.get(str(value), by_value.get("any"))
        if value is not None and meaning is not None:
            yield name, value, f"{meaning}."


# ------------------------------------------------------------ systems compared

MOST = 4
"""How many systems are compared at once."""


def compare_page(board: Board) -> Data | None:
    """Return what the page that compares systems shows; None if no two are compared.

    It is `systems`, title of a track -> key and name of those that are compared with others;
    `tables`, per track the caption, titles and rows of the difference of each two; `data`, all of
    it as JSON for the script; `samples`, those of the randomisation test; and `most`, how many
    systems are compared at once.
    """
    compared = {key for pair in board.pairs for key in pair}
    # Nothing compares with the BLEU of references against themselves.
    rows = [row for row in board.rows if row.key in compared and not row.is_corpus]
    if not rows:
        return None
    systems, tables = {}, []
    for key, track in tracks().items():
        of_track = [row for row in rows if row.track == key]
        if of_track:
            systems[track.title] = [(row.key, row.name) for row in of_track]
        if len(of_track) > 1 and track.submitted:
            caption = (
                f"{track.title}: {headlines()[RANKING].title}, row minus column, on the "
                "dialogues that both play; ≈: the difference is not significant"
            )
            lines = [
                [
                    row.name,
                    *[""] * at,
                    *(_difference(board, row, one) for one in of_track[at + 1 :]),
                ]
                for at, row in enumerate(of_track[:-1])
            ]
            tables.append((caption, ["System", *(row.name for row in of_track[1:])], lines))
    data = {"data": _pairs_data(board, rows), "samples": SAMPLES, "most": MOST}
    return {"systems": systems, "tables": tables, **data}


def _difference(board: Board, row: Row, other: Row) -> str | Cell:
    """Return a row's difference from another one."""
    pair = board.pairs.get((row.key, other.key))
    if pair is None:
        return NOTHING
    one = pair.figures[RANKING]
    text = with_minus(signed(one.difference, headlines()[RANKING].digits))
    return text if one.distinct else Cell(f"≈ {text}", mark="near")


def _pairs_data(board: Board, rows: Sequence[ResponsesRow]) -> str:
    """Return systems and pairs as JSON that may stand in a page."""
    compared = [column for column in columns(board) if column.key in FIGURES]
    pairs: dict[str, list[object]] = {}
    # Reason -> the pairs that do not compare for it.
    apart: dict[str, list[str]] = {}
    for one, other in combinations(sorted(rows, key=lambda row: row.key), 2):
        name = f"{one.key}/{other.key}"
        if pair := board.pairs.get((one.key, other.key)):
            pairs[name] = _pair_data(pair)
        elif one.report and other.report:
            ours, theirs = one.report.signature, other.report.signature
            reasons = ours.comparable_with(theirs, ("coverage", PLACEHOLDERS)).reasons
            why = "; ".join(reasons) or "they play no dialogue in common"
            apart.setdefault(why, []).append(name)
    content = {
        "figures": {name: [headlines()[name].title, headlines()[name].digits] for name in FIGURES},
        "systems": {row.key: _system_data(row, compared) for row in rows},
        "pairs": pairs,
        "apart": apart,
        "titles": meanings()["titles"],
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    # Nothing in it may end the element that holds it.
    return text.replace("<", "\\u003c")


def _system_data(row: ResponsesRow, listed: Sequence[Column[Row]]) -> Data:
    """Return a system's figures with intervals, its rates by domain, and what costs it Success."""
    cells = {column.key: Cell.of(column.value(row)) for column in listed}
    rates, kept = _rates(row.report), row.entry.scores.dialogues
    points = {} if kept is None else kept.causes.points
    both = {d: (of, rates["Success"][d]) for d, of in rates.get("Inform", {}).items()}
    return {
        "name": row.name,
        "figures": {key: f"{cell.text} {cell.small}".rstrip() for key, cell in cells.items()},
        "domains": {domain: [round(rate, 1) for rate in of] for domain, of in both.items()},
        "causes": {name: round(one.success, 1) for name, one in points.items()},
    }


def _pair_data(pair: EntryPair) -> list[object]:
    """Return the dialogues of both, then per figure: difference, p, and who alone wins how many."""

    def data(one: PairFigure) -> list[object]:
        won = [] if one.only_a is None else [one.only_a, one.only_b]
        return [round(one.difference, 2), p_text(one.p), *won]

    return [pair.dialogues, *(data(pair.figures[name]) for name in FIGURES)]
