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
    from .tracking.tracking_report import TrackingReport

# The metrics of state tracking are imported where they are used: most scores do without.


def tracked_dialogues(played: Played) -> list[TrackedDialogue]:
    """Return the predicted states beside the benchmark's gold ones."""
    from .tracking.tracked_dialogues import track_states

    return track_states(played.submission.states, played.benchmark)


def _row() -> type[TrackedDialogue]:
    from .tracking.tracked_dialogues import TrackedDialogue

    return TrackedDialogue


def _result() -> type[TrackingReport]:
    from .tracking.tracking_report import TrackingReport

    return TrackingReport


def _score(results: Sequence[DialogueResult]) -> TrackingReport:
    from .tracking.evaluation import score_tracking

    return score_tracking([one.further["dst"] for one in results])


def _statistics(results: Sequence[DialogueResult]) -> Statistics:
    from .tracking.evaluation import tracking_statistics

    return tracking_statistics([one.further["dst"] for one in results])


def _text(_: Metric, report: TrackingReport) -> str:
    from .tracking.tracking_text import side_by_side_text

    return side_by_side_text(["state tracking"], [report])


def _unfit(submission: NormalizedSubmission) -> str | None:
    return None if submission.predicts_states else "`dst` needs a `state` in every turn"


METRIC = Metric(
    name="dst",
    title="State tracking",
    description="How well belief states are predicted, by every metric of `mwz dst`.",
    unit="percent",
    source="see docs/state-tracking.md",
    per_dialogue=tracked_dialogues,
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
