"""Rewritings: predictions as another person would write them, or damaged as files often are.

A rewriting is given predictions in the standard form, and gold in the same form, and returns what a
file holds: what `json.dumps` writes, or bytes. Both are left as they were, and nothing is drawn by
chance. Of every rewriting the same is asked: the scores stay, or the user is told. Of those that
the documentation allows more is asked: the scores stay, and nobody is warned.
"""

from __future__ import annotations

from collections.abc import Mapping

from .files import FIELDS
from .notations import NOTATIONS, SLOTS
from .parts import BLEU, INFORM, JGA, SUCCESS, Family, Kind, Outputs, State, Turn
from .responses import RESPONSES
from .turns import DOMAINS, MISSING, RESPONSES_OF_TURNS, STATES_OF_TURNS, TURNS
from .values import ANY, NOTHING, VALUES

__all__ = [
    "BLEU",
    "FAMILIES",
    "INFORM",
    "JGA",
    "KINDS",
    "SUCCESS",
    "Family",
    "Kind",
    "Outputs",
    "State",
    "Turn",
]


def _as_given(predictions: Outputs, gold: Outputs) -> Outputs:
    return predictions


def _with_domains(predictions: Outputs, gold: Outputs) -> Outputs:
    """Return predictions with the active domains of gold."""
    added = {}
    for id_, dialogue in predictions.items():
        pairs = zip(dialogue, gold[id_], strict=False)
        added[id_] = [{**t, "active_domains": right["active_domains"]} for t, right in pairs]
    return added


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
    "fields": Family(FIELDS, (INFORM, SUCCESS, BLEU, JGA), _as_given),
}
"""What kinds rewrite -> the kinds."""


KINDS: Mapping[str, tuple[Family, Kind]] = {
    f"{name}: {kind.name}": (family, kind)
    for name, family in FAMILIES.items()
    for kind in family.kinds
}
"""The kinds by name, `FAMILY: KIND`, each with its family."""
