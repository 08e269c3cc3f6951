"""`mwz compare`: test whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

from .. import board, comparison
from ..benchmark import Benchmark
from ..data import gold_versions
from ..errors import InputError, refuse
from ..io import STANDARD_STREAM, printable, short_names, write_json
from ..metrics import named_metrics, resampled_metrics
from ..rooms import import_room
from ..scoring import Options, Wanted, with_common_metrics
from . import notify, option
from .dst import scored_files
from .reading import (
    NamedOutputs,
    as_stored,
    chosen_benchmark,
    read_outputs,
    read_plays,
    score_outputs,
)
from .tracked_files import ScoredFile, diagnosed_file, tracking_evidence
from .why import diagnosis_of
from .won import Outcomes, response_outcomes, state_outcomes, stored_outcomes, won_text

_STATES = "dst"
_OF_BLEU = ("bleu", "combined")
"""What the names of figures that BLEU is a part of begin with."""
_FOR_PLAYS = ("systems", "seeds", "test", "format_", "json_target", "benchmark")
_FOR_FREE_RUNNING = (*_FOR_PLAYS, "rules", "lexicalised", "free_running", "goals")


@click.command()
@click.argument("systems", metavar="BASELINE SYSTEM...", nargs=-1, type=option.FILE)
@click.option(
    "--metrics",
    metavar="METRIC,…",
    help="What to compare, comma-separated, of what `mwz score --metrics` computes. [default: all "
    "that can be computed of every system]",
)
@click.option(
    "--gold",
    "gold_version",
    metavar="VERSION",
    help="Compare all systems by their states, with the benchmark's gold states of this version, "
    "such as 2.4.",
)
@click.option(
    "--test",
    type=click.Choice(tuple(comparison.TEST_SAMPLES)),
    default=comparison.DEFAULT_TEST,
    show_default=True,
    help="The test of all but Inform and Success, which have McNemar's exact test.",
)
@option.seeds("Outputs of one system, trained with several seeds: adds mean and deviation.")
@option.flag(
    "--dialogues",
    help="Also list the dialogues that only one of two systems wins, by the causes of the other's "
    "loss; of states, those with more exact turns, by the first errors.",
)
@option.table_format(help=f"{option.TABLE_FORMATS} Any but text has tables only.")
@click.option("--json", "json_target", metavar="FILE|-", help="Write the comparison as JSON.")
@option.benchmark
@option.rules
@option.setup
@option.lexicalised
@option.free_running
@option.goals_file
def command(
    *,
    systems: Sequence[str],
    metrics: str | None,
    gold_version: str | None,
    test: str,
    seeds: Sequence[str],
    dialogues: bool,
    format_: str,
    json_target: str | None,
    benchmark: str | None,
    **how: Any,
) -> None:
    """Compare each SYSTEM with the BASELINE: scores with 95 % intervals, differences, and
    paired tests on the dialogues that both submit. A system is a predictions file (-: standard
    input), a tracker's file, a file of `mwz play`, or the name of an entry. Without its outputs, an
    entry is compared in strict BLEU, Inform, Success and Combined, by the default rule set. Beside
    a tracker, or with --gold, all systems are compared by their states, as `mwz dst` scores them;
    without its outputs, an entry in JGA.
    """
    names = [*systems, *seeds]
    if len(names) < 2:
        raise click.UsageError("give a BASELINE and at least one SYSTEM, or --seeds")
    option.refuse_if(dialogues and format_ != "text", "--dialogues goes with --format text")
    is_free_running = how["free_running"]
    option.refuse_if(
        how["goals"] != "all" and not is_free_running, "--goals goes with --free-running"
    )
    outcomes: list[Outcomes] = []
    plays = [] if is_free_running else read_plays(names, benchmark)
    if is_free_running:
        option.accept_only(*_FOR_FREE_RUNNING, kind="free-running dialogues")
        outputs = [read_outputs(name) for name in names]
        loaded = chosen_benchmark(benchmark)
        scored = score_outputs(outputs, Options(**how), ["evidence"], loaded)
        evidence = _renamed([system.evidence for system in scored if system.evidence], outputs)
    elif plays:
        option.accept_only(*_FOR_PLAYS)
        evidence, about = import_room("harness.live.live_track", "plays").compared_plays(plays)
        notify(about)
    else:
        chosen = None if metrics is None else _chosen_metrics(metrics)
        options = Options(metrics=chosen, **how)
        outputs = [read_outputs(name, required=False) for name in names]
        is_missing = any(system.missing is not None for system in outputs)
        by_states = gold_version is not None or (is_missing and chosen == [_STATES])
        if by_states or any(system.is_tracker() for system in outputs):
            evidence, files = _evidence_of_states(outputs, chosen, benchmark, gold_version)
            if dialogues:
                outcomes = [state_outcomes(diagnosed_file(file)) for file in files]
        else:
            loaded = chosen_benchmark(benchmark)
            evidence = _evidence(outputs, options, chosen, loaded)
            if dialogues:
                outcomes = [_outcomes(system, options, loaded) for system in outputs]

    baseline = evidence[0] if systems else None
    others = evidence[1:] if systems else evidence
    trained = [seed.name for seed in evidence[len(systems) :]]
    compared = comparison.compare(baseline, others, test, seeds=trained)
    if json_target is not None:
        write_json(json_target, compared.to_dict())
    if json_target == STANDARD_STREAM:
        return
    click.echo(compared.text(format_), nl=False)
    if dialogues:
        named = zip([system.name for system in evidence], outcomes, strict=True)
        click.echo(printable(f"\n{won_text(dict(named))}"))


def _outcomes(system: NamedOutputs, options: Options, benchmark: Benchmark) -> Outcomes:
    """Return how the dialogues of a system that responds came out, and why."""
    if system.entry is not None and system.missing is not None:
        return stored_outcomes(system.entry, list(benchmark.dialogues))
    strict = replace(options, setup="strict", metrics=["inform"])
    diagnosis, _ = diagnosis_of(system, strict, benchmark)
    return response_outcomes(diagnosis)


def _chosen_metrics(metrics: str) -> list[str]:
    """Return the names of the metrics of --metrics.

    Raises:
        InputError: There is no such metric, or it cannot be resampled.
    """
    chosen = list(named_metrics([name.strip() for name in metrics.split(",")]))
    choices = resampled_metrics()
    problem = f"cannot be resampled; choose from {', '.join(choices)}"
    refuse("metrics", [f"{name} {problem}" for name in chosen if name not in choices])
    return chosen


def _evidence_of_states(
    systems: Sequence[NamedOutputs],
    metrics: Sequence[str] | None,
    benchmark: str | None,
    version: str | None,
) -> tuple[list[comparison.Evidence], list[ScoredFile]]:
    """Return the evidence of systems by their states, in JGA alone if some outputs are missing.

    Returns:
        The evidence, and the scored files of the outputs that are not missing.

    Raises:
        InputError: More is asked for than states tell, or than is stored where outputs are missing.
    """
    option.accept_only(*_FOR_PLAYS, "metrics", "gold_version", "dialogues", kind="states alone")
    if version is not None and "," in version:
        raise InputError("--gold", f"{version}: systems are compared by one version")
    if metrics is not None and metrics != [_STATES]:
        raise InputError("--metrics", f"states alone are compared by `{_STATES}`")
    missing = [system.source for system in systems if system.missing is not None]
    if missing and option.is_given("dialogues"):
        raise InputError(missing[0], "outputs missing; --dialogues needs those of all trackers")
    if missing:
        notify(f"{', '.join(missing)}: outputs missing; compared from stored results: JGA")
    if version is None and any(system.entry is not None for system in systems):
        # Whatever gold states files have, as entries' stored results are.
        version, _ = gold_versions(chosen_benchmark(benchmark).name)
    evidence = []
    files = []
    for system in systems:
        if system.missing is not None and system.entry is not None:
            evidence.append(board.stored_states(system.entry, version))
            continue
        [scored] = scored_files([system], benchmark, version)
        if missing:
            evidence.append(board.states_of_file(scored.name, scored.file))
        else:
            evidence.append(tracking_evidence(scored))
        files.append(scored)
    return _renamed(evidence, systems), files


def _evidence(
    systems: Sequence[NamedOutputs],
    options: Options,
    metrics: Sequence[str] | None,
    benchmark: Benchmark,
) -> list[comparison.Evidence]:
    """Return the evidence of systems.

    Args:
        systems: Their outputs. If some are missing, entries are compared from their stored
            results, and files in the same form.
        options: How to score.
        metrics: What to compare; None for all that can be computed of every system.
        benchmark: What to score on.

    Raises:
        InputError: More is asked for than is known without outputs.
    """
    if any(system.missing is not None for system in systems):
        evidence = _stored_evidence(systems, options, metrics, benchmark)
    else:
        wanted: Wanted = ["evidence"]
        if metrics is None:
            wanted = ["evidence", "resampled"]
        scored = score_outputs(systems, options, wanted, benchmark)
        evidence = with_common_metrics(
            [outcome.evidence for outcome in scored if outcome.evidence is not None],
            [system.options(options) for system in systems],
        )
    evidence = _renamed(evidence, systems)
    entries = [system.entry for system in systems if system.entry is not None]
    if metrics is None and any(entry.system.predictions.is_corpus for entry in entries):
        # The references have no BLEU against themselves.
        names = [name for name in evidence[0].figures if not name.startswith(_OF_BLEU)]
        return [system.of_figures(names) for system in evidence]
    return evidence


def _renamed(
    evidence: Sequence[comparison.Evidence], systems: Sequence[NamedOutputs]
) -> list[comparison.Evidence]:
    """Return the evidence of systems, each under a name of its own."""
    sources = [system.entry.key if system.entry else system.source for system in systems]
    times: Counter[str] = Counter()
    renamed = []
    for system_evidence, name in zip(evidence, short_names(sources), strict=True):
        times[name] += 1
        unique_name = name
        if times[name] > 1:
            unique_name += f" ({times[name]})"
        renamed.append(replace(system_evidence, name=unique_name))
    return renamed


def _stored_evidence(
    systems: Sequence[NamedOutputs],
    options: Options,
    metrics: Sequence[str] | None,
    benchmark: Benchmark,
) -> list[comparison.Evidence]:
    """Return the stored evidence of entries, and that of files in the same form."""
    source, missing = next((system.source, system.missing) for system in systems if system.missing)
    if not set(metrics or ()) <= set(board.DIALOGUE_METRICS):
        available = f"Without them only {board.IN_WORDS} are known"
        raise InputError(source, f"{'; '.join(missing.problems)}. {available}")
    notify(f"{source}: outputs missing; compared from stored results: {board.IN_WORDS}")
    files = [system for system in systems if system.entry is None]
    scoring = replace(options, metrics=board.DIALOGUE_METRICS)
    scored = iter(as_stored(score_outputs(files, scoring, ["evidence"], benchmark), benchmark))
    evidence = []
    for system in systems:
        if system.entry is None:
            evidence.append(next(scored))
        else:
            evidence.append(board.stored_evidence(system.entry))
    names = [*board.DIALOGUE_METRICS, "success", "combined"]
    if metrics == ["bleu"]:
        names = ["bleu"]
    elif metrics == ["inform"]:
        names = ["inform", "success"]
    return [system.of_figures(names) for system in evidence]
