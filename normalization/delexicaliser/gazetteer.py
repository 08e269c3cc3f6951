"""What a text may say of a benchmark's venues: names, addresses, numbers, in all their spellings.

A gazetteer is made from the venue records alone. Every name and address is written out in the
forms that people use, by the rules of a table: without the article, the town or the type word,
`guest house` for `guesthouse`, parts of an address. Each form remembers the venues it may mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import NamedTuple, TypeAlias

from ..normalizing import plain_slot_name
from ..packages import TomlTable
from ..rules import VenueRecords
from .phrases import PhraseBook, spellings, words

Phrase: TypeAlias = tuple[str, ...]
"""The words of a name, an address or another value, in their normal form."""

NAMED_DOMAINS = ("restaurant", "hotel", "attraction")
"""Domains whose venues have a name, an address, a telephone number and a postcode."""

UNKNOWN_VALUES = frozenset({"", "?", "unknown", "none"})

_OTHER_THAN_DIGITS = re.compile(r"[^0-9]+")
_OTHER_THAN_LETTERS_AND_DIGITS = re.compile(r"[^a-z0-9]+")
# Digits of a telephone number that begins with the country.
_SHORTEST_WITH_COUNTRY = 11


class VenueId(NamedTuple):
    """Which venue: the domain and the id that database queries return (trains: the train id)."""

    domain: str
    id: str


@dataclass(frozen=True)
class Venue:
    """A venue as texts speak of it.

    Attributes:
        key: Its domain and id.
        name: Its name as the database writes it; of a train its id.
        values: Ontology slot (PHONE, POST, ADDRESS) -> its value, comparable (see `comparable`);
            unknown values are left out.
        records: Its records; trains of several days may share an id.
    """

    key: VenueId
    name: str
    values: Mapping[str, str]
    records: Sequence[Mapping[str, object]]

    @cached_property
    def facts(self) -> Mapping[str, tuple[str, ...]]:
        """What its records say, as it is written: slot -> distinct values.

        Slots are in lower case and without blanks; unknown values are left out.
        """
        facts: dict[str, dict[str, None]] = {}
        for record in self.records:
            for key in record:
                value = _stated_value(record, key)
                if value:
                    facts.setdefault(plain_slot_name(key), {})[value] = None
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
"""Key of a venue record -> the ontology slot of its value."""


def _venue(domain: str, record: Mapping[str, object]) -> Venue:
    """Return the venue of a record."""
    values = {}
    for key, slot in _RECORD_SLOTS.items():
        value = _stated_value(record, key)
        if value:
            values[slot] = comparable(slot, value)
    name = _stated_value(record, "name")
    return Venue(VenueId(domain, str(record["id"])), name, values, [record])


def _stated_value(record: Mapping[str, object], key: str) -> str:
    """Return a record's value; "" if it is missing or unknown."""
    value = record.get(key)
    if not isinstance(value, str) or value.strip().lower() in UNKNOWN_VALUES:
        return ""
    return value.strip()


class Gazetteer:
    """What texts may say of venues.

    Args:
        records: The venue records. Unknown values (`?`) and missing ones are passed over.
        tables: The tables of a delexicaliser (`lex1.toml`).

    Attributes:
        venues: Every venue of the records, trains included.
        phrases: Names and addresses in all their spellings.
        numbers: Ontology slot (PHONE, POST, TRAINID) -> comparable value -> whose it is.
        values: Values that are no name: foods, stations, areas; each with its kind and its
            canonical form.
    """

    def __init__(self, records: VenueRecords, tables: TomlTable) -> None:
        # The stations of trains, and the towns among them: where every train starts or ends.
        trains: dict[str, list[Mapping[str, object]]] = {}
        stations: set[str] = set()
        towns: set[str] = set()
        for record in records.get("train", ()):
            ends = {_stated_value(record, end).lower() for end in ("departure", "destination")}
            towns = towns & ends if trains else ends
            stations |= ends
            trains.setdefault(_stated_value(record, "trainID"), []).append(record)
        # The rules by which names and addresses are written out.
        names, addresses = tables["names"], tables["addresses"]
        self._ordinary = frozenset(names["ordinary_words"])
        self._unsure = set(map(words, names["need_more"]))
        self._articles = frozenset(names["articles"])
        self._towns = [(town,) for town in towns.union(names["towns"])]
        self._joints = frozenset(names["joints"])
        self._types: dict[str, list[Phrase]] = {}
        for domain, types in names["type_words"].items():
            self._types[domain] = list(map(words, types))
        self._districts = list(map(words, addresses["districts"]))
        self._streets = frozenset(addresses["street_words"])
        # Groups of phrases that may replace each other.
        self._equal = [list(map(words, group)) for group in names["spellings"]]
        self._aliases = names["aliases"]
        # Venues, and what their names and addresses may be called.
        named: list[Venue] = []
        for domain in NAMED_DOMAINS:
            for record in records.get(domain, ()):
                named.append(_venue(domain, record))
        self.values = _value_book(named, stations, towns, tables["values"])
        for place in tables["place_without_record"]:
            named.append(_venue(place["domain"], {**place, "id": place["name"]}))
        mentions: list[tuple[Phrase, Mention]] = []
        for venue in named:
            mentions += self._mentions(venue)
        self.venues = {venue.key: venue for venue in named}
        for id_, days in trains.items():
            key = VenueId("train", id_)
            self.venues[key] = Venue(key, id_, {"TRAINID": comparable("TRAINID", id_)}, days)
        self.phrases = PhraseBook(mentions)
        self.numbers: dict[str, dict[str, list[VenueId]]] = {"PHONE": {}, "POST": {}, "TRAINID": {}}
        for venue in self.venues.values():
            for slot in self.numbers.keys() & venue.values.keys():
                self.numbers[slot].setdefault(venue.values[slot], []).append(venue.key)

    def _mentions(self, venue: Venue) -> Iterator[tuple[Phrase, Mention]]:
        """Yield every spelling of a venue's name and address, each with what it means."""
        sure = Mention("NAME", venue.name, venue.key, whole=True, sure=True)
        unsure = replace(sure, sure=False)
        for phrase in self._names(venue):
            has_article = phrase[0] in self._articles
            bare = phrase[1:] if has_article else phrase
            yield phrase, sure if self._unsure.isdisjoint((phrase, bare)) else unsure
        address = _stated_value(venue.records[0], "address")
        if address:
            whole = Mention("ADDRESS", address, venue.key, whole=True, sure=True)
            part = replace(whole, whole=False)
            for phrase, is_whole in self._addresses(address).items():
                yield phrase, whole if is_whole else part

    def _names(self, venue: Venue) -> set[Phrase]:
        """Return a venue's name in every form: shortened, with type words, with an article."""
        full = words(venue.name)
        if not full:
            return set()
        names = self._short_names(full, venue.key.domain)
        for name in names - self._unsure:
            for type_words in self._types.get(venue.key.domain, ()):
                if name[-len(type_words) :] != type_words:
                    names.add(name + type_words)
        names.update(map(words, self._aliases.get(venue.name.lower(), ())))
        spelt: set[Phrase] = set().union(*map(self._spelt, names))
        with_article = {("the", *name) for name in spelt if name[0] not in self._articles}
        return spelt | with_article

    def _short_names(self, full: Phrase, domain: str) -> set[Phrase]:
        """Return a name and all that it can be shortened to, step by step."""
        ends = self._towns + self._types.get(domain, []) + self._districts
        beginnings = [(article,) for article in self._articles] + ends
        names = {full}
        pending = [full]
        while pending:
            name = pending.pop()
            # The name without one of the things that people leave out.
            shorter = [name[: -len(end)] for end in ends if name[-len(end) :] == end]
            shorter += [name[len(start) :] for start in beginnings if name[: len(start)] == start]
            for index, word in enumerate(name):
                if word in self._joints and index > 1:
                    shorter.append(name[:index])
            for reduced in shorter:
                is_ordinary = all(word in self._ordinary or len(word) == 1 for word in reduced)
                lacks_article = name[0] in self._articles and reduced == name[1:]
                # Ordinary words alone do not tell what is meant, unless a table lists them.
                is_clear = not is_ordinary or (lacks_article and len(reduced) > 1)
                if reduced not in names and (is_clear or reduced in self._unsure):
                    names.add(reduced)
                    pending.append(reduced)
        return names

    def _addresses(self, address: str) -> dict[Phrase, bool]:
        """Return spelling -> whether it is the whole address."""
        sections = [section for section in map(words, address.split(",")) if section]
        full = tuple(chain.from_iterable(sections))
        phrases = {full: True}
        for district in self._districts:
            if full[-len(district) :] == district and len(full) > len(district):
                phrases[full[: -len(district)]] = True
        for complete in list(phrases):
            for street in self._street_phrases(complete):
                phrases.setdefault(street, False)
        for section in sections:
            if len(section) > 1 and section not in self._districts:
                phrases.setdefault(section, False)
        written: dict[Phrase, bool] = {}
        for phrase, is_whole in phrases.items():
            # A genitive may be written apart: `king s parade`.
            joined = tuple(re.sub(" s(?= |$)", "s", " ".join(phrase)).split())
            for spelt in self._spelt(phrase) | self._spelt(joined):
                written[spelt] = is_whole or written.get(spelt, False)
        return written

    def _street_phrases(self, address: Phrase) -> Iterator[Phrase]:
        """Yield the parts of an address that end with a street and begin with it or before."""
        for index, word in enumerate(address):
            if index == 0 or word not in self._streets:
                continue
            end = index + 1
            yield address[:end]
            # Without the house or its number: as few as two words.
            for start in range(1, index):
                before = address[start - 1]
                if before in self._streets or before[:1].isdigit():
                    yield address[start:end]

    def _spelt(self, phrase: Phrase) -> set[Phrase]:
        """Return a phrase in all its spellings: `guest house`, `center`, `st`."""
        variants = {phrase}
        for group in self._equal:
            for variant in list(variants):
                for spelling, start in product(group, range(len(variant))):
                    end = start + len(spelling)
                    if variant[start:end] == spelling:
                        before, after = variant[:start], variant[end:]
                        variants.update(before + other + after for other in group)
        return variants


AS_IT_IS = "*"


def _value_book(
    venues: Sequence[Venue], stations: Set[str], towns: Set[str], tables: TomlTable
) -> PhraseBook[tuple[str, str]]:
    """Return the phrases of values that are no name: each with its kind and its canonical form.

    Args:
        venues: Venues with a food, a type or an area.
        stations: The stations of trains.
        towns: Those of them that are towns.
        tables: `values` of a delexicaliser's tables: kind -> canonical form -> patterns; `*` is
            the canonical form of phrases that are their own.
    """
    kinds: dict[str, str] = {}
    for slot in ("food", "type", "area"):
        for venue in venues:
            kinds[_stated_value(venue.records[0], slot).lower()] = slot
    for station in stations:
        kinds[station] = "town" if station in towns else "place"
    phrases = {words(value): (kind, value) for value, kind in kinds.items()}
    for kind, forms in tables.items():
        for canonical, patterns in forms.items():
            for spelling in chain.from_iterable(map(spellings, patterns)):
                value = " ".join(spelling) if canonical == AS_IT_IS else canonical
                phrases[spelling] = (kind, value)
    return PhraseBook((phrase, entry) for phrase, entry in phrases.items() if phrase)
