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
from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain, combinations, pairwise
from pathlib import Path
from statistics import fmean
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import stats

from ..benchmark import CANONICAL_STYLE, Benchmark
from ..comparison import INTERVAL_LEVEL, Interval, bootstrap_interval
from ..errors import Findings, InputError, counted, cut_repr, refuse
from ..io import Table, decoded, figure, read_bytes, read_json, shown_name, validated
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

Unit: TypeAlias = str | tuple[str, int]
"""What is rated: a dialogue, by its id, or a turn, by the dialogue's id and its number from 0."""

Ratings: TypeAlias = Mapping[Unit, Mapping[str, float]]
"""Dialogue or turn -> rater -> rating."""

Agreement: TypeAlias = dict[str, Any]
"""How far metrics agree with people, as JSON types: what `agreement` returns."""

Numbers: TypeAlias = npt.NDArray[np.float64]

COLUMNS = ("id", "rater", "rating")


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

_NUMBER = re.compile(r"[+-]?(\d+\.?|\d*\.\d+)", re.ASCII)

FEWEST = 3

_FEWEST_DECIDED = 10
"""In how many units people and metric have to decide for `SAME_SIGN` to say something."""

_VERSUS = " vs. "
"""Stands between the names of two systems that are compared."""


def _json_object(path: str | Path) -> str:
    content = read_json(path)
    # TD-Eval's ratings of whole dialogues have turns beside them.
    has_votes = isinstance(content, Mapping) and "turns" in content and "whole" not in content
    return "votes" if has_votes else "criteria"


_BEGINNINGS: Mapping[str, Callable[[str | Path], str]] = {
    "[": lambda path: "preferences",
    "{": _json_object,
    "USER\t": lambda path: "satisfaction",
}
"""How a file of ratings begins -> the function that names its layout."""


def layout_of(path: str | Path) -> str:
    """Return the layout of a file of ratings: a key of `LAYOUTS` of `lab`.

    Raises:
        InputError: The file cannot be read.
    """
    text = decoded(read_bytes(path), shown_name(path)).lstrip()
    for beginning, layout in _BEGINNINGS.items():
        if text.startswith(beginning):
            return layout(path)
    return "ratings"


def read_ratings(path: str | Path) -> Ratings:
    """Return dialogue id -> rater -> rating, of a CSV file with the columns `COLUMNS`.

    Dialogues that a rater has not rated yet, without a rating, are left out.

    Raises:
        InputError: The file cannot be read, lacks a column, has a rating that is no number, or
            one twice.
    """
    source = shown_name(path)
    text = decoded(read_bytes(path), source)
    rows = csv.DictReader(io.StringIO(text, newline=""), skipinitialspace=True)
    if not set(COLUMNS).issubset(rows.fieldnames or ()):
        raise InputError(source, f"expected a CSV file with the columns {', '.join(COLUMNS)}")
    ratings: dict[Unit, dict[str, float]] = {}
    problems = Findings()
    for row in rows:
        id_, rater, rating = ((row[column] or "").strip() for column in COLUMNS)
        if not rating:
            continue
        place = f"line {rows.line_num}"
        by_rater = ratings.setdefault(dialogue_id(id_), {})
        if not _NUMBER.fullmatch(rating):
            problems.add(place, f"expected a number as rating, found {cut_repr(rating)}")
        elif not id_ or not rater:
            problems.add(place, "expected the id of a dialogue and the name of a rater")
        elif rater in by_rater:
            problems.add(place, "the rater has rated the dialogue before; keep one rating")
        else:
            by_rater[rater] = float(rating)
    refuse(source, problems)
    return ratings


def read_criteria(path: str | Path) -> dict[str, Ratings]:
    """Return criterion -> ratings of dialogues, of a JSON file.

    It has, under `whole`, dialogue id -> criterion -> what each rater says.

    Raises:
        InputError: The file cannot be read, or has another layout.
    """
    source = shown_name(path)
    content = read_json(path)
    whole = content.get("whole") if isinstance(content, Mapping) else None
    if whole is None:
        expected = "`whole`: dialogue id -> criterion -> ratings, or `turns` with votes"
        raise InputError(source, f"expected {expected}")
    by_dialogue = validated(dict[str, dict[str, list[float]]], whole, source, "whole")
    criteria: dict[str, dict[Unit, dict[str, float]]] = {}
    for id_, by_criterion in by_dialogue.items():
        for criterion, ratings in by_criterion.items():
            by_rater = {str(rater): rating for rater, rating in enumerate(ratings)}
            criteria.setdefault(criterion, {})[dialogue_id(id_)] = by_rater
    return dict(criteria)


_OVERALL = "overall"

_SHARED = 2 / 3
"""Which share of what a dialogue's user says a rated dialogue has at least, if it is the same:
raters saw dialogues with questions added, some without the last words."""


def read_satisfaction(path: str | Path, benchmark: Benchmark) -> tuple[Ratings, Ratings]:
    """Return how satisfied people are with a benchmark's dialogues, and with their system turns.

    A rated dialogue is the benchmark's dialogue with which it shares most of what users say. The
    rating that stands at what the user says is of the system's turn before. Dialogues and turns
    that only the file has are left out.

    Args:
        path: A file of blocks of lines: speaker, text, acts and, of the user, what each rater says
            (with commas), with tabs between; the last is `OVERALL`.
        benchmark: Knows what users and people in the system's place say.

    Raises:
        InputError: The file cannot be read, has another layout, or rates none of its dialogues.

    Source: dataset/MWOZ.txt of sunnweiwei/user-satisfaction-simulation (Sun et al., 2021).
    """
    speakers: dict[str, list[str]] = {}
    for id_, dialogue in benchmark.dialogues.items():
        for text in set(map(_words, dialogue.users)):
            speakers.setdefault(text, []).append(id_)
    dialogues: dict[Unit, Mapping[str, float]] = {}
    turns: dict[Unit, Mapping[str, float]] = {}
    for lines in _rated_blocks(path):
        texts = {text for text, _ in lines}
        shared = Counter(chain.from_iterable(speakers.get(text, ()) for text in texts))
        for id_, number in shared.most_common(1):
            dialogue = benchmark.dialogues[id_]
            if number < _SHARED * len(set(map(_words, dialogue.users))):
                continue
            numbers = {_words(text): turn for turn, text in enumerate(dialogue.responses)}
            for (said, _), (text, by_rater) in pairwise(lines):
                if text == _OVERALL:
                    dialogues[id_] = by_rater
                elif by_rater and said in numbers:
                    turns[id_, numbers[said]] = by_rater
    if not dialogues:
        raise InputError(shown_name(path), f"rates no dialogue of {benchmark.name}")
    return dialogues, turns


def _rated_blocks(path: str | Path) -> list[list[tuple[str, dict[str, float]]]]:
    """Return the lines of each block: the words, and rater -> rating, of the user's."""
    source = shown_name(path)
    blocks: list[list[tuple[str, dict[str, float]]]] = [[]]
    problems = Findings()
    for number, line in enumerate(decoded(read_bytes(path), source).split("\n"), start=1):
        if not line.strip():
            blocks.append([])
            continue
        speaker, *fields = line.split("\t")
        ratings = fields[-1].strip().split(",") if fields and speaker == "USER" else []
        if len(fields) != 3 or not all(map(_NUMBER.fullmatch, ratings)):
            problems.add(f"line {number}", "expected USER or SYSTEM, text, acts and ratings")
            continue
        by_rater = {str(rater): float(rating) for rater, rating in enumerate(ratings)}
        blocks[-1].append((_words(fields[0]), by_rater))
    refuse(source, problems)
    return blocks


def _words(text: str) -> str:
    """Return a text's words: copies differ in spaces and punctuation."""
    return " ".join(re.findall(r"\w+", text.casefold()))


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


@dataclass(frozen=True)
class RatedDialogue:
    """A dialogue in a file of preferences.

    Attributes:
        file: Its id.
        info: Its turns, from the first: system -> response, and "A vs. B" -> criterion -> what each
            rater prefers, "A", "B" or "Tie".
    """

    file: str
    info: Sequence[Mapping[str, object]]


@dataclass(frozen=True)
class VotedTurn:
    """A turn in a file of votes: the dialogue's id, its number from 0, and each voter's votes."""

    dialogue: str
    turn: int
    votes: Sequence[Mapping[str, object]]


def read_preferences(
    path: str | Path,
) -> tuple[dict[str, dict[str, list[object]]], Mapping[tuple[str, str, str], Ratings]]:
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
    turns: list[tuple[tuple[str, int], Mapping[str, object]]] = []
    systems: set[str] = set()
    for dialogue in content:
        for number, turn in enumerate(dialogue.info):
            turns.append(((dialogue_id(dialogue.file), number), turn))
            systems.update(*_pairs(turn))
    if not systems:
        raise InputError(source, f"expected preferences in its turns, under 'A{_VERSUS}B'")
    responses: dict[str, dict[str, list[object]]] = {name: {} for name in sorted(systems)}
    preferences: dict[tuple[str, str, str], dict[Unit, dict[str, float]]] = {}
    problems = Findings()
    for (id_, number), turn in turns:
        place = f"dialogue {id_}, turn {number}"
        for name, by_dialogue in responses.items():
            by_dialogue.setdefault(id_, []).append(turn.get(name))
        for first, second in _pairs(turn):
            pair = f"{first}{_VERSUS}{second}"
            criteria = validated(dict[str, list[str]], turn[pair], source, f"{place}: {pair}")
            for criterion, raters in criteria.items():
                by_unit = preferences.setdefault((first, second, criterion), {})
                by_unit[id_, number] = _signs(first, second, raters)
                if len(by_unit[id_, number]) < max(len(raters), 1):
                    expected = f"expected {first}, {second} or Tie of each rater"
                    problems.add(place, f"{criterion}: {expected}")
    refuse(source, problems)
    return responses, preferences


def read_votes(path: str | Path) -> tuple[list[str], dict[tuple[str, str, str], Ratings]]:
    """Return the systems that people voted for in turns, and which of two they prefer.

    Who votes for both of two systems, or for neither, prefers none. The file has `turns`, each with
    `dialogue`, `turn` (from 0) and `votes`: of each voter, criterion -> systems.

    Returns:
        The systems; and first system, second system and criterion -> the ratings of turns.

    Raises:
        InputError: The file cannot be read, or has another layout.
    """
    source = shown_name(path)
    content = read_json(path)
    listed = content.get("turns") if isinstance(content, Mapping) else None
    systems: set[str] = set()
    voted: list[tuple[Unit, str, str, list[str]]] = []
    for turn in validated(list[VotedTurn], listed, source, "turns"):
        for voter, votes in enumerate(turn.votes):
            for criterion, names in votes.items():
                if isinstance(names, list):
                    systems.update(names)
                    voted.append(
                        ((dialogue_id(turn.dialogue), turn.turn), criterion, str(voter), names)
                    )
    # "None" is a vote for no system.
    ordered = sorted(systems - {"None"})
    preferences: dict[tuple[str, str, str], dict[Unit, dict[str, float]]] = {}
    for unit, criterion, rater, names in voted:
        for first, second in combinations(ordered, 2):
            by_unit = preferences.setdefault((first, second, criterion), {})
            sign = float(first in names) - float(second in names)
            by_unit.setdefault(unit, {})[rater] = sign
    return ordered, dict(preferences)


def _pairs(turn: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the pairs of systems that a turn has preferences for."""
    pairs = []
    for key in turn:
        first, versus, second = key.partition(_VERSUS)
        if versus:
            pairs.append((first, second))
    return pairs


def _signs(first: str, second: str, preferred: Sequence[str]) -> dict[str, float]:
    """Return rater -> rating of two systems, of the raters who prefer one of them or neither."""
    signs = {"tie": 0.0, first.casefold(): 1.0, second.casefold(): -1.0}
    ratings = {}
    for rater, name in enumerate(preferred):
        if name.casefold() in signs:
            ratings[str(rater)] = signs[name.casefold()]
    return ratings


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
            agreed[f"{criterion}, {first}{_VERSUS}{second}, {how}"] = {
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
