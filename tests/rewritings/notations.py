"""Rewritings of states: other names of slots and domains, and other notations."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from .parts import Kind, Rewrite, State, documented, renamed_domains, renamed_slots, slots, states
from .values import BOOKING, EVERY_SLOT, TIMES

# Slots and domains.


def _camel(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exchanged(first: str, second: str) -> Rewrite:
    names = {first: second, second: first}
    return slots(lambda domain, slot, value: (domain, names.get(slot, slot), value))


def _without(*names: str) -> Rewrite:
    return slots(lambda d, s, v: None if s in names else (d, s, v))


def _prefixed(prefix: str) -> Rewrite:
    """Return what calls the slots of bookings by another prefix than `book`."""
    return slots(lambda d, s, v: (d, f"{prefix}{s[4:]}" if s.startswith("book") else s, v))


SLOTS = (
    documented("price range", renamed_slots(pricerange="price range")),
    documented("priceRange", renamed_slots(pricerange="priceRange")),
    *(
        Kind(name, renamed_slots(pricerange=name))
        for name in ("price_range", "price-range", "price")
    ),
    documented("leaveAt and arriveBy", renamed_slots(leave="leaveAt", arrive="arriveBy")),
    documented("leave at and arrive by", renamed_slots(leave="leave at", arrive="arrive by")),
    Kind("leave_at and arrive_by", renamed_slots(leave="leave_at", arrive="arrive_by")),
    Kind("leave time", renamed_slots(leave="leave time", arrive="arrive time")),
    Kind("departure_time", renamed_slots(leave="departure_time", arrive="arrival_time")),
    documented("book people", _prefixed("book ")),
    Kind("book_people", _prefixed("book_")),
    Kind("people", _prefixed("")),
    Kind("people_count", renamed_slots(people="people_count", bookpeople="people_count")),
    Kind("number_of_people", renamed_slots(people="number_of_people", bookpeople="num_people")),
    Kind("nights", renamed_slots(stay="nights", bookstay="nights")),
    Kind("wifi", renamed_slots(internet="wifi")),
    Kind("from and to", renamed_slots(departure="from", destination="to")),
    Kind("cuisine", renamed_slots(food="cuisine")),
    Kind("restaurant_name", slots(lambda d, s, v: (d, f"{d}_name" if s == "name" else s, v))),
    documented("names in upper case", slots(lambda d, s, v: (d, s.upper(), v))),
    documented("names with a capital", slots(lambda d, s, v: (d, _camel(s), v))),
    Kind("names with the domain", slots(lambda d, s, v: (d, f"{d}-{s}", v))),
    Kind("names with the domain and _", slots(lambda d, s, v: (d, f"{d}_{s}", v))),
    Kind("names with blanks around", slots(lambda d, s, v: (d, f" {s} ", v))),
    documented("domains in upper case", renamed_domains(str.upper)),
    documented("domains with a capital", renamed_domains(str.title)),
    Kind("plural of domains", renamed_domains(lambda domain: f"{domain}s")),
    Kind("domains in brackets", renamed_domains(lambda domain: f"[{domain}]")),
    Kind("find_ before domains", renamed_domains(lambda domain: f"find_{domain}")),
    Kind("all in one domain", renamed_domains(lambda domain: "restaurant")),
    Kind(
        "hotels and restaurants exchanged",
        renamed_domains(lambda d: {"hotel": "restaurant", "restaurant": "hotel"}.get(d, d)),
    ),
    Kind("departure and destination exchanged", _exchanged("departure", "destination")),
    Kind("leave and arrive exchanged", _exchanged("leave", "arrive")),
    Kind("area and price exchanged", _exchanged("area", "pricerange")),
    Kind("name and type exchanged", _exchanged("name", "type")),
    Kind("no areas", _without("area")),
    Kind("no names", _without("name")),
    Kind("no times", _without(*TIMES)),
    Kind("no trains", slots(lambda d, s, v: None if d == "train" else (d, s, v))),
    Kind("no hotels", slots(lambda d, s, v: None if d == "hotel" else (d, s, v))),
)


# Notations of states.


def triples(state: State) -> list[tuple[str, str, Any]]:
    """Return domain, slot and value of all slots of a state."""
    return [(d, slot, value) for d, of_domain in state.items() for slot, value in of_domain.items()]


def _joined(form: str, between: str) -> Callable[[State], str]:
    """Return what writes a state as text, given the form of a slot: its domain, name and value."""
    return lambda state: between.join(form.format(*triple) for triple in triples(state))


def _flat(form: str) -> Callable[[State], dict[str, Any]]:
    return lambda state: {form.format(d, slot): value for d, slot, value in triples(state)}


def _listed(entry: Callable[[str, str, Any], Any]) -> Callable[[State], list[Any]]:
    return lambda state: [entry(*triple) for triple in triples(state)]


def by_domain(form: str, slot: str, between: str, end: str = " ") -> Callable[[State], str]:
    """Return what writes a state as text, domain by domain, given the form of one and of a slot."""

    def write(state: State) -> str:
        parts = []
        for domain, of_domain in state.items():
            inside = between.join(slot.format(name, value) for name, value in of_domain.items())
            parts.append(form.format(domain, inside))
        return end.join(parts)

    return write


def metadata(state: State) -> dict[str, Any]:
    """Return a state as MultiWOZ's own `metadata`, with all domains and slots."""
    written: dict[str, Any] = {}
    for domain, names in EVERY_SLOT.items():
        semi = dict.fromkeys(names, "")
        book: dict[str, Any] = {"booked": []}
        book |= dict.fromkeys(BOOKING.get(domain, ()), "")
        for slot, value in state.get(domain, {}).items():
            bare = slot.removeprefix("book")
            part = book if bare in BOOKING.get(domain, ()) and bare not in names else semi
            part[bare] = value
        written[domain] = {"semi": semi, "book": book}
    return written


def frames(state: State) -> list[dict[str, Any]]:
    """Return a state as the `frames` of MultiWOZ 2.2."""
    written = []
    for domain, of_domain in state.items():
        named = {f"{domain}-{slot}": [value] for slot, value in of_domain.items()}
        inside = {"active_intent": f"find_{domain}", "requested_slots": [], "slot_values": named}
        written.append({"service": domain, "slots": [], "state": inside})
    return written


def _names_and_lists(state: State) -> dict[str, list[Any]]:
    """Return a state as Hugging Face has it: parallel lists of names and of values."""
    flat = _flat("{}-{}")(state)
    return {"slots_values_name": [*flat], "slots_values_list": [[value] for value in flat.values()]}


def _fenced(state: State) -> str:
    return f"```json\n{json.dumps(state, indent=2)}\n```"


NOTATIONS = (
    documented("nested", states(dict)),
    documented("null for a domain", states(lambda state: {**state, "bus": None})),
    documented("domain-slot", states(_flat("{}-{}"))),
    documented("domain_slot", states(_flat("{}_{}"))),
    Kind("domain.slot", states(_flat("{}.{}"))),
    Kind("domain slot", states(_flat("{} {}"))),
    Kind(
        "Domain-Slot",
        states(lambda state: {k.title(): v for k, v in _flat("{}-{}")(state).items()}),
    ),
    documented("list of domain-slot-value", states(_listed(lambda *triple: "-".join(triple)))),
    documented("list of domain-slot=value", states(_listed("{}-{}={}".format))),
    Kind("list of domain-slot: value", states(_listed("{}-{}: {}".format))),
    Kind("list of domain slot value", states(_listed("{} {} {}".format))),
    documented("list of pairs", states(_listed(lambda d, slot, value: [f"{d}-{slot}", value]))),
    documented("list of triples", states(_listed(lambda *triple: [*triple]))),
    documented(
        "list of slots and values",
        states(_listed(lambda d, slot, value: {"slot": f"{d}-{slot}", "value": value})),
    ),
    Kind(
        "list of domains, slots and values",
        states(_listed(lambda d, slot, value: {"domain": d, "slot": slot, "value": value})),
    ),
    documented(
        "TRADE's slots", states(_listed(lambda d, slot, value: {"slots": [[f"{d}-{slot}", value]]}))
    ),
    Kind("list of objects of one slot", states(_listed(lambda d, s, v: {f"{d}-{s}": v}))),
    documented("metadata", states(metadata)),
    Kind("frames", states(frames)),
    Kind("slot values", states(lambda state: {"slot_values": _flat("{}-{}")(state)})),
    documented("JSON as text", states(json.dumps)),
    documented("flat JSON as text", states(lambda state: json.dumps(_flat("{}-{}")(state)))),
    documented("Python as text", states(str)),
    documented("JSON in a fence", states(_fenced)),
    documented("JSON in a fence after a sentence", states(lambda s: f"The state:\n{_fenced(s)}")),
    documented("JSON after a sentence", states(lambda s: f"Here is the state: {json.dumps(s)}")),
    Kind("JSON before a sentence", states(lambda s: f"{json.dumps(s)}\nLet me know!")),
    Kind("JSON with tags around", states(lambda s: f"<state>{json.dumps(s)}</state>")),
    Kind("JSON with a comma too many", states(lambda s: json.dumps(s).replace("}}", "},}"))),
    documented("assignments after commas", states(_joined("{}-{}={}", ", "))),
    Kind("assignments after semicolons", states(_joined("{}-{} = {}", "; "))),
    Kind("assignments by colons", states(_joined("{}-{}: {}", ", "))),
    Kind("assignments by lines", states(_joined("{}-{}: {}", "\n"))),
    Kind("items by lines", states(_joined("- {}-{}: {}", "\n"))),
    documented("SimpleTOD's words", states(_joined("{} {} {}", ", "))),
    documented(
        "SimpleTOD's tokens",
        states(lambda s: f"<|belief|> {_joined('{} {} {}', ', ')(s)} <|endofbelief|>"),
    ),
    documented("T5-DST's marks", states(_listed("{}-{}#####{}".format))),
    documented("SOLOIST's words", states(lambda s: f"belief : {_joined('{} {} = {}', ' | ')(s)}")),
    Kind(
        "SOLOIST's words by domain",
        states(lambda s: f"belief : {by_domain('{} {}', '{} = {}', ' ; ')(s)}"),
    ),
    documented("names and lists of values", states(_names_and_lists)),
    documented("belief span", states(by_domain("[{}] {}", "{} {}", " "))),
    documented(
        "belief span with slots in brackets", states(by_domain("[{}] {}", "[value_{}] {}", " "))
    ),
    Kind("belief span with is", states(by_domain("[{}] {}", "{} is {}", " , "))),
    Kind(
        "belief span with tokens",
        states(lambda s: f"<sos_b> {by_domain('[{}] {}', '{} {}', ' ')(s)} <eos_b>"),
    ),
    Kind("calls of functions", states(by_domain("find_{}({})", "{}='{}'", ", "))),
    Kind("SQL", states(by_domain("SELECT * FROM {} WHERE {}", "{} = '{}'", " AND ", "; "))),
    Kind("domains with braces", states(by_domain("{} {{ {} }}", "{} = {}", " , "))),
    Kind("below belief", states(lambda state: {"belief": state})),
    Kind("list of one", states(lambda state: [state])),
)
