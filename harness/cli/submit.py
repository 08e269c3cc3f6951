"""`mwz submit`: put a system on the leaderboard."""

from __future__ import annotations

from pathlib import Path

import click

from .. import board
from ..errors import InputError
from ..io import printable, read_bytes, shown_name
from ..metrics import reported_figures
from ..scoring import Options, Scorer
from . import notify, option, tell
from .reading import chosen_benchmark


@click.command(cls=option.CompleteCommand)
@option.predictions
@click.option("--name", required=True, help="The system's name.")
@click.option(
    "--track", type=click.Choice(board.submitted_tracks()), required=True, help="The track."
)
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
    callback=option.pairs(board.FACTS, "fact"),
    multiple=True,
    metavar="NAME=VALUE",
    help=f"A fact about the system ({', '.join(board.FACTS)}; see docs/submitting.md); repeatable.",
)
@click.option(
    "--reported",
    callback=option.pairs(reported_figures(), "metric"),
    multiple=True,
    metavar="METRIC=VALUE",
    help="A figure its paper reports, such as bleu=17.0; repeatable.",
)
@click.option("--source", default="the system's paper", help="Paper and table of these figures.")
@click.option(
    "--gold",
    metavar="VERSION",
    help="State tracking: compare with the installed gold states of this version, such as 2.0, "
    "whatever gold states PREDICTIONS has.",
)
@option.seeds(
    "Outputs of the same system, trained with further seeds: adds mean and standard deviation over "
    "all."
)
@option.flag("--replace", help="Replace a submission of the same name.")
@option.free_running
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
    free_running: bool,
    benchmark: str | None,
    placeholders: str | None,
    submissions: Path,
    **about: object,
) -> None:
    """Score PREDICTIONS, add them to the folder of submissions, and show their rank. The
    leaderboard beside the folder is regenerated. In the track state-tracking PREDICTIONS may be
    any file that `mwz dst` reads: with gold states of its own, or predicted states only. In the
    track live it is a file of `mwz play`, and --seeds are those of further trials.
    """
    # A board is begun only where somebody names its folder.
    if not submissions.is_dir() and not option.is_given("submissions"):
        raise InputError(
            str(submissions),
            "no such folder here: this is not a clone of the board; go to one, or name a folder by "
            "--submissions, which begins a board of your own",
        )
    declared = board.tracks()[track]
    unfit = {
        "reported": not declared.delexicalised,
        "placeholders": not declared.delexicalised,
        "seeds": declared.kind == "states only",
        "gold": declared.kind != "states only",
        "free_running": declared.kind != "plain English",
    }
    for name, is_unfit in unfit.items():
        option.refuse_if(
            is_unfit and option.is_given(name),
            f"--{name.replace('_', '-')} is not for the track {track}; leave it out",
        )
    options = Options(placeholders=placeholders)
    given = {name: value for name, value in about.items() if value is not None}
    claims = [{"source": source, **reported}] if reported else []
    declaration = {**given, "track": track, "reported": claims}
    system = board.declared_system(declaration, facts, options.resolved.aliases)
    scorer = Scorer(chosen_benchmark(benchmark), options)
    reading = board.Reading(scorer=scorer, gold=gold, free_running=free_running)
    files = [(shown_name(path), read_bytes(path)) for path in (predictions, *seeds)]
    is_new = not any(submissions.glob(f"*/{board.ENTRY_FILE}"))
    entry, made = board.enter(submissions, system, files, reading, tell, replace)
    click.echo(printable(f"entered {entry.system.name} in {entry.folder}"), err=True)
    if is_new:
        notify(f"began a new board in {submissions}")
    click.echo(printable(board.entered_text(entry, made)))
    for remark in board.entered_remarks(entry, made):
        notify(remark)
