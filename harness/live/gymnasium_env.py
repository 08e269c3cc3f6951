"""Live dialogues as a Gymnasium environment, of texts. Needs the extra `gymnasium`.

An action is a response to the user, or a call of a tool as JSON: `{"name": …, "arguments": …}`. An
observation is what the user says, or the result of the call as JSON. The reward is 1 at the end of
a dialogue that is solved, else 0; `info` then has the outcome.
"""

from __future__ import annotations

import json
import string
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from .environment import Environment
from .users import ScriptedUser
from .world import UserMaker, World

_LONGEST = 10_000
# Latin letters, and marks such as dashes and quotes.
_CODES = (*range(0xA0, 0x180), *range(0x2010, 0x2040), 0x20AC)
_CHARACTERS = string.printable + "".join(map(chr, _CODES))


class LiveEnv(gymnasium.Env[str, str]):
    """Dialogues with a user; each reset draws a task.

    Args:
        world: The benchmark.
        user: Makes the user.
    """

    def __init__(self, world: World, user: UserMaker = ScriptedUser) -> None:
        texts = Text(_LONGEST, min_length=0, charset=_CHARACTERS)
        self.action_space = self.observation_space = texts
        self._environment = Environment(world, user)
        self._tasks = list(world.tasks)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a dialogue: of the task that `options["task"]` names, or of any."""
        super().reset(seed=seed)
        drawn = self._tasks[int(self.np_random.integers(len(self._tasks)))]
        task = (options or {}).get("task", drawn)
        self._environment.reset(task, str(self.np_random.integers(2**32)))
        return _observed(self._environment.user_turn()), {"task": self._environment.task.id}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Call a tool or respond; return observation, reward, whether it is over, and more."""
        try:
            call = json.loads(action)
        except (ValueError, RecursionError):
            call = None
        if isinstance(call, dict):
            result = self._environment.call(call.get("name", ""), call.get("arguments", {}))
            observation = None
            if self._environment.error is None:
                observation = json.dumps(result)
        else:
            self._environment.respond(action)
            observation = self._environment.user_turn()
        if observation is not None:
            return _observed(observation), 0.0, False, False, {}
        outcome = self._environment.outcome()
        return "", float(outcome["solved"]), True, False, {"outcome": outcome}


def _observed(text: str | None) -> str:
    """Return a text with a question mark for what the space of observations lacks."""
    shown = (text or "")[:_LONGEST]
    return "".join(sign if sign in _CHARACTERS else "?" for sign in shown)
