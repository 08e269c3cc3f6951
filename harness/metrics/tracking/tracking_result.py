"""What a tracker scores, as plain data and as text: every metric of a set of tracked dialogues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeAlias

from ...io.tables import figure, text_table
from . import tracking_metrics
from .choices import Choices
from .gca import change_scores

Number: TypeAlias = int | float | None


def cell(value: Number) -> str:
    """Return a figure as tables show it: a percentage with two digits, a count as it is."""
    return str(value) if isinstance(value, int) else figure(value, 2)


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
        positions: For each tenth of a dialogue (turn t of n lies at t / n) its `start`, the `turns`
            in it, their `jga` and `rsa` (None of no turns), and `first_lost`: of the dialogues that
            end with an inexact turn, those whose joint goal accuracy is lost there for the first
            time (figure 1 of Kim et al., 2022).
        losses: `dialogues` that end with an inexact turn, those of them that `recovered`, with an
            exact turn after the first inexact one, and the `mean_position` of that, from 0 to 1.
        mistakes: How mistakes lie in the `dialogues` that have any (section 5.2 of Aksu & Chen,
            2024): mean TO (`tail_orientation`) and NU (`non_uniformity`), and `correlations`:
            Pearson's, of "TO" and "NU" with GCA and with FGA by λ ("GCA", "FGA 0.5").
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
    positions: tuple[Mapping[str, Number], ...]
    losses: Mapping[str, Number]
    mistakes: Mapping[str, Number | Mapping[str, Mapping[str, float | None]]]
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

    def titled(self, main_only: bool = False) -> dict[str, float]:
        """Return the figures as tables call them: heading -> percent.

        Args:
            main_only: Whether only those are wanted that compact tables and pictures show.
        """
        return {
            heading: value
            for metric in tracking_metrics().values()
            for heading, value in metric.headings(self.figures, main_only).items()
        }

    def slot_rates(self) -> dict[str, dict[str, float]]:
        """Return slot -> GCA's counts and, in percent, what it and its parts make of them."""
        weighing = self.variants.get("gca", Choices.gca)
        rates: dict[str, dict[str, float]] = {}
        for slot, counts in self.per_slot.items():
            scores = change_scores(**counts, weighing=weighing)
            rates[slot] = {**counts, "GCA": 100 * scores.pop("gca")}
            rates[slot] |= {name: 100 * score for name, score in scores.items()}
        return rates

    def text(self) -> str:
        """Return all figures as tables for a terminal."""
        losses, mistakes = self.losses, self.mistakes
        correlations: Any = mistakes["correlations"]
        tables: dict[str, dict[str, Any]] = {
            "metric (%)": self.titled(),
            "count": {
                "dialogues": self.dialogues,
                "turns": self.turns,
                **{name.replace("_", " "): count for name, count in self.counts.items()},
            },
            "along the dialogue": {
                "dialogues that end inexact": losses["dialogues"],
                "of them exact again after a loss": losses["recovered"],
                "mean position of their first inexact turn": losses["mean_position"],
                "dialogues with mistakes": mistakes["dialogues"],
                "tail orientation (TO)": mistakes["tail_orientation"],
                "non-uniformity (NU)": mistakes["non_uniformity"],
                **{
                    f"correlation of {measure} and {metric}": value
                    for measure, values in correlations.items()
                    for metric, value in values.items()
                },
            },
        }
        return "\n\n".join(
            text_table([title, "state tracking"], [[name, cell(v)] for name, v in values.items()])
            for title, values in tables.items()
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON types."""
        return asdict(self)
