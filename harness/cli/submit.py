"""`mwz submit`: put a system on the leaderboard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets

from ..board.entries import PREDICTIONS_FILE, System, folder_name, read_entries
from ..board.leaderboard import row_headers, row_text, rows
from ..board.pages import pages
from ..board.submitting import all_scores, locked, submit
from ..board.tracks import submitted_tracks
from ..data.installed import load_benchmark
from ..errors import InputError
from ..files import read_bytes, shown_name, write_atomically
from ..formats import parse_predictions
from ..limits import limits
from ..metrics.registry import headlines
from ..rendering import text_table
from ..submission import parse_submission
from ..validation import validated
from .options import benchmark_option, leaderboard_path, rules_option, submissions_option
from .telling import NO_STATES, tell


def _reported(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Return the figures that the options give, metric -> value."""
    figures: dict[str, str] = {}
    for value in values:
        metric, _, figure = value.partition("=")
        if metric not in headlines() or not figure:
            raise click.BadParameter(
                f"{value!r}: write METRIC=VALUE, the metric one of {', '.join(headlines())}",
                ctx,
                param,
            )
        if metric in figures:
            raise click.BadParameter(f"{value!r}: give each metric once", ctx, param)
        figures[metric] = figure
    return figures


@click.command(
    help="Score PREDICTIONS, enter them in the folder of submissions, and show their rank. "
    "The leaderboard beside the folder is made anew."
)
@click.argument("predictions")
@click.option("--name", required=True, help="The system's name.")
@click.option(
    "--track", type=click.Choice(submitted_tracks()), required=True, help="What it is given."
)
@click.option("--paper", metavar="URL", help="Address of its paper.")
@click.option("--code", metavar="URL", help="Address of its code.")
@click.option("--note", metavar="TEXT", help="What a reader of the leaderboard should know.")
@click.option("--multiwoz", metavar="VERSION", help="The version of MultiWOZ it was trained on.")
@click.option(
    "--reported",
    callback=_reported,
    multiple=True,
    metavar="METRIC=VALUE",
    help=f"A figure its paper reports ({', '.join(headlines())}); repeatable.",
)
@click.option("--source", default="the system's paper", help="Paper and table of these figures.")
@click.option("--replace", is_flag=True, help="Replace a submission of the same name.")
@benchmark_option
@rules_option
@submissions_option
def command(
    predictions: str,
    name: str,
    track: str,
    paper: str | None,
    code: str | None,
    note: str | None,
    multiwoz: str | None,
    reported: dict[str, str],
    source: str,
    replace: bool,
    benchmark: str | None,
    rules: str,
    submissions: Path,
) -> None:
    """Check, score and enter a submission."""
    facts = {"name": name, "track": track, "paper": paper, "code": code, "multiwoz": multiwoz}
    system = _system({**facts, "note": note}, source, reported)
    target = submissions / folder_name(name)
    if target.exists() and not replace:
        raise InputError(str(target), "there is an entry of that name; use another, or --replace")
    content = read_bytes(predictions, limits())
    read_from = shown_name(predictions)
    loaded = load_benchmark(benchmark)
    submission = parse_submission(parse_predictions(content, read_from), loaded, read_from)
    tell(read_from, submission.remarks)
    click.echo(f"scoring under the rule sets {', '.join(published_rule_sets())} …", err=True)
    scores = all_scores(content, loaded, read_from)
    if scores.main.states == "gold":
        tell(read_from, [NO_STATES])
    entry = submit(submissions, system, content, scores, replace)
    click.echo(f"entered {entry.system.name} in {entry.folder}", err=True)
    with locked(submissions):
        others = read_entries(submissions)
        ranked = [r for r in rows(others, rules) if r.entry.system.track == track]
        # The page is that of the default rule set, whatever is shown here.
        made = pages(submissions, others, DEFAULT_RULES, leaderboard_path(submissions))
        for page, text in made.items():
            write_atomically(page, text)
    own = next(row for row in ranked if row.entry.key == entry.key)
    click.echo(text_table(row_headers(), [row_text(own)]))
    places = sum(row.rank is not None for row in ranked)
    shown = f"not ranked: {own.unranked}" if own.rank is None else f"rank {own.rank} of {places}"
    click.echo(f"\n{shown} in the track {track}")


def _system(facts: Mapping[str, str | None], source: str, reported: dict[str, str]) -> System:
    return validated(
        System,
        {
            **{key: value for key, value in facts.items() if value is not None},
            # Filled in when the folder is written.
            "predictions": {"file": PREDICTIONS_FILE},
            "reported": [{"source": source, **reported}] if reported else [],
        },
        "submission",
    )
