"""Grounded Inform and Success: does the text name a fitting venue, and tell what was asked of it?

A domain of the goal is matched if the last response that names a venue of the domain (train: an
id) names one that the goal's query finds ("any"), or names no other ("all"). As for delexicalised
responses a domain is matched outright if its goal gives a name, if it has no venues (taxi, police,
hospital), or if it is train, no id is named and none is requested.

A dialogue succeeds if it matches ("any") and tells every requested slot: telephone, address and
postcode as the database has them for a venue that fits and is named (by a response or by the
goal); a train id at all; a reference number in a turn about the domain and, where that is known,
once it is booked. A taxi's telephone number is no venue's, and any other is a venue's.

Venues are kept as alternatives: a name that several venues share is one that fits if one does.
Conventions: numbers are compared by their digits, all else by its letters and digits.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mwz.normalization.delexicaliser import Delexicalised, Span
from mwz.normalization.delexicaliser.gazetteer import Gazetteer, VenueId

from ..benchmark import Goal
from .faithfulness import turn_domains

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

NAMING_SLOTS = {"restaurant": "NAME", "hotel": "NAME", "attraction": "NAME", "train": "TRAINID"}
"""What names a venue of a domain."""

VENUE_SLOTS = ("PHONE", "ADDRESS", "POST")
"""Requestable slots that are a venue's own."""

NEVER_NAMED = "never names a venue of the domain"
NONE_FITS = "names no venue that fits"
OTHER_LAST = "names a venue that fits, but another one last"
NEVER_TOLD = "never told"
NOWHERE = "told, but in no record of the database"
OF_ANOTHER = "told of another venue"
IN_PART = "told only in part"
OF_UNNAMED = "told of a venue that fits, which is not named"
NOT_RECORDED = "not in the database for the venue named"
ABOUT_ANOTHER_DOMAIN = "told only while speaking of another domain"
TOO_EARLY = "told before it is booked"

INFORM_CAUSES = (NEVER_NAMED, NONE_FITS, OTHER_LAST)
SUCCESS_CAUSES = (
    NEVER_TOLD,
    NOWHERE,
    OF_ANOTHER,
    IN_PART,
    OF_UNNAMED,
    NOT_RECORDED,
    ABOUT_ANOTHER_DOMAIN,
    TOO_EARLY,
)


@dataclass(frozen=True)
class GroundedDomain:
    """How a domain of a dialogue's goal went.

    Attributes:
        matched: Whether one of the venues named last fits ("any").
        matched_all: Whether all of them do.
        venues: Ids of the venues that the deciding response names, every alternative of a name
            that several share; empty where none is named.
        provided: Requested slot -> whether it is told.
        cause: Why the domain is not matched ("any"), one of `INFORM_CAUSES`; None where it is.
        causes: Slot that is not told -> why, one of `SUCCESS_CAUSES`.
    """

    matched: bool
    matched_all: bool
    venues: tuple[str, ...]
    provided: Mapping[str, bool]
    cause: str | None = None
    causes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class GroundedDialogue:
    """How a dialogue went.

    Attributes:
        domains: Goal domain -> how it went.
    """

    domains: Mapping[str, GroundedDomain]

    @property
    def inform(self) -> bool:
        """Whether every domain is matched ("any")."""
        return all(domain.matched for domain in self.domains.values())

    @property
    def inform_all(self) -> bool:
        """Whether every domain is matched by all venues named last."""
        return all(domain.matched_all for domain in self.domains.values())

    @property
    def success(self) -> bool:
        """Whether the dialogue matches ("any") and tells every requested slot."""
        return self.inform and all(
            told for domain in self.domains.values() for told in domain.provided.values()
        )


def ground(
    responses: Sequence[Delexicalised],
    goal: Mapping[str, Goal],
    database: VenueDatabase,
    gazetteer: Gazetteer,
    booked: Sequence[Collection[str]] | None = None,
) -> GroundedDialogue:
    """Hold a dialogue's responses against its goal and the venue database.

    Args:
        responses: The responses, one per system turn; any number.
        goal: Goal domain -> what is wanted.
        database: Answers the goal's queries.
        gazetteer: The venues that the responses were searched for.
        booked: The domains booked by then, one collection per turn; None where that is not known
            (a dialogue of its own, not the benchmark's).
    """
    told = _Responses(responses, turn_domains(responses), gazetteer, booked)
    return GroundedDialogue(
        {
            domain: _grounded_domain(domain, wanted, told, database)
            for domain, wanted in goal.items()
        }
    )


@dataclass(frozen=True)
class _Responses:
    """What a dialogue's responses tell, and about what each of them is."""

    responses: Sequence[Delexicalised]
    domains: Sequence[frozenset[str]]
    gazetteer: Gazetteer
    booked: Sequence[Collection[str]] | None

    def is_about(self, turn: int, domain: str) -> bool:
        """Tell whether a turn is about a domain, as far as is known."""
        return not self.domains[turn] or domain in self.domains[turn]

    def spans(self, slot: str) -> Iterator[tuple[int, Span]]:
        """Yield (turn, span) of a slot, in order."""
        for turn, response in enumerate(self.responses):
            for span in response.spans:
                if span.slot == slot:
                    yield turn, span


def _grounded_domain(
    domain: str, wanted: Goal, told: _Responses, database: VenueDatabase
) -> GroundedDomain:
    fitting = frozenset(database.query(domain, wanted.informable))
    naming = _naming_turns(domain, told)
    last = naming[-1] if naming else []
    outright = _is_outright(domain, wanted, bool(naming))
    cause = None if outright else _inform_cause(naming, fitting)
    named = {id_ for mentions in naming for mention in mentions for id_ in mention}
    if "name" in wanted.informable:
        named |= fitting
    causes = {}
    for slot in sorted(wanted.requestable):
        reason = _success_cause(domain, slot, told, fitting, named)
        if reason is not None:
            causes[slot] = reason
    return GroundedDomain(
        matched=cause is None,
        matched_all=outright or (bool(last) and all(fitting & mention for mention in last)),
        venues=tuple(dict.fromkeys(id_ for mention in last for id_ in sorted(mention))),
        provided={slot: slot not in causes for slot in sorted(wanted.requestable)},
        cause=cause,
        causes=causes,
    )


def _naming_turns(domain: str, told: _Responses) -> list[list[frozenset[str]]]:
    """Return, for every response that names venues of a domain, the ids each name may mean."""
    slot = NAMING_SLOTS.get(domain)
    turns: dict[int, list[frozenset[str]]] = {}
    for turn, span in told.spans(slot) if slot else ():
        ids = frozenset(venue.id for venue in span.venues if venue.domain == domain)
        if ids or slot == "TRAINID":
            turns.setdefault(turn, []).append(ids)
    return list(turns.values())


def _is_outright(domain: str, wanted: Goal, named: bool) -> bool:
    if domain not in NAMING_SLOTS or "name" in wanted.informable:
        return True
    return domain == "train" and not named and "TRAINID" not in wanted.requestable


def _inform_cause(
    naming: Sequence[Sequence[frozenset[str]]], fitting: frozenset[str]
) -> str | None:
    if not naming:
        return NEVER_NAMED
    if any(fitting & mention for mention in naming[-1]):
        return None
    if any(fitting & mention for mentions in naming for mention in mentions):
        return OTHER_LAST
    return NONE_FITS


def _success_cause(
    domain: str, slot: str, told: _Responses, fitting: frozenset[str], named: Collection[str]
) -> str | None:
    """Return why a requested slot is not told; None if it is."""
    if slot == "REFERENCE":
        return _reference_cause(domain, told)
    if slot == "TRAINID":
        return None if any(told.spans(slot)) else NEVER_TOLD
    if slot in VENUE_SLOTS and domain in NAMING_SLOTS:
        return _venue_slot_cause(domain, slot, told, fitting, named)
    # A taxi's number: no venue's.
    own = any(not _domains_of(span) - {domain} for _, span in told.spans(slot))
    return None if own else NEVER_TOLD


def _reference_cause(domain: str, told: _Responses) -> str | None:
    turns = [turn for turn, _ in told.spans("REFERENCE")]
    if not turns:
        return NEVER_TOLD
    own = [turn for turn in turns if told.is_about(turn, domain)]
    if not own:
        return ABOUT_ANOTHER_DOMAIN
    booked = told.booked
    return None if booked is None or any(domain in booked[turn] for turn in own) else TOO_EARLY


def _venue_slot_cause(
    domain: str, slot: str, told: _Responses, fitting: frozenset[str], named: Collection[str]
) -> str | None:
    spans = [
        span
        for turn, span in told.spans(slot)
        if domain in _domains_of(span) or (not span.venues and told.is_about(turn, domain))
    ]
    venues = [
        (frozenset(venue.id for venue in span.venues if venue.domain == domain), span.whole)
        for span in spans
    ]
    if any(whole and ids & fitting & set(named) for ids, whole in venues):
        return None
    wanted = [VenueId(domain, id_) for id_ in sorted(fitting & set(named))]
    if wanted and not any(slot in told.gazetteer.venues[venue].values for venue in wanted):
        return NOT_RECORDED
    if not venues:
        return NEVER_TOLD
    if any(ids & fitting & set(named) for ids, _ in venues):
        return IN_PART
    if any(whole and ids & fitting for ids, whole in venues):
        return OF_UNNAMED
    return OF_ANOTHER if any(ids for ids, _ in venues) else NOWHERE


def _domains_of(span: Span) -> set[str]:
    return {venue.domain for venue in span.venues}
