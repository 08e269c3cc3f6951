"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..submission import NormalizedSubmission
from . import Metric
from .played import Played
from .results import DialogueResult
from .statistics import Statistics

if TYPE_CHECKING:
    from .tracking.tracked_dialogues import TrackedDialogue
    from .tracking.tracking_result import TrackingResult

# The metrics of state tracking are imported where they are used: most scores do without.


def _tracked(played: Played) -> list[TrackedDialogue]:
    """Return the predicted states beside the benchmark's gold ones."""
    from .tracking.tracked_dialogues import track_states

    return track_states(played.submission.states, played.benchmark)


def _row() -> type[TrackedDialogue]:
    from .tracking.tracked_dialogues import TrackedDialogue

    return TrackedDialogue


def _result() -> type[TrackingResult]:
    from .tracking.tracking_result import TrackingResult

    return TrackingResult


def _score(results: Sequence[DialogueResult]) -> TrackingResult:
    from .tracking.evaluation import score_tracking

    return score_tracking([one.further["dst"] for one in results])


def _statistics(results: Sequence[DialogueResult]) -> Statistics:
    from .tracking.evaluation import tracking_statistics

    return tracking_statistics([one.further["dst"] for one in results])


def _text(_: Metric, result: TrackingResult) -> str:
    from .tracking.tracking_text import result_text

    return result_text(result)


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
    text=_text,
    headlines=(),
    unfit=_unfit,
    aliases=("jga",),
    default=False,
    rank=4,
)
