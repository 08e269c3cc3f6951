"""Rewritings: predictions as another person would write them, or damaged as files often are.

A rewriting is given predictions in the standard form, and gold in the same form, and returns what a
file holds: what `json.dumps` writes, or bytes. Both are left as they were, and nothing is drawn by
chance. Of every rewriting the same is asked: the scores stay, or the user is told.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
import string
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeAlias

Turn: TypeAlias = "dict[str, Any]"
Outputs: TypeAlias = "Mapping[str, Sequence[Turn]]"
"""Dialogue id -> turns, each with `response`, `state` (domain -> slot -> value) and perhaps
`active_domains`."""

State: TypeAlias = "Mapping[str, Mapping[str, Any]]"
Rewrite: TypeAlias = "Callable[[Outputs, Outputs], Any]"
"""Given predictions and gold, both in the standard form, returns what a file holds."""

PUBLISHED_ANY = ("dontcare", "don't care", "do n't care")
"""How published systems write that any value is right."""

INFORM, SUCCESS, BLEU, JGA = "inform", "success", "bleu", "jga"


@dataclass(frozen=True)
class Kind:
    """A kind of rewriting.

    Attributes:
        name: What is done.
        meant: Whether a person would call the result the same, or damaged.
        rewrite: Does it.
    """

    name: str
    meant: Literal["same", "damaged"]
    rewrite: Rewrite


@dataclass(frozen=True)
class Family:
    """Kinds that rewrite the same part of predictions.

    Attributes:
        kinds: The kinds.
        figures: The figures that they can change.
        original: Given predictions and gold, returns what is rewritten, and compared with: the
            predictions with what these kinds need.
    """

    kinds: Sequence[Kind]
    figures: Collection[str]
    original: Callable[[Outputs, Outputs], Outputs]


def same(name: str, rewrite: Rewrite) -> Kind:
    """Return a kind whose results a person would call the same."""
    return Kind(name, "same", rewrite)


def damaged(name: str, rewrite: Rewrite) -> Kind:
    """Return a kind whose results have lost something."""
    return Kind(name, "damaged", rewrite)


# Parts of predictions.


def turns(change: Callable[[Turn], Turn]) -> Rewrite:
    """Return what changes every turn by itself."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        return {id_: [change(turn) for turn in dialogue] for id_, dialogue in predictions.items()}

    return rewrite


def dialogues(change: Callable[[list[Turn]], list[Any]]) -> Rewrite:
    """Return what changes every dialogue by itself."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        return {id_: change([*dialogue]) for id_, dialogue in predictions.items()}

    return rewrite


def states(change: Callable[[State], Any]) -> Rewrite:
    """Return what changes every state by itself."""
    return turns(lambda turn: {**turn, "state": change(turn["state"])})


def responses(change: Callable[[str], Any]) -> Rewrite:
    """Return what changes every response by itself."""
    return turns(lambda turn: {**turn, "response": change(turn["response"])})


def some_responses(every: int, change: Callable[[str], str]) -> Rewrite:
    """Return what changes the response of every so many turns of the file."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        numbers = count()

        def changed(turn: Turn) -> Turn:
            is_next = next(numbers) % every == 0
            return {**turn, "response": change(turn["response"])} if is_next else turn

        return turns(changed)(predictions, gold)

    return rewrite


def slots(change: Callable[[str, str, Any], tuple[str, str, Any] | None]) -> Rewrite:
    """Return what changes every slot of a state: domain, name and value; None leaves it out."""

    def changed(state: State) -> State:
        result: dict[str, dict[str, Any]] = {}
        for domain, of_domain in state.items():
            for slot, value in of_domain.items():
                renamed = change(domain, slot, value)
                if renamed is not None:
                    result.setdefault(renamed[0], {})[renamed[1]] = renamed[2]
        return result

    return states(changed)


def values(change: Callable[[str], Any], *names: str) -> Rewrite:
    """Return what changes the values of some slots, of all where none is named.

    Slots of bookings are named without `book`. Values that mean any value stay.
    """

    def changed(domain: str, slot: str, value: Any) -> tuple[str, str, Any]:
        concerned = not names or slot.removeprefix("book") in names
        keep = not concerned or value in PUBLISHED_ANY
        return domain, slot, value if keep else change(value)

    return slots(changed)


def words(changes: Mapping[str, Any], *names: str) -> Rewrite:
    """Return what writes some values of some slots otherwise."""
    return values(lambda value: changes.get(value, value), *names)


def renamed_slots(**names: str) -> Rewrite:
    """Return what calls slots otherwise, `book` before the name or not."""
    return slots(lambda domain, slot, value: (domain, names.get(slot, slot), value))


def renamed_domains(change: Callable[[str], str]) -> Rewrite:
    """Return what calls domains otherwise."""
    return slots(lambda domain, slot, value: (change(domain), slot, value))


# Values.

_TIMES = ("leave", "arrive", "time", "leaveat", "arriveby")
_PLACES = ("departure", "destination")
_NUMBERS = dict(zip("12345678", "one two three four five six seven eight".split(), strict=True))
_TIME = re.compile(r"(\d{1,2}):(\d\d)")
_FULL_WIDTH_DIGITS = str.maketrans({str(n): chr(0xFF10 + n) for n in range(10)})
_FULL_WIDTH = str.maketrans({chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)})
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _time(form: Callable[[int, int], str]) -> Rewrite:
    """Return what writes times otherwise, given hour and minute."""

    def change(value: str) -> str:
        match = _TIME.fullmatch(value)
        return form(int(match[1]), int(match[2])) if match else value

    return values(change, *_TIMES)


def _half_day(hour: int) -> str:
    return "am" if hour % 24 < 12 else "pm"


def _twelve(hour: int) -> int:
    return (hour - 1) % 12 + 1


_VALUES = (
    same("upper case", values(str.upper)),
    same("title case", values(string.capwords)),
    same("first letter in upper case", values(str.capitalize)),
    same("blank before", values(lambda value: f" {value}")),
    same("blank after", values(lambda value: f"{value} ")),
    same("newline after", values(lambda value: f"{value}\n")),
    same("double blanks", values(lambda value: value.replace(" ", "  "))),
    same("no-break blanks", values(lambda value: value.replace(" ", "\u00a0"))),
    same("hyphens for blanks", values(lambda value: value.replace(" ", "-"))),
    same("underscores for blanks", values(lambda value: value.replace(" ", "_"))),
    same("full stop after", values(lambda value: f"{value}.")),
    same("in quotes", values(lambda value: f'"{value}"')),
    same("in square brackets", values(lambda value: f"[{value}]")),
    same("full-width letters", values(lambda value: value.translate(_FULL_WIDTH))),
    same("full-width digits", values(lambda value: value.translate(_FULL_WIDTH_DIGITS))),
    same("zero-width space after", values(lambda value: f"{value}\u200b")),
    same("zero-width joiner inside", values(lambda value: f"{value[:2]}\u200d{value[2:]}")),
    same("byte order mark before", values(lambda value: f"\ufeff{value}")),
    same("HTML entities", values(html.escape)),
    same("curly apostrophes", values(lambda value: value.replace("'", "\u2019"))),
    same("apostrophes as words", values(lambda value: value.replace("'s", " 's"))),
    same("lists of one", values(lambda value: [value])),
    same("lists, itself first", values(lambda value: [value, f"the {value}"])),
    same("lists, itself last", values(lambda value: [f"the {value}", value])),
    same("alternatives, itself first", values(lambda value: f"{value}|the {value}")),
    same("alternatives, itself last", values(lambda value: f"the {value}|{value}")),
    same("objects", values(lambda value: {"value": value})),
    same("numbers as such", values(lambda v: int(v) if v.isdigit() else v)),
    same("after an equals sign", values(lambda value: f"= {value}")),
    same("with a comment", values(lambda value: f"{value} (stated by the user)")),
    same("end token after", values(lambda value: f"{value} </s>")),
    same("center", words({"centre": "center"}, "area")),
    same("city centre", words({"centre": "city centre"}, "area")),
    same("center of town", words({"centre": "center of town"}, "area")),
    same("in the area", values(lambda value: f"in the {value}", "area")),
    same("side of an area", values(lambda value: f"{value} side", "area")),
    same("part of town", values(lambda value: f"{value} part of town", "area")),
    same("first letter of an area", values(lambda value: value[:1], "area")),
    same("price as adverb", words({"moderate": "moderately priced"}, "pricerange")),
    same("price in other words", words({"cheap": "inexpensive"}, "pricerange")),
    same("expensive in other words", words({"expensive": "high end"}, "pricerange")),
    same("price range after", values(lambda value: f"{value} price range", "pricerange")),
    same("number of stars", values(lambda value: f"{value} stars", "stars")),
    same("number-star", values(lambda value: f"{value}-star", "stars")),
    same("stars in words", words(_NUMBERS, "stars")),
    same("stars as fractions", values(lambda value: f"{value}.0", "stars")),
    same("people in words", words(_NUMBERS, "people")),
    same("number of people", values(lambda value: f"{value} people", "people")),
    same("nights in words", words(_NUMBERS, "stay")),
    same("number of nights", values(lambda value: f"{value} nights", "stay")),
    same("b&b", words({"guesthouse": "b&b"}, "type")),
    same("guest house", words({"guesthouse": "guest house"}, "type")),
    same("guest-house", words({"guesthouse": "guest-house"}, "type")),
    same("Guesthouse", words({"guesthouse": "Guesthouse"}, "type")),
    same("guesthouses", words({"guesthouse": "guesthouses"}, "type")),
    same("bed and breakfast", words({"guesthouse": "bed and breakfast"}, "type")),
    same("plural of types", values(lambda value: f"{value}s", "type")),
    same("theater", words({"theatre": "theater"}, "type")),
    same("type in two words", words({"swimmingpool": "swimming pool"}, "type")),
    same("night club", words({"nightclub": "night club"}, "type")),
    same("true and false", words({"yes": "true", "no": "false"}, "parking", "internet")),
    same("booleans", words({"yes": True, "no": False}, "parking", "internet")),
    same("free for yes", words({"yes": "free"}, "parking", "internet")),
    same("available for yes", words({"yes": "available"}, "parking", "internet")),
    same("y and n", words({"yes": "y", "no": "n"}, "parking", "internet")),
    same("1 and 0", words({"yes": "1", "no": "0"}, "parking", "internet")),
    same("days cut", words({day: day[:3] for day in _DAYS}, "day")),
    same("on a day", values(lambda value: f"on {value}", "day")),
    same("plural of days", values(lambda value: f"{value}s", "day")),
    same("time with a dot", _time(lambda hour, minute: f"{hour:02}.{minute:02}")),
    same("time with am and pm", _time(lambda h, m: f"{_twelve(h)}:{m:02} {_half_day(h)}")),
    same("time with am and pm, glued", _time(lambda h, m: f"{_twelve(h)}:{m:02}{_half_day(h)}")),
    same("time with a.m.", _time(lambda h, m: f"{_twelve(h)}:{m:02} {_half_day(h)[0]}.m.")),
    same("time without a colon", _time(lambda hour, minute: f"{hour:02}{minute:02}")),
    same("time with h", _time(lambda hour, minute: f"{hour:02}h{minute:02}")),
    same("time without a zero before", _time(lambda hour, minute: f"{hour}:{minute:02}")),
    same("time with seconds", _time(lambda hour, minute: f"{hour:02}:{minute:02}:00")),
    same("time with blanks", _time(lambda hour, minute: f"{hour:02} : {minute:02}")),
    same("time with hrs", _time(lambda hour, minute: f"{hour:02}:{minute:02} hrs")),
    same("date before the time", _time(lambda h, m: f"2024-01-01T{h:02}:{m:02}:00")),
    damaged("time of twelve hours", _time(lambda h, m: f"{_twelve(h):02}:{m:02}")),
    same("before a time", values(lambda value: f"before {value}", "arrive", "arriveby")),
    same("after a time", values(lambda value: f"after {value}", "leave", "leaveat")),
    same("at a time", values(lambda value: f"at {value}", *_TIMES)),
    same("by a time", values(lambda value: f"by {value}", *_TIMES)),
    same("train station", values(lambda value: f"{value} train station", *_PLACES)),
    same("city after a comma", values(lambda value: f"{value}, uk", *_PLACES)),
    same("from and to places", values(lambda value: f"to {value}", *_PLACES)),
    same("the before names", values(lambda value: f"the {value}", "name")),
    same("restaurant before names", values(lambda value: f"restaurant {value}", "name")),
    same("hotel after names", values(lambda value: f"{value} hotel", "name")),
    same("names without the", values(lambda value: value.removeprefix("the "), "name")),
    same("names with &", values(lambda value: value.replace(" and ", " & "), "name")),
    same("town after names", values(lambda value: f"{value} cambridge", "name")),
    same("food after food", values(lambda value: f"{value} food", "food")),
    same("cuisine after food", values(lambda value: f"{value} cuisine", "food")),
    damaged("first word only", values(lambda value: value.split(" ")[0])),
    damaged("first three letters only", values(lambda value: value[:3])),
    damaged("letters one by one", values(" ".join)),
)

# Words for any value, and for no value.

_DONTCARE = (
    *("don't care", "don\u2019t care", "do n't care", "dont care", "do not care", "do_not_care"),
    *("dont_care", "don't_care", "DontCare", "DONTCARE", "any", "any area", "anything", "whatever"),
    *("doesn't matter", "does not matter", "doesnt matter", "no preference", "not important"),
    *("dontcare.", " dontcare", "[dontcare]", "*", "either", "don't mind", "flexible"),
)

_ABSENT = (
    *("none", "None", "NONE", "not mentioned", "Not Mentioned", "not_mentioned", "not given"),
    *("", " ", "n/a", "N/A", "unknown", "-", "null", "nan", "unspecified", "?", "[]", "not set"),
    *("missing", "empty", "<none>", "[none]", "NULL", "undefined"),
)

_EVERY_SLOT: Mapping[str, Sequence[str]] = {
    "attraction": ("area", "name", "type"),
    "hotel": ("area", "internet", "name", "parking", "pricerange", "stars", "type"),
    "restaurant": ("area", "food", "name", "pricerange"),
    "taxi": ("arrive", "departure", "destination", "leave"),
    "train": ("arrive", "day", "departure", "destination", "leave"),
}
_BOOKING: Mapping[str, Sequence[str]] = {
    "hotel": ("day", "people", "stay"),
    "restaurant": ("day", "people", "time"),
    "train": ("people",),
}


def _as_dontcare(spelling: str) -> Rewrite:
    return slots(lambda d, slot, value: (d, slot, spelling if value in PUBLISHED_ANY else value))


def _written_out(absent: object, in_all: bool) -> Rewrite:
    """Return what writes all other slots out, of all domains or of those that the state has."""

    def fill(state: State) -> State:
        filled: dict[str, dict[str, Any]] = {}
        for domain in [*_EVERY_SLOT] if in_all else [*state]:
            given = state.get(domain, {})
            bare = {slot.removeprefix("book") for slot in given}
            prefix = "book" if any(slot.startswith("book") for slot in given) else ""
            booking = [f"{prefix}{slot}" for slot in _BOOKING.get(domain, ()) if slot not in bare]
            others = [slot for slot in _EVERY_SLOT.get(domain, ()) if slot not in given]
            filled[domain] = {**given, **dict.fromkeys([*others, *booking], absent)}
        return filled

    return states(fill)


def _one_slot(absent: str) -> Rewrite:
    """Return what adds one slot without a value to the first domain of each state."""

    def fill(state: State) -> State:
        filled = {domain: {**of_domain} for domain, of_domain in state.items()}
        for domain, of_domain in filled.items():
            other = next((s for s in _EVERY_SLOT.get(domain, ()) if s not in of_domain), None)
            if other is not None:
                of_domain[other] = absent
                break
        return filled

    return states(fill)


_NOTHING = (
    *(same(f"{one!r} in all slots of the domains", _written_out(one, False)) for one in _ABSENT),
    same("null in all slots of the domains", _written_out(None, False)),
    same("empty lists in all slots of the domains", _written_out([], False)),
    *(same(f"{one!r} in all 30 slots", _written_out(one, True)) for one in _ABSENT[:10]),
    same("null in all 30 slots", _written_out(None, True)),
    *(same(f"{one!r} in one slot", _one_slot(one)) for one in ("none", "not mentioned", "")),
)

_ANY = tuple(same(f"{one!r} for dontcare", _as_dontcare(one)) for one in _DONTCARE)

# Slots and domains.


def _camel(text: str) -> str:
    return text[:1].upper() + text[1:]


def _exchanged(first: str, second: str) -> Rewrite:
    names = {first: second, second: first}
    return slots(lambda domain, slot, value: (domain, names.get(slot, slot), value))


_SLOTS = (
    same("price range", renamed_slots(pricerange="price range")),
    same("price_range", renamed_slots(pricerange="price_range")),
    same("priceRange", renamed_slots(pricerange="priceRange")),
    same("price-range", renamed_slots(pricerange="price-range")),
    same("price", renamed_slots(pricerange="price")),
    same("leaveAt and arriveBy", renamed_slots(leave="leaveAt", arrive="arriveBy")),
    same("leave_at and arrive_by", renamed_slots(leave="leave_at", arrive="arrive_by")),
    same("leave at and arrive by", renamed_slots(leave="leave at", arrive="arrive by")),
    same("leave time", renamed_slots(leave="leave time", arrive="arrive time")),
    same("departure_time", renamed_slots(leave="departure_time", arrive="arrival_time")),
    same(
        "book people",
        slots(lambda d, s, v: (d, f"book {s[4:]}" if s.startswith("book") else s, v)),
    ),
    same(
        "book_people",
        slots(lambda d, s, v: (d, f"book_{s[4:]}" if s.startswith("book") else s, v)),
    ),
    same("people", slots(lambda d, s, v: (d, s.removeprefix("book"), v))),
    same("people_count", renamed_slots(people="people_count", bookpeople="people_count")),
    same("number_of_people", renamed_slots(people="number_of_people", bookpeople="num_people")),
    same("nights", renamed_slots(stay="nights", bookstay="nights")),
    same("wifi", renamed_slots(internet="wifi")),
    same("from and to", renamed_slots(departure="from", destination="to")),
    same("cuisine", renamed_slots(food="cuisine")),
    same("restaurant_name", slots(lambda d, s, v: (d, f"{d}_name" if s == "name" else s, v))),
    same("names in upper case", slots(lambda d, s, v: (d, s.upper(), v))),
    same("names with a capital", slots(lambda d, s, v: (d, _camel(s), v))),
    same("names with the domain", slots(lambda d, s, v: (d, f"{d}-{s}", v))),
    same("names with the domain and _", slots(lambda d, s, v: (d, f"{d}_{s}", v))),
    same("names with blanks around", slots(lambda d, s, v: (d, f" {s} ", v))),
    same("domains in upper case", renamed_domains(str.upper)),
    same("domains with a capital", renamed_domains(str.title)),
    same("plural of domains", renamed_domains(lambda domain: f"{domain}s")),
    same("domains in brackets", renamed_domains(lambda domain: f"[{domain}]")),
    same("find_ before domains", renamed_domains(lambda domain: f"find_{domain}")),
    damaged("all in one domain", renamed_domains(lambda domain: "restaurant")),
    damaged(
        "hotels and restaurants exchanged",
        renamed_domains(lambda d: {"hotel": "restaurant", "restaurant": "hotel"}.get(d, d)),
    ),
    damaged("departure and destination exchanged", _exchanged("departure", "destination")),
    damaged("leave and arrive exchanged", _exchanged("leave", "arrive")),
    damaged("area and price exchanged", _exchanged("area", "pricerange")),
    damaged("name and type exchanged", _exchanged("name", "type")),
    damaged("no areas", slots(lambda d, s, v: None if s == "area" else (d, s, v))),
    damaged("no names", slots(lambda d, s, v: None if s == "name" else (d, s, v))),
    damaged("no times", slots(lambda d, s, v: None if s in _TIMES else (d, s, v))),
    damaged("no trains", slots(lambda d, s, v: None if d == "train" else (d, s, v))),
    damaged("no hotels", slots(lambda d, s, v: None if d == "hotel" else (d, s, v))),
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


def _by_domain(form: str, slot: str, between: str, end: str = " ") -> Callable[[State], str]:
    """Return what writes a state as text, domain by domain, given the form of one and of a slot."""

    def write(state: State) -> str:
        parts = []
        for domain, of_domain in state.items():
            inside = between.join(slot.format(name, value) for name, value in of_domain.items())
            parts.append(form.format(domain, inside))
        return end.join(parts)

    return write


def _metadata(state: State) -> dict[str, Any]:
    """Return a state as MultiWOZ's own `metadata`, with all domains and slots."""
    written: dict[str, Any] = {}
    for domain, names in _EVERY_SLOT.items():
        semi = dict.fromkeys(names, "")
        book: dict[str, Any] = {"booked": []}
        book |= dict.fromkeys(_BOOKING.get(domain, ()), "")
        for slot, value in state.get(domain, {}).items():
            bare = slot.removeprefix("book")
            part = book if bare in _BOOKING.get(domain, ()) and bare not in names else semi
            part[bare] = value
        written[domain] = {"semi": semi, "book": book}
    return written


def _frames(state: State) -> list[dict[str, Any]]:
    """Return a state as the `frames` of MultiWOZ 2.2."""
    frames = []
    for domain, of_domain in state.items():
        named = {f"{domain}-{slot}": [value] for slot, value in of_domain.items()}
        inside = {"active_intent": f"find_{domain}", "requested_slots": [], "slot_values": named}
        frames.append({"service": domain, "slots": [], "state": inside})
    return frames


def _fenced(state: State) -> str:
    return f"```json\n{json.dumps(state, indent=2)}\n```"


_NOTATIONS = (
    same("nested", states(dict)),
    same("domain-slot", states(_flat("{}-{}"))),
    same("domain_slot", states(_flat("{}_{}"))),
    same("domain.slot", states(_flat("{}.{}"))),
    same("domain slot", states(_flat("{} {}"))),
    same("Domain-Slot", states(lambda state: {k.title(): v for k, v in _flat("{}-{}")(state).items()})),
    same("list of domain-slot-value", states(_listed(lambda *triple: "-".join(triple)))),
    same("list of domain-slot=value", states(_listed("{}-{}={}".format))),
    same("list of domain-slot: value", states(_listed("{}-{}: {}".format))),
    same("list of domain slot value", states(_listed("{} {} {}".format))),
    same("list of pairs", states(_listed(lambda d, slot, value: [f"{d}-{slot}", value]))),
    same("list of triples", states(_listed(lambda *triple: [*triple]))),
    same(
        "list of slots and values",
        states(_listed(lambda d, slot, value: {"slot": f"{d}-{slot}", "value": value})),
    ),
    same(
        "list of domains, slots and values",
        states(_listed(lambda d, slot, value: {"domain": d, "slot": slot, "value": value})),
    ),
    same(
        "TRADE's slots",
        states(_listed(lambda d, slot, value: {"slots": [[f"{d}-{slot}", value]]})),
    ),
    same("list of objects of one slot", states(_listed(lambda d, s, v: {f"{d}-{s}": v}))),
    same("metadata", states(_metadata)),
    same("frames", states(_frames)),
    same("slot values", states(lambda state: {"slot_values": _flat("{}-{}")(state)})),
    same("JSON as text", states(json.dumps)),
    same("flat JSON as text", states(lambda state: json.dumps(_flat("{}-{}")(state)))),
    same("Python as text", states(str)),
    same("JSON in a fence", states(_fenced)),
    same("JSON in a fence after a sentence", states(lambda s: f"The state:\n{_fenced(s)}")),
    same("JSON after a sentence", states(lambda s: f"Here is the state: {json.dumps(s)}")),
    same("JSON before a sentence", states(lambda s: f"{json.dumps(s)}\nLet me know!")),
    same("JSON with tags around", states(lambda s: f"<state>{json.dumps(s)}</state>")),
    same("JSON with a comma too many", states(lambda s: json.dumps(s).replace("}}", "},}"))),
    same("assignments after commas", states(_joined("{}-{}={}", ", "))),
    same("assignments after semicolons", states(_joined("{}-{} = {}", "; "))),
    same("assignments by colons", states(_joined("{}-{}: {}", ", "))),
    same("assignments by lines", states(_joined("{}-{}: {}", "\n"))),
    same("items by lines", states(_joined("- {}-{}: {}", "\n"))),
    same("SimpleTOD's words", states(_joined("{} {} {}", ", "))),
    same("SimpleTOD's tokens", states(lambda s: f"<|belief|> {_joined('{} {} {}', ', ')(s)} <|endofbelief|>")),
    same("T5-DST's marks", states(_listed("{}-{}#####{}".format))),
    same("SOLOIST's words", states(lambda s: f"belief : {_by_domain('{} {}', '{} = {}', ' ; ')(s)}")),
    same("belief span", states(_by_domain("[{}] {}", "{} {}", " "))),
    same("belief span with slots in brackets", states(_by_domain("[{}] {}", "[value_{}] {}", " "))),
    same("belief span with is", states(_by_domain("[{}] {}", "{} is {}", " , "))),
    same("belief span with tokens", states(lambda s: f"<sos_b> {_by_domain('[{}] {}', '{} {}', ' ')(s)} <eos_b>")),
    same("calls of functions", states(_by_domain("find_{}({})", "{}='{}'", ", "))),
    same("SQL", states(_by_domain("SELECT * FROM {} WHERE {}", "{} = '{}'", " AND ", "; "))),
    same("domains with braces", states(_by_domain("{} {{ {} }}", "{} = {}", " , "))),
    same("below belief", states(lambda state: {"belief": state})),
    same("list of one", states(lambda state: [state])),
)  # fmt: skip

# Turns.


def _each_state(change: Callable[[Sequence[State]], Sequence[Any]]) -> Rewrite:
    """Return what changes the states of a dialogue, given all of them."""

    def changed(dialogue: list[Turn]) -> list[Turn]:
        of_turns = change([turn["state"] for turn in dialogue])
        return [{**turn, "state": s} for turn, s in zip(dialogue, of_turns, strict=True)]

    return dialogues(changed)


def _each_response(change: Callable[[Sequence[str]], Sequence[str]]) -> Rewrite:
    """Return what changes the responses of a dialogue, given all of them."""

    def changed(dialogue: list[Turn]) -> list[Turn]:
        texts = change([turn["response"] for turn in dialogue])
        return [{**turn, "response": s} for turn, s in zip(dialogue, texts, strict=True)]

    return dialogues(changed)


def _where_changed(otherwise: object) -> Callable[[Sequence[State]], list[Any]]:
    def change(every: Sequence[State]) -> list[Any]:
        before = [{}, *every[:-1]]
        return [s if s != last else otherwise for s, last in zip(every, before, strict=True)]

    return change


def _difference(state: State, before: State) -> State:
    changed: dict[str, dict[str, Any]] = {}
    for domain, slot, value in triples(state):
        if before.get(domain, {}).get(slot) != value:
            changed.setdefault(domain, {})[slot] = value
    return changed


def _differences(every: Sequence[State]) -> list[State]:
    return [_difference(s, last) for s, last in zip(every, [{}, *every[:-1]], strict=True)]


def _last_domain(every: Sequence[State]) -> list[State]:
    """Return states with the domain alone that changed last."""
    read = []
    domain = ""
    for state, changes in zip(every, _differences(every), strict=True):
        domain = next(iter(changes), domain)
        read.append({name: slots_ for name, slots_ in state.items() if name == domain})
    return read


def _first_values(every: Sequence[State]) -> list[State]:
    """Return states in which each slot keeps the first value that it had."""
    read: list[State] = []
    for state in every:
        before = read[-1] if read else {}
        first = {}
        for domain, of_domain in state.items():
            first[domain] = {s: before.get(domain, {}).get(s, v) for s, v in of_domain.items()}
        read.append(first)
    return read


def _of_next_dialogue(field: str) -> Rewrite:
    """Return what gives every dialogue a field of the one after it, as far as that has turns."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        ids = [*predictions]
        rewritten = {}
        for id_, other in zip(ids, [*ids[1:], ids[0]], strict=True):
            moved = []
            for number, turn in enumerate(predictions[id_]):
                others = predictions[other]
                given = others[min(number, len(others) - 1)]
                moved.append({**turn, field: given[field]})
            rewritten[id_] = moved
        return rewritten

    return rewrite


def _with_gold(field: str, every: int = 1) -> Rewrite:
    """Return what takes a field of every so many dialogues from gold."""

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for number, (id_, dialogue) in enumerate(predictions.items()):
            pairs = zip(dialogue, gold[id_], strict=False)
            copied = [{**turn, field: right[field]} for turn, right in pairs]
            rewritten[id_] = [*dialogue] if number % every else copied
        return rewritten

    return rewrite


def _dialogues_of(change: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]]) -> Rewrite:
    """Return what changes the list of dialogues, as pairs of id and turns."""
    return lambda predictions, gold: dict(change([*predictions.items()]))


def _ids(change: Callable[[str], str]) -> Rewrite:
    return _dialogues_of(lambda pairs: [(change(id_), dialogue) for id_, dialogue in pairs])


_TURNS = (
    damaged("states only when changed", _each_state(_where_changed({}))),
    damaged("null when unchanged", _each_state(_where_changed(None))),
    damaged("changes only", _each_state(_differences)),
    damaged("domain of the turn only", _each_state(_last_domain)),
    damaged("first values only", _each_state(_first_values)),
    damaged("states one turn late", _each_state(lambda every: [{}, *every[:-1]])),
    damaged("states two turns late", _each_state(lambda every: [{}, {}, *every][: len(every)])),
    damaged("states of the next turn", _each_state(lambda every: [*every[1:], every[-1]])),
    damaged("last state everywhere", _each_state(lambda every: [every[-1]] * len(every))),
    damaged("first state everywhere", _each_state(lambda every: [every[0]] * len(every))),
    damaged("last state empty", _each_state(lambda every: [*every[:-1], {}])),
    damaged("only the last state", _each_state(lambda e: [*[{}] * (len(e) - 1), e[-1]])),
    damaged("every second state empty", _each_state(lambda e: [{} if n % 2 else s for n, s in enumerate(e)])),
    damaged("every third state empty", _each_state(lambda e: [{} if n % 3 == 2 else s for n, s in enumerate(e)])),
    damaged("states empty from the fourth turn", _each_state(lambda e: [s if n < 3 else {} for n, s in enumerate(e)])),
    damaged("states reversed", _each_state(lambda every: every[::-1])),
    damaged("all states empty", states(lambda state: {})),
    damaged("domains without slots", states(lambda state: {domain: {} for domain in state})),
    damaged("states of the next dialogue", _of_next_dialogue("state")),
    damaged("responses of the next dialogue", _of_next_dialogue("response")),
    damaged("gold states", _with_gold("state")),
    damaged("gold states in half of the dialogues", _with_gold("state", 2)),
    damaged("gold responses", _with_gold("response")),
    damaged("gold responses in half of the dialogues", _with_gold("response", 2)),
    damaged("responses one turn late", _each_response(lambda every: ["", *every[:-1]])),
    damaged("responses of the next turn", _each_response(lambda every: [*every[1:], every[-1]])),
    damaged("responses reversed", _each_response(lambda every: every[::-1])),
    damaged("first response everywhere", _each_response(lambda e: [e[0]] * len(e))),
    damaged("responses so far", _each_response(lambda e: [" ".join(e[: n + 1]) for n in range(len(e))])),
    damaged("turns reversed", dialogues(lambda dialogue: dialogue[::-1])),
    damaged("first turn missing", dialogues(lambda dialogue: dialogue[1:] or dialogue)),
    damaged("last turn missing", dialogues(lambda dialogue: dialogue[:-1] or dialogue)),
    damaged("second turn missing", dialogues(lambda dialogue: dialogue[:1] + dialogue[2:])),
    damaged("half of the turns", dialogues(lambda dialogue: dialogue[: (len(dialogue) + 1) // 2])),
    damaged("first turn twice", dialogues(lambda dialogue: dialogue[:1] + dialogue[:-1])),
    damaged("an empty turn before", dialogues(lambda d: [{**d[0], "response": "", "state": {}}, *d[:-1]])),
    damaged("a turn too many", dialogues(lambda dialogue: [*dialogue, dialogue[-1]])),
    damaged("every second dialogue", _dialogues_of(lambda pairs: pairs[::2])),
    same("dialogues in reverse order", _dialogues_of(lambda pairs: pairs[::-1])),
    same("ids in order", _dialogues_of(lambda pairs: sorted(pairs))),
    same("ids in upper case", _ids(str.upper)),
    same("ids as file names", _ids(lambda id_: f"{id_}.json")),
    same("ids as file names in upper case", _ids(lambda id_: f"{id_.upper()}.json")),
    same("ids with a folder", _ids(lambda id_: f"test/{id_}.json")),
    same("ids with a number", _ids(lambda id_: f"dialogue_{id_}")),
)  # fmt: skip

# Responses.

_PLACEHOLDER = re.compile(r"\[([A-Za-z_]+(?: [a-z]+)?)\]")

_MEANT: Mapping[str, str] = {
    "name": "the copper kettle",
    "address": "12 mill road",
    "phone": "01223350106",
    "postcode": "cb21ab",
    "reference": "q7xk20ab",
    "ref": "q7xk20ab",
    "id": "tr1234",
    "trainid": "tr1234",
    "area": "north",
    "food": "thai",
    "pricerange": "cheap",
    "price": "10.10 pounds",
    "type": "museum",
    "time": "17:15",
    "leave": "17:15",
    "arrive": "18:15",
    "day": "monday",
    "departure": "ely",
    "destination": "norwich",
    "stars": "4",
}


def placeholders(change: Callable[[str], str]) -> Rewrite:
    """Return what writes placeholders otherwise, given what stands in the brackets."""
    return responses(lambda text: _PLACEHOLDER.sub(lambda match: change(match[1]), text))


def placeholders_of(suffixes: Collection[str], change: Callable[[str], str]) -> Rewrite:
    """Return what writes some placeholders otherwise, by what they end in after `value_`."""

    def changed(name: str) -> str:
        return change(name) if _slot(name) in suffixes else f"[{name}]"

    return placeholders(changed)


def _slot(name: str) -> str:
    return name.rpartition("_")[2].lower()


def _with_domain(form: str) -> Rewrite:
    """Return what names the domain in placeholders, given the form: domain and slot.

    The domain is the gold active one of the turn, where there is one.
    """

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for id_, dialogue in predictions.items():
            named = []
            for turn, right in zip(dialogue, gold[id_], strict=False):
                domain = next(iter(right["active_domains"]), "restaurant")
                named.append({**turn, "response": _renamed(turn["response"], form, domain)})
            rewritten[id_] = named
        return rewritten

    return rewrite


def _renamed(text: str, form: str, domain: str) -> str:
    return _PLACEHOLDER.sub(lambda match: form.format(domain, _slot(match[1])), text)


def _first_words(number: int) -> Callable[[str], str]:
    return lambda text: " ".join(text.split()[:number])


_ERROR = "i'm sorry , i am not able to answer that at the moment ."
_PUNCTUATION = re.compile(r"[.,?!;:]")
_STOP_WORDS = re.compile(r"\b(?:the|a|an|is|are|in|of|to|you|i|it) ?\b")

_RESPONSES = (
    *(
        same(f"placeholders as {form.format('value_name')}", placeholders(form.format))
        for form in (
            *("<{}>", "{{{}}}", "{{{{{}}}}}", "{}", "[ {} ]", "({})", "${}", "@{}", "#{}", "__{}__"),
            *("[[{}]]", "<<{}>>", "«{}»", "\uff3b{}\uff3d", "[{}", "&lt;{}&gt;", "\\[{}\\]", "[{}]."),
            *("%{}%", "[{}:]", "[{}]]", "*{}*", "[the {}]", "[{}_1]"),
        )
    ),
    same("placeholders with hyphens", placeholders(lambda name: f"[{name.replace('_', '-')}]")),
    same("placeholders with blanks", placeholders(lambda name: f"[{name.replace('_', ' ')}]")),
    same("placeholders in upper case", placeholders(lambda name: f"[{name.upper()}]")),
    same("placeholders with capitals", placeholders(lambda name: f"[{name.title()}]")),
    same("placeholders as upper-case words", placeholders(lambda name: _slot(name).upper())),
    same("placeholders without value_", placeholders(lambda name: f"[{_slot(name)}]")),
    same("placeholders glued to the word before", responses(lambda text: text.replace(" [", "["))),
    same("placeholders glued to the word after", responses(lambda text: text.replace("] ", "]"))),
    same("placeholders with camel case", placeholders(lambda name: f"[value{_slot(name).title()}]")),
    same("placeholders with slot_", placeholders(lambda name: f"[slot_{_slot(name)}]")),
    same("placeholders as [domain]-[slot]", _with_domain("[{}]-[{}]")),
    same("placeholders as [domain-slot]", _with_domain("[{}-{}]")),
    same("placeholders as [domain_slot]", _with_domain("[{}_{}]")),
    same("placeholders as domain-slot", _with_domain("{}-{}")),
    same("placeholders as <domain.slot>", _with_domain("<{}.{}>")),
    same("placeholders as [domain slot]", _with_domain("[{} {}]")),
    same("references by domain", placeholders_of({"reference", "ref"}, lambda _: "[restaurant_ref]")),
    same("references as booking_reference", placeholders_of({"reference", "ref"}, lambda _: "[booking_reference]")),
    same("phones as telephone", placeholders_of({"phone"}, lambda _: "[value_telephone]")),
    same("phones as phone_number", placeholders_of({"phone"}, lambda _: "[phone_number]")),
    same("postcodes as zip", placeholders_of({"postcode"}, lambda _: "[value_zip]")),
    same("names as venue", placeholders_of({"name"}, lambda _: "[value_venue]")),
    same("names by place", placeholders_of({"name"}, lambda _: "[place_name]")),
    same("train ids as train number", placeholders_of({"id", "trainid"}, lambda _: "[train_number]")),
    damaged("names in plain English", placeholders_of({"name"}, lambda _: "the copper kettle")),
    damaged("all in plain English", placeholders(lambda name: _MEANT.get(_slot(name), "some"))),
    damaged("phones in plain English", placeholders_of({"phone"}, lambda _: "01223350106")),
    damaged("references in plain English", placeholders_of({"reference", "ref"}, lambda _: "q7xk20ab")),
    damaged("no placeholders", placeholders(lambda name: "")),
    damaged("no names", placeholders_of({"name"}, lambda name: "it")),
    damaged("no phones", placeholders_of({"phone"}, lambda name: "this number")),
    damaged("no references", placeholders_of({"reference", "ref"}, lambda name: "")),
    damaged("all placeholders one", placeholders(lambda name: "[value_name]")),
    damaged("placeholders as mask", placeholders(lambda name: "[MASK]")),
    damaged("placeholders as number", placeholders(lambda name: "[0]")),
    same("between tokens", responses(lambda text: f"<sos_r> {text} <eos_r>")),
    same("end token after", responses(lambda text: f"{text} </s>")),
    same("end token of GPT-2 after", responses(lambda text: f"{text}<|endoftext|>")),
    same("pads after", responses(lambda text: f"{text} <pad> <pad>")),
    same("instruction tokens", responses(lambda text: f"[/INST] {text}")),
    same("chat tokens", responses(lambda text: f"<|im_start|>assistant\n{text}<|im_end|>")),
    same("Assistant before", responses(lambda text: f"Assistant: {text}")),
    same("system before", responses(lambda text: f"system : {text}")),
    same("in quotes", responses(lambda text: f'"{text}"')),
    same("in single quotes", responses(lambda text: f"'{text}'")),
    same("as a list of words", responses(lambda text: str(text.split()))),
    same("lists of one", responses(lambda text: [text])),
    same("lists of words", responses(lambda text: text.split())),
    same("objects", responses(lambda text: {"text": text})),
    same("JSON as text", responses(lambda text: json.dumps({"response": text}))),
    same("JSON in a fence", responses(lambda text: f"```json\n{json.dumps({'response': text})}\n```")),
    same("tags around", responses(lambda text: f"<response>{text}</response>")),
    same("in bold", responses(lambda text: f"**{text}**")),
    same("in a fence", responses(lambda text: f"```\n{text}\n```")),
    damaged("thoughts before", responses(lambda text: f"<think>the user wants a place</think> {text}")),
    damaged("state after", turns(lambda t: {**t, "response": f"{t['response']} {json.dumps(t['state'])}"})),
    damaged("span before", turns(lambda t: {**t, "response": f"<sos_b> {_by_domain('[{}] {}', '{} {}', ' ')(t['state'])} <eos_b> {t['response']}"})),
    damaged("user's turn before", responses(lambda text: f"user : i need a place to stay . system : {text}")),
    damaged("user's turn after", responses(lambda text: f"{text} user : thank you , goodbye .")),
    damaged("act before", responses(lambda text: f"[inform] {text}")),
    damaged("acts before", responses(lambda text: f"[restaurant] [inform] name area [general] [reqmore] {text}")),
    same("upper case", responses(str.upper)),
    same("title case", responses(string.capwords)),
    same("first letter in upper case", responses(lambda text: text[:1].upper() + text[1:])),
    same("no-break blanks", responses(lambda text: text.replace(" ", "\u00a0"))),
    same("double blanks", responses(lambda text: text.replace(" ", "  "))),
    same("blanks around", responses(lambda text: f"  {text}  ")),
    same("newline after", responses(lambda text: f"{text}\n")),
    same("newline after each sentence", responses(lambda text: text.replace(" . ", " .\n"))),
    same("newlines as written", responses(lambda text: f"{text}\\n")),
    same("tabs for blanks", responses(lambda text: text.replace(" ", "\t"))),
    same("zero-width spaces", responses(lambda text: text.replace(" ", " \u200b"))),
    same("byte order mark before", responses(lambda text: f"\ufeff{text}")),
    same("full-width letters", responses(lambda text: text.translate(_FULL_WIDTH))),
    same("full-width digits", responses(lambda text: text.translate(_FULL_WIDTH_DIGITS))),
    same("HTML entities", responses(lambda text: html.escape(text))),
    same("curly apostrophes", responses(lambda text: text.replace("'", "\u2019"))),
    same("escaped quotes", responses(lambda text: text.replace("'", "\\'"))),
    same("words of a tokeniser", responses(lambda text: text.replace(" ", " \u0120"))),
    same("blanks of a tokeniser", responses(lambda text: text.replace(" ", "\u2581"))),
    same("underscores for blanks", responses(lambda text: text.replace(" ", "_"))),
    damaged("no blanks", responses(lambda text: text.replace(" ", ""))),
    damaged("no punctuation", responses(lambda text: _PUNCTUATION.sub("", text))),
    damaged("no stop words", responses(lambda text: _STOP_WORDS.sub("", text))),
    damaged("twice", responses(lambda text: f"{text} {text}")),
    damaged("every word twice", responses(lambda text: " ".join(f"{w} {w}" for w in text.split()))),
    damaged("first five words", responses(_first_words(5))),
    damaged("first ten words", responses(_first_words(10))),
    damaged("last three words cut", responses(lambda text: " ".join(text.split()[:-3]))),
    damaged("first word cut", responses(lambda text: " ".join(text.split()[1:]))),
    damaged("first thirty characters", responses(lambda text: text[:30])),
    damaged("first sentence", responses(lambda text: text.split(" . ")[0])),
    damaged("words reversed", responses(lambda text: " ".join(text.split()[::-1]))),
    damaged("words in order", responses(lambda text: " ".join(sorted(text.split())))),
    damaged("empty", responses(lambda text: "")),
    damaged("null", responses(lambda text: None)),
    damaged("constant", responses(lambda text: "[value_name] [value_phone] .")),
    damaged("empty in a fifth", some_responses(5, lambda text: "")),
    damaged("empty in a tenth", some_responses(10, lambda text: "")),
    damaged("constant in a fifth", some_responses(5, lambda text: "is there anything else ?")),
    damaged("error text in a quarter", some_responses(4, lambda text: _ERROR)),
    damaged("error text in a tenth", some_responses(10, lambda text: _ERROR)),
    damaged("nan in a fifth", some_responses(5, lambda text: "nan")),
    damaged("five words in a quarter", some_responses(4, _first_words(5))),
    damaged("plain placeholders in a quarter", some_responses(4, lambda text: text.replace("[", "").replace("]", ""))),
    damaged("another sentence after", responses(lambda text: f"{text} let me know if you need anything else , have a nice day !")),
    damaged("emoji after", responses(lambda text: f"{text} \U0001f600")),
    damaged("remark before", responses(lambda text: f"Sure! Here is the response: {text}")),
    damaged("remark after", responses(lambda text: f"{text} (Note: this is generated.)")),
)  # fmt: skip

# Active domains.

_ALL = ["restaurant", "hotel", "attraction", "train", "taxi"]


def domains(change: Callable[[list[str]], Any]) -> Rewrite:
    """Return what changes the active domains of every turn by itself."""
    return turns(lambda turn: {**turn, "active_domains": change([*turn["active_domains"]])})


def _each_domains(change: Callable[[list[Any]], list[Any]]) -> Rewrite:
    def changed(dialogue: list[Turn]) -> list[Turn]:
        every = change([turn["active_domains"] for turn in dialogue])
        pairs = zip(dialogue, every, strict=True)
        return [{**turn, "active_domains": active} for turn, active in pairs]

    return dialogues(changed)


_DOMAINS = (
    damaged("empty", domains(lambda active: [])),
    damaged("all five", domains(lambda active: _ALL)),
    damaged("always restaurant", domains(lambda active: ["restaurant"])),
    damaged("of the next turn", _each_domains(lambda every: [*every[1:], every[-1]])),
    damaged("of the turn before", _each_domains(lambda every: [[], *every[:-1]])),
    damaged("of the last turn", _each_domains(lambda every: [every[-1]] * len(every))),
    damaged("only when changed", _each_domains(_where_changed([]))),
    damaged("empty in every second turn", _each_domains(lambda e: [[] if n % 2 else a for n, a in enumerate(e)])),
    damaged("wrong", domains(lambda active: [_ALL[(_ALL.index(d) + 1) % 5] for d in active if d in _ALL])),
    damaged("domains of the state", turns(lambda turn: {**turn, "active_domains": [*turn["state"]]})),
    damaged("general", domains(lambda active: ["general"])),
    damaged("null in every second turn", _each_domains(lambda e: [None if n % 2 else a for n, a in enumerate(e)])),
    same("upper case", domains(lambda active: [domain.upper() for domain in active])),
    same("with a capital", domains(lambda active: [domain.title() for domain in active])),
    same("in brackets", domains(lambda active: [f"[{domain}]" for domain in active])),
    same("text", domains(" ".join)),
    same("text with commas", domains(", ".join)),
    same("Python as text", domains(str)),
    same("flags", domains(lambda active: {domain: domain in active for domain in _ALL})),
    same("with intents", domains(lambda active: [f"{domain}-inform" for domain in active])),
    same("with general", domains(lambda active: [*active, "general"])),
)  # fmt: skip

# Fields and layouts.


def _items(predictions: Outputs, key: str = "turns") -> list[dict[str, Any]]:
    return [{"dialogue_id": id_, key: [*dialogue]} for id_, dialogue in predictions.items()]


def _rows(predictions: Outputs, first: int = 0) -> list[dict[str, Any]]:
    rows = []
    for id_, dialogue in predictions.items():
        rows += [{"dialogue_id": id_, "turn": n, **turn} for n, turn in enumerate(dialogue, first)]
    return rows


def _lines(rows: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def _table(rows: Sequence[Mapping[str, Any]], separator: str = ",") -> bytes:
    """Return rows as a table; what is no text or number is written as JSON."""
    text = io.StringIO()
    writer = csv.DictWriter(text, [*rows[0]], delimiter=separator)
    writer.writeheader()
    for row in rows:
        writer.writerow({k: v if isinstance(v, str | int) else json.dumps(v) for k, v in row.items()})
    return text.getvalue().encode()


def _numbered(predictions: Outputs, form: str, first: int) -> dict[str, Any]:
    numbered = {}
    for id_, dialogue in predictions.items():
        numbered[id_] = {form.format(n): turn for n, turn in enumerate(dialogue, first)}
    return numbered


def _messages(dialogue: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    for turn in dialogue:
        more = {key: value for key, value in turn.items() if key != "response"}
        yield {"role": "user", "content": "hello"}
        yield {"role": "assistant", "content": turn["response"], **more}


def _log(dialogue: Sequence[Turn]) -> Iterator[dict[str, Any]]:
    for turn in dialogue:
        yield {"text": "hello", "metadata": {}}
        yield {"text": turn["response"], "metadata": _metadata(turn["state"])}


def _parallel(dialogue: Sequence[Turn]) -> dict[str, Any]:
    """Return a dialogue as parallel lists, as Hugging Face's and SimpleTOD's are."""
    return {field: [turn[field] for turn in dialogue] for field in ("response", "state")}


def _converted(convert: Callable[[Outputs], Any]) -> Rewrite:
    return lambda predictions, gold: convert(predictions)


def _by_dialogue(convert: Callable[[Sequence[Turn]], Any]) -> Rewrite:
    return _converted(lambda outputs: {id_: convert(turns_) for id_, turns_ in outputs.items()})


def _renamed_fields(**names: str) -> Rewrite:
    return turns(lambda turn: {names.get(field, field): value for field, value in turn.items()})


def beside(
    field: str, gold_key: str, key: str, gold_first: bool, layout: Callable[[Outputs], Any]
) -> Rewrite:
    """Return what writes gold beside the prediction of one field.

    Args:
        field: `response` or `state`.
        gold_key: What gold is called.
        key: What the prediction is called.
        gold_first: Which of the two comes first.
        layout: Arranges the turns.
    """

    def rewrite(predictions: Outputs, gold: Outputs) -> Any:
        rewritten = {}
        for id_, dialogue in predictions.items():
            both = []
            for turn, right in zip(dialogue, gold[id_], strict=False):
                pairs = [(gold_key, right[field]), (key, turn[field])]
                others = {name: value for name, value in turn.items() if name != field}
                both.append({**dict(pairs if gold_first else pairs[::-1]), **others})
            rewritten[id_] = both
        return layout(rewritten)

    return rewrite


_STATE_KEYS = (
    ("state", "pred_state"),
    ("state", "predicted_state"),
    ("state", "state_pred"),
    ("state", "generated_state"),
    ("state", "state_gen"),
    ("gold_state", "state"),
    ("state_gold", "state"),
    ("gt_state", "state"),
    ("target_state", "pred_state"),
    ("label", "prediction"),
    ("belief_state", "generated_belief_state"),
    ("belief_state", "pred_belief_state"),
    ("belief_state", "hyp_belief_state"),
    ("bs", "bs_gen"),
    ("bspn", "bspn_gen"),
    ("turn_belief", "pred_bs_ptr"),
    ("turn_belief", "pred_belief"),
    ("gold", "predicted"),
    ("gt", "pr"),
    ("ground_truth", "output"),
    ("reference_state", "model_output"),
    ("slot_values", "predictions"),
)
"""What gold and predicted states are called in files that have both."""

_RESPONSE_KEYS = (
    ("response", "generated_response"),
    ("response", "pred_response"),
    ("response", "predicted_response"),
    ("response", "response_gen"),
    ("response", "response_pred"),
    ("response", "prediction"),
    ("response", "generated"),
    ("response", "output"),
    ("resp", "resp_gen"),
    ("gold_response", "response"),
    ("response_gold", "response"),
    ("gt_response", "response"),
    ("target_response", "response"),
    ("reference", "response"),
    ("target", "generated"),
    ("label", "output"),
    ("text", "generated_text"),
    ("system", "pred"),
    ("ground_truth", "hypothesis"),
)
"""What gold and predicted responses are called in files that have both."""

_PLAIN_KEYS = {"state": ("state", "belief_state"), "response": ("response", "text")}
"""Field -> two names that do not say which is gold."""

_LAYOUTS: Mapping[str, Callable[[Outputs], Any]] = {
    "list of dialogues": _items,
    "list of turns": _rows,
    "turns by number": lambda outputs: _numbered(outputs, "{}", 0),
    "JSON lines": lambda outputs: _lines(_rows(outputs)),
    "table": lambda outputs: _table(_rows(outputs)),
}


def _both() -> Iterator[Kind]:
    """Yield the kinds with gold beside predictions: all names, and two of each in all layouts."""
    every = {"state": _STATE_KEYS, "response": _RESPONSE_KEYS}
    for field, pairs in every.items():
        for gold_key, key in [*pairs, _PLAIN_KEYS[field]]:
            for order, first in (("before", True), ("after", False)):
                name = f"gold {field} `{gold_key}` {order} `{key}`"
                yield same(name, beside(field, gold_key, key, first, dict))
        for layout, arrange in _LAYOUTS.items():
            for gold_key, key in (pairs[0], pairs[9]):
                name = f"gold {field} `{gold_key}` before `{key}`, {layout}"
                yield same(name, beside(field, gold_key, key, True, arrange))


_FIELDS = (
    *_both(),
    same("unchanged", _converted(dict)),
    same("indented", _converted(lambda outputs: json.dumps(outputs, indent=1).encode())),
    same("with a byte order mark", _converted(lambda o: b"\xef\xbb\xbf" + json.dumps(o).encode())),
    same("UTF-16", _converted(lambda outputs: json.dumps(outputs).encode("utf-16"))),
    same("below results", _converted(lambda outputs: {"results": outputs})),
    same("below results beside others", _converted(lambda o: {"results": o, "seed": 1, "bleu": 2.5})),
    same("below predictions", _converted(lambda outputs: {"predictions": outputs})),
    same("below outputs", _converted(lambda outputs: {"outputs": _items(outputs)})),
    same("below data", _converted(lambda outputs: {"data": _items(outputs)})),
    same("below an unknown key", _converted(lambda outputs: {"my_run": outputs})),
    same("below two keys", _converted(lambda outputs: {"data": {"test": outputs}})),
    same("in a list of one", _converted(lambda outputs: [outputs])),
    same("list of dialogues", _converted(_items)),
    same("list of dialogues with log", _converted(lambda outputs: _items(outputs, "log"))),
    same("list of dialogues by an unknown key", _converted(lambda outputs: _items(outputs, "steps"))),
    same("list of lists of turns", _converted(lambda o: [_rows({id_: d}) for id_, d in o.items()])),
    same("list of lists of turns without ids", _converted(lambda o: [[*d] for d in o.values()])),
    same("list of turns", _converted(_rows)),
    same("list of turns from 1", _converted(lambda outputs: _rows(outputs, 1))),
    same("list of turns in reverse order", _converted(lambda outputs: _rows(outputs)[::-1])),
    same("JSON lines of dialogues", _converted(lambda outputs: _lines(_items(outputs)))),
    same("JSON lines of turns", _converted(lambda outputs: _lines(_rows(outputs)))),
    same("commas", _converted(lambda outputs: _table(_rows(outputs)))),
    same("tabs", _converted(lambda outputs: _table(_rows(outputs), "\t"))),
    same("semicolons", _converted(lambda outputs: _table(_rows(outputs), ";"))),
    same("turns by number", _converted(lambda outputs: _numbered(outputs, "{}", 0))),
    same("turns by number from 1", _converted(lambda outputs: _numbered(outputs, "{}", 1))),
    same("turns by name", _converted(lambda outputs: _numbered(outputs, "turn_{}", 0))),
    same("turns by name from 1", _converted(lambda outputs: _numbered(outputs, "turn_{}", 1))),
    same("turns below turns", _by_dialogue(lambda dialogue: {"turns": [*dialogue]})),
    same("turns below log and a goal", _by_dialogue(lambda dialogue: {"goal": {}, "log": [*dialogue]})),
    same("turns below an unknown key", _by_dialogue(lambda dialogue: {"steps": [*dialogue]})),
    same("messages", _by_dialogue(lambda dialogue: [*_messages(dialogue)])),
    same("MultiWOZ's log", _by_dialogue(lambda dialogue: {"log": [*_log(dialogue)]})),
    same("parallel lists", _by_dialogue(_parallel)),
    same("parallel lists below turns", _by_dialogue(lambda d: {"turns": _parallel(d)})),
    same("fields below a key", turns(lambda turn: {"prediction": turn})),
    same("camel case", _renamed_fields(response="systemResponse", state="beliefState")),
    same("keys in upper case", _renamed_fields(response="RESPONSE", state="STATE")),
    same("keys with a capital", _renamed_fields(response="Response", state="State")),
    same("keys with blanks", _renamed_fields(response=" response", state="state ")),
    same("response misspelt", _renamed_fields(response="reponse")),
    same("state misspelt", _renamed_fields(state="stat")),
    same("state by an unknown key", _renamed_fields(state="tracked")),
    same("response by an unknown key", _renamed_fields(response="said")),
    same("dialogue_state", _renamed_fields(state="dialogue_state")),
    same("belief", _renamed_fields(state="belief")),
    same("slots", _renamed_fields(state="slots")),
    same("constraints", _renamed_fields(state="constraints")),
    same("bspn and resp", _renamed_fields(response="resp", state="bspn")),
    same("utterance", _renamed_fields(response="utterance")),
    same("content", _renamed_fields(response="content")),
    same("reply", _renamed_fields(response="reply")),
    same("lex_response beside", turns(lambda turn: {**turn, "lex_response": "you may stay there ."})),
    same("user beside", turns(lambda turn: {**turn, "user": "i need a place to stay ."})),
    same("other keys beside", turns(lambda turn: {**turn, "loss": 0.5, "tokens": [1, 2]})),
    damaged("states of half of the turns", _each_state(lambda e: [None if n % 2 else s for n, s in enumerate(e)])),
    damaged("one state missing", dialogues(lambda d: [{"response": d[0]["response"]}, *d[1:]])),
)  # fmt: skip

# Families.


def _as_given(predictions: Outputs, gold: Outputs) -> Outputs:
    return predictions


def _with_domains(predictions: Outputs, gold: Outputs) -> Outputs:
    """Return predictions with the active domains of gold."""
    added = {}
    for id_, dialogue in predictions.items():
        pairs = zip(dialogue, gold[id_], strict=False)
        added[id_] = [{**t, "active_domains": right["active_domains"]} for t, right in pairs]
    return added


FAMILIES: Mapping[str, Family] = {
    "values": Family(_VALUES, (INFORM, SUCCESS, JGA), _as_given),
    "any": Family(_ANY, (INFORM, SUCCESS, JGA), _as_given),
    "nothing": Family(_NOTHING, (INFORM, SUCCESS, JGA), _as_given),
    "slots": Family(_SLOTS, (INFORM, SUCCESS, JGA), _as_given),
    "notations": Family(_NOTATIONS, (INFORM, SUCCESS, JGA), _as_given),
    "turns": Family(_TURNS, (INFORM, SUCCESS, BLEU, JGA), _as_given),
    "responses": Family(_RESPONSES, (INFORM, SUCCESS, BLEU), _as_given),
    "domains": Family(_DOMAINS, (INFORM, SUCCESS), _with_domains),
    "fields": Family(_FIELDS, (INFORM, SUCCESS, BLEU, JGA), _as_given),
}
"""What kinds rewrite -> the kinds."""


def kinds() -> dict[str, tuple[Family, Kind]]:
    """Return the kinds by name, `FAMILY: KIND`, each with its family."""
    named: dict[str, tuple[Family, Kind]] = {}
    for name, family in FAMILIES.items():
        for kind in family.kinds:
            named[f"{name}: {kind.name}"] = (family, kind)
    return named
