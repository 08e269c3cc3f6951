"""`mwz dst`: score dialogue state tracking, of one or several files."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..data.gold_states import load_gold_states
from ..errors import InputError
from ..io.files import STANDARD_STREAM, short_names, without_shared, write_json
from ..io.pictures import SUFFIXES
from ..io.rendering import figure, printable
from ..io.tables import Table, formatted
from ..metrics.setups import MAIN_SETUP
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
from ..metrics.tracking.tracking_text import headlines_table, metrics_help
from ..submission import read_predictions
from ..submission.checking import dialogue_id
from ..submission.formats import Reading
from ..tracking.analysis import (
    RECIPES,
    analyses_of,
    analysis_tables,
    compared_figures,
    dialogue_figures,
)
from ..tracking.formats import TrackedFile, read_tracking_file
from ..tracking.learning_curves import curves_tables, learning_curves, read_series
from ..tracking.plots import PANELS, plot_tracking
from ..tracking.rating_sheets import RATINGS_FILE, write_rating_sheets
from ..tracking.scored_files import ScoredFile, files_text, score_file
from . import notify, option, tell
from .reading import BenchmarkChooser, benchmark_chooser

_SERIES = "--series"
_BELONGS: Mapping[str, str] = {
    "panels": "plot",
    "recipe": "analysis",
    "sheets": "rating_sheet",
    "seed": "rating_sheet",
    "lexicalised": "ratings",
}
"""Parameter -> that without which it has no effect."""
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
    """A command whose help ends with the metrics that register themselves.

    A `--series NAME=NUMBER` holds for all FILEs behind it, up to the next option.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, `--series` as if it had been given before each FILE."""
        return super().parse_args(ctx, list(_series_of_each(args)))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Metrics"):
            formatter.write_dl(list(metrics_help().items()))


def _series_of_each(args: Sequence[str]) -> Iterator[str]:
    """Yield arguments with `--series NAME=NUMBER` before each further FILE that it holds for."""
    value: str | None = None
    files = 0
    for before, arg in zip(["", *args], args, strict=False):
        if before == _SERIES:
            value, files = arg, 0
        elif arg.startswith("-") and arg != STANDARD_STREAM:
            value = None
        elif value is not None and "=" in value:
            files += 1
            if files > 1:
                yield from (_SERIES, value)
        yield arg


@click.command("dst", cls=_Command)
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
@option.flag("--all", "everything", help="Show every figure, not only the main ones.")
@option.flag("--per-domain", help="Also show each domain and each slot.")
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
@option.reading
@option.intervals
@option.table_format(" Any but text has the main figures, and csv nothing else.")
@click.option(
    "--json", "json_target", metavar="FILE|-", help="Write a list of reports; -: standard output."
)
@option.flag(
    "--analysis",
    help="Also show how the metrics go together over turns, what FGA and GCA owe to where mistakes "
    "lie, how many slots dialogues use and, of several FILEs, how the metrics spread.",
)
@click.option(
    "--recipe",
    type=click.Choice(tuple(RECIPES)),
    help="Which dialogues --analysis holds FGA and GCA against mistakes on. "
    + " ".join(f"{name}: {meaning}." for name, meaning in RECIPES.items())
    + " [default: plain]",
)
@click.option(
    _SERIES,
    metavar="NAME[=NUMBER]",
    multiple=True,
    help="Also show the metrics as learning curves: --series shots=0.01 FILE... --series shots=0.1 "
    "FILE...; or NAME alone, for the number that follows it in the files' names.",
)
@click.option(
    "--ratings",
    metavar="CSV",
    help="Also show how far metrics agree with people's ratings of dialogues: a table with the "
    "columns id, rater and rating. Takes one FILE; of a submission with responses, also Inform and "
    "Success.",
)
@option.flag(
    "--lexicalised",
    help="With --ratings: the responses are plain English; also take grounded Inform and Success.",
)
@click.option(
    "--rating-sheet",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write sheets on which people rate --sheets dialogues drawn at random, and the table to "
    "fill in. Takes one FILE.",
)
@click.option(
    "--sheets",
    metavar="N",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="See --rating-sheet.",
)
@option.seed
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
    analysis: bool,
    recipe: str | None,
    series: Sequence[str],
    ratings: str | None,
    lexicalised: bool,
    rating_sheet: Path | None,
    sheets: int,
    seed: int,
    wanted: str | None,
    plot: str | None,
    panels: Sequence[str],
    **choosing: Any,
) -> None:
    """Score state tracking. A FILE (JSON, plain or gzipped; -: standard input) holds gold and
    predicted states, or predicted states only: a tracker's output or a submission. Several
    FILEs are shown side by side.
    """
    names = _names(files, labels)
    _check_options(plot, (analysis, series, panels))
    _check_format(format_, json_target is not None)
    if len(files) > 1 and (ratings or rating_sheet):
        raise InputError("--ratings, --rating-sheet", "take one FILE, the tracker that is rated")
    reading = option.taken_reading(choosing)
    choices = Choices(
        lambdas=_decays(lambdas, forget_turns, forget_share),
        per_domain_over=per_domain_over or PLAIN.per_domain_over,
        domain_lambdas=_domain_decays(forgetting),
        **choosing,
    )
    load_benchmark = benchmark_chooser(benchmark_name, "comparing with")
    gold = None if gold_version is None else load_gold_states(gold_version, load_benchmark(()))
    tracked = [read_tracking_file(file, load_benchmark, gold, reading) for file in files]
    for file in tracked:
        tell(file.source, file.remarks)
    if choices.per_domain_over != PLAIN.per_domain_over:
        tracked = [_annotated(file, load_benchmark) for file in tracked]
    scored = [
        score_file(file, name, choices, wanted) for name, file in zip(names, tracked, strict=True)
    ]
    _check_domains(choices.domain_lambdas, scored)
    play = partial(_rates, scored[0].file, files[0], reading, lexicalised)
    extras = [
        *([_analysed(scored, choices, recipe or "plain")] if analysis else []),
        *([_curves(scored, *read_series(series, files))] if series else []),
        *([_agreement(scored[0], ratings, play, choices)] if ratings else []),
    ]
    if rating_sheet is not None:
        rated = scored[0].file.dialogues
        benchmark = scored[0].file.benchmark or load_benchmark([one.id for one in rated])
        written = write_rating_sheets(rating_sheet, rated, benchmark, sheets, seed, choices)
        notify(f"{len(written)} sheets and {RATINGS_FILE} written to {rating_sheet}")
    if plot is not None:
        _draw(plot, scored, panels, extras)
    scored, added = _with_intervals(scored, choices) if intervals else (scored, "")
    if json_target is not None:
        write_json(json_target, _document(scored, extras))
    if json_target == STANDARD_STREAM:
        return
    tables = [table for extra in extras for table in extra.tables]
    if format_ != "text":
        ends = [one.intervals.get("scores", {}) for one in scored]
        signatures, reports = [one.signature for one in scored], [one.report for one in scored]
        table = headlines_table(names, reports, signatures, ends)
        click.echo(formatted([table, *tables], format_), nl=False)
    elif wanted is not None:
        click.echo(printable("\n".join(f"{one.dialogue_text}\n" for one in scored)))
    else:
        breakdown = per_domain or per_domain_over is not None or bool(forgetting)
        text = files_text(scored, everything, breakdown, shutil.get_terminal_size().columns)
        shown = f"\n\n{formatted(tables, format_)}" if tables else "\n"
        click.echo(printable(text + added + shown), nl=False)


def _check_options(plot: str | None, drawn: Sequence[object]) -> None:
    """Refuse options without the one that they go with, and several things for one picture."""
    for name, other in _BELONGS.items():
        told = f"{option.written(name)} goes with {option.written(other)}"
        option.refuse({told: option.given(name) and not option.given(other)})
    if plot is not None and sum(map(bool, drawn)) > 1:
        raise InputError("--plot", "draws one of --analysis, --series and --panel; give one")


_TEXT_ONLY = ("everything", "per_domain", "per_domain_over", "forgetting", "wanted")
"""What tables for papers and programs do not hold; JSON does."""


def _check_format(format_: str, as_json: bool) -> None:
    """Refuse options of which the format chosen shows nothing."""
    ignored = [name for name in _TEXT_ONLY if option.given(name) and format_ != "text"]
    if option.given("intervals") and format_ in ("md", "latex"):
        ignored.append("intervals")
    for name in () if as_json else ignored:
        told = f"{option.written(name)} is not in --format {format_}"
        raise click.UsageError(f"{told}; leave --format out, or take --json")


@dataclass(frozen=True)
class _Extra:
    """What is shown besides the reports: as tables, as keys of the JSON, and as a picture."""

    tables: Sequence[Table]
    document: Mapping[str, Any]
    draw: Callable[[str], None] | None = None


def _draw(
    plot: str, scored: Sequence[ScoredFile], panels: Sequence[str], extras: Sequence[_Extra]
) -> None:
    """Draw what is shown besides the reports, or else these."""
    pictures = [extra.draw for extra in extras if extra.draw is not None]
    for draw in pictures:
        draw(plot)
    if not pictures:
        names, reports = [one.name for one in scored], [one.report for one in scored]
        plot_tracking(names, reports, plot, panels or tuple(PANELS))


def _document(scored: Sequence[ScoredFile], extras: Sequence[_Extra]) -> object:
    """Return the reports as JSON types; with what is shown besides, below `files`."""
    files = [one.to_dict() for one in scored]
    more = {key: value for extra in extras for key, value in extra.document.items()}
    return {"files": files, **more} if extras else files


def _curves(scored: Sequence[ScoredFile], series: str, numbers: Sequence[float]) -> _Extra:
    """Return the metrics as learning curves."""
    from ..tracking.analysis_plots import plot_curves

    figures = [compared_figures(one.report) for one in scored]
    curves = learning_curves(series, numbers, [one.name for one in scored], figures)
    document = {"curves": curves.to_dict()}
    return _Extra(curves_tables(curves), document, lambda path: plot_curves(path, curves))


_BEST_OF = [step / 20 for step in range(41)]
"""The values of λ of which --ratings finds the one that agrees best."""


def _agreement(
    one: ScoredFile, ratings: str, play: Callable[[], Mapping[str, Any]], choices: Choices
) -> _Extra:
    """Return how far the metrics of dialogues, and those that `play` gives, agree with people."""
    from ..comparison.human_ratings import agreement, agreement_table, read_ratings

    rated = read_ratings(ratings)
    wider = list(dict.fromkeys([*choices.lambdas, *_BEST_OF]))
    figures = dialogue_figures(one.file.dialogues, replace(choices, lambdas=wider))
    ids = [dialogue_id(dialogue.id) for dialogue in one.file.dialogues]
    labels = [lambda_label(decay) for decay in wider]
    candidates = {f"FGA λ={label}": f"FGA.{label}" for label in labels}
    scores = {
        title: dict(zip(ids, (own[key] for own in figures), strict=True))
        for title, key in {"JGA": "JGA", **candidates, "GCA": "GCA"}.items()
    }
    asked = list(candidates)[: len(choices.lambdas)]
    found = agreement(rated, {**scores, **play()}, list(candidates), asked, ratings)
    return _Extra([agreement_table(found)], {"ratings": found.to_dict()})


def _rates(
    file: TrackedFile, path: str, reading: Reading, lexicalised: bool
) -> dict[str, dict[str, float]]:
    """Return which dialogues of a submission with responses have Inform and Success."""
    if file.benchmark is None or not file.responses:
        return {}
    if path == STANDARD_STREAM:
        raise InputError("--ratings", "reads responses once more; give a file, not standard input")
    from ..scoring import Options, Scorer
    from ..scoring.predictions import known_system

    options = Options(
        metrics=["inform"],
        setup=MAIN_SETUP,
        lexicalised=lexicalised,
        strict_states=reading.strict_states,
    )
    scorer = Scorer(file.benchmark, options)
    predictions = read_predictions(path, reading)
    evidence = known_system(scorer, predictions, file.source, path, options, False).evidence
    return {
        evidence.figures[key].title: dict(zip(evidence.dialogues, won.astype(float), strict=True))
        for key, won in evidence.won().items()
    }


def _analysed(scored: Sequence[ScoredFile], choices: Choices, recipe: str) -> _Extra:
    """Return the analyses of the files and, of several, the spread of the metrics over them."""
    from ..comparison.interval import spread_of
    from ..tracking.analysis_plots import plot_analyses

    analyses = analyses_of({one.name: one.file.dialogues for one in scored}, choices, recipe)
    shown = [compared_figures(one.report) for one in scored]
    spread = spread_of(shown) if len(scored) > 1 else {}
    tables = [table for name, one in analyses.items() for table in analysis_tables(name, one)]
    found = {name: asdict(one) for name, one in spread.items()}
    if spread:
        columns = {"mean": "mean", "SD": "deviation", "lowest": "lowest", "highest": "highest"}
        rows = [
            [name, *(figure(one[key], 2) for key in columns.values())]
            for name, one in found.items()
        ]
        data = [{"metric": name, **one} for name, one in found.items()]
        tables.append(Table("spread", "Metrics over the files (%)", ["", *columns], rows, data))
    shown_analyses = {name: one.to_dict() for name, one in analyses.items()}
    document = {"recipe": recipe, "analyses": shown_analyses, "spread": found}
    drawn = {name: (one.mean, one.deviation) for name, one in spread.items()}
    return _Extra(tables, document, lambda path: plot_analyses(path, analyses, drawn))


def _with_intervals(scored: Sequence[ScoredFile], choices: Choices) -> tuple[list[ScoredFile], str]:
    """Return files with their intervals, and all intervals as text."""
    from ..comparison.comparison_text import intervals_text
    from ..comparison.evidence import intervals_document, intervals_of, tracking_evidence

    known = [
        tracking_evidence(one.file.source, one.signature, one.file.dialogues, choices)
        for one in scored
    ]
    found = [intervals_of(one) for one in known]
    text = intervals_text([one.name for one in scored], known[0].figures, found)
    documents = map(intervals_document, known, found)
    with_them = [replace(one, intervals=own) for one, own in zip(scored, documents, strict=True)]
    return with_them, f"\n\n{text}"


def _names(files: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Return what to call the files: as the labels say, or after the files."""
    if not labels:
        return without_shared(short_names(files))
    if len(labels) != len(files):
        told = "give one for each, in their order, or none"
        raise InputError("--label", f"{len(labels)} for {len(files)} files; {told}")
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


def _domain_decays(given: Sequence[str]) -> dict[str, float]:
    """Return domain -> its λ, of each `DOMAIN=P,T`.

    Raises:
        InputError: One is something else, or a domain has two.
    """
    decays = {}
    for text in given:
        domain, _, numbers = text.partition("=")
        try:
            share, turns = map(float, numbers.split(","))
        except ValueError:
            found = f"expected DOMAIN=P,T such as train=0.95,3, found {text!r}"
            raise InputError("--domain-forget", found) from None
        decays[domain] = _forgetting("--domain-forget", turns, share)
    if len(decays) < len(given):
        raise InputError("--domain-forget", "takes each domain once")
    return decays


def _check_domains(lambdas: Mapping[str, float], scored: Sequence[ScoredFile]) -> None:
    known = sorted({name for one in scored for name in one.report.per_domain})
    if unknown := sorted(lambdas.keys() - known):
        told = f"no domain {unknown[0]!r}; there are {', '.join(known)}"
        raise InputError("--domain-forget", told)


def _decay(text: str) -> float:
    try:
        decay = float(text)
    except ValueError:
        decay = math.nan
    # NaN fails every comparison.
    if not 0 <= decay < math.inf:
        raise InputError("--lambda", f"expected numbers of at least 0, found {text!r}")
    return decay
