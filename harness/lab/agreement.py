"""How far metrics of dialogues and turns agree with human ratings of the same.

Dey, Kummara & Desarkar (2022), section 4, correlate JGA and FGA with the ratings of dialogues.
Several raters' mean rates a dialogue; how far raters agree is Krippendorff's alpha. A preference
between the responses of two systems is held against the difference of the systems' scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

from ..benchmark import CANONICAL_STYLE
from ..comparison import INTERVAL_LEVEL, Interval, bootstrap_interval
from ..errors import Findings, InputError, counted, refuse
from ..io import Table, figure
from ..metrics import (
    Choices,
    Played,
    TrackedDialogue,
    lambda_label,
    percent,
    tokenize_13a,
    totals_of,
)
from ..scoring import sentence_bleu
from ..submission import dialogue_id
from .analysis import dialogue_figures
from .ratings import VERSUS, Ratings, Unit

Agreement: TypeAlias = dict[str, Any]
"""How far metrics agree with people, as JSON types: what `agreement` returns."""

Numbers: TypeAlias = npt.NDArray[np.float64]


def _pearson(first: Numbers, second: Numbers) -> float:
    # Bootstrap samples are thousands: SciPy's takes ten times as long.
    return float(np.corrcoef(first, second)[0, 1])


COEFFICIENTS: Mapping[str, Callable[[Numbers, Numbers], float]] = {
    "Pearson": _pearson,
    "Spearman": lambda first, second: _pearson(stats.rankdata(first), stats.rankdata(second)),
    "Kendall": lambda first, second: float(stats.kendalltau(first, second).statistic),
}
"""Correlation -> its function. The first, that of the paper, decides what agrees best."""

SAME_SIGN = "same preference"
"""The share of the units where both sides have the same sign, of those where neither is 0."""

FEWEST = 3

_FEWEST_DECIDED = 10
"""In how many units people and metric have to decide for `SAME_SIGN` to say something."""


def criteria_agreement(
    criteria: Mapping[str, Ratings],
    scores: Mapping[str, Mapping[Unit, float]],
    source: str,
) -> dict[str, Agreement]:
    """Return how far metrics agree with people by each criterion.

    Args:
        criteria: Criterion -> ratings.
        scores: Metric -> dialogue or turn -> score.
        source: What messages call the ratings.

    Returns:
        Criterion -> as `agreement`; and `lost`, how many dialogues lose the grounded scores: where
        few do, correlations say little.

    Raises:
        InputError: As `agreement`.
    """
    agreed = {}
    for criterion, rated in criteria.items():
        agreed[criterion] = agreement(rated, scores, (), (), source)
        lost = {}
        for metric, by_unit in scores.items():
            if metric.startswith("Grounded"):
                lost[f"{metric}, lost"] = sum(not by_unit[unit] for unit in rated)
        agreed[criterion]["lost"] = lost
    return agreed


def plain_scores(run: Any) -> dict[str, dict[Unit, float]]:
    """Return metric -> dialogue id -> score of dialogues in plain English.

    Args:
        run: The `PlainDialogues` of `grounding`.
    """
    scores: dict[str, dict[Unit, float]] = {}
    for id_, outcome in run.outcomes.items():
        texts = [turn.original for turn in run.normalized.dialogues[id_].plain]
        measures = {
            "Grounded Inform": outcome.inform_all,
            "Grounded Success": outcome.success_all,
            "turns": len(texts),
            "words": sum(len(text.split()) for text in texts),
        }
        for metric, value in measures.items():
            scores.setdefault(metric, {})[dialogue_id(id_)] = float(value)
    return scores


BEST_OF = [step / 20 for step in range(41)]
"""The values of λ of which the one is found that agrees best."""


def tracker_agreement(
    ratings: Ratings,
    dialogues: Sequence[TrackedDialogue],
    choices: Choices,
    rates: Mapping[str, Mapping[Unit, float]],
    source: str,
) -> Agreement:
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
    candidates = {f"FGA λ={label}": f"FGA.{label}" for label in labels}
    scores: dict[str, dict[Unit, float]] = {"JGA": {}}
    scores |= {title: {} for title in candidates}
    scores["GCA"] = {}
    wider = replace(choices, lambdas=[float(label) for label in labels])
    figures = dialogue_figures(dialogues, wider)
    for dialogue, figures_of_dialogue in zip(dialogues, figures, strict=True):
        for title, by_dialogue in scores.items():
            key = candidates.get(title, title)
            by_dialogue[dialogue_id(dialogue.id)] = figures_of_dialogue[key]
    wanted = list(candidates)[: len(choices.lambdas)]
    return agreement(ratings, {**scores, **rates}, list(candidates), wanted, source)


def agreement(
    ratings: Ratings,
    scores: Mapping[str, Mapping[Unit, float]],
    candidates: Sequence[str],
    wanted: Collection[str],
    source: str,
    coefficients: Sequence[str] = tuple(COEFFICIENTS),
) -> Agreement:
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
    units = sorted(ratings, key=_place)
    _refuse_unscored(units, next(iter(scores.values())), source)
    if len(units) < FEWEST:
        raise InputError(source, f"expected ratings of at least {FEWEST} dialogues")
    people = np.array([fmean(ratings[unit].values()) for unit in units])
    columns = {}
    for name, by_unit in scores.items():
        columns[name] = np.array([by_unit[unit] for unit in units])

    decisive = next(iter(COEFFICIENTS))
    rates = {name: _correlation(decisive, people, columns[name]) for name in candidates}
    best, highest = None, -math.inf
    for name, rate in rates.items():
        if rate is not None and rate > highest:
            best, highest = name, rate

    # Dialogues are drawn, each with all its turns.
    dialogues, places = np.unique([_place(unit)[0] for unit in units], return_inverse=True)
    correlations: dict[str, dict[str, object]] = {}
    for name, column in columns.items():
        if name not in rates or name == best or name in wanted:
            correlations[name] = {}
            for coefficient in coefficients:
                interval = _interval(coefficient, people, column, places)
                correlations[name][coefficient] = None if interval is None else asdict(interval)
    raters = sorted(set(chain.from_iterable(ratings.values())))
    alpha, without = _alpha(ratings, raters)
    return {
        "dialogues": len(dialogues),
        "units": len(units),
        "raters": len(raters),
        "alpha": alpha,
        "without": without,
        "correlations": correlations,
        "rates": rates,
        "best": best,
    }


def _refuse_unscored(units: Sequence[Unit], scored: Container[Unit], source: str) -> None:
    problems = Findings()
    for unit in units:
        if unit not in scored:
            name = unit if isinstance(unit, str) else f"{unit[0]}, turn {unit[1]}"
            problems.add(name, "is rated, but not scored")
    refuse(source, problems)


def _place(unit: Unit) -> tuple[str, int]:
    """Return a unit's dialogue and turn; the turn of a whole dialogue is 0."""
    return (unit, 0) if isinstance(unit, str) else unit


def _correlation(coefficient: str, first: Numbers, second: Numbers) -> float | None:
    """Return a coefficient; None where a side is constant, or one of them 0 everywhere."""
    if coefficient == SAME_SIGN:
        product = first * second
        return float(np.mean(product[product != 0] > 0)) if np.any(product) else None
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return COEFFICIENTS[coefficient](first, second)


def _interval(
    coefficient: str, people: Numbers, scores: Numbers, places: npt.NDArray[np.intp]
) -> Interval | None:
    """Return a coefficient and its interval; None where it says nothing.

    Args:
        coefficient: Of `COEFFICIENTS`, or `SAME_SIGN`.
        people: The mean rating of each unit.
        scores: The score of each unit.
        places: The number of each unit's dialogue.
    """
    value = _correlation(coefficient, people, scores)
    decided = np.count_nonzero(people * scores)
    if value is None or (coefficient == SAME_SIGN and decided < _FEWEST_DECIDED):
        return None

    # Samples in which a side is constant say nothing.
    def of_sample(counts: npt.NDArray[np.int64]) -> float | None:
        times = counts[places]
        return _correlation(coefficient, np.repeat(people, times), np.repeat(scores, times))

    return bootstrap_interval(value, of_sample, int(places.max()) + 1)


def _alpha(ratings: Ratings, raters: Sequence[str]) -> tuple[float | None, str]:
    """Return Krippendorff's alpha; or None, and why there is none."""
    if all(len(by_rater) < 2 for by_rater in ratings.values()):
        return None, "nothing has two raters"
    values: set[float] = set()
    for by_rater in ratings.values():
        values.update(by_rater.values())
    if len(values) < 2:
        return None, "all ratings are equal"
    try:
        import krippendorff
    except ImportError:
        return None, "pip install krippendorff"
    table = []
    for rater in raters:
        table.append([by_rater.get(rater, math.nan) for by_rater in ratings.values()])
    return float(krippendorff.alpha(table, level_of_measurement="interval")), ""


def agreement_table(
    agreed: Agreement, title: str = "Agreement of metrics with people's ratings of dialogues"
) -> Table:
    """Return the result of `agreement` as a table, with notes on the raters."""
    alpha = f"– ({agreed['without']})" if agreed["alpha"] is None else figure(agreed["alpha"], 2)
    raters = f"{counted(agreed['dialogues'], 'dialogue')}, {counted(agreed['raters'], 'rater')}"
    if agreed["units"] != agreed["dialogues"]:
        raters = f"{counted(agreed['units'], 'turn')} of {raters}"
    notes = [f"{raters}; Krippendorff's alpha {alpha}"]
    notes += [f"{name}: {number}" for name, number in agreed.get("lost", {}).items()]
    if agreed["best"] is not None:
        notes.append(f"of all λ, {agreed['best']} agrees best; it is chosen on these ratings")
    for key in ("preferred", "decided"):
        if key in agreed:
            numbers = ", ".join(f"{name} {number}" for name, number in agreed[key].items())
            notes.append(f"{key} (by one vote or more): {numbers}")
    headers = [f"agreement [{INTERVAL_LEVEL} %]", *next(iter(agreed["correlations"].values()))]
    rows, data = [], []
    for name, correlations in agreed["correlations"].items():
        row = [name]
        record = {"table": title, "metric": name}
        for coefficient, interval in correlations.items():
            row.append("–" if interval is None else Interval(**interval).text(2))
            record[coefficient] = None if interval is None else interval["value"]
        rows.append(row)
        data.append(record)
    return Table("ratings", title, headers, rows, data, notes)


def preference_agreement(
    preferences: Mapping[tuple[str, str, str], Ratings], played: Mapping[str, Played], source: str
) -> dict[str, Agreement]:
    """Return how far metrics prefer the responses that people prefer, by turn and by dialogue.

    There is nothing by dialogue where people rate one turn of each. Otherwise, a dialogue has the
    sums over its turns, of preferences as of counts and F1.

    Args:
        preferences: First system, second system and criterion -> the ratings of turns.
        played: System -> its responses, played on the benchmark.
        source: What messages call the preferences.

    Returns:
        Title -> as `agreement`; `preferred`: in how many units people prefer which system; and
        `decided`, metric -> in how many both people and metric prefer one.

    Raises:
        InputError: There are preferences in too few turns or dialogues, or of unknown ones.
    """
    scores = {name: _response_scores(system) for name, system in played.items()}
    units = sorted(set(chain.from_iterable(preferences.values())), key=_place)
    for by_unit in scores.values():
        _refuse_unscored(units, by_unit, source)
    agreed = {}
    for (first, second, criterion), by_turn in preferences.items():
        by_dialogue: dict[Unit, dict[str, float]] = {}
        for unit, by_rater in by_turn.items():
            sums = by_dialogue.setdefault(_place(unit)[0], {})
            for rater, rating in by_rater.items():
                sums[rater] = sums.get(rater, 0.0) + rating
        levels = {"turn by turn": by_turn, "dialogue by dialogue": by_dialogue}
        # Who sees one turn does not judge a dialogue.
        if len(by_turn) == len(by_dialogue):
            del levels["dialogue by dialogue"]
        for how, ratings in levels.items():
            preferred = {first: 0, second: 0, "neither": 0}
            decided: dict[str, int] = {}
            gains: dict[str, dict[Unit, float]] = {}
            for unit, by_rater in ratings.items():
                rating = fmean(by_rater.values())
                preferred[first] += rating > 0
                preferred[second] += rating < 0
                preferred["neither"] += rating == 0
                for metric, score in scores[first][unit].items():
                    gain = round(score - scores[second][unit][metric], 9)
                    gains.setdefault(metric, {})[unit] = gain
                    decided[metric] = decided.get(metric, 0) + (rating * gain != 0)
            agreed[f"{criterion}, {first}{VERSUS}{second}, {how}"] = {
                **agreement(ratings, gains, (), (), source, (SAME_SIGN, "Pearson")),
                "preferred": preferred,
                "decided": decided,
            }
    return agreed


def _response_scores(played: Played) -> dict[Unit, dict[str, float]]:
    """Return turn or dialogue -> metric -> score.

    BLEU is of the sentence or of the whole dialogue; placeholders are those of the ontology, each
    once a turn; words are the tokens of BLEU. A dialogue has the sums of the latter.
    """
    slots = frozenset(played.rules.ontology.values())
    scores: dict[Unit, dict[str, float]] = {}
    for result in played.results:
        texts = played.responses[result.id]
        references = played.benchmark.dialogues[result.id].references[CANONICAL_STYLE]
        sums: dict[str, float] = {}
        for number, bleu in enumerate(sentence_bleu(texts, references)):
            words = tokenize_13a(texts[number])
            system = slots.intersection(words)
            human = slots.intersection(tokenize_13a(references[number]))
            turn = {
                "BLEU": bleu,
                "F1 of placeholders": percent(
                    2 * len(system & human), len(system) + len(human), of_nothing=1
                ),
                "placeholders": float(len(system)),
                "words": float(len(words)),
            }
            scores[result.id, number] = turn
            for metric, score in turn.items():
                sums[metric] = sums.get(metric, 0.0) + score
        counts = (1, result.inform, result.success, *result.bleu[CANONICAL_STYLE])
        figures = totals_of([counts])
        rates = {name.capitalize(): figures[name] for name in ("inform", "success", "combined")}
        scores[result.id] = {**rates, **sums, "BLEU": figures["bleu"]}
    return scores
