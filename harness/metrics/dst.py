"""State tracking of a submission: its predicted states against the benchmark's gold ones."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ..submission import NormalizedSubmission
from .metric import Metric
from .results import DialogueResult


def _tracking(module: str) -> Any:
    """Return a module of state tracking: most scores do without, and need not load it."""
    return import_module(f"mwz.harness.metrics.tracking.{module}")


def _dialogues(results: Sequence[DialogueResult]) -> list[Any]:
    return [one.further["dst"] for one in results]


def _unfit(submission: NormalizedSubmission) -> str | None:
    return None if submission.predicts_states else "`dst` needs a `state` in every turn"


METRIC = Metric(
    name="dst",
    title="State tracking",
    description="How well belief states are predicted, by every metric of `mwz dst`.",
    unit="percent",
    source="see docs/state-tracking.md",
    per_dialogue=lambda played: _tracking("states").track_states(
        played.submission.states, played.benchmark, rules=played.rules
    ),
    compute=lambda results: _tracking("evaluation").score_tracking(_dialogues(results)),
    statistics=lambda results: _tracking("evaluation").tracking_statistics(_dialogues(results)),
    result=lambda: _tracking("evaluation").TrackingResult,
    text=lambda _, result: str(result.text()),
    unfit=_unfit,
    aliases=("jga",),
    default=False,
    rank=4,
)
