"""Faithfulness: of what responses tell of venues, what share does the database have?

Counted are telephone numbers, postcodes, addresses and train ids. A number told while speaking of
a taxi is its driver's, which no database has, and is not counted. Of what is told, one share is in
the database, and one belongs to a venue that the dialogue's responses have named by then (a train
id names its own train).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from mwz.normalization.delexicaliser import delexicaliser_tables
from mwz.normalization.delexicaliser.phrases import PhraseBook, spellings, unplaced
from mwz.normalization.responses import Delexicalised, VenueId

_NAMED = ("NAME", "TRAINID")


def turn_domains(responses: Sequence[Delexicalised]) -> list[frozenset[str]]:
    """Return the domains that each turn of a dialogue is about.

    They are the domains of the venues that the response names and those that its words tell
    ("table", "room"); a response that tells none is about what the one before was. Before any has
    told one, the domains are none: the turn may be about any.

    Args:
        responses: One per system turn.
    """
    domains: list[frozenset[str]] = []
    last: frozenset[str] = frozenset()
    for response in responses:
        last = _domains(response) or last
        domains.append(last)
    return domains


def _domains(response: Delexicalised) -> frozenset[str]:
    """Return the domains of the venues that a response names, and those that its words tell."""
    named = {
        venue.domain for span in response.spans if span.slot in _NAMED for venue in span.venues
    }
    return _told(response.original) | named


@lru_cache(maxsize=1 << 14)
def _told(response: str) -> frozenset[str]:
    """Return the domains that the words of a response tell."""
    found = _topics().find(unplaced(response))
    return frozenset(domain for match in found for domain in match.entries)


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

    def shares(self) -> ToldShares:
        """Return the shares; None of nothing told."""
        parts = (self.in_database, self.of_named_venue)
        shares = (100 * part / self.told if self.told else None for part in parts)
        return ToldShares(self.told, *shares)


@dataclass(frozen=True)
class ToldShares:
    """Of what is told of venues, how much is so.

    Attributes:
        told: Telephone numbers, postcodes, addresses and train ids told.
        in_database: The share of them that the database has, in percent; None if none is told.
        of_named_venue: The share that belongs to a venue named by then, in percent.
    """

    told: int
    in_database: float | None
    of_named_venue: float | None


def dialogue_faithfulness(responses: Sequence[Delexicalised]) -> Faithfulness:
    """Count what a dialogue's responses, one per system turn, tell of venues."""
    named: set[VenueId] = set()
    told = in_database = of_named_venue = 0
    for response, domains in zip(responses, turn_domains(responses), strict=True):
        named.update(
            venue for span in response.spans if span.slot in _NAMING for venue in span.venues
        )
        for span in response.spans:
            drivers = span.slot == "PHONE" and not span.venues and "taxi" in domains
            if span.slot in TOLD_SLOTS and not drivers:
                told += 1
                in_database += bool(span.venues)
                of_named_venue += not named.isdisjoint(span.venues)
    return Faithfulness(told, in_database, of_named_venue)
