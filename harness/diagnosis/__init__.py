"""Causes of lost points: one for every domain not matched, and every requested slot not provided.

They are read off the steps that score (`metrics/inform.py`), in the strict set-up; the *deciding
turn* is the last one that set the offered venues instead of keeping them. The first cause that
applies counts. Domain by domain the causes add up to what the rates lose.

That one always applies follows from the rule: an offer that exceeds the goal holds a venue that
some slot of the goal excludes, and of this slot the deciding state has either another value or
none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mwz.normalization.rules import RuleSet

from ..benchmark import CANONICAL_STYLE
from ..metrics.inform import Step, domain_result, steps
from ..metrics.metric import Played
from ..metrics.played import PlayedDialogue
from ..metrics.results import DialogueResult, DomainResult, Fault
from ..metrics.setups import MAIN_SETUP, STRICT

if TYPE_CHECKING:
    from mwz.database.venues import VenueDatabase


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


SLOT_CAUSES: Mapping[str, str] = {
    "never said": "no response says it",
    "said while another domain is active": (
        "it is said, but never while {domain} is the active domain"
    ),
    "said before booked": "it is said, but not where the annotation has {domain} booked",
}
"""Causes of a requested slot that is not provided -> what happened; the first that applies counts.
"""


def explain(
    dialogue: PlayedDialogue, database: VenueDatabase, rules: RuleSet
) -> dict[str, DomainResult]:
    """Return goal domain -> how it came out in the strict set-up, with what was lost and why."""
    results = {}
    for domain in dialogue.gold.goal:
        walked = [*steps(dialogue, domain, database, STRICT, rules)]
        result = domain_result(walked, dialogue, domain, database, STRICT, rules)
        causes = {
            slot: _slot_cause([step for step in walked if slot in step.said])
            for slot, provided in result.provided.items()
            if not provided
        }
        result = replace(result, slot_causes=causes)
        if not result.matched:
            result = _with_cause(result, walked, dialogue, domain, database)
        results[domain] = result
    return results


def _slot_cause(said: Sequence[Step]) -> str:
    """Return why a slot is not provided, by the steps that say it."""
    never, elsewhere, unbooked = SLOT_CAUSES
    if not said:
        return never
    return unbooked if any(step.active for step in said) else elsewhere


def _with_cause(
    result: DomainResult,
    walked: Sequence[Step],
    dialogue: PlayedDialogue,
    domain: str,
    database: VenueDatabase,
) -> DomainResult:
    """Return the result of a domain that is not matched with its cause."""
    failed = _Failed(
        steps=walked,
        wanted=dialogue.gold.goal[domain].informable,
        decided=next((step for step in reversed(walked) if step.replaced), None),
        last=dialogue.states[-1].get(domain, {}) if walked else {},
        venues=lambda constraints: frozenset(database.query(domain, constraints)),
    )
    for name, cause in CAUSES.items():
        if applies := cause.applies(failed):
            slots = applies if cause.names_slot else ()
            faults = failed.faults(slots) if cause.blames_state else ()
            return replace(result, cause=name, turn=failed.turn, faults=faults)
    raise RuntimeError(f"dialogue {dialogue.id}: {domain} is not matched without a cause")


def cause_words(domain: str, result: DomainResult) -> str:
    """Return why a domain is not matched, in words.

    Args:
        domain: The domain.
        result: Of a domain that is not matched, explained.
    """
    if result.cause is None:
        raise ValueError("the domain is matched")
    faults = "; ".join(map(str, result.faults))
    return CAUSES[result.cause].words.format(
        domain=domain, turn=result.turn, faults=f": {faults}" if faults else ""
    )


def slot_cause_words(domain: str, cause: str) -> str:
    """Return why a requested slot is not provided, in words."""
    return SLOT_CAUSES[cause].format(domain=domain)


@dataclass(frozen=True)
class Diagnosis:
    """Why a submission loses what it loses, in the strict set-up.

    Attributes:
        played: What was scored.
        dialogues: The dialogues as they were played, in the submission's order.
        results: How each of them came out, and why.
    """

    played: Played
    dialogues: tuple[PlayedDialogue, ...]
    results: tuple[DialogueResult, ...]


def diagnose(played: Played) -> Diagnosis:
    """Follow every dialogue played and say what was lost."""
    dialogues = tuple(played.under(MAIN_SETUP))
    database = played.database()
    results = tuple(
        DialogueResult(
            one.id, len(one.responses), goals={MAIN_SETUP: explain(one, database, played.rules)}
        )
        for one in dialogues
    )
    return Diagnosis(played, dialogues, results)


def single_result(played: Played, bleu: bool) -> DialogueResult:
    """Return how the only dialogue that was played came out, in the strict set-up, and why.

    Args:
        played: What was played: one dialogue.
        bleu: Whether to compute sentence-level BLEU of each turn, in percent, as
            `sacrebleu.sentence_bleu` does but with the effective order: n-grams longer than the
            response are left out. The mean over turns is not corpus BLEU.
    """
    diagnosis = diagnose(played)
    [dialogue], [result] = diagnosis.dialogues, diagnosis.results
    if not bleu:
        return result
    from sacrebleu.metrics.bleu import BLEU  # NumPy and sacreBLEU take their time

    metric = BLEU(effective_order=True)
    pairs = zip(dialogue.responses, dialogue.gold.references[CANONICAL_STYLE], strict=False)
    scores = tuple(metric.sentence_score(text, [reference]).score for text, reference in pairs)
    return replace(result, sentence_bleu=scores)
