"""Comparisons on the real data: how many neighbours of the published rankings differ significantly.

The published figures on them are few: only-one counts and p of Mars and PPTOD, Wilson's interval of
Mars's Inform, and which neighbours differ by the combined score, all under the rules of 2021. All
neighbours of the rankings are in test_board_pairs.py, from what is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from mwz.harness import Benchmark
from mwz.harness.comparison import Evidence, compare, intervals_of, paired_all
from mwz.harness.comparison.comparing import mcnemar, randomisation
from mwz.harness.scoring import Options, Scorer

pytestmark = pytest.mark.real_data

Known = Callable[[str], Evidence]

# Neighbours of the published ranking that differ, and some that do not.
UPPER = ("mars", "rewardnet", "galaxy-e2e", "bort")
LOWER = ("mintl", "augpt", "labes", "damd")


@pytest.fixture(scope="module")
def known(multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]) -> Known:
    scorer = Scorer(multiwoz, Options(metrics=("bleu", "inform"), setup="strict"))
    return cache(lambda name: scorer.evidence(name, predictions(name)))


def test_mars_and_pptod(known: Known) -> None:
    comparison = compare(known("mars"), [known("pptod")])
    (pair,) = comparison.pairs
    assert pair.dialogues == comparison.dialogues == 1000
    inform, success = pair.differences["inform"], pair.differences["success"]
    assert (inform.only_a, inform.only_b) == (111, 53)
    assert (success.only_a, success.only_b) == (137, 84)
    assert f"{inform.p:.2e}" == "6.94e-06"
    assert f"{success.p:.2e}" == "4.43e-04"
    assert inform.difference == pytest.approx(-5.8)
    interval = comparison.intervals[0]["inform"]
    assert interval.value == 88.9
    assert (round(interval.low, 2), round(interval.high, 2)) == (86.80, 90.70)


@pytest.mark.parametrize(
    ("ranking", "different"),
    [
        (UPPER, {("rewardnet", "galaxy-e2e")}),
        (LOWER, {("mintl", "augpt"), ("augpt", "labes"), ("labes", "damd")}),
    ],
)
def test_neighbours_of_the_published_rankings(
    known: Known, ranking: tuple[str, ...], different: set[tuple[str, str]]
) -> None:
    pairs = paired_all([(known(a), known(b)) for a, b in pairwise(ranking)], 10_000, 12345)
    found = {(pair.a, pair.b) for pair in pairs if pair.differences["combined"].p < 0.05}
    assert found == different


def test_only_one_counts_are_those_of_the_dialogues_that_both_play(known: Known) -> None:
    labes, damd = known("labes"), known("damd")
    (pair,) = compare(labes, [damd], samples=10).pairs
    both = [id_ for id_ in labes.dialogues if id_ in set(damd.dialogues)]
    assert pair.dialogues == len(both) == 944
    won = [
        dict(zip(one.dialogues, one.won()["inform"].tolist(), strict=True)) for one in (labes, damd)
    ]
    only_a = sum(won[0][id_] and not won[1][id_] for id_ in both)
    only_b = sum(won[1][id_] and not won[0][id_] for id_ in both)
    inform = pair.differences["inform"]
    assert (inform.only_a, inform.only_b, inform.p) == (only_a, only_b, mcnemar(only_a, only_b))


def test_randomisation_is_within_monte_carlo_error_of_more_samples(known: Known) -> None:
    first, second = known("rewardnet"), known("galaxy-e2e")
    both = [id_ for id_ in first.dialogues if id_ in set(second.dialogues)]
    first, second = first.part(both), second.part(both)
    [few] = randomisation([(first, second)], 10_000, 12345)
    [many] = randomisation([(first, second)], 100_000, 1)
    for name, p in many.items():
        error = (p * (1 - p) * (1 / 10_000 + 1 / 100_000)) ** 0.5
        assert abs(few[name] - p) < 4 * error + 1e-4, name


def test_intervals_hold_the_scores(known: Known) -> None:
    for name in ("mars", "pptod"):
        for interval in intervals_of(known(name)).values():
            assert interval.low < interval.value < interval.high
