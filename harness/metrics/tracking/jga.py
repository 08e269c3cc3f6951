"""Joint goal accuracy (JGA): the share of turns whose state is predicted exactly.

Henderson, Thomson & Williams, "The second dialog state tracking challenge" (2014); equation 1 of
Kim et al., "Mismatch between Multi-turn Dialogue and its Evaluation Metric in Dialogue State
Tracking" (2022). An error stays in every later state, so one early slip can cost a dialogue.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import Sums, TrackingMetric, Verdict, only, share, turn_by_turn
from .choices import Choices
from .dialogue_states import DialogueStates, StatePair


def is_exact(turn: StatePair) -> bool:
    """Return whether a turn's gold and predicted states are the same set of triples."""
    return turn.gold == turn.predicted


def first_lost(turns: Sequence[StatePair]) -> int | None:
    """Return the position of a dialogue's first inexact turn, from 0; None if all are exact."""
    return next((at for at, turn in enumerate(turns) if not is_exact(turn)), None)


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    return {"turns": len(dialogue.turns), "exact_turns": sum(map(is_exact, dialogue.turns))}


def _verdict(turn: StatePair, _: Choices) -> Verdict:
    if is_exact(turn):
        return Verdict("JGA", 1.0, "the states are equal")
    agreement = turn.agreement
    reason = f"{agreement.missed} missed, {agreement.wrong} wrong, {agreement.overshot} overshot"
    return Verdict("JGA", 0.0, reason)


METRIC = TrackingMetric(
    name="JGA",
    title="joint goal accuracy",
    question="Is the whole state right?",
    unit="percent of the turns",
    source="Henderson, Thomson & Williams (2014)",
    statistics=_statistics,
    formula=lambda sums, _: {"JGA": share(sums["exact_turns"], sums["turns"])},
    counts=("exact_turns",),
    verdicts=turn_by_turn(_verdict),
    headlines=only("JGA"),
    per_domain=("JGA",),
    main=True,
    rank=10,
)
