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


def test_there_are_golden_reports_of_the_three_submissions_under_each_rule_set() -> None:
    assert {"2021", "2023", "2026"} <= set(GOLDEN) <= set(published_rule_sets())
    assert all(list(each) == ["careful", "hasty", "scripted"] for each in GOLDEN.values())


@pytest.mark.parametrize("submission", ["careful", "hasty", "scripted"])
@pytest.mark.parametrize("rules", list(GOLDEN))
def test_scores_of_the_sample_are_what_they_were(rules: str, submission: str, reports: Any) -> None:
    # By way of JSON, which writes every digit that a float has.
    made = json.loads(json.dumps(reports[rules][submission]))
    assert made == GOLDEN[rules][submission], "see `python tools/regenerate.py`"
