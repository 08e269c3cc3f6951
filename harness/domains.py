"""Active domains: what domain a system turn is about, by whichever source.

Source: "Shades of BLEU, Flavours of Success" (2021), section 5.1, and its published evaluator;
the gold ones follow DAMD's code, as the paper says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mwz.normalization.states import BeliefState

_NO_DOMAIN = ("general", "booking")


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
        changed = [
            domain
            for domain, slots in state.items()
            if _has_more(slots, last_state.get(domain, {}))
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


def _has_more(slots: Mapping[str, str], before: Mapping[str, str]) -> bool:
    """Whether some slot is new, or has another value."""
    # Most states are as they were, which is the quicker to see.
    return slots != before and not slots.items() <= before.items()


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
