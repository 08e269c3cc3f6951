"""Live dialogues: tasks, tools, the environment, users, the baseline, and how they are played."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import run_cli, run_process

from mwz.harness import Benchmark, InputError
from mwz.harness.comparison.trials import pass_hat, pass_interval
from mwz.harness.data.goals import chosen_goals
from mwz.harness.data.tasks import DomainTask, Task, Tasks, load_tasks, parse_tasks
from mwz.harness.live.agents import Baseline, Call
from mwz.harness.live.environment import Environment
from mwz.harness.live.outcomes import booked_slots
from mwz.harness.live.playing import Play, play
from mwz.harness.live.tools import Booking, Tools
from mwz.harness.live.users import ScriptedUser
from mwz.harness.live.world import World

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


@pytest.fixture(scope="module")
def world() -> World:
    return World.of("sample")


@pytest.fixture(scope="module")
def tools(world: World) -> Tools:
    return world.tools


def _played(environment: Environment, agent: Any, task: Task | str, seed: str = "0") -> Any:
    environment.reset(task, seed)
    while (said := environment.user_turn()) is not None:
        environment.respond(agent.reply(said, environment.call))
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


def test_alternatives_of_the_sample_are_needed(world: World) -> None:
    for task in world.tasks.tasks.values():
        for domain, wanted in task.domains.items():
            assert world.tools.matching(domain, wanted.info) or domain == "taxi"
            assert not wanted.fail_info or not world.tools.matching(domain, wanted.fail_info)
            assert all(wanted.book[slot] != value for slot, value in wanted.fail_book.items())


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


def test_queries_count_all_and_return_the_first_in_a_stable_order(tools: Tools) -> None:
    found = tools.call(TASK, "query_train", {"departure": "brackwater"}).result
    # 9 go to Ostley, 6 to Larkhaven and 4 to Duskwell.
    assert found["count"] == 19
    times = [train["leaveAt"] for train in found["results"]]
    assert times == sorted(times)
    assert len(times) == 5
    late = tools.call(TASK, "query_train", {"day": "monday", "arriveBy": "14:00"}).result
    assert [train["arriveBy"] for train in late["results"]] == ["13:35", "11:55", "08:55", "08:05"]
    hotels = tools.call(TASK, "query_hotel", {"area": "east", "pricerange": "cheap"}).result
    assert [hotel["name"] for hotel in hotels["results"]] == ["skylark inn"]


def test_bookings_are_refused_until_the_alternative_is_asked_for(tools: Tools) -> None:
    refused = tools.call(TASK, "book_hotel", {**ROOM, "stay": 5})
    assert refused.booking is None
    assert refused.result["booked"] is False
    assert "stay" in refused.result["reason"]
    booked = tools.call(TASK, "book_hotel", ROOM)
    assert booked.booking == Booking(
        "hotel", {"people": "2", "day": "Thursday", "stay": "3"}, venue="6"
    )


def test_references_depend_on_task_and_arguments(tools: Tools, world: World) -> None:
    def reference(task: Task = TASK, **more: object) -> str:
        return str(tools.call(task, "book_hotel", {**ROOM, **more}).result["reference"])

    assert reference() == reference()
    others = {reference(), reference(people=1), reference(world.tasks["town003"])}
    assert len(others) == 3
    found = world.scorer.delexicaliser()(f"Your reference is {reference()}.")
    assert [span.slot for span in found.spans] == ["REFERENCE"]


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("book_hotel", {**ROOM, "name": "skylark in"}, None),
        ("book_hotel", {**ROOM, "name": "sky palace"}, "unknown name 'sky palace'; choose from"),
        ("book_hotel", {"name": "skylark inn"}, "day is missing; stay is missing"),
        ("book_hotel", {**ROOM, "people": 0}, "people: expected a number"),
        ("book_hotel", "{", "no JSON"),
        ("book_hotel", "[1]", "expected an object"),
        ("query_hotel", {"colour": "red"}, "unknown slot 'colour'; choose from name, type"),
        ("query_hotel", {"area": "up"}, "area: unknown value 'up'; choose from centre"),
        ("query_train", {"leaveAt": "noon"}, "leaveAt: expected a time as HH:MM"),
        ("query_police", {}, "unknown tool 'query_police'; choose from query_restaurant"),
    ],
)
def test_wrong_arguments_get_an_answer_to_act_on(
    tools: Tools, name: str, arguments: object, told: str | None
) -> None:
    error = tools.call(TASK, name, arguments).result.get("error")
    assert error is None if told is None else told in error


def test_an_unknown_name_is_answered_with_the_closest(tools: Tools) -> None:
    found = tools.call(TASK, "query_restaurant", {"name": "the pewter cradle"}).result
    assert found["count"] == 0
    assert found["closest_name"][0] == "the pewter ladle"


# -------------------------------------------------------------------------- the environment


def test_steps_out_of_order_are_refused_with_what_to_do(world: World) -> None:
    environment = Environment(world)
    with pytest.raises(InputError, match=r"call reset\(task\) first"):
        environment.user_turn()
    environment.reset("town001")
    for early in (lambda: environment.respond("Hi"), lambda: environment.call("query_taxi", {})):
        with pytest.raises(InputError, match=r"call user_turn\(\) first"):
            early()
    environment.user_turn()
    with pytest.raises(InputError, match=r"call respond\(text\)"):
        environment.user_turn()
    with pytest.raises(InputError, match="no task for dialogue nowhere"):
        environment.reset("nowhere")


def test_a_dialogue_ends_after_its_turns_and_stays_over(world: World) -> None:
    environment = Environment(world, max_turns=2).reset("town001")
    for _ in range(2):
        assert environment.user_turn()
        environment.respond("Pardon?")
    assert environment.user_turn() is None
    with pytest.raises(InputError, match=r"over; call reset\(task\) first"):
        environment.respond("Pardon?")
    outcome = environment.outcome()
    assert (outcome.turns, outcome.inform, outcome.solved) == (2, False, False)


def test_what_an_agent_changes_later_is_recorded_as_it_was(world: World) -> None:
    environment = Environment(world).reset("town001")
    environment.user_turn()
    arguments = {"area": "north"}
    environment.call("query_hotel", arguments)
    arguments["area"] = "south"
    environment.respond("Hm.")
    assert environment.transcript[0]["calls"][0]["arguments"] == {"area": "north"}


# ------------------------------------------------------------------------------- outcomes


def _booked(tools: Tools, *stays: str) -> Mapping[str, bool]:
    made = [
        Booking("hotel", {"people": "2", "day": "thursday", "stay": stay}, "6") for stay in stays
    ]
    return booked_slots(TASK, made, tools)[0]["hotel"]


def test_bookings_are_held_against_the_goal_slot_by_slot(tools: Tools) -> None:
    right = dict.fromkeys(("people", "day", "stay", "once", "venue"), True)
    assert _booked(tools, "3") == right
    assert _booked(tools, "4") == {**right, "stay": False}
    assert _booked(tools, "4", "3") == {**right, "once": False}
    assert _booked(tools) == dict.fromkeys(right, False)
    # Hotel 1 is in the south, and the goal books no table.
    made = [Booking("hotel", {"people": "2", "day": "thursday", "stay": "3"}, "1")]
    booked, unasked = booked_slots(TASK, [*made, Booking("restaurant", {}, "1")], tools)
    assert booked["hotel"] == {**right, "venue": False}
    assert unasked == 1


def test_taxis_are_compared_however_places_and_times_are_written(tools: Tools) -> None:
    taxi = DomainTask({"departure": "saint john's college", "leaveAt": "9:15"})
    made = Booking("taxi", {"departure": "Saint Johns College", "leaveAt": "09:15"})
    booked, _ = booked_slots(Task("a", {"taxi": taxi}, ()), [made], tools)
    assert booked["taxi"] == {"departure": True, "leaveAt": True, "once": True}


def test_a_taxi_goes_between_venues_of_the_goal_where_it_does_not_say_more(tools: Tools) -> None:
    wanted = {
        "hotel": DomainTask({"name": "skylark inn"}),
        "restaurant": DomainTask({"food": "seafood"}),
        "taxi": DomainTask({"leaveAt": "9:15"}),
    }
    fitting, other = (
        tools.call(TASK, "query_restaurant", {"food": food}).result["results"][0]["name"]
        for food in ("seafood", "italian")
    )

    def goes(departure: str, destination: str) -> bool:
        slots = {"departure": departure, "destination": destination, "leaveAt": "09:15"}
        booked, _ = booked_slots(Task("a", wanted, ()), [Booking("taxi", slots)], tools)
        return booked["taxi"]["route"]

    assert goes("Skylark Inn", fitting)
    assert goes(fitting, "Skylark Inn")
    assert not goes("Skylark Inn", other)
    assert not goes("Skylark Inn", "Skylark Inn")


def test_pass_hat_is_the_mean_share_of_samples_that_are_all_solved() -> None:
    # Four trials, 4, 2 and 0 of them solved. k = 1: (1 + 1/2 + 0) / 3; k = 2: C(4,2) = 6 samples
    # of two, of which 6, 1 and 0 are all solved: (1 + 1/6 + 0) / 3; k = 3: (1 + 0 + 0) / 3.
    solved = [4, 2, 0]
    expected = {1: 50.0, 2: 100 * (7 / 6) / 3, 3: 100 / 3, 4: 100 / 3}
    for k, value in expected.items():
        assert math.isclose(pass_hat(solved, 4, k), value)
    interval = pass_interval(solved * 10, 4, 2)
    assert math.isclose(interval.value, expected[2])
    assert interval.low < interval.value < interval.high
    # Each task counts whole or not at all: Wilson's interval, from n / (n + z²) = 9 / 12.8415.
    rate = pass_interval([4] * 9, 4, 2)
    assert math.isclose(rate.low, 70.085, abs_tol=1e-3)
    assert rate.high == 100


# ------------------------------------------------------------------------ user and baseline


def test_the_scripted_pair_solves_the_sample(world: World) -> None:
    environment = Environment(world)
    solved = [_played(environment, Baseline(), id_).solved for id_ in world.tasks.tasks]
    assert solved.count(True) == len(solved)


@pytest.mark.parametrize("id_", ["town001", "town006"])
def test_the_user_goes_on_to_the_alternatives(world: World, id_: str) -> None:
    environment = Environment(world)
    assert _played(environment, Baseline(), id_).solved
    said = " ".join(turn["user"] for turn in environment.transcript)
    wanted = world.tasks[id_].domains["restaurant"]
    first = {**wanted.fail_info, **wanted.fail_book}
    for slot, value in first.items():
        later = {**wanted.info, **wanted.book}[slot]
        assert said.index(value) <= said.index(later)


def _user(world: World, id_: str) -> ScriptedUser:
    user = ScriptedUser(world.tasks[id_], world, "1")
    user.turn(None)
    return user


@pytest.mark.parametrize(
    "response",
    [
        "Unfortunately, there are no Ethiopian restaurants in the centre.",
        "I couldn't find any matches. Would you like to try another cuisine?",
        "We don't have that. There's Nonna's Attic, though.",
        "Sorry, nothing was found!",
    ],
)
def test_the_user_hears_that_there_is_nothing(world: World, response: str) -> None:
    assert "italian food" in _user(world, "town001").turn(response).text


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("Which part of town would you like?", "in the south"),
        ("Sure! What type of attraction are you interested in?", "of the type museum"),
        ("Please tell me what kind of place you have in mind.", "of the type museum"),
        ("Do you have a price range in mind?", "no preference|does not matter"),
    ],
)
def test_the_user_answers_what_it_is_asked(world: World, response: str, answer: str) -> None:
    user = _user(world, "town026")
    said = user.turn(response).text
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
    user = _user(world, "town006")
    offer = "How about **The Harbour Wall Kitchen**?"
    venues = world.tools.call(TASK, "query_restaurant", {"food": "seafood"}).result["results"]
    name = next(venue["name"] for venue in venues if venue["pricerange"] == "moderate")
    first = user.turn(offer.replace("The Harbour Wall Kitchen", name.title())).text
    assert "19:00" in first
    assert answer in user.turn(response).text


def test_the_user_gives_up_on_an_agent_that_gets_nowhere(world: World) -> None:
    class Parrot:
        def reply(self, said: str, call: Call) -> str:
            return "I see."

    environment = Environment(world)
    outcome = _played(environment, Parrot(), "town007")
    assert environment.transcript[-1]["user"].endswith(("oodbye.",))
    # Three turns without progress each for the hotel and the attraction, and the goodbye.
    assert outcome.turns == 7
    assert not outcome.inform


def test_a_careless_agent_is_not_solved(world: World) -> None:
    class Careless(Baseline):
        """Books for one person more than it is asked for."""

        def reply(self, said: str, call: Call) -> str:
            def wrong(name: str, arguments: object) -> Mapping[str, Any]:
                assert isinstance(arguments, dict)
                if "people" in arguments:
                    arguments = {**arguments, "people": int(arguments["people"]) + 1}
                return call(name, arguments)

            return super().reply(said, wrong)

    outcome = _played(Environment(world), Careless(), "town003")
    assert outcome.success
    assert outcome.booked["train"] == {"people": False, "once": True, "venue": True}
    assert not outcome.solved


# ----------------------------------------------------------------------------------- playing


def _sample(file: Path, *options: str) -> list[str]:
    return ["play", "--benchmark", "sample", "-o", str(file), *options]


def test_the_same_seed_gives_the_same_bytes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / name for name in ("a.jsonl", "b.jsonl", "c.jsonl")]
    for file, options in zip(files, ((), ("--jobs", "3"), ("--seed", "1")), strict=True):
        assert run_cli(capsys, *_sample(file, *options)).status == 0
    one, same, other = (file.read_bytes() for file in files)
    assert one == same
    assert one != other


def test_play_resumes_and_drops_a_line_that_is_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    run_cli(capsys, *_sample(whole, "--tasks", "5"))
    lines = whole.read_bytes().splitlines(keepends=True)
    cut.write_bytes(b"".join(lines[:2]) + lines[2][:100])
    done = run_cli(capsys, *_sample(cut, "--tasks", "5"))
    assert done.status == 0
    assert "the last line is cut off" in done.err
    assert "goes on after 2 dialogues" in done.err
    assert cut.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--seed", "7"), "different seed: 0 and 7"),
        (("--max-turns", "9"), "different max-turns: 30 and 9"),
        (("--agent", "json:loads"), "different agents"),
    ],
)
def test_another_play_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: tuple[str, str], told: str
) -> None:
    file = tmp_path / "p.jsonl"
    run_cli(capsys, *_sample(file, "--tasks", "1"))
    before = file.read_bytes()
    done = run_cli(capsys, *_sample(file, "--tasks", "2", *options))
    assert done.status == 2
    assert told in done.err
    assert file.read_bytes() == before
    file.write_bytes(b'{"x": 1}\n')
    done = run_cli(capsys, *_sample(file))
    assert done.status == 2
    assert "line 1 is none of `mwz play`" in done.err


def test_outcomes_are_those_of_what_was_said_and_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    run_cli(capsys, *_sample(file, "--tasks", "2"))
    lines = [json.loads(text) for text in file.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        # Nothing is called or said, but the outcome says otherwise.
        line["turns"] = [{"user": "Hello.", "response": "Goodbye."}]
        assert line["outcome"]["solved"]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    run_cli(capsys, *_sample(file, "--tasks", "2", "--json", str(figures)))
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert found["solved"] == found["success"] == 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text + text, "dialogue town001 is there twice"),
        (lambda text: text.replace('"trial": 1', '"trial": 2'), "different trials: 2 and 1"),
        (lambda text: text.replace('"costs"', '"cost"'), "line 1 is none of `mwz play`"),
        (lambda text: '{"town001": [{"response": "mine"}]}', "line 1 is none of `mwz play`"),
    ],
)
def test_a_file_that_is_no_play_is_refused_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[str], str], told: str
) -> None:
    file = tmp_path / "p.jsonl"
    run_cli(capsys, *_sample(file, "--tasks", "1"))
    file.write_text(change(file.read_text(encoding="utf-8")), encoding="utf-8")
    before = file.read_bytes()
    done = run_cli(capsys, *_sample(file, "--tasks", "1"))
    assert (done.status, told in done.err) == (2, True)
    assert file.read_bytes() == before


def test_dialogues_that_were_broken_off_are_lost_and_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.jsonl"
    run_cli(capsys, *_sample(file, "--tasks", "2"))
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"error": null', b'"error": "no answer"', 1))
    done = run_cli(capsys, *_sample(file, "--tasks", "2"))
    assert "1 dialogue broken off, played again" in done.err
    assert sorted(file.read_bytes().splitlines()) == sorted(whole.splitlines())


def test_an_agent_cannot_change_what_tools_return(world: World) -> None:
    def name() -> str:
        environment = Environment(world)
        environment.reset("town001")
        environment.user_turn()
        found = environment.call("query_restaurant", {})["results"][0]
        before: str = found["name"]
        found["name"] = "changed"
        return before

    assert name() == name() != "changed"


def test_values_are_found_in_whatever_letters_and_unknown_ones_have_neighbours(
    tools: Tools,
) -> None:
    def found(**slots: str) -> dict[str, Any]:
        return dict(tools.call(TASK, "query_restaurant", slots).result)

    assert found(area="Centre", food="Italian") == found(area="centre", food="italian")
    assert found(area="Centre")["count"] > 0
    assert found(food="italien")["closest_food"][0] == "italian"
    assert "closest_area" not in found(food="italien", area="Centre")


def test_score_and_why_read_what_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, figures = tmp_path / "p.jsonl", tmp_path / "figures.json"
    assert run_cli(capsys, *_sample(file, "--json", str(figures), "--trials", "2")).status == 0
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert found["pass"]["2"]["value"] == found["solved"] == 100
    assert "|trials:2" in found["signature"]
    assert "|user:scripted-1-" in found["signature"]
    scored = run_cli(capsys, "score", file, tmp_path / "p.2.jsonl", "--free-running", "--json", "-")
    assert scored.status == 0, scored.err
    for line in scored.out.splitlines():
        assert json.loads(line)["grounded"]["success"]["total"] == found["success"]
    why = run_cli(capsys, "why", file, "--free-running", "--dialogue", "town001")
    assert why.status == 0
    assert "ethiopian" in why.out


def test_a_function_is_an_agent_and_its_errors_fail_dialogues(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def answer(messages, call):\n"
        "    found = call('query_restaurant', {'food': 'italian', 'area': 'centre'})\n"
        "    return found['results'][0]['name'].title() if len(messages) == 1 else 'Bye.'\n"
        "def broken(messages, call):\n"
        "    return 1 / 0\n",
        encoding="utf-8",
    )
    play_sample = ["play", "--benchmark", "sample", "--tasks", "8"]
    done = run_process(*play_sample, "--agent", "mine:answer", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "play.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[0])["outcome"]["inform"]
    done = run_process(*play_sample, "--agent", "mine:broken", "-o", "b.jsonl", folder=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "5 dialogues in a row are broken off" in done.stderr
    assert "ZeroDivisionError" in done.stderr
    done = run_process(*play_sample, "--agent", "mine:none", folder=tmp_path)
    assert done.returncode == 2
    assert "cannot be imported" in done.stderr


def test_only_one_process_plays_into_a_file(tmp_path: Path, world: World) -> None:
    def what() -> Play:
        made = (Baseline, "b", ScriptedUser, "u")
        return Play(world, list(world.tasks.tasks)[:3], *made)

    first = play(what(), tmp_path / "p.jsonl")
    next(first)
    with pytest.raises(InputError, match="another process plays into it"):
        list(play(what(), tmp_path / "p.jsonl"))
    assert len(list(first)) == 2


def test_options_that_do_not_fit_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "p.jsonl"
    for options, told in (
        (("--agent", "basline"), "did you mean baseline"),
        (("--agent", "model"), "--model"),
        (("--user", "model"), "--user-model"),
        (("--user", "person", "--jobs", "2"), "one dialogue at a time"),
        (("--task", "nowhere"), "no task for dialogue nowhere"),
    ):
        done = run_cli(capsys, *_sample(file, *options))
        assert done.status == 2
        assert told in done.err
    assert not file.exists()


# --------------------------------------------------------------------------------- MultiWOZ


@pytest.fixture(scope="module")
def real(upstream: Path) -> Tasks:
    from mwz.harness.data.tasks import read_tasks

    return read_tasks(upstream / "ConvLab-2")


@pytest.mark.real_data
def test_the_tasks_of_multiwoz_have_the_goals_of_the_evaluator(
    real: Tasks, multiwoz: Benchmark, world: World
) -> None:
    goals = chosen_goals(real.goals, world.scorer.rules).goals
    assert goals.keys() == multiwoz.dialogues.keys()
    for id_, goal in goals.items():
        known = multiwoz.dialogues[id_].goal
        assert {d: (one.informable, one.requestable) for d, one in goal.items()} == {
            d: (one.informable, one.requestable) for d, one in known.items()
        }


@pytest.mark.real_data
def test_the_scripted_pair_solves_multiwoz(real: Tasks, multiwoz: Benchmark, world: World) -> None:
    there = World(world.scorer.__class__(multiwoz, world.scorer.options), real)
    environment = Environment(there)
    outcomes = [_played(environment, Baseline(), id_) for id_ in list(real.tasks)[:200]]
    assert sum(one.solved for one in outcomes) >= 195
    assert all(one.books for one in outcomes)


@pytest.mark.real_data
def test_tasks_are_installed_beside_the_benchmark(
    upstream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = run_cli(capsys, "data", "import", "--convlab2", upstream / "ConvLab-2")
    assert done.status == 0
    assert "installed tasks of multiwoz: 1000" in done.out
    assert len(load_tasks("multiwoz").tasks) == 1000


def test_tasks_that_are_not_installed_are_asked_for() -> None:
    with pytest.raises(InputError, match="mwz data import --convlab2"):
        load_tasks("multiwoz")
