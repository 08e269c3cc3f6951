"""The picture of scores: every system, every figure, and the interval where it says something."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers import CAREFUL, Cli, texts_drawn
from tracking_cases import FGA_FIGURE_1, write_states

from mwz.harness.comparison import Interval, plot_scores
from mwz.harness.comparison.evidence import BOOTSTRAP, WILSON
from mwz.harness.errors import InputError
from mwz.harness.metrics import Figure

FIGURES = {
    "inform": Figure("inform", "Inform", 1),
    "diversity.unigrams": Figure("diversity.unigrams", "unique unigrams", 0),
}


def _intervals(inform: float, unigrams: float) -> dict[str, Interval]:
    """Return intervals of which that of unique unigrams leaves its value out."""
    return {
        "inform": Interval(inform, inform - 2.5, inform + 2.3, WILSON),
        "diversity.unigrams": Interval(unigrams, unigrams - 50, unigrams - 10, BOOTSTRAP),
    }


BOTH = [_intervals(80.0, 300.0), _intervals(81.0, 301.0)]


def test_every_system_and_every_figure_is_drawn(tmp_path: Path) -> None:
    path = tmp_path / "scores.svg"
    plot_scores(["first", "a$b$"], FIGURES, BOTH, str(path))
    written = texts_drawn(path)
    assert {"first", "a$b$", "Inform", "unique unigrams"} <= set(written)


def test_an_interval_that_leaves_its_value_out_is_not_drawn(tmp_path: Path) -> None:
    # Two systems: two points in each panel, and bars in the one of Inform only.
    bars = []
    for name, figures in (("both", FIGURES), ("inform", {"inform": FIGURES["inform"]})):
        path = tmp_path / f"{name}.svg"
        plot_scores(["first", "second"], figures, BOTH, str(path))
        bars.append(path.read_text(encoding="utf-8").count("stroke: #8c8c8c"))
    assert bars == [2, 2]


@pytest.mark.parametrize(
    ("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-")]
)
def test_pictures_are_reproducible_by_suffix(tmp_path: Path, suffix: str, magic: bytes) -> None:
    made = []
    for name in ("one", "two"):
        path = tmp_path / f"{name}.{suffix}"
        plot_scores(["first"], FIGURES, BOTH[:1], str(path))
        made.append(path.read_bytes())
    assert made[0].startswith(magic)
    assert made[0] == made[1]


def test_trackers_are_drawn_by_the_figures_that_all_have(tmp_path: Path, cli: Cli) -> None:
    pair = write_states(tmp_path / "pair.json", FGA_FIGURE_1)
    cli.done("dst", pair, "--plot", tmp_path / "a.svg")
    assert {"JGA", "GCA", "FGA λ=0.5", "F1", "pair"} <= set(texts_drawn(tmp_path / "a.svg"))
    right = tmp_path / "right.json"
    right.write_text(json.dumps({"d": [[1] * 30]}))
    cli.done("dst", pair, right, "--plot", tmp_path / "b.svg")
    drawn = set(texts_drawn(tmp_path / "b.svg"))
    assert {"JGA", "FGA λ=0.5", "right"} <= drawn
    assert "GCA" not in drawn


def test_another_suffix_is_refused_and_nothing_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\.svg or \.png or \.pdf"):
        plot_scores(["first"], FIGURES, BOTH[:1], str(tmp_path / "scores.gif"))
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_pictures_are_refused_at_once(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mwz.harness.io.tables.find_spec", lambda _: None)
    message = cli.refused("score", CAREFUL, "--plot", tmp_path / "a.svg")
    assert "pictures need matplotlib (the extra `plot`): pip install matplotlib" in message
