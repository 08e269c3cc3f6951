"""Joint recall: joint goal accuracy that ignores what is predicted in excess.

Some papers call it joint accuracy: they ask of each gold slot whether it is predicted right, and of
no other slot whether it is predicted. A system that says too much loses nothing by it.
"""

from __future__ import annotations

from . import TrackingMetric, mean_of_turns
from .choices import Choices
from .dialogue_states import StatePair


def _score(turn: StatePair, _: Choices) -> float:
    return float(turn.agreement.correct == turn.agreement.gold)


def _reason(turn: StatePair, _: Choices) -> str:
    return f"{turn.agreement.correct} of {turn.agreement.gold} gold values found"


METRIC = TrackingMetric(
    name="joint recall",
    title="joint recall",
    question="Is all that gold has predicted, whatever else is?",
    unit="percent of the turns",
    source="reported as joint accuracy by papers that ignore extra slots",
    **mean_of_turns("joint recall", _score, _reason),
    rank=15,
)
