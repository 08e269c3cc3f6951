"""`mwz audit`: compare reported figures with the harness's, and with each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from tqdm import tqdm

from mwz.normalization import DEFAULT_RULES

from ... import data
from ...cli import option
from ...errors import refuse
from ...io import STANDARD_STREAM, formatted, printable, write_json
from ..entries import Entry, chosen_entries, read_entries
from ..reported import check_entries, read_reported
from ..rescoring import find_predictions
from ..track import tracks
from .audit_tables import audit_data, explanation_text, record_sentences, record_tables
from .paper_tables import PAPERS, tables_of_paper
from .setup_search import SetupSearch, search_setups


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
    "BLEU, or of those that define FGA, RSA and GCA. [shades if no paper is named]",
)
@option.table_format(
    help=f"{option.TABLE_FORMATS} Any but text leaves out what --explain lists of each system, and "
    "csv has the figures only."
)
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write the audit of each system as JSON."
)
@option.submissions
def command(
    names: tuple[str, ...],
    explaining: bool,
    workers: int | str,
    folders: Sequence[Path],
    paper: str | None,
    format_: str,
    json_target: str | None,
    submissions: Path,
) -> None:
    """Compare every reported figure of the submissions NAME… with what the harness gets, strict
    and optimistic: a table of all with a legend, the rule set of each row of the public board, and
    the printed figures that do not fit their parts or the test set. Without a NAME all of the
    public record is audited.
    """
    submissions = option.readable(submissions)
    entries = read_entries(submissions)
    chosen = _audited_entries(entries, names, submissions)
    if paper is not None:
        wrong = bool(names) or explaining or json_target is not None
        option.refuse_if(wrong, "--paper cannot be combined with NAME, --explain or --json")
        has_benchmark = data.DEFAULT in data.installed_benchmarks()
        benchmark = data.load_benchmark(data.DEFAULT) if has_benchmark else None
        tables = tables_of_paper(paper, chosen, DEFAULT_RULES, folders, benchmark)
        click.echo(formatted(tables, format_), nl=False)
        return
    reported = read_reported(submissions)
    check_entries(reported, [entry.key for entry in entries], str(submissions))
    searches: dict[str, SetupSearch] = {}
    if explaining:
        responding = [entry for entry in chosen if tracks()[entry.system.track].delexicalised]
        outputs = {}
        for entry in responding:
            content, aliases = find_predictions(entry, folders), entry.system.aliases
            outputs[entry.key] = content, entry.scores.main.signature.benchmark or "", aliases
        results = search_setups(outputs, workers)
        searches = dict(tqdm(results, "set-ups", len(outputs), unit="system", disable=None))
    if json_target != STANDARD_STREAM:
        # Public tables have figures of trackers, too.
        public: set[str | None] = set()
        for table in reported:
            public.update(row.entry for row in table.rows)
        recorded = list(chosen)
        if not names:
            in_public = [entry for entry in entries if entry.key in public]
            recorded += [
                entry for entry in in_public if tracks()[entry.system.track].kind == "states only"
            ]
        audit_tables = record_tables(recorded, reported, bool(names), searches)
        filled = [table for table in audit_tables if table.rows or format_ == "json"]
        none = printable(f"no figures are reported of {', '.join(names)}\n")
        blocks = [(formatted(filled, format_) if filled else none).rstrip("\n")]
        if format_ == "text":
            holding = record_sentences(audit_tables[0]) if names else ()
            explained = [entry for entry in chosen if entry.key in searches]
            explanations = [explanation_text(entry, searches[entry.key]) for entry in explained]
            blocks = [*map(printable, holding), *blocks, *map(printable, explanations)]
        click.echo("\n\n".join(blocks))
    if json_target is not None:
        write_json(json_target, [audit_data(entry, searches.get(entry.key)) for entry in chosen])


def _audited_entries(entries: Sequence[Entry], names: Sequence[str], folder: Path) -> list[Entry]:
    """Return the entries to audit: those named, or all of which figures are reported.

    Raises:
        InputError: There is none of a name, or some cannot be audited.
    """
    audited, problems = [], []
    for entry in chosen_entries(entries, names, folder):
        track, about = tracks()[entry.system.track], list(entry.problems)
        # Nobody reports what the harness made.
        is_made = track.kind == "plain English" and entry.system.predictions.by_harness
        if not names and (is_made or track.result is not None):
            continue
        if track.result is not None:
            about = [f"is in the track {entry.system.track}, which has no reported figures"]
        problems += [f"{entry.key}: {problem}" for problem in about]
        audited.append(entry)
    refuse(str(folder), problems)
    return audited
