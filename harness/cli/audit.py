"""`mwz audit`: hold reported figures against what the systems score, and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from mwz.normalization.rules import DEFAULT_RULES

from ..board import LEXICALISED, STATE_TRACKING
from ..board.audit.paper_tables import paper_tables
from ..board.audit.record import (
    findings,
    findings_table,
    record,
    record_table,
    rule_set_rows,
    rule_sets_table,
)
from ..board.audit.reported import ReportedTable, read_reported, unknown_entries
from ..board.audit.setup_search import Outputs, SetupSearch, search_setups
from ..board.audit.system_audit import audit_data, audit_text, search_tables
from ..board.entries import Entry, chosen_entries, read_entries
from ..board.rescoring import find_predictions
from ..errors import InputError
from ..io.files import STANDARD_STREAM, write_json
from ..io.rendering import printable
from ..io.tables import Table, formatted
from .options import (
    cache_option,
    complete_entry,
    format_option,
    predictions_folder_option,
    scheduler_option,
    scored_benchmark_option,
    submissions_option,
    workers_option,
)
from .telling import notify


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
        tables = paper_tables(_chosen(submissions, ()), DEFAULT_RULES)
        click.echo(formatted(tables, format_), nl=False)
        return
    chosen = _chosen(submissions, names)
    reported = _reported(submissions)
    searches: dict[str, SetupSearch] = {}
    if explaining:
        outputs = _outputs(chosen, benchmark, predictions)
        searches = search_setups(outputs, workers, _progress, scheduler, cache, notify)
    if json_target != STANDARD_STREAM:
        if format_ != "text" or not names:
            recorded = chosen if names else [*chosen, *_reported_trackers(submissions, reported)]
            tables = _tables(recorded, reported, bool(names), searches)
            click.echo(formatted(tables, format_), nl=False)
        if format_ == "text":
            start = "" if names else "\n"
            text = "\n\n".join(audit_text(one, searches.get(one.key)) for one in chosen)
            click.echo(start + printable(text))
    if json_target is not None:
        write_json(json_target, [audit_data(one, searches.get(one.key)) for one in chosen])


def _progress(parts: Iterable[Any], count: int) -> Iterable[Any]:
    return tqdm(parts, "set-ups", count, unit="part", disable=None)


def _refuse_with_paper(names: tuple[str, ...], explaining: bool, json_target: str | None) -> None:
    """Refuse what says nothing of the paper's tables."""
    given = {"a NAME": names, "--explain": explaining, "--json": json_target is not None}
    wrong = [option for option, there in given.items() if there]
    if wrong:
        raise InputError("--paper", f"takes no {' and no '.join(wrong)}; leave it out")


def _reported(folder: Path) -> tuple[ReportedTable, ...]:
    """Return the public tables; their rows name entries that there are."""
    tables = read_reported(folder)
    problems = unknown_entries(tables, [entry.key for entry in read_entries(folder)])
    if problems:
        raise InputError(str(folder), problems)
    return tables


def _tables(
    chosen: Sequence[Entry],
    reported: Sequence[ReportedTable],
    named: bool,
    searches: Mapping[str, SetupSearch],
) -> list[Table]:
    """Return the tables about all entries that are audited.

    Args:
        chosen: The entries.
        reported: The public tables.
        named: Whether the entries were named: then other systems are none of the question.
        searches: Key -> set-up search, of the entries that are explained.
    """
    if named:
        keys = {entry.key for entry in chosen}
        reported = [
            replace(table, rows=tuple(row for row in table.rows if row.entry in keys))
            for table in reported
        ]
    others = sum(row.entry is None for table in reported for row in table.rows)
    return [
        record_table(record(chosen, reported, searches), others),
        *search_tables(chosen, searches),
        rule_sets_table(rule_set_rows(chosen, reported)),
        findings_table(findings(chosen, reported)),
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


def _outputs(
    chosen: Sequence[Entry], benchmark: str | None, folders: Sequence[Path]
) -> dict[str, Outputs]:
    """Return the outputs of the chosen entries that have placeholders.

    Raises:
        InputError: Some are not at hand.
    """
    found, problems = {}, []
    for entry in chosen:
        if entry.system.track in (LEXICALISED, STATE_TRACKING):
            continue
        try:
            content = find_predictions(entry, folders)
        except InputError as error:
            problems += [f"{error.source}: {problem}" for problem in error.problems]
            continue
        on = benchmark or entry.scores.main.benchmark
        found[entry.key] = Outputs(content, on, entry.system.aliases)
    if problems:
        raise InputError("--explain", problems)
    return found
