"""`mwz compare`: say whether systems differ, with intervals and paired tests."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from mwz.normalization.rules import rule_set

from ..benchmark import Benchmark
from ..comparison.settings import DEFAULT_TEST, TEST_SAMPLES
from ..errors import InputError
from ..files import STANDARD_STREAM, read_bytes, shown_name, write_json
from ..formats import parse_predictions, standard_form
from ..metrics.registry import named_metrics
from ..rendering import printable
from ..scoring import Options, Scorer, allowed_metrics
from ..submission import (
    NormalizedSubmission,
    checked_submission,
    made_submission,
    normalize_submission,
)
from .completion import complete_file
from .options import (
    SeveralValues,
    predictions_folder_option,
    seed_option,
    short_names,
    submissions_option,
)
from .reading import benchmark_chooser
from .score import command as score_command

_SCORED = ("benchmark", "rules", "setup", "domains", "states", "goals")
"""The options of `mwz score` that say how to score: they are options here as well."""


@click.command(
    cls=SeveralValues,
    several="seeds",
    help="Compare each SYSTEM with the BASELINE: scores with 95 % intervals, differences, and "
    "paired tests on the dialogues that both play. A system is a predictions file (JSON, plain or "
    "gzipped; -: standard input) or the name of an entry in the folder of submissions.",
)
@click.argument("systems", metavar="BASELINE SYSTEM...", nargs=-1, shell_complete=complete_file)
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
@seed_option
@click.option(
    "--seeds",
    metavar="SYSTEM...",
    multiple=True,
    help="Outputs of one system, trained with several seeds: adds mean and standard deviation. "
    "Each is compared with the baseline, if there is one. Takes all that follows up to the next "
    "option.",
)
@submissions_option
@predictions_folder_option
@click.option("--json", "json_target", metavar="FILE|-", help="Write the comparison as JSON.")
def command(
    systems: Sequence[str],
    metrics: str | None,
    test: str,
    samples: int | None,
    seed: int,
    seeds: Sequence[str],
    submissions: Path,
    predictions: Path | None,
    json_target: str | None,
    benchmark: str | None,
    rules: str,
    setup: str,
    domains: str,
    states: str,
    goals: str,
) -> None:
    """Compare systems and show what follows."""
    if len(systems) + len(seeds) < 2 or (systems and len(systems) + len(seeds) == 1):
        raise click.UsageError("give a BASELINE and at least one SYSTEM, or --seeds")
    options = Options(rules, setup, domains, states, None, goals=goals)
    asked = None if metrics is None else named_metrics([m.strip() for m in metrics.split(",")])
    outputs = [_found(one, submissions, predictions) for one in (*systems, *seeds)]
    names = _names(outputs)
    loaded, read = _read(outputs, benchmark, rules)
    scorer = Scorer(loaded, options).with_options(metrics=_metrics(asked, read))

    from ..comparison.comparing import compare
    from ..comparison.comparison_text import comparison_text
    from ..comparison.evidence import evidence_of

    known = [evidence_of(scorer, one, name) for one, name in zip(read, names, strict=True)]
    comparison = compare(
        known[0] if systems else None,
        known[1:] if systems else known,
        test,
        samples,
        seed,
        names[len(systems) :],
    )
    if json_target is not None:
        write_json(json_target, comparison.to_dict())
    if json_target != STANDARD_STREAM:
        click.echo(printable(comparison_text(comparison)))


command.params += [option for option in score_command.params if option.name in _SCORED]


@dataclass(frozen=True)
class _Outputs:
    """A system's outputs.

    Attributes:
        source: What messages call them.
        entry: The entry's name; None for a file.
        content: A predictions file's content, or the style of a reference row.
    """

    source: str
    entry: str | None
    content: bytes | str


def _found(system: str, submissions: Path, predictions: Path | None) -> _Outputs:
    """Return the outputs of a file or an entry; a file comes first."""
    folder = submissions / system
    is_name = Path(system).name == system and system != STANDARD_STREAM
    if is_name and not Path(system).is_file() and folder.is_dir():
        from ..board.entries import read_entry
        from ..board.rescoring import find_predictions

        entry = read_entry(folder)
        return _Outputs(f"entry {entry.key}", entry.key, find_predictions(entry, predictions))
    if is_name and not Path(system).exists():
        raise InputError(
            system, f"no such file, and no entry of {submissions}{_resembling(system, submissions)}"
        )
    return _Outputs(shown_name(system), None, read_bytes(system))


def _resembling(name: str, submissions: Path) -> str:
    import difflib

    known = sorted(path.name for path in submissions.glob("*/")) if submissions.is_dir() else []
    close = difflib.get_close_matches(name.lower(), known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


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


def _read(
    outputs: Sequence[_Outputs], name: str | None, rules: str
) -> tuple[Benchmark, list[NormalizedSubmission]]:
    """Return the systems' submissions, and the benchmark that is named or chosen for them."""
    read = [
        one.content
        if isinstance(one.content, str)
        else standard_form(parse_predictions(one.content, one.source), one.source)
        for one in outputs
    ]
    ids = [id_ for one in read if not isinstance(one, str) for id_ in one.dialogues]
    benchmark = benchmark_chooser(name, "comparing on")(ids)
    return benchmark, [
        made_submission(benchmark, one)
        if isinstance(one, str)
        else normalize_submission(
            checked_submission(one, benchmark, output.source), rule_set(rules)
        )
        for one, output in zip(read, outputs, strict=True)
    ]


def _metrics(
    asked: Collection[str] | None, submissions: Sequence[NormalizedSubmission]
) -> list[str]:
    """Return the metrics to compare by: those asked for, or all that every system allows."""
    from ..comparison.evidence import resampled_metrics

    known = resampled_metrics()
    if asked is None:
        allowed = [set(allowed_metrics(submission)) for submission in submissions]
        return [name for name in known if all(name in one for one in allowed)]
    wrong = [name for name in asked if name not in known]
    if wrong:
        raise InputError(
            "metrics",
            [f"{name} cannot be resampled; use some of {', '.join(known)}" for name in wrong],
        )
    return list(asked)
