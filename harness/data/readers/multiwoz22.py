"""Building the `multiwoz` benchmark from the files of two public repositories.

They are the evaluator's (`MultiWOZ_Evaluation`: references, goals, booked domains, venues) and
the data set's (`multiwoz`: MultiWOZ 2.2 dialogues and acts). The files are read as they are; the
test split is kept, whatever else they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.database.models import MODELS
from mwz.normalization.responses import normalize_response
from mwz.normalization.states import (
    RULE_SET_NAMES,
    BeliefState,
    normalize_slot_name,
    normalize_state,
    rule_set,
)

from ...benchmark import CANONICAL_STYLE, STYLES, Benchmark, VenueRecords
from ...domains import gold_active_domains
from ...errors import InputError
from ...files import kind_of, read_json
from ..installed import MULTIWOZ, content_hashes, from_document

EVALUATOR_DATA = "mwzeval/data"
DATA_SET = "data/MultiWOZ_2.2"
TEST_FILES = ("test/dialogues_001.json", "test/dialogues_002.json")
ACTS_FILE = "dialog_acts.json"


@dataclass(frozen=True)
class AnnotatedDialogue:
    """A test dialogue of MultiWOZ 2.2. Fields have one entry per system turn.

    Attributes:
        references: Responses delexicalised by the span annotation, normalised.
        states: Belief states of the user turns before, normalised.
        acts: Names of the system's acts.
    """

    references: Sequence[str]
    states: Sequence[BeliefState]
    acts: Sequence[Sequence[str]]


def read_test_dialogues(multiwoz: Path) -> dict[str, AnnotatedDialogue]:
    """Read the test split of MultiWOZ 2.2: dialogue id (lower case, no `.json`) -> dialogue.

    Args:
        multiwoz: A clone of the data set's repository.

    Raises:
        InputError: A file is missing or not in the expected layout.
    """
    folder = multiwoz / DATA_SET
    acts = _read_object(folder / ACTS_FILE)
    dialogues = {}
    for name in TEST_FILES:
        content = read_dialogues(folder / name)
        try:
            for dialogue in content:
                raw_id = dialogue["dialogue_id"]
                dialogues[short_id(raw_id)] = _annotated(dialogue["turns"], acts[raw_id])
        except UNEXPECTED as error:
            raise not_in_layout(folder / name, repr(error)) from None
    return dialogues


def read_dialogues(path: Path) -> list[Any]:
    """Read one file of dialogues of MultiWOZ 2.2, which are still to be looked into.

    Raises:
        InputError: The file is missing or is no JSON list.
    """
    content = read_json(path)
    if not isinstance(content, list):
        found = kind_of(content)
        raise not_in_layout(path, f"expected a list of dialogues, found {found}")
    return content


def read_venues(mwzeval: Path) -> dict[str, Any]:
    """Read the venue database of the evaluator's repository: domain -> records.

    Raises:
        InputError: A file is missing, no JSON or no list of venue records.
    """
    folder = mwzeval / EVALUATOR_DATA / "database"
    return {domain: _records(folder / f"{domain}_db.json", domain) for domain in MODELS}


def build_benchmark(
    mwzeval: Path,
    multiwoz: Path,
    rebuild: bool = False,
    venues: Mapping[str, VenueRecords] | None = None,
) -> Benchmark:
    """Build the benchmark from clones (or copies) of the two repositories.

    Args:
        mwzeval: The evaluator's repository.
        multiwoz: The data set's repository.
        rebuild: Build the mwz22 references and the gold states from MultiWOZ 2.2 even where the
            evaluator's repository has them.
        venues: Rule set -> venue records, for all rule sets; by default all use the database of
            the evaluator's repository.

    Raises:
        InputError: A file is missing, not in the expected layout, or does not cover the test
            split.
    """
    annotated = read_test_dialogues(multiwoz)
    if not annotated:
        raise InputError(str(multiwoz / DATA_SET / "test"), "has no dialogues")
    folder = mwzeval / EVALUATOR_DATA
    goals = _goals(folder / "goals.json", annotated)
    booked = _per_turn(folder / "booked_domains.json", annotated, _DOMAINS)
    references = {}
    for style in STYLES:
        path = folder / "references" / f"{style}.json"
        if style == CANONICAL_STYLE and (rebuild or not path.exists()):
            references[style] = {id_: d.references for id_, d in annotated.items()}
        else:
            references[style] = _per_turn(path, annotated, _RESPONSE)
    path = folder / "gold_states.json"
    if rebuild or not path.exists():
        states = {id_: d.states for id_, d in annotated.items()}
    else:
        states = _per_turn(path, annotated, _STATE)
    if venues is None:
        venues = dict.fromkeys(RULE_SET_NAMES, read_venues(mwzeval))
    common = venues[RULE_SET_NAMES[0]]
    document = {
        "name": MULTIWOZ,
        "dialogues": {
            id_: {
                "goal": goals[id_],
                "references": {style: references[style][id_] for style in STYLES},
                "states": states[id_],
                "active_domains": gold_active_domains(states[id_], dialogue.acts),
                "booked_domains": booked[id_],
            }
            for id_, dialogue in annotated.items()
        },
        "venues": common,
        "venues_by_rules": {
            rules: {d: records[d] for d in records if records[d] != common[d]}
            for rules, records in venues.items()
            if records != common
        },
    }
    return from_document({**document, "content_hashes": content_hashes(document)})


def short_id(raw_id: str) -> str:
    """Return a dialogue's id as the evaluator's files write it: lower case, no `.json`."""
    return raw_id.split(".", maxsplit=1)[0].lower()


def _annotated(turns: Sequence[Any], acts: Mapping[str, Any]) -> AnnotatedDialogue:
    references, states, names = [], [], []
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        turn_acts = acts[system["turn_id"]]
        delexicalized = _delexicalized(system["utterance"], turn_acts["span_info"])
        references.append(normalize_response(delexicalized).text)
        # The rule sets differ in names that the gold states do not have.
        states.append(normalize_state(raw_state(user["frames"]), rule_set("2021")))
        names.append(list(turn_acts["dialog_act"]))
    return AnnotatedDialogue(references, states, names)


def _delexicalized(utterance: str, spans: Sequence[Sequence[Any]]) -> str:
    """Replace every annotated span by `[slot]`, left to right."""
    parts = []
    done = 0
    for _, slot, value, start, end in sorted(spans, key=lambda span: span[3]):
        if start < done or value == "dontcare":
            continue
        parts += [utterance[done:start], f"[{slot}]"]
        done = end
    return "".join([*parts, utterance[done:]])


def raw_state(frames: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    """Return a user turn's belief state: each slot's first value, `dontcare` left out."""
    state = {}
    for frame in frames:
        slots = {
            slot.split("-")[1]: values[0]
            for slot, values in frame["state"]["slot_values"].items()
            if "dontcare" not in values
        }
        if slots:
            state[frame["service"]] = slots
    return state


def _records(path: Path, domain: str) -> list[dict[str, Any]]:
    """Read the venue records of a domain, each of which must say its id."""
    content = read_json(path)
    if not (isinstance(content, list) and all(isinstance(record, dict) for record in content)):
        raise InputError(str(path), "expected a list of venue records, each an object")
    identifier = MODELS[domain].identifier
    problems = []
    for number, record in enumerate(content):
        values = {normalize_slot_name(key): value for key, value in record.items()}
        if identifier not in values:
            problems.append(f"record {number}: no {identifier}")
        elif not isinstance(values[identifier], str):
            found = kind_of(values[identifier])
            problems.append(f"record {number}, {identifier}: expected a string, found {found}")
    if problems:
        raise InputError(str(path), problems)
    return content


def _goals(path: Path, annotated: Mapping[str, AnnotatedDialogue]) -> dict[str, Any]:
    content = _covering(path, annotated)
    goals = {}
    for id_, goal in content.items():
        try:
            goals[id_] = _goal(goal)
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                str(path), f"dialogue {id_}: not in the layout of the evaluator ({error!r})"
            ) from None
    return goals


def _goal(goal: Mapping[str, Any]) -> dict[str, Any]:
    for wanted in goal.values():
        if not _is_slots(wanted["informable"]):
            raise TypeError("informable: expected an object of slot -> value")
        if not _is_list_of_texts(wanted["requestable"]):
            raise TypeError("requestable: expected a list of slots")
    return {
        domain: {
            "informable": wanted["informable"],
            "requestable": sorted(wanted["requestable"]),
            "booking": wanted["booking"] or {},
        }
        for domain, wanted in goal.items()
    }


def _read_object(path: Path) -> dict[str, Any]:
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(str(path), "expected a JSON object")
    return content


def _covering(path: Path, annotated: Mapping[str, AnnotatedDialogue]) -> dict[str, Any]:
    """Read a file of all splits and keep the test dialogues."""
    content = _read_object(path)
    missing = [id_ for id_ in annotated if id_ not in content]
    if missing:
        raise InputError(str(path), [f"test dialogue {id_} is missing" for id_ in missing])
    return {id_: content[id_] for id_ in annotated}


def _is_list_of_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_slots(value: object) -> bool:
    return isinstance(value, dict) and _is_list_of_texts(list(value.values()))


@dataclass(frozen=True)
class _Entry:
    """What a file holds per system turn.

    Attributes:
        name: What messages call it.
        fits: Tells whether a value is one.
    """

    name: str
    fits: Callable[[Any], bool]


_RESPONSE = _Entry("a string", lambda value: isinstance(value, str))
_DOMAINS = _Entry("a list of domains", _is_list_of_texts)
_STATE = _Entry(
    "an object of domain -> slot -> value",
    lambda value: isinstance(value, dict) and all(map(_is_slots, value.values())),
)


def _per_turn(
    path: Path, annotated: Mapping[str, AnnotatedDialogue], entry: _Entry
) -> dict[str, Any]:
    content = _covering(path, annotated)
    problems = [
        f"dialogue {id_}: expected a list with one entry per system turn"
        for id_ in annotated
        if not isinstance(content[id_], list)
    ]
    if problems:
        raise InputError(str(path), problems)
    problems = [
        f"dialogue {id_}: {len(content[id_])} entries for {len(dialogue.references)} system turns"
        for id_, dialogue in annotated.items()
        if len(content[id_]) != len(dialogue.references)
    ]
    problems += [
        f"dialogue {id_}, turn {number}: expected {entry.name}"
        for id_ in annotated
        for number, value in enumerate(content[id_])
        if not entry.fits(value)
    ]
    if problems:
        raise InputError(str(path), problems)
    return content


UNEXPECTED = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What reading a file in another layout ends in."""


def not_in_layout(path: Path, reason: str) -> InputError:
    """Return what to say of a file of MultiWOZ 2.2 that is in another layout."""
    return InputError(str(path), f"not in the layout of MultiWOZ 2.2 ({reason})")
