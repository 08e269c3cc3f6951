"""`mwz compare`: say whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tqdm import tqdm

from ..board.tracks import tracks
from ..comparison.comparison_text import comparison_tables, comparison_text
from ..comparison.interval import DEFAULT_TEST, TEST_SAMPLES
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, shown_name, write_json
from ..io.tables import formatted, printable
from ..metrics import named_metrics, resampled_metrics
from ..scoring import Options
from ..scoring.jobs import run
from ..scoring.predictions import Predictions, known_system, with_common_metrics
from ..submission import read_predictions
from ..submission.formats import Standard, read_standard
from . import notify, option, tell
from .reading import benchmark_chooser, found_entry, made_submission_name, read_plays

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
@click.option(
    "--samples",
    type=click.IntRange(min=1),
    metavar="N",
    help="Samples of the test. [default: "
    + ", ".join(f"{number:,} ({test})" for test, number in TEST_SAMPLES.items())
    + "]",
)
@option.seed
@option.seeds("Outputs of one system, trained with several seeds: adds mean and deviation.")
@option.submissions
@option.predictions_folder
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
    samples: int | None,
    seed: int,
    seeds: Sequence[str],
    submissions: Path,
    folders: Sequence[Path],
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
            *("systems", "seeds", "test", "samples", "seed", "format_", "json_target", "benchmark")
        )
        names = short_names([source for source, _ in plays])
        known = [one.evidence(name) for name, (_, one) in zip(names, plays, strict=True)]
    else:
        asked = None if metrics is None else _resampled([m.strip() for m in metrics.split(",")])
        options = Options(metrics=asked, **how)
        outputs = [_outputs(one, submissions, folders, options) for one in given]
        known = _evidence(_named(outputs), asked, benchmark, workers)

    from ..comparison.comparing import compare  # NumPy takes its time

    baseline, others = (known[0], known[1:]) if systems else (None, known)
    trained = [one.name for one in known[len(systems) :]]
    comparison = compare(baseline, others, test, samples, seed, trained)
    if json_target is not None:
        write_json(json_target, comparison.to_dict())
    if json_target == STANDARD_STREAM:
        return
    if format_ == "text":
        click.echo(printable(comparison_text(comparison)))
    else:
        click.echo(formatted(comparison_tables(comparison), format_), nl=False)


@dataclass(frozen=True)
class _Outputs:
    """A system's outputs.

    Attributes:
        source: What messages call them.
        predictions: What it put out; None if that is not at hand.
        options: How to score them.
        entry: The entry; None for a file.
        missing: Why they are not at hand.
    """

    source: str
    predictions: Predictions | None
    options: Options
    entry: Entry | None = None
    missing: str = ""


def _outputs(system: str, submissions: Path, folders: Sequence[Path], options: Options) -> _Outputs:
    """Return the outputs of a file, of what the harness makes, or of an entry."""
    if (made := made_submission_name(system)) is not None:
        return _Outputs(system, made, options)
    entry = found_entry(system, submissions)
    if entry is None:
        return _Outputs(shown_name(system), read_predictions(system), options)
    from ..board.rescoring import find_predictions  # files need nothing of the board

    source = f"entry {entry.key}"
    track = tracks()[entry.system.track]
    if track.further_files == "trials":
        raise InputError(source, "is live dialogues; compare files of `mwz play`")
    options = replace(options, lexicalised=track.english, placeholders=entry.system.aliases)
    try:
        content = find_predictions(entry, folders)
    except InputError as error:
        return _Outputs(source, None, options, entry, "; ".join(error.problems))
    if isinstance(content, bytes):
        return _Outputs(source, read_standard(content, source), options, entry)
    return _Outputs(source, content, options, entry)


def _named(outputs: Sequence[_Outputs]) -> dict[str, _Outputs]:
    """Return what to call each system, by a name of its own -> its outputs."""
    files = [one.source for one in outputs if one.entry is None]
    short = dict(zip(files, short_names(files), strict=True)) if files else {}
    names = [short[one.source] if one.entry is None else one.entry.key for one in outputs]
    return {
        f"{name} ({number + 1})" if number else name: one
        for at, (name, one) in enumerate(zip(names, outputs, strict=True))
        for number in [names[:at].count(name)]
    }


def _evidence(
    outputs: Mapping[str, _Outputs],
    metrics: Sequence[str] | None,
    benchmark: str | None,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of systems.

    Args:
        outputs: What to call each system -> its outputs. If some are not at hand, entries are known
            by what they store, and files in the same form.
        metrics: What to compare; None for all that can be computed of every system.
        benchmark: The value of `--benchmark`.
        workers: The value of `--jobs`.

    Raises:
        InputError: More is asked for than is known without outputs.
    """
    missing = next((one for one in outputs.values() if one.missing), None)
    if missing is None:
        scored, _ = _scored(outputs, metrics is None, benchmark, workers)
        known = with_common_metrics([*scored.values()], [one.options for one in outputs.values()])
    else:
        known = _by_stored(outputs, missing, metrics, benchmark, workers)
    # The references have no BLEU against themselves.
    corpus = any(one.entry and one.entry.system.predictions.is_corpus for one in outputs.values())
    return [one.without_bleu() for one in known] if corpus and metrics is None else known


def _by_stored(
    outputs: Mapping[str, _Outputs],
    missing: _Outputs,
    metrics: Sequence[str] | None,
    benchmark: str | None,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of entries by what they store, and of files in the same form."""
    from ..board.entry_scores import DIALOGUE_METRICS
    from ..board.stored_evidence import IN_WORDS, of_file, stored_evidence

    if not set(metrics or ()) <= set(DIALOGUE_METRICS):
        told = f"{missing.missing}. Without them only {IN_WORDS} are known"
        raise InputError(missing.source, told)
    notify(f"{missing.source}: outputs not at hand; compared from stored results: {IN_WORDS}")
    files = {
        name: replace(one, options=replace(one.options, metrics=DIALOGUE_METRICS))
        for name, one in outputs.items()
        if one.entry is None
    }
    known = {
        name: replace(stored_evidence(one.entry), name=name)
        for name, one in outputs.items()
        if one.entry is not None
    }
    if files:
        scored, dialogues = _scored(files, False, benchmark, workers)
        known |= {name: of_file(one, dialogues) for name, one in scored.items()}
    return [known[name] for name in outputs]


def _scored(
    outputs: Mapping[str, _Outputs], resampled: bool, benchmark: str | None, workers: int | str
) -> tuple[dict[str, Evidence], Collection[str]]:
    """Return what is known of systems by outputs at hand, and the benchmark's dialogues.

    Args:
        outputs: What to call each system -> its outputs.
        resampled: Whether to compute all that can be compared.
        benchmark: The value of `--benchmark`.
        workers: The value of `--jobs`.
    """
    read = [one.predictions for one in outputs.values() if isinstance(one.predictions, Standard)]
    loaded = benchmark_chooser(benchmark, _DOING)(id_ for one in read for id_ in one.dialogues)
    jobs = [
        (one.predictions, one.source, name, one.options, resampled) for name, one in outputs.items()
    ]
    results = run(known_system, jobs, loaded, workers)
    scored = {}
    for (_, source, name, *_), system in zip(
        jobs, tqdm(results, "scoring", len(jobs), disable=None, leave=False), strict=True
    ):
        if isinstance(system, InputError):
            raise system
        tell(source, system.remarks)
        scored[name] = system.evidence
    return scored, loaded.dialogues.keys()


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
