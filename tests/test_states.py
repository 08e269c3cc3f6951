"""Belief states in one spelling: every branch of the value rules, under all rule sets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from mwz.harness import Benchmark, Options, Scorer
from mwz.normalization import (
    clock_of,
    minutes,
    normalize_slot_name,
    normalize_state,
    normalize_value,
    published_rule_sets,
    read_toml,
    rule_set,
    rule_set_names,
)

OLD, NEW = rule_set("2021"), rule_set("2023")
ALL = tuple(map(rule_set, rule_set_names()))
PUBLISHED = tuple(map(rule_set, published_rule_sets()))
SINCE_2023 = tuple(map(rule_set, ("2023", "2026", "next")))
TIME_SLOTS = ("arrive", "leave", "arriveby", "leaveat", "time")
NAME_SLOTS = ("name", "departure", "destination")


@pytest.mark.parametrize(
    ("slot", "name"),
    [
        *(("arriveBy", "arrive"), ("Arrive By", "arrive"), ("arrive", "arrive")),
        *(("leaveAt", "leave"), ("leave at", "leave"), ("leave", "leave"), ("trainID", "trainid")),
        *(("Price Range", "pricerange"), ("entrance fee", "entrancefee")),
        # Only blanks are removed, and only the whole name is an alias.
        *(("book_day", "book_day"), ("arrivebys", "arrivebys")),
    ],
)
def test_slot_names_are_lower_case_without_blanks_and_aliases(slot: str, name: str) -> None:
    for rules in ALL:
        assert normalize_slot_name(slot, rules) == name


@pytest.mark.parametrize(
    ("value", "time"),
    [
        # Whole expressions.
        *(("afternoon", "13:00"), ("lunch", "12:00"), ("noon", "12:00"), ("mid-day", "12:00")),
        *(("around lunch time", "12:00"), ("morning", "08:00"), ("eight thirty", "08:30")),
        *(("seven o'clock tomorrow evening", "07:00"), ("three forty five p.m", "15:45")),
        *(("one thirty p.m.", "13:30"), ("six fourty five", "06:45"), ("  Lunch ", "12:00")),
        ("late afternoon", "late afternoon"),
        # Beginnings.
        *(("one o'clock p.m", "13:00"), ("One o'clock p.m. sharp", "13:00")),
        ("ten o'clock a.m. or so", "10:00"),
        # "by" and the character after it; "after", "afer" and blanks.
        *(("by 10:15", "10:15"), ("by10:15", "00:15"), ("after 9:05", "09:05")),
        *(("after9:05", "09:05"), ("afer 17:45", "17:45"), ("by after 5:00", "05:00")),
        *(("after afer 5:00", "05:00"), ("after by 5:00", "by5:00")),
        # am, then a.m.
        *(("9:30 am", "09:30"), ("9:30am", "09:30"), ("9:30 a.m.", "09:30")),
        *(("10 a.m. am", "10:00"), ("10 am a.m.", "10 am"), ("10 a.m", "10 a.m")),
        # pm, then p.m.: twelve hours later, even from noon.
        *(("2 pm", "14:00"), ("2pm", "14:00"), ("2:15 p.m.", "14:15"), ("02:15pm", "14:15")),
        *(("2 :15 pm", "14:15"), ("12 pm", "24:00"), ("13:15 pm", "25:15"), ("pm", "00:00")),
        *(("3 p.m. pm", "15:00"), ("9 am pm", "9 am"), ("9 pm am", "21:00")),
        *(("1715 pm", "1727:00"), ("noonish pm", "noonish"), ("2:15:30 pm", "2:15:30")),
        # Nothing left.
        *((value, "00:00") for value in ("", "   ", "by", "after", "am")),
        # One final mark.
        *(("10:15.", "10:15"), ("10:15,", "10:15"), ("10:15?", "10:15"), ("10:15??", "10:15?")),
        (".", ""),
        # Digits alone.
        *(("1745", "17:45"), ("0915", "09:15"), ("7", "07:00"), ("17", "17:00")),
        *(("915", "915:00"), ("17455", "17455:00")),
        # Blanks around a colon; one digit before it.
        *(("10 : 15", "10:15"), ("9 : 15", "09:15"), ("9:15", "09:15"), ("9:5", "9:5")),
        *(("10:15", "10:15"), ("24:30", "24:30")),
        # All else as it is.
        *(("ten thirty", "ten thirty"), ("dontcare", "dontcare")),
    ],
)
def test_times_become_hh_mm_where_they_can_be_read(value: str, time: str) -> None:
    for slot in TIME_SLOTS:
        for rules in PUBLISHED:
            assert normalize_value(slot, value, rules) == time


@pytest.mark.parametrize(
    ("value", "time"),
    [
        # Other signs than a colon, or none.
        *(("08.30", "08:30"), ("8h30", "08:30"), ("830", "08:30"), ("17:30:00", "17:30")),
        ("10:15??", "10:15"),
        # Words before it.
        *(("before 17:30", "17:30"), ("by10:15", "10:15"), ("around 9.05", "09:05")),
        # Noon and midnight by a clock of twelve hours.
        *(("12:15 pm", "12:15"), ("12 pm", "12:00"), ("12:15 am", "00:15"), ("5 p.m", "17:00")),
        # A clock of 24 hours needs no pm.
        *(("13:15 pm", "13:15"), ("13:15 am", "13:15")),
        # Any other is read as published rule sets read it.
        *(("9:15", "09:15"), ("7", "07:00"), ("24:30", "24:30"), ("noon", "12:00"), ("", "00:00")),
        *(("ten o'clock a.m. or so", "10:00"), ("dontcare", "dontcare")),
        # Two times are none.
        ("10:15 or 11:15", "10:15or11:15"),
    ],
)
def test_the_next_rule_set_reads_times_in_other_notations(value: str, time: str) -> None:
    for slot in TIME_SLOTS:
        assert normalize_value(slot, value, rule_set("next")) == time


def test_only_the_next_rule_set_reads_concert_hall() -> None:
    read = {rules.name: normalize_value("type", "concert hall", rules) for rules in ALL}
    assert read == {**dict.fromkeys(published_rule_sets(), "concert hall"), "next": "concerthall"}


def test_an_absurdly_long_hour_is_no_error() -> None:
    digits = "9" * 5000
    assert normalize_value("time", f"{digits} pm", OLD) == f"{digits}:00"


@pytest.mark.parametrize(
    ("value", "old", "new"),
    [
        ("  Curry Garden ", "curry garden", "curry garden"),
        ("eraina & co", "eraina and co", "eraina and co"),
        ("eraina&co", "eraina and co", "eraina and co"),
        # The first replacement takes one blank on each side, the second adds one.
        ("a  &b", "a   and b", "a   and b"),
        ("john 's place", "john's place", "john's place"),
        ("nando's", "nandos", "nandos"),
        ("nando 's", "nandos", "nandos"),
        ("Cafe Uno", "caffe uno", "caffe uno"),
        ("christ college", "christ's college", "christ's college"),
        # 2023: the phrase goes first, then the table is asked.
        ("rosas bed and breakfast", "rosas bed and breakfast", "rosas b and b"),
        ("finches bed & breakfast", "finches bed and breakfast", "finches b and b"),
        ("rosa's", "rosas bed and breakfast", "rosas bed and breakfast"),
        ("city center bed and breakfast",) * 2 + ("city center north b and b",),
        ("a and b guest house", "a and b guest house", "a and b guesthouse"),
        ("acorn guesthouse", "acorn guesthouse", "acorn guest house"),
        ("acorn house", "acorn guest house", "acorn guest house"),
    ],
)
def test_names_and_places_follow_the_rule_set(value: str, old: str, new: str) -> None:
    for slot in NAME_SLOTS:
        assert normalize_value(slot, value, OLD) == old
        for rules in SINCE_2023:
            assert normalize_value(slot, value, rules) == new


@pytest.mark.parametrize(
    ("slot", "value", "canonical"),
    [
        ("food", " Portugese ", "portuguese"),
        ("food", "Thai", "thai"),
        ("food", "asian or oriental", "asian"),
        # Types are compared just as they are.
        ("type", "night club", "nightclub"),
        ("type", "Night Club", "Night Club"),
        ("type", " night club", " night club"),
        *(("parking", "free", "yes"), ("internet", "free", "yes"), ("parking", "Free", "Free")),
        ("internet", "no", "no"),
        # No rule at all: other slots.
        *(("area", " Centre ", " Centre "), ("pricerange", "free", "free"), ("stars", "4", "4")),
        *(("day", "9 pm", "9 pm"), ("booktime", "9 pm", "9 pm"), ("duration", "9 am", "9 am")),
    ],
)
def test_other_values_follow_the_rule_of_their_slot(slot: str, value: str, canonical: str) -> None:
    for rules in ALL:
        assert normalize_value(slot, value, rules) == canonical


def test_a_state_gets_new_names_and_values_and_the_given_one_is_kept() -> None:
    state = {"train": {"arriveBy": "9:15", "leave At": "2 pm"}, "taxi": {}}
    before = deepcopy(state)
    assert normalize_state(state, OLD) == {
        "train": {"arrive": "09:15", "leave": "14:00"},
        "taxi": {},
    }
    assert state == before


# Rule sets.


def test_an_unknown_rule_set_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"'2022'; choose from 2021, 2023, .*next"):
        rule_set("2022")


def test_the_order_of_phrases_is_part_of_the_digest() -> None:
    """They are made alike one after the other: " & " before "&"."""
    phrases = dict(reversed(OLD.tables["name_phrases"].items()))
    other = replace(OLD, tables={**OLD.tables, "name_phrases": phrases})
    assert other.digest != OLD.digest
    assert normalize_value("name", "a & b", OLD) == "a and b"
    assert normalize_value("name", "a & b", other) == "a  and  b"


@pytest.mark.parametrize(
    ("time", "since_midnight"),
    [
        *(("00:00", 0), ("09:05", 9 * 60 + 5), ("24:00", 24 * 60), ("10:15:30", 10 * 60 + 15)),
        *((time, 0) for time in ("9:05", " 09:05", "135:00", "", "?")),
        # Digits of other scripts are not read as a clock.
        ("\u0661\u0662:\u0663\u0660", 0),
    ],
)
def test_minutes_are_read_off_what_begins_as_a_clock(time: str, since_midnight: int) -> None:
    assert minutes(time) == since_midnight


_SLOTS = st.sampled_from(
    ["name", "departure", "food", "type", "arrive", "leaveAt", "Time", "parking", "area", "x y"]
)
_VALUES = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="0123456789:apm. byfter&'", max_size=12),
    st.sampled_from(sorted(key for t in read_toml("tables/values.toml").values() for key in t)),
)
_STATES = st.dictionaries(
    st.sampled_from(["hotel", "train"]), st.dictionaries(_SLOTS, _VALUES, max_size=4)
)


@settings(deadline=None, max_examples=200)
@given(_STATES, st.sampled_from(rule_set_names()))
def test_normalising_changes_no_argument(state: dict[str, dict[str, str]], rules: str) -> None:
    before = deepcopy(state)
    normalized = normalize_state(state, rule_set(rules))
    assert state == before
    assert list(normalized) == list(state)
    for domain, slots in normalized.items():
        names = {normalize_slot_name(slot, rule_set(rules)) for slot in state[domain]}
        assert set(slots) == names
        assert all(isinstance(value, str) for value in slots.values())


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(["food", "type", "parking", "internet", "area"]), _VALUES)
def test_all_values_but_names_and_times_are_settled_after_one_pass(slot: str, value: str) -> None:
    # Names are not: "&" becomes " and ", which a second pass strips. Times are not: "." becomes
    # the empty text, which a second pass takes for midnight.
    for rules in ALL:
        once = normalize_value(slot, value, rules)
        assert normalize_value(slot, once, rules) == once


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 23), st.integers(0, 59))
def test_clock_times_are_canonical_in_every_spelling(hour: int, minute: int) -> None:
    canonical = f"{hour:02}:{minute:02}"
    spellings = [
        canonical,
        f"{hour}:{minute:02}",
        f"{hour:02}{minute:02}",
        f"{hour:02} : {minute:02}",
    ]
    spellings += [f"by {canonical}", f"after {canonical}", f"{canonical}."]
    if hour >= 12:
        spellings += [f"{hour - 12}:{minute:02} pm", f"{hour - 12}:{minute:02}p.m."]
    for spelling in spellings:
        for rules in ALL:
            assert normalize_value("leave", spelling, rules) == canonical
    for rules in PUBLISHED:
        assert normalize_value("leave", f"{canonical} am", rules) == canonical
    assert minutes(canonical) == 60 * hour + minute


def test_where_two_spellings_of_a_slot_meet_the_later_one_wins() -> None:
    for state in ({"area": "north", "Area": "south"}, {"Area": "north", "area": "south"}):
        assert normalize_state({"hotel": state}, OLD) == {"hotel": {"area": "south"}}


@pytest.mark.real_data
def test_mars_gains_by_times_and_concert_halls_in_the_next_rule_set(
    multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]
) -> None:
    figures = {}
    for rules in ("2026", "next"):
        options = Options(rules=rules, setup="strict", metrics=("inform", "success"))
        report = Scorer(multiwoz, options).score(predictions("mars"))
        figures[rules] = (report.inform, report.success)
    assert figures == {"2026": (88.9, 78.0), "next": (89.2, 78.2)}


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        *((text, "17:30") for text in ("17:30", "17.30", "17h30", "1730", "17:30:00", "17 : 30")),
        *((text, "17:30") for text in ("5:30 pm", "5:30PM", "5.30 p.m.", "530 pm", "by 17:30.")),
        ("5 pm", "17:00"),
        ("5:30", "05:30"),
        ("730", "07:30"),
        # Twelve is the first hour of each half.
        ("12:15 pm", "12:15"),
        ("12:15 am", "00:15"),
        ("0:05", "00:05"),
        # No time, no time of day, or more than one.
        *((text, None) for text in ("", "soon", "9", "quarter to 5", "7:5", "24:15", "25:10")),
        *((text, None) for text in ("17:30-18:30", "10:00 or 11:00", "12345")),
    ],
)
def test_a_clock_time_is_read_in_any_notation(text: str, clock: str | None) -> None:
    assert clock_of(text) == clock
