"""The board as data: what the site offers to others as JSON and CSV, and its charts draw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timezone
from decimal import Decimal
from functools import cache, partial
from itertools import accumulate, chain
from operator import attrgetter
from typing import Any, TypeAlias

from mwz.normalization import read_toml

from ...comparison import INTERVAL_LEVEL
from ...io import csv_text
from ...metrics import RANKED, TOTAL, reported_figures, setup_figure_name
from ...signature import Signature
from ..columns import Column, board_tables, columns, shown_figures
from ..entries import Entry
from ..model import Board, public_verdict, row_of
from ..reported import (
    OLD,
    ReportedRow,
    ReportedTable,
    printed_figures,
    printed_numbers,
    version_and_measure,
)
from ..rows import SETUP_FIGURES, TOTALS, Row, Value, bound_note, figure_of, unreviewed_flags
from ..scores import FIGURES, plain
from ..systems import paper_year, stated_facts, system_year
from ..track import Track, submitted_tracks, tracks
from ..tracked import TrackedScores
from ..verdicts import JOINT_ACCURACY, record

SYSTEMS = "systems"
"""The folder of the systems' pages."""

# What a spreadsheet would compute rather than show.
_FORMULA = re.compile(r"^[=+\-@]")

Data: TypeAlias = dict[str, Any]
"""Name -> JSON types, or what else a template shows."""


def system_link(key: str) -> str:
    """Return the address of a system's page from the board; empty without a key."""
    return f"{SYSTEMS}/{key}.html" if key else ""


@cache
def dataset() -> Mapping[str, Any]:
    """Return the description of the results: title, description and licence."""
    return read_toml("dataset.toml", __package__)


# ------------------------------------------------------------------------------------- as JSON


def board_json(board: Board) -> str:
    """Return the board as JSON: its rows in short, what public tables report, the best by year.

    Its schema is `static/board.schema.json`.
    """
    rows = {row.key: _in_short(board, row.entry, row) for row in board.rows}
    for entry in board.entries:
        if entry.key not in rows:
            rows[entry.key] = _in_short(board, entry, row_of(board, entry))
    reported_only = []
    for table in board.tables:
        lines: list[Data] = []
        for reported in table.rows:
            if reported.entry is None:
                links = _without_none({"paper": reported.paper, "code": reported.code})
                lines.append({"system": reported.system, **links, **reported.figures})
        if table.kind != OLD and lines:
            about = {"title": table.title, "track": table.track, "source": table.source}
            reported_only.append({**about, "rows": lines})
    return _json_text(
        {
            "rules": board.rules,
            "note": board.note,
            "licence": dataset()["licence"]["url"],
            "rows": list(rows.values()),
            "reported_only": reported_only,
            "best_by_year": plain(best_published(board)),
        }
    )


def entry_json(board: Board, entry: Entry) -> str:
    """Return all that is known of an entry as JSON."""
    row = row_of(board, entry)
    system = entry.system
    facts: Data = {**stated_facts(system), "note": system.note, "verifiable": entry.verifiable}
    bounds = {}
    for _, tracked in tracked_rows(board, entry):
        if figure_of(tracked, "JGA").played is not None:
            digest = tracked.signature.data or tracked.signature.gold
            gold = figure_of(tracked, "version").words or digest
            bounds[gold] = figure_of(tracked, "JGA").number
    facts["jga_lower_bounds"] = bounds or None
    about = {**_in_short(board, entry, row), **_without_none(facts)}
    if row is None:
        return _json_text(about)
    if tracks()[system.track].delexicalised:
        return _json_text(_without_none({**about, **_responses_data(board, row)}))
    result = entry.scores.result
    if isinstance(result, TrackedScores):
        metrics = {**result.result.metrics, "fuzzy": result.result.fuzzy}
        counts = vars(result.coverage)
        about["state_tracking"] = {**metrics, "gold_share": result.gold_share}
        about["coverage"] = {name: figure_of(row, f"coverage.{name}").number for name in counts}
        if entry.scores.further_gold:
            about["further_gold"] = plain(entry.scores.further_gold)
    elif result is not None:
        about |= {system.track: plain(result)}
    else:
        totals = {}
        grounded = vars(entry.scores.reports[board.rules].metrics["grounded"])
        for name, rates in grounded.items():
            if rates and TOTAL in rates:
                totals[name] = rates[TOTAL]
        about |= {"grounded": totals, **_flags_data(row)}
    return _json_text({**about, "signature": str(row.signature)})


def _in_short(board: Board, entry: Entry, row: Row | None) -> Data:
    """Return what the board shows of an entry at first."""
    about: Data = {
        "entry": entry.key,
        "system": entry.system.name,
        "track": entry.system.track,
        "json": f"{SYSTEMS}/{entry.key}.json",
        "reported": _reported_data(board, entry),
    }
    about |= _without_none(
        {
            "paper": entry.system.paper,
            "code": entry.system.code,
            "entered": board.entered.get(entry.key),
            "rank_entered": board.entered_ranks.get(entry.key),
        }
    )
    # Trackers have a rank for each set of gold states.
    track = tracks()[entry.system.track]
    if row is None or track.kind == "states only":
        return about
    about["rank"] = row.rank
    if row.key in board.rank_ranges:
        about["rank_range"] = list(board.rank_ranges[row.key])
    if track.kind == "plays":
        passes = [value.number for name, value in row.figures.items() if name.startswith("pass^")]
        about["user"] = figure_of(row, "user").words
        about["trials"] = figure_of(row, "trials").number
        about["pass"] = passes
    if track.delexicalised:
        values = {name: figure_of(row, name) for name in TOTALS}
        for name, value in values.items():
            about[name] = value.number
        played = _played(values)
        if played:
            about["as_played"] = played
    return about


def _reported_data(board: Board, entry: Entry) -> list[Data]:
    """Return what publications report of an entry: by source and set-up, title -> figure."""
    by_source: dict[tuple[str, str], Data] = {}
    for printed in record([entry], board.tables):
        about = {"source": printed.source, "setup": printed.setup, "figures": {}}
        claim = by_source.setdefault((printed.source, printed.setup), about)
        claim["figures"][printed.title] = float(printed.printed)
    return list(by_source.values())


def tracked_rows(board: Board, entry: Entry) -> list[tuple[Track, Row]]:
    """Return an entry's row for each set of gold states, with the track of the table."""
    rows = []
    for name, track in tracks().items():
        if track.kind == "states only":
            for row in chain.from_iterable(board.tables_by_track[name]):
                if row.key == entry.key:
                    rows.append((track, row))
    return rows


def _played(values: Mapping[str, Value]) -> dict[str, float]:
    """Return name -> the figure of what is played, of those that are lower bounds."""
    return {name: value.played for name, value in values.items() if value.played is not None}


def _responses_data(board: Board, row: Row) -> Data:
    scores = row.entry.scores
    report = scores.reports[board.rules]
    bound = report.metrics.get("lower_bound")
    intervals = {}
    for name in FIGURES:
        interval = board.interval(row, name)
        if interval is not None:
            intervals[name] = [interval.low, interval.high]
    points_lost = None
    if scores.dialogues is not None:
        points_lost = {
            cause: list(points)
            for cause, points in scores.dialogues.causes.points.items()
            if any(points)
        }
    by_rules: Data = {}
    for rules, row_under in rows_by_rules(board, row).items():
        by_setup: Data = {}
        for setup in RANKED:
            values = {}
            for name in SETUP_FIGURES:
                values[name] = figure_of(row_under, setup_figure_name(setup, name))
            by_setup[setup] = {name: value.number for name, value in values.items()}
            played = _played(values)
            if played:
                by_setup[f"{setup}_as_played"] = played
        by_rules[rules] = by_setup
    downloaded = [column for column in columns(board) if not column.field]
    further = {column.name: column.value(row).data for column in downloaded}
    return {
        "unranked": row.reasons[0] if row.reasons else None,
        "public_board": public_verdict(board, row.entry) or None,
        "scores": by_rules,
        "without_placeholders": scores.without_placeholders,
        "intervals": intervals or None,
        "bleu_by_style": None if row.entry.system.predictions.is_corpus else report.bleu,
        "diversity": None if report.diversity is None else vars(report.diversity),
        "coverage": vars(report.coverage),
        "lower_bound": None if bound is None else vars(bound),
        "state_tracking": None if report.dst is None else dict(report.dst.metrics),
        "further_gold": plain(scores.further_gold) or None,
        "points_lost": points_lost,
        **_flags_data(row),
        "columns": further,
        "signature": str(row.signature),
    }


def rows_by_rules(board: Board, row: Row) -> dict[str, Row]:
    """Return rule set -> a system's row under it, of those that it is scored under."""
    by_rules = {}
    for rules, rows in board.by_rules.items():
        for under in rows:
            if under.key == row.key:
                by_rules[rules] = under
    return by_rules


def _flags_data(row: Row) -> Data:
    # The last review of a flag holds.
    by_flag = {review.flag: review for review in row.entry.system.review}
    reviews = [review.model_dump(mode="json") for review in by_flag.values()]
    return {"flags": dict(row.flags), "reviews": reviews, "flags_raised": unreviewed_flags(row)}


def _without_none(content: Data) -> Data:
    return {name: value for name, value in content.items() if value is not None}


def _json_text(content: object) -> str:
    """Return JSON in one line, figures with four digits after the point."""
    rounded = json.loads(json.dumps(content), parse_float=lambda text: round(float(text), 4))
    return json.dumps(rounded, ensure_ascii=False, separators=(",", ":")) + "\n"


# ----------------------------------------------------------------- in the schema of Every Eval Ever

_LIBRARY = "multiwoz-harness"


def shared_records(board: Board) -> str:
    """Return what is scored and what is reported of each system as JSON lines.

    Each line is a record in the schema of Every Eval Ever (github.com/evaleval/every_eval_ever,
    version 0.3.0): scores, of `source_type` "evaluation_run", and what publications report, of
    "documentation". No score is a judge's. Which figures they hold is in `dataset.toml`.
    """
    records = []
    for entry in board.entries:
        if entry.system.predictions.by_harness:
            continue
        signature, scored = None, []
        for table, row, column, value in shown_figures(board, entry.key):
            metric = _metric(column.key, column.full_title)
            if row.rank is not None and metric:
                signature = signature or row.signature
                scored.append(_result(entry, table.title, metric, value))
        reported = []
        for claim in entry.system.reported:
            for name, printed in claim.figures.items():
                metric = _metric(name, reported_figures()[name].title)
                if metric:
                    value = Value(float(printed))
                    reported.append(_result(entry, claim.source, metric, value))
        if scored:
            records.append(_record(entry, scored, signature))
        if reported:
            records.append(_record(entry, reported, None))
    return "".join(_json_text(record) for record in records)


def _record(entry: Entry, results: Sequence[Data], signature: Signature | None) -> Data:
    """Return a record of scores with their signature, or, without one, of reported figures."""
    system = entry.system
    library: Data = {"name": "unknown", "version": "unknown", "additional_details": {}}
    kind, organisation, relationship = "documentation", "the authors of the publications", "other"
    if signature is not None:
        kind, organisation, relationship = "evaluation_run", _LIBRARY, "third_party"
        details = {"signature": str(signature)}
        version = signature.versions["mwz"]
        library = {"name": _LIBRARY, "version": version, "additional_details": details}
    weights = {"yes": "open_weights", "no": "closed_weights"}.get(system.open_weights or "")
    about = {"deployment_type": "unknown", "model_availability": weights or "unknown"}
    facts = {**stated_facts(system), "track": system.track, "paper": system.paper}
    for name, fact in _without_none(facts).items():
        about[name] = str(fact)
    model: Data = {"name": system.name, "id": entry.key}
    # The records are filed by whose model it is.
    owner = re.match(r"https?://[^/]+/([\w.-]+)/", system.code or "")
    if owner:
        model["developer"] = owner[1]
    retrieved = datetime.combine(dataset()["retrieved"], time(), timezone.utc)
    return {
        "schema_version": "0.3.0",
        "evaluation_id": f"{_LIBRARY}/{entry.key}/{kind}",
        "retrieved_timestamp": str(int(retrieved.timestamp())),
        "source_metadata": {
            "source_name": str(dataset()["title"]),
            "source_type": kind,
            "source_organization_name": organisation,
            "evaluator_relationship": relationship,
        },
        "eval_library": library,
        "model_info": {**model, "additional_details": about},
        "evaluation_results": results,
    }


def _metric(key: str, title: str) -> Data:
    """Return what records say of a figure's metric; nothing of one that they leave out."""
    highest = dataset()["highest"].get(re.split("[ ^,]", key)[0])
    if not highest:
        return {}
    return {
        "metric_id": f"multiwoz.{re.sub('[^a-z0-9]+', '_', key).strip('_')}",
        "metric_name": title,
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0,
        "max_score": highest,
    }


def _result(entry: Entry, evaluation: str, metric: Data, value: Value) -> Data:
    details: Data = {"score": value.number}
    interval = value.interval
    if interval is not None:
        ends: Data = {"lower": interval.low, "upper": interval.high}
        ends |= {"confidence_level": INTERVAL_LEVEL / 100, "method": interval.interval}
        details["uncertainty"] = {"confidence_interval": ends}
    if value.played is not None:
        details["details"] = {"lower_bound": "what is not played counts as failed"}
    return {
        "evaluation_name": evaluation,
        "source_data": {"dataset_name": entry.benchmark or "multiwoz", "source_type": "other"},
        "metric_config": metric,
        "score_details": details,
    }


# -------------------------------------------------------------------------------------- as CSV


def board_csv(board: Board) -> dict[str, str]:
    """Return name -> content of the files with tables of the board.

    `board.csv` has the scores of delexicalised responses, a line per system of all tracks. Each
    other track has a file with a line per row of each of its tables, and the columns of all.
    """
    of_board = columns(board)
    files = {"board.csv": csv_text([_csv_line(row, of_board) for row in board.rows])}
    of_track: dict[str, list[Data]] = {}
    for table in board_tables(board):
        if not tracks()[table.track].delexicalised:
            lines = of_track.setdefault(table.track, [])
            for row in table.rows:
                lines.append({"table": table.title, **_csv_line(row, table.columns)})
    for track, lines in of_track.items():
        files[f"{track}.csv"] = csv_text(lines)
    return files


def _csv_line(row: Row, of_board: Sequence[Column[Row]]) -> Data:
    """Return name -> what stands in a line, without what a spreadsheet would compute.

    What is played beside each lower bound follows the columns of the board's tables.
    """
    values = {column.name: column.value(row) for column in of_board}
    line: Data = {
        "system": row.name,
        "entry": row.key,
        "track": row.entry.system.track,
        "rank": row.rank,
    }
    for name, value in values.items():
        line[name] = value.data
    line["signature"] = str(row.signature)
    line |= {"paper": row.entry.system.paper, "code": row.entry.system.code}
    line |= stated_facts(row.entry.system)
    for name, played in _played(values).items():
        line[f"{name}_as_played"] = round(played, 4)
    line["lower_bounds"] = bound_note(row)
    for name, content in line.items():
        if isinstance(content, str):
            line[name] = _FORMULA.sub(r"'\g<0>", content)
    return line


# ------------------------------------------------------------------------- best figures by year


@dataclass(frozen=True)
class Published:
    """A figure that a system is published with.

    Attributes:
        year: The year of its publication.
        name: The system.
        figure: What ranks in its track: the combined score, joint goal accuracy, ….
        scored_here: Whether the harness gives it; else a paper or a public table prints it.
        key: The key of its entry; empty if it has none.
        gold: Of joint goal accuracy, the version of the gold states.
    """

    year: int
    name: str
    figure: float
    scored_here: bool
    key: str = ""
    gold: str = ""


def published(board: Board, track: str) -> list[Published]:
    """Return the figures of a track's systems, by year; systems of no known year are left out.

    Scored here are those of ranked rows. Reported ones are as printed, whatever script made them.
    What is printed of entries without a rank is left out.
    """
    is_tracking = tracks()[track].kind == "states only"
    tables = board.tables_by_track[track] if is_tracking else [board.of_track(track)]
    figures: list[Published] = []
    years: dict[str, int | None] = {}
    for row in chain.from_iterable(tables):
        year, system = system_year(row.entry.system), row.entry.system
        if row.rank is None:
            continue
        years[row.key] = year
        if year is None:
            continue
        gold = figure_of(row, "version").words or ""
        figures.append(Published(year, row.name, float(row.ranking_key[0]), True, row.key, gold))
        for claim in system.reported if tracks()[track].result is None else ():
            combined = _combined(claim.figures)
            if combined is not None:
                figures.append(Published(year, system.name, float(combined), False, row.key))
    for table in board.tables:
        for line in table.rows if table.track == track else ():
            year = paper_year(line.paper) if line.entry is None else years.get(line.entry)
            for gold, printed in _ranking_figures(table, line, is_tracking):
                if year is not None:
                    system_name, key = line.system, line.entry or ""
                    figures.append(Published(year, system_name, float(printed), False, key, gold))
    return sorted(figures, key=lambda figure: (figure.year, -figure.figure, figure.name))


def _ranking_figures(
    table: ReportedTable, row: ReportedRow, is_tracking: bool
) -> Iterator[tuple[str, Decimal]]:
    """Yield what a row prints of what ranks, with the version of the gold states of accuracies."""
    if is_tracking:
        for column, printed in printed_numbers(table, row).items():
            version, measure = version_and_measure(column)
            if version is not None and measure in JOINT_ACCURACY:
                yield version, printed
        return
    for claim in printed_figures(table, row):
        combined = _combined(claim.figures)
        if combined is not None:
            yield "", combined


def _combined(figures: Mapping[str, Decimal]) -> Decimal | None:
    """Return a combined score that is printed, or follows from what is printed."""
    if "combined" in figures or not figures.keys() >= {"bleu", "inform", "success"}:
        return figures.get("combined")
    return figures["bleu"] + (figures["inform"] + figures["success"]) / 2


def best_by_year(figures: Iterable[Published]) -> list[Published]:
    """Return those that were the best when they were published, at most one a year.

    Args:
        figures: Figures by year, each year's best first; those of one version of the gold states,
            scored here or not, are of one kind.
    """
    by_kind: dict[tuple[bool, str], list[Published]] = {}
    for figure in figures:
        by_kind.setdefault((figure.scored_here, figure.gold), []).append(figure)
    best: list[Published] = []
    for _, members in sorted(by_kind.items()):
        best += dict.fromkeys(accumulate(members, partial(max, key=attrgetter("figure"))))
    return best


def best_published(board: Board) -> dict[str, dict[str, list[Published]]]:
    """Return track -> "scored_here" and "reported" -> the best by year, of tracks with any."""
    by_track: dict[str, dict[str, list[Published]]] = {}
    for track in submitted_tracks():
        best = best_by_year(published(board, track))
        if best:
            kinds: dict[str, list[Published]] = {"scored_here": [], "reported": []}
            for figure in best:
                kinds["scored_here" if figure.scored_here else "reported"].append(figure)
            by_track[track] = kinds
    return by_track
