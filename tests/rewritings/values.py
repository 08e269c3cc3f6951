"""Rewritings of the values of states: other notations and words, for any value and for none."""

from __future__ import annotations

import html
import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .parts import (
    PUBLISHED_ANY,
    Rewrite,
    State,
    damaged,
    documented,
    same,
    slots,
    states,
    values,
    words,
)

TIMES = ("leave", "arrive", "time", "leaveat", "arriveby")
_PLACES = ("departure", "destination")
_NUMBERS = dict(
    zip("12345678", ["one", "two", "three", "four", "five", "six", "seven", "eight"], strict=True)
)
_TIME = re.compile(r"(\d{1,2}):(\d\d)")
FULL_WIDTH_DIGITS = str.maketrans({str(n): chr(0xFF10 + n) for n in range(10)})
FULL_WIDTH = str.maketrans({chr(n): chr(n + 0xFEE0) for n in range(0x21, 0x7F)})
_GUESTHOUSE = ("guesthouse", "guest house")
_TWO_WORDS = {"swimmingpool": "swimming pool", "swimming pool": "swimming-pool"}
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _time(form: Callable[[int, int], str]) -> Rewrite:
    """Return what writes times otherwise, given hour and minute."""

    def change(value: str) -> str:
        match = _TIME.fullmatch(value)
        return form(int(match[1]), int(match[2])) if match else value

    return values(change, *TIMES)


def _half_day(hour: int) -> str:
    return "am" if hour % 24 < 12 else "pm"


def _twelve(hour: int) -> int:
    return (hour - 1) % 12 + 1


VALUES = (
    documented("upper case", values(str.upper)),
    documented("title case", values(string.capwords)),
    documented("first letter in upper case", values(str.capitalize)),
    documented("blank before", values(lambda value: f" {value}")),
    documented("blank after", values(lambda value: f"{value} ")),
    documented("newline after", values(lambda value: f"{value}\n")),
    documented("double blanks", values(lambda value: value.replace(" ", "  "))),
    documented("no-break blanks", values(lambda value: value.replace(" ", "\u00a0"))),
    same("hyphens for blanks", values(lambda value: value.replace(" ", "-"))),
    same("underscores for blanks", values(lambda value: value.replace(" ", "_"))),
    same("full stop after", values(lambda value: f"{value}.")),
    same("in quotes", values(lambda value: f'"{value}"')),
    same("in square brackets", values(lambda value: f"[{value}]")),
    documented("full-width letters", values(lambda value: value.translate(FULL_WIDTH))),
    documented("full-width digits", values(lambda value: value.translate(FULL_WIDTH_DIGITS))),
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
    documented("numbers as such", values(lambda v: int(v) if v.isdigit() else v)),
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
    same("b&b", words(dict.fromkeys(_GUESTHOUSE, "b&b"), "type")),
    same("guest house", words(dict.fromkeys(_GUESTHOUSE, "guest house"), "type")),
    documented("guest-house", words(dict.fromkeys(_GUESTHOUSE, "guest-house"), "type")),
    documented("Guesthouse", words(dict.fromkeys(_GUESTHOUSE, "Guesthouse"), "type")),
    documented("guesthouses", words(dict.fromkeys(_GUESTHOUSE, "guesthouses"), "type")),
    same("bed and breakfast", words(dict.fromkeys(_GUESTHOUSE, "bed and breakfast"), "type")),
    same("plural of types", values(lambda value: f"{value}s", "type")),
    same("theater", words({"theatre": "theater"}, "type")),
    same("type in two words", words(_TWO_WORDS, "type")),
    same("night club", words({"nightclub": "night club"}, "type")),
    same("true and false", words({"yes": "true", "no": "false"}, "parking", "internet")),
    documented("booleans", words({"yes": True, "no": False}, "parking", "internet")),
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
    same("at a time", values(lambda value: f"at {value}", *TIMES)),
    same("by a time", values(lambda value: f"by {value}", *TIMES)),
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
    *("none", "None", "NONE", "Not Mentioned", "not_mentioned", "not given"),
    *("", " ", "n/a", "N/A", "unknown", "-", "null", "nan", "unspecified", "?", "[]", "not set"),
    *("missing", "empty", "<none>", "[none]", "NULL", "undefined"),
)

EVERY_SLOT: Mapping[str, Sequence[str]] = {
    "attraction": ("area", "name", "type"),
    "hotel": ("area", "internet", "name", "parking", "pricerange", "stars", "type"),
    "restaurant": ("area", "food", "name", "pricerange"),
    "taxi": ("arrive", "departure", "destination", "leave"),
    "train": ("arrive", "day", "departure", "destination", "leave"),
}
BOOKING: Mapping[str, Sequence[str]] = {
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
        for domain in [*EVERY_SLOT] if in_all else [*state]:
            given = state.get(domain, {})
            bare = {slot.removeprefix("book") for slot in given}
            prefix = "book" if any(slot.startswith("book") for slot in given) else ""
            booking = [f"{prefix}{slot}" for slot in BOOKING.get(domain, ()) if slot not in bare]
            others = [slot for slot in EVERY_SLOT.get(domain, ()) if slot not in given]
            filled[domain] = {**given, **dict.fromkeys([*others, *booking], absent)}
        return filled

    return states(fill)


def _one_slot(absent: str) -> Rewrite:
    """Return what adds one slot without a value to the first domain of each state."""

    def fill(state: State) -> State:
        filled = {domain: {**of_domain} for domain, of_domain in state.items()}
        for domain, of_domain in filled.items():
            other = next((s for s in EVERY_SLOT.get(domain, ()) if s not in of_domain), None)
            if other is not None:
                of_domain[other] = absent
                break
        return filled

    return states(fill)


NOTHING = (
    documented("not mentioned in all slots of the domains", _written_out("not mentioned", False)),
    documented("not mentioned in all 30 slots", _written_out("not mentioned", True)),
    documented("not mentioned in one slot", _one_slot("not mentioned")),
    *(same(f"{word!r} in all slots of the domains", _written_out(word, False)) for word in _ABSENT),
    documented("null in all slots of the domains", _written_out(None, False)),
    documented("empty lists in all slots of the domains", _written_out([], False)),
    *(same(f"{word!r} in all 30 slots", _written_out(word, True)) for word in _ABSENT[:10]),
    documented("null in all 30 slots", _written_out(None, True)),
    *(same(f"{word!r} in one slot", _one_slot(word)) for word in ("none", "")),
)

ANY = tuple(same(f"{word!r} for dontcare", _as_dontcare(word)) for word in _DONTCARE)
