"""What a system did in each dialogue: all that scores, intervals, tests and rewards are made of."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .setups import MAIN_SETUP

MAX_ORDER = 4
COLUMNS = 2 + 2 * MAX_ORDER
"""What BLEU is computed of: the lengths of responses and references, then per order the matches,
then per order the n-grams of the responses."""


@dataclass(frozen=True)
class Fault:
    """A slot of a belief state that keeps a domain from being matched.

    Attributes:
        slot: The slot.
        wanted: The value that the goal has; None if the goal leaves it open.
        found: The value that the state has; None if it lacks the slot.
    """

    slot: str
    wanted: str | None
    found: str | None

    def __str__(self) -> str:
        if self.wanted is None:
            return f"{self.slot} is {self.found!r}, which the goal leaves open"
        if self.found is None:
            return f"{self.slot} is missing, wanted is {self.wanted!r}"
        return f"{self.slot} is {self.found!r}, wanted is {self.wanted!r}"


@dataclass(frozen=True)
class DomainResult:
    """How a domain of the goal came out; why, only where that was asked for (`diagnosis/`).

    Attributes:
        matched: The probability that it is matched: 0 or 1 unless venues are drawn at random.
        provided: Requested slot -> whether it was provided.
        cause: Why it is not matched.
        turn: Where that was decided: the last turn that set the offered venues, from 0; if the
            domain was only named while another is active, the last turn that did so. None where no
            turn is to blame.
        faults: If the state is to blame, what was wrong with it in that turn, the cause's own slot
            first. With these slots as wanted the query would find what the goal finds.
        slot_causes: Requested slot that was not provided -> why.
    """

    matched: float
    provided: Mapping[str, bool]
    cause: str | None = None
    turn: int | None = None
    faults: tuple[Fault, ...] = ()
    slot_causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_provided(self) -> bool:
        """Whether every requested slot was provided."""
        return all(self.provided.values())


@dataclass(frozen=True)
class DialogueResult:
    """What a system did in a dialogue. What was not asked for is empty.

    Attributes:
        id: The dialogue's id.
        turns: The system turns played.
        sources: Where "states" and "domains" come from, in set-ups without sources of their own.
        goals: Set-up -> goal domain -> how it came out.
        bleu: Reference style -> what BLEU is computed of, `COLUMNS` numbers (`counts.py`).
        responses: The normalised responses, where diversity was asked for.
        further: Metric -> what it counts of the dialogue, of all other metrics.
        sentence_bleu: Of each turn, BLEU against the canonical reference, in percent; of single
            dialogues only.
    """

    id: str
    turns: int
    sources: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, Mapping[str, DomainResult]] = field(default_factory=dict)
    bleu: Mapping[str, Sequence[int]] = field(default_factory=dict)
    responses: Sequence[str] = ()
    further: Mapping[str, Any] = field(default_factory=dict)
    sentence_bleu: tuple[float, ...] = ()

    def informed(self, setup: str = MAIN_SETUP) -> float:
        """Return the probability that every goal domain is matched, under a set-up."""
        return math.prod([one.matched for one in self.goals[setup].values()])

    def succeeded(self, setup: str = MAIN_SETUP) -> float:
        """Return the probability that, besides, every requested slot is provided."""
        provided = all(one.all_provided for one in self.goals[setup].values())
        return self.informed(setup) if provided else 0.0

    @property
    def inform(self) -> int:
        """1 if every goal domain is matched in the strict set-up, else 0."""
        return int(self.informed())

    @property
    def success(self) -> int:
        """1 if, besides, every requested slot is provided, else 0."""
        return int(self.succeeded())

    @property
    def domains(self) -> Mapping[str, DomainResult]:
        """Goal domain -> how it came out in the strict set-up."""
        return self.goals[MAIN_SETUP]

    @property
    def causes(self) -> dict[str, str]:
        """Goal domain, or domain and requested slot ("hotel PHONE") -> cause, of all there are."""
        matched = {name: one.cause for name, one in self.domains.items() if one.cause is not None}
        provided = {
            f"{name} {slot}": cause
            for name, one in self.domains.items()
            for slot, cause in one.slot_causes.items()
        }
        return matched | provided
