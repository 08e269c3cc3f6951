"""Grounded Inform and Success: does the text name a fitting venue, and tell what was asked of it?

A domain of the goal is matched if the last response that names a venue of the domain (train: an
id) names one that the goal's query finds ("any"), or names no other ("all"). As for delexicalised
responses a domain is matched outright if its goal gives a name, if it has no venues (taxi, police,
hospital), or if it is train, no id is named and none is requested. In a dialogue of its own, where
the user need not get to a domain, it must also be served: responses name or tell anything of a
venue that fits, times, price or duration of a train that fits, a taxi's car or number, or give a
reference number in a turn about the domain.

A dialogue succeeds if it matches ("any") and tells every requested slot: telephone, address and
postcode as the database has them for a venue that fits and is named (by a response or by the
goal); a train id at all; a reference number in a turn about the domain and, where that is known,
once it is booked. Words about a number may say that nothing is booked, or, in a dialogue of its
own, something else than is wanted; there, the last words count. A taxi's telephone number is its
driver's: one that is no venue's, or any ten or eleven digits in a turn about the taxi.

All that a goal requests is told if, besides, each further slot (area, price range, entrance fee, …)
is told in words (`facts.py`): in a turn about the domain, as the database has it for a venue
that fits and that the turn names, or if it names none, the turns before. What the database does not
have for any venue so spoken of cannot be told, and is not missed.

Venues are kept as alternatives: a name that several venues share is one that fits if one does.
Conventions: numbers are compared by their digits, all else by its letters and digits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import chain, islice, product

from mwz.database import VenueDatabase
from mwz.normalization import RuleSet
from mwz.normalization.delexicaliser import Delexicalised, Delexicaliser, Span, VenueId

from ..benchmark import Benchmark, Goal
from .facts import (
    Sentence,
    are_alternatives,
    count_facts,
    is_closed,
    is_denied,
    is_refused,
    recorded_values,
    requests,
    says_unknown,
    sentences,
    turn_domains,
    words,
)
from .mentions import deciding_mentions, train_mentions
from .said import booked_values, same_value

NAMING_SLOTS = {"restaurant": "NAME", "hotel": "NAME", "attraction": "NAME", "train": "TRAINID"}
"""What names a venue of a domain."""

VENUE_SLOTS = ("PHONE", "ADDRESS", "POST")
"""Requestable slots that are a venue's own."""

_DRIVERS = ("taxi", "PHONE")
_SERVING = {"taxi": ("cartype", "phone")}
"""What shows that a domain is served where no venue is named."""

NEVER_NAMED = "never names a venue of the domain"
NONE_FITS = "names no venue that fits"
OTHER_LAST = "names a venue that fits, but another one last"
FALSE_TIMES = "names a fitting train with false times"
NEVER_TOLD = "never told"
NOWHERE = "told, but in no record of the database"
OF_ANOTHER = "told of another venue"
IN_PART = "told only in part"
OF_UNNAMED = "told of a venue that fits, which is not named"
NOT_RECORDED = "not in the database for the venue named"
ABOUT_ANOTHER_DOMAIN = "told only while speaking of another domain"
TOO_EARLY = "told before it is booked"
GUESSED = "told only as a guess, or denied"
REFUSED = "told of a booking that is refused"
OTHERWISE = "told of a booking for other people, days or times"

INFORM_CAUSES = (NEVER_NAMED, NONE_FITS, FALSE_TIMES, OTHER_LAST)
SUCCESS_CAUSES = (
    NEVER_TOLD,
    NOWHERE,
    OF_ANOTHER,
    IN_PART,
    OF_UNNAMED,
    NOT_RECORDED,
    ABOUT_ANOTHER_DOMAIN,
    TOO_EARLY,
    GUESSED,
    REFUSED,
    OTHERWISE,
)

_MOST_NUMBERS = 100
"""Reference numbers that are read of a dialogue: agents tell at most 26, and each takes time."""

_BY_WEIGHT = (GUESSED, IN_PART, OF_UNNAMED, OF_ANOTHER, NOWHERE, NEVER_TOLD)
"""The causes of a slot that is told, but not rightly: the first that applies says most."""


@dataclass(frozen=True)
class GroundedDomain:
    """The grounded result of a goal domain.

    Attributes:
        matched: Whether one of the venues named last fits ("any").
        matched_all: Whether all of them do.
        venues: Ids of the venues that the deciding response names, every alternative of a name
            that several share; empty where none is named.
        provided: Requested slot -> whether it is told.
        cause: Why the domain is not matched ("any"), one of `INFORM_CAUSES`; None where it is.
        causes: Slot that is not told -> why, one of `SUCCESS_CAUSES`.
        further: Further slot that the goal requests -> whether it is told; None where the goal does
            not say.
    """

    matched: bool
    matched_all: bool
    venues: tuple[str, ...]
    provided: Mapping[str, bool]
    cause: str | None = None
    causes: Mapping[str, str] = field(default_factory=dict)
    further: Mapping[str, bool] | None = None

    @property
    def tells(self) -> bool:
        """Whether all requested slots are told."""
        return all(self.provided.values())

    @property
    def tells_further(self) -> bool:
        """Whether all further slots are told."""
        return all((self.further or {}).values())


@dataclass(frozen=True)
class GroundedDialogue:
    """The grounded result of a dialogue.

    Attributes:
        domains: Goal domain -> its result.
        faithfulness: What it tells of venues: `COUNTS` of `facts.py`.
    """

    domains: Mapping[str, GroundedDomain]
    faithfulness: Mapping[str, int]

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
        return self.inform and all(domain.tells for domain in self.domains.values())

    @property
    def success_all(self) -> bool:
        """Whether the dialogue matches ("all") and tells every requested slot."""
        return self.inform_all and self.success

    @property
    def success_requested(self) -> bool | None:
        """Whether it succeeds ("all") and tells the further slots; None where these are unknown."""
        domains = self.domains.values()
        if any(domain.further is None for domain in domains):
            return None
        return self.success_all and all(domain.tells_further for domain in domains)


@lru_cache(maxsize=8)
def delexicaliser(benchmark: Benchmark, rules: RuleSet) -> Delexicaliser:
    """Return the delexicaliser of a benchmark's venues under a rule set."""
    return Delexicaliser(benchmark.venue_records(rules), rules)


def ground(
    texts: Iterable[str],
    goal: Mapping[str, Goal],
    database: VenueDatabase,
    delexicalise: Delexicaliser,
    booked: Sequence[Collection[str]] | None = None,
    users: Sequence[str | None] = (),
) -> GroundedDialogue:
    """Compare a dialogue's responses with its goal and the venue database.

    Args:
        texts: The responses as they were written, one per system turn; any number.
        goal: Domain -> what the user wants.
        database: Answers the goal's queries.
        delexicalise: Finds what they say of the venues.
        booked: The domains booked by then, one collection per turn; None where that is not known
            (a dialogue of its own, not the benchmark's).
        users: What the user says before each response, where that is known.
    """
    responses = list(map(delexicalise, texts))
    users_said = [delexicalise(text or "") for text in users]
    about = turn_domains(responses, users)
    parts = list(map(sentences, responses, about))
    domains = {}
    for name, wanted in goal.items():
        fitting = fitting_venues(name, wanted, database, delexicalise)
        is_booked = None if booked is None else [name in by_then for by_then in booked]
        if name == "train" and booked is None:
            mentions = train_mentions(responses, users_said, about, wanted.informable, delexicalise)
        else:
            mentions = [_mentions(response, name) for response in responses]
        goal_domain = _GoalDomain(
            name, wanted, fitting, delexicalise, responses, about, parts, mentions, is_booked
        )
        named_by = partial(_named_by, name, delexicalise)
        domains[name] = goal_domain.outcome(deciding_mentions(mentions, users, named_by))
    return GroundedDialogue(domains, count_facts(responses))


def fitting_venues(
    domain: str, wanted: Goal, database: VenueDatabase, delexicalise: Delexicaliser
) -> frozenset[str]:
    """Return the ids of the venues that a goal's query finds, or that have just the goal's name.

    A rule set may call a venue otherwise than its record does, which no query finds then.
    """
    venues = frozenset(database.query(domain, wanted.informable))
    name = wanted.informable.get("name")
    if venues or name is None:
        return venues
    named = set()
    for venue in delexicalise.gazetteer.venues.values():
        if venue.name == name and venue.key.domain == domain:
            named.add(venue.key.id)
    return frozenset(named)


def _named_by(domain: str, delexicalise: Delexicaliser, text: str) -> list[frozenset[str]]:
    """Return the ids that each venue of a domain that a user speaks of may have."""
    said = delexicalise(text)
    if domain != "train":
        return _mentions(said, domain)
    return train_mentions([said], (), [frozenset()], {}, delexicalise)[0]


def _mentions(response: Delexicalised, domain: str) -> list[frozenset[str]]:
    """Return the ids that each name of a venue of a domain in a response may mean."""
    slot = NAMING_SLOTS.get(domain)
    mentions = []
    for span in response.spans:
        if span.slot == slot and not is_closed(response.original, span.end):
            ids = _ids(span, domain)
            if ids or slot == "TRAINID":
                mentions.append(ids)
    return mentions


def _ids(span: Span, domain: str) -> frozenset[str]:
    """Return the ids of a domain's venues that a span may belong to."""
    return frozenset(venue.id for venue in span.venues if venue.domain == domain)


@dataclass(frozen=True)
class _GoalDomain:
    """A domain of a dialogue's goal, and what the dialogue's responses say.

    Attributes:
        name: The domain.
        wanted: What the goal says of it.
        fitting: The ids of the venues that the goal's query finds.
        delexicalise: What the responses were delexicalised by, which has the venues.
        responses: The responses.
        about: The domains that each is about; none where that is not known.
        sentences: The sentences of each.
        mentions: The ids that each venue of the domain in a response may have.
        booked: Whether the domain is booked by each turn; None where that is not known.
    """

    name: str
    wanted: Goal
    fitting: frozenset[str]
    delexicalise: Delexicaliser
    responses: Sequence[Delexicalised]
    about: Sequence[frozenset[str]]
    sentences: Sequence[Sequence[Sentence]]
    mentions: Sequence[Sequence[frozenset[str]]]
    booked: Sequence[bool] | None

    def _is_about(self, turn: int) -> bool:
        """Return whether a turn is about the domain, as far as is known."""
        return not self.about[turn] or self.name in self.about[turn]

    def _spans(self, slot: str) -> Iterator[tuple[int, Span]]:
        """Yield (turn, span) of a slot, in order."""
        for turn, response in enumerate(self.responses):
            for span in response.spans:
                if span.slot == slot:
                    yield turn, span

    def _ids_told(self) -> list[frozenset[str]]:
        """Return the trains that have each train id told."""
        return [_ids(span, self.name) for _, span in self._spans("TRAINID")]

    def outcome(self, deciding: Sequence[frozenset[str]]) -> GroundedDomain:
        """Return the result of the domain.

        Args:
            deciding: The ids that each venue may have which the deciding response names, or which
                the user chose.
        """
        named = set(chain.from_iterable(chain.from_iterable(self.mentions)))
        is_outright = self._is_outright(bool(deciding))
        fits = [bool(self.fitting & ids) for ids in deciding]
        cause = None
        if not (is_outright or any(fits)):
            cause = NONE_FITS if deciding else NEVER_NAMED
            if deciding and self.fitting & named:
                cause = OTHER_LAST
            elif deciding and any(map(self.fitting.intersection, self._ids_told())):
                cause = FALSE_TIMES
        if "name" in self.wanted.informable:
            named |= self.fitting
        # Why slots are not told; None of those that are.
        causes: dict[str, str | None] = {}
        for slot in sorted(self.wanted.requestable):
            causes[slot] = self._success_cause(slot, named)
        provided = {slot: why is None for slot, why in causes.items()}
        further = None
        if self.wanted.further is not None:
            further = {}
            for slot in sorted(self.wanted.further):
                causes[slot] = self._further_cause(slot)
                further[slot] = causes[slot] is None
        return GroundedDomain(
            matched=cause is None,
            matched_all=is_outright or (bool(fits) and all(fits)),
            venues=tuple(dict.fromkeys(chain.from_iterable(map(sorted, deciding)))),
            provided=provided,
            cause=cause,
            causes={slot: why for slot, why in causes.items() if why is not None},
            further=further,
        )

    def _is_outright(self, is_named: bool) -> bool:
        """Return whether the domain is matched without naming a venue that fits last."""
        if self.name in NAMING_SLOTS and "name" not in self.wanted.informable:
            asks_for_id = "TRAINID" in self.wanted.requestable
            is_optional = self.name == "train" and self.booked is not None
            if not is_optional or is_named or asks_for_id:
                return False
        if self.booked is not None:
            return True
        # In a dialogue of its own, it must be served: responses tell anything that fits, or book.
        for span in chain.from_iterable(response.spans for response in self.responses):
            ids = _ids(span, self.name)
            if ids & self.fitting or (ids and self.name not in NAMING_SLOTS):
                return True
        if self._reference_cause() is None:
            return True
        return any(self._further_cause(slot) is None for slot in _SERVING.get(self.name, ()))

    def _success_cause(self, slot: str, named: set[str]) -> str | None:
        """Return why a requested slot is not told; None if it is."""
        if slot == "REFERENCE":
            return self._reference_cause()
        if slot == "TRAINID":
            ids = self._ids_told()
            if any(map(self.fitting.intersection, ids)):
                return None
            untold = NOWHERE if ids else NEVER_TOLD
            return OF_ANOTHER if any(ids) else untold
        if slot in VENUE_SLOTS and self.name in NAMING_SLOTS:
            return self._venue_slot_cause(slot, named)
        # A taxi's number is no venue's.
        for turn, span in self._spans(slot):
            is_own = all(venue.domain == self.name for venue in span.venues)
            is_own &= self.booked is not None or self._is_about(turn)
            if is_own and not is_refused(self.responses[turn].original[: span.start], ""):
                return None
        return self._further_cause("phone") if (self.name, slot) == _DRIVERS else NEVER_TOLD

    def _spoken_of(self) -> Iterator[tuple[int, frozenset[str], int]]:
        """Yield each turn about the domain, the ids of the venues spoken of, and their number.

        A turn that names none speaks of those of the one before.
        """
        spoken, number = frozenset[str](), 1
        if "name" in self.wanted.informable:
            spoken = self.fitting
        for turn in filter(self._is_about, range(len(self.responses))):
            named = frozenset[str]().union(*self.mentions[turn])
            if named:
                spoken, number = named, len(set(self.mentions[turn]))
            elif self.name == "train" and (self.booked is not None or not spoken):
                # No times tell which train is spoken of.
                spoken = self.fitting
            yield turn, spoken, number

    def _further_cause(self, slot: str) -> str | None:
        """Return why a slot that is told in words is not told; None if it is, or cannot be."""
        request = requests()[slot]
        # In most turns the same venues are spoken of as in the one before.
        values_of = cache(partial(self._values, slot=request.record or ""))
        is_recorded = is_offered = False
        causes = {NEVER_TOLD}
        for turn, spoken, number in self._spoken_of():
            text = request.words(self.responses[turn])
            if request.record is None:
                if request.is_told(text) and not is_refused(text, ""):
                    return None
                continue
            tells = partial(request.is_told, text)
            offered = spoken & self.fitting
            right = values_of(offered)
            if any(map(tells, right)):
                recorded = recorded_values(self.delexicalise, self.name, request.record)
                if not request.is_guessed(text, number, recorded):
                    return None
                causes.add(GUESSED)
            # Of several venues, the user may have chosen one for which it is truly not known.
            if says_unknown(text) and not all(values_of(frozenset({id_})) for id_ in offered):
                return None
            is_recorded |= bool(right)
            is_offered |= bool(offered)
            if any(map(tells, values_of(spoken - self.fitting))):
                causes.add(OF_ANOTHER)
        # The database does not have it for what is spoken of.
        if is_offered and not is_recorded:
            return None
        return next(cause for cause in _BY_WEIGHT if cause in causes)

    def _values(self, ids: Iterable[str], slot: str) -> set[str]:
        """Return what the database has of a slot for some of the domain's venues."""
        values: set[str] = set()
        for id_ in ids:
            venue = self.delexicalise.gazetteer.venues[VenueId(self.name, id_)]
            values.update(venue.facts.get(slot, ()))
        return values

    def _reference_cause(self) -> str | None:
        """Return why no reference number of the domain is told; None if one is."""
        by_number: defaultdict[str, list[tuple[int, Span]]] = defaultdict(list)
        for number, (turn, span) in enumerate(islice(self._spans("REFERENCE"), _MOST_NUMBERS)):
            # Repeated later, in a dialogue of its own, it is still what it was at first.
            by_number[span.value if self.booked is None else str(number)].append((turn, span))
        cause: str | None = ABOUT_ANOTHER_DOMAIN if by_number else NEVER_TOLD
        for places in by_number.values():
            if self._is_domains_reference(*places[0]):
                is_early = self.booked is not None and not self.booked[places[0][0]]
                causes = (self._booking_cause(turn, span) for turn, span in places)
                cause = TOO_EARLY if is_early else next(filter(None, causes), None)
                if cause is None:
                    return None
        return cause

    def _is_domains_reference(self, turn: int, span: Span) -> bool:
        """Return whether a reference number may be the domain's.

        In a dialogue of its own, a turn about more domains than it has numbers tells by the
        sentence whose each is.
        """
        about = self.about[turn]
        numbers = [other for other in self.responses[turn].spans if other.slot == "REFERENCE"]
        if self.booked is None and len(numbers) < len(about):
            for sentence in self.sentences[turn]:
                if span in sentence.spans:
                    about = sentence.domains
        return not about or self.name in about

    def _booking_cause(self, turn: int, span: Span) -> str | None:
        """Return why a reference number is not that of the booking asked for; None if it may be."""
        before = after = said = ""
        for number in range(turn, len(self.responses)):
            for sentence in self.sentences[number]:
                has_number = number == turn and span in sentence.spans
                is_meant = has_number or words("booking")["about"].search(sentence.text)
                if is_meant and sentence.domains <= {self.name}:
                    said += sentence.text
                if sentence.domains and self.name not in sentence.domains:
                    continue
                if number == turn and sentence.start < span.start:
                    before += sentence.text[: span.start - sentence.start]
                elif self.booked is None:
                    after += sentence.text
        behind = self.responses[turn].original[span.end :]
        if is_refused(before, behind) or is_refused(after, ""):
            return REFUSED
        for slot, value in self.wanted.booking.items() if self.booked is None else ():
            right = (value, self.wanted.first.get(slot, value))
            values = booked_values(slot, said)
            pairs = product(values, right)
            if values and not any(same_value(slot, booked, wanted) for booked, wanted in pairs):
                return OTHERWISE
        return None

    def _venue_slot_cause(self, slot: str, named: set[str]) -> str | None:
        """Return why a slot of venues is not told of one that fits and is named; None if it is."""
        meant = self.fitting & named
        causes = {NEVER_TOLD}
        for turn, response in enumerate(self.responses):
            spans = [span for span in response.spans if span.slot == slot]
            places = [(span.start, span.end) for span in spans]
            are_guesses = are_alternatives(response.original, places)
            for span in spans:
                ids = _ids(span, self.name)
                if span.whole and ids & meant:
                    if not (are_guesses or is_denied(response.original, span.start, span.end)):
                        return None
                    causes.add(GUESSED)
                elif ids & meant:
                    causes.add(IN_PART)
                elif ids:
                    is_fitting = span.whole and ids & self.fitting
                    causes.add(OF_UNNAMED if is_fitting else OF_ANOTHER)
                elif not span.venues and self._is_about(turn):
                    causes.add(NOWHERE)
        venues = self.delexicalise.gazetteer.venues
        if meant and not any(slot in venues[VenueId(self.name, id_)].values for id_ in meant):
            return NOT_RECORDED
        return next(cause for cause in _BY_WEIGHT if cause in causes)
