"""The lower bound: what is missing counts as failed, and in BLEU as an empty response."""

from __future__ import annotations

import math
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal
from sacrebleu.metrics.bleu import BLEU

from mwz.harness import Benchmark
from mwz.harness.metrics import LowerBound
from mwz.harness.scoring import Options, Report, Scorer, report_on
from mwz.harness.scoring.scorer import score
from mwz.harness.submission import NormalizedSubmission, made_submission
from mwz.harness.submission.model import NormalizedDialogue

FIVE = "one two three four five"
"""A reference of five tokens without a placeholder."""


def _benchmark(turns: int = 1) -> Benchmark:
    """Return two dialogues that nothing is wanted in, so that each is a success if it is played."""
    played = dialogue({}, turns, references=[FIVE] * turns)
    return benchmark({"d1": played, "d2": played})


def _report(on: Benchmark, turns: dict[str, int], **options: Any) -> Report:
    predictions = {id_: [{"response": FIVE}] * count for id_, count in turns.items()}
    return score(predictions, on, Options(**options))


def _bound(report: Report) -> LowerBound:
    bound = report.metrics["lower_bound"]
    assert isinstance(bound, LowerBound)
    return bound


def test_one_of_two_dialogues_gives_half_the_rates_and_a_brevity_penalty() -> None:
    report = _report(_benchmark(), {"d1": 1})
    assert (report.inform, report.success) == (100.0, 100.0)
    assert report.bleu["mwz22"] == pytest.approx(100.0)
    bound = _bound(report)
    # Half of 100 %. All n-grams match, but there are 5 tokens of 10: exp(1 - 10 / 5).
    assert (bound.inform, bound.success) == (50.0, 50.0)
    assert bound.bleu == pytest.approx(100 * math.exp(-1))
    assert bound.combined == pytest.approx(50 + 100 * math.exp(-1))


def test_a_dialogue_that_breaks_off_counts_for_what_is_played_of_it() -> None:
    # Both are played, one of them to half: rates of all, 15 tokens of 20.
    bound = _bound(_report(_benchmark(2), {"d1": 2, "d2": 1}))
    assert (bound.inform, bound.success) == (100.0, 100.0)
    assert bound.bleu == pytest.approx(100 * math.exp(1 - 20 / 15))


def test_rates_are_those_of_all_dialogues() -> None:
    # A restaurant is wanted in all four; of the two played one offers it: 50 %, of all 25 %.
    wanted = {"restaurant": goal({"food": "greek"}, ["PHONE"])}
    states = [{"restaurant": {"food": "greek"}}]
    played = dialogue(wanted, 1, states=states, active=[["restaurant"]], references=["NAME PHONE"])
    on = benchmark({f"d{number}": played for number in range(4)})
    predictions = {
        "d0": [{"response": "[name] [phone]", "active_domains": ["restaurant"]}],
        "d1": [{"response": "sorry", "active_domains": ["restaurant"]}],
    }
    report = score(predictions, on)
    assert (report.inform, report.success) == (50.0, 50.0)
    bound = _bound(report)
    assert (bound.inform, bound.success) == (25.0, 25.0)


def test_a_complete_system_has_no_lower_bound() -> None:
    assert "lower_bound" not in _report(_benchmark(2), {"d1": 2, "d2": 2}).to_dict()


@pytest.mark.parametrize(
    ("metrics", "there"),
    [
        (["bleu"], ("bleu",)),
        (["inform"], ("inform", "success")),
        (["bleu", "inform"], ("bleu", "inform", "success", "combined")),
        ([], ()),
    ],
)
def test_the_bound_has_the_metrics_asked_for(metrics: list[str], there: tuple[str, ...]) -> None:
    bound = _bound(_report(_benchmark(), {"d1": 1}, metrics=[*metrics, "lower_bound"]))
    assert {name for name, figure in vars(bound).items() if figure is not None} == set(there)
    # Its rates are those of the strict set-up.
    optimistic = _bound(_report(_benchmark(), {"d1": 1}, setup="optimistic"))
    assert (optimistic.inform, optimistic.combined) == (None, None)


def test_bleu_is_sacrebleus_with_empty_responses_on_the_sample(sample: Benchmark) -> None:
    # All but the last turn of each dialogue, and nothing of the last dialogue.
    whole = made_submission(sample, "damd").dialogues
    cut = {}
    for id_, played in [*whole.items()][:-1]:
        cut[id_] = NormalizedDialogue(*(column[:-1] for column in vars(played).values()))
    report = report_on(Scorer(sample), NormalizedSubmission(cut, names_domains=False))
    responses, references = [], []
    for id_, gold in sample.dialogues.items():
        said = [*cut[id_].responses] if id_ in cut else []
        responses += said + [""] * (gold.turns - len(said))
        references += gold.references["mwz22"]
    expected = BLEU().corpus_score(responses, [references]).score
    assert _bound(report).bleu == pytest.approx(expected)
    assert expected < report.bleu["mwz22"]
