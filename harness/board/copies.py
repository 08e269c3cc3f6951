"""Signs that an entry is a copy of another one, from the fingerprints that entries store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from ..metrics.signs import COPY_SIGNS, SignFigure
from .entries import Entry, arxiv_number

_COPIED = COPY_SIGNS["copied_responses"]

_THE_SAME = 0.98
"""The share of responses from which two entries are one, of whatever group."""


def copy_signs(entries: Sequence[Entry]) -> dict[str, dict[str, SignFigure]]:
    """Return key -> sign -> the largest share that an entry has of another one.

    It is raised of the entry that came later. One paper's systems may share what they like, but
    not be the same.

    Args:
        entries: All entries of a folder. Those that the harness makes are left out.
    """
    known = [
        (entry, found)
        for entry in entries
        if (found := entry.scores.fingerprints) and not entry.system.predictions.by_harness
    ]
    signs: dict[str, dict[str, SignFigure]] = {}
    for (entry, own), (other, others) in permutations(known, 2):
        for name, sign in COPY_SIGNS.items():
            share = own.shared(others, name.removeprefix("copied_"))
            if share is None:
                continue
            limit = sign.limit
            if group := same_group(entry, other):
                limit = _THE_SAME if name == "copied_responses" else 1.0
            later = _came_later(entry, other)
            if share > limit and not (group or later):
                # Of an entry that was there before its copy there is nothing to say.
                continue
            figure = SignFigure(share, sign.limit, share > limit and later, sign.honest, other.key)
            before = signs.setdefault(entry.key, {}).get(name)
            if before is None or (before.raised, before.value) < (figure.raised, share):
                signs[entry.key][name] = figure
    for own_signs in signs.values():
        if "copied_responses" in own_signs and own_signs["copied_responses"].value > _COPIED.limit:
            # Whoever has the responses has their phrases as well.
            own_signs.pop("copied_phrases", None)
    return signs


def same_group(one: Entry, other: Entry) -> bool:
    """Whether two entries name the same paper or the same code."""
    return bool(set(_works(one)) & set(_works(other)))


def _works(entry: Entry) -> Iterable[str]:
    for address in (entry.system.paper, entry.system.code):
        if address is not None:
            number = arxiv_number(address)
            yield number or address.casefold().split("//")[1].rstrip("/").removesuffix(".git")


def _came_later(entry: Entry, other: Entry) -> bool:
    """Whether an entry came after another: those without a time were there at first."""
    times = [(str(one.system.entered or ""), one.key) for one in (entry, other)]
    return times[0] > times[1]
