"""A diagnosis in 100 columns: what is lost by cause, domain and slot, what if, first dialogues."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from ..errors import counted, cut
from ..io.tables import Cell, figure, signed, text_table
from ..metrics.results import DialogueResult
from .causes import CAUSES, SLOT_CAUSES, Diagnosis, cause_words
from .dialogue_text import wrapped
from .losses import (
    SUCCESS_LOSSES,
    DomainLosses,
    Points,
    domain_losses,
    points,
    what_if,
    wrong_slots,
)

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
    diagnosis: Diagnosis, domain: str | None = None, cause: str | None = None, limit: int = 3
) -> str:
    """Return what a submission loses: by cause and domain, by slot, what if, first dialogues.

    Args:
        diagnosis: The diagnosis.
        domain: The only domain to show; None for all.
        cause: The only cause to show, of a domain or of a slot; None for all.
        limit: How many dialogues to show of each of the largest causes.
    """
    what_ifs = what_if(diagnosis.played)
    head = _head(diagnosis, *next(iter(what_ifs.values())))
    tables = [
        _slots_table(diagnosis.results, domain, cause),
        "" if cause else _what_if_table(what_ifs),
    ]
    return losses_text(head, diagnosis.results, CAUSES, SLOT_CAUSES, tables, domain, cause, limit)


def losses_text(
    head: str,
    results: Sequence[DialogueResult],
    causes: Collection[str],
    slot_causes: Collection[str],
    tables: Iterable[str],
    domain: str | None,
    cause: str | None,
    limit: int,
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
        limit: How many dialogues to show of each of the largest causes.
    """
    losses = {
        name: of
        for name, of in domain_losses(results, causes, slot_causes).items()
        if domain in (None, name)
    }
    if not losses:
        return f"{head}\n\nno goal of these dialogues has the domain {domain}"
    costs = points(results, (*causes, *slot_causes))
    matched = {name: (of.matched, of.dialogues) for name, of in losses.items()}
    provided = {name: (of.provided, of.requested) for name, of in losses.items() if of.requested}
    parts = [
        head,
        *(
            _cause_table(title, counts, of_what, chosen, None if domain else costs)
            for title, counts, of_what, group in (
                ("domain not matched", matched, "of dialogues", causes),
                ("slot not provided", provided, "of requested", slot_causes),
            )
            for chosen in [[name for name in group if cause in (None, name)]]
            if chosen and counts
        ),
        _legend(losses, cause),
        "" if domain else wrapped("", _POINTS),
        "" if cause else _rates_table(losses),
        *tables,
        *_first_dialogues(results, costs, domain, cause, limit),
    ]
    return "\n\n".join(filter(None, parts))


def _head(diagnosis: Diagnosis, inform: float, success: float) -> str:
    played, dialogues = diagnosis.played, len(diagnosis.results)
    turns, of = played.submission.turns, played.benchmark.turns
    lines = [
        f"Inform {figure(inform)}, Success {figure(success)}, strict, over "
        f"{counted(dialogues, 'dialogue')}",
        f"active domains: {played.domains}; belief states: {played.states}; "
        f"rules: {played.rules.name}",
    ]
    if turns != of:
        of_dialogues = len(played.benchmark.dialogues)
        lines.append(f"coverage: {dialogues} of {of_dialogues} dialogues, {turns} of {of} turns")
    return "\n".join(lines)


def _legend(losses: Mapping[str, DomainLosses], cause: str | None) -> str:
    """Say what the causes that there are mean."""
    words = {**{name: one.words for name, one in CAUSES.items()}, **SLOT_CAUSES}
    return "\n".join(
        wrapped(f"{name}: ", text.format(domain="the domain", turn="n", faults=""), indent=2)
        for name, text in words.items()
        if cause in (None, name)
        and any(of.matched.get(name) or of.provided.get(name) for of in losses.values())
    )


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
        cells = [
            cell
            for value, before in zip(what_ifs[name], as_it_is, strict=True)
            for cell in (figure(value), signed(value - before))
        ]
        rows.append([name, *cells])
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
        sums = [sum(counts[name] for name in causes) for counts, _ in domains.values()]
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
    rows: list[list[Cell]] = [
        [_folded(loss), *(of.success[loss] for of in domains)]
        for loss in SUCCESS_LOSSES
        if any(of.success[loss] for of in domains)
    ]
    rows.append(["of dialogues", *(of.dialogues for of in domains)])
    rows.append(["Inform (%)", *(figure(of.inform) for of in domains)])
    rows.append(["Success (%)", *(figure(of.succeeded) for of in domains)])
    return text_table(["Success lost", *losses], rows)


def _folded(name: str) -> str:
    """Return a name in lines that leave room for a column for each domain."""
    return textwrap.fill(name, _NAME)


def _first_dialogues(
    results: Sequence[DialogueResult],
    costs: Mapping[str, Points],
    domain: str | None,
    cause: str | None,
    limit: int,
) -> Iterator[str]:
    """Yield the first dialogues of the causes that cost most, or of the one to show."""
    lost_by: dict[str, list[str]] = {name: [] for name in costs}
    for result in results:
        for name, came_out in result.domains.items():
            if domain not in (None, name):
                continue
            if came_out.cause is not None:
                words = f": {cause_words(name, came_out)}" if came_out.cause in CAUSES else ""
                lost_by[came_out.cause].append(f"{result.id}, {name}{words}")
            for slot, slot_cause in came_out.slot_causes.items():
                lost_by[slot_cause].append(f"{result.id}, {name} {slot}")
    largest = sorted(filter(lost_by.get, lost_by), key=lambda name: -sum(costs[name]))[:_LARGEST]
    for name in [cause] if cause else largest:
        if lost_by[name] and limit:
            lines = [wrapped("  ", line) for line in lost_by[name][:limit]]
            yield "\n".join([f"{name}, first of {len(lost_by[name])}", *lines])
