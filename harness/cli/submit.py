"""`mwz submit`: put a system on the leaderboard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import click

from mwz.normalization.rules import DEFAULT_RULES, published_rule_sets
from mwz.normalization.rules.aliases import Aliases

from ..benchmark import Benchmark
from ..board import LEXICALISED, STATE_TRACKING, submitted_tracks
from ..board.columns import (
    Column,
    columns,
    lexicalised_columns,
    row_headers,
    row_text,
    track_columns,
    tracking_columns,
)
from ..board.entries import (
    PREDICTIONS_FILE,
    Entry,
    System,
    declared_placeholders,
    folder_name,
    read_entries,
)
from ..board.model import Board, Row, read_board
from ..board.pairs import complete_pairs
from ..board.scores import Scores
from ..board.submitting import all_scores, locked, refuse_existing, submit, with_seeds, write_files
from ..board.tracking_scores import TrackingScores, score_tracker, with_further_gold
from ..board.views.markdown import neighbours_text, pages, seeds_text
from ..data.gold_states import load_further_gold, load_gold_states
from ..data.installed import load_benchmark
from ..errors import InputError
from ..io.files import limits, read_bytes, shown_name
from ..io.rendering import printable, text_table
from ..io.validation import validated
from ..metrics import headlines
from ..metrics.tracking.tracked_dialogues import GoldStates
from ..scoring import Options, Scorer
from ..scoring.predictions import played_predictions, read_standard
from .options import (
    SeveralValues,
    benchmark_option,
    complete_file,
    leaderboard_path,
    placeholders_option,
    rules_option,
    submissions_option,
)
from .reading import benchmark_chooser
from .telling import tell


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
    cls=SeveralValues,
    several="seeds",
    help="Score PREDICTIONS, enter them in the folder of submissions, and show their rank. "
    "The leaderboard beside the folder is made anew. In the track state-tracking PREDICTIONS may "
    "be any file that `mwz dst` reads: with gold states of its own, or predicted states only.",
)
@click.argument("predictions", shell_complete=complete_file)
@click.option("--name", required=True, help="The system's name.")
@click.option(
    "--track", type=click.Choice(submitted_tracks()), required=True, help="What it is given."
)
@click.option("--paper", metavar="URL", help="Address of its paper.")
@click.option("--code", metavar="URL", help="Address of its code.")
@click.option("--note", metavar="TEXT", help="What a reader of the leaderboard should know.")
@click.option("--multiwoz", metavar="VERSION", help="The version of MultiWOZ it was trained on.")
@click.option("--year", type=int, help="The year it was published in.")
@click.option("--model", metavar="TEXT", help="What model it is: its backbone and size.")
@click.option("--training", metavar="TEXT", help="What it was trained on besides MultiWOZ.")
@click.option(
    "--reported",
    callback=_reported,
    multiple=True,
    metavar="METRIC=VALUE",
    help=f"A figure its paper reports ({', '.join(headlines())}); repeatable.",
)
@click.option("--source", default="the system's paper", help="Paper and table of these figures.")
@click.option(
    "--gold",
    metavar="VERSION",
    help="State tracking: compare with the benchmark's gold states of this version, such as 2.4; "
    "`mwz data import --states` installs them.",
)
@click.option(
    "--own-gold",
    metavar="VERSION",
    help="State tracking: say what version PREDICTIONS' own gold states are.",
)
@click.option(
    "--seeds",
    metavar="PREDICTIONS...",
    multiple=True,
    help="Outputs of the same system, trained with further seeds: adds mean and standard deviation "
    "over all. Takes all that follows up to the next option.",
)
@click.option("--replace", is_flag=True, help="Replace a submission of the same name.")
@benchmark_option
@rules_option
@placeholders_option
@submissions_option
def command(
    predictions: str,
    name: str,
    track: str,
    paper: str | None,
    code: str | None,
    note: str | None,
    multiwoz: str | None,
    year: int | None,
    model: str | None,
    training: str | None,
    reported: dict[str, str],
    source: str,
    gold: str | None,
    own_gold: str | None,
    seeds: tuple[str, ...],
    replace: bool,
    benchmark: str | None,
    rules: str,
    placeholders: str | None,
    submissions: Path,
) -> None:
    """Check, score and enter a submission."""
    _check_options(track, reported, gold, own_gold, placeholders)
    if track == STATE_TRACKING and seeds:
        raise InputError("--seeds", f"is not for the track {track}")
    facts = {
        "name": name,
        "track": track,
        "paper": paper,
        "code": code,
        "multiwoz": multiwoz,
        "year": year,
        "model": model,
        "training": training,
        "note": note,
    }
    aliases = Options(placeholders=placeholders).aliases
    system = _system(facts, source, reported, aliases)
    if not replace:
        refuse_existing(submissions / folder_name(name))
    content = read_bytes(predictions, limits())
    read_from = shown_name(predictions)
    further = [read_bytes(seed, limits()) for seed in seeds]
    scores: Scores | TrackingScores
    if track == STATE_TRACKING:
        scores = _tracker(content, read_from, benchmark, gold, own_gold)
    else:
        named = list(zip(map(shown_name, seeds), further, strict=True))
        scores = _scored(content, read_from, benchmark, named, track == LEXICALISED, aliases)
    entry = submit(submissions, system, content, scores, replace, further)
    click.echo(printable(f"entered {entry.system.name} in {entry.folder}"), err=True)
    with locked(submissions):
        others = read_entries(submissions)
        # The page is that of the default rule set, whatever is shown here.
        page = read_board(submissions, others, DEFAULT_RULES, complete_pairs(submissions, others))
        board = page
        if rules != DEFAULT_RULES:
            board = read_board(submissions, others, rules, page.pairs)
        write_files(submissions, pages(submissions, page, leaderboard_path(submissions)))
    if track == STATE_TRACKING:
        _show_tracker(entry.key, board)
        _show_further(entry.key, board)
    elif track == LEXICALISED:
        _show_lexicalised(entry.key, board)
    else:
        _show_row(entry, board)
        _show_further(entry.key, board)


def _check_options(
    track: str,
    reported: Mapping[str, str],
    gold: str | None,
    own_gold: str | None,
    placeholders: str | None,
) -> None:
    """Refuse options that mean nothing in a track, and those that exclude each other."""
    if track in (STATE_TRACKING, LEXICALISED) and reported:
        raise InputError("--reported", f"its figures are not those of the track {track}")
    if track in (STATE_TRACKING, LEXICALISED) and placeholders is not None:
        raise InputError("--placeholders", f"the track {track} has none; leave it out")
    if gold is not None and own_gold is not None:
        raise InputError("--gold, --own-gold", "give one of them: whose gold states are they?")
    for option, value in (("--gold", gold), ("--own-gold", own_gold)):
        if track != STATE_TRACKING and value is not None:
            raise InputError(option, f"is for the track {STATE_TRACKING}")


def _scored(
    content: bytes,
    source: str,
    benchmark: str | None,
    seeds: Sequence[tuple[str, bytes]],
    lexicalised: bool,
    aliases: Aliases | None,
) -> Scores:
    """Check predictions, say what is to be said of them, and score them and further seeds."""
    standard = read_standard(content, source)
    loaded = benchmark_chooser(benchmark, "scoring on")(standard.dialogues)
    options = Options(lexicalised=lexicalised, placeholders=aliases)
    found = played_predictions(Scorer(loaded, options), standard, source)
    tell(source, found.remarks)
    click.echo(f"scoring under the rule sets {', '.join(published_rule_sets())} …", err=True)
    golds = _further_gold(source, loaded) if found.played.submission.predicts_states else []
    scores = all_scores(content, loaded, source, lexicalised, aliases, golds)
    return with_seeds(scores, seeds, loaded, aliases) if seeds else scores


def _further_gold(source: str, benchmark: Benchmark) -> list[GoldStates]:
    """Load the further gold states that are installed; of those that are not, say so."""
    golds, missing = load_further_gold(benchmark)
    tell(
        source,
        [
            f"not scored against gold states {version}, which are not installed "
            f"(`mwz data import --states {version} PATH`)"
            for version in missing
        ],
    )
    return golds


def _tracker(
    content: bytes, source: str, benchmark: str | None, gold: str | None, own_gold: str | None
) -> TrackingScores:
    """Score a tracker's file with the gold states asked for."""
    if gold is None:
        choose = benchmark_chooser(benchmark, "comparing with")
        scores = score_tracker(content, source, choose, own_version=own_gold)
        # A file with gold states of its own may be of no benchmark.
        loaded = load_benchmark(scores.signature.benchmark or benchmark)
    else:
        loaded = load_benchmark(benchmark)
        states = load_gold_states(gold, loaded)
        scores = score_tracker(content, source, lambda ids: loaded, lambda: states)
    golds = _further_gold(source, loaded)
    scores = with_further_gold(scores, content, source, loaded, golds)
    unfit = f"its dialogues and turns are not those of {loaded.name}"
    tell(
        source,
        [
            f"not scored against gold states {one.version}: {unfit}"
            for one in golds
            if one.version not in scores.further_gold
        ],
    )
    return scores


def _show_row(entry: Entry, board: Board) -> None:
    """Show a system's row, its place in its track, and its neighbours there."""
    track = board.of_track(entry.system.track)
    own = next(row for row in track if row.key == entry.key)
    _show_rows([own], track_columns(columns(board)), ranks=False)
    click.echo(f"\n{_place(own, track)} in the track {own.track}")
    if own.rank is not None:
        lines = list(neighbours_text(board.neighbours(own)))
        if lines:
            click.echo("\n" + "\n".join(lines))
    if entry.scores.seeds is not None:
        click.echo(f"\nmean (standard deviation) over {seeds_text(entry)}")


def _show_rows(shown: Sequence[Row], of: Sequence[Column[Row]], ranks: bool = True) -> None:
    click.echo(text_table(row_headers(of, ranks), [row_text(row, of, ranks) for row in shown]))


def _place(own: Row, table: Sequence[Row]) -> str:
    places = sum(row.rank is not None for row in table)
    if own.rank is not None:
        return f"rank {own.rank} of {places}"
    return "not ranked" if own.tracked is not None else f"not ranked: {own.unranked}"


def _show_tracker(key: str, board: Board) -> None:
    """Show a tracker's row and its place among those with the same gold states."""
    for table, own in _tracked(key, board, further=False):
        _show_rows([own], tracking_columns(table))
        place = f"{_place(own, table)} among those with the same gold states"
        click.echo(f"\n{place} in the track {STATE_TRACKING}")


def _show_further(key: str, board: Board) -> None:
    """Show what a system's states score against further gold states."""
    for table, own in _tracked(key, board, further=True):
        version = None if own.tracked is None else own.tracked.gold.version
        click.echo(f"\nagainst gold states {version}")
        _show_rows([own], tracking_columns(table))
        click.echo(f"\n{_place(own, table)} among those with these gold states")


def _tracked(key: str, board: Board, further: bool) -> Iterator[tuple[Sequence[Row], Row]]:
    """Yield the tables of state tracking that a system stands in, and its row."""
    for table in board.tracking:
        for row in table:
            if row.key == key and row.tracked is not None and row.tracked.further == further:
                yield table, row


def _show_lexicalised(key: str, board: Board) -> None:
    """Show a row of what the human responses get, the system's own, and its place."""
    own = next(row for row in board.english if row.key == key)
    ceiling = [row for row in board.english if row.is_ceiling]
    _show_rows([*ceiling, own], lexicalised_columns())
    click.echo(f"\n{_place(own, board.english)} in the track {LEXICALISED}")


def _system(
    facts: Mapping[str, object], source: str, reported: dict[str, str], aliases: Aliases | None
) -> System:
    return validated(
        System,
        {
            **{key: value for key, value in facts.items() if value is not None},
            # Filled in when the folder is written.
            "predictions": {"file": PREDICTIONS_FILE},
            "placeholders": None if aliases is None else declared_placeholders(aliases),
            "reported": [{"source": source, **reported}] if reported else [],
        },
        "submission",
    )
