"""`mwz submit`: put a system on the leaderboard."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace as replaced
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mwz.normalization.rules import DEFAULT_RULES, Aliases, published_rule_sets

from ..benchmark import Benchmark
from ..board import APART, LEXICALISED, LIVE, STATE_TRACKING, submitted_tracks
from ..board.columns import (
    BoardTable,
    Column,
    board_tables,
    row_headers,
    row_text,
    track_columns,
)
from ..board.entries import (
    ENTRY_FILE,
    FACTS,
    NOT_STATED,
    PREDICTIONS_FILE,
    Entry,
    System,
    declared_placeholders,
    folder_name,
    stated_facts,
)
from ..board.markdown import neighbours_text, pages, seeds_text
from ..board.model import Board, Row, read_board
from ..board.pairs import complete_pairs
from ..board.scores import Scores, seed_file
from ..board.submitting import check_new, submit, write_files
from ..data.gold_states import load_further_gold, load_gold_states
from ..data.installed import load_benchmark
from ..errors import InputError, unknown
from ..io.files import limits, read_bytes, shown_name
from ..io.rooms import room
from ..io.tables import figure, printable, text_table
from ..io.validation import validated
from ..metrics import headlines
from ..metrics.flags import FLAGS
from ..metrics.tracking.states import GoldStates
from ..scoring import Options, Scorer
from ..scoring.predictions import played_predictions
from ..submission import checked_submission
from ..submission.formats import is_play, read_standard
from . import notify, option, tell
from .option import leaderboard_path
from .reading import benchmark_chooser

if TYPE_CHECKING:
    from ..board.entry_scores import Outputs


def _reported(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> dict[str, str]:
    """Return the figures that the options give, metric -> value."""
    figures: dict[str, str] = {}
    for value in values:
        metric, _, figure = value.partition("=")
        if not figure:
            raise click.BadParameter(f"{value!r}: write METRIC=VALUE")
        if metric not in headlines():
            raise click.BadParameter(unknown("metric", metric, headlines()))
        if metric in figures:
            raise click.BadParameter(f"{value!r}: give each metric once")
        figures[metric] = figure
    return figures


def _fact_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add an option for every fact."""
    for name, fact in reversed([*FACTS.items()]):
        kind: Any = click.Choice(fact.choices) if fact.choices else int if fact.number else str
        metavar = None if fact.choices else "N" if fact.number else "TEXT"
        add = click.option(_option(name), type=kind, metavar=metavar, help=fact.question)
        command = add(command)
    return command


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _ask(system: System, folder: Path) -> System:
    """Return a system with the facts that its author states when asked; tell which are missing.

    Nobody is asked where standard input is no terminal.
    """
    missing = [name for name, value in stated_facts(system).items() if value is None]
    if missing and sys.stdin is not None and sys.stdin.isatty():
        told = "What readers must know of the system; press Enter where you do not know."
        click.echo(told, err=True)
        for name in missing:
            system = _asked(system, name)
        missing = [name for name, value in stated_facts(system).items() if value is None]
    if missing:
        options = ", ".join(map(_option, missing))
        place = folder / folder_name(system.name) / ENTRY_FILE
        notify(f"{NOT_STATED} of the system: {options}; give what you know, or add it to {place}")
    return system


def _asked(system: System, name: str) -> System:
    """Return a system with a fact that its author is asked for, until the answer can be used."""
    fact, found = FACTS[name], system

    def read(answer: str) -> None:
        nonlocal found
        value = int(answer) if fact.number and answer.isdecimal() else answer
        if answer:
            known = system.model_dump(exclude_none=True, exclude_defaults=True)
            try:
                found = validated(System, {**known, name: value}, fact.title)
            except InputError as error:
                raise click.UsageError(error.problems[0]) from None

    choices = f" ({', '.join(fact.choices)})" if fact.choices else ""
    question = f"{fact.title}{choices}: {fact.question}"
    click.prompt(question, "", value_proc=read, show_default=False, prompt_suffix="\n> ", err=True)
    return found


_RESPONSES = [track for track in submitted_tracks() if track != STATE_TRACKING]
_NOT_FOR: Mapping[str, Collection[str]] = {
    "reported": APART,
    "placeholders": APART,
    "seeds": (STATE_TRACKING,),
    "gold": _RESPONSES,
    "own_gold": _RESPONSES,
}
"""Parameter -> the tracks in which it means nothing."""


@click.command(cls=option.SeedsCommand)
@option.predictions
@click.option("--name", required=True, help="The system's name.")
@click.option(
    "--track", type=click.Choice(submitted_tracks()), required=True, help="What it is given."
)
@click.option("--paper", metavar="URL", help="Address of its paper.")
@click.option("--code", metavar="URL", help="Address of its code.")
@click.option(
    "--states-of",
    metavar="NAME",
    help="The entry whose belief states these are, if they are those of another one: the system is "
    "ranked by its responses.",
)
@click.option("--note", metavar="TEXT", help="What a reader of the leaderboard should know.")
@_fact_options
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
@option.seeds(
    "Outputs of the same system, trained with further seeds: adds mean and standard deviation over "
    "all."
)
@option.flag("--replace", help="Replace a submission of the same name.")
@option.benchmark
@option.rules
@option.placeholders
@option.submissions
@option.new_board
def command(
    predictions: str,
    track: str,
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
    **facts: Any,
) -> None:
    """Score PREDICTIONS, enter them in the folder of submissions, and show their rank. The
    leaderboard beside the folder is regenerated. In the track state-tracking PREDICTIONS may be
    any file that `mwz dst` reads: with gold states of its own, or predicted states only. In the
    track live it is a file of `mwz play`, and --seeds are those of further trials.
    """
    given = click.get_current_context().params
    for name, tracks in _NOT_FOR.items():
        if given[name] and track in tracks:
            told = f"is not for the track {track}; leave it out"
            raise InputError(f"--{name.replace('_', '-')}", told)
    if gold is not None and own_gold is not None:
        raise InputError("--gold, --own-gold", "give one of them: whose gold states are they?")
    aliases = Options(placeholders=placeholders).aliases
    known = {
        **{name: value for name, value in facts.items() if value is not None},
        "track": track,
        # Filled in when the folder is written.
        "predictions": {"file": PREDICTIONS_FILE},
        "placeholders": None if aliases is None else declared_placeholders(aliases),
        "reported": [{"source": source, **reported}] if reported else [],
    }
    system = validated(System, known, "submission")
    files = [(shown_name(path), read_bytes(path, limits())) for path in (predictions, *seeds)]

    def check(outputs: Outputs | Scores) -> None:
        nonlocal system
        states = None if isinstance(outputs, Scores) else outputs.states
        check_new(submissions, system, outputs.predictions, states, replace)
        # Only who can enter it is asked.
        system = _ask(system, submissions)

    contents = [content for _, content in files]
    if track == LIVE:
        check_new(submissions, system, None, replace=replace)
        scores, contents, place = room("live.play_files", f"--track {LIVE}").submitted(
            files, benchmark
        )
        system = system.model_copy(update={"predictions": place})
        check(scores)
    elif any(map(is_play, contents)):
        raise InputError(files[0][0], f"is of `mwz play`; its track is {LIVE}: --track {LIVE}")
    elif track == STATE_TRACKING:
        scores = _tracker(*files[0], benchmark, gold, own_gold, check)
    else:
        scores = _scored(files, benchmark, track == LEXICALISED, aliases, check)
    entries = submit(submissions, system, scores, contents, replace)
    entry = entries[-1]
    click.echo(printable(f"entered {entry.system.name} in {entry.folder}"), err=True)
    # The page is that of the default rule set, whatever is shown here.
    pairs = complete_pairs(submissions, entries)
    page = read_board(submissions, entries, DEFAULT_RULES, pairs)
    board = page if rules == page.rules else read_board(submissions, entries, rules, pairs)
    write_files(pages(submissions, page, leaderboard_path(submissions)))
    _show(entry, board)
    _tell_flags(entry, board)


def _scored(
    files: Sequence[tuple[str, bytes]],
    benchmark: str | None,
    lexicalised: bool,
    aliases: Aliases | None,
    check: Callable[[Outputs], None],
) -> Scores:
    """Check predictions, say what is to be said of them, and score them and further seeds."""
    # NumPy takes its time.
    from ..board.entry_scores import Responses, check_seeds, read_responses, score_entry

    (source, content), *further = files
    standard = read_standard(content, source)
    loaded = benchmark_chooser(benchmark, "scoring on")(standard.dialogues)
    scorer = Scorer(loaded, Options(lexicalised=lexicalised, placeholders=aliases))
    submission = checked_submission(standard, loaded, source, scorer.rules)
    _, played, remarks = played_predictions(scorer, submission, source)
    tell(source, remarks)
    outputs = Responses(submission, scorer, content, played.submission)
    others = [read_responses(content, source, scorer) for source, content in further]
    seeds = {seed_file(number): one for number, one in enumerate(others, start=2)}
    check(outputs)
    check_seeds(outputs, others)
    click.echo(f"scoring under the rule sets {', '.join(published_rule_sets())} …", err=True)
    golds = _further_gold(source, loaded) if outputs.main.predicts_states else []
    return score_entry(outputs, golds, seeds)


def _further_gold(source: str, benchmark: Benchmark) -> list[GoldStates]:
    """Load the further gold states that are installed; of those that are not, say so."""
    golds, missing = load_further_gold(benchmark)
    absent = "which are not installed (`mwz data import --states {} PATH`)"
    told = [f"not scored against gold states {one}, {absent.format(one)}" for one in missing]
    tell(source, told)
    return golds


def _tracker(
    source: str,
    content: bytes,
    benchmark: str | None,
    gold: str | None,
    own_gold: str | None,
    check: Callable[[Outputs], None],
) -> Scores:
    """Score a tracker's file with the gold states asked for."""
    from ..board.entry_scores import read_states, score_entry

    if gold is None:
        choose = benchmark_chooser(benchmark, "comparing with")
        outputs = read_states(content, source, choose, own_gold=own_gold)
        loaded = outputs.file.benchmark or load_benchmark(benchmark)
    else:
        loaded = load_benchmark(benchmark)
        states = load_gold_states(gold, loaded)
        outputs = read_states(content, source, lambda ids: loaded, states)
    check(outputs)
    golds = _further_gold(source, loaded)
    scores = score_entry(replaced(outputs, load_benchmark=lambda ids: loaded), golds)
    unfit = f"its dialogues and turns are not those of {loaded.name}"
    left_out = [one.version for one in golds if one.version not in scores.further_gold]
    tell(source, [f"not scored against gold states {one}: {unfit}" for one in left_out])
    return scores


_AMONG: Mapping[str, str] = {
    LIVE: "with this user in the track",
    STATE_TRACKING: "among those with the same gold states in the track",
}
"""Track -> what a place is among, if not all of the track."""


def _show(entry: Entry, board: Board) -> None:
    """Show a system's row and its place in its track, then against further gold states."""
    track = entry.system.track
    places = [(one, row) for one in board_tables(board) for row in one.rows if row.entry is entry]
    for table, own in places:
        if table.track == track and not (own.tracked and own.tracked.further):
            among = f"{_AMONG.get(track, 'in the track')} {track}"
            shown = table.columns if track in APART else track_columns(table.columns)
            _show_place(own, table, shown, among, ranks=track in APART)
            told = () if own.rank is None or track in APART else board.neighbours(own)
            if lines := list(neighbours_text(told)):
                click.echo("\n" + "\n".join(lines))
    if entry.scores.seeds is not None:
        click.echo(f"\nmean (standard deviation) over {seeds_text(entry)}")
    for table, own in places:
        if own.tracked and own.tracked.further and track != LEXICALISED:
            click.echo(f"\nagainst gold states {own.tracked.gold.version}")
            _show_place(own, table, table.columns, "among those with these gold states")


def _show_place(
    own: Row, table: BoardTable, shown: Sequence[Column[Row]], among: str, ranks: bool = True
) -> None:
    """Show a system's row of a table, beside what the human responses get, and its place there."""
    rows = [*(row for row in table.rows if row.is_human), own]
    click.echo(text_table(row_headers(shown, ranks), [row_text(row, shown, ranks) for row in rows]))
    for note in own.bound_note() if own.rank else ():
        click.echo(f"\n{note}")
    places = sum(row.rank is not None for row in table.rows)
    ranked = f"rank {own.rank} of {places} {among}"
    click.echo(f"\n{ranked if own.rank else f'not ranked {among}: {own.unranked}'}")


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
            "request how the outputs came about, or mend them and submit again with --replace "
            "(docs/submitting.md)"
        )
