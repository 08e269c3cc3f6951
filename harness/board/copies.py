"""Signs that an entry is a copy of another one, from the fingerprints that entries store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import permutations

from ..metrics.signs import COPY_SIGNS, SignFigure
from .entries import Entry, arxiv_number

_OF_ONE = {f"copied_{kind}": kind for kind in ("responses", "phrases", "states")}
"""Sign -> kind of fingerprint that one other entry may share."""

_OF_SEVERAL = "copied_mixture"

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
        for name, kind in _OF_ONE.items():
            sign = COPY_SIGNS[name]
            share = own.shared(others, kind)
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
    for entry, own in known:
        measured = signs.setdefault(entry.key, {})
        # Of a system of one paper, or of a copy, it is said already.
        one = measured.get("copied_responses")
        if one is not None and one.value > COPY_SIGNS["copied_responses"].limit:
            measured.pop("copied_phrases", None)
            continue
        earlier = [
            others
            for other, others in known
            if other is not entry
            and _entered(other) <= _entered(entry)
            and not same_group(entry, other)
        ]
        share = own.shared_with_any(earlier, "responses")
        if share is not None:
            measured[_OF_SEVERAL] = COPY_SIGNS[_OF_SEVERAL].figure(share)
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
    return (_entered(entry), entry.key) > (_entered(other), other.key)


def _entered(entry: Entry) -> str:
    return str(entry.system.entered or "")
