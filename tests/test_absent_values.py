"""Values that mean absent: one list, for gold and predictions, readers, metrics and queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any

import pytest
from helpers import VENUES, benchmark, dialogue, goal
from hypothesis import given, settings, strategies as st
from tracking_cases import DONTCARE, belief, spellings

from mwz.database import VenueDatabase
from mwz.harness.metrics import Choices, score_tracking, track_states
from mwz.harness.metrics.tracking.states import TrackedFile, parse_tracking_file
from mwz.harness.submission import metadata_slots
from mwz.normalization import BeliefState, is_absent, is_dontcare, published_rule_sets, rule_set


@given(spellings())
def test_every_spelling_of_absent_means_that_a_slot_has_no_value(value: str) -> None:
    assert is_absent(value)
    assert not is_dontcare(value)
    [*slots] = metadata_slots({"hotel": {"book": {}, "semi": {"area": value, "stars": "4"}}})
    assert slots == [(("hotel", "stars"), "4")]


@given(spellings(DONTCARE))
def test_every_spelling_of_dontcare_means_that_the_user_does_not_mind(value: str) -> None:
    assert is_dontcare(value)
    assert not is_absent(value)


@pytest.mark.parametrize("value", ["no", "nothing", "none of them", "0", "null island", "nandos"])
def test_values_that_resemble_absent_ones_are_values(value: str) -> None:
    assert not is_absent(value)
    assert not is_dontcare(value)


# ------------------------------------------------------------------------------- metrics

FULL = [
    ("hotel", ("area", "name", "stars", "type", "parking", "internet", "pricerange")),
    ("taxi", ("leave", "arrive", "departure", "destination")),
]


def full(state: BeliefState, value: str) -> BeliefState:
    """Return a state that writes all slots out, those that it lacks with a value."""
    return {
        domain: {**dict.fromkeys(slots, value), **state.get(domain, {})} for domain, slots in FULL
    }


def figures(gold: Sequence[BeliefState], predicted: Sequence[BeliefState]) -> dict[str, Any]:
    """Return all scores against a benchmark's gold states, but the one of slots as written."""
    played = dialogue({"hotel": goal()}, len(gold), states=list(gold))
    report = asdict(score_tracking(track_states({"d1": predicted}, benchmark({"d1": played}))))
    del report["fuzzy"]["joint_accuracy_as_written"]
    return report


GOLD = [belief("hotel.area=north"), belief("hotel.area=north hotel.stars=4")]


def test_an_absent_slot_is_neither_right_nor_wrong_nor_a_change() -> None:
    predicted = [{"hotel": {"area": "north", "stars": "not mentioned"}, "taxi": {"leave": ""}}] * 2
    report = figures(GOLD, predicted)
    # In turn 1 one of two values is report. 2 report, 2 predicted, 3 in gold: F1 is 4 / 5.
    assert report["metrics"]["JGA"] == 50
    assert report["metrics"]["F1"] == pytest.approx(80)
    assert report["metrics"]["RSA"] == pytest.approx(100 * (1 + 1 / 2) / 2)
    # One change is right and one is missed: precision 1, recall 1/2, of 1 and 2 changes. Their
    # harmonic mean is (1 + 2) / (1 / 1 + 2 / (1/2)) = 3 / 5, for values and labels alike.
    assert report["metrics"]["GCA"] == pytest.approx(60)
    assert (report["counts"]["correct"], report["counts"]["missed"]) == (1, 1)
    assert list(report["per_slot"]) == ["hotel-area", "hotel-stars"]


def test_slots_that_become_absent_are_dropped() -> None:
    gold = [belief("hotel.area=north"), {}]
    vanished = figures(gold, [belief("hotel.area=north"), {}])
    written = figures(gold, [belief("hotel.area=north"), {"hotel": {"area": "NONE"}}])
    assert written == vanished
    # As the published code counts: dropped on both sides is correct, and missed.
    assert (written["counts"]["correct"], written["counts"]["missed"]) == (2, 1)


values = st.sampled_from(["north", "south", "4", "dontcare"])
slots = st.sampled_from([(domain, slot) for domain, names in FULL for slot in names])
flat_states = st.dictionaries(slots, values, max_size=5)


def nested(flat: Mapping[tuple[str, str], str]) -> BeliefState:
    state: dict[str, dict[str, str]] = {}
    for (domain, slot), value in flat.items():
        state.setdefault(domain, {})[slot] = value
    return state


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(flat_states, flat_states), min_size=1, max_size=4), st.data())
def test_absent_slots_change_no_figure(
    turns: Sequence[tuple[Any, Any]], data: st.DataObject
) -> None:
    gold, predicted = ([nested(turn[side]) for turn in turns] for side in (0, 1))
    written = [full(state, data.draw(spellings())) for state in predicted]
    assert figures(gold, written) == figures(gold, predicted)


@pytest.mark.parametrize("value", ["", "none", "not mentioned"])
def test_a_tracker_that_writes_all_slots_out_as_absent_is_not_warned_of_it(value: str) -> None:
    # More states than it takes to say something of their values.
    turns = [{"state": full(belief("hotel.area=north"), value)} for _ in range(30)]
    played = dialogue({"hotel": goal()}, 30, states=[belief("hotel.area=north")] * 30)
    bench = benchmark({f"d{number}": played for number in range(30)})
    file = parse_tracking_file(dict.fromkeys(bench.dialogues, turns), "x.json", lambda: bench)
    # That they are gold's is all that is remarked.
    assert [remark.kind for remark in file.remarks] == ["state_gold"]


# ------------------------------------------------------- files with gold states of their own


def own_gold(*turns: tuple[BeliefState, BeliefState]) -> TrackedFile:
    content = {"d1": [{"gt": gold, "pr": predicted} for gold, predicted in turns]}
    return parse_tracking_file(content, "x.json", lambda: pytest.fail("needs no benchmark"))


def changes(file: TrackedFile) -> tuple[int, ...]:
    counts = score_tracking(file.dialogues).counts
    return tuple(counts[name] for name in ("missed", "wrong", "overshot", "correct"))


def test_a_none_here_and_there_in_gold_is_a_dropped_slot_to_gca_alone() -> None:
    state = belief("hotel.area=north")
    with_none = {"hotel": {"area": "north", "stars": "none"}}
    file = own_gold((state, state), (state, state), (with_none, state))
    # As in the published code: gold says `none` of a slot that is not predicted, which is right.
    assert changes(file) == (0, 0, 0, 2)
    assert score_tracking(file.dialogues).metrics["JGA"] == 100
    # In other spellings it is nothing.
    other = {"hotel": {"area": "north", "stars": "not mentioned"}}
    assert changes(own_gold((state, state), (state, state), (other, state))) == (0, 0, 0, 1)


def test_gold_states_that_write_all_slots_out_are_as_those_that_do_not() -> None:
    state = belief("hotel.area=north")
    written = own_gold(*[(full(state, "none"), full({}, "none"))] * 3)
    assert changes(written) == changes(own_gold(*[(state, {})] * 3)) == (1, 0, 0, 0)


def test_blanks_belong_to_values_where_most_states_have_values_that_begin_with_one() -> None:
    gold = belief("hotel.area=north")
    padded = {"hotel": {"area": " north", "stars": " none", "type": ""}}
    once = score_tracking(own_gold((gold, padded)).dialogues)
    # Three values that are not gold's, and one that is missed.
    assert (once.metrics["JGA"], once.metrics["precision"], once.metrics["RSA"]) == (0, 0, 0)
    assert once.counts["overshot"] == 2
    # Beside two tidy states, the other two are absent, and the blank still makes the value wrong.
    mixed = own_gold((gold, padded), (gold, gold), (gold, gold))
    assert score_tracking(mixed.dialogues).counts["overshot"] == 0


def test_none_may_be_chosen_to_be_a_value() -> None:
    file = own_gold(*[(belief("hotel.area"), belief("hotel.area hotel.stars=none"))] * 2)
    assert score_tracking(file.dialogues).metrics["JGA"] == 100
    assert score_tracking(file.dialogues, Choices(none="value")).metrics["JGA"] == 0


# ------------------------------------------------------------------------------- queries


@cache
def venues_of(rules: str) -> VenueDatabase:
    return VenueDatabase(VENUES, rule_set(rules))


@pytest.mark.parametrize("rules", [*published_rule_sets(), "next"])
@settings(deadline=None)
@given(value=spellings(), any_value=spellings(DONTCARE))
def test_absent_values_constrain_no_query(rules: str, value: str, any_value: str) -> None:
    venues = venues_of(rules)
    every = [*venues.query("restaurant", {})]
    assert every
    is_public = rules != "next" and value.strip(" -_").lower() in ("", "none")
    answer = [*venues.query("restaurant", {"area": value})]
    assert (answer != every) == is_public
    # Case tells them apart under published rule sets.
    answer = [*venues.query("restaurant", {"area": any_value})]
    assert (answer == every) == (rules == "next" or any_value == any_value.lower())
