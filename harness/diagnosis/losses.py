"""What a submission loses, cause by cause, and what it would gain with gold annotation.

Conventions: counts are of dialogues with a domain in their goal (a dialogue counts once for each
such domain), or of requested slots; points are in percent of the dialogues played. A dialogue lost
by several causes gives each an equal share of itself, so that the points of all causes add up to
what the total rates lack of 100.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from ..metrics.inform import TOTAL, rates
from ..metrics.metric import Played, dialogue_results
from ..metrics.results import DialogueResult, Fault
from . import CAUSES, SLOT_CAUSES

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
    results: Sequence[DialogueResult],
    causes: Collection[str] = CAUSES,
    slot_causes: Collection[str] = SLOT_CAUSES,
) -> dict[str, DomainLosses]:
    """Return goal domain -> what is lost in it, the domains in alphabetical order.

    Args:
        results: The dialogues' results.
        causes: The causes there are of a domain.
        slot_causes: Those of a slot.
    """
    domains = sorted({domain for result in results for domain in result.domains})
    return {domain: _losses_in(domain, results, causes, slot_causes) for domain in domains}


def lost_dialogues(results: Sequence[DialogueResult]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return goal domain -> cause, of the domain or of a slot -> places of the dialogues it costs.

    Args:
        results: The dialogues' results; their places are counted from 0.
    """
    lost: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, result in enumerate(results):
        for domain, cause in lost_by(result):
            lost[domain][cause].append(place)
    return {
        domain: {cause: tuple(places) for cause, places in sorted(causes.items())}
        for domain, causes in sorted(lost.items())
    }


def lost_by(result: DialogueResult) -> list[tuple[str, str]]:
    """Return the goal domains that a dialogue loses points in, each with a cause; none twice."""
    lost = [
        (domain, cause)
        for domain, own in result.domains.items()
        for cause in (own.cause, *own.slot_causes.values())
        if cause is not None
    ]
    return list(dict.fromkeys(lost))


def _losses_in(
    domain: str,
    results: Sequence[DialogueResult],
    causes: Collection[str],
    slot_causes: Collection[str],
) -> DomainLosses:
    concerned = [result for result in results if domain in result.domains]
    of_domain = [result.domains[domain] for result in concerned]
    unprovided = [cause for own in of_domain for cause in own.slot_causes.values()]
    costs = Counter(
        ITSELF if not own.matched else ANOTHER if not result.inform else UNPROVIDED
        for result, own in zip(concerned, of_domain, strict=True)
        if not (result.inform and own.all_provided)
    )
    return DomainLosses(
        dialogues=len(concerned),
        matched=_counted(causes, [own.cause for own in of_domain]),
        requested=sum(len(own.provided) for own in of_domain),
        provided=_counted(slot_causes, unprovided),
        success={loss: costs[loss] for loss in SUCCESS_LOSSES},
    )


def points(
    results: Sequence[DialogueResult], causes: Iterable[str] = (*CAUSES, *SLOT_CAUSES)
) -> dict[str, Points]:
    """Return cause, of a domain or of a slot -> what it costs in total.

    Args:
        results: The dialogues' results.
        causes: The causes there are.
    """
    inform: dict[str, Fraction] = defaultdict(Fraction)
    success: dict[str, Fraction] = defaultdict(Fraction)
    for result in results:
        domains = result.domains.values()
        unmatched = [one.cause for one in domains if one.cause is not None]
        unprovided = [cause for one in domains for cause in one.slot_causes.values()]
        for cause in unmatched:
            inform[cause] += Fraction(1, len(unmatched))
        # A dialogue that loses its Inform loses its Success, whatever else is not said.
        of_success = unmatched or unprovided
        for cause in of_success:
            success[cause] += Fraction(1, len(of_success))
    total = len(results)
    return {
        cause: Points(_percent(inform[cause], total), _percent(success[cause], total))
        for cause in causes
    }


def wrong_slots(
    results: Sequence[DialogueResult], cause: str | None = None
) -> list[tuple[tuple[str, Fault], int]]:
    """Return domains with faults of states, and how often each happened, the most frequent first.

    Args:
        results: The dialogues' results.
        cause: The only cause of a domain to look at; None for all.
    """
    counted = Counter(
        (domain, fault)
        for result in results
        for domain, own in result.domains.items()
        if cause in (None, own.cause)
        for fault in own.faults
    )
    return counted.most_common()


def what_if(played: Played) -> dict[str, tuple[float, float]]:
    """Return what is replaced by gold annotation -> total strict Inform and Success, in percent."""
    ways = {
        "as it is": (played.states, played.domains),
        "with gold states": ("gold", played.domains),
        "with gold active domains": (played.states, "gold"),
        "with both": ("gold", "gold"),
    }
    scores = {
        sources: rates(
            dialogue_results(replace(played, states=sources[0], domains=sources[1]), ["inform"])
        )
        for sources in set(ways.values())
    }
    return {
        name: (scores[sources]["inform"][TOTAL], scores[sources]["success"][TOTAL])
        for name, sources in ways.items()
    }


def _counted(names: Iterable[str], causes: Sequence[str | None]) -> dict[str, int]:
    counts = Counter(causes)
    return {name: counts[name] for name in names}


def _percent(part: Fraction | int, whole: int) -> float:
    return float(100 * Fraction(part) / whole) if whole else 0.0
