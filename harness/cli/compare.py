"""`mwz compare`: say whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..board.tracks import tracks
from ..comparison.comparison_text import comparison_tables, comparison_text
from ..comparison.interval import DEFAULT_TEST, TEST_SAMPLES
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, write_json
from ..io.tables import formatted, printable
from ..metrics.metric import named_metrics, resampled_metrics
from ..scoring import Options
from ..scoring.predictions import Wanted, with_common_metrics
from . import notify, option
from .reading import (
    BenchmarkChooser,
    Outputs,
    benchmark_chooser,
    found_entry,
    read_outputs,
    read_plays,
    score_outputs,
)

if TYPE_CHECKING:
    from ..board.entries import Entry
    from ..comparison.evidence import Evidence

_DOING = "comparing on"


@click.command(cls=option.SeedsCommand)
@click.argument(
    "systems", metavar="BASELINE SYSTEM...", nargs=-1, shell_complete=option.complete_file
)
@click.option(
    "--metrics",
    metavar="METRIC,…",
    help="What to compare, comma-separated, of what `mwz score --metrics` computes. [default: all "
    "that can be computed of every system]",
)
@click.option(
    "--test",
    type=click.Choice(tuple(TEST_SAMPLES)),
    default=DEFAULT_TEST,
    show_default=True,
    help="The test of all but Inform and Success, which have McNemar's exact test.",
)
@option.seed
@option.seeds("Outputs of one system, trained with several seeds: adds mean and deviation.")
@option.jobs_if_asked
@option.table_format(" Any but text has tables only.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write the comparison as JSON.")
@option.benchmark
@option.rules
@option.setup
@option.lexicalised
def command(
    *,
    systems: Sequence[str],
    metrics: str | None,
    test: str,
    seed: int,
    seeds: Sequence[str],
    workers: int | str,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    **how: Any,
) -> None:
    """Compare each SYSTEM with the BASELINE: scores with 95 % intervals, differences, and
    paired tests on the dialogues that both play. A system is a predictions file (-: standard
    input), a file of `mwz play`, or the name of an entry. Of an entry whose outputs are not at
    hand BLEU, Inform, Success and Combined are known, strict, by the default rule set.
    """
    given = [*systems, *seeds]
    if len(given) < 2:
        raise click.UsageError("give a BASELINE and at least one SYSTEM, or --seeds")
    if plays := read_plays(given, benchmark, _DOING):
        option.of_plays(
            *("systems", "seeds", "test", "seed", "format_", "json_target", "benchmark")
        )
        names = short_names([source for source, _ in plays])
        known = [one.evidence(name) for name, (_, one) in zip(names, plays, strict=True)]
    else:
        asked = None if metrics is None else _resampled([m.strip() for m in metrics.split(",")])
        options = Options(metrics=asked, **how)
        choose = benchmark_chooser(benchmark, _DOING)
        known = _evidence([*map(_read, given)], options, asked, choose, workers)

    from ..comparison.comparing import compare  # NumPy takes its time

    baseline, others = (known[0], known[1:]) if systems else (None, known)
    trained = [one.name for one in known[len(systems) :]]
    comparison = compare(baseline, others, test, seed=seed, seeds=trained)
    if json_target is not None:
        write_json(json_target, comparison.to_dict())
    if json_target == STANDARD_STREAM:
        return
    if format_ == "text":
        click.echo(printable(comparison_text(comparison)))
    else:
        click.echo(formatted(comparison_tables(comparison), format_), nl=False)


_Missing: TypeAlias = "tuple[Entry, InputError]"
"""An entry whose outputs are not at hand, and why they are not."""


def _read(name: str) -> Outputs | _Missing:
    """Return the outputs that a name stands for, or the entry that they are missing of."""
    entry = found_entry(name)
    if entry is None or tracks()[entry.system.track].further_files == "trials":
        return read_outputs(name)
    try:
        return read_outputs(name)
    except InputError as error:
        return entry, error


def _named(systems: Sequence[Outputs | _Missing]) -> list[str]:
    """Return what to call each system, by a name of its own."""
    entries = [_entry(one) for one in systems]
    files = [one.source for one in systems if isinstance(one, Outputs) and one.entry is None]
    short = dict(zip(files, short_names(files), strict=True)) if files else {}
    names = [
        short[one.source] if isinstance(one, Outputs) and entry is None else entry.key
        for one, entry in zip(systems, entries, strict=True)
    ]
    numbers = [names[:at].count(name) for at, name in enumerate(names)]
    return [f"{name} ({n + 1})" if n else name for name, n in zip(names, numbers, strict=True)]


def _entry(system: Outputs | _Missing) -> Any:
    """Return the entry that a system is; None for a file."""
    return system.entry if isinstance(system, Outputs) else system[0]


def _evidence(
    systems: Sequence[Outputs | _Missing],
    options: Options,
    metrics: Sequence[str] | None,
    choose: BenchmarkChooser,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of systems.

    Args:
        systems: Their outputs. If some are not at hand, entries are known by what they store, and
            files in the same form.
        options: How to score.
        metrics: What to compare; None for all that can be computed of every system.
        choose: Chooses the benchmark.
        workers: The value of `--jobs`.

    Raises:
        InputError: More is asked for than is known without outputs.
    """
    outputs = [one for one in systems if isinstance(one, Outputs)]
    missing = [one for one in systems if not isinstance(one, Outputs)]
    if missing:
        known = _by_stored(systems, *missing[0], options, metrics, choose, workers)
    else:
        wanted: Wanted = ["evidence", "resampled"] if metrics is None else ["evidence"]
        scored = score_outputs(outputs, options, wanted, choose, workers)
        known = with_common_metrics(
            [one.evidence for one in scored if one.evidence is not None],
            [one.options(options) for one in outputs],
        )
    known = [replace(one, name=name) for one, name in zip(known, _named(systems), strict=True)]
    # The references have no BLEU against themselves.
    entries = filter(None, map(_entry, systems))
    corpus = any(entry.system.predictions.is_corpus for entry in entries)
    return [one.without_bleu() for one in known] if corpus and metrics is None else known


def _by_stored(
    systems: Sequence[Outputs | _Missing],
    entry: Entry,
    error: InputError,
    options: Options,
    metrics: Sequence[str] | None,
    choose: BenchmarkChooser,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of entries by what they store, and of files in the same form."""
    from ..board.entry_scores import DIALOGUE_METRICS
    from ..board.stored_evidence import IN_WORDS, of_file, stored_evidence

    source = f"entry {entry.key}"
    if not set(metrics or ()) <= set(DIALOGUE_METRICS):
        told = f"{'; '.join(error.problems)}. Without them only {IN_WORDS} are known"
        raise InputError(source, told)
    notify(f"{source}: outputs not at hand; compared from stored results: {IN_WORDS}")
    files = [one for one in systems if isinstance(one, Outputs) and one.entry is None]
    stored = replace(options, metrics=DIALOGUE_METRICS)
    scored = score_outputs(files, stored, ["evidence"], choose, workers) if files else []
    of_files = (
        of_file(one.evidence, choose(one.evidence.dialogues).dialogues)
        for one in scored
        if one.evidence is not None
    )
    entries = map(_entry, systems)
    return [next(of_files) if one is None else stored_evidence(one) for one in entries]


def _resampled(metrics: Sequence[str]) -> list[str]:
    """Return metrics as the registry calls them, if all of them can be resampled.

    Raises:
        InputError: Some cannot, or are unknown.
    """
    asked, choices = named_metrics(metrics), resampled_metrics()
    if wrong := [name for name in asked if name not in choices]:
        told = f"cannot be resampled; choose from {', '.join(choices)}"
        raise InputError("metrics", [f"{name} {told}" for name in wrong])
    return [*asked]
