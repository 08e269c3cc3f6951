"""Diversity worked out by hand, and its invariants."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness.metrics import measured_diversity
from mwz.harness.metrics.diversity import Diversity


def test_of_no_responses_every_measure_is_0() -> None:
    assert measured_diversity([]) == Diversity(0, 0, 0, 0, 0, 0, 0)


def test_two_responses_by_hand() -> None:
    # "a b a", "a c": a 3, b 1, c 1 of 5 tokens. Pairs: ab, ba, ac, each once; one triple aba.
    measured = measured_diversity(["a b a", "a c"])
    assert (measured.unigrams, measured.bigrams, measured.trigrams) == (3, 3, 1)
    entropy = 3 / 5 * math.log2(5 / 3) + 2 * (1 / 5 * math.log2(5))
    assert measured.entropy == pytest.approx(entropy, abs=1e-12)
    # Each pair weighs 1/5 (over all tokens). ab and ac: 1 of 3 times a, log2(3); ba: 1 of 1, 0.
    assert measured.conditional_entropy == pytest.approx(2 / 5 * math.log2(3), abs=1e-12)
    assert measured.mean_length == 5 / 2


def test_n_grams_do_not_cross_responses() -> None:
    measured = measured_diversity(["a b", "c d"])
    assert (measured.bigrams, measured.trigrams) == (2, 0)


def test_triples_differ_by_each_of_their_three_tokens() -> None:
    # abc, and another first, middle and last token; abc again is no other.
    assert measured_diversity(["a b c", "x b c", "a x c", "a b x", "a b c"]).trigrams == 4
    # abc, bcd, cde: three tokens in a row.
    assert measured_diversity(["a b c d e"]).trigrams == 3


def test_repeating_one_token_has_no_entropy() -> None:
    measured = measured_diversity(["a a a a"])
    assert (measured.unigrams, measured.bigrams, measured.trigrams) == (1, 1, 1)
    assert measured.entropy == 0
    # The pair aa: 3 of 4 times a: 3/4 * log2(4/3).
    assert measured.conditional_entropy == pytest.approx(3 / 4 * math.log2(4 / 3), abs=1e-12)


@pytest.mark.parametrize("mark", ["``", "''", "'", *".,?!)(%/-_:;", "-LRB-", "-RRB-", "SYM"])
def test_marks_are_deleted_without_a_blank_in_their_place(mark: str) -> None:
    expected = {"-LRB-": "aLRBb", "-RRB-": "aRRBb"}.get(mark, "ab")
    # The hyphens go before "-LRB-" is looked for, so of it the letters stay.
    assert measured_diversity([f"a{mark}b {expected}"]).unigrams == 1


def test_other_marks_are_tokens_and_all_white_space_is_a_blank() -> None:
    assert measured_diversity(["a ` & b"]).unigrams == 4
    assert measured_diversity(["a\t\n b"]).mean_length == 2


def test_tokens_are_lower_case_but_marks_are_deleted_before() -> None:
    # "SYM" goes, "sym" stays: name, name, sym.
    measured = measured_diversity(["NAME name SYM sym"])
    assert (measured.unigrams, measured.mean_length) == (2, 3)


def test_empty_tokens_at_the_ends_count() -> None:
    # "a ." leaves "a ", split at the blank: "a" and "". ". a" leaves " a".
    assert measured_diversity(["a ."]).mean_length == 2
    assert measured_diversity([". a ."]).mean_length == 3
    # Two blanks are one; an empty response is one empty token.
    assert measured_diversity(["a . b"]).mean_length == 2
    assert measured_diversity([""]).mean_length == 1
    assert measured_diversity(["a", ""]).unigrams == 2


def test_msttr_is_over_full_windows_of_50_tokens_in_a_row() -> None:
    # 120 tokens: the first 50 all different, the next 50 of two kinds, 20 left over.
    first = [f"w{n}" for n in range(50)]
    second = ["x", "y"] * 25
    rest = [f"v{n}" for n in range(20)]
    tokens = [*first, *second, *rest]
    # Windows go on over response ends: (50/50 + 2/50) / 2.
    responses = [" ".join(tokens[start : start + 30]) for start in range(0, 120, 30)]
    assert measured_diversity(responses).msttr == pytest.approx((1 + 2 / 50) / 2, abs=1e-12)


def test_fewer_tokens_than_a_window_are_one_of_their_own() -> None:
    assert measured_diversity(["a a a b"]).msttr == 2 / 4


_RESPONSES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c", "it's", "-", "NAME"]), max_size=8).map(" ".join),
    min_size=1,
    max_size=12,
)


@settings(deadline=None, max_examples=100)
@given(_RESPONSES, st.randoms(use_true_random=False))
def test_order_matters_to_msttr_alone(responses: list[str], random: object) -> None:
    shuffled = list(responses)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    measured, other = measured_diversity(responses), measured_diversity(shuffled)
    assert replace(other, msttr=0) == replace(measured, msttr=0)
