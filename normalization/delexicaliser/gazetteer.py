"""What a text may say of a benchmark's venues: names, addresses, numbers, in all their spellings.

A gazetteer is made from the venue records alone. Every name and address is written out in the
forms that people use, by the rules of a table: without the article, the town or the type word,
`guest house` for `guesthouse`, parts of an address. Each form remembers the venues it may mean.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, product
from typing import Any, TypeAlias

from ..normalizing import VenueId, plain_slot_name
from .phrases import PhraseBook, spellings, words

VenueRecords: TypeAlias = Mapping[str, Sequence[Mapping[str, Any]]]
"""Domain -> venue records, as the public database files hold them."""

NAMED_DOMAINS = ("restaurant", "hotel", "attraction")
"""Domains whose venues have a name, an address, a telephone number and a postcode."""

UNKNOWN_VALUES = frozenset({"", "?", "unknown", "none"})

_OTHER_THAN_DIGITS = re.compile(r"[^0-9]+")
_OTHER_THAN_LETTERS_AND_DIGITS = re.compile(r"[^a-z0-9]+")
# Digits of a telephone number that begins with the country.
_SHORTEST_WITH_COUNTRY = 11


@dataclass(frozen=True)
class Venue:
    """A venue as texts speak of it.

    Attributes:
        key: Which one it is.
        name: Its name as the database writes it; of a train its id.
        values: Ontology slot (PHONE, POST, ADDRESS) -> its value, comparable (see `comparable`);
            unknown values are left out.
        records: Its records; trains of several days may share an id.
    """

    key: VenueId
    name: str
    values: Mapping[str, str]
    records: Sequence[Mapping[str, Any]]

    @cached_property
    def facts(self) -> Mapping[str, tuple[str, ...]]:
        """What its records say, as it is written: slot -> distinct values.

        Slots are in lower case and without blanks; unknown values are left out.
        """
        facts: dict[str, dict[str, None]] = {}
        for record in self.records:
            for key in record:
                if text := _text(record, key):
                    facts.setdefault(plain_slot_name(key), {})[text] = None
        return {slot: tuple(values) for slot, values in facts.items()}


@dataclass(frozen=True, slots=True)
class Mention:
    """What a phrase may mean.

    Attributes:
        slot: Ontology slot, "NAME" or "ADDRESS".
        value: The name or address as the database writes it.
        venue: Whose it is.
        whole: Whether it is the whole value, and not only a part of an address.
        sure: Whether the phrase alone tells that it is meant; ordinary words do not.
    """

    slot: str
    value: str
    venue: VenueId
    whole: bool
    sure: bool


@dataclass(frozen=True)
class Gazetteer:
    """What texts may say of venues.

    Attributes:
        venues: Every venue of the records, trains included.
        phrases: Names and addresses in all their spellings.
        numbers: Ontology slot (PHONE, POST, TRAINID) -> comparable value -> whose it is.
        values: Values that are no name: foods, stations, areas; each with its kind and its
            canonical form.
    """

    venues: Mapping[VenueId, Venue]
    phrases: PhraseBook[Mention]
    numbers: Mapping[str, Mapping[str, Sequence[VenueId]]]
    values: PhraseBook[tuple[str, str]]


def comparable(slot: str, value: str) -> str:
    """Return a value in the form in which values of its slot are compared.

    Telephone numbers are compared by their digits (those of the country, 44, are a 0), everything
    else by its letters and digits in lower case.
    """
    if slot == "PHONE":
        digits = _OTHER_THAN_DIGITS.sub("", value)
        abroad = digits.removeprefix("00")
        if len(abroad) >= _SHORTEST_WITH_COUNTRY and abroad.startswith("44"):
            return "0" + abroad[2:].removeprefix("0")
        return digits
    return _OTHER_THAN_LETTERS_AND_DIGITS.sub("", value.lower())


_RECORD_SLOTS = {"phone": "PHONE", "postcode": "POST", "address": "ADDRESS"}


def build_gazetteer(records: VenueRecords, tables: Mapping[str, Any]) -> Gazetteer:
    """Make a gazetteer of venue records.

    Args:
        records: The records. Unknown values (`?`) and missing ones are passed over.
        tables: The tables of a delexicaliser (`lex1.toml`).
    """
    trains: dict[str, list[Mapping[str, Any]]] = {}
    for record in records.get("train", ()):
        trains.setdefault(_text(record, "trainID"), []).append(record)
    ends = {
        tuple(_text(record, end).lower() for end in ("departure", "destination"))
        for record in records.get("train", ())
    }
    # The station that every train comes from or goes to, if there is one.
    towns = set.intersection(*map(set, ends)) if ends else set()
    named = [(domain, record) for domain in NAMED_DOMAINS for record in records.get(domain, ())]
    values = {
        _text(record, slot).lower(): slot
        for slot in ("food", "type", "area")
        for _, record in named
    }
    values |= {one: "town" if one in towns else "place" for one in chain.from_iterable(ends)}
    without_record = tables["place_without_record"]
    named += [(place["domain"], {**place, "id": place["name"]}) for place in without_record]
    spelling = _Spelling(tables["names"], tables["addresses"], towns)
    venues: dict[VenueId, Venue] = {}
    mentions: list[tuple[_Words, Mention]] = []
    for domain, record in named:
        venue = _venue(domain, record)
        venues[venue.key] = venue
        mentions += spelling.mentions(venue, _text(record, "address"))
    for id_, train in trains.items():
        key = VenueId("train", id_)
        venues[key] = Venue(key, id_, {"TRAINID": comparable("TRAINID", id_)}, train)
    numbers: dict[str, dict[str, list[VenueId]]] = {"PHONE": {}, "POST": {}, "TRAINID": {}}
    for venue in venues.values():
        for slot in numbers.keys() & venue.values.keys():
            numbers[slot].setdefault(venue.values[slot], []).append(venue.key)
    return Gazetteer(venues, PhraseBook(mentions), numbers, _values(tables["values"], values))


def _venue(domain: str, record: Mapping[str, Any]) -> Venue:
    values = {
        slot: comparable(slot, text)
        for key, slot in _RECORD_SLOTS.items()
        if (text := _text(record, key))
    }
    name = _text(record, "name")
    return Venue(VenueId(domain, str(record["id"])), name, values, [record])


def _text(record: Mapping[str, Any], key: str) -> str:
    """Return a record's value; "" if it is missing or unknown."""
    value = record.get(key)
    if not isinstance(value, str) or value.strip().lower() in UNKNOWN_VALUES:
        return ""
    return value.strip()


_Words = tuple[str, ...]


class _Spelling:
    """The rules by which names and addresses are written out."""

    def __init__(
        self, names: Mapping[str, Any], addresses: Mapping[str, Any], towns: Collection[str]
    ) -> None:
        self._ordinary = frozenset(names["ordinary_words"])
        self._unsure = {words(name) for name in names["need_more"]}
        self._articles = frozenset(names["articles"])
        self._towns = {*names["towns"], *towns}
        self._joints = frozenset(names["joints"])
        self._types = {d: [words(t) for t in types] for d, types in names["type_words"].items()}
        self._districts = [words(district) for district in addresses["districts"]]
        self._streets = frozenset(addresses["street_words"])
        self._equal = [[words(one) for one in group] for group in names["spellings"]]
        self._firsts = {one[0] for group in self._equal for one in group}
        self._aliases = names["aliases"]

    def mentions(self, venue: Venue, address: str) -> Iterator[tuple[_Words, Mention]]:
        """Yield every spelling of a venue's name and address, each with what it means."""
        unsure, sure = (Mention("NAME", venue.name, venue.key, True, one) for one in (False, True))
        for phrase in self._names(venue):
            bare = phrase[phrase[0] in self._articles :]
            yield phrase, sure if self._unsure.isdisjoint((phrase, bare)) else unsure
        if address:
            part, full = (
                Mention("ADDRESS", address, venue.key, whole, True) for whole in (False, True)
            )
            for phrase, whole in self._addresses(address).items():
                yield phrase, full if whole else part

    def _names(self, venue: Venue) -> set[_Words]:
        full = words(venue.name)
        if not full:
            return set()
        shorter = {full}
        pending = [full]
        while pending:
            phrase = pending.pop()
            for reduced in self._reductions(phrase, venue.key.domain):
                if reduced not in shorter and self._may_be_short_for(reduced, phrase):
                    shorter.add(reduced)
                    pending.append(reduced)
        unsure = {phrase for phrase in shorter if phrase in self._unsure}
        types = self._types.get(venue.key.domain, [])
        longer = {
            phrase + suffix
            for phrase in shorter - unsure
            for suffix in types
            if phrase[-len(suffix) :] != suffix
        }
        aliases = {words(alias) for alias in self._aliases.get(venue.name.lower(), ())}
        every = {spelt for phrase in shorter | longer | aliases for spelt in self._spelt(phrase)}
        return every | {("the", *phrase) for phrase in every if phrase[0] not in self._articles}

    def _reductions(self, phrase: _Words, domain: str) -> Iterator[_Words]:
        """Yield a name without one of the things that people leave out."""
        towns = [(town,) for town in self._towns]
        ends = (*towns, *self._types.get(domain, ()), *self._districts)
        for end in ends:
            if phrase[-len(end) :] == end:
                yield phrase[: -len(end)]
        for begin in (*((article,) for article in self._articles), *ends):
            if phrase[: len(begin)] == begin:
                yield phrase[len(begin) :]
        for at, word in enumerate(phrase):
            if word in self._joints and at > 1:
                yield phrase[:at]

    def _may_be_short_for(self, reduced: _Words, phrase: _Words) -> bool:
        """Tell whether a shortened name still tells what is meant."""
        ordinary = all(word in self._ordinary or len(word) == 1 for word in reduced)
        only_article = phrase[0] in self._articles and reduced == phrase[1:]
        return reduced in self._unsure or not ordinary or (only_article and len(reduced) > 1)

    def _addresses(self, address: str) -> dict[_Words, bool]:
        """Return spelling -> whether it is the whole address."""
        parts = [part for part in map(words, address.split(",")) if part]
        full = tuple(word for part in parts for word in part)
        phrases = {full: True}
        for district in self._districts:
            if full[-len(district) :] == district and len(full) > len(district):
                phrases[full[: -len(district)]] = True
        for complete in list(phrases):
            for start, end in self._street_parts(complete):
                phrases.setdefault(complete[start:end], False)
        for part in parts:
            if len(part) > 1 and part not in self._districts:
                phrases.setdefault(part, False)
        written: dict[_Words, bool] = {}
        for phrase, whole in phrases.items():
            # A genitive may be written apart: `king s parade`.
            joined = tuple(re.sub(" s(?= |$)", "s", " ".join(phrase)).split())
            for spelt in self._spelt(phrase) | self._spelt(joined):
                written[spelt] = whole or written.get(spelt, False)
        return written

    def _street_parts(self, address: _Words) -> Iterator[tuple[int, int]]:
        """Yield the parts of an address that end in a street and begin with it or before."""
        ends = [at + 1 for at, word in enumerate(address) if word in self._streets and at]
        for end in ends:
            yield 0, end
            # Without the house or its number: as few as two words.
            for start in range(1, end - 1):
                before = address[start - 1]
                if before in self._streets or before[:1].isdigit():
                    yield start, end

    def _spelt(self, phrase: _Words) -> set[_Words]:
        """Return a phrase in all its spellings: `guest house`, `center`, `st`."""
        variants = {phrase}
        if self._firsts.isdisjoint(phrase):
            return variants
        for group in self._equal:
            for variant in [*variants]:
                for one, at in product(group, range(len(variant))):
                    if variant[at : at + len(one)] == one:
                        variants |= {variant[:at] + o + variant[at + len(one) :] for o in group}
        return variants


AS_IT_IS = "*"


def _values(tables: Mapping[str, Any], recorded: Mapping[str, str]) -> PhraseBook[tuple[str, str]]:
    """Return the phrases of values that are no name: each with its kind and its canonical form.

    Args:
        tables: `values` of a delexicaliser's tables: kind -> canonical form -> patterns; `*` is
            the canonical form of phrases that are their own.
        recorded: Value of the venue records -> its kind.
    """
    phrases = {words(value): (kind, value) for value, kind in recorded.items()}
    for kind, forms in tables.items():
        for canonical, patterns in forms.items():
            for spelling in chain.from_iterable(map(spellings, patterns)):
                value = " ".join(spelling) if canonical == AS_IT_IS else canonical
                phrases[spelling] = (kind, value)
    return PhraseBook((phrase, entry) for phrase, entry in phrases.items() if phrase)
