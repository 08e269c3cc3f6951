"""`mwz check`: say what a predictions file holds and what is wrong with it, without scoring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mwz.normalization.rules import RuleSet

from ..benchmark import Benchmark
from ..errors import InputError, counted, cut, printable
from ..io.files import write_text
from ..io.rendering import figure
from ..scoring import Options, Scorer
from ..scoring.placeholder_guesses import WRITE, guessed, starting_table, written_names
from ..scoring.predictions import played_predictions
from ..submission import Submission
from ..submission.remarks import unknown_names, venue_rate
from . import option
from .reading import read_plays, read_submissions

if TYPE_CHECKING:
    from ..live.replaying import Plays

WARNED = 1

_SHOWN = 20


@click.command()
@option.predictions
@option.benchmark
@option.rules
@option.placeholders
@option.flag(
    "--strict-states",
    help="Refuse belief states that hold anything but known names and strings; by default numbers "
    "and the like are read as text.",
)
@click.option(
    WRITE,
    "table",
    metavar="FILE",
    help="Write the unknown placeholders, each with what it may mean, as a table for "
    "--placeholders.",
)
def command(
    predictions: str, benchmark: str | None, strict_states: bool, table: str | None, **how: Any
) -> int:
    """Check PREDICTIONS (JSON, plain or gzipped; -: standard input) without scoring them:
    format, dialogues, turns, states, domains, placeholders. The exit status is 0 if all is in
    order, 1 if there are warnings, 2 if the file cannot be scored.
    """
    for source, plays in read_plays([predictions], benchmark, "checking against", by="file"):
        return _check_plays(source, plays)
    options = Options(setup="strict", metrics=["inform"], **how)
    reading = replace(options.reading, strict_states=strict_states)
    loaded, (submission,) = read_submissions(
        [predictions], benchmark, "checking against", options, reading
    )
    scorer = Scorer(loaded, options)
    known = scorer.rules
    for name, told in _facts(submission, loaded, known):
        _show(name, told)
    # Whatever scoring would refuse is refused here, in the same words.
    found = played_predictions(scorer, submission, submission.source)
    if table is not None:
        _write_table(table, submission, known)
    remarks = found.remarks
    warnings = [remark for remark in remarks if remark.warning]
    for remark in remarks:
        _show("warning" if remark.warning else "note", remark)
    _show("warnings", len(warnings) or "none")
    return WARNED if warnings else 0


def _check_plays(source: str, plays: Plays) -> int:
    """Show what a file of plays holds, all of which came out again as it says."""
    option.of_plays("predictions", "benchmark")
    what = plays.what
    by = "tools and the user's script" if plays.scripted else "tools"
    _show("file", cut(source, 200))
    _show("format", "live dialogues of `mwz play`")
    _show("agent", what.agent_name)
    _show("user", what.user_name)
    _show("tasks", f"{len(what.tasks)} of {len(what.world.tasks.tasks)}")
    _show("trials", what.trials)
    _show("dialogues", f"{len(plays.lines) - plays.missing}, as {by} give them again")
    for remark in plays.remarks:
        _show("warning", remark)
    _show("warnings", len(plays.remarks) or "none")
    return WARNED if plays.remarks else 0


def _show(name: str, told: object) -> None:
    click.echo(printable(f"{name:<16}{told}"))


def _write_table(path: str, submission: Submission, rules: RuleSet) -> None:
    """Write a table of the unknown placeholders to begin with, and say so.

    Raises:
        InputError: The file is there already, and may have been edited, or cannot be written.
    """
    unknown = unknown_names(written_names(submission), rules)
    if not unknown:
        _show("table", "not written: no placeholder is unknown")
        return
    if Path(path).exists():
        raise InputError(path, "is there already; name another file, or remove it first")
    write_text(path, starting_table(unknown, rules))
    lacking = len(unknown) - len(guessed(unknown, rules))
    told = f"{counted(len(unknown), 'name')}, {lacking} without a guess"
    _show("table", f"wrote {path}: {told}")


def _facts(
    submission: Submission, benchmark: Benchmark, rules: RuleSet
) -> Iterator[tuple[str, str]]:
    """Yield what a submission holds: a name, and what there is."""
    turns = [turn for turns in submission.dialogues.values() for turn in turns]
    yield "file", cut(printable(submission.source), 200)
    yield "format", submission.format
    yield "benchmark", benchmark.name
    yield "dialogues", f"{len(submission.dialogues)} of {len(benchmark.dialogues)}"
    yield "turns", f"{len(turns)} of {benchmark.turns}"
    yield "states", _share([turn.state is not None for turn in turns])
    yield "active domains", _share([turn.active_domains is not None for turn in turns])
    names = written_names(submission)
    rate = venue_rate([turn.response for turn in turns], rules)
    yield "placeholders", f"{names.total()}; about venues: {figure(rate, 2)} a turn"
    known: Counter[str] = Counter()
    for name, count in names.items():
        known[rules.ontology.get(name, "")] += count
    del known[""]
    yield "  known", _counts(known.most_common())
    unknown = unknown_names(names, rules)
    yield "  unknown", _counts([(f"[{n}]", count) for n, count in unknown.most_common()])


def _share(have: Sequence[bool]) -> str:
    """Return in how many turns something is there."""
    if all(have):
        return "in every turn"
    return f"in {sum(have)} of {len(have)} turns" if any(have) else "none"


def _counts(counts: Sequence[tuple[str, int]]) -> str:
    shown = [f"{cut(printable(name), 40)} {count}×" for name, count in counts[:_SHOWN]]
    more = [f"and {len(counts) - len(shown)} more"] if len(counts) > len(shown) else []
    return ", ".join([*shown, *more]) or "none"
