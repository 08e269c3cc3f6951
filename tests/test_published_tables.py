"""What the published tables say, entry by entry, written down a second time.

A digest tells that a table is another one; these tests tell which entry, and what it does to a
belief state or a response. They name every entry, so that one that is dropped is missed.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mwz.normalization.responses import normalize_response
from mwz.normalization.rules import RuleSet, published_rule_sets, rule_set, rule_set_names
from mwz.normalization.states import normalize_value

ALL = tuple(map(rule_set, rule_set_names()))
PUBLISHED = tuple(map(rule_set, published_rule_sets()))

# Slot -> canonical value -> the other spellings of it.
SPELLINGS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "food": {
        "asian": ("asian or oriental",),
        "australian": ("australasian",),
        "british": ("english", "brutish", "bristish"),
        "european": ("europeon",),
        "gastropub": ("gastropod",),
        "italian": ("intalian", "italain"),
        "mediterranean": ("eriterean",),
        "north american": ("modern american", "americas"),
        "portuguese": ("brazilian", "portugese"),
        "seafood": ("sea food",),
    },
    "type": {
        "guesthouse": ("guest house",),
        "multiple sports": ("mutliple sports",),
        "nightclub": ("night club",),
        "swimmingpool": ("swimming pool",),
    },
    "parking": {"yes": ("free",)},
    "internet": {"yes": ("free",)},
    "name": {
        "acorn guest house": ("acorn house",),
        "arbury lodge guesthouse": ("arbury guesthouse and lodge", "arbury guesthouse"),
        "bridge guest house": ("bridge house",),
        "broughton house gallery": ("broughton gallery",),
        "cafe jello gallery": ("cafe jello museum",),
        "caffe uno": ("caffee uno", "cafe uno"),
        "cambridge university botanic gardens": (
            "cambridge botanic gardens",
            "the botanical gardens at cambridge university",
        ),
        "christ's college": ("christ college", "christs"),
        "city center north b and b": ("city center b and b",),
        "cityroomz": ("cityrooms",),
        "express by holiday inn cambridge": ("holiday inn exlpress, cambridge",),
        "hotel du vin and bistro": ("hotel du vin bistro",),
        "huntingdon marriott hotel": ("huntingdon hotel",),
        "junction theatre": ("the junction",),
        "limehouse": ("lime house",),
        "nandos": ("nando's",),
        "nandos city centre": ("nandos in the city centre",),
        "parkside swimming pool": ("parkside pools",),
        "restaurant one seven": ("restaurant 1 7", "restaurant 17"),
        "restaurant two two": (
            "restaurant called two two",
            "restaurant 2 two",
            "restaurant two 2",
            "restaurant 2 2",
        ),
        "rosas bed and breakfast": ("rosa's",),
        "scudamores punting co": ("scudamores punt co",),
        "the river bar steakhouse and grill": ("the river bar and grill",),
        "trinity college": ("trinity street college",),
        "university arms hotel": ("university hotel",),
        "whale of a time": ("whale of time",),
        "whipple museum of the history of science": ("history of science museum",),
    },
}

# Ontology name -> its placeholders: with and without a domain or `value_`.
PLACEHOLDERS: Mapping[str, str] = {
    "ADDRESS": "address value_address attraction_address hospital_address hotel_address "
    "police_address restaurant_address",
    "AREA": "area value_area attraction_area hotel_area restaurant_area",
    "COUNT": "choice value_choice attraction_choice hotel_choice restaurant_choice train_choice "
    "value_count stars value_stars hotel_stars people value_people bookpeople stay value_stay "
    "bookstay",
    "DAY": "day value_day train_day bookday",
    "DEPARTMENT": "department value_department hospital_department",
    "FOOD": "food value_food restaurant_food",
    "ID": "attraction_id hospital_id restaurant_id",
    "INTERNET": "internet hotel_internet",
    "NAME": "name value_name attraction_name hospital_name hotel_name police_name restaurant_name",
    "OPEN": "openhours",
    "PARKING": "parking hotel_parking",
    "PHONE": "phone value_phone attraction_phone hospital_phone hotel_phone police_phone "
    "restaurant_phone taxi_phone",
    "PLACE": "destination value_destination departure value_departure value_place train_departure "
    "train_destination taxi_departure taxi_destination",
    "POST": "postcode value_postcode attraction_postcode hospital_postcode hotel_postcode "
    "police_postcode restaurant_postcode",
    "PRICE": "price value_price train_price attraction_price pricerange price.range "
    "value_pricerange attraction_pricerange hotel_pricerange restaurant_pricerange entrancefee "
    "entrance.fee attraction_entrancefee",
    "REFERENCE": "ref reference value_reference attraction_reference hotel_reference "
    "restaurant_reference train_reference",
    "TIME": "time value_time booktime duration value_duration train_duration arriveby arrive.by "
    "value_arrive train_arriveby train_arrive taxi_arriveby leaveat leave.at value_leave "
    "train_leaveat train_leave taxi_leaveat",
    "TRAINID": "trainid train_trainid train_id value_id id train",
    "TYPE": "type value_type attraction_type hotel_type restaurant_type taxi_type car value_car "
    "taxi_car",
}


@pytest.mark.parametrize(
    ("slot", "spelling", "canonical"),
    [
        (slot, spelling, canonical)
        for slot, table in SPELLINGS.items()
        for canonical, spellings in table.items()
        for spelling in spellings
    ],
)
def test_a_spelling_becomes_its_canonical_value(slot: str, spelling: str, canonical: str) -> None:
    for rules in ALL:
        assert normalize_value(slot, spelling, rules) == canonical


@pytest.mark.parametrize("slot", list(SPELLINGS))
def test_the_values_of_2021_have_these_spellings_and_no_others(slot: str) -> None:
    listed = {s for spellings in SPELLINGS[slot].values() for s in spellings}
    assert rule_set("2021").tables[slot].keys() == listed


@pytest.mark.parametrize("slot", list(PLACEHOLDERS))
def test_a_placeholder_becomes_its_ontology_name(slot: str) -> None:
    # A point stands for a blank within a placeholder's name.
    placeholders = [name.replace(".", " ") for name in PLACEHOLDERS[slot].split()]
    for rules in ALL:
        for name in placeholders:
            assert normalize_response(f"see [{name}]", rules).text == f"see {slot}", name
    published = rule_set("2021").ontology
    assert [name for name in published if published[name] == slot] == placeholders


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
