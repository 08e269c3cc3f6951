"""Per-dialogue sufficient statistics: what is enough to score any choice of dialogues.

Conventions: a value is that of the report (rates and scores in percent), one per sample; what is
computed of the sample that holds every dialogue once is the score itself, to the last digit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from .resampling import Block

if TYPE_CHECKING:
    from typing_extensions import Self

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Bools: TypeAlias = npt.NDArray[np.bool_]

Values: TypeAlias = Mapping[str, Floats]
"""Figure -> its value in each sample."""


@dataclass(frozen=True)
class Figure:
    """A figure that intervals and tests are computed of.

    Attributes:
        name: What JSON calls it.
        title: What tables call it.
        digits: Digits after the point that tables show.
        main: Whether it is one of the few that papers compare systems by.
    """

    name: str
    title: str
    digits: int = 2
    main: bool = False


class Statistics(ABC):
    """Statistics of the dialogues that a system plays, in an order.

    Attributes:
        figures: What can be computed.
    """

    figures: Sequence[Figure]

    @abstractmethod
    def part(self, rows: Ints) -> Self:
        """Return the statistics of some dialogues.

        Args:
            rows: Their numbers in the order here; the result has them in this order.
        """

    @abstractmethod
    def weighted(self, counts: Block) -> Values:
        """Return every figure, in samples that count each dialogue so many times."""

    @abstractmethod
    def swapped(self, other: Self, swaps: Block) -> tuple[Values, Values]:
        """Return every figure of this and of another system after they swapped dialogues.

        Args:
            other: The statistics of the other system, of the same dialogues in the same order.
            swaps: Which dialogues they swap.
        """

    def won(self) -> Mapping[str, Bools]:
        """Return figure -> whether each dialogue is won, of the figures that are rates of them."""
        return {}


@dataclass(frozen=True)
class LinearStatistics(Statistics):
    """Statistics that are added up over dialogues before a formula makes figures of the sums.

    Attributes:
        figures: What the formula gives.
        rows: Whole numbers, a row per dialogue, so that sums are exact.
        formula: Makes figure -> values of sums, a row per sample.
        wins: Figure -> the column that is 1 for each dialogue won and 0 for the others.
    """

    figures: Sequence[Figure]
    rows: Floats
    formula: Callable[[Floats], Values]
    wins: Mapping[str, int] = field(default_factory=dict)

    def part(self, rows: Ints) -> Self:
        """Return the statistics of some dialogues."""
        return replace(self, rows=self.rows[rows])

    def weighted(self, counts: Block) -> Values:
        """Return every figure in the samples."""
        return self.formula(counts.by_sample @ self.rows)

    def swapped(self, other: Self, swaps: Block) -> tuple[Values, Values]:
        """Return every figure of both systems after the swaps."""
        moved = swaps.by_sample @ (other.rows - self.rows)
        return (
            self.formula(self.rows.sum(axis=0) + moved),
            other.formula(other.rows.sum(axis=0) - moved),
        )

    def won(self) -> Mapping[str, Bools]:
        """Return figure -> whether each dialogue is won."""
        return {name: self.rows[:, column] > 0 for name, column in self.wins.items()}


def share(parts: Floats, wholes: Floats, of_nothing: Floats | float = 0.0) -> Floats:
    """Return parts of wholes, and another number where the whole is 0."""
    empty = wholes == 0
    return np.where(empty, of_nothing, parts / np.where(empty, 1.0, wholes))


def python_sums(columns: Sequence[Floats]) -> Floats:
    """Add up columns row by row as Python's own `sum` does, which is exacter from 3.12 on."""
    return np.array(list(map(sum, zip(*(c.tolist() for c in columns), strict=True))), np.float64)
