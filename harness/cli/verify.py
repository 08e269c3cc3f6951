"""`mwz verify`: rescore entries and report every difference."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from tqdm import tqdm

from ..board.changes import changes_table
from ..board.entries import Entry, chosen_entries, in_order, read_entries, read_order
from ..board.model import flag_notes
from ..board.rescoring import Rescored, find_predictions, rescore, verify
from ..board.tracks import tracks
from ..data.installed import load_benchmark
from ..errors import InputError
from ..io.tables import printable, text_table
from ..scoring import Options
from ..scoring.jobs import run
from . import option

_SHOWN = 12
"""How many figures of an entry are shown that come out differently."""

_SCORED = 3
"""Of how many entries the scores are compared as well, which follow from texts and venues."""


@click.command()
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=option.complete_entry)
@option.flag(
    "--strict",
    help="Count entries as failed if predictions or gold states are missing.",
)
@option.flag(
    "--reference",
    help="Instead: compare texts, tokens and venues, and the scores of three entries, with the "
    "libraries alone.",
)
@option.predictions_folder
@option.jobs
@option.scored_benchmark
@option.submissions
def command(
    names: tuple[str, ...], strict: bool, reference: bool, submissions: Path, **rescoring: Any
) -> int:
    """Score the entries NAME… (by default all) again from their predictions, write nothing and
    exit with 1 if a stored value is wrong: scores, signature, predictions, the rules of the
    track, entries that are there twice; or if nothing could be scored again.
    """
    entries = read_entries(submissions)
    chosen = chosen_entries(entries, names, submissions)
    if reference:
        return _by_libraries(chosen, **rescoring)
    outcomes = rescore(chosen, **rescoring)
    shown = tqdm(outcomes, "verifying", len(chosen), unit="entry", disable=None)
    verified = verify(entries, chosen, shown)
    failed = [
        one
        for one in verified
        if not one.holds or (strict and (one.missing is not None or one.unverified))
    ]
    signs = flag_notes(in_order(entries, read_order(submissions)))
    for one in verified:
        click.echo(printable("\n".join([_lines(one), *(f"  {s}" for s in signs[one.key])])))
    click.echo(_summary(verified))
    if all(one.missing is not None for one in verified):
        # A check that looked at nothing has not passed.
        click.echo("nothing was verified: no entry could be scored again", err=True)
        return 1
    return int(bool(failed))


def _by_libraries(
    entries: Sequence[Entry], benchmark: str | None, folders: Sequence[Path], workers: int | str
) -> int:
    """Show where the libraries alone give other values, of entries with responses."""
    from ..scoring.reference import reference_differences

    loaded = load_benchmark(benchmark)
    responding = [one for one in entries if tracks()[one.system.track].by_rules]
    jobs = (_reference_job(one, folders, n < _SCORED) for n, one in enumerate(responding))
    coming = run(reference_differences, jobs, loaded, workers)
    statuses = []
    for entry, outcome in zip(responding, coming, strict=True):
        if isinstance(outcome, InputError):
            click.echo(printable(f"{entry.key}: not scored: {outcome}"))
            continue
        statuses.append(bool(outcome))
        click.echo(f"{entry.key}: {len(outcome)} values differ" if outcome else f"{entry.key}: ok")
        if outcome:
            rows = [[place, repr(ours), repr(theirs)] for place, ours, theirs in outcome[:_SHOWN]]
            click.echo(text_table(["value", "default", "by libraries"], rows))
    if not statuses:
        click.echo("nothing was compared: no entry could be scored", err=True)
    return int(any(statuses) or not statuses)


def _reference_job(
    entry: Entry, folders: Sequence[Path], scored: bool
) -> tuple[bytes | str, str, Options, bool] | InputError:
    """Return how an entry is compared with the libraries; or why it cannot be."""
    system = entry.system
    options = Options(lexicalised=tracks()[system.track].english, placeholders=system.aliases)
    try:
        return find_predictions(entry, folders), entry.key, options, scored
    except InputError as error:
        return error


def _summary(verified: Sequence[Rescored]) -> str:
    """Say how many entries hold, and how many could not be scored again."""
    unknown = sum(one.missing is not None and one.holds for one in verified)
    hold = sum(one.missing is None and one.holds for one in verified)
    partly = sum(bool(one.unverified) for one in verified)
    told = [f"{hold} of {len(verified)} entries hold"]
    told += [f"{unknown} could not be scored again"] if unknown else []
    told += [f"of {partly} a part could not be verified"] if partly else []
    return "; ".join(told)


def _lines(verified: Rescored) -> str:
    lines = [f"{verified.key}: {problem}" for problem in verified.problems]
    if verified.changes:
        lines.append(f"{verified.key}: {len(verified.changes)} figures come out differently")
        lines.append(changes_table(verified.changes[:_SHOWN]))
        if len(verified.changes) > _SHOWN:
            lines.append(f"… and {len(verified.changes) - _SHOWN} more")
    if verified.missing is not None:
        lines.append(f"{verified.key}: not scored again: {verified.missing}")
    lines = lines or [f"{verified.key}: holds"]
    lines += [f"{verified.key}: not verified: {part}" for part in verified.unverified]
    return "\n".join(lines)
