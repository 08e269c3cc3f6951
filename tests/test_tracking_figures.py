"""The figures of a tracker that tables of systems show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers import benchmark, dialogue, goal
from tracking_cases import FGA_FIGURE_1, belief, read_file, tracked

from mwz.harness.board.tracked import against_gold
from mwz.harness.metrics import (
    Choices,
    GoldStates,
    parse_tracking_file,
    score_tracking,
    tracking_signature,
)
from mwz.harness.scoring import Coverage


def test_what_is_of_parts_is_left_out_where_it_is_not_wanted() -> None:
    whole, alone = (
        score_tracking([tracked(*FGA_FIGURE_1)], by_part=by_part) for by_part in (True, False)
    )
    assert alone.figures == whole.figures
    assert (alone.per_slot, alone.losses, alone.mistakes) == ({}, {}, {})
    assert whole.per_slot.keys() > set()


def test_figures_against_another_version_have_its_hash_and_name() -> None:
    states = [belief("hotel.area"), belief("hotel.area hotel.stars")]
    toy = benchmark({id_: dialogue({"hotel": goal()}, 2, states=states) for id_ in ("d1", "d2")})
    predicted = {"D1.json": [belief("hotel.area"), belief("hotel.area")]}
    own, other = (
        parse_tracking_file(predicted, "states.json", lambda: toy, gold)
        for gold in (None, GoldStates("2.4", "tiny", {"d1": [belief("hotel.area")] * 2}))
    )
    assert other.gold is not None
    scores = against_gold(other.dialogues, toy, other.gold)["keep"]
    assert scores.jga == 100
    assert (scores.gold_digest, scores.version) == (other.gold.digest, "2.4")
    assert scores.coverage == Coverage(dialogues=1, of=2, turns=2, of_turns=4)
    assert scores.jga_lower_bound == 50
    # λ is 0.5, whatever reports show otherwise.
    assert scores.signature.parameters["lambda"] == "0.5"
    assert not scores.signature.comparable_with(tracking_signature(own.dialogues, toy))


@pytest.mark.real_data
def test_every_published_file_has_its_expected_figures(
    dst_data: Path, expected: Callable[[str], Mapping[str, Any]]
) -> None:
    wrong = {}
    figures_of = expected("dst.json")
    assert len(figures_of) > 40
    for name, figures in figures_of.items():
        report = score_tracking(read_file(dst_data / name).dialogues, by_part=False)
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


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "code", "paper"),
    [
        # GCA, FGA with λ = 0.5, RSA.
        ("T5/T5_result_zeroshot_attraction", (33.11, 64.99, 18.26), (39.89, 66.66, 18.26)),
        ("T5/T5_result_zeroshot_rest", (59.75, 51.17, 49.23), (61.49, 51.34, 49.23)),
        ("trippy/trippy_result", (63.75, 41.80, 63.22), (63.97, 41.80, 63.23)),
    ],
)
def test_what_differs_between_papers_and_code(
    name: str, code: tuple[float, ...], paper: tuple[float, ...], dst_data: Path
) -> None:
    file = read_file(dst_data / f"{name}.json")
    for figures, choices in (
        (code, Choices()),
        (paper, Choices(gca="paper", fga="paper", dashes="kept")),
    ):
        measured = score_tracking(file.dialogues, choices).figures
        shown = tuple(round(measured[key], 2) for key in ("GCA", "FGA.0.5", "RSA"))
        assert shown == figures
