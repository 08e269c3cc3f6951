"""The twin of a benchmark: the same tasks, where every venue has another name.

Test goals and venues have been on the web since 2018. In a twin, venues are renamed, and their
addresses, telephone numbers and postcodes, train ids and the times of trains are others; all else
stays. A system that reads what its tools return scores the same; one that learned names by heart
does not. What changes is drawn by a seed, and changes alike in venues, goals, tasks, states and
what people said. Delexicalised references stay as they are.

All trains run earlier by the same number of minutes, and so do the times that goals ask for. No
time passes midnight by that: queries compare times as they are written, and find the same trains.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from mwz.database import reaches
from mwz.normalization import (
    DEFAULT_RULES,
    RuleSet,
    VenueRecords,
    minutes,
    normalize_value,
    read_toml,
    rule_set,
)
from mwz.normalization.delexicaliser import UNKNOWN_VALUES, Delexicaliser, delexicaliser_tables

from ..benchmark import Benchmark, Dialogue
from ..data import DomainTask, Task
from ..errors import InputError
from .grounded import delexicaliser

_RECORD_SLOTS = {
    "NAME": "name",
    "PLACE": "name",
    "ADDRESS": "address",
    "PHONE": "phone",
    "POST": "postcode",
    "TRAINID": "trainID",
}
"""Slot of a span -> the slot of venue records that it is a value of: what a twin has otherwise."""

_SHAPES = {"phone": "01632######", "postcode": "**##@@", "trainID": "**####"}
"""Slot of venue records -> the shape of values: # is a digit, @ a letter, * is as in the old value.

The area code is the one that is kept for fiction: no telephone number is a real one."""

_PLACES = frozenset({"name", "departure", "destination"})
"""Slots that may name a venue."""

_TIMES = frozenset({"arriveBy", "leaveAt", "arrive", "leave"})
_LEFT_OUT = frozenset({"location", "introduction", "signature"})
"""Slots of records that would tell which venue it was; no query and no tool uses them."""

_OTHER_DOMAIN = re.compile("looking for|taxi")
"""Where instructions come to another domain than trains."""

_CLOCK = re.compile("[0-9]{2}:[0-9]{2}")
_SPACED = re.compile("([0-9]) ?[.:] ?([0-9]{2})")
_STEP, _MOST = 5, 60
"""Trains run earlier by a multiple of these minutes, and by how many at most."""

_ATTEMPTS = 1000
"""How often a value is drawn until it is another than all others."""


def earlier_time(time: str, earlier: int) -> str:
    """Return a time that is some minutes earlier, at least midnight; another text as it is.

    >>> earlier_time("24:10", 25), earlier_time("00:10", 25), earlier_time("noon", 25)
    ('23:45', '00:00', 'noon')
    """
    if not _CLOCK.fullmatch(time):
        return time
    hours, rest = divmod(max(0, minutes(time) - earlier), 60)
    return f"{hours:02}:{rest:02}"


@dataclass(frozen=True)
class Renaming:
    """What a twin has in place of a benchmark's values.

    Attributes:
        values: Slot of venue records -> old value, in lower case -> new value.
        earlier: By how many minutes trains run earlier.
        delexicalise: Finds the old values in texts.
        rules: The rule set that names are compared by.
    """

    values: Mapping[str, Mapping[str, str]]
    earlier: int
    delexicalise: Delexicaliser
    rules: RuleSet

    def slots(self, domain: str, slots: Mapping[str, Any]) -> dict[str, Any]:
        """Return the slots of a venue record, a goal or a state as the twin has them."""
        renamed: dict[str, Any] = {}
        for slot, value in slots.items():
            if domain == "train" and slot in _TIMES:
                renamed[slot] = earlier_time(value, self.earlier)
            elif domain != "train" and slot in _PLACES:
                renamed[slot] = self._place(slot, value)
            elif slot in self.values:
                renamed[slot] = self._value(slot, value)
            elif slot not in _LEFT_OUT:
                renamed[slot] = value
        return renamed

    def _value(self, slot: str, old: str, written: str = "") -> str:
        """Return a value of venue records, in the letters of the old one, or of how it is written.

        Those are small, capital, or have capital initials.
        """
        new, written = self.values[slot].get(old.lower(), written or old), written or old
        if written.isupper():
            return new.upper()
        return new.title() if written[:1].isupper() else new

    def _place(self, slot: str, value: str) -> str:
        """Return the name of a venue in the twin; a station or another place stays."""
        names = self.values["name"]
        if value.lower() in names:
            return self._value("name", value)
        text = self.text(value, ())
        if slot == "name" and text == self.delexicalise(value).original:
            # Queries compare names fuzzily, the first that is found counts.
            for name in names:
                if reaches(value.lower(), name, self.rules.fuzzy_ratio):
                    return names[name]
        return text

    def text(
        self, text: str, domains: Sequence[str], state: Mapping[str, Mapping[str, str]] = {}
    ) -> str:
        """Return what somebody says, with the values of the twin.

        Args:
            text: The text.
            domains: What it is about. If it is about trains, its times are those of trains.
            state: The belief state; the times of other domains stay.
        """
        other_times: set[str] = set()
        for domain, slots in state.items():
            if domain != "train":
                other_times.update(slots.values())
        parsed = self.delexicalise(text)
        said = ""
        done = 0
        for span in parsed.spans:
            new = old = parsed.original[span.start : span.end]
            slot = _RECORD_SLOTS.get(span.slot)
            if slot is not None and span.venues:
                meant = [venue for venue in span.venues if venue.domain in domains]
                venue = self.delexicalise.gazetteer.venues[(meant or span.venues)[0]]
                new = self._value(slot, str(venue.records[0].get(slot, "")), old)
                if not span.whole:
                    # A part of an address: without the number.
                    new = new.partition(" ")[2]
            elif span.slot == "TIME" and "train" in domains:
                time = normalize_value("leave", _SPACED.sub(r"\1:\2", old), self.rules)
                if time not in other_times and _CLOCK.fullmatch(time):
                    new = earlier_time(time, self.earlier)
            said += parsed.original[done : span.start] + new
            done = span.end
        return said + parsed.original[done:]


# ------------------------------------------------------------------------------------ the drawing


def draw_renaming(benchmark: Benchmark, seed: int) -> Renaming:
    """Draw what a twin has in place of a benchmark's values.

    Raises:
        InputError: There are more venues than names, or more of something else.
    """
    rules = rule_set(DEFAULT_RULES)
    random = Random(f"twin {seed}")
    values: dict[str, dict[str, str]] = {}
    for slot in dict.fromkeys(_RECORD_SLOTS.values()):
        values[slot] = {}
        domains = _domains_by_value(benchmark, slot)
        taken = set(domains)
        for value, domain in domains.items():
            for _ in range(_ATTEMPTS):
                new = _drawn(slot, value, domain, random)
                if new not in taken and not (slot == "name" and _resembles(new, values, rules)):
                    break
            else:
                raise InputError("twin", f"no {slot} is left for {value}; add words to twin.toml")
            taken.add(new)
            values[slot][value] = new
    # So that no train runs before midnight.
    earliest = 24 * 60
    for train in benchmark.venues.get("train", ()):
        earliest = min(
            earliest, *(minutes(str(train.get(slot, "24:00"))) for slot in ("leaveAt", "arriveBy"))
        )
    most = min(_MOST, earliest - 1) // _STEP
    earlier = _STEP * random.randint(1, most) if most > 0 else 0
    return Renaming(values, earlier, delexicaliser(benchmark, rules), rules)


def _domains_by_value(benchmark: Benchmark, slot: str) -> dict[str, str]:
    """Return value of a slot of venue records, in lower case -> the first domain that has it."""
    domains: dict[str, str] = {}
    for venues in (benchmark.venues, *benchmark.venue_versions.values()):
        for domain, records in venues.items():
            for record in records:
                value = str(record.get(slot, "")).lower()
                if value not in UNKNOWN_VALUES:
                    domains.setdefault(value, domain)
    return domains


def _drawn(slot: str, value: str, domain: str, random: Random) -> str:
    """Draw a value in place of another.

    A name says what the venue is where the old one does; an address is in the old one's district.
    """
    tables, known = read_toml("twin.toml", __package__), delexicaliser_tables()
    if slot == "name":
        kinds = sorted(known["names"]["type_words"].get(domain, ()), key=len, reverse=True)
        # The longest first: "guest house" is no "house".
        kind_words = re.findall(rf"\b(?:{'|'.join(kinds)})\b", value) if kinds else []
        first, second = random.choice(tables["names"]["first"]), tables["names"]["second"]
        return " ".join([first, random.choice(second), *kind_words])
    if slot == "address":
        districts = known["addresses"]["districts"]
        endings = [district for district in districts if value.endswith(district)]
        word = random.choice(tables["streets"]["words"])
        street = f"{word} {random.choice(tables['streets']['kinds'])}"
        return " ".join([str(random.randint(1, 199)), street, *endings])
    drawn = ""
    for place, sign in enumerate(_SHAPES[slot]):
        signs = {"#": string.digits, "@": string.ascii_lowercase, "*": value[place : place + 1]}
        drawn += random.choice(signs.get(sign, sign))
    return drawn


def _resembles(name: str, values: Mapping[str, Mapping[str, str]], rules: RuleSet) -> bool:
    """Return whether another venue of the twin may be meant by a name, or by its first words."""
    stem = name.split()[:2]
    for other in values["name"].values():
        if other.split()[:2] == stem or reaches(name, other, rules.fuzzy_ratio):
            return True
    return False


# --------------------------------------------------------------------------------------- the twin


def make_twin(
    benchmark: Benchmark, tasks: Mapping[str, Task], seed: int
) -> tuple[Benchmark, dict[str, Task]]:
    """Return the twin of a benchmark, and its tasks.

    Raises:
        InputError: The benchmark is a twin itself, or has too many venues.
    """
    if benchmark.twin_of is not None:
        raise InputError(f"benchmark {benchmark.name}", "is a twin; give its original")
    renaming = draw_renaming(benchmark, seed)
    versions = benchmark.venue_versions.items()
    twin = replace(
        benchmark,
        name=f"{benchmark.name}-twin" if seed == 0 else f"{benchmark.name}-twin-{seed}",
        dialogues={id_: _dialogue(d, renaming) for id_, d in benchmark.dialogues.items()},
        venues=_venues(benchmark.venues, renaming),
        venue_versions={version: _venues(venues, renaming) for version, venues in versions},
        trained=None,
        twin_of=benchmark.name,
    )
    return twin, {id_: _task(task, renaming) for id_, task in tasks.items()}


def _venues(venues: VenueRecords, renaming: Renaming) -> dict[str, list[dict[str, Any]]]:
    """Return domain -> venue records of the twin."""
    renamed: dict[str, list[dict[str, Any]]] = {}
    for domain, records in venues.items():
        renamed[domain] = [renaming.slots(domain, record) for record in records]
    return renamed


def _dialogue(dialogue: Dialogue, renaming: Renaming) -> Dialogue:
    """Return a dialogue of the twin, with the same references."""
    goal = {}
    for domain, wanted in dialogue.goal.items():
        goal[domain] = replace(
            wanted,
            informable=renaming.slots(domain, wanted.informable),
            first=renaming.slots(domain, wanted.first),
        )
    states = []
    for state in dialogue.states:
        states.append({domain: renaming.slots(domain, slots) for domain, slots in state.items()})
    about = list(zip(dialogue.gold_domains, dialogue.states, strict=True))
    # A benchmark may lack what people said.
    users = zip(dialogue.users, about, strict=False)
    responses = zip(dialogue.responses, about, strict=False)
    return replace(
        dialogue,
        goal=goal,
        states=states,
        users=tuple(renaming.text(text, *turn) for text, turn in users),
        responses=tuple(renaming.text(text, *turn) for text, turn in responses),
        acts=(),
    )


def _task(task: Task, renaming: Renaming) -> Task:
    """Return a task of the twin; its instructions have the values of its goal word for word."""
    domains: dict[str, DomainTask] = {}
    names: dict[str, str] = {}
    times: dict[str, str] = {}
    for domain, wanted in task.domains.items():
        info = renaming.slots(domain, wanted.info)
        fail_info = renaming.slots(domain, wanted.fail_info)
        domains[domain] = replace(wanted, info=info, fail_info=fail_info)
        changed = times if domain == "train" else names
        for old, new in ((wanted.info, info), (wanted.fail_info, fail_info)):
            changed.update((old[slot], new[slot]) for slot in old if old[slot] != new[slot])
    message: list[str] = []
    is_train = False
    for line in task.message:
        # The times of tables and taxis stay.
        is_train = "train" in line or (is_train and not _OTHER_DOMAIN.search(line))
        changed = {**names, **times} if is_train else names
        old_values = sorted(map(re.escape, changed), key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(old_values)})(?!\w)" if changed else "(?!)"
        message.append(re.sub(pattern, lambda match: changed[match[0]], line))  # noqa: B023
    return replace(task, domains=domains, message=tuple(message))
