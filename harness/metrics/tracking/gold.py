"""Gold states of another version than the benchmark's own.

MultiWOZ was annotated anew several times: papers on state tracking report on 2.1, 2.3 or 2.4, whose
states differ from those of 2.2. A score says which it was made with; figures with different gold
states do not compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from mwz.normalization.rules.registry import digest_of_json
from mwz.normalization.states import BeliefState

from ...benchmark import Benchmark


@dataclass(frozen=True)
class GoldStates:
    """The gold states of a benchmark's dialogues in one version of the annotation.

    Attributes:
        version: What users call it: "2.4".
        benchmark: The name of the benchmark that the dialogues are of.
        states: Dialogue id -> one normalised state per turn. Dialogues of the benchmark may be
            missing, turns of a dialogue may not.
    """

    version: str
    benchmark: str
    states: Mapping[str, Sequence[BeliefState]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the states, in hexadecimal, as signatures hold it."""
        return gold_states_digest(self.states)

    @property
    def turns(self) -> int:
        """The number of turns of all dialogues."""
        return sum(map(len, self.states.values()))


def problems_of(gold: GoldStates, benchmark: Benchmark) -> list[str]:
    """Return where gold states are not those of a benchmark's dialogues, a sentence each."""
    problems = []
    for id_, states in gold.states.items():
        known = benchmark.dialogues.get(id_)
        if known is None:
            problems.append(f"dialogue {id_}: not in the benchmark {benchmark.name}")
        elif len(states) != known.turns:
            problems.append(
                f"dialogue {id_}: {len(states)} turns with a state; the benchmark {benchmark.name} "
                f"has {known.turns}"
            )
    return problems


def with_gold(benchmark: Benchmark, gold: GoldStates) -> Benchmark:
    """Return the part of a benchmark that gold states are there of, with these states.

    Goals and active domains stay those of the benchmark.
    """
    return replace(
        benchmark,
        dialogues={
            id_: replace(dialogue, states=gold.states[id_])
            for id_, dialogue in benchmark.dialogues.items()
            if id_ in gold.states
        },
    )


def gold_states_digest(states: Mapping[str, Sequence[BeliefState]]) -> str:
    """Return the SHA-256, in hexadecimal, of gold states: dialogue id -> one state per turn."""
    return digest_of_json({id_: list(enumerate(turns)) for id_, turns in states.items()})
