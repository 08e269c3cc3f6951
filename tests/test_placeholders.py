"""Placeholders become the names of the ontology, plural suffixes and unknown names included."""

from __future__ import annotations

import pytest

from mwz.normalization.responses import normalize_response, ontology

EIGHTEEN = {
    *("ADDRESS", "AREA", "COUNT", "DAY", "DEPARTMENT", "FOOD", "ID", "INTERNET", "NAME"),
    *("PARKING", "PHONE", "PLACE", "POST", "PRICE", "REFERENCE", "TIME", "TRAINID", "TYPE"),
}


def test_the_ontology_has_the_papers_eighteen_slots_and_one_extension() -> None:
    assert set(ontology().values()) == EIGHTEEN | {"OPEN"}
    assert [name for name, slot in ontology().items() if slot == "OPEN"] == ["openhours"]


@pytest.mark.parametrize(("name", "slot"), sorted(ontology().items()))
def test_every_placeholder_is_replaced_by_its_ontology_name(name: str, slot: str) -> None:
    assert normalize_response(f"it is [{name}] now").text == f"it is {slot} now"


@pytest.mark.parametrize("suffix", ["", "s", "es", "-s", "-es"])
def test_a_plural_suffix_goes_with_its_placeholder(suffix: str) -> None:
    assert normalize_response(f"many [value_type]{suffix} here").text == "many TYPE here"


def test_only_a_suffix_right_behind_the_placeholder_is_plural() -> None:
    assert normalize_response("the [type] set").text == "the TYPE set"
    # "es" goes, "t" stays: the suffix need not end a word.
    assert normalize_response("the [type]est").text == "the TYPEt"


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
def test_names_are_looked_up_in_lower_case_and_unknown_ones_vanish(
    response: str, text: str
) -> None:
    assert normalize_response(response).text == text


@pytest.mark.parametrize("response", ["[value-name]", "[]", "[a.b]", "[name"])
def test_what_is_no_placeholder_stays(response: str) -> None:
    normalized = normalize_response(response)
    assert normalized.placeholders == ()
    assert normalized.text.replace(" ", "") == response


def test_unknown_placeholders_are_told_one_per_occurrence() -> None:
    normalized = normalize_response("[Hotel] [name] [value_foo]s [hotel]")
    assert normalized.placeholders == ("hotel", "name", "value_foo", "hotel")
    assert normalized.unknown == ("hotel", "value_foo", "hotel")


def test_the_domains_that_placeholders_name_come_once_each_in_order() -> None:
    normalized = normalize_response("[train_id] [hotel_name] [train_leave] [value_area] [taxi_car]")
    assert normalized.domains == ("train", "hotel", "taxi")


def test_only_placeholders_about_venues_tell_whether_names_have_domains() -> None:
    # hotel_name, hotel_phone and reference identify; the last one names no domain. Area, an
    # unknown name and the day say nothing about a venue.
    normalized = normalize_response(
        "[hotel_name] [hotel_phone] [reference] [hotel_area] [hotel_foo] [train_day]"
    )
    assert (normalized.naming, normalized.identifying) == (2, 3)
