"""Which domains the turns of a dialogue are about, from the text alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from mwz.normalization.delexicaliser import Delexicalised, delexicaliser_tables
from mwz.normalization.phrases import PhraseBook, spellings, tokens

_NAMING = ("NAME", "TRAINID")


def turn_domains(texts: Sequence[str], responses: Sequence[Delexicalised]) -> list[frozenset[str]]:
    """Return the domains that each turn of a dialogue is about.

    They are the domains of the venues that the response names and those that its words tell
    ("table", "room"); a response that tells none is about what the one before was. Before any has
    told one, the domains are none: the turn may be about any.

    Args:
        texts: The responses in plain English, one per system turn.
        responses: The same, delexicalised.
    """
    domains: list[frozenset[str]] = []
    last: frozenset[str] = frozenset()
    for text, response in zip(texts, responses, strict=True):
        last = _told_domains(text, response) or last
        domains.append(last)
    return domains


def _told_domains(text: str, response: Delexicalised) -> frozenset[str]:
    told = {
        venue.domain for span in response.spans if span.slot in _NAMING for venue in span.venues
    }
    for match in _topics().find(list(tokens(text))):
        told.update(match.entries)
    return frozenset(told)


@lru_cache(maxsize=1)
def _topics() -> PhraseBook[str]:
    topics: Mapping[str, Any] = delexicaliser_tables()["topics"]
    return PhraseBook(
        (spelling, domain)
        for domain, patterns in topics.items()
        for pattern in patterns
        for spelling in spellings(pattern)
    )
