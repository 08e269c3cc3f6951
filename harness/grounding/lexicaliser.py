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
from typing import Any

from mwz.database.venues import VenueDatabase
from mwz.normalization.delexicaliser.gazetteer import NAMED_DOMAINS, UNKNOWN_VALUES
from mwz.normalization.responses import NAME
from mwz.normalization.rules import RuleSet
from mwz.normalization.states import BeliefState, normalize_slot_name

from ..metrics.played import play
from ..scoring import Scorer
from ..scoring.options import chosen_domains, chosen_states
from ..submission import Submission
from ..submission.checking import Turn
from ..submission.formats.format import ACTIVE_DOMAINS, RESPONSE, STATE

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


class _Writer:
    """Writes the responses of one dialogue, turn by turn."""

    def __init__(self, stock: VenueStock, chance: random.Random) -> None:
        self._stock = stock
        self._chance = chance
        self._kept: dict[str, Record] = {}
        self._state: BeliefState = {}
        self._domain = ""
        # Of the response that is being written: how many placeholders of a domain and slot were
        # filled, and domain -> the venues named, in order.
        self._filled: Counter[tuple[str, str]] = Counter()
        self._named: dict[str, list[Record]] = {}
        self._fillers: Mapping[str, Callable[[str, str], str]] = {
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
            "PARKING": lambda domain, name: "parking",
            "INTERNET": lambda domain, name: "wifi",
            "DEPARTMENT": lambda domain, name: "emergency department",
            "ID": self._of_venue("id"),
            "OPEN": lambda domain, name: "all day",
        }

    def write(self, response: str, state: BeliefState, active: Collection[str]) -> str:
        """Return one response with its placeholders filled."""
        self._state, self._filled, self._named = state, Counter(), {}
        self._domain = next(iter(active), "") or self._domain
        return _PLACEHOLDER.sub(lambda match: self._filled_in(match[1].lower()), response)

    def _filled_in(self, name: str) -> str:
        slot = self._stock.rules.ontology.get(name)
        if slot is None:
            return ""
        own = name.split("_", maxsplit=1)[0]
        domain = own if own in self._stock.rules.domains else self._domain
        return self._fillers[slot](domain, name)

    def _number(self, domain: str, slot: str) -> int:
        """Count a placeholder, and return how many of its domain and slot were filled before."""
        self._filled[domain, slot] += 1
        return self._filled[domain, slot] - 1

    def _wish(self, domain: str, *slots: str, default: str) -> str:
        """Return what the state asks for in the first of some slots that it constrains."""
        values = (self._state.get(domain, {}).get(slot, "dontcare") for slot in slots)
        return next((value for value in values if value not in _OPEN_ENDED), default)

    def _venue(self, domain: str, another: bool = False) -> Record:
        """Return the venue that a response speaks of.

        Args:
            domain: A domain with venues.
            another: Whether it is to be another one than those that this response names.
        """
        named = self._named.setdefault(domain, [])
        if named and not another:
            return named[-1]
        found = self._stock.find(domain, self._state) or self._stock.every(domain)
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

    def _name(self, domain: str, name: str) -> str:
        domain = self._venue_domain(domain)
        another = self._number(domain, "NAME") > 0
        return _title(self._venue(domain, another).get("name", ""))

    def _train_id(self, domain: str, name: str) -> str:
        another = self._number("train", "TRAINID") > 0
        return self._venue("train", another).get("trainid", "")

    def _phone(self, domain: str, name: str) -> str:
        if domain in ("taxi", "police", "hospital"):
            return "07" + "".join(self._chance.choices(string.digits, k=9))
        return self._of_venue("phone")(domain, name)

    def _of_venue(self, slot: str) -> Callable[[str, str], str]:
        """Return a filler with a venue's value; if it has none, with that of one that does."""

        def fill(domain: str, name: str) -> str:
            domain = self._venue_domain(domain)
            value = self._venue(domain).get(slot)
            if value is None:
                values = [venue[slot] for venue in self._stock.every(domain) if slot in venue]
                value = self._chance.choice(values) if values else ""
            return value

        return fill

    def _type(self, domain: str, name: str) -> str:
        if domain == "taxi" or "car" in name or "taxi" in name:
            return self._chance.choice(_CARS)
        return self._of_venue("type")(domain, name)

    def _price(self, domain: str, name: str) -> str:
        if domain == "train" or name.startswith("train"):
            return self._venue("train").get("price", "")
        fee = "fee" in name or (domain == "attraction" and "range" not in name)
        return self._of_venue("entrancefee" if fee else "pricerange")(domain, name)

    def _reference(self, domain: str, name: str) -> str:
        drawn = self._chance.choices(string.ascii_uppercase + string.digits, k=6)
        return "".join([self._chance.choice(string.ascii_uppercase), *drawn, "7"])

    def _time(self, domain: str, name: str) -> str:
        if domain != "train":
            return self._wish(domain, "booktime", "time", "leave", "arrive", default="19:00")
        number = self._number(domain, "TIME")
        if "duration" in name:
            slot = "duration"
        elif "leave" in name or ("arrive" not in name and number % 2 == 0):
            slot = "leave"
        else:
            slot = "arrive"
        return self._venue("train").get(slot, "10:00")

    def _day(self, domain: str, name: str) -> str:
        day = self._wish(domain, "day", "bookday", default="")
        if not day and domain == "train":
            return self._venue("train").get("day", "saturday")
        return day or "friday"

    def _place(self, domain: str, name: str) -> str:
        number = self._number(domain, "PLACE")
        departs = "depart" in name or ("dest" not in name and number % 2 == 0)
        slot = "departure" if departs else "destination"
        if domain == "taxi":
            return self._wish(domain, slot, default="the station")
        return self._venue("train").get(slot, "")

    def _count(self, domain: str, name: str) -> str:
        if "star" in name:
            return self._of_venue("stars")("hotel", name)
        for word in ("people", "stay"):
            if word in name:
                return self._wish(domain, f"book{word}", word, default="2")
        if domain in _VENUE_DOMAINS:
            return str(len(self._stock.find(domain, self._state)) or "no")
        return "several"


def _title(name: str) -> str:
    """Return a name with capital letters, which tell an ordinary word that is a name."""
    return " ".join(word[:1].upper() + word[1:] for word in name.split())


def lexicalised_predictions(
    submission: Submission, scorer: Scorer, seed: int
) -> dict[str, list[dict[str, Any]]]:
    """Return a delexicalised submission in plain English, as a predictions file holds it.

    Predicted states and active domains are kept; active domains that only placeholders named are
    written out.

    Args:
        submission: The submission.
        scorer: Gives venues and rules, and says where states and active domains come from.
        seed: What the choice among venues depends on; the same seed gives the same text.

    Raises:
        InputError: Some turns have a state or active domains, and others not.
    """
    normalized = scorer.normalized(submission)
    states = chosen_states(normalized, scorer.options)
    domains = chosen_domains(normalized, scorer.options)
    records = scorer.benchmark.venue_records(scorer.rules)
    stock = VenueStock(records, scorer.database(), scorer.rules)
    written = {}
    for dialogue in play(normalized, scorer.benchmark, states, domains):
        turns = submission.dialogues[dialogue.id]
        texts = lexicalise(
            [turn.response for turn in turns],
            dialogue.states,
            dialogue.active_domains,
            stock,
            f"{seed} {dialogue.id}",
        )
        written[dialogue.id] = [
            _written_turn(turn, text, own if domains == "slots" else turn.active_domains)
            for turn, text, own in zip(turns, texts, dialogue.active_domains, strict=True)
        ]
    return written


def _written_turn(turn: Turn, text: str, domains: Collection[str] | None) -> dict[str, Any]:
    """Return a turn as JSON types. Placeholders that come back name no domain."""
    written: dict[str, Any] = {RESPONSE: text}
    if turn.state is not None:
        written[STATE] = turn.state
    if domains is not None:
        written[ACTIVE_DOMAINS] = [*domains]
    return written
