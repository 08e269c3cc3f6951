"""`mwz dst`: score dialogue state tracking, of one or several files."""

from __future__ import annotations

import math
import shutil
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import click

from ..errors import InputError
from ..io.files import STANDARD_STREAM, write_json
from ..io.pictures import SUFFIXES
from ..io.rendering import printable
from ..io.tables import formatted
from ..metrics.tracking import Choices
from ..metrics.tracking.evaluation import score_tracking
from ..metrics.tracking.fga import DEFAULT_LAMBDAS, decay_to_forget, lambda_label
from ..metrics.tracking.gold import GoldStates
from ..metrics.tracking.pairing import TrackedDialogue
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS
from ..metrics.tracking.tracking_report import TrackingReport
from ..metrics.tracking.tracking_text import (
    breakdown_text,
    headlines_text,
    metrics_help,
    side_by_side_text,
)
from ..metrics.tracking.variants import (
    DONTCARE_CHOICES,
    NONE_CHOICES,
    PER_DOMAIN_OVER,
    PLAIN,
    Variants,
    annotated,
)
from ..signature import Signature
from ..submission.checking import dialogue_id
from ..tracking.formats import TrackedFile, read_tracking_file
from ..tracking.plots import PANELS, plot_tracking
from ..tracking.tracking_signature import tracking_signature
from ..tracking.tracking_table import headlines_table
from ..tracking.turn_view import TurnView, dialogue_text, view_turns
from .options import complete_file, format_option, intervals_option, short_names
from .reading import BenchmarkChooser, benchmark_chooser

_DEFAULT_LAMBDAS = ", ".join(map(lambda_label, DEFAULT_LAMBDAS))


@dataclass(frozen=True)
class _Scored:
    """One FILE, scored.

    Attributes:
        name: What it is called beside others.
        file: What was read.
        report: Its scores.
        signature: What they depend on.
        view: Its dialogue turn by turn, if one was asked for.
    """

    name: str
    file: TrackedFile
    report: TrackingReport
    signature: Signature
    view: tuple[TrackedDialogue, Sequence[TurnView]] | None


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
@click.argument("files", metavar="FILE...", nargs=-1, required=True, shell_complete=complete_file)
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
    type=click.Choice(tuple(PER_DOMAIN_OVER)),
    help="Show each domain, over the turns whose gold state has it, over those in which it is "
    "active, or over all turns of the dialogues that have it in their goal "
    f"[default: {PLAIN.per_domain_over}].",
)
@click.option(
    "--dontcare",
    type=click.Choice(DONTCARE_CHOICES),
    default=PLAIN.dontcare,
    show_default=True,
    help="drop: leave out slots with the value `dontcare`, on both sides.",
)
@click.option(
    "--none",
    type=click.Choice(NONE_CHOICES),
    default=PLAIN.none,
    show_default=True,
    help="What a slot with the value `none` is: no slot, or one with that value.",
)
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
@intervals_option
@format_option(" Any but text has the main figures only.")
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
    dontcare: str,
    none: str,
    slots: int,
    lambdas: Sequence[str],
    forget_turns: float | None,
    forget_share: float | None,
    intervals: bool,
    format_: str,
    json_target: str | None,
    wanted: str | None,
    plot: str | None,
    panels: Sequence[str],
) -> None:
    """Score state-tracking FILEs and show them side by side."""
    names = _names(files, labels)
    if panels and plot is None:
        raise InputError("--panel", "chooses what --plot draws; give --plot FILE as well")
    choices = Choices(_decays(lambdas, forget_turns, forget_share), slots)
    variants = Variants(per_domain_over or PLAIN.per_domain_over, dontcare, none)
    load_benchmark = benchmark_chooser(benchmark_name, "comparing with")
    load_gold = _gold_loader(gold_version, load_benchmark)
    tracked = [read_tracking_file(file, load_benchmark, load_gold) for file in files]
    if variants.per_domain_over != PLAIN.per_domain_over:
        tracked = [_annotated(file, load_benchmark) for file in tracked]
    scored = [
        _scored(name, file, choices, variants, wanted)
        for name, file in zip(names, tracked, strict=True)
    ]
    if plot is not None:
        plot_tracking(names, [one.report for one in scored], plot, panels or tuple(PANELS))
    added = _intervals(scored, choices) if intervals else _Intervals([], "")
    if json_target is not None:
        documents = [_document(one) for one in scored]
        for document, found in zip(documents, added.documents, strict=False):
            document["intervals"] = found
        write_json(json_target, documents)
    if json_target == STANDARD_STREAM:
        return
    if format_ != "text":
        reports, signatures = [one.report for one in scored], [one.signature for one in scored]
        intervals_of_all = [one.get("scores", {}) for one in added.documents]
        table = headlines_table(names, reports, signatures, intervals_of_all)
        click.echo(formatted([table], format_), nl=False)
    elif wanted is not None:
        for one in scored:
            assert one.view is not None
            dialogue, view = one.view
            told = f"{one.file.source}, dialogue {dialogue.id}\n\n{dialogue_text(view)}\n"
            click.echo(printable(told))
    else:
        width = shutil.get_terminal_size().columns
        breakdown = per_domain or per_domain_over is not None
        click.echo(printable(_text(scored, everything, breakdown, width) + added.text))


class _Intervals(NamedTuple):
    """Intervals of several files: of each as JSON, and of all as text."""

    documents: Sequence[dict[str, Any]]
    text: str


def _intervals(scored: Sequence[_Scored], choices: Choices) -> _Intervals:
    from ..comparison.comparison_text import intervals_text
    from ..comparison.evidence import tracking_evidence
    from ..comparison.intervals import intervals_document, intervals_of

    known = [
        tracking_evidence(
            one.file.source, one.signature, one.file.dialogues, choices.lambdas, choices.slots
        )
        for one in scored
    ]
    found = [intervals_of(one) for one in known]
    return _Intervals(
        [intervals_document(*pair) for pair in zip(known, found, strict=True)],
        f"\n\n{intervals_text([one.name for one in scored], known[0].figures, found)}",
    )


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


def _gold_loader(
    version: str | None, load_benchmark: BenchmarkChooser
) -> Callable[[], GoldStates] | None:
    """Return what gives the gold states of a version, which are loaded; None if none are wanted."""
    if version is None:
        return None
    from ..data.gold_states import load_gold_states

    gold = load_gold_states(version, load_benchmark(()))
    return lambda: gold


def _annotated(file: TrackedFile, load_benchmark: BenchmarkChooser) -> TrackedFile:
    """Return a file whose dialogues have active domains and goals, the benchmark's."""
    if file.benchmark is not None:
        return file
    benchmark = load_benchmark([dialogue.id for dialogue in file.dialogues])
    dialogues = annotated(file.dialogues, benchmark, file.source)
    return replace(file, dialogues=dialogues)


def _scored(
    name: str, file: TrackedFile, choices: Choices, variants: Variants, wanted: str | None
) -> _Scored:
    dialogue = None if wanted is None else _find(file, wanted)
    lambdas, slots = choices.lambdas, choices.slots
    return _Scored(
        name=name,
        file=file,
        report=score_tracking(file.dialogues, lambdas, slots, variants),
        signature=tracking_signature(file.dialogues, file.benchmark, choices, variants, file.gold),
        view=None
        if dialogue is None
        else (dialogue, view_turns(dialogue, lambdas, slots, variants)),
    )


def _decays(
    lambdas: Sequence[str], forget_turns: float | None, forget_share: float | None
) -> Sequence[float]:
    """Return the values of λ that the options ask for, each once."""
    given = [text for option in lambdas for text in option.split(",")]
    decays = [_decay(text) for text in given] or list(DEFAULT_LAMBDAS)
    if (forget_turns is None) != (forget_share is None):
        raise InputError("--forget-turns, --forget-share", "give both or neither")
    if forget_turns is not None and forget_share is not None:
        try:
            # A λ that is computed counts with the six digits that people will write of it.
            decays.append(float(f"{decay_to_forget(forget_turns, forget_share):g}"))
        except ValueError as error:
            raise InputError("--forget-turns, --forget-share", str(error)) from None
    return list(dict.fromkeys(decays))


def _decay(text: str) -> float:
    try:
        decay = float(text)
    except ValueError:
        decay = math.nan
    # NaN fails every comparison.
    if not 0 <= decay < math.inf:
        raise InputError("--lambda", f"expected numbers of at least 0, found {text!r}")
    return decay


LAYOUT = 1
"""Version of the layout of a file's report as JSON; `format` is that of the file."""


def _document(one: _Scored) -> dict[str, Any]:
    """Return a file's report as the JSON list holds it."""
    document = {
        "layout": LAYOUT,
        "file": one.file.source,
        "label": one.name,
        "format": one.file.format,
        "gold_version": None if one.file.gold is None else one.file.gold.version,
        "signature": str(one.signature),
        "signature_fields": one.signature.to_dict(),
        "coverage": _coverage(one.file),
        **one.report.to_dict(),
    }
    if one.view is not None:
        document["dialogue"] = [turn.to_dict() for turn in one.view[1]]
    return document


def _coverage(file: TrackedFile) -> dict[str, int] | None:
    """Return how much the benchmark holds; None for a file with its own gold states."""
    if file.benchmark is None:
        return None
    return {"of_dialogues": len(file.benchmark.dialogues), "of_turns": file.benchmark.turns}


def _find(file: TrackedFile, wanted: str) -> TrackedDialogue:
    """Return the dialogue of that id, or of that id in another spelling."""
    spellings: Sequence[Callable[[str], str]] = (str, dialogue_id)
    for spelled in spellings:
        for dialogue in file.dialogues:
            if spelled(dialogue.id) == spelled(wanted):
                return dialogue
    if file.gold is not None and wanted in file.left_out:
        raise InputError(file.source, f"the gold states {file.gold.version} lack dialogue {wanted}")
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def _text(scored: Sequence[_Scored], everything: bool, breakdown: bool, width: int) -> str:
    """Return what is shown in the terminal: what was read, the tables, the signatures."""
    names, reports = [one.name for one in scored], [one.report for one in scored]
    show = side_by_side_text if everything else headlines_text
    parts = [_read(scored, width), show(names, reports, width)]
    if breakdown:
        parts += [f"{one.name}\n\n{breakdown_text(one.report)}" for one in scored]
    parts.append(_signatures(scored, width))
    return "\n\n".join(parts)


def _read(scored: Sequence[_Scored], width: int) -> str:
    """Return what was read; files of which the same is to be said stand together."""
    by_reading = _grouped((_reading(one.file, one.report), one.name) for one in scored)
    return "\n".join(
        textwrap.fill(f"{', '.join(names)}: {reading}", width, subsequent_indent="  ")
        for reading, names in by_reading.items()
    )


def _reading(file: TrackedFile, report: TrackingReport) -> str:
    coverage = _coverage(file)
    if file.benchmark is None or coverage is None:
        counted = f"{report.dialogues} dialogues, {report.turns} turns"
        return f"{file.format}; compared with its own gold states, {counted}"
    version = f" in version {file.gold.version}" if file.gold else ""
    left_out = f"; {len(file.left_out)} left out that it lacks" if file.left_out else ""
    return (
        f"{file.format}; compared with the gold states of {file.benchmark.name}{version}, "
        f"{report.dialogues} of {coverage['of_dialogues']} dialogues, "
        f"{report.turns} of {coverage['of_turns']} turns{left_out}"
    )


def _signatures(scored: Sequence[_Scored], width: int) -> str:
    """Return the signatures, and whose they are where they differ."""
    by_signature = _grouped((str(one.signature), one.name) for one in scored)
    if len(by_signature) == 1:
        return next(iter(by_signature))
    first = scored[0]
    reasons = [
        reason
        for one in scored[1:]
        for reason in first.signature.comparable_with(one.signature).reasons[:1]
    ]
    told = [f"{', '.join(names)}:\n{signature}" for signature, names in by_signature.items()]
    if reasons:
        remark = f"these figures do not all compare; {reasons[0]}"
        told.insert(0, textwrap.fill(remark, width))
    return "\n".join(told)


def _grouped(pairs: Iterable[tuple[str, str]]) -> Mapping[str, list[str]]:
    """Return what is said -> the names of which it is, in the order of the first of each."""
    groups: dict[str, list[str]] = {}
    for said, name in pairs:
        groups.setdefault(said, []).append(name)
    return groups
