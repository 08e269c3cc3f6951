"""`mwz lab`: study state-tracking metrics: what they share, learning curves, human ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from ...cli import notify, option
from ...cli.dst import files_argument, scored_files, states_options
from ...cli.reading import benchmark_chooser
from ...comparison.interval import spread_of
from ...errors import InputError
from ...io.files import STANDARD_STREAM, to_json
from ...io.tables import Table, formatted
from ...metrics.setups import MAIN_SETUP
from ...metrics.tracking.choices import Choices
from ...scoring import Options, Scorer
from ...submission import read_submission
from ..scored_files import ScoredFile
from .analysis import (
    PLAIN_RECIPE,
    PUBLISHED,
    analyses_of,
    analysis_tables,
    compared_figures,
    spread_table,
)
from .learning_curves import curves_tables, learning_curves, series_numbers
from .ratings import (
    RATINGS_FILE,
    agreement_table,
    read_ratings,
    tracker_agreement,
    write_rating_sheets,
)


@click.group("lab")
@states_options
@option.table_format()
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Study state-tracking metrics on trackers' FILEs, as `mwz dst` reads them. The options of all
    studies come first: `mwz lab --gold 2.4 analysis FILE...`.
    """
    ctx.obj = {**given, "choices": Choices.of(given.pop("variants"))}


def _scored(given: Mapping[str, Any], files: Sequence[str]) -> list[ScoredFile]:
    return scored_files(files, given["benchmark_name"], given["gold_version"], given["choices"])


def _print(given: Mapping[str, Any], tables: Sequence[Table], document: Mapping[str, Any]) -> None:
    """Print what a study found as tables, or as one JSON document."""
    format_ = given["format_"]
    text = to_json(document) if format_ == "json" else formatted(tables, format_)
    click.echo(text, nl=False)


@command.command("analysis")
@files_argument
@click.pass_obj
def _analysis(given: Mapping[str, Any], files: Sequence[str]) -> None:
    """Show how the metrics' scores of turns go together, what FGA and GCA owe to where mistakes
    lie, how many slots dialogues use and, of several FILEs, how the metrics spread.
    """
    _analyse(given, files, PLAIN_RECIPE)


@command.command("recipe")
@files_argument
@click.pass_obj
def _recipe(given: Mapping[str, Any], files: Sequence[str]) -> None:
    """Analyse as the authors of GCA did: all FILEs pooled, N + 1 turns in TO, dialogues with close
    FGA and GCA (|z| < 0.1) left out, GCA 0 without any change.
    """
    _analyse(given, files, PUBLISHED)


def _analyse(given: Mapping[str, Any], files: Sequence[str], recipe: str) -> None:
    scored = _scored(given, files)
    dialogues = {one.name: one.file.dialogues for one in scored}
    analyses = analyses_of(dialogues, given["choices"], recipe)
    figures = [compared_figures(one.result) for one in scored]
    spread = spread_of(figures) if len(scored) > 1 else {}
    tables = [table for name, one in analyses.items() for table in analysis_tables(name, one)]
    document = {
        "recipe": recipe,
        "analyses": {name: one.to_dict() for name, one in analyses.items()},
        "spread": {name: asdict(one) for name, one in spread.items()},
    }
    _print(given, [*tables, *([spread_table(spread)] if spread else [])], document)


@command.command("series")
@click.argument("name")
@files_argument
@click.pass_obj
def _series(given: Mapping[str, Any], name: str, files: Sequence[str]) -> None:
    """Show the metrics as learning curves by the number NAME, and how far they lie from GCA. A
    file's number is given as FILE=NUMBER, or follows NAME in the file's name.
    """
    paths, numbers = series_numbers(name, files)
    scored = _scored(given, paths)
    figures = [compared_figures(one.result) for one in scored]
    points = learning_curves(numbers, [one.name for one in scored], figures)
    curves = {"series": name, "points": list(map(asdict, points))}
    _print(given, curves_tables(name, points), {"curves": curves})


@command.command("ratings")
@click.argument("ratings", metavar="CSV")
@click.argument("file", shell_complete=option.complete_file)
@option.flag(
    "--lexicalised",
    help="The responses are plain English; also take grounded Inform and Success.",
)
@click.pass_obj
def _ratings(given: Mapping[str, Any], ratings: str, file: str, lexicalised: bool) -> None:
    """Show how far metrics agree with people's ratings of FILE's dialogues: a table CSV with the
    columns id, rater and rating. Of a submission with responses, also Inform and Success.
    """
    rated = read_ratings(ratings)
    [scored] = _scored(given, [file])
    rates = _rates(scored, file, lexicalised)
    found = tracker_agreement(rated, scored.file.dialogues, given["choices"], rates, ratings)
    _print(given, [agreement_table(found)], {"ratings": found.to_dict()})


def _rates(scored: ScoredFile, path: str, lexicalised: bool) -> dict[str, dict[str, float]]:
    """Return which dialogues of a submission with responses have Inform and Success."""
    if scored.file.benchmark is None or not scored.file.responses:
        return {}
    if path == STANDARD_STREAM:
        raise InputError("FILE", "is read once more for responses; give a file")
    options = Options(metrics=["inform"], setup=MAIN_SETUP, lexicalised=lexicalised)
    scorer = Scorer(scored.file.benchmark, options)
    played = scorer.played(scorer.normalized(read_submission(path, scored.file.benchmark)))
    evidence = scorer.evidence_of(played, scored.name)
    return {
        evidence.figures[key].title: dict(zip(evidence.dialogues, won.astype(float), strict=True))
        for key, won in evidence.won().items()
    }


@command.command("sheet")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@click.argument("file", shell_complete=option.complete_file)
@click.pass_obj
def _sheet(given: Mapping[str, Any], folder: Path, file: str) -> None:
    """Write sheets to DIR on which people rate 100 dialogues of FILE, drawn at random, and the
    table to fill in.
    """
    [scored] = _scored(given, [file])
    dialogues = scored.file.dialogues
    benchmark = scored.file.benchmark
    if benchmark is None:
        choose = benchmark_chooser(given["benchmark_name"], "comparing with")
        benchmark = choose([dialogue.id for dialogue in dialogues])
    written = write_rating_sheets(folder, dialogues, benchmark, given["choices"])
    notify(f"{len(written)} sheets and {RATINGS_FILE} written to {folder}")
