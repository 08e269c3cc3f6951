"""Overlap of the splits: which test goals also occur in train or dev, and scoring them apart."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers import Cli, build_multiwoz, write_json
from hypothesis import given, strategies as st
from synthetic import SEEN_IDS, TEST_IDS, write_repositories

from mwz.harness import Benchmark, score
from mwz.harness.cli.data import statistics_table
from mwz.harness.data.installed import install_benchmark
from mwz.harness.data.multiwoz22 import find_overlap, seen_goals
from mwz.harness.errors import InputError
from mwz.harness.scoring import Options, Scorer

GOALS = "mwzeval/data/goals.json"

TRAINED = {
    ("restaurant", "food", "basque"),
    ("restaurant", "area", "north"),
    ("restaurant", "area", "south"),
}
"""What the states of the train and the dev dialogue hold."""


def goal(informable: Any = None, requestable: Any = (), booking: Any = ()) -> dict[str, Any]:
    return {
        "informable": informable or {},
        "requestable": list(requestable),
        "booking": booking or [],
    }


_GOALS = st.dictionaries(
    st.sampled_from(["hotel", "train"]),
    st.builds(
        goal,
        st.dictionaries(st.sampled_from(["area", "day"]), st.sampled_from(["x", "y"])),
        st.lists(st.sampled_from(["PHONE", "POST"]), unique=True),
        st.dictionaries(st.just("stay"), st.sampled_from(["1", "2"])),
    ),
)


@given(st.lists(_GOALS, max_size=6), st.lists(_GOALS, max_size=6))
def test_seen_means_equal_to_some_other_goal(goals: list[Any], others: list[Any]) -> None:
    """Against a slow definition: some other goal has the same domains and equal parts."""

    def same(goal_: Any, other: Any) -> bool:
        wanted = [{d: p for d, p in g.items() if any(p.values())} for g in (goal_, other)]
        return wanted[0].keys() == wanted[1].keys() != set() and all(
            wanted[0][d]["informable"] == wanted[1][d]["informable"]
            and set(wanted[0][d]["requestable"]) == set(wanted[1][d]["requestable"])
            and wanted[0][d]["booking"] == wanted[1][d]["booking"]
            for d in wanted[0]
        )

    test = {str(number): goal_ for number, goal_ in enumerate(goals)}
    expected = {id_ for id_, goal_ in test.items() if any(same(goal_, other) for other in others)}
    assert seen_goals(test, others) == expected


def test_the_goals_of_all_splits_are_compared(tmp_path: Path) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path)
    path = mwzeval / GOALS
    assert find_overlap(path, multiwoz, TEST_IDS) == (frozenset(SEEN_IDS), TRAINED)
    goals = json.loads(path.read_text())
    path.write_text(json.dumps({**goals, "dev0005": goals["mul0002"]}))
    assert find_overlap(path, multiwoz, TEST_IDS)[0] == frozenset({"syn0001", "mul0002"})


def test_overlap_is_unknown_without_all_goals(tmp_path: Path) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path)
    path = mwzeval / GOALS
    goals = json.loads(path.read_text())
    write_json(path, {id_: goals[id_] for id_ in TEST_IDS})
    # The states need no goals.
    assert find_overlap(path, multiwoz, TEST_IDS) == (None, TRAINED)


def test_overlap_is_unknown_without_the_other_splits(tmp_path: Path) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path)
    (multiwoz / "data/MultiWOZ_2.2/dev/dialogues_001.json").unlink()
    assert find_overlap(mwzeval / GOALS, multiwoz, TEST_IDS) == (None, None)


def test_a_damaged_split_is_named(tmp_path: Path) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path)
    path = multiwoz / "data/MultiWOZ_2.2/train/dialogues_001.json"
    for damaged in ('[{"turns": []}]', "{}", "[1]"):
        path.write_text(damaged)
        with pytest.raises(InputError, match=r"train.dialogues_001\.json: (not|content:) in"):
            find_overlap(mwzeval / GOALS, multiwoz, TEST_IDS)


@pytest.mark.parametrize(
    "wrong", [[], {"hotel": {"informable": {"area": "x"}}}, {"hotel": "cheap"}, {"hotel": [1]}]
)
def test_damaged_goals_are_named(tmp_path: Path, wrong: object) -> None:
    mwzeval, multiwoz = write_repositories(tmp_path)
    goals = json.loads((mwzeval / GOALS).read_text())
    write_json(mwzeval / GOALS, {**goals, "trn0004": wrong})
    with pytest.raises(InputError, match=r"goals\.json: not in the layout"):
        find_overlap(mwzeval / GOALS, multiwoz, TEST_IDS)


@pytest.fixture
def built(tmp_path: Path) -> Benchmark:
    return build_multiwoz(*write_repositories(tmp_path))


def test_a_benchmark_built_with_all_splits_knows_its_seen_goals(built: Benchmark) -> None:
    assert built.seen == frozenset(SEEN_IDS)
    counts = {row["what"]: row["number"] for row in statistics_table(built).data}
    # The test states also have a departure and a destination, a type, and a hotel's area and stay.
    assert counts["domain-slot-value triplets in gold states"] == 7
    assert counts["domain-slot-value triplets that train and dev lack"] == 5
    assert counts["slot-value pairs that train and dev lack"] == 5


# Every dialogue is played in full, the seen one (2 of the 5 turns) with a wrong answer.
_PREDICTIONS = {
    "syn0001": [{"response": "no idea"}, {"response": "no idea"}],
    "mul0002": [{"response": "board [trainid]."}, {"response": "see the [name]."}],
    "pmul0003": [{"response": "booked [name] as [ref]."}],
}


@pytest.mark.parametrize(
    ("goals", "dialogues", "turns", "inform"),
    [("seen", 1, 2, 0.0), ("unseen", 2, 3, 100.0), ("all", 3, 5, 100 * 2 / 3)],
)
def test_the_parts_are_scored_apart(
    built: Benchmark, goals: str, dialogues: int, turns: int, inform: float
) -> None:
    report = score(_PREDICTIONS, built, Options(goals=goals))
    assert (report.coverage.dialogues, report.coverage.of) == (dialogues, dialogues)
    assert (report.coverage.turns, report.coverage.of_turns) == (turns, turns)
    assert report.inform == pytest.approx(inform)
    assert f"|goals:{goals}|" in str(report.signature)
    assert report.signature.goals == report.to_dict()["goals"] == goals
    # Of the part everything is played.
    assert report.signature.coverage is None


def test_a_scorer_of_all_goals_gives_scorers_of_the_parts(built: Benchmark) -> None:
    """What one derives from the benchmark, another of other goals must not take for its own."""
    whole = Scorer(built)
    whole.score(_PREDICTIONS)
    for goals in ("seen", "unseen"):
        alone = score(_PREDICTIONS, built, Options(goals=goals))
        assert whole.with_options(goals=goals).score(_PREDICTIONS) == alone


def test_coverage_counts_against_the_part(built: Benchmark) -> None:
    predictions = {id_: _PREDICTIONS[id_] for id_ in ("syn0001", "pmul0003")}
    coverage = score(predictions, built, Options(goals="unseen")).coverage
    assert (coverage.dialogues, coverage.of, coverage.turns, coverage.of_turns) == (1, 2, 1, 3)


def test_different_sets_of_seen_goals_have_different_signatures(built: Benchmark) -> None:
    other = replace(built, seen=frozenset({"syn0001", "mul0002"}))
    options = Options(goals="seen")
    ours, theirs = (score(_PREDICTIONS, b, options).signature for b in (built, other))
    assert str(ours) != str(theirs)
    assert not ours.comparable_with(theirs)
    ours, theirs = (score(_PREDICTIONS, b).signature for b in (built, other))
    assert ours == theirs


def test_a_part_that_is_not_played_is_an_error(built: Benchmark) -> None:
    predictions = {"pmul0003": _PREDICTIONS["pmul0003"]}
    with pytest.raises(InputError, match="play no dialogue with seen goal"):
        score(predictions, built, Options(goals="seen"))


def test_unknown_overlap_is_an_error_that_says_how_to_find_out(built: Benchmark) -> None:
    with pytest.raises(InputError, match="mwz data fetch --split all"):
        score(_PREDICTIONS, replace(built, seen=None), Options(goals="unseen"))


def test_the_command_scores_a_part(built: Benchmark, tmp_path: Path, cli: Cli) -> None:
    install_benchmark(built)
    path = write_json(tmp_path / "predictions.json", _PREDICTIONS)
    run = cli.done("score", path, "--goals", "unseen")
    assert "unseen goals only: 2 of the benchmark's dialogues" in run.out
    assert "|goals:unseen|" in run.out
