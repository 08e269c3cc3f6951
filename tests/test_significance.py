"""Paired tests: worked out by hand, as sacreBLEU has them, and tested themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from resampled_cases import made_up, sample_evidence, sample_predictions, sample_scorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest
from scipy.stats import binomtest, chisquare

from mwz.harness.comparison import SEED, Evidence, compare
from mwz.harness.comparison.comparing import TESTS, holm, mcnemar, swaps
from mwz.harness.comparison.evidence import bootstrap_samples
from mwz.harness.data import load_benchmark
from mwz.harness.errors import InputError
from mwz.harness.metrics import References, response_metrics, style_columns
from mwz.harness.signature import Signature

# What is tested.


def test_systems_are_tested_in_the_same_figures() -> None:
    both = sample_evidence("careful", "bleu", "inform")
    strict = sample_scorer("bleu", "inform").with_options(setup="strict")
    other = strict.evidence("hasty", sample_predictions("hasty"))
    # Their strict figures compare, and yet only one of them has optimistic ones.
    assert both.signature.comparable_with(other.signature)
    with pytest.raises(InputError, match="careful and hasty: different figures; score both with"):
        compare(both, [other])


# McNemar.


@pytest.mark.parametrize(
    ("only_a", "only_b", "p"),
    [
        # 2 P(X <= 1) with X binomial(6, 1/2): 2 (1 + 6) / 64.
        (1, 5, 14 / 64),
        (5, 1, 14 / 64),
        # 2 P(X <= 0) with X binomial(3, 1/2).
        (0, 3, 2 / 8),
        # 2 P(X <= 2) with X binomial(5, 1/2) is 2 (1 + 5 + 10) / 32 = 1.
        (2, 3, 1.0),
        # Twice the half of the outcomes, and the middle one, is over 1.
        (2, 2, 1.0),
        (0, 0, 1.0),
    ],
)
def test_mcnemar_is_the_binomial_test(only_a: int, only_b: int, p: float) -> None:
    assert mcnemar(only_a, only_b) == pytest.approx(p, rel=1e-12)


@settings(deadline=None)
@given(st.integers(0, 300), st.integers(0, 300))
def test_mcnemar_is_the_binomial_test_of_scipy(only_a: int, only_b: int) -> None:
    number = only_a + only_b
    wanted = binomtest(only_a, number).pvalue if number else 1.0
    assert mcnemar(only_a, only_b) == pytest.approx(wanted, rel=1e-9, abs=1e-12)


# Holm.


def test_holm_multiplies_the_smallest_by_all_and_the_next_by_one_less() -> None:
    # In order .01, .02, .03, .2 times 4, 3, 2, 1: .04, .06, .06, .2.
    assert holm([0.03, 0.01, 0.2, 0.02]) == pytest.approx([0.06, 0.04, 0.2, 0.06])
    # .02 x 2 = .04, and .03 x 1 may not be below it.
    assert holm([0.03, 0.02]) == pytest.approx([0.04, 0.04])
    assert holm([0.7, 0.6]) == [1.0, 1.0]
    assert holm([0.3]) == [0.3]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1)))
def test_holm_keeps_the_order_and_lowers_nothing(ps: list[float]) -> None:
    corrected = holm(ps)
    assert all(p <= q <= 1 for p, q in zip(ps, corrected, strict=True))
    assert [c for _, c in sorted(zip(ps, corrected, strict=True))] == sorted(corrected)


# Resampling.


def _ps(test: str, a: Evidence, b: Evidence, samples: int, seed: int = SEED) -> dict[str, float]:
    """Return figure -> p of two systems."""
    return TESTS[test]([(a, b)], samples, seed)[0]


def test_randomisation_nears_the_share_of_all_swaps() -> None:
    first, second = (5, 9, 4, 7, 6, 8), (4, 5, 6, 3, 6, 2)
    differences = [a - b for a, b in zip(first, second, strict=True)]
    # Every way to swap is a way to give each difference a sign.
    sums = [
        abs(sum(sign * difference for sign, difference in zip(signs, differences, strict=True)))
        for signs in product((1, -1), repeat=6)
    ]
    exact = sum(difference >= abs(sum(differences)) for difference in sums) / len(sums)
    assert 0 < exact < 1
    p = _ps("randomisation", made_up(first), made_up(second), 20_000)["mean"]
    assert abs(p - exact) < 4 * math.sqrt(exact * (1 - exact) / 20_000)


def test_p_is_never_0() -> None:
    first, second = made_up([9] * 40), made_up([1] * 40)
    assert _ps("randomisation", first, second, 99) == {"mean": 1 / 100}


@pytest.mark.parametrize("test", TESTS)
def test_a_system_does_not_differ_from_itself(test: str) -> None:
    evidence = sample_evidence("careful")
    ps = _ps(test, evidence, evidence.part(evidence.dialogues), 100)
    assert ps.keys() == evidence.figures.keys() - evidence.won.keys()
    assert set(ps.values()) == {1.0}


@pytest.mark.parametrize("test", TESTS)
def test_which_system_comes_first_does_not_matter(test: str) -> None:
    first, second = sample_evidence("careful"), sample_evidence("hasty")
    assert _ps(test, first, second, 200) == _ps(test, second, first, 200)


@pytest.mark.parametrize("test", TESTS)
def test_one_dialogue_tells_nothing_apart(test: str) -> None:
    first, second = (
        sample_evidence(name).part(list(sample_evidence("careful").dialogues)[:1])
        for name in ("careful", "hasty")
    )
    # Swapped or not, the two differ as much; and every bootstrap sample is the one dialogue.
    assert set(_ps(test, first, second, 50).values()) == {1.0}


def _split(scores: np.ndarray, generator: np.random.Generator) -> tuple[Evidence, Evidence]:
    """Return two halves of a system's seeds, each by its sum per dialogue."""
    order = generator.permutation(len(scores))
    half = len(scores) // 2
    return made_up(scores[order[:half]].sum(axis=0)), made_up(scores[order[half:]].sum(axis=0))


def test_p_values_of_two_halves_of_one_systems_seeds_are_uniform() -> None:
    generator = np.random.default_rng(SEED)
    reached = []
    for split in range(500):
        # Dialogues differ in how hard they are, seeds do not differ but by chance. The numbers are
        # large, for samples that reach the observed difference exactly make p larger.
        hard = generator.integers(500, 6000, size=50)
        seeds = generator.binomial(hard, 0.6, size=(8, 50))
        ps = _ps("randomisation", *_split(seeds, generator), 199, split)
        reached.append(round(200 * ps["mean"]) - 1)
    # The observed difference is as likely to be at any of 200 ranks: 50 of 500 in each tenth.
    tenths = np.bincount(np.array(reached) // 20, minlength=10)
    assert chisquare(tenths).pvalue > 0.01
    # Binomial(500, .05) is between 13 and 39 with a probability of .99.
    assert 13 <= sum(rank < 10 for rank in reached) <= 39


def test_systems_that_differ_are_told_apart() -> None:
    generator = np.random.default_rng(3)
    scores = generator.integers(0, 20, size=200)
    first, second = made_up(scores + generator.integers(0, 4, size=200)), made_up(scores)
    assert all(_ps(test, first, second, 999)["mean"] < 0.01 for test in TESTS)


# As sacreBLEU, where every dialogue is one turn.

TEN = [*sample_predictions("careful")][:10]
"""The dialogues of which the first turn is compared."""

_HYPOTHESES: Mapping[str, list[str]] = {
    name: [sample_predictions(name)[id_][0]["response"] for id_ in TEN]
    for name in ("careful", "scripted")
}
_REFERENCES = [load_benchmark("sample").dialogues[id_].references["mwz22"][0] for id_ in TEN]


def _bleu_alone(hypotheses: list[str]) -> Evidence:
    ids = tuple(f"d{number}" for number in range(len(hypotheses)))
    references = References.of_texts(
        {id_: {"mwz22": [text]} for id_, text in zip(ids, _REFERENCES, strict=True)}
    )
    counts = references.counts_of({id_: [text] for id_, text in zip(ids, hypotheses, strict=True)})
    columns = style_columns("mwz22")
    rows = {}
    for id_, numbers in zip(ids, counts[:, 0].tolist(), strict=True):
        rows[id_] = dict(zip(columns, numbers, strict=True))
    return Evidence.from_rows("", Signature(), response_metrics()["bleu"], rows)


@pytest.mark.parametrize(("test", "theirs"), [("randomisation", "ar"), ("bootstrap", "bs")])
def test_samples_and_p_are_sacrebleus(test: str, theirs: str) -> None:
    paired = PairedTest(
        list(_HYPOTHESES.items()),
        {"BLEU": BLEU(references=[_REFERENCES])},
        references=None,
        test_type=theirs,
        n_samples=500,
    )
    _, results = paired()
    wanted = results["BLEU"][1].p_value
    p = _ps(test, *map(_bleu_alone, _HYPOTHESES.values()), 500)["bleu"]
    assert 0.01 < wanted < 0.99
    # sacreBLEU does not count the samples that swap all or nothing as reaching the difference.
    whole = 0
    if test == "randomisation":
        (block,) = swaps(10, 500, SEED)
        whole = int((block.all(axis=1) | ~block.any(axis=1)).sum())
    assert p == pytest.approx(wanted + whole / 501, abs=1e-12)


def test_bootstrap_samples_are_sacrebleus() -> None:
    generator = np.random.default_rng(SEED)
    drawn = generator.choice(10, size=(60, 10), replace=True)
    (block,) = bootstrap_samples(10, 60, SEED)
    assert block.tolist() == [np.bincount(places, minlength=10).tolist() for places in drawn]
