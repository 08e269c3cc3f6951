"""Joint recall: joint goal accuracy that ignores what is predicted in excess.

Some papers call it joint accuracy: they ask of each gold slot whether it is predicted right, and of
no other slot whether it is predicted. A system that says too much loses nothing by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from . import Choices, TrackingMetric, Verdict, turn_by_turn
from .dialogue_states import StatePair, all_turns


def is_covered(turn: StatePair) -> bool:
    """Return whether all gold triples of a turn are predicted."""
    return turn.agreement.correct == turn.agreement.gold


def joint_recall(turns: Sequence[StatePair]) -> float:
    """Return the share of turns all of whose gold triples are predicted.

    Raises:
        ValueError: There are no turns.
    """
    return fmean([is_covered(turn) for turn in turns])


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
    compute=lambda dialogues, _: {
        "metrics": {"joint recall": 100 * joint_recall(all_turns(dialogues))}
    },
    verdicts=turn_by_turn(_verdict),
    rank=15,
)
