"""From predictions to a report: sources, set-ups, coverage, and that nothing is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal, refusal

from mwz.harness.benchmark import STYLES
from mwz.harness.metrics import SETUPS
from mwz.harness.scoring import Options, Report, Scorer
from mwz.harness.scoring.scorer import score
from mwz.normalization import rule_set, rule_set_names

NORTH = {"restaurant": {"area": "north"}}

# One dialogue: a restaurant in the north and its telephone number; the gold annotation says so in
# both turns. Another is about a taxi.
TOWN = benchmark(
    {
        "mul0001": dialogue(
            {"restaurant": goal({"area": "north"}, ["PHONE"])},
            2,
            states=[NORTH, NORTH],
            active=[["restaurant"], ["restaurant"]],
            references=["how about NAME in the north?", "its number is PHONE, goodbye now."],
        ),
        "mul0002": dialogue({"taxi": goal()}, 1, active=[["taxi"]], references=["a taxi it is"]),
    }
)
GOOD = ["how about [name] in the north?", "its number is [phone], goodbye now."]


def _predictions(
    responses: Sequence[str] = GOOD, **fields: Sequence[object]
) -> dict[str, list[dict[str, Any]]]:
    """Return predictions of the first dialogue; `fields` holds a value per turn."""
    turns = [{"response": response} for response in responses]
    for name, values in fields.items():
        turns = [{**turn, name: value} for turn, value in zip(turns, values, strict=True)]
    return {"mul0001": turns}


def _score(predictions: Mapping[str, Any], **options: Any) -> Report:
    return score(predictions, TOWN, Options(**options))


def _rates(report: Report, setup: str = "strict") -> tuple[float, float]:
    scores = report.metrics[setup]
    return scores.inform["total"], scores.success["total"]


def test_the_whole_report_of_a_perfect_dialogue() -> None:
    report = _score(_predictions())
    assert report.bleu == pytest.approx(dict.fromkeys(STYLES, 100))
    assert _rates(report) == _rates(report, "optimistic") == (100, 100)
    # (100 + 100) / 2 + 100.
    assert report.combined == pytest.approx(200)
    assert (report.inform, report.success) == (100, 100)
    assert report.diversity.mean_length == (6 + 6) / 2
    assert (report.signature.rules, report.signature.benchmark, report.signature.goals) == (
        "2021",
        "tiny",
        "all",
    )
    assert report.unknown_placeholders == {}


def test_combined_is_the_mean_rate_plus_the_canonical_bleu() -> None:
    report = _score(_predictions(["how about [name] in the west?", "goodbye now."]))
    # Inform 100, Success 0: the telephone number is missing.
    assert _rates(report) == (100, 0)
    assert report.combined == pytest.approx((100 + 0) / 2 + report.bleu["mwz22"])
    assert report.strict.combined == report.combined


def test_coverage_counts_dialogues_and_turns_and_only_they_are_scored() -> None:
    coverage = _score(_predictions(GOOD[:1])).coverage
    assert (coverage.dialogues, coverage.of) == (1, 2)
    assert (coverage.turns, coverage.of_turns) == (1, 3)
    assert coverage.percent == pytest.approx(100 / 3)
    assert not coverage.complete
    # Of the one dialogue played, none has the telephone number.
    assert _rates(_score(_predictions(GOOD[:1]))) == (100, 0)
    everything = {**_predictions(), "mul0002": [{"response": "ok"}]}
    assert _score(everything).coverage.complete


# Where belief states come from.


def test_predicted_states_are_used_if_every_turn_has_one() -> None:
    south = {"restaurant": {"area": "south"}}
    report = _score(_predictions(state=[south, south]))
    assert report.signature.states == "predicted"
    assert _rates(report) == (0, 0)


def test_gold_states_are_used_if_no_turn_has_a_state_or_by_choice() -> None:
    report = _score(_predictions(state=[None, None]))
    assert report.signature.states == "gold"
    assert _rates(report) == (100, 100)
    # Where only some lack theirs, by choice alone.
    assert _score(_predictions(state=[NORTH, None]), states="gold").signature.states == "gold"


# Where active domains come from.


def test_predicted_domains_are_used_if_every_turn_has_them() -> None:
    report = _score(_predictions(active_domains=[["restaurant"], ["hotel"]]))
    assert report.signature.domains == "predicted"
    # The telephone number comes in a turn about hotels.
    assert _rates(report) == (100, 0)


def test_the_domains_of_placeholders_are_used_where_they_have_them() -> None:
    responses = ["how about [restaurant_name]?", "it is [hotel_phone]"]
    report = _score(_predictions(responses))
    assert report.signature.domains == "slots"
    assert _rates(report) == (100, 0)


def test_else_domains_are_estimated_from_the_states_used() -> None:
    report = _score(_predictions())
    assert report.signature.domains == "states"
    assert _rates(report) == (100, 100)
    # Predicted states that never speak of the restaurant leave no turn about it.
    report = _score(_predictions(state=[{}, {}]))
    assert (report.signature.domains, report.signature.states) == ("states", "predicted")
    assert _rates(report) == (0, 0)


@pytest.mark.parametrize(
    ("domains", "rates"),
    [("predicted", (0, 0)), ("slots", (100, 0)), ("states", (100, 100)), ("gold", (100, 100))],
)
def test_each_source_may_be_asked_for(domains: str, rates: tuple[float, float]) -> None:
    predictions = _predictions(
        ["[restaurant_name]", "[hotel_phone]"], active_domains=[["hotel"], ["hotel"]]
    )
    report = _score(predictions, domains=domains)
    assert report.signature.domains == report.strict.domains == domains
    assert _rates(report) == rates


def test_the_optimistic_set_up_uses_gold_domains_whatever_is_asked_for() -> None:
    predictions = _predictions(active_domains=[["hotel"], ["hotel"]])
    for domains in ("auto", "predicted", "states"):
        report = _score(predictions, domains=domains)
        assert report.optimistic.domains == "gold"
        assert _rates(report, "optimistic") == (100, 100)


def test_wrong_options_are_told_together() -> None:
    error = refusal(Options, rules="1999", setup="lax", domains="x", states="y", goals="some")
    assert error.source == "options"
    assert list(error.problems) == [
        f"unknown rule set '1999'; choose from {', '.join(rule_set_names())}",
        f"unknown set-up 'lax'; choose from both, strict, optimistic, {', '.join([*SETUPS][2:])}",
        "unknown source of domains 'x'; choose from auto, predicted, slots, states, gold",
        "unknown source of states 'y'; choose from auto, predicted, gold",
        "unknown choice of goals 'some'; choose from all, seen, unseen",
    ]


def test_state_tracking_is_always_of_predicted_states() -> None:
    """Of two turns one has the gold state: 50 percent."""
    south = {"restaurant": {"area": "south"}}
    predictions = _predictions(state=[NORTH, south])
    for states in ("predicted", "gold"):
        report = _score(predictions, states=states, metrics=("dst",))
        assert report.dst.metrics["JGA"] == 50
        assert (report.dst.dialogues, report.dst.turns) == (1, 2)


# What is computed.


def test_only_the_asked_for_metrics_are_in_the_report() -> None:
    assert list(_score(_predictions(), metrics=("bleu",)).metrics) == ["bleu"]
    report = _score(_predictions(), metrics=("inform",))
    assert list(report.metrics) == ["strict", "optimistic"]
    # Without BLEU there is no combined score.
    assert report.strict.combined is report.combined is None
    # In whatever order they are named, combined has its BLEU.
    report = _score(_predictions(), metrics=("inform", "bleu"))
    assert report.combined == pytest.approx(200)
    assert _score(_predictions(), metrics=()).metrics == {}


def test_unknown_placeholders_are_counted_the_most_frequent_first() -> None:
    report = _score(_predictions(["[one] [two] [two] [name]", "[three] [two] [three]"]))
    assert list(report.unknown_placeholders.items()) == [("two", 3), ("three", 2), ("one", 1)]


def test_rule_sets_see_their_own_venues() -> None:
    # In the venues of 2023 all restaurants are in the west: nothing in the north can be offered.
    moved = [{**venue, "area": "west"} for venue in TOWN.venues["restaurant"]]
    town = replace(TOWN, venue_versions={"2023": {"restaurant": moved}})
    rates = {
        name: (100, 100) if rule_set(name).venues == "2021" else (0, 0) for name in rule_set_names()
    }
    assert rates["2023"] == (0, 0)
    scorer = Scorer(town)
    for name in rule_set_names():
        assert _rates(score(_predictions(), town, Options(rules=name))) == rates[name]
        assert _rates(scorer.with_options(rules=name).score(_predictions())) == rates[name]
