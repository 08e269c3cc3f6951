"""Human ratings of dialogues, and how far metrics of the same dialogues agree with them.

Dey, Kummara & Desarkar (2022), section 4, correlate JGA and FGA with the ratings of dialogues.
Several raters' mean rates a dialogue; how far raters agree is Krippendorff's alpha. Sheets to rate
on have the form of appendix A.3: what was said, both states, and whether they are the same.
"""

from __future__ import annotations

import csv
import io
import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from ...benchmark import Benchmark
from ...comparison import INTERVAL_LEVEL, SEED, Interval, bootstrap_interval
from ...errors import Findings, InputError, counted, refuse, shown
from ...io import Table, decoded, figure, read_bytes, shown_name, write_text
from ...metrics import Choices, TrackedDialogue, dialogue_states, lambda_label
from ...submission import dialogue_id
from .analysis import dialogue_figures

COLUMNS = ("id", "rater", "rating")
COEFFICIENTS: Mapping[str, str] = {
    "Pearson": "pearsonr",
    "Spearman": "spearmanr",
    "Kendall": "kendalltau",
}
"""Correlation -> what SciPy calls it. The first, that of the paper, decides what agrees best."""

FEWEST = 3


def read_ratings(path: str | Path) -> dict[str, dict[str, float]]:
    """Return dialogue id -> rater -> rating, of a CSV file with the columns `COLUMNS`.

    Dialogues that a rater has not rated yet, without a rating, are left out.

    Raises:
        InputError: The file cannot be read, lacks a column, has a rating that is no number, or
            one twice.
    """
    source = shown_name(path)
    text = decoded(read_bytes(path), source)
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    if not {*COLUMNS} <= {*(rows.fieldnames or ())}:
        raise InputError(source, f"expected a CSV file with the columns {', '.join(COLUMNS)}")
    ratings: dict[str, dict[str, float]] = {}
    problems = Findings()
    for row in rows:
        id_, rater, rating = ((row[column] or "").strip() for column in COLUMNS)
        if not rating:
            continue
        place = f"line {rows.line_num}"
        try:
            value = float(rating)
        except ValueError:
            value = math.nan
        of_dialogue = ratings.setdefault(dialogue_id(id_), {})
        if not math.isfinite(value):
            problems.add(place, f"expected a number as rating, found {shown(rating)}")
        elif not id_ or not rater:
            problems.add(place, "expected the id of a dialogue and the name of a rater")
        elif rater in of_dialogue:
            problems.add(place, "the rater has rated the dialogue before; keep one rating")
        of_dialogue[rater] = value
    refuse(source, problems)
    return ratings


BEST_OF = [step / 20 for step in range(41)]
"""The values of λ of which the one is found that agrees best."""


def tracker_agreement(
    ratings: Mapping[str, Mapping[str, float]],
    dialogues: Sequence[TrackedDialogue],
    choices: Choices,
    rates: Mapping[str, Mapping[str, float]],
    source: str,
) -> dict[str, Any]:
    """Return how far JGA, FGA, GCA and the rates of responses agree with people.

    Args:
        ratings: Dialogue id -> rater -> rating.
        dialogues: The tracked dialogues.
        choices: What the metrics leave open; intervals are shown of its values of λ.
        rates: Metric of responses -> dialogue id -> score.
        source: What messages call the ratings.

    Returns:
        As `agreement`.

    Raises:
        InputError: As `agreement`.
    """
    labels = [lambda_label(decay) for decay in dict.fromkeys([*choices.lambdas, *BEST_OF])]
    wider = replace(choices, lambdas=[float(label) for label in labels])
    figures = dialogue_figures(dialogues, wider)
    ids = [dialogue_id(dialogue.id) for dialogue in dialogues]
    candidates = {f"FGA λ={label}": f"FGA.{label}" for label in labels}
    scores = {
        title: dict(zip(ids, (of_dialogue[key] for of_dialogue in figures), strict=True))
        for title, key in {"JGA": "JGA", **candidates, "GCA": "GCA"}.items()
    }
    shown = list(candidates)[: len(choices.lambdas)]
    return agreement(ratings, {**scores, **rates}, list(candidates), shown, source)


def agreement(
    ratings: Mapping[str, Mapping[str, float]],
    scores: Mapping[str, Mapping[str, float]],
    candidates: Sequence[str],
    shown: Collection[str],
    source: str,
) -> dict[str, Any]:
    """Return how far metrics agree with people, with intervals by dialogue.

    Args:
        ratings: Dialogue id -> rater -> rating.
        scores: Metric -> dialogue id -> score; all have the same dialogues.
        candidates: The metrics of which the one that agrees best is found: FGA by its λ.
        shown: Those of them whose intervals are wanted in any case.
        source: What messages call the ratings.

    Returns:
        As JSON types, the number of `dialogues` that are rated and scored, and of `raters`; their
        `alpha`, Krippendorff's of ratings on an interval scale, or None and, in `without`, why;
        `correlations`, metric -> coefficient -> its value and interval (None where a side is
        constant); `rates`, candidate -> Pearson's correlation; and `best`, the candidate for which
        that is highest, the first of equals, None of none.

    Raises:
        InputError: Ratings are of unknown dialogues, or of too few.
    """
    unscored = sorted(ratings.keys() - next(iter(scores.values())).keys())
    if unscored:
        named = ", ".join(unscored[:5]) + ("…" if unscored[5:] else "")
        raise InputError(source, f"rates {len(unscored)} dialogues that are not scored: {named}")
    if len(ratings) < FEWEST:
        raise InputError(source, f"expected ratings of at least {FEWEST} dialogues")
    ids = sorted(ratings)
    people = np.array([fmean(ratings[id_].values()) for id_ in ids])
    columns = {name: np.array([own[id_] for id_ in ids]) for name, own in scores.items()}
    decisive = next(iter(COEFFICIENTS))
    rates = {name: _correlation(decisive, people, columns[name]) for name in candidates}
    defined = {name: rate for name, rate in rates.items() if rate is not None}
    best = max(defined, key=defined.__getitem__, default=None)
    picked = [name for name in columns if name not in rates or name == best or name in shown]
    alpha, without = _alpha(ratings)
    return {
        "dialogues": len(ids),
        "raters": len({rater for own in ratings.values() for rater in own}),
        "alpha": alpha,
        "without": without,
        "correlations": {
            name: {one: _interval(one, people, columns[name]) for one in COEFFICIENTS}
            for name in picked
        },
        "rates": rates,
        "best": best,
    }


def _correlation(coefficient: str, first: Any, second: Any) -> float | None:
    """Return a correlation; None where a side is constant."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(getattr(stats, COEFFICIENTS[coefficient])(first, second).statistic)


def _interval(coefficient: str, people: Any, scores: Any) -> dict[str, Any] | None:
    value = _correlation(coefficient, people, scores)
    if value is None:
        return None

    # Samples in which a side is constant say nothing.
    def of_sample(counts: Any) -> float | None:
        return _correlation(coefficient, np.repeat(people, counts), np.repeat(scores, counts))

    return asdict(bootstrap_interval(value, of_sample, len(people)))


def _alpha(ratings: Mapping[str, Mapping[str, float]]) -> tuple[float | None, str]:
    """Return Krippendorff's alpha; or None, and why there is none."""
    raters = sorted({rater for own in ratings.values() for rater in own})
    if all(len(own) < 2 for own in ratings.values()):
        return None, "no dialogue has two raters"
    if len({rating for own in ratings.values() for rating in own.values()}) < 2:
        return None, "all ratings are equal"
    try:
        import krippendorff
    except ImportError:
        return None, "pip install 'multiwoz-harness[ratings]'"
    table = [[own.get(rater, math.nan) for own in ratings.values()] for rater in raters]
    return float(krippendorff.alpha(table, level_of_measurement="interval")), ""


def agreement_table(agreed: Mapping[str, Any]) -> Table:
    """Return what `agreement` gives as a table, and what is to be said of the raters."""
    alpha = f"– ({agreed['without']})" if agreed["alpha"] is None else figure(agreed["alpha"], 2)
    notes = [
        f"{counted(agreed['dialogues'], 'dialogue')}, {counted(agreed['raters'], 'rater')}; "
        f"Krippendorff's alpha {alpha}"
    ]
    if agreed["best"] is not None:
        notes.append(f"of all λ, {agreed['best']} agrees best; it is chosen on these ratings")
    return Table(
        "ratings",
        "Agreement of metrics with people's ratings of dialogues",
        [f"correlation [{INTERVAL_LEVEL} %]", *COEFFICIENTS],
        [
            [name, *("–" if one is None else Interval(**one).text(2) for one in own.values())]
            for name, own in agreed["correlations"].items()
        ],
        [
            {"metric": name, **{key: one and one["value"] for key, one in own.items()}}
            for name, own in agreed["correlations"].items()
        ],
        notes,
    )


RATINGS_FILE = "ratings.csv"

SHEETS = 100
"""How many dialogues are drawn to be rated, as many as in the paper."""

_RULE = "-" * 72
_QUESTION = (
    "Did the tracker keep up with what the user wants, over the whole dialogue?\n"
    f"Write 1 (yes) or 0 (no) as its rating into {RATINGS_FILE}, with your name as rater."
)


def write_rating_sheets(
    folder: Path,
    dialogues: Sequence[TrackedDialogue],
    benchmark: Benchmark,
    choices: Choices = Choices(),
) -> list[str]:
    """Write a sheet for each of some dialogues drawn at random, and a table to fill in.

    Args:
        folder: Where to write; made if need be.
        dialogues: The dialogues.
        benchmark: What says what was said in them.
        choices: Which variant of joint accuracy is meant.

    Returns:
        The ids of the dialogues drawn.

    Raises:
        InputError: The folder has a table already, a dialogue is not in the benchmark, or a file
            cannot be written.
    """
    if (folder / RATINGS_FILE).exists():
        raise InputError(str(folder / RATINGS_FILE), "is there already; choose another folder")
    known = sorted((dialogue_id(dialogue.id), dialogue) for dialogue in dialogues)
    drawn = sorted(random.Random(SEED).sample(known, min(SHEETS, len(known))))
    lacking = [id_ for id_, _ in drawn if id_ not in benchmark.dialogues]
    if lacking:
        raise InputError(
            lacking[0], f"not in the benchmark {benchmark.name}, which has what was said"
        )
    sheets = {id_: "\n".join(_sheet(id_, dialogue, benchmark, choices)) for id_, dialogue in drawn}
    for id_, sheet in sheets.items():
        write_text(str(folder / f"{id_}.txt"), sheet)
    # Last: whoever finds it finds all sheets.
    write_text(
        str(folder / RATINGS_FILE),
        "".join(f"{line}\n" for line in ["id,rater,rating", *(f"{id_},," for id_ in sheets)]),
    )
    return list(sheets)


def _sheet(
    id_: str, dialogue: TrackedDialogue, benchmark: Benchmark, choices: Choices
) -> Iterator[str]:
    said = benchmark.dialogues[id_]
    states = dialogue_states(dialogue, choices)
    yield from (f"Dialogue {id_}", _RULE)
    for number, pair in zip(states.numbers, states.turns, strict=True):
        before = said.responses[number - 1 : number] if number else ()
        yield f"Turn {number}"
        yield f"System:    {_text(before)}" if number else "System:"
        yield f"User:      {_text(said.users[number : number + 1])}"
        yield ""
        yield f"Gold:      {_state(pair.gold)}"
        yield f"Predicted: {_state(pair.predicted)}"
        yield f"The same:  {'yes' if pair.gold == pair.predicted else 'no'}"
        yield _RULE
    yield _QUESTION + "\n"


def _text(said: Sequence[str]) -> str:
    return " ".join(" ".join(said).split()) or "(not known)"


def _state(state: Mapping[tuple[str, str], str]) -> str:
    return ", ".join(f"{'-'.join(slot)}: {state[slot]}" for slot in sorted(state)) or "(empty)"
