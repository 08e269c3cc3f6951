"""The files of the public evaluator: goals, references, what is booked, venues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from mwz.normalization.rules import rule_set, rule_set_names
from mwz.normalization.states import normalize_slot_name

from ...benchmark import Goal
from ...errors import refuse
from ...io.files import kind_of, read_bytes, read_json
from ...io.validation import validated
from ..declared import Source, blob_id
from .annotation22 import ANNOTATION_RULES, read_object

EVALUATOR_DATA = "mwzeval/data"

_T = TypeVar("_T")


def read_venues(mwzeval: Path) -> dict[str, Any]:
    """Read the venue database of the evaluator's repository: domain -> records.

    Raises:
        InputError: A file is missing, no JSON or no list of venue records.
    """
    folder = mwzeval / EVALUATOR_DATA / "database"
    venues = rule_set(ANNOTATION_RULES).venue_rules
    return {
        domain: _records(folder / f"{domain}_db.json", venue.identifier)
        for domain, venue in venues.items()
    }


class _Goal(BaseModel):
    """What the evaluator's goals say of one domain; an empty booking is a list."""

    informable: dict[str, str]
    requestable: list[str]
    booking: Any


def read_goals(path: Path, ids: Collection[str]) -> dict[str, dict[str, Goal]]:
    """Read the goals of dialogues: dialogue id -> domain -> goal.

    Raises:
        InputError: The file is missing, in another layout, or lacks a dialogue.
    """
    content = validated(dict[str, dict[str, _Goal]], _covering(path, ids), str(path))
    return {
        id_: {
            domain: Goal(wanted.informable, frozenset(wanted.requestable), wanted.booking or {})
            for domain, wanted in goal.items()
        }
        for id_, goal in content.items()
    }


def _covering(path: Path, ids: Collection[str]) -> dict[str, Any]:
    """Read a file of all splits and keep the test dialogues."""
    content = read_object(path)
    missing = [id_ for id_ in ids if id_ not in content]
    refuse(str(path), [f"test dialogue {id_} is missing" for id_ in missing])
    return {id_: content[id_] for id_ in ids}


def read_per_turn(
    path: Path, turns: Mapping[str, int], kind: type[_T]
) -> Mapping[str, Sequence[_T]]:
    """Read a file that holds something per system turn: dialogue id -> a list of it.

    Args:
        path: The file.
        turns: Dialogue id -> its number of system turns.
        kind: The type of what it holds.

    Raises:
        InputError: The file is missing, in another layout, or does not fit the dialogues.
    """
    content = validated(dict[str, list[kind]], _covering(path, turns), str(path))  # type: ignore[valid-type]
    problems = [
        f"dialogue {id_}: {len(content[id_])} entries for {count} system turns"
        for id_, count in turns.items()
        if len(content[id_]) != count
    ]
    refuse(str(path), problems)
    return content


def _records(path: Path, identifier: str) -> list[dict[str, Any]]:
    """Read the venue records of a domain, each of which must say its id."""
    content = validated(list[dict[str, Any]], read_json(path), str(path))
    rules = rule_set(ANNOTATION_RULES)
    problems = []
    for number, record in enumerate(content):
        values = {normalize_slot_name(key, rules): value for key, value in record.items()}
        if identifier not in values:
            problems.append(f"record {number}: no {identifier}")
        elif not isinstance(values[identifier], str):
            found = kind_of(values[identifier])
            problems.append(f"record {number}, {identifier}: expected a string, found {found}")
    refuse(str(path), problems)
    return content


VERSIONED_FILE = f"{EVALUATOR_DATA}/database/restaurant_db.json"
"""The file that changed: the other venue files are the same in all pinned versions."""


def venue_notes(mwzeval: Path, sources: Collection[Source]) -> list[str]:
    """Say which version of the venue database a clone has, if some rule set uses another.

    Args:
        mwzeval: The evaluator's repository.
        sources: The table of pinned files.

    Returns:
        One line, or none if its database is the one of all rule sets.

    Raises:
        InputError: The file is missing or cannot be read.
    """
    held = blob_id(read_bytes(mwzeval / VERSIONED_FILE))
    versions = {
        source.venues: file.blob
        for source in sources
        for file in source.files
        if source.venues is not None and file.path == VERSIONED_FILE
    }
    own = _rule_sets(version for version, blob in versions.items() if blob == held)
    others = _rule_sets(version for version, blob in versions.items() if blob != held)
    if not others:
        return []
    if not own:
        return [f"venues: {VERSIONED_FILE} is of no known version; used under all rule sets"]
    return [
        f"venues: the clone's database is that of rule set {', '.join(own)}, used under "
        f"{', '.join(others)} too, whose own differs in three restaurants' telephone numbers "
        "(`mwz data fetch` gets both)"
    ]


def _rule_sets(versions: Iterable[str]) -> list[str]:
    """Return the rule sets that use one of some versions of the venue database."""
    used = set(versions)
    return [name for name in rule_set_names() if rule_set(name).venues in used]
