"""A task of live dialogues, a booking that solves it, and how tests play one."""

from __future__ import annotations

from typing import Any

from mwz.harness.data import DomainTask, Task
from mwz.harness.live.environment import Environment

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


def play_task(environment: Environment, agent: Any, task: Task | str) -> Any:
    """Return the outcome of a dialogue."""
    environment.reset(task)
    while (said := environment.user_turn()) is not None:
        environment.respond(agent(said, environment.call))
    return environment.outcome()
