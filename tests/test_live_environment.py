"""The environment of live dialogues: its steps, its limits, and the outcomes of dialogues."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from live_tasks import ROOM, TASK, play_task

from mwz.harness import InputError
from mwz.harness.data import DomainTask, Task
from mwz.harness.live.agents import Baseline
from mwz.harness.live.environment import (
    MAX_TURNS,
    MISSING,
    Environment,
    booked_slots,
    outcome_of,
)
from mwz.harness.live.plays import LiveRun, play_scripts
from mwz.harness.live.world import User, World
from mwz.harness.scoring import Reward


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


def test_invalid_text_is_replaced(world: World) -> None:
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


_LONG = "x" * 100_001


def _many_calls(live: Environment) -> None:
    for _ in range(101):
        live.call("query_taxi", {})


@pytest.mark.parametrize(
    ("act", "reason"),
    [
        (lambda live: live.respond(_LONG), "the response: 100,001 characters; at most 100,000"),
        (lambda live: live.respond(None), "the response: expected a string, found null"),
        (lambda live: live.call("query_taxi", _LONG), "the arguments of a call: 100,003 char"),
        (lambda live: live.call(_LONG, {}), "the name of the tool: 100,001 characters"),
        (_many_calls, "the agent calls tools more than 100 times in a turn"),
    ],
)
def test_what_breaks_a_dialogue_is_worth_nothing_and_gives_a_reason(
    world: World, act: Callable[[Environment], object], reason: str
) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    assert environment.reward() == Reward(0.0)
    act(environment)
    assert environment.error is not None
    # Whoever goes on changes nothing.
    assert environment.call("query_hotel", {}) == {"error": environment.error}
    environment.respond("Nonna's Attic?")
    assert (environment.user_turn(), environment.done) == (None, True)
    assert environment.reward().value == 0
    assert str(environment.reward().reason).startswith(reason)


@pytest.mark.parametrize("arguments", [None, 3, [1], "{", _circular(), {"a": _circular()}])
def test_bad_arguments_fail_only_the_call(world: World, arguments: object) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    assert "expected a JSON object" in environment.call("query_hotel", arguments)["error"]
    assert environment.error is None
    environment.respond("Sorry.")
    assert environment.outcome()["failed_calls"] == 1


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


@pytest.mark.parametrize(
    ("message", "success"),
    [("{}", True), ("AB4D5FGH", False), ("**{}**", True), ("nothing", False)],
)
def test_only_returned_reference_numbers_count(world: World, message: str, success: bool) -> None:
    environment = Environment(world).reset(TASK)
    environment.user_turn()
    code = environment.call("book_hotel", ROOM)["reference"]
    environment.respond(f"Skylark Inn is booked. The reference number is {message.format(code)}.")
    outcome = environment.outcome()
    rates = [outcome[name] for name in ("success", "requested", "inform")]
    assert rates == [success, success, True]
    # The one of another domain is no help.
    environment.reset("town003")
    environment.user_turn()
    code = environment.call("book_hotel", ROOM)["reference"]
    train = "TR4017 from Ostley to Brackwater on Saturday, arriving at 13:00"
    environment.respond(f"{train}, is booked. The reference number is {code}.")
    assert not environment.outcome()["success"]


@pytest.mark.parametrize(
    ("words", "solved"),
    [
        ("", True),
        ("It is CHEERFUL.", True),
        ("A table is booked, number QX7RW2ZD.", False),
    ],
)
def test_a_number_made_up_loses_a_task_that_books_nothing(
    world: World, words: str, solved: bool
) -> None:
    baseline = Baseline()
    outcome = play_task(
        Environment(world), lambda said, call: f"{baseline(said, call)} {words}", "town001"
    )
    assert (outcome["requested"], outcome["solved"]) == (True, solved)


def test_what_follows_the_goodbye_of_the_script_is_not_heard(world: World) -> None:
    named = {"response": "Skylark Inn is in the north.", "user": "A hotel, please."}
    for goodbye, is_heard in (("Thank you, goodbye.", False), ("Thank you.", True)):
        told = {"user": goodbye, "response": "The phone number of Skylark Inn is 01223 999999."}
        outcome = outcome_of(world, TASK, [named, told])
        assert outcome["told"]["told"] == is_heard


def _passes(world: World, solved: Sequence[int]) -> Any:
    """Return pass^k of tasks that are solved in so many of four trials."""
    scripted = play_scripts(world, 4, 0, []).config
    config = replace(scripted, tasks=[*world.tasks][: len(solved)])
    lines = []
    for trial in range(1, 5):
        for id_, times in zip(config.tasks, solved, strict=True):
            outcome = outcome_of(world, world.task(id_), [], MISSING)
            outcome["solved"] = trial <= times
            line = {"dialogue_id": id_, "turns": [], "trial": trial, "outcome": outcome}
            lines.append({**line, "costs": {}})
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
