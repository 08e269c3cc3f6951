"""Average goal accuracy (AGA), and its improvement (IAGA) that also sees false predictions.

AGA: Rastogi et al., "Towards Scalable Multi-Domain Conversational Agents: The Schema-Guided
Dialogue Dataset" (2020); section 2.3 of Dey, Kummara & Desarkar (2022). It is a recall: triples
predicted in excess cost nothing. IAGA divides by the union instead, as the latter paper suggests.

Both are means over the turns with a gold state. The published code of Aksu & Chen, "Granular Change
Accuracy" (2024), divides by the number of AGA's turns for IAGA, too, as here: what is predicted
while the gold state is empty goes unpunished.
"""

from __future__ import annotations

from . import Sums, TrackingMetric, Verdict, exact_sum, share, sum_of, turn_by_turn
from .choices import Choices
from .dialogue_states import DialogueStates, StatePair


def turn_average_goal_accuracy(turn: StatePair) -> float:
    """Return |gold and predicted| / |gold| of one turn, whose gold state is not empty."""
    return turn.agreement.correct / turn.agreement.gold


def turn_improved_average_goal_accuracy(turn: StatePair) -> float:
    """Return |gold and predicted| / |gold or predicted| of one turn, if gold is not empty."""
    agreement = turn.agreement
    # A slot with two different values has two triples in the union.
    return agreement.correct / (agreement.slots + agreement.wrong)


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    scored = [turn for turn in dialogue.turns if turn.gold]
    return {
        "turns_with_gold": len(scored),
        "turns_with_prediction": sum(bool(turn.predicted) for turn in dialogue.turns),
        **exact_sum("AGA", map(turn_average_goal_accuracy, scored)),
        **exact_sum("IAGA", map(turn_improved_average_goal_accuracy, scored)),
    }


def _formula(sums: Sums, _: Choices) -> dict[str, float]:
    of_nothing = 1.0 * (sums["turns_with_prediction"] == 0)
    return {
        name: share(sum_of(sums, name), sums["turns_with_gold"], of_nothing)
        for name in ("AGA", "IAGA")
    }


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
    statistics=_statistics,
    formula=_formula,
    titles={"AGA": "AGA", "IAGA": "IAGA"},
    verdicts=turn_by_turn(_verdict),
    rank=30,
)
