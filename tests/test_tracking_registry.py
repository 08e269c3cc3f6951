"""A state-tracking metric is one file: reports, tables, help, signature and view follow from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.metrics import tracking as tracking_registry
from mwz.harness.metrics.tracking import TrackingMetric, tracking_metrics
from mwz.harness.metrics.tracking.evaluation import score_tracking


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> Callable[[TrackingMetric], None]:
    """Registers a further metric, for one test."""
    found = list(tracking_metrics().values())

    def register(metric: TrackingMetric) -> None:
        monkeypatch.setattr(tracking_registry, "declared", lambda *_: [*found, metric])
        tracking_metrics.cache_clear()

    yield register  # type: ignore[misc]
    monkeypatch.undo()
    tracking_metrics.cache_clear()


def _metric(name: str, figures: dict[str, float]) -> TrackingMetric:
    return TrackingMetric(
        name=name,
        title=name,
        question="?",
        unit="percent",
        source="made up",
        statistics=lambda dialogue, choices: {},
        formula=lambda sums, choices: figures,
    )


def test_two_metrics_of_one_name_are_refused(registered: Callable[[TrackingMetric], None]) -> None:
    registered(_metric("IAGA", {}))
    with pytest.raises(RuntimeError, match="two state-tracking metrics are called IAGA"):
        tracking_metrics()


def test_figures_that_would_be_lost_are_refused(
    registered: Callable[[TrackingMetric], None],
) -> None:
    registered(_metric("other", {"another": 1.0}))
    with pytest.raises(RuntimeError, match="other gives another, which `titles` does not name"):
        score_tracking([tracked(*FGA_FIGURE_1)])
