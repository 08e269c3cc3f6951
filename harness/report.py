"""A report: everything a score consists of, as plain data, the same whichever way it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from .metrics.diversity import Diversity
from .metrics.inform_success import TOTAL, Rates

if TYPE_CHECKING:
    from .tracking.evaluation import TrackingReport


@dataclass(frozen=True)
class Coverage:
    """How much of the benchmark a submission plays.

    Attributes:
        dialogues: Dialogues played.
        of: Dialogues of the benchmark.
        turns: System turns played.
        of_turns: System turns of the benchmark.
    """

    dialogues: int
    of: int
    turns: int
    of_turns: int

    @property
    def complete(self) -> bool:
        """Whether every turn is played."""
        return self.turns == self.of_turns

    @property
    def percent(self) -> float:
        """Turns played, in percent."""
        return 100 * self.turns / self.of_turns


@dataclass(frozen=True)
class SetupScores:
    """Inform and Success under one set-up.

    Attributes:
        rates: The rates, in percent.
        combined: (Inform + Success) / 2 + BLEU of the canonical style; None without BLEU.
        domains: The source of the active domains.
    """

    rates: Rates
    combined: float | None
    domains: str

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain data."""
        combined = {} if self.combined is None else {"combined": self.combined}
        return {
            "inform": dict(self.rates.inform),
            "success": dict(self.rates.success),
            **combined,
            "domains": self.domains,
        }

    @property
    def totals(self) -> tuple[float, float]:
        """Total Inform and Success, in percent."""
        return self.rates.inform[TOTAL], self.rates.success[TOTAL]


@dataclass(frozen=True)
class Report:
    """All scores of a submission at full precision; rates and scores in percent.

    Attributes:
        signature: One line that identifies everything the numbers depend on.
        rules: Name of the rule set.
        benchmark: Name of the benchmark.
        coverage: How much of the benchmark the submission plays.
        bleu: Reference style -> corpus BLEU; None if not asked for.
        setups: "strict" and "optimistic", as asked for -> Inform and Success.
        diversity: Diversity of the responses; None if not asked for.
        unknown_placeholders: Placeholders that the ontology lacks -> how often they occurred.
        domains: The source of active domains in the strict set-up.
        states: The source of belief states, "predicted" or "gold".
        goals: Which dialogues were scored: "all", or those with a "seen" or "unseen" goal.
        tracking: State-tracking report; None if not asked for.
    """

    signature: str
    rules: str
    benchmark: str
    coverage: Coverage
    bleu: Mapping[str, float] | None
    setups: Mapping[str, SetupScores]
    diversity: Diversity | None
    unknown_placeholders: Mapping[str, int]
    domains: str
    states: str
    goals: str
    tracking: TrackingReport | None

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, ready for JSON."""
        parts: dict[str, Any] = {
            "signature": self.signature,
            "rules": self.rules,
            "benchmark": self.benchmark,
            "coverage": asdict(self.coverage),
        }
        if self.bleu is not None:
            parts["bleu"] = dict(self.bleu)
        parts |= {name: scores.to_dict() for name, scores in self.setups.items()}
        if self.diversity is not None:
            parts["diversity"] = asdict(self.diversity)
        if self.tracking is not None:
            parts["dst"] = self.tracking.to_dict()
        return {
            **parts,
            "unknown_placeholders": dict(self.unknown_placeholders),
            "domains": self.domains,
            "states": self.states,
            "goals": self.goals,
        }
