"""Relative slot accuracy (RSA): slot accuracy over the slots that the turn is about.

Kim et al., "Mismatch between Multi-turn Dialogue and its Evaluation Metric in Dialogue State
Tracking" (2022), equation 3. It does not depend on how many slots a data set defines. A turn
without any slot scores 0 even when that is right, which lowers every system's score.

The published code of Dey et al. and of Aksu & Chen takes for a slot what stands before the last
dash of `domain-slot-value`, and so do we: where a wrong value has a dash of its own ("sixty-two"),
the gold value's slot counts as missed and the predicted one's as another that is wrong. In TripPy's
file it is 63.22 for that, and not 63.23.
"""

from __future__ import annotations

from . import Choices, TrackingMetric, Verdict, mean_of_turns, only, share
from .dialogue_states import StatePair


def turn_relative_slot_accuracy(turn: StatePair) -> float:
    """Return (T* - M - W) / T* of one turn, and 0 if T* is 0.

    T* counts the slots in the gold or the predicted state, M the gold slots that are not predicted
    at all, W the predicted triples that are not gold (so a wrong value counts once, but for values
    with a dash: see above).
    """
    return share(turn.agreement.correct, slots_in_play(turn))


def slots_in_play(turn: StatePair) -> int:
    """Return T*: the slots in the gold or the predicted state, as the published code tells them."""
    apart = 0
    if turn.agreement.wrong:
        apart = sum(
            _before_last_dash(value) != _before_last_dash(turn.predicted[slot])
            for slot, value in turn.gold.items()
            if slot in turn.predicted
        )
    return turn.agreement.slots + apart


def _before_last_dash(value: str) -> str | None:
    head, dash, _ = value.rpartition("-")
    return head if dash else None


def _verdict(turn: StatePair, _: Choices) -> Verdict:
    agreement = turn.agreement
    reason = f"{agreement.correct} of the {slots_in_play(turn)} slots in either state right"
    score = turn_relative_slot_accuracy(turn)
    return Verdict("RSA", score, reason if agreement.slots else "no slots in either state")


METRIC = TrackingMetric(
    name="RSA",
    title="relative slot accuracy",
    question="Which share of the slots in play is right?",
    unit="percent of the slots, averaged over turns",
    source="Kim et al. (2022)",
    **mean_of_turns("RSA", _verdict),
    headlines=only("RSA"),
    per_domain=("RSA",),
    rank=40,
)
