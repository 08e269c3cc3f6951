"""Rewritings: predictions as another person would write them, or damaged as files often are.

A rewriting is given predictions in the standard form, and gold in the same form, and returns what a
file holds: what `json.dumps` writes, or bytes. Both are left as they were, and nothing is drawn by
chance. Of every rewriting the same is asked: the scores stay, or the user is told. Of those that
the documentation allows more is asked: the scores stay, and nobody is warned.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from mwz.normalization import normalize_state, rule_set

from .files import FIELDS, GOLD_RESPONSES, GOLD_STATES
from .notations import NOTATIONS, SLOTS
from .parts import BLEU, INFORM, JGA, SUCCESS, Family, Kind, Outputs, State, Turn, states
from .responses import RESPONSES
from .turns import DOMAINS, MISSING, RESPONSES_OF_TURNS, STATES_OF_TURNS, TURNS
from .values import ANY, NOTHING, VALUES

__all__ = [
    "BLEU",
    "FAMILIES",
    "INFORM",
    "JGA",
    "SUCCESS",
    "Family",
    "Kind",
    "Outputs",
    "Turn",
    "kinds",
    "normal_state",
]


_RULES = rule_set("2021")


def _as_given(predictions: Outputs, gold: Outputs) -> Outputs:
    return predictions


def _with_domains(predictions: Outputs, gold: Outputs) -> Outputs:
    """Return predictions with the active domains of gold."""
    added = {}
    for id_, dialogue in predictions.items():
        pairs = zip(dialogue, gold[id_], strict=False)
        added[id_] = [{**t, "active_domains": right["active_domains"]} for t, right in pairs]
    return added


def normal_state(state: State) -> State:
    """Return a state as a tracker's file has it: normalised, slots of bookings by the bare name."""
    normal = normalize_state(state, _RULES)
    bare: dict[str, dict[str, str]] = {}
    for domain, of_domain in normal.items():
        bare[domain] = {slot.removeprefix("book"): value for slot, value in of_domain.items()}
    return bare


def _with_normal_states(predictions: Outputs, gold: Outputs) -> Outputs:
    """Return predictions with states written like gold: a file's own gold is compared as it is."""
    rewritten: Outputs = states(normal_state)(predictions, gold)
    return rewritten


FAMILIES: Mapping[str, Family] = {
    "values": Family(VALUES, (INFORM, SUCCESS, JGA), _as_given),
    "any": Family(ANY, (INFORM, SUCCESS, JGA), _as_given),
    "nothing": Family(NOTHING, (INFORM, SUCCESS, JGA), _as_given),
    "slots": Family(SLOTS, (INFORM, SUCCESS, JGA), _as_given),
    "notations": Family(NOTATIONS, (INFORM, SUCCESS, JGA), _as_given),
    "states of turns": Family(STATES_OF_TURNS, (INFORM, SUCCESS, JGA), _as_given),
    "responses of turns": Family(RESPONSES_OF_TURNS, (INFORM, SUCCESS, BLEU), _as_given),
    "turns": Family(TURNS, (INFORM, SUCCESS, BLEU, JGA), _as_given),
    # How many turns there are is part of what `mwz dst` shows.
    "missing": Family(MISSING, (INFORM, SUCCESS, BLEU), _as_given),
    "responses": Family(RESPONSES, (INFORM, SUCCESS, BLEU), _as_given),
    "domains": Family(DOMAINS, (INFORM, SUCCESS), _with_domains),
    "gold states": Family(GOLD_STATES, (INFORM, SUCCESS, JGA), _with_normal_states),
    "gold responses": Family(GOLD_RESPONSES, (INFORM, SUCCESS, BLEU), _as_given),
    "fields": Family(FIELDS, (INFORM, SUCCESS, BLEU, JGA), _as_given),
}
"""What kinds rewrite -> the kinds."""


@cache
def kinds() -> Mapping[str, tuple[Family, Kind]]:
    """Return the kinds by name, `FAMILY: KIND`, each with its family."""
    named: dict[str, tuple[Family, Kind]] = {}
    for name, family in FAMILIES.items():
        for kind in family.kinds:
            named[f"{name}: {kind.name}"] = (family, kind)
    return named
