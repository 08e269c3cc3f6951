"""Responses and belief states in one form.

Responses have placeholders of the 18-slot ontology and Moses-detokenised text. The steps, in order:
lower-case; replace each placeholder (with a plural suffix) by its ontology name, an unknown one by
nothing; delete `-s`, then `-ly`; Moses-tokenise and -detokenise.

Slot names and values (strings) of belief states are as the venue database writes them. Which rule a
slot's values follow, and the canonical values, are tables of the rule set.

Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from .characters import plain_characters
from .moses import detokenize
from .rules import READ_BY_CODE, RuleSet, is_absent

# Responses.

NAME = re.compile(r"[\w\s\d]+")
"""The name of a placeholder."""

DomainSlots: TypeAlias = Mapping[str, tuple[str, ...]]
"""domain -> ontology names of a response's placeholders that name it, as `[hotel_name]` does, in
order; empty for one that the ontology lacks."""

PLACEHOLDER = re.compile(rf"\[({NAME.pattern})\](es|s|-s|-es|)")
"""A placeholder; its name is the first group, its suffix the second."""


def placeholder_names(response: str) -> list[str]:
    """Return the names of a response's placeholders, in order, in lower case.

    >>> placeholder_names("[Hotel_name] has [choice]s")
    ['hotel_name', 'choice']
    """
    return [name for name, _ in PLACEHOLDER.findall(response.lower())]


def _replace_placeholders(text: str, rules: RuleSet) -> str:
    """Return a text with ontology names in place of placeholders and their suffixes."""
    return PLACEHOLDER.sub(lambda match: rules.ontology.get(match[1], ""), text)


def _delete_suffixes(text: str, rules: RuleSet) -> str:
    for suffix in rules.tables["responses"]["deleted"]:
        text = text.replace(suffix, "")
    return text


STEPS: Mapping[str, Callable[[str, RuleSet], str]] = {
    "lower-casing": lambda text, rules: text.lower(),
    "ontology": _replace_placeholders,
    "suffix rules": _delete_suffixes,
    "Moses": lambda text, rules: detokenize(text),
}
"""Name of a step -> the function that applies it to a text, in the order of application."""


def normalized_text(response: str, rules: RuleSet, without: str | None = None) -> str:
    """Return the normalised text of a response; `without` is a step to leave out, if any."""
    for name, step in STEPS.items():
        if name != without:
            response = step(response, rules)
    return response


class Placeholders(NamedTuple):
    """What the placeholders of a response say.

    Attributes:
        unknown: The names that the ontology lacks, one per occurrence; normalising removes them.
        domain_slots: Domain -> ontology names of the placeholders that name this domain.
        about_venues: How many placeholders tell about one venue.
        with_domain: How many of these name their domain.
    """

    unknown: tuple[str, ...]
    domain_slots: DomainSlots
    about_venues: int
    with_domain: int


@lru_cache(maxsize=1 << 15)
def normalize_response(response: str, rules: RuleSet) -> tuple[str, Placeholders]:
    """Return the normalised text of a response, and what its placeholders say."""
    names = tuple(placeholder_names(response))
    return normalized_text(response, rules), _placeholders(names, rules)


# Many responses have the same placeholders.
@lru_cache(maxsize=1 << 12)
def _placeholders(names: tuple[str, ...], rules: RuleSet) -> Placeholders:
    unknown: list[str] = []
    slots: dict[str, tuple[str, ...]] = {}
    about_venues = 0
    with_domain = 0
    for name in names:
        slot = rules.ontology.get(name, "")
        if name not in rules.ontology:
            unknown.append(name)
        # Placeholders that name their domain begin with it.
        domain = name.split("_", maxsplit=1)[0]
        names_domain = domain in rules.tables["domains"]
        if names_domain:
            slots[domain] = (*slots.get(domain, ()), slot)
        if slot in rules.about_venues:
            about_venues += 1
            with_domain += names_domain
    return Placeholders(tuple(unknown), slots, about_venues, with_domain)


# Belief states.

BeliefState: TypeAlias = Mapping[str, Mapping[str, str]]
"""domain -> slot -> value."""

_CLOCK = re.compile(r"([0-9][0-9]):([0-9][0-9])")
# Characters. Python refuses to read a number of thousands of digits.
_LONGEST_HOUR = 20


def without_empty_domains(state: BeliefState) -> BeliefState:
    """Return a state without domains that have no slot: what it says is the same."""
    return {domain: slots for domain, slots in state.items() if slots}


def without_absent_slots(state: BeliefState) -> BeliefState:
    """Return a state without the slots whose value says that they have none."""
    present: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        present[domain] = {slot: value for slot, value in slots.items() if not is_absent(value)}
    return present


def plain_slot_name(slot: str) -> str:
    """Return a slot's name in lower case and without blanks.

    >>> plain_slot_name("Price Range")
    'pricerange'
    """
    return slot.lower().replace(" ", "")


def normalize_slot_name(slot: str, rules: RuleSet) -> str:
    """Return a slot's name in the harness's spelling: lower case, no blanks, `arrive`, `leave`."""
    plain = plain_slot_name(slot)
    return str(rules.tables["slot_aliases"].get(plain, plain))


def normalize_value(slot: str, value: str, rules: RuleSet) -> str:
    """Return a slot's value in its canonical form.

    Args:
        slot: The slot's normalised name.
        value: The value as predicted or annotated.
        rules: The rule set to apply.
    """
    rule = rules.tables["value_rules"].get(slot)
    if rule is None:
        return value
    if rule in READ_BY_CODE:
        time = value.strip().lower()
        known = _known_time(time, rules)
        if known is None and rule == "clock":
            known = clock_of(plain_characters(value))
        return _time(time) if known is None else known
    if rule in ("name", "food"):
        value = value.strip().lower()
    if rule == "name":
        for phrase, canonical in rules.tables["name_phrases"].items():
            value = value.replace(phrase, canonical)
    return str(rules.tables[rule].get(value, value))


@lru_cache(maxsize=1 << 15)
def normalize_slot(slot: str, value: str, rules: RuleSet) -> tuple[str, str]:
    """Return a slot's normalised name and value; an empty value stays so."""
    name = normalize_slot_name(slot, rules)
    # The rules of times would read an empty value as midnight.
    if not value.strip():
        return name, ""
    return name, normalize_value(name, value, rules)


def normalize_state(state: BeliefState, rules: RuleSet) -> dict[str, dict[str, str]]:
    """Return a belief state with normalised slot names and values; the given one is kept.

    Where two spellings of a slot meet, the later one wins.
    """
    normalized: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        normalized[domain] = dict(normalize_slot(*written, rules) for written in slots.items())
    return normalized


def minutes(time: str) -> int:
    """Return minutes since midnight of a time that begins with NN:NN, and 0 of anything else.

    >>> minutes("17:30"), minutes("noon")
    (1050, 0)
    """
    clock = _CLOCK.match(time)
    return int(clock[1]) * 60 + int(clock[2]) if clock else 0


def _known_time(time: str, rules: RuleSet) -> str | None:
    """Return the time that a whole expression or its beginning stands for in the tables."""
    words: Mapping[str, str] = rules.tables["time_words"]
    prefixes: Mapping[str, str] = rules.tables["time_prefixes"]
    if words.get(time):
        return words[time]
    for prefix, canonical in prefixes.items():
        if time.startswith(prefix):
            return canonical
    return None


def _time(time: str) -> str:
    """Return a time in lower case as HH:MM, where published rule sets can read it as one."""
    if time.startswith("by"):
        time = time[len("by ") :]
    for word in ("after", "afer"):
        if time.startswith(word):
            time = time.removeprefix(word).strip()
    is_afternoon = False
    for suffix in ("am", "a.m.", "pm", "p.m."):
        if time.endswith(suffix):
            time = time.removesuffix(suffix).strip()
            is_afternoon = suffix.startswith("p")
    later = _add_twelve_hours(time) if is_afternoon else None
    if later is not None:
        return later
    if not time:
        return "00:00"
    if time[-1] in ".,?":
        time = time[:-1]
    if time.isdigit():
        return f"{time[:2]}:{time[2:]}" if len(time) == 4 else f"{time.zfill(2)}:00"
    clock = time.replace(" ", "") if ":" in time else time
    return f"0{clock}" if len(clock) == 4 and clock[1] == ":" else clock


def _add_twelve_hours(time: str) -> str | None:
    """Return H:M or a bare hour twelve hours later ("12" gives "24:00"); None of anything else."""
    hour, *rest = time.split(":")
    if len(rest) > 1 or not hour.strip().isdecimal() or len(hour) > _LONGEST_HOUR:
        return None
    return f"{int(hour) + 12}:{rest[0] if rest else '00'}"


_TIME_IN_TEXT = re.compile(
    r"(?<![\d.])(\d{1,2})\s*[:.h–−-]?\s*([0-5]\d)(?::[0-5]\d)?\s*([ap])?\.?m?\b(?!\d)|"
    r"(?<![\d.:])(\d{1,2})\s*([ap])\.?m\b",
    re.IGNORECASE,
)


_HALF_A_DAY = 12
"""Hours."""


def clock_of(text: str) -> str | None:
    """Return the only time of a text, in any notation, as HH:MM; None if it has not one time.

    "17.30", "17h30", "1730", "before 17:30", "5:30 pm" and "17:30:00" are all 17:30.

    >>> clock_of("before 12:15 pm")
    '12:15'
    """
    matches = [*_TIME_IN_TEXT.finditer(text)]
    if len(matches) != 1:
        return None
    hour_text, minute, half, bare_hour, bare_half = matches[0].groups()
    hour = int(hour_text or bare_hour)
    half = (half or bare_half or "").lower()
    # 13:00 am is no time of the night.
    if half and hour <= _HALF_A_DAY:
        hour = hour % _HALF_A_DAY + (_HALF_A_DAY if half == "p" else 0)
    return f"{hour:02}:{minute or '00'}" if hour < 24 else None
