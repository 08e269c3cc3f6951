"""The partial ratio: hand-worked windows, where it parts from rapidfuzz, and its invariants."""

from __future__ import annotations

import pytest
from helpers import RULES
from hypothesis import given, settings, strategies as st
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein

from mwz.database import reaches
from mwz.database.venues import partial_ratio
from mwz.normalization import normalize_value

# A ratio is twice the length of the longest common subsequence over the sum of the lengths.


@pytest.mark.parametrize(
    ("first", "second", "ratio"),
    [
        # Equal strings, empty ones.
        ("oak lodge", "oak lodge", 100),
        ("", "", 100),
        ("", "oak", 0),
        ("oak", "", 0),
        # Block (0, 4, 5): the window of 5 from 4 is "finch". 2*5/10.
        ("finch", "the finch inn", 100),
        ("the finch inn", "finch", 100),
        # Equally long: one window, the whole. Common "ash s": 2*5/12 = 0.833.
        ("ash st", "ash zs", 83),
        # Nothing common: the only block is the empty one, its window "xyz"[0:2]. 0/4.
        ("ab", "xyz", 0),
        # Blocks (0, 0, 1), (1, 5, 8), (9, 14, 1) and the empty (10, 15, 0). The windows of ten from
        # 0, 4, 5 and 5: "the tree h", common "tree h", 12/20; "tree hous ", common "tree hous",
        # 18/20; "ree hous e", common "ree hous" and "e", 18/20.
        ("tree house", "the tree hous e", 90),
        # Two characters go, six stay, three come: blocks (2, 0, 6) and (8, 9, 0). No window begins
        # before 0: "abcdefgh", common "abcdef", 12/16. The end's "bcdefghi" has "bcdef", 10/16.
        ("xyabcdef", "abcdefghi", 75),
        # The end's window may be the best of all, and decide a match at 90: blocks (0, 0, 1),
        # (1, 3, 8), (10, 11, 0). Windows from 0 and 2: "tt ree hou", common "tree hou", 16/20, and
        # " ree hous", common "ree hous", 16/19; the end's from 1, "t ree hous", 18/20.
        ("tree house", "tt ree hous", 90),
        # Common "a": 2/16 = 0.125, and the half of 12.5 goes to the even 12.
        ("aaaaaaaa", "abbbbbbb", 12),
    ],
)
def test_hand_worked_ratios(first: str, second: str, ratio: int) -> None:
    assert partial_ratio(first, second) == ratio


def test_a_window_that_no_block_points_at_is_not_tried() -> None:
    # The edit operations that make "ash hill mill" of "hill" keep the h of "ash" and the ill of
    # "mill": blocks (0, 2, 1), (1, 10, 3), (4, 13, 0). Windows from 2, 9 and 9: "h hi", common
    # "hi", 2*2/8 = 0.5, and "mill", common "ill", 2*3/8 = 0.75. "hill" itself, from 4, is missed.
    assert partial_ratio("hill", "ash hill mill") == 75
    assert fuzz.partial_ratio("hill", "ash hill mill") == 100


def test_no_window_is_shorter_than_the_shorter_string_unless_the_longer_one_ends() -> None:
    # rapidfuzz also tries the window "ash s": 2*5/11 = 0.909, which would pass the threshold.
    assert partial_ratio("ash st", "ash zs") == 83
    assert fuzz.partial_ratio("ash st", "ash zs") == pytest.approx(100 * 10 / 11)
    # Levenshtein's blocks of "oak" and "xxoa": (0, 2, 2), (3, 4, 0). Windows from 2, "oa", common
    # "oa" 2*2/5 = 0.8, and from 1, "xoa", 2*2/6.
    assert partial_ratio("oak", "xxoa") == 80


def test_over_0_995_is_as_good_as_equal() -> None:
    # One of 201 characters differs: 2*200/402 = 0.99502. One of 200: 2*199/400 = 0.995 -> 99.5,
    # which goes to the even 100; one of 100: 2*99/200 = 0.99.
    assert partial_ratio("a" * 200 + "b", "a" * 200 + "c") == 100
    assert partial_ratio("a" * 199 + "b", "a" * 199 + "c") == 100
    assert partial_ratio("a" * 99 + "b", "a" * 99 + "c") == 99


def test_of_equally_long_strings_the_first_counts_as_the_shorter() -> None:
    # The edit operations, so the blocks, are (0, 0, 1), (1, 2, 1), (3, 3, 0) either way: windows
    # from 0, 1 and 0. "aab" in "aba": "aba", common 2, 4/6, and "ba", common 1, 2/5. "aba" in
    # "aab": "aab", common 2, 4/6, and "ab", common 2, 4/5.
    assert partial_ratio("aab", "aba") == 67
    assert partial_ratio("aba", "aab") == 80


_TEXTS = st.text(alphabet="abc ", max_size=9)


def _common(first: str, second: str) -> int:
    """Return the length of the longest common subsequence, by the textbook's table."""
    row = [0] * (len(second) + 1)
    for a in first:
        above = row
        row = [0]
        for column, b in enumerate(second):
            longest = max(above[column + 1], row[column])
            row.append(above[column] + 1 if a == b else longest)
    return row[-1]


def _by_definition(first: str, second: str) -> int:
    if first == second:
        return 100
    if "" in (first, second):
        return 0
    shorter, longer = (second, first) if len(second) < len(first) else (first, second)
    ratios = []
    for block in Levenshtein.editops(shorter, longer).as_matching_blocks():
        start = max(0, block.b - block.a)
        window = longer[start : start + len(shorter)]
        ratios.append(2 * _common(shorter, window) / (len(shorter) + len(window)))
    return 100 if max(ratios) > 0.995 else round(100 * max(ratios))


@settings(deadline=None, max_examples=100)
@given(_TEXTS, _TEXTS)
def test_the_ratio_is_that_of_the_definition(first: str, second: str) -> None:
    assert partial_ratio(first, second) == _by_definition(first, second)


@given(st.text(alphabet="abA &'", max_size=9), st.text(alphabet="abA &'", max_size=9))
def test_ratios_of_venues_names_are_symmetric_and_100_of_equal_ones(name: str, other: str) -> None:
    first, second = (normalize_value("name", text, RULES) for text in (name, other))
    # As rapidfuzz's are; but of equally long names the first counts as the shorter.
    assert fuzz.partial_ratio(first, second) == fuzz.partial_ratio(second, first)
    if len(first) != len(second):
        assert partial_ratio(first, second) == partial_ratio(second, first)
    for spelled in (name.upper(), f" {name} "):
        assert partial_ratio(first, normalize_value("name", spelled, RULES)) == 100


def test_too_few_common_characters_are_no_match_without_a_look_at_windows() -> None:
    # Nine of ten: c = 9, n = 10, at most 2*9/19 = 0.947, and the window of ten has 2*9/20 = 0.9.
    assert reaches("abcdefghij", "abcdefghix", 90)
    assert not reaches("abcdefghij", "abcdefghxx", 90)
    # c = 17, n = 20, at most 34/37 = 0.919: it takes the windows to know, and none is above 0.85.
    assert not reaches("a" * 17 + "bcd", "x".join("a" * 17), 90)
    # c = 22, n = 27: the window of the 22 at the end has 44/49 = 0.898, which rounds to 90.
    common = "abcdefghijklmnopqrstuv"
    assert partial_ratio(f"{common}12345", f"67890{common}") == 90
    assert reaches(f"{common}12345", f"67890{common}", 90)
    assert reaches("", "", 90)
    assert not reaches("", "oak", 1)


@settings(deadline=None, max_examples=300)
@given(_TEXTS, _TEXTS, st.integers(1, 100))
def test_reaches_is_a_ratio_of_at_least(first: str, second: str, ratio: int) -> None:
    assert reaches(first, second, ratio) == (partial_ratio(first, second) >= ratio)
