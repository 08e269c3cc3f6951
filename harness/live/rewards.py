"""Rewards for training on dialogues in plain English, with the signature that TRL expects."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ..errors import InputError
from .world import World

Completion: TypeAlias = "str | Sequence[Mapping[str, Any]]"
"""A response, or the messages of a dialogue (`role`, `content`), of which the assistant's count."""


def grounded_reward(world: World) -> Callable[..., list[float]]:
    """Return a reward function: `reward(prompts, completions, dialogue_id=[…])`, one number each.

    It is 1 where the completion has grounded Success, else 0. The dialogues' ids are a column of
    the data set. A prompt of messages counts as the beginning of its dialogue. A dialogue that is
    not in the benchmark is an `InputError`.
    """

    def grounded_reward(
        prompts: Sequence[Completion],
        completions: Sequence[Completion],
        *,
        dialogue_id: Sequence[str],
        **columns: Any,
    ) -> list[float]:
        parts = zip(prompts, completions, dialogue_id, strict=True)
        return [_reward(world, prompt, completion, id_) for prompt, completion, id_ in parts]

    return grounded_reward


def _reward(world: World, prompt: Completion, completion: Completion, id_: str) -> float:
    if id_.lower() not in world.goals:
        raise InputError("rewards", f"dialogue {id_} has no goal in the benchmark")
    said = [] if isinstance(prompt, str) else _responses(prompt)
    dialogue = world.grounded(id_.lower(), [*said, *_responses(completion)])
    return float(dialogue.success)


def _responses(completion: Completion) -> list[str]:
    if isinstance(completion, str):
        return [completion]
    told = (one.get("content") for one in completion if one.get("role") == "assistant")
    return [text for text in told if isinstance(text, str) and text.strip()]
