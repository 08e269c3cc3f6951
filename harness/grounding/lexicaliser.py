"""The way back: delexicalised responses with the values of venues that the belief state finds.

Every placeholder is filled with a value of one venue per domain: one that the turn's state finds in
the database, kept as long as it does, else drawn anew; where the state finds nothing, any venue of
the domain, for the response names one. What no venue has is made up (a reference number, a taxi's
telephone number) or taken from the state (people, days). The same seed gives the same text.
"""

from __future__ import annotations

import random
import re
import string
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mwz.normalization.delexicaliser.gazetteer import NAMED_DOMAINS, UNKNOWN_VALUES
from mwz.normalization.responses import NAME
from mwz.normalization.rules import RuleSet
from mwz.normalization.states import BeliefState, normalize_slot_name

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase

_PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\]")
_VENUE_DOMAINS = (*NAMED_DOMAINS, "train")
_OPEN_ENDED = frozenset({"dontcare", "not mentioned"})
_CARS = ("black tesla", "white audi", "blue honda", "red ford", "grey skoda", "yellow volvo")

Record = Mapping[str, str]
"""A venue's values by normalised slot name; unknown ones are left out."""


class VenueStock:
    """The venues to take values from. Make it once and reuse it.

    Args:
        records: domain -> venue records, as the public database files hold them.
        database: Answers the states' queries; made of the same records.
        rules: The rule set.
    """

    def __init__(
        self,
        records: Mapping[str, Sequence[Mapping[str, Any]]],
        database: VenueDatabase,
        rules: RuleSet,
    ) -> None:
        self.rules = rules
        self._database = database
        self._records: dict[str, dict[str, Record]] = {domain: {} for domain in _VENUE_DOMAINS}
        for domain in _VENUE_DOMAINS:
            for raw in records.get(domain, ()):
                record = _known_values(raw, rules)
                id_ = record["trainid" if domain == "train" else "id"]
                self._records[domain].setdefault(id_, record)

    def find(self, domain: str, state: BeliefState) -> list[Record]:
        """Return the venues that a state finds, in the records' order."""
        constraints = state.get(domain)
        if constraints is None:
            return []
        records = self._records[domain]
        return [records[id_] for id_ in self._database.query(domain, constraints) if id_ in records]

    def every(self, domain: str) -> list[Record]:
        """Return all venues of a domain, in the records' order."""
        return list(self._records[domain].values())


def lexicalise(
    responses: Sequence[str],
    states: Sequence[BeliefState],
    active_domains: Sequence[Collection[str]],
    stock: VenueStock,
    seed: int | str,
) -> list[str]:
    """Return a dialogue's responses with values in place of their placeholders.

    Args:
        responses: Delexicalised responses as a system gave them, one per system turn; the names of
            placeholders are those of the ontology, with or without a domain. A placeholder that
            the ontology lacks is replaced by nothing, as normalising does.
        states: The belief states that query the database, normalised, one per turn.
        active_domains: The active domains, one collection per turn.
        stock: The venues.
        seed: What the choices depend on; make it the dialogue's own ("12345 pmul0001").
    """
    writer = _Writer(stock, random.Random(str(seed)))
    return [
        writer.write(response, state, active)
        for response, state, active in zip(responses, states, active_domains, strict=True)
    ]


def _known_values(raw: Mapping[str, Any], rules: RuleSet) -> dict[str, str]:
    values = {normalize_slot_name(key, rules): value for key, value in raw.items()}
    return {
        slot: value.strip()
        for slot, value in values.items()
        if isinstance(value, str) and value.strip().lower() not in UNKNOWN_VALUES
    }


@dataclass
class _Turn:
    """What a response that is being written needs to know.

    Attributes:
        state: The belief state.
        domain: The domain that placeholders without one of their own are of.
        filled: Domain and slot -> how many placeholders were filled, so that a second name is
            another venue's.
        venues: Domain -> the venues named in this response, in order.
    """

    state: BeliefState
    domain: str
    filled: Counter[tuple[str, str]] = field(default_factory=Counter)
    venues: dict[str, list[Record]] = field(default_factory=dict)

    def number(self, domain: str, slot: str) -> int:
        """Count a placeholder, and return how many of its domain and slot were filled before."""
        self.filled[domain, slot] += 1
        return self.filled[domain, slot] - 1

    def wish(self, domain: str, *slots: str, default: str) -> str:
        """Return what the state asks for in the first of some slots that it constrains."""
        values = (self.state.get(domain, {}).get(slot, "dontcare") for slot in slots)
        return next((value for value in values if value not in _OPEN_ENDED), default)


class _Writer:
    """Writes the responses of one dialogue, turn by turn."""

    def __init__(self, stock: VenueStock, chance: random.Random) -> None:
        self._stock = stock
        self._chance = chance
        self._kept: dict[str, Record] = {}
        self._last_domain = ""
        self._fillers: Mapping[str, Callable[[_Turn, str, str], str]] = {
            "NAME": self._name,
            "TRAINID": self._train_id,
            "PHONE": self._phone,
            "ADDRESS": self._of_venue("address"),
            "POST": self._of_venue("postcode"),
            "AREA": self._of_venue("area"),
            "FOOD": self._of_venue("food"),
            "TYPE": self._type,
            "PRICE": self._price,
            "REFERENCE": self._reference,
            "TIME": self._time,
            "DAY": self._day,
            "PLACE": self._place,
            "COUNT": self._count,
            "PARKING": lambda turn, domain, name: "parking",
            "INTERNET": lambda turn, domain, name: "wifi",
            "DEPARTMENT": lambda turn, domain, name: "emergency department",
            "ID": self._of_venue("id"),
            "OPEN": lambda turn, domain, name: "all day",
        }

    def write(self, response: str, state: BeliefState, active: Collection[str]) -> str:
        """Return one response with its placeholders filled."""
        domain = next(iter(active), "") or self._last_domain
        turn = _Turn(state, domain)
        text = _PLACEHOLDER.sub(lambda match: self._filled(turn, match[1].lower()), response)
        self._last_domain = domain
        return text

    def _filled(self, turn: _Turn, name: str) -> str:
        slot = self._stock.rules.ontology.get(name)
        if slot is None:
            return ""
        own = name.split("_", maxsplit=1)[0]
        domain = own if own in self._stock.rules.domains else turn.domain
        return self._fillers[slot](turn, domain, name)

    def _venue(self, turn: _Turn, domain: str, another: bool = False) -> Record:
        """Return the venue that a response speaks of.

        Args:
            turn: The turn.
            domain: A domain with venues.
            another: Whether it is to be another one than those that this response names.
        """
        named = turn.venues.setdefault(domain, [])
        if named and not another:
            return named[-1]
        found = self._stock.find(domain, turn.state) or self._stock.every(domain)
        kept = self._kept.get(domain)
        if kept is None or kept not in found or named:
            fresh = [venue for venue in found if venue not in named] or found
            most = max(map(len, fresh), default=0)
            whole = [venue for venue in fresh if len(venue) == most]
            kept = self._chance.choice(whole) if whole else {}
        if not named:
            self._kept[domain] = kept
        named.append(kept)
        return kept

    def _venue_domain(self, domain: str) -> str:
        """Return a domain whose venues have names: the one asked for, or one spoken of."""
        if domain in NAMED_DOMAINS:
            return domain
        spoken = [d for d in reversed(list(self._kept)) if d in NAMED_DOMAINS]
        return spoken[0] if spoken else NAMED_DOMAINS[0]

    def _name(self, turn: _Turn, domain: str, name: str) -> str:
        domain = self._venue_domain(domain)
        another = turn.number(domain, "NAME") > 0
        return _title(self._venue(turn, domain, another).get("name", ""))

    def _train_id(self, turn: _Turn, domain: str, name: str) -> str:
        another = turn.number("train", "TRAINID") > 0
        return self._venue(turn, "train", another).get("trainid", "")

    def _phone(self, turn: _Turn, domain: str, name: str) -> str:
        if domain in ("taxi", "police", "hospital"):
            return "07" + "".join(self._chance.choices(string.digits, k=9))
        return self._of_venue("phone")(turn, domain, name)

    def _of_venue(self, slot: str) -> Callable[[_Turn, str, str], str]:
        """Return a filler with a venue's value; if it has none, with that of one that does."""

        def fill(turn: _Turn, domain: str, name: str) -> str:
            domain = self._venue_domain(domain)
            value = self._venue(turn, domain).get(slot)
            if value is None:
                values = [venue[slot] for venue in self._stock.every(domain) if slot in venue]
                value = self._chance.choice(values) if values else ""
            return value

        return fill

    def _type(self, turn: _Turn, domain: str, name: str) -> str:
        if domain == "taxi" or "car" in name or "taxi" in name:
            return self._chance.choice(_CARS)
        return self._of_venue("type")(turn, domain, name)

    def _price(self, turn: _Turn, domain: str, name: str) -> str:
        if domain == "train" or name.startswith("train"):
            return self._venue(turn, "train").get("price", "")
        fee = "fee" in name or (domain == "attraction" and "range" not in name)
        return self._of_venue("entrancefee" if fee else "pricerange")(turn, domain, name)

    def _reference(self, turn: _Turn, domain: str, name: str) -> str:
        drawn = self._chance.choices(string.ascii_uppercase + string.digits, k=6)
        return "".join([self._chance.choice(string.ascii_uppercase), *drawn, "7"])

    def _time(self, turn: _Turn, domain: str, name: str) -> str:
        if domain != "train":
            return turn.wish(domain, "booktime", "time", "leave", "arrive", default="19:00")
        number = turn.number(domain, "TIME")
        if "duration" in name:
            slot = "duration"
        elif "leave" in name or ("arrive" not in name and number % 2 == 0):
            slot = "leave"
        else:
            slot = "arrive"
        return self._venue(turn, "train").get(slot, "10:00")

    def _day(self, turn: _Turn, domain: str, name: str) -> str:
        day = turn.wish(domain, "day", "bookday", default="")
        if not day and domain == "train":
            return self._venue(turn, "train").get("day", "saturday")
        return day or "friday"

    def _place(self, turn: _Turn, domain: str, name: str) -> str:
        number = turn.number(domain, "PLACE")
        departs = "depart" in name or ("dest" not in name and number % 2 == 0)
        slot = "departure" if departs else "destination"
        if domain == "taxi":
            return turn.wish(domain, slot, default="the station")
        return self._venue(turn, "train").get(slot, "")

    def _count(self, turn: _Turn, domain: str, name: str) -> str:
        if "star" in name:
            return self._of_venue("stars")(turn, "hotel", name)
        for word in ("people", "stay"):
            if word in name:
                return turn.wish(domain, f"book{word}", word, default="2")
        if domain in _VENUE_DOMAINS:
            return str(len(self._stock.find(domain, turn.state)) or "no")
        return "several"


def _title(name: str) -> str:
    """Return a name with capital letters, which tell an ordinary word that is a name."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())
