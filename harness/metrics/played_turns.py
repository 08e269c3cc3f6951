"""The turns of dialogues played, all at once: what the rule of Inform and Success looks at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import TypeAlias

from mwz.database.bits import Bits, bits_at, bits_where, places_in
from mwz.normalization.states import BeliefState

from ..benchmark import Goal
from .played import PlayedDialogue

Turns: TypeAlias = Bits
"""Turns of dialogues that lie one after another: bit n is the n-th of all turns."""


@dataclass(frozen=True)
class SaidTurns:
    """What was said in dialogues and what they are about, wherever states and domains are from.

    Dialogues are called by their numbers among these.

    Attributes:
        dialogues: The dialogues.
    """

    dialogues: Sequence[PlayedDialogue]

    @cached_property
    def starts(self) -> Sequence[int]:
        """The number of each dialogue's first turn, and of the turn after the last dialogue."""
        return [0, *accumulate(len(one.responses) for one in self.dialogues)]

    @cached_property
    def dialogue_of(self) -> Sequence[int]:
        """The dialogue of each turn."""
        return [number for number, one in enumerate(self.dialogues) for _ in one.responses]

    @cached_property
    def first(self) -> Turns:
        """The first turn of each dialogue."""
        pairs = zip(self.starts, self.dialogues, strict=False)
        return bits_at([start for start, one in pairs if one.responses])

    @cached_property
    def last(self) -> Turns:
        """The last turn played of each dialogue."""
        pairs = zip(self.starts[1:], self.dialogues, strict=True)
        return bits_at([end - 1 for end, one in pairs if one.responses])

    @cached_property
    def goals(self) -> Mapping[str, Mapping[int, Goal]]:
        """Domain -> dialogue with it in its goal -> what the user wants of it."""
        goals: dict[str, dict[int, Goal]] = {}
        for number, one in enumerate(self.dialogues):
            for domain, goal in one.gold.goal.items():
                goals.setdefault(domain, {})[number] = goal
        return goals

    @cached_property
    def requested(self) -> Mapping[str, Mapping[str, Set[int]]]:
        """Domain -> slot -> the dialogues in which the user asks for it."""
        requested: dict[str, dict[str, set[int]]] = {}
        for domain, goals in self.goals.items():
            own = requested[domain] = defaultdict(set)
            for number, goal in goals.items():
                for slot in goal.requestable:
                    own[slot].add(number)
        return requested

    @cached_property
    def of_goals(self) -> Mapping[str, Turns]:
        """Domain -> all turns of the dialogues with it in their goal."""
        of_goals = {}
        for domain, goals in self.goals.items():
            flags = bytearray(self.starts[-1])
            for number in goals:
                start, end = self.starts[number], self.starts[number + 1]
                flags[start:end] = b"\1" * (end - start)
            of_goals[domain] = bits_where(flags)
        return of_goals

    @cached_property
    def slots(self) -> Mapping[str, Turns]:
        """Slot -> the turns whose response holds it, of any slot of the ontology."""
        return _SaidSlots([*chain.from_iterable(one.responses for one in self.dialogues)])

    def within(self, number: int, turns: Turns) -> Turns:
        """Return those of some turns that are of a dialogue, its first turn as bit 0."""
        start = self.starts[number]
        return turns >> start & (1 << self.starts[number + 1] - start) - 1

    def dialogues_with(self, turns: Turns) -> set[int]:
        """Return the dialogues that some turns are of."""
        return {*map(self.dialogue_of.__getitem__, places_in(turns))}


class _SaidSlots(dict[str, Turns]):
    """Slot -> the turns whose response holds it; looked for when it is asked for."""

    def __init__(self, responses: Sequence[str]) -> None:
        self._responses = responses

    def __missing__(self, slot: str) -> Turns:
        self[slot] = bits_where([slot in text for text in self._responses])
        return self[slot]


@dataclass(frozen=True)
class PlayedTurns:
    """The turns of dialogues, one after another, as a set-up looks at them.

    Attributes:
        dialogues: The dialogues, with states and active domains as the set-up has them.
        said: What was said in them.
    """

    dialogues: Sequence[PlayedDialogue]
    said: SaidTurns

    @cached_property
    def states(self) -> Sequence[BeliefState]:
        """The belief state of each turn."""
        return [*chain.from_iterable(one.states for one in self.dialogues)]

    @cached_property
    def active(self) -> Mapping[str, Turns]:
        """Domain -> the turns in which it is active."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        every = chain.from_iterable(one.active_domains for one in self.dialogues)
        for place, domains in enumerate(every):
            for domain in domains:
                places[domain].append(place)
        return {domain: bits_at(own) for domain, own in places.items()}


def turns_of(dialogues: Sequence[PlayedDialogue]) -> PlayedTurns:
    """Return the turns of dialogues that nobody looks at in another way."""
    return PlayedTurns(dialogues, SaidTurns(dialogues))
