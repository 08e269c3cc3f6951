"""Belief states in one spelling: slot names and values (strings) as the venue database writes them.

A belief state maps domain -> slot -> value. The canonical values are the tables of `values.toml`;
the two rule sets differ in the name rules only. Source: the re-evaluation of Nekvinda & Dušek,
"Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from .resources import read_table

BeliefState: TypeAlias = Mapping[str, Mapping[str, str]]
"""domain -> slot -> value."""

SLOT_ALIASES = {"arriveby": "arrive", "leaveat": "leave"}

_CLOCK = re.compile(r"([0-9][0-9]):([0-9][0-9])")
# Characters. Python refuses to read a number of thousands of digits.
_LONGEST_HOUR = 20


@dataclass(frozen=True)
class RuleSet:
    """The value rules a score was made under; scores of different rule sets do not compare.

    Attributes:
        name: "2021" (the published re-evaluation) or "2023" (the public evaluator since).
        names: Canonical venue names and places.
        name_phrases: Phrases replaced inside a name, before the table is consulted.
    """

    name: str
    names: Mapping[str, str]
    name_phrases: Mapping[str, str]


RULE_SET_NAMES = ("2021", "2023")


@lru_cache(maxsize=len(RULE_SET_NAMES))
def rule_set(name: str) -> RuleSet:
    """Look up a rule set by name.

    Raises:
        ValueError: The name is not one of `RULE_SET_NAMES`.
    """
    if name not in RULE_SET_NAMES:
        raise ValueError(f"unknown rule set {name!r}: use one of {', '.join(RULE_SET_NAMES)}")
    values = _values()
    if name == "2021":
        return RuleSet(name, values["name"], {})
    return RuleSet(name, {**values["name_2023"], **values["name"]}, values["name_phrases_2023"])


@lru_cache(maxsize=1)
def _values() -> Mapping[str, Mapping[str, str]]:
    return read_table("tables/values.toml")


@lru_cache(maxsize=1 << 12)
def normalize_slot_name(slot: str) -> str:
    """Return a slot's name in the harness's spelling: lower case, no blanks, `arrive`, `leave`."""
    slot = slot.lower().replace(" ", "")
    return SLOT_ALIASES.get(slot, slot)


def normalize_value(slot: str, value: str, rules: RuleSet) -> str:
    """Return a slot's value in its canonical form.

    Args:
        slot: The slot's normalised name.
        value: The value as predicted or annotated.
        rules: The rule set to apply.
    """
    rule = _VALUE_RULES.get(slot)
    return value if rule is None else rule(value, rules)


def normalize_state(state: BeliefState, rules: RuleSet) -> dict[str, dict[str, str]]:
    """Return a belief state with normalised slot names and values; the given one is kept.

    Where two spellings of a slot meet, the later one wins.
    """
    normalized: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        values: dict[str, str] = {}
        normalized[domain] = values
        for slot, value in slots.items():
            name = normalize_slot_name(slot)
            values[name] = normalize_value(name, value, rules)
    return normalized


def minutes(time: str) -> int:
    """Return minutes since midnight of a time that begins with NN:NN, and 0 of anything else."""
    clock = _CLOCK.match(time)
    return int(clock[1]) * 60 + int(clock[2]) if clock else 0


def _name(value: str, rules: RuleSet) -> str:
    name = value.strip().lower()
    for phrase, canonical in (*_NAME_SPELLINGS, *rules.name_phrases.items()):
        name = name.replace(phrase, canonical)
    return rules.names.get(name, name)


def _food(value: str, rules: RuleSet) -> str:
    food = value.strip().lower()
    return _values()["food"].get(food, food)


def _as_is(table: str) -> _ValueRule:
    """Return a rule that looks a value up in a table just as it was given."""
    return lambda value, rules: _values()[table].get(value, value)


def _time(value: str, rules: RuleSet) -> str:
    time = value.strip().lower()
    known = _known_time(time)
    if known is not None:
        return known
    if time.startswith("by"):
        time = time[len("by ") :]
    for word in ("after", "afer"):
        time = time.removeprefix(word).strip() if time.startswith(word) else time
    time = _without_suffixes(time, ("am", "a.m."))
    afternoon = _without_suffixes(time, ("pm", "p.m."))
    if afternoon != time:
        return _add_twelve_hours(afternoon) or _clock(afternoon)
    return _clock(time)


def _known_time(time: str) -> str | None:
    """Return the time that a whole expression or its beginning stands for in the tables."""
    words, prefixes = _values()["time_words"], _values()["time_prefixes"]
    return words.get(time) or next(
        (canonical for prefix, canonical in prefixes.items() if time.startswith(prefix)), None
    )


def _without_suffixes(time: str, suffixes: tuple[str, ...]) -> str:
    """Return a time without each of the suffixes, in this order, that it then ends with."""
    for suffix in suffixes:
        if time.endswith(suffix):
            time = time.removesuffix(suffix).strip()
    return time


def _add_twelve_hours(time: str) -> str | None:
    """Return H:M or a bare hour twelve hours later ("12" gives "24:00"); None of anything else."""
    hour, *rest = time.split(":")
    if len(rest) > 1 or not hour.strip().isdecimal() or len(hour) > _LONGEST_HOUR:
        return None
    return f"{int(hour) + 12}:{rest[0] if rest else '00'}"


def _clock(time: str) -> str:
    """Return a time without words as HH:MM where it can be read as one."""
    if not time:
        return "00:00"
    if time[-1] in ".,?":
        time = time[:-1]
    if time.isdigit():
        return f"{time[:2]}:{time[2:]}" if len(time) == 4 else f"{time.zfill(2)}:00"
    if ":" in time:
        time = time.replace(" ", "")
    return f"0{time}" if len(time) == 4 and time[1] == ":" else time


_ValueRule: TypeAlias = Callable[[str, RuleSet], str]

# Spellings made alike in every name, in this order.
_NAME_SPELLINGS = ((" & ", " and "), ("&", " and "), (" '", "'"))

# Which rule a slot's values follow; the values of other slots are left as they are.
_VALUE_RULES: Mapping[str, _ValueRule] = {
    "name": _name,
    "departure": _name,
    "destination": _name,
    "type": _as_is("type"),
    "food": _food,
    "arrive": _time,
    "leave": _time,
    "arriveby": _time,
    "leaveat": _time,
    "time": _time,
    "parking": _as_is("parking"),
    "internet": _as_is("internet"),
}
