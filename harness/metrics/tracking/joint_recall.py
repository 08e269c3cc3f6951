"""Joint recall: joint goal accuracy that ignores what is predicted in excess.

Some papers call it joint accuracy: they ask of each gold slot whether it is predicted right, and of
no other slot whether it is predicted. A system that says too much loses nothing by it.
"""

from __future__ import annotations

from . import Choices, TrackingMetric, Verdict, mean_of_turns
from .dialogue_states import StatePair


def _verdict(turn: StatePair, _: Choices) -> Verdict:
    agreement = turn.agreement
    reason = f"{agreement.correct} of {agreement.gold} gold values found"
    return Verdict("joint recall", float(agreement.correct == agreement.gold), reason)


METRIC = TrackingMetric(
    name="joint recall",
    title="joint recall",
    question="Is all that gold has predicted, whatever else is?",
    unit="percent of the turns",
    source="reported as joint accuracy by papers that ignore extra slots",
    **mean_of_turns("joint recall", _verdict),
    rank=15,
)
