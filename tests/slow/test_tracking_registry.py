"""A metric of state tracking is one file, tried in a copy of the packages."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import write_json

METRIC = '''
"""The share of turns in which nothing is predicted."""

from __future__ import annotations

from .metric import TrackingMetric, mean_of_turns, only


def _score(turn, choices):
    return float(not turn.predicted)


def _reason(turn, choices):
    return f"{len(turn.predicted)} values predicted"


METRIC = TrackingMetric(
    name="silence",
    question="How often does it say nothing?",
    unit="percent of the turns",
    source="made up for this test",
    **mean_of_turns("silence", _score, _reason),
    parameters=lambda choices: {"quiet": "yes"},
    headlines=only("silence"),
    per_domain=("silence",),
)
'''


TURNS = [
    {"gt": {"hotel": {"area": "north"}}, "pr": {}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {}, "pr": {"hotel": {"area": "north"}}},
]


@pytest.fixture(autouse=True)
def _with_metric(copied: Path) -> None:
    """Add the metric's file to the copy of the packages, and a file of states to score."""
    (copied / "mwz/harness/metrics/tracking/silence.py").write_text(METRIC, encoding="utf-8")
    write_json(copied / "states.json", {"SNG1": TURNS})


def test_a_metric_of_tracking_is_one_file(mwz: Callable[..., str]) -> None:
    [report] = json.loads(mwz("dst", "states.json", "--json", "-", "--intervals"))
    # Nothing is predicted in one turn of four; of the three with a gold hotel, in one.
    assert report["metrics"]["silence"] == 25
    assert report["per_domain"]["hotel"]["silence"] == pytest.approx(100 / 3)
    assert report["signature_fields"]["parameters"]["quiet"] == "yes"
    # There is but one dialogue to draw.
    interval = report["intervals"]["scores"]["dst.silence"]
    assert [interval[name] for name in ("value", "low", "high")] == [25, 25, 25]
    assert re.search(r"silence\n[- ]+\n.* 25\.00$", mwz("dst", "states.json"), re.MULTILINE)
    assert "How often does it say nothing?" in mwz("dst", "--help")
    shown = mwz("dst", "states.json", "--dialogue", "sng1")
    assert "silence: 0 values predicted" in shown
