"""What a system did in each dialogue: all that scores, intervals, tests and rewards are made of.

A metric whose value is a formula of sums has `Statistics`: rows of whole numbers, one per dialogue,
and that formula. The score, its interval and its test are the formula of different sums. Values are
those of the report (rates and scores in percent).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from .setups import MAIN_SETUP

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    Values: TypeAlias = Mapping[str, Floats]
    """Figure -> its value in each sample."""

MAX_ORDER = 4
COLUMNS = 2 + 2 * MAX_ORDER
"""What BLEU is computed of: the lengths of responses and references, then per order the matches,
then per order the n-grams of the responses."""


@dataclass(frozen=True)
class Fault:
    """A slot of a belief state that keeps a domain from being matched.

    Attributes:
        slot: The slot.
        wanted: The value that the goal has; None if the goal leaves it open.
        found: The value that the state has; None if it lacks the slot.
    """

    slot: str
    wanted: str | None
    found: str | None

    def __str__(self) -> str:
        if self.wanted is None:
            return f"{self.slot} is {self.found!r}, which the goal leaves open"
        if self.found is None:
            return f"{self.slot} is missing, wanted is {self.wanted!r}"
        return f"{self.slot} is {self.found!r}, wanted is {self.wanted!r}"


@dataclass(frozen=True)
class DomainResult:
    """How a domain of the goal came out; why, only where that was asked for (`diagnosis/`).

    Attributes:
        matched: The probability that it is matched: 0 or 1 unless venues are drawn at random.
        provided: Requested slot -> whether it was provided.
        cause: Why it is not matched.
        turn: Where that was decided: the last turn that set the offered venues, from 0; if the
            domain was only named while another is active, the last turn that did so. None where no
            turn is to blame.
        faults: If the state is to blame, what was wrong with it in that turn, the cause's own slot
            first. With these slots as wanted the query would find what the goal finds.
        slot_causes: Requested slot that was not provided -> why.
    """

    matched: float
    provided: Mapping[str, bool]
    cause: str | None = None
    turn: int | None = None
    faults: tuple[Fault, ...] = ()
    slot_causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def all_provided(self) -> bool:
        """Whether every requested slot was provided."""
        return all(self.provided.values())


@dataclass(frozen=True)
class DialogueResult:
    """What a system did in a dialogue. What was not asked for is empty.

    Attributes:
        id: The dialogue's id.
        turns: The system turns played.
        sources: Where "states" and "domains" come from, in set-ups without sources of their own.
        goals: Set-up -> goal domain -> how it came out.
        bleu: Reference style -> what BLEU is computed of, `COLUMNS` numbers (`counts.py`).
        responses: The normalised responses, where diversity was asked for.
        further: Metric -> what it counts of the dialogue, of all other metrics.
        sentence_bleu: Of each turn, BLEU against the canonical reference, in percent; of single
            dialogues only.
    """

    id: str
    turns: int
    sources: Mapping[str, str] = field(default_factory=dict)
    goals: Mapping[str, Mapping[str, DomainResult]] = field(default_factory=dict)
    bleu: Mapping[str, Sequence[int]] = field(default_factory=dict)
    responses: Sequence[str] = ()
    further: Mapping[str, Any] = field(default_factory=dict)
    sentence_bleu: tuple[float, ...] = ()

    def informed(self, setup: str = MAIN_SETUP) -> float:
        """Return the probability that every goal domain is matched, under a set-up."""
        return math.prod([one.matched for one in self.goals[setup].values()])

    def succeeded(self, setup: str = MAIN_SETUP) -> float:
        """Return the probability that, besides, every requested slot is provided."""
        provided = all(one.all_provided for one in self.goals[setup].values())
        return self.informed(setup) if provided else 0.0

    @property
    def inform(self) -> int:
        """1 if every goal domain is matched in the strict set-up, else 0."""
        return int(self.informed())

    @property
    def success(self) -> int:
        """1 if, besides, every requested slot is provided, else 0."""
        return int(self.succeeded())

    @property
    def domains(self) -> Mapping[str, DomainResult]:
        """Goal domain -> how it came out in the strict set-up."""
        return self.goals[MAIN_SETUP]

    @property
    def causes(self) -> dict[str, str]:
        """Goal domain, or domain and requested slot ("hotel PHONE") -> cause, of all there are."""
        matched = {name: one.cause for name, one in self.domains.items() if one.cause is not None}
        provided = {
            f"{name} {slot}": cause
            for name, one in self.domains.items()
            for slot, cause in one.slot_causes.items()
        }
        return matched | provided


Formula: TypeAlias = Callable[[Sequence[Any]], Mapping[str, Any]]
"""Makes figure -> value of the sums of a sample; where figures are called as in the statistics."""


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


@dataclass(frozen=True, eq=False)
class Statistics:
    """Statistics of the dialogues that a system plays, in an order.

    Attributes:
        figures: What can be computed; the formula may give more.
        rows: Whole numbers, a row per dialogue, so that sums are exact.
        formula: Makes figure -> value of the sums of a sample.
        wins: Figure -> the column that is 1 for each dialogue won and 0 for the others.
        of_samples: Whether the formula also takes an array of one sum per sample for each sum, and
            gives what it gives of each sample, to the last digit.
    """

    figures: Sequence[Figure]
    rows: Floats
    formula: Formula
    wins: Mapping[str, int] = field(default_factory=dict)
    of_samples: bool = False

    @classmethod
    def of_rows(
        cls,
        figures: Sequence[Figure],
        rows: Sequence[Sequence[float]],
        formula: Formula,
        wins: Mapping[str, int] | None = None,
        of_samples: bool = False,
    ) -> Statistics:
        """Return the statistics of rows of plain numbers."""
        import numpy as np  # it takes its time, and the board does without

        return cls(figures, np.array(rows, np.float64), formula, wins or {}, of_samples)

    def part(self, rows: npt.NDArray[np.int64]) -> Statistics:
        """Return the statistics of some dialogues.

        Args:
            rows: Their numbers in the order here; the result has them in this order.
        """
        return replace(self, rows=self.rows[rows])

    def scores(self) -> Mapping[str, float]:
        """Return figure -> value, of all dialogues."""
        values = self.formula(self.rows.sum(axis=0).tolist())
        return {one.name: values[one.name] for one in self.figures}

    def weighted(self, counts: npt.NDArray[Any]) -> Values:
        """Return every figure in samples.

        Args:
            counts: Sample x dialogue -> how often it counts.
        """
        return self._values(counts.astype("float64") @ self.rows)

    def swapped(self, other: Statistics, swaps: npt.NDArray[Any]) -> tuple[Values, Values]:
        """Return every figure of this and of another system after they swapped dialogues.

        Args:
            other: The statistics of the other system, of the same dialogues in the same order.
            swaps: Sample x dialogue -> whether they swap it.
        """
        moved = swaps.astype("float64") @ (other.rows - self.rows)
        ours, theirs = self.rows.sum(axis=0) + moved, other.rows.sum(axis=0) - moved
        return self._values(ours), other._values(theirs)

    def won(self) -> Mapping[str, npt.NDArray[np.bool_]]:
        """Return figure -> whether each dialogue is won, of figures that are rates of dialogues."""
        names = {one.name for one in self.figures}
        return {name: self.rows[:, at] > 0 for name, at in self.wins.items() if name in names}

    def _values(self, sums: Floats) -> Values:
        import numpy as np

        if self.of_samples:
            values = self.formula(list(sums.T))
            return {one.name: values[one.name] for one in self.figures}
        samples = [self.formula(row) for row in sums.tolist()]
        return {one.name: np.array([row[one.name] for row in samples]) for one in self.figures}


def share(part: Any, whole: Any, of_nothing: Any = 0.0) -> Any:
    """Return a part of a whole, and another share where the whole is 0; of arrays, an array."""
    if isinstance(whole, float | int):
        return part / whole if whole else of_nothing
    import numpy as np

    return np.where(whole == 0, of_nothing, part / np.where(whole == 0, 1, whole))


def percent(parts: Any, whole: Any, of_nothing: float = 0.0) -> Any:
    """Return parts of a whole in percent, and another share (0 to 1) where the whole is 0.

    Of arrays, one number per sample, an array is returned.
    """
    return share(100 * parts, whole, 100 * of_nothing)
