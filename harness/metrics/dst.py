"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..submission import NormalizedSubmission
from . import Metric, no_percentages
from .played import Played
from .statistics import Statistics

if TYPE_CHECKING:
    from .tracking.tracked_dialogues import TrackedDialogue
    from .tracking.tracking_report import TrackingReport

# The metrics of state tracking are imported where they are used: most scores do without.


def tracked_dialogues(played: Played) -> list[TrackedDialogue]:
    """Return the predicted states beside the benchmark's gold ones."""
    from .tracking.tracked_dialogues import track_states

    states, before = played.submission.states, played.before
    if before is None:
        return track_states(states, played.benchmark)
    # Most are equal under all rule sets, and so is all that is worked out of them.
    old = before.submission.states
    known = {one.id: one for one in before.once(tracked_dialogues)}
    changed = {id_: own for id_, own in states.items() if own != old[id_]}
    known |= {one.id: one for one in track_states(changed, played.benchmark)}
    return [known[id_] for id_ in states]


def _result() -> type[TrackingReport]:
    from .tracking.tracking_report import TrackingReport

    return TrackingReport


def _score(played: Played) -> TrackingReport:
    from .tracking.evaluation import score_tracking

    return score_tracking(played.once(tracked_dialogues))


def _statistics(played: Played) -> Statistics:
    from .tracking.evaluation import tracking_statistics

    return tracking_statistics(played.once(tracked_dialogues))


def _check(results: Mapping[str, Any], dialogues: int) -> Iterator[str]:
    report: TrackingReport | None = results.get("dst")
    return no_percentages("dst.fuzzy", {} if report is None else report.fuzzy)


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
    compute=_score,
    made_of=lambda played: played.submission.states,
    statistics=_statistics,
    check=_check,
    result=_result,
    text=_text,
    headlines=(),
    unfit=_unfit,
    aliases=("jga",),
    default=False,
    rank=4,
)
