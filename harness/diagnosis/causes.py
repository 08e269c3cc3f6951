"""Causes of lost points: one for every domain not matched, and every requested slot not provided.

They are read off the steps of the walk that scores (`metrics/inform_success.py`), in the strict
set-up; the *deciding turn* is the last one at which the offered venues were set, and not kept. Of
the causes the first that applies counts. Domain by domain they add up to what the rates lose.

That one always applies follows from the rule: an offer that exceeds the goal holds a venue that
some slot of the goal excludes, and of this slot the deciding state has either another value or
none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet

from ..metrics.inform_success import Step, dialogue_outcomes, goal_turns, walk
from ..metrics.played import PlayedDialogue
from ..metrics.played_turns import Turns, turns_of
from ..metrics.setups import STRICT

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


@dataclass(frozen=True)
class Fault:
    """A slot of the deciding state that keeps the domain from being matched.

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
class DomainDiagnosis:
    """How a domain of the goal came out, and why.

    Attributes:
        matched: Whether it is matched.
        cause: Why not, a key of `CAUSES`; None if it is.
        turn: Where that was decided: the deciding turn, from 0; if the domain was only named while
            another is active, the last turn that did so. None where no turn is to blame.
        faults: If the state is to blame, what was wrong with it in the deciding turn, the cause's
            own slot first. With these slots as wanted the query would find what the goal finds.
        provided: Requested slot -> why it was not provided, a key of `SLOT_CAUSES`; None if it was.
    """

    matched: bool
    cause: str | None
    turn: int | None
    faults: tuple[Fault, ...]
    provided: Mapping[str, str | None]

    @property
    def all_provided(self) -> bool:
        """Whether every requested slot was provided."""
        return not any(self.provided.values())

    @property
    def slot(self) -> str | None:
        """The slot that the cause names, of those that name one."""
        if self.cause is None or not self.faults or not CAUSES[self.cause].names_slot:
            return None
        return self.faults[0].slot


@dataclass(frozen=True, repr=False)
class DialogueOutcome:
    """How a dialogue came out in the strict set-up, and why.

    Attributes:
        id: The dialogue's id.
        domains: Goal domain -> how it came out.
        bleu: Sentence-level BLEU of each turn played against the canonical reference, in percent;
            None where it was not asked for.
    """

    id: str
    domains: Mapping[str, DomainDiagnosis]
    bleu: tuple[float, ...] | None = None

    @property
    def inform(self) -> int:
        """1 if every goal domain is matched, else 0."""
        return int(all(domain.matched for domain in self.domains.values()))

    @property
    def success(self) -> int:
        """1 if, besides, every requested slot is provided, else 0."""
        return int(self.inform and all(domain.all_provided for domain in self.domains.values()))

    def __repr__(self) -> str:
        causes = "".join(f", {name}: {cause}" for name, cause in self.causes.items())
        return f"DialogueOutcome({self.id!r}, inform={self.inform}, success={self.success}{causes})"

    @property
    def causes(self) -> dict[str, str]:
        """Goal domain, or domain and requested slot ("hotel PHONE") -> cause, of all there are."""
        matched = {name: domain.cause for name, domain in self.domains.items()}
        provided = {
            f"{name} {slot}": cause
            for name, domain in self.domains.items()
            for slot, cause in domain.provided.items()
        }
        return {name: cause for name, cause in (matched | provided).items() if cause is not None}


@dataclass(frozen=True)
class Reward:
    """The reward of a rollout.

    Attributes:
        value: The reward; 0 for a rollout that cannot be scored.
        reason: Why it cannot be scored; None if it can.
    """

    value: float
    reason: str | None = None


@dataclass(frozen=True)
class _Failed:
    """A goal domain that is not matched, and what tells why.

    Attributes:
        steps: Its walk.
        wanted: The constraints of the goal.
        decided: The deciding turn's step; None if nothing was ever offered.
        last: The domain's part of the last turn's state.
        venues: Returns the venues of the domain that constraints select.
    """

    steps: Sequence[Step]
    wanted: Mapping[str, str]
    decided: Step | None
    last: Mapping[str, str]
    venues: Callable[[Mapping[str, str]], frozenset[str]]

    @property
    def query(self) -> Mapping[str, str]:
        """The deciding turn's constraints."""
        return {} if self.decided is None else self.decided.query or {}

    @property
    def turn(self) -> int | None:
        """The deciding turn, or the last one that named a venue; None if none did."""
        if self.decided is not None:
            return self.decided.turn
        return max((step.turn for step in self.steps if step.named), default=None)

    def found_by(self, slot: str) -> frozenset[str]:
        """Return the venues that a slot of the query selects alone."""
        return self.venues({slot: self.query[slot]})

    def wanted_by(self, slot: str) -> frozenset[str]:
        """Return the venues that a slot of the goal selects alone."""
        return self.venues({slot: self.wanted[slot]})

    def other_values(self) -> list[str]:
        """Return the goal's slots that the state has with a value that selects other venues."""
        other = [
            slot
            for slot in self.wanted
            if slot in self.query and self.found_by(slot) != self.wanted_by(slot)
        ]
        # First those that let in what the goal excludes: the others only exclude more.
        return sorted(other, key=lambda slot: self.found_by(slot) <= self.wanted_by(slot))

    def missing(self) -> list[str]:
        """Return the goal's slots that the state lacks, of those that exclude some venue."""
        lacking = [slot for slot in self.wanted if slot not in self.query]
        return [slot for slot in lacking if self.wanted_by(slot) != self.venues({})]

    def missing_then(self) -> list[str]:
        """Return those of them that the last turn's state has."""
        return [slot for slot in self.missing() if slot in self.last]

    def faults(self, first: Sequence[str]) -> tuple[Fault, ...]:
        """Return what would have to change for the deciding query to find the goal's venues.

        Args:
            first: The slots that come first.
        """
        if self.decided is None or self.decided.query is None:
            return tuple(Fault(slot, value, None) for slot, value in self.wanted.items())
        slots = [*first, *self.other_values(), *self.missing()]
        changed = {slot: self.wanted[slot] for slot in slots}
        faults = [Fault(slot, value, self.query.get(slot)) for slot, value in changed.items()]
        if not self.venues({**self.query, **changed}):
            # What the goal leaves open keeps the goal's venues out.
            goal = self.venues(self.wanted)
            faults += [
                Fault(slot, None, value)
                for slot, value in self.query.items()
                if slot not in self.wanted and not goal <= self.found_by(slot)
            ]
        return tuple(faults)


@dataclass(frozen=True)
class Cause:
    """A cause of a domain that is not matched.

    Attributes:
        applies: Whether it does; of a cause that names a slot, the slots that it may name.
        words: What happened, a sentence about {domain}, {turn} and the first of the {faults}.
        blames_state: Whether the state is to blame.
        names_slot: Whether the first fault is the cause itself.
    """

    applies: Callable[[_Failed], Any]
    words: str
    blames_state: bool = True
    names_slot: bool = False


CAUSES: Mapping[str, Cause] = {
    "never named": Cause(
        lambda failed: not any(step.named for step in failed.steps),
        "no response names a venue of the domain",
        blames_state=False,
    ),
    "named while another domain is active": Cause(
        lambda failed: not any(step.named and step.active for step in failed.steps),
        "a venue is named, last in turn {turn}, but never while {domain} is the active domain",
        blames_state=False,
    ),
    "domain not in the state": Cause(
        lambda failed: failed.decided is not None and failed.decided.query is None,
        "a venue is named in turn {turn}, where the state holds nothing about {domain}",
    ),
    "no venue": Cause(
        lambda failed: not (failed.decided and failed.decided.found),
        "a venue is named in turn {turn}, where the state finds none{faults}",
    ),
    "other value": Cause(
        _Failed.other_values,
        "the venues offered in turn {turn} are not the goal's{faults}",
        names_slot=True,
    ),
    "missing then": Cause(
        _Failed.missing_then,
        "the venues offered in turn {turn} exceed the goal's{faults} (the state has it at the end)",
        names_slot=True,
    ),
    "missing": Cause(
        _Failed.missing,
        "the venues offered in turn {turn} exceed the goal's{faults}",
        names_slot=True,
    ),
}
"""Causes of a domain that is not matched; the first that applies counts."""


@dataclass(frozen=True)
class SlotCause:
    """A cause of a requested slot that is not provided.

    Attributes:
        applies: Whether it does, of the turns that say the slot, and those that are about the
            domain.
        words: What happened.
    """

    applies: Callable[[Turns, Turns], bool]
    words: str


SLOT_CAUSES: Mapping[str, SlotCause] = {
    "never said": SlotCause(
        lambda said, active: not said,
        "no response says it",
    ),
    "said while another domain is active": SlotCause(
        lambda said, active: not said & active,
        "it is said, but never while {domain} is the active domain",
    ),
    "said before booked": SlotCause(
        lambda said, active: True,
        "it is said, but not where the annotation has {domain} booked",
    ),
}
"""Causes of a requested slot that is not provided; the first that applies counts."""


def explain(dialogue: PlayedDialogue, database: VenueDatabase, rules: RuleSet) -> DialogueOutcome:
    """Follow every goal domain through a dialogue, as strict scores do, and say what was lost."""
    played = turns_of([dialogue])
    seen = goal_turns(played, STRICT, rules)
    outcomes = dialogue_outcomes(played, seen, database, STRICT, rules)
    domains = {}
    for domain, own in outcomes.of(0).items():
        active, provided = seen[domain].active, seen[domain].provided
        causes = {
            # In the order of their names: a set has none that lasts.
            slot: None if provided.get(slot) else _slot_cause(played.said.slots[slot], active)
            for slot in sorted(dialogue.gold.goal[domain].requestable)
        }
        domains[domain] = (
            DomainDiagnosis(True, None, None, (), causes)
            if own.matched
            else _diagnosis(dialogue, domain, causes, database, rules)
        )
    return DialogueOutcome(dialogue.id, domains)


def cause_words(domain: str, diagnosis: DomainDiagnosis) -> str:
    """Return why a domain is not matched, in words.

    Args:
        domain: The domain.
        diagnosis: Of a domain that is not matched.
    """
    if diagnosis.cause is None:
        raise ValueError("the domain is matched")
    faults = "; ".join(map(str, diagnosis.faults))
    return CAUSES[diagnosis.cause].words.format(
        domain=domain, turn=diagnosis.turn, faults=f": {faults}" if faults else ""
    )


def slot_cause_words(domain: str, cause: str) -> str:
    """Return why a requested slot is not provided, in words."""
    return SLOT_CAUSES[cause].words.format(domain=domain)


def _diagnosis(
    dialogue: PlayedDialogue,
    domain: str,
    provided: Mapping[str, str | None],
    database: VenueDatabase,
    rules: RuleSet,
) -> DomainDiagnosis:
    """Say why a domain is not matched."""
    steps = list(walk(dialogue, domain, database, STRICT, rules))
    failed = _Failed(
        steps=steps,
        wanted=dialogue.gold.goal[domain].informable,
        decided=next((step for step in reversed(steps) if step.replaced), None),
        last=dialogue.states[len(steps) - 1].get(domain, {}) if steps else {},
        venues=lambda constraints: frozenset(database.query(domain, constraints)),
    )
    for name, cause in CAUSES.items():
        if applies := cause.applies(failed):
            slots = applies if cause.names_slot else ()
            faults = failed.faults(slots) if cause.blames_state else ()
            return DomainDiagnosis(False, name, failed.turn, faults, provided)
    raise RuntimeError(f"dialogue {dialogue.id}: {domain} is not matched without a cause")


def _slot_cause(said: Turns, active: Turns) -> str:
    return next(name for name, cause in SLOT_CAUSES.items() if cause.applies(said, active))
