"""A submission on a benchmark: what it says, believes and talks about, turn by turn.

Belief states and active domains may come from the submission or from the benchmark; `STATE_SOURCES`
and `DOMAIN_SOURCES` are the ways.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mwz.normalization import BeliefState

from ..benchmark import Benchmark, Dialogue
from ..submission import NormalizedSubmission

_NO_DOMAIN = ("general", "booking")
_NOTHING: Mapping[str, str] = {}


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
        # Most are as they were, which is quick to see.
        changed = [
            domain
            for domain, slots in (() if state is last_state else state.items())
            if (before := last_state.get(domain, _NOTHING)) is not slots
            and not slots.items() <= before.items()
        ]
        if not changed and current is None:
            active.append([])
            continue
        if not changed and len(last_changed) > 1:
            others = [d for d in last_changed if d in state and d != current]
            current = others[0] if others else current
        elif changed and current not in changed:
            current = max(changed, key=lambda domain: len(state[domain]))
        last_state, last_changed = state, changed
        active.append([] if current is None else [current])
    return active


def gold_active_domains(
    states: Sequence[BeliefState], acts: Sequence[Sequence[str]]
) -> list[list[str]]:
    """Infer a dialogue's gold active domains from its gold states and the system's acts.

    Args:
        states: Gold states, one per system turn.
        acts: Names of the system's acts ("Hotel-Inform"), one list per system turn.
    """
    active: list[list[str]] = []
    last_state: Mapping[str, Mapping[str, str]] = {}
    last: list[str] = []
    for state, names in zip(states, acts, strict=True):
        domains = [d for d, slots in state.items() if slots != last_state.get(d)]
        for domain in _act_domains(names):
            if domain not in domains:
                domains.append(domain)
        domains = domains or last
        if len(domains) == 2 and "general" in domains:
            domains = [domain for domain in domains if domain != "general"]
        active.append(domains)
        last_state, last = state, domains
    return active


def _act_domains(names: Sequence[str]) -> list[str]:
    """Return the domains of acts, in order; what is no domain only if there is nothing else."""
    domains = list(dict.fromkeys(name.split("-")[0].lower() for name in names))
    for domain in _NO_DOMAIN:
        if len(domains) > 1 and domain in domains:
            domains.remove(domain)
    return [domain for domain in domains if domain != "booking"]


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
    """

    id: str
    gold: Dialogue
    responses: Sequence[str]
    states: Sequence[BeliefState]
    active_domains: Domains


STATE_SOURCES: Mapping[
    str, Callable[[NormalizedSubmission, str, Dialogue], Sequence[BeliefState]]
] = {
    "predicted": lambda submission, id_, gold: submission.states[id_],
    "gold": lambda submission, id_, gold: gold.states[: len(submission.dialogues[id_])],
}
"""Where the belief states that query the database come from."""

DOMAIN_SOURCES: Mapping[
    str, Callable[[NormalizedSubmission, str, Dialogue, Sequence[BeliefState]], Domains]
] = {
    "predicted": lambda submission, id_, gold, states: [
        domains or () for domains in submission.dialogues[id_].active_domains
    ],
    "slots": lambda submission, id_, gold, states: submission.dialogues[id_].placeholder_domains,
    "states": lambda submission, id_, gold, states: domains_from_states(states),
    "gold": lambda submission, id_, gold, states: gold.gold_domains[: len(states)],
}
"""Where active domains come from: the submission, the domains that its placeholders name, changes
of the belief states used, or the gold annotation."""


def play(
    submission: NormalizedSubmission, benchmark: Benchmark, states: str, domains: str
) -> list[PlayedDialogue]:
    """Return the submission's dialogues as Inform and Success look at them.

    Args:
        submission: What the system put out.
        benchmark: What it is held against.
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
            )
        )
    return played
