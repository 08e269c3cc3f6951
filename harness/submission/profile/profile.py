"""The profile of a file: features, how many of their items are odd, and how many are too many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from mwz.normalization import read_toml

from ...errors import Remark
from ...io import figure

LEAST = 3
"""The fewest odd items that are remarked, unless a feature has a number of its own."""

DEVIATIONS = 2
"""By how many standard deviations the number of odd items has to exceed the limit."""


def highest_likely(samples: Iterable[tuple[int, float]]) -> float:
    """Return the highest number of odd items that chance explains.

    Args:
        samples: The number of items of each sample, and the share of odd ones that is its limit. Of
            n items with the limit p there are n p odd ones, with a variance of n p (1 - p).

    >>> highest_likely([(100, 0.1)])
    16.0
    """
    expected = variance = 0.0
    for items, limit in samples:
        expected += limit * items
        variance += limit * (1 - limit) * items
    return expected + DEVIATIONS * math.sqrt(variance)


@dataclass(frozen=True)
class Feature:
    """A row of the table of features.

    Attributes:
        items: What is counted: "values". Empty for a flag, whose figure its metric
            measures, and whose words are in the glossary.
        odd: What is odd about some of them: "are written unlike the benchmark's".
        remedy: What to do about odd items; for a flag, why it matters, as a sentence.
        limit: The share of odd items above which the feature is remarked, or the figure beyond
            which the flag is raised.
        honest: The lowest and the highest share in published files that are in order, over all
            parts that have no limit of their own; empty if nobody published such files.
        least: The fewest odd items that are remarked.
        part_limits: Part -> its own limit, where published files have more odd items. A part is
            `domain-slot`, or a slot of every domain.
        unless: The features that cause this one: it is not remarked beside any of them.
        below: Whether figures below the limit raise the flag, not those above.
        ceiling: The figure above which such a flag is raised as well; None for none.
        of_states: Whether the flag is about belief states.
    """

    remedy: str
    limit: float
    items: str = ""
    odd: str = ""
    honest: Sequence[float] = ()
    least: int = LEAST
    part_limits: Mapping[str, float] = field(default_factory=dict)
    unless: Sequence[str] = ()
    below: bool = False
    ceiling: float | None = None
    of_states: bool = False

    def limit_of(self, part: str) -> float:
        """Return the limit of a part: its own, else that of its slot, else the feature's."""
        slot = part.rpartition("-")[2]
        return self.part_limits.get(part, self.part_limits.get(slot, self.limit))

    def is_exceeded(self, tallies: Mapping[str, Tally]) -> bool:
        """Return whether parts together have more odd items than limits and chance explain.

        Args:
            tallies: Part -> tally.
        """
        odd = 0
        least = self.least
        samples: list[tuple[int, float]] = []
        for part, tally in tallies.items():
            limit = self.limit_of(part)
            odd += tally.odd
            samples.append((tally.items, limit))
            if limit != self.limit:
                # Such parts have a few odd items in published files as well.
                least = max(self.least, LEAST)
        return odd >= least and odd > highest_likely(samples)

    def is_raised(self, value: float) -> bool:
        """Return whether the figure of a flag is beyond the limit."""
        if self.ceiling is not None and value > self.ceiling:
            return True
        return value < self.limit if self.below else value > self.limit

    @property
    def bound(self) -> str:
        """The limit as tables show it."""
        side = "below" if self.below else "above"
        bound = f"{side} {figure(self.limit, 2)}"
        return bound if self.ceiling is None else f"{bound} or above {figure(self.ceiling, 2)}"

    @property
    def honest_range(self) -> str:
        """The shares of published files, as tables show them."""
        return " to ".join(figure(end, 2) for end in self.honest)


@lru_cache(maxsize=1)
def declared_features() -> Mapping[str, Feature]:
    """Return name -> feature, of the table `features.toml`."""
    rows = read_toml("features.toml", __package__)
    return {name: Feature(**row) for name, row in rows.items()}


@lru_cache(maxsize=1)
def declared_flags() -> Mapping[str, Feature]:
    """Return name -> feature, of those that the leaderboard has to look at."""
    return {name: feature for name, feature in declared_features().items() if not feature.items}


@dataclass
class Tally:
    """The items of a feature in a part of a file.

    Attributes:
        items: How many items there are.
        odd: How many of them are odd.
        examples: What the odd ones look like -> how many do.
    """

    items: int = 0
    odd: int = 0
    examples: Counter[str] = field(default_factory=Counter)


_POOLS: Sequence[Callable[[str], str]] = (
    lambda part: part,
    lambda part: part.rpartition("-")[2],
    lambda part: part.rpartition("-")[0],
    lambda part: "",
)
"""Which parts are held against their limits together: each alone, those of a slot, those of a
domain, and all. A few odd items in each of many parts may be many together."""


@dataclass
class Profile:
    """The counts of a file.

    Attributes:
        tallies: Feature -> part -> tally. Features without parts have the part "".
    """

    tallies: dict[str, dict[str, Tally]] = field(default_factory=dict)

    def add(
        self, feature: str, is_odd: bool, example: str, part: str = "", number: int = 1
    ) -> None:
        """Count items of a feature that are alike; the example is what they look like if odd."""
        self.count(feature, number, {example: number} if is_odd else {}, part)

    def count(self, feature: str, items: int, odd: Mapping[str, int], part: str = "") -> None:
        """Count items of a feature.

        Args:
            feature: The feature.
            items: How many items there are, the odd ones included.
            odd: What odd items look like -> how many do.
            part: The part.
        """
        tallies = self.tallies.setdefault(feature, {})
        if part not in tallies:
            tallies[part] = Tally()
        tally = tallies[part]
        tally.items += items
        if odd:
            tally.odd += sum(odd.values())
            tally.examples.update(odd)

    def exceeding(self, feature: str) -> dict[str, Tally]:
        """Return part -> tally of what is beyond the limits; nothing if all is in order."""
        declared = declared_features()[feature]
        for pool_of in _POOLS:
            pools: dict[str, dict[str, Tally]] = {}
            for part, tally in self.tallies.get(feature, {}).items():
                pools.setdefault(pool_of(part), {})[part] = tally
            exceeding: dict[str, Tally] = {}
            for pool in pools.values():
                if declared.is_exceeded(pool):
                    exceeding.update((part, tally) for part, tally in pool.items() if tally.odd)
            if exceeding:
                return exceeding
        return {}


_SHOWN_PARTS = 3
_SHOWN_EXAMPLES = 3


def profile_remarks(profile: Profile) -> tuple[Remark, ...]:
    """Return a remark on each feature of a profile that is beyond its limit.

    There is none on a feature that another one of them causes.
    """
    exceeding: dict[str, dict[str, Tally]] = {}
    for name in declared_features():
        tallies = profile.exceeding(name)
        if tallies:
            exceeding[name] = tallies
    remarks: list[Remark] = []
    for name, tallies in exceeding.items():
        feature = declared_features()[name]
        if exceeding.keys().isdisjoint(feature.unless):
            remarks.append(Remark(name, _message(feature, tallies)))
    return tuple(remarks)


def _message(feature: Feature, tallies: Mapping[str, Tally]) -> str:
    """Return how many items of a feature are odd, with examples of the worst parts."""
    odd = items = 0
    for tally in tallies.values():
        odd += tally.odd
        items += tally.items
    worst = sorted(tallies, key=lambda part: -tallies[part].odd)[:_SHOWN_PARTS]
    examples: list[str] = []
    for part in worst:
        counts = tallies[part].examples
        # Of equally frequent ones the first by name, so that a file always gets the same message.
        frequent = sorted(counts, key=lambda example: (-counts[example], example))
        listed = ", ".join(
            f"{example} {counts[example]}×" for example in frequent[:_SHOWN_EXAMPLES]
        )
        # Of missing slots the part is all there is to show.
        examples.append(listed if part in counts or not part else f"{part}: {listed}")
    shown = "; ".join(examples)
    return f"{odd} of {items} {feature.items} {feature.odd}: {shown}; {feature.remedy}"
