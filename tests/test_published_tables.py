"""What the entries of the published tables do to a belief state or a response.

That no entry of them changes, the digests of `test_rules.py` tell.
"""

from __future__ import annotations

import pytest

from mwz.normalization import (
    RuleSet,
    normalize_response,
    normalize_value,
    published_rule_sets,
    rule_set,
    rule_set_names,
)

ALL = tuple(map(rule_set, rule_set_names()))
PUBLISHED = tuple(map(rule_set, published_rule_sets()))

# Slots whose values have other spellings.
SPELLED = ("food", "type", "parking", "internet", "name")


@pytest.mark.parametrize("slot", SPELLED)
def test_a_spelling_becomes_its_canonical_value(slot: str) -> None:
    for spelling, canonical in rule_set("2021").tables[slot].items():
        for rules in ALL:
            assert normalize_value(slot, spelling, rules) == canonical


def test_a_placeholder_becomes_its_ontology_name() -> None:
    for name, slot in rule_set("2021").ontology.items():
        for rules in ALL:
            assert normalize_response(f"see [{name}]", rules).text == f"see {slot}", name


@pytest.mark.parametrize(
    ("slot", "spelling", "canonical"),
    [
        ("food", "portugese", "portuguese"),
        ("type", "mutliple sports", "multiple sports"),
        ("parking", "free", "yes"),
        ("name", "restaurant 2 two", "restaurant two two"),
        ("name", "rosa's", "rosas bed and breakfast"),
    ],
)
def test_these_spellings_have_these_values(slot: str, spelling: str, canonical: str) -> None:
    assert rule_set("2021").tables[slot][spelling] == canonical


@pytest.mark.parametrize(
    ("placeholder", "slot"),
    [
        ("hotel_phone", "PHONE"),
        ("value_id", "TRAINID"),
        ("hospital_id", "ID"),
        ("bookstay", "COUNT"),
        ("entrance fee", "PRICE"),
        ("train_duration", "TIME"),
    ],
)
def test_these_placeholders_have_these_names(placeholder: str, slot: str) -> None:
    assert rule_set("2021").ontology[placeholder] == slot


@pytest.mark.parametrize("rules", PUBLISHED, ids=published_rule_sets())
def test_slots_follow_these_rules(rules: RuleSet) -> None:
    assert rules.tables["value_rules"] == {
        **dict.fromkeys(("name", "departure", "destination"), "name"),
        **dict.fromkeys(("arrive", "leave", "arriveby", "leaveat", "time"), "time"),
        **{slot: slot for slot in ("type", "food", "parking", "internet")},
    }
    assert rules.tables["slot_aliases"] == {"arriveby": "arrive", "leaveat": "leave"}


@pytest.mark.parametrize("rules", PUBLISHED, ids=published_rule_sets())
def test_these_values_ask_for_nothing_and_this_one_is_not_known(rules: RuleSet) -> None:
    assert rules.no_constraint == {
        *("dontcare", "not mentioned", "don't care", "dont care", "do n't care", "do not care")
    }
    assert rules.unknown == "?"
    assert rules.fuzzy_ratio == 90


@pytest.mark.parametrize("rules", PUBLISHED, ids=published_rule_sets())
def test_what_is_deleted_from_responses_goes_in_this_order(rules: RuleSet) -> None:
    assert rules.tables["responses"]["deleted"] == ["-s", "-ly"]
    # "-l-sy" becomes "-ly" by the first and nothing by the second.
    assert normalize_response("quick-l-sy cat-s", rules).text == "quick cat"


@pytest.mark.parametrize("rules", PUBLISHED, ids=published_rule_sets())
def test_fuzzy_and_time_columns_are_the_same_under_published_rules(rules: RuleSet) -> None:
    assert {domain: set(venue.fuzzy) for domain, venue in rules.venue_rules.items()} == {
        "restaurant": {"name", "food"},
        "hotel": {"name"},
        "attraction": {"name"},
        "train": {"departure", "destination"},
    }
    assert {domain: venue.identifier for domain, venue in rules.venue_rules.items()} == {
        **dict.fromkeys(("restaurant", "hotel", "attraction"), "id"),
        "train": "trainid",
    }
    assert rules.domains == (
        *("restaurant", "hotel", "attraction", "train"),
        *("taxi", "police", "hospital"),
    )


@pytest.mark.parametrize(
    ("name", "date", "venues", "normalises_venues", "phrases"),
    [
        ("2021", "2021-08", "2021", False, [" & ", "&", " '"]),
        ("2023", "2023-01", "2023", False, [" & ", "&", " '", "bed and breakfast"]),
        ("2026", "2026-11", "2023", True, [" & ", "&", " '", "bed and breakfast"]),
    ],
)
def test_published_rule_sets_differ_in_this(
    name: str, date: str, venues: str, normalises_venues: bool, phrases: list[str]
) -> None:
    rules = rule_set(name)
    assert (rules.date, rules.venues, rules.normalises_venues) == (date, venues, normalises_venues)
    assert list(rules.tables["name_phrases"]) == phrases
