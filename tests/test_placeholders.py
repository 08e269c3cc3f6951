"""Placeholders become the names of the ontology, plural suffixes and unknown names included."""

from __future__ import annotations

import pytest

from mwz.normalization import (
    normalize_response,
    normalized_text,
    placeholder_names,
    rule_set,
    rule_set_names,
)

RULES = rule_set("2021")


def test_the_ontology_has_the_papers_eighteen_slots_and_one_extension() -> None:
    for ontology in (rule_set(name).ontology for name in rule_set_names()):
        assert len({*ontology.values()} - {"OPEN"}) == 18
        opening = {name for name, slot in ontology.items() if slot == "OPEN"}
        assert {"openhours"} <= opening <= {"openhours", "attraction_openhours"}
        assert all(name == name.lower() for name in ontology)


@pytest.mark.parametrize("suffix", ["", "s", "es", "-s", "-es"])
def test_a_plural_suffix_goes_with_its_placeholder(suffix: str) -> None:
    assert normalized_text(f"many [value_type]{suffix} here", RULES) == "many TYPE here"


def test_only_a_suffix_right_behind_the_placeholder_is_plural() -> None:
    assert normalized_text("the [type] set", RULES) == "the TYPE set"
    # "es" goes, "t" stays: the suffix need not end a word.
    assert normalized_text("the [type]est", RULES) == "the TYPEt"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("see [hotel] now", "see now"),
        ("see [hotel]s now", "see now"),
        ("see [domain_hotel]", "see"),
        ("[Hotel_Name] is [HOTEL_AREA]", "NAME is AREA"),
        ("[price range] and [arrive by]", "PRICE and TIME"),
    ],
)
def test_lookup_ignores_case_and_drops_unknown_names(response: str, text: str) -> None:
    assert normalized_text(response, RULES) == text


@pytest.mark.parametrize("response", ["[value-name]", "[]", "[a.b]", "[name"])
def test_what_is_no_placeholder_stays(response: str) -> None:
    assert placeholder_names(response) == []
    assert normalized_text(response, RULES).replace(" ", "") == response


def test_unknown_placeholders_are_told_one_per_occurrence() -> None:
    response = "[Hotel] [name] [value_foo]s [hotel]"
    assert placeholder_names(response) == ["hotel", "name", "value_foo", "hotel"]
    assert normalize_response(response, RULES)[1].unknown == ("hotel", "value_foo", "hotel")


def test_the_slots_of_each_domain_that_placeholders_name_come_in_order() -> None:
    response = "[train_id] [hotel_name] [train_leave] [value_area] [taxi_foo]"
    slots = normalize_response(response, RULES)[1].domain_slots
    assert [*slots.items()] == [
        ("train", ("TRAINID", "TIME")),
        ("hotel", ("NAME",)),
        ("taxi", ("",)),
    ]


def test_only_placeholders_about_venues_count_for_domains() -> None:
    # hotel_name, hotel_phone and reference identify; the last one names no domain. Area, an
    # unknown name and the day say nothing about a venue.
    response = "[hotel_name] [hotel_phone] [reference] [hotel_area] [hotel_foo] [train_day]"
    placeholders = normalize_response(response, RULES)[1]
    assert (placeholders.with_domain, placeholders.about_venues) == (2, 3)
