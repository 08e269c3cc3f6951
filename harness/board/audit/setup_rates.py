"""Inform and Success of one submission under many set-ups: each dialogue is followed twice.

It is followed with full and with reduced search, as if venues were looked up in every turn; a
set-up takes the look-ups of the turns in which it would have made one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import product
from typing import NamedTuple

from mwz.database.venues import VenueDatabase
from mwz.normalization.rules import RuleSet

from ...benchmark import REFERENCE
from ...metrics.inform import matched, steps
from ...metrics.played import PlayedDialogue
from ...metrics.results import percent
from ...metrics.setups import COMPARISONS, UPDATES, Setup


class SetupRates(NamedTuple):
    """Total Inform and Success under a set-up.

    Attributes:
        inform: Inform, in percent; expected, where venues are drawn at random.
        success: Success, alike.
        inform_deviation: Standard deviation of Inform, in points; 0 without drawing.
        success_deviation: Standard deviation of Success, in points.
    """

    inform: float
    success: float
    inform_deviation: float
    success_deviation: float


def setup_rates(
    dialogues: Sequence[PlayedDialogue],
    setups: Iterable[Setup],
    database: VenueDatabase,
    rules: RuleSet,
) -> dict[Setup, SetupRates]:
    """Return set-up -> rates of played dialogues.

    Args:
        dialogues: The dialogues, with states and active domains of one source.
        setups: The set-ups.
        database: The venues under the rule set.
        rules: The rule set.
    """
    every = [*dict.fromkeys(setups)]
    walks: dict[Setup, dict[str, list[int]]] = {}
    for place, setup in enumerate(every):
        walk = replace(setup, updates="always", comparison="subset")
        walks.setdefault(walk, {}).setdefault(setup.updates, []).append(place)
    inform: list[list[float]] = [[] for _ in every]
    success: list[list[float]] = [[] for _ in every]
    for dialogue in dialogues:
        chances, lacking = [1.0] * len(every), [False] * len(every)
        last = len(dialogue.responses) - 1
        for (walk, by_update), domain in product(walks.items(), dialogue.gold.goal):
            walked = [*steps(dialogue, domain, database, walk, rules)]
            provided = {slot for step in walked for slot in step.provided}
            is_lacking = not dialogue.gold.goal[domain].requestable <= provided
            matches: dict[tuple[str, tuple[int, ...]], float] = {}
            for update, places in by_update.items():
                due = UPDATES[update]
                looked_up = [
                    step.found
                    for step in walked
                    if step.found is not None
                    and due(step.active, step.named, REFERENCE in step.said, step.turn == last)
                ]
                # Equal queries have one answer: its identity stands for it.
                answers = tuple(map(id, looked_up))
                for place in places:
                    setup = every[place]
                    key = setup.comparison, answers
                    if key not in matches:
                        offered = reduce(COMPARISONS[setup.comparison].offer, looked_up, None)
                        matches[key] = matched(offered, dialogue, domain, database, setup, rules)
                    chances[place] *= matches[key]
                    lacking[place] |= is_lacking
        for place, chance in enumerate(chances):
            inform[place].append(chance)
            success[place].append(0.0 if lacking[place] else chance)
    return {
        setup: SetupRates(_total(own), _total(won), _deviation(own), _deviation(won))
        for setup, own, won in zip(every, inform, success, strict=True)
    }


def _total(chances: Sequence[float]) -> float:
    return float(percent(math.fsum(chances), len(chances)))


def _deviation(chances: Sequence[float]) -> float:
    """Return the standard deviation, in points, of the share of independent chances that come."""
    variance = math.fsum(chance * (1 - chance) for chance in chances)
    return 100 * math.sqrt(max(variance, 0.0)) / len(chances) if chances else 0.0
