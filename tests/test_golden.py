"""The sample's scores do not move: golden reports under every rule set, to the last digit."""

from __future__ import annotations

import json
from typing import Any

from helpers import PROJECT

GOLDEN = json.loads((PROJECT / "tests/golden/sample_reports.json").read_text(encoding="utf-8"))


def test_scores_of_the_sample_are_what_they_were(regenerate: Any) -> None:
    # By way of JSON, which writes every digit that a float has.
    made = json.loads(json.dumps(regenerate.golden_reports()))
    assert made == GOLDEN, "see `python tools/regenerate.py`"
