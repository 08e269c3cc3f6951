"""Features, and how many odd items are too many."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mwz.normalization import read_toml

from ...io import figure

LEAST = 3
"""Fewer odd items than these say nothing, where a feature has no number of its own."""

DEVIATIONS = 2
"""How many standard deviations of the limit a count has to be beyond it."""


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

    def is_told(self, part: str, tally: Tally) -> bool:
        """Return whether a count is beyond the limit of its part by more than chance explains."""
        limit = self.limit_of(part)
        deviation = math.sqrt(tally.items * limit * (1 - limit))
        # Parts with a limit of their own have odd items in published files as well.
        least = self.least if limit == self.limit else max(self.least, LEAST)
        return tally.odd >= least and tally.odd > limit * tally.items + DEVIATIONS * deviation

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

    def include(self, other: Tally) -> None:
        """Count the items of another tally as well."""
        self.items += other.items
        self.odd += other.odd
        self.examples.update(other.examples)

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

    def tally(self, feature: str, part: str = "") -> Tally:
        """Return the tally of a part of a feature."""
        return self._tallies.setdefault(feature, {}).setdefault(part, Tally())

    def parts(self, feature: str) -> Mapping[str, Tally]:
        """Return part -> tally of a feature."""
        return self._tallies.get(feature, {})

    def levels(self, feature: str) -> list[dict[str, Tally]]:
        """Return what is held against limits: the parts; slots, domains and all together.

        Few odd items of each part may be many together. A part with a limit of its own is held
        against that alone.
        """
        declared = FEATURES[feature]
        parts = dict(self.parts(feature))
        by_slot: dict[str, Tally] = {}
        by_domain: dict[str, Tally] = {}
        whole = Tally()
        for part, tally in parts.items():
            if declared.limit_of(part) == declared.limit:
                domain, _, slot = part.rpartition("-")
                by_slot.setdefault(slot, Tally()).include(tally)
                by_domain.setdefault(domain, Tally()).include(tally)
                whole.include(tally)
        return [parts, by_slot, by_domain, {"": whole}] if len(parts) > 1 else [parts]

    def beyond(self, feature: str) -> dict[str, Tally]:
        """Return part -> tally of what is beyond the limit; nothing where all is in order."""
        declared = FEATURES[feature]
        for level in self.levels(feature):
            beyond = {part: tally for part, tally in level.items() if declared.is_told(part, tally)}
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
