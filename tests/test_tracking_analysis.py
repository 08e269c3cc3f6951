"""Analyses of metrics: over turns, by where mistakes lie, by slots, with Zou's intervals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Cli
from tracking_cases import HYPOTHETICAL_P1, HYPOTHETICAL_P2, read_file, tracked, write_states

from mwz.harness.lab.analysis import analyse, zou_interval
from mwz.harness.metrics import Choices

HALF = Choices(lambdas=[0.5])


@pytest.mark.parametrize(
    ("first", "second", "ends"),
    # What the R package cocor gives for the authors' rounded correlations.
    [(0.08, -0.05, (0.0880, 0.1717)), (0.59, 0.40, (0.1543, 0.2266))],
)
def test_the_intervals_that_the_authors_of_gca_publish_come_out(
    first: float, second: float, ends: tuple[float, float]
) -> None:
    interval = zou_interval(first, second, 0.69, 1344)
    assert interval == pytest.approx(ends, abs=0.00006)


def test_perfect_correlations_or_few_points_have_no_interval() -> None:
    assert zou_interval(1.0, 0.5, 0.5, 100) is None
    assert zou_interval(0.1, 0.5, 0.5, 3) is None


def test_metrics_are_correlated_over_the_turns_that_both_score() -> None:
    # Gold is empty in turn 0. Of the others, turns 1 and 2 are right and turn 3 is not: AGA, which
    # leaves turn 0 out, has (1, 1, 1/2) where JGA has (1, 1, 0): they go together perfectly. RSA
    # has (0, 1, 1, 1/2) and JGA (1, 1, 1, 0): worked out below.
    turns = [("", ""), ("a.x", "a.x"), ("a.x", "a.x"), ("a.x a.y", "a.x")]
    matrix = analyse([tracked(*turns)], HALF)["turns"]
    assert matrix["JGA"]["AGA"] == pytest.approx(1)
    # Means 5/8 and 3/4. Products: -5/8 * 1/4 + 2 * 3/8 * 1/4 + -1/8 * -3/4 = 1/8.
    # Squares: 25/64 + 2 * 9/64 + 1/64 = 11/16, and 3 * 1/16 + 9/16 = 3/4.
    assert matrix["RSA"]["JGA"] == pytest.approx((1 / 8) / (11 / 16 * 3 / 4) ** 0.5)
    assert matrix["JGA"]["RSA"] == matrix["RSA"]["JGA"]
    # GCA says nothing of a turn.
    assert "GCA" not in matrix


def test_slots_used_are_the_most_in_one_gold_state() -> None:
    analysis = analyse(
        [tracked(("a.x a.y", ""), ("a.x", "")), tracked(("", "a.z"), id_="d2")], HALF
    )
    assert analysis["slots"] == {0: 1, 2: 1}
    many = " ".join(f"a.s{number}" for number in range(12))
    analysis = analyse([tracked((many, many)), tracked(("a.x", "a.x"), id_="d2")], HALF)
    assert analysis["fewer_slots"] == 50


EMPTY = tracked(("", ""), ("", ""), id_="empty")
PERFECT = tracked(("a.x", "a.x"), id_="perfect")


def test_dialogues_with_mistakes_are_held_against_where_these_lie() -> None:
    early = tracked(*HYPOTHETICAL_P2, id_="early")
    late = tracked(*HYPOTHETICAL_P1, id_="late")
    analysis = analyse([early, late, EMPTY, PERFECT], HALF)
    assert analysis["mistaken"] == 2
    # One mistake in six turns, in turn 0 and in turn 5: (0 - 2.5) / 6 and (5 - 2.5) / 6.
    first, *_, last = bins = analysis["biases"]["0.5"]["TO"]["bins"]
    assert len(bins) == 10
    assert first["start"] == pytest.approx(-2.5 / 6)
    assert last["start"] == pytest.approx(2.5 / 6 - 0.1 * 5 / 6)
    # Table and figure 8 of the paper: FGA 59.75 and 83.33, GCA 52.38 in both.
    assert (first["dialogues"], last["dialogues"]) == (1, 1)
    assert [first["fga"], first["gca"]] == pytest.approx([59.75, 52.38], abs=0.005)
    assert [last["fga"], last["gca"]] == pytest.approx([83.33, 52.38], abs=0.005)
    assert analysis["biases"]["0.5"]["TO"]["fga"] == pytest.approx(1)
    assert analysis["biases"]["0.5"]["TO"]["gca"] is None


def test_the_spread_over_trackers_is_shown_beside_their_analyses(tmp_path: Path, cli: Cli) -> None:
    right = write_states(tmp_path / "right.json", [("a.x", "a.x")] * 2)
    wrong = write_states(tmp_path / "wrong.json", [("a.x", "a.x"), ("a.x", "")])
    done = cli.done("lab", "--format", "json", "analysis", right, wrong)
    tables = json.loads(done.out)
    # JGA 100 and 50: mean 75, deviation 50 / √2.
    jga = tables["spread"]["JGA"]
    assert (jga["mean"], jga["deviation"]) == pytest.approx((75, 50 / 2**0.5))
    assert {"SA", "AGA", "RSA", "GCA", "F1"} <= set(tables["spread"])
    assert set(tables["analyses"]) == {"right", "wrong"}


@pytest.mark.real_data
def test_published_predictions_give_the_measured_correlations(dst_data: Path) -> None:
    path = dst_data / "T5_fewshot_train" / "ratio_1.0_seed_557_prediction.json"
    analysis = analyse(read_file(path).dialogues, HALF)
    uneven = analysis["biases"]["0.5"]["NU"]
    assert analysis["mistaken"] == 234
    assert (uneven["fga"], uneven["gca"]) == pytest.approx((0.60, 0.24), abs=0.005)


@pytest.mark.real_data
def test_slots_per_turn_are_those_of_the_rsa_papers_figure_2(dst_data: Path) -> None:
    # "Approximately 85 %" in its own states of version 2.1.
    path = dst_data / "trippy" / "trippy_result.json"
    assert analyse(read_file(path).dialogues, HALF)["fewer_slots"] == 82
