"""Comparing entries two by two, by what is stored of them alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..comparison.comparing import paired_all
from ..comparison.settings import SEED
from .dialogues import FIGURES
from .entries import Entry
from .measuring import evidence_of_outcomes
from .pairs import SAMPLES, EntryPair, PairFigure, comparable_entries


def compared(
    entries: Sequence[Entry], chosen: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], EntryPair]:
    """Compare entries with each other.

    Args:
        entries: All entries.
        chosen: The keys of each pair.
    """
    wanted = set(chosen)
    digests = {
        (a.key, b.key): (one.outcomes.digest, other.outcomes.digest)
        for (a, one), (b, other) in comparable_entries(entries)
        if (a.key, b.key) in wanted
    }
    evidence = {
        entry.key: evidence_of_outcomes(
            entry.key, entry.scores.main.signature, entry.scores.dialogues.outcomes
        )
        for entry in entries
        if entry.scores.dialogues is not None and any(entry.key in pair for pair in digests)
    }
    pairs = paired_all([(evidence[a], evidence[b]) for a, b in digests], SAMPLES, SEED)
    found = {}
    for ((a, b), both), pair in zip(digests.items(), pairs, strict=True):
        figures = {
            name: PairFigure(one.difference, one.p, one.test, one.only_a, one.only_b)
            for name, one in pair.differences.items()
            if name in FIGURES
        }
        found[a, b] = EntryPair(a, b, both, pair.dialogues, SAMPLES, SEED, figures)
    return found
