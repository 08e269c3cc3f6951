"""A tiny pair of repositories in the layout of the public ones, with five made-up dialogues.

Three are of the test split, one of train, one of dev. The goal of `syn0001` is also that of the
train dialogue; the goals of `mul0002` and `pmul0003` occur nowhere else.
"""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

from helpers import write_json

from mwz.harness.data import DataSet, PinnedFile, blob_id
from mwz.harness.data.declared import Source

STYLES = ("damd", "hdsa", "augpt", "uniconv", "lava")
TEST_IDS = ("syn0001", "mul0002", "pmul0003")
SEEN_IDS = ("syn0001",)
SYSTEM_TURNS = 5

RESTAURANTS: list[dict[str, Any]] = [
    {"id": "r1", "name": "copper kettle", "area": "north", "food": "basque", "phone": "0111 1"},
    {"id": "r2", "name": "tin spoon", "area": "south", "food": "basque", "phone": "0111 2"},
]
CHANGED_RESTAURANTS = [RESTAURANTS[0], {**RESTAURANTS[1], "phone": "0111 9"}]
"""The restaurants as a later version has them: one telephone number is another."""

VENUES: dict[str, list[dict[str, Any]]] = {
    "restaurant": RESTAURANTS,
    "hotel": [{"id": "h1", "name": "quilt house", "area": "west", "stars": "3", "phone": "0112 1"}],
    "attraction": [{"id": "a1", "name": "clock museum", "area": "east", "type": "museum"}],
    "train": [
        {"trainID": "TR01", "departure": "anstey", "destination": "belton", "leaveAt": "09:10"},
        {"trainID": "TR02", "departure": "anstey", "destination": "belton", "leaveAt": "11:10"},
    ],
}


def _goal(requestable: tuple[str, ...] = (), booking: Any = (), **informable: str) -> Any:
    return {"informable": informable, "requestable": list(requestable), "booking": booking or []}


GOALS: dict[str, dict[str, Any]] = {
    "syn0001": {"restaurant": _goal(("PHONE",), food="basque", area="north")},
    "mul0002": {
        "train": _goal(("TRAINID",), departure="anstey", destination="belton"),
        "attraction": _goal(type="museum"),
    },
    "pmul0003": {"hotel": _goal(("REFERENCE",), {"stay": "2"}, area="west")},
    "trn0004": {"restaurant": _goal(("PHONE",), area="north", food="basque")},
    "dev0005": {"restaurant": _goal(("PHONE",), area="south", food="basque")},
}


class _Dialogue:
    """A dialogue in the making: the turns of MultiWOZ 2.2 and the acts beside them.

    Args:
        raw_id: Its id.
        exchanges: What the user says, the state by then, what the system says, with the values
            that are annotated as `[slot|value]`, and its act.
    """

    def __init__(self, raw_id: str, *exchanges: tuple[str, dict[str, Any], str, str]):
        self.raw_id = raw_id
        self.turns: list[dict[str, Any]] = []
        self.acts: dict[str, Any] = {}
        for user, state, system, act in exchanges:
            self._add("USER", user, [_frame(domain, **slots) for domain, slots in state.items()])
            utterance, spans = _marked(system, act)
            self.acts[str(len(self.turns))] = {"dialog_act": {act: []}, "span_info": spans}
            self._add("SYSTEM", utterance, [])

    def _add(self, speaker: str, utterance: str, frames: list[Any]) -> None:
        turn = {"speaker": speaker, "utterance": utterance, "frames": frames}
        self.turns.append({**turn, "turn_id": str(len(self.turns))})


def _frame(domain: str, requested: str = "", **slots: str) -> dict[str, Any]:
    state = {
        "active_intent": f"find_{domain}",
        "requested_slots": [f"{domain}-{requested}"] if requested else [],
        "slot_values": {f"{domain}-{slot}": [value] for slot, value in slots.items()},
    }
    return {"service": domain, "slots": [], "state": state}


def _marked(text: str, act: str) -> tuple[str, list[list[Any]]]:
    """Return the utterance and the spans of its marked values."""
    spans = []
    utterance, *pieces = re.split(r"\[(\w+)\|([^]]+)\]", text)
    for slot, value, rest in zip(pieces[::3], pieces[1::3], pieces[2::3], strict=True):
        spans.append([act, slot, value, len(utterance), len(utterance) + len(value)])
        utterance += value + rest
    return utterance, spans


def _restaurant_dialogue(raw_id: str, area: str, name: str, phone: str) -> _Dialogue:
    wish, act = {"food": "basque", "area": area}, "Restaurant-Inform"
    asking = {"restaurant": {**wish, "requested": "phone"}}
    place = f"Somewhere basque on the {area} side, please."
    return _Dialogue(
        raw_id,
        (place, {"restaurant": wish}, f"Try [name|{name}] .", act),
        ("How do I ring them?", asking, f"Dial [phone|{phone}] .", act),
    )


_TRIP = {"departure": "anstey", "destination": "belton"}
_ASKING = {"train": {**_TRIP, "requested": "trainid"}}
_MUSEUM = {"train": _TRIP, "attraction": {"type": "museum"}}
_ROOM = {"hotel": {"area": "west", "bookstay": "2", "requested": "ref"}}
_BOTH = _Dialogue(
    "MUL0002.json",
    ("I travel from anstey to belton.", _ASKING, "Board [trainid|TR01] .", "Train-Inform"),
    ("And a museum there?", _MUSEUM, "See the [name|clock museum] .", "Attraction-Recommend"),
)
_STAY = _Dialogue(
    "PMUL0003.json",
    ("Two nights in the west.", _ROOM, "Booked [name|quilt house] as [ref|Q7X] .", "Booking-Book"),
)
_SPLITS: dict[str, list[list[_Dialogue]]] = {
    "test": [
        [_restaurant_dialogue("SYN0001.json", "north", "copper kettle", "0111 1"), _BOTH],
        [_STAY],
    ],
    "train": [[_restaurant_dialogue("TRN0004.json", "north", "copper kettle", "0111 1")]],
    "dev": [[_restaurant_dialogue("DEV0005.json", "south", "tin spoon", "0111 2")]],
}

# One per system turn of the test dialogues, normalised as the evaluator's files are.
_REFERENCES = {
    "syn0001": ["try NAME.", "dial PHONE."],
    "mul0002": ["board TRAINID.", "see the NAME."],
    "pmul0003": ["booked NAME as REFERENCE."],
}
_BOOKED: dict[str, list[list[str]]] = {id_: [[], []] for id_ in GOALS} | {"pmul0003": [["hotel"]]}


def write_repositories(folder: Path) -> tuple[Path, Path]:
    """Write MultiWOZ_Evaluation/ and multiwoz/ below a folder and return their paths."""
    mwzeval, multiwoz = folder / "MultiWOZ_Evaluation", folder / "multiwoz"
    data = mwzeval / "mwzeval" / "data"
    write_json(data / "goals.json", GOALS)
    write_json(data / "booked_domains.json", _BOOKED)
    for style in STYLES:
        write_json(data / "references" / f"{style}.json", _REFERENCES)
    for domain, records in VENUES.items():
        write_json(data / "database" / f"{domain}_db.json", records)
    corpus = multiwoz / "data" / "MultiWOZ_2.2"
    acts: dict[str, Any] = {}
    for split, files in _SPLITS.items():
        for number, dialogues in enumerate(files, start=1):
            acts |= {dialogue.raw_id: dialogue.acts for dialogue in dialogues}
            content = []
            for dialogue in dialogues:
                facts = {"dialogue_id": dialogue.raw_id, "services": []}
                content.append({**facts, "turns": dialogue.turns})
            write_json(corpus / split / f"dialogues_{number:03}.json", content)
    write_json(corpus / "dialog_acts.json", acts)
    return mwzeval, multiwoz


EVALUATOR, DATA_SET = "someone/MultiWOZ_Evaluation", "somebody/multiwoz"
STATES = "somebody/tracker"
NEWER, OLDER, CORPUS = "a" * 40, "b" * 40, "c" * 40
RESTAURANT_FILE = "mwzeval/data/database/restaurant_db.json"


def write_mirror(folder: Path) -> DataSet:
    """Write a mirror of pinned files below a folder and return the data set that pins them.

    The evaluator is there in two commits, whose restaurants differ in a telephone number: the
    older one has the venues of 2021. One "system" has published its outputs, and one "tracker". The
    gold states of version 2.1 are there for one dialogue.
    """
    mwzeval, multiwoz = write_repositories(folder / "clones")
    newer, older = folder / EVALUATOR / NEWER, folder / EVALUATOR / OLDER
    shutil.copytree(mwzeval, newer)
    write_json(newer / RESTAURANT_FILE, CHANGED_RESTAURANTS)
    write_json(newer / "predictions" / "system.json", {})
    write_json(newer / "trackers" / "tracker.json", {})
    turns = [{"belief_state": [["train-day", day]]} for day in ("monday", "sunday")]
    states = [{"dialogue_idx": "MUL0002.json", "dialogue": turns}]
    write_json(folder / STATES / CORPUS / "states" / "test_dials.json", states)
    shutil.copytree(mwzeval / "mwzeval/data/database", older / "mwzeval/data/database")
    shutil.copytree(multiwoz, folder / DATA_SET / CORPUS)
    shutil.rmtree(folder / "clones")
    return DataSet(
        name="multiwoz",
        title="five made-up dialogues",
        citation="nobody",
        reader="multiwoz22",
        sources=(
            _pinned(folder, EVALUATOR, NEWER, "evaluator", "2023", "mwzeval"),
            _pinned(folder, EVALUATOR, OLDER, "venues", "2021"),
            _pinned(folder, DATA_SET, CORPUS, "data set", clone="multiwoz"),
            replace(_pinned(folder, STATES, CORPUS, "gold states"), gold="2.1"),
        ),
    )


_PARTS = {
    **{part: part for part in ("predictions", "trackers", "states")},
    **dict.fromkeys(("train", "dev"), "all"),
}


def _pinned(
    folder: Path,
    repository: str,
    commit: str,
    role: str,
    venues: str | None = None,
    clone: str | None = None,
) -> Source:
    root = folder / repository / commit
    files = []
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        place, part = path.relative_to(root).as_posix(), _PARTS.get(path.parent.name, "test")
        blob = blob_id(path.read_bytes())
        files.append(PinnedFile(repository, commit, place, blob, part))
    return Source(repository, commit, role, tuple(files), venues, clone)
