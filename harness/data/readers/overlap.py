"""Overlap of the splits: test dialogues whose goal also occurs in train or dev.

A goal is, per domain, the informable slots with their values, the requestable slots and the
constraints of the booking, as a whole: two goals are the same if all of it is. The order of
domains, slots and requestables means nothing, nor does a domain that wants nothing; a goal that
wants nothing at all is the same as no other.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mwz.normalization.rules import rule_set
from mwz.normalization.states import normalize_slot_name, normalize_state

from ...benchmark import Benchmark
from ...errors import InputError
from .annotation22 import (
    ANNOTATION_RULES,
    DATA_SET,
    expected_layout,
    raw_state,
    read_dialogues,
    read_object,
    short_id,
)
from .evaluator import EVALUATOR_DATA

OTHER_SPLITS = ("train", "dev")
DIALOGUE_FILES = "dialogues_*.json"
FROM_GOALS = "goals.json"
FROM_STATES = "the belief states of MultiWOZ 2.2"

_BOOKING = "book"


@dataclass(frozen=True)
class Overlap:
    """What was found.

    Attributes:
        seen: Ids of the test dialogues whose goal also occurs in train or dev.
        source: What the goals were taken from, `FROM_GOALS` or `FROM_STATES`.
    """

    seen: frozenset[str]
    source: str


def overlap_note(overlap: Overlap, benchmark: Benchmark) -> str:
    """Return what there is to say of an overlap, in a line."""
    return (
        f"seen goals: {len(overlap.seen)} of {len(benchmark.dialogues)} (goals compared: those of "
        f"{overlap.source})"
    )


def find_overlap(mwzeval: Path, multiwoz: Path, test: Iterable[str]) -> Overlap | None:
    """Compare the goals of the test dialogues with those of train and dev.

    Args:
        mwzeval: The evaluator's repository.
        multiwoz: The data set's repository.
        test: Ids of the test dialogues.

    Returns:
        What was found; None where the data set has no train or no dev dialogues.

    Raises:
        InputError: A file cannot be read or is not in the layout of MultiWOZ 2.2.
    """
    folder = multiwoz / DATA_SET
    files = {split: sorted((folder / split).glob(DIALOGUE_FILES)) for split in OTHER_SPLITS}
    if not all(files.values()):
        return None
    test = frozenset(test)
    others = [one for paths in files.values() for path in paths for one in _goals_in(path)]
    path = mwzeval / EVALUATOR_DATA / "goals.json"
    goals = read_object(path)
    if all(id_ in goals for id_ in (*test, *(id_ for id_, _ in others))):
        wanted = {id_: goals[id_] for id_ in test}
        try:
            return Overlap(seen_goals(wanted, (goals[id_] for id_, _ in others)), FROM_GOALS)
        except (KeyError, TypeError, AttributeError) as error:
            message = f"not in the layout of the evaluator ({error!r})"
            raise InputError(str(path), message) from None
    paths = sorted((folder / "test").glob(DIALOGUE_FILES))
    wanted = {id_: goal for path in paths for id_, goal in _goals_in(path) if id_ in test}
    return Overlap(seen_goals(wanted, (goal for _, goal in others)), FROM_STATES)


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
