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
from mwz.harness.comparison import Evidence, compare, compare_pairs
from mwz.harness.scoring import Options, Scorer

pytestmark = pytest.mark.real_data

Known = Callable[[str], Evidence]

# Neighbours at the top of the published ranking.
UPPER = ("mars", "rewardnet", "galaxy-e2e", "bort")


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


def test_neighbours_of_the_published_ranking(known: Known) -> None:
    neighbours = [(known(a), known(b)) for a, b in pairwise(UPPER)]
    pairs = compare_pairs(neighbours, 10_000, 12345)
    different = {(pair.a, pair.b) for pair in pairs if pair.differences["combined"].p < 0.05}
    assert different == {("rewardnet", "galaxy-e2e")}
