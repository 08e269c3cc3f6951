"""The annotation of MultiWOZ 2.2: its dialogue files and acts, and which goals its splits share.

A test goal is seen if it also occurs in train or dev. A goal is, per domain, the informable slots
with their values, the requestable slots and the constraints of the booking, as a whole: two goals
are the same if all of it is. The order of domains, slots and requestables means nothing, nor does a
domain that wants nothing; a goal that wants nothing at all is the same as no other.

The goals compared are those of the evaluator's `goals.json` if it holds every dialogue of the
three splits. If it does not, the goals of all splits are taken from the annotation of MultiWOZ
2.2 in the same way: a domain's informables and booking constraints are its slots in the last user
turn's belief state (first value, normalised; slots named `book…` are the booking's), and its
requestables are what any user turn requests. States hold more than goals do (the name of a venue
the user agreed to, say), so this counts fewer dialogues as seen.

Source: "Shades of BLEU, Flavours of Success" (2021), section 4.6, which counts 174 of the 1000
test dialogues; the definition above is the harness's, as the paper gives none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization.responses import normalize_response
from mwz.normalization.rules import rule_set
from mwz.normalization.states import BeliefState, normalize_slot_name, normalize_state

from ...errors import InputError
from ...io.files import kind_of, read_json

DATA_SET = "data/MultiWOZ_2.2"
TEST_FILES = ("test/dialogues_001.json", "test/dialogues_002.json")
ACTS_FILE = "dialog_acts.json"

OTHER_SPLITS = ("train", "dev")
DIALOGUE_FILES = "dialogues_*.json"
FROM_GOALS = "goals.json"
FROM_STATES = "the belief states of MultiWOZ 2.2"
_BOOKING = "book"

ANNOTATION_RULES = "2021"
"""The rules that references and gold states are normalised by, whichever rules score."""


@dataclass(frozen=True)
class AnnotatedDialogue:
    """A test dialogue of MultiWOZ 2.2. Fields have one entry per system turn.

    Attributes:
        references: Responses delexicalised by the span annotation, normalised.
        states: Belief states of the user turns before, normalised.
        acts: Names of the system's acts.
        users: What the user said before.
        responses: The responses as they were written.
    """

    references: Sequence[str]
    states: Sequence[BeliefState]
    acts: Sequence[Sequence[str]]
    users: Sequence[str]
    responses: Sequence[str]


def read_test_dialogues(multiwoz: Path) -> dict[str, AnnotatedDialogue]:
    """Read the test split of MultiWOZ 2.2: dialogue id (lower case, no `.json`) -> dialogue.

    Args:
        multiwoz: A clone of the data set's repository.

    Raises:
        InputError: A file is missing or not in the expected layout.
    """
    folder = multiwoz / DATA_SET
    acts = read_object(folder / ACTS_FILE)
    dialogues = {}
    for name in TEST_FILES:
        content = read_dialogues(folder / name)
        with expected_layout(folder / name):
            for dialogue in content:
                raw_id = dialogue["dialogue_id"]
                dialogues[short_id(raw_id)] = _annotated(dialogue["turns"], acts[raw_id])
    return dialogues


def read_dialogues(path: Path) -> list[Any]:
    """Read one file of dialogues of MultiWOZ 2.2, which are still to be looked into.

    Raises:
        InputError: The file is missing or is no JSON list.
    """
    content = read_json(path)
    if not isinstance(content, list):
        raise _not_in_layout(path, f"expected a list of dialogues, found {kind_of(content)}")
    return content


def short_id(raw_id: str) -> str:
    """Return a dialogue's id as the evaluator's files write it: lower case, no `.json`."""
    return raw_id.split(".", maxsplit=1)[0].lower()


def _annotated(turns: Sequence[Any], acts: Mapping[str, Any]) -> AnnotatedDialogue:
    rules = rule_set(ANNOTATION_RULES)
    references, states, names, users, responses = [], [], [], [], []
    for user, system in zip(turns[::2], turns[1::2], strict=False):
        turn_acts = acts[system["turn_id"]]
        delexicalized = _delexicalized(system["utterance"], turn_acts["span_info"])
        references.append(normalize_response(delexicalized, rules).text)
        states.append(normalize_state(raw_state(user["frames"]), rules))
        names.append(list(turn_acts["dialog_act"]))
        users.append(str(user["utterance"]))
        responses.append(str(system["utterance"]))
    return AnnotatedDialogue(references, states, names, users, responses)


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


def read_object(path: Path) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        InputError: The file is missing or holds something else.
    """
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError(str(path), "expected a JSON object")
    return content


@contextmanager
def expected_layout(path: Path) -> Iterator[None]:
    """Report the errors that reading a file in another layout ends in as an `InputError`."""
    try:
        yield
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise _not_in_layout(path, repr(error)) from None


def _not_in_layout(path: Path, reason: str) -> InputError:
    return InputError(str(path), f"not in the layout of the public files ({reason})")


# Which goals the splits share.


def find_overlap(
    goals_file: Path, multiwoz: Path, test: Iterable[str]
) -> tuple[frozenset[str], str] | None:
    """Compare the goals of the test dialogues with those of train and dev.

    Args:
        goals_file: The evaluator's `goals.json`.
        multiwoz: The data set's repository.
        test: Ids of the test dialogues.

    Returns:
        Ids of the test dialogues whose goal also occurs in train or dev, and what the goals were
        taken from, `FROM_GOALS` or `FROM_STATES`; None where the data set has no train or no dev
        dialogues.

    Raises:
        InputError: A file cannot be read or is not in the layout of MultiWOZ 2.2.
    """
    folder = multiwoz / DATA_SET
    files = {split: sorted((folder / split).glob(DIALOGUE_FILES)) for split in OTHER_SPLITS}
    if not all(files.values()):
        return None
    test = frozenset(test)
    others = [one for paths in files.values() for path in paths for one in _goals_in(path)]
    goals = read_object(goals_file)
    if all(id_ in goals for id_ in (*test, *(id_ for id_, _ in others))):
        wanted = {id_: goals[id_] for id_ in test}
        with expected_layout(goals_file):
            return seen_goals(wanted, (goals[id_] for id_, _ in others)), FROM_GOALS
    paths = sorted((folder / "test").glob(DIALOGUE_FILES))
    wanted = {id_: goal for path in paths for id_, goal in _goals_in(path) if id_ in test}
    return seen_goals(wanted, (goal for _, goal in others)), FROM_STATES


def seen_goals(
    test: Mapping[str, Mapping[str, Any]], others: Iterable[Mapping[str, Any]]
) -> frozenset[str]:
    """Return the ids of the test dialogues whose goal is also among the others.

    Args:
        test: Dialogue id -> goal: domain -> `informable` (slot -> value), `requestable` (list)
            and `booking` (slot -> value, or an empty list).
        others: The goals of train and dev, in the same form.
    """
    known = {_canonical(goal) for goal in others}
    canonical = {id_: _canonical(goal) for id_, goal in test.items()}
    return frozenset(id_ for id_, goal in canonical.items() if goal != _NO_GOAL and goal in known)


def annotated_goal(turns: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Derive a dialogue's goal from its annotation in MultiWOZ 2.2.

    Args:
        turns: The dialogue's turns, user and system by turns, the user first.

    Returns:
        The goal, in the form of `seen_goals`.
    """
    users = turns[::2]
    rules = rule_set(ANNOTATION_RULES)
    state = normalize_state(raw_state(users[-1]["frames"]) if users else {}, rules)
    requested: dict[str, set[str]] = {}
    for turn in users:
        for frame in turn["frames"]:
            for slot in frame["state"]["requested_slots"]:
                domain, _, name = slot.partition("-")
                requested.setdefault(domain, set()).add(normalize_slot_name(name, rules))
    goal = {}
    for domain in state.keys() | requested.keys():
        slots = state.get(domain, {})
        goal[domain] = {
            "informable": {s: v for s, v in slots.items() if not s.startswith(_BOOKING)},
            "requestable": sorted(requested.get(domain, ())),
            "booking": {s: v for s, v in slots.items() if s.startswith(_BOOKING)},
        }
    return goal


def _canonical(goal: Mapping[str, Any]) -> str:
    """Return a text that two goals share if and only if they are the same."""
    wanted = {
        domain: [part["informable"], sorted(set(part["requestable"])), part["booking"] or {}]
        for domain, part in goal.items()
        if any(part.values())
    }
    return json.dumps(wanted, sort_keys=True)


_NO_GOAL = _canonical({})


def _goals_in(path: Path) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Yield the id and the goal, from the annotation, of each dialogue in a file."""
    content = read_dialogues(path)
    with expected_layout(path):
        for dialogue in content:
            yield short_id(dialogue["dialogue_id"]), annotated_goal(dialogue["turns"])
