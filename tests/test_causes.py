"""Causes of lost points: one dialogue by hand for each, and what they add up to.

The venues are those of helpers.py: r1 north greek cheap, r2 north thai cheap, r3 south greek (price
not known), r4 south thai dear; trains at 6, 9, 12 and 15 o'clock, all on the same route.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

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
from mwz.harness.metrics import DialogueResult, DomainResult, Fault

DATABASE = database()
State = Mapping[str, Mapping[str, str]]


def restaurant(
    wanted: Mapping[str, str],
    *turns: tuple[str, State],
    active: Sequence[Sequence[str]] | None = None,
) -> DomainResult:
    """Return the result of the restaurant of a dialogue about one."""
    goals = {"restaurant": goal(wanted)}
    return explain(play(goals, *turns, active=active), DATABASE, RULES)["restaurant"]


def slots(**values: str) -> State:
    return {"restaurant": values}


# A domain that is not matched.


def test_what_is_matched_has_no_cause() -> None:
    assert restaurant({"area": "north"}, ("NAME", slots(area="north"))) == DomainResult(1.0, {})


def test_never_named() -> None:
    result = restaurant({"area": "north"}, ("PHONE is its number", slots(area="north")))
    assert (result.cause, result.turn, result.faults) == ("never named", None, ())


def test_named_while_another_domain_is_active() -> None:
    # Named twice, the second time last; where the restaurant is active, it is not named.
    result = restaurant(
        {"area": "north"},
        *[("NAME", slots(area="north"))] * 2,
        ("bye", slots(area="north")),
        active=[["hotel"], ["hotel"], ["restaurant"]],
    )
    assert (result.cause, result.turn) == ("named while another domain is active", 1)
    assert result.faults == ()


def test_domain_not_in_the_state() -> None:
    # Turn 0 offers r1 and r2, as wanted; turn 1 looks up nothing, finds nothing, and replaces them.
    result = restaurant({"area": "north"}, ("NAME", slots(area="north")), ("NAME", {"hotel": {}}))
    assert (result.cause, result.turn) == ("domain not in the state", 1)
    assert result.faults == (Fault("area", "north", None),)


def test_no_venue() -> None:
    # Nothing Greek is dear but perhaps r3, which is in the south; the goal finds r1.
    result = restaurant(
        {"area": "north", "food": "greek"},
        ("NAME", slots(area="north", food="greek", pricerange="dear")),
    )
    assert (result.cause, result.turn) == ("no venue", 0)
    # The goal leaves the price open, and of its only venue, r1, the price is another.
    assert result.faults == (Fault("pricerange", None, "dear"),)


def test_other_value() -> None:
    # South selects r3 and r4, north r1 and r2.
    result = restaurant(
        {"food": "thai", "area": "north"}, ("NAME", slots(food="thai", area="south"))
    )
    assert (result.cause, result.turn) == ("other value", 0)
    assert result.faults == (Fault("area", "north", "south"),)


def test_another_spelling_is_no_other_value() -> None:
    # Both spellings select r2 and r4; what is missing is the area.
    result = restaurant({"food": "thai", "area": "north"}, ("NAME", slots(food="Thai ")))
    assert (result.cause, result.faults[0].slot) == ("missing", "area")


def test_missing_then_there_at_the_end() -> None:
    # Turn 0 offers r1 and r2, of which r1 is not Thai; in turn 1 nothing is named.
    result = restaurant(
        {"area": "north", "food": "thai"},
        ("NAME", slots(area="north")),
        ("ok", slots(area="north", food="thai")),
    )
    assert (result.cause, result.turn) == ("missing then", 0)
    assert result.faults == (Fault("food", "thai", None),)


def test_missing() -> None:
    # North finds r1 and r2 in both turns: kept in the second, so that turn 0 decides.
    result = restaurant({"area": "north", "food": "thai"}, *[("NAME", slots(area="north"))] * 2)
    assert (result.cause, result.turn) == ("missing", 0)
    assert result.faults == (Fault("food", "thai", None),)


def test_a_slot_that_excludes_no_venue_is_not_missing() -> None:
    # All trains run on Mondays: what lets 6 and 9 o'clock in is the time that the state lacks.
    goals = {"train": goal({"day": "monday", "leave": "12:00"}, ["TRAINID"])}
    result = explain(play(goals, ("TRAINID", {"train": {}})), DATABASE, RULES)["train"]
    assert (result.cause, result.faults) == ("missing", (Fault("leave", "12:00", None),))


def test_the_deciding_turn_is_the_last_that_set_the_offer() -> None:
    # r1 and r2; then r3 and r4, none of which was offered: set anew; then all four: kept.
    result = restaurant(
        {"area": "north"},
        ("NAME", slots(area="north")),
        ("NAME", slots(area="south")),
        ("NAME", slots()),
    )
    assert (result.cause, result.turn) == ("other value", 1)


def test_the_first_cause_that_applies_is_the_one() -> None:
    # Area is other, food is missing: other value comes first, and both are faults.
    result = restaurant({"food": "thai", "area": "north"}, ("NAME", slots(area="south")))
    assert result.cause == "other value"
    assert result.faults == (Fault("area", "north", "south"), Fault("food", "thai", None))
    # The food is there at the end, the area never is.
    result = restaurant(
        {"area": "north", "food": "thai"},
        ("NAME", slots(pricerange="cheap")),
        ("ok", slots(food="thai")),
    )
    assert result.cause == "missing then"
    assert result.faults == (Fault("food", "thai", None), Fault("area", "north", None))


def test_a_value_that_only_excludes_more_comes_after_one_that_lets_others_in() -> None:
    # Leaving at 12:00 finds the trains at 12 and 15 o'clock, fewer than the goal; arriving by
    # 23:00 is what lets 15 o'clock in.
    goals = {"train": goal({"leave": "09:00", "arrive": "13:00"}, ["TRAINID"])}
    state = {"train": {"leave": "12:00", "arrive": "23:00"}}
    result = explain(play(goals, ("TRAINID", state)), DATABASE, RULES)["train"]
    assert result.cause == "other value"
    assert [fault.slot for fault in result.faults] == ["arrive", "leave"]


def test_a_dialogue_without_turns_never_names_anything() -> None:
    assert restaurant({"area": "north"}).cause == "never named"


# A requested slot that is not provided.


def slot_cause(slot: str, *responses: str, **kwargs: Sequence[Sequence[str]]) -> str | None:
    goals = {"restaurant": goal({"name": "golden spoon"}, [slot])}
    turns = [(response, slots()) for response in responses]
    return explain(play(goals, *turns, **kwargs), DATABASE, RULES)["restaurant"].slot_causes.get(
        slot
    )


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
    cause = slot_cause(
        "REFERENCE", "ok", "REFERENCE", booked=booked, active=[["restaurant"], ["hotel"]]
    )
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
    assert both.causes == {
        "restaurant": "other value",
        "train": "never named",
        "train TRAINID": "never said",
    }
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
    wrong = Fault("area", "north", "south")
    assert wrong_slots(results()) == [(("restaurant", wrong), 1)]
    assert wrong_slots(results(), "missing") == []


def test_of_no_dialogue_nothing_is_lost() -> None:
    assert domain_losses([]) == {}
    assert set(points([]).values()) == {(0.0, 0.0)}


# Words.


def test_every_cause_has_words() -> None:
    for name in CAUSES:
        words = cause_words(
            "hotel", DomainResult(0.0, {}, name, 3, (Fault("area", "north", None),))
        )
        assert words.partition("{")[:2] == (words, "")


def test_faults_say_both_values() -> None:
    assert str(Fault("area", "north", "south")) == "area is 'south', wanted is 'north'"
    assert str(Fault("area", "north", None)) == "area is missing, wanted is 'north'"
    assert str(Fault("area", None, "south")) == "area is 'south', which the goal leaves open"
