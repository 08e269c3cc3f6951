"""Fingerprints of the pinned benchmark, to tell turn by turn where an installed one differs.

The leaderboard is scored on one benchmark. Whoever builds it from other copies of the public files
may get another content hash, which says that something differs, and not what. `sets/NAME.json`
holds a few digits of a digest for each turn and each thing that scores depend on, and the domains
of each goal; it holds no text of the data set. Belief states are compared as sets of slots: their
order is left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from mwz.normalization.registry import digest_of_json, folder_of
from mwz.normalization.rules import DEFAULT_RULES, rule_set
from mwz.normalization.states import without_empty_domains

from ..benchmark import Benchmark, Dialogue

_SHOWN = 20
"""How many differences are listed where not all are."""

_DIGITS = 4
"""Hexadecimal digits of a turn's digest: one difference in 65536 goes unseen."""

GOLD_DOMAINS = "gold active domains"
GOAL = "goal"

PARTS: Mapping[str, Callable[[Dialogue], Sequence[Any]]] = {
    "gold state": lambda dialogue: [without_empty_domains(state) for state in dialogue.states],
    "references": lambda dialogue: list(zip(*dialogue.references.values(), strict=True)),
    GOLD_DOMAINS: lambda dialogue: [sorted(set(d)) for d in dialogue.gold_domains],
    "booked domains": lambda dialogue: [sorted(set(d)) for d in dialogue.booked_domains],
    GOAL: lambda dialogue: [dialogue.scored_data()["goal"]],
}
"""What is compared of a dialogue: its name -> one value per system turn, or one of the whole."""

Difference: TypeAlias = tuple[str, str]
"""Where a benchmark differs from the pinned one (a dialogue, or a turn of it), and in what: a key
of `PARTS`, or that the dialogue or the venues are others."""


def fingerprints(benchmark: Benchmark) -> dict[str, Any]:
    """Return the fingerprints of a benchmark as JSON types, as they are kept."""
    return {
        "parts": list(PARTS),
        "dialogues": {
            id_: [_fingerprint(part(dialogue)) for part in PARTS.values()]
            for id_, dialogue in benchmark.dialogues.items()
        },
        "domains": [" ".join(dialogue.goal) for dialogue in benchmark.dialogues.values()],
        "venues": {
            domain: digest_of_json(records)
            for domain, records in benchmark.venue_records(rule_set(DEFAULT_RULES)).items()
        },
    }


def _fingerprint(values: Sequence[Any]) -> str:
    return "".join(digest_of_json(value)[:_DIGITS] for value in values)


def differences(benchmark: Benchmark) -> list[Difference] | None:
    """Return where a benchmark differs from the pinned one of its name; None if none is pinned."""
    pinned = pinned_fingerprints(benchmark.name)
    return None if pinned is None else list(_compared(pinned, fingerprints(benchmark)))


def comparison_text(differing: Sequence[Difference] | None, every: bool) -> str:
    """Return how a benchmark compares with the pinned one, to follow what is said of it.

    Args:
        differing: The differences; None where no benchmark of its name is pinned.
        every: Whether to list all of them, and not only the first.
    """
    if differing is None:
        return ""
    if not differing:
        return ", equal to the pinned one: scores compare with the leaderboard's"
    counts = Counter(part for _, part in differing)
    parts = ", ".join(f"{part} {count}×" for part, count in counts.items())
    if [*counts] == [GOLD_DOMAINS]:
        parts += "; `mwz data import … --mintl DIR` adds those of DAMD, which the leaderboard uses"
    listed = differing if every else differing[:_SHOWN]
    more = len(differing) - len(listed)
    lines = [
        "; it differs from the pinned one, and so may scores",
        f"differences: {parts}",
        *(f"  {place}: {part}" for place, part in listed),
        *([f"  … and {more} more; --all lists them"] if more else []),
    ]
    return "\n".join(lines)


def pinned_fingerprints(name: str) -> Mapping[str, Any] | None:
    """Return the fingerprints that are kept of a benchmark; None if there are none."""
    file = folder_of(__package__) / "sets" / f"{name}.json"
    return json.loads(file.read_bytes()) if file.is_file() else None


def _compared(pinned: Mapping[str, Any], own: Mapping[str, Any]) -> Iterator[Difference]:
    for id_ in dict.fromkeys([*pinned["dialogues"], *own["dialogues"]]):
        theirs, ours = pinned["dialogues"].get(id_), own["dialogues"].get(id_)
        if theirs is None or ours is None:
            yield f"dialogue {id_}", "missing" if ours is None else "not in the pinned"
            continue
        for part, one, other in zip(pinned["parts"], theirs, ours, strict=True):
            yield from _turns(id_, part, one, other)
    for domain in dict.fromkeys([*pinned["venues"], *own["venues"]]):
        if pinned["venues"].get(domain) != own["venues"].get(domain):
            yield f"domain {domain}", "venues"


def _turns(id_: str, part: str, one: str, other: str) -> Iterator[Difference]:
    """Yield the turns whose digests differ."""
    if len(one) != len(other):
        yield f"dialogue {id_}", f"{part}: another number of turns"
        return
    for turn, start in enumerate(range(0, len(one), _DIGITS)):
        if one[start : start + _DIGITS] != other[start : start + _DIGITS]:
            yield f"dialogue {id_}" + ("" if part == GOAL else f", turn {turn}"), part
