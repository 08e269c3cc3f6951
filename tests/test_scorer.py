"""A scorer is what a training loop keeps; the benchmark stays plain data."""

from __future__ import annotations

import copy
import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from helpers import HASTY

from mwz.harness import Benchmark, InputError, ReadingWarning, load_predictions
from mwz.harness.scoring import Options, Scorer, database_of
from mwz.harness.scoring.scorer import bleu_references, score


def test_a_scorer_gives_what_scoring_once_gives(sample: Benchmark, careful: Any) -> None:
    before = copy.deepcopy(careful)
    scorer = Scorer(sample)
    assert scorer.score(careful) == scorer.score(careful) == score(careful, sample)
    assert careful == before


def test_warnings_can_be_silenced_or_made_errors(
    sample: Benchmark, capsys: pytest.CaptureFixture[str]
) -> None:
    # Written unlike the benchmark's values, among others.
    scorer, hasty = Scorer(sample), load_predictions(HASTY)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", ReadingWarning)
        report = scorer.score(hasty)
    assert (issued, any(remark.warning for remark in report.remarks)) == ([], True)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ReadingWarning)
        with pytest.raises(ReadingWarning, match="write them as MultiWOZ does"):
            scorer.score(hasty)
    assert capsys.readouterr() == ("", "")


def test_benchmarks_can_be_copied(sample: Benchmark, careful: Any) -> None:
    fresh = copy.deepcopy(sample)
    held = set(vars(sample))
    score(careful, sample)
    for copied in (copy.deepcopy(sample), pickle.loads(pickle.dumps(sample))):
        assert copied == fresh
        assert score(careful, copied) == score(careful, sample)
    # Nothing is derived in place.
    assert set(vars(sample)) == held


def test_a_scorer_can_be_sent_to_another_process(sample: Benchmark, careful: Any) -> None:
    scorer = Scorer(sample, Options(rules="2023", setup="strict"))
    report = scorer.score(careful)
    copied = pickle.loads(pickle.dumps(scorer))
    assert copied.options == scorer.options
    assert copied.score(careful) == report


def test_other_options_share_what_is_derived(sample: Benchmark, careful: Any) -> None:
    scorer = Scorer(sample)
    other = scorer.with_options(rules="2026", setup="strict")
    assert bleu_references(sample.scored_part(other.rules)) is bleu_references(sample)
    assert database_of(other) is not database_of(scorer)
    assert database_of(scorer.with_options(setup="strict")) is database_of(scorer)
    assert other.score(careful) == score(careful, sample, Options(rules="2026", setup="strict"))


def test_threads_may_share_a_scorer(sample: Benchmark, careful: Any) -> None:
    scorer = Scorer(sample)
    expected = score(careful, sample)
    with ThreadPoolExecutor(8) as pool:
        assert all(r == expected for r in pool.map(scorer.score, [careful] * 8))


def test_metrics_may_be_called_by_their_other_names(sample: Benchmark) -> None:
    options = Options(metrics=("success", "richness", "inform"))
    assert options.resolved.metrics == ("inform", "diversity")
    assert Options().resolved.metrics[:3] == ("inform", "bleu", "diversity")
    with pytest.raises(
        InputError, match=r"unknown metric 'blue'; choose from inform, bleu, diversity"
    ):
        Options(metrics=["blue"])
