"""What is read as it was meant, and what a value that is not was meant for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import pytest
from helpers import RULES, benchmark, dialogue
from hypothesis import given, strategies as st

from mwz.harness.submission import Submission, Turn, checked_submission, standard_form
from mwz.harness.submission.checking import repaired
from mwz.harness.submission.formats.standard import StateChecks
from mwz.harness.submission.profile.vocabulary import (
    fold,
    plain_value,
    read_value,
    vocabulary_of,
    vocabulary_of_states,
)

# Repairs.


@pytest.mark.parametrize(
    ("domain", "slot", "value", "plain"),
    [
        ("hotel", "area", "north", "north"),
        # Case, blanks, and other forms of characters.
        ("hotel", "area", "  North ", "north"),
        ("hotel", "name", "Kettle\u2019s\u00a0  Yard", "kettle's yard"),
        ("hotel", "name", "caf\u00e9 &amp; bar", "cafe & bar"),
        ("hotel", "stars", "\uff14", "4"),
        # A hotel's type, and nothing else of that spelling.
        *(
            ("hotel", "type", value, "guesthouse")
            for value in ("guest-house", "Guesthouses", "guest houses", "GUEST-HOUSES")
        ),
        ("hotel", "type", "hotels", "hotel"),
        ("hotel", "Type", "guest-house", "guesthouse"),
        ("hotel", "type", "guest house", "guest house"),
        ("hotel", "name", "guest-house", "guest-house"),
        ("attraction", "type", "guesthouses", "guesthouses"),
        # What says nothing is no value; what a query of the public evaluator has is left.
        *(
            ("hotel", "area", value, None)
            for value in ("not mentioned", "Not_Given", "NULL", "n/a")
        ),
        *(("hotel", "area", value, value) for value in ("", "none", "None", " ")),
        # A spelling of dontcare in lower case is made plain, any other case is left.
        ("hotel", "area", "don\u2019t care", "don't care"),
        ("hotel", "area", "dont_care", "dont care"),
        *(("hotel", "area", value, value) for value in ("dontcare", "Dontcare", "DON'T CARE")),
        # Words and times are told, not repaired.
        *(("hotel", "area", value, value) for value in ("center", "any", "unknown")),
        *(("train", "leave", value, value) for value in ("17.30", "5:30 pm", "1730")),
    ],
)
def test_values_are_read_plainly(domain: str, slot: str, value: str, plain: str | None) -> None:
    assert plain_value(domain, slot, value) == plain


def _read(*turns: Mapping[str, object], checks: StateChecks | None = None) -> Submission:
    on = benchmark({"d0": dialogue({}, len(turns))})
    standard = standard_form({"d0": list(turns)}, "x")
    return checked_submission(standard, on, "x", RULES, checks or StateChecks())


def _notes(submission: Submission, kind: str) -> list[str]:
    return [
        remark.message
        for remark in submission.remarks
        if remark.kind == kind and not remark.warning
    ]


def test_a_note_says_how_many_values_are_read_as_what() -> None:
    first = {"hotel": {"area": "North", "stars": "not mentioned"}}
    second = {"hotel": {"area": "North", "type": "guest-house"}}
    submission = _read({"response": "hi", "state": first}, {"response": "hi", "state": second})
    states = [turn.state for turn in submission.dialogues["d0"]]
    assert states == [
        {"hotel": {"area": "north"}},
        {"hotel": {"area": "north", "type": "guesthouse"}},
    ]
    assert _notes(submission, "values") == [
        "4 values of states are read in plain spelling: 'North' as 'north' 2×, "
        "'not mentioned' as 'nothing' 1×, 'guest-house' as 'guesthouse' 1×"
    ]


def test_a_note_names_the_characters_that_are_made_plain() -> None:
    submission = _read({"response": "a\u00a0b\u200b"}, {"response": "c\u00a0[name]"})
    assert [turn.response for turn in submission.dialogues["d0"]] == ["a b", "c [name]"]
    assert _notes(submission, "responses") == [
        "characters of responses are read in plain form: U+00A0, U+200B"
    ]


def test_what_is_plain_is_read_without_a_note() -> None:
    turn = {"response": "hi", "state": {"hotel": {"area": "north", "stars": "dontcare"}}}
    submission = _read(turn)
    assert submission.dialogues["d0"][0].state == turn["state"]
    assert _notes(submission, "values") + _notes(submission, "responses") == []


def test_a_file_with_gold_states_of_its_own_is_compared_as_it_is() -> None:
    turn = {"state": {"hotel": {"area": "North "}}, "gold_state": {"hotel": {"area": "NORTH"}}}
    standard = standard_form({"x": [turn]}, "x")
    checks = StateChecks(tracked=True, any_name=True)
    submission = checked_submission(standard, None, "x", RULES, checks)
    (read,) = submission.dialogues["x"]
    assert (read.state, read.gold) == (turn["state"], turn["gold_state"])
    assert _notes(submission, "values") == []


_VALUES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        [
            "Dontcare",
            "don\u2019t care",
            "Not Mentioned",
            "none",
            "",
            " Guest-House ",
            "\uff14 stars",
        ]
    ),
)
_STATES = st.dictionaries(
    st.sampled_from(["hotel", "train"]),
    st.dictionaries(st.sampled_from(["type", "area", "leave"]), _VALUES, max_size=3),
    max_size=2,
)


@given(_STATES, st.text(max_size=20).filter(lambda text: "&" not in text))
def test_repairs_are_idempotent(state: dict[str, dict[str, str]], response: str) -> None:
    before = {domain: dict(slots) for domain, slots in state.items()}
    given_turns = {"d0": [Turn(response, state, None)]}
    once, _ = repaired(given_turns)
    assert state == before
    twice, notes = repaired(once)
    assert twice == once
    assert notes == []


# What values were meant for.

_GOLD = {
    "hotel": {"area": "centre", "type": "guesthouse", "pricerange": "moderate", "parking": "yes"},
    "restaurant": {"food": "gastropub", "name": "the golden spoon", "time": "17:30"},
    "train": {"leave": "09:00", "departure": "london kings cross"},
    "attraction": {"type": "concerthall"},
}
_OTHER = {
    "hotel": {"type": "hotel", "stars": "4", "people": "2", "day": "monday"},
    "restaurant": {"food": "north american"},
    "attraction": {"type": "swimming pool"},
}
_TOWN = benchmark({"d0": dialogue({}, 2, states=[_OTHER, _GOLD])})


# What is remarked -> domain, slot and the value that is meant -> how it is written.
_WRITTEN: Mapping[str | None, Mapping[tuple[str, str, str | None], Sequence[str]]] = {
    # In order: the benchmark's value, in any case and characters, and what asks for nothing.
    None: {
        ("hotel", "area", None): ("centre", " Centre", "dontcare", "not mentioned"),
        ("hotel", "type", None): ("guest-houses",),
        ("train", "leave", None): ("10:15", "after 5:30 pm"),
    },
    # None of these is a value.
    "value_empty": {("hotel", "area", ""): ("none", "", "unknown", "N.A.", "undefined", "[none]")},
    "value_dontcare": {
        ("hotel", "area", "dontcare"): (
            "any",
            "doesn't matter",
            "no preference",
            "any area",
            "Whatever",
        )
    },
    "value_spelling": {
        # Words, plurals, blanks and hyphens.
        ("hotel", "area", "centre"): (
            "center",
            "the centre of town",
            "city centre",
            "Central",
            "centre area",
        ),
        ("hotel", "type", "guesthouse"): ("b&b", "bed and breakfast"),
        ("hotel", "stars", "4"): ("4 stars", "4-star", "four"),
        ("hotel", "people", "2"): ("two people",),
        ("hotel", "day", "monday"): ("Mon", "on mondays"),
        ("hotel", "pricerange", "moderate"): ("moderately priced",),
        ("hotel", "parking", "yes"): ("true",),
        ("restaurant", "food", "gastropub"): ("gastropubs",),
        ("restaurant", "food", "north american"): ("north-american food",),
        ("attraction", "type", "concerthall"): ("concert hall",),
        # Several values in one.
        ("restaurant", "food", None): ("gastropub or thai",),
        # Times in other notations. The rules read 12:15 am as a quarter past twelve.
        ("restaurant", "time", "17:30"): ("17h30",),
        ("train", "leave", "00:15"): ("12:15 am",),
        ("train", "leave", "12:15"): ("12:15 pm",),
    },
    "value_time": {("train", "leave", None): ("soon", "between 10:00 and 11:00")},
    # Anything else is unknown; a word that tells nothing apart is not another such word.
    "value_unknown": {("hotel", "area", None): ("moon",), ("hotel", "type", None): ("restaurant",)},
}


@pytest.mark.parametrize("feature", _WRITTEN)
def test_what_a_value_was_meant_for(feature: str | None) -> None:
    vocabulary = vocabulary_of(_TOWN, RULES)
    for (domain, slot, meant), values in _WRITTEN[feature].items():
        for value in values:
            reading = read_value(vocabulary, domain, slot, value)
            assert (reading.feature, reading.meant) == (feature, meant), value


def test_to_a_tracker_absent_values_are_in_order() -> None:
    vocabulary = vocabulary_of(_TOWN, RULES)
    for value in ("none", "", "Not Mentioned", "Dontcare"):
        assert read_value(vocabulary, "hotel", "area", value, states_only=True).feature is None
    reading = read_value(vocabulary, "hotel", "area", "unknown", states_only=True)
    assert reading.feature == "value_empty"


def test_values_beside_gold_of_the_file_are_compared_as_written() -> None:
    vocabulary = vocabulary_of_states([[{"hotel": {"time": "9:00"}}]], RULES, as_written=True)
    read = partial(read_value, vocabulary, "hotel", "time", states_only=True)
    assert read("9:00").feature is None
    # Another spelling of gold's is odd; another time is not.
    assert read("9:00 ").meant == "9:00"
    assert read("10:15").feature is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Guest House", "guesthouses"),
        ("golden-spoon", "The Golden Spoon"),
        ("fish & chips", "fish and chips"),
        ("caf\u00e9 uno", "CAFE UNO"),
    ],
)
def test_spelling_tells_no_values_apart(first: str, second: str) -> None:
    assert fold(first) == fold(second)


def test_short_words_keep_their_end() -> None:
    assert fold("bus") != fold("bu")
