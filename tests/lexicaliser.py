"""Plain English made of placeholders, to test that the delexicaliser turns it back.

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
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from mwz.database import VenueDatabase
from mwz.harness.grounding import NAMING_SLOTS, delexicaliser
from mwz.harness.metrics import play
from mwz.harness.scoring import Scorer, database_of, normalize, sources_of
from mwz.harness.submission import ACTIVE_DOMAINS, RESPONSE, STATE, Submission
from mwz.normalization import NAME, BeliefState, RuleSet
from mwz.normalization.delexicaliser import Delexicaliser

_PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\]")
_NAMED = [domain for domain, slot in NAMING_SLOTS.items() if slot == "NAME"]
_OPEN_ENDED = frozenset({"dontcare", "not mentioned"})
_OF_VENUE = {"ADDRESS": "address", "POST": "postcode", "AREA": "area", "FOOD": "food", "ID": "id"}
_CONSTANT = {
    "PARKING": "parking",
    "INTERNET": "wifi",
    "DEPARTMENT": "emergency department",
    "OPEN": "all day",
}
_CARS = ("black tesla", "white audi", "blue honda", "red ford", "grey skoda", "yellow volvo")

Record: TypeAlias = Mapping[str, str]
"""A venue's values by slot, as of `Venue.facts`; unknown ones are left out."""


class Lexicaliser:
    """Fills the placeholders of dialogues with values of venues. Make it once and reuse it.

    Args:
        delexicalise: Has the venues.
        database: Answers the states' queries; made of the same venues.
        rules: The rule set.
    """

    def __init__(
        self, delexicalise: Delexicaliser, database: VenueDatabase, rules: RuleSet
    ) -> None:
        self._database = database
        self._rules = rules
        self._venues: dict[str, dict[str, Record]] = {domain: {} for domain in NAMING_SLOTS}
        for (domain, id_), venue in delexicalise.gazetteer.venues.items():
            if domain in self._venues:
                first = {slot: values[0] for slot, values in venue.facts.items()}
                self._venues[domain][id_] = first

    def __call__(
        self,
        responses: Sequence[str],
        states: Sequence[BeliefState],
        active_domains: Sequence[Collection[str]],
        seed: int | str,
    ) -> list[str]:
        """Return a dialogue's responses with values in place of their placeholders.

        Args:
            responses: Delexicalised responses as a system gave them, one per system turn; the names
                of placeholders are those of the ontology, with or without a domain. A placeholder
                that the ontology lacks is replaced by nothing, as normalising does.
            states: The belief states that query the database, normalised, one per turn.
            active_domains: The active domains, one collection per turn.
            seed: What the choices depend on; make it the dialogue's own ("12345 pmul0001").
        """
        self._chance = random.Random(str(seed))
        self._kept: dict[str, Record] = {}
        self._domain = ""
        return [
            self._filled(response, state, active)
            for response, state, active in zip(responses, states, active_domains, strict=True)
        ]

    def _filled(self, response: str, state: BeliefState, active: Collection[str]) -> str:
        self._state = state
        # How many placeholders of a domain and slot the response has had so far, and domain ->
        # the venues that it has named, in order.
        self._counts: Counter[tuple[str, str]] = Counter()
        self._named: dict[str, list[Record]] = {}
        self._domain = next(iter(active), "") or self._domain
        return _PLACEHOLDER.sub(lambda match: self._value(match[1].lower()), response)

    def _value(self, name: str) -> str:
        slot = self._rules.ontology.get(name)
        if slot is None:
            return ""
        prefix = name.split("_", maxsplit=1)[0]
        domain = prefix if prefix in self._rules.tables["domains"] else self._domain
        if slot in _OF_VENUE:
            return self._of_venue(domain, _OF_VENUE[slot])
        if slot in _CONSTANT:
            return _CONSTANT[slot]
        filled: str = getattr(self, f"_{slot.lower()}")(domain, name)
        return filled

    def _number(self, domain: str, slot: str) -> int:
        """Count a placeholder, and return how many of its domain and slot were filled before."""
        self._counts[domain, slot] += 1
        return self._counts[domain, slot] - 1

    def _wish(self, domain: str, *slots: str, default: str) -> str:
        """Return what the state asks for in the first of some slots that it constrains."""
        values = (self._state.get(domain, {}).get(slot, "dontcare") for slot in slots)
        return next((value for value in values if value not in _OPEN_ENDED), default)

    def _find(self, domain: str) -> list[Record]:
        """Return the venues that the state finds, in the records' order."""
        constraints = self._state.get(domain)
        venues = self._venues[domain]
        ids = () if constraints is None else self._database.query(domain, constraints)
        return [venues[id_] for id_ in ids if id_ in venues]

    def _venue(self, domain: str, another: bool = False) -> Record:
        """Return the venue that a response speaks of.

        Args:
            domain: A domain with venues.
            another: Whether it is to be another one than those that this response names.
        """
        named = self._named.setdefault(domain, [])
        if named and not another:
            return named[-1]
        venues = self._find(domain) or [*self._venues[domain].values()]
        chosen = self._kept.get(domain)
        if chosen is None or chosen not in venues or named:
            fresh = [venue for venue in venues if venue not in named] or venues
            most = max(map(len, fresh), default=0)
            whole = [venue for venue in fresh if len(venue) == most]
            chosen = self._chance.choice(whole) if whole else {}
        if not named:
            self._kept[domain] = chosen
        named.append(chosen)
        return chosen

    def _venue_domain(self, domain: str) -> str:
        """Return a domain whose venues have names: the one asked for, or one spoken of."""
        if domain in _NAMED:
            return domain
        return next((d for d in reversed(self._kept) if d in _NAMED), _NAMED[0])

    def _name(self, domain: str, name: str) -> str:
        domain = self._venue_domain(domain)
        another = self._number(domain, "NAME") > 0
        # With capital letters, which tell an ordinary word that is a name.
        return string.capwords(self._venue(domain, another).get("name", ""))

    def _trainid(self, domain: str, name: str) -> str:
        another = self._number("train", "TRAINID") > 0
        return self._venue("train", another).get("trainid", "")

    def _phone(self, domain: str, name: str) -> str:
        if domain in ("taxi", "police", "hospital"):
            return "07" + "".join(self._chance.choices(string.digits, k=9))
        return self._of_venue(domain, "phone")

    def _of_venue(self, domain: str, slot: str) -> str:
        """Return a venue's value; if it has none, that of one that does."""
        domain = self._venue_domain(domain)
        value = self._venue(domain).get(slot)
        if value is None:
            values = [venue[slot] for venue in self._venues[domain].values() if slot in venue]
            value = self._chance.choice(values) if values else ""
        return value

    def _type(self, domain: str, name: str) -> str:
        if domain == "taxi" or "car" in name or "taxi" in name:
            return self._chance.choice(_CARS)
        return self._of_venue(domain, "type")

    def _price(self, domain: str, name: str) -> str:
        if domain == "train" or name.startswith("train"):
            return self._venue("train").get("price", "")
        fee = "fee" in name or (domain == "attraction" and "range" not in name)
        return self._of_venue(domain, "entrancefee" if fee else "pricerange")

    def _reference(self, domain: str, name: str) -> str:
        drawn = self._chance.choices(string.ascii_uppercase + string.digits, k=6)
        return "".join([self._chance.choice(string.ascii_uppercase), *drawn, "7"])

    def _time(self, domain: str, name: str) -> str:
        if domain != "train":
            return self._wish(domain, "booktime", "time", "leave", "arrive", default="19:00")
        number = self._number(domain, "TIME")
        leaves = "leave" in name or ("arrive" not in name and number % 2 == 0)
        slot = "duration" if "duration" in name else "leaveat" if leaves else "arriveby"
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
            return self._of_venue("hotel", "stars")
        for word in ("people", "stay"):
            if word in name:
                return self._wish(domain, f"book{word}", word, default="2")
        if domain in NAMING_SLOTS:
            return str(len(self._find(domain)) or "no")
        return "several"


def lexicalised_predictions(
    submission: Submission, scorer: Scorer, seed: int
) -> dict[str, list[dict[str, Any]]]:
    """Return a delexicalised submission in plain English, as a predictions file holds it.

    Predicted states and active domains are kept; active domains known only from placeholders are
    written out.

    Args:
        submission: The submission.
        scorer: Gives venues and rules, and says where states and active domains come from.
        seed: Seed of the choice among venues.

    Raises:
        InputError: Some turns have a state or active domains, and others not.
    """
    normalized = normalize(scorer, submission)
    states, domains = sources_of(scorer.options, normalized)
    delexicalise = delexicaliser(scorer.benchmark, scorer.rules)
    lexicalise = Lexicaliser(delexicalise, database_of(scorer), scorer.rules)
    written: dict[str, list[dict[str, Any]]] = {}
    for dialogue in play(normalized, scorer.benchmark, states, domains):
        turns = submission.dialogues[dialogue.id]
        responses = [turn.response for turn in turns]
        own_seed = f"{seed} {dialogue.id}"
        texts = lexicalise(responses, dialogue.states, dialogue.active_domains, own_seed)
        written[dialogue.id] = []
        for turn, text, slot_domains in zip(turns, texts, dialogue.active_domains, strict=True):
            # Placeholders that come back name no domain.
            active = slot_domains if domains == "slots" else turn.active_domains
            fields = {STATE: turn.state, ACTIVE_DOMAINS: None if active is None else [*active]}
            present = {key: value for key, value in fields.items() if value is not None}
            written[dialogue.id].append({RESPONSE: text, **present})
    return written
