"""The partial ratio of two strings, as the published re-evaluation measured it.

It is that of fuzzywuzzy with python-Levenshtein, which tries fewer windows than rapidfuzz's
`partial_ratio` and so now and then finds a lower ratio; near the threshold this decides matches.
"""

from __future__ import annotations

from rapidfuzz.distance import Indel, Levenshtein

_AS_GOOD_AS_EQUAL = 0.995


def partial_ratio(first: str, second: str) -> int:
    """Return how well the shorter string matches its best window in the longer, from 0 to 100.

    The windows are those that the matching blocks of the two strings' Levenshtein edit
    operations point at, the empty block at the end included. Of two strings of equal length
    the first counts as the shorter. An empty string against another gives 0, equal strings 100.
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
