"""`mwz why` of trackers: which slots cost which turns, what instead, and what first errors drag."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import CAREFUL, Cli, write_json

from mwz.harness.diagnosis import diagnose_states
from mwz.harness.diagnosis.slots import Dragged, confusions, dragged_along, slot_losses
from mwz.harness.metrics import StatePair

AREA, STARS, FOOD = ("hotel", "area"), ("hotel", "stars"), ("restaurant", "food")
GOLD = {AREA: "west", STARS: "4"}

STATES = {
    # The area is wrong from turn 0 on, and in turn 2 the stars are missed as well.
    "d0": [
        StatePair({AREA: "west"}, {AREA: "east"}),
        StatePair(GOLD, {**GOLD, AREA: "east"}),
        StatePair(GOLD, {AREA: "east"}),
    ],
    # The stars are given to another slot, which comes right.
    "d1": [StatePair(GOLD, {AREA: "west", FOOD: "4"}), StatePair(GOLD, GOLD)],
}


@pytest.fixture
def why(cli: Cli) -> Cli:
    return cli.of("why")


def test_a_lost_turn_is_shared_by_its_slots() -> None:
    losses = slot_losses(diagnose_states(STATES, "", None))
    # Of four lost turns, the area alone costs two and half of a third.
    assert [(slot, loss.alone, float(loss.share)) for slot, loss in losses.items()] == [
        ("hotel-area", 2, 2.5),
        ("hotel-stars", 0, 1.0),
        ("restaurant-food", 0, 0.5),
    ]
    assert losses["hotel-area"].turns == {"wrong": 3}
    assert losses["hotel-stars"].turns == {"missed": 2}
    assert losses["restaurant-food"].turns == {"invented": 1}


def test_a_value_given_to_another_slot_is_a_confusion() -> None:
    confused = confusions(diagnose_states(STATES, "", None))
    assert confused == [("hotel-stars", "restaurant-food", {"4": 1})]


def test_first_errors_drag_later_turns_along() -> None:
    # Of the two turns after the first error of d0, the second has another error as well.
    assert dragged_along(diagnose_states(STATES, "", None)) == {
        ("hotel-area", "wrong"): Dragged(dialogues=1, later=2, alone=1),
        ("hotel-stars", "missed"): Dragged(dialogues=1),
        ("restaurant-food", "invented"): Dragged(dialogues=1),
    }


def _tracker(folder: Path) -> Path:
    pairs = {
        "0": {"gt": {"hotel": {"area": "west"}}, "pr": {}},
        "1": {"gt": {"hotel": {"area": "west"}}, "pr": {"hotel": {"area": "west", "stars": "4"}}},
    }
    return write_json(folder / "tracker.json", {"d0": pairs})


def test_a_trackers_file_is_explained(why: Cli, tmp_path: Path) -> None:
    tracker = _tracker(tmp_path)
    text = why(tracker).out
    assert text.startswith("JGA 0.00, over 2 turns of 1 dialogue: 2 turns lost\n")
    table = [line.split() for line in text.splitlines()]
    assert ["hotel-area", "1", "0", "0", "1", "50.0", "%", "50.00"] in table
    assert ["hotel-stars", "0", "1", "0", "1", "50.0", "%", "50.00"] in table
    assert "1 of 1 dialogue with an error; turns lost after the first: 1, of them 0 by" in text
    assert "  d0, turn 0: hotel-area missed: gold west, predicted nothing" in text
    invented = why(tracker, "--cause", "invented").out
    # The only first error is of another kind.
    assert "hotel-stars" in invented
    assert "hotel-area" not in invented
    assert "first error" not in invented
    assert "1 missed, 0 wrong, 0 overshot" in why(tracker, "--dialogue", "d0").out
    assert "unknown cause 'mist'" in why.refused(tracker, "--cause", "mist")
    message = why.refused(tracker, CAREFUL)
    assert "has states alone, and others have not; --gold explains the states of all" in message


def test_its_dialogues_are_pages(why: Cli, tmp_path: Path) -> None:
    why(_tracker(tmp_path), "--html", tmp_path / "pages")
    assert "hotel: missed (1)" in (tmp_path / "pages" / "index.html").read_text(encoding="utf-8")
    page = (tmp_path / "pages" / "dialogues" / "d0.html").read_text(encoding="utf-8")
    assert "0 of 2 turns right" in page
    assert page.count("<li>hotel: hotel-") == 2
