"""What a system did in a dialogue, as `Scorer.dialogue` and per-dialogue lines give it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .setups import MAIN_SETUP


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


def inform_chance(domains: Mapping[str, DomainResult]) -> float:
    """Return the probability that every goal domain of a dialogue is matched."""
    return math.prod([outcome.matched for outcome in domains.values()])


def success_chance(domains: Mapping[str, DomainResult]) -> float:
    """Return the probability that, besides, every requested slot is provided."""
    if all(outcome.all_provided for outcome in domains.values()):
        return inform_chance(domains)
    return 0.0


@dataclass(frozen=True)
class DialogueResult:
    """What a system did in a dialogue. What was not asked for is empty.

    Attributes:
        id: The dialogue's id.
        turns: The system turns played.
        sources: "states" and "domains" -> where they come from, in set-ups without own sources.
        goals: Set-up -> goal domain -> how it came out.
        bleu: Reference style -> the counts that BLEU is computed from (`bleu_formula.py`).
        responses: The normalised responses, where diversity was asked for.
        further: Metric -> its details of the dialogue, of all other metrics.
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

    @property
    def inform(self) -> int:
        """1 if every goal domain is matched in the strict set-up, else 0."""
        return int(inform_chance(self.domains))

    @property
    def success(self) -> int:
        """1 if, besides, every requested slot is provided, else 0."""
        return int(success_chance(self.domains))

    @property
    def domains(self) -> Mapping[str, DomainResult]:
        """Goal domain -> how it came out in the strict set-up."""
        return self.goals[MAIN_SETUP]

    @property
    def causes(self) -> dict[str, str]:
        """Goal domain, or domain and requested slot ("hotel PHONE") -> cause, of all there are."""
        causes = {}
        for name, outcome in self.domains.items():
            if outcome.cause is not None:
                causes[name] = outcome.cause
        for name, outcome in self.domains.items():
            for slot, cause in outcome.slot_causes.items():
                causes[f"{name} {slot}"] = cause
        return causes
