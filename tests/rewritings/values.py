"""Rewritings of the values of states: other notations and words, for any value and for none."""

from __future__ import annotations

import html
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .parts import PUBLISHED_ANY, Kind, Rewrite, State, documented, slots, states, values, words

TIMES = ("leave", "arrive", "time", "leaveat", "arriveby")
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


_FORMS: Mapping[str, Sequence[str]] = {
    "": (
        *("{}.", '"{}"', "[{}]", "{}\u200b", "\ufeff{}", "{}|the {}", "the {}|{}", "= {}"),
        *("{} (stated by the user)", "{} </s>"),
    ),
    "area": ("in the {}", "{} side", "{} part of town"),
    "pricerange": ("{} price range",),
    "stars": ("{} stars", "{}-star", "{}.0"),
    "people": ("{} people",),
    "stay": ("{} nights",),
    "type": ("{}s",),
    "day": ("on {}", "{}s"),
    "arrive arriveby": ("before {}",),
    "leave leaveat": ("after {}",),
    " ".join(TIMES): ("at {}", "by {}"),
    "departure destination": ("{} train station", "{}, uk", "to {}"),
    "name": ("the {}", "restaurant {}", "{} hotel", "{} cambridge"),
    "food": ("{} food", "{} cuisine"),
}
"""Slots, none for all -> what people write around their values."""

_TIME_FORMS = (
    *("{:02}.{:02}", "{:02}{:02}", "{:02}h{:02}", "{}:{:02}", "{:02}:{:02}:00", "{:02} : {:02}"),
    *("{:02}:{:02} hrs", "2024-01-01T{:02}:{:02}:00"),
)

_SYNONYMS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "area": [{"centre": word} for word in ("center", "city centre", "center of town")],
    "pricerange": [
        *({"moderate": "moderately priced"}, {"cheap": "inexpensive"}, {"expensive": "high end"})
    ],
    "stars": [_NUMBERS],
    "people": [_NUMBERS],
    "stay": [_NUMBERS],
    "type": [
        *(dict.fromkeys(_GUESTHOUSE, word) for word in ("b&b", "guest house")),
        *(dict.fromkeys(_GUESTHOUSE, "bed and breakfast"), _TWO_WORDS),
        {"nightclub": "night club"},
    ],
    "parking internet": [
        *({"yes": "true", "no": "false"}, {"yes": "y", "no": "n"}, {"yes": "1", "no": "0"}),
        *({"yes": "free"}, {"yes": "available"}),
    ],
    "day": [{day: day[:3] for day in _DAYS}],
}
"""Slots -> values and the words that people use for them."""


def _in_other_words() -> Iterator[Kind]:
    for names, forms in _FORMS.items():
        for form in forms:
            change = values(form.replace("{}", "{0}").format, *names.split())
            yield Kind(f"{names or 'values'} as {form!r}", change)
    for names, tables in _SYNONYMS.items():
        for table in tables:
            yield Kind(f"{names} as {next(iter(table.values()))}", words(table, *names.split()))
    for form in _TIME_FORMS:
        yield Kind(f"time as {form}", _time(form.format))


VALUES = (
    documented("upper case", values(str.upper)),
    documented("title case", values(string.capwords)),
    documented("first letter in upper case", values(str.capitalize)),
    *(documented(f"as {form!r}", values(form.format)) for form in (" {}", "{} ", "{}\n")),
    documented("double blanks", values(lambda value: value.replace(" ", "  "))),
    documented("no-break blanks", values(lambda value: value.replace(" ", "\u00a0"))),
    Kind("hyphens for blanks", values(lambda value: value.replace(" ", "-"))),
    Kind("underscores for blanks", values(lambda value: value.replace(" ", "_"))),
    documented("full-width letters", values(lambda value: value.translate(FULL_WIDTH))),
    documented("full-width digits", values(lambda value: value.translate(FULL_WIDTH_DIGITS))),
    Kind("zero-width joiner inside", values(lambda value: f"{value[:2]}\u200d{value[2:]}")),
    Kind("HTML entities", values(html.escape)),
    Kind("curly apostrophes", values(lambda value: value.replace("'", "\u2019"))),
    Kind("apostrophes as words", values(lambda value: value.replace("'s", " 's"))),
    Kind("lists of one", values(lambda value: [value])),
    Kind("lists, itself first", values(lambda value: [value, f"the {value}"])),
    Kind("lists, itself last", values(lambda value: [f"the {value}", value])),
    Kind("objects", values(lambda value: {"value": value})),
    documented("numbers as such", values(lambda v: int(v) if v.isdigit() else v)),
    *_in_other_words(),
    Kind("first letter of an area", values(lambda value: value[:1], "area")),
    *(
        documented(word, words(dict.fromkeys(_GUESTHOUSE, word), "type"))
        for word in ("guest-house", "Guesthouse", "guesthouses")
    ),
    Kind("theater", words({"theatre": "theater"}, "type")),
    documented("booleans", words({"yes": True, "no": False}, "parking", "internet")),
    Kind("time with am and pm", _time(lambda h, m: f"{_twelve(h)}:{m:02} {_half_day(h)}")),
    Kind("time with am and pm, glued", _time(lambda h, m: f"{_twelve(h)}:{m:02}{_half_day(h)}")),
    Kind("time with a.m.", _time(lambda h, m: f"{_twelve(h)}:{m:02} {_half_day(h)[0]}.m.")),
    Kind("time of twelve hours", _time(lambda h, m: f"{_twelve(h):02}:{m:02}")),
    Kind("names without the", values(lambda value: value.removeprefix("the "), "name")),
    Kind("names with &", values(lambda value: value.replace(" and ", " & "), "name")),
    Kind("first word only", values(lambda value: value.split(" ")[0])),
    Kind("first three letters only", values(lambda value: value[:3])),
    Kind("letters one by one", values(" ".join)),
)

# Words for any value, and for no value.

_DONTCARE = (
    *("don't care", "don\u2019t care", "do_not_care", "DontCare", "any", "any area", "whatever"),
    *("doesn't matter", "no preference", "dontcare.", " dontcare", "[dontcare]", "*", "flexible"),
)

_ABSENT = (
    *("none", "NONE", "Not Mentioned", "not_mentioned", "", "n/a", "unknown", "-", "null", "?"),
    *("[]", "not set", "[none]"),
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
    *(Kind(f"{word!r} in all slots of the domains", _written_out(word, False)) for word in _ABSENT),
    documented("null in all slots of the domains", _written_out(None, False)),
    documented("empty lists in all slots of the domains", _written_out([], False)),
    *(Kind(f"{word!r} in all 30 slots", _written_out(word, True)) for word in _ABSENT[:5]),
    documented("null in all 30 slots", _written_out(None, True)),
    *(Kind(f"{word!r} in one slot", _one_slot(word)) for word in ("none", "")),
)

ANY = tuple(Kind(f"{word!r} for dontcare", _as_dontcare(word)) for word in _DONTCARE)
