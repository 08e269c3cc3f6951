"""Comparing entries two by two, by what is stored of them alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path

from ..comparison.settings import SEED
from .dialogue_scores import FIGURES
from .entries import Entry
from .pairs import SAMPLES, EntryPair, PairFigure, Pairs, comparable_entries, read_pairs


def complete_pairs(folder: Path, entries: Sequence[Entry]) -> Pairs:
    """Return all pairs of a folder: those it has, and those it lacks, which are compared now.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
    """
    known = read_pairs(folder, entries)
    if not known.missing:
        return known
    found = {**known.pairs, **compared(entries, known.missing)}
    return Pairs({key: found[key] for key in sorted(found)})


def wrong_pairs(folder: Path, entries: Sequence[Entry], keys: Collection[str]) -> list[EntryPair]:
    """Return the pairs that are stored and come out differently from what is stored of entries.

    Args:
        folder: The folder of submissions.
        entries: Its entries.
        keys: Keys of the entries whose pairs are looked at.
    """
    stored = read_pairs(folder, entries).pairs
    chosen = [pair for pair in stored if set(pair) & set(keys)]
    anew = compared(entries, chosen) if chosen else {}
    return [stored[key] for key, pair in anew.items() if not _is_same(stored[key], pair)]


def _is_same(one: EntryPair, other: EntryPair) -> bool:
    """Whether two pairs say the same, apart from what the order of arithmetic can make."""
    if one.dialogues != other.dialogues or one.figures.keys() != other.figures.keys():
        return False
    return all(
        math.isclose(ours.difference, theirs.difference, rel_tol=1e-9, abs_tol=1e-9)
        and math.isclose(ours.p, theirs.p, rel_tol=1e-6)
        and (ours.test, ours.only_a, ours.only_b) == (theirs.test, theirs.only_a, theirs.only_b)
        for name, ours in one.figures.items()
        for theirs in [other.figures[name]]
    )


def compared(
    entries: Sequence[Entry], chosen: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], EntryPair]:
    """Compare entries with each other.

    Args:
        entries: All entries.
        chosen: The keys of each pair.
    """
    # NumPy is needed where something is computed alone.
    from ..comparison.comparing import paired_all
    from .measuring import evidence_of_outcomes

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
