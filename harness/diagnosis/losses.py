"""What a submission loses, cause by cause, and what it would gain with gold annotation.

Conventions: counts are of dialogues with a domain in their goal (a dialogue counts once for each
such domain), or of requested slots; points are in percent of the dialogues played. A dialogue lost
by several causes gives each an equal share of itself, so that the points of all causes add up to
what the total rates lack of 100.
"""

from __future__ import annotations

import math
import textwrap
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from ..errors import counted, cut
from ..glossary import glossary
from ..io import Cell, figure, signed, text_table
from ..metrics import MAIN_SETUP, TOTAL, DialogueResult, Fault, Played, outcomes, percent, rates
from .causes import CAUSES, SLOT_CAUSES, Diagnosis, cause_words, wrapped

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
        return float(percent(self.dialogues - sum(self.matched.values()), self.dialogues))

    @property
    def succeeded(self) -> float:
        """The domain's Success, in percent."""
        return float(percent(self.dialogues - sum(self.success.values()), self.dialogues))


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
    losses = {}
    for domain in sorted(set().union(*(result.domains for result in results))):
        concerned = [result for result in results if domain in result.domains]
        requested = 0
        matched: Counter[str | None] = Counter()
        provided: Counter[str] = Counter()
        success: Counter[str] = Counter()
        for result in concerned:
            outcome = result.domains[domain]
            requested += len(outcome.provided)
            matched[outcome.cause] += 1
            provided.update(outcome.slot_causes.values())
            if not outcome.matched:
                success[ITSELF] += 1
            elif not result.inform:
                success[ANOTHER] += 1
            elif not outcome.all_provided:
                success[UNPROVIDED] += 1
        losses[domain] = DomainLosses(
            dialogues=len(concerned),
            matched={cause: matched[cause] for cause in causes},
            requested=requested,
            provided={cause: provided[cause] for cause in slot_causes},
            success={loss: success[loss] for loss in SUCCESS_LOSSES},
        )
    return losses


def lost_by(result: DialogueResult) -> list[tuple[str, str]]:
    """Return the goal domains that a dialogue loses points in, each with a cause; none twice."""
    lost: dict[tuple[str, str], None] = {}
    for domain, outcome in result.domains.items():
        for cause in (outcome.cause, *outcome.slot_causes.values()):
            if cause is not None:
                lost[domain, cause] = None
    return list(lost)


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
        unmatched: list[str] = []
        unprovided: list[str] = []
        for outcome in result.domains.values():
            if outcome.cause is not None:
                unmatched.append(outcome.cause)
            unprovided += outcome.slot_causes.values()
        for cause in unmatched:
            inform[cause] += Fraction(1, len(unmatched))
        # A dialogue that loses its Inform loses its Success, whatever else is not said.
        of_success = unmatched or unprovided
        for cause in of_success:
            success[cause] += Fraction(1, len(of_success))
    total = len(results)
    costs = {}
    for cause in causes:
        of_inform = float(percent(inform[cause], total))
        costs[cause] = Points(of_inform, float(percent(success[cause], total)))
    return costs


@dataclass(frozen=True)
class Causes:
    """What points were lost by, in the strict set-up.

    Attributes:
        domains: Goal domain -> what is lost in it.
        points: Cause, of a domain or of a slot -> what it costs in total.
        dialogues: Goal domain -> cause -> the dialogues played that lose Inform or Success by it,
            by their places among these, from 0.
    """

    domains: Mapping[str, DomainLosses]
    points: Mapping[str, Points]
    dialogues: Mapping[str, Mapping[str, tuple[int, ...]]]

    @classmethod
    def of(cls, results: Sequence[DialogueResult]) -> Causes:
        """Return what dialogues lose points by."""
        lost: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, result in enumerate(results):
            for domain, cause in lost_by(result):
                lost[domain][cause].append(place)
        dialogues = {}
        for domain, causes in sorted(lost.items()):
            dialogues[domain] = {cause: tuple(places) for cause, places in sorted(causes.items())}
        return cls(domain_losses(results), points(results), dialogues)

    @property
    def lost(self) -> dict[int, list[tuple[str, str]]]:
        """Place of a dialogue that is lost -> domains and causes."""
        lost: dict[int, list[tuple[str, str]]] = {}
        for domain, causes in self.dialogues.items():
            for cause, places in causes.items():
                for place in places:
                    lost.setdefault(place, []).append((domain, cause))
        return lost


def wrong_slots(
    results: Sequence[DialogueResult], cause: str | None = None
) -> list[tuple[tuple[str, Fault], int]]:
    """Return domains with faults of states, and how often each happened, the most frequent first.

    Args:
        results: The dialogues' results.
        cause: The only cause of a domain to look at; None for all.
    """
    counts: Counter[tuple[str, Fault]] = Counter()
    for result in results:
        for domain, outcome in result.domains.items():
            if cause in (None, outcome.cause):
                counts.update((domain, fault) for fault in outcome.faults)
    return counts.most_common()


def what_if(played: Played) -> dict[str, tuple[float, float]]:
    """Return what is replaced by gold annotation -> total strict Inform and Success, in percent."""
    ways = {
        "as it is": (played.states, played.domains),
        "with gold states": ("gold", played.domains),
        "with gold active domains": (played.states, "gold"),
        "with both": ("gold", "gold"),
    }
    totals = {}
    for states, domains in set(ways.values()):
        changed = replace(played, states=states, domains=domains)
        by_rate = rates(outcomes(changed, MAIN_SETUP).values())
        totals[states, domains] = (by_rate["inform"][TOTAL], by_rate["success"][TOTAL])
    return {name: totals[sources] for name, sources in ways.items()}


# What `mwz why` shows of it, in 100 columns.

_NAME = 26
_VALUE = 28
"""Characters of a cause's name in a line of a table, and of a slot's value."""
_LARGEST = 3
"""How many causes dialogues are shown of."""
_FIRST = 3
"""How many dialogues are shown of each."""
_POINTS = (
    "points: percent of the dialogues, of Inform and Success for domains, of Success for slots; "
    "what loses a dialogue together shares it"
)
_SHOWN_SLOTS = 8


def diagnosis_text(
    diagnosis: Diagnosis, domain: str | None = None, cause: str | None = None
) -> str:
    """Return what a submission loses: by cause and domain, by slot, what if, first dialogues.

    Args:
        diagnosis: The diagnosis.
        domain: The only domain to show; None for all.
        cause: The only cause to show, of a domain or of a slot, with all dialogues it costs; None
            for all causes, and the first dialogues of the largest.
    """
    what_ifs = what_if(diagnosis.played)
    head = _head(diagnosis, *next(iter(what_ifs.values())))
    tables = [
        _slots_table(diagnosis.results, domain, cause),
        "" if cause else _what_if_table(what_ifs),
    ]
    return losses_text(head, diagnosis.results, CAUSES, SLOT_CAUSES, tables, domain, cause)


def losses_text(
    head: str,
    results: Sequence[DialogueResult],
    causes: Collection[str],
    slot_causes: Collection[str],
    tables: Iterable[str],
    domain: str | None,
    cause: str | None,
    title: str = "domain not matched",
    words: Mapping[tuple[str, str], str] | None = None,
) -> str:
    """Return what is lost by cause and domain, and the first dialogues that lose most.

    Args:
        head: What comes first.
        results: How dialogues came out.
        causes: The causes of a domain that is not matched.
        slot_causes: The causes of a requested slot that is not provided.
        tables: What comes before the dialogues.
        domain: The only domain to show; None for all.
        cause: The only cause to show; None for all.
        title: What the first table counts.
        words: Id of a dialogue and domain -> what it is lost by, where the causes do not say.
    """
    losses = domain_losses(results, causes, slot_causes)
    if domain is not None:
        losses = {name: loss for name, loss in losses.items() if name == domain}
    if not losses:
        return f"{head}\n\nno goal of these dialogues has the domain {domain}".lstrip()
    costs = points(results, (*causes, *slot_causes))
    shown_costs = None if domain else costs
    shown_causes = [name for name in causes if cause in (None, name)]
    shown_slot_causes = [name for name in slot_causes if cause in (None, name)]
    paragraphs = [head]
    if shown_causes:
        matched = {name: (loss.matched, loss.dialogues) for name, loss in losses.items()}
        paragraphs += [_cause_table(title, matched, "of dialogues", shown_causes, shown_costs)]
    provided = {
        name: (loss.provided, loss.requested) for name, loss in losses.items() if loss.requested
    }
    if shown_slot_causes and provided:
        slots = _cause_table(
            "slot not provided", provided, "of requested", shown_slot_causes, shown_costs
        )
        paragraphs.append(slots)
    paragraphs += [
        _legend(losses, [*shown_causes, *shown_slot_causes]),
        "" if domain else wrapped("", _POINTS if slot_causes else _POINTS.partition(",")[0]),
        "" if cause or not slot_causes else _rates_table(losses),
        *tables,
        *_dialogues_lost(results, costs, domain, cause, words),
    ]
    return "\n\n".join(filter(None, paragraphs))


def _head(diagnosis: Diagnosis, inform: float, success: float) -> str:
    played, dialogues = diagnosis.played, len(diagnosis.results)
    turns, all_turns = played.submission.turns, played.benchmark.turns
    lines = [
        f"Inform {figure(inform)}, Success {figure(success)}, strict, over "
        f"{counted(dialogues, 'dialogue')}",
        f"active domains: {played.domains}; belief states: {played.states}; "
        f"rules: {played.rules.name}",
    ]
    if turns != all_turns:
        all_dialogues = len(played.benchmark.dialogues)
        lines.append(
            f"coverage: {dialogues} of {all_dialogues} dialogues, {turns} of {all_turns} turns"
        )
    return "\n".join(lines)


def _legend(losses: Mapping[str, DomainLosses], causes: Iterable[str]) -> str:
    """Say what those causes mean by which something is lost."""
    lines = []
    for name in causes:
        if any(domain.matched.get(name) or domain.provided.get(name) for domain in losses.values()):
            lines.append(wrapped(f"{name}: ", glossary()["causes"][name].meaning, indent=2))
    return "\n".join(lines)


def _slots_table(results: Sequence[DialogueResult], domain: str | None, cause: str | None) -> str:
    """Return the slots and values that are wrong most often where states are to blame."""
    rows: list[list[Cell]] = [
        [
            f"{name}-{fault.slot}",
            "(open)" if fault.wanted is None else cut(fault.wanted, _VALUE),
            "(missing)" if fault.found is None else cut(fault.found, _VALUE),
            count,
        ]
        for (name, fault), count in wrong_slots(results, cause)
        if domain in (None, name)
    ]
    headers = ["most often wrong in states", "goal", "state", "dialogues"]
    return text_table(headers, rows[:_SHOWN_SLOTS]) if rows else ""


def _what_if_table(what_ifs: Mapping[str, tuple[float, float]]) -> str:
    first, *others = what_ifs
    as_it_is = what_ifs[first]
    rows = [[first, figure(as_it_is[0]), "", figure(as_it_is[1]), ""]]
    for name in others:
        row = [name]
        for value, before in zip(what_ifs[name], as_it_is, strict=True):
            row += [figure(value), signed(value - before)]
        rows.append(row)
    return text_table(["what if", "Inform", "", "Success", ""], rows)


def _cause_table(
    title: str,
    domains: Mapping[str, tuple[Mapping[str, int], int]],
    of_what: str,
    causes: Sequence[str],
    costs: Mapping[str, Points] | None,
) -> str:
    """Return a row for each cause.

    Args:
        title: What is counted.
        domains: Domain -> cause -> count, and out of how many.
        of_what: What these are.
        causes: The causes to show.
        costs: Cause -> points lost by it over all domains; None to show none.
    """
    # Every dialogue that loses its Inform loses its Success.
    lost = {} if costs is None else {name: costs[name].success for name in causes}
    rows: list[list[Cell]] = []
    for name in causes:
        row = [counts[name] for counts, _ in domains.values()]
        if any(row) or len(causes) == 1:
            rows.append([_folded(name), *row, sum(row), figure(lost.get(name), 2)])
    if len(causes) > 1:
        sums = []
        for counts, _ in domains.values():
            sums.append(sum(counts[name] for name in causes))
        rows.append(["all", *sums, sum(sums), figure(math.fsum(lost.values()), 2)])
    out_of = [whole for _, whole in domains.values()]
    rows.append([of_what, *out_of, sum(out_of), ""])
    headers = [title, *domains, "all", "points"]
    if costs is None:
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    return text_table(headers, rows)


def _rates_table(losses: Mapping[str, DomainLosses]) -> str:
    """Return what costs each domain its Success, and its rates."""
    domains = losses.values()
    rows: list[list[Cell]] = []
    for loss in SUCCESS_LOSSES:
        counts = [domain.success[loss] for domain in domains]
        if any(counts):
            rows.append([_folded(loss), *counts])
    rows.append(["of dialogues", *(domain.dialogues for domain in domains)])
    rows.append(["Inform (%)", *(figure(domain.inform) for domain in domains)])
    rows.append(["Success (%)", *(figure(domain.succeeded) for domain in domains)])
    return text_table(["Success lost", *losses], rows)


def _folded(name: str) -> str:
    """Return a name in lines that leave room for a column for each domain."""
    return textwrap.fill(name, _NAME)


def _dialogues_lost(
    results: Sequence[DialogueResult],
    costs: Mapping[str, Points],
    domain: str | None,
    cause: str | None,
    words: Mapping[tuple[str, str], str] | None,
) -> Iterator[str]:
    """Yield the first dialogues of the causes that cost most, or all of the cause to show."""
    lines: dict[str, list[str]] = {name: [] for name in costs}
    for result in results:
        for name, outcome in result.domains.items():
            if domain not in (None, name):
                continue
            if outcome.cause is not None:
                text = cause_words(name, outcome) if outcome.cause in CAUSES else ""
                text = text if words is None else words[result.id, name]
                lines[outcome.cause].append(f"{result.id}, {name}{text and ': ' + text}")
            for slot, slot_cause in outcome.slot_causes.items():
                lines[slot_cause].append(f"{result.id}, {name} {slot}")
    largest = sorted(filter(lines.get, lines), key=lambda name: -sum(costs[name]))[:_LARGEST]
    for name in [cause] if cause else largest:
        dialogues = lines[name] if cause else lines[name][:_FIRST]
        if dialogues:
            title = f"{name}, {'all' if cause else 'first of'} {len(lines[name])}"
            yield "\n".join([title, *(wrapped("  ", line) for line in dialogues)])
