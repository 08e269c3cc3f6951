"""The few figures of a tracker that tables of systems show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal
from tracking_cases import FGA_FIGURE_1, belief, read_file, tracked

from mwz.harness import Benchmark
from mwz.harness.board.tracked import tracking_figures
from mwz.harness.metrics import GoldStates, parse_tracking_file, score_tracking


def test_figures_of_a_file_with_gold_states_of_its_own() -> None:
    figures = tracking_figures([tracked(*FGA_FIGURE_1)], gold_version="2.1")
    # The paper's figure 1: two turns of six exact. Its five gold triples and more, as reports say.
    assert figures.jga == pytest.approx(100 / 3)
    assert round(figures.fga, 2) == 46.45
    assert round(figures.gca, 2) == 76.47
    assert round(figures.rsa, 2) == 60.52
    report = score_tracking([tracked(*FGA_FIGURE_1)])
    assert figures.slot_f1 == report.metrics["F1"]
    assert figures.fuzzy_joint_accuracy == report.fuzzy["joint_accuracy"]
    assert (figures.dialogues, figures.turns) == (1, 6)
    assert (figures.of_dialogues, figures.of_turns, figures.complete) == (None, None, True)
    assert figures.gold_version == "2.1"
    assert figures.gold == figures.signature.gold
    # λ is 0.5, whatever reports show otherwise.
    assert figures.signature.parameters["lambda"] == "0.5"


def _toy() -> Benchmark:
    states = [belief("hotel.area"), belief("hotel.area hotel.stars")]
    return benchmark(
        {
            "d1": dialogue({"hotel": goal()}, 2, states=states),
            "d2": dialogue({"hotel": goal()}, 2, states=states),
        }
    )


def test_figures_against_a_benchmark_tell_their_coverage_and_whose_gold_they_are() -> None:
    predicted = {"D1.json": [belief("hotel.area"), belief("hotel.area")]}
    toy = _toy()
    file = parse_tracking_file(predicted, "states.json", lambda ids: toy)
    figures = tracking_figures(file.dialogues, file.benchmark, gold_version="2.2")
    assert figures.jga == 50
    assert (figures.dialogues, figures.turns) == (1, 2)
    assert (figures.of_dialogues, figures.of_turns, figures.complete) == (2, 4, False)
    assert (
        figures.gold
        == GoldStates("", "", {id_: d.states for id_, d in toy.dialogues.items()}).digest
    )
    assert figures.gold_version == "2.2"


def test_figures_against_another_version_have_its_hash_and_name() -> None:
    predicted = {"D1.json": [belief("hotel.area"), belief("hotel.area")]}
    toy = _toy()
    gold = GoldStates("2.4", "tiny", {"d1": [belief("hotel.area")] * 2})
    file = parse_tracking_file(predicted, "states.json", lambda ids: toy, gold)
    figures = tracking_figures(file.dialogues, file.benchmark, file.gold)
    assert figures.jga == 100
    assert (figures.gold, figures.gold_version) == (gold.digest, "2.4")
    own = tracking_figures(
        parse_tracking_file(predicted, "states.json", lambda ids: toy).dialogues, toy
    )
    assert not figures.signature.comparable_with(own.signature)


@pytest.mark.real_data
def test_every_published_file_has_its_expected_figures(
    dst_data: Path, expected: Callable[[str], Mapping[str, Any]]
) -> None:
    wrong = {}
    figures_of = expected("dst.json")
    assert len(figures_of) > 40
    for name, figures in figures_of.items():
        report = score_tracking(read_file(dst_data / name).dialogues)
        metrics = report.metrics
        measured = {
            **{key: metrics[key] for key in ("JGA", "SA", "AGA", "IAGA", "RSA", "GCA")},
            **{f"FGA_{float(decay)}": value for decay, value in metrics["FGA"].items()},
            "dialogues": report.dialogues,
            "turns": report.turns,
        }
        off = {
            key: (measured[key], value)
            for key, value in figures.items()
            if abs(measured[key] - value) > 0.0051
        }
        if off:
            wrong[name] = off
    assert wrong == {}
