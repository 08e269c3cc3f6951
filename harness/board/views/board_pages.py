"""The pages of the board, of systems and of comparisons: what their templates show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, combinations, zip_longest
from typing import Any

from ...comparison import SIGNIFICANCE, p_text
from ...diagnosis import CAUSES, SLOT_CAUSES
from ...glossary import glossary
from ...io import escaped, escaped_cell, in_latex, markdown_table
from ...metrics import TOTAL, reported_figures
from ...scoring import Report
from ...signature import PLACEHOLDERS
from ...submission import declared_flags
from ..columns import (
    FIRST,
    BoardTable,
    Column,
    answer,
    board_tables,
    columns,
    printed_columns,
    verdict_mark,
)
from ..entries import Entry
from ..model import Board, common_signatures, public_verdict, row_of
from ..pairs import RANKING, SAMPLES
from ..paper_table import bibtex, entry_reference
from ..reported import DIVERSITY, OFFICIAL, OLD, ReportedRow
from ..rows import (
    NOTHING,
    REFERENCE,
    SETUP_FIGURES,
    Mark,
    Row,
    Value,
    figure_of,
    flag_title,
    is_human,
    raised_flags,
    shown_rank,
)
from ..scores import FIGURES
from ..systems import FACTS, paper_year, stated_facts, system_year
from ..track import tracks
from ..verdicts import misfits, record
from .board_data import Data, rows_by_rules, tracked_rows
from .charts import track_charts


def with_minus(text: str) -> str:
    """Return a text whose negative numbers have a real minus, which is as wide as a plus."""
    return re.sub(r"(?<!\S)-(?=\d)", "−", text)


def sentence(notes: Iterable[str]) -> str:
    """Return notes as a sentence; empty without any."""
    text = "; ".join(notes)
    return f"{text[:1].upper()}{text[1:]}." if text else ""


# ----------------------------------------------------------------------------------- the board

# Column that is called otherwise than its metric -> the metric.
_METRICS = {"length": "mean_length", "cbe": "conditional_entropy"}


def board_page(board: Board, downloads: Collection[str]) -> Data:
    """Return what the page of the board shows.

    Args:
        board: The board.
        downloads: The files of its tables.
    """
    board_sections = list(sections(board))
    years: set[int | None] = set()
    for section in board_sections:
        years.update(map(row_year, section["rows"]))
    return {
        "board": board,
        "sections": board_sections,
        "years": sorted(filter(None, years), reverse=True),
        "downloads": downloads,
        "signatures": common_signatures(board.rows),
        "significance": p_text(SIGNIFICANCE),
        "tracks": tracks(),
        "kind": row_kind,
        "year": row_year,
        "shown_rank": shown_rank,
        "cell": _cell,
        "signs": glossary()["marks"],
        "compared": {row.key for row in _comparable(board)},
        "most": MOST,
    }


def sections(board: Board) -> Iterator[Data]:
    """Yield the tracks that have rows, but that of references where others show its rows.

    A section has `track`; `tables`; `charts`; `rows`, those of all its tables, and their `kinds`;
    and `systems`, the number of systems with an entry.

    A table has `key`, what scripts call it; `caption`; `ranked`, whether its first column is the
    rank; `columns`, those besides rank and name; `rows`, permanent address -> row of a system that
    is scored; `reported`, the same of systems without an entry; `source`, the table that prints
    these; and `marks`, address -> what qualifies a row. One of scored systems has `answer`, who is
    the best; `begin`, the keys of the rows that begin a band of ties; `comparable`, whether the
    page of comparisons has its systems; and `scale`, between which ends intervals are drawn.
    """
    anchors: Counter[str] = Counter()
    shows_references = False
    all_tables = board_tables(board)
    for key, track in tracks().items():
        if key == REFERENCE and shows_references:
            continue
        scored = [table for table in all_tables if table.track == key]
        tables = []
        for table in scored:
            tables.append(_scored_table(board, table, anchors))
        # Its public tables in their own columns, of systems without an entry.
        left_out = (OLD, OFFICIAL) if track.delexicalised else (OLD,)
        for public in board.tables:
            lines = [row for row in public.rows if row.entry is None]
            if public.track == key and public.kind not in left_out and lines:
                printed = _table(board, anchors, [], lines) | {
                    "key": public.name,
                    "caption": f"{public.heading}: {public.title}",
                    "columns": printed_columns(public, lines),
                    "source": public,
                }
                tables.append(printed)
        tables = [table for table in tables if table["rows"] or table["reported"]]
        if not tables:
            continue
        rows: list[Row | ReportedRow] = []
        for shown in tables:
            rows += [*shown["rows"].values(), *shown["reported"].values()]
        kinds = set(map(row_kind, rows))
        shows_references |= REFERENCE in kinds
        names: set[str] = set()
        for table in scored:
            names.update(row.name for row in table.systems if row_kind(row) != REFERENCE)
        yield {
            "track": track,
            "tables": tables,
            "rows": rows,
            "kinds": kinds,
            "systems": len(names),
            "charts": list(track_charts(board, scored)),
        }


def row_kind(row: Row | ReportedRow) -> str:
    """Return what a row is of, a style of `site.css`.

    "scored" are systems with outputs, "unavailable" those whose outputs nobody can get, "reported"
    those that only public tables have, "reference" what is none.
    """
    if isinstance(row, ReportedRow):
        return "reported"
    if REFERENCE in row.reasons or is_human(row.entry):
        return REFERENCE
    return "scored" if row.entry.verifiable else "unavailable"


def row_year(row: Row | ReportedRow) -> int | None:
    """Return when a row's system was published, if that is known."""
    if isinstance(row, ReportedRow):
        return paper_year(row.paper)
    return system_year(row.entry.system)


def _cell(row: Row | ReportedRow, column: Column[Any]) -> Value:
    """Return what stands in a column; of a reported row, what is printed of the same."""
    if isinstance(row, ReportedRow):
        metric = _METRICS.get(column.key, column.key)
        title = DIVERSITY.get(metric, column.full_title)
        return Value(words=row.figures.get(title, NOTHING))
    return column.value(row)


def _anchor(base: str, given: Counter[str]) -> str:
    """Return an address for a row, and remember it; no two rows have the same."""
    given[base] += 1
    return base if given[base] == 1 else _anchor(f"{base}-{given[base]}", given)


def _table(
    board: Board, anchors: Counter[str], rows: Sequence[Row], reported: Sequence[ReportedRow]
) -> Data:
    """Return the rows of a table by their addresses, and the marks on them."""
    scored = {_anchor(row.anchor, anchors): row for row in rows}
    printed = {}
    for line in reported:
        base = re.sub(r"[^a-z0-9]+", "-", line.system.lower()).strip("-") or "system"
        printed[_anchor(f"reported-{base}", anchors)] = line
    marks = {}
    for anchor, row in (scored | printed).items():
        if isinstance(row, Row):
            row_marks = board.marks(row)
        else:
            row_marks = [Mark("note", "{}", entry_words=(row.note,))] if row.note else []
        if row_marks:
            marks[anchor] = row_marks
    return {
        "ranked": False,
        "comparable": False,
        "rows": scored,
        "reported": printed,
        "marks": marks,
    }


def _scored_table(board: Board, table: BoardTable, anchors: Counter[str]) -> Data:
    track, rows = tracks()[table.track], table.rows
    listed = []
    for column in table.columns:
        is_filled = not rows or any(column.value(row).text for row in rows)
        if column.visible != "never" and is_filled:
            listed.append(column)
    official = None
    reported: list[ReportedRow] = []
    if track.delexicalised:
        # The columns that a web page begins with, then the others.
        listed.sort(key=lambda column: (*FIRST, column.key).index(column.key))
        for printed in board.tables:
            if printed.track == table.track and printed.kind == OFFICIAL:
                official = official or printed
                reported += [row for row in printed.rows if not row.entry]
    placed = [row for row in rows if row.rank is not None]
    ends: list[float] = []
    for column in listed:
        if column.key == RANKING:
            for row in placed:
                interval = column.value(row).interval
                if interval is not None:
                    ends += [interval.low, interval.high]
    return _table(board, anchors, table.lines, reported) | {
        "key": table.key,
        "caption": table.title,
        "columns": listed,
        "source": official,
        "ranked": bool(track.ranks) and (not rows or bool(placed)),
        "answer": answer(board, table),
        "comparable": track.delexicalised,
        "begin": [band[0].anchor for band in board.bands(table.track)[1:]],
        "scale": (min(ends, default=0.0), max(ends, default=0.0)),
    }


# ------------------------------------------------------------------------------------- systems

_LOST = (
    ("Domains not matched, in dialogues", CAUSES, "matched"),
    ("Requested slots not provided", SLOT_CAUSES, "provided"),
)
"""Title, causes, and what counts them by domain."""


def system_pages(board: Board) -> Iterator[tuple[str, Data]]:
    """Yield the key of every entry and what its page shows, in the order of the board.

    It is `entry`, its `track`, and its row there, `main`: `row` if it is one of delexicalised
    responses; `columns`, those of its track, and the keys of its `main_figures`; `stated`, fact ->
    what is stated of it; `verdict`, whether the public board's row is the harness's; `by_rules`,
    rule set -> its row; `rates`, title -> domain -> rate, in percent; `reported`, the figures that
    are reported of it, and `misfits`, those that cannot be; `tracked`, track and row for each set
    of gold states; `own_reported`, columns and values of what authors report; `copies`, format ->
    the row in it; `compared`, whether it is compared with some other system; `before`
    and `after`, its neighbours on the board.
    """
    entries = {row.key: row.entry for row in board.rows}
    for entry in board.entries:
        entries.setdefault(entry.key, entry)
    order = list(tracks())
    in_order = sorted(entries.values(), key=lambda entry: order.index(entry.system.track))
    before = None
    for entry, after in zip_longest(in_order, in_order[1:]):
        yield entry.key, _page(board, entry) | {"before": before, "after": after}
        before = entry


def _page(board: Board, entry: Entry) -> Data:
    main, track = row_of(board, entry), tracks()[entry.system.track]
    page: Data = {
        "board": board,
        "entry": entry,
        "track": track,
        "main": main,
        "row": None,
        "columns": [],
        "main_figures": FIGURES if track.delexicalised else (track.ranks,),
        "stated": {},
        "facts": FACTS,
        "verdict": public_verdict(board, entry),
        "verdict_mark": verdict_mark,
        "by_rules": {},
        "setup_figures": SETUP_FIGURES,
        "figure_of": figure_of,
        "headlines": reported_figures(),
        "rates": {},
        "lost": _LOST,
        "flags": declared_flags(),
        "raised": {},
        "reported": record([entry], board.tables),
        "misfits": misfits([entry], []),
        "tracked": tracked_rows(board, entry),
        "own_reported": [],
        "copies": {},
        # The page of comparisons has the systems of delexicalised responses alone.
        "compared": entry.key in {compared.key for compared in _comparable(board)},
    }
    # What the harness makes itself has no facts.
    if not entry.system.predictions.by_harness:
        page["stated"] = stated_facts(entry.system)
    if main is not None:
        page["columns"] = track.columns(board, [main])
        page["copies"] = _copies(main, page["columns"])
        if track.delexicalised:
            page["row"] = main
            reported = [(column, column.value(main)) for column in page["columns"]]
            page["own_reported"] = [pair for pair in reported if pair[1].gap is not None]
            page["raised"] = {flag: flag_title(main, flag) for flag in raised_flags(main)}
            page["by_rules"] = rows_by_rules(board, main)
            page["rates"] = _rates(entry.scores.reports[board.rules])
    return page


def _copies(row: Row, listed: Sequence[Column[Row]]) -> dict[str, str]:
    """Return format -> a row's figures for a paper, and its reference.

    Args:
        row: The row.
        listed: The columns of its table.
    """
    headers, cells = ["System"], [row.name]
    for column in listed:
        value = column.value(row)
        if column.visible == "always" and value.number is not None and value.gap is None:
            headers.append(column.full_title)
            cells.append(value.text)
    titles, figures = (" & ".join(map(in_latex, texts)) for texts in (headers, cells))
    markdown = markdown_table(list(map(escaped, headers)), [list(map(escaped_cell, cells))])
    copies = {"LaTeX": f"% {titles} \\\\\n{figures} \\\\ % {row.signature}", "Markdown": markdown}
    reference = entry_reference(row.entry)
    if reference is not None:
        copies["BibTeX"] = bibtex(reference)
    return copies


_TRACKED_RATES = {"JGA": "JGA", "F1": "Slot F1"}
"""Rate of state tracking by domain -> its title."""


def _rates(report: Report) -> dict[str, dict[str, float]]:
    """Return title -> domain -> rate, with state tracking where the system tracks states."""
    if report.strict is None:
        return {}
    rates = {"Inform": report.strict.inform, "Success": report.strict.success}
    if report.optimistic is not None:
        rates["Inform opt."] = report.optimistic.inform
        rates["Success opt."] = report.optimistic.success
    if report.dst is not None and report.dst.per_domain:
        for key, title in _TRACKED_RATES.items():
            tracked = report.dst.per_domain.items()
            rates[title] = {name: figures[key] for name, figures in tracked if key in figures}
    by_title = {}
    for title, by_domain in rates.items():
        domains = sorted((report.strict.inform.keys() & by_domain.keys()) - {TOTAL})
        by_title[title] = {domain: by_domain[domain] for domain in domains}
    return by_title


# ---------------------------------------------------------------------------- systems compared

MOST = 4
"""How many systems are compared at once."""


def _comparable(board: Board) -> list[Row]:
    """Return the rows of delexicalised responses that are compared with others."""
    rows = []
    compared = set(chain.from_iterable(board.pairs))
    for row in board.rows:
        # Nothing compares with the BLEU of references against themselves.
        if row.key in compared and not row.entry.system.predictions.is_corpus:
            rows.append(row)
    return rows


def compare_page(board: Board) -> Data | None:
    """Return what the page that compares systems shows; None if no two are compared.

    It is `rows`, tracks with their rows that are compared with others; `pairs`, and `data`, all of
    it for the script; `samples`, those of the randomisation test; `most`, how many systems
    are compared at once; `ranking`, the figure that ranks; and `causes`, all that there are.
    """
    rows = _comparable(board)
    if not rows:
        return None
    by_track = []
    for key, track in tracks().items():
        rows_of_track = [row for row in rows if row.entry.system.track == key]
        if rows_of_track:
            by_track.append((track, rows_of_track))
    return {
        "rows": by_track,
        "pairs": board.pairs,
        "data": _pairs_data(board, rows),
        "samples": SAMPLES,
        "most": MOST,
        "ranking": reported_figures()[RANKING],
        "causes": (*CAUSES, *SLOT_CAUSES),
    }


def _pairs_data(board: Board, rows: Sequence[Row]) -> Data:
    """Return systems and pairs as JSON types.

    Of a system there are its figures with intervals, its rates by domain, and what costs it
    Success.
    """
    listed = [column for column in columns(board) if column.key in FIGURES]
    systems = {}
    for row in rows:
        scores = row.entry.scores
        rates = _rates(scores.reports[board.rules])
        domains = {}
        for domain, inform in rates.get("Inform", {}).items():
            domains[domain] = [round(inform, 1), round(rates["Success"][domain], 1)]
        points = {} if scores.dialogues is None else scores.dialogues.causes.points
        values = {column.key: with_minus(column.value(row).with_half) for column in listed}
        causes = {cause: round(lost.success, 1) for cause, lost in points.items()}
        systems[row.key] = {
            "name": row.name,
            "figures": values,
            "domains": domains,
            "causes": causes,
        }
    pairs: dict[str, list[object]] = {}
    # Reason -> the pairs that do not compare for it.
    apart: dict[str, list[str]] = {}
    for row, other in combinations(sorted(rows, key=lambda row: row.key), 2):
        name = f"{row.key}/{other.key}"
        pair = board.pairs.get((row.key, other.key))
        if pair is None:
            allowed = ("coverage", PLACEHOLDERS)
            reasons = row.signature.comparable_with(other.signature, allowed).reasons
            reason = "; ".join(reasons) or "they have no dialogue in common"
            apart.setdefault(reason, []).append(name)
            continue
        pairs[name] = [pair.dialogues]
        for key in FIGURES:
            # Difference, p, and who alone wins how many.
            figure = pair.figures[key]
            compared: list[object] = [round(figure.difference, 2), p_text(figure.p)]
            if figure.only_a is not None:
                compared += [figure.only_a, figure.only_b]
            pairs[name].append(compared)
    figures = {}
    for key in FIGURES:
        figures[key] = [reported_figures()[key].title, reported_figures()[key].digits]
    return {
        "figures": figures,
        "systems": systems,
        "pairs": pairs,
        "apart": apart,
    }
