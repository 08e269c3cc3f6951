"""`mwz compare`: say whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..board import LEXICALISED
from ..comparison.interval import DEFAULT_TEST, TEST_SAMPLES
from ..errors import InputError, resembling
from ..grounding.rating import GroundedFigures, grounded_figures
from ..io.files import STANDARD_STREAM, short_names, shown_name, write_json
from ..io.rendering import figure, printable
from ..io.tables import formatted
from ..metrics import named_metrics, resampled_metrics
from ..metrics.inform_success import TOTAL
from ..scoring import Options, Scorer
from ..scoring.execution import Job, results, run
from ..scoring.options import GROUNDED
from ..scoring.predictions import known_system, with_common_metrics
from ..submission import read_predictions
from ..submission.formats import Standard, read_standard
from . import option, tell
from .reading import benchmark_chooser

if TYPE_CHECKING:
    from mwz.normalization.rules import Aliases

    from ..comparison.evidence import Evidence


@click.command(
    cls=option.SeedsCommand,
    help="Compare each SYSTEM with the BASELINE: scores with 95 % intervals, differences, and "
    "paired tests on the dialogues that both play. A system is a predictions file (JSON, plain or "
    "gzipped; -: standard input) or the name of an entry in the folder of submissions.",
)
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
    help="The test of all but Inform and Success, which have McNemar's exact test. bootstrap: "
    "the paired bootstrap as sacreBLEU computes it.",
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
@click.option(
    "--seeds",
    metavar="SYSTEM...",
    multiple=True,
    help="Outputs of one system, trained with several seeds: adds mean and standard deviation. "
    "Each is compared with the baseline, if there is one. Takes all that follows up to the next "
    "option.",
)
@option.submissions
@option.predictions_folder
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    default=1,
    show_default=True,
    help="Processes to score with.",
)
@option.scheduler
@option.table_format(" Any but text has tables only.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write the comparison as JSON.")
@option.benchmark
@option.rules
@option.placeholders
@option.reading
@option.setup
@option.domains
@option.states
@option.goals
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
    jobs: int,
    scheduler: str | None,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    lexicalised: bool,
    **how: Any,
) -> None:
    """Compare systems and show what follows; `how` is as in `Options`."""
    given = [*systems, *seeds]
    if len(given) < 2:
        raise click.UsageError("give a BASELINE and at least one SYSTEM, or --seeds")
    asked = None if metrics is None else _resampled([m.strip() for m in metrics.split(",")])
    options = Options(metrics=asked, lexicalised=lexicalised, **how)
    outputs = [_found(one, submissions, folders, lexicalised, options) for one in given]
    names = _names(outputs)
    loaded = benchmark_chooser(benchmark, "comparing on")(_ids(outputs))
    chosen = [
        options if one.entry is None else replace(options, placeholders=one.aliases)
        for one in outputs
    ]
    each = [
        Job(one.source, (one.predictions, one.source, name, own, metrics is None))
        for one, name, own in zip(outputs, names, chosen, strict=True)
    ]
    found = results(run(known_system, each, loaded, jobs, scheduler))
    for one, system in zip(outputs, found, strict=True):
        tell(one.source, system.remarks)
    known = with_common_metrics([system.evidence for system in found], chosen)

    from ..comparison.comparing import compare
    from ..comparison.comparison_text import comparison_tables, comparison_text

    baseline, others = (known[0], known[1:]) if systems else (None, known)
    comparison = compare(baseline, others, test, samples, seed, names[len(systems) :])
    human = _ceiling(Scorer(loaded, options), known)
    if json_target is not None:
        more = {} if human is None else {"ceiling": asdict(human)}
        write_json(json_target, {**comparison.to_dict(), **more})
    if json_target == STANDARD_STREAM:
        return
    if format_ != "text":
        click.echo(formatted(comparison_tables(comparison), format_), nl=False)
        return
    click.echo(printable(comparison_text(comparison)))
    if human is not None:
        click.echo(
            f"\nThe ceiling: the human responses of {human.dialogues} dialogues that all play get "
            f"grounded Inform {figure(human.inform[TOTAL])} "
            f"(all {figure(human.inform_all[TOTAL])}), Success {figure(human.success[TOTAL])}"
        )


def _ceiling(scorer: Scorer, systems: Sequence[Evidence]) -> GroundedFigures | None:
    """Return what the human responses get, where grounded scores are compared."""
    if GROUNDED not in systems[0].statistics:
        return None
    human = scorer.human_ratings()
    common = set.intersection(*(set(one.dialogues) for one in systems))
    return None if human is None else grounded_figures(human.booked[id_] for id_ in sorted(common))


@dataclass(frozen=True)
class _Outputs:
    """A system's outputs.

    Attributes:
        source: What messages call them.
        entry: The entry's name; None for a file.
        predictions: What it put out; or the name of a submission that the harness makes.
        aliases: The placeholders that the entry adds to those of the rule set.
    """

    source: str
    entry: str | None
    predictions: Standard | str
    aliases: Aliases | None = None


def _found(
    system: str, submissions: Path, folders: Sequence[Path], lexicalised: bool, options: Options
) -> _Outputs:
    """Return the outputs of a file or an entry; a file comes first."""
    folder = submissions / system
    is_name = Path(system).name == system and system != STANDARD_STREAM
    if is_name and not Path(system).is_file() and folder.is_dir():
        from ..board.entries import read_entry
        from ..board.rescoring import find_predictions

        entry = read_entry(folder)
        if (entry.system.track == LEXICALISED) != lexicalised:
            has, do = ("has placeholders", "leave out") if lexicalised else ("is English", "add")
            raise InputError(f"entry {entry.key}", f"what it says {has}; {do} --lexicalised")
        source, found = f"entry {entry.key}", find_predictions(entry, folders)
        predictions = found if isinstance(found, str) else read_standard(found, source)
        return _Outputs(source, entry.key, predictions, entry.system.aliases)
    if is_name and not Path(system).exists():
        known = sorted(path.name for path in submissions.glob("*/"))
        hint = resembling(system, known)
        raise InputError(system, f"no such file, and no entry of {submissions}{hint}")
    return _Outputs(shown_name(system), None, read_predictions(system, options.reading))


def _names(outputs: Sequence[_Outputs]) -> list[str]:
    """Return what to call the systems, each by a name of its own."""
    files = [one.source for one in outputs if one.entry is None]
    shown = dict(zip(files, short_names(files), strict=True)) if files else {}
    names: list[str] = []
    for one in outputs:
        name = one.entry or shown[one.source]
        known = [other for other in names if other == name or other.startswith(f"{name} (")]
        names.append(f"{name} ({len(known) + 1})" if known else name)
    return names


def _resampled(metrics: Sequence[str]) -> list[str]:
    """Return metrics as the registry calls them, if all of them can be resampled.

    Raises:
        InputError: Some cannot, or are unknown.
    """
    asked, known = named_metrics(metrics), resampled_metrics()
    wrong = [name for name in asked if name not in known]
    if wrong:
        raise InputError(
            "metrics",
            [f"{name} cannot be resampled; choose from {', '.join(known)}" for name in wrong],
        )
    return [*asked]


def _ids(outputs: Sequence[_Outputs]) -> Iterator[object]:
    """Yield the ids of the dialogues that are played, without regard to the benchmark."""
    for one in outputs:
        if isinstance(one.predictions, Standard):
            yield from one.predictions.dialogues
