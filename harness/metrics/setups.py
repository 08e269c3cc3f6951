"""The ways to compute Inform and Success, and the set-ups that have a name.

They differ between papers (table 3 of "Shades of BLEU, Flavours of Success", 2021). An entry of
`COMPARISONS`, `UPDATES`, `CREDITS` or `REFERENCES` is all that a further way takes, and a table of
`setups.toml` all that a further set-up does: options, reports, audits and documentation follow.

Belief states and active domains may come from the submission or from the benchmark; `STATE_SOURCES`
and `DOMAIN_SOURCES` are the ways.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, TypeAlias

from mwz.normalization import (
    BeliefState,
    DomainSlots,
    declared,
    digest_of_json,
    read_toml,
)

from .. import signature
from ..benchmark import CANONICAL_STYLE, REFERENCE, Benchmark, Dialogue
from ..errors import unknown
from ..submission import NormalizedSubmission

# Signatures tell the set-ups of figures apart by these.
MAIN_SETUP = signature.MAIN_SETUP
RANKED = signature.RANKED
BOTH = signature.BOTH
chosen_setups = signature.chosen_setups

Offer: TypeAlias = Any
"""The venues offered last, in the form that the comparison at hand keeps them in."""


@dataclass(frozen=True)
class VenueComparison:
    """How offers are kept and compared with the venues of the goal.

    Attributes:
        description: What it does, in a few words.
        offer: Next offer of the last one (None: nothing yet) and new query results.
        match: The probability (0 to 1) that an offer of at least one venue fits the goal's.
        random: Whether it draws at random, so that its rates are expectations.
    """

    description: str
    offer: Callable[[Offer, Set[str]], Offer]
    match: Callable[[Offer, Set[str]], float]
    random: bool = False


def _all_results(offered: Offer, results: Set[str]) -> Offer:
    return offered if offered and offered <= results else results


def _first_result(offered: Offer, results: Set[str]) -> Offer:
    if offered and offered <= results:
        return offered
    return dict.fromkeys(list(results)[:1]).keys()


def _drawn_result(offered: Offer, results: Set[str]) -> Offer:
    """Return venue -> probability of being the one drawn, redrawn where it is no result."""
    lasting = {venue: p for venue, p in (offered or {}).items() if venue in results}
    redrawn = 1 - math.fsum(lasting.values())
    return {venue: lasting.get(venue, 0.0) + redrawn / len(results) for venue in results}


COMPARISONS: Mapping[str, VenueComparison] = {
    "subset": VenueComparison(
        "every venue offered fits the goal",
        _all_results,
        lambda offered, goal: float(offered <= goal),
    ),
    "intersection": VenueComparison(
        "some venue offered fits the goal",
        _all_results,
        lambda offered, goal: float(not offered.isdisjoint(goal)),
    ),
    "first": VenueComparison(
        "the first venue found fits the goal",
        _first_result,
        lambda offered, goal: float(offered <= goal),
    ),
    "sampling": VenueComparison(
        "a venue drawn from those found fits the goal",
        _drawn_result,
        lambda offered, goal: min(1.0, math.fsum(p for v, p in offered.items() if v in goal)),
        random=True,
    ),
    "lasting": VenueComparison(
        "some venue offered fits the goal; results without a new venue leave the offer as it is",
        lambda offered, results: results if offered is None or not results <= offered else offered,
        lambda offered, goal: float(not offered.isdisjoint(goal)),
    ),
}
"""Ways to compare offered with goal venues."""


UPDATES: Mapping[str, Callable[[bool, bool, bool, bool], bool]] = {
    # Where a venue is named in an active domain.
    "name": lambda active, named, reference, last: active and named,
    # There, and where a reference number is given.
    "reference": lambda active, named, reference, last: active and (named or reference),
    # At the end, from the last state, named or not.
    "end": lambda active, named, reference, last: last,
    # Where any of the others does; part of no combination.
    "any": cache(lambda *facts: any(due(*facts) for way, due in UPDATES.items() if way != "any")),
}
"""Whether the offered venues are looked up anew in a turn, by four facts: whether the domain is
active, whether the response speaks of one of its venues (a train's id), whether it has a reference
number, and whether it is the last turn played."""


def _slots_or_id(played: PlayedDialogue, domain: str, turn: int) -> tuple[str, ...]:
    slots = played.domain_slots[turn].get(domain, ())
    return (*slots, "NAME") if "TRAINID" in played.responses[turn] else slots


CREDITS: Mapping[str, Callable[[PlayedDialogue, str, int], tuple[bool, str | tuple[str, ...]]]] = {
    # A turn counts for the domains that are active in it.
    "active": lambda played, domain, turn: (
        domain in played.active_domains[turn],
        played.responses[turn],
    ),
    # A turn counts for every domain of the goal.
    "goal": lambda played, domain, turn: (True, played.responses[turn]),
    # A placeholder counts for the domain that it names, as `[hotel_name]` does.
    "prefix": lambda played, domain, turn: (True, played.domain_slots[turn].get(domain, ())),
    # So it does, and a train id also names a venue of every other domain.
    "prefix or id": lambda played, domain, turn: (True, _slots_or_id(played, domain, turn)),
}
"""What counts for a domain of the goal: whether a turn does, and in what its ontology names are
looked for: the response, or the slots of placeholders."""


REFERENCES: Mapping[str, tuple[str, Callable[[Dialogue, str, int], bool]]] = {
    "booked": (
        "once the annotation has the domain booked",
        lambda gold, domain, turn: domain in gold.booked_domains[turn],
    ),
    "told": (
        "also where the gold response of the turn tells a reference number",
        lambda gold, domain, turn: (
            domain in gold.booked_domains[turn]
            or REFERENCE in gold.references[CANONICAL_STYLE][turn]
        ),
    ),
    "always": ("booked or not", lambda gold, domain, turn: True),
}
"""In which turns a reference number counts as provided: name -> the turns in a few words, and
whether it counts, of the gold dialogue, the domain asked about and the turn. It is only known once
the annotation says so: how a booking ends is not the system's to decide. Not every script cares."""


@dataclass(frozen=True)
class Setup:
    """A way to compute Inform and Success.

    Attributes:
        comparison: A key of `COMPARISONS`.
        updates: A key of `UPDATES`.
        reduced_search: Whether a state with a venue's name (train: id) queries by that alone.
        references: A key of `REFERENCES`.
        first_turn: Whether a dialogue's first turn counts.
        credits: A key of `CREDITS`.
        empty_replaces: Whether a search that finds nothing takes the place of an offer.
        every_domain: Whether a state that lacks the domain asks for any venue, and not for none: in
            MultiWOZ 2.0 and 2.1 states have every domain.
        id_provided: Whether a train's id counts as provided.
        unbooked_train: Whether a train that is never offered is matched where neither its id nor a
            reference number is requested.
    """

    comparison: str = "subset"
    updates: str = "name"
    reduced_search: bool = False
    references: str = "booked"
    first_turn: bool = True
    credits: str = "active"
    empty_replaces: bool = True
    every_domain: bool = False
    id_provided: bool = True
    unbooked_train: bool = True


@dataclass(frozen=True)
class NamedSetup:
    """A set-up that options, reports and audits know by its name.

    Attributes:
        description: What is particular about it, in a sentence.
        source: Where it is from.
        setup: How Inform and Success are computed.
        domains: The source of active domains; None for the submission's own.
        states: The source of belief states; None for the submission's own.
    """

    description: str
    source: str
    setup: Setup = Setup()
    domains: str | None = None
    states: str | None = None


# ---------------------------------------------------- sources of domains and states


def domains_from_states(states: Sequence[BeliefState]) -> list[list[str]]:
    """Estimate a dialogue's active domains from the changes of its belief states.

    Args:
        states: Normalised states, one per system turn.

    Returns:
        Per turn, the current domain, or nothing before any domain has come up.
    """
    current: str | None = None
    last_state: BeliefState = {}
    last_changed: list[str] = []
    active: list[list[str]] = []
    for state in states:
        changed = []
        # Most are as they were, which is quick to see.
        if state is not last_state:
            for domain, slots in state.items():
                if not slots.items() <= last_state.get(domain, {}).items():
                    changed.append(domain)
        if not changed and current is None:
            active.append([])
            continue
        if not changed and len(last_changed) > 1:
            others = [domain for domain in last_changed if domain in state and domain != current]
            current = others[0] if others else current
        elif changed and current not in changed:
            current = max(changed, key=lambda domain: len(state[domain]))
        last_state, last_changed = state, changed
        active.append([] if current is None else [current])
    return active


Domains: TypeAlias = "Sequence[Collection[str]]"
"""The active domains of each turn."""


@dataclass(frozen=True)
class PlayedDialogue:
    """A dialogue as a system played it. Per-turn fields have one entry per system turn played.

    Attributes:
        id: The dialogue's id.
        gold: The benchmark's dialogue.
        responses: Normalised responses.
        states: The belief states that query the database, normalised.
        active_domains: Active domains.
        domain_slots: What the placeholders that name their domain hold, as in a normalised
            submission.
    """

    id: str
    gold: Dialogue
    responses: Sequence[str]
    states: Sequence[BeliefState]
    active_domains: Domains
    domain_slots: Sequence[DomainSlots] = ()


STATE_SOURCES: Mapping[
    str, Callable[[NormalizedSubmission, str, Dialogue], Sequence[BeliefState]]
] = {
    "predicted": lambda submission, id_, gold: submission.states[id_],
    "gold": lambda submission, id_, gold: gold.states[: len(submission.dialogues[id_])],
    "goal": lambda submission, id_, gold: (
        len(submission.dialogues[id_])
        * [{domain: goal.informable for domain, goal in gold.goal.items()}]
    ),
}
"""Where the belief states that query the database come from; the goal only in named set-ups."""

DOMAIN_SOURCES: Mapping[
    str, Callable[[NormalizedSubmission, str, Dialogue, Sequence[BeliefState]], Domains]
] = {
    "predicted": lambda submission, id_, gold, states: [
        domains or () for domains in submission.dialogues[id_].active_domains
    ],
    "slots": lambda submission, id_, gold, states: submission.dialogues[id_].domain_slots,
    "states": lambda submission, id_, gold, states: domains_from_states(states),
    "gold": lambda submission, id_, gold, states: gold.gold_domains[: len(states)],
}
"""Where active domains come from: the submission, the domains that its placeholders name, changes
of the belief states used, or the gold annotation."""


_TABLES = read_toml("setups.toml", __package__)


def _checked(table: object) -> NamedSetup:
    """Return the set-up of a table of another package.

    Raises:
        ValueError: The table is none, or has another value than there are ways.
    """
    # Imports pydantic late: it takes 0.1 s, and only set-ups of packages are checked.
    from mwz.normalization import typed

    named = typed(NamedSetup, table)
    ways: Mapping[str, Collection[str]] = {
        "comparison": COMPARISONS,
        "updates": UPDATES,
        "references": REFERENCES,
        "credits": CREDITS,
    }
    for field, choices in ways.items():
        value = getattr(named.setup, field)
        if value not in choices:
            raise ValueError(f"setup: {unknown(field, value, choices)}")
    sources: Mapping[str, Collection[str]] = {"domains": DOMAIN_SOURCES, "states": STATE_SOURCES}
    for field, choices in sources.items():
        value = getattr(named, field)
        if value is not None and value not in choices:
            raise ValueError(f"content: {unknown(field, value, choices)}")
    return named


_DECLARED = declared("setups", _checked, _TABLES)

SETUPS: Mapping[str, NamedSetup] = {
    **{
        name: NamedSetup(**{**table, "setup": Setup(**table.get("setup", {}))})
        for name, table in _TABLES.items()
    },
    **_DECLARED,
}
"""Name -> set-up: the two of the re-evaluation, those of other published scripts, and those of
other packages."""

SETUP_DIGESTS: Mapping[str, str] = {
    name: digest_of_json(asdict(named)) for name, named in _DECLARED.items()
}
"""Name -> digest, of the set-ups of other packages: what they are, their names do not tell."""


def play(
    submission: NormalizedSubmission, benchmark: Benchmark, states: str, domains: str
) -> list[PlayedDialogue]:
    """Return the submission's dialogues as Inform and Success look at them.

    Args:
        submission: The submission.
        benchmark: The benchmark that it is scored on.
        states: A key of `STATE_SOURCES`.
        domains: A key of `DOMAIN_SOURCES`.
    """
    played = []
    for id_, responses in submission.responses.items():
        gold = benchmark.dialogues[id_]
        believed = STATE_SOURCES[states](submission, id_, gold)
        played.append(
            PlayedDialogue(
                id=id_,
                gold=gold,
                responses=responses,
                states=believed,
                active_domains=DOMAIN_SOURCES[domains](submission, id_, gold, believed),
                domain_slots=submission.dialogues[id_].domain_slots,
            )
        )
    return played
