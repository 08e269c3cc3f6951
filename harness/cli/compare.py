"""`mwz compare`: say whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from tqdm import tqdm

from ..board.tracks import tracks
from ..comparison.interval import DEFAULT_TEST, TEST_SAMPLES
from ..errors import InputError
from ..grounding.rating import GroundedFigures, grounded_figures
from ..io.files import STANDARD_STREAM, short_names, shown_name, write_json
from ..io.rendering import figure, printable
from ..io.tables import formatted
from ..metrics import named_metrics, resampled_metrics
from ..metrics.inform import TOTAL
from ..scoring import Options, Scorer
from ..scoring.jobs import run
from ..scoring.options import GROUNDED
from ..scoring.predictions import known_system, with_common_metrics
from ..submission import read_predictions
from ..submission.formats import Standard, read_standard
from . import notify, option, tell
from .reading import BenchmarkChooser, benchmark_chooser, found_entry, read_plays

if TYPE_CHECKING:
    from ..benchmark import Benchmark
    from ..board.entries import Entry
    from ..comparison.evidence import Evidence
    from ..live.replaying import Plays


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
@option.seeds(
    "Outputs of one system, trained with several seeds: adds mean and standard deviation. Each is "
    "compared with the baseline, if there is one."
)
@option.submissions
@option.predictions_folder
@option.all_figures
@option.jobs_if_asked
@option.table_format(" Any but text has tables only.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write the comparison as JSON.")
@option.scoring
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
    all_figures: bool,
    workers: int | str,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    lexicalised: bool,
    **how: Any,
) -> None:
    """Compare each SYSTEM with the BASELINE: scores with 95 % intervals, differences, and
    paired tests on the dialogues that both play. A system is a predictions file (JSON, plain or
    gzipped; -: standard input) or the name of an entry: in the folder of submissions, or on the
    public board, which comes with the harness. Of an entry whose outputs are not at hand BLEU,
    Inform, Success and Combined are known, strict, by the default rule set.
    """
    given = [*systems, *seeds]
    if len(given) < 2:
        raise click.UsageError("give a BASELINE and at least one SYSTEM, or --seeds")
    plays = read_plays(given, benchmark, "comparing on")
    if plays:
        names, known, human = *_plays(plays), None
    else:
        asked = None if metrics is None else _resampled([m.strip() for m in metrics.split(",")])
        options = Options(metrics=asked, lexicalised=lexicalised, **how)
        outputs = [_found(one, submissions, folders, lexicalised, options) for one in given]
        names = _names(outputs)
        missing = next((one for one in outputs if one.missing is not None), None)
        if missing is None:
            loaded = benchmark_chooser(benchmark, "comparing on")(_ids(outputs))
            chosen = [
                replace(options, placeholders=one.entry.system.aliases) if one.entry else options
                for one in outputs
            ]
            found = _known(outputs, names, chosen, asked is None, loaded, workers)
            known = with_common_metrics(found, chosen)
            human = _ceiling(Scorer(loaded, options), known)
        else:
            choose = benchmark_chooser(benchmark, "comparing on")
            known = _by_stored(outputs, names, options, asked, missing, choose, workers)
            human = None
        if asked is None and any(one.is_corpus for one in outputs):
            known = [one.without_bleu() for one in known]

    from ..comparison.comparing import compare
    from ..comparison.comparison_text import comparison_tables, comparison_text

    baseline, others = (known[0], known[1:]) if systems else (None, known)
    progress = partial(tqdm, desc="comparing", unit="system", disable=None, leave=False)
    seeds = names[len(systems) :]
    comparison = compare(baseline, others, test, samples, seed, seeds, progress)
    shown = comparison.shown(everything=all_figures)
    if json_target is not None:
        more = {} if human is None else {"ceiling": asdict(human)}
        write_json(json_target, {**comparison.to_dict(), **more})
    if json_target == STANDARD_STREAM:
        return
    if format_ != "text":
        click.echo(formatted(comparison_tables(shown), format_), nl=False)
        return
    click.echo(printable(comparison_text(shown)))
    if human is not None:
        of = f"the human responses of the {human.dialogues} dialogues that all play"
        inform = f"Inform {figure(human.inform[TOTAL])} (all {figure(human.inform_all[TOTAL])})"
        click.echo(f"\n{of}: grounded {inform}, Success {figure(human.success[TOTAL])}")


def _plays(plays: Sequence[tuple[str, Plays]]) -> tuple[list[str], list[Evidence]]:
    """Return what to call plays, and what is known of them."""
    known = "systems seeds test samples seed all_figures format_ json_target benchmark"
    option.of_plays(*known.split())
    from ..live.replaying import evidence

    names = short_names([source for source, _ in plays])
    return names, [evidence(one, name) for name, (_, one) in zip(names, plays, strict=True)]


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
        entry: The entry; None for a file.
        predictions: What it put out; or the name of a submission that the harness makes.
        missing: Why they are not at hand; None if they are.
    """

    source: str
    entry: Entry | None
    predictions: Standard | str = ""
    missing: InputError | None = None

    @property
    def is_corpus(self) -> bool:
        """Whether it is the entry that says what the references say."""
        return self.entry is not None and self.entry.system.predictions.is_corpus


def _found(
    system: str, submissions: Path, folders: Sequence[Path], lexicalised: bool, options: Options
) -> _Outputs:
    """Return the outputs of a file or an entry; a file comes first."""
    entry = found_entry(system, submissions)
    if entry is None:
        return _Outputs(shown_name(system), None, read_predictions(system, options.reading))
    from ..board.rescoring import find_predictions  # files need nothing of the board

    source = f"entry {entry.key}"
    track = tracks()[entry.system.track]
    if track.further_files == "trials":
        raise InputError(source, "is live dialogues; compare files of `mwz play`")
    if track.english != lexicalised:
        has, do = ("has placeholders", "leave out") if lexicalised else ("is English", "add")
        raise InputError(source, f"what it says {has}; {do} --lexicalised")
    try:
        content = find_predictions(entry, folders)
    except InputError as error:
        return _Outputs(source, entry, missing=error)
    read = content if isinstance(content, str) else read_standard(content, source, options.reading)
    return _Outputs(source, entry, read)


def _known(
    outputs: Sequence[_Outputs],
    names: Sequence[str],
    options: Sequence[Options],
    resampled: bool,
    benchmark: Benchmark,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of systems by their outputs; arguments as of `known_system`."""
    each = [
        (one.predictions, one.source, name, own, resampled)
        for one, name, own in zip(outputs, names, options, strict=True)
    ]
    coming = run(known_system, each, benchmark, workers)
    shown = tqdm(coming, "scoring", len(each), unit="system", disable=None, leave=False)
    systems = []
    for one, system in zip(outputs, shown, strict=True):
        if isinstance(system, InputError):
            raise system
        tell(one.source, system.remarks)
        systems.append(system.evidence)
    return systems


def _by_stored(
    outputs: Sequence[_Outputs],
    names: Sequence[str],
    options: Options,
    asked: Sequence[str] | None,
    missing: _Outputs,
    choose: BenchmarkChooser,
    workers: int | str,
) -> list[Evidence]:
    """Return what is known of entries by what they store, and of files in the same form.

    Raises:
        InputError: More is asked for than entries store.
    """
    from ..board.entry_scores import DIALOGUE_METRICS
    from ..board.stored_evidence import IN_WORDS, of_file, stored_evidence

    why = "" if missing.missing is None else "; ".join(missing.missing.problems)
    if not set(asked or ()) <= set(DIALOGUE_METRICS):
        raise InputError(missing.source, f"{why}. Without them only {IN_WORDS} are known")
    notify(f"{missing.source}: outputs not at hand; compared by what the board stores: {IN_WORDS}")
    files = [one for one in outputs if one.entry is None]
    own = [name for one, name in zip(outputs, names, strict=True) if one.entry is None]
    of_files: list[Evidence] = []
    if files:
        loaded = choose(_ids(files))
        chosen = [replace(options, metrics=DIALOGUE_METRICS)] * len(files)
        found = _known(files, own, chosen, False, loaded, workers)
        of_files = [of_file(one, loaded.dialogues) for one in found]
    by_name = {one.name: one for one in of_files}
    return [
        by_name[name] if one.entry is None else replace(stored_evidence(one.entry), name=name)
        for one, name in zip(outputs, names, strict=True)
    ]


def _names(outputs: Sequence[_Outputs]) -> list[str]:
    """Return what to call the systems, each by a name of its own."""
    files = [one.source for one in outputs if one.entry is None]
    shown = dict(zip(files, short_names(files), strict=True)) if files else {}
    names: list[str] = []
    for one in outputs:
        name = shown[one.source] if one.entry is None else one.entry.key
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
        told = f"cannot be resampled; choose from {', '.join(known)}"
        raise InputError("metrics", [f"{name} {told}" for name in wrong])
    return [*asked]


def _ids(outputs: Sequence[_Outputs]) -> Iterator[object]:
    """Yield the ids of the dialogues that are played, without regard to the benchmark."""
    for one in outputs:
        if isinstance(one.predictions, Standard):
            yield from one.predictions.dialogues
