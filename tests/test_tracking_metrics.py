"""State-tracking metrics on cases worked out by hand, the papers' own examples among them."""

from __future__ import annotations

import math
from itertools import chain

import pytest
from tracking_cases import (
    FGA_FIGURE_1,
    GCA_SAMPLE_1,
    GCA_SAMPLE_2,
    HYPOTHETICAL_P1,
    HYPOTHETICAL_P2,
    RSA_TABLE_3_A,
    RSA_TABLE_3_B,
    RSA_TABLE_A6,
    pairs,
    present,
    tracked,
)

from mwz.harness.errors import InputError
from mwz.harness.metrics import (
    Choices,
    correlation,
    judge_changes,
    non_uniformity,
    score_tracking,
    tail_orientation,
    tracking_metrics,
)
from mwz.harness.metrics.tracking.choices import decay_to_forget
from mwz.harness.metrics.tracking.goal_accuracy import EXACT, error_distances, turn_score
from mwz.harness.metrics.tracking.slot_accuracy import (
    OUTCOMES,
    change_scores,
    count_changes,
    turn_relative_slot_accuracy,
    turn_slot_accuracy,
)


def shares(turns, choices=Choices()):
    """Return every figure of the turns of a dialogue, as a share."""
    figures = {}
    for metric in tracking_metrics(choices).values():
        figures |= metric.formula(metric.rows({"d1": turns})["d1"])
    return {key: value / 100 for key, value in figures.items()}


def counts(*turns):
    return count_changes(chain.from_iterable(judge_changes(pairs(*turns))))


def gca(*turns):
    return change_scores(**counts(*turns))["gca"]


def outcomes(missed, wrong, overshot, correct):
    return dict(zip(OUTCOMES, (missed, wrong, overshot, correct), strict=True))


def fga(decay, *turns):
    return shares(present(*turns), Choices(lambdas=[decay]))[f"FGA.{decay}"]


def test_fga_paper_figure_1_jga_sa_and_aga():
    turns = present(*FGA_FIGURE_1)
    # Turns 0 and 1 of 6 are exact.
    assert shares(turns)["JGA"] == pytest.approx(2 / 6)  # printed 33.33
    # Of 30 slots 0, 0, 2, 2, 3 and 3 are wrong: (180 - 10) / 180.
    assert shares(turns)["SA"] == pytest.approx(170 / 180)  # printed 94.44
    # Turn 0 has no gold state; then 1/1, 4/6, 5/7, 5/7, 5/7.
    assert shares(turns)["AGA"] == pytest.approx((1 + 4 / 6 + 3 * 5 / 7) / 5)
    assert round(100 * shares(turns)["AGA"], 2) == 76.19


def test_fga_paper_figure_1_turn_scores():
    # Turn 2 errs, turn 3 adds what is right, one turn later: 1 - exp(-0.5) = 0.3935. Turn 4 errs,
    # turn 5 adds nothing, one turn later.
    scores = [turn_score(x, 0.5) for x in error_distances(present(*FGA_FIGURE_1))]
    assert [round(score, 2) for score in scores] == [1, 1, 0, 0.39, 0, 0.39]
    # The paper prints 46.33, which is (1 + 1 + 0.39 + 0.39) / 6 of the rounded scores.
    assert round(100 * sum(round(score, 2) for score in scores) / 6, 2) == 46.33
    assert round(100 * fga(0.5, *FGA_FIGURE_1), 2) == 46.45


def test_aga_without_any_gold_state_is_0_if_anything_is_predicted():
    assert shares(present(("", ""), ("", "a.name")))["AGA"] == 0
    assert shares(present(("", ""), ("", "")))["AGA"] == 1


def test_rsa_paper_table_3_tells_apart_what_aga_does_not():
    # One of three gold values is found by both.
    assert shares(present(RSA_TABLE_3_A))["AGA"] == pytest.approx(1 / 3)
    assert shares(present(RSA_TABLE_3_B))["AGA"] == pytest.approx(1 / 3)
    # A: 4 slots in either state, `people` missed, 2 wrong predictions: (4 - 1 - 2) / 4.
    assert shares(present(RSA_TABLE_3_A))["RSA"] == pytest.approx(0.25)
    # B: 6 slots, `people` missed, 4 wrong predictions: (6 - 1 - 4) / 6.
    assert round(shares(present(RSA_TABLE_3_B))["RSA"], 4) == 0.1667


@pytest.mark.parametrize(
    ("gold", "predicted", "score"),
    [
        # One of two slots is right; a wrong value counts once.
        ("six", "two", 1 / 2),
        # What stands before the last dash is another slot to the published code: `people` is
        # missed and `people-sixty` predicted in vain, one of three.
        ("six", "sixty-two", 1 / 3),
        ("sixty-two", "six", 1 / 3),
        ("sixty-two", "fifty-two", 1 / 3),
        ("six", "-two", 1 / 3),
        # Both are of the slot `people-sixty`.
        ("sixty-two", "sixty-six", 1 / 2),
        # The last dash, not the first.
        ("a-b-c", "a-d-c", 1 / 3),
        # Equal values are right, dashes or not.
        ("sixty-two", "sixty-two", 1),
    ],
)
def test_the_last_dash_ends_the_slot(gold, predicted, score):
    [turn] = present((f"a.name a.people={gold}", f"a.name a.people={predicted}"))
    assert turn_relative_slot_accuracy(turn) == pytest.approx(score)
    # The wrong slots of the 30: as many as are not right of one, two or three in play.
    wrong = {1: 0, 1 / 2: 1, 1 / 3: 2}[score]
    assert turn_slot_accuracy(turn) == pytest.approx((30 - wrong) / 30)
    assert turn_relative_slot_accuracy(turn, "kept") == (1 / 2 if wrong else 1)
    assert turn_slot_accuracy(turn, dashes="kept") == pytest.approx((30 - bool(wrong)) / 30)


def test_rsa_paper_table_a6_turn_by_turn():
    turns = present(*RSA_TABLE_A6)
    # Wrong of 30 slots: one predicted in vain (0, 1), that and one missed (2, 3), one missed.
    slots = [round(turn_slot_accuracy(turn), 4) for turn in turns]
    assert slots == [0.9667, 0.9667, 0.9333, 0.9333, *[0.9667] * 6]
    # Right of the slots in either state: 0/1, 0/1, 0/2, 0/2, 2/3, 3/4, then 4/5.
    relative = [round(turn_relative_slot_accuracy(turn), 4) for turn in turns]
    assert relative == [0, 0, 0, 0, 0.6667, 0.75, *[0.8] * 4]
    assert shares(turns)["JGA"] == 0


def test_gca_paper_figure_6():
    # name correct; type missed; attraction name wrong; attraction area missed: C 1, W 1, M 2.
    # P = 2, G = 4; VP 1/2, VR 1/4, LP 1, LR 1/2. Times 11, the weights are 20, 40, 2, 4:
    # 66 / (20 / (1/2) + 40 / (1/4) + 2 / 1 + 4 / (1/2)) = 66 / 210.
    assert counts(*GCA_SAMPLE_1) == outcomes(missed=2, wrong=1, overshot=0, correct=1)
    assert gca(*GCA_SAMPLE_1) == pytest.approx(66 / 210)  # printed 31.43
    # Exact, exact, error, 1 after it, error, 1 after it, 2 after it.
    after_1, after_2 = 1 - math.exp(-0.5), 1 - math.exp(-1)
    assert fga(0.5, *GCA_SAMPLE_1) == pytest.approx((2 + after_1 + after_1 + after_2) / 7)
    assert round(100 * fga(0.5, *GCA_SAMPLE_1), 2) == 48.84


def test_gca_paper_figure_7():
    # Three correct, area missed, name overshot: all four part scores are 3/4.
    assert counts(*GCA_SAMPLE_2) == outcomes(missed=1, wrong=0, overshot=1, correct=3)
    assert gca(*GCA_SAMPLE_2) == pytest.approx(0.75)
    # Exact, error, error (a slot is overshot), 1 after it.
    assert fga(0.5, *GCA_SAMPLE_2) == pytest.approx((1 + 1 - math.exp(-0.5)) / 4)
    assert round(100 * fga(0.5, *GCA_SAMPLE_2), 2) == 34.84


def test_gca_paper_figure_8_prediction_1():
    turns = present(*HYPOTHETICAL_P1)
    assert shares(turns)["JGA"] == pytest.approx(5 / 6)  # printed 83.33
    assert shares(turns)["RSA"] == pytest.approx((5 + 1 / 2) / 6)  # printed 91.67
    # Turn 5 errs whatever it adds: the turn before was exact.
    assert fga(0.5, *HYPOTHETICAL_P1) == pytest.approx(5 / 6)
    # One correct, one wrong: P = G = 2; VP = VR = 1/2, LP = LR = 1. Times 11, the weights are
    # 20, 20, 2, 2: 44 / (40 + 40 + 2 + 2).
    assert gca(*HYPOTHETICAL_P1) == pytest.approx(44 / 84)  # printed 52.38


def test_gca_paper_figure_8_prediction_2():
    turns = present(*HYPOTHETICAL_P2)
    assert shares(turns)["JGA"] == 0
    assert shares(turns)["RSA"] == pytest.approx(1 / 2 / 6)  # printed 8.33
    # The first turn errs, the others come 1 to 5 turns after it.
    expected = sum(1 - math.exp(-0.5 * after) for after in range(1, 6)) / 6
    assert fga(0.5, *HYPOTHETICAL_P2) == pytest.approx(expected)
    assert round(100 * fga(0.5, *HYPOTHETICAL_P2), 2) == 59.75
    assert gca(*HYPOTHETICAL_P2) == pytest.approx(44 / 84)


def test_lambda_of_the_fga_papers_example_of_forgetting():
    # -ln(0.05) / 6 = 2.9957 / 6
    assert round(decay_to_forget(6, 0.95), 3) == 0.499
    assert decay_to_forget(6, 0) == 0


@pytest.mark.parametrize(
    ("turns", "share"), [(0, 0.5), (-1, 0.5), (math.inf, 0.5), (3, 1), (3, -0.1)]
)
def test_forgetting_out_of_range_is_refused(turns, share):
    with pytest.raises(ValueError, match="must be"):
        decay_to_forget(turns, share)


def test_a_value_none_means_absent():
    turns = present(("hotel.area=none", ""), ("hotel.area", "hotel.area hotel.name=none"))
    assert shares(turns)["JGA"] == 1
    assert shares(turns)["SA"] == 1
    assert shares(turns)["AGA"] == 1
    # The first turn has no slot at all, which RSA scores 0.
    assert shares(turns)["RSA"] == 0.5


def test_a_wrong_value_counts_once_in_slot_accuracy():
    # One wrong value, one missed, two overshot: 4 of 10.
    [turn] = present(("a.x a.y a.z", "a.x a.y=other b.x b.y"))
    assert turn_slot_accuracy(turn, slots=10) == pytest.approx(0.6)


def test_slot_accuracy_refuses_fewer_slots_than_are_wrong():
    dialogue = tracked(("a.x a.y", "b.x"))
    with pytest.raises(InputError, match=r"2 slots are fewer than the 3 .* d0001, turn 0"):
        score_tracking([dialogue], Choices(slots=2))
    assert score_tracking([dialogue], Choices(slots=3)).metrics["SA"] == 0


def test_iaga_sees_false_predictions_but_not_where_gold_is_empty():
    # Turn 0 is left out. Turn 1: 1 shared of 1 + 1; turn 2: 1 of the triples x, y, y=other.
    turns = present(("", "a.x"), ("a.x", "a.x b.y"), ("a.x a.y", "a.x a.y=other"))
    assert shares(turns)["AGA"] == pytest.approx((1 + 1 / 2) / 2)
    assert shares(turns)["IAGA"] == pytest.approx((1 / 2 + 1 / 3) / 2)


def test_precision_and_recall_count_triples_over_all_turns():
    # Found 1 + 1; predicted 1 + 4; gold 2 + 1.
    figures = shares(present(("a.x a.y", "a.x"), ("a.x", "a.x b.x b.y b.z")))
    assert (figures["precision"], figures["recall"]) == (pytest.approx(2 / 5), pytest.approx(2 / 3))
    assert figures["F1"] == pytest.approx(2 * 2 / (5 + 3))


@pytest.mark.parametrize(("predicted", "score"), [("", 1), ("a.x", 0)])
def test_without_any_gold_value_only_predicting_nothing_is_right(predicted, score):
    figures = shares(present(("", predicted)))
    names = ("precision", "recall", "F1", "AGA", "IAGA")
    assert {figures[name] for name in names} == {score}
    assert gca(("", predicted)) == score


def test_a_turn_errs_by_its_own_additions():
    first = ("a.x", "")
    assert error_distances(present(first, ("a.x a.y", "a.y")))[1] == 1
    assert error_distances(present(first, ("a.x a.y", "")))[1] == 0
    assert error_distances(present(first, ("a.x", "a.z")))[1] == 0
    # Distances are of turn numbers.
    assert error_distances(present(*[first] * 5)) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        # (missed, wrong, overshot, correct)
        ([("a.x=none", "")], (0, 0, 0, 1)),
        ([("", "a.x=none")], (0, 0, 0, 1)),
        ([("a.x", "")], (1, 0, 0, 0)),
        ([("", "a.x")], (0, 0, 1, 0)),
        ([("a.x", "a.x=other")], (0, 1, 0, 0)),
        # Gold says none: overshot; the predicted change then differs from it: wrong.
        ([("a.x=none", "a.x")], (0, 1, 1, 0)),
        # Predicted none: the gold change is wrong, the predicted one missed.
        ([("a.x", "a.x=none")], (1, 1, 0, 0)),
        # Corrected a turn late: wrong, then correct.
        ([("a.x", "a.x=other"), ("a.x", "a.x")], (0, 1, 0, 1)),
        # Predicted a turn early: overshot, then correct.
        ([("", "a.x"), ("a.x", "a.x")], (0, 0, 1, 1)),
        # Dropped by the prediction alone: missed.
        ([("a.x", "a.x"), ("a.x", "")], (1, 0, 0, 1)),
        # Dropped by gold alone: overshot, as the predicted slot does not change.
        ([("a.x", "a.x"), ("", "a.x")], (0, 0, 1, 1)),
        # Dropped on both sides. From the published code, not the paper: the gold change to `none`
        # is correct, the equal predicted change falls through to the test for `none`.
        ([("a.x", "a.x"), ("", "")], (1, 0, 0, 2)),
        # Dropped and told again: correct, correct and missed, correct.
        ([("a.x", "a.x"), ("", ""), ("a.x", "a.x")], (1, 0, 0, 3)),
    ],
)
def test_gca_counts_of_single_changes(turns, expected):
    assert counts(*turns) == outcomes(*expected)


def test_fuzzy_joint_accuracy_forgives_a_longer_form_of_a_value():
    turns = present(
        ("a.name=cityroomz", "a.name=the-cityroomz"),  # contained: 100
        ("a.name=cityroomz", "a.name=acorn"),
        ("a.name=cityroomz", "a.name=cityroomz a.area"),  # another slot
    )
    assert shares(turns)["fuzzy.joint_accuracy"] == pytest.approx(1 / 3)
    assert shares(turns)["JGA"] == 0
    figures = shares(turns)
    assert (figures["fuzzy.precision"], figures["fuzzy.recall"]) == (
        pytest.approx(2 / 4),
        pytest.approx(2 / 3),
    )


def test_fuzzily_equal_is_a_partial_ratio_over_95():
    # All but one of 20 characters: 2 * 19 / 40 = 95. All but one of 25: 2 * 24 / 50 = 96.
    twenty, twenty_five = "a" * 19, "a" * 24
    equal = present((f"a.name={twenty}b", f"a.name={twenty}c"))
    over = present((f"a.name={twenty_five}b", f"a.name={twenty_five}c"))
    for turns, share in ((equal, 0), (over, 1)):
        assert shares(turns)["fuzzy.joint_accuracy"] == shares(turns)["fuzzy.F1"] == share


def test_mistakes_at_the_end_are_tail_oriented():
    # Mean turn 3, middle 1.5, 4 turns.
    assert tail_orientation([0, 0, 0, 2]) == pytest.approx((3 - 1.5) / 4)
    assert tail_orientation([1, 0, 0, 1]) == 0


def test_non_uniformity_is_nought_for_an_even_spread():
    assert non_uniformity([2, 2, 2]) == 0
    # Mean 1: (1 + 1 + 2) / 1
    assert non_uniformity([0, 0, 3]) == pytest.approx(4)
    # Mean 2: (1 + 1) / 2
    assert non_uniformity([1, 3]) == pytest.approx(1)


def test_correlation_is_unknown_where_one_side_is_constant():
    assert correlation([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert correlation([1, 1, 1], [2, 4, 6]) is None
    assert correlation([1], [2]) is None
    # So little that the variance comes out as 0.
    assert correlation([0, 1], [0, 1e-217]) is None


def test_domains_are_scored_on_the_turns_whose_gold_state_has_them():
    report = score_tracking(
        [tracked(("", "b.x"), ("a.x", "a.x b.x"), ("a.x b.x", "a.x b.x=other b.y"))],
        Choices(slots=10),
    )
    assert list(report.per_domain) == ["a", "b"]
    # In b one turn: one value wrong, one slot overshot, of 10; 2 slots, none right.
    for domain, figures in {
        "a": {"turns": 2, "JGA": 100, "SA": 100, "RSA": 100, "F1": 100},
        "b": {"turns": 1, "JGA": 0, "SA": 80, "RSA": 0, "F1": 0},
    }.items():
        assert figures.items() <= report.per_domain[domain].items()


def test_fga_and_gca_of_a_domain():
    erring = tracked(
        ("a.x", "a.x=other"), ("a.x b.x", "a.x=other b.x"), ("a.x b.x", "a.x=other b.x")
    )
    # No gold state has b: its turn does not count for FGA, its change does for GCA.
    other = tracked(("a.y", "a.y b.y"), id_="d0002")
    domains = score_tracking([erring, other], Choices(domain_lambdas={"a": 1.0})).per_domain
    assert [domains[name]["lambda"] for name in "ab"] == [1, 0.5]
    # The error of turn 0 is one and two turns old, and d0002 is right in a.
    assert domains["a"]["FGA"] == pytest.approx(
        100 * (0 + 1 - math.exp(-1) + 1 - math.exp(-2) + 1) / 4
    )
    assert (domains["b"]["turns"], domains["b"]["FGA"]) == (2, 100)
    # a: one right, one wrong. b: one right, one overshot; value precision and recall 1/2 and 1.
    assert domains["a"]["GCA"] == pytest.approx(100 * gca_of(correct=1, wrong=1))
    assert domains["b"]["GCA"] == pytest.approx(100 * gca_of(correct=1, overshot=1))
    # P = 2, G = 1, parts 1/2, 1, 1/2, 1: (2 + 1) / (10/11 x 5 + 1/11 x 5) = 3/5.
    assert gca_of(correct=1, overshot=1) == pytest.approx(3 / 5)


def gca_of(**outcomes):
    return change_scores(**{**dict.fromkeys(OUTCOMES, 0), **outcomes})["gca"]


def test_losses_are_those_of_dialogues_that_end_inexact():
    lost = tracked(("a.x", "a.x"), ("a.x", ""), ("a.x", "a.x"), ("a.x", ""), id_="lost")
    regained = tracked(("a.x", ""), ("a.x", "a.x"), id_="regained")
    report = score_tracking([lost, regained])
    assert (report.losses["dialogues"], report.losses["recovered"]) == (1, 1)
    # Turn 1 of 4.
    assert report.losses["mean_position"] == 0.25
    assert [part["first_lost"] for part in report.positions] == [0, 0, 1, *[0] * 7]


def test_positions_hold_the_turns_of_their_part_of_the_dialogue():
    # Turns of the first dialogue lie at 0 and 0.5, that of the second at 0.
    report = score_tracking(
        [tracked(("a.x", "a.x"), ("a.x", "")), tracked(("a.x", ""), id_="d0002")]
    )
    assert [part["turns"] for part in report.positions] == [2, 0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert [part["jga"] for part in report.positions[::5]] == [50, 0]
    assert report.positions[1]["jga"] is None


def test_several_dialogues_are_averaged_over_all_their_turns():
    # 1 exact turn of 1, 0 of 3.
    wrong = tracked(*[("a.x", "")] * 3, id_="d0002")
    report = score_tracking([tracked(("a.x", "a.x")), wrong])
    assert report.metrics["JGA"] == 25
    # 1 correct and 1 missed change: P = 1, G = 2; VP = LP = 1, VR = LR = 1/2. Times 11, the weights
    # are 10, 20, 1, 2: 33 / (10 + 40 + 1 + 4).
    assert report.metrics["GCA"] == pytest.approx(100 * 33 / 55)


def test_mistakes_go_with_scores_over_the_dialogues_that_have_any():
    late = tracked(("a.x", "a.x"), ("a.x a.y", "a.x"), id_="late")
    early = tracked(("a.x", ""), ("a.x a.y", "a.y"), id_="early")
    perfect = tracked(("a.x", "a.x"), id_="perfect")
    mistakes = score_tracking([late, early, perfect], Choices(lambdas=[0])).mistakes
    assert mistakes["dialogues"] == 2
    # Two points: late has TO 1/4 and JGA 1/2, early TO -1/4 and JGA 0. GCA is the same for both.
    assert mistakes["tail_orientation"] == 0
    assert mistakes["correlations"]["TO"] == {"FGA 0": pytest.approx(1), "GCA": None}


def test_gca_by_the_papers_weights():
    # P = 1 + 1 = 2, G = 1 + 1 + 2 = 4; the parts are 1/2, 1/4, 1 and 1/2.
    counted = {"missed": 2, "wrong": 1, "overshot": 0, "correct": 1}
    # The code: (2 + 4) / (10/11 x (2 / .5 + 4 / .25) + 1/11 x (2 / 1 + 4 / .5)) = 6 / (210/11).
    assert change_scores(**counted)["gca"] == pytest.approx(66 / 210)
    # The paper: (.9 + .9 + .1 + .1) / (.9 / .5 + .9 / .25 + .1 / 1 + .1 / .5) = 2 / 5.7.
    assert change_scores(**counted, weighing="paper")["gca"] == pytest.approx(2 / 5.7)
    assert shares(pairs(*GCA_SAMPLE_1), Choices(gca="paper"))["GCA"] == pytest.approx(2 / 5.7)


def test_fga_by_the_papers_algorithm():
    turns = present(
        ("a.x", "a.x"),  # exact
        ("", "a.x"),  # gold drops a slot, and nothing is added
        ("a.y", "a.x"),  # a new slot is missed
        ("a.y", "a.x"),  # and nothing added
        ("a.y", "a.y"),  # exact
        ("a.y", ""),  # a slot is dropped
    )
    # The code: turns 1 and 5 follow an exact one.
    assert error_distances(turns) == [EXACT, 0, 0, 1, EXACT, 0]
    # The paper: turn 1 is before any error, turn 5 is 3 after turn 2.
    assert error_distances(turns, "paper") == [EXACT, math.inf, 0, 1, EXACT, 3]
    score = shares(turns, Choices([1.0], fga="paper"))["FGA.1"]
    assert score == pytest.approx((1 + 1 + 0 + 1 - math.exp(-1) + 1 + 1 - math.exp(-3)) / 6)
    # With λ = 0 nothing is forgotten: joint goal accuracy.
    assert shares(turns, Choices([0.0], fga="paper"))["FGA.0"] == pytest.approx(2 / 6)
