"""Learning curves: numbers given or read from names, bands of seeds, distances to GCA."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import run_cli
from tracking_cases import belief

from mwz.harness.errors import InputError
from mwz.harness.lab.lab import curves_tables, learning_curves, series_numbers

Capture = pytest.CaptureFixture[str]

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


def test_numbers_are_given_or_read_from_names() -> None:
    files = ["few/ratio_0.05_seed_557.json", "few/ratio-1_seed_3.json", "zeroshot.json=0"]
    paths = [*files[:2], "zeroshot.json"]
    assert series_numbers("ratio", files) == (paths, [0.05, 1.0, 0.0])
    with pytest.raises(InputError, match=r"zeroshot.json has no number after `ratio`"):
        series_numbers("ratio", [*files, "few/zeroshot.json"])


def _write(path: Path, predicted: str) -> str:
    path.write_text(json.dumps({"d1": {"0": {"gt": belief("a.x a.y"), "pr": belief(predicted)}}}))
    return str(path)


def test_the_command_shows_curves(tmp_path: Path, capsys: Capture) -> None:
    one, two, three = (_write(tmp_path / f"{n}.json", "a.x") for n in ("one", "two", "three"))
    files = [f"{one}=0.1", f"{two}=0.1", f"{three}=1"]
    done = run_cli(capsys, "lab", "--format", "json", "series", "shots", *files)
    assert done.status == 0, done.err
    curves = json.loads(done.out)["curves"]
    found = [(point["number"], point["files"]) for point in curves["points"]]
    assert found == [(0.1, ["one", "two"]), (1.0, ["three"])]
    done = run_cli(capsys, "lab", "series", "shots", one, f"{two}=1")
    assert done.status == 2
    assert "has no number after `shots`" in done.err
