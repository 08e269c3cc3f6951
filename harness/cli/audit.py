"""`mwz audit`: hold reported figures against what the systems score, and against each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from tqdm import tqdm

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets

from ..board import LEXICALISED, STATE_TRACKING
from ..board.audit import AuditedSource, audit
from ..board.audit.paper_tables import compared, read_paper
from ..board.audit.record import findings, lines, rule_set_rows
from ..board.audit.record_text import (
    explained_table,
    findings_table,
    lines_table,
    named_table,
    paper_tables,
    rule_sets_table,
)
from ..board.audit.reported import ReportedFigures, ReportedTable, read_reported, unknown_entries
from ..board.audit.setup_search import (
    BleuPoint,
    Grid,
    RatesPoint,
    explain,
    nearest_bleu,
    nearest_named,
    nearest_rates,
    nearness,
)
from ..board.entries import Entry, OwnSetup, chosen_entries, read_entries
from ..board.rescoring import find_predictions
from ..errors import InputError
from ..io.files import STANDARD_STREAM, write_json
from ..io.rendering import figure, printable, signed, text_table, wrapped
from ..io.tables import Table, formatted
from ..metrics import headlines
from ..metrics.setups import RANKED
from . import notify
from .completion import complete_entry
from .options import (
    cache_option,
    format_option,
    predictions_folder_option,
    scheduler_option,
    scored_benchmark_option,
    submissions_option,
    workers_option,
)

_LISTED = 5
"""How many of the nearest combinations are shown, besides the stated ones."""

_Point = TypeVar("_Point", BleuPoint, RatesPoint)


@click.command(
    help="Hold every reported figure of the submissions NAME… against what the harness gets, "
    "strict and optimistic, under every published rule set. Without a NAME all of the public "
    "record is audited: a table of every reported figure with a legend, the rule set of each row "
    "of the public board, the printed figures that cannot be what they say, and then each system."
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_entry)
@click.option(
    "--explain",
    "explaining",
    is_flag=True,
    help="Score the submissions under every combination of set-ups and in those of published "
    "scripts, and list what comes nearest to the reported figures. Needs their predictions.",
)
@workers_option
@scheduler_option
@cache_option
@predictions_folder_option
@click.option(
    "--paper",
    is_flag=True,
    help='Print tables 4, 5 and 6 of "Shades of BLEU, Flavours of Success" beside the harness\'s '
    "figures, cell by cell, and how many are equal.",
)
@format_option(
    " Any but text leaves out the parts about single systems, and csv has the figures only."
)
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write the audit of each system as JSON."
)
@scored_benchmark_option
@submissions_option
def command(
    names: tuple[str, ...],
    explaining: bool,
    workers: int,
    scheduler: str | None,
    cache: bool,
    predictions: Sequence[Path],
    paper: bool,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    submissions: Path,
) -> None:
    """Audit submissions."""
    if paper:
        _refuse_with_paper(names, explaining, json_target)
        click.echo(_paper_text(submissions, format_), nl=False)
        return
    chosen = _chosen(submissions, names)
    tables = _tables(submissions)
    grids = {}
    if explaining:
        grids = _grids(chosen, benchmark, workers, scheduler, predictions, cache)
    audited = [(one, audit(one, grids.get(one.key)), grids.get(one.key)) for one in chosen]
    recorded = chosen if names else [*chosen, *_reported_trackers(submissions, tables)]
    if json_target != STANDARD_STREAM:
        if format_ != "text" or not names:
            click.echo(formatted(_record(recorded, tables, bool(names), grids), format_), nl=False)
        if format_ == "text":
            start = "" if names else "\n"
            text = "\n\n".join("\n\n".join(_text(*one)) for one in audited)
            click.echo(start + printable(text))
    if json_target is not None:
        write_json(json_target, [_data(*one) for one in audited])


def _grids(
    chosen: list[Entry],
    benchmark: str | None,
    workers: int,
    scheduler: str | None,
    predictions: Sequence[Path],
    cache: bool,
) -> dict[str, Grid]:
    """Return key -> the scores under every combination of set-ups, of what has placeholders."""
    chosen = [e for e in chosen if e.system.track not in (LEXICALISED, STATE_TRACKING)]
    contents = _contents(chosen, predictions)
    return {
        entry.key: explain(
            contents[entry.key],
            benchmark or entry.scores.main.benchmark,
            workers,
            lambda parts, count, name=entry.key: tqdm(  # type: ignore[misc]
                parts, name, count, unit="part", disable=None
            ),
            scheduler,
            cache,
            notify,
            entry.system.aliases,
        )
        for entry in chosen
    }


def _refuse_with_paper(names: tuple[str, ...], explaining: bool, json_target: str | None) -> None:
    """Refuse what says nothing of the paper's tables."""
    given = {"a NAME": names, "--explain": explaining, "--json": json_target is not None}
    wrong = [option for option, there in given.items() if there]
    if wrong:
        raise InputError("--paper", f"takes no {' and no '.join(wrong)}; leave it out")


def _tables(folder: Path) -> tuple[ReportedTable, ...]:
    tables = read_reported(folder)
    problems = unknown_entries(tables, [entry.key for entry in read_entries(folder)])
    if problems:
        raise InputError(str(folder), problems)
    return tables


def _paper_text(folder: Path, format_: str) -> str:
    entries = _chosen(folder, ())
    paper = read_paper()
    names = {entry.key: entry.system.name for entry in entries}
    return formatted(paper_tables(paper, compared(paper, entries, DEFAULT_RULES), names), format_)


def _record(
    chosen: Sequence[Entry],
    tables: Sequence[ReportedTable],
    named: bool,
    grids: Mapping[str, Grid],
) -> list[Table]:
    """Return the tables about all entries that are audited.

    Args:
        chosen: The entries.
        tables: The public tables.
        named: Whether the entries were named: then other systems are none of the question.
        grids: Key -> grid, of the entries that are explained.
    """
    keys = {entry.key for entry in chosen}
    if named:
        tables = [
            replace(table, rows=tuple(row for row in table.rows if row.entry in keys))
            for table in tables
        ]
    others = sum(row.entry is None for table in tables for row in table.rows)
    own = [
        (entry, claim)
        for entry in chosen
        for claim in entry.system.reported
        if entry.key in grids and claim.setup == "own"
    ]
    explained = [
        (entry.system.name, claim.source, one)
        for entry, claim in own
        for one in nearness(grids[entry.key], claim)
    ]
    nearest = [
        (entry.system.name, claim, point)
        for entry, claim in own
        for point in nearest_named(grids[entry.key], claim)[:1]
    ]
    return [
        lines_table(lines(chosen, tables, grids), others),
        *([explained_table(explained)] if explained else []),
        *([named_table(nearest)] if nearest else []),
        rule_sets_table(rule_set_rows(chosen, tables)),
        findings_table(findings(chosen, tables)),
    ]


def _chosen(folder: Path, names: tuple[str, ...]) -> list[Entry]:
    """Return the entries to audit: those named, or all of which figures are reported."""
    chosen = chosen_entries(read_entries(folder), names, folder)
    trackers = [entry for entry in chosen if entry.system.track == STATE_TRACKING]
    if not names:
        chosen = [entry for entry in chosen if _is_audited(entry)]
    elif trackers:
        raise InputError(
            str(folder),
            [
                f"{entry.key}: is in the track {STATE_TRACKING}, of whose figures entries report "
                "none"
                for entry in trackers
            ],
        )
    problems = [f"{entry.key}: {problem}" for entry in chosen for problem in entry.problems]
    problems += [
        f"{entry.key}: scored by an earlier version; use `mwz leaderboard --rescore`"
        for entry in chosen
        if not entry.problems and not entry.scores.reports and entry.tracking is None
    ]
    if problems:
        raise InputError(str(folder), problems)
    return chosen


def _reported_trackers(submissions: Path, tables: Sequence[ReportedTable]) -> list[Entry]:
    """Return the entries of the track for state tracking that public tables have figures of."""
    named = {row.entry for table in tables for row in table.rows}
    entries = read_entries(submissions)
    return [one for one in entries if one.system.track == STATE_TRACKING and one.key in named]


def _is_audited(entry: Entry) -> bool:
    """Tell whether an audit is about an entry that is not named."""
    system = entry.system
    # Figures of trackers are none of these, and nobody reports what the harness made.
    made = system.track == LEXICALISED and system.predictions.by_harness
    return system.track != STATE_TRACKING and not made


def _contents(chosen: list[Entry], folders: Sequence[Path]) -> dict[str, bytes | str]:
    """Return the predictions of all chosen submissions, or tell all that are not at hand."""
    contents = {}
    problems = []
    for entry in chosen:
        try:
            contents[entry.key] = find_predictions(entry, folders)
        except InputError as error:
            problems += [f"{error.source}: {problem}" for problem in error.problems]
    if problems:
        raise InputError("--explain", problems)
    return contents


def _text(entry: Entry, sources: list[AuditedSource], grid: Grid | None) -> Iterator[str]:
    yield f"{entry.system.name} ({entry.key})"
    if not sources:
        yield "no figures are reported of it"
    for audited in sources:
        title = wrapped(f"{audited.reported.source} [{audited.reported.setup} set-up]")
        yield f"{title}\n{_table(audited)}"
        if grid is not None and audited.reported.setup == "own":
            yield from _explanation(entry, audited.reported, grid)


def _table(audited: AuditedSource) -> str:
    columns = [(rules, setup) for rules in published_rule_sets() for setup in RANKED]
    headers = ["", "reported", *(f"{setup} {rules}" for rules, setup in columns)]
    rows = []
    for one in audited.figures:
        digits = max(1, -int(one.reported.as_tuple().exponent))
        scored = [figure(one.scored.get(column), digits) for column in columns]
        shown = [
            str(one.reported),
            *scored,
            "–" if one.difference is None else signed(one.difference, digits),
            one.verdict,
        ]
        rows.append([headlines()[one.metric].title, *shown])
    return text_table([*headers, "difference", "verdict"], rows)


def _explanation(entry: Entry, reported: ReportedFigures, grid: Grid) -> Iterator[str]:
    own = entry.system.setup
    bleu, rates = _nearest(entry, reported, grid)
    for one in nearness(grid, reported):
        yield wrapped(
            f"{one.tried} combinations tried for {' and '.join(one.figures)}: {one.as_near} "
            f"({figure(one.share)} %) come as near as the nearest; by chance, "
            f"{figure(one.by_chance)} % of all figures in their range would have one as near"
        )
    if bleu:
        yield "nearest in BLEU (* the authors' stated set-up)\n" + text_table(
            ["", "references", "tokenisation", "BLEU", "off by"],
            [
                [
                    _mark(point.stated(own)),
                    point.style,
                    point.tokenization,
                    figure(point.bleu, 2),
                    figure(point.distance(reported), 2),
                ]
                for point in bleu
            ],
        )
    named = nearest_named(grid, reported)[:_LISTED]
    if named:
        yield "nearest of the set-ups of published scripts\n" + text_table(
            ["set-up", "rules", "domains", "states", "Inform", "Success", "off by"],
            [
                [
                    point.name or "",
                    point.rules,
                    point.domains,
                    point.states,
                    figure(point.inform),
                    figure(point.success),
                    figure(point.distance(reported)),
                ]
                for point in named
            ],
        )
    if rates:
        stated = any(point.stated(own) for point in rates)
        missing = "no set-up is stated" if own is None else "the stated set-up is not among them"
        note = "* the authors' stated set-up" if stated else missing
        yield f"nearest in Inform and Success ({note})\n" + text_table(
            [
                "",
                "rules",
                "venues",
                "updates",
                "reduced",
                "domains",
                "states",
                "Inform",
                "Success",
                "off by",
            ],
            [
                [_mark(point.stated(own)), *_rates_cells(point), figure(point.distance(reported))]
                for point in rates
            ],
        )


def _nearest(
    entry: Entry, reported: ReportedFigures, grid: Grid
) -> tuple[list[BleuPoint], list[RatesPoint]]:
    """Return the combinations to show, for BLEU and for the rates, the nearest first."""
    own = entry.system.setup
    return (
        _listed(nearest_bleu(grid, reported, len(grid.bleu)), own),
        _listed(nearest_rates(grid, reported, len(grid.rates)), own),
    )


def _listed(points: Sequence[_Point], own: OwnSetup | None) -> list[_Point]:
    return [point for place, point in enumerate(points) if place < _LISTED or point.stated(own)]


def _rates_cells(point: RatesPoint) -> list[str]:
    setup = point.setup
    return [
        point.rules,
        setup.comparison,
        setup.updates,
        "yes" if setup.reduced_search else "no",
        point.domains,
        point.states,
        _with_deviation(point.inform, point.inform_deviation),
        _with_deviation(point.success, point.success_deviation),
    ]


def _with_deviation(rate: float, deviation: float) -> str:
    return f"{figure(rate)} ± {figure(deviation)}" if deviation else figure(rate)


def _mark(stated: bool) -> str:
    return "*" if stated else ""


FORMAT = 1
"""Version of the layout of an entry's audit as JSON."""


def _data(entry: Entry, sources: list[AuditedSource], grid: Grid | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "submission": entry.key,
        "name": entry.system.name,
        "reported": [
            {
                "source": audited.reported.source,
                "setup": audited.reported.setup,
                "figures": [
                    {
                        "metric": one.metric,
                        "reported": float(one.reported),
                        "scored": {
                            rules: {s: v for (r, s), v in one.scored.items() if r == rules}
                            for rules in published_rule_sets()
                        },
                        "difference": one.difference,
                        "verdict": one.verdict,
                    }
                    for one in audited.figures
                ],
                **_nearest_data(entry, audited.reported, grid),
            }
            for audited in sources
        ],
        **({} if grid is None else {"grid": asdict(grid)}),
    }


def _nearest_data(
    entry: Entry, reported: ReportedFigures, grid: Grid | None
) -> dict[str, list[dict[str, Any]]]:
    if grid is None:
        return {}
    bleu, rates = _nearest(entry, reported, grid)
    points: dict[str, list[BleuPoint] | list[RatesPoint]] = {
        "nearest_bleu": bleu,
        "nearest_rates": rates,
        "nearest_named": nearest_named(grid, reported)[:_LISTED],
    }
    near = [asdict(one) for one in nearness(grid, reported)]
    return {"nearness": near} | {
        name: [
            {
                **asdict(point),
                "off_by": point.distance(reported),
                "stated": point.stated(entry.system.setup),
            }
            for point in nearest
        ]
        for name, nearest in points.items()
    }
