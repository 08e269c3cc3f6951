"""Active domains: each sentence of their definitions."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness.benchmark import gold_active_domains
from mwz.harness.metrics.setups import domains_from_states

State = dict[str, dict[str, str]]

H1: State = {"hotel": {"area": "north"}}
H2: State = {"hotel": {"area": "south"}}
T1: State = {"train": {"day": "monday"}}


BOTH: State = {**H1, **T1}
TAXI: State = {"taxi": {"leave": "1"}}
THREE: State = {**TAXI, **H1, **T1}
STARS: State = {"hotel": {"area": "north", "stars": "4"}}


@pytest.mark.parametrize(
    ("states", "domains"),
    [
        # Without a state there is none; a domain without slots has not changed.
        ([], []),
        ([{}, {}], [[], []]),
        ([{"hotel": {}}, {"hotel": {}, **T1}], [[], ["train"]]),
        # A changed domain becomes current and stays.
        ([{}, H1, H1, {}], [[], ["hotel"], ["hotel"], ["hotel"]]),
        # Another value of a slot is a change.
        ([H1, BOTH, {**H2, **T1}], [["hotel"], ["train"], ["hotel"]]),
        # A removed slot is none: turn 1 moves on to the train, turn 2 only drops the hotel's stars.
        ([STARS, {**STARS, **T1}, BOTH], [["hotel"], ["train"], ["train"]]),
        # The current one stays as long as it changes too, although another has more slots.
        (
            [H1, {"train": {"day": "m", "people": "2", "leave": "9"}, **STARS}],
            [["hotel"], ["hotel"]],
        ),
        # Of several that changed, the one with most slots; of equals the first of the state.
        ([{**H1, "train": {"day": "m", "people": "2"}}], [["train"]]),
        ([{**T1, **H1}], [["train"]]),
        ([BOTH], [["hotel"]]),
        # All slots count, not only the new ones: the hotel (3, 1 new) and the taxi (2, both new).
        (
            [
                STARS,
                {**STARS, **T1},
                {
                    "taxi": {"leave": "10:00", "destination": "x"},
                    "hotel": {**STARS["hotel"], "name": "y"},
                    **T1,
                },
            ],
            [["hotel"], ["train"], ["hotel"]],
        ),
        # When nothing changes after two changed, the other one becomes current; and no other
        # follows in the next turn: the last changed domains are then none.
        ([BOTH, BOTH, BOTH], [["hotel"], ["train"], ["train"]]),
        # Of three the first that is not current follows, if it is still in the state.
        ([THREE, THREE], [["taxi"], ["hotel"]]),
        ([THREE, {**TAXI, **T1}], [["taxi"], ["train"]]),
        ([THREE, TAXI], [["taxi"], ["taxi"]]),
        # The hotel is gone in turn 1, so that in turn 2 it is new again.
        ([BOTH, T1, BOTH], [["hotel"], ["train"], ["hotel"]]),
    ],
)
def test_domains_from_changes_of_states(states: list[State], domains: list[list[str]]) -> None:
    assert domains_from_states(states) == domains


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


def test_a_turn_without_domains_has_those_of_the_turn_before() -> None:
    acts = [["Hotel-Inform"], ["Booking-Book"], []]
    assert gold_active_domains([{}, {}, {}], acts) == [["hotel"], ["hotel"], ["hotel"]]
    assert gold_active_domains([{}], [[]]) == [[]]


def test_general_goes_beside_a_single_other_domain() -> None:
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
