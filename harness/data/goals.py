"""Goals of dialogues, as the public evaluator or the data set writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from mwz.normalization.registry import digest_of_json
from mwz.normalization.rules import RuleSet
from mwz.normalization.states import normalize_slot_name, plain_slot_name

from ..benchmark import FURTHER_SLOTS, REFERENCE, REQUESTABLE_SLOTS, Goal
from ..errors import InputError, refuse, unknown
from ..io.files import kind_of, read_json, shown_name
from ..submission.notations import DOMAINS

Goals: TypeAlias = "Mapping[str, Mapping[str, Goal]]"
"""Dialogue id -> domain -> goal."""


@dataclass(frozen=True)
class GoalsFile:
    """Goals that were read from a file.

    Attributes:
        goals: The goals.
        source: What messages call the file.
    """

    goals: Goals
    source: str

    @property
    def digest(self) -> str:
        """SHA-256 of the goals, in hexadecimal; their order is no part of it."""
        content = {
            id_: {domain: _content(one) for domain, one in goal.items()}
            for id_, goal in self.goals.items()
        }
        return digest_of_json(content)


def _content(goal: Goal) -> list[object]:
    further = [sorted(goal.further)] if goal.further else []
    return [dict(goal.informable), sorted(goal.requestable), *further]


def chosen_goals(goals: str | Path | Mapping[str, Any] | GoalsFile, rules: RuleSet) -> GoalsFile:
    """Return the goals of dialogues, as the public evaluator or the data set writes them.

    Args:
        goals: A JSON file, or what one holds: dialogue id -> domain -> `informable` (slot ->
            value) and `requestable` (list, of `REQUESTABLE_SLOTS`); or as in the data set, domain
            -> `info`, `reqt` and `book`, also below `goal`. What else the data set's goals request
            is `further`, and what they book is requested to have a reference number.
        rules: The rule set, which says what venues can be asked for.

    Raises:
        InputError: The file cannot be read, is in another form, or asks for what no venue has; with
            every place.
    """
    if isinstance(goals, GoalsFile):
        return goals
    source = "goals" if isinstance(goals, Mapping) else shown_name(goals)
    content = goals if isinstance(goals, Mapping) else read_json(goals)
    if not isinstance(content, Mapping):
        found = kind_of(content)
        raise InputError(source, f"expected an object of dialogue id -> goal, found {found}")
    problems = [] if content else ["holds no goals"]
    read = {id_: dict(_read(id_, goal, rules, problems)) for id_, goal in content.items()}
    refuse(source, problems)
    return GoalsFile(read, source)


def _read(
    id_: str, written: object, rules: RuleSet, problems: list[str]
) -> Iterator[tuple[str, Goal]]:
    """Yield domain and goal of a dialogue; what is wrong with them is added to the problems."""
    goal = written.get("goal", written) if isinstance(written, Mapping) else {}
    given = goal if isinstance(goal, Mapping) else {}
    raw = any(isinstance(one, Mapping) and "info" in one for one in given.values())
    # The data set names all domains, and has instructions and topics beside them.
    wanted = {d: one for d, one in given.items() if not raw or (d in DOMAINS and one)}
    if not wanted:
        problems.append(f"dialogue {id_}: no domain; expected some of {', '.join(DOMAINS)}")
    informable, requested = ("info", "reqt") if raw else ("informable", "requestable")
    choices = (*REQUESTABLE_SLOTS, *(FURTHER_SLOTS if raw else ()))
    for domain, one in wanted.items():
        place = f"dialogue {id_}, {domain}"
        slots = one.get(informable) if isinstance(one, Mapping) else None
        if domain not in DOMAINS:
            problems.append(f"dialogue {id_}: {unknown('domain', domain, DOMAINS)}")
        elif not isinstance(slots, Mapping) or not all(isinstance(v, str) for v in slots.values()):
            problems.append(f"{place}: expected `{informable}`, an object of slot -> value")
        else:
            values = {normalize_slot_name(slot, rules): value for slot, value in slots.items()}
            names = {_requestable(slot, rules): slot for slot in one.get(requested) or ()}
            venue = rules.venue_rules.get(domain)
            columns = [*values] if venue is None else venue.columns
            problems += [
                f"{place}, {informable}: {unknown('slot', slot, columns)}"
                for slot in values
                if slot not in columns
            ]
            problems += [
                f"{place}, {requested}: {unknown('slot', slot, choices)}"
                for name, slot in names.items()
                if name not in choices
            ]
            five = names.keys() & {*REQUESTABLE_SLOTS}
            booked = {REFERENCE} if raw and one.get("book") else set()
            further = frozenset(names.keys() - five) if raw else None
            yield domain, Goal(values, frozenset(five | booked), {}, further)


def _requestable(slot: object, rules: RuleSet) -> str:
    """Return what a slot that is requested is called, `PHONE` or `area`, however it is written."""
    name: str = rules.ontology.get(plain_slot_name(str(slot)), str(slot))
    return name if name in REQUESTABLE_SLOTS else normalize_slot_name(str(slot), rules)
