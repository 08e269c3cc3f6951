"""Submitting: all or nothing, whatever interrupts it, and whoever else submits meanwhile."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from entered import (
    all_scores,
    enter,
    enter_sample,
    made_system,
    make_older,
    reports,
    sample_content,
    submit_alone,
)
from submitted import NEW, OLD, files_below

from mwz.harness import Benchmark
from mwz.harness.board import Reading, Scores, enter as enter_system, locked, read_entries
from mwz.harness.board.entries import read_entry
from mwz.harness.board.scores import hashes_of
from mwz.harness.board.systems import PREDICTIONS_FILE
from mwz.harness.errors import InputError
from mwz.harness.scoring import Options, Scorer
from mwz.harness.scoring.scorer import score
from mwz.normalization import published_rule_sets


def _submit(folder: Path, name: str = "System", content: bytes = NEW, **options: Any) -> None:
    submit_alone(folder, made_system(name), content, _scores(content), **options)


def _scores(content: bytes = NEW, **figures: Any) -> Scores:
    return Scores(reports(**figures), hashes_of(content))


def test_the_same_predictions_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        _submit(tmp_path / folder)
    assert files_below(tmp_path / "one") == files_below(tmp_path / "two")


def test_reports_have_every_metric_that_the_predictions_allow(sample: Benchmark) -> None:
    for name, has_states in [("careful", True), ("scripted", False)]:
        content = sample_content(name)
        scores = all_scores(content, sample, name)
        assert list(scores.reports) == list(published_rule_sets())
        assert scores.predictions.is_file(content)
        for rules, scored in scores.reports.items():
            metrics = ["bleu", "inform", "diversity", "flags", *(["dst"] if has_states else [])]
            options = Options(rules=rules, metrics=metrics)
            again = score(json.loads(content), sample, options)
            assert {key: scored.metrics[key] for key in again.metrics} == again.metrics
            assert scored.coverage == again.coverage
            assert (scored.dst is not None) is has_states


def test_replacing_leaves_nothing_of_the_old_one(tmp_path: Path) -> None:
    _submit(tmp_path, content=OLD)
    (tmp_path / "system" / "seed-2.json.gz").write_bytes(b"another seed's")
    _submit(tmp_path, replaces=True)
    predictions = (tmp_path / "system" / PREDICTIONS_FILE).read_bytes()
    assert gzip.decompress(predictions) == NEW
    assert not (tmp_path / "system" / "seed-2.json.gz").exists()
    assert [path.name for path in tmp_path.iterdir() if path.is_dir()] == ["system"]


@pytest.mark.parametrize("rules", published_rule_sets())
def test_incomparable_scores_are_not_entered(rules: str, tmp_path: Path) -> None:
    own, other = reports(), reports(data="ba9876543210")
    enter(tmp_path, "first", scored={**own, rules: other[rules]})
    before = files_below(tmp_path)
    with pytest.raises(InputError, match="does not compare with first"):
        _submit(tmp_path)
    assert files_below(tmp_path) == before


def test_an_entry_replaces_one_that_an_earlier_version_scored(tmp_path: Path) -> None:
    _submit(tmp_path, content=OLD)
    make_older(tmp_path / "system")
    _submit(tmp_path, replaces=True)
    assert read_entry(tmp_path / "system").scores == _scores()


def test_what_a_killed_process_left_is_not_entered(tmp_path: Path) -> None:
    (tmp_path / ".system").mkdir()
    (tmp_path / ".system" / "seed-3.json.gz").write_bytes(b"of the process that was killed")
    (tmp_path / ".system" / "note.md").write_text("so is this")
    _submit(tmp_path)
    _submit(tmp_path / "alone")
    assert files_below(tmp_path / "system") == files_below(tmp_path / "alone" / "system")


class _Waiting(threading.Event):
    """Is set when a process is told that it waits."""

    def __call__(self, source: str, remarks: Iterable[object]) -> None:
        if any("another process changes it" in str(remark) for remark in remarks):
            self.set()


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("another", "hasty", None),
        ("another", "careful", "has the predictions of careful"),
        ("careful", "hasty", "--replace"),
    ],
)
def test_a_submission_waits_for_another_and_sees_what_it_entered(
    name: str, content: str, problem: str | None, sample: Benchmark, tmp_path: Path
) -> None:
    waiting, outcomes = _Waiting(), []

    def submit() -> None:
        files = [(f"{content}.json", sample_content(content))]
        reading = Reading(scorer=Scorer(sample))
        try:
            entered, _ = enter_system(tmp_path, made_system(name), files, reading, waiting)
            outcomes.append(entered.key)
        except InputError as error:
            outcomes.append(str(error))

    second = threading.Thread(target=submit)
    with locked(tmp_path, waiting):
        second.start()
        assert waiting.wait(60)
        enter_sample(tmp_path, "careful")
    second.join(60)
    expected = {"careful"} if problem else {"careful", "another"}
    assert {entry.key for entry in read_entries(tmp_path)} == expected
    assert (problem or "another") in outcomes[0]
