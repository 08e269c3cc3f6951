"""`mwz audit`: hold reported figures against what the systems score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click
from tqdm import tqdm

from mwz.normalization.rules import published_rule_sets

from ..board.audit import AuditedSource, audit
from ..board.entries import Entry, OwnSetup, Reported, chosen_entries, read_entries
from ..board.grid import BleuPoint, Grid, RatesPoint, explain, nearest_bleu, nearest_rates
from ..board.rescoring import find_predictions
from ..errors import InputError
from ..files import STANDARD_STREAM, write_json
from ..metrics.inform import SETUPS
from ..metrics.registry import headlines
from ..rendering import figure, printable, signed, text_table
from .completion import complete_entry
from .options import (
    predictions_folder_option,
    scored_benchmark_option,
    submissions_option,
    workers_option,
)

_LISTED = 5
"""How many of the nearest combinations are shown, besides the stated ones."""

_Point = TypeVar("_Point", BleuPoint, RatesPoint)


@click.command(
    help="Hold every reported figure of the submissions NAME… (by default all) against what the "
    "harness gets, strict and optimistic, under both rule sets."
)
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=complete_entry)
@click.option(
    "--explain",
    "explaining",
    is_flag=True,
    help="Score the submissions under every combination of set-ups, and list those nearest to "
    "the reported figures. Needs their predictions.",
)
@workers_option
@predictions_folder_option
@click.option("--json", "json_target", metavar="FILE|-", help="Write the audit as JSON.")
@scored_benchmark_option
@submissions_option
def command(
    names: tuple[str, ...],
    explaining: bool,
    workers: int,
    predictions: Path | None,
    json_target: str | None,
    benchmark: str | None,
    submissions: Path,
) -> None:
    """Audit submissions."""
    chosen = _chosen(submissions, names)
    contents = _contents(chosen, predictions) if explaining else {}
    found = []
    for entry in chosen:
        grid = None
        if explaining:
            grid = explain(
                contents[entry.key],
                benchmark or entry.scores.main.benchmark,
                workers,
                lambda parts, count, name=entry.key: tqdm(  # type: ignore[misc]
                    parts, name, count, unit="part", disable=None
                ),
            )
        sources = audit(entry, grid)
        found.append(_data(entry, sources, grid))
        if json_target != STANDARD_STREAM:
            click.echo(printable("\n\n".join(_text(entry, sources, grid))) + "\n")
    if json_target is not None:
        write_json(json_target, found)


def _chosen(folder: Path, names: tuple[str, ...]) -> list[Entry]:
    chosen = chosen_entries(read_entries(folder), names, folder)
    problems = [f"{entry.key}: {problem}" for entry in chosen for problem in entry.problems]
    problems += [
        f"{entry.key}: scored by an earlier version; use `mwz leaderboard --rescore`"
        for entry in chosen
        if not entry.problems and not entry.scores.reports
    ]
    if problems:
        raise InputError(str(folder), problems)
    return chosen


def _contents(chosen: list[Entry], extra: Path | None) -> dict[str, bytes | str]:
    """Return the predictions of all chosen submissions, or tell all that are not at hand."""
    contents = {}
    problems = []
    for entry in chosen:
        try:
            contents[entry.key] = find_predictions(entry, extra)
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
        yield f"{audited.reported.source} [{audited.reported.setup} set-up]\n{_table(audited)}"
        if grid is not None and audited.reported.setup == "own":
            yield from _explanation(entry, audited.reported, grid)


def _table(audited: AuditedSource) -> str:
    columns = [(rules, setup) for rules in published_rule_sets() for setup in SETUPS]
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


def _explanation(entry: Entry, reported: Reported, grid: Grid) -> Iterator[str]:
    own = entry.system.setup
    bleu, rates = _nearest(entry, reported, grid)
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
    entry: Entry, reported: Reported, grid: Grid
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


def _data(entry: Entry, sources: list[AuditedSource], grid: Grid | None) -> dict[str, Any]:
    return {
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
    entry: Entry, reported: Reported, grid: Grid | None
) -> dict[str, list[dict[str, Any]]]:
    if grid is None:
        return {}
    bleu, rates = _nearest(entry, reported, grid)
    points: dict[str, list[BleuPoint] | list[RatesPoint]] = {
        "nearest_bleu": bleu,
        "nearest_rates": rates,
    }
    return {
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
