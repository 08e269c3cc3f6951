"""Fuzzy equality of two strings: the partial ratio that defines published scores.

It is that of fuzzywuzzy with python-Levenshtein, which differs from rapidfuzz's own: the windows of
fuzzywuzzy, found by the edit operations of rapidfuzz.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel, LCSseq, Levenshtein

_AS_GOOD_AS_EQUAL = 0.995


def partial_ratio(first: str, second: str) -> int:
    """Return how well the shorter string matches its best window in the longer, from 0 to 100.

    The windows are those that the matching blocks of the two strings' Levenshtein edit
    operations point at, the empty block at the end included. Of two strings of equal length
    the first counts as the shorter. An empty string against another gives 0, equal strings 100.

    >>> partial_ratio("finch", "the finch inn")
    100
    >>> partial_ratio("tree house", "the tree hous e")
    90
    """
    if first == second:
        return 100
    if not first or not second:
        return 0
    shorter, longer = (first, second) if len(first) <= len(second) else (second, first)
    best = 0.0
    for block in Levenshtein.editops(shorter, longer).as_matching_blocks():
        start = max(0, block.b - block.a)
        window = longer[start : start + len(shorter)]
        ratio = Indel.normalized_similarity(shorter, window)
        if ratio > _AS_GOOD_AS_EQUAL:
            return 100
        best = max(best, ratio)
    return round(100 * best)


def reaches(first: str, second: str, ratio: int) -> bool:
    """Return whether the partial ratio of two strings is at least `ratio`, from 1 to 100.

    Most pairs share too few characters, which shows in a tenth of the time: with n the
    length of the shorter string and c that of the longest common subsequence of the two, no window
    of w characters has more than min(c, w) in common with the shorter string, so that no window's
    ratio, 2 min(c, w) / (n + w), is above 2c / (n + c); half a percent is what rounding adds.

    >>> reaches("tree house", "the tree hous e", 90)
    True
    """
    common = LCSseq.similarity(first, second)
    most = 4 * common * 100 >= (2 * ratio - 1) * (min(len(first), len(second)) + common)
    return most and partial_ratio(first, second) >= ratio
