"""Venue queries: every rule by hand, and SQL against plain implementations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from helpers import RULES, VENUES, database
from hypothesis import given, settings, strategies as st

from mwz.database import VenueDatabase
from mwz.harness import Benchmark
from mwz.harness.cli.verify import venue_loop
from mwz.normalization import published_rule_sets, rule_set

Records = Mapping[str, Sequence[Mapping[str, Any]]]


def _found(domain: str, records: Records = VENUES, **constraints: str) -> list[str]:
    return list(database(records).query(domain, constraints))


_RESTAURANTS_IN_ORDER = ["r1", "r2", "r3", "r4"]


@pytest.mark.parametrize(
    ("domain", "constraints", "ids"),
    [
        # Without constraints all, in the records' order; trains are known by their train id.
        ("restaurant", {}, _RESTAURANTS_IN_ORDER),
        ("train", {}, ["TR06", "TR09", "TR12", "TR15"]),
        ("train", {"trainid": "TR09"}, ["TR09"]),
        # Domains without venues have none.
        *((domain, {}, []) for domain in ("taxi", "police", "hospital", "bus", "")),
        ("taxi", {"area": "north"}, []),
        # A venue meets every constraint.
        ("restaurant", {"area": "north"}, ["r1", "r2"]),
        ("restaurant", {"area": "north", "food": "thai"}, ["r2"]),
        ("restaurant", {"area": "north", "food": "thai", "pricerange": "dear"}, []),
        # r3's price range is "?", which any constraint meets.
        ("restaurant", {"pricerange": "dear"}, ["r3", "r4"]),
        ("restaurant", {"pricerange": "no such"}, ["r3"]),
        # Constraints on what is no column are ignored.
        ("restaurant", {"stars": "4", "openhours": "x", "source": "1"}, _RESTAURANTS_IN_ORDER),
        # What is in no fuzzy column must be equal.
        *(("restaurant", {"area": area}, []) for area in ("nort", "the north", "North")),
        ("train", {"day": "monday "}, []),
    ],
)
def test_venues_are_found_by_their_values(
    domain: str, constraints: Mapping[str, str], ids: list[str]
) -> None:
    assert _found(domain, **constraints) == ids


_TIMES = [
    {"trainID": "T1", "leaveAt": "?", "arriveBy": "09:00", "departure": "oakham"},
    {"trainID": "T2", "leaveAt": "08:00", "arriveBy": "?", "departure": "?"},
]
_ODD = "x'or'1'='1 100% \\ \u00e9"
_TWO_DAYS = [
    {"trainID": id_, "day": day} for id_, day in (("A", "monday"), ("B", "monday"), ("A", "friday"))
]
_NO_CLOCK = [{"trainID": "T1", "leaveAt": "9:00", "arriveBy": "soon"}]
_BY_COLUMN = [{"id": "r1", "area": "north"}, {"id": "r2", "area": "north", "phone": "1"}]
_FEES = [{"id": "a", "Entrance Fee": "free"}, {"id": "b", "entrance fee": "1"}]


@pytest.mark.parametrize(
    ("domain", "records", "constraints", "ids"),
    [
        # Times and names that are not known meet any constraint.
        ("train", _TIMES, {"leave": "23:00"}, ["T1"]),
        ("train", _TIMES, {"arrive": "00:10"}, ["T2"]),
        ("train", _TIMES, {"departure": "upwell"}, ["T2"]),
        # A train's own time that is no clock counts as midnight.
        ("train", _NO_CLOCK, {"leave": "00:01"}, []),
        ("train", _NO_CLOCK, {"leave": "00:00"}, ["T1"]),
        ("train", _NO_CLOCK, {"arrive": "00:00"}, ["T1"]),
        # The columns are those of the first record, called as slots are.
        ("restaurant", _BY_COLUMN, {"phone": "2"}, ["r1", "r2"]),
        # The other way round the column is there; what has no value in it meets no constraint.
        ("restaurant", _BY_COLUMN[::-1], {"phone": "1"}, ["r2"]),
        ("attraction", _FEES, {"entrancefee": "free"}, ["a"]),
        # Columns of the source files that are no slots are ignored.
        (
            "restaurant",
            [{"id": "r", "location": [1, 2], "signature": "y"}],
            {"location": "z"},
            ["r"],
        ),
        ("hotel", [{"id": "h", "price": {"single": "9"}}], {"price": "1"}, ["h"]),
        # Values are normalised as their slot says.
        ("hotel", [{"id": "h", "name": "x", "type": "guesthouse"}], {"type": "guest house"}, ["h"]),
        ("hotel", [{"id": "h", "name": "x", "parking": "yes"}], {"parking": "free"}, ["h"]),
        ("restaurant", [], {"area": "north"}, []),
        # Quotes and percent signs are data.
        ("restaurant", [{"id": "r'1", "area": _ODD}, {"id": "r2"}], {"area": _ODD}, ["r'1"]),
        # A train that runs on two days is one id.
        ("train", _TWO_DAYS, {}, ["A", "B"]),
        ("train", _TWO_DAYS, {"day": "friday"}, ["A"]),
    ],
)
def test_records_are_read_as_they_come(
    domain: str,
    records: Sequence[Mapping[str, Any]],
    constraints: Mapping[str, str],
    ids: list[str],
) -> None:
    assert _found(domain, {domain: records}, **constraints) == ids


def test_one_database_answers_each_domain_for_itself() -> None:
    # What a name or area matches in one domain is remembered, and is not asked of another.
    records = {
        "restaurant": [{"id": "r1", "name": "tree house", "area": "north"}],
        "hotel": [
            {"id": "h1", "name": "oak", "area": "north"},
            {"id": "h2", "name": "the tree house", "area": "north"},
        ],
    }
    both = database(records)
    for domain, named, north in (
        ("restaurant", ["r1"], ["r1"]),
        ("hotel", ["h2"], ["h1", "h2"]),
        ("restaurant", ["r1"], ["r1"]),
    ):
        assert list(both.query(domain, {"name": "tree house"})) == named
        assert list(both.query(domain, {"area": "north"})) == north
        assert list(both.query(domain, {})) == north


@pytest.mark.parametrize(
    ("slot", "value", "trains"),
    [
        ("leave", "09:00", ["TR09", "TR12", "TR15"]),
        ("leave", "09:01", ["TR12", "TR15"]),
        ("leave", "24:00", []),
        ("arrive", "09:50", ["TR06", "TR09"]),
        ("arrive", "09:49", ["TR06"]),
        ("arrive", "05:00", []),
        # Values are normalised: 2 pm is 14:00, "by 9:50" is 09:50.
        ("leave", "2 pm", ["TR15"]),
        ("arrive", "by 9:50", ["TR06", "TR09"]),
        # What is no time counts as midnight.
        ("leave", "whenever", ["TR06", "TR09", "TR12", "TR15"]),
        ("arrive", "whenever", []),
    ],
)
def test_train_times_are_bounds(slot: str, value: str, trains: list[str]) -> None:
    assert _found("train", **{slot: value}) == trains


@pytest.mark.parametrize("value", sorted(RULES.tables["queries"]["no_constraint"]))
def test_an_indifferent_value_is_no_constraint(value: str) -> None:
    assert _found("restaurant", area=value, name=value) == ["r1", "r2", "r3", "r4"]
    assert _found("restaurant", area=value, food="thai") == ["r2", "r4"]


@pytest.mark.parametrize(
    ("domain", "slot"),
    [
        ("hotel", "name"),
        ("attraction", "name"),
        ("restaurant", "name"),
        ("restaurant", "food"),
        ("train", "departure"),
        ("train", "destination"),
    ],
)
def test_fuzzy_columns_match_from_a_ratio_of_90(domain: str, slot: str) -> None:
    # "golden spoon" is a window of "the golden spoon". One of ten characters differing gives
    # 18/20 = 0.9, one of nine 16/18 = 0.889.
    identifier = "trainID" if domain == "train" else "id"
    values = ["golden spoon", "abcdefghij", "abcdefghi"]
    records = {domain: [{identifier: str(n), slot: value} for n, value in enumerate(values)]}
    assert _found(domain, records, **{slot: "the golden spoon"}) == ["0"]
    assert _found(domain, records, **{slot: "abcdefghiX"}) == ["1", "2"]
    assert _found(domain, records, **{slot: "abcdefghX"}) == []
    assert slot in RULES.venue_rules[domain].fuzzy


def test_the_rule_set_decides_what_a_name_constraint_is() -> None:
    records = {"hotel": [{"id": "h", "name": "willow bed and breakfast"}]}
    constraint = {"name": "willow bed and breakfast"}
    # 2023 makes the constraint "willow b and b", 14 characters, the best window of the name
    # "willow bed and": common "willow b and" of 14 and 14: 24/28 = 0.857.
    # 2026 makes the venue's name "willow b and b" as well.
    assert list(VenueDatabase(records, rule_set("2021")).query("hotel", constraint)) == ["h"]
    assert list(VenueDatabase(records, rule_set("2023")).query("hotel", constraint)) == []
    assert list(VenueDatabase(records, rule_set("2026")).query("hotel", constraint)) == ["h"]


# Rule sets under which the venue database is normalised, too.
NORMALISING = [name for name in published_rule_sets() if rule_set(name).normalises_venues]
ODDLY_NAMED = {
    "hotel": [
        {"id": "h1", "name": "willow bed and breakfast", "type": "guest house", "internet": "free"},
        {"id": "h2", "name": "?", "type": "hotel"},
    ],
    "train": [{"trainID": "T1", "leaveAt": "9:15", "arriveBy": "2 pm", "departure": "nando's"}],
}


@pytest.mark.parametrize("name", NORMALISING)
def test_normalised_venues_are_found_by_their_own_values(name: str) -> None:
    venues = VenueDatabase(ODDLY_NAMED, rule_set(name))
    for slot in ("name", "type", "internet"):
        constraint = {slot: str(ODDLY_NAMED["hotel"][0][slot])}
        assert "h1" in venues.query("hotel", constraint), slot
    # 09:15 to 14:00; "nando's" is "nandos" on both sides.
    for slot, value, ids in (
        ("leave", "09:15", ["T1"]),
        ("leave", "09:16", []),
        ("arrive", "14:00", ["T1"]),
        ("arrive", "13:59", []),
        ("departure", "nandos", ["T1"]),
    ):
        assert list(venues.query("train", {slot: value})) == ids, (slot, value)
    # What is not known stays so, and is found by anything.
    assert list(venues.query("hotel", {"name": "no such", "internet": "no such"})) == []
    assert "h2" in venues.query("hotel", {"name": "no such"})


@pytest.mark.parametrize(
    "value",
    [
        "x' OR '1'='1",
        "'; DROP TABLE mwz_source; --",
        '" OR ""="',
        "%",
        "_____",
        "north%",
        ":area",
        "%(area)s",
        "?1",
        "nor\x00th",
        "\\",
    ],
)
def test_values_reach_sql_only_as_data(value: str) -> None:
    venues = database()
    assert list(venues.query("restaurant", {"area": value, "pricerange": value})) == []
    assert list(venues.query("restaurant", {"food": value})) == []
    assert list(venues.query("restaurant", {"pricerange": value})) == ["r3"]
    assert len(venues.query("restaurant", {})) == 4


_NAMES = ["golden spoon", "golden spoons", "the golden spoon", "silver fork", "fork", "?", ""]
_AREAS = ["north", "south", "?", "North", "dontcare", "x' OR '1'='1"]
_TIMES = ["09:00", "9:00", "17:30", "5 pm", "by 09:00", "?", "noon", "24:10", ""]


def _records(identifier: str, **columns: list[str]) -> st.SearchStrategy[list[dict[str, str]]]:
    # The first record has all columns, the others may lack some.
    whole = st.fixed_dictionaries({c: st.sampled_from(v) for c, v in columns.items()})
    part = st.fixed_dictionaries({}, optional={c: st.sampled_from(v) for c, v in columns.items()})
    rows = st.tuples(whole, st.lists(part, max_size=5)).map(lambda pair: [pair[0], *pair[1]])
    return rows.map(lambda rs: [{identifier: f"v{n}", **r} for n, r in enumerate(rs)])


_RESTAURANTS = _records("id", name=_NAMES, food=["thai", "thais", "greek", "?"], area=_AREAS)
_TRAINS = _records("trainID", departure=_NAMES, day=_AREAS)
_TIMED_TRAINS = st.lists(
    st.fixed_dictionaries(
        {"leaveAt": st.sampled_from(_TIMES), "arriveBy": st.sampled_from(_TIMES)}
    ),
    min_size=1,
    max_size=5,
).map(lambda rs: [{"trainID": f"t{n}", **r} for n, r in enumerate(rs)])
_RESTAURANT_CONSTRAINTS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(_NAMES),
        "food": st.sampled_from(["thai", "portugese", "greek", "do n't care"]),
        "area": st.sampled_from(_AREAS),
        "stars": st.just("4"),
    },
)
_TRAIN_CONSTRAINTS = st.fixed_dictionaries(
    {},
    optional={
        "departure": st.sampled_from(_NAMES),
        "day": st.sampled_from(_AREAS),
        "leave": st.sampled_from(_TIMES),
        "arrive": st.sampled_from(_TIMES),
    },
)


@pytest.mark.parametrize(
    ("domain", "some_records", "some_constraints"),
    [
        ("restaurant", _RESTAURANTS, _RESTAURANT_CONSTRAINTS),
        ("train", st.one_of(_TRAINS, _TIMED_TRAINS), _TRAIN_CONSTRAINTS),
    ],
)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_answers_are_what_a_look_at_every_venue_finds(
    domain: str, some_records: Any, some_constraints: Any, data: st.DataObject
) -> None:
    records = data.draw(some_records)
    venues = database({domain: records})
    query_by_loop = venue_loop(Benchmark("tiny", {}, {domain: records}, {}), RULES)
    for constraints in data.draw(st.lists(some_constraints, min_size=1, max_size=4)):
        ids = [*venues.query(domain, constraints)]
        assert ids == query_by_loop(domain, constraints)
