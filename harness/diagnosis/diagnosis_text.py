"""A diagnosis as a person reads it, in 100 columns: tables of causes, and one dialogue followed."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence

from ..benchmark import Goal
from ..io.rendering import Cell, figure, signed, text_table
from ..metrics.inform_success import Step
from ..metrics.tracking.dialogue_states import slot_name
from .causes import CAUSES, SLOT_CAUSES, DialogueOutcome, cause_words, slot_cause_words
from .diagnosing import Diagnosis, WhatIf
from .dialogue_view import Change, DialogueView, TurnView
from .losses import SUCCESS_LOSSES, DomainLosses, domain_losses, points, wrong_slots

WIDTH = 100
_LABEL = 12
_NAME = 26
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
    outcomes = diagnosis.outcomes
    if domain is not None and domain not in domain_losses(outcomes):
        return f"{_head(diagnosis, what_ifs)}\n\nno goal of these dialogues has the domain {domain}"
    domains = [domain] if domain else list(domain_losses(outcomes))
    parts = [
        _head(diagnosis, what_ifs),
        _cause_tables(diagnosis, domain, cause),
        _slots_table(outcomes, domain, cause),
        "" if cause else _what_if_table(what_ifs),
        _first_dialogues(outcomes, domains, cause, limit),
    ]
    return "\n\n".join(part for part in parts if part)


def _head(diagnosis: Diagnosis, what_ifs: Sequence[WhatIf]) -> str:
    played, own = diagnosis.played, what_ifs[0]
    turns, of = played.submission.turns, played.benchmark.turns
    coverage = (
        ""
        if turns == of
        else f"\ncoverage: {len(diagnosis.outcomes)} of {len(played.benchmark.dialogues)} "
        f"dialogues, {turns} of {of} turns"
    )
    return (
        f"Inform {figure(own.inform)}, Success {figure(own.success)}, strict, over "
        f"{len(diagnosis.outcomes)} dialogues\n"
        f"active domains: {played.domains}; belief states: {played.states}; "
        f"rules: {played.rules.name}{coverage}"
    )


def _cause_tables(diagnosis: Diagnosis, domain: str | None, cause: str | None) -> str:
    """Show the causes by domain: of domains not matched, of slots not provided, of Success."""
    losses = {
        name: of for name, of in domain_losses(diagnosis.outcomes).items() if domain in (None, name)
    }
    costs = points(diagnosis.outcomes)
    venues = diagnosis.played.rules.venue_rules
    tables = [
        cause_table(
            "domain not matched",
            {name: (of.matched, of.dialogues) for name, of in losses.items() if name in venues},
            "dialogues",
            [name for name in CAUSES if cause in (None, name)],
            # Every dialogue that loses its Inform loses its Success.
            {name: cost.inform for name, cost in costs.items()} if domain is None else None,
        ),
        cause_table(
            "slot not provided",
            {name: (of.provided, of.requested) for name, of in losses.items() if of.requested},
            "requested",
            [name for name in SLOT_CAUSES if cause in (None, name)],
            {name: cost.success for name, cost in costs.items()} if domain is None else None,
        ),
        _legend(losses, cause),
        "" if domain else wrapped("", _POINTS),
        "" if cause else rates_table(losses),
    ]
    return "\n\n".join(filter(None, tables))


def _legend(losses: Mapping[str, DomainLosses], cause: str | None) -> str:
    """Say what the causes that there are mean."""
    domains = [name for name in CAUSES if any(of.matched.get(name) for of in losses.values())]
    slots = [name for name in SLOT_CAUSES if any(of.provided.get(name) for of in losses.values())]
    words = {
        **{name: CAUSES[name].words for name in domains},
        **{name: SLOT_CAUSES[name].words for name in slots},
    }
    return "\n".join(
        wrapped(f"{name}: ", text.format(domain="the domain", turn="n", faults=""), indent=2)
        for name, text in words.items()
        if cause in (None, name)
    )


def cause_table(
    title: str,
    domains: Mapping[str, tuple[Mapping[str, int], int]],
    of_what: str,
    causes: Sequence[str],
    costs: Mapping[str, float] | None,
) -> str:
    """Show how often each cause applies in each domain, and how many points it costs.

    Args:
        title: What is counted.
        domains: Domain -> (cause -> count, out of how many).
        of_what: Out of what.
        causes: The causes to show.
        costs: Cause -> points lost by it over all domains; None to show none.
    """
    if not causes or not domains:
        return ""
    rows: list[list[Cell]] = []
    for name in causes:
        row = [counts[name] for counts, _ in domains.values()]
        cost = [] if costs is None else [figure(costs[name], 2)]
        rows.append([_folded(name), *row, sum(row), *cost])
    if len(causes) > 1:
        sums = [sum(counts[name] for name in causes) for counts, _ in domains.values()]
        cost = [] if costs is None else [figure(math.fsum(costs[name] for name in causes), 2)]
        rows.append(["all", *sums, sum(sums), *cost])
    of = [of for _, of in domains.values()]
    rows.append([f"of {of_what}", *of, sum(of), *([] if costs is None else [""])])
    return text_table([title, *domains, "all", *([] if costs is None else ["points"])], rows)


def rates_table(losses: Mapping[str, DomainLosses]) -> str:
    """Show what costs each domain its Success, and its rates."""
    rows: list[list[Cell]] = [
        [_folded(loss), *(of.success[loss] for of in losses.values())] for loss in SUCCESS_LOSSES
    ]
    rows.append(["of dialogues", *(of.dialogues for of in losses.values())])
    rows.append(["Inform (%)", *(figure(of.inform) for of in losses.values())])
    rows.append(["Success (%)", *(figure(of.succeeded) for of in losses.values())])
    return text_table(["Success lost", *losses], rows)


def _folded(name: str) -> str:
    """Return a name in lines that leave room for a column for each domain."""
    return textwrap.fill(name, _NAME)


def _slots_table(outcomes: Sequence[DialogueOutcome], domain: str | None, cause: str | None) -> str:
    """Show the slots and values that are wrong most often where states are to blame."""
    counted = [
        (slot, count)
        for slot, count in wrong_slots(outcomes, cause)
        if domain in (None, slot.domain)
    ]
    rows: list[list[Cell]] = [
        [
            f"{slot.domain}-{slot.slot}",
            "(open)" if slot.wanted is None else _cut(slot.wanted),
            "(missing)" if slot.found is None else _cut(slot.found),
            count,
        ]
        for slot, count in counted[:_SHOWN_SLOTS]
    ]
    headers = ["most often wrong in states", "goal", "state", "dialogues"]
    return text_table(headers, rows) if rows else ""


def _cut(value: str, width: int = 28) -> str:
    return value if len(value) <= width else f"{value[: width - 1]}…"


def _what_if_table(what_ifs: Sequence[WhatIf]) -> str:
    own = what_ifs[0]
    rows = [
        [
            way.name,
            figure(way.inform),
            "" if way is own else signed(way.inform - own.inform),
            figure(way.success),
            "" if way is own else signed(way.success - own.success),
        ]
        for way in what_ifs
    ]
    return text_table(["what if", "Inform", "", "Success", ""], rows)


def _first_dialogues(
    outcomes: Sequence[DialogueOutcome],
    domains: Collection[str],
    cause: str | None,
    limit: int,
) -> str:
    """Show the first dialogues of the causes that cost most."""
    if not limit:
        return ""
    told: dict[str, list[str]] = {name: [] for name in (*CAUSES, *SLOT_CAUSES)}
    for outcome in outcomes:
        for domain, diagnosis in outcome.domains.items():
            if domain in domains:
                if diagnosis.cause is not None:
                    words = cause_words(domain, diagnosis)
                    told[diagnosis.cause].append(f"{outcome.id}, {domain}: {words}")
                for slot, why in diagnosis.provided.items():
                    if why is not None:
                        told[why].append(f"{outcome.id}, {domain} {slot}")
    costs = points(outcomes)
    largest = sorted(filter(told.get, told), key=lambda name: -sum(costs[name]))[:_LARGEST]
    return "\n\n".join(
        "\n".join([f"{name}, first of {len(told[name])}", *listed(told[name][:limit])])
        for name in ([cause] if cause else largest)
        if told[name]
    )


def listed(lines: Sequence[str]) -> list[str]:
    """Return texts as items of a list."""
    return [wrapped("  ", line) for line in lines]


def wrapped(label: str, text: str, indent: int | None = None) -> str:
    """Return a text behind its label, in as many lines as it takes."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=label,
        subsequent_indent=" " * (len(label) + 2 if indent is None else indent),
        break_on_hyphens=False,
    )


# One dialogue.

_DOMAIN_SOURCES: Mapping[str, str] = {
    "predicted": "as predicted",
    "slots": "of the placeholders",
    "states": "by changes of the state",
    "gold": "of the gold annotation",
}


def dialogue_text(view: DialogueView) -> str:
    """Return one dialogue turn by turn, and at the end what came of its goal and why."""
    outcome = view.outcome
    played = len(view.turns)
    turns = f"{played} turns" if played == view.of_turns else f"{played} of {view.of_turns} turns"
    head = (
        f"dialogue {outcome.id}, {turns}: Inform {outcome.inform}, Success {outcome.success}\n"
        f"active domains: {_DOMAIN_SOURCES[view.domains]}; belief states: {view.states}"
    )
    goal = ["goal", *(goal_line(domain, goal) for domain, goal in view.goal.items())]
    outcomes = ["outcome", *(line for domain in view.goal for line in _outcome_lines(view, domain))]
    parts = [head, "\n".join(goal), *(_turn_text(turn, view) for turn in view.turns)]
    return "\n\n".join([*parts, "\n".join(outcomes)])


def goal_line(domain: str, goal: Goal) -> str:
    """Return what a user wants of a domain."""
    wishes = [f"{slot} {value}" for slot, value in goal.informable.items()] or ["anything"]
    asked = f"; asks for {', '.join(sorted(goal.requestable))}" if goal.requestable else ""
    booking = [f"{slot} {value}" for slot, value in goal.booking.items()]
    booked = f"; books {', '.join(booking)}" if booking else ""
    return labelled(domain, f"{', '.join(wishes)}{asked}{booked}")


def _turn_text(turn: TurnView, view: DialogueView) -> str:
    lines = [f"turn {turn.number}"]
    if turn.user is not None:
        lines.append(labelled("user", turn.user))
    lines += [
        labelled("response", turn.response or "(nothing)"),
        labelled("reference", turn.reference),
        labelled("active", _active(turn, view)),
        labelled("state", "; ".join(map(_changed, turn.changes)) or "as before"),
    ]
    if view.states != "gold":
        differences = "; ".join(map(_differs, turn.differences))
        lines.append(labelled("not as gold", differences) if differences else "")
    for domain, step in turn.steps.items():
        lines += [labelled(domain, told) for told in _step_lines(step, domain, turn, view)]
    return "\n".join(filter(None, lines))


def _active(turn: TurnView, view: DialogueView) -> str:
    active = ", ".join(turn.active_domains) or "none"
    if list(turn.active_domains) == list(turn.gold_domains):
        return active
    return f"{active} (gold: {', '.join(turn.gold_domains) or 'none'})"


def _changed(change: Change) -> str:
    name = slot_name(change.slot)
    if change.now is None:
        return f"- {name} {change.before}"
    if change.before is None:
        return f"+ {name} {change.now}"
    return f"{name} {change.before} -> {change.now}"


def _differs(change: Change) -> str:
    name = slot_name(change.slot)
    if change.now is None:
        return f"{name} {change.before} is missing"
    if change.before is None:
        return f"{name} {change.now} is not in gold"
    return f"{name} {change.now}, gold {change.before}"


def _step_lines(step: Step, domain: str, turn: TurnView, view: DialogueView) -> Iterator[str]:
    """Yield what a turn does for a goal domain, if anything."""
    if step.found is not None:
        asked = (
            f"the state holds nothing about {domain}: 0 venues"
            if step.query is None
            else f"query {_query(step.query)}: {_venues(len(step.found))}"
        )
        kept = "offered" if step.replaced else f"the {len(step.offered)} offered before are kept"
        yield f"named; {asked}, {kept}"
    elif step.named and not step.active:
        yield "named, but the domain is not active: nothing is looked up"
    requested = view.goal[domain].requestable
    provided = [slot for slot in step.provided if slot in requested]
    in_vain = [slot for slot in step.said if slot in requested and slot not in step.provided]
    if provided:
        yield f"provides {', '.join(provided)}"
    if in_vain:
        why = "the domain is not booked yet" if step.active else "the domain is not active"
        yield f"{', '.join(in_vain)} said, but {why}"


def _query(query: Mapping[str, str]) -> str:
    return ", ".join(f"{slot} {value}" for slot, value in query.items()) or "without constraints"


def _venues(count: int) -> str:
    return f"{count} venue{'' if count == 1 else 's'}"


def _outcome_lines(view: DialogueView, domain: str) -> Iterator[str]:
    diagnosis = view.outcome.domains[domain]
    if diagnosis.cause is None:
        yield labelled(domain, "matched")
    else:
        why = f"not matched, {diagnosis.cause}: {cause_words(domain, diagnosis)}"
        yield labelled(domain, why)
    for slot, cause in diagnosis.provided.items():
        told = (
            "provided"
            if cause is None
            else f"not provided, {cause}: {slot_cause_words(domain, cause)}"
        )
        yield labelled("", f"{slot} {told}")


def labelled(label: str, text: str) -> str:
    """Return a text behind a label, in as many lines as it takes."""
    return wrapped(f"  {label:<{_LABEL}}", text, indent=_LABEL + 2)
