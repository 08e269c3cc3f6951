"""Analyses of metrics on trackers' outputs: what they share, and what they should not depend on.

- How the metrics' scores of turns go together (Kim et al., 2022, figure 3).
- How many slots dialogues use (the same, figure 2).
- FGA and GCA by tail orientation (TO) and non-uniformity (NU) of mistakes, and whether their
  correlations with these differ (Aksu & Chen, 2024, section 5.2 and figure 4).

The interval of the difference of two correlations that share a variable is Zou's (2007).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from statistics import NormalDist
from typing import Any, TypeAlias

from scipy.stats import binned_statistic

from ..comparison import Spread
from ..io import Table, figure
from ..metrics import (
    HEADLINE_LAMBDA,
    Choices,
    DialogueStates,
    TrackedDialogue,
    cell,
    compact_keys,
    correlation,
    dialogue_rows,
    dialogue_states,
    heading,
    judge_changes,
    lambda_label,
    mistakes_by_turn,
    non_uniformity,
    tail_orientation,
    tracking_metrics,
    tracking_shares,
    verdicts_of,
)

Analysis: TypeAlias = dict[str, Any]
"""The analyses of a tracker's scores, as JSON types: what `analyse` returns."""

BINS = 10
"""Into how many parts of equal width the range of TO, and of NU, is cut."""

LEVEL = 0.95

MANY_SLOTS = 12
"""As many slots or more are many: figure 2 of Kim et al. (2022) counts dialogues with fewer."""


def analyse(dialogues: Sequence[TrackedDialogue], choices: Choices = Choices()) -> Analysis:
    """Analyse the scores of tracked dialogues.

    Args:
        dialogues: At least one dialogue.
        choices: What the metrics leave open.

    Returns:
        As JSON types, how many `dialogues` there are; `turns`, metric -> metric -> Pearson's
        correlation of their scores of turns; `slots`, number of slots -> dialogues that use as
        many: the most in one gold state; `fewer_slots`, the share of dialogues that use fewer than
        `MANY_SLOTS`, in percent; the dialogues with mistakes (`mistaken`); by λ the correlation of
        FGA and GCA over these (`between`); and `biases`: λ -> "TO" and "NU" -> how far FGA and GCA
        go with it: Pearson's correlation with `fga` and with `gca`; the `difference` of the two,
        the ends of its interval at 95 %; and `bins`: for each part of the range where it starts
        (`start`), the `dialogues` there, and their mean `fga` and `gca` (None of none).
    """
    states = [dialogue_states(dialogue, choices) for dialogue in dialogues]
    slots_used: Counter[int] = Counter()
    fewer = 0
    tails: list[float] = []
    uneven: list[float] = []
    mistaken = []
    for dialogue, figures in zip(states, dialogue_figures(dialogues, choices), strict=True):
        slots = max(len(turn.gold) for turn in dialogue)
        slots_used[slots] += 1
        fewer += slots < MANY_SLOTS
        mistakes = mistakes_by_turn(judge_changes(dialogue))
        if any(mistakes):
            tails.append(tail_orientation(mistakes))
            uneven.append(non_uniformity(mistakes))
            mistaken.append(figures)
    gcas = [figures["GCA"] for figures in mistaken]
    between, biases = {}, {}
    for decay in map(lambda_label, choices.lambdas):
        fgas = [figures[f"FGA.{decay}"] for figures in mistaken]
        between[decay] = correlation(fgas, gcas)
        biases[decay] = {"TO": _bias(tails, fgas, gcas), "NU": _bias(uneven, fgas, gcas)}
    scores = _turn_scores(states, choices)
    turns: dict[str, dict[str, float | None]] = {}
    for first, ours in scores.items():
        turns[first] = {}
        for second, theirs in scores.items():
            # Over the turns that both score.
            our_scores, their_scores = [], []
            for our_score, their_score in zip(ours, theirs, strict=True):
                if our_score is not None and their_score is not None:
                    our_scores.append(our_score)
                    their_scores.append(their_score)
            turns[first][second] = correlation(our_scores, their_scores)
    return {
        "dialogues": len(dialogues),
        "turns": turns,
        "slots": dict(sorted(slots_used.items())),
        "fewer_slots": 100 * fewer / len(states),
        "mistaken": len(mistaken),
        "between": between,
        "biases": biases,
    }


def dialogue_figures(
    dialogues: Sequence[TrackedDialogue], choices: Choices = Choices()
) -> list[dict[str, float]]:
    """Return every figure of each dialogue by itself: key of reports -> percent."""
    rows = dialogue_rows(dialogues, choices)
    return [tracking_shares(row, choices) for row in rows.values()]


def zou_interval(
    first: float, second: float, between: float, size: int
) -> tuple[float, float] | None:
    """Return the interval of the difference of two correlations that share a variable (Zou, 2007).

    Args:
        first: The correlation of the shared variable with one of the others.
        second: The same with the other one.
        between: The correlation of these two.
        size: The number of points.

    Returns:
        Its ends, of the first less the second; None for fewer than four points, or where a
        correlation is perfect.
    """
    if size < 4 or abs(first) >= 1 or abs(second) >= 1:
        return None
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) / math.sqrt(size - 3)
    # How far Fisher's intervals reach below and above each correlation.
    below_1 = first - math.tanh(math.atanh(first) - half)
    below_2 = second - math.tanh(math.atanh(second) - half)
    above_1 = math.tanh(math.atanh(first) + half) - first
    above_2 = math.tanh(math.atanh(second) + half) - second
    squares = first**2 + second**2
    shared = (between - first * second / 2) * (1 - squares - between**2) + between**3
    shared /= (1 - first**2) * (1 - second**2)
    down = below_1**2 + above_2**2 - 2 * shared * below_1 * above_2
    up = above_1**2 + below_2**2 - 2 * shared * above_1 * below_2
    difference = first - second
    return difference - math.sqrt(max(0.0, down)), difference + math.sqrt(max(0.0, up))


def _turn_scores(
    states: Sequence[DialogueStates], choices: Choices
) -> dict[str, list[float | None]]:
    """Return metric -> its score of every turn; of FGA, with the values of λ that tables show.

    A metric that says nothing of turns gives a turn what it gives a dialogue of that turn alone.
    """
    scores: dict[str, list[float | None]] = {}
    for name, metric in tracking_metrics(replace(choices, metrics=())).items():
        keys = [figure.name for figure in metric.presentation.all_figures()]
        wanted = {name, *map(heading, compact_keys(metric, keys))}
        for dialogue in states:
            for verdicts in verdicts_of(metric, dialogue, choices):
                for title, (score, _) in verdicts.items():
                    if title in wanted:
                        scores.setdefault(title, []).append(score)
    return {title: column for title, column in scores.items() if set(column) != {None}}


def _bias(measure: list[float], fga: list[float], gca: list[float]) -> dict[str, object]:
    """Return how far FGA and GCA go with a measure of where mistakes lie, as in `biases`."""
    with_fga, with_gca = correlation(measure, fga), correlation(measure, gca)
    between = correlation(fga, gca)
    difference = None
    if with_fga is not None and with_gca is not None and between is not None:
        difference = zou_interval(with_fga, with_gca, between, len(measure))
    bins: list[dict[str, float | None]] = []
    # What is the same may differ in its last digits.
    if measure and not math.isclose(min(measure), max(measure), abs_tol=1e-9):
        means, edges, _ = binned_statistic(measure, [fga, gca], "mean", BINS)
        counts, _, _ = binned_statistic(measure, measure, "count", BINS)
        for place, count in enumerate(map(int, counts)):
            bins.append(
                {
                    "start": float(edges[place]),
                    "dialogues": count,
                    "fga": float(means[0][place]) if count else None,
                    "gca": float(means[1][place]) if count else None,
                }
            )
    return {"fga": with_fga, "gca": with_gca, "difference": difference, "bins": bins}


def spread_table(spread: Mapping[str, Spread]) -> Table:
    """Return how each metric is spread over several files as a table."""
    headers = ["", "mean", "SD", "lowest", "highest", "files"]
    rows, data = [], []
    for name, metric in spread.items():
        values = asdict(metric)
        rows.append([name, *map(cell, values.values())])
        data.append({"metric": name, **values})
    return Table("spread", "Metrics over the files (%)", headers, rows, data)


def analysis_tables(name: str, analysis: Analysis) -> list[Table]:
    """Return analyses as tables.

    Args:
        name: What is analysed.
        analysis: The analyses, as of `analyse`.
    """
    biases = analysis["biases"]
    rows, data = [], []
    for metric, correlations in analysis["turns"].items():
        rows.append([metric, *map(cell, correlations.values())])
        data.append({"metric": metric, **correlations})
    headers = ["", *analysis["turns"]]
    tables = [Table("turns", f"{name}: correlation of metrics over turns", headers, rows, data)]

    used = analysis["slots"]
    rows, data = [["dialogues", *map(str, used.values())]], []
    for slots, number in used.items():
        data.append({"slots": slots, "dialogues": number})
    headers = ["slots", *map(str, used)]
    fewer = f"{figure(analysis['fewer_slots'])} % of dialogues use fewer than {MANY_SLOTS} slots"
    title = f"{name}: dialogues by the slots they use"
    tables.append(Table("slots", title, headers, rows, data, [fewer]))

    rows, data = [], []
    for label, measures in biases.items():
        mistaken, between = cell(analysis["mistaken"]), cell(analysis["between"][label])
        for measure, bias in measures.items():
            ends = bias["difference"]
            interval = "–" if ends is None else "[{:.4f}, {:.4f}]".format(*ends)
            fga, gca = cell(bias["fga"]), cell(bias["gca"])
            rows.append([label, mistaken, between, measure, fga, gca, interval])
            record = {"lambda": label, "measure": measure, "FGA": bias["fga"], "GCA": bias["gca"]}
            data.append(record)
    headers = ["λ", "dialogues", "FGA and GCA", "", "with FGA", "with GCA", "difference (95 %)"]
    title = f"{name}: correlation with where mistakes lie"
    tables.append(Table("biases", title, headers, rows, data))

    decay = lambda_label(HEADLINE_LAMBDA)
    if decay not in biases:
        decay = next(iter(biases))
    for measure, bias in biases[decay].items():
        if bias["bins"]:
            title = f"{name}: scores by {measure} (scores: %)"
            headers = [f"{measure} from", "dialogues", f"FGA λ={decay}", "GCA"]
            rows = [list(map(cell, part.values())) for part in bias["bins"]]
            tables.append(Table(f"bins_{measure}", title, headers, rows, bias["bins"]))
    return tables
