"""What users say and ask, and whose fault a lost goal domain is: rules by hand on the sample."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import RULES, Cli, goal, write_json

from mwz.harness.benchmark import Goal
from mwz.harness.data import load_benchmark
from mwz.harness.grounding import UserPart, ground, user_parts
from mwz.harness.grounding.said import Said, read_user
from mwz.harness.grounding.users import user_counts
from mwz.harness.live.plays import _with_booking
from mwz.harness.live.world import World
from mwz.harness.scoring import Scorer, database_of
from mwz.normalization.delexicaliser import Delexicaliser

SAMPLE = load_benchmark("sample")
DELEXICALISER = Delexicaliser(SAMPLE.venue_records(RULES), RULES)
DATABASE = database_of(Scorer(SAMPLE))

# Nonna's attic is in the centre (01632960106), two doves in the north (01632960112).
ITALIAN_CENTRE = {"food": "italian", "area": "centre"}
HOTEL = {"type": "guesthouse", "stars": "4", "internet": "no", "parking": "yes"}
TRAIN = {"departure": "ostley", "destination": "brackwater", "day": "saturday", "arrive": "10:15"}
TAXI = {"departure": "skylark inn", "destination": "nonna's attic", "arrive": "19:15"}
BOOKING = {"people": "2", "day": "friday", "time": "19:15"}
GOALS = {
    "restaurant": Goal(ITALIAN_CENTRE, frozenset(), BOOKING),
    "hotel": Goal(HOTEL, frozenset(), {"people": "2", "day": "friday", "stay": "3"}),
    "train": Goal(TRAIN, frozenset(), {"people": "1"}),
    "taxi": goal(TAXI),
}


def _said(*turns: str) -> dict[str, Said]:
    """Return what a user says who gets no answers; `response // turn` answers a response."""
    users = []
    responses = []
    for turn in turns:
        response, _, user = turn.rpartition(" // ")
        users.append(user)
        responses.append(response)
    return read_user(users, [*responses[1:], ""], GOALS, DELEXICALISER)


@pytest.mark.parametrize(
    ("turns", "domain", "slot", "values"),
    [
        # The domain: of the words, of the venue named, of the statement or the question before.
        (["A restaurant in the centre and a hotel in the north."], "hotel", "area", ["north"]),
        (
            ["A restaurant in the centre and a hotel in the north."],
            "restaurant",
            "area",
            ["centre"],
        ),
        (["Tell me about Skylark Inn.", "For 2 people."], "hotel", "people", ["2"]),
        (["A hotel near the restaurant, please.", "It needs 4 stars."], "hotel", "stars", ["4"]),
        (
            ["Thanks.", "Which day does the train leave? // On Saturday."],
            "train",
            "day",
            ["saturday"],
        ),
        (
            ["From Ostley to Brackwater.", "The 8:15 train arrives at 10:15. // Good."],
            "train",
            "departure",
            ["ostley"],
        ),
        # Places: where a train goes is said by more than the town.
        (["A restaurant in Brackwater."], "train", "destination", []),
        (["A train to Brackwater."], "train", "destination", ["brackwater"]),
        (["A train to Brackwater."], "train", "departure", []),
        (
            ["A train.", "Where do you leave from? // Ostley, please."],
            "train",
            "departure",
            ["ostley"],
        ),
        (["A taxi from Skylark Inn to Nonnas Attic."], "taxi", "departure", ["skylark inn"]),
        # Times: the last word before them says which.
        (["A train that leaves on Saturday and arrives by 10:15."], "train", "arrive", ["10:15"]),
        (["A train that leaves on Saturday and arrives by 10:15."], "train", "leave", []),
        (["A train.", "When do you want to arrive? // 10:15."], "train", "arrive", ["10:15"]),
        (["A train.", "One leaves at 9:15. // The one that leaves at 9:15."], "train", "leave", []),
        # Features, numbers in words, what refers to something before.
        (["A hotel without wifi, but parking."], "hotel", "internet", ["no"]),
        (["A hotel without wifi, but parking."], "hotel", "parking", ["yes"]),
        (["A room for three nights from Friday."], "hotel", "stay", ["3"]),
        (["A table for the same group of people."], "restaurant", "people", [None]),
        (["A taxi to be there by the booked time."], "taxi", "arrive", [None]),
        (["A ticket, please."], "train", "people", ["1"]),
    ],
)
def test_what_is_said(
    turns: Sequence[str], domain: str, slot: str, values: Sequence[str | None]
) -> None:
    said = _said(*turns)[domain].values.get(slot, [])
    assert list(dict.fromkeys(value for _, value in said)) == values


@pytest.mark.parametrize(
    ("turns", "domain", "asked"),
    [
        (["I need the postcode of the restaurant."], "restaurant", {"POST"}),
        (["A hotel in the west area."], "hotel", set()),
        (["I like that hotel.", "And the area too."], "hotel", {"area"}),
        (
            ["A hotel.", "Would you like its phone number? // Yes, please."],
            "hotel",
            {"PHONE", "phone"},
        ),
        (
            ["A hotel.", "Would you like its phone number? // No, its address."],
            "hotel",
            {"ADDRESS"},
        ),
        # Booking asks for what it returns.
        (["Book a table for two."], "restaurant", {"REFERENCE"}),
        (["Book me a cab."], "taxi", set()),
        (["A hotel.", "Fine. // No, I do not want to book it."], "hotel", set()),
        (["A restaurant.", "Fine. // I have just read a book on bridges."], "restaurant", set()),
        (
            ["A restaurant.", "Two Doves. // I would like to get the phone number."],
            "restaurant",
            {"PHONE", "phone"},
        ),
        (
            ["A museum.", "Fine. // What does it cost to get in?"],
            "attraction",
            {"entrancefee", "price", "pricerange"},
        ),
        (["A museum.", "Fine. // How can I call them?"], "attraction", {"PHONE"}),
    ],
)
def test_what_is_asked(turns: Sequence[str], domain: str, asked: set[str]) -> None:
    assert set(_said(*turns)[domain].asked) == asked


def _part(wanted: Goal, *turns: tuple[str, str], domain: str = "restaurant") -> UserPart:
    """Return what the user did of a goal domain in turns of user and response."""
    users = [user for user, _ in turns]
    responses = [response for _, response in turns]
    goals: Mapping[str, Goal] = {domain: wanted}
    outcome = ground(responses, goals, DATABASE, DELEXICALISER)
    parts = user_parts(users, responses, goals, outcome, DATABASE, DELEXICALISER, RULES)
    return parts[domain]


def test_a_domain_is_lost_by_who_did_not_say_or_not_answer() -> None:
    wanted = goal(ITALIAN_CENTRE, ["PHONE"])
    asks_all = "I want Italian food in the centre. What is the phone number?"
    fits = "Nonna's Attic, on 01632960106."
    assert _part(wanted, (asks_all, fits)).fault == "none"
    # The offer is not what was said; the slot is answered by a placeholder.
    assert _part(wanted, (asks_all, "Two Doves, on 01632960112.")).fault == "agent"
    assert _part(wanted, (asks_all, "Nonna's Attic, on [phone].")).fault == "agent"
    # What is not said is not to be met.
    without_area = _part(wanted, ("Italian food. The phone number?", "Two Doves: 01632960112."))
    assert (without_area.never_said, without_area.fault) == (["area"], "user")
    assert (without_area.inform, without_area.success) == (True, True)
    silent = _part(wanted, ("I want Italian food in the centre.", "Nonna's Attic."))
    assert (silent.never_asked, silent.fault) == (["PHONE"], "user")
    # Nor does a constraint matter that is met all the same.
    lucky = _part(wanted, ("Italian food. The phone number?", "Nonna's Attic, on [phone]."))
    assert (lucky.never_said, lucky.fault) == (["area"], "agent")
    both = _part(wanted, ("Italian food. The phone number?", "Two Doves, on [phone]."))
    assert both.fault == "both"
    assert _part(wanted, ("Hello.", "How can I help?")).fault == "user"


def test_what_is_said_otherwise_counts_as_it_is_said() -> None:
    wanted = goal(ITALIAN_CENTRE)
    north = _part(wanted, ("Italian food in the north.", "Two Doves is nice."))
    assert (north.said_otherwise, north.never_said) == ({"area": "north"}, [])
    assert (north.inform, north.fault) == (True, "user")


def test_what_the_goal_changes_counts_as_said() -> None:
    wanted = Goal(ITALIAN_CENTRE, frozenset(), {"people": "2"}, None, {"area": "north"})
    first = _part(wanted, ("A table in the north with Italian food.", "Two Doves is nice."))
    assert (first.said_otherwise, first.never_said) == ({}, ["people"])


def test_what_no_venue_meets_need_not_be_offered() -> None:
    wanted = goal({"food": "italian", "area": "west"})
    part = _part(wanted, ("Italian food in the west.", "There is none, I am sorry."))
    assert part.inform


def test_a_slot_that_is_told_need_not_be_asked_for() -> None:
    wanted = goal(ITALIAN_CENTRE, ["PHONE", "POST"])
    part = _part(wanted, ("Italian food in the centre.", "Nonna's Attic, phone [phone]."))
    assert (part.never_asked, part.fault) == (["PHONE", "POST"], "both")


def test_a_booking_must_be_as_said() -> None:
    wanted = Goal(ITALIAN_CENTRE, frozenset({"REFERENCE"}), {"people": "3", "time": "18:30"})
    users = "Italian food in the centre. Book a table for 3 people at 19:00."
    for people, success in ((3, True), (5, False)):
        answer = f"Nonna's Attic is booked for {people} people at 19:00, reference QX7P2M4K."
        part = _part(wanted, (users, answer))
        # The goal's time is another one, which is the user's fault.
        assert (part.success, part.fault) == (success, "user" if success else "agent")


def test_an_offer_that_stays_must_fit_what_is_said_later() -> None:
    wanted = goal(ITALIAN_CENTRE)
    first = ("I want Italian food.", "Two Doves is Italian.")
    assert not _part(wanted, first, ("It must be in the centre.", "Certainly. Enjoy!")).inform
    assert _part(wanted, first, ("It must be in the centre.", "Then Nonna's Attic.")).inform


# The commands. The goal: an Italian restaurant in the centre, with its telephone number.

PLAYED: dict[str, list[dict[str, str]]] = {
    "met": [
        {"user": "Italian food in the centre. The phone number?", "response": "Nonna's Attic."},
        {"user": "And the number?", "response": "01632960106."},
    ],
    # The area is never said, and the number never asked for.
    "user": [{"user": "Italian food, please.", "response": "Two Doves is nice."}],
    # Says otherwise what it is told, and gets the number wrong.
    "both": [
        {"user": "Italian food in the north.", "response": "Two Doves is nice."},
        {"user": "What is the phone number?", "response": "It is 01632960199."},
    ],
    "agent": [{"user": "Italian food in the centre. The phone number?", "response": "No idea."}],
}
WANTED = {"info": {"food": "italian", "area": "centre"}, "reqt": ["phone"], "book": {}}


@pytest.fixture
def played(tmp_path: Path) -> Sequence[object]:
    goals = write_json(tmp_path / "goals.json", {id_: {"restaurant": WANTED} for id_ in PLAYED})
    file = write_json(tmp_path / "played.json", PLAYED)
    return (file, "--free-running", "--goals", goals, "--benchmark", "sample")


def test_both_scores_are_reported(cli: Cli, played: Sequence[object], tmp_path: Path) -> None:
    report = cli.json("score", *played, "--per-dialogue", tmp_path / "lines.jsonl")
    assert report["said"] == {
        "inform": {"total": 75.0, "restaurant": 75.0},
        "success": {"total": 50.0, "restaurant": 50.0},
        "lost_by": {"agent": 1, "user": 1, "both": 1},
    }
    lines: dict[str, Any] = {}
    for line in (tmp_path / "lines.jsonl").read_text().splitlines():
        content = json.loads(line)
        lines[content["dialogue"]] = content["further"]["grounded"]["domains"]["restaurant"]
    assert {id_: line["fault"] for id_, line in lines.items()} == {
        **{id_: id_ for id_ in PLAYED},
        "met": "none",
    }
    user = {"never_said": ["area"], "said_otherwise": {}, "never_asked": ["PHONE"], "invented": []}
    assert lines["user"]["user"] == user
    assert lines["both"]["user"]["said_otherwise"] == {"area": "north"}
    assert lines["both"]["said"] == {"inform": True, "success": False}
    text = cli.done("score", *played).out
    assert "of what users said" in text
    assert "goal domains lost by" in text


def test_without_the_users_turns_there_is_one_score(
    cli: Cli, played: Sequence[object], tmp_path: Path
) -> None:
    turns = [{"response": "No idea."}]
    write_json(tmp_path / "played.json", {**PLAYED, "agent": turns})
    report = cli.json("score", *played, "--per-dialogue", tmp_path / "lines.jsonl")
    assert "said" not in report
    assert report["remarks"] == [
        "dialogue agent: turns without `user`; what users said is not scored"
    ]
    assert "fault" not in (tmp_path / "lines.jsonl").read_text()
    assert "lost by" not in cli.done("why", *played).out


def test_users_who_say_little_are_told(cli: Cli, tmp_path: Path) -> None:
    goals = write_json(tmp_path / "goals.json", {"mute": {"restaurant": WANTED}})
    file = write_json(tmp_path / "played.json", {"mute": [{"user": "Hi!", "response": "Hello!"}]})
    arguments = (file, "--free-running", "--goals", goals, "--benchmark", "sample")
    report = cli.json("score", *arguments)
    assert report["said"]["success"]["total"] == 100.0
    [remark] = report["remarks"]
    assert "users never say 100.0 % (2 of 2) of their constraints" in remark


def test_why_says_whose_fault_it_is(cli: Cli, played: Sequence[object]) -> None:
    why = cli.of("why", *played)
    text = why.done().out
    for cause in ("lost by the agent", "lost by the user", "lost by both"):
        assert f"{cause}, all 1" in text or f"{cause}: " in text
    text = why.done("--cause", "lost by the user").out
    assert "user, restaurant: never said: area; never asked for: PHONE" in text
    assert "names no venue" not in text
    text = why.done("--dialogue", "both").out
    assert "the user    said otherwise: area as north" in text
    assert "unknown cause 'other value'" in why.refused("--cause", "other value")


def test_free_running_dialogues_compare(cli: Cli, played: Sequence[object], tmp_path: Path) -> None:
    better = write_json(tmp_path / "better.json", {**PLAYED, "agent": PLAYED["met"]})
    document = cli.json("compare", better, *played)
    assert {"grounded.success", "said.inform", "said.success"} <= document["pairs"][0].keys()


@pytest.mark.parametrize("command", ["why", "compare"])
def test_a_file_of_goals_needs_free_running(cli: Cli, command: str) -> None:
    message = cli.refused(command, "one.json", "two.json", "--goals", "goals.json")
    assert "--goals goes with --free-running" in message
    message = cli.refused(command, "one.json", "two.json", "--free-running", "--setup", "strict")
    assert "--setup" in message


def test_users_are_counted_beside_people(cli: Cli, played: Sequence[object]) -> None:
    played = [argument for argument in played if argument != "--free-running"]
    # No people talked on these goals.
    [ours] = cli.json("users", *played)
    # Of 8 constraints one is never said and one said otherwise; of 4 requests one is never asked
    # for. All 3 offers fit what was said. The goals' instructions are not known.
    assert ours == {
        "file": ours["file"],
        "users": "file",
        "dialogues": 4,
        "never_said": 12.5,
        "said_otherwise": 12.5,
        "invented": 0.0,
        "never_asked": 25.0,
        "unfit_accepted": 0.0,
        "copied": None,
        "should": 0.0,
    }
    assert "people" not in cli.done("users", *played).out.partition("never said:")[0]


def test_people_stand_beside_their_own_goals_alone(cli: Cli, tmp_path: Path) -> None:
    talk = [{"user": "A place in the north of Mars.", "response": "Nonna's Attic."}]
    file = write_json(tmp_path / "one.json", {"town001": talk})
    north = {"area": "north of mars", "food": "thai"}
    for informable, users in (
        (north, ["file"]),
        ({"food": "italian", "area": "centre"}, ["file", "people"]),
    ):
        goals = {"town001": {"restaurant": {"informable": informable, "requestable": []}}}
        options = ("--goals", write_json(tmp_path / "goals.json", goals), "--benchmark", "sample")
        run = cli.done("users", file, *options, "--json", "-")
        assert [record["users"] for record in json.loads(run.out)] == users
        # Nobody can meet the first.
        unmet = "1 goal domain that no venue of the database meets, which no system can win"
        assert (
            f"{unmet}; the first: dialogue town001, restaurant area north of mars" in run.err
        ) == (informable == north)


def test_users_of_plays_are_counted(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "play.jsonl"
    cli.done("play", "--benchmark", "sample", "--tasks", 3, "-o", file)
    ours, people = cli.json("users", file, "--benchmark", "sample")
    assert (ours["dialogues"], ours["never_said"], ours["said_otherwise"]) == (3, 0.0, 0.0)
    assert (people["dialogues"], ours["copied"]) == (3, 0.0)


def test_a_booking_counts_as_far_as_it_is_said() -> None:
    world = World.of("sample")
    part = UserPart(["people"], {}, [], [], inform=True, success=True, fault="none")
    right = {"people": False, "day": True, "venue": True, "once": True}
    assert _with_booking(part, right, world) == part
    wrong = _with_booking(part, {**right, "day": False}, world)
    assert (wrong.success, wrong.fault) == (False, "agent")
    silent = replace(part, never_asked=["REFERENCE"])
    assert _with_booking(silent, {"day": False}, world) == silent


def test_what_a_user_invents_copies_and_accepts() -> None:
    copied = "The restaurant should be in the centre of town."
    users, responses = (f"Italian food for 3 people. {copied}", "Fine."), ("Two Doves.", "Bye.")
    goals = {"restaurant": goal(ITALIAN_CENTRE)}
    part = _part(goals["restaurant"], *zip(users, responses, strict=True))
    outcome = ground(responses, goals, DATABASE, DELEXICALISER)
    counts = user_counts(users, goals, outcome, {"restaurant": part}, f"You want to eat. {copied}")
    # Of two constraints none is about people; the only offer does not fit; a turn of two is copied.
    assert part.invented == ["people"]
    assert (counts["constraints"], counts["invented"]) == (2, 1)
    assert (counts["offers"], counts["unfit_accepted"]) == (1, 1)
    assert (counts["turns"], counts["copied"], counts["should"]) == (2, 1, 1)


def test_files_without_users_say_nothing_of_them(cli: Cli, tmp_path: Path) -> None:
    file = write_json(tmp_path / "silent.json", {"town001": [{"response": "Bye"}]})
    assert "turns lack `user`" in cli.refused("users", file, "--benchmark", "sample")
