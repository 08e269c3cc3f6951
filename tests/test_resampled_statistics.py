"""Resampled figures are what scoring the sample gives; of all dialogues, to the last digit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from helpers import sample_predictions
from hypothesis import given, settings, strategies as st
from resampled_cases import report_figures, sample_evidence, sample_scorer
from sacrebleu.metrics.bleu import BLEU

from mwz.harness import InputError
from mwz.harness.comparison.comparing import swaps
from mwz.harness.comparison.evidence import bootstrap_samples
from mwz.harness.metrics import bleu_of_counts, bleu_of_samples
from mwz.harness.metrics.tracking.metric import exact_sum, sum_of

SYSTEMS = ("careful", "hasty")


def _samples(dialogues: int) -> Any:
    bits = st.lists(st.booleans(), min_size=dialogues, max_size=dialogues)
    return bits.filter(any)


def _close(values: dict[str, float], wanted: dict[str, float]) -> None:
    assert values.keys() == wanted.keys()
    for name, value in wanted.items():
        assert math.isclose(values[name], value, rel_tol=1e-12, abs_tol=1e-12), name


def _first(values: Any) -> dict[str, float]:
    return {name: float(value[0]) for name, value in values.items()}


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_dialogue_once_gives_the_scores_to_the_last_digit(name: str) -> None:
    report = sample_scorer().score(sample_predictions(name))
    assert sample_evidence(name).scores == report_figures(report)


def test_without_states_there_is_all_but_tracking() -> None:
    metrics = ("bleu", "inform")
    report = sample_scorer(*metrics).score(sample_predictions("scripted"))
    assert sample_evidence("scripted", *metrics).scores == report_figures(report)
    with pytest.raises(InputError, match="`dst` needs a `state`"):
        sample_evidence("scripted")


def test_a_sample_of_every_dialogue_once_gives_the_scores() -> None:
    evidence = sample_evidence("careful")
    dialogues = len(evidence.dialogues)
    mixed = next(bootstrap_samples(dialogues, 40, 7))
    mixed[23] = 1
    values = evidence.weighted(mixed)
    _close({name: value[23] for name, value in values.items()}, evidence.scores)


@settings(max_examples=15, deadline=None)
@given(_samples(30))
def test_some_dialogues_score_as_a_submission_of_these(chosen: list[bool]) -> None:
    evidence, predictions = sample_evidence("careful"), sample_predictions("careful")
    submitted = {
        id_: predictions[id_] for id_, keep in zip(predictions, chosen, strict=True) if keep
    }
    wanted = report_figures(sample_scorer().score(submitted))
    assert evidence.part(list(submitted)).scores == wanted
    resampled = _first(evidence.weighted(np.array([chosen], np.int64)))
    _close(resampled, wanted)


@settings(max_examples=6, deadline=None)
@given(_samples(30))
def test_swapped_dialogues_score_as_submissions_that_are_swapped(swapped: list[bool]) -> None:
    own, other = map(sample_predictions, SYSTEMS)
    for predictions in (own, other):
        # The sources of active domains are the systems' own: the same for what is swapped.
        for turns in predictions.values():
            for turn in turns:
                turn.pop("active_domains", None)
    first, second = (
        sample_scorer().evidence(name, outputs)
        for name, outputs in zip(SYSTEMS, (own, other), strict=True)
    )
    ids = zip(own, swapped, strict=True)
    mixed = {id_: (other if swap else own)[id_] for id_, swap in ids}
    rest = {id_: (own if swap else other)[id_] for id_, swap in zip(own, swapped, strict=True)}
    second = second.part(first.dialogues)
    is_swapped = np.array([swapped])
    ours, theirs = first.table(), second.table()
    both = (
        first.swapped(~is_swapped @ ours, second, is_swapped @ theirs),
        second.swapped(~is_swapped @ theirs, first, is_swapped @ ours),
    )
    for values, predictions in zip(both, (mixed, rest), strict=True):
        wanted = report_figures(sample_scorer().score(predictions))
        resampled = _first(values)
        _close(resampled, wanted)


def test_dialogues_without_words_can_be_resampled() -> None:
    predictions = sample_predictions("careful")
    ids = list(predictions)
    silent = [{"response": "", "state": {}}]
    some: dict[str, Any] = {ids[1]: silent}
    report = sample_scorer().score({ids[1]: some[ids[1]]})
    evidence = sample_scorer().evidence("nearly nothing", some)
    counts = np.array([[1], [2]])
    values = evidence.weighted(counts)
    assert {name: value[0] for name, value in values.items()} == report_figures(report)
    assert all(np.isfinite(value).all() for value in values.values())


_COUNTS = st.integers(0, 40)


@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.integers(0, 60), st.lists(_COUNTS, min_size=4, max_size=4))
    )
)
def test_bleu_of_sums_is_sacrebleu(cases: list[tuple[int, int, list[int]]]) -> None:
    rows = [
        # Of n tokens in a segment there are n - 1 bigrams, and so on; matches are some of them.
        [length, reference, *map(min, matches, totals), *totals]
        for length, reference, matches in cases
        for totals in [[max(length - n, 0) for n in range(4)]]
    ]
    scores = [bleu_of_counts([float(count) for count in row]) for row in rows]
    wanted = [
        BLEU.compute_bleu(row[2:6], row[6:], row[0], row[1], smooth_method="exp").score
        for row in rows
    ]
    assert scores == wanted
    if rows:
        at_once = bleu_of_samples(list(np.array(rows, np.float64).T))
        np.testing.assert_allclose(at_once, wanted, rtol=1e-13, atol=0)


@given(st.lists(st.floats(1 / 128, 1) | st.just(0.0)), st.randoms())
def test_sums_of_scores_are_exact_in_any_order(scores: list[float], random: Any) -> None:
    shuffled = random.sample(scores, len(scores))
    assert sum_of(exact_sum("x", shuffled), "x") == math.fsum(scores)


def test_samples_do_not_depend_on_where_blocks_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn() -> list[Any]:
        return [np.concatenate(list(draw(37, 150, 5))) for draw in (bootstrap_samples, swaps)]

    whole = drawn()
    for module in ("evidence", "comparing"):
        monkeypatch.setattr(f"mwz.harness.comparison.{module}.BLOCK", 32)
    assert all(map(np.array_equal, whole, drawn()))
    assert whole[0].sum(axis=1).tolist() == [37] * 150
