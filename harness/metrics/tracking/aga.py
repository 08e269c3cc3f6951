"""Average goal accuracy (AGA), and its improvement (IAGA) that also sees false predictions.

AGA: Rastogi et al., "Towards Scalable Multi-Domain Conversational Agents: The Schema-Guided
Dialogue Dataset" (2020); section 2.3 of Dey, Kummara & Desarkar (2022). It is a recall: triples
predicted in excess cost nothing. IAGA divides by the union instead, as the latter paper suggests.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from . import Choices, TrackingMetric, Verdict, turn_by_turn
from .dialogue_states import StatePair, all_turns


def turn_average_goal_accuracy(turn: StatePair) -> float | None:
    """Return |gold and predicted| / |gold| of one turn; None if its gold state is empty."""
    agreement = turn.agreement
    return agreement.correct / agreement.gold if agreement.gold else None


def turn_improved_average_goal_accuracy(turn: StatePair) -> float | None:
    """Return |gold and predicted| / |gold or predicted| of one turn; None if gold is empty."""
    agreement = turn.agreement
    # A slot with two different values has two triples in the union.
    union = agreement.slots + agreement.wrong
    return agreement.correct / union if agreement.gold else None


def average_goal_accuracy(turns: Sequence[StatePair]) -> float:
    """Return the mean of `turn_average_goal_accuracy` over the turns with a gold state."""
    return _mean([turn_average_goal_accuracy(turn) for turn in turns], turns)


def improved_average_goal_accuracy(turns: Sequence[StatePair]) -> float:
    """Return the mean of `turn_improved_average_goal_accuracy` over the turns with a gold state.

    The published code of Aksu & Chen, "Granular Change Accuracy" (2024), divides by the number of
    AGA's turns, as here: what is predicted while the gold state is empty goes unpunished.
    """
    return _mean([turn_improved_average_goal_accuracy(turn) for turn in turns], turns)


def _mean(scores: Sequence[float | None], turns: Sequence[StatePair]) -> float:
    scored = [score for score in scores if score is not None]
    if scored:
        return fmean(scored)
    return float(not any(turn.predicted for turn in turns))


def _verdict(turn: StatePair, _: Choices) -> Verdict:
    if not turn.gold:
        return Verdict("AGA", None, "left out: the gold state is empty")
    reason = f"{turn.agreement.correct} of {turn.agreement.gold} gold values found"
    return Verdict("AGA", turn_average_goal_accuracy(turn), reason)


METRIC = TrackingMetric(
    name="AGA",
    title="average goal accuracy (IAGA: over the union of gold and predicted values)",
    question="Which share of the gold values is found?",
    unit="percent of the values, averaged over turns with a gold state",
    source="Rastogi et al. (2020); Dey, Kummara & Desarkar (2022)",
    compute=lambda dialogues, _: {
        "metrics": {
            "AGA": 100 * average_goal_accuracy(all_turns(dialogues)),
            "IAGA": 100 * improved_average_goal_accuracy(all_turns(dialogues)),
        }
    },
    keys=("AGA", "IAGA"),
    verdicts=turn_by_turn(_verdict),
    rank=30,
)
