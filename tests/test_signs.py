"""Signs: what is measured, worked out by hand, and where a sign begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal
from hypothesis import given, settings
from hypothesis import strategies as st

from mwz.harness import Benchmark
from mwz.harness.metrics.signs import Signs
from mwz.harness.scoring import Options, Scorer, score
from mwz.harness.submission import made_submission
from mwz.normalization.rules import rule_set

Turns = Sequence[Mapping[str, Any]]

# Two turns with a placeholder about a venue, two without: 0.5 a turn.
REFERENCES = ["NAME is nice", "call PHONE", "it is TYPE", "bye"]


def _measured(on: Benchmark, predictions: Mapping[str, Turns], **options: Any) -> Signs:
    report = score(predictions, on, Options(metrics=["signs"], **options))
    signs = report.metrics["signs"]
    assert isinstance(signs, Signs)
    return signs


def _said(*responses: str, **more: Sequence[Any]) -> dict[str, Turns]:
    """Return predictions of the dialogue `d1`: responses, and what else each turn has."""
    return {
        "d1": [
            {"response": response, **{key: values[turn] for key, values in more.items()}}
            for turn, response in enumerate(responses)
        ]
    }


def _four_turns(**facts: Any) -> Benchmark:
    wanted = {"restaurant": goal({"food": "greek"}, ["PHONE"])}
    return benchmark({"d1": dialogue(wanted, 4, references=REFERENCES, **facts)})


@pytest.mark.parametrize(
    ("responses", "placeholders", "raised"),
    [
        # NAME in two turns of four, however often, ADDRESS in one: 3/4, which is 1.5 times 0.5.
        (["[name] at [address]", "[name] and [name]", "ok", "ok"], 0.75, ()),
        # With a postcode 4/4.
        (["[name] at [address]", "[name] and [name]", "ok [postcode]", "ok"], 1.0, ("placehold",)),
        # All six in every turn.
        (["[name] [trainid] [phone] [address] [postcode] [reference]"] * 4, 6.0, ("placehold",)),
        # What says nothing about a venue is not counted.
        (["[value_area] [stars] [choice] [day]"] * 4, 0.0, ()),
        (["ok"] * 4, 0.0, ()),
    ],
)
def test_placeholders_are_the_shares_of_turns_that_have_each_added_up(
    responses: list[str], placeholders: float, raised: tuple[str, ...]
) -> None:
    signs = _measured(_four_turns(), _said(*responses))
    assert (signs.placeholders, signs.typical_placeholders) == (placeholders, 0.5)
    assert tuple(name[:9] for name in signs.raised) == raised


def test_what_is_typical_is_that_of_the_turns_played() -> None:
    # Of the first two turns, both have one: 1.0; 1.5 a turn is then no sign, as it would be of all.
    signs = _measured(_four_turns(), _said("[name] [phone]", "[name]"))
    assert (signs.placeholders, signs.typical_placeholders) == (1.5, 1.0)
    assert signs.raised == ()


@pytest.mark.parametrize(
    ("domains", "mean", "raised"),
    [
        # (2 + 1 + 0 + 3) / 4
        ([["hotel", "train"], ["hotel"], [], ["hotel", "train", "taxi"]], 1.5, ()),
        # (2 + 2 + 0 + 3) / 4
        ([["hotel", "train"], ["hotel", "taxi"], [], ["hotel", "train", "taxi"]], 1.75, True),
        ([["restaurant", "hotel", "attraction", "train", "taxi"]] * 4, 5.0, True),
        # A domain that is named twice is one.
        ([["hotel", "hotel"]] * 4, 1.0, ()),
        ([[]] * 4, 0.0, ()),
    ],
)
def test_active_domains_are_counted_a_turn(
    domains: list[list[str]], mean: float, raised: object
) -> None:
    signs = _measured(_four_turns(), _said(*["[name]"] * 4, active_domains=domains))
    assert signs.active_domains == mean
    assert ("active_domains" in signs.raised) is bool(raised)


def test_active_domains_are_those_that_the_score_has() -> None:
    # Gold ones: 1 + 2 + 0 + 1 of 4 turns.
    gold = [["restaurant"], ["restaurant", "train"], [], ["train"]]
    on = _four_turns(active=gold)
    assert _measured(on, _said(*["ok"] * 4), domains="gold").active_domains == 1.0


def test_distinct_responses_are_compared_as_they_are_scored() -> None:
    # Upper case and the name of a placeholder's domain make no difference: 2 of 4.
    signs = _measured(_four_turns(), _said("Try [restaurant_name]", "try [name]", "OK", "ok"))
    assert signs.distinct_responses == 0.5


_GOLD = [{}, *[{"restaurant": {"food": "greek"}}] * 3]


@pytest.mark.parametrize(
    ("states", "share"),
    [
        (_GOLD, 1.0),
        # A domain that holds nothing is none; values are compared as they are scored.
        ([{"hotel": {}}, *[{"restaurant": {"food": "Greek"}}] * 3], 1.0),
        # Right, right, a slot too many, a slot too few: 2 of 4.
        (
            [{}, _GOLD[1], {"restaurant": {"food": "greek", "area": "north"}}, {}],
            0.5,
        ),
        ([{"taxi": {"leave": "10:00"}}] * 4, 0.0),
    ],
)
def test_states_equal_gold_as_a_whole_or_not(states: list[Any], share: float) -> None:
    signs = _measured(_four_turns(states=_GOLD), _said(*["ok"] * 4, state=states))
    assert signs.gold_states == share
    assert ("gold_states" in signs.raised) is (share > 0.9)


def test_of_states_that_are_not_predicted_nothing_is_said() -> None:
    on = _four_turns(states=_GOLD)
    assert _measured(on, _said(*["ok"] * 4)).gold_states is None
    # They are the system's own, whatever queries the database.
    predicted = _said(*["ok"] * 4, state=[{}] * 4)
    assert _measured(on, predicted, states="gold").gold_states == 0.25


def test_unrequested_is_what_was_provided_for_goal_domains_and_nobody_asked_for() -> None:
    # The restaurant: PHONE, asked for, and ADDRESS, twice; the train: TRAINID, not asked for.
    # POST comes in a turn that is about neither, REFERENCE before anything is booked. 2 of 3.
    wanted = {"restaurant": goal({}, ["PHONE"]), "train": goal({}, [])}
    on = benchmark({"d1": dialogue(wanted, 4)})
    domains = [["restaurant"], ["restaurant"], ["train"], ["hotel"]]
    responses = ["[phone] [address]", "[address]", "[trainid] [reference]", "[postcode]"]
    assert _measured(on, _said(*responses, active_domains=domains)).unrequested == 2 / 3


def test_a_reference_number_is_provided_where_something_is_booked() -> None:
    on = benchmark({"d1": dialogue({"train": goal({}, [])}, 2, booked=[[], ["train"]])})
    said = _said("[reference]", "[reference]", active_domains=[["train"]] * 2)
    assert _measured(on, said).unrequested == 1.0


def test_of_what_is_not_provided_nothing_is_unrequested() -> None:
    assert _measured(_four_turns(), _said(*["[name]"] * 4)).unrequested is None


@pytest.mark.parametrize(
    ("responses", "share"),
    [
        # Venues of the database: the golden spoon, the silver fork.
        (["Golden Spoon is nice", "or the silver fork and golden spoon", "ok", "ok"], 0.5),
        (["goldenspoon", "golden spoons", "a golden spoonful", "spoon"], 0.0),
        (["ok"] * 4, 0.0),
        # The longest name and the shortest one.
        (["try the golden spoon", "the iron pot", "iron pots", "the pot"], 0.5),
        # One placeholder in four turns is 0.25, half of what is typical: it is delexicalised.
        (["[name], golden spoon", "golden spoon", "golden spoon", "ok"], 0.0),
    ],
)
def test_plain_text_is_a_sign_where_there_are_hardly_any_placeholders(
    responses: list[str], share: float
) -> None:
    signs = _measured(_four_turns(), _said(*responses))
    assert signs.named_venues == share
    assert ("named_venues" in signs.raised) is (share > 0)


def test_hardly_any_is_less_than_a_tenth_of_what_is_typical() -> None:
    # Twenty turns, each with one placeholder in the references: a tenth is two of them.
    on = benchmark({"d1": dialogue({}, 20, references=["NAME"] * 20)})
    for given_, share in [(2, 0.0), (1, 19 / 20)]:
        responses = ["[name]"] * given_ + ["golden spoon"] * (20 - given_)
        assert _measured(on, _said(*responses)).named_venues == share


def test_names_that_are_ordinary_words_are_not_looked_for() -> None:
    plain = benchmark({"d1": dialogue({}, 1, references=["NAME"])})
    on = Benchmark("tiny", plain.dialogues, {"hotel": [{"name": "ask"}, {"name": "?"}, {}]}, {})
    assert _measured(on, _said("please ask")).named_venues == 0.0


_RESPONSES = st.lists(
    st.sampled_from(["[name]", "[phone] [address]", "golden spoon", "ok", "[train_id]", "thanks"]),
    min_size=4,
    max_size=4,
)


@settings(deadline=None, max_examples=50)
@given(responses=_RESPONSES)
def test_figures_are_shares_and_means_and_do_not_depend_on_the_order_of_turns(
    responses: list[str],
) -> None:
    on = _four_turns()
    signs = _measured(on, _said(*responses))
    assert 0 <= signs.placeholders <= 6
    assert 1 / 4 <= signs.distinct_responses <= 1
    assert 0 <= signs.named_venues <= 1
    turned = _measured(on, _said(*reversed(responses)))
    for name in ("placeholders", "distinct_responses", "named_venues"):
        assert getattr(turned, name) == getattr(signs, name)


def test_signs_are_the_same_under_every_rule_set_that_reads_responses_alike(
    sample: Benchmark,
) -> None:
    scorer = Scorer(sample, Options(metrics=["signs"]))
    constant = made_submission(sample, "constant")
    shown = {
        rules: scorer.with_options(rules=rules).score_normalized(constant).metrics["signs"]
        for rules in ("2021", "2023", "2026")
    }
    assert shown["2021"] == shown["2023"] == shown["2026"]
    assert (shown["2021"].placeholders, shown["2021"].raised) == (6.0, ("placeholders",))
    assert shown["2021"].distinct_responses == 1 / sample.turns


# ------------------------------------------------------------------------------- on real data


@pytest.fixture(scope="module")
def real_signs(
    multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]
) -> Callable[[str], Signs]:
    scorer = Scorer(multiwoz, Options(metrics=["signs"]))

    def measure(name: str) -> Signs:
        if name in ("mwz22", "constant"):
            report = scorer.score_normalized(made_submission(multiwoz, name))
        else:
            report = scorer.score(predictions(name))
        signs = report.metrics["signs"]
        assert isinstance(signs, Signs)
        return signs

    return measure


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "placeholders", "raised"),
    [
        ("mwz22", 0.58, ()),
        ("lava", 2.02, ("placeholders",)),
        ("constant", 6.0, ("placeholders",)),
        ("ubar", None, ()),
        ("damd", None, ()),
        ("uniconv", None, ()),
    ],
)
def test_lava_and_the_constant_response_raise_a_sign_and_the_corpus_none(
    name: str,
    placeholders: float | None,
    raised: tuple[str, ...],
    real_signs: Callable[[str], Signs],
) -> None:
    signs = real_signs(name)
    assert signs.raised == raised
    assert round(signs.typical_placeholders, 2) == 0.58
    if placeholders is None:
        # Most systems have 0.52 to 0.65.
        assert 0.5 < signs.placeholders < 0.7
    else:
        assert round(signs.placeholders, 2) == placeholders


@pytest.mark.real_data
def test_states_copied_from_gold_raise_a_sign(
    multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]
) -> None:
    copied = {
        id_: [
            {**turn, "state": state}
            for turn, state in zip(turns, multiwoz.dialogues[id_].states, strict=True)
        ]
        for id_, turns in predictions("ubar").items()
    }
    signs = _measured(multiwoz, copied)
    assert signs.gold_states == 1.0
    assert "gold_states" in signs.raised


@pytest.mark.real_data
def test_the_constant_response_gets_more_than_the_corpus(multiwoz: Benchmark) -> None:
    # The corpus: 93.8 and 90.9 with the same gold states.
    scorer = Scorer(multiwoz, Options(metrics=["inform"]))
    report = scorer.score_normalized(made_submission(multiwoz, "constant"))
    assert (round(report.inform or 0, 1), round(report.success or 0, 1)) == (96.1, 95.9)
    corpus = scorer.score_normalized(made_submission(multiwoz, "mwz22"))
    assert (round(corpus.inform or 0, 1), round(corpus.success or 0, 1)) == (93.8, 90.9)


def test_what_counts_as_about_venues_is_the_rules() -> None:
    assert rule_set("2021").about_venues == {
        *("NAME", "TRAINID", "PHONE", "ADDRESS", "POST", "REFERENCE")
    }
