"""Faithfulness: of what responses tell of venues, what share does the database have?

Counted are telephone numbers, postcodes, addresses and train ids. A number told while speaking of
a taxi is its driver's, which no database has, and is not counted. Of what is told, one share is in
the database, and one belongs to a venue that the dialogue's responses have named by then (a train
id names its own train).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mwz.normalization.delexicaliser import Delexicalised, Span, delexicaliser_tables
from mwz.normalization.delexicaliser.gazetteer import VenueId
from mwz.normalization.delexicaliser.phrases import PhraseBook, spellings, tokens

_NAMED = ("NAME", "TRAINID")


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
    told = {venue.domain for span in response.spans if span.slot in _NAMED for venue in span.venues}
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


TOLD_SLOTS = frozenset({"PHONE", "POST", "ADDRESS", "TRAINID"})
_NAMING = frozenset({"NAME", "PLACE", "TRAINID"})


@dataclass(frozen=True)
class Faithfulness:
    """Counts of what was told.

    Attributes:
        told: Telephone numbers, postcodes, addresses and train ids.
        in_database: How many of them the database has.
        of_named_venue: How many of them belong to a venue named by then.
    """

    told: int = 0
    in_database: int = 0
    of_named_venue: int = 0

    def __add__(self, other: Faithfulness) -> Faithfulness:
        return Faithfulness(
            self.told + other.told,
            self.in_database + other.in_database,
            self.of_named_venue + other.of_named_venue,
        )

    @property
    def percent_in_database(self) -> float | None:
        """The share in the database, in percent; None if nothing was told."""
        return 100 * self.in_database / self.told if self.told else None

    @property
    def percent_of_named_venue(self) -> float | None:
        """The share of named venues, in percent; None if nothing was told."""
        return 100 * self.of_named_venue / self.told if self.told else None


def dialogue_faithfulness(texts: Sequence[str], responses: Sequence[Delexicalised]) -> Faithfulness:
    """Count what a dialogue's responses tell of venues.

    Args:
        texts: The responses in plain English, one per system turn; any number.
        responses: The same, delexicalised.
    """
    named: set[VenueId] = set()
    counted: list[Faithfulness] = []
    for response, domains in zip(responses, turn_domains(texts, responses), strict=True):
        named.update(
            venue for span in response.spans if span.slot in _NAMING for venue in span.venues
        )
        counted += [_counted(span, named) for span in response.spans if _tells(span, domains)]
    return total(counted)


def total(counts: Iterable[Faithfulness]) -> Faithfulness:
    """Return the sum of counts, over dialogues or within one."""
    return sum(counts, Faithfulness())


def _tells(span: Span, domains: frozenset[str]) -> bool:
    """Tell whether a span is counted."""
    if span.slot == "PHONE" and not span.venues and "taxi" in domains:
        return False
    return span.slot in TOLD_SLOTS


def _counted(span: Span, named: set[VenueId]) -> Faithfulness:
    return Faithfulness(1, int(bool(span.venues)), int(not named.isdisjoint(span.venues)))
