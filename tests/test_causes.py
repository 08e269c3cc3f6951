"""Causes of lost points: one dialogue by hand for each, and what they add up to.

The venues are those of helpers.py: r1 north greek cheap, r2 north thai cheap, r3 south greek (price
not known), r4 south thai dear; trains at 6, 9, 12 and 15 o'clock, all on the same route.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import pytest
from helpers import RULES, database, goal
from stepped import play

from mwz.harness.diagnosis import CAUSES, cause_words
from mwz.harness.diagnosis.causes import explain
from mwz.harness.diagnosis.losses import (
    ANOTHER,
    ITSELF,
    UNPROVIDED,
    domain_losses,
    points,
    wrong_slots,
)
from mwz.harness.metrics import DialogueResult, DomainResult, WrongSlot

DATABASE = database()
State = Mapping[str, Mapping[str, str]]


def slots(**values: str) -> State:
    return {"restaurant": values}


# A domain that is not matched.

AREA, FOOD = WrongSlot("area", "north", None), WrongSlot("food", "thai", None)
OTHER_AREA = WrongSlot("area", "north", "south")
NORTH, SOUTH, CHEAP = slots(area="north"), slots(area="south"), slots(pricerange="cheap")
NORTHERN, THAI = {"area": "north"}, {"food": "thai", "area": "north"}
AREA_FIRST = {"area": "north", "food": "thai"}
CHEAP_THEN_THAI = [("NAME", CHEAP), ("ok", slots(food="thai"))]
NORTH_AND_NOTHING = [("NAME", NORTH), ("NAME", {"hotel": {}})]
NORTH_SOUTH_ANY = [("NAME", NORTH), ("NAME", SOUTH), ("NAME", slots())]


@pytest.mark.parametrize(
    ("wanted", "turns", "cause", "turn", "faults"),
    [
        # What is matched has no cause.
        (NORTHERN, [("NAME", NORTH)], None, None, ()),
        (NORTHERN, [("PHONE is its number", NORTH)], "never named", None, ()),
        (NORTHERN, [], "never named", None, ()),
        # Turn 0 offers r1 and r2, as wanted; turn 1 looks up nothing, finds nothing, and replaces
        # them.
        (NORTHERN, NORTH_AND_NOTHING, "domain not in the state", 1, (AREA,)),
        # Nothing Greek is dear but perhaps r3, which is in the south; the goal finds r1. The goal
        # leaves the price open, and of its only venue, r1, the price is another.
        (
            {"area": "north", "food": "greek"},
            [("NAME", slots(area="north", food="greek", pricerange="dear"))],
            "no venue",
            0,
            (WrongSlot("pricerange", None, "dear"),),
        ),
        # South selects r3 and r4, north r1 and r2.
        (THAI, [("NAME", slots(food="thai", area="south"))], "other value", 0, (OTHER_AREA,)),
        # Another spelling is no other value: both select r2 and r4; what is missing is the area.
        (THAI, [("NAME", slots(food="Thai "))], "missing", 0, (AREA,)),
        # Turn 0 offers r1 and r2, of which r1 is not Thai; in turn 1 nothing is named.
        (AREA_FIRST, [("NAME", NORTH), ("ok", {"restaurant": THAI})], "missing then", 0, (FOOD,)),
        # North finds r1 and r2 in both turns: kept in the second, so that turn 0 decides.
        (AREA_FIRST, [("NAME", NORTH)] * 2, "missing", 0, (FOOD,)),
        # The deciding turn is the last that set the offer: r1 and r2; then r3 and r4, none of which
        # was offered: set anew; then all four: kept.
        (NORTHERN, NORTH_SOUTH_ANY, "other value", 1, (OTHER_AREA,)),
        # Area is other, food is missing: other value comes first, and both are faults.
        (THAI, [("NAME", SOUTH)], "other value", 0, (OTHER_AREA, FOOD)),
        # The food is there at the end, the area never is.
        (AREA_FIRST, CHEAP_THEN_THAI, "missing then", 0, (FOOD, AREA)),
    ],
)
def test_the_cause_of_a_domain_that_is_not_matched(
    wanted: Mapping[str, str],
    turns: Sequence[tuple[str, State]],
    cause: str | None,
    turn: int | None,
    faults: Sequence[WrongSlot],
) -> None:
    played = play({"restaurant": goal(wanted)}, *turns)
    result = explain(played, DATABASE, RULES)["restaurant"]
    assert (result.cause, result.turn) == (cause, turn)
    assert result.faults == faults


def test_named_while_another_domain_is_active() -> None:
    # Named twice, the second time last; where the restaurant is active, it is not named.
    turns = (("NAME", NORTH), ("NAME", NORTH), ("bye", NORTH))
    active = [["hotel"], ["hotel"], ["restaurant"]]
    played = play({"restaurant": goal({"area": "north"})}, *turns, active=active)
    result = explain(played, DATABASE, RULES)["restaurant"]
    assert (result.cause, result.turn) == ("named while another domain is active", 1)
    assert result.faults == ()


def test_a_slot_that_excludes_no_venue_is_not_missing() -> None:
    # All trains run on Mondays: what lets 6 and 9 o'clock in is the time that the state lacks.
    goals = {"train": goal({"day": "monday", "leave": "12:00"}, ["TRAINID"])}
    result = explain(play(goals, ("TRAINID", {"train": {}})), DATABASE, RULES)["train"]
    assert (result.cause, result.faults) == ("missing", (WrongSlot("leave", "12:00", None),))


def test_faults_that_let_venues_in_come_before_those_that_exclude() -> None:
    # Leaving at 12:00 finds the trains at 12 and 15 o'clock, fewer than the goal; arriving by
    # 23:00 is what lets 15 o'clock in.
    goals = {"train": goal({"leave": "09:00", "arrive": "13:00"}, ["TRAINID"])}
    state = {"train": {"leave": "12:00", "arrive": "23:00"}}
    result = explain(play(goals, ("TRAINID", state)), DATABASE, RULES)["train"]
    assert result.cause == "other value"
    assert [fault.slot for fault in result.faults] == ["arrive", "leave"]


# A requested slot that is not provided.


def slot_cause(slot: str, *responses: str, **kwargs: Sequence[Sequence[str]]) -> str | None:
    goals = {"restaurant": goal({"name": "golden spoon"}, [slot])}
    turns = [(response, slots()) for response in responses]
    result = explain(play(goals, *turns, **kwargs), DATABASE, RULES)["restaurant"]
    return result.slot_causes.get(slot)


def test_never_said() -> None:
    assert slot_cause("PHONE", "NAME", "POST") == "never said"
    assert slot_cause("PHONE", "PHONE") is None


def test_said_while_another_domain_is_active() -> None:
    cause = slot_cause("PHONE", "PHONE", "NAME", active=[["hotel"], ["restaurant"]])
    assert cause == "said while another domain is active"


def test_said_before_booked() -> None:
    booked = [[], ["restaurant"]]
    assert slot_cause("REFERENCE", "REFERENCE", "ok", booked=booked) == "said before booked"
    assert slot_cause("REFERENCE", "ok", "REFERENCE", booked=booked) is None
    # Said where it is booked, but not active, and never while active.
    active = [["restaurant"], ["hotel"]]
    cause = slot_cause("REFERENCE", "ok", "REFERENCE", booked=booked, active=active)
    assert cause == "said while another domain is active"


# What they add up to.


def results() -> list[DialogueResult]:
    """Four dialogues: restaurant and train lost; restaurant lost; a slot not said; all well."""
    wanted = {"restaurant": goal({"area": "north"}, ["PHONE"]), "train": goal({}, ["TRAINID"])}
    alone = {"restaurant": goal({"area": "north"}, ["PHONE"])}
    right = slots(area="north")
    dialogues = (
        play(wanted, ("NAME, PHONE", slots(area="south")), id_="both"),
        play(alone, ("ok", right), id_="one"),
        play(wanted, ("NAME, TRAINID", {**right, "train": {}}), id_="slot"),
        play(wanted, ("NAME, TRAINID, PHONE", {**right, "train": {}}), id_="well"),
    )
    return [
        DialogueResult(played.id, 1, goals={"strict": explain(played, DATABASE, RULES)})
        for played in dialogues
    ]


def test_inform_success_and_causes_of_a_dialogue() -> None:
    both, alone, slot, well = results()
    rates = [(result.inform, result.success) for result in (both, alone, slot, well)]
    assert rates == [(0, 0), (0, 0), (1, 0), (1, 1)]
    trains = {"train": "never named", "train TRAINID": "never said"}
    assert both.causes == {"restaurant": "other value", **trains}
    assert alone.causes == {"restaurant": "never named", "restaurant PHONE": "never said"}
    assert slot.causes == {"restaurant PHONE": "never said"}
    assert well.causes == {}


def test_losses_by_domain_by_hand() -> None:
    losses = domain_losses(results())
    restaurants, trains = losses["restaurant"], losses["train"]
    # Of four restaurants one has another value and one is never named; of three trains, one.
    assert (restaurants.dialogues, trains.dialogues) == (4, 3)
    assert +Counter(restaurants.matched) == {"other value": 1, "never named": 1}
    assert +Counter(trains.matched) == {"never named": 1}
    assert restaurants.provided["never said"] == 2
    # Success: "both" and "one" lose the restaurant itself, "slot" its telephone number; of trains,
    # "both" loses it; that of "slot" is matched and provided, and counts.
    assert restaurants.success == {ITSELF: 2, ANOTHER: 0, UNPROVIDED: 1}
    assert trains.success == {ITSELF: 1, ANOTHER: 0, UNPROVIDED: 0}
    assert (restaurants.inform, restaurants.succeeded) == (50.0, 25.0)


def test_points_are_shared_by_what_loses_a_dialogue_together() -> None:
    # Of four dialogues, 25 points each: "both" is shared by two causes, 12.5 each; "one" is lost by
    # its restaurant, "slot" by its telephone number, in Success alone.
    costs = points(results())
    assert costs["other value"] == (12.5, 12.5)
    assert costs["never named"] == (12.5 + 25, 12.5 + 25)
    assert costs["never said"] == (0, 25)
    assert sum(cost.inform for cost in costs.values()) == 50
    assert sum(cost.success for cost in costs.values()) == 75


def test_wrong_slots_are_counted() -> None:
    wrong = WrongSlot("area", "north", "south")
    assert wrong_slots(results()) == [(("restaurant", wrong), 1)]
    assert wrong_slots(results(), "missing") == []


def test_of_no_dialogue_nothing_is_lost() -> None:
    assert domain_losses([]) == {}
    assert set(points([]).values()) == {(0.0, 0.0)}


# Words.


def test_every_cause_has_words() -> None:
    for name in CAUSES:
        words = cause_words("hotel", DomainResult(0.0, {}, name, 3, (AREA,)))
        assert words.partition("{")[:2] == (words, "")


def test_faults_say_both_values() -> None:
    assert str(WrongSlot("area", "north", "south")) == "area is 'south', wanted is 'north'"
    assert str(WrongSlot("area", "north", None)) == "area is missing, wanted is 'north'"
    assert str(WrongSlot("area", None, "south")) == "area is 'south', which the goal leaves open"
