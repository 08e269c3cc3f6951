"""`mwz dst`: score dialogue state tracking, of one or several files."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import click

from ..checking import dialogue_id
from ..errors import InputError
from ..files import STANDARD_STREAM, write_json
from ..metrics.tracking.fga import DEFAULT_LAMBDAS, decay_to_forget
from ..metrics.tracking.slot_accuracy import MULTIWOZ_SLOTS
from ..signature import Signature
from ..tracking.dialogues import TrackedDialogue
from ..tracking.evaluation import score_tracking
from ..tracking.formats import TrackedFile, read_tracking_file
from ..tracking.plots import plot_tracking
from ..tracking.tracking_report import TrackingReport
from ..tracking.tracking_signature import tracking_signature
from ..tracking.tracking_text import breakdown_text, dialogue_text, side_by_side_text
from ..tracking.turn_view import view_turns
from .options import chosen_benchmark, intervals_option, short_names

_DEFAULT_LAMBDAS = ", ".join(f"{decay:g}" for decay in DEFAULT_LAMBDAS)


@click.command(
    "dst",
    help="Score state tracking. A FILE (JSON, plain or gzipped; -: standard input) holds gold and "
    "predicted states, or predicted states only: a tracker's output or a submission. Several FILEs "
    "are shown side by side.",
)
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--benchmark",
    "benchmark_name",
    metavar="NAME",
    help="Where a FILE has no gold states, compare with this benchmark's "
    "[default: multiwoz if installed, else sample].",
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
@click.option("--per-domain", is_flag=True, help="Also show each domain and each slot.")
@intervals_option
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write a list of reports; -: standard output."
)
@click.option("--dialogue", "wanted", metavar="ID", help="Show one dialogue turn by turn.")
@click.option("--plot", metavar="FILE.svg|png", help="Draw the reports side by side.")
def command(
    *,
    files: Sequence[str],
    benchmark_name: str | None,
    slots: int,
    lambdas: Sequence[str],
    forget_turns: float | None,
    forget_share: float | None,
    per_domain: bool,
    intervals: bool,
    json_target: str | None,
    wanted: str | None,
    plot: str | None,
) -> None:
    """Score state-tracking FILEs and show them side by side."""
    decays = _decays(lambdas, forget_turns, forget_share)
    load_benchmark = functools.cache(lambda: chosen_benchmark(benchmark_name, "comparing with"))
    tracked = [read_tracking_file(file, load_benchmark) for file in files]
    chosen = [] if wanted is None else [_find(file, wanted) for file in tracked]
    reports = [score_tracking(file.dialogues, decays, slots) for file in tracked]
    views = [view_turns(dialogue, decays, slots) for dialogue in chosen]
    added = _intervals(tracked, reports, decays) if intervals else _Intervals([], "")
    if plot is not None:
        plot_tracking(short_names([file.source for file in tracked]), reports, plot)
    if json_target is not None:
        documents = [_document(*pair) for pair in zip(tracked, reports, strict=True)]
        for document, view in zip(documents, views, strict=False):
            document["dialogue"] = [turn.to_dict() for turn in view]
        for document, found in zip(documents, added.documents, strict=False):
            document["intervals"] = found
        write_json(json_target, documents)
    if json_target == STANDARD_STREAM:
        return
    if wanted is not None:
        for file, dialogue, view in zip(tracked, chosen, views, strict=True):
            click.echo(f"{file.source}, dialogue {dialogue.id}\n\n{dialogue_text(view)}\n")
    else:
        click.echo(_text(tracked, reports, per_domain) + added.text)


class _Intervals(NamedTuple):
    """Intervals of several files: of each as JSON, and of all as text."""

    documents: Sequence[dict[str, Any]]
    text: str


def _intervals(
    files: Sequence[TrackedFile], reports: Sequence[TrackingReport], decays: Sequence[float]
) -> _Intervals:
    from ..comparison.comparison_text import intervals_text
    from ..comparison.evidence import tracking_evidence
    from ..comparison.intervals import intervals_document, intervals_of

    known = [
        tracking_evidence(
            file.source, _signature(file, report), file.dialogues, decays, report.slots
        )
        for file, report in zip(files, reports, strict=True)
    ]
    found = [intervals_of(one) for one in known]
    names = short_names([file.source for file in files])
    return _Intervals(
        [intervals_document(*pair) for pair in zip(known, found, strict=True)],
        f"\n\n{intervals_text(names, known[0].figures, found)}",
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
            decays.append(decay_to_forget(forget_turns, forget_share))
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


def _document(file: TrackedFile, report: TrackingReport) -> dict[str, Any]:
    """Return a file's report as the JSON list holds it."""
    return {
        "file": file.source,
        "format": file.format,
        "signature": str(_signature(file, report)),
        "signature_fields": _signature(file, report).to_dict(),
        "coverage": _coverage(file),
        **report.to_dict(),
    }


def _signature(file: TrackedFile, report: TrackingReport) -> Signature:
    """Return what two reports must share to be compared."""
    lambdas = report.metrics["FGA"]
    assert isinstance(lambdas, Mapping)
    return tracking_signature(file.dialogues, file.benchmark, report.slots, list(lambdas))


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
    raise InputError(file.source, f"no dialogue {wanted}; it starts with {file.dialogues[0].id}")


def _text(files: Sequence[TrackedFile], reports: Sequence[TrackingReport], per_domain: bool) -> str:
    """Return what is shown in the terminal: what was read, the tables, the signatures."""
    names = short_names([file.source for file in files])
    parts = [
        "\n".join(map(_read, names, files, reports)),
        side_by_side_text(names, reports),
    ]
    if per_domain:
        parts += [
            f"{name}\n\n{breakdown_text(report)}"
            for name, report in zip(names, reports, strict=True)
        ]
    parts.append(
        "\n".join(
            dict.fromkeys(str(_signature(*pair)) for pair in zip(files, reports, strict=True))
        )
    )
    return "\n\n".join(parts)


def _read(name: str, file: TrackedFile, report: TrackingReport) -> str:
    coverage = _coverage(file)
    against = "its own gold states"
    if file.benchmark is not None and coverage is not None:
        against = (
            f"the gold states of {file.benchmark.name}, {report.dialogues} of "
            f"{coverage['of_dialogues']} dialogues, {report.turns} of {coverage['of_turns']} turns"
        )
    return f"{name}: {file.format}; compared with {against}"
