"""The train or dev dialogues of MultiWOZ 2.1, as ConvLab-2 has them, with the evaluator's venues.

One file has everything: goals with all requests and the users' instructions, which are the tasks of
live dialogues as well; what people said; states and acts. The only reference style is the canonical
one, made of the spans that the acts mark. Where the data set's own files of MultiWOZ 2.2 are a
source as well, references, states and active domains are made of these, as those of the test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mwz.normalization import BeliefState, normalize_state, normalized_text, rule_set

from ..benchmark import CANONICAL_STYLE, Benchmark, Dialogue, Goal, gold_active_domains
from ..io import read_json, validated
from ..submission import dialogue_id, metadata_slots
from .declared import Built, DataSet
from .goals import chosen_goals, parse_tasks
from .multiwoz22 import (
    ANNOTATION_RULES,
    CORPUS,
    REQUESTS,
    expected_layout,
    read_annotated,
    read_venue_versions,
)

_PLACEHOLDERS = {
    "addr": "address",
    "arrive": "arriveby",
    "depart": "departure",
    "dest": "destination",
    "fee": "entrancefee",
    "leave": "leaveat",
    "open": "openhours",
    "post": "postcode",
    "ticket": "price",
}
"""Slot of a span -> its placeholder, where rule sets call it otherwise."""


def read(data_set: DataSet, folders: Mapping[str, Path], all_splits: bool) -> Built:
    """Build the benchmark from ConvLab-2's file of the split and the evaluator's venues.

    Raises:
        InputError: A file is missing or not in the expected layout.
    """
    paths = {source.role: source.paths for source in data_set.sources}
    path = folders[REQUESTS] / paths[REQUESTS][0]
    content = validated(dict[str, dict[str, Any]], read_json(path), str(path))
    goals = chosen_goals(content, rule_set(ANNOTATION_RULES)).goals
    dialogues: dict[str, Dialogue] = {}
    with expected_layout(path):
        for name, dialogue in content.items():
            dialogues[dialogue_id(name)] = _dialogue(goals[name], dialogue["log"])
    venues, versions = read_venue_versions(folders, data_set.sources)
    notes = ["references: in one style, by the annotated spans of MultiWOZ 2.1"]
    if CORPUS in folders:
        files = [file for file in paths[CORPUS] if "/dialogues_" in file]
        replaced = 0
        for id_, annotated in read_annotated(folders[CORPUS], files).items():
            ours = dialogues.get(id_)
            # What is booked, and the acts, are known turn by turn.
            if ours is not None and ours.turns == annotated.turns:
                booked = ours.booked_domains
                changed = replace(annotated, goal=ours.goal, booked_domains=booked, acts=ours.acts)
                dialogues[id_] = changed
                replaced += 1
        notes = [f"references and states: of MultiWOZ 2.2 for {replaced} of {len(dialogues)}"]
    return Benchmark("", dialogues, venues, versions), notes, parse_tasks(content, str(path))


def _dialogue(goal: Mapping[str, Goal], log: Sequence[Mapping[str, Any]]) -> Dialogue:
    """Return a dialogue, given its goal and its messages: the user's and the system's by turns."""
    rules = rule_set(ANNOTATION_RULES)
    users = [message["text"] for message in log[::2]]
    systems = log[1::2]
    acts = [message["dialog_act"] for message in systems]
    states: list[BeliefState] = []
    booked_domains: list[list[str]] = []
    references: list[str] = []
    for message in systems:
        state: dict[str, dict[str, str]] = {}
        for (domain, slot), value in metadata_slots(message["metadata"]):
            state.setdefault(domain, {})[slot] = str(value)
        states.append(normalize_state(state, rules))
        booked_domains.append([])
        for domain, part in message["metadata"].items():
            # A taxi has no reference number.
            if part["book"]["booked"] and domain != "taxi":
                booked_domains[-1].append(domain)
        references.append(normalized_text(_delexicalised(message), rules))
    return Dialogue(
        goal=goal,
        references={CANONICAL_STYLE: references},
        states=states,
        active_domains=gold_active_domains(states, [[*names] for names in acts]),
        booked_domains=booked_domains,
        users=tuple(users[: len(systems)]),
        responses=tuple(message["text"] for message in systems),
        acts=tuple(acts),
    )


def _delexicalised(message: Mapping[str, Any]) -> str:
    """Return a response with a placeholder for each span: act, slot, value, first and last word."""
    words = message["text"].split()
    text: list[str] = []
    done = 0
    for _, slot, _, first, last in sorted(message["span_info"], key=lambda span: span[3]):
        if first >= done:
            name = slot.lower()
            text += [*words[done:first], f"[{_PLACEHOLDERS.get(name, name)}]"]
            done = last + 1
    return " ".join([*text, *words[done:]])
