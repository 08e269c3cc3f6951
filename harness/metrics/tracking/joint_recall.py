"""Joint recall: joint goal accuracy that ignores what is predicted in excess.

Some papers call it joint accuracy: they ask of each gold slot whether it is predicted right, and of
no other slot whether it is predicted. A system that says too much loses nothing by it.
"""

from __future__ import annotations

from . import Choices, Sums, TrackingMetric, Verdict, share, turn_by_turn
from .dialogue_states import DialogueStates, StatePair


def is_covered(turn: StatePair) -> bool:
    """Return whether all gold triples of a turn are predicted."""
    return turn.agreement.correct == turn.agreement.gold


def _statistics(dialogue: DialogueStates, _: Choices) -> Sums:
    return {"turns": len(dialogue.turns), "covered": sum(map(is_covered, dialogue.turns))}


def _verdict(turn: StatePair, _: Choices) -> Verdict:
    agreement = turn.agreement
    reason = f"{agreement.correct} of {agreement.gold} gold values found"
    return Verdict("joint recall", float(is_covered(turn)), reason)


METRIC = TrackingMetric(
    name="joint recall",
    title="joint recall",
    question="Is all that gold has predicted, whatever else is?",
    unit="percent of the turns",
    source="reported as joint accuracy by papers that ignore extra slots",
    statistics=_statistics,
    formula=lambda sums, _: {"joint recall": share(sums["covered"], sums["turns"])},
    verdicts=turn_by_turn(_verdict),
    rank=15,
)
