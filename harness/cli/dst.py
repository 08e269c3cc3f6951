"""`mwz dst`: score dialogue state tracking, of one or several files."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

from ..data.gold_states import load_gold_states
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, write_json
from ..io.pictures import SUFFIXES
from ..io.rendering import printable
from ..io.tables import formatted
from ..metrics.tracking import (
    CODE_CHOICES,
    DASHES_CHOICES,
    DEFAULT_LAMBDAS,
    DONTCARE_CHOICES,
    MULTIWOZ_SLOTS,
    NONE_CHOICES,
    PER_DOMAIN_CHOICES,
    PLAIN,
    Choices,
)
from ..metrics.tracking.fga import decay_to_forget, lambda_label
from ..metrics.tracking.tracked_dialogues import annotated
from ..metrics.tracking.tracking_report import TrackingReport
from ..metrics.tracking.tracking_text import headlines_table, metrics_help
from ..tracking.formats import TrackedFile, read_tracking_file
from ..tracking.plots import PANELS, plot_tracking
from ..tracking.scored_files import ScoredFile, files_text, score_file
from . import option, tell
from .reading import BenchmarkChooser, benchmark_chooser

_DEFAULT_LAMBDAS = ", ".join(map(lambda_label, DEFAULT_LAMBDAS))


_VARIANTS: Mapping[str, tuple[Sequence[str], str]] = {
    "dontcare": (
        DONTCARE_CHOICES,
        "drop: leave out slots with the value `dontcare`, on both sides.",
    ),
    "none": (
        NONE_CHOICES,
        "What a slot with the value `none` is: no slot, or one with that value.",
    ),
    "gca": (
        CODE_CHOICES,
        "Weigh granular change accuracy's parts as the authors' code does, or as their paper: .9 "
        "and .1 (equation 6).",
    ),
    "fga": (
        CODE_CHOICES,
        "code: flexible goal accuracy takes any inexact turn after an exact one for an error, "
        "which the paper's algorithm 1 does not.",
    ),
    "dashes": (
        DASHES_CHOICES,
        "last: in slot accuracy and relative slot accuracy a slot ends at the last dash of "
        "`domain-slot-value`, as in the published code; kept: dashes in values belong to them.",
    ),
}
"""Attribute of `Choices` -> its values, and what the option of its name says of them."""


def _variant_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for name, (values, told) in reversed(tuple(_VARIANTS.items())):
        function = click.option(
            f"--{name}",
            type=click.Choice(tuple(values)),
            default=getattr(PLAIN, name),
            show_default=True,
            help=told,
        )(function)
    return function


class _Command(click.Command):
    """A command whose help ends with the metrics that register themselves."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Metrics"):
            formatter.write_dl(list(metrics_help().items()))


@click.command(
    "dst",
    cls=_Command,
    help="Score state tracking. A FILE (JSON, plain or gzipped; -: standard input) holds gold and "
    "predicted states, or predicted states only: a tracker's output or a submission. Several FILEs "
    "are shown side by side.",
)
@click.argument(
    "files", metavar="FILE...", nargs=-1, required=True, shell_complete=option.complete_file
)
@click.option(
    "--benchmark",
    "benchmark_name",
    metavar="NAME",
    help="Where a FILE has no gold states, compare with this benchmark's "
    "[default: multiwoz if installed, else sample].",
)
@click.option(
    "--gold",
    "gold_version",
    metavar="VERSION",
    help="Compare with the benchmark's gold states of this version, such as 2.4, whatever gold "
    "states a FILE has; `mwz data import --states` installs them.",
)
@click.option(
    "--label",
    "labels",
    metavar="NAME",
    multiple=True,
    help="What to call a FILE; once for each, in their order.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Show every figure, not only the main ones."
)
@click.option("--per-domain", is_flag=True, help="Also show each domain and each slot.")
@click.option(
    "--per-domain-over",
    type=click.Choice(PER_DOMAIN_CHOICES),
    help="Show each domain, over the turns whose gold state has it, over those in which it is "
    "active, or over all turns of the dialogues that have it in their goal "
    f"[default: {PLAIN.per_domain_over}].",
)
@_variant_options
@click.option(
    "--slots",
    metavar="N",
    type=click.IntRange(min=1),
    default=MULTIWOZ_SLOTS,
    show_default=True,
    help="Slots the data set defines, for slot accuracy.",
)
@click.option(
    "--lambda",
    "lambdas",
    metavar="L[,L...]",
    multiple=True,
    help=f"λ of flexible goal accuracy; may be repeated [default: {_DEFAULT_LAMBDAS}].",
)
@click.option(
    "--forget-turns",
    metavar="T",
    type=float,
    help="Add the λ with which --forget-share of an error is forgotten in T turns.",
)
@click.option(
    "--forget-share", metavar="P", type=float, help="See --forget-turns; at least 0, below 1."
)
@click.option(
    "--domain-forget",
    "forgetting",
    metavar="DOMAIN=P,T",
    multiple=True,
    help="Show each domain, DOMAIN's flexible goal accuracy with the λ with which a share P of an "
    "error is forgotten in T turns; may be repeated.",
)
@option.intervals
@option.table_format(" Any but text has the main figures only.")
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write a list of reports; -: standard output."
)
@click.option("--dialogue", "wanted", metavar="ID", help="Show one dialogue turn by turn.")
@click.option("--plot", metavar=f"FILE.{'|'.join(SUFFIXES)}", help="Draw the reports side by side.")
@click.option(
    "--panel",
    "panels",
    type=click.Choice(tuple(PANELS)),
    multiple=True,
    help="Draw this panel only; may be repeated [default: all].",
)
def command(
    *,
    files: Sequence[str],
    benchmark_name: str | None,
    gold_version: str | None,
    labels: Sequence[str],
    everything: bool,
    per_domain: bool,
    per_domain_over: str | None,
    lambdas: Sequence[str],
    forget_turns: float | None,
    forget_share: float | None,
    forgetting: Sequence[str],
    intervals: bool,
    format_: str,
    json_target: str | None,
    wanted: str | None,
    plot: str | None,
    panels: Sequence[str],
    **choosing: Any,
) -> None:
    """Score state-tracking FILEs and show them side by side; `choosing` is as in `Choices`."""
    names = _names(files, labels)
    if panels and plot is None:
        raise InputError("--panel", "chooses what --plot draws; give --plot FILE as well")
    choices = Choices(
        lambdas=_decays(lambdas, forget_turns, forget_share),
        per_domain_over=per_domain_over or PLAIN.per_domain_over,
        domain_lambdas=dict(map(_domain_decay, forgetting)),
        **choosing,
    )
    load_benchmark = benchmark_chooser(benchmark_name, "comparing with")
    gold = None if gold_version is None else load_gold_states(gold_version, load_benchmark(()))
    tracked = [read_tracking_file(file, load_benchmark, gold) for file in files]
    for file in tracked:
        tell(file.source, file.remarks)
    if choices.per_domain_over != PLAIN.per_domain_over:
        tracked = [_annotated(file, load_benchmark) for file in tracked]
    scored = [
        score_file(file, name, choices, wanted) for name, file in zip(names, tracked, strict=True)
    ]
    reports = [one.report for one in scored]
    _check_domains(choices.domain_lambdas, reports)
    if plot is not None:
        plot_tracking(names, reports, plot, panels or tuple(PANELS))
    scored, added = _with_intervals(scored, choices) if intervals else (scored, "")
    if json_target is not None:
        write_json(json_target, [one.to_dict() for one in scored])
    if json_target == STANDARD_STREAM:
        return
    if format_ != "text":
        ends = [one.intervals.get("scores", {}) for one in scored]
        table = headlines_table(names, reports, [one.signature for one in scored], ends)
        click.echo(formatted([table], format_), nl=False)
    elif wanted is not None:
        for one in scored:
            click.echo(printable(f"{one.dialogue_text}\n"))
    else:
        breakdown = per_domain or per_domain_over is not None or bool(forgetting)
        text = files_text(scored, everything, breakdown, shutil.get_terminal_size().columns)
        click.echo(printable(text + added))


def _with_intervals(scored: Sequence[ScoredFile], choices: Choices) -> tuple[list[ScoredFile], str]:
    """Return files with their intervals, and all intervals as text."""
    from ..comparison.comparison_text import intervals_text
    from ..comparison.evidence import tracking_evidence
    from ..comparison.resampling import intervals_document, intervals_of

    known = [
        tracking_evidence(one.file.source, one.signature, one.file.dialogues, choices)
        for one in scored
    ]
    found = [intervals_of(one) for one in known]
    text = intervals_text([one.name for one in scored], known[0].figures, found)
    with_them = [
        replace(one, intervals=intervals_document(evidence, intervals))
        for one, evidence, intervals in zip(scored, known, found, strict=True)
    ]
    return with_them, f"\n\n{text}"


def _names(files: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return what to call the files: as the labels say, or after the files."""
    if not labels:
        return short_names(files)
    if len(labels) != len(files):
        raise InputError(
            "--label",
            f"{len(labels)} for {len(files)} files; give one for each, in their order, or none",
        )
    # Labels are cells of tables and texts of pictures.
    cleaned = [" ".join(label.split()) for label in labels]
    if not all(cleaned) or len(set(cleaned)) < len(cleaned):
        raise InputError("--label", "expected names that differ, none of them empty")
    return cleaned


def _annotated(file: TrackedFile, load_benchmark: BenchmarkChooser) -> TrackedFile:
    """Return a file whose dialogues have active domains and goals, the benchmark's."""
    if file.benchmark is not None:
        return file
    benchmark = load_benchmark([dialogue.id for dialogue in file.dialogues])
    return replace(file, dialogues=annotated(file.dialogues, benchmark, file.source))


def _decays(
    lambdas: Sequence[str], forget_turns: float | None, forget_share: float | None
) -> Sequence[float]:
    """Return the values of λ that the options ask for, each once."""
    given = [text for option in lambdas for text in option.split(",")]
    decays = [_decay(text) for text in given] or list(DEFAULT_LAMBDAS)
    if (forget_turns is None) != (forget_share is None):
        raise InputError("--forget-turns, --forget-share", "give both or neither")
    if forget_turns is not None and forget_share is not None:
        decays.append(_forgetting("--forget-turns, --forget-share", forget_turns, forget_share))
    return list(dict.fromkeys(decays))


def _forgetting(option_: str, turns: float, share: float) -> float:
    try:
        # A λ that is computed counts with the six digits that people will write of it.
        return float(f"{decay_to_forget(turns, share):g}")
    except ValueError as error:
        raise InputError(option_, str(error)) from None


def _domain_decay(text: str) -> tuple[str, float]:
    """Return the domain and the λ of `DOMAIN=P,T`."""
    domain, _, numbers = text.partition("=")
    try:
        share, turns = map(float, numbers.split(","))
    except ValueError:
        found = f"expected DOMAIN=P,T such as train=0.95,3, found {text!r}"
        raise InputError("--domain-forget", found) from None
    return domain, _forgetting("--domain-forget", turns, share)


def _check_domains(lambdas: Mapping[str, float], reports: Sequence[TrackingReport]) -> None:
    known = sorted({name for report in reports for name in report.per_domain})
    if unknown := sorted(lambdas.keys() - known):
        raise InputError(
            "--domain-forget", f"no domain {unknown[0]!r}; there are {', '.join(known)}"
        )


def _decay(text: str) -> float:
    try:
        decay = float(text)
    except ValueError:
        decay = math.nan
    # NaN fails every comparison.
    if not 0 <= decay < math.inf:
        raise InputError("--lambda", f"expected numbers of at least 0, found {text!r}")
    return decay
