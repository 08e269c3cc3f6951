"""Learning curves: bands of seeds, distances to GCA."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import Cli
from tracking_cases import write_states

from mwz.harness.errors import InputError
from mwz.harness.lab.lab import curves_tables, learning_curves

SCORES = [{"JGA": 80.0, "GCA": 90.0}, {"JGA": 60.0, "GCA": 90.0}, {"JGA": 70.0, "GCA": 80.0}]


def test_trackers_with_the_same_number_make_a_band() -> None:
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
    files = [tmp_path / f"{name}.json" for name in ("a", "b", "c")]
    for file in files:
        write_states(file, [("a.x a.y", "a.x")])
    numbered = [f"{file}={number}" for file, number in zip(files, (0.1, 0.1, 1), strict=True)]
    done = cli.done("lab", "--format", "json", "series", "shots", *numbered)
    points = json.loads(done.out)["curves"]["points"]
    shown = [(point["number"], point["files"]) for point in points]
    assert shown == [(0.1, ["a", "b"]), (1.0, ["c"])]
    refused = cli.refused("lab", "series", "shots", files[0], numbered[1])
    assert f"write {files[0]}=NUMBER" in refused
