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


def test_fields_have_the_same_names_in_python_and_in_json(report: Report, written: Any) -> None:
    # The format is that of the file, and the signature is there as a line as well.
    names = written.keys() - {"format", "signature", "signature_fields"}
    signed = {"benchmark", "rules", "domains", "states", "goals"}
    assert names >= {*report.metrics, *signed, "inform", "success", "combined", "coverage"}
    for name in signed:
        assert getattr(report.signature, name) == written[name]
    for name in names - signed:
        assert name in report.metrics or getattr(report, name) is not None, name
    # So have the parts that are plain data.
    parts = [report.coverage, report.strict, report.optimistic, report.diversity]
    for name, part in zip(("coverage", "strict", "optimistic", "diversity"), parts, strict=True):
        assert asdict(part) == written[name]


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


def test_python_and_notebooks_show_a_line_and_a_table(sample: Any) -> None:
    scorer = Scorer(sample)
    report = scorer.score(load_predictions(CAREFUL))
    # 26 and 25 of 30 dialogues; (86.7 + 83.3) / 2 + 39.7 = 124.7.
    line = "30 of 30 dialogues: Inform 86.7, Success 83.3, Combined 124.7, BLEU 39.7>"
    assert repr(report) == f"<Report on sample, {line}"
    assert repr(sample) == "<Benchmark sample: 30 dialogues, 146 turns>"
    html = report._repr_html_()
    assert re.findall(r"<td[^>]*> *([\d.]+)", html)[:4] == ["39.7", "86.7", "83.3", "124.7"]
    # Without a set-up there are no totals: what there is is not folded away.
    tracked = scorer.with_options(metrics=["dst"]).score(load_predictions(CAREFUL))
    assert tracked._repr_html_().startswith("<details open><summary>&lt;Report on sample")
    gold = scorer.with_options(states="gold").score(load_predictions(CAREFUL))
    assert ", gold states: " in repr(gold)


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
