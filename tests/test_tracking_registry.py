"""A state-tracking metric is one file: reports, tables, help, signature and view follow from it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracking_cases import FGA_FIGURE_1, tracked

from mwz.harness.metrics.tracking import tracking_registry
from mwz.harness.metrics.tracking.tracking_registry import TrackingMetric, tracking_metrics
from mwz.harness.tracking.evaluation import score_tracking

PROJECT = Path(__file__).parents[1]

METRIC = '''
"""The share of turns in which nothing is predicted."""

from __future__ import annotations

from .dialogue_states import all_turns
from .tracking_registry import TrackingMetric, Verdict, own_headline, turn_by_turn


def _silent(turn, choices):
    return Verdict("silence", float(not turn.predicted), f"{len(turn.predicted)} values predicted")


METRIC = TrackingMetric(
    name="silence",
    title="silence",
    question="How often does it say nothing?",
    unit="percent of the turns",
    source="made up for this test",
    compute=lambda dialogues, choices: {
        "metrics": {
            "silence": 100.0
            * sum(not turn.predicted for turn in all_turns(dialogues))
            / len(all_turns(dialogues))
        }
    },
    verdicts=turn_by_turn(_silent),
    parameters=lambda choices: {"quiet": "yes"},
    headlines=own_headline("silence"),
    of_domain=lambda turns, choices: {
        "silence": 100.0 * sum(not turn.predicted for turn in turns) / len(turns)
    },
)
'''

TURNS = [
    {"gt": {"hotel": {"area": "north"}}, "pr": {}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {}, "pr": {"hotel": {"area": "north"}}},
]


@pytest.fixture
def mwz(tmp_path: Path) -> Callable[..., str]:
    """Runs a command of a copy of the packages that has the metric's file."""
    shutil.copytree(PROJECT / "package", tmp_path / "mwz")
    for name in ("harness", "database", "normalization"):
        shutil.copytree(
            PROJECT / name, tmp_path / "mwz" / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    (tmp_path / "mwz/harness/metrics/tracking/silence.py").write_text(METRIC, encoding="utf-8")
    (tmp_path / "states.json").write_text(json.dumps({"SNG1": TURNS}), encoding="utf-8")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "mwz.harness.cli", "dst", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path), "COLUMNS": "200"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_metric_of_tracking_is_one_file(mwz: Callable[..., str]) -> None:
    [report] = json.loads(mwz("states.json", "--json", "-"))
    # Nothing is predicted in one turn of four; of the three with a gold hotel, in one.
    assert report["metrics"]["silence"] == 25
    assert report["per_domain"]["hotel"]["silence"] == pytest.approx(100 / 3)
    assert report["signature_fields"]["parameters"]["quiet"] == "yes"
    assert re.search(r"^silence +25\.00$", mwz("states.json"), re.MULTILINE)
    assert "How often does it say nothing? Percent of the turns." in mwz("--help")
    assert "silence: 0 values predicted" in mwz("states.json", "--dialogue", "sng1")


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


def _metric(name: str, figures: dict[str, Any]) -> TrackingMetric:
    return TrackingMetric(
        name=name,
        title=name,
        question="?",
        unit="percent",
        source="made up",
        compute=lambda dialogues, choices: figures,
    )


def test_two_metrics_of_one_name_are_refused(registered: Callable[[TrackingMetric], None]) -> None:
    registered(_metric("IAGA", {}))
    with pytest.raises(RuntimeError, match="two state-tracking metrics are called IAGA"):
        tracking_metrics()


@pytest.mark.parametrize(
    ("figures", "message"),
    [
        ({"metrics": {"JGA": 1.0}}, "other gives a figure that another metric gives"),
        ({"elsewhere": {"other": 1.0}}, "other fills elsewhere, which no report has"),
    ],
)
def test_figures_that_would_be_lost_are_refused(
    registered: Callable[[TrackingMetric], None], figures: dict[str, Any], message: str
) -> None:
    registered(_metric("other", figures))
    with pytest.raises(RuntimeError, match=message):
        score_tracking([tracked(*FGA_FIGURE_1)])


def test_every_metric_says_what_help_and_docs_need() -> None:
    for metric in tracking_metrics().values():
        assert metric.question.endswith("?")
        assert metric.unit.startswith("percent")
        assert metric.source
