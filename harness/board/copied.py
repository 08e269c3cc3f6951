"""A few characters per turn of what a system says and believes: copies, and which states are right.

Entries may not store their outputs, which are published elsewhere, and nobody can hold every entry
against every other by reading. Two digits of base 64 per turn are enough to tell which share of two
systems' turns is equal, and too few to tell what was said: by chance one turn in 4,096 agrees.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
from pydantic import Field

from mwz.normalization import DEFAULT_RULES, BeliefState, rule_set

from ..benchmark import Benchmark
from ..metrics import FEWEST, TrackedDialogue, queries, track_states
from .tracked import exact_turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG = 6
"""Words of a response from which it is hardly by chance that another is equal."""

_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1 << 14)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a normalised response, without punctuation."""
    return tuple(_WORD.findall(text))


_DIGITS = ascii_letters + digits + "+/"
_WIDTH = 2
_MISSING = ".."
_LEFT_OUT = "--"

_Mark = Annotated[str, Field(pattern=r"^([A-Za-z0-9+/]{2}|\.\.|--)*$")]


@dataclass(frozen=True)
class Fingerprints:
    """What shows copies of an entry. Each text has two characters per turn of the benchmark.

    `..` is a turn that is not played, `--` one that is left out of the comparison.

    Attributes:
        benchmark: The benchmark's name.
        phrases: Of one pair of neighbouring words of each normalised response, chosen alike in all
            of them: where words are exchanged, most of these stay. The share of turns that agree in
            it is the mean share of pairs of words that responses have in common. Responses of less
            than six words are left out.
        states: Of what queries use of predicted states; states that agree with gold are left out,
            since all good trackers share them.
        exact: Whether predicted states are the gold states that they were entered with, as
            `TrackedScores.exact`. None where no states are predicted.
    """

    benchmark: str
    phrases: _Mark = ""
    states: _Mark = ""
    exact: Annotated[str, Field(pattern=r"^[01. ]*$")] | None = None

    @cached_property
    def marks(self) -> Mapping[str, NDArray[np.uint16]]:
        """Kind -> array of a number per turn of the benchmark, which stands for its mark."""
        kinds = _KINDS.values()
        return {kind: np.frombuffer(getattr(self, kind).encode(), "<u2") for kind in kinds}

    def shared(self, other: Fingerprints, kind: str) -> float | None:
        """Return the share of an entry's turns in which another one's are equal.

        Args:
            other: What is known of the other entry.
            kind: "phrases" or "states".

        Returns:
            None if they are not of one benchmark, or too few turns are known of both.
        """
        marks, others = self.marks[kind], other.marks[kind]
        if other.benchmark != self.benchmark or len(others) != len(marks):
            return None
        missing = int.from_bytes(_MISSING.encode(), "little")
        left_out = int.from_bytes(_LEFT_OUT.encode(), "little")
        both = (marks != missing) & (others != missing)
        # A state that agrees with gold says something where the other one does not.
        is_out = marks == left_out
        if kind == "states":
            is_out &= others == left_out
        both &= ~is_out
        turns = int(both.sum())
        if turns < FEWEST:
            return None
        return int(np.sum(both & (marks == others))) / turns


Copies: TypeAlias = Mapping[str, Mapping[str, tuple[str, float]]]
"""Key -> flag -> the key of the entry that it has something of, and the share of its turns."""

COPIED_STATES = "copied_states"

_KINDS = {"copied_responses": "phrases", COPIED_STATES: "states"}
"""Flag -> kind of fingerprint that another entry may share."""


def copies(fingerprints: Mapping[str, Fingerprints]) -> Copies:
    """Return key -> flag -> the largest share that an entry has of one that came before it.

    Args:
        fingerprints: Key -> those of each system, in the order in which they came.
    """
    shares: dict[str, dict[str, tuple[str, float]]] = {}
    earlier: dict[str, Fingerprints] = {}
    for name, outputs in fingerprints.items():
        shares[name] = {}
        for flag, kind in _KINDS.items():
            for key, others in earlier.items():
                share = outputs.shared(others, kind)
                # Of several that are alike it is the first one's.
                if share is not None and share > shares[name].get(flag, ("", -1.0))[1]:
                    shares[name][flag] = (key, share)
        earlier[name] = outputs
    return shares


def fingerprints_of(
    benchmark: Benchmark,
    responses: Mapping[str, Sequence[str]] | None,
    states: Mapping[str, Sequence[BeliefState]] | None,
    tracked: Sequence[TrackedDialogue] | None = None,
) -> Fingerprints:
    """Return what shows copies of a system.

    Args:
        benchmark: The benchmark that is played.
        responses: Dialogue id -> normalised responses; None of a tracker.
        states: Dialogue id -> normalised predicted states; None where there are none.
        tracked: The states of a tracker beside the gold states that it was entered with.
    """
    dialogues = benchmark.dialogues
    rules = rule_set(DEFAULT_RULES)
    phrases: dict[str, list[str]] = {}
    beliefs: dict[str, list[str]] = {}
    for id_, texts in (responses or {}).items():
        phrases[id_] = []
        for words in map(words_of, texts):
            mark = _LEFT_OUT
            if len(words) >= LONG:
                # Two texts with nearly the same phrases mostly share the one with the smallest
                # hash: it stands for the text.
                mark = _mark(min(map(" ".join, pairwise(words)), key=_number))
            phrases[id_].append(mark)
    for id_, predicted in (states or {}).items():
        beliefs[id_] = []
        gold = dialogues[id_].states
        both = zip(queries(predicted, gold, rules), queries(gold, gold, rules), strict=False)
        for constraints, gold_constraints in both:
            mark = _LEFT_OUT
            if constraints != gold_constraints:
                mark = _mark(" ".join(map(str, sorted(constraints))))
            beliefs[id_].append(mark)
    if tracked is None:
        tracked = track_states(states or {}, benchmark)
    return Fingerprints(
        benchmark.name,
        phrases="" if responses is None else _in_order(benchmark, phrases),
        states="" if states is None else _in_order(benchmark, beliefs),
        exact=None if states is None else exact_turns(tracked, benchmark),
    )


def _in_order(benchmark: Benchmark, marks: Mapping[str, Sequence[str]]) -> str:
    """Return marks by dialogue as one text, in the order of the benchmark."""
    texts = []
    for id_, dialogue in benchmark.dialogues.items():
        played = marks.get(id_, ())
        texts.append("".join(played) + _MISSING * (dialogue.turns - len(played)))
    return "".join(texts)


# Systems say the same phrases turn after turn.
@lru_cache(maxsize=1 << 15)
def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _mark(text: str) -> str:
    number = _number(text) % len(_DIGITS) ** _WIDTH
    return _DIGITS[number // len(_DIGITS)] + _DIGITS[number % len(_DIGITS)]
