"""`mwz check`: validate a predictions file and summarise it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from mwz.normalization import RuleSet

from ..benchmark import Benchmark
from ..errors import cut, unquoted
from ..io import figure, printable, shown_name
from ..scoring import Options, Scorer, played_predictions
from ..submission import Submission, counted_placeholders, read_predictions
from . import option
from .reading import chosen_benchmark, read_plays

WARNED = 1

_SHOWN = 20


@click.command()
@option.predictions
@option.benchmark
@option.rules
@option.placeholders
def command(predictions: str, benchmark: str | None, rules: str, placeholders: str | None) -> int:
    """Check PREDICTIONS (JSON, plain or gzipped; -: standard input) without scoring them:
    format, dialogues, turns, states, domains, placeholders. The exit status is 0 if all is in
    order, 1 if there are warnings, 2 if the file cannot be scored.
    """
    for source, run in read_plays([predictions], benchmark, together=True):
        return _check_plays(source, run)
    options = Options(setup="strict", metrics=["inform"], rules=rules, placeholders=placeholders)
    standard, source = read_predictions(predictions), shown_name(predictions)
    loaded = chosen_benchmark(benchmark)
    scorer = Scorer(loaded, options)
    submission = scorer.checked(standard, source)
    for name, text in _facts(submission, loaded, scorer.rules):
        _show(name, text)
    # Whatever scoring would refuse is refused here, in the same words.
    _, _, remarks = played_predictions(scorer, submission, source)
    warnings = [remark for remark in remarks if remark.warning]
    for remark in remarks:
        _show("warning" if remark.warning else "note", remark)
    _show("warnings", len(warnings) or "none")
    return WARNED if warnings else 0


def _check_plays(source: str, run: Any) -> int:
    """Show what a file of plays holds, all of which came out again as it says."""
    option.of_plays("predictions", "benchmark")
    config = run.config
    _show("file", cut(source, 200))
    _show("format", "live dialogues of `mwz play`")
    _show("agent", config.agent_name)
    _show("user", config.user_name)
    _show("tasks", f"{len(config.tasks)} of {len(config.world.tasks.tasks)}")
    _show("trials", config.trials)
    _show("dialogues", f"{len(run.lines) - run.missing}, confirmed by replay")
    for remark in run.remarks:
        _show("warning", remark)
    _show("warnings", len(run.remarks) or "none")
    return WARNED if run.remarks else 0


def _show(name: str, value: object) -> None:
    click.echo(printable(f"{name:<16}{value}"))


def _facts(
    submission: Submission, benchmark: Benchmark, rules: RuleSet
) -> Iterator[tuple[str, str]]:
    """Yield the facts of a submission: a name, and a text."""
    turns = [turn for turns in submission.dialogues.values() for turn in turns]
    yield "file", cut(submission.source, 200)
    yield "format", submission.format
    yield "benchmark", benchmark.name
    played = {id_: len(submission.dialogues.get(id_, ())) for id_ in benchmark.dialogues}
    short = [f"{id_} turn {n}" for id_, n in played.items() if n < benchmark.dialogues[id_].turns]
    yield "dialogues", f"{len(submission.dialogues)} of {len(benchmark.dialogues)}"
    missing = f"; missing from {', '.join(short[:3])}{', …' * bool(short[3:])}" if short else ""
    yield "turns", f"{len(turns)} of {benchmark.turns}{missing}"
    yield "states", _share([turn.state is not None for turn in turns])
    yield "active domains", _share([turn.active_domains is not None for turn in turns])
    responses = [turn.response for turn in turns]
    in_ontology, unknown, rate = counted_placeholders(responses, rules)
    yield (
        "placeholders",
        f"{in_ontology.total() + unknown.total()}; about venues: {figure(rate, 2)} a turn",
    )
    yield "  known", _counts(in_ontology.most_common())
    yield "  unknown", _counts([(f"[{n}]", count) for n, count in unknown.most_common()])


def _share(have: Sequence[bool]) -> str:
    """Return in how many turns something is there."""
    if all(have):
        return "in every turn"
    return f"in {sum(have)} of {len(have)} turns" if any(have) else "none"


def _counts(counts: Sequence[tuple[str, int]]) -> str:
    listed = [f"{unquoted(name)} {count}×" for name, count in counts[:_SHOWN]]
    more = [f"and {len(counts) - len(listed)} more"] if len(counts) > len(listed) else []
    return ", ".join([*listed, *more]) or "none"
