"""Variants of joint accuracy: turns per domain, `dontcare`, `none`, recall only; all are named."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal, refusal
from tracking_cases import belief, tracked

from mwz.harness import Benchmark
from mwz.harness.cli.tracked_files import annotated
from mwz.harness.errors import InputError
from mwz.harness.metrics import (
    VARIANTS,
    Choices,
    TrackedDialogue,
    TrackedFile,
    TrackingResult,
    parse_tracking_file,
    score_tracking,
    track_states,
    tracking_signature,
)

# The hotel is right in turns 0 and 3 and wrong in turns 1 and 2, in which gold has it. The
# restaurant is right in turn 2, its only one.
TURNS = (
    ("", ""),
    ("hotel.area=north", "hotel.area=south"),
    ("hotel.area=north restaurant.food", "hotel.area=south restaurant.food"),
    ("hotel.area=north", "hotel.area=north"),
)
ACTIVE = (["hotel"], ["hotel"], ["restaurant"], ["hotel", "train"])


def known(dialogue_: TrackedDialogue) -> TrackedDialogue:
    """Return the dialogue with its active domains and its goal."""
    goal_domains = frozenset({"hotel", "police"})
    return replace(dialogue_, active_domains=ACTIVE, goal_domains=goal_domains)


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        # Hotel: turns 1, 2, 3, of which the last is right. Restaurant: turn 2.
        ("gold-slots", {"hotel": (3, 100 / 3), "restaurant": (1, 100)}),
        # Hotel: turns 0, 1, 3, of which 0 and 3. The train is in no gold state.
        ("active", {"hotel": (3, 200 / 3), "restaurant": (1, 100)}),
        # The goal has the hotel: all four turns, of which 0 and 3. It has no restaurant.
        ("dialogues", {"hotel": (4, 50)}),
    ],
)
def test_domain_scores_average_its_turns(
    over: str, expected: Mapping[str, tuple[int, float]]
) -> None:
    report = score_tracking([known(tracked(*TURNS))], Choices(per_domain=over))
    scored = {d: (scores["turns"], scores["JGA"]) for d, scores in report.per_domain.items()}
    assert scored == {d: (turns, pytest.approx(jga)) for d, (turns, jga) in expected.items()}
    mean = sum(jga for _, jga in expected.values()) / len(expected)
    assert report.per_domain_mean["JGA"] == pytest.approx(mean)
    # The whole file's figures do not depend on it: turns 0 and 3 of four are right.
    assert report.metrics["JGA"] == 50


def test_dontcare_is_left_out_on_both_sides() -> None:
    dialogue_ = tracked(
        ("hotel.area=dontcare hotel.stars=4", "hotel.stars=4"),
        ("hotel.stars=4", "hotel.stars=4 hotel.area=dontcare"),
        ("hotel.stars=4", "hotel.stars=3"),
    )
    counted = score_tracking([dialogue_])
    dropped = score_tracking([dialogue_], Choices(dontcare="drop"))
    # With it no turn is right; without, the first two of three.
    assert counted.metrics["JGA"] == 0
    assert dropped.metrics["JGA"] == pytest.approx(200 / 3)
    # Of 4 gold values 2 are right; of those without `dontcare`, 2 of 3.
    assert counted.metrics["recall"] == 50
    assert dropped.metrics["recall"] == pytest.approx(200 / 3)


def test_joint_recall_ignores_extra_slots_and_no_wrong_ones() -> None:
    report = score_tracking(
        [
            tracked(
                ("", "a.x"),  # only in excess
                ("a.x", "a.x a.y"),  # all of gold, and more
                ("a.x a.y", "a.x"),  # one missed
                ("a.x=1", "a.x=2"),  # one wrong
            )
        ]
    )
    assert report.metrics["joint recall"] == 50
    assert report.metrics["JGA"] == 0


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_has_its_name_in_report_and_signature(name: str) -> None:
    dialogues = [known(tracked(*TURNS))]
    default, *others = VARIANTS[name]
    # What follows the code is not named, what follows a paper is.
    first = tracking_signature(dialogues, None)
    assert first.parameters.get(name, default) == default
    for value in others:
        choices = Choices(**{name.replace("-", "_"): value})
        assert score_tracking(dialogues, choices).variants[name] == value
        signature = tracking_signature(dialogues, None, choices)
        # Turns that an annotation says have a digest of it.
        assert signature.parameters[name].startswith(value)
        assert not signature.comparable_with(first)


@pytest.mark.parametrize(
    ("text", "choices"),
    [
        ("dontcare=drop", Choices(dontcare="drop")),
        ("per-domain=active", Choices(per_domain="active")),
        ("slots=35", Choices(slots=35)),
        ("lambda=0,2,0.50", Choices(lambdas=(0, 2, 0.5))),
        # -ln(1 - .95) / 6 is .499.
        ("forget=0.95,6", Choices(lambdas=(0.25, 0.5, 0.75, 1, 0.499289))),
        ("forget:train=0.95,6", Choices(domain_lambdas={"train": 0.499289})),
    ],
)
def test_variants_are_chosen_by_name(text: str, choices: Choices) -> None:
    assert Choices.from_variants([text]) == choices


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (["dontcare=skip"], "unknown value of dontcare 'skip'; choose from keep, drop"),
        (["dont-care=drop"], "unknown variant 'dont-care'; choose from per-domain, dontcare, none"),
        (["dontcare"], "unknown value of dontcare ''"),
        (["gca=code", "gca=paper"], "gca is there twice"),
        (["lambda=much"], "lambda: expected numbers of at least 0, such as 0.25,0.5, found 'much'"),
        (["lambda=-1"], "found '-1'"),
        (["slots=0"], "slots: expected a number of at least 1, found '0'"),
        (["forget=0.5,0"], "forget: expected SHARE,TURNS such as 0.95,6, found '0.5,0'"),
        (["forget:hotel=0.95"], "forget:hotel: expected SHARE,TURNS"),
        (["forget:=0.95,3"], "unknown variant 'forget:'"),
    ],
)
def test_what_is_no_variant_is_refused_with_the_choices(given_: list[str], message: str) -> None:
    assert message in str(refusal(Choices.from_variants, given_))


def _toy() -> Benchmark:
    states = [belief(gold) for gold, _ in TURNS]
    played = dialogue({"hotel": goal(), "police": goal()}, 4, states=states, active=list(ACTIVE))
    return benchmark({"d0001": played})


def _own(id_: str, turns: int) -> TrackedFile:
    pair = {"gt": belief("hotel.area"), "pr": belief("hotel.area")}
    return parse_tracking_file({id_: [pair] * turns}, "states.json", _toy)


def test_files_with_gold_states_get_domains_from_the_benchmark() -> None:
    [found] = annotated(_own("D0001.json", 4), _toy).dialogues
    assert found.active_domains[3] == ["hotel", "train"]
    assert found.goal_domains == {"hotel", "police"}


@pytest.mark.parametrize(
    ("id_", "turns", "message"),
    [
        ("other", 1, "dialogue other: not in the benchmark tiny"),
        ("d0001", 5, "dialogue d0001: turn 4 is not in the benchmark tiny"),
    ],
)
def test_a_file_of_other_dialogues_gets_none(id_: str, turns: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        annotated(_own(id_, turns), _toy)


def test_slots_as_written_are_those_of_the_file_and_the_benchmark() -> None:
    gold = [belief("hotel.bookday=monday")] * 4
    predicted = [
        belief("hotel.day=monday"),  # the same slot, written otherwise
        belief("hotel.bookday=monday hotel.area=none"),  # no more than gold, or a slot too many
        belief("hotel.bookday=on-monday"),  # contained: 100
        belief("hotel.bookday=friday"),
    ]
    tiny = benchmark({"d1": dialogue({"hotel": goal()}, 4, states=gold)})
    dialogues = track_states({"d1": predicted}, tiny)
    for none, fuzzy in (("absent", 75), ("value", 50)):
        report = score_tracking(dialogues, Choices(none=none))
        assert report.fuzzy["joint_accuracy"] == fuzzy
        assert report.fuzzy["joint_accuracy_as_written"] == 25


def test_a_file_with_its_own_gold_states_has_its_slots_as_written() -> None:
    # Booking slots are not made alike there: turn 1 is wrong either way. The last has `none` twice.
    turns = [
        ("hotel.bookday", "hotel.bookday"),
        ("hotel.bookday", "hotel.day"),
        ("", "taxi.a=none"),
    ]
    report = score_tracking([tracked(*turns)])
    assert report.fuzzy["joint_accuracy"] == pytest.approx(200 / 3)
    assert report.fuzzy["joint_accuracy_as_written"] == pytest.approx(100 / 3)


@pytest.fixture(scope="module")
def published(
    multiwoz: Benchmark, predictions: Callable[[str], Mapping[str, Any]]
) -> Callable[[str], TrackedFile]:
    """Reads the states of a published system by name, once."""
    return cache(lambda name: parse_tracking_file(predictions(name), name, lambda: multiwoz))


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("system", "alike", "as_written"),
    [
        # By the public evaluator's rule, worked out of the files without the harness's metrics.
        ("mars", 45.79, 35.55),
        ("krls-e2e", 49.70, 35.73),
        ("uniconv", 55.70, 54.35),
    ],
)
def test_the_public_evaluators_joint_accuracy_comes_out(
    system: str, alike: float, as_written: float, published: Callable[[str], TrackedFile]
) -> None:
    fuzzy = score_tracking(published(system).dialogues).fuzzy
    assert round(fuzzy["joint_accuracy"], 2) == alike
    assert round(fuzzy["joint_accuracy_as_written"], 2) == as_written


@pytest.mark.real_data
def test_known_spread_of_joint_accuracy(published: Callable[[str], TrackedFile]) -> None:
    """KRLS predicts the value `none` 106 times; the known figures take it for a value."""
    file = published("krls-e2e")

    def score(over: str, none: str) -> TrackingResult:
        return score_tracking(file.dialogues, Choices(per_domain=over, none=none))

    reports = {over: score(over, "value") for over in VARIANTS["per-domain"]}
    means = {over: round(report.per_domain_mean["JGA"], 1) for over, report in reports.items()}
    assert means == {"gold-slots": 55.9, "active": 62.5, "dialogues": 68.4}
    assert round(reports["active"].metrics["joint recall"], 1) == 59.6
    assert round(reports["active"].metrics["JGA"], 1) == 48.4
    absent = score("gold-slots", "absent")
    assert round(absent.per_domain_mean["JGA"], 1) == 56.2
    assert round(absent.metrics["JGA"], 1) == 48.5
