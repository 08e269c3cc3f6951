"""What the site offers to others: the board as JSON and CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any

from mwz.normalization.registry import read_toml

from ...io.tables import csv_text
from ...metrics.setups import RANKED
from ..columns import (
    SETUP_FIGURES,
    TOTALS,
    BoardTable,
    Column,
    board_tables,
    columns,
)
from ..entries import Entry
from ..model import Board
from ..reported import OLD
from ..rows import ResponsesRow, Row, Value
from ..scores import FIGURES, plain
from ..systems import stated_facts
from ..tracks import tracks
from .charts import best_published
from .page_parts import SYSTEMS


def entry_data(board: Board, entry: Entry) -> dict[str, Any]:
    """Return all that is known of an entry as JSON types."""
    row = board.row_of(entry)
    about = {**_named(board, entry, row), **_about(entry), **_bounds(board, entry)}
    if row is None:
        return about
    if row.declared_track.delexicalised and isinstance(row, ResponsesRow):
        data = {**about, **_responses_data(board, row, entry)}
        return {name: value for name, value in data.items() if value is not None}
    if isinstance(row, ResponsesRow):
        return {**about, **row.figures, **_flags_data(row), "signature": str(row.signature)}
    return {**about, **row.figures}


def _responses_data(board: Board, row: ResponsesRow, entry: Entry) -> dict[str, Any]:
    report, known = row.report, entry.scores.dialogues
    if report is None:
        return {}
    shown = columns(board)
    known_ends = {name: board.interval(row, name) for name in FIGURES}
    intervals = {name: [one.low, one.high] for name, one in known_ends.items() if one is not None}
    causes = {} if known is None else known.causes.points
    return {
        "unranked": row.unranked,
        "public_board": "; ".join(board.verdicts(entry)) or None,
        "scores": {
            rules: _scores(own)
            for rules, rows in board.by_rules.items()
            for own in rows
            if own.key == row.key
        },
        "without_placeholders": entry.scores.without_placeholders,
        "intervals": intervals or None,
        "bleu_by_style": None if row.is_corpus else report.bleu,
        "diversity": None if report.diversity is None else vars(report.diversity),
        "coverage": vars(report.coverage),
        "lower_bound": None if row.lower_bound is None else vars(row.lower_bound),
        "state_tracking": None if report.dst is None else dict(report.dst.metrics),
        "further_gold": plain(entry.scores.further_gold) or None,
        "points_lost": known and {cause: list(one) for cause, one in causes.items() if any(one)},
        **_flags_data(row),
        "columns": {one.name: one.value(row).data for one in shown if not one.field},
        "signature": str(row.signature or ""),
    }


def _flags_data(row: Row) -> dict[str, Any]:
    reviews = [review.model_dump(mode="json") for review in row.reviews.values()]
    return {"flags": dict(row.flags), "reviews": reviews, "flags_raised": row.unreviewed}


def json_text(content: object) -> str:
    """Return JSON in one line, figures with four digits after the point."""
    return json.dumps(_rounded(content), ensure_ascii=False, separators=(",", ":")) + "\n"


def _rounded(content: object) -> object:
    if isinstance(content, float):
        return round(content, 4)
    if isinstance(content, Mapping):
        return {name: _rounded(value) for name, value in content.items()}
    if isinstance(content, list | tuple):
        return [_rounded(value) for value in content]
    return content


def board_json(board: Board) -> str:
    """Return the board as JSON: its rows in short, what public tables report, the best by year.

    Its schema is `static/board.schema.json`.
    """
    rows = [_named(board, row.entry, row) for row in board.rows]
    shown = {row.key for row in board.rows}
    others = (entry for entry in board.entries if entry.key not in shown)
    rows += [_named(board, entry, board.row_of(entry)) for entry in others]
    tables = []
    for one in board.tables:
        lines = [
            {"system": row.system, **({"paper": row.paper} if row.paper else {}), **row.figures}
            for row in one.rows
            if row.entry is None
        ]
        if one.kind != OLD and lines:
            about = {"title": one.title, "track": one.track, "source": one.source}
            tables.append({**about, "rows": lines})
    content = {
        "rules": board.rules,
        "note": board.note,
        "licence": dataset()["licence"]["url"],
        "rows": rows,
        "reported_only": tables,
        "best_by_year": plain(best_published(board)),
    }
    return json_text(content)


def downloads(board: Board) -> dict[str, str]:
    """Return name -> content of the files with tables of the board."""
    tables = board_tables(board)
    files = {"board.csv": board_csv(board)}
    for track in (name for name, one in tracks().items() if not one.delexicalised):
        own = [table for table in tables if table.track == track]
        if own:
            files[f"{track}.csv"] = tables_csv(own)
    return files


def board_csv(board: Board) -> str:
    """Return the scores of delexicalised responses as CSV, a line per system of all tracks.

    What a line has had from the beginning comes first, under the names it had; further columns of
    the board's tables follow, then what is played beside each lower bound.
    """
    shown = columns(board)
    return csv_text([_csv_line(row, shown) for row in board.rows])


def tables_csv(tables: Sequence[BoardTable]) -> str:
    """Return tables of the board as CSV, a line per row of each, with the columns of all."""
    lines = [(table, row) for table in tables for row in table.rows]
    return csv_text([{"table": one.title, **_csv_line(row, one.columns)} for one, row in lines])


def _csv_line(row: Row, shown: Sequence[Column[Row]]) -> dict[str, object]:
    """Return name -> what stands in a line, without what a spreadsheet would compute."""
    values = {column.name: column.value(row) for column in shown}
    fields = {column.name for column in shown if column.field}
    line = {
        "system": row.name,
        "entry": row.key,
        "track": row.track,
        "rank": row.rank,
        **{name: one.data for name, one in values.items() if name in fields},
        "signature": str(row.signature or ""),
        **stated_facts(row.entry.system),
        **{name: one.data for name, one in values.items() if name not in fields},
        **{f"{name}_as_played": round(of, 4) for name, of in _played(values).items()},
        "lower_bounds": "; ".join(row.bound_note),
    }
    return {
        name: _FORMULA.sub(r"'\g<0>", value) if isinstance(value, str) else value
        for name, value in line.items()
    }


def _named(board: Board, entry: Entry, row: Row | None = None) -> dict[str, Any]:
    """Return what the board shows of an entry at first, as JSON types."""
    found: dict[str, Any] = {
        "entry": entry.key,
        "system": entry.system.name,
        "track": entry.system.track,
        "json": f"{SYSTEMS}/{entry.key}.json",
    }
    # Trackers have a rank for each set of gold states.
    if row is None or row.declared_track.takes_gold:
        return found
    found["rank"] = row.rank
    if row.key in board.rank_ranges:
        found["rank_range"] = list(board.rank_ranges[row.key])
    found |= row.main_figures
    if row.declared_track.delexicalised and isinstance(row, ResponsesRow):
        shown = {name: row.ranking(name) for name in TOTALS}
        found |= {name: one.number for name, one in shown.items()}
        if played := _played(shown):
            found["as_played"] = played
    return found


def _bounds(board: Board, entry: Entry) -> dict[str, Any]:
    """Return what ranks an incomplete tracker: version of the gold states -> JGA at least."""
    tables = chain.from_iterable(board.tables_by_track.values())
    rows = (row for row in chain.from_iterable(tables) if row.entry is entry and row.rank)
    bounds = {name: bound for row in rows for name, bound in row.jga_bounds.items()}
    return {"jga_lower_bounds": bounds} if bounds else {}


def _about(entry: Entry) -> dict[str, Any]:
    system = entry.system
    facts = {"paper": system.paper, "code": system.code, **stated_facts(system)}
    facts |= {"note": system.note, "verifiable": entry.verifiable}
    return {name: value for name, value in facts.items() if value is not None}


def _played(shown: Mapping[str, Value]) -> dict[str, float]:
    """Return name -> the figure of what is played, of those that are lower bounds."""
    return {name: one.played for name, one in shown.items() if one.played is not None}


def _scores(row: ResponsesRow) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setup in RANKED:
        shown = {name: row.ranking(name, setup) for name in SETUP_FIGURES}
        found[setup] = {name: one.number for name, one in shown.items()}
        if played := _played(shown):
            found[f"{setup}_as_played"] = played
    return found


# What a spreadsheet would compute rather than show.
_FORMULA = re.compile(r"^[=+\-@]")


@cache
def dataset() -> Mapping[str, Any]:
    """Return what is said of the results: title, description and licence."""
    return read_toml("dataset.toml", __package__)
