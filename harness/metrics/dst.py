"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from ..submission import NormalizedSubmission
from .metric import Metric, Played
from .results import DialogueResult, Statistics

# The metrics of state tracking are imported where they are used: most scores do without.


def _evaluation() -> ModuleType:
    from .tracking import evaluation

    return evaluation


def _tracked(played: Played) -> Sequence[Any]:
    """Return the predicted states beside the benchmark's gold ones."""
    from .tracking.states import track_states

    return track_states(played.submission.states, played.benchmark)


def _row() -> Any:
    return _evaluation().TrackedDialogue


def _result() -> Any:
    return _evaluation().TrackingResult


def _score(results: Sequence[DialogueResult]) -> Any:
    return _evaluation().score_tracking([one.further["dst"] for one in results])


def _statistics(results: Sequence[DialogueResult]) -> Statistics:
    dialogues = [one.further["dst"] for one in results]
    statistics: Statistics = _evaluation().tracking_statistics(dialogues)
    return statistics


def _unfit(submission: NormalizedSubmission) -> str | None:
    return None if submission.predicts_states else "`dst` needs a `state` in every turn"


METRIC = Metric(
    name="dst",
    title="State tracking",
    description="How well belief states are predicted, by every metric of `mwz dst`.",
    unit="percent",
    source="see docs/state-tracking.md",
    per_dialogue=_tracked,
    compute=_score,
    statistics=_statistics,
    row=_row,
    result=_result,
    text=lambda _, result: str(result.text()),
    headlines=(),
    unfit=_unfit,
    aliases=("jga",),
    default=False,
    rank=4,
)
