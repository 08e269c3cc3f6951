"""A few characters per turn of what a system says and believes, by which copies show.

Entries may not store their outputs, which are published elsewhere, and nobody can hold every entry
against every other by reading. Two digits of base 64 per turn are enough to tell which share of two
systems' turns is equal, and too few to tell what was said: by chance one turn in 4,096 agrees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import pairwise
from string import ascii_letters, digits
from typing import Annotated, Any

from pydantic import Field

from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.states import BeliefState

from ..benchmark import Benchmark
from ..metrics.signs import FEWEST, queries
from ..metrics.words import LONG, words_of

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
        responses: Of the words of normalised responses; those of less than six are left out.
        phrases: Of one pair of neighbouring words of each, chosen alike in all responses: where
            words are exchanged, most of these stay. The share of turns that agree in it is the
            mean share of pairs of words that responses have in common.
        states: Of what queries use of predicted states; states that agree with gold are left out,
            since all good trackers share them.
    """

    benchmark: str
    responses: _Mark = ""
    phrases: _Mark = ""
    states: _Mark = ""

    @cached_property
    def marks(self) -> Mapping[str, Any]:
        """Kind -> array of a number per turn of the benchmark, which stands for its mark."""
        import numpy as np

        kinds = [one.name for one in fields(self)[1:]]
        return {kind: np.frombuffer(getattr(self, kind).encode(), "<u2") for kind in kinds}

    def shared(self, other: Fingerprints, kind: str) -> float | None:
        """Return the share of an entry's turns in which another one's are equal.

        Args:
            other: What is known of the other entry.
            kind: "responses", "phrases" or "states".

        Returns:
            None if they are not of one benchmark, or too few turns are known of both.
        """
        return self.shared_with_any([other], kind)

    def shared_with_any(self, entries: Iterable[Fingerprints], kind: str) -> float | None:
        """Return the share of an entry's turns in which that of some other one is equal.

        Args:
            entries: What is known of the others, of one benchmark or not.
            kind: As for `shared`.

        Returns:
            As `shared`.
        """
        import numpy as np

        own = self.marks[kind]
        others = [
            one.marks[kind]
            for one in entries
            if one.benchmark == self.benchmark and len(one.marks[kind]) == len(own)
        ]
        if not others:
            return None
        missing, left_out = (
            int.from_bytes(mark.encode(), "little") for mark in (_MISSING, _LEFT_OUT)
        )
        counted, equal = np.zeros(len(own), bool), np.zeros(len(own), bool)
        for other in others:
            both = (own != missing) & (other != missing)
            # A state that agrees with gold says something where the other one does not.
            is_out = own == left_out
            both &= ~(is_out & (other == left_out)) if kind == "states" else ~is_out
            counted |= both
            equal |= both & (own == other)
        turns = int(counted.sum())
        return int(equal.sum()) / turns if turns >= FEWEST else None


def fingerprints_of(
    benchmark: Benchmark,
    responses: Mapping[str, Sequence[str]] | None,
    states: Mapping[str, Sequence[BeliefState]] | None,
) -> Fingerprints:
    """Return what shows copies of a system.

    Args:
        benchmark: The benchmark that is played.
        responses: Dialogue id -> normalised responses; None of a tracker.
        states: Dialogue id -> normalised predicted states; None where there are none.
    """
    rules = rule_set(DEFAULT_RULES)

    def marked(make: Callable[[Sequence[str]], str]) -> str:
        if responses is None:
            return ""
        marks = {}
        for id_, texts in responses.items():
            said = (words_of(text).words for text in texts)
            marks[id_] = [make(one) if len(one) >= LONG else _LEFT_OUT for one in said]
        return _text(benchmark, marks)

    def believed(own: Sequence[BeliefState], gold: Sequence[BeliefState]) -> list[str]:
        pairs = zip(queries(own, gold, rules), queries(gold, gold, rules), strict=False)
        said = ((ours == theirs, " ".join(map(str, sorted(ours)))) for ours, theirs in pairs)
        return [_LEFT_OUT if agrees else _mark(text) for agrees, text in said]

    gold = {id_: dialogue.states for id_, dialogue in benchmark.dialogues.items()}
    marks = {id_: believed(own, gold[id_]) for id_, own in (states or {}).items()}
    return Fingerprints(
        benchmark.name,
        responses=marked(lambda one: _mark(" ".join(one))),
        # Of like sets of phrases the one with the least number is the same.
        phrases=marked(lambda one: _mark(min(map(" ".join, pairwise(one)), key=_number))),
        states="" if states is None else _text(benchmark, marks),
    )


def _text(benchmark: Benchmark, marks: Mapping[str, Sequence[str]]) -> str:
    """Return marks by dialogue as one text, in the order of the benchmark."""
    return "".join(
        mark
        for id_, dialogue in benchmark.dialogues.items()
        for own in [marks.get(id_, ())]
        for mark in [*own, *[_MISSING] * (dialogue.turns - len(own))]
    )


# Systems say the same phrases turn after turn.
@lru_cache(maxsize=1 << 15)
def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _mark(text: str) -> str:
    number = _number(text) % len(_DIGITS) ** _WIDTH
    return _DIGITS[number // len(_DIGITS)] + _DIGITS[number % len(_DIGITS)]
