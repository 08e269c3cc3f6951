"""A metric of state tracking is one file, tried in a copy of the packages."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers import copy_packages

METRIC = '''
"""The share of turns in which nothing is predicted."""

from __future__ import annotations

from .dialogue_states import all_turns
from . import TrackingMetric, Verdict, own_headline, turn_by_turn


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
    copy_packages(tmp_path)
    (tmp_path / "mwz/harness/metrics/tracking/silence.py").write_text(METRIC, encoding="utf-8")
    (tmp_path / "states.json").write_text(json.dumps({"SNG1": TURNS}), encoding="utf-8")

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "mwz", "dst", *arguments],
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
