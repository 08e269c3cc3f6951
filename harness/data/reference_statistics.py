"""What the styles of delexicalising make of the references, and what a benchmark's goals hold.

Source: "Shades of BLEU, Flavours of Success" (2021), sections 4.1 and 4.6.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from mwz.normalization.rules import DEFAULT_RULES, rule_set

from ..benchmark import STYLES, Benchmark
from ..io.tables import Table, figure


def slotted_turns(benchmark: Benchmark) -> list[tuple[str, ...]]:
    """Return the references, one of each style, of the turns that have a slot in any of them."""
    names = sorted(set(rule_set(DEFAULT_RULES).ontology.values()))
    slot = re.compile(rf"\b(?:{'|'.join(names)})\b")
    return [
        turn
        for dialogue in benchmark.dialogues.values()
        for turn in zip(*(dialogue.references[style] for style in STYLES), strict=True)
        if any(map(slot.search, turn))
    ]


def statistics_tables(benchmark: Benchmark) -> list[Table]:
    """Return tables of what a benchmark holds, and of how far its reference styles agree."""
    turns = slotted_turns(benchmark)
    return [_contents(benchmark, turns), _agreement(turns)]


def _contents(benchmark: Benchmark, turns: Sequence[tuple[str, ...]]) -> Table:
    dialogues = benchmark.dialogues
    seen = None if benchmark.seen is None else len(benchmark.seen)
    triplets = {
        (domain, slot, value)
        for dialogue in dialogues.values()
        for state in dialogue.states
        for domain, slots in state.items()
        for slot, value in slots.items()
    }
    identical = sum(len(set(turn)) == 1 for turn in turns)
    different = sum(len(set(turn)) == len(STYLES) for turn in turns)
    # What is counted, of how many; None where there is no whole.
    counts: list[tuple[str, int | None, int | None]] = [
        ("dialogues", len(dialogues), None),
        ("with a goal that occurs in train or dev", seen, len(dialogues)),
        ("with one that does not", None if seen is None else len(dialogues) - seen, len(dialogues)),
        ("domain-slot-value triplets in gold states", len(triplets), None),
        ("system turns", benchmark.turns, None),
        ("with a slot in some reference style", len(turns), benchmark.turns),
        ("of these, identical in all styles", identical, len(turns)),
        ("of these, different in any two styles", different, len(turns)),
    ]
    shares = [None if not whole or n is None else 100 * n / whole for _, n, whole in counts]
    how = "`mwz data fetch --split all` or `mwz data import` of whole clones"
    unknown = f"the train and dev goals are not known: {how} compares them"
    return Table(
        "benchmark",
        f"Benchmark {benchmark.name}",
        ["", "number", "percent"],
        [
            [what, "–" if number is None else str(number), "" if own is None else figure(own, 2)]
            for (what, number, _), own in zip(counts, shares, strict=True)
        ],
        [
            {"what": what, "number": number, "percent": own}
            for (what, number, _), own in zip(counts, shares, strict=True)
        ],
        [unknown] if seen is None else [],
    )


def _agreement(turns: Sequence[tuple[str, ...]]) -> Table:
    """Return of how many turns with a slot two styles have the same reference, in percent."""
    shares = {
        style: [
            100 * sum(turn[i] == turn[j] for turn in turns) / max(1, len(turns))
            for j in range(len(STYLES))
        ]
        for i, style in enumerate(STYLES)
    }
    rows = [[style, *(figure(own, 2) for own in shares[style])] for style in STYLES]
    data = [{"style": s, **dict(zip(STYLES, shares[s], strict=True))} for s in STYLES]
    title = "Identical references of two styles, in percent of the turns with a slot"
    return Table("styles", title, ["", *STYLES], rows, data)
