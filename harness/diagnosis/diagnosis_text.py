"""A diagnosis in 100 columns: what is lost by cause, domain and slot, what if, first dialogues."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..errors import counted, cut
from ..io.rendering import Cell, figure, signed, text_table
from ..metrics.results import DialogueResult
from .causes import CAUSES, SLOT_CAUSES, cause_words
from .diagnosing import Diagnosis, WhatIf
from .dialogue_text import wrapped
from .losses import SUCCESS_LOSSES, DomainLosses, Points, domain_losses, points, wrong_slots

_NAME = 26
_VALUE = 28
"""Characters of a cause's name in a line of a table, and of a slot's value."""
_LARGEST = 3
"""How many causes dialogues are shown of."""
_POINTS = (
    "points: percent of the dialogues, of Inform and Success for domains, of Success for slots; "
    "what loses a dialogue together shares it"
)
_SHOWN_SLOTS = 8


def diagnosis_text(
    diagnosis: Diagnosis,
    what_ifs: Sequence[WhatIf],
    domain: str | None = None,
    cause: str | None = None,
    limit: int = 3,
) -> str:
    """Return what a submission loses: by cause and domain, by slot, what if, first dialogues.

    Args:
        diagnosis: The diagnosis.
        what_ifs: What other states and domains would change.
        domain: The only domain to show; None for all.
        cause: The only cause to show, of a domain or of a slot; None for all.
        limit: How many dialogues to show of each of the largest causes.
    """
    results = diagnosis.results
    head = _head(diagnosis, what_ifs[0])
    losses = domain_losses(results)
    if domain is not None:
        if domain not in losses:
            return f"{head}\n\nno goal of these dialogues has the domain {domain}"
        losses = {domain: losses[domain]}
    costs = points(results)
    shown = None if domain else costs
    not_matched = unmatched(losses, diagnosis.played.rules.venue_rules)
    parts = [
        head,
        cause_table("domain not matched", not_matched, chosen(CAUSES, cause), shown),
        cause_table("slot not provided", untold(losses), chosen(SLOT_CAUSES, cause), shown),
        _legend(losses, chosen(costs, cause)),
        "" if domain else wrapped("", _POINTS),
        "" if cause else rates_table(losses),
        _slots_table(results, domain, cause),
        "" if cause else _what_if_table(what_ifs),
        *first_dialogues(results, costs, domain, cause, limit),
    ]
    return "\n\n".join(filter(None, parts))


def _head(diagnosis: Diagnosis, own: WhatIf) -> str:
    played, dialogues = diagnosis.played, len(diagnosis.results)
    turns, of = played.submission.turns, played.benchmark.turns
    lines = [
        f"Inform {figure(own.inform)}, Success {figure(own.success)}, strict, over "
        f"{counted(dialogues, 'dialogue')}",
        f"active domains: {played.domains}; belief states: {played.states}; "
        f"rules: {played.rules.name}",
    ]
    if turns != of:
        of_dialogues = len(played.benchmark.dialogues)
        lines.append(f"coverage: {dialogues} of {of_dialogues} dialogues, {turns} of {of} turns")
    return "\n".join(lines)


def chosen(causes: Iterable[str], cause: str | None) -> list[str]:
    """Return the causes to show: all, or the one asked for."""
    return [name for name in causes if cause in (None, name)]


# Domain -> cause -> count; out of how many in each domain; of what.
_Counts = tuple[Mapping[str, Mapping[str, int]], Sequence[int], str]


def unmatched(losses: Mapping[str, DomainLosses], venues: Mapping[str, object]) -> _Counts:
    """Return why domains that have venues are not matched: cause -> count, in each domain."""
    of = {name: one for name, one in losses.items() if name in venues}
    counts = {name: one.matched for name, one in of.items()}
    return counts, [one.dialogues for one in of.values()], "dialogues"


def untold(losses: Mapping[str, DomainLosses]) -> _Counts:
    """Return why requested slots are not provided: cause -> count, in each domain."""
    of = {name: one for name, one in losses.items() if one.requested}
    counts = {name: one.provided for name, one in of.items()}
    return counts, [one.requested for one in of.values()], "requested"


def cause_table(
    title: str, counted: _Counts, causes: Sequence[str], costs: Mapping[str, Points] | None
) -> str:
    """Return how often each cause applies in each domain, and how many points it costs.

    Args:
        title: What is counted.
        counted: The counts.
        causes: The causes to show.
        costs: Cause -> points lost by it over all domains; None to show none.
    """
    domains, out_of, of_what = counted
    if not causes or not domains:
        return ""
    # Every dialogue that loses its Inform loses its Success.
    lost = {} if costs is None else {name: costs[name].success for name in causes}
    rows: list[list[Cell]] = []
    for name in causes:
        row = [counts[name] for counts in domains.values()]
        if not any(row) and len(causes) > 1:
            continue
        rows.append([_folded(name), *row, sum(row), figure(lost.get(name), 2)])
    if len(causes) > 1:
        sums = [sum(counts[name] for name in causes) for counts in domains.values()]
        rows.append(["all", *sums, sum(sums), figure(math.fsum(lost.values()), 2)])
    rows.append([f"of {of_what}", *out_of, sum(out_of), ""])
    headers = [title, *domains, "all", "points"]
    if costs is None:
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    return text_table(headers, rows)


def _legend(losses: Mapping[str, DomainLosses], causes: Sequence[str]) -> str:
    """Say what the causes that there are mean."""
    words = {name: one.words for name, one in CAUSES.items()}
    words |= {name: one.words for name, one in SLOT_CAUSES.items()}
    found = [
        name
        for name in causes
        if any(of.matched.get(name) or of.provided.get(name) for of in losses.values())
    ]
    return "\n".join(
        wrapped(f"{name}: ", words[name].format(domain="the domain", turn="n", faults=""), indent=2)
        for name in found
    )


def rates_table(losses: Mapping[str, DomainLosses]) -> str:
    """Return what costs each domain its Success, and its rates."""
    rows: list[list[Cell]] = [
        [_folded(loss), *(of.success[loss] for of in losses.values())]
        for loss in SUCCESS_LOSSES
        if any(of.success[loss] for of in losses.values())
    ]
    rows.append(["of dialogues", *(of.dialogues for of in losses.values())])
    rows.append(["Inform (%)", *(figure(of.inform) for of in losses.values())])
    rows.append(["Success (%)", *(figure(of.succeeded) for of in losses.values())])
    return text_table(["Success lost", *losses], rows)


def _folded(name: str) -> str:
    """Return a name in lines that leave room for a column for each domain."""
    return textwrap.fill(name, _NAME)


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


def _what_if_table(what_ifs: Sequence[WhatIf]) -> str:
    own = what_ifs[0]
    rows = [[own.name, figure(own.inform), "", figure(own.success), ""]]
    for way in what_ifs[1:]:
        gains = signed(way.inform - own.inform), signed(way.success - own.success)
        rows.append([way.name, figure(way.inform), gains[0], figure(way.success), gains[1]])
    return text_table(["what if", "Inform", "", "Success", ""], rows)


def first_dialogues(
    results: Sequence[DialogueResult],
    costs: Mapping[str, Points],
    domain: str | None,
    cause: str | None,
    limit: int,
) -> Iterator[str]:
    """Yield the first dialogues of the causes that cost most, or of the one to show."""
    lost_by: dict[str, list[str]] = {name: [] for name in costs}
    for result in results:
        for name, own in result.domains.items():
            if domain not in (None, name):
                continue
            if own.cause is not None:
                words = f": {cause_words(name, own)}" if own.cause in CAUSES else ""
                lost_by[own.cause].append(f"{result.id}, {name}{words}")
            for slot, cause_of_slot in own.slot_causes.items():
                lost_by[cause_of_slot].append(f"{result.id}, {name} {slot}")
    largest = sorted(filter(lost_by.get, lost_by), key=lambda name: -sum(costs[name]))[:_LARGEST]
    for name in [cause] if cause else largest:
        if lost_by[name] and limit:
            lines = [wrapped("  ", line) for line in lost_by[name][:limit]]
            yield "\n".join([f"{name}, first of {len(lost_by[name])}", *lines])
