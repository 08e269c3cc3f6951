"""What live dialogues share: a benchmark with its tasks, and what users are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from mwz.normalization.delexicaliser import Delexicaliser
from mwz.normalization.registry import digest_of_json, read_toml

from ..benchmark import Benchmark
from ..data.goals import Task, Tasks, chosen_goals, load_tasks
from ..data.installed import load_benchmark
from ..errors import InputError
from ..grounding.grounded import GroundedDialogue, PlainDialogue, delexicaliser, ground
from ..scoring import Options, Scorer
from ..signature import SHOWN_HASH, Signature
from .tools import Tools

TALKER_NAME = r"^[!-~]([ -~]{0,198}[!-~])?$"
TalkerName: TypeAlias = Annotated[str, Field(pattern=TALKER_NAME)]
"""What records call an agent or a user, with a digest: printable ASCII."""

Costs: TypeAlias = Mapping[
    Literal["agent", "user"],
    Mapping[
        Literal["calls", "prompt_tokens", "completion_tokens"],
        Annotated[int, Field(strict=True, ge=0, le=10**12)],
    ],
]
"""Who -> calls and tokens of its model."""


@cache
def script(name: str) -> Mapping[str, Any]:
    """Return what agents or users say, declared in a file of that name; to be read only."""
    content: Mapping[str, Any] = read_toml(f"{name}.toml", __package__)
    return content


@cache
def pattern_of(name: str, table: str, key: str) -> re.Pattern[str]:
    """Return a pattern of such a file, which finds nothing where there is none."""
    return re.compile(script(name)[table].get(key, "(?!)"), re.IGNORECASE)


def versioned(name: str) -> str:
    """Return the version of such a file and its digest, for records and signatures."""
    return f"{script(name)['version']}-{digest_of_json(script(name))[:SHOWN_HASH]}"


BASELINE: Final = "baseline"
"""The agent by script."""

SCRIPTED: Final = "scripted"
"""The user by script: what it says follows from task, seed and responses alone."""

MOST_HEARD: Final = 10_000
"""How many characters of a turn scripts read: what their patterns take grows with the square."""

_SCRIPTS = {BASELINE: "agent", SCRIPTED: "user"}


def script_name(who: str) -> str:
    """Return what records call `BASELINE` or `SCRIPTED`: with the digest of its file."""
    return f"{who}-{versioned(_SCRIPTS[who])}"


def name_problem(who: str, name: str) -> str | None:
    """Return why no file may call an "agent" or a "user" so that is no script; None if it may."""
    script = {"agent": BASELINE, "user": SCRIPTED}[who]
    if name.casefold().startswith(script):
        return f"names that begin with {script!r} are those of this version of the harness"
    plain = re.fullmatch(TALKER_NAME, name)
    return None if plain else "expected a name of at most 200 characters, printable ASCII"


class BrokenOffError(Exception):
    """A dialogue cannot go on; it counts as failed, and others may be played."""


UserTurn: TypeAlias = tuple[str, bool]
"""What a user says, and whether it is the last that it says."""

Completion: TypeAlias = "str | Sequence[Mapping[str, Any]]"
"""A response, or the messages of a dialogue (`role`, `content`), of which the assistant's count."""


class World:
    """What all dialogues on a benchmark share; threads may share it too.

    Args:
        scorer: The benchmark, and how dialogues are scored.
        tasks: The tasks.
    """

    def __init__(self, scorer: Scorer, tasks: Tasks) -> None:
        self.scorer = scorer
        self.tasks = tasks
        self.goals = chosen_goals(tasks.goals, scorer.rules).goals

    @classmethod
    def of(cls, benchmark: Benchmark | str | None = None) -> World:
        """Return the world of a benchmark, or of its name; None for the default one.

        Raises:
            InputError: The benchmark or its tasks are not installed.
        """
        loaded = benchmark if isinstance(benchmark, Benchmark) else load_benchmark(benchmark)
        return cls(Scorer(loaded, Options(lexicalised=True)), load_tasks(loaded.name))

    @cached_property
    def delexicaliser(self) -> Delexicaliser:
        """What finds names and values in what is said."""
        return delexicaliser(self.scorer.benchmark, self.scorer.rules)

    def grounded(self, id_: str, responses: Iterable[str]) -> GroundedDialogue:
        """Compare responses with the goal of a dialogue and the venues."""
        plain = self.delexicaliser
        said = PlainDialogue([plain(text) for text in responses], self.goals[id_])
        return ground(said, self.scorer.database(), plain.gazetteer)

    def grounded_reward(
        self,
        prompts: Sequence[Completion],
        completions: Sequence[Completion],
        *,
        dialogue_id: Sequence[str],
        **columns: Any,
    ) -> list[float]:
        """Return 1 for each completion that has grounded Success, else 0: a reward of TRL.

        Args:
            prompts: What comes before; messages count as the beginning of the dialogue.
            completions: The rest of each dialogue, in plain English.
            dialogue_id: The column of the data set that says which dialogue each is.
            columns: Others, which do not matter.

        Raises:
            InputError: A dialogue is not in the benchmark.
        """
        rewards = []
        for prompt, completion, id_ in zip(prompts, completions, dialogue_id, strict=True):
            if id_.lower() not in self.goals:
                raise InputError("rewards", f"dialogue {id_} has no goal in the benchmark")
            before = [] if isinstance(prompt, str) else _responses(prompt)
            dialogue = self.grounded(id_.lower(), [*before, *_responses(completion)])
            rewards.append(float(dialogue.success))
        return rewards

    @cached_property
    def signature(self) -> Signature:
        """What scores depend on in any case."""
        return self.scorer.plain_signature()

    @cached_property
    def tools(self) -> Tools:
        """The tools on the benchmark's venues."""
        scorer = self.scorer
        records = scorer.benchmark.venue_records(scorer.rules)
        return Tools(records, scorer.database(), scorer.rules)


def _responses(completion: Completion) -> list[str]:
    if isinstance(completion, str):
        return [completion]
    texts = (one.get("content") for one in completion if one.get("role") == "assistant")
    return [text for text in texts if isinstance(text, str) and text.strip()]


User: TypeAlias = Callable[[str | None], UserTurn]
"""A user in one dialogue: says something to a response; None stands for none yet."""

UserMaker: TypeAlias = Callable[[Task, World, str], User]
"""Makes the user of a dialogue, given its task, the world and a seed."""
