"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

# Imports the room and not its modules: most scores do without state tracking, and the room loads
# a module when something in it is used.
from .. import metrics
from ..submission import NormalizedSubmission
from .metric import Figure, Figures, Metric, Presentation, Results, Rows, Sums
from .played import Played

if TYPE_CHECKING:
    from .tracking.evaluation import TrackingResult
    from .tracking.states import TrackedDialogue


def tracked_dialogues(played: Played) -> dict[str, TrackedDialogue]:
    """Return dialogue id -> its predicted and gold states."""
    submission = played.submission
    tracked = metrics.track_states(submission.states, played.benchmark, rules=played.rules)
    return dict(zip(submission.dialogues, tracked, strict=True))


def tracking_rows(played: Played) -> Rows:
    """Return the row of every dialogue, of all metrics of state tracking."""
    return metrics.dialogue_rows(list(tracked_dialogues(played).values()))


def formula(sums: Sums) -> Figures:
    """Return figure -> percent: `dst.JGA`, `dst.FGA.0.5` and so on."""
    # Imports late, as above; no other room uses it, so that the door does not have it.
    from .tracking.evaluation import tracking_formula

    return tracking_formula(sums)


class _Tracked(tuple["TrackedDialogue", ...]):
    """Tracked dialogues by which their scores are found again: hashed by ids, compared whole."""

    def __hash__(self) -> int:
        return hash(tuple(dialogue.id for dialogue in self))


# Rule sets often leave a system's states alike, and entries are scored under several of them.
@lru_cache(maxsize=1)
def _scored(dialogues: _Tracked) -> TrackingResult:
    return metrics.score_tracking(dialogues)


def score_states(played: Played) -> Results:
    """Return the result: what every metric of state tracking gives."""
    return {"dst": _scored(_Tracked(tracked_dialogues(played).values()))}


def tracking_figures() -> Sequence[Figure]:
    """Return the figures of all metrics of state tracking."""
    return metrics.joined_metric().presentation.all_figures()


def unfit(submission: NormalizedSubmission) -> str | None:
    """Say that a submission lacks states."""
    return None if submission.predicts_states else "`dst` needs a `state` in every turn"


METRIC: Metric[Played] = Metric(
    name="dst",
    presentation=Presentation(
        title="State tracking",
        late_figures=tracking_figures,
        text=lambda _, results: str(metrics.tracking_text(results["dst"])),
    ),
    rows=tracking_rows,
    formula=formula,
    value=score_states,
    result=lambda: {"dst": metrics.TrackingResult},
    details=tracked_dialogues,
    unfit=unfit,
    is_default=False,
    takes_samples=True,
)
