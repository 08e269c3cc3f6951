"""What a submission loses, cause by cause: the outcomes of its dialogues, counted.

Conventions: counts are of dialogues with a domain in their goal (a dialogue counts once for each
such domain), or of requested slots; points are in percent of the dialogues played. A dialogue lost
by several causes gives each an equal share of itself, so that the points of all causes add up to
what the total rates lack of 100.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from .causes import CAUSES, SLOT_CAUSES, DialogueOutcome, Fault

ITSELF = "the domain itself is not matched"
ANOTHER = "another domain of the dialogue is not matched"
UNPROVIDED = "requested slots are not provided"
SUCCESS_LOSSES = (ITSELF, ANOTHER, UNPROVIDED)
"""What costs a domain its Success; the first that applies counts."""


@dataclass(frozen=True)
class DomainLosses:
    """What is lost in one domain.

    Attributes:
        dialogues: Dialogues with the domain in their goal.
        matched: Cause -> in how many of them the domain is not matched by it.
        requested: Slots requested in them.
        provided: Slot cause -> how many of these are not provided by it.
        success: Of `SUCCESS_LOSSES` -> how many dialogues' Success of the domain it costs.
    """

    dialogues: int
    matched: Mapping[str, int]
    requested: int
    provided: Mapping[str, int]
    success: Mapping[str, int]

    @property
    def inform(self) -> float:
        """The domain's Inform, in percent."""
        return _percent(self.dialogues - sum(self.matched.values()), self.dialogues)

    @property
    def succeeded(self) -> float:
        """The domain's Success, in percent."""
        return _percent(self.dialogues - sum(self.success.values()), self.dialogues)


class Points(NamedTuple):
    """What a cause costs in total, in percent of the dialogues played."""

    inform: float
    success: float


def domain_losses(
    outcomes: Sequence[DialogueOutcome],
    causes: Iterable[str] = CAUSES,
    slot_causes: Iterable[str] = SLOT_CAUSES,
) -> dict[str, DomainLosses]:
    """Return goal domain -> what is lost in it, the domains in alphabetical order.

    Args:
        outcomes: The dialogues' outcomes.
        causes: The causes there are of a domain.
        slot_causes: Those of a slot.
    """
    domains = sorted({domain for outcome in outcomes for domain in outcome.domains})
    return {
        domain: _losses_in(domain, outcomes, list(causes), list(slot_causes)) for domain in domains
    }


def lost_dialogues(outcomes: Sequence[DialogueOutcome]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return goal domain -> cause, of the domain or of a slot -> places of the dialogues it costs.

    Args:
        outcomes: The dialogues' outcomes; their places are counted from 0.
    """
    lost: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, outcome in enumerate(outcomes):
        for domain, cause in lost_by(outcome):
            lost[domain][cause].append(place)
    return {
        domain: {cause: tuple(places) for cause, places in sorted(causes.items())}
        for domain, causes in sorted(lost.items())
    }


def lost_by(outcome: DialogueOutcome) -> list[tuple[str, str]]:
    """Return the goal domains that a dialogue loses points in, each with a cause; none twice."""
    found = [
        (domain, cause)
        for domain, diagnosis in outcome.domains.items()
        for cause in (diagnosis.cause, *diagnosis.provided.values())
        if cause is not None
    ]
    return list(dict.fromkeys(found))


def _losses_in(
    domain: str,
    outcomes: Sequence[DialogueOutcome],
    causes: Iterable[str],
    slot_causes: Iterable[str],
) -> DomainLosses:
    concerned = [outcome for outcome in outcomes if domain in outcome.domains]
    diagnoses = [outcome.domains[domain] for outcome in concerned]
    slots = [cause for diagnosis in diagnoses for cause in diagnosis.provided.values()]
    costs = Counter(
        ITSELF if not diagnosis.matched else ANOTHER if not outcome.inform else UNPROVIDED
        for outcome, diagnosis in zip(concerned, diagnoses, strict=True)
        if not (outcome.inform and diagnosis.all_provided)
    )
    return DomainLosses(
        dialogues=len(concerned),
        matched=_counted(causes, [diagnosis.cause for diagnosis in diagnoses]),
        requested=len(slots),
        provided=_counted(slot_causes, slots),
        success={loss: costs[loss] for loss in SUCCESS_LOSSES},
    )


def points(
    outcomes: Sequence[DialogueOutcome], causes: Iterable[str] = (*CAUSES, *SLOT_CAUSES)
) -> dict[str, Points]:
    """Return cause, of a domain or of a slot -> what it costs in total.

    Args:
        outcomes: The dialogues' outcomes.
        causes: The causes there are.
    """
    inform: dict[str, Fraction] = defaultdict(Fraction)
    success: dict[str, Fraction] = defaultdict(Fraction)
    for outcome in outcomes:
        unmatched = [d.cause for d in outcome.domains.values() if d.cause is not None]
        unprovided = [
            cause for d in outcome.domains.values() for cause in d.provided.values() if cause
        ]
        # A dialogue that loses its Inform loses its Success, whatever else is not said.
        for cause, share in _shares(unmatched):
            inform[cause] += share
            success[cause] += share
        for cause, share in [] if unmatched else _shares(unprovided):
            success[cause] += share
    total = len(outcomes)
    return {
        cause: Points(_percent(inform[cause], total), _percent(success[cause], total))
        for cause in causes
    }


def wrong_slots(
    outcomes: Sequence[DialogueOutcome], cause: str | None = None
) -> list[tuple[tuple[str, Fault], int]]:
    """Return domains with faults of states, and how often each happened, the most frequent first.

    Args:
        outcomes: The dialogues' outcomes.
        cause: The only cause of a domain to look at; None for all.
    """
    counted = Counter(
        (domain, fault)
        for outcome in outcomes
        for domain, diagnosis in outcome.domains.items()
        if cause in (None, diagnosis.cause)
        for fault in diagnosis.faults
    )
    return counted.most_common()


def _shares(causes: Sequence[str]) -> Iterator[tuple[str, Fraction]]:
    for cause in causes:
        yield cause, Fraction(1, len(causes))


def _counted(names: Iterable[str], causes: Sequence[str | None]) -> dict[str, int]:
    counts = Counter(causes)
    return {name: counts[name] for name in names}


def _percent(part: Fraction | int, whole: int) -> float:
    return float(100 * Fraction(part) / whole) if whole else 0.0
