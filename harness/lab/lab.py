"""`mwz lab`: study state-tracking metrics: what they share, learning curves, human ratings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean
from typing import Any, TypeAlias

import click

from ..cli import option
from ..cli.dst import files_argument, scored_files, states_options
from ..cli.reading import chosen_benchmark
from ..cli.tracked_files import ScoredFile
from ..comparison import spread_of
from ..errors import InputError, refuse
from ..io import STANDARD_STREAM, Table, figure, formatted, to_json
from ..metrics import Choices, Played
from ..scoring import Options, Scorer, evidence_of, free_run, normalize
from ..submission import Standard, checked_submission, read_predictions, standard_form
from .analysis import analyse, analysis_tables, spread_table
from .ratings import (
    Unit,
    agreement,
    agreement_table,
    plain_scores,
    preference_agreement,
    read_criteria,
    read_preferences,
    read_ratings,
    tracker_agreement,
)

StudyOptions: TypeAlias = Mapping[str, Any]
"""The options of all studies, by the names of their parameters; `choices` are `Choices`."""

CurvePoint: TypeAlias = dict[str, Any]
"""A point of learning curves, as JSON types: what `learning_curves` returns."""


@click.group("lab")
@states_options
@option.table_format()
@click.pass_context
def command(ctx: click.Context, /, **given: Any) -> None:
    """Study state-tracking metrics on trackers' FILEs, as `mwz dst` reads them. The options of all
    studies come first: `mwz lab --gold 2.4 analysis FILE...`.
    """
    ctx.obj = {**given, "choices": Choices.from_variants(given.pop("variants"))}


def _scored(given: StudyOptions, files: Sequence[str]) -> list[ScoredFile]:
    scored = scored_files(files, given["benchmark"], given["gold_version"], given["choices"])
    for tracker in scored:
        tracker.file.refuse_without_values("a study")
    return scored


def _print(given: StudyOptions, tables: Sequence[Table], document: Mapping[str, object]) -> None:
    """Print what a study found as tables, or as one JSON document."""
    format_ = given["format_"]
    text = to_json(document) if format_ == "json" else formatted(tables, format_)
    click.echo(text, nl=False)


@command.command("analysis")
@files_argument
@click.pass_obj
def show_analysis(given: StudyOptions, files: Sequence[str]) -> None:
    """Show how the metrics' scores of turns correlate, what FGA and GCA owe to where mistakes
    lie, how many slots dialogues use and, of several FILEs, how the metrics spread.
    """
    scored = _scored(given, files)
    analyses, tables = {}, []
    for tracker in scored:
        analysis = analyse(tracker.file.dialogues, given["choices"])
        analyses[tracker.name] = analysis
        tables += analysis_tables(tracker.name, analysis)
    spread = {}
    if len(scored) > 1:
        spread = spread_of([tracker.result.titled() for tracker in scored])
        tables.append(spread_table(spread))
    spread_data = {name: asdict(metric) for name, metric in spread.items()}
    _print(given, tables, {"analyses": analyses, "spread": spread_data})


@command.command("series")
@click.argument("name")
@files_argument
@click.pass_obj
def show_curves(given: StudyOptions, name: str, files: Sequence[str]) -> None:
    """Show the metrics as learning curves by a number, called NAME, and how far they lie from GCA.
    Each FILE is given with its number, as FILE=NUMBER.
    """
    paths, numbers = numbered_files(files)
    scored = _scored(given, paths)
    figures = [tracker.result.titled() for tracker in scored]
    points = learning_curves(numbers, [tracker.name for tracker in scored], figures)
    curves = {"series": name, "points": points}
    _print(given, curves_tables(name, points), {"curves": curves})


REFERENCE = "GCA"
"""The metric that distances of learning curves are measured from."""


_NUMBERED = re.compile(r".+=\d+(\.\d+)?")


def numbered_files(files: Sequence[str]) -> tuple[list[str], list[float]]:
    """Return the paths of files, and the number of each, given as FILE=NUMBER.

    Raises:
        InputError: A file has no number.
    """
    refuse("FILE", [f"write {file}=NUMBER" for file in files if not _NUMBERED.fullmatch(file)])
    paths, numbers = [], []
    for file in files:
        path, _, number = file.rpartition("=")
        paths.append(path)
        numbers.append(float(number))
    return paths, numbers


def learning_curves(
    numbers: Sequence[float], names: Sequence[str], scores: Sequence[Mapping[str, float]]
) -> list[CurvePoint]:
    """Return the points of the learning curves of trackers, in ascending order, as JSON types.

    Figure 5 of Aksu & Chen (2024) shows how far other metrics lie from GCA. Several trackers with
    the same number, trained with different seeds, make a band.

    Args:
        numbers: The number of each tracker; two of them at least differ.
        names: What to call the trackers.
        scores: Metric -> percent, of each; all have the same metrics, GCA among them.

    Returns:
        Of each point its `number`, the names of its `files`, its `scores`: metric -> `mean`,
        `lowest` and `highest`, in percent; and the `distances` of metrics from GCA, file by file,
        likewise.

    Raises:
        InputError: There is but one number.
    """
    if len(set(numbers)) < 2:
        raise InputError("FILE", "expected some with at least two different numbers")
    points = []
    for number in sorted(set(numbers)):
        files = []
        values: dict[str, list[float]] = {metric: [] for metric in scores[0]}
        gaps: dict[str, list[float]] = {metric: [] for metric in scores[0] if metric != REFERENCE}
        for tracker, (name, figures) in enumerate(zip(names, scores, strict=True)):
            if numbers[tracker] != number:
                continue
            files.append(name)
            for metric, value in figures.items():
                values[metric].append(value)
                if metric != REFERENCE:
                    gaps[metric].append(abs(value - figures[REFERENCE]))
        bands = {metric: _band(column) for metric, column in values.items()}
        distances = {metric: _band(column) for metric, column in gaps.items()}
        points.append({"number": number, "files": files, "scores": bands, "distances": distances})
    return points


def curves_tables(series: str, points: Sequence[CurvePoint]) -> list[Table]:
    """Return learning curves as tables: the metrics, and their distances to GCA.

    Args:
        series: What the number is.
        points: The points of the curves, as `learning_curves`.
    """
    titles = {"scores": "Metrics (%)", "distances": f"Distance of metrics to {REFERENCE} (points)"}
    files = [len(point["files"]) for point in points]
    notes = []
    if max(files) > 1:
        notes.append(f"mean (lowest–highest); files: {', '.join(map(str, files))}")
    headers = [series, *(f"{point['number']:g}" for point in points)]
    tables = []
    for kind, title in titles.items():
        rows = {metric: [metric] for metric in points[0][kind]}
        data = []
        for point in points:
            for metric, band in point[kind].items():
                mean, lowest, highest = (figure(value, 2) for value in band.values())
                is_range = band["lowest"] != band["highest"]
                rows[metric].append(f"{mean} ({lowest}–{highest})" if is_range else mean)
                data.append({series: point["number"], "metric": metric, **band})
        heading = f"{title} by {series}"
        tables.append(Table(kind, heading, headers, list(rows.values()), data, notes))
    return tables


def _band(values: Sequence[float]) -> dict[str, float]:
    return {"mean": fmean(values), "lowest": min(values), "highest": max(values)}


@command.command("ratings")
@click.argument("ratings", metavar="RATINGS", type=option.FILE)
@click.argument("file", type=option.FILE, required=False)
@option.flag(
    "--lexicalised", help="The responses are plain English; also take grounded Inform and Success."
)
@option.flag(
    "--free-running",
    help="FILE's dialogues are free-running ones in plain English, without states.",
)
@click.pass_obj
def show_agreement(
    given: StudyOptions, ratings: str, file: str | None, lexicalised: bool, free_running: bool
) -> None:
    """Show how far metrics agree with people's RATINGS of FILE's dialogues: a CSV table with the
    columns id, rater and rating. Of a submission with responses, also Inform and Success. RATINGS
    without a FILE are preferences between systems' responses, which they hold: JSON, as the
    authors of MarCo published them. With --free-running, RATINGS are JSON: under `whole`, dialogue
    id -> criterion -> the ratings.
    """
    if free_running:
        option.refuse_if(file is None, "--free-running needs FILE, the dialogues")
        scorer = Scorer(chosen_benchmark(given["benchmark"]), Options(free_running=True))
        _, run = free_run(scorer, read_predictions(str(file)), str(file))
        scores = plain_scores(run)
        by_criterion = {}
        for criterion, rated in read_criteria(ratings).items():
            agreed = agreement(rated, scores, (), (), ratings)
            # Where few are lost, correlations say little.
            lost = {}
            for metric in list(scores)[:3]:
                lost[f"{metric}, lost"] = sum(scores[metric].get(unit) == 0 for unit in rated)
            by_criterion[criterion] = {**agreed, "lost": lost}
        tables = [agreement_table(agreed, title) for title, agreed in by_criterion.items()]
        _print(given, tables, {"criteria": by_criterion})
        return
    options = Options(metrics=["inform", "bleu"], setup="strict", lexicalised=lexicalised)
    if file is None:
        is_table = ratings.lower().endswith(".csv")
        option.refuse_if(is_table, "a table of ratings needs FILE, the outputs that it rates")
        responses, preferences = read_preferences(ratings)
        scorer = Scorer(chosen_benchmark(given["benchmark"]), options)
        played = {}
        for name, turns in responses.items():
            played[name] = _played(scorer, standard_form(turns, ratings), ratings)
        agreements = preference_agreement(preferences, played, ratings)
        tables = [agreement_table(agreed, title) for title, agreed in agreements.items()]
        _print(given, tables, {"preferences": agreements})
        return
    rated = read_ratings(ratings)
    [scored] = _scored(given, [file])
    tracked = scored.file
    rates: dict[str, dict[Unit, float]] = {}
    if tracked.benchmark is not None and tracked.responses:
        if file == STANDARD_STREAM:
            raise InputError("FILE", "is read once more for responses; give a file")
        scorer = Scorer(tracked.benchmark, options)
        replayed = _played(scorer, read_predictions(file), file)
        evidence = evidence_of(scorer, replayed, scored.name)
        for key, won in evidence.won().items():
            is_won = won.astype(float)
            rates[evidence.figures[key].title] = dict(zip(evidence.dialogues, is_won, strict=True))
    agreed = tracker_agreement(rated, tracked.dialogues, given["choices"], rates, ratings)
    _print(given, [agreement_table(agreed)], {"ratings": agreed})


def _played(scorer: Scorer, standard: Standard, source: str) -> Played:
    return scorer.played(normalize(scorer, checked_submission(standard, scorer.benchmark, source)))
