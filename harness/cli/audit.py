"""`mwz audit`: compare reported figures with the harness's, and with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from mwz.normalization.rules import DEFAULT_RULES

from ..board.audit.output import (
    audit_data,
    audit_text,
    audited_entries,
    record_tables,
    searched_outputs,
    with_trackers,
)
from ..board.audit.paper_tables import PAPERS, paper_tables
from ..board.audit.reported import check_entries, read_reported
from ..board.audit.setup_search import SetupSearch, search_setups
from ..board.entries import read_entries
from ..errors import InputError
from ..io.files import STANDARD_STREAM, write_json
from ..io.rendering import printable
from ..io.tables import formatted
from . import option


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=option.complete_entry)
@option.flag(
    "--explain",
    "explaining",
    help="Score the submissions under every combination of set-ups and in those of published "
    "scripts, and list what comes nearest to the reported figures. Needs their predictions.",
)
@option.jobs
@option.predictions_folder
@click.option(
    "--paper",
    type=click.Choice(tuple(PAPERS)),
    is_flag=False,
    flag_value="shades",
    help="Print the tables of a paper beside the harness's figures, cell by cell: of Shades of "
    "BLEU, Flavours of Success, or of those that define flexible goal accuracy, relative slot "
    "accuracy and granular change accuracy. [shades if no paper is named]",
)
@option.table_format(
    " Any but text leaves out the parts about single systems, and csv has the figures only."
)
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write the audit of each system as JSON."
)
@option.scored_benchmark
@option.submissions
def command(
    names: tuple[str, ...],
    explaining: bool,
    workers: int | str,
    folders: Sequence[Path],
    paper: str | None,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    submissions: Path,
) -> None:
    """Hold every reported figure of the submissions NAME… against what the harness gets, strict
    and optimistic, under every published rule set. Without a NAME all of the public record is
    audited: a table of every reported figure with a legend, the rule set of each row of the
    public board, the printed figures that do not fit their parts or the test set, and then each
    system.
    """
    submissions = option.readable(submissions)
    entries = read_entries(submissions)
    chosen = audited_entries(entries, names, submissions)
    if paper is not None:
        given = {"NAME": names, "--explain": explaining, "--json": json_target is not None}
        wrong = [name for name, there in given.items() if there]
        if wrong:
            raise InputError("--paper", f"cannot be combined with {' and '.join(wrong)}")
        click.echo(formatted(paper_tables(paper, chosen, DEFAULT_RULES), format_), nl=False)
        return
    reported = read_reported(submissions)
    check_entries(reported, [entry.key for entry in entries], str(submissions))
    searches: dict[str, SetupSearch] = {}
    if explaining:
        outputs = searched_outputs(chosen, benchmark, folders)
        searches = search_setups(outputs, workers, _progress)
    if json_target != STANDARD_STREAM:
        if format_ != "text" or not names:
            recorded = chosen if names else with_trackers(chosen, entries, reported)
            tables = record_tables(recorded, reported, bool(names), searches)
            click.echo(formatted(tables, format_), nl=False)
        if format_ == "text":
            start = "" if names else "\n"
            text = "\n\n".join(audit_text(one, searches.get(one.key)) for one in chosen)
            click.echo(start + printable(text))
    if json_target is not None:
        write_json(json_target, [audit_data(one, searches.get(one.key)) for one in chosen])


def _progress(parts: Iterable[Any], count: int) -> Iterable[Any]:
    return tqdm(parts, "set-ups", count, unit="system", disable=None)
