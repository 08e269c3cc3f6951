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
from operator import add
from typing import NamedTuple

from ..errors import counted, cut
from ..glossary import term_of
from ..io import Cell, figure, signed, text_table
from ..metrics import MAIN_SETUP, TOTAL, DialogueResult, Played, WrongSlot, outcomes, percent, rates
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
    by_domain: dict[str, list[DialogueResult]] = defaultdict(list)
    for result in results:
        for domain in result.domains:
            by_domain[domain].append(result)
    losses = {}
    for domain, concerned in sorted(by_domain.items()):
        requested = 0
        matched = dict.fromkeys(causes, 0)
        provided = dict.fromkeys(slot_causes, 0)
        success = dict.fromkeys(SUCCESS_LOSSES, 0)
        for result in concerned:
            outcome = result.domains[domain]
            requested += len(outcome.provided)
            if outcome.cause is not None:
                matched[outcome.cause] += 1
            for cause in outcome.slot_causes.values():
                provided[cause] += 1
            if not outcome.matched:
                success[ITSELF] += 1
            elif not result.inform:
                success[ANOTHER] += 1
            elif not outcome.all_provided:
                success[UNPROVIDED] += 1
        losses[domain] = DomainLosses(len(concerned), matched, requested, provided, success)
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
    def from_results(cls, results: Sequence[DialogueResult]) -> Causes:
        """Return what dialogues lose points by."""
        lost: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for place, result in enumerate(results):
            for domain, cause in lost_by(result):
                lost[domain][cause].append(place)
        dialogues = {}
        for domain, causes in sorted(lost.items()):
            dialogues[domain] = {cause: tuple(places) for cause, places in sorted(causes.items())}
        return cls(domain_losses(results), points(results), dialogues)


def wrong_slots(
    results: Sequence[DialogueResult], cause: str | None = None
) -> list[tuple[tuple[str, WrongSlot], int]]:
    """Return domains with faults of states, and how often each happened, the most frequent first.

    Args:
        results: The dialogues' results.
        cause: The only cause of a domain to look at; None for all.
    """
    counts: Counter[tuple[str, WrongSlot]] = Counter()
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
_POINTS = "points: percent of the dialogues"
_OF_SLOTS = (
    ", of Inform and Success for domains, of Success for slots; what loses a dialogue together "
    "shares it"
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
    (as_it_is, (inform, success)), *others = what_ifs.items()
    rows = [[as_it_is, figure(inform), "", figure(success), ""]]
    for name, (other_inform, other_success) in others:
        row = [name, figure(other_inform), signed(other_inform - inform)]
        row += [figure(other_success), signed(other_success - success)]
        rows.append(row)
    slots: list[list[Cell]] = []
    for (name, fault), count in wrong_slots(diagnosis.results, cause):
        if domain in (None, name) and len(slots) < _SHOWN_SLOTS:
            wanted = "(open)" if fault.wanted is None else cut(fault.wanted, _VALUE)
            found = "(missing)" if fault.found is None else cut(fault.found, _VALUE)
            slots.append([f"{name}-{fault.slot}", wanted, found, count])
    tables = []
    if slots:
        headers = ["most often wrong in states", "goal", "state", "dialogues"]
        tables.append(text_table(headers, slots))
    if not cause:
        tables.append(text_table(["what if", "Inform", "", "Success", ""], rows))
    played, dialogues = diagnosis.played, len(diagnosis.results)
    head = (
        f"Inform {figure(inform)}, Success {figure(success)}, strict, over "
        f"{counted(dialogues, 'dialogue')}\n"
        f"active domains: {played.domains}; belief states: {played.states}; "
        f"rules: {played.rules.name}"
    )
    turns, all_turns = played.submission.turns, played.benchmark.turns
    if turns != all_turns:
        all_dialogues = len(played.benchmark.dialogues)
        head += (
            f"\ncoverage: {dialogues} of {all_dialogues} dialogues, {turns} of {all_turns} turns"
        )
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
    costs = points(results, [*causes, *slot_causes])
    shown_costs = None if domain else costs
    shown_causes = [name for name in causes if cause in (None, name)]
    shown_slot_causes = [name for name in slot_causes if cause in (None, name)]
    matched = {}
    provided = {}
    for name, loss in losses.items():
        matched[name] = (loss.matched, loss.dialogues)
        if loss.requested:
            provided[name] = (loss.provided, loss.requested)
    paragraphs = [head]
    if shown_causes:
        paragraphs.append(_cause_table(title, matched, "of dialogues", shown_causes, shown_costs))
    if shown_slot_causes and provided:
        slots = ("slot not provided", provided, "of requested")
        paragraphs.append(_cause_table(*slots, shown_slot_causes, shown_costs))
    paragraphs.append(_legend(losses, shown_causes + shown_slot_causes))
    if not domain:
        paragraphs.append(wrapped("", _POINTS + (_OF_SLOTS if slot_causes else "")))
    if slot_causes and not cause:
        # What costs each domain its Success, and its rates: a column for each.
        columns: list[list[Cell]] = []
        for loss in losses.values():
            rates_of_domain = [figure(loss.inform), figure(loss.succeeded)]
            columns.append([*loss.success.values(), loss.dialogues, *rates_of_domain])
        names = [*map(_folded, SUCCESS_LOSSES), "of dialogues", "Inform (%)", "Success (%)"]
        rows = [[name, *cells] for name, *cells in zip(names, *columns, strict=True) if any(cells)]
        paragraphs.append(text_table(["Success lost", *losses], rows))
    paragraphs += tables
    paragraphs += _dialogues_lost(results, costs, domain, cause, words)
    return "\n\n".join(filter(None, paragraphs))


def _legend(losses: Mapping[str, DomainLosses], causes: Iterable[str]) -> str:
    """Say what those causes mean by which something is lost."""
    lines = []
    for name in causes:
        if any(domain.matched.get(name) or domain.provided.get(name) for domain in losses.values()):
            lines.append(wrapped(f"{name}: ", term_of("causes", name).meaning, indent=2))
    return "\n".join(lines)


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
    rows: list[list[Cell]] = []
    all_counts = [0] * len(domains)
    points_lost = []
    for name in causes:
        # Every dialogue that loses its Inform loses its Success.
        lost = 0.0 if costs is None else costs[name].success
        points_lost.append(lost)
        row = [counts[name] for counts, _ in domains.values()]
        all_counts = list(map(add, all_counts, row))
        if any(row) or len(causes) == 1:
            rows.append([_folded(name), *row, sum(row), figure(lost, 2)])
    headers = [title, *domains, "all"]
    if len(causes) > 1:
        rows.append(["all", *all_counts, sum(all_counts), figure(math.fsum(points_lost), 2)])
    out_of = [whole for _, whole in domains.values()]
    rows.append([of_what, *out_of, sum(out_of), ""])
    if costs is not None:
        return text_table([*headers, "points"], rows)
    return text_table(headers, [row[: len(headers)] for row in rows])


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
                text = ""
                if words is not None:
                    text = words[result.id, name]
                elif outcome.cause in CAUSES:
                    text = cause_words(name, outcome)
                lines[outcome.cause].append(f"{result.id}, {name}{text and ': ' + text}")
            for slot, slot_cause in outcome.slot_causes.items():
                lines[slot_cause].append(f"{result.id}, {name} {slot}")
    names = [cause] if cause else sorted(costs, key=lambda name: -sum(costs[name]))
    names = [name for name in names if lines[name]]
    for name in names[:_LARGEST]:
        part, number = ("all", None) if cause else ("first of", _FIRST)
        shown = [f"{name}, {part} {len(lines[name])}"]
        for line in lines[name][:number]:
            shown.append(wrapped("  ", line))
        yield "\n".join(shown)
