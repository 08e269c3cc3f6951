"""The three submissions: what each system answers and which state and domains it predicts.

`careful` answers with its hand-written sentences and nearly right states; `scripted` is a policy
without states of its own, and `hasty` a curt system that gets things wrong. What the latter two
say, and how often what goes wrong, is written in `systems.toml`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from annotation import RULES, AnnotatedTurn

from mwz.normalization.states import normalize_slot_name

OutputTurn: TypeAlias = dict[str, Any]

_NAMED = ("name", "trainid")
_BOOKABLE = ("restaurant", "hotel")


def careful(
    id_: str, turns: Sequence[AnnotatedTurn], tables: Mapping[str, Any]
) -> list[OutputTurn]:
    """Return the outputs of the strong system: its own sentences, states with few gaps."""
    missed = tables["mistakes"]["careful"]["missed_slot"]
    return [
        {
            "response": turn.careful,
            "state": {
                domain: {
                    slot: value
                    for slot, value in slots.items()
                    if not _one_in(missed, "careful", id_, domain, slot, value)
                }
                for domain, slots in turn.state.items()
            },
        }
        for turn in turns
    ]


def scripted(
    id_: str, turns: Sequence[AnnotatedTurn], tables: Mapping[str, Any]
) -> list[OutputTurn]:
    """Return the outputs of the policy: sentences by rule, no states."""
    return [
        {"response": " ".join(_sentences(turn, turn is turns[-1], tables, tables["scripted"]))}
        for turn in turns
    ]


def hasty(id_: str, turns: Sequence[AnnotatedTurn], tables: Mapping[str, Any]) -> list[OutputTurn]:
    """Return the outputs of the weak system: curt sentences, wrong states and domains."""
    mistakes = tables["mistakes"]["hasty"]
    outputs = []
    for number, turn in enumerate(turns):
        sentences = list(_sentences(turn, turn is turns[-1], tables, tables["hasty"]))
        kept = [
            sentence
            for sentence in sentences
            if not _one_in(mistakes["forgotten_sentence"], "say", id_, str(number), sentence)
        ]
        wrong_domain = _one_in(mistakes["wrong_domain"], "domain", id_, str(number))
        outputs.append(
            {
                "response": " ".join(kept) or tables["hasty"]["more"],
                "state": _hasty_state(id_, turn, tables),
                "active_domains": _domains(turns[: number if wrong_domain else number + 1]),
            }
        )
    return outputs


SYSTEMS = {"careful": careful, "hasty": hasty, "scripted": scripted}


def _sentences(
    turn: AnnotatedTurn, is_last: bool, tables: Mapping[str, Any], voice: Mapping[str, Any]
) -> Iterator[str]:
    """Yield what a system says in its voice (a table of `systems.toml`)."""
    refused = turn.system.refused
    told = [] if refused else list(_told(turn, tables["kinds"], voice))
    asked = [voice["ask"][slot] for _, slot in turn.system.requested]
    if refused:
        yield voice["refuse"]
    yield from told[: voice["sentences"]]
    yield from asked[: voice["sentences"]]
    if refused or asked:
        return
    if not told:
        yield voice["bye"] if is_last else voice["more"]
        return
    slots = {(span.domain in _BOOKABLE, span.slot) for span in turn.system.spans}
    if (True, "name") in slots and (True, "ref") not in slots:
        yield voice["offer_booking"]
    elif any(slot == "ref" for _, slot in slots):
        yield voice["more"]


def _told(turn: AnnotatedTurn, kinds: Mapping[str, str], voice: Mapping[str, Any]) -> Iterator[str]:
    for domain in dict.fromkeys(span.domain for span in turn.system.spans):
        left = {span.slot for span in turn.system.spans if span.domain == domain}
        for rule in voice["tell"]:
            if domain in rule.get("domains", (domain,)) and left.issuperset(rule["slots"]):
                left -= set(rule["slots"])
                yield rule["say"].format(domain=domain, kind=kinds[domain])


def _hasty_state(
    id_: str, turn: AnnotatedTurn, tables: Mapping[str, Any]
) -> dict[str, dict[str, str]]:
    """Return the user's own words as state, some missed, some replaced by a wrong value."""
    rates = tables["mistakes"]["hasty"]
    wrong_values = tables["mistakes"]["wrong_values"]
    state: dict[str, dict[str, str]] = {}
    for domain, slots in turn.words.items():
        state[domain] = {}
        for slot, words in slots.items():
            key = (id_, domain, slot, words)
            if _one_in(rates["missed_slot"], "miss", *key):
                continue
            if slot in wrong_values and _one_in(rates["wrong_slot"], "wrong", *key):
                state[domain][slot] = wrong_values[slot]
            elif words in tables["hasty"]["pointers"]:
                state[domain][slot] = turn.state[domain][normalize_slot_name(slot, RULES)]
            else:
                state[domain][slot] = words
    return state


def _domains(turns: Sequence[AnnotatedTurn]) -> list[str]:
    """Return the domain that was talked about last."""
    for turn in reversed(turns):
        for span in (*turn.system.spans, *turn.user.spans):
            return [span.domain]
        for domain, _ in turn.system.requested:
            return [domain]
    return []


def _one_in(count: int, *key: str) -> bool:
    """Decide by a checksum whether something happens that happens once in so many times."""
    return zlib.crc32(" ".join(key).encode()) % count == 0
