"""Tasks of live dialogues: read from goals, with domains in the order of the instructions."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import Cli
from live_tasks import TASK, play_task

from mwz.harness import Benchmark, InputError
from mwz.harness.data import Task, chosen_goals, load_tasks, task_goals
from mwz.harness.data.goals import parse_tasks
from mwz.harness.live.agents import Baseline
from mwz.harness.live.environment import Environment
from mwz.harness.live.world import World


def test_the_tasks_of_the_sample_have_the_goals_of_its_dialogues(world: World) -> None:
    goals = chosen_goals(task_goals(world.tasks), world.scorer.rules).goals
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
    assert parse_tasks(task_goals(tasks), "again") == tasks


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


@pytest.fixture(scope="module")
def real(upstream: Path) -> dict[str, Task]:
    from mwz.harness.data.goals import read_tasks

    return read_tasks(upstream / "ConvLab-2")


@pytest.mark.real_data
def test_the_scripted_pair_solves_multiwoz(
    real: dict[str, Task], multiwoz: Benchmark, world: World
) -> None:
    there = World(world.scorer.__class__(multiwoz, world.scorer.options), real)
    environment = Environment(there)
    # The last three have a restaurant without telephone number, or The Junction, which rule set
    # 2021 calls otherwise.
    ids = [*list(real)[:20], "mul2347", "pmul0267", "pmul3557"]
    assert all(play_task(environment, Baseline(), id_)["solved"] for id_ in ids)
    # Several trains from Norwich have one id, of which some leave in the morning.
    late = {"departure": "norwich", "destination": "cambridge", "leaveAt": "19:30"}
    found = there.call(TASK, "query_train", {**late, "day": "thursday"})["results"]
    assert found
    assert all(train["leaveAt"] >= "19:30" for train in found)


@pytest.mark.real_data
def test_tasks_are_installed_beside_the_benchmark(upstream: Path, cli: Cli) -> None:
    done = cli.done("data", "import", "--convlab2", upstream / "ConvLab-2")
    assert "installed tasks of multiwoz: 1000" in done.out
    assert len(load_tasks("multiwoz")) == 1000


def test_tasks_that_are_not_installed_are_asked_for() -> None:
    with pytest.raises(InputError, match="mwz data import --convlab2"):
        load_tasks("multiwoz")
