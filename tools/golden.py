"""Write the golden reports: the sample's submissions under every published rule set.

    python tools/golden.py

They are compared with new ones, to the last digit, by tests/test_golden.py. A change of theirs is a
change of scores: it needs a line in CHANGELOG.md.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mwz.harness import Scorer, load_benchmark
from mwz.harness.files import read_json, write_json
from mwz.harness.scoring import allowed_metrics
from mwz.harness.submission import normalize_submission, parse_submission
from mwz.normalization.rules import published_rule_sets

SUBMISSIONS = Path(__file__).parents[1] / "harness" / "sample" / "submissions"
TARGET = Path(__file__).parents[1] / "tests" / "golden" / "sample_reports.json"


def golden_reports() -> dict[str, Any]:
    """Return rule set -> name of the submission -> its report as JSON types."""
    scorer = Scorer(load_benchmark("sample"))
    reports: dict[str, Any] = {}
    for rules in published_rule_sets():
        for path in sorted(SUBMISSIONS.glob("*.json")):
            submission = normalize_submission(
                parse_submission(read_json(path), scorer.benchmark, path.name),
                scorer.with_options(rules=rules).rules,
            )
            chosen = scorer.with_options(rules=rules, metrics=allowed_metrics(submission))
            report = chosen.score_normalized(submission).to_dict()
            # Versions differ between machines and forbid no comparison.
            del report["signature"], report["signature_fields"]["versions"]
            reports.setdefault(rules, {})[path.stem] = report
    return reports


if __name__ == "__main__":
    write_json(str(TARGET), golden_reports())
