"""What a tracker scores, as plain data: every metric of a set of tracked dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class PositionScores:
    """Scores of the turns in one part of their dialogue.

    Turn t (from 0) of n is at t / n. Scores are in percent, None where no turn lies in the part.

    Attributes:
        start: Where the part starts; it ends where the next begins.
        turns: The number of turns in it.
        jga: Joint goal accuracy.
        rsa: Relative slot accuracy.
        first_lost: The dialogues whose joint goal accuracy is lost here for the first time, of
            those that end with an inexact turn (figure 1 of Kim et al., 2022).
    """

    start: float
    turns: int
    jga: float | None
    rsa: float | None
    first_lost: int


@dataclass(frozen=True)
class Losses:
    """Where dialogues lose their joint goal accuracy.

    Attributes:
        dialogues: Dialogues that end with an inexact turn.
        recovered: Those of them that have an exact turn after their first inexact one.
        mean_position: The mean position, from 0 to 1, of their first inexact turn.
    """

    dialogues: int
    recovered: int
    mean_position: float | None


@dataclass(frozen=True)
class MistakePatterns:
    """How mistakes lie in the dialogues that have any (section 5.2 of Aksu & Chen, 2024).

    Attributes:
        dialogues: The dialogues with mistakes.
        tail_orientation: Mean TO.
        non_uniformity: Mean NU.
        correlations: Pearson's correlation over these dialogues of "TO" and of "NU" with GCA and
            with FGA by λ ("GCA", "FGA 0.5").
    """

    dialogues: int
    tail_orientation: float | None
    non_uniformity: float | None
    correlations: Mapping[str, Mapping[str, float | None]]


@dataclass(frozen=True)
class TrackingResult:
    """What a tracker scores. Plain data; shares are in percent, unrounded.

    Attributes:
        dialogues: The number of dialogues.
        turns: The number of turns.
        slots: T of slot accuracy.
        metrics: JGA, joint recall, SA, AGA, IAGA, RSA, FGA (a map from λ), GCA, precision, recall,
            F1: what the modules of `metrics/tracking/` give.
        counts: GCA's four counts, and the exact and turn-level matches (M1, M2).
        changes: GCA's four part scores.
        fuzzy: Fuzzy joint accuracy, also with slots as they are written, with precision, recall
            and F1.
        per_domain: Domain -> turns, JGA, SA, RSA, F1 and FGA, over the turns that `variants` says,
            GCA of all changes of its slots, and the λ of FGA, `lambda`.
        per_slot: `domain-slot` -> GCA's four counts.
        positions: Scores by relative position in the dialogue.
        losses: Where joint goal accuracy is lost.
        mistakes: How mistakes lie in dialogues.
        per_domain_mean: JGA, SA, RSA, F1, FGA, GCA: the plain mean over domains.
        variants: Which variant of joint accuracy it is: `per-domain`, `dontcare`, `none`.
    """

    dialogues: int
    turns: int
    slots: int
    metrics: Mapping[str, float | Mapping[str, float]]
    counts: Mapping[str, int]
    changes: Mapping[str, float]
    fuzzy: Mapping[str, float]
    per_domain: Mapping[str, Mapping[str, float]]
    per_slot: Mapping[str, Mapping[str, int]]
    positions: tuple[PositionScores, ...]
    losses: Losses
    mistakes: MistakePatterns
    per_domain_mean: Mapping[str, float] = field(default_factory=dict)
    variants: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if "joint_accuracy" not in self.fuzzy:
            raise ValueError("fuzzy lacks joint_accuracy")

    @property
    def figures(self) -> dict[str, float]:
        """Every share of all turns: key -> percent, `map.key` in maps: `FGA.0.5`, `fuzzy.F1`."""
        figures: dict[str, float] = {}
        for key, value in {**self.metrics, "changes": self.changes, "fuzzy": self.fuzzy}.items():
            if isinstance(value, Mapping):
                figures |= {f"{key}.{name}": share for name, share in value.items()}
            else:
                figures[key] = value
        return figures

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        return asdict(self)
