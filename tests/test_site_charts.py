"""The charts of the page: figures by year, and scatter plots."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest
from entered import enter, reports, system
from hypothesis import given, settings, strategies as st
from parsed import elements, text_of, tree_of
from test_reported import row as reported_row, table as reported_table, written

from mwz.harness.board import read_board, read_entries
from mwz.harness.board.systems import arxiv_number, paper_year
from mwz.harness.board.views.board_data import Published, best_by_year, published
from mwz.harness.board.views.charts import LINE, NAMES, nice_marks, scatter


def test_the_best_by_year_are_those_that_beat_all_before() -> None:
    figures = [(2020, 90.0), (2020, 80.0), (2021, 85.0), (2022, 95.0), (2022, 94.0), (2023, 95.0)]
    systems = [Published(year, "x", figure, True) for year, figure in figures]
    best = [(system.year, system.figure) for system in best_by_year(systems)]
    assert best == [(2020, 90.0), (2022, 95.0)]


def test_figures_by_year_are_printed_or_follow_from_what_is(tmp_path: Path) -> None:
    reported = [
        {"source": "x", "inform": 90.0, "success": 80.0, "bleu": 20.0},
        {"source": "y", "inform": 70.0, "success": 60.0},
    ]
    folder = tmp_path / "submissions"
    enter(folder, "alpha", system(name="Alpha", year=2021, reported=reported), reports(bleu=20.0))
    enter(folder, "beta", system(name="Beta"), reports(bleu=25.0))
    gamma = {**reported_row("Gamma", Combined="101.5"), "paper": "https://arxiv.org/abs/1912.01234"}
    written(folder, reported_table(gamma))
    board = read_board(folder, read_entries(folder), "2021")
    # Verified: (70 + 60) / 2 + 20; reported: (90 + 80) / 2 + 20; of beta no year is known.
    figures = sorted(published(board, "end-to-end"), key=lambda system: system.figure)
    assert figures == [
        Published(2021, "Alpha", 85.0, True, "alpha"),
        Published(2019, "Gamma", 101.5, False),
        Published(2021, "Alpha", 105.0, False, "alpha"),
    ]


@pytest.mark.parametrize(
    ("address", "year", "number"),
    [
        ("https://arxiv.org/abs/2111.14592", 2021, "2111.14592"),
        ("https://arxiv.org/pdf/1907.10016.pdf", 2019, "1907.10016"),
        ("https://aclanthology.org/2021.findings-emnlp.112.pdf", 2021, None),
        ("https://www.aclweb.org/anthology/P18-2069", 2018, None),
        ("https://www.aclweb.org/anthology/2020.acl-main.636.pdf", 2020, None),
        ("https://openreview.net/forum?id=oyZxhRI2RiE", None, None),
        ("https://example.org/arxiv.org/2111.14592", None, None),
        (None, None, None),
    ],
)
def test_the_address_of_a_paper_tells_its_year(
    address: str | None, year: int | None, number: str | None
) -> None:
    assert (paper_year(address), arxiv_number(address)) == (year, number)


def test_every_track_has_charts_of_its_own_measures(project_site: Mapping[str, str]) -> None:
    tree = tree_of(project_site["index.html"])
    titles = {
        section.get("id"): [text_of(h3) for h3 in elements(section, "h3")]
        for section in elements(tree, "section")
        if section.get("class") == "track"
    }
    assert titles["end-to-end"][:2] == ["Best Combined by year", "Success against BLEU"]
    assert titles["state-tracking"] == ["Best JGA by year", "JGA against Slot F1"]
    assert titles["lexicalised"][-1] == "Success, all against Of a named venue, %"
    assert titles["live"] == []
    # The best have their names shown, the others on hover.
    section = next(s for s in elements(tree, "section") if s.get("id") == "end-to-end")
    names = [text for text in section.iter("{http://www.w3.org/2000/svg}text") if text.text]
    assert {"Mars", "GALAXY"} <= {name.text for name in names}
    assert "Mars" in {name.text for name in names if name.get("class") != "hidden"}


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        # 10.8 to 20.7 in steps of 2: 10, 12, …, 22 are seven marks.
        ([10.8, 20.7], [10, 12, 14, 16, 18, 20, 22]),
        ([47.6, 93.3], [40, 50, 60, 70, 80, 90, 100]),
        ([5.0], [5, 5.1]),
    ],
)
def test_marks_are_round_and_enclose_all_values(values: list[float], marks: list[float]) -> None:
    made = nice_marks(values)
    assert made[0] <= min(values)
    assert made[-1] >= max(values)
    if len(values) > 1:
        assert made == marks


_PERCENT = st.floats(0, 100, allow_nan=False)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(_PERCENT, _PERCENT), min_size=1, max_size=30))
def test_the_best_of_a_plot_have_names_that_cover_no_other(
    figures: list[tuple[float, float]],
) -> None:
    picture = scatter([{"name": "x", "link": "", "group": "a", "x": x, "y": y} for x, y in figures])
    left, top, right, bottom = picture["plot"]
    for point in picture["points"]:
        assert left <= point["right"] <= right
        assert top <= point["down"] <= bottom
    heights = sorted(point["down"] for point in picture["points"])
    named = sorted(point["down"] for point in picture["points"] if point["named"])
    assert named[0] == heights[0]
    assert len(named) <= NAMES
    assert all(below - above >= LINE for above, below in pairwise(named))
