"""Active domains: each sentence of their definitions."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mwz.harness.metrics.played import domains_from_states, gold_active_domains

State = dict[str, dict[str, str]]

H1: State = {"hotel": {"area": "north"}}
H2: State = {"hotel": {"area": "south"}}
T1: State = {"train": {"day": "monday"}}


def test_no_state_no_domain() -> None:
    assert domains_from_states([]) == []
    assert domains_from_states([{}, {}]) == [[], []]


def test_a_changed_domain_becomes_current_and_stays() -> None:
    assert domains_from_states([{}, H1, H1, {}]) == [[], ["hotel"], ["hotel"], ["hotel"]]


def test_a_domain_without_slots_has_not_changed() -> None:
    assert domains_from_states([{"hotel": {}}, {"hotel": {}, **T1}]) == [[], ["train"]]


def test_another_value_of_a_slot_is_a_change() -> None:
    assert domains_from_states([H1, {**H1, **T1}, {**H2, **T1}]) == [
        ["hotel"],
        ["train"],
        ["hotel"],
    ]


def test_a_removed_slot_is_no_change() -> None:
    both: State = {"hotel": {"area": "north", "stars": "4"}, **T1}
    # Turn 1 moves on to the train, turn 2 only drops the hotel's stars.
    states = [{"hotel": both["hotel"]}, both, {**H1, **T1}]
    assert domains_from_states(states) == [["hotel"], ["train"], ["train"]]


def test_the_current_domain_stays_as_long_as_it_changes_too() -> None:
    # Although another one that changes has more slots.
    train = {"day": "m", "people": "2", "leave": "10:00"}
    later: State = {"train": train, "hotel": {"area": "north", "stars": "4"}}
    assert domains_from_states([H1, later]) == [["hotel"], ["hotel"]]


def test_of_several_changed_domains_the_one_with_most_slots_becomes_current() -> None:
    state: State = {"hotel": {"area": "north"}, "train": {"day": "m", "people": "2"}}
    assert domains_from_states([state]) == [["train"]]


def test_all_slots_of_a_changed_domain_count_not_only_the_new_ones() -> None:
    # The train is current. Then the hotel (3 slots, 1 new) and the taxi (2 new ones) change.
    before: State = {"hotel": {"area": "n", "stars": "4"}}
    between: State = {**before, **T1}
    after: State = {
        "taxi": {"leave": "10:00", "destination": "x"},
        "hotel": {"area": "n", "stars": "4", "name": "y"},
        **T1,
    }
    assert domains_from_states([before, between, after]) == [["hotel"], ["train"], ["hotel"]]


def test_of_equals_the_first_of_the_state_becomes_current() -> None:
    assert domains_from_states([{**T1, **H1}]) == [["train"]]
    assert domains_from_states([{**H1, **T1}]) == [["hotel"]]


def test_when_nothing_changes_after_two_changed_the_other_one_becomes_current() -> None:
    both: State = {**H1, **T1}
    assert domains_from_states([both, both]) == [["hotel"], ["train"]]


def test_and_no_other_follows_in_the_next_turn_without_change() -> None:
    # The last changed domains are then an empty list.
    both: State = {**H1, **T1}
    assert domains_from_states([both, both, both]) == [["hotel"], ["train"], ["train"]]


def test_of_three_changed_the_first_that_is_not_current_follows() -> None:
    three: State = {"taxi": {"leave": "1"}, **H1, **T1}
    assert domains_from_states([three, three]) == [["taxi"], ["hotel"]]


def test_only_domains_still_in_the_state_follow() -> None:
    three: State = {"taxi": {"leave": "1"}, **H1, **T1}
    without_hotel: State = {"taxi": {"leave": "1"}, **T1}
    assert domains_from_states([three, without_hotel]) == [["taxi"], ["train"]]
    assert domains_from_states([three, {"taxi": {"leave": "1"}}]) == [["taxi"], ["taxi"]]


def test_a_turn_without_change_is_still_the_last_state_of_the_next() -> None:
    # The hotel is gone in turn 1, so that in turn 2 it is new again.
    assert domains_from_states([{**H1, **T1}, T1, {**H1, **T1}]) == [
        ["hotel"],
        ["train"],
        ["hotel"],
    ]


def test_gold_domains_whose_state_differs_come_first_then_those_of_the_acts() -> None:
    states: list[State] = [{**T1, **H1}]
    acts = [["Taxi-Inform", "Hotel-Request", "Taxi-Request"]]
    assert gold_active_domains(states, acts) == [["train", "hotel", "taxi"]]


def test_only_states_that_differ_from_the_turn_before_count() -> None:
    states: list[State] = [H1, {**H1, **T1}, {**H2, **T1}]
    acts = [["Hotel-Inform"], ["Train-Inform"], ["Train-Inform"]]
    assert gold_active_domains(states, acts) == [["hotel"], ["train"], ["hotel", "train"]]


@pytest.mark.parametrize(
    ("acts", "domains"),
    [
        (["Restaurant-Inform", "Restaurant-Select"], ["restaurant"]),
        # `general`, then `booking`, is left out unless it is the only one.
        (["general-reqmore", "Hotel-Inform"], ["hotel"]),
        (["Booking-Book", "Hotel-Inform"], ["hotel"]),
        (["general-bye"], ["general"]),
        # General goes, then booking is the only one, and booking is never added.
        (["general-reqmore", "Booking-Book"], []),
        (["Booking-Book"], []),
        (["Booking-Book", "general-reqmore", "Hotel-Inform", "Taxi-Inform"], ["hotel", "taxi"]),
        ([], []),
    ],
)
def test_domains_of_acts(acts: list[str], domains: list[str]) -> None:
    assert gold_active_domains([{}], [acts]) == [domains]


def test_a_turn_about_nothing_is_about_what_the_last_one_was() -> None:
    acts = [["Hotel-Inform"], ["Booking-Book"], []]
    assert gold_active_domains([{}, {}, {}], acts) == [["hotel"], ["hotel"], ["hotel"]]
    assert gold_active_domains([{}], [[]]) == [[]]


def test_general_goes_where_it_is_one_of_two() -> None:
    acts = [["general-bye"]]
    assert gold_active_domains([H1], acts) == [["hotel"]]
    assert gold_active_domains([{**H1, **T1}], acts) == [["hotel", "train", "general"]]


_STATES = st.lists(
    st.dictionaries(
        st.sampled_from(["hotel", "train", "taxi"]),
        st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy")),
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=200)
@given(_STATES)
def test_estimated_domains_are_at_most_one_that_has_had_slots(states: list[State]) -> None:
    before = deepcopy(states)
    active = domains_from_states(states)
    assert states == before
    assert len(active) == len(states)
    seen: set[str] = set()
    for state, domains in zip(states, active, strict=True):
        seen |= {domain for domain, slots in state.items() if slots}
        assert len(domains) == bool(seen)
        assert set(domains) <= seen


@settings(deadline=None, max_examples=200)
@given(_STATES)
def test_later_turns_do_not_change_what_earlier_ones_are_about(states: list[State]) -> None:
    active = domains_from_states(states)
    for turns in range(len(states)):
        assert domains_from_states(states[:turns]) == active[:turns]
