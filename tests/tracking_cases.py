"""Small tracked dialogues for the tests of state tracking, in a notation short enough to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import write_json
from hypothesis import strategies as st

from mwz.harness.metrics import (
    TrackedDialogue,
    TrackedFile,
    flat_state,
    parse_tracking_file,
)
from mwz.harness.metrics.tracking.states import StatePair, without_absent
from mwz.harness.submission import parse_predictions
from mwz.normalization.rules import ABSENT as ABSENT_VALUES, DONTCARES

ABSENT: Sequence[str] = sorted(ABSENT_VALUES)
DONTCARE: Sequence[str] = sorted(DONTCARES)


@st.composite
def spellings(draw: st.DrawFn, values: Sequence[str] = ABSENT) -> str:
    """Draw a spelling of one of the values: its case, blanks and apostrophes, and blanks around."""
    value = draw(st.sampled_from(values))
    value = draw(st.sampled_from([value, value.upper(), value.title()]))
    value = value.replace(" ", draw(st.sampled_from([" ", "_", "-", "  "])))
    value = value.replace("'", draw(st.sampled_from(["'", "’", "\u2018"])))
    return draw(st.sampled_from(["", " "])) + value + draw(st.sampled_from(["", "  "]))


def read_file(path: Path) -> TrackedFile:
    """Read a file with gold states of its own, which needs no benchmark."""
    content = parse_predictions(path.read_bytes(), str(path))
    return parse_tracking_file(content, str(path), lambda: pytest.fail("needs no benchmark"))


def belief(text: str) -> dict[str, dict[str, str]]:
    """Read a state: `hotel.area=centre hotel.name`; a slot without a value has the value `v`."""
    state: dict[str, dict[str, str]] = {}
    for entry in text.split():
        name, _, value = entry.partition("=")
        domain, _, slot = name.partition(".")
        state.setdefault(domain, {})[slot] = value or "v"
    return state


def write_states(path: Path, turns: Sequence[tuple[str, str]], id_: str = "MUL0003.json") -> Path:
    """Write a file of one dialogue of (gold, predicted) states."""
    states = [{"gt": belief(gold), "pr": belief(predicted)} for gold, predicted in turns]
    return write_json(path, {id_: dict(enumerate(states))})


def tracked(*turns: tuple[str, str], id_: str = "d0001") -> TrackedDialogue:
    """Return a dialogue of (gold, predicted) states."""
    gold, predicted = ([belief(turn[side]) for turn in turns] for side in (0, 1))
    return TrackedDialogue(id_, gold, predicted)


def pairs(*turns: tuple[str, str]) -> list[StatePair]:
    """Return the states of (gold, predicted) turns as metrics take them."""
    return [
        StatePair(flat_state(belief(gold)), flat_state(belief(predicted)))
        for gold, predicted in turns
    ]


def present(*turns: tuple[str, str]) -> list[StatePair]:
    """As `pairs`, without the slots whose value is `none`."""
    return [without_absent(pair) for pair in pairs(*turns)]


BOOKED = "hotel.name hotel.day hotel.people hotel.stay"

# Figure 1 of the FGA paper: two slots missed in turn 2, one overshot in turn 4.
FGA_FIGURE_1: Sequence[tuple[str, str]] = (
    ("", ""),
    ("hotel.name", "hotel.name"),
    (f"{BOOKED} hotel.area hotel.stars", BOOKED),
    (f"{BOOKED} hotel.area hotel.stars attraction.area", f"{BOOKED} attraction.area"),
    (
        f"{BOOKED} hotel.area hotel.stars attraction.area",
        f"{BOOKED} attraction.area attraction.name",
    ),
    (
        f"{BOOKED} hotel.area hotel.stars attraction.area",
        f"{BOOKED} attraction.area attraction.name",
    ),
)

# Table 3 of the RSA paper: one gold state, the predictions of models A and B.
RSA_TABLE_3_A = (
    "restaurant.area restaurant.food restaurant.people",
    "restaurant.area restaurant.food=other attraction.area",
)
RSA_TABLE_3_B = (
    "restaurant.area restaurant.food restaurant.people",
    "restaurant.area restaurant.food=other restaurant.name attraction.area attraction.pricerange",
)

# Table A6 of the RSA paper: a name taken for a restaurant's that is an attraction's.
_TWO = "restaurant.area restaurant.food"
_THREE = f"{_TWO} restaurant.pricerange"
_FOUR = f"{_THREE} restaurant.name"
RSA_TABLE_A6: Sequence[tuple[str, str]] = (
    ("", "restaurant.name=x"),
    ("", "restaurant.name=x"),
    ("attraction.name", "restaurant.name=x"),
    ("attraction.name", "restaurant.name=x"),
    (f"attraction.name {_TWO}", _TWO),
    (f"attraction.name {_THREE}", _THREE),
    *[(f"attraction.name {_FOUR}", _FOUR)] * 4,
)

# Figures 6 and 7 of the GCA paper.
GCA_SAMPLE_1: Sequence[tuple[str, str]] = (
    ("hotel.name", "hotel.name"),
    ("hotel.name", "hotel.name"),
    ("hotel.name attraction.type", "hotel.name"),
    ("hotel.name attraction.type", "hotel.name"),
    *[
        (
            "hotel.name attraction.type attraction.name attraction.area",
            "hotel.name attraction.name=other",
        )
    ]
    * 3,
)
GCA_SAMPLE_2: Sequence[tuple[str, str]] = (
    ("hotel.parking hotel.pricerange hotel.type", "hotel.parking hotel.pricerange hotel.type"),
    (
        "hotel.parking hotel.pricerange hotel.type hotel.area",
        "hotel.parking hotel.pricerange hotel.type",
    ),
    *[
        (
            "hotel.parking hotel.pricerange hotel.type hotel.area",
            "hotel.parking hotel.pricerange hotel.type hotel.name",
        )
    ]
    * 2,
)

# Figure 8 of the GCA paper: a slot in the first turn and one in the last, one of them wrong.
HYPOTHETICAL_P1: Sequence[tuple[str, str]] = (
    *[("hotel.internet", "hotel.internet")] * 5,
    ("hotel.internet hotel.parking", "hotel.internet hotel.parking=other"),
)
HYPOTHETICAL_P2: Sequence[tuple[str, str]] = (
    *[("hotel.internet", "hotel.internet=other")] * 5,
    ("hotel.internet hotel.parking", "hotel.internet=other hotel.parking"),
)
