"""A report is the same in Python and in JSON, and reads back from what was written."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import asdict
from typing import Any

import pytest
from helpers import CAREFUL, HASTY, read_submission

from mwz.harness import InputError, load_predictions
from mwz.harness.data import load_benchmark
from mwz.harness.scoring import Report, Scorer, read_report, report_on, with_all_metrics
from mwz.harness.submission import normalize_submission


@pytest.fixture(scope="module")
def report() -> Report:
    """A report with every metric."""
    scorer = Scorer(load_benchmark("sample"))
    path = HASTY
    submission = normalize_submission(read_submission(path, scorer.benchmark), scorer.rules)
    return report_on(with_all_metrics(scorer, submission), submission)


@pytest.fixture
def written(report: Report) -> Any:
    return json.loads(json.dumps(report.to_dict()))


def test_reading_back_what_was_written_gives_the_same_report(report: Report, written: Any) -> None:
    before = copy.deepcopy(written)
    read = read_report(written, "report.json")
    assert read == report
    assert read.to_dict() == report.to_dict()
    assert written == before


def test_parts_that_are_plain_data_are_written_as_they_are(report: Report, written: Any) -> None:
    for name in ("coverage", "strict", "optimistic", "diversity"):
        assert asdict(getattr(report, name)) == written[name]


def test_a_metric_that_this_version_does_not_know_is_kept(written: Any) -> None:
    written["from_later"] = {"x": [1, 2.5]}
    read = read_report(written, "report.json")
    assert read.metrics["from_later"] == {"x": [1, 2.5]}
    assert read.to_dict()["from_later"] == {"x": [1, 2.5]}


def test_what_was_not_asked_for_is_none_and_not_in_the_json(sample: Any) -> None:
    scorer = Scorer(sample).with_options(metrics=["bleu"])
    report = scorer.score({"town001": [{"response": "hello"}]})
    assert report.inform is report.success is report.combined is report.strict is None
    assert report.diversity is report.dst is None
    assert "inform" not in report.to_dict()
    assert read_report(json.loads(json.dumps(report.to_dict())), "x") == report


def test_notebooks_show_a_table(sample: Any) -> None:
    scorer = Scorer(sample)
    # 26 and 25 of 30 dialogues; (86.7 + 83.3) / 2 + 39.7 = 124.7.
    html = scorer.score(load_predictions(CAREFUL))._repr_html_()
    assert re.findall(r"<td[^>]*> *([\d.]+)", html)[:4] == ["39.7", "86.7", "83.3", "124.7"]
    # Without a set-up there are no totals: what there is is not folded away.
    tracked = scorer.with_options(metrics=["dst"]).score(load_predictions(CAREFUL))
    assert tracked._repr_html_().startswith("<details open><summary>&lt;Report on sample")


def _set(document: Any, place: str, value: Any) -> None:
    *steps, last = place.split(".")
    for step in steps:
        document = document[step]
    document[last] = value


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("diversity.unigrams", "many", "diversity.unigrams: .*integer"),
        ("diversity.unigram", 1, "diversity.unigram: unknown key"),
        ("coverage.turns", None, "coverage.turns"),
        ("strict.domains", 3, "strict.domains"),
        ("strict.inform", {"restaurant": 50.0}, "strict: .*inform lacks total"),
        ("strict.success", {"restaurant": 50.0}, "strict: .*success lacks total"),
        ("unknown_placeholders", [], "unknown_placeholders"),
        ("format", 1, "format: a report of version 2 is expected, and this is 1; score again"),
    ],
)
def test_damaged_reports_are_refused(place: str, value: Any, message: str, written: Any) -> None:
    _set(written, place, value)
    with pytest.raises(InputError, match=message) as refused:
        read_report(written, "report.json")
    assert str(refused.value).startswith("report.json: ")
