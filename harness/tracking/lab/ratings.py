"""Human ratings of dialogues and turns, and how far metrics of the same agree with them.

Dey, Kummara & Desarkar (2022), section 4, correlate JGA and FGA with the ratings of dialogues.
Several raters' mean rates a dialogue; how far raters agree is Krippendorff's alpha.

A preference between the responses of two systems is a rating, too: 1 for the first system, -1 for
the second, 0 for neither. It is held against the difference of the systems' scores.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
from scipy import stats

from ...benchmark import CANONICAL_STYLE
from ...comparison import INTERVAL_LEVEL, Interval, bootstrap_interval
from ...errors import Findings, InputError, counted, cut_repr, refuse
from ...io import (
    Table,
    decoded,
    figure,
    read_bytes,
    read_json,
    shown_name,
    validated,
)
from ...metrics import (
    Choices,
    Played,
    TrackedDialogue,
    lambda_label,
    percent,
    tokenize_13a,
    totals_of,
)
from ...scoring import sentence_bleu
from ...submission import dialogue_id
from .analysis import dialogue_figures

Unit: TypeAlias = Any
"""What is rated: a dialogue, by its id, or a turn, by the dialogue's id and its number from 0."""

Ratings: TypeAlias = Mapping[Unit, Mapping[str, float]]
"""Dialogue or turn -> rater -> rating."""

COLUMNS = ("id", "rater", "rating")
COEFFICIENTS: Mapping[str, str] = {
    "Pearson": "pearsonr",
    "Spearman": "spearmanr",
    "Kendall": "kendalltau",
}
"""Correlation -> what SciPy calls it. The first, that of the paper, decides what agrees best."""

SAME_SIGN = "same preference"
"""The share of the units where both sides have the same sign, of those where neither is 0."""

_NUMBER = re.compile(r"[+-]?(\d+\.?|\d*\.\d+)", re.ASCII)

FEWEST = 3

_FEWEST_DECIDED = 10
"""In how many units people and metric have to decide for `SAME_SIGN` to say something."""

_VERSUS = " vs. "
"""Stands between the names of two systems that are compared."""


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
        of_dialogue = ratings.setdefault(dialogue_id(id_), {})
        if not _NUMBER.fullmatch(rating):
            problems.add(place, f"expected a number as rating, found {cut_repr(rating)}")
        elif not id_ or not rater:
            problems.add(place, "expected the id of a dialogue and the name of a rater")
        elif rater in of_dialogue:
            problems.add(place, "the rater has rated the dialogue before; keep one rating")
        else:
            of_dialogue[rater] = float(rating)
    refuse(source, problems)
    return ratings


BEST_OF = [step / 20 for step in range(41)]
"""The values of λ of which the one is found that agrees best."""


def tracker_agreement(
    ratings: Ratings,
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
    wanted = list(candidates)[: len(choices.lambdas)]
    return agreement(ratings, {**scores, **rates}, list(candidates), wanted, source)


def agreement(
    ratings: Ratings,
    scores: Mapping[str, Mapping[Unit, float]],
    candidates: Sequence[str],
    wanted: Collection[str],
    source: str,
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
) -> dict[str, Any]:
    """Return how far metrics agree with people, with intervals by dialogue.

    Args:
        ratings: Dialogue or turn -> rater -> rating.
        scores: Metric -> dialogue or turn -> score; all have the same ones.
        candidates: The metrics of which the one that agrees best is found: FGA by its λ.
        wanted: The candidates that get intervals even if another agrees better.
        source: What messages call the ratings.
        coefficients: Of `COEFFICIENTS`, or `SAME_SIGN`.

    Returns:
        As JSON types, the number of `dialogues` that are rated and scored, of `units` (dialogues or
        turns) and of `raters`; their `alpha`, Krippendorff's of ratings on an interval scale, or
        None and, in `without`, why; `correlations`, metric -> coefficient -> its value and interval
        (None where a side is constant, or fewer than 10 units are decided); `rates`, candidate ->
        Pearson's correlation; and `best`, the candidate for which that is highest, the first of
        equals, None of none.

    Raises:
        InputError: Ratings are of unknown dialogues, or of too few.
    """
    unscored = sorted(ratings.keys() - next(iter(scores.values())).keys())
    refuse(source, [f"{unit} is rated, but not scored" for unit in unscored])
    if len(ratings) < FEWEST:
        raise InputError(source, f"expected ratings of at least {FEWEST} dialogues")
    units = sorted(ratings)
    # Dialogues are drawn, each with all its turns.
    owners = [unit if isinstance(unit, str) else unit[0] for unit in units]
    dialogues, places = np.unique(owners, return_inverse=True)
    people = np.array([fmean(ratings[unit].values()) for unit in units])
    columns = {name: np.array([of[unit] for unit in units]) for name, of in scores.items()}
    decisive = next(iter(COEFFICIENTS))
    rates = {name: _correlation(decisive, people, columns[name]) for name in candidates}
    defined = {name: rate for name, rate in rates.items() if rate is not None}
    best = max(defined, key=defined.__getitem__, default=None)
    picked = [name for name in columns if name not in rates or name == best or name in wanted]
    alpha, without = _alpha(ratings)
    return {
        "dialogues": len(dialogues),
        "units": len(units),
        "raters": len({rater for by_rater in ratings.values() for rater in by_rater}),
        "alpha": alpha,
        "without": without,
        "correlations": {
            name: {one: _interval(one, people, columns[name], places) for one in coefficients}
            for name in picked
        },
        "rates": rates,
        "best": best,
    }


def _correlation(coefficient: str, first: Any, second: Any) -> float | None:
    """Return a coefficient; None where a side is constant, or one of them 0 everywhere."""
    if coefficient == SAME_SIGN:
        product = first * second
        return float(np.mean(product[product != 0] > 0)) if np.any(product) else None
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(getattr(stats, COEFFICIENTS[coefficient])(first, second).statistic)


def _interval(coefficient: str, people: Any, scores: Any, places: Any) -> dict[str, Any] | None:
    value = _correlation(coefficient, people, scores)
    decided = np.count_nonzero(people * scores)
    if value is None or (coefficient == SAME_SIGN and decided < _FEWEST_DECIDED):
        return None

    # Samples in which a side is constant say nothing.
    def of_sample(counts: Any) -> float | None:
        times = counts[places]
        return _correlation(coefficient, np.repeat(people, times), np.repeat(scores, times))

    return asdict(bootstrap_interval(value, of_sample, places.max() + 1))


def _alpha(ratings: Ratings) -> tuple[float | None, str]:
    """Return Krippendorff's alpha; or None, and why there is none."""
    raters = sorted({rater for by_rater in ratings.values() for rater in by_rater})
    if all(len(by_rater) < 2 for by_rater in ratings.values()):
        return None, "nothing has two raters"
    if len({rating for by_rater in ratings.values() for rating in by_rater.values()}) < 2:
        return None, "all ratings are equal"
    try:
        import krippendorff
    except ImportError:
        return None, "pip install krippendorff"
    table = [[by_rater.get(rater, math.nan) for by_rater in ratings.values()] for rater in raters]
    return float(krippendorff.alpha(table, level_of_measurement="interval")), ""


def agreement_table(
    agreed: Mapping[str, Any],
    title: str = "Agreement of metrics with people's ratings of dialogues",
) -> Table:
    """Return the result of `agreement` as a table, with notes on the raters."""
    alpha = f"– ({agreed['without']})" if agreed["alpha"] is None else figure(agreed["alpha"], 2)
    turns = f"{counted(agreed['units'], 'turn')} of " * (agreed["units"] != agreed["dialogues"])
    notes = [
        f"{turns}{counted(agreed['dialogues'], 'dialogue')}, {counted(agreed['raters'], 'rater')}; "
        f"Krippendorff's alpha {alpha}"
    ]
    if agreed["best"] is not None:
        notes.append(f"of all λ, {agreed['best']} agrees best; it is chosen on these ratings")
    for what in ("preferred", "decided"):
        numbers = [f"{name} {number}" for name, number in agreed.get(what, {}).items()]
        notes += [f"{what} (by one vote or more): {', '.join(numbers)}"] if numbers else []
    return Table(
        "ratings",
        title,
        [f"agreement [{INTERVAL_LEVEL} %]", *next(iter(agreed["correlations"].values()))],
        [
            [name, *("–" if one is None else Interval(**one).text(2) for one in values.values())]
            for name, values in agreed["correlations"].items()
        ],
        [
            {"table": title, "metric": name} | {key: r and r["value"] for key, r in values.items()}
            for name, values in agreed["correlations"].items()
        ],
        notes,
    )


@dataclass(frozen=True)
class RatedDialogue:
    """A dialogue in a file of preferences.

    Attributes:
        file: Its id.
        info: Its turns, from the first: system -> response, and "A vs. B" -> criterion -> what each
            rater prefers, "A", "B" or "Tie".
    """

    file: str
    info: Sequence[Mapping[str, Any]]


def read_preferences(
    path: str | Path,
) -> tuple[dict[str, dict[str, list[Any]]], Mapping[tuple[str, str, str], Ratings]]:
    """Return the responses of systems, and which of them people prefer.

    Returns:
        System -> dialogue id -> responses; and first system, second system and criterion -> the
        ratings of turns.

    Raises:
        InputError: The file cannot be read or has another layout, or a turn has a preference for
            another system.

    Source: human_evaluation/human_annotation.json of InitialBug/MarCo-Dialog (Wang et al., 2020).
    """
    source = shown_name(path)
    content = validated(list[RatedDialogue], read_json(path), source)
    pairs = {key for one in content for turn in one.info for key in turn if _VERSUS in key}
    if not pairs:
        raise InputError(source, f"expected preferences in its turns, under 'A{_VERSUS}B'")
    systems = sorted({name for pair in pairs for name in pair.split(_VERSUS, 1)})
    responses: dict[str, dict[str, list[Any]]] = {name: {} for name in systems}
    preferences: dict[tuple[str, str, str], dict[Unit, dict[str, float]]] = {}
    problems = Findings()
    turns = [(dialogue_id(one.file), *turn) for one in content for turn in enumerate(one.info)]
    for id_, number, turn in turns:
        place = f"dialogue {id_}, turn {number}"
        for name, of_system in responses.items():
            of_system.setdefault(id_, []).append(turn.get(name))
        for pair in (key for key in turn if _VERSUS in key):
            first, second = pair.split(_VERSUS, 1)
            values = {"tie": 0.0, first.casefold(): 1.0, second.casefold(): -1.0}
            by_criterion = validated(dict[str, list[str]], turn[pair], source, f"{place}: {pair}")
            for criterion, raters in by_criterion.items():
                names = [name.casefold() for name in raters]
                if not names or not values.keys() >= {*names}:
                    expected = f"expected {first}, {second} or Tie of each rater"
                    problems.add(place, f"{criterion}: {expected}")
                preferences.setdefault((first, second, criterion), {})[id_, number] = {
                    str(rater): values.get(name, 0.0) for rater, name in enumerate(names)
                }
    refuse(source, problems)
    return responses, preferences


def preference_agreement(
    preferences: Mapping[tuple[str, str, str], Ratings], played: Mapping[str, Played], source: str
) -> dict[str, dict[str, Any]]:
    """Return how far metrics prefer the responses that people prefer, by turn and by dialogue.

    A dialogue has the sums over its turns, of preferences as of counts and F1.

    Args:
        preferences: First system, second system and criterion -> the ratings of turns.
        played: System -> its responses, played on the benchmark.
        source: What messages call the preferences.

    Returns:
        Title -> as `agreement`; `preferred`: in how many units people prefer which system; and
        `decided`, metric -> in how many both people and metric prefer one.

    Raises:
        InputError: There are preferences in too few turns or dialogues.
    """
    scores = {name: _response_scores(one) for name, one in played.items()}
    agreed = {}
    for (first, second, criterion), ratings in preferences.items():
        by_dialogue: dict[str, Counter[str]] = {}
        for (id_, _), by_rater in ratings.items():
            by_dialogue.setdefault(id_, Counter()).update(by_rater)  # adds up
        for how, rated in (("turn by turn", ratings), ("dialogue by dialogue", by_dialogue)):
            ours, theirs = scores[first], scores[second]
            people = {unit: fmean(by_rater.values()) for unit, by_rater in rated.items()}
            gains = {
                metric: {
                    unit: round(ours[unit][metric] - theirs[unit][metric], 9) for unit in rated
                }
                for metric in ours[next(iter(rated))]
            }
            signs = Counter(map(np.sign, people.values()))
            agreed[f"{criterion}, {first}{_VERSUS}{second}, {how}"] = {
                **agreement(rated, gains, (), (), source, (SAME_SIGN, "Pearson")),
                "preferred": {first: signs[1], second: signs[-1], "neither": signs[0]},
                "decided": {
                    metric: sum(people[unit] * gain != 0 for unit, gain in of.items())
                    for metric, of in gains.items()
                },
            }
    return agreed


def _response_scores(played: Played) -> dict[Unit, dict[str, float]]:
    """Return turn or dialogue -> metric -> score.

    BLEU is of the sentence or of the whole dialogue; placeholders are those of the ontology, each
    once a turn; words are the tokens of BLEU. A dialogue has the sums of the latter.
    """
    slots = frozenset(played.rules.ontology.values())
    scores: dict[Unit, dict[str, float]] = {}
    for one in played.results:
        texts = played.responses[one.id]
        references = played.benchmark.dialogues[one.id].references[CANONICAL_STYLE]
        turns = []
        for number, bleu in enumerate(sentence_bleu(texts, references)):
            words, of_reference = tokenize_13a(texts[number]), tokenize_13a(references[number])
            system, human = slots.intersection(words), slots.intersection(of_reference)
            f1 = percent(2 * len(system & human), len(system) + len(human), of_nothing=1)
            counts = {"placeholders": float(len(system)), "words": float(len(words))}
            turns.append({"BLEU": bleu, "F1 of placeholders": f1, **counts})
        figures = totals_of([(1, one.inform, one.success, *one.bleu[CANONICAL_STYLE])])
        rates = {name.capitalize(): figures[name] for name in ("inform", "success", "combined")}
        sums = {metric: sum(turn[metric] for turn in turns) for metric in turns[0]}
        scores |= {(one.id, number): turn for number, turn in enumerate(turns)}
        scores[one.id] = {**rates, **sums, "BLEU": figures["bleu"]}
    return scores
