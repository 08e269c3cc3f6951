"""The sample's scores do not move: golden reports under every rule set, to the last digit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers import PROJECT

from mwz.normalization import published_rule_sets

GOLDEN = json.loads((PROJECT / "tests/golden/sample_reports.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def reports(regenerate: Any) -> Any:
    return regenerate.golden_reports()


@pytest.mark.parametrize("rules", published_rule_sets())
def test_scores_of_the_sample_are_what_they_were(rules: str, reports: Any) -> None:
    # By way of JSON, which writes every digit that a float has.
    made = json.loads(json.dumps(reports[rules]))
    assert made == GOLDEN[rules], "see `python tools/regenerate.py`"
