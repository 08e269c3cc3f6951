"""A few characters per turn of what a system says and believes: copies, and which states are right.

Entries may not store their outputs, which are published elsewhere, and nobody can hold every entry
against every other by reading. Two digits of base 64 per turn are enough to tell which share of two
systems' turns is equal, and too few to tell what was said: by chance one turn in 4,096 agrees.
"""

from __future__ import annotations

import hashlib
from collections import Counter
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
from ..metrics import FEWEST, TrackedDialogue, queries, track_states, words_of
from .tracked import exact_turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG = 6
"""Words of a response from which it is hardly by chance that another is equal."""

NEARLY_ALL = 0.9
"""The share of a dialogue's responses or states that are another's, from which it is copied."""

SEVERAL = {"phrases": 5, "states": 3}
"""Long responses, or states that are not gold, that are hardly by chance nearly all another's."""

_DIGITS = ascii_letters + digits + "+/"
_WIDTH = 2
_MISSING = ".."
_LEFT_OUT = "--"
_BETWEEN = "  "

_Mark = Annotated[str, Field(pattern=r"^([A-Za-z0-9+/]{2}|\.\.|--|  )*$")]


@dataclass(frozen=True)
class Fingerprints:
    """What shows copies of an entry. Each text has two characters per turn of the benchmark.

    `..` is a turn that is not played, `--` one that is left out of the comparison; two blanks are
    between dialogues.

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
        """Field -> array of a number per turn, or between dialogues, which stands for its mark."""
        fields = {"phrases": self.phrases, "states": self.states}
        return {name: np.frombuffer(text.encode(), "<u2") for name, text in fields.items()}

    def compares_with(self, other: Fingerprints, field: str) -> bool:
        """Return whether another entry's marks are of the same turns."""
        is_known = bool(getattr(self, field)) and bool(getattr(other, field))
        same_turns = len(self.marks[field]) == len(other.marks[field])
        return is_known and same_turns and other.benchmark == self.benchmark

    def shared_states(self, other: Fingerprints) -> float | None:
        """Return the share of turns with another entry's states, except where both are gold.

        None if they are not of one benchmark, or too few turns are known of both.
        """
        if not self.compares_with(other, "states"):
            return None
        marks, others = self.marks["states"], other.marks["states"]
        left_out = _code(_LEFT_OUT)
        both = (marks != _code(_BETWEEN)) & (marks != _code(_MISSING)) & (others != _code(_MISSING))
        # A state that agrees with gold says something where the other one does not.
        both &= (marks != left_out) | (others != left_out)
        turns = int(both.sum())
        if turns < FEWEST:
            return None
        return int(np.sum(both & (marks == others))) / turns

    def copied_dialogues(
        self, field: str, earlier: Mapping[str, Fingerprints]
    ) -> tuple[str, float] | None:
        """Return the share of dialogues whose marks are nearly all one earlier entry's.

        A mixture has some of each of several entries.

        Args:
            field: `phrases` or `states`.
            earlier: Key -> what is known of the entries.

        Returns:
            The key of the entry that most of them are of, "" if there are none, and the share;
            None if there are too few to compare.
        """
        marks = self.marks[field]
        starts = np.append(0, np.flatnonzero(marks == _code(_BETWEEN)))
        is_marked = ~np.isin(marks, (_code(_MISSING), _code(_LEFT_OUT), _code(_BETWEEN)))
        others = {key: o for key, o in earlier.items() if self.compares_with(o, field)}
        if not others:
            return None
        marked = np.add.reduceat(is_marked, starts, dtype=int)
        compared = marked >= SEVERAL[field]
        if compared.sum() < FEWEST:
            return None
        copied = np.zeros_like(compared)
        whose, most = "", 0
        for key, other in others.items():
            shared = np.add.reduceat(is_marked & (marks == other.marks[field]), starts, dtype=int)
            copied_of_other = compared & (shared >= NEARLY_ALL * marked)
            copied |= copied_of_other
            # Of several that are alike it is the first one's.
            if copied_of_other.sum() > most:
                whose, most = key, copied_of_other.sum()
        return whose, int(copied.sum()) / int(compared.sum())


Copies: TypeAlias = Mapping[str, Mapping[str, tuple[str, float]]]
"""Key -> flag -> the key of the earlier entry that it has most of, "" for none, and the share."""

COPIED_STATES = "copied_states"
_FIELDS = {"copied_responses": "phrases", COPIED_STATES: "states"}


def copies(fingerprints: Mapping[str, Fingerprints]) -> dict[str, dict[str, tuple[str, float]]]:
    """Return key -> flag -> what an entry has of those that came before it, as `Copies`.

    Args:
        fingerprints: Key -> those of each system, in the order in which they came.
    """
    shares: dict[str, dict[str, tuple[str, float]]] = {}
    earlier: dict[str, Fingerprints] = {}
    for name, outputs in fingerprints.items():
        shares[name] = {}
        for flag, field in _FIELDS.items():
            copied = outputs.copied_dialogues(field, earlier)
            if copied is not None:
                shares[name][flag] = copied
        earlier[name] = outputs
    return shares


TRACKERS = 10
"""Entries that track a turn, from which it says something that none of them is right."""


def hard_states(exact: Mapping[str, tuple[str, str]]) -> dict[str, float]:
    """Return key -> the share of states that are right in turns where no earlier entry's is.

    What no system gets right is mostly odd in the annotation, and hardly anybody's luck.

    Args:
        exact: Key -> what tells its gold states from others, and `TrackedScores.exact`, in the
            order in which the entries came.
    """
    shares: dict[str, float] = {}
    tracked: dict[str, Counter[int]] = {}
    right: dict[str, Counter[int]] = {}
    for key, (gold, marks) in exact.items():
        tracked_before = tracked.setdefault(gold, Counter())
        right_before = right.setdefault(gold, Counter())
        tracked_turns: list[int] = []
        right_turns: list[int] = []
        hard: list[bool] = []
        for turn, mark in enumerate(marks):
            if mark not in "01":
                continue
            tracked_turns.append(turn)
            if mark == "1":
                right_turns.append(turn)
            if tracked_before[turn] >= TRACKERS and not right_before[turn]:
                hard.append(mark == "1")
        if len(hard) >= FEWEST:
            shares[key] = sum(hard) / len(hard)
        tracked_before.update(tracked_turns)
        right_before.update(right_turns)
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
    return _BETWEEN.join(texts)


def _code(mark: str) -> int:
    """Return a mark as `Fingerprints.marks` has it."""
    return int.from_bytes(mark.encode(), "little")


# Systems say the same phrases turn after turn.
@lru_cache(maxsize=1 << 15)
def _number(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _mark(text: str) -> str:
    number = _number(text) % len(_DIGITS) ** _WIDTH
    return _DIGITS[number // len(_DIGITS)] + _DIGITS[number % len(_DIGITS)]
