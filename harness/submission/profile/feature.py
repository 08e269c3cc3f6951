"""Features, and how many odd items are too many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mwz.normalization import read_toml

from ...io import figure

LEAST = 3
"""Fewer odd items than these say nothing, where a feature has no number of its own."""

DEVIATIONS = 2
"""How many standard deviations of the limit a count has to be beyond it."""


def highest_likely(parts: Iterable[tuple[int, float]]) -> float:
    """Return how many odd items chance explains.

    Args:
        parts: The items of each part, and their limit. Of n items with the limit p there are n p
            odd ones, with a variance of n p (1 - p).
    """
    expected = variance = 0.0
    for items, limit in parts:
        expected += limit * items
        variance += limit * (1 - limit) * items
    return expected + DEVIATIONS * math.sqrt(variance)


@dataclass(frozen=True)
class Feature:
    """A row of the table of features.

    Attributes:
        items: What is counted: "values". Empty of a flag, whose figure is measured by its metric.
        odd: What an odd one of them is: "are written unlike the benchmark's".
        title: Of a flag, what its figure is.
        remedy: What to do about it; of a flag, why it matters: a sentence.
        limit: The share of odd items beyond which it is told, or the figure beyond which the flag
            is raised.
        honest: The least and the greatest share of published files that are in order, in any part
            that is held against the limit; none where nobody published any.
        least: The fewest odd items that are told.
        parts: Part -> a limit of its own, where published files have more odd items. A part is
            `domain-slot`, or a slot of every domain.
        unless: The features that cause this one: it is silent where one of them is told.
        flag: What tables of the leaderboard say of an entry beyond the limit, which has no rank
            until somebody has looked at it; empty where the feature is no flag.
        below: Whether figures below the limit raise the flag, not those above.
        of_states: Whether the flag is about belief states.
    """

    remedy: str
    limit: float
    items: str = ""
    odd: str = ""
    title: str = ""
    honest: Sequence[float] = ()
    least: int = LEAST
    parts: Mapping[str, float] = field(default_factory=dict)
    unless: Sequence[str] = ()
    flag: str = ""
    below: bool = False
    of_states: bool = False

    def limit_of(self, part: str) -> float:
        """Return the limit of a part."""
        slot = part.rpartition("-")[2]
        return self.parts.get(part, self.parts.get(slot, self.limit))

    def is_told(self, parts: Mapping[str, Tally]) -> bool:
        """Return whether parts, taken together, are beyond their limits by more than chance."""
        odd = sum(tally.odd for tally in parts.values())
        limits = {part: self.limit_of(part) for part in parts}
        most = highest_likely([(tally.items, limits[part]) for part, tally in parts.items()])
        # Parts with a limit of their own have odd items in published files as well.
        has_own = any(limit != self.limit for limit in limits.values())
        least = max(self.least, LEAST) if has_own else self.least
        return odd >= least and odd > most

    def is_raised(self, value: float) -> bool:
        """Return whether the figure of a flag is beyond the limit."""
        return value < self.limit if self.below else value > self.limit

    @property
    def bound(self) -> str:
        """The limit as tables show it."""
        return f"{'below' if self.below else 'above'} {figure(self.limit, 2)}"

    @property
    def honest_text(self) -> str:
        """What published files have, as tables show it."""
        return " to ".join(figure(end, 2) for end in self.honest)


@dataclass
class Tally:
    """How many items there are, how many of them are odd, and the odd ones by what they are."""

    items: int = 0
    odd: int = 0
    examples: Counter[str] = field(default_factory=Counter)

    def add(self, example: str | None, number: int = 1) -> None:
        """Count items: odd ones are given with an example, all others with None."""
        self.items += number
        if example is not None:
            self.odd += number
            self.examples[example] += number

    @property
    def share(self) -> float:
        """The share of odd items; 0 of none."""
        return self.odd / self.items if self.items else 0.0


class Profile:
    """The counts of a file: feature -> part -> tally. Features without parts have the part ""."""

    def __init__(self) -> None:
        self._tallies: dict[str, dict[str, Tally]] = {}

    def add(self, feature: str, example: str | None, part: str = "", number: int = 1) -> None:
        """Count items of a feature, as `Tally.add`."""
        self.tally(feature, part).add(example, number)

    def add_part(self, feature: str, example: str, odd: int, items: int, part: str = "") -> None:
        """Count items of which so many are odd, all alike."""
        self.add(feature, example, part, odd)
        self.add(feature, None, part, items - odd)

    def tally(self, feature: str, part: str = "") -> Tally:
        """Return the tally of a part of a feature."""
        parts = self._tallies.setdefault(feature, {})
        if part not in parts:
            parts[part] = Tally()
        return parts[part]

    def parts(self, feature: str) -> Mapping[str, Tally]:
        """Return part -> tally of a feature."""
        return self._tallies.get(feature, {})

    def pools(self, feature: str) -> list[dict[str, dict[str, Tally]]]:
        """Return what is held against limits: the parts, slots, domains, and all together.

        Few odd items of each part may be many together.
        """
        parts = self.parts(feature)
        alone = {part: {part: tally} for part, tally in parts.items()}
        if len(parts) < 2:
            return [alone]
        by_slot: dict[str, dict[str, Tally]] = {}
        by_domain: dict[str, dict[str, Tally]] = {}
        for part, tally in parts.items():
            domain, _, slot = part.rpartition("-")
            by_slot.setdefault(slot, {})[part] = tally
            by_domain.setdefault(domain, {})[part] = tally
        return [alone, by_slot, by_domain, {"": dict(parts)}]

    def beyond(self, feature: str) -> dict[str, Tally]:
        """Return part -> tally of what is beyond the limits; nothing where all is in order."""
        declared = FEATURES[feature]
        for pools in self.pools(feature):
            beyond: dict[str, Tally] = {}
            for parts in pools.values():
                if declared.is_told(parts):
                    beyond.update((part, tally) for part, tally in parts.items() if tally.odd)
            if beyond:
                return beyond
        return {}


def _read() -> dict[str, Feature]:
    rows: Mapping[str, Any] = read_toml("features.toml", __package__)
    return {name: Feature(**row) for name, row in rows.items()}


FEATURES: Mapping[str, Feature] = _read()
"""Name -> feature."""

FLAGS: Mapping[str, Feature] = {name: row for name, row in FEATURES.items() if row.flag}
"""The features that the leaderboard has to look at."""
