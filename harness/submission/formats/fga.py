"""Trackers' outputs as the repository of Dey et al. (2022) has them (SuvodipDey/FGA, at 5e668de).

- TripPy's `trippy_result.json` says of each turn which slots are right, 1 or 0, and no values. Its
  slots are in the order of `trippy/multiwoz21.json` beside it.
- Hi-DST's `log_test_1.json` has each turn's gold state, `gt`, and what the turn adds to the
  predicted one, `pr_turn`: a slot keeps its value till a later turn gives it another.
- The dialogues that people rated, a sheet each, are those of SOM-DST: the gold state `GT` and the
  predicted one `PR` as Python dictionaries, an empty one also as `{{}}`. Several sheets may follow
  one another. Ratings are not in them.

The result files of TRADE and SOM-DST are pairs of `gt` and `pr`, which `arrangements.py` reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...errors import Findings, cut_repr, refuse, unquoted
from ...io import decoded
from .arrangements import Arrangement
from .nesting import raw_turns
from .standard import GOLD, STATE, Format, Standard

CORRECTNESS = "which slots are right, as of TripPy"
"""The format of a file that has no values."""

_HI_DST = {"gt", "pr_turn"}

_SLOTS: Mapping[str, tuple[str, ...]] = {
    "taxi": ("leaveat", "destination", "departure", "arriveby"),
    "restaurant": ("bookpeople", "bookday", "booktime", "food", "pricerange", "name", "area"),
    "hotel": (
        *("bookpeople", "bookday", "bookstay", "name", "area"),
        *("parking", "pricerange", "stars", "internet", "type"),
    ),
    "attraction": ("type", "name", "area"),
    "train": ("bookpeople", "leaveat", "destination", "day", "arriveby", "departure"),
}
"""Domain -> its slots; TripPy's are numbered in this order."""

_NUMBER = sum(map(len, _SLOTS.values()))
_VALUES = ("wrong", "right")
"""What stands for the value of a slot that is wrong (0), and of one that is right (1)."""

_STATES = {"GT": "gt", "PR": "pr"}


def _parse_sheets(content: bytes, source: str) -> list[dict[str, Any]]:
    """Return dialogues, each with its turns' gold states, `gt`, and predicted states, `pr`.

    Raises:
        InputError: The file is not text in UTF-8.
    """
    dialogues: list[dict[str, Any]] = []
    for line in decoded(content, source).splitlines():
        label, _, text = (part.strip() for part in line.partition(":"))
        if label == "Dialogue ID":
            dialogues.append({"id": text, "turns": []})
        elif label == "Turn":
            dialogues[-1]["turns"].append({})
        elif label in _STATES and dialogues[-1]["turns"]:
            dialogues[-1]["turns"][-1][_STATES[label]] = text.replace("{{}}", "{}")
    return dialogues


def _is_correctness(turn: object) -> bool:
    return isinstance(turn, list) and bool(turn) and all(type(one) is int for one in turn)


def _recognises(content: object) -> bool:
    first = next(raw_turns(content), None) if isinstance(content, Mapping) else None
    return _is_correctness(first) or (isinstance(first, Mapping) and first.keys() >= _HI_DST)


def _read(content: object, source: str) -> Standard:
    arrangement, problems = Arrangement(source), Findings()
    read: dict[str, list[dict[str, Any]]] = {}
    name = ""
    for id_, turns in arrangement.dialogues(content).items():
        read[id_] = []
        carried: dict[Any, Any] = {}
        for number, turn in enumerate(turns):
            if isinstance(turn, Mapping) and isinstance(turn.get("pr_turn"), Mapping):
                carried = {**carried, **turn["pr_turn"]}
                read[id_].append({GOLD: turn.get("gt"), STATE: carried})
                name = "Hi-DST (gt, pr_turn)"
            elif _is_correctness(turn) and len(turn) == _NUMBER and {*turn} <= {0, 1}:
                read[id_].append({GOLD: _named([1] * _NUMBER), STATE: _named(turn)})
                name = CORRECTNESS
            else:
                expected = f"{_NUMBER} numbers, 1 for a slot that is right and 0 for another"
                expected = f"expected {expected}, or `gt` and `pr_turn`, found {cut_repr(turn)}"
                problems.add(f"dialogue {unquoted(id_)}, turn {number}", expected)
    refuse(source, problems)
    return arrangement.standard(read, name)


def _named(numbers: list[int]) -> dict[str, dict[str, str]]:
    """Return a state in which each slot has the value that stands for its number."""
    values = iter(numbers)
    return {
        domain: {slot: _VALUES[next(values)] for slot in slots} for domain, slots in _SLOTS.items()
    }


FGA_TRACKERS = Format(
    name="trackers of Dey et al. (2022)",
    description="For `mwz dst`: TripPy's file of right slots, Hi-DST's log, and sheets on which "
    "people rate dialogues (docs/state-tracking.md).",
    recognises=_recognises,
    read=_read,
    is_text=lambda content: content.removeprefix(b"\xef\xbb\xbf").startswith(b"Dialogue ID"),
    parse=_parse_sheets,
)
