"""Data of one's own: a folder that declares a benchmark, with dialogues, goals and venues in JSON.

`mwz data new` writes such a folder, which `new/` holds. A package declares one as an entry point
of the group `mwz.data` (docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from mwz.normalization import (
    DEFAULT_RULES,
    RuleSet,
    declared,
    folder_of,
    normalize_slot_name,
    normalize_state,
    normalized_text,
    plain_characters,
    read_toml,
    rule_set,
    toml_names,
)

from ..benchmark import (
    REQUESTABLE_SLOTS,
    STYLES,
    Benchmark,
    Dialogue,
    Goal,
    gold_active_domains,
)
from ..errors import InputError, refuse, unknown
from ..io import read_json, validated, write_atomically
from ..submission import plain_value

DECLARATION = "benchmark.toml"
"""The file by which a folder is known to hold a benchmark."""

_FILES = (DECLARATION, "dialogues.json", "goals.json", "venues.json")

_T = TypeVar("_T")


@dataclass(frozen=True)
class Declaration:
    """What a folder's declaration says.

    Attributes:
        name: The benchmark's name.
        title: What it is, in a line.
        language: The language of its texts, as in HTML: "en", "de", "ko".
        citation: What to cite.
    """

    name: str
    title: str
    language: str
    citation: str = ""


@dataclass(frozen=True)
class OwnTurn:
    """A turn of a dialogue: what the user says, and what the system does then.

    Attributes:
        user: What the user says.
        response: The response with placeholders in place of names and numbers: the reference.
        state: The belief state: domain -> slot -> value.
        original: The response as it was written; empty if that is not known.
        active_domains: The domains that the turn is about; None for those whose state changes.
        booked_domains: The domains that are booked by then.
    """

    user: str
    response: str
    state: dict[str, dict[str, str]]
    original: str = ""
    active_domains: list[str] | None = None
    booked_domains: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class OwnGoal:
    """What the user of a dialogue wants of a domain; the fields are those of `Goal`."""

    informable: dict[str, str]
    requestable: list[str] = field(default_factory=list)
    booking: dict[str, str] = field(default_factory=dict)


def has_benchmark(folder: str | Path) -> bool:
    """Return whether a folder declares a benchmark."""
    return Path(folder, DECLARATION).is_file()


def read_folder(folder: Path) -> Benchmark:
    """Return the benchmark of a folder.

    References and states are normalised by the default rule set, as those of MultiWOZ are, and
    without accents, as predictions are read. All reference styles are the same one.

    Args:
        folder: The folder, with the files that `mwz data new` writes.

    Raises:
        InputError: A file is missing, or not as it is to be; with every place.
    """
    path = folder / DECLARATION
    if not path.is_file():
        raise InputError(str(folder), f"has no {DECLARATION}; `mwz data new` writes an example")
    try:
        content = read_toml(str(path.absolute()))
    except ValueError as error:
        raise InputError(str(path), str(error)) from None
    declaration = validated(Declaration, content, str(path))
    dialogues = _read(folder, "dialogues.json", dict[str, list[OwnTurn]])
    goals = _read(folder, "goals.json", dict[str, dict[str, OwnGoal]])
    venues = _read(folder, "venues.json", dict[str, list[dict[str, Any]]])
    rules = rule_set(DEFAULT_RULES)
    domains = list(rules.tables["domains"])
    problems = _odd("venues.json", "domain", venues, domains)
    made: dict[str, Dialogue] = {}
    for id_, turns in dialogues.items():
        if id_ not in goals or not turns:
            problems.append(f"dialogues.json: {id_}: expected turns, and its goal in goals.json")
            continue
        problems += _odd(f"goals.json: {id_}", "domain", goals[id_], domains)
        goal: dict[str, Goal] = {}
        for domain, own in goals[id_].items():
            place = f"goals.json: {id_}, {domain}"
            problems += _odd(place, "request", own.requestable, REQUESTABLE_SLOTS)
            informable = _plain_state({domain: own.informable}, rules)[domain]
            goal[domain] = Goal(informable, frozenset(own.requestable), own.booking)
        states = [_plain_state(turn.state, rules) for turn in turns]
        active = gold_active_domains(states, [[]] * len(turns))
        for number, turn in enumerate(turns):
            place = f"dialogues.json: {id_}, turn {number}"
            problems += _odd(place, "domain", turn.state, domains)
            if turn.active_domains is not None:
                active[number] = turn.active_domains
        originals = [turn.original for turn in turns]
        references = [normalized_text(plain_characters(turn.response), rules) for turn in turns]
        made[id_.lower()] = Dialogue(
            goal=goal,
            references=dict.fromkeys(STYLES, references),
            states=states,
            active_domains=active,
            booked_domains=[turn.booked_domains for turn in turns],
            users=[turn.user for turn in turns],
            responses=originals if all(originals) else (),
        )
    for id_ in goals.keys() - dialogues.keys():
        problems.append(f"goals.json: {id_}: not in dialogues.json")
    refuse(str(folder), problems)
    plain_venues = {domain: _plain_venues(venues[domain], domain, rules) for domain in venues}
    return Benchmark(declaration.name, made, plain_venues, {}, language=declaration.language)


def _plain_state(
    state: Mapping[str, Mapping[str, str]], rules: RuleSet
) -> dict[str, dict[str, str]]:
    """Return a state or constraints in the spelling that predicted states are read in."""
    plain: dict[str, dict[str, str]] = {}
    for domain, slots in state.items():
        plain[domain] = {slot: plain_value(domain, slot, slots[slot]) or "" for slot in slots}
    return normalize_state(plain, rules)


def _plain_venues(
    venues: Sequence[Mapping[str, Any]], domain: str, rules: RuleSet
) -> list[dict[str, Any]]:
    """Return venues with values in the same spelling; ids stay."""
    identifier = rules.venue_rules[domain].identifier if domain in rules.venue_rules else ""
    plain = []
    for venue in venues:
        record = dict(venue)
        for key, value in venue.items():
            if isinstance(value, str) and normalize_slot_name(key, rules) != identifier:
                record[key] = plain_value(domain, key, value) or ""
        plain.append(record)
    return plain


def _read(folder: Path, name: str, kind: type[_T]) -> _T:
    """Return one of a folder's files as a type."""
    path = folder / name
    return validated(kind, read_json(path), str(path))


def _odd(place: str, kind: str, names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Return a problem for each name that is not known."""
    return [f"{place}: {unknown(kind, name, known)}" for name in names if name not in known]


def write_example(folder: Path) -> None:
    """Write a small benchmark, which works, into a new folder.

    Raises:
        InputError: There is something of that name, or a file cannot be written.
    """
    if folder.exists():
        raise InputError(str(folder), "exists; name a folder that does not")
    for name in _FILES:
        content = (folder_of(__package__) / "new" / name).read_text(encoding="utf-8")
        write_atomically(folder / name, content)


def packaged_folders() -> dict[str, Path]:
    """Return name -> folder, of the benchmarks that other packages declare."""
    return declared("data", _checked, (*toml_names("sets", __package__), "sample"))


def _checked(folder: object) -> Path:
    """Return the folder of another package.

    Raises:
        ValueError: It is none that declares a benchmark.
    """
    if not isinstance(folder, Path) or not has_benchmark(folder):
        raise ValueError(f"expected the path of a folder with {DECLARATION}, found {folder!r:.60}")
    return folder
