"""`mwz lab`: study state-tracking metrics: what they share, learning curves, human ratings."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, TypeAlias

import click

from ..cli import option
from ..cli.dst import files_argument, scored_files, states_options
from ..cli.reading import chosen_benchmark
from ..cli.tracked_files import ScoredFile
from ..comparison import spread_of
from ..errors import InputError, refuse
from ..io import STANDARD_STREAM, Table, figure, formatted, shown_name, to_json
from ..metrics import Choices, Played
from ..rooms import import_room
from ..scoring import Options, Scorer, evidence_of, free_run, normalize
from ..submission import (
    Standard,
    checked_submission,
    dialogue_id,
    read_predictions,
    standard_form,
)
from .agreement import (
    Agreement,
    agreement_table,
    criteria_agreement,
    plain_scores,
    preference_agreement,
    tracker_agreement,
)
from .analysis import analyse, analysis_tables, spread_table
from .ratings import (
    Unit,
    layout_of,
    read_criteria,
    read_preferences,
    read_ratings,
    read_satisfaction,
    read_votes,
)

StudyOptions: TypeAlias = Mapping[str, Any]
"""The options of all studies, by the names of their parameters; `choices` are `Choices`."""

Found: TypeAlias = tuple[list[Table], dict[str, object]]
"""What a study found: tables, and one JSON document."""

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
@click.argument("files", metavar="[FILE]...", nargs=-1)
@option.flag(
    "--lexicalised", help="The responses are plain English; also take grounded Inform and Success."
)
@click.pass_obj
def show_agreement(
    given: StudyOptions, ratings: str, files: Sequence[str], lexicalised: bool
) -> None:
    """Show how far metrics agree with people's RATINGS, whose layout says what FILEs are. Of a CSV
    table with the columns id, rater and rating, FILE is what a tracker or a system says; of
    responses, Inform and Success are taken, too. Of JSON with `whole`, dialogue id -> criterion ->
    ratings, FILE holds free-running dialogues in plain English. Of JSON with `turns` and votes for
    systems, FILEs are SYSTEM=FILE of each. Preferences as the authors of MarCo published them hold
    the responses, and users' satisfaction, as in lines of USS, is held against the human responses:
    they need no FILE.
    """
    layout = LAYOUTS[layout_of(ratings)]
    option.refuse_if(
        not layout.fewest <= len(files) <= layout.most,
        f"{shown_name(ratings)}: RATINGS of this layout need {layout.needs}",
    )
    options = Options(metrics=["inform", "bleu"], setup="strict", lexicalised=lexicalised)
    scorer = Scorer(chosen_benchmark(given["benchmark"]), options)
    tables, document = layout.agreement(given, scorer, ratings, files)
    _print(given, tables, document)


def _titled(key: str, agreements: Mapping[str, Agreement]) -> Found:
    tables = [agreement_table(agreed, title) for title, agreed in agreements.items()]
    return tables, {key: agreements}


def _of_table(given: StudyOptions, scorer: Scorer, ratings: str, files: Sequence[str]) -> Found:
    """Hold a tracker's metrics against ratings and, of responses, Inform and Success."""
    [file] = files
    rated = read_ratings(ratings)
    [scored] = _scored(given, [file])
    tracked = scored.file
    rates: dict[str, dict[Unit, float]] = {}
    if tracked.benchmark is not None and tracked.responses:
        if file == STANDARD_STREAM:
            raise InputError("FILE", "is read once more for responses; give a file")
        scorer = Scorer(tracked.benchmark, scorer.options)
        replayed = _played(scorer, read_predictions(file), file)
        evidence = evidence_of(scorer, replayed, scored.name)
        for key, won in evidence.won.items():
            is_won = won.astype(float)
            rates[evidence.figures[key].title] = dict(zip(evidence.dialogues, is_won, strict=True))
    agreed = tracker_agreement(rated, tracked.dialogues, given["choices"], rates, ratings)
    return [agreement_table(agreed)], {"ratings": agreed}


def _of_criteria(given: StudyOptions, scorer: Scorer, ratings: str, files: Sequence[str]) -> Found:
    """Hold grounded scores of free-running dialogues against ratings by criteria."""
    [file] = files
    criteria = read_criteria(ratings)
    plain = Scorer(scorer.benchmark, Options(free_running=True))
    _, run = free_run(plain, read_predictions(file), file)
    return _titled("criteria", criteria_agreement(criteria, plain_scores(run), ratings))


def _of_votes(given: StudyOptions, scorer: Scorer, ratings: str, files: Sequence[str]) -> Found:
    """Hold differences of systems' scores against votes for the systems."""
    systems, votes = read_votes(ratings)
    named = dict(file.split("=", 1) for file in files if "=" in file)
    if sorted(named) != systems:
        raise InputError("FILE", f"expected SYSTEM=FILE for each of {', '.join(systems)}")
    voted: set[object] = set()
    for by_turn in votes.values():
        voted.update(unit[0] for unit in by_turn)
    played = {}
    for name, file in named.items():
        standard = read_predictions(file)
        dialogues = {}
        for id_, turns in standard.dialogues.items():
            if dialogue_id(id_) in voted:
                dialogues[id_] = turns
        if not dialogues:
            raise InputError(file, "has none of the dialogues that people voted on")
        played[name] = _played(scorer, replace(standard, dialogues=dialogues), file)
    return _titled("preferences", preference_agreement(votes, played, ratings))


def _of_preferences(
    given: StudyOptions, scorer: Scorer, ratings: str, files: Sequence[str]
) -> Found:
    """Hold differences of systems' scores against preferences between the systems."""
    responses, preferences = read_preferences(ratings)
    played = {}
    for name, turns in responses.items():
        played[name] = _played(scorer, standard_form(turns, ratings), ratings)
    return _titled("preferences", preference_agreement(preferences, played, ratings))


def _of_satisfaction(
    given: StudyOptions, scorer: Scorer, ratings: str, files: Sequence[str]
) -> Found:
    """Hold what the human responses score against people's satisfaction with them."""
    by_dialogue, by_turn = read_satisfaction(ratings, scorer.benchmark)
    human = {}
    words: dict[Unit, float] = {}
    for id_ in map(str, by_dialogue):
        texts = scorer.benchmark.dialogues[id_].responses
        human[id_] = [{"response": text} for text in texts]
        for turn, text in enumerate(texts):
            words[id_, turn] = float(len(text.split()))
    grounding = import_room("harness.grounding.plain_dialogues", "satisfaction")
    plain = scorer.with_options(lexicalised=True)
    run = grounding.diagnose(_played(plain, standard_form(human, ratings), ratings))
    criteria = {"dialogue by dialogue": by_dialogue}
    agreements = criteria_agreement(criteria, plain_scores(run), ratings)
    agreements |= criteria_agreement({"turn by turn": by_turn}, {"words": words}, ratings)
    return _titled("satisfaction", agreements)


def _played(scorer: Scorer, standard: Standard, source: str) -> Played:
    return scorer.played(normalize(scorer, checked_submission(standard, scorer.benchmark, source)))


@dataclass(frozen=True)
class Layout:
    """A layout of ratings.

    Attributes:
        agreement: Reads such a file, and returns tables and a document of what agrees.
        needs: The FILEs that it needs, for messages.
        fewest: The least number of FILEs.
        most: The greatest number of FILEs.
    """

    agreement: Callable[[StudyOptions, Scorer, str, Sequence[str]], Found]
    needs: str = "no FILE"
    fewest: int = 0
    most: float = 0


LAYOUTS: Mapping[str, Layout] = {
    "ratings": Layout(_of_table, "FILE, the outputs that it rates", 1, 1),
    "criteria": Layout(_of_criteria, "FILE, the dialogues", 1, 1),
    "votes": Layout(_of_votes, "SYSTEM=FILE of each system", 1, math.inf),
    "preferences": Layout(_of_preferences),
    "satisfaction": Layout(_of_satisfaction),
}
"""Layout, as `layout_of` names it -> how it is read."""
