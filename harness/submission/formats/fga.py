"""Trackers' outputs as the repository of Dey et al. (2022) has them (SuvodipDey/FGA, at 5e668de).

- TripPy's `trippy_result.json` has no values: each turn has a 1 for every right slot and a 0 for
  every other one, in the order of `trippy/multiwoz21.json` beside it.
- Hi-DST's `log_test_1.json` has each turn's gold state, `gt`, and what the turn adds to the
  predicted state, `pr_turn`: a slot keeps its value until a later turn gives it another.
- The dialogues of SOM-DST that people rated have a sheet each: the gold state `GT` and the
  predicted one `PR` as Python dictionaries, an empty one also as `{{}}`. Several sheets may follow
  one another. They have no ratings.

The result files of TRADE and SOM-DST are pairs of `gt` and `pr`, which `arrangements.py` reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import Findings, InputError, cut_repr, refuse, unquoted
from ...io import decoded
from .arrangements import Arrangement
from .nesting import raw_turns
from .standard import GOLD, STATE, Format, Standard

CORRECTNESS = "which slots are right, as of TripPy"
"""The name of the format of a file without values."""

_HI_DST_KEYS = frozenset({"gt", "pr_turn"})

_SLOTS: Mapping[str, tuple[str, ...]] = {
    "taxi": ("leaveat", "destination", "departure", "arriveby"),
    "restaurant": ("bookpeople", "bookday", "booktime", "food", "pricerange", "name", "area"),
    "hotel": (
        "bookpeople", "bookday", "bookstay", "name", "area",
        "parking", "pricerange", "stars", "internet", "type",
    ),
    "attraction": ("type", "name", "area"),
    "train": ("bookpeople", "leaveat", "destination", "day", "arriveby", "departure"),
}  # fmt: skip
"""Domain -> its slots; TripPy's numbers are in this order."""

_SLOT_COUNT = sum(map(len, _SLOTS.values()))
_VALUES = ("wrong", "right")
"""What stands for the value of a slot that is wrong (0), and of one that is right (1)."""

_STATES = {"GT": "gt", "PR": "pr"}
"""Label of a state on a sheet -> its key in a turn."""


def _parse_sheets(content: bytes, source: str) -> list[dict[str, object]]:
    """Return dialogues, each with its turns' gold states, `gt`, and predicted states, `pr`.

    Raises:
        InputError: The file is not text in UTF-8, or a turn stands before the first dialogue.
    """
    dialogues: list[dict[str, Any]] = []
    for number, line in enumerate(decoded(content, source).splitlines(), start=1):
        label, _, text = map(str.strip, line.partition(":"))
        if label == "Dialogue ID":
            dialogues.append({"id": text, "turns": []})
        elif not dialogues and (label == "Turn" or label in _STATES):
            raise InputError(source, f"line {number}: expected `Dialogue ID:` before `{label}:`")
        elif label == "Turn":
            dialogues[-1]["turns"].append({})
        elif label in _STATES and dialogues[-1]["turns"]:
            dialogues[-1]["turns"][-1][_STATES[label]] = text.replace("{{}}", "{}")
    return dialogues


def _is_correctness(turn: object) -> bool:
    """Return whether a turn is a list of whole numbers, as TripPy's are."""
    return isinstance(turn, list) and set(map(type, turn)) == {int}


def _recognises(content: object) -> bool:
    if not isinstance(content, Mapping):
        return False
    first = next(raw_turns(content), None)
    is_hi_dst = isinstance(first, Mapping) and first.keys() >= _HI_DST_KEYS
    return is_hi_dst or _is_correctness(first)


def _read(content: object, source: str) -> Standard:
    arrangement = Arrangement(source)
    problems = Findings()
    all_right = _correctness_state([1] * _SLOT_COUNT)
    read: dict[str, list[dict[str, object]]] = {}
    name = ""
    for id_, turns in arrangement.dialogues(content).items():
        read[id_] = []
        predicted: dict[object, object] = {}
        for number, turn in enumerate(turns):
            if isinstance(turn, Mapping) and isinstance(turn.get("pr_turn"), Mapping):
                predicted = {**predicted, **turn["pr_turn"]}
                read[id_].append({GOLD: turn.get("gt"), STATE: predicted})
                name = "Hi-DST (gt, pr_turn)"
            elif _is_correctness(turn) and len(turn) == _SLOT_COUNT and {*turn} <= {0, 1}:
                read[id_].append({GOLD: all_right, STATE: _correctness_state(turn)})
                name = CORRECTNESS
            else:
                numbers = f"{_SLOT_COUNT} numbers, 1 for a slot that is right and 0 for another"
                problem = f"expected {numbers}, or `gt` and `pr_turn`, found {cut_repr(turn)}"
                problems.add(f"dialogue {unquoted(id_)}, turn {number}", problem)
    refuse(source, problems)
    return arrangement.standard(read, name)


def _correctness_state(numbers: Sequence[int]) -> dict[str, dict[str, str]]:
    """Return a state in which each slot has the value that stands for its number."""
    state: dict[str, dict[str, str]] = {}
    remaining = iter(numbers)
    for domain, slots in _SLOTS.items():
        state[domain] = {slot: _VALUES[next(remaining)] for slot in slots}
    return state


FGA_TRACKERS = Format(
    name="trackers of Dey et al. (2022)",
    description="For `mwz dst`: TripPy's file of right slots, Hi-DST's log, and sheets on which "
    "people rate dialogues (docs/state-tracking.md).",
    recognises=_recognises,
    read=_read,
    is_text=lambda content: content.removeprefix(b"\xef\xbb\xbf").startswith(b"Dialogue ID"),
    parse=_parse_sheets,
)
