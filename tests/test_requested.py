"""What goals request besides numbers, addresses and ids: how each slot is told, and when."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import RULES, write_json

from mwz.harness import Benchmark, InputError, Scorer, load_benchmark
from mwz.harness.benchmark import Goal
from mwz.harness.data.installed import from_document, to_document
from mwz.harness.data.multiwoz22 import with_requests
from mwz.harness.grounding import GroundedDialogue, in_context, requests
from mwz.harness.grounding.grounded import NEVER_TOLD, OF_ANOTHER, ground
from mwz.harness.scoring import database_of
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
DELEXICALISER = Delexicaliser(SAMPLE.venue_records(RULES), RULES)
DATABASE = database_of(Scorer(SAMPLE))


@pytest.mark.parametrize(
    ("slot", "value", "telling", "other"),
    [
        ("area", "centre", "It is in the city center.", "It is in the north."),
        ("area", "centre", "It is centrally located.", "It is in the heart of the north."),
        ("area", "centre", "in the heart of the city", "in the middle of the road"),
        ("area", "north", "- Area: North", "Could you tell me if you prefer the north?"),
        ("pricerange", "moderate", "a moderately priced place", "an expensive place"),
        ("pricerange", "expensive", "It is expensive.", "It is inexpensive."),
        ("pricerange", "cheap", "a budget-friendly place", "Do you have a budget?"),
        ("pricerange", "cheap", "It is affordable.", "It is upscale."),
        ("pricerange", "moderate", "a reasonably priced place", "a reasonable choice"),
        ("food", "asian oriental", "They serve Asian Oriental food.", "They serve Asian food."),
        ("type", "guesthouse", "It is a guest house.", "It is a hotel."),
        ("type", "concerthall", "It is a concert hall.", "It is a museum."),
        ("stars", "4", "a 4-star hotel", "a 3 star hotel with 4 rooms"),
        ("stars", "0", "**Stars:** 0", "4 stars"),
        ("stars", "3", "a star rating of 3", "in 3 days"),
        ("stars", "4", "Rating: ★★★★☆", "★★★★★"),
        ("stars", "4", "It has 4 out of 5.", "It has 3/5."),
        ("internet", "yes", "It has free wi-fi.", "There is no wifi."),
        ("internet", "yes", "It offers internet, but no parking.", "Do you need internet?"),
        ("parking", "no", "It offers internet, but no parking.", "- Parking: Yes"),
        ("parking", "no", "Parking is not available.", "It has parking."),
        ("entrancefee", "free", "There is no entrance fee.", "Feel free to ask."),
        ("entrancefee", "free", "It's free!", "It has free parking."),
        ("entrancefee", "free", "Entry is complimentary.", "It has complimentary wifi."),
        ("entrancefee", "5 pounds", "Entry is £5.00.", "Entry is 4 pounds."),
        ("entrancefee", "2.50 pounds", "Entrance fee: 2.50", "Entrance fee: 2"),
        ("price", "10.10 pounds", "It costs £10.10.", "It costs 10.20 pounds."),
        ("price", "17.60 pounds", "17 . 60 GBP", "176.0 pounds"),
        ("price", "16.60 pounds", "16 pounds and 60 pence", "16 pounds"),
        ("duration", "105 minutes", "1h 45m, or 105m", "1h 5m"),
        ("duration", "105 minutes", "1 hour, 45 minutes", "1 hour, then 45 steps"),
        ("arrive", "16:55", "It leaves at 3:36 pm and arrives at 4:55.", "It leaves at 4:55."),
        ("leave", "15:36", "It leaves at 3:36 in the afternoon.", "3:36 in the morning"),
        ("duration", "60 minutes", "1h", "60 pounds"),
        ("duration", "79 minutes", "It takes 1 hour and 19 minutes.", "It takes 97 minutes."),
        ("duration", "105 minutes", "105-minute trip, 105 mins", "It takes 1 hour 5 minutes."),
        ("arrive", "17:35", "It gets there by 5:35 pm.", "It gets there by 5:35 am."),
        ("arrive", "24:35", "It arrives at 00:35.", "It arrives at 12:35."),
        ("arrive", "12:35", "It gets there at 12:35 pm.", "It gets there at 12:35 am."),
        ("arrive", "01:00", "It gets there at 1 AM.", "It gets there at 1 PM."),
        ("arrive", "16:50", "It gets there at 16.50.", "It costs 16.50 pounds, or £16.50."),
        ("arrive", "16:50", "1650 hrs, or 16h50", "1650 people"),
        ("leave", "07:17", "It leaves at 7:17.", "It leaves at 17:17."),
        ("openhours", "9 a.m. to 5 p.m. on sunday", "from 9am to 5pm", "from 9 am to 6 pm"),
        ("openhours", "always open", "It is always open.", "It is open on Sundays."),
        ("cartype", None, "a red Skoda", "a red car"),
        ("phone", None, "call 8628652947", "call 862865"),
    ],
)
def test_how_values_are_told(slot: str, value: str | None, telling: str, other: str) -> None:
    assert requests()[slot].is_told(telling, value)
    assert not requests()[slot].is_told(other, value)


@pytest.mark.parametrize(
    ("slot", "value", "text"),
    [
        ("price", "9.80 pounds", "I do not know whether it is 9.80 pounds."),
        ("price", "9.80 pounds", "It isn't 9.80 pounds."),
        ("price", "9.80 pounds", "9.80 pounds is not the price."),
        ("price", "9.80 pounds", "Perhaps 9.80 pounds."),
        ("area", "north", "There are none in the north."),
        ("cartype", None, "I could not get a Skoda."),
    ],
)
def test_what_is_denied_is_not_told(slot: str, value: str | None, text: str) -> None:
    assert not requests()[slot].is_told(text, value)


@pytest.mark.parametrize(
    ("slot", "text", "is_guessed"),
    [
        ("price", "It costs 16.50, 23.60, 9.80 or 10.10 pounds.", True),
        ("price", "It is 9.80 pounds. Or 10.10 pounds.", True),
        ("price", "It is 9.80 pounds each, 29.40 pounds for three.", False),
        ("duration", "It takes 30, 60 or 45 minutes.", True),
        ("duration", "It takes 1 hr 19 min.", False),
        ("area", "It is in the north, south or west.", True),
        ("area", "It is in the north. Most are in the south.", False),
    ],
)
def test_one_of_several_values_is_a_guess(slot: str, text: str, is_guessed: bool) -> None:
    areas = ("north", "south", "west")
    assert requests()[slot].is_guessed(text, 1, areas) == is_guessed
    assert not requests()[slot].is_guessed(text, 4, areas)


def _ground(
    texts: Sequence[str], domain: str, info: dict[str, str], *further: str
) -> GroundedDialogue:
    goals = {domain: Goal(info, frozenset(), {}, frozenset(further))}
    return ground(texts, goals, DATABASE, DELEXICALISER)


# Italian restaurants of the sample: nonna's attic (centre) and two doves (north).


def test_details_are_of_the_venue_named_last() -> None:
    italian = {"food": "italian", "area": "centre"}
    price = next(v for v in SAMPLE.venues["restaurant"] if v["name"] == "nonna's attic")[
        "pricerange"
    ]
    responses = ["How about Nonna's Attic?", f"It is a restaurant that is {price}."]
    assert _ground(responses, "restaurant", italian, "pricerange").success_requested
    # Nobody has been named yet.
    went = _ground(responses[::-1], "restaurant", italian, "pricerange")
    assert not went.success_requested
    assert went.success_all
    assert went.domains["restaurant"].causes == {"pricerange": NEVER_TOLD}


def test_what_is_told_of_a_venue_that_does_not_fit_is_not_told() -> None:
    went = _ground(
        ["Two Doves is in the north.", "Nonna's Attic serves Italian food."],
        "restaurant",
        {"food": "italian", "pricerange": "moderate", "name": "nonna's attic"},
        "area",
    )
    assert went.domains["restaurant"].causes == {"area": OF_ANOTHER}


def test_the_area_is_not_told_by_a_name_but_the_type_is() -> None:
    went = _ground(["The Museum of Knots!"], "attraction", {"type": "museum"}, "type")
    assert went.domains["attraction"].further == {"type": True}


def test_what_the_database_does_not_have_is_not_missed() -> None:
    lacking = next(v for v in SAMPLE.venues["attraction"] if v["entrance fee"] == "?")
    name = {"name": lacking["name"]}
    went = _ground([f"{lacking['name']} is nice."], "attraction", name, "entrancefee")
    assert went.success_requested


def test_it_is_unknown_where_the_goal_does_not_say() -> None:
    goals = {"restaurant": Goal({"food": "italian"}, frozenset(), {})}
    went = ground(["Nonna's Attic is Italian."], goals, DATABASE, DELEXICALISER)
    assert went.success_all
    assert went.success_requested is None


def test_nothing_is_matched_that_no_response_serves() -> None:
    assert not _ground(["Certainly."], "restaurant", {"name": "nonna's attic"}).inform
    assert _ground(["It is at 17 Spindle Street."], "restaurant", {"name": "nonna's attic"}).inform
    assert not _ground(["When would you like your taxi?"], "taxi", {"leave": "10:00"}).inform
    assert _ground(["Your taxi is a red Skoda."], "taxi", {"leave": "10:00"}).inform


def test_a_drivers_number_need_not_look_like_a_telephone_number() -> None:
    goals = {"taxi": Goal({"leave": "10:00"}, frozenset({"PHONE"}), {})}
    for text, is_told in (("Your taxi: 8628652947.", True), ("Your taxi: 862865.", False)):
        went = ground([text], goals, DATABASE, DELEXICALISER)
        assert went.domains["taxi"].provided == {"PHONE": is_told}


# Goals that say it, and a benchmark that has them.


def _one_dialogue(folder: Path, id_: str) -> tuple[Benchmark, Path]:
    """Return a benchmark of one dialogue, and the data set's goal of a dialogue of that id."""
    wanted = {"info": {"food": "italian", "area": "centre"}, "reqt": ["phone", "price range"]}
    path = write_json(folder / "test.json", {id_: {"goal": {"restaurant": wanted, "hotel": {}}}})
    return replace(SAMPLE, dialogues={"town001": SAMPLE.dialogues["town001"]}), path


def test_requests_of_goals_leave_the_hash_as_it_is(tmp_path: Path) -> None:
    benchmark, path = _one_dialogue(tmp_path, "TOWN001.json")
    requesting = with_requests(benchmark, path)
    assert requesting.dialogues["town001"].goal["restaurant"].further == {"pricerange"}
    assert requesting.content_hash(RULES) == benchmark.content_hash(RULES)
    assert from_document(json.loads(json.dumps(to_document(requesting)))) == requesting
    assert from_document(json.loads(json.dumps(to_document(benchmark)))) == benchmark


def test_goals_must_cover_the_benchmark(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no goal of dialogue town001"):
        with_requests(*_one_dialogue(tmp_path, "town002"))


@pytest.mark.parametrize(
    ("response", "said", "read"),
    [
        ("Yes.", "Does it have wifi?", "internet: yes. Yes."),
        ("For Skylark Inn, yes!", "Is there wifi?", "internet: yes. For Skylark Inn, yes!"),
        ("I'm afraid not.", "And parking?", "parking: no. I'm afraid not."),
        ("Yes, free wifi.", "Does it have wifi and parking?", "Yes, free wifi."),
        ("Yes.", "I need parking. What is the address?", "Yes."),
        ("No problem, one moment.", "Does it have wifi?", "No problem, one moment."),
        ("I am not sure.", "Does it have wifi?", "I am not sure."),
        ("It is in the north.", "Does it have wifi?", "It is in the north."),
    ],
)
def test_yes_alone_answers_the_question(response: str, said: str, read: str) -> None:
    assert in_context(response, said) == read
