"""A metric of state tracking is one file and a line per table, tried in a copy."""

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

from .metric import mean_of_turns, tracking_metric, turn_scores


def is_silent(turn):
    return not turn.predicted


def silence(choices):
    return tracking_metric(
        name="silence",
        keys=["silence"],
        count=turn_scores("silence", is_silent),
        shares=mean_of_turns("silence"),
        parameters={"quiet": "yes"},
    )


def silence_verdicts(dialogue, choices):
    verdicts = []
    for turn in dialogue:
        reason = f"{len(turn.predicted)} values predicted"
        verdicts.append({"silence": (float(is_silent(turn)), reason)})
    return verdicts
'''

LINES = {
    "from .slot_accuracy": "from .silence import silence, silence_verdicts\nfrom .slot_accuracy",
    '    fuzzy_joint_accuracy,\n)\n"""': '    fuzzy_joint_accuracy,\n    silence,\n)\n"""',
    "VerdictsOf] = {\n": 'VerdictsOf] = {\n    "silence": silence_verdicts,\n',
    "PER_DOMAIN = (": 'PER_DOMAIN = ("silence", ',
    "COMPACT = (": 'COMPACT = ("silence", ',
}
"""Lines of the registry -> the same with the metric among them."""


TURNS = [
    {"gt": {"hotel": {"area": "north"}}, "pr": {}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {"hotel": {"area": "north"}}, "pr": {"hotel": {"area": "north"}}},
    {"gt": {}, "pr": {"hotel": {"area": "north"}}},
]


@pytest.fixture(autouse=True)
def _with_metric(copied: Path) -> None:
    """Add the metric's file to the copy of the packages, and a file of states to score."""
    tracking = copied / "mwz/harness/metrics/tracking"
    (tracking / "silence.py").write_text(METRIC, encoding="utf-8")
    registry = (tracking / "registry.py").read_text(encoding="utf-8")
    for line, added in LINES.items():
        assert line in registry
        registry = registry.replace(line, added, 1)
    (tracking / "registry.py").write_text(registry, encoding="utf-8")
    glossary = copied / "mwz/harness/glossary.toml"
    terms = glossary.read_text(encoding="utf-8")
    term = 'silence = { meaning = "How often does it say nothing?", unit = "percent of the turns" }'
    glossary.write_text(terms.replace("[metrics]\n", f"[metrics]\n{term}\n"), encoding="utf-8")
    write_json(copied / "states.json", {"SNG1": TURNS})


def test_a_tracking_metric_is_one_file_and_a_line(mwz: Callable[..., str]) -> None:
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
