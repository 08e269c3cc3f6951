"""Tools of live dialogues: queries, bookings, reference numbers, and refusals to act on."""

from __future__ import annotations

from typing import Any

import pytest
from live_tasks import ROOM, TASK

from mwz.harness.data import DomainTask, Task
from mwz.harness.live.world import World
from mwz.harness.scoring import delexicaliser_of


def test_queries_count_all_and_return_the_first_in_a_stable_order(world: World) -> None:
    found = world.call(TASK, "query_train", {"departure": "brackwater"})
    # 9 go to Ostley, 6 to Larkhaven and 4 to Duskwell.
    assert found["count"] == 19
    times = [train["leaveAt"] for train in found["results"]]
    assert times == sorted(times)
    assert len(times) == 5
    late = world.call(TASK, "query_train", {"day": "monday", "arriveBy": "14:00"})
    assert [train["arriveBy"] for train in late["results"]] == ["13:35", "11:55", "08:55", "08:05"]
    # Of three before 14:00, the one at 07:20 leaves too early. After a time the first comes first.
    both = {"day": "monday", "leaveAt": "08:00", "arriveBy": "14:00"}
    found = world.call(TASK, "query_train", both)
    assert [train["leaveAt"] for train in found["results"]] == ["08:10", "11:10", "12:50"]
    hotels = world.call(TASK, "query_hotel", {"area": "east", "pricerange": "cheap"})
    assert [hotel["name"] for hotel in hotels["results"]] == ["skylark inn"]


def test_queries_ignore_case_and_suggest_neighbours(world: World) -> None:
    def found(**slots: str) -> dict[str, Any]:
        return dict(world.call(TASK, "query_restaurant", slots))

    assert found(area="Centre", food="Italian") == found(area="centre", food="italian")
    assert found(area="Centre")["count"] > 0
    assert found(food="italien")["closest_food"][0] == "italian"
    assert "closest_area" not in found(food="italien", area="Centre")
    assert found(name="the pewter cradle")["closest_name"][0] == "the pewter ladle"


def test_bookings_are_refused_until_the_alternative_is_asked_for(world: World) -> None:
    refused = world.call(TASK, "book_hotel", {**ROOM, "stay": 5})
    assert refused["booked"] is False
    assert "stay" in refused["reason"]
    booked = dict(world.call(TASK, "book_hotel", ROOM))
    assert len(booked.pop("reference")) == 8
    slots = {"people": "2", "day": "Thursday", "stay": "3"}
    assert booked == {"booked": True, **slots, "name": "skylark inn"}


@pytest.mark.parametrize(
    ("day", "stay", "booked"),
    [("monday", 5, False), ("monday", 3, True), ("thursday", 5, True), ("thursday", 3, True)],
)
def test_bookings_fail_by_all_their_slots(world: World, day: str, stay: int, booked: bool) -> None:
    goal = DomainTask({}, (), {"day": "thursday"}, fail_book={"day": "monday", "stay": "5"})
    room = {**ROOM, "day": day, "stay": stay}
    result = world.call(Task("a", {"hotel": goal}, ()), "book_hotel", room)
    assert result["booked"] is booked


def test_references_depend_on_task_and_arguments(world: World) -> None:
    def reference(task: Task = TASK, **more: object) -> str:
        return str(world.call(task, "book_hotel", {**ROOM, **more})["reference"])

    assert reference() == reference()
    others = {reference(), reference(people=1), reference(world.tasks["town003"])}
    assert len(others) == 3
    found = delexicaliser_of(world.scorer)(f"Your reference is {reference()}.")
    assert [span.slot for span in found.spans] == ["REFERENCE"]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("book_hotel", {**ROOM, "name": "skylark in"}, None),
        ("book_hotel", {**ROOM, "name": "sky palace"}, "unknown name 'sky palace'; choose from"),
        ("book_hotel", {"name": "skylark inn"}, "day is missing; stay is missing"),
        ("book_hotel", {**ROOM, "people": 0}, "people: expected a number"),
        ("book_hotel", {**ROOM, "people": 100}, None),
        ("book_hotel", "{", "expected a JSON object"),
        ("book_hotel", "[1]", "expected a JSON object"),
        ("query_hotel", {"colour": "red"}, "unknown slot 'colour'; choose from name, type"),
        ("query_hotel", {"area": "up"}, "area: unknown value 'up'; choose from centre"),
        ("query_train", {"leaveAt": "noon"}, "leaveAt: expected a time as HH:MM"),
        ("query_police", {}, "unknown tool 'query_police'; choose from query_restaurant"),
    ],
)
def test_wrong_arguments_get_an_answer_to_act_on(
    world: World, name: str, arguments: object, message: str | None
) -> None:
    error = world.call(TASK, name, arguments).get("error")
    assert error is None if message is None else message in error
