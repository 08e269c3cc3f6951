"""`mwz submit`: put a system on the leaderboard."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import click

from mwz.normalization.rules import published_rule_sets

from ..board.columns import BoardTable, board_tables, row_headers, row_text, track_columns
from ..board.entries import ENTRY_FILE, Entry
from ..board.entry_scores import Reading
from ..board.markdown import neighbours_text, seeds_text
from ..board.model import Board
from ..board.rows import Row
from ..board.submitting import enter
from ..board.systems import (
    FACTS,
    NOT_STATED,
    PREDICTIONS_FILE,
    System,
    declared_placeholders,
    stated_facts,
)
from ..board.tracks import Track, submitted_tracks, tracks
from ..errors import InputError, unknown
from ..io.files import read_bytes, shown_name, validated
from ..io.tables import figure, printable, text_table
from ..metrics.flags import FLAGS
from ..metrics.metric import headlines
from ..scoring import Options, Scorer
from . import notify, option, tell
from .reading import benchmark_chooser


def _pairs(known: Iterable[str], kind: str) -> Any:
    """Return what reads an option NAME=VALUE, given once for each name, as name -> value."""

    def read(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
        pairs: dict[str, str] = {}
        for text in values:
            name, _, value = text.partition("=")
            if not value:
                raise click.BadParameter(f"{text!r}: write {param.metavar}")
            if name not in known:
                raise click.BadParameter(unknown(kind, name, known))
            if name in pairs:
                raise click.BadParameter(f"{text!r}: give each {kind} once")
            pairs[name] = value
        return pairs

    return read


@click.command(cls=option.SeedsCommand)
@option.predictions
@click.option("--name", required=True, help="The system's name.")
@click.option("--track", type=click.Choice(submitted_tracks()), required=True, help="The track.")
@click.option("--paper", metavar="URL", help="Address of its paper.")
@click.option("--code", metavar="URL", help="Address of its code.")
@click.option(
    "--states-of",
    metavar="ENTRY",
    help="The entry whose belief states these are, if not the system's own.",
)
@click.option("--note", metavar="TEXT", help="What a reader of the leaderboard should know.")
@click.option(
    "--fact",
    "facts",
    callback=_pairs(FACTS, "fact"),
    multiple=True,
    metavar="NAME=VALUE",
    help=f"A fact about the system ({', '.join(FACTS)}; see docs/submitting.md); repeatable.",
)
@click.option(
    "--reported",
    callback=_pairs(headlines(), "metric"),
    multiple=True,
    metavar="METRIC=VALUE",
    help="A figure its paper reports, such as bleu=17.0; repeatable.",
)
@click.option("--source", default="the system's paper", help="Paper and table of these figures.")
@click.option(
    "--gold",
    metavar="VERSION",
    help="State tracking: version of the gold states in PREDICTIONS, or else of those to compare "
    "with (`mwz data import --states` installs them), such as 2.4.",
)
@option.seeds(
    "Outputs of the same system, trained with further seeds: adds mean and standard deviation over "
    "all."
)
@option.flag("--replace", help="Replace a submission of the same name.")
@option.benchmark
@option.placeholders
@option.submissions
def command(
    predictions: str,
    track: str,
    facts: dict[str, str],
    reported: dict[str, str],
    source: str,
    gold: str | None,
    seeds: tuple[str, ...],
    replace: bool,
    benchmark: str | None,
    placeholders: str | None,
    submissions: Path,
    **about: Any,
) -> None:
    """Score PREDICTIONS, enter them in the folder of submissions, and show their rank. The
    leaderboard beside the folder is regenerated. In the track state-tracking PREDICTIONS may be
    any file that `mwz dst` reads: with gold states of its own, or predicted states only. In the
    track live it is a file of `mwz play`, and --seeds are those of further trials.
    """
    _refuse_missing(submissions)
    declared = tracks()[track]
    _refuse_options(declared)
    aliases = Options(placeholders=placeholders).aliases
    numbers = {name for name, value in facts.items() if FACTS[name].number and value.isdecimal()}
    content = {
        **{name: value for name, value in about.items() if value is not None},
        **{name: int(value) if name in numbers else value for name, value in facts.items()},
        "track": track,
        # Filled in when the folder is written.
        "predictions": {"file": PREDICTIONS_FILE},
        "placeholders": None if aliases is None else declared_placeholders(aliases),
        "reported": [{"source": source, **reported}] if reported else [],
    }
    system = validated(System, content, "submission")
    choose = benchmark_chooser(benchmark, "scoring on")
    scorer_for = cache(lambda ids: Scorer(choose(ids)))
    how = Reading(scorer_for=lambda ids: scorer_for(tuple(ids)), aliases=aliases, gold=gold)
    files = [(shown_name(path), read_bytes(path)) for path in (predictions, *seeds)]
    if declared.by_rules:
        rules = ", ".join(published_rule_sets())
        click.echo(f"scoring under the rule sets {rules} …", err=True)
    entry, board = enter(submissions, system, files, how, tell, replace)
    click.echo(printable(f"entered {entry.system.name} in {entry.folder}"), err=True)
    _tell_missing(entry)
    _show(entry, board)
    _tell_flags(entry, board)


def _refuse_missing(submissions: Path) -> None:
    """Refuse to begin a board where nobody asked for one."""
    if not submissions.is_dir() and not option.given("submissions"):
        raise InputError(
            str(submissions),
            "no such folder here: this is no clone of the board; go to one, or name a folder by "
            "--submissions, which begins a board of your own",
        )


def _refuse_options(track: Track) -> None:
    """Refuse options that mean nothing in a track."""
    unfit = {
        "reported": not track.delexicalised,
        "placeholders": not track.delexicalised,
        "seeds": track.takes_gold,
        "gold": not track.takes_gold,
    }
    for name, is_unfit in unfit.items():
        if is_unfit and option.given(name):
            raise InputError(f"--{name}", f"is not for the track {track.name}; leave it out")


def _tell_missing(entry: Entry) -> None:
    """Say which facts are not stated."""
    missing = [name for name, value in stated_facts(entry.system).items() if value is None]
    if missing:
        notify(
            f"{NOT_STATED} of the system: {', '.join(missing)}; give what you know by --fact, or "
            f"add it to {entry.folder / ENTRY_FILE}"
        )


def _show(entry: Entry, board: Board) -> None:
    """Show a system's row and its place in its track, then against further gold states."""
    track = tracks()[entry.system.track]
    places = [(one, row) for one in board_tables(board) for row in one.rows if row.entry is entry]
    for table, row in places:
        if table.track == track.name and not row.further:
            _show_place(row, table, f"{track.among} {track.name}", ranks=not track.delexicalised)
            neighbours = board.neighbours(row) if row.rank and track.delexicalised else ()
            if lines := list(neighbours_text(neighbours)):
                click.echo("\n" + "\n".join(lines))
    if entry.scores.seeds is not None:
        click.echo(f"\nmean (standard deviation) over {seeds_text(entry)}")
    for table, row in places:
        if row.further and not track.english:
            click.echo(f"\n{table.title}")
            _show_place(row, table, "among those with these gold states")


def _show_place(row: Row, table: BoardTable, among: str, ranks: bool = True) -> None:
    """Show a system's row of a table, beside what the human responses get, and its place there."""
    is_delexicalised = tracks()[table.track].delexicalised
    shown = track_columns(table.columns) if is_delexicalised else table.columns
    rows = [*(one for one in table.rows if one.is_human), row]
    click.echo(text_table(row_headers(shown, ranks), [row_text(one, shown, ranks) for one in rows]))
    for note in row.bound_note if row.rank else ():
        click.echo(f"\n{note}")
    places = sum(one.rank is not None for one in table.rows)
    place = f"rank {row.rank} of {places} {among}"
    click.echo(f"\n{place if row.rank else f'not ranked {among}: {row.unranked}'}")


def _tell_flags(entry: Entry, board: Board) -> None:
    """Say which flags are raised, what was measured, and what to do."""
    own = [row for table in board_tables(board) for row in table.rows if row.entry is entry]
    raised = {name: row for row in own for name in row.raised}
    for name, row in raised.items():
        flag, copied = FLAGS[name], row.copies.get(name)
        of = "" if copied is None else f" ({copied.entry})"
        published = f"published outputs have {flag.honest_text}, and " if flag.honest else ""
        notify(
            f"flag: {flag.title}{of}: {figure(row.flags[name], 2)}; {published}"
            f"{flag.bound} is flagged. {flag.why}"
        )
    if raised:
        notify(
            "an entry with a flag has no rank until a maintainer has reviewed it: say in the pull "
            "request how the outputs came about, or fix them and submit again with --replace "
            "(docs/submitting.md)"
        )
