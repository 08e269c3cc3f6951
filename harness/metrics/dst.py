"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..submission import NormalizedSubmission
from .metric import Figure, Figures, Metric, Presentation, Results, Rows, Sums
from .played import Played

if TYPE_CHECKING:
    from .tracking.states import TrackedDialogue

# Most scores do without state tracking, and need not load it: it is imported where it is used.


def tracked_dialogues(played: Played) -> dict[str, TrackedDialogue]:
    """Return dialogue id -> its predicted and gold states."""
    from .tracking.states import track_states

    submission = played.submission
    tracked = track_states(submission.states, played.benchmark, rules=played.rules)
    return dict(zip(submission.dialogues, tracked, strict=True))


def tracking_rows(played: Played) -> Rows:
    """Return the row of every dialogue, of all metrics of state tracking."""
    from .tracking.evaluation import dialogue_rows

    return dialogue_rows(list(tracked_dialogues(played).values()))


def formula(sums: Sums) -> Figures:
    """Return figure -> percent: `dst.JGA`, `dst.FGA.0.5` and so on."""
    from .tracking.evaluation import tracking_formula

    return tracking_formula(sums)


def score_states(played: Played) -> Results:
    """Return the result: what every metric of state tracking gives."""
    from .tracking.evaluation import score_tracking

    return {"dst": score_tracking(list(tracked_dialogues(played).values()))}


def tracking_figures() -> Sequence[Figure]:
    """Return the figures of all metrics of state tracking."""
    from .tracking.evaluation import joined_metric

    return joined_metric().presentation.all_figures()


def tracking_type() -> dict[str, object]:
    """Return the key of the result -> its type."""
    from .tracking.evaluation import TrackingResult

    return {"dst": TrackingResult}


def unfit(submission: NormalizedSubmission) -> str | None:
    """Say that a submission lacks states."""
    return None if submission.predicts_states else "`dst` needs a `state` in every turn"


METRIC = Metric(
    name="dst",
    presentation=Presentation(
        title="State tracking",
        figures=tracking_figures,
        text=lambda _, results: str(results["dst"].text()),
    ),
    rows=tracking_rows,
    formula=formula,
    value=score_states,
    result=tracking_type,
    details=tracked_dialogues,
    unfit=unfit,
    is_default=False,
    takes_samples=True,
)
