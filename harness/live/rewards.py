"""Rewards for training on dialogues in plain English, with the signature that TRL expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import InputError
from .world import World

Completion: TypeAlias = "str | Sequence[Mapping[str, Any]]"
"""A response, or the messages of a dialogue (`role`, `content`), of which the assistant's count."""


class GroundedReward:
    """A reward function: `reward(prompts, completions, dialogue_id=[…])`, one number each.

    It is 1 where the completion has grounded Success, else 0. The dialogues' ids are a column of
    the data set. A prompt of messages counts as the beginning of its dialogue.

    Args:
        world: The benchmark.
    """

    __name__ = "grounded_reward"
    """By which TRL logs it."""

    def __init__(self, world: World) -> None:
        self._world = world

    def __call__(
        self,
        prompts: Sequence[Completion],
        completions: Sequence[Completion],
        *,
        dialogue_id: Sequence[str],
        **columns: Any,
    ) -> list[float]:
        """Return the rewards.

        Raises:
            InputError: A dialogue is not in the benchmark.
        """
        parts = zip(prompts, completions, dialogue_id, strict=True)
        return [self._reward(prompt, completion, id_) for prompt, completion, id_ in parts]

    def _reward(self, prompt: Completion, completion: Completion, id_: str) -> float:
        if id_.lower() not in self._world.goals:
            raise InputError("rewards", f"dialogue {id_} has no goal in the benchmark")
        said = [] if isinstance(prompt, str) else _responses(prompt)
        dialogue = self._world.grounded(id_.lower(), [*said, *_responses(completion)])
        return float(dialogue.success)


def _responses(completion: Completion) -> list[str]:
    if isinstance(completion, str):
        return [completion]
    told = (one.get("content") for one in completion if one.get("role") == "assistant")
    return [text for text in told if isinstance(text, str) and text.strip()]
