"""Learning curves: bands of seeds, distances to GCA."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Cli
from tracking_cases import write_states

from mwz.harness.errors import InputError
from mwz.harness.tracking.lab.lab import curves_tables, learning_curves

SCORES = [{"JGA": 80.0, "GCA": 90.0}, {"JGA": 60.0, "GCA": 90.0}, {"JGA": 70.0, "GCA": 80.0}]


def test_trackers_with_one_number_make_a_band() -> None:
    first, last = points = learning_curves([1.0, 0.1, 0.1], ["c", "a", "b"], SCORES)
    assert (first["number"], first["files"]) == (0.1, ["a", "b"])
    assert (last["number"], last["files"]) == (1.0, ["c"])
    jga = first["scores"]["JGA"]
    assert jga == {"mean": 65, "lowest": 60, "highest": 70}
    # |60 - 90| and |70 - 80|, file by file, and not |65 - 85|.
    apart = first["distances"]["JGA"]
    assert apart == {"mean": 20, "lowest": 10, "highest": 30}
    assert "GCA" not in first["distances"]
    scores, _ = curves_tables("shots", points)
    assert "65.00 (60.00–70.00)" in scores.rows[0]
    assert scores.notes == ["mean (lowest–highest); files: 2, 1"]


def test_one_number_makes_no_curve() -> None:
    with pytest.raises(InputError, match="two different numbers"):
        learning_curves([1.0, 1.0, 1.0], ["a", "b", "c"], SCORES)


def test_the_command_shows_curves(tmp_path: Path, cli: Cli) -> None:
    places = (tmp_path / f"{name}.json" for name in ("one", "two", "three"))
    one, two, three = (write_states(place, [("a.x a.y", "a.x")]) for place in places)
    files = [f"{one}=0.1", f"{two}=0.1", f"{three}=1"]
    done = cli.done("lab", "--format", "json", "series", "shots", *files)
    curves = json.loads(done.out)["curves"]
    found = [(point["number"], point["files"]) for point in curves["points"]]
    assert found == [(0.1, ["one", "two"]), (1.0, ["three"])]
    assert f"write {one}=NUMBER" in cli.refused("lab", "series", "shots", one, f"{two}=1")
