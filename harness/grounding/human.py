"""The ceiling: what the human responses get, beside which every grounded score is shown.

The database does not have everything that people told, and no delexicaliser finds everything: what
people get is what can be had. The human responses are rated dialogue by dialogue, so that any
choice of dialogues has its ceiling from there; an installed benchmark keeps the ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import TypeAlias

from mwz.normalization.rules import RuleSet

from ..benchmark import Benchmark, Dialogue
from ..scoring import derived
from ..submission.plain_responses import has_human_responses
from .delexicalising import delexicaliser
from .faithfulness import Faithfulness
from .grounded import ground
from .rating import GroundedFigures, Rating, grounded_figures, rating

BOOKED, FREE = "booked", "free"
"""When a reference number counts: once the domain is booked; or in any turn about the domain, as in
free-running dialogues."""

HumanRatings: TypeAlias = Mapping[str, Mapping[str, Rating]]
"""`BOOKED` or `FREE` -> dialogue id -> how the human responses went."""


@lru_cache(maxsize=8)
def human_ratings(benchmark: Benchmark, rules: RuleSet) -> HumanRatings | None:
    """Return how the human responses of a benchmark went; None if it has none."""
    if not benchmark.dialogues or not has_human_responses(benchmark):
        return None

    def made() -> dict[str, dict[str, dict[str, object]]]:
        return {
            when: {
                id_: asdict(rated_human(dialogue, dialogue.turns, benchmark, rules, when))
                for id_, dialogue in benchmark.dialogues.items()
            }
            for when in (BOOKED, FREE)
        }

    kept = derived.kept(benchmark, f"human-{rules.digest[:16]}-{rules.venues}", made)
    return {
        when: {
            id_: Rating(one["won"], Faithfulness(**one["faithfulness"]))
            for id_, one in ratings.items()
        }
        for when, ratings in kept.items()
    }


def rated_human(
    dialogue: Dialogue, turns: int, benchmark: Benchmark, rules: RuleSet, when: str
) -> Rating:
    """Rate the human responses of a dialogue's first turns.

    Args:
        dialogue: The dialogue.
        turns: How many of its turns.
        benchmark: The benchmark, whose venues responses may name.
        rules: The rule set.
        when: `BOOKED` or `FREE`.
    """
    plain = delexicaliser(benchmark, rules)
    return rating(
        ground(
            [plain(text) for text in dialogue.responses[:turns]],
            dialogue.goal,
            derived.database(benchmark, rules),
            plain.gazetteer,
            dialogue.booked_domains if when == BOOKED else None,
        )
    )


def ceiling(
    benchmark: Benchmark,
    rules: RuleSet,
    dialogues: Iterable[tuple[str, int]],
    when: str = BOOKED,
) -> GroundedFigures | None:
    """Return what the human responses of dialogues get; None where they are not known.

    Args:
        benchmark: The benchmark.
        rules: The rule set.
        dialogues: Dialogue id and the number of its turns that are played.
        when: `BOOKED` or `FREE`.
    """
    human = human_ratings(benchmark, rules)
    if human is None:
        return None

    def rated(id_: str, turns: int) -> Rating:
        dialogue = benchmark.dialogues[id_]
        whole = turns == dialogue.turns
        return human[when][id_] if whole else rated_human(dialogue, turns, benchmark, rules, when)

    return grounded_figures(rated(*one) for one in dialogues)
