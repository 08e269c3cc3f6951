"""Live dialogues: tasks, tools, the environment, users, the baseline, and how they are played."""

from __future__ import annotations

import io
import json
import math
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, run_process

from mwz.harness import Benchmark, InputError
from mwz.harness.data import DomainTask, Task, Tasks, chosen_goals, load_tasks
from mwz.harness.data.goals import parse_tasks
from mwz.harness.live.agents import Baseline
from mwz.harness.live.environment import MAX_TURNS, Environment
from mwz.harness.live.play import _lost, play_tasks
from mwz.harness.live.plays import LiveRun, RunConfig, play_scripts
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import User, World, booked_slots
from mwz.harness.scoring import Reward, delexicaliser_of

TASK = Task(
    "town002",
    {
        "hotel": DomainTask(
            {"area": "east", "pricerange": "cheap"},
            ("phone",),
            {"people": "2", "day": "thursday", "stay": "3"},
            fail_book={"stay": "5"},
        )
    },
    ("You are looking for a hotel",),
)
ROOM = {"name": "skylark inn", "people": 2, "day": "Thursday", "stay": 3}


def _played(environment: Environment, agent: Any, task: Task | str) -> Any:
    environment.reset(task)
    while (said := environment.user_turn()) is not None:
        environment.respond(agent(said, environment.call))
    return environment.outcome()


# ---------------------------------------------------------------------------------------- tasks


def test_the_tasks_of_the_sample_have_the_goals_of_its_dialogues(world: World) -> None:
    goals = chosen_goals(world.tasks.goals, world.scorer.rules).goals
    assert goals.keys() == world.scorer.benchmark.dialogues.keys()
    for id_, goal in goals.items():
        known = world.scorer.benchmark.dialogues[id_].goal
        assert goal.keys() == known.keys()
        for domain, wanted in goal.items():
            assert wanted.requestable == known[domain].requestable
            # Where a taxi goes is said in full, or the user could not.
            assert wanted.informable.items() >= known[domain].informable.items()


def test_domains_come_in_the_order_of_the_instructions() -> None:
    train, food = {"info": {"day": "monday"}}, {"info": {"food": "thai"}}
    message = ["You are looking for a <span class='emphasis'>train</span>"]
    message += ["You are also looking for a <span class='emphasis'>place to dine</span>"]
    goal = {"restaurant": food, "hotel": {}, "train": train, "police": {}, "message": message}
    tasks = parse_tasks({"SNG1": {"goal": goal, "log": []}}, "here")
    task = tasks["sng1"]
    assert list(task.domains) == ["train", "restaurant"]
    assert task.message[0] == "You are looking for a train"
    assert parse_tasks(tasks.goals, "again").digest == tasks.digest


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "no goal of a domain with tools"),
        ([], "dictionary"),
        ({"a": {"hotel": {"info": {"area": 3}}}}, "a.hotel.info.area"),
        ({"a": {"hotel": {"book": {}}}}, "a.hotel.info"),
        ({"a": {"police": {"info": {}}}}, "no goal of a domain with tools"),
    ],
)
def test_wrong_goals_are_refused_with_their_place(content: object, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_tasks(content, "goals.json")


# ---------------------------------------------------------------------------------------- tools


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
def test_a_booking_is_refused_for_all_that_is_to_fail_together(
    world: World, day: str, stay: int, booked: bool
) -> None:
    goal = DomainTask({}, (), {"day": "thursday"}, fail_book={"day": "monday", "stay": "5"})
    result = world.call(
        Task("a", {"hotel": goal}, ()), "book_hotel", {**ROOM, "day": day, "stay": stay}
    )
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
    ("name", "arguments", "told"),
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
    world: World, name: str, arguments: object, told: str | None
) -> None:
    error = world.call(TASK, name, arguments).get("error")
    assert error is None if told is None else told in error


# -------------------------------------------------------------------------- the environment


def test_steps_out_of_order_are_refused_with_what_to_do(world: World) -> None:
    environment = Environment(world)
    assert environment.user_turn() is None
    environment.reset("town001")
    for early in (lambda: environment.respond("Hi"), lambda: environment.call("query_taxi", {})):
        with pytest.raises(InputError, match=r"not the agent's turn; call user_turn\(\)"):
            early()
    environment.user_turn()
    with pytest.raises(InputError, match=r"call respond\(text\)"):
        environment.user_turn()
    environment.respond("Hi")
    with pytest.raises(InputError, match=r"not the agent's turn; call user_turn\(\)"):
        environment.respond("Hi")
    with pytest.raises(InputError, match="no task for dialogue nowhere"):
        environment.reset("nowhere")


def _patient(task: Task, world: World, seed: str) -> User:
    return lambda response: ("Hello?", False)


def test_a_dialogue_ends_after_its_turns_and_stays_over(world: World) -> None:
    environment = Environment(world, _patient).reset("town001")
    for _ in range(MAX_TURNS):
        assert environment.user_turn()
        environment.respond("Pardon?")
    assert environment.user_turn() is None
    with pytest.raises(InputError, match=r"not the agent's turn; .* or reset\(task\)"):
        environment.respond("Pardon?")
    outcome = environment.outcome()
    assert (outcome["turns"], outcome["inform"], outcome["solved"]) == (MAX_TURNS, False, False)


def test_what_an_agent_changes_later_is_recorded_as_it_was(world: World) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    arguments = {"area": "north"}
    environment.call("query_hotel", arguments)
    arguments["area"] = "south"
    environment.call("query_hotel", {"area": {"north"}})
    environment.respond("Hm.")
    calls = environment.transcript[0]["calls"]
    # What JSON lacks is recorded as it is called.
    assert [call["arguments"]["area"] for call in calls] == ["north", "{'north'}"]
    # Nor can it change what tools return.
    environment.user_turn()
    (changed, again) = (environment.call("query_hotel", {})["results"] for _ in range(2))
    changed[0]["name"] = "changed"
    assert again[0]["name"] != "changed"
    assert environment.call("query_hotel", {})["results"] == again


def test_what_is_said_is_bounded_and_text(world: World) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    place = {"departure": "\ud800", "destination": "b", "leaveAt": "10:00"}
    assert environment.call("book_taxi", place)["departure"] == "?"
    # As a model writes it, what JSON calls half of a pair.
    assert environment.call("book_taxi", json.dumps(place))["departure"] == "?"
    environment.respond("Which \udfff area?")
    assert environment.transcript[0]["response"] == "Which ? area?"


def _circular() -> list[object]:
    circle: list[object] = []
    circle.append(circle)
    return circle


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda one: one.respond("x" * 100_001), "the response: 100,001 characters; at most 100,0"),
        (lambda one: one.respond(None), "the response: expected a string, found null"),
        (
            lambda one: one.call("query_taxi", "x" * 100_001),
            "the arguments of a call: 100,003 char",
        ),
        (lambda one: one.call("x" * 100_001, {}), "the name of the tool: 100,001 characters"),
        (
            lambda one: [one.call("query_taxi", {}) for _ in range(101)],
            "the agent calls tools more than 100 times in a turn",
        ),
    ],
)
def test_what_breaks_a_dialogue_is_worth_nothing_and_gives_a_reason(
    world: World, act: Callable[[Environment], object], reason: str
) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    assert environment.reward() == Reward(0.0)
    act(environment)
    # Whoever goes on changes nothing.
    assert environment.call("query_hotel", {}) == {"error": environment.error}
    environment.respond("Nonna's Attic?")
    assert (environment.user_turn(), environment.done) == (None, True)
    assert environment.reward().value == 0
    assert str(environment.reward().reason).startswith(reason)


@pytest.mark.parametrize("arguments", [None, 3, [1], "{", _circular(), {"a": _circular()}])
def test_arguments_that_are_no_slots_are_an_error_of_the_call_alone(
    world: World, arguments: object
) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    assert "expected a JSON object" in environment.call("query_hotel", arguments)["error"]
    assert environment.error is None
    environment.respond("Sorry.")
    assert environment.outcome()["failed_calls"] == 1


# ------------------------------------------------------------------------------- outcomes


STAY = {"people": "2", "day": "thursday", "stay": "3", "name": "skylark inn"}


def _booked(world: World, *stays: str) -> Mapping[str, bool]:
    made = [("hotel", {**STAY, "stay": stay}) for stay in stays]
    return booked_slots(TASK, made, world)[0]["hotel"]


def test_bookings_are_held_against_the_goal_slot_by_slot(world: World) -> None:
    right = dict.fromkeys(("people", "day", "stay", "once", "venue"), True)
    assert _booked(world, "3") == right
    assert _booked(world, "4") == {**right, "stay": False}
    assert _booked(world, "4", "3") == {**right, "once": False}
    assert _booked(world) == dict.fromkeys(right, False)
    # That hotel is in the south, and the goal books no table.
    made = [("hotel", {**STAY, "name": "harbourlight"}), ("restaurant", {})]
    booked, unasked = booked_slots(TASK, made, world)
    assert booked["hotel"] == {**right, "venue": False}
    assert unasked == 1


def test_taxis_are_compared_however_places_and_times_are_written(world: World) -> None:
    taxi = DomainTask({"departure": "saint john's college", "leaveAt": "9:15"})
    made = ("taxi", {"departure": "Saint Johns College", "leaveAt": "09:15"})
    booked, _ = booked_slots(Task("a", {"taxi": taxi}, ()), [made], world)
    assert booked["taxi"] == {"departure": True, "leaveAt": True, "once": True}


def test_a_taxi_goes_between_venues_of_the_goal_where_it_does_not_say_more(world: World) -> None:
    wanted = {
        "hotel": DomainTask({"name": "skylark inn"}),
        "restaurant": DomainTask({"food": "seafood"}),
        "taxi": DomainTask({"leaveAt": "9:15"}),
    }
    fitting, other = (
        world.call(TASK, "query_restaurant", {"food": food})["results"][0]["name"]
        for food in ("seafood", "italian")
    )

    def goes(departure: str, destination: str) -> bool:
        slots = {"departure": departure, "destination": destination, "leaveAt": "09:15"}
        booked, _ = booked_slots(Task("a", wanted, ()), [("taxi", slots)], world)
        return booked["taxi"]["route"]

    assert goes("Skylark Inn", fitting)
    assert goes(fitting, "Skylark Inn")
    assert not goes("Skylark Inn", other)
    assert not goes("Skylark Inn", "Skylark Inn")


def _passes(world: World, solved: Sequence[int]) -> Any:
    """Return pass^k of tasks that are solved in so many of four trials."""
    scripted = play_scripts(world, 4, 0, []).config
    config = replace(scripted, tasks=[*world.tasks.tasks][: len(solved)])
    lines = [
        {**_lost(config, trial, id_), "outcome": {**outcome, "solved": trial <= times}}
        for trial in range(1, 5)
        for id_, times in zip(config.tasks, solved, strict=True)
        for outcome in [_lost(config, trial, id_)["outcome"]]
    ]
    return LiveRun(config, lines).figures["pass"]


def test_pass_hat_is_the_mean_share_of_samples_that_are_all_solved(world: World) -> None:
    # Four trials, 4, 2 and 0 of them solved. k = 1: (1 + 1/2 + 0) / 3; k = 2: C(4,2) = 6 samples
    # of two, of which 6, 1 and 0 are all solved: (1 + 1/6 + 0) / 3; k = 3: (1 + 0 + 0) / 3.
    expected = {1: 50.0, 2: 100 * (7 / 6) / 3, 3: 100 / 3, 4: 100 / 3}
    passes = _passes(world, [4, 2, 0] * 10)
    for k, value in expected.items():
        assert math.isclose(passes[str(k)]["value"], value)
    assert passes["2"]["low"] < expected[2] < passes["2"]["high"]
    # Each task counts whole or not at all: Wilson's interval, from n / (n + z²) = 9 / 12.8415.
    rate = _passes(world, [4] * 9)["2"]
    assert math.isclose(rate["low"], 70.085, abs_tol=1e-3)
    assert rate["high"] == 100


@pytest.mark.parametrize(
    ("told", "success"),
    [("{}", True), ("AB4D5FGH", False), ("**{}**", True), ("nothing", False)],
)
def test_reference_numbers_count_if_a_booking_returned_them(
    world: World, told: str, success: bool
) -> None:
    environment = Environment(world).reset(TASK)
    environment.user_turn()
    code = environment.call("book_hotel", ROOM)["reference"]
    environment.respond(f"Skylark Inn is booked. The reference number is {told.format(code)}.")
    outcome = environment.outcome()
    assert [outcome[one] for one in ("success", "requested", "inform")] == [success, success, True]
    # The one of another domain is no help.
    environment.reset("town003")
    environment.user_turn()
    code = environment.call("book_hotel", ROOM)["reference"]
    train = "TR4017 from Ostley to Brackwater on Saturday, arriving at 13:00"
    environment.respond(f"{train}, is booked. The reference number is {code}.")
    assert not environment.outcome()["success"]


# ------------------------------------------------------------------------ user and baseline


@pytest.mark.parametrize("id_", ["town001", "town006"])
def test_the_user_goes_on_to_the_alternatives(world: World, id_: str) -> None:
    environment = Environment(world)
    assert _played(environment, Baseline(), id_)["solved"]
    said = " ".join(turn["user"] for turn in environment.transcript)
    wanted = world.tasks[id_].domains["restaurant"]
    first = {**wanted.fail_info, **wanted.fail_book}
    for slot, value in first.items():
        later = {**wanted.info, **wanted.book}[slot]
        assert said.index(value) <= said.index(later)


def _told(world: World, task: Task | str, *responses: str) -> str:
    """Return what a user says to the last of some responses."""
    user = ScriptedUser(world.tasks[task] if isinstance(task, str) else task, world, "1")
    user(None)
    return [user(one)[0] for one in responses][-1]


@pytest.mark.parametrize(
    ("task", "response", "answer"),
    [
        ("town001", "Unfortunately, there are no Ethiopian restaurants in the centre.", "italian"),
        ("town001", "I couldn't find any matches. Would you like another cuisine?", "italian food"),
        ("town001", "We don't have that. There's Nonna's Attic, though.", "italian food"),
        ("town001", "Sorry, nothing was found!", "italian food"),
        ("town026", "Which part of town would you like?", "in the south"),
        ("town026", "What type of attraction are you interested in?", "of the type museum"),
        ("town026", "Please tell me what kind of place you have in mind.", "of the type museum"),
        ("town026", "Do you have a price range in mind?", "no preference|does not matter"),
    ],
)
def test_the_user_hears_that_there_is_nothing_and_what_it_is_asked(
    world: World, task: str, response: str, answer: str
) -> None:
    said = _told(world, task, response)
    assert any(one in said for one in answer.split("|"))


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("I'm sorry, that booking failed. Another time?", "18:30"),
        ("They are fully booked then.", "18:30"),
        ("They have no tables left. What other time would you like?", "18:30"),
        ("It didn’t go through.", "18:30"),
        ("They're booked up at 19:00.", "18:30"),
        ("Regrettably they turned us down.", "18:30"),
        ("How many people will be coming, and on what day?", "6 people"),
        ("Your table is reserved!", "reference number"),
        ("Booked. Your reference is **AB4D5FGH**.", "postcode"),
    ],
)
def test_the_user_books_and_hears_what_came_of_it(world: World, response: str, answer: str) -> None:
    venues = world.call(TASK, "query_restaurant", {"food": "seafood"})["results"]
    name = next(venue["name"] for venue in venues if venue["pricerange"] == "moderate")
    offer = f"How about **{name.title()}**?"
    assert "19:00" in _told(world, "town006", offer)
    assert answer in _told(world, "town006", offer, response)


def _wanting(domain: str, info: Mapping[str, str], *asked: str, **book: str) -> Task:
    return Task("town002", {domain: DomainTask(info, asked, book)}, ("You are looking for it",))


@pytest.mark.parametrize(
    ("info", "response", "answer"),
    [
        ({"area": "east"}, "Skylark Inn is in the centre.", "in the east"),
        ({"area": "east"}, "Skylark Inn, 1 Centre Road, is nice and central.", "in the east"),
        ({"area": "east"}, "Skylark Inn is nice.", None),
        ({"stars": "3"}, "Skylark Inn has 4 stars.", "with 3 stars"),
        ({"parking": "yes"}, "Skylark Inn has wifi, but no parking.", "with free parking"),
        ({"parking": "yes"}, "Skylark Inn has parking, but no wifi.", None),
        ({"pricerange": "cheap"}, "Skylark Inn is rather pricey.", "in the cheap price range"),
        ({"type": "hotel"}, "Skylark Inn is a guest house.", "of the type hotel"),
        ({"name": "skylark inn"}, "How about Willow Bank?", "called skylark inn"),
        ({"name": "skylark inn"}, "The Skylark Inn hotel has rooms.", None),
        ({"area": "east"}, "Try Skylark Inn in the east, or Fern Gate in the west.", None),
    ],
)
def test_the_user_objects_to_what_contradicts_its_constraints(
    world: World, info: Mapping[str, str], response: str, answer: str | None
) -> None:
    said = _told(world, _wanting("hotel", info, day="monday"), response)
    assert ("book" in said) == (answer is None)
    assert answer is None or answer in said


@pytest.mark.parametrize(
    ("slot", "response", "fits"),
    [
        ("leaveAt", "TR4017 leaves at 08:10 and arrives at 08:55.", False),
        ("leaveAt", "TR4017 leaves at 9:15 am and arrives at 10:00 am.", True),
        ("arriveBy", "TR4017 leaves at 08:10 and arrives at 09:55.", False),
        ("arriveBy", "For 09:00, TR4017 leaves at 08:10 and arrives at 08:55.", True),
        ("arriveBy", "There is one at 08:10 that arrives at 08:55. Shall I book it?", True),
    ],
)
def test_the_user_objects_to_trains_that_come_too_late_or_leave_too_early(
    world: World, slot: str, response: str, fits: bool
) -> None:
    task = _wanting("train", {"destination": "ostley", slot: "09:00"}, people="1")
    assert ("book that train" in _told(world, task, response)) == fits


def test_of_several_venues_the_user_takes_the_first_that_fits(world: World) -> None:
    task = _wanting("hotel", {"area": "east"}, "phone")
    first = (
        "1. Fern Gate, in the west, 01632960205; 2. Skylark Inn, in the east, {}; 3. Willow Bank"
    )
    assert "Skylark Inn" in _told(world, task, first.format("cheap"))
    # Its number is told beside it.
    assert _told(world, task, first.format("01632960207")).endswith("oodbye.")
    full = "Skylark Inn is full. I suggest Willow Bank."
    assert "Willow Bank" in _told(world, task, full)


def test_the_user_does_not_ask_for_what_it_was_told(world: World) -> None:
    task = _wanting("hotel", {"area": "east"}, "phone", "stars", "internet")
    whole = "Skylark Inn has 3 stars and wifi. Call 01632960207."
    assert _told(world, task, whole).endswith("oodbye.")
    said = _told(world, task, "Skylark Inn has wifi. Shall I go on?")
    assert "phone number and number of stars" in said
    assert "internet" not in said
    # The number is Willow Bank's, and the user has not taken it.
    both = ("Willow Bank has wifi, and Skylark Inn has 3 stars.", "3 stars, and call 01632960208.")
    assert _told(world, task, *both).endswith("oodbye.")


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("What name should I book under?", "The name is Alex Miller. Please book a room there"),
        ("Could I have your phone number or e-mail?", "go on without it. Please book"),
        ("Shall I go ahead and book it?", "Please book a room there"),
        ("One moment please.", "wait|take your time"),
        ("Great, let me check that for you.", "wait|take your time"),
        ("Is there anything else I can help you with?", "Please book a room there"),
        ("", "did not get that"),
    ],
)
def test_the_user_answers_small_talk_and_goes_on(world: World, response: str, answer: str) -> None:
    said = _told(world, "town007", "The Marchmont has 5 stars. Anything else?", response)
    assert any(one in said for one in answer.split("|"))


def test_the_user_waits_for_nothing_where_there_is_an_offer(world: World) -> None:
    task = _wanting("hotel", {"area": "east"}, day="monday")
    for offer in ("Skylark Inn is in the east.", "Skylark Inn is in the centre."):
        said = _told(world, task, f"{offer} One moment please.")
        assert "wait" not in said
        assert "take your time" not in said


def test_the_user_asks_nothing_of_a_venue_before_there_is_one(world: World) -> None:
    task = _wanting("hotel", {"area": "east"}, "phone")
    said = _told(world, task, "Sorry, there is nothing like that.")
    assert "in the east" in said
    assert "phone" not in said


def test_waiting_is_not_held_against_the_agent(world: World) -> None:
    waits = ["The Marchmont has 5 stars.", *["One moment please."] * 9]
    assert "reference number" in _told(world, "town007", *waits, "It is booked.")


def test_what_is_booked_is_not_booked_again(world: World) -> None:
    booked = "I have booked The Marchmont in the centre, your reference is AB4D5FGH."
    assert "What is the address" in _told(world, "town007", booked, "Anything else?")
    # A reference number that it knows is no new one.
    again = (booked, "It is at 1 Mill Lane. Your reference is AB4D5FGH.")
    assert "hall of clocks" in _told(world, "town007", *again)


def test_a_taxi_goes_to_what_the_user_was_told(world: World) -> None:
    hotel = DomainTask({"area": "east"}, book={"day": "monday"})
    wanted = {"hotel": hotel, "restaurant": DomainTask({"name": "brine"}), "taxi": DomainTask({})}
    nameless = "I have booked one, reference AB4D5FGH."
    for first, name in ((nameless, "the hotel"), (f"Skylark Inn? {nameless}", "Skylark Inn")):
        said = _told(world, Task("town002", wanted, ()), first, "Brine?")
        assert f"from {name}" in said
        assert "to Brine" in said


def test_the_user_asks_for_another_venue_where_a_number_is_not_known(world: World) -> None:
    task = _wanting("hotel", {"area": "east"}, "phone")
    unknown = "For Skylark Inn, the phone number is not known."
    assert "another one whose phone number" in _told(world, task, "Skylark Inn?", unknown)
    for answer in ("I am sorry, there are no others.", "Willow Bank: 01632960208."):
        assert _told(world, task, "Skylark Inn?", unknown, answer).endswith("oodbye.")


@pytest.mark.parametrize(
    "response",
    [
        "12:30 . ? " * 100_000,
        "Where " * 10_000 + "?",
        # Lines that end before a list, with nothing in them.
        "See" + "\n" * 9_900 + "- this",
    ],
)
def test_the_user_hears_a_long_response_in_no_time(world: World, response: str) -> None:
    began = time.process_time()
    assert _told(world, "town007", response)
    # The first takes a tenth of a second; before it was cut, it took minutes.
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("response", "area", "type_"),
    [
        # A list belongs to its sentence, which is a question; another line is a sentence.
        ("What would you like:\n \n - area\n\n2 type?", True, True),
        ("There are some in every area \n\n what type?", False, True),
    ],
)
def test_lists_are_no_sentences(world: World, response: str, area: bool, type_: bool) -> None:
    said = _told(world, "town026", response)
    assert ("in the south" in said, "of the type museum" in said) == (area, type_)


def test_the_user_gives_up_on_an_agent_that_gets_nowhere(world: World) -> None:
    environment = Environment(world)
    outcome = _played(environment, lambda said, call: "I see.", "town007")
    assert environment.transcript[-1]["user"].endswith(("oodbye.",))
    # Three turns without progress each for the hotel and the attraction, and the goodbye.
    assert outcome["turns"] == 7
    assert not outcome["inform"]


# ----------------------------------------------------------------------------------- playing


def _sample(file: Path, *options: str) -> list[str]:
    return ["play", "--benchmark", "sample", "-o", str(file), *options]


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, cli: Cli) -> None:
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for file, options in zip(files, ((), ("--jobs", "3"), ("--seed", "1")), strict=True):
        cli.done(*_sample(file, "--tasks", "10", *options))
    one, same, other = (file.read_bytes() for file in files)
    assert one == same
    assert one != other


def test_play_resumes_and_drops_a_line_that_is_cut_off(tmp_path: Path, cli: Cli) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    cli(*_sample(whole, "--tasks", "5"))
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    done = cli.done(*_sample(cut, "--tasks", "5"))
    assert "the last line is cut off" in done.err
    assert "resuming, 2 dialogues already played" in done.err
    assert cut.read_bytes() == whole.read_bytes()


def test_outcomes_are_those_of_what_was_said_and_called(tmp_path: Path, cli: Cli) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    cli(*_sample(file, "--tasks", "2"))
    played = file.read_text(encoding="utf-8")
    file.write_text(played.replace('"solved": true', '"solved": false'), encoding="utf-8")
    cli(*_sample(file, "--tasks", "2", "--json", str(figures)))
    assert json.loads(figures.read_text(encoding="utf-8"))["solved"] == 100
    # Nothing is called or said, but the outcome says otherwise.
    line = {**json.loads(played.splitlines()[0]), "turns": [{"user": "Hello.", "response": "Bye."}]}
    file.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert "must not be edited" in cli(*_sample(file, "--tasks", "2")).err


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        (str, ("--seed", "7"), "different seed: 0 and 7"),
        (str, ("--agent", "json:loads"), "different agents"),
        (lambda text: text + text, (), "dialogue town001 is there twice"),
        (
            lambda text: text.replace('"trial": 1', '"trial": 2'),
            (),
            "is of trial 2, not 1; use another -o",
        ),
        (lambda text: text.replace('"costs"', '"cost"'), (), "line 1: no play"),
        (lambda text: '{"town001": [{"response": "mine"}]}', (), "line 1: no play"),
    ],
)
def test_a_file_that_is_no_play_or_another_one_is_refused_and_kept(
    tmp_path: Path, cli: Cli, change: Callable[[str], str], options: tuple[str, ...], told: str
) -> None:
    file = tmp_path / "p.jsonl"
    cli(*_sample(file, "--tasks", "1"))
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    before = file.read_bytes()
    assert told in cli.refused(*_sample(file, "--tasks", "2", *options))
    assert file.read_bytes() == before


def test_dialogues_that_were_broken_off_stay_lost(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    cli(*_sample(file, "--tasks", "2"))
    broken, other = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    broken["outcome"]["error"] = "no answer"
    broken["turns"][-1]["response"] = ""
    file.write_text("".join(json.dumps(one) + "\n" for one in (broken, other)), encoding="utf-8")
    edited = file.read_bytes()
    done = cli(*_sample(file, "--tasks", "2"))
    assert "2 dialogues already played" in done.err
    assert file.read_bytes() == edited
    assert re.search(r"Solved +50", done.out)


def test_values_are_found_in_whatever_letters_and_unknown_ones_have_neighbours(
    world: World,
) -> None:
    def found(**slots: str) -> dict[str, Any]:
        return dict(world.call(TASK, "query_restaurant", slots))

    assert found(area="Centre", food="Italian") == found(area="centre", food="italian")
    assert found(area="Centre")["count"] > 0
    assert found(food="italien")["closest_food"][0] == "italian"
    assert "closest_area" not in found(food="italien", area="Centre")
    assert found(name="the pewter cradle")["closest_name"][0] == "the pewter ladle"


def test_score_and_why_read_what_is_played(tmp_path: Path, cli: Cli) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    options = ("--tasks", "4", "--json", str(figures), "--trials", "2")
    cli.done(*_sample(file, *options))
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert found["pass"]["2"]["value"] == found["solved"] == 100
    assert "|trials:2" in found["signature"]
    assert "|user:scripted-1-" in found["signature"]
    scored = cli.done("score", file, tmp_path / "p.2.jsonl", "--free-running", "--json", "-")
    for line in scored.out.splitlines():
        assert json.loads(line)["grounded"]["success"]["total"] == found["success"]
    why = cli.done("why", file, "--dialogue", "town001")
    assert "ethiopian" in why.out


@pytest.fixture
def mine(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a module of agents, which is the current one."""
    (here / "mine.py").write_text(
        "def answer(messages, call):\n"
        "    found = call('query_restaurant', {'food': 'italian', 'area': 'centre'})\n"
        "    return found['results'][0]['name'].title() if len(messages) == 1 else 'Bye.'\n"
        "def broken(messages, call):\n"
        "    return 1 / 0\n"
        "def leaving(messages, call):\n"
        "    raise SystemExit(3)\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(here))
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    return here / "play.jsonl"


def test_a_function_is_an_agent(mine: Path) -> None:
    done = run_process(*_sample(mine, "--tasks", "8", "--agent", "mine:answer"), folder=mine.parent)
    assert done.returncode == 0, done.stderr
    assert json.loads(mine.read_text(encoding="utf-8").splitlines()[0])["outcome"]["inform"]


@pytest.mark.parametrize(
    ("name", "error"), [("broken", "ZeroDivisionError"), ("leaving", "SystemExit")]
)
def test_errors_of_a_function_fail_dialogues(mine: Path, cli: Cli, name: str, error: str) -> None:
    message = cli.refused(*_sample(mine, "--tasks", "8", "--agent", f"mine:{name}"))
    for told in ("5 dialogues in a row are broken off", "at mine.py:", error):
        assert told in message
    lines = mine.read_text(encoding="utf-8").splitlines()
    assert error in json.loads(lines[0])["outcome"]["error"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("mine:none", "cannot be imported"),
        ("./mine.py:answer", "the module without .py"),
    ],
)
def test_what_is_no_function_is_refused(mine: Path, cli: Cli, name: str, told: str) -> None:
    assert told in cli.refused(*_sample(mine, "--agent", name))


def test_a_person_talks_beside_the_figures(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("I want Italian food in the centre.\n\n"))
    options = ["--tasks", "1", "--user", "person", "--json", "-"]
    done = cli(*_sample(tmp_path / "p.jsonl", *options))
    assert json.loads(done.out)["turns"] == 2
    assert "agent: Nonna's Attic is a restaurant" in done.err


def test_only_one_process_plays_into_a_file(tmp_path: Path, world: World) -> None:
    def config() -> RunConfig:
        made = (Baseline, "b", ScriptedUser, "u")
        return RunConfig(world, list(world.tasks.tasks)[:3], *made)

    first = play_tasks(config(), tmp_path / "p.jsonl")
    next(first)
    with pytest.raises(InputError, match="another process plays into it"):
        list(play_tasks(config(), tmp_path / "p.jsonl"))
    assert len(list(first)) == 2


def test_options_that_do_not_fit_are_refused(tmp_path: Path, cli: Cli) -> None:
    file = tmp_path / "p.jsonl"
    for options, told in (
        (("--agent", "basline"), "did you mean baseline"),
        (("--user", "scriptd"), "did you mean scripted"),
        (("--user", "person", "--jobs", "2"), "one dialogue at a time"),
        (("--base-url", "http://127.0.0.1:9"), "--base-url is for --agent model:NAME"),
        (
            ("--agent", "model:m", "--base-url", "127.0.0.1:9"),
            "at 127.0.0.1:9: expected an address",
        ),
    ):
        assert told in cli.refused(*_sample(file, *options))
    assert not file.exists()


# --------------------------------------------------------------------------------- MultiWOZ


@pytest.fixture(scope="module")
def real(upstream: Path) -> Tasks:
    from mwz.harness.data.goals import read_tasks

    return read_tasks(upstream / "ConvLab-2")


@pytest.mark.real_data
def test_the_scripted_pair_solves_multiwoz(real: Tasks, multiwoz: Benchmark, world: World) -> None:
    there = World(world.scorer.__class__(multiwoz, world.scorer.options), real)
    environment = Environment(there)
    # The last three have a restaurant without telephone number, or The Junction, which rule set
    # 2021 calls otherwise.
    ids = [*list(real.tasks)[:20], "mul2347", "pmul0267", "pmul3557"]
    assert all(_played(environment, Baseline(), id_)["solved"] for id_ in ids)
    # Several trains from Norwich have one id, of which some leave in the morning.
    late = {"departure": "norwich", "destination": "cambridge", "leaveAt": "19:30"}
    found = there.call(TASK, "query_train", {**late, "day": "thursday"})["results"]
    assert found
    assert all(train["leaveAt"] >= "19:30" for train in found)


@pytest.mark.real_data
def test_tasks_are_installed_beside_the_benchmark(upstream: Path, cli: Cli) -> None:
    done = cli.done("data", "import", "--convlab2", upstream / "ConvLab-2")
    assert "installed tasks of multiwoz: 1000" in done.out
    assert len(load_tasks("multiwoz").tasks) == 1000


def test_tasks_that_are_not_installed_are_asked_for() -> None:
    with pytest.raises(InputError, match="mwz data import --convlab2"):
        load_tasks("multiwoz")
