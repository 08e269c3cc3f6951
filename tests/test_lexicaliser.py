"""Lexicalising: placeholders filled with the values of venues that the belief state finds."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from helpers import RULES, parse_submission
from hypothesis import given, settings, strategies as st
from lexicaliser import Lexicaliser, lexicalised_predictions

from mwz.harness import Benchmark, Options
from mwz.harness.data import load_benchmark
from mwz.harness.scoring import Scorer, database_of, delexicaliser_of, normalize, report_on
from mwz.normalization import BeliefState
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
VENUES = SAMPLE.venue_records(RULES)
LEXICALISE = Lexicaliser(Delexicaliser(VENUES, RULES), database_of(Scorer(SAMPLE)), RULES)

# The one Italian restaurant in the centre of the sample.
ATTIC: BeliefState = {"restaurant": {"food": "italian", "area": "centre"}}


def _written(
    *responses: str, state: BeliefState = ATTIC, domain: str = "restaurant", seed: int = 1
) -> list[str]:
    turns = len(responses)
    return LEXICALISE(responses, [state] * turns, [[domain]] * turns, seed)


def test_values_are_those_of_a_venue_that_the_state_finds() -> None:
    assert _written("[name] ([food], [pricerange]) is at [address], [postcode]: [phone].") == [
        "Nonna's Attic (italian, moderate) is at 17 spindle street, bw12sp: 01632960106."
    ]


def test_placeholders_may_name_their_domain() -> None:
    state = {**ATTIC, "hotel": {"area": "east", "pricerange": "cheap"}}
    assert _written("[restaurant_name] and [hotel_name], [hotel_phone]", state=state) == [
        "Nonna's Attic and Skylark Inn, 01632960207"
    ]


def test_a_venue_is_kept_as_long_as_the_state_finds_it() -> None:
    centre = {"restaurant": {"area": "centre"}}
    first, second, third = LEXICALISE(
        ["[name]", "[name]", "[name]"],
        [centre, centre, {"restaurant": {"area": "north"}}],
        [["restaurant"]] * 3,
        seed=4,
    )
    assert first == second != third


def test_a_second_name_in_a_response_is_another_venue_of_those_that_are_counted() -> None:
    # Two restaurants are Indian.
    (text,) = _written("[choice]: [name] or [name]", state={"restaurant": {"food": "indian"}})
    count, names = text.split(": ")
    assert count == "2"
    assert set(names.split(" or ")) == {"Saffron And Sail", "Marigold Tiffin"}


def test_where_the_state_finds_nothing_any_venue_is_named() -> None:
    names = {record["name"].lower() for record in VENUES["restaurant"]}
    for state in ({}, {"restaurant": {"food": "martian"}}):
        (text,) = _written("[name]", state=state)
        assert text.lower() in names


def test_trains_tell_their_own_times_and_stations() -> None:
    wanted = {"departure": "ostley", "destination": "brackwater", "day": "saturday"}
    (text,) = _written(
        "[trainid] from [departure] to [destination], [leaveat] - [arriveby], [price]",
        state={"train": wanted},
        domain="train",
    )
    record = next(train for train in VENUES["train"] if train["trainID"] == text.split()[0])
    assert text == (
        f"{record['trainID']} from ostley to brackwater, "
        f"{record['leaveAt']} - {record['arriveBy']}, {record['price']}"
    )


def test_what_no_venue_has_is_made_up_or_taken_from_the_state() -> None:
    state = {"hotel": {"bookpeople": "3", "bookstay": "5", "bookday": "monday"}}
    (text,) = _written("[people]/[stay]/[day]/[reference]", state=state, domain="hotel")
    assert re.fullmatch(r"3/5/monday/[A-Z][A-Z0-9]{6}7", text)
    (text,) = _written("[car], [phone]", state={}, domain="taxi")
    assert re.fullmatch(r"[a-z]+ [a-z]+, 07[0-9]{9}", text)


def test_an_unknown_placeholder_is_replaced_by_nothing() -> None:
    assert _written("a [something] here") == ["a  here"]


_STATES = st.dictionaries(
    st.sampled_from(("restaurant", "hotel", "attraction", "train", "taxi")),
    st.dictionaries(
        st.sampled_from(("area", "name", "day", "leave", "food", "bookpeople")),
        st.sampled_from(("centre", "brine", "saturday", "10:00", "dontcare", "nowhere")),
    ),
)


@given(
    st.lists(st.sampled_from(sorted(RULES.ontology)), max_size=5),
    _STATES,
    st.sampled_from(("restaurant", "hotel", "attraction", "train", "taxi", "police", "")),
    st.integers(),
)
@settings(max_examples=200, deadline=None)
def test_no_known_placeholder_is_left(
    names: list[str], state: BeliefState, domain: str, seed: int
) -> None:
    response = ", ".join(f"[{name}]" for name in names)
    (text,) = LEXICALISE([response], [state], [[domain] if domain else []], seed)
    assert "[" not in text
    assert text.count(",") >= len(names) - 1


@pytest.mark.real_data
def test_a_published_system_comes_back(
    multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]
) -> None:
    """SOLOIST in docs/lexicalised.md."""
    scorer = Scorer(multiwoz, Options(setup="strict", metrics=("inform",)))
    submission = parse_submission(predictions("soloist"), multiwoz, "soloist")
    delexicalise = delexicaliser_of(scorer)
    back = {
        id_: [{**turn, "response": delexicalise(turn["response"]).text} for turn in turns]
        for id_, turns in lexicalised_predictions(submission, scorer, seed=1).items()
    }
    before, again = report_on(scorer, normalize(scorer, submission)), scorer.score(back)
    assert before.inform == pytest.approx(82.3, abs=0.05)
    assert before.success == pytest.approx(72.4, abs=0.05)
    assert again.inform == pytest.approx(82.2, abs=0.05)
    assert again.success == pytest.approx(72.5, abs=0.05)
